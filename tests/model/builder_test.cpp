#include "corio/model/builder.hpp"

#include <numeric>

#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Body i of a tree of eight bodies with joints of several sizes; tree_parents[i] < 0 is the ground.
const std::vector<int> tree_parents{-1, 0, 1, 1, 0, 4, -1, 6};

BodySpec<double> spec_of(int i) {
  Random<double> random(100 + i);
  const std::vector<joint::JointSpec<double>> joints{joint::FreeFlyer{}, joint::Revolute(random.direction()),
                                                     joint::Universal{}, joint::Planar(random.direction())};
  const auto index = static_cast<std::size_t>(i);
  BodySpec<double> spec{.name = "b" + std::to_string(i)};
  if (tree_parents[index] >= 0) spec.parent = "b" + std::to_string(tree_parents[index]);
  spec.joint = joints[index % 4];
  spec.placement = random.pose();
  spec.inertia = InertialParameters<double>(random.inertia());
  return spec;
}

Model<double> tree_in_order(const std::vector<int>& order) {
  ModelBuilder<double> builder;
  for (const int i : order) builder.add_body(spec_of(i));
  return builder.build();
}

std::vector<std::string> names_of_bodies(const Model<double>& model) {
  std::vector<std::string> names;
  for (const auto& body : model.bodies()) names.push_back(body.name());
  return names;
}

/// Tells whether `a` is `b` or an ancestor of `b`, by climbing.
bool carries(const Model<double>& model, int a, int b) {
  while (b >= 0 && b != a) b = model.node(b).parent;
  return b == a;
}

/// Returns the node whose joint has degree of freedom k.
int node_of(const Model<double>& model, int k) {
  int b = 0;
  while (model.node(b).v_end <= k) ++b;
  return b;
}

/// A body on a revolute joint with another welded to it.
struct Lump {
  std::vector<PointMass<double>> base, tool;
  Pose<double> weld;
  joint::JointSpec<double> joint = joint::Revolute(Vector3<double>(0.3, -0.5, 0.8));

  explicit Lump(int seed) {
    Random<double> random(seed);
    base = random.points();
    tool = random.points();
    weld = random.pose();
  }
  ModelBuilder<double> builder() const {
    ModelBuilder<double> b;
    b.add_body({.name = "base", .joint = joint, .inertia = InertialParameters<double>(inertia_of(base))});
    b.add_body(
        {.name = "tool", .parent = "base", .placement = weld, .inertia = InertialParameters<double>(inertia_of(tool))});
    return b;
  }
};

}  // namespace

TEST_CASE("bodies may be added before their parents, in any order", "[model][builder]") {
  std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
  const auto reference = tree_in_order(order);
  const auto turns = GENERATE(range(1, 9));
  CAPTURE(turns);
  std::rotate(order.begin(), order.begin() + turns % 8, order.end());
  if (turns % 2 == 0) std::reverse(order.begin(), order.end());
  const auto model = tree_in_order(order);
  REQUIRE(model.bodies().size() == reference.bodies().size());
  REQUIRE(model.nv() == reference.nv());
  for (const auto& body : reference.bodies()) {
    CAPTURE(body.name());
    const auto& same = model.body(body.name());
    const auto name = [](const Model<double>& m, int b) {
      return b < 0 ? "ground" : m.bodies()[static_cast<std::size_t>(b)].name();
    };
    CHECK(name(model, same.parent()) == name(reference, body.parent()));
    CHECK(relative_error(model.inertia(same).vector(), reference.inertia(body).vector()) < tolerance<double>());
    CHECK(relative_error(model.node(same.node()).placement, reference.node(body.node()).placement) <
          tolerance<double>());
  }
}

TEST_CASE("children keep the order in which they were added", "[model][builder]") {
  CHECK(names_of_bodies(tree_in_order({0, 1, 2, 3, 4, 5, 6, 7})) ==
        std::vector<std::string>{"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"});
  CHECK(names_of_bodies(tree_in_order({7, 6, 5, 4, 3, 2, 1, 0})) ==
        std::vector<std::string>{"b6", "b7", "b0", "b4", "b5", "b1", "b3", "b2"});
}

