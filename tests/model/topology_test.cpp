#include <algorithm>
#include <ctime>
#include <limits>

#include "corio/model/body_selection.hpp"
#include "corio/model/builder.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// The tree of a model, models in which nothing moves, models that were moved from, and models of many bodies.

namespace {

/// Builds chains, trees and bushes of joints of every kind, with and without massless bodies.
Model<double> sample(int seed) {
  return zoo::random_tree(static_cast<std::uint64_t>(seed),
                          {.bodies = 25, .chain_bias = 0.2 * (seed % 6), .massless = seed % 2 == 0});
}

/// Builds a chain of bodies "0", "1" and so on, by joint and mass, on the ground.
template <class... Joints>
ModelBuilder<double> chain(const std::vector<double>& masses, const Joints&... joints) {
  ModelBuilder<double> builder;
  Parent parent;
  auto mass = masses.begin();
  const auto add = [&](const joint::JointSpec<double>& joint) {
    const std::string name = std::to_string(mass - masses.begin());
    const auto inertia = *mass > 0 ? ball(*mass) : InertialParameters<double>();
    parent = builder.add_body({.name = name, .parent = parent, .joint = joint, .inertia = inertia});
    ++mass;
  };
  (add(joints), ...);
  return builder;
}

/// Returns the base of every node of a model.
std::vector<int> bases(const Model<double>& model) {
  std::vector<int> all;
  for (const Node<double>& node : model.nodes()) all.push_back(node.base);
  return all;
}

/// Returns the processor time, which does not depend on other processes, for building a chain of n bodies by name and
/// looking all of them up.
double time_of_chain(int n) {
  const std::clock_t begin = std::clock();
  ModelBuilder<double> builder;
  std::vector<std::string> bodies, joints;
  for (int i = 0; i < n; ++i) {
    bodies.push_back("body" + std::to_string(i));
    joints.push_back(bodies.back() + "_joint");
    builder.add_body({.name = bodies.back(),
                      .parent = i > 0 ? Parent(bodies[static_cast<std::size_t>(i - 1)]) : Parent(),
                      .joint = joint::Revolute::y(),
                      .inertia = ball()});
    builder.add_frame("frame" + std::to_string(i), bodies.back());
  }
  Model<double> model = builder.build();
  CHECK(model.q_indices(joints).back() == n - 1);
  CHECK(BodySelection(model, bodies).size(model) == n);
  for (int i = 0; i < n; ++i)
    if (!model.has_frame("frame" + std::to_string(i)) || model.joint_of_node(i).v_index() != i) FAIL("look-up");
  set_inertial_parameters(model, inertial_parameters(model));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("a run is all contiguous degrees of freedom that end with one on its way from the ground",
          "[model][topology]") {
  const auto model = sample(GENERATE(range(1, 13)));
  for (int k = 0; k < model.nv(); ++k) {
    int begin = k;
    while (begin > 0 && model.parent_dof(begin) == begin - 1) --begin;
    CHECK(model.chain_begin(k) == begin);
  }
}

TEST_CASE("mean_related is the mean number of degrees of freedom above, below and at one", "[model][topology]") {
  const auto model = sample(GENERATE(range(1, 13)));
  long related = 0;
  for (int k = 0; k < model.nv(); ++k)
    for (int i = model.parent_dof(k); i >= 0; i = model.parent_dof(i)) related += 2;
  CHECK(model.mean_related() == (related + model.nv()) / model.nv());
  CHECK(zoo::serial_chain(20).mean_related() == 20);
  CHECK(zoo::tree(3, 2).mean_related() == 2);  // (3 + 2 + 2) / 3 is rounded down
}

TEST_CASE("the degrees of freedom of a cast model are related alike", "[model][topology][cast]") {
  const auto model = sample(4);
  const auto other = model.cast<float>();
  CHECK(other.mean_related() == model.mean_related());
  for (int k = 0; k < model.nv(); ++k) CHECK(other.chain_begin(k) == model.chain_begin(k));
  for (int b = 0; b < model.num_nodes(); ++b) {
    CHECK(other.node(b).base == model.node(b).base);
    CHECK(other.node(b).body == model.node(b).body);
  }
}

TEST_CASE("every node knows the body whose joint it belongs to", "[model][topology]") {
  const auto model = sample(GENERATE(range(1, 13)));
  for (const auto& body : model.bodies()) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(body.joint())];
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
      CHECK(model.joint_of_node(model.node_of(k)).name() == joint.name());
    CHECK(&model.bodies()[static_cast<std::size_t>(body.index())] == &body);
  }
}

