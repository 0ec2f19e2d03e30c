#include "corio/algorithms/dynamics/jacobian.hpp"

#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

VectorX<Complex> shifted(const Vectord& x, const Vectord& by) {
  return x.cast<Complex>() + by.cast<Complex>() * Complex(0, complex_step);
}
Matrixd slope(const MatrixX<Complex>& x) { return x.imag() / complex_step; }

/// Checks all rates and derivatives of a model's Jacobians against the complex step, which needs only J and
/// body_jacobian_dot.
void check_rates(const Model<double>& model, const Model<Complex>& complex, const Vectord& q, const Vectord& v,
                 const Vectord& a, Random<double>& random) {
  const int n = model.nv();
  const auto all = places(model, random);
  Data<double> data(model);
  Data<Complex> ahead(complex);
  forward_kinematics(model, data, q, v, a);

  forward_kinematics(complex, ahead, step(complex, q, v), shifted(v, a));
  for (const Place& place : all) {
    CAPTURE(place.frame, static_cast<int>(place.reference));
    const auto x = place.on(model);
    const auto z = place.on(complex);
    CHECK(relative_error(jacobian_dot(model, data, x), slope(jacobian(complex, ahead, z))) < tolerance<double>());
    CHECK(relative_error(jacobian_ddot(model, data, x), slope(jacobian_dot(complex, ahead, z))) < tolerance<double>());
  }

  std::vector<JacobianDerivatives<double>> D(all.size(), JacobianDerivatives<double>(model));
  for (std::size_t i = 0; i < all.size(); ++i) body_jacobian_derivatives(model, data, all[i].on(model), D[i]);
  for (int l = 0; l < n; ++l) {
    forward_kinematics(complex, ahead, step(complex, q, Vectord::Unit(n, l)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i].frame, static_cast<int>(all[i].reference), l);
      const Matrixd expected = slope(jacobian(complex, ahead, all[i].on(complex)));
      CHECK(relative_error(D[i].along(l), expected) < tolerance<double>());
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    Matrixd sum = Matrixd::Zero(6, n);
    for (int l = 0; l < n; ++l) sum += D[i].along(l) * v[l];
    CHECK(relative_error(sum, jacobian_dot(model, data, all[i].on(model))) < tolerance<double>());
    CHECK(D[i].jacobian() == jacobian(model, data, all[i].on(model)));
    CHECK(D[i](4, 0, n - 1) == D[i].along(n - 1)(4, 0));
  }
}

}  // namespace

TEST_EACH(Sample& s, "J v is the twist of the body, frame or point", "[algorithms][jacobian]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (const Place& place : places(s.model, s.random)) {
    CAPTURE(place.frame, static_cast<int>(place.reference));
    const auto where = place.on(s.model);
    const Vectord expected = body_velocity(s.model, s.data, where).vector();
    CHECK(relative_error(jacobian(s.model, s.data, where) * s.v, expected) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "J and its rate in world and body axes are those of 4 x 4 transforms", "[algorithms][jacobian]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const BodyTerms outside = in_world_axes(s, b), inside = in_body_axes(s, b);
    const auto& frame = s.frame(b);
    CHECK(relative_error(jacobian<double>(s.model, s.data, {frame, world}), outside.J) < tolerance<double>());
    CHECK(relative_error(jacobian_dot<double>(s.model, s.data, {frame, world}), outside.J_rate) < tolerance<double>());
    CHECK(relative_error(jacobian<double>(s.model, s.data, frame), inside.J) < tolerance<double>());
    CHECK(relative_error(jacobian_dot<double>(s.model, s.data, frame), inside.J_rate) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "the linear rows of a point's J and of its rate differentiate the point's position",
          "[algorithms][jacobian]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (int b = 0; b < s.bodies(); ++b) {
    CAPTURE(b);
    const Vector3<double> r = s.random.vector();
    const FramePoint<double> where(s.frame(b), world_aligned, r);
    const Matrixd J = jacobian(s.model, s.data, where), Jdot = jacobian_dot(s.model, s.data, where);
    Matrixd expected(3, s.model.nv()), rate(3, s.model.nv());
    for (int k = 0; k < s.model.nv(); ++k) {
      expected.col(k) = Oracle::at_point(s.oracle.first(b, k), r);
      rate.col(k) = Oracle::at_point(s.oracle.first_rate(b, k, s.v), r);
    }
    CHECK(relative_error(J.bottomRows(3), expected) < tolerance<double>());
    CHECK(relative_error(Jdot.bottomRows(3), rate) < tolerance<double>());
    CHECK(relative_error(J.topRows(3), in_world_axes(s, b).J.topRows(3)) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "dJ/dt, d2J/dt2 and dJ/dq are the complex steps of J", "[algorithms][jacobian]") {
  check_rates(s.model, s.model.cast<Complex>(), s.q, s.v, s.a, s.random);
}

TEST_CASE("dJ/dt, d2J/dt2 and dJ/dq are the complex steps of J for axes that move in their body",
          "[algorithms][jacobian][custom]") {
  const auto check = [](const auto& joint) {
    const auto model = tree_on<double>(joint);
    test::State s(model);
    check_rates(model, tree_on<Complex>(joint), s.q, s.v, s.a, s.random);
  };
  check(Cam(0.4));
  check(EulerZyx());
  check(ParentBall());
}

TEST_EACH(Sample& s, "J a + dJ/dt v is the spatial acceleration, for a moving point the classical one",
          "[algorithms][jacobian]") {
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  for (const Place& place : places(s.model, s.random)) {
    CAPTURE(place.frame, static_cast<int>(place.reference));
    const auto where = place.on(s.model);
    const Vectord sum = jacobian(s.model, s.data, where) * s.a + jacobian_dot(s.model, s.data, where) * s.v;
    const Motion<double> expected = place.reference == world_aligned
                                        ? body_classical_acceleration(s.model, s.data, where)
                                        : body_acceleration(s.model, s.data, where);
    CHECK(relative_error(sum, expected.vector()) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "the reference frames are related by the pose of the point", "[algorithms][jacobian]") {
  forward_kinematics(s.model, s.data, s.q);
  for (const auto& frame : s.model.frames()) {
    INFO(frame.name());
    const Vector3<double> r = s.random.vector();
    Pose<double> X = body_pose(s.model, s.data, frame);
    X.translation = X.point(r);
    const Matrixd J = jacobian<double>(s.model, s.data, {frame, world, r});
    CHECK(relative_error(X.motion_matrix() * jacobian<double>(s.model, s.data, {frame, body, r}), J) <
          tolerance<double>());
    X.rotation.setIdentity();
    CHECK(relative_error(X.motion_matrix() * jacobian<double>(s.model, s.data, {frame, world_aligned, r}), J) <
          tolerance<double>());
  }
}