TEST_CASE("a parent may be given by handle", "[model][builder]") {
  ModelBuilder<double> builder;
  const BodyHandle first = builder.add_body({.name = "first", .joint = joint::Revolute::z(), .inertia = ball()});
  builder.add_body({.name = "second", .parent = first, .joint = joint::Revolute::x(), .inertia = ball()});
  const auto model = builder.build();
  CHECK(model.body("second").parent() == 0);
}

TEST_CASE("parents precede their children", "[model][builder]") {
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 25, .chain_bias = 0.3});
  for (int b = 0; b < model.num_nodes(); ++b) CHECK(model.node(b).parent < b);
}

TEST_CASE("the degrees of freedom of every subtree are contiguous", "[model][builder]") {
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 25, .chain_bias = 0.3});
  for (int b = 0; b < model.num_nodes(); ++b)
    for (int k = 0; k < model.nv(); ++k) {
      const bool in_range = model.node(b).v_begin <= k && k < model.node(b).subtree_v_end;
      if (in_range != carries(model, b, node_of(model, k))) FAIL("node " << b << ", degree of freedom " << k);
    }
}

TEST_CASE("subtree(body) is the range of all that the body's joint moves", "[model][builder]") {
  const auto model = tree_in_order({0, 1, 2, 3, 4, 5, 6, 7});
  // The degrees of freedom are: b0 6, b1 1, b2 2, b3 3, b4 6, b5 1, b6 2, b7 3.
  const auto range_of = [&](const char* name) {
    const auto range = model.subtree(model.body(name));
    return std::vector<int>{range.begin, range.end};
  };
  CHECK(range_of("b0") == std::vector<int>{0, 19});
  CHECK(range_of("b1") == std::vector<int>{6, 12});
  CHECK(range_of("b2") == std::vector<int>{7, 9});
  CHECK(range_of("b6") == std::vector<int>{19, 24});
}

TEST_CASE("every degree of freedom belongs to the node in whose range it is", "[model][builder]") {
  const auto model = zoo::random_tree(3, {.bodies = 20});
  int next = 0;
  for (int b = 0; b < model.num_nodes(); ++b) {
    CHECK(model.node(b).v_begin == next);
    for (; next < model.node(b).v_end; ++next) CHECK(node_of(model, next) == b);
  }
  CHECK(next == model.nv());
}

TEST_CASE("a joint is named after its body unless it has a name", "[model][builder]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "arm", .joint = joint::Revolute::z(), .inertia = ball()});
  builder.add_body(
      {.name = "hand", .parent = "arm", .joint = joint::Revolute::x(), .inertia = ball(), .joint_name = "wrist"});
  const auto model = builder.build();
  CHECK(model.joints()[0].name() == "arm_joint");
  CHECK(model.joints()[1].name() == "wrist");
}

TEST_CASE("poses are products of placements and joints in the user's frames", "[model][builder]") {
  ModelBuilder<double> builder;
  const Vector3<double> axis(0.6, -0.3, 0.9), direction(-1, 0.2, 0.4);
  const Pose<double> first = Random<double>(1).pose(), second = Random<double>(2).pose();
  builder.add_body({.name = "a", .joint = joint::Revolute(axis), .placement = first, .inertia = ball()});
  builder.add_body(
      {.name = "b", .parent = "a", .joint = joint::Prismatic(direction), .placement = second, .inertia = ball()});
  const auto model = builder.build();
  const VectorX<double> q = random_vector<double>(2, 3);
  const Pose<double> turn{matrix_exponential(skew<double>(axis.normalized() * q[0])), Vector3<double>::Zero()};
  const Pose<double> slide{Matrix3<double>::Identity(), direction.normalized() * q[1]};
  CHECK(relative_error(frame_pose(model, q, model.body("a")), first * turn) < tolerance<double>());
  CHECK(relative_error(frame_pose(model, q, model.body("b")), first * turn * second * slide) < tolerance<double>());
}

