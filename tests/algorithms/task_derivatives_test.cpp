#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s,
          "derivatives of velocities and accelerations are their complex steps, at all places, in all frames",
          "[algorithms][task_derivatives]") {
  const int n = s.model.nv();
  const auto all = places(s.model, s.random);
  const auto complex = s.model.cast<Complex>();
  Data<Complex> ahead(complex);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  const auto slope = [](const Motion<Complex>& x) { return Vectord(x.vector().imag() / complex_step); };
  for (const Place& place : all) {
    CAPTURE(place.frame, static_cast<int>(place.reference));
    const auto x = place.on(s.model);
    const auto z = place.on(complex);
    Matrixd dV(6, n), da_dq(6, n), da_dv(6, n), dc_dq(6, n), dc_dv(6, n);
    Matrixd V_q(6, n), a_q(6, n), a_v(6, n), c_q(6, n), c_v(6, n);
    body_velocity_derivatives(s.model, s.data, x, dV);
    body_acceleration_derivatives(s.model, s.data, x, da_dq, da_dv);
    body_acceleration_derivatives(s.model, s.data, x, dc_dq, dc_dv, Acceleration::classical);
    const VectorX<Complex> q = s.q.cast<Complex>(), v = s.v.cast<Complex>(), a = s.a.cast<Complex>();
    for (int k = 0; k < n; ++k) {
      forward_kinematics(complex, ahead, step(complex, s.q, Vectord::Unit(n, k)), v, a);
      V_q.col(k) = slope(body_velocity(complex, ahead, z));
      a_q.col(k) = slope(body_acceleration(complex, ahead, z));
      c_q.col(k) = slope(body_classical_acceleration(complex, ahead, z));
      forward_kinematics(complex, ahead, q, VectorX<Complex>(v + Complex(0, complex_step) * Vectord::Unit(n, k)), a);
      a_v.col(k) = slope(body_acceleration(complex, ahead, z));
      c_v.col(k) = slope(body_classical_acceleration(complex, ahead, z));
    }
    CHECK(relative_error(dV, V_q) < tolerance<double>());
    CHECK(relative_error(da_dq, a_q) < tolerance<double>());
    CHECK(relative_error(da_dv, a_v) < tolerance<double>());
    CHECK(relative_error(dc_dq, c_q) < tolerance<double>());
    CHECK(relative_error(dc_dv, c_v) < tolerance<double>());
  }
}

TEST_CASE("derivatives of tasks fill rows of a larger matrix, and reject other sizes",
          "[algorithms][task_derivatives]") {
  Sample s(1);
  const int n = s.model.nv();
  const auto& body = s.model.bodies().back();
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> stacked = Matrixd::Constant(14, n, 7);
  Matrixd whole(6, n), by_q(6, n), by_v(6, n);
  body_velocity_derivatives(s.model, s.data, s.q, s.v, body, stacked.middleRows(1, 6));
  body_velocity_derivatives(s.model, s.data, body, whole);
  CHECK(Matrixd(stacked.middleRows(1, 6)) == whole);
  CHECK((stacked.row(0).array() == 7).all());
  body_acceleration_derivatives(s.model, s.data, s.q, s.v, s.a, body, stacked.topRows(6), stacked.bottomRows(6));
  body_acceleration_derivatives(s.model, s.data, body, by_q, by_v);
  CHECK(Matrixd(stacked.topRows(6)) == by_q);
  CHECK(Matrixd(stacked.bottomRows(6)) == by_v);
  Matrixd narrow(6, n - 1);
  CHECK_THROWS_AS(body_velocity_derivatives(s.model, s.data, body, narrow), SizeError);
  CHECK_THROWS_AS(body_acceleration_derivatives(s.model, s.data, body, by_q, narrow), SizeError);
  forward_kinematics(s.model, s.data, s.q, s.v);
  CHECK_THROWS_AS(body_acceleration_derivatives(s.model, s.data, body, by_q, by_v), StateError);
}

TEST_EACH(Sample& s, "derivatives of several places at once are those of each, and of the ground zero",
          "[algorithms][task_derivatives]") {
  const int n = s.model.nv();
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  std::vector<FramePoint<double>> all;
  for (const Place& place : places(s.model, s.random)) all.push_back(place.on(s.model));
  all.emplace_back(s.model.ground_frame(Pose<double>::identity()), ReferenceFrame::world_aligned);
  const auto rows = 6 * static_cast<Eigen::Index>(all.size());
  Matrixd V_q(rows, n), a_q(rows, n), a_v(rows, n), one(6, n), other(6, n);
  body_velocity_derivatives(s.model, s.data, all, V_q);
  body_acceleration_derivatives(s.model, s.data, all, a_q, a_v, Acceleration::classical);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = 6 * static_cast<Eigen::Index>(i);
    body_velocity_derivatives(s.model, s.data, all[i], one);
    CHECK(one == V_q.middleRows(row, 6));
    body_acceleration_derivatives(s.model, s.data, all[i], one, other, Acceleration::classical);
    CHECK(one == a_q.middleRows(row, 6));
    CHECK(other == a_v.middleRows(row, 6));
    Matrixd dV(6, n), J(6, n), by_q(6, n), by_v(6, n);
    body_acceleration_derivatives(s.model, s.data, all[i], dV, by_q, by_v, J, Acceleration::classical);
    CHECK(dV == V_q.middleRows(row, 6));
    CHECK(by_q == one);
    CHECK(by_v == other);
    CHECK(relative_error(J, jacobian(s.model, s.data, all[i])) < tolerance<double>());
  }
  CHECK(V_q.bottomRows(6).isZero(0));
  CHECK(a_q.bottomRows(6).isZero(0));
  CHECK_THROWS_AS(body_velocity_derivatives(s.model, s.data, all, one), SizeError);
}
