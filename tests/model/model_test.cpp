#include "corio/model/model.hpp"

#include <complex>
#include <limits>

#include "corio/model/builder.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

using ComplexNumber = std::complex<double>;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Builds joints of six sizes, in depth-first order: nq 7, 1, 2, 4, 4, 3 and nv 6, 1, 2, 3, 3, 3.
Model<double> mixed() {
  ModelBuilder<double> builder("mixed");
  const Vector3<double> axis(1, -2, 0.5);
  const auto add = [&](const char* name, Parent parent, const joint::JointSpec<double>& joint, int seed) {
    Random<double> random(seed);
    const Pose<double> placement = random.pose();
    builder.add_body({.name = std::string(name) + "_link",
                      .parent = parent,
                      .joint = joint,
                      .placement = placement,
                      .inertia = InertialParameters<double>(random.inertia()),
                      .joint_name = name});
  };
  add("base", {}, joint::FreeFlyer{}, 1);
  add("hinge", "base_link", joint::Revolute(axis), 2);
  add("cross", "hinge_link", joint::Universal({1, 0, 0}, {0.2, 1, 0}), 3);
  add("ball", "hinge_link", joint::Spherical{}, 4);
  add("sheet", "base_link", joint::Planar(axis), 5);
  add("stage", "sheet_link", joint::Translation{}, 6);
  builder.add_frame("tip", "ball_link", Random<double>(7).pose());
  return builder.build();
}

/// Builds a body on a joint, with terms that its setter and getter must keep.
Model<double> single(const joint::JointSpec<double>& joint) {
  ModelBuilder<double> builder("single");
  builder.add_body({.name = "link", .joint = joint, .placement = Random<double>(1).pose(), .inertia = ball()});
  return builder.build();
}

double parameter_error(const InertialParameters<double>& a, const InertialParameters<double>& b) {
  return std::max({relative_error(a.mass, b.mass), relative_error(a.com, b.com), relative_error(a.inertia, b.inertia)});
}

}  // namespace

TEST_CASE("joint handles give name, type, indices and sizes", "[model]") {
  const auto model = mixed();
  const Joint& joint = model.joint("ball");
  CHECK(joint.name() == "ball");
  CHECK(joint.type() == "spherical");
  CHECK(joint.q_index() == 10);
  CHECK(joint.nq() == 4);
  CHECK(joint.v_index() == 9);
  CHECK(joint.nv() == 3);
}

TEST_CASE("the ranges of the joints tile q and v", "[model]") {
  const auto model = mixed();
  int q = 0, v = 0;
  for (const Joint& joint : model.joints()) {
    CHECK(joint.q_index() == q);
    CHECK(joint.v_index() == v);
    q += joint.nq();
    v += joint.nv();
  }
  CHECK(model.nq() == q);
  CHECK(model.nv() == v);
  CHECK(q == 21);
  CHECK(v == 18);
}

TEST_CASE("bodies know their joint and their parent", "[model]") {
  const auto model = mixed();
  for (const auto& body : model.bodies())
    CHECK(model.joints()[static_cast<std::size_t>(body.joint())].name() + "_link" == body.name());
  CHECK(model.bodies()[static_cast<std::size_t>(model.body("stage_link").parent())].name() == "sheet_link");
  CHECK(model.body("base_link").parent() == -1);
}

TEST_CASE("q_indices follow the order of the names", "[model]") {
  const auto model = mixed();
  CHECK(model.q_indices({"stage", "hinge", "cross"}) == std::vector<int>{18, 19, 20, 7, 8, 9});
  CHECK(model.q_indices({}).empty());
}

TEST_CASE("v_indices follow the order of the names", "[model]") {
  const auto model = mixed();
  CHECK(model.v_indices({"sheet", "hinge", "ball"}) == std::vector<int>{12, 13, 14, 6, 9, 10, 11});
}

TEST_CASE("v_indices take single speeds by their number in the joint", "[model]") {
  const auto model = mixed();
  const std::vector<int> all = model.v_indices({"ball"});
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(model.v_indices({"ball[" + std::to_string(i) + "]"}) == std::vector<int>{all[i]});
  CHECK(model.v_indices({"cross[1]", "hinge[0]", "ball", "base[5]"}) == std::vector<int>{8, 6, 9, 10, 11, 5});
  CHECK(model.cast<float>().v_indices({"ball[2]"}) == model.v_indices({"ball[2]"}));
}