TEST_CASE("a body placed away from its joint moves as one welded there to a massless body", "[model][builder]") {
  const Pose<double> first = Random<double>(1).pose(), away = Random<double>(2).pose();
  const InertialParameters<double> inertia(Random<double>(3).inertia());
  for (const joint::JointSpec<double>& joint :
       {joint::JointSpec<double>(joint::Revolute({0.6, -0.3, 0.9})), joint::JointSpec<double>(joint::FreeFlyer{}),
        joint::JointSpec<double>(joint::Fixed{})}) {
    ModelBuilder<double> direct, welded;
    direct.add_body({.name = "b", .joint = joint, .placement = first, .body_placement = away, .inertia = inertia});
    welded.add_body({.name = "a", .joint = joint, .placement = first});
    welded.add_body({.name = "b", .parent = "a", .placement = away, .inertia = inertia});
    const auto model = direct.build(), expected = welded.build();
    const VectorX<double> q = VectorX<double>::LinSpaced(model.nq(), 0.1, 0.7);
    CHECK(relative_error(frame_pose(model, q, model.frame("b")), frame_pose(expected, q, expected.frame("b"))) <
          tolerance<double>());
    for (int b = 0; b < model.num_nodes(); ++b)
      CHECK(relative_error(model.node(b).inertia, expected.node(b).inertia) < tolerance<double>());
    if (model.nv() > 0) CHECK(relative_error(model.inertia("b").com, inertia.com) < tolerance<double>());
  }
}

TEST_CASE("a welded body adds its mass distribution to the body that carries it", "[model][builder][lump]") {
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const Lump lump(seed);
  auto all = lump.base;
  for (const auto& point : lump.tool) all.push_back({point.mass, lump.weld.point(point.position)});
  const InertialParameters<double> expected(inertia_of(all)), found = lump.builder().build().inertia("base");
  CHECK(relative_error(found.mass, expected.mass) < tolerance<double>());
  CHECK(relative_error(found.com, expected.com) < tolerance<double>());
  CHECK(relative_error(found.inertia, expected.inertia) < tolerance<double>());
}

TEST_CASE("the inertia of two welded balls obeys the parallel-axis theorem", "[model][builder][lump]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "heavy", .joint = joint::Revolute::x(), .inertia = ball(2)});
  builder.add_body({.name = "light", .parent = "heavy", .placement = {rotation_y(0.4), {0, 0, 3}}, .inertia = ball(1)});
  const auto found = builder.build().inertia("heavy");
  // The common centre is at z = 1; the balls themselves give 0.3, and across there is 2 x 1^2 + 1 x 2^2.
  CHECK(relative_error(found.com, Vector3<double>(0, 0, 1)) < tolerance<double>());
  const Matrix3<double> expected = Vector3<double>(6.3, 6.3, 0.3).asDiagonal();
  CHECK(relative_error(found.inertia, expected) < tolerance<double>());
}

TEST_CASE("a chain of welded bodies lumps like one weld", "[model][builder][lump]") {
  const Lump lump(7);
  auto chain = lump.builder();
  const Pose<double> next = Random<double>(8).pose();
  chain.add_body({.name = "tip", .parent = "tool", .placement = next, .inertia = ball(0.7, {0.1, 0.2, 0.3})});
  auto direct = lump.builder();
  direct.add_body(
      {.name = "tip", .parent = "base", .placement = lump.weld * next, .inertia = ball(0.7, {0.1, 0.2, 0.3})});
  const auto a = chain.build(), b = direct.build();
  CHECK(relative_error(a.inertia("base").vector(), b.inertia("base").vector()) < tolerance<double>());
  CHECK(relative_error(a.frame("tip").placement(), b.frame("tip").placement()) < tolerance<double>());
}

TEST_CASE("a body welded to the ground is no part of what moves", "[model][builder][lump]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "pedestal", .inertia = ball(50)});
  builder.add_body({.name = "arm", .parent = "pedestal", .joint = joint::Revolute::z(), .inertia = ball(2)});
  const auto model = builder.build();
  CHECK(model.total_mass() == 2);
  CHECK(model.body("arm").parent() == -1);
  CHECK_FALSE(model.has_body("pedestal"));
}

TEST_CASE("what hangs on a weld to the ground is placed by the product of both placements", "[model][builder][lump]") {
  ModelBuilder<double> builder;
  const Pose<double> first = Random<double>(1).pose(), second = Random<double>(2).pose();
  builder.add_body({.name = "pedestal", .placement = first, .inertia = ball(50)});
  builder.add_body(
      {.name = "arm", .parent = "pedestal", .joint = joint::Spherical{}, .placement = second, .inertia = ball()});
  const auto model = builder.build();
  const VectorX<double> neutral = (VectorX<double>(4) << 0, 0, 0, 1).finished();
  CHECK(relative_error(frame_pose(model, neutral, model.body("arm")), first * second) < tolerance<double>());
  CHECK(relative_error(frame_pose(model, neutral, model.frame("pedestal")), first) < tolerance<double>());
}

