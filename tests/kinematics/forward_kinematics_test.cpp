#include "corio/kinematics/forward_kinematics.hpp"

#include "corio/kinematics/frames.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

// Compares every pose and its rates with products of 4 x 4 matrices, in the frames that the user named. Joint axes are
// oblique, so the library works in other axes. Some bodies are welded to others.

TEST_EACH(Sample& s, "body_pose is the product of placements and joint transforms",
          "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    CHECK(relative_error(homogeneous(body_pose(s.model, s.data, s.frame(b))), s.oracle.pose(b)) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_velocity in body axes is T^-1 dT/dt", "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Matrix4<double> expected = s.oracle.pose(b).inverse() * s.oracle.pose_rate(b, s.v);
    CHECK(relative_error(hat(body_velocity(s.model, s.data, s.frame(b))), expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_velocity in the world is dT/dt T^-1", "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Matrix4<double> expected = s.oracle.pose_rate(b, s.v) * s.oracle.pose(b).inverse();
    const auto V = body_velocity(s.model, s.data, s.frame(b), ReferenceFrame::world);
    CHECK(relative_error(hat(V), expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_velocity in world axes has the velocity of the body's origin",
          "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Matrix4<double> rate = s.oracle.pose_rate(b, s.v), turning = rate * s.oracle.pose(b).inverse();
    const auto V = body_velocity(s.model, s.data, s.frame(b), ReferenceFrame::world_aligned);
    CHECK(relative_error(V.linear, rate.topRightCorner<3, 1>()) < tolerance<double>());
    CHECK(relative_error(skew(V.angular), turning.topLeftCorner<3, 3>()) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_velocity is the derivative of body_pose along integrate(q, v t)",
          "[kinematics][forward_kinematics]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> moved(model);
  forward_kinematics(model, moved, step(model, s.q, s.v));
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const auto T = homogeneous(body_pose(model, moved, model.frame(body_name(b))));
    const Matrix4<double> rate = T.imag() / complex_step;
    const Matrix4<double> expected = Matrix4<double>(T.real()).inverse() * rate;
    CHECK(relative_error(hat(body_velocity(s.model, s.data, s.frame(b))), expected) < tolerance<double>());
  }
}

// With V the velocity matrix of a reference frame: d2T/dt2 = (A + V^2) T in the world, T (A + V^2) in the
// body.

TEST_EACH(Sample& s, "body_acceleration in body axes is T^-1 d2T/dt2 less the square of the velocity",
          "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Matrix4<double> inverse = s.oracle.pose(b).inverse(), velocity = inverse * s.oracle.pose_rate(b, s.v);
    const Matrix4<double> expected = inverse * s.oracle.pose_second_rate(b, s.v, s.a) - velocity * velocity;
    CHECK(relative_error(hat(body_acceleration(s.model, s.data, s.frame(b))), expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_acceleration in the world is d2T/dt2 T^-1 less the square of the velocity",
          "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Matrix4<double> inverse = s.oracle.pose(b).inverse(), velocity = s.oracle.pose_rate(b, s.v) * inverse;
    const Matrix4<double> expected = s.oracle.pose_second_rate(b, s.v, s.a) * inverse - velocity * velocity;
    const auto A = body_acceleration(s.model, s.data, s.frame(b), ReferenceFrame::world);
    CHECK(relative_error(hat(A), expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_acceleration in world axes plus w x v is the acceleration of the body's origin",
          "[kinematics][forward_kinematics]") {
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const auto V = body_velocity(s.model, s.data, s.frame(b), ReferenceFrame::world_aligned);
    const auto A = body_acceleration(s.model, s.data, s.frame(b), ReferenceFrame::world_aligned);
    const Vector3<double> origin = A.linear + skew(V.angular) * V.linear;
    const Matrix4<double> expected = s.oracle.pose_second_rate(b, s.v, s.a);
    CHECK(relative_error(origin, expected.topRightCorner<3, 1>()) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "body_acceleration is the derivative of body_velocity along q (+) v t, v + a t",
          "[kinematics][forward_kinematics]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> moved(model);
  const VectorX<Complex> v = s.v.cast<Complex>() + s.a.cast<Complex>() * Complex(0, complex_step);
  forward_kinematics(model, moved, step(model, s.q, s.v), v);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Vector6<double> expected =
        body_velocity(model, moved, model.frame(body_name(b))).vector().imag() / complex_step;
    CHECK(relative_error(body_acceleration(s.model, s.data, s.frame(b)).vector(), expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "the norm of a quaternion and of a planar turn does not matter",
          "[kinematics][forward_kinematics]") {
  Vectord q = s.q;
  for (const Joint& joint : s.model.joints()) {
    if (joint.type() == "spherical") q.segment(joint.q_index(), 4) *= 1.7;
    if (joint.type() == "free_flyer") q.segment(joint.q_index() + 3, 4) *= -0.4;
    if (joint.type() == "planar") q.segment(joint.q_index() + 2, 2) *= 2.3;
  }
  forward_kinematics(s.model, s.data, q);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    CHECK(relative_error(homogeneous(body_pose(s.model, s.data, s.frame(b))), s.oracle.pose(b)) < tolerance<double>());
  }
}