TEST_CASE("a joint with brackets in its name goes before a speed of another one", "[model]") {
  ModelBuilder<double> builder;
  const InertialParameters<double> inertia(1.0, {0, 0, 0}, Matrix3<double>::Identity());
  for (const char* name : {"ball", "ball[0]"})
    builder.add_body({.name = name, .joint = joint::Spherical(), .inertia = inertia, .joint_name = name});
  const auto model = builder.build();
  CHECK(model.v_indices({"ball[0]"}) == std::vector<int>{3, 4, 5});
  CHECK(model.v_indices({"ball[1]", "ball[0][1]"}) == std::vector<int>{1, 4});
}

TEST_CASE("a speed that a joint does not have is answered with how many it has", "[model][errors]") {
  const auto model = mixed();
  for (const char* name : {"ball[3]", "ball[-1]", "ball[]", "ball[x]", "ball[1", "ball[01]", "ball[ 1]", "ball[1] ",
                           "ball[99999999999999999999]"}) {
    CAPTURE(name);
    CHECK(mentions(message_of<ModelError>([&] {
                     model.v_indices({"hinge", name});
                   }),
                   {"'mixed'", std::string("no speed '") + name + "'", "'ball' has 3 speeds", "'ball[0]'"}));
  }
  CHECK(mentions(message_of<ModelError>([&] { model.v_indices({"hinge[1]"}); }), {"'hinge' has 1 speed,"}));
  // If there is no such joint, the whole text is taken as a name, also among coordinates.
  for (const char* name : {"knee[0]", "[0]", "ball]"})
    CHECK(mentions(message_of<ModelError>([&] { model.v_indices({name}); }),
                   {std::string("no joint '") + name + "'", "'stage'"}));
  CHECK(mentions(message_of<ModelError>([&] { model.q_indices({"ball[0]"}); }), {"no joint 'ball[0]'"}));
}

TEST_CASE("index lists select from vectors", "[model]") {
  const auto model = mixed();
  VectorX<double> v(model.nv());
  for (int k = 0; k < model.nv(); ++k) v[k] = k;
  const VectorX<double> selected = v(model.v_indices({"cross", "hinge"}));
  CHECK(selected == Eigen::Vector3d(7, 8, 6));
}

TEST_CASE("an unknown joint is answered with the known ones", "[model][errors]") {
  const auto model = mixed();
  const std::vector<std::string> parts{"'mixed'", "no joint 'knee'", "'base'", "'hinge'", "'stage'"};
  CHECK(mentions(message_of<ModelError>([&] { model.joint("knee"); }), parts));
  CHECK(mentions(message_of<ModelError>([&] { model.q_indices({"hinge", "knee"}); }), parts));
  CHECK(mentions(message_of<ModelError>([&] { model.v_indices({"knee"}); }), parts));
  // The message lists the first twenty.
  const auto tree = zoo::random_tree(1, {.bodies = 40});
  const auto& joints = tree.joints();
  REQUIRE(joints.size() > 20);
  CHECK(mentions(message_of<ModelError>([&] { tree.joint("knee"); }),
                 {"'" + joints[19].name() + "' and " + std::to_string(joints.size() - 20) + " more"}));
}

TEST_CASE("an unknown body is answered with the known ones", "[model][errors]") {
  const auto model = mixed();
  const std::vector<std::string> parts{"no moving body 'shin'", "'base_link'", "'stage_link'"};
  CHECK(mentions(message_of<ModelError>([&] { model.body("shin"); }), parts));
  CHECK(mentions(message_of<ModelError>([&] { model.inertia("shin"); }), parts));
}

TEST_CASE("an unknown frame is answered with the known ones, bodies among them", "[model][errors]") {
  const auto model = mixed();
  CHECK(mentions(message_of<ModelError>([&] { model.frame("toe"); }), {"no frame 'toe'", "'tip'", "'base_link'"}));
}

TEST_CASE("has_joint, has_body and has_frame tell what look-ups will find", "[model]") {
  const auto model = mixed();
  CHECK(model.has_joint("hinge"));
  CHECK_FALSE(model.has_joint("hinge_link"));
  CHECK(model.has_body("hinge_link"));
  CHECK_FALSE(model.has_body("tip"));
  CHECK(model.has_frame("tip"));
  CHECK(model.has_frame("hinge_link"));
  CHECK_FALSE(model.has_frame("hinge"));
}