TEST_CASE("a moving child of a welded body hangs on the body that carries the weld", "[model][builder][lump]") {
  auto builder = Lump(3).builder();
  const Lump lump(3);
  const Pose<double> placement = Random<double>(4).pose();
  builder.add_body(
      {.name = "finger", .parent = "tool", .joint = joint::Prismatic::x(), .placement = placement, .inertia = ball()});
  const auto model = builder.build();
  CHECK(model.bodies()[static_cast<std::size_t>(model.body("finger").parent())].name() == "base");
  const VectorX<double> q = (VectorX<double>(2) << 0.4, 0.0).finished();
  const Pose<double> expected = frame_pose(model, q, model.body("base")) * lump.weld * placement;
  CHECK(relative_error(frame_pose(model, q, model.body("finger")), expected) < tolerance<double>());
}

TEST_CASE("a welded body stays a frame of its own name", "[model][builder][frames]") {
  const Lump lump(5);
  const auto model = lump.builder().build();
  const VectorX<double> q = VectorX<double>::Constant(1, -0.8);
  const Pose<double> expected = frame_pose(model, q, model.body("base")) * lump.weld;
  CHECK(relative_error(frame_pose(model, q, model.frame("tool")), expected) < tolerance<double>());
  CHECK(model.frame("tool").node() == model.body("base").node());
}

TEST_CASE("a frame is placed in the frame of its body, moving, welded or the ground", "[model][builder][frames]") {
  const Lump lump(6);
  auto builder = lump.builder();
  const Pose<double> placement = Random<double>(7).pose();
  builder.add_frame("on_base", "base", placement);
  builder.add_frame("on_tool", "tool", placement);
  builder.add_frame("on_ground", {}, placement);
  const auto model = builder.build();
  const VectorX<double> q = VectorX<double>::Constant(1, 1.3);
  const Pose<double> base = frame_pose(model, q, model.body("base"));
  CHECK(relative_error(frame_pose(model, q, model.frame("on_base")), base * placement) < tolerance<double>());
  CHECK(relative_error(frame_pose(model, q, model.frame("on_tool")), base * lump.weld * placement) <
        tolerance<double>());
  CHECK(relative_error(frame_pose(model, q, model.frame("on_ground")), placement) < tolerance<double>());
  CHECK(model.frame("on_ground").node() == -1);
}

TEST_CASE("frames list bodies first, then welded bodies, then frames by name", "[model][builder][frames]") {
  auto builder = Lump(6).builder();
  builder.add_frame("point", "tool");
  builder.add_body({.name = "last", .parent = "tool", .joint = joint::Revolute::x(), .inertia = ball()});
  std::vector<std::string> names;
  const auto model = builder.build();
  for (const auto& frame : model.frames()) names.push_back(frame.name());
  CHECK(names == std::vector<std::string>{"base", "last", "tool", "point"});
}

TEST_CASE("a builder can be extended and built again", "[model][builder]") {
  auto builder = Lump(8).builder();
  const auto before = builder.build();
  builder.add_body({.name = "more", .parent = "tool", .joint = joint::Planar{}, .inertia = ball()});
  const auto after = builder.build();
  CHECK(before.nv() == 1);
  CHECK(after.nv() == 4);
  CHECK(before.state_id() != after.state_id());
}

TEST_CASE("the builder's gravity is the model's", "[model][builder]") {
  auto builder = Lump(8).builder();
  CHECK(builder.build().gravity() == Vector3<double>(0, 0, -9.81));
  builder.set_gravity({1, 2, 3});
  CHECK(builder.build().gravity() == Vector3<double>(1, 2, 3));
}

TEST_CASE("a massless body may stand between bodies with mass", "[model][builder]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "cross", .joint = joint::Revolute::x()});
  builder.add_body({.name = "mass", .parent = "cross", .joint = joint::Revolute::y(), .inertia = ball()});
  CHECK(builder.build().inertia("cross").mass == 0);
}

TEST_CASE("a massless leaf is fine on a joint with armature", "[model][builder]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "rotor", .joint = joint::Revolute::x(), .armature = {0.1}});
  CHECK(builder.build().armature()[0] == 0.1);
}
