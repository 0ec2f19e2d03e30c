#include <Eigen/Core>
// Included after Eigen/Core, which AutoDiff needs and does not include.
#include <unsupported/Eigen/AutoDiff>

#include "contracts/scalars.hpp"
#include "contracts/table.hpp"
#include "support/catch.hpp"

using namespace corio;
using namespace corio::test;

// Takes derivatives by Eigen's AutoDiffScalar. The number of derivatives is fixed at compile time: a number chosen at
// run time is rejected (rejected/dynamic_derivatives.cpp).

namespace {

/// Holds the derivatives along two displacements.
using AutoDiff = Eigen::AutoDiffScalar<Eigen::Vector2d>;

/// Returns the displacement t0 x + t1 y at zero.
VectorX<AutoDiff> along(const Vectord& x, const Vectord& y) {
  VectorX<AutoDiff> out(x.size());
  for (int i = 0; i < x.size(); ++i) out[i] = AutoDiff(0, Eigen::Vector2d(x[i], y[i]));
  return out;
}
Matrixd derivative(const MatrixX<AutoDiff>& A, int along) {
  return A.unaryExpr([along](const AutoDiff& x) { return x.derivatives()[along]; });
}

}  // namespace

TEST_CASE("every function over AutoDiffScalar is that over double", "[contracts][scalars]") {
  // The second robot floats and suits all functions.
  check_scalar<AutoDiff>(optimised ? GENERATE(range(0, scalar_seeds)) : 1, 1e-13,
                         [](auto&) { return tolerance<double>(); });
}

TEST_CASE("AutoDiffScalar gives dJ/dq and the rates of J and A", "[contracts][scalars]") {
  RandomRobot r(GENERATE(range(0, scalar_seeds)));
  Over<AutoDiff> d(r);
  const int n = r.model.nv();
  forward_kinematics(r.model, r.data, r.q, r.v);
  forward_kinematics(d.model, d.data, integrate(d.model, d.q, along(r.v, Vectord::Unit(n, n - 1))));
  MatrixX<AutoDiff> moved(6, n);
  Matrixd J_dot(6, n);
  JacobianDerivatives<double> D(r.model);
  body_jacobian(d.model, d.data, d.model.bodies().back(), moved);
  body_jacobian_dot(r.model, r.data, r.model.bodies().back(), J_dot);
  body_jacobian_derivatives(r.model, r.data, r.model.bodies().back(), D);
  CHECK(relative_error(derivative(moved, 0), J_dot) < tolerance<double>());
  CHECK(relative_error(derivative(moved, 1), D.along(n - 1)) < tolerance<double>());
  const MatrixX<AutoDiff> A = centroidal_momentum_matrix(d.model, d.data);
  CHECK(relative_error(derivative(A, 0), centroidal_momentum_matrix_dot(r.model, r.data)) < tolerance<double>());
}

TEST_CASE("AutoDiffScalar gives the derivatives of M, rnea and aba that the complex step gives",
          "[contracts][scalars]") {
  RandomRobot r(GENERATE(range(0, scalar_seeds)));
  const double condition_number = std::max(10.0, condition(crba(r.model, r.data, r.q)));
  Over<AutoDiff> d(r);
  Over<Complex> c(r);
  const VectorX<AutoDiff> moved = integrate(d.model, d.q, along(r.v, r.a));
  const MatrixX<AutoDiff> M = crba(d.model, d.data, moved);
  const VectorX<AutoDiff> tau = rnea(d.model, d.data, moved, d.v, d.a), a = aba(d.model, d.data, moved, d.v, d.a);
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    const VectorX<Complex> q = step(c.model, r.q, i == 0 ? r.v : r.a);
    const Matrixd M_rate = crba(c.model, c.data, q).imag() / complex_step;
    const Vectord tau_rate = rnea(c.model, c.data, q, c.v, c.a).imag() / complex_step;
    const Vectord a_rate = aba(c.model, c.data, q, c.v, c.a).imag() / complex_step;
    CHECK(relative_error(derivative(M, i), M_rate) < tolerance<double>());
    CHECK(relative_error(derivative(tau, i), tau_rate) < tolerance<double>());
    // This derivative contains the inverse twice: an error of M^-1 is multiplied by M^-1 once more.
    CHECK(relative_error(derivative(a, i), a_rate) < 1e-13 * condition_number * condition_number);
  }
}

TEST_CASE("AutoDiff of rnea along a regressor's motion agrees with products", "[contracts][scalars]") {
  // Compares d(Y pi)/dv along a direction with both sides at the same numbers.
  RandomRobot r(GENERATE(range(0, scalar_seeds)));
  INFO(r.model.name());
  Over<AutoDiff> d(r);
  d.v += along(r.a, Vectord::Zero(r.model.nv()));
  const Vectord expected = derivative(rnea(d.model, d.data, d.q, d.v, d.a), 0);
  MatrixX<AutoDiff> Y(d.model.nv(), num_inertial_parameters(d.model));
  inverse_dynamics_regressor(d.model, d.data, Y);
  CHECK(relative_error(derivative(Y, 0) * inertial_parameters(r.model), expected) < 10 * tolerance<double>());
}

TEST_CASE("AutoDiffScalar gives the d(C v)/dv of which C is made, as the complex step does", "[contracts][scalars]") {
  RandomRobot r(GENERATE(range(0, scalar_seeds)));
  Over<AutoDiff> d(r);
  Over<Complex> c(r);
  const Vectord& along_first = r.a;
  const Vectord along_second = Vectord::Unit(r.model.nv(), 0);
  d.v += along(along_first, along_second);
  const VectorX<AutoDiff> bias = nonlinear_effects(d.model, d.data, d.q, d.v);
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    const VectorX<Complex> moved = c.v + (i == 0 ? along_first : along_second) * Complex(0, complex_step);
    const Vectord expected = nonlinear_effects(c.model, c.data, c.q, moved).imag() / complex_step;
    CHECK(relative_error(derivative(bias, i), expected) < tolerance<double>());
  }
}

TEST_CASE("AutoDiffScalar gives the derivatives of the Christoffel symbols that the complex step gives",
          "[contracts][scalars]") {
  RandomRobot r(GENERATE(0, 5));
  Over<AutoDiff> d(r);
  Over<Complex> c(r);
  ChristoffelTensor<AutoDiff> by_automatic(d.model);
  christoffel_symbols(d.model, d.data, integrate(d.model, d.q, along(r.v, r.a)), by_automatic);
  ChristoffelTensor<Complex> by_step(c.model);
  christoffel_symbols(c.model, c.data, step(c.model, r.q, r.v), by_step);
  for (int i = 0; i < r.model.nv(); ++i) {
    CAPTURE(i);
    const Matrixd rate = MatrixX<Complex>(by_step.page(i)).imag() / complex_step;
    CHECK(relative_error(derivative(by_automatic.page(i), 0), rate) < tolerance<double>());
  }
}
