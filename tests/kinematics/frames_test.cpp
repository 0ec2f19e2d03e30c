#include "corio/kinematics/frames.hpp"

#include <optional>

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

constexpr ReferenceFrame references[] = {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned};

/// An arm on a pedestal welded to the ground, with a tool welded to its last body, and frames on all of these bodies.
/// All placements are random and all joint axes oblique.
struct Arm {
  explicit Arm(int seed) : random(seed) {
    builder.add_body({.name = "pedestal", .placement = on_ground, .inertia = mass()});
    builder.add_body({.name = "upper",
                      .parent = "pedestal",
                      .joint = make_joint(Kind::revolute, random).joint,
                      .placement = random.pose(),
                      .inertia = mass()});
    builder.add_body({.name = "lower",
                      .parent = "upper",
                      .joint = make_joint(Kind::planar, random).joint,
                      .placement = random.pose(),
                      .inertia = mass()});
    builder.add_body({.name = "tool", .parent = "lower", .placement = welded, .inertia = mass()});
    builder.add_frame("tip", "tool", at_tip);
    builder.add_frame("marker", Parent(), at_marker);
    builder.add_frame("socket", "pedestal", at_tip);
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    q = random_configuration(model(), generator);
    v = random_vector(random, model().nv());
    a = random_vector(random, model().nv());
    forward_kinematics(model(), data(), q, v, a);
  }
  const Model<double>& model() {
    if (!model_) model_.emplace(builder.build());
    return *model_;
  }
  Data<double>& data() {
    if (!data_) data_.emplace(model());
    return *data_;
  }
  Matrix4<double> pose(const std::string& frame) {
    return homogeneous(body_pose(model(), data(), model().frame(frame)));
  }
  InertialParameters<double> mass() { return InertialParameters<double>(random.inertia()); }

  Random<double> random;
  Pose<double> on_ground = random.pose(), welded = random.pose(), at_tip = random.pose(), at_marker = random.pose();
  ModelBuilder<double> builder;
  VectorX<double> q, v, a;

 private:
  std::optional<Model<double>> model_;
  std::optional<Data<double>> data_;
};

}  // namespace

TEST_CASE("the pose of a welded body and of a frame is that of what carries it times the placement",
          "[kinematics][frames]") {
  Arm arm(GENERATE(range(1, 6)));
  CHECK(relative_error(arm.pose("tool"), arm.pose("lower") * homogeneous(arm.welded)) < tolerance<double>());
  CHECK(relative_error(arm.pose("tip"), arm.pose("tool") * homogeneous(arm.at_tip)) < tolerance<double>());
}

TEST_CASE("the pose of a frame on the ground is its placement", "[kinematics][frames]") {
  Arm arm(GENERATE(range(1, 6)));
  CHECK(relative_error(arm.pose("pedestal"), homogeneous(arm.on_ground)) < tolerance<double>());
  CHECK(relative_error(arm.pose("marker"), homogeneous(arm.at_marker)) < tolerance<double>());
  CHECK(relative_error(arm.pose("socket"), homogeneous(arm.on_ground) * homogeneous(arm.at_tip)) < tolerance<double>());
}

TEST_CASE("frames on the ground are at rest", "[kinematics][frames]") {
  Arm arm(1);
  for (const char* name : {"pedestal", "marker", "socket"})
    for (const auto reference : references) {
      const auto& frame = arm.model().frame(name);
      CHECK(max_magnitude(body_velocity(arm.model(), arm.data(), frame, reference).vector()) == 0);
      CHECK(max_magnitude(body_acceleration(arm.model(), arm.data(), frame, reference).vector()) == 0);
    }
}

TEST_CASE("all frames of one rigid body have the same twist and acceleration in the world", "[kinematics][frames]") {
  Arm arm(GENERATE(range(1, 6)));
  const auto velocity = [&](const char* name) {
    return body_velocity(arm.model(), arm.data(), arm.model().frame(name), ReferenceFrame::world).vector();
  };
  const auto acceleration = [&](const char* name) {
    return body_acceleration(arm.model(), arm.data(), arm.model().frame(name), ReferenceFrame::world).vector();
  };
  REQUIRE(max_magnitude(velocity("lower")) > 0.01);
  for (const char* name : {"tool", "tip"}) {
    CHECK(relative_error(velocity(name), velocity("lower")) < tolerance<double>());
    CHECK(relative_error(acceleration(name), acceleration("lower")) < tolerance<double>());
  }
}