TEST_CASE("inertia is returned as it was given, whatever the joint's axes", "[model][inertia]") {
  const Vector3<double> oblique(0.4, -1.1, 0.7);
  const std::vector<joint::JointSpec<double>> joints{joint::Revolute::z(),     joint::Revolute::x(),
                                                     joint::Revolute(oblique), joint::Helical(oblique, 0.1),
                                                     joint::Planar(oblique),   joint::Universal(oblique, {1, 0, 0}),
                                                     joint::FreeFlyer{}};
  const auto index = GENERATE(range(0, 7));
  CAPTURE(index);
  auto model = single(joints[static_cast<std::size_t>(index)]);
  const InertialParameters<double> given(Random<double>(5).inertia());
  model.set_inertia("link", given);
  CHECK(parameter_error(model.inertia("link"), given) < tolerance<double>());
}

TEST_CASE("the centre of mass of a body of a milligram is returned as it was given", "[model][inertia]") {
  const double mass = GENERATE(1e-3, 1e-6, 1e-30);
  auto model = single(joint::Revolute::x());
  const InertialParameters<double> given(mass, {0.1, -0.2, 0.3}, Matrix3<double>::Identity() * (0.1 * mass));
  model.set_inertia("link", given);
  CHECK(parameter_error(model.inertia("link"), given) < tolerance<double>());
  CHECK(relative_error(model.node(0).parameters.com, model.node(0).inertia.h / mass) < tolerance<double>());
}

TEST_CASE("set_inertia gives the model that the builder makes of the same inertia", "[model][inertia]") {
  const joint::Universal joint({1, 2, 0}, {0, -1, 1});
  const InertialParameters<double> given(Random<double>(6).inertia());
  auto set = single(joint);
  set.set_inertia(set.body("link"), given);
  ModelBuilder<double> builder;
  builder.add_body({.name = "link", .joint = joint, .placement = Random<double>(1).pose(), .inertia = given});
  const auto built = builder.build();
  for (int b = 0; b < built.num_nodes(); ++b)
    CHECK(relative_error(set.node(b).inertia, built.node(b).inertia) < tolerance<double>());
}

TEST_CASE("set_inertia changes one body only", "[model][inertia]") {
  auto model = mixed();
  const auto before = model;
  model.set_inertia("cross_link", ball(3));
  for (const auto& body : model.bodies()) {
    CAPTURE(body.name());
    const bool same = parameter_error(model.inertia(body), before.inertia(body)) == 0;
    CHECK(same == (body.name() != "cross_link"));
  }
}

TEST_CASE("set_inertia changes the total mass", "[model][inertia]") {
  auto model = single(joint::Revolute::y());
  model.set_inertia("link", ball(7.5));
  CHECK(model.total_mass() == 7.5);
}

TEST_CASE("inertia that is not physical is rejected with its body, and the model stays as it was",
          "[model][inertia][errors]") {
  auto model = mixed();
  const auto before = model;
  auto wrong = ball();
  wrong.inertia(0, 0) = 5;
  CHECK(
      mentions(message_of<ModelError>([&] { model.set_inertia("hinge_link", wrong); }), {"'hinge_link'", "principal"}));
  CHECK(parameter_error(model.inertia("hinge_link"), before.inertia("hinge_link")) == 0);
  CHECK(model.state_id() == before.state_id());
}

TEST_CASE("the stamp changes with the inertia", "[model][stamp]") {
  auto model = mixed();
  const auto before = model.state_id();
  model.set_inertia("hinge_link", ball());
  CHECK(model.state_id() != before);
}

TEST_CASE("copies share the stamp until one is changed", "[model][stamp]") {
  const auto model = mixed();
  auto copy = model;
  CHECK(copy.state_id() == model.state_id());
  copy.set_inertia("hinge_link", ball());
  CHECK(copy.state_id() != model.state_id());
}

TEST_CASE("two builds of one builder have different stamps", "[model][stamp]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "link", .joint = joint::Revolute::z(), .inertia = ball()});
  CHECK(builder.build().state_id() != builder.build().state_id());
}

TEST_CASE("a cast model has a stamp of its own", "[model][stamp]") {
  const auto model = mixed();
  CHECK(model.cast<float>().state_id() != model.state_id());
}

TEST_CASE("armature is listed by degree of freedom in the order of the joints", "[model]") {
  ModelBuilder<double> builder;
  builder.add_body(
      {.name = "b", .parent = "a", .joint = joint::Universal{}, .inertia = ball(), .armature = {0.2, 0.3}});
  builder.add_body({.name = "c", .parent = "a", .joint = joint::Spherical{}, .inertia = ball()});
  builder.add_body({.name = "a", .joint = joint::Revolute::x(), .inertia = ball(), .armature = {0.1}});
  const VectorX<double> expected = (VectorX<double>(6) << 0.1, 0.2, 0.3, 0, 0, 0).finished();
  CHECK(builder.build().armature() == expected);
}