TEST_CASE("a tree refers to its first node, where that has mass", "[model][topology][base]") {
  CHECK(bases(zoo::humanoid()) == std::vector<int>(31, 0));
  CHECK(bases(zoo::serial_chain(3)) == std::vector<int>{0, 0, 0});
}

TEST_CASE("massless nodes and sliders at the root of a tree do not carry its reference point",
          "[model][topology][base]") {
  const auto x = joint::Prismatic::x(), y = joint::Prismatic::y(), z = joint::Prismatic::z();
  const auto turn = joint::Revolute::z();
  CHECK(bases(chain({0, 0, 1}, x, y, turn).build()) == std::vector<int>{2, 2, 2});
  CHECK(bases(chain({0, 0, 0, 1, 1}, x, y, z, joint::Spherical{}, turn).build()) == std::vector<int>{3, 3, 3, 3, 3});
  CHECK(bases(chain({0, 1, 0, 1}, x, y, z, turn).build()) == std::vector<int>{3, 3, 3, 3});
  CHECK(bases(chain({1, 0, 1}, x, turn, turn).build()) == std::vector<int>{2, 2, 2});
  CHECK(bases(chain({0, 1, 0, 1}, turn, turn, x, turn).build()) == std::vector<int>{1, 1, 1, 1});
  CHECK(bases(chain({1}, joint::Universal{}).build()) == std::vector<int>{1, 1});
}

TEST_CASE("the reference point is at the last node that carries all others", "[model][topology][base]") {
  auto builder = chain({0, 0}, joint::Prismatic::x(), joint::Prismatic::y());
  builder.add_body({.name = "left", .parent = "1", .joint = joint::Revolute::z(), .inertia = ball()});
  builder.add_body({.name = "right", .parent = "1", .joint = joint::Revolute::z(), .inertia = ball()});
  builder.add_body({.name = "cross", .joint = joint::Revolute::x()});
  builder.add_body({.name = "mass", .parent = "cross", .joint = joint::Revolute::y(), .inertia = ball()});
  builder.add_body({.name = "rotor", .joint = joint::Revolute::x(), .armature = {1}});
  CHECK(bases(builder.build()) == std::vector<int>{1, 1, 1, 1, 5, 5, 6});
}

TEST_CASE("set_inertia does not move the reference point", "[model][topology][base]") {
  auto model = chain({1, 1}, joint::Revolute::x(), joint::Revolute::y()).build();
  model.set_inertia("0", {});
  CHECK(bases(model) == std::vector<int>{0, 0});
}