TEST_CASE("the three reference frames are related by the pose of the frame", "[kinematics][frames]") {
  Arm arm(GENERATE(range(1, 6)));
  for (const char* name : {"upper", "lower", "tool", "tip"}) {
    const auto& frame = arm.model().frame(name);
    const Matrix4<double> T = arm.pose(name);
    Matrix4<double> at_origin = Matrix4<double>::Identity();
    at_origin.topRightCorner<3, 1>() = T.topRightCorner<3, 1>();
    const auto check = [&](auto&& f) {
      const Matrix4<double> world = hat(f(ReferenceFrame::world));
      CHECK(relative_error(hat(f(ReferenceFrame::body)), T.inverse() * world * T) < tolerance<double>());
      CHECK(relative_error(hat(f(ReferenceFrame::world_aligned)), at_origin.inverse() * world * at_origin) <
            tolerance<double>());
    };
    check([&](ReferenceFrame reference) { return body_velocity(arm.model(), arm.data(), frame, reference); });
    check([&](ReferenceFrame reference) { return body_acceleration(arm.model(), arm.data(), frame, reference); });
  }
}

TEST_CASE("body axes are the default reference frame", "[kinematics][frames]") {
  Arm arm(1);
  const auto& tip = arm.model().frame("tip");
  CHECK(body_velocity(arm.model(), arm.data(), tip).vector() ==
        body_velocity(arm.model(), arm.data(), tip, ReferenceFrame::body).vector());
  CHECK(body_acceleration(arm.model(), arm.data(), tip).vector() ==
        body_acceleration(arm.model(), arm.data(), tip, ReferenceFrame::body).vector());
}