TEST_CASE("limits are listed by coordinate and by degree of freedom, infinite where none is given", "[model]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "a", .joint = joint::Spherical{}, .inertia = ball(), .limits = {.velocity = {1, 2, 3}}});
  builder.add_body({.name = "b",
                    .parent = "a",
                    .joint = joint::Revolute::x(),
                    .inertia = ball(),
                    .limits = {.lower = {-1}, .upper = {2}, .effort = {50}}});
  const auto model = builder.build();
  using Eigen::Vector4d;
  CHECK(model.lower_limit() == (VectorX<double>(5) << Vector4d::Constant(-unlimited), -1).finished());
  CHECK(model.upper_limit() == (VectorX<double>(5) << Vector4d::Constant(unlimited), 2).finished());
  CHECK(model.velocity_limit() == Vector4d(1, 2, 3, unlimited));
  CHECK(model.effort_limit() == Vector4d(unlimited, unlimited, unlimited, 50));
}

TEST_CASE("total_mass is the mass of all that moves, welded bodies included", "[model]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "table", .inertia = ball(100)});
  builder.add_body({.name = "arm", .parent = "table", .joint = joint::Revolute::x(), .inertia = ball(2)});
  builder.add_body({.name = "tool", .parent = "arm", .inertia = ball(0.5)});
  builder.add_body({.name = "finger", .parent = "tool", .joint = joint::Prismatic::x(), .inertia = ball(0.25)});
  CHECK(builder.build().total_mass() == 2.75);
}

TEST_CASE("gravity can be set", "[model]") {
  auto model = mixed();
  model.set_gravity({0, 1, -1.62});
  CHECK(model.gravity() == Vector3<double>(0, 1, -1.62));
}

TEST_CASE("gravity that is not finite is rejected and not taken over", "[model][errors]") {
  auto model = mixed();
  CHECK(mentions(message_of<ModelError>([&] { model.set_gravity({0, unlimited, 0}); }), {"gravity"}));
  CHECK(model.gravity() == Vector3<double>(0, 0, -9.81));
}

TEMPLATE_TEST_CASE("a cast model has the same names, indices and tree", "[model][cast]", float, ComplexNumber) {
  const auto model = mixed();
  const auto other = model.template cast<TestType>();
  REQUIRE(other.bodies().size() == model.bodies().size());
  REQUIRE(other.frames().size() == model.frames().size());
  CHECK(other.name() == "mixed");
  CHECK(other.nq() == model.nq());
  CHECK(other.v_indices({"sheet", "ball"}) == model.v_indices({"sheet", "ball"}));
  CHECK(other.frame("tip").node() == model.frame("tip").node());
  for (int b = 0; b < model.num_nodes(); ++b) {
    CHECK(other.node(b).parent == model.node(b).parent);
    CHECK(other.node(b).subtree_v_end == model.node(b).subtree_v_end);
  }
}

TEMPLATE_TEST_CASE("a cast model has the same geometry, inertia and gravity to rounding", "[model][cast]", float,
                   ComplexNumber) {
  using S = TestType;
  auto model = zoo::random_tree(4, {.armature = true});
  model.set_gravity({1, 2, 3});
  const auto other = model.template cast<S>();
  const VectorX<double> q = random_q(model, 3);
  const VectorX<S> q_other = q.template cast<S>();
  for (const auto& body : model.bodies()) {
    const auto& same = other.body(body.name());
    const Pose<S> pose = frame_pose(model, q, body).template cast<S>();
    CHECK(relative_error(frame_pose(other, q_other, same), pose) < tolerance<S>());
    const InertialParameters<S> inertia = model.inertia(body).template cast<S>();
    CHECK(relative_error(other.inertia(same).vector(), inertia.vector()) < tolerance<S>());
  }
  CHECK(relative_error(other.armature(), model.armature().template cast<S>()) < tolerance<S>());
  CHECK(other.gravity() == model.gravity().template cast<S>());
}

TEST_CASE("a model with a user's joint for one scalar cannot be cast, and says why", "[model][cast][errors]") {
  struct CamOfDoubles : Cam {
    void integrate(const double* q, const double* dv, double* out) const { out[0] = q[0] + dv[0]; }
  };
  ModelBuilder<double> builder("machine");
  builder.add_body({.name = "cam", .joint = CamOfDoubles(), .inertia = ball()});
  const auto model = builder.build();
  CHECK(mentions(message_of<ModelError>([&] { model.cast<float>(); }), {"'machine'", "user's joint", "ModelBuilder"}));
}