TEST_CASE("a model in which nothing moves has no degrees of freedom", "[model][nothing_moves]") {
  ModelBuilder<double> builder("table");
  builder.add_body({.name = "leg", .inertia = ball()});
  builder.add_body({.name = "top", .parent = "leg", .placement = Random<double>(1).pose(), .inertia = ball()});
  builder.add_frame("edge", "top");
  Model<double> model = builder.build();
  CHECK(model.nq() == 0);
  CHECK(model.nv() == 0);
  CHECK(model.num_nodes() == 0);
  CHECK(model.num_partials() == 0);
  CHECK(model.mean_related() == 0);
  CHECK(model.total_mass() == 0);
  CHECK(model.joints().empty());
  CHECK(model.bodies().empty());
  CHECK(model.frames().size() == 3);
  CHECK(model.frame("edge").node() == -1);
  CHECK(relative_error(model.frame("edge").placement(), Random<double>(1).pose()) < tolerance<double>());
  CHECK(model.q_indices({}).empty());
  CHECK(mentions(message_of<ModelError>([&] { model.joint("leg"); }), {"'table'", "it has none"}));
  CHECK(mentions(message_of<ModelError>([&] { model.body("leg"); }), {"'leg'", "use frame(\"leg\")"}));
  CHECK(model.cast<float>().nv() == 0);
  CHECK(inertial_parameters(model).size() == 0);
  CHECK_NOTHROW(set_inertial_parameters<double>(model, VectorX<double>(0)));
  CHECK(BodySelection().size(model) == 0);
  CHECK(mentions(message_of<ModelError>([&] { BodySelection(model, std::vector<std::string>{"leg"}); }), {"'leg'"}));
}

TEST_CASE("the inertia of what is welded to the ground is checked, too", "[model][nothing_moves][errors]") {
  ModelBuilder<double> builder;
  auto wrong = ball();
  wrong.mass = -1;
  builder.add_body({.name = "leg", .inertia = wrong});
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"'leg'", "mass is -1"}));
}

TEST_CASE("a model that was moved from is recognised", "[model][moved]") {
  auto model = sample(3), target = zoo::serial_chain(2);
  const auto body = model.bodies()[2];
  const auto stamp = model.state_id();
  const bool assigned = GENERATE(false, true);
  if (assigned) {
    target = std::move(model);
    CHECK(target.state_id() == stamp);
    CHECK_NOTHROW(target.check_owns(body));
  } else {
    const Model<double> constructed(std::move(model));
    CHECK(constructed.state_id() == stamp);
    CHECK_NOTHROW(constructed.check_owns(body));
  }
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(model.topology_id() == 0);
  CHECK(model.state_id() == 0);
  CHECK(model.nv() == 0);
  CHECK(model.nq() == 0);
  CHECK(model.num_nodes() == 0);
  CHECK_THROWS_AS(model.check_owns(body), ModelError);
  CHECK_THROWS_AS(model.inertia(body), ModelError);
  CHECK_THROWS_AS(model.set_inertia(body, ball()), ModelError);
  CHECK_THROWS_AS(model.subtree(body), ModelError);
  CHECK_THROWS_AS(model.inertia(body.name()), ModelError);
  CHECK_THROWS_AS(model.frame(body.name()), ModelError);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("a selection that was moved from holds no bodies and fits no model", "[model][body_selection][moved]") {
  auto model = zoo::serial_chain(4);
  BodySelection some(model, {"link3", "link1"});
  const bool assigned = GENERATE(false, true);
  BodySelection target;
  if (assigned)
    target = std::move(some);
  else
    CHECK(BodySelection(std::move(some)).size(model) == 2);
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(some.size(model) == 0);
  CHECK(some.num_parameters(model) == 0);
  CHECK(mentions(message_of<ModelError>([&] { some.check_fits(model); }), {"BodySelection", "moved"}));
  const auto moved_to = std::move(model);
  CHECK_THROWS_AS(some.check_fits(model), ModelError);
  if (assigned) {
    CHECK(target[1] == 0);
    CHECK_NOTHROW(target.check_fits(moved_to));
    CHECK_THROWS_AS(target.check_fits(model), ModelError);
  }
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("models are built and searched in linear time", "[model][growth]") {
  // Ten times as many bodies take ten times as long, but a hundred times as long (10 s) if each body is compared with
  // all others.
  double few = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 5; ++repetition) few = std::min(few, time_of_chain(2000));
  const double many = std::min(time_of_chain(20000), time_of_chain(20000));
  CAPTURE(few, many);
  CHECK(many < 40 * few);
}