TEST_CASE("the velocity of a frame's origin is the derivative of its position", "[kinematics][frames]") {
  Arm arm(GENERATE(range(1, 6)));
  const auto model = arm.model().cast<Complex>();
  Data<Complex> data(model);
  forward_kinematics(model, data, step(model, arm.q, arm.v));
  for (const char* name : {"upper", "lower", "tool", "tip"}) {
    const Vector3<double> expected = body_pose(model, data, model.frame(name)).translation.imag() / complex_step;
    const auto V = body_velocity(arm.model(), arm.data(), arm.model().frame(name), ReferenceFrame::world_aligned);
    CHECK(relative_error(V.linear, expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "the classical acceleration is the second derivative of the point's position",
          "[kinematics][frames]") {
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (int b = 0; b < s.bodies(); ++b) {
    const Vector3<double> r = s.random.vector();
    const Vector3<double> expected = Oracle::at_point(s.oracle.pose_second_rate(b, s.v, s.a), r);
    const FramePoint<double> fixed(s.frame(b), ReferenceFrame::world_aligned, r),
        turning(s.frame(b), ReferenceFrame::body, r);
    CHECK(relative_error(body_classical_acceleration(s.model, s.data, fixed).linear, expected) < tolerance<double>());
    const Matrix3<double> R = body_pose(s.model, s.data, s.frame(b)).rotation;
    CHECK(relative_error(R * body_classical_acceleration(s.model, s.data, turning).linear, expected) <
          tolerance<double>());
    CHECK(body_classical_acceleration(s.model, s.data, fixed).angular ==
          body_acceleration(s.model, s.data, fixed).angular);
  }
}

TEST_CASE("a spatial acceleration transforms as a twist does, a point on the body adds nothing to it",
          "[kinematics][frames]") {
  Sample s(2 * 8 + 1);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  const auto& frame = s.frame(1);
  const Vector3<double> r = s.random.vector();
  const Pose<double> shift{Matrix3<double>::Identity(), r};
  const auto V = body_velocity(s.model, s.data, frame),
             at_r = body_velocity(s.model, s.data, {frame, ReferenceFrame::body, r});
  const auto a = body_acceleration(s.model, s.data, frame),
             a_r = body_acceleration(s.model, s.data, {frame, ReferenceFrame::body, r});
  CHECK(relative_error(at_r, shift.act_inverse(V)) < tolerance<double>());
  CHECK(relative_error(a_r, shift.act_inverse(a)) < tolerance<double>());
}

TEST_CASE("a frame of another model is rejected, that of a copy is not", "[kinematics][frames][errors]") {
  const auto model = zoo::serial_chain(3), other = zoo::serial_chain(3), copy = model;
  Data<double> data(model);
  const Vectord v = Vectord::Ones(3);
  forward_kinematics(model, data, v, v, v);
  CHECK_THROWS_AS(body_pose(model, data, other.body("link2")), ModelError);
  CHECK_THROWS_AS(body_velocity(model, data, other.body("link2")), ModelError);
  CHECK_THROWS_AS(body_acceleration(model, data, other.body("link2")), ModelError);
  CHECK_THROWS_AS(model.inertia(other.body("link2")), ModelError);
  CHECK_THROWS_AS(model.subtree(other.body("link2")), ModelError);
  CHECK_NOTHROW(body_pose(model, data, copy.body("link2")));
}

TEST_EACH(Sample& s, "body_kinematics moves a body and those that carry it, and touches no other",
          "[kinematics][frames]") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const auto& frame = s.frame(b);
    Data<double> data(s.model);
    for (auto& X : data.pose) X.rotation.setConstant(none), X.translation.setConstant(none);
    for (auto* motions : {&data.velocity, &data.acceleration, &data.bias})
      for (auto& V : *motions) V.angular.setConstant(none), V.linear.setConstant(none);
    for (auto* motions : {&data.phi, &data.phi_dot})
      for (auto& V : *motions) V.angular.setConstant(none), V.linear.setConstant(none);
    body_kinematics(s.model, data, s.q, s.v, s.a, frame);
    CHECK(relative_error(homogeneous(body_pose(s.model, data, frame)), s.oracle.pose(b)) < tolerance<double>());
    CHECK(body_velocity(s.model, data, frame).vector() == body_velocity(s.model, s.data, frame).vector());
    CHECK(body_acceleration(s.model, data, frame).vector() == body_acceleration(s.model, s.data, frame).vector());
    std::vector<bool> moves(static_cast<std::size_t>(s.model.num_nodes()), false);
    for (int node = frame.node(); node >= 0; node = s.model.node(node).parent)
      moves[static_cast<std::size_t>(node)] = true;
    for (int node = 0; node < s.model.num_nodes(); ++node) {
      CAPTURE(node);
      const bool moved = moves[static_cast<std::size_t>(node)];
      const auto written = [&](const Vectord& x) { return moved ? x.allFinite() : x.array().isNaN().all(); };
      CHECK(written(data.pose[node].translation));
      CHECK(written(data.velocity[node].vector()));
      CHECK(written(data.acceleration[node].vector()));
      for (int k = s.model.node(node).v_begin; k < s.model.node(node).v_end; ++k) {
        CHECK(written(data.phi[k].vector()));
        CHECK(written(data.phi_dot[k].vector()));
      }
    }
  }
}

TEST_CASE("after body_kinematics the state is that of the bodies it moved", "[kinematics][frames][errors]") {
  const Model<double> model = zoo::humanoid();
  Data<double> data(model);
  Random<double> random(1);
  const Vectord v = random_vector(random, model.nv());
  std::mt19937 generator(1);
  const Vectord q = random_configuration(model, generator);
  const auto& hand = model.bodies().back();
  const auto* elsewhere = &hand;  // does not carry the body, and comes after the root
  for (const auto& body : model.bodies())
    if (body.node() > 0 && !model.carries(body.node(), hand.node())) elsewhere = &body;
  REQUIRE(elsewhere != &hand);
  const auto rejected = [&](auto&& call) {
    CHECK(
        mentions(message_of<StateError>(call), {"moved only joint '" + model.joint_of_node(hand.node()).name() + "'"}));
  };

  forward_kinematics(model, data, Vectord(model.nq()).setOnes(), v, v);
  body_kinematics(model, data, q, v, hand);
  CHECK(data.q == q);
  CHECK_NOTHROW(body_pose(model, data, model.bodies().front()));
  CHECK_NOTHROW(body_velocity(model, data, hand));
  CHECK_NOTHROW(body_pose(model, data, model.ground_frame(Pose<double>::identity())));
  rejected([&] { body_pose(model, data, *elsewhere); });
  rejected([&] { body_velocity(model, data, *elsewhere); });
  rejected([&] { nonlinear_effects(model, data); });
  CHECK_THROWS_AS(body_acceleration(model, data, hand), StateError);
  CHECK_THROWS_AS(rnea(model, data), StateError);

  // Computes the state of another body, then of a frame on the ground.
  body_kinematics(model, data, q, *elsewhere);
  CHECK_NOTHROW(body_pose(model, data, *elsewhere));
  CHECK_THROWS_AS(body_pose(model, data, hand), StateError);
  CHECK_THROWS_AS(body_velocity(model, data, *elsewhere), StateError);
  const auto marker = model.ground_frame(Pose<double>::identity());
  body_kinematics(model, data, q, v, marker);
  CHECK(body_velocity(model, data, marker).vector() == Vectord::Zero(6));
  CHECK_THROWS_AS(body_pose(model, data, model.bodies().front()), StateError);

  // A rejected argument changes nothing, and forward_kinematics moves all bodies.
  body_kinematics(model, data, q, v, hand);
  CHECK_THROWS_AS(body_kinematics(model, data, v, v, *elsewhere), SizeError);
  CHECK_THROWS_AS(body_kinematics(model, data, q, zoo::humanoid().frame(hand.name())), ModelError);
  CHECK_NOTHROW(body_velocity(model, data, hand));
  forward_kinematics(model, data, q);
  CHECK_NOTHROW(body_pose(model, data, *elsewhere));
}
