#include <Eigen/Core>
#include <complex>
#include <unsupported/Eigen/AutoDiff>

#include "corio/kinematics/complex_step.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// Mechanisms over other scalars, which give derivatives of all their functions to rounding errors, also where no
// function computes the derivative.

namespace loops_test {
namespace {

using Complex = std::complex<double>;

Model<double> robot(int i) {
  switch (i) {
    case 0: return zoo::geared_arm(3);
    case 1: return zoo::four_bar_leg();
    case 2: return zoo::parallel_biped();
    default: return zoo::delta_robot();
  }
}

/// A mechanism in motion, and its complex steps.
struct Stepped {
  Model<double> model;
  Mechanism<double> mechanism;
  MechanismData<double> data;
  ComplexStep<Mechanism> step;
  VectorXd q, y, ydot;

  explicit Stepped(int i) : model(robot(i)), mechanism(model), data(mechanism), step(mechanism) {
    y = random_vector<double>(mechanism.nv(), 5), ydot = random_vector<double>(mechanism.nv(), 6);
    forward_kinematics<double>(mechanism, data, neutral(model), 0.2 * y);
    const auto assembly = assemble<double>(mechanism, data, integrate<double>(model, neutral(model), data.tree.v));
    REQUIRE(assembly.closed);
    q = assembly.q;
    forward_kinematics<double>(mechanism, data, q, y, ydot);
  }
};

/// Allow some hundred operations, and the solution with a cluster's conditions.
constexpr double scalar_bound = 1e-11;

}  // namespace

TEST_CASE("complex steps of a mechanism give its derivatives and its symbols", "[loops]") {
  Stepped s(GENERATE(range(0, 4)));
  CAPTURE(s.model.name());
  const int n = s.mechanism.nv();
  const auto& derivatives = inverse_dynamics_derivatives<double>(s.mechanism, s.data);
  const auto& M = crba<double>(s.mechanism, s.data);
  ChristoffelTensor<double> Gamma(s.mechanism);
  christoffel_symbols<double>(s.mechanism, s.data, Gamma);
  const auto tau = [&](const auto& robot, auto& data, const auto& q, const auto& y) -> VectorX<Complex> {
    return rnea<Complex>(robot, data, q, y, s.ydot.cast<Complex>());
  };
  const auto mass = [](const auto& robot, auto& data, const auto& q, const auto&) -> MatrixX<Complex> {
    return crba<Complex>(robot, data, q);
  };
  for (int k = 0; k < n; ++k) {
    CHECK(relative_error(VectorXd(derivatives.dtau_dq.col(k)), s.step.along_q(s.q, s.y, k, tau)) < scalar_bound);
    CHECK(relative_error(VectorXd(derivatives.dtau_dv.col(k)), s.step.along_v(s.q, s.y, k, tau)) < scalar_bound);
    const MatrixXd dM = s.step.along_q(s.q, s.y, k, mass);
    MatrixXd sum(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) sum(i, j) = Gamma(i, j, k) + Gamma(j, i, k);
    // If nothing depends on q, errors are compared with M.
    CHECK((sum - dM).norm() < scalar_bound * (dM.norm() + M.norm()));
  }
}

TEST_CASE("complex steps of a mechanism's aba give the derivatives of its forward dynamics", "[loops]") {
  Stepped s(GENERATE(range(0, 4)));
  CAPTURE(s.model.name());
  const VectorXd tau = 3.0 * random_vector<double>(s.mechanism.nv(), 7), F = random_vector<double>(6, 8);
  const std::vector<ExternalForce<double>> external{{s.model.bodies().back(), Force<double>::from(F)}};
  const auto& derivatives = forward_dynamics_derivatives<double>(s.mechanism, s.data, s.q, s.y, tau, external);
  for (int k = 0; k < s.mechanism.nv(); ++k) {
    const VectorXd da = s.step.along_q(s.q, s.y, k, [&](const auto& robot, auto& data, const auto& q, const auto& y) {
      const std::vector<ExternalForce<Complex>> same{
          {robot.tree().bodies().back(), Force<Complex>::from(F.cast<Complex>())}};
      return aba<Complex>(robot, data, q, y, tau.cast<Complex>(), same);
    });
    // The result also contains the solution with M, whose condition is some thousands.
    CHECK(relative_error(VectorXd(derivatives.da_dq.col(k)), da) < 1e3 * scalar_bound);
  }
}

TEST_CASE("dC/dq of a mechanism by complex steps belongs to the derivatives of C y", "[loops]") {
  Stepped s(GENERATE(range(0, 4)));
  CAPTURE(s.model.name());
  const int n = s.mechanism.nv();
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, VectorXd::Zero(n));
  const MatrixXd dtau_dq = inverse_dynamics_derivatives<double>(s.mechanism, s.data).dtau_dq;
  const VectorXd tau = rnea<double>(s.mechanism, s.data);
  for (int k = 0; k < n; ++k) {
    const VectorXd of_matrix = s.step.along_q(
        s.q, s.y, k, [&](const auto& robot, auto& data, const auto& q, const auto& y) -> VectorX<Complex> {
          const MatrixX<Complex> C = coriolis_matrix(robot, data, q, y).C;
          return C * y + generalized_gravity<Complex>(robot, data);
        });
    CHECK((of_matrix - dtau_dq.col(k)).norm() < scalar_bound * (of_matrix.norm() + tau.norm()));
  }
}

TEST_CASE("second derivatives of a mechanism's inverse dynamics by complex steps are differences", "[loops]") {
  Stepped s(GENERATE(1, 3));
  CAPTURE(s.model.name());
  constexpr double h = 1e-5;
  for (int k = 0; k < s.mechanism.nv(); ++k) {
    const MatrixXd second =
        s.step.along_q(s.q, s.y, k, [&](const auto& robot, auto& data, const auto& q, const auto& y) {
          return inverse_dynamics_derivatives<Complex>(robot, data, q, y, s.ydot.cast<Complex>()).dtau_dq;
        });
    VectorXd direction(s.model.nv());
    forward_kinematics<double>(s.mechanism, s.data, s.q, VectorXd::Unit(s.mechanism.nv(), k));
    direction = s.data.tree.v;
    const auto at = [&](double x) -> MatrixXd {
      const auto assembly = assemble<double>(s.mechanism, s.data, integrate<double>(s.model, s.q, x * direction));
      REQUIRE(assembly.closed);
      return inverse_dynamics_derivatives<double>(s.mechanism, s.data, assembly.q, s.y, s.ydot).dtau_dq;
    };
    const MatrixXd differences = (at(h) - at(-h)) / (2 * h);
    // The difference errs by h^2, and by rounding over h.
    CHECK(relative_error(second, differences) < 1e-6);
  }
}

#ifdef CORIO_TEST_ALL

TEST_CASE("a mechanism over long double moves as over double", "[loops]") {
  Stepped s(1);
  const Mechanism<long double> mechanism(s.model.cast<long double>());
  MechanismData<long double> data(mechanism);
  using Long = VectorX<long double>;
  const VectorXd none = VectorXd::Zero(s.mechanism.nv());
  Long q = s.q.cast<long double>(), y = s.y.cast<long double>(), residual(mechanism.loops().rows());
  step<double>(s.mechanism, s.data, s.q, s.y, none, 1e-3);
  step<long double>(mechanism, data, q, y, Long(none.cast<long double>()), 1e-3);
  CHECK(relative_error(s.y, VectorXd(y.cast<double>())) < scalar_bound);
  // The loops are closed to the accuracy of long double.
  constraint_residual<long double>(mechanism.tree(), data.tree, mechanism.loops(), residual);
  CHECK(static_cast<double>(residual.cwiseAbs().maxCoeff()) < 1e-15);
}

TEST_CASE("AutoDiffScalar goes through all functions of a mechanism as complex steps do", "[loops]") {
  using AutoDiff = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  Stepped s(GENERATE(1, 3));
  CAPTURE(s.model.name());
  const int n = s.mechanism.nv();
  const Mechanism<AutoDiff> mechanism(s.model.cast<AutoDiff>());
  MechanismData<AutoDiff> data(mechanism);
  const VectorXd tau = random_vector<double>(n, 7);
  constexpr double h = ComplexStep<Mechanism>::size;
  const auto agree = [&](const auto& x, const auto& stepped, double condition = 1) {
    const MatrixXd automatic = x.unaryExpr([](const AutoDiff& entry) { return entry.derivatives()[0]; });
    // If nothing depends on the state, errors are compared with the values.
    CHECK(relative_error(automatic, MatrixXd(stepped.imag() / h), stepped.real().norm()) < condition * scalar_bound);
  };
  // One direction moves a coordinate and a speed.
  const auto all_agree = [&](const Mechanism<Complex>& complex, MechanismData<Complex>& steps,
                             const VectorX<Complex>& q_c, const VectorX<Complex>& y_c) -> Complex {
    const auto moved = [&](const VectorX<Complex>& x) {
      VectorX<AutoDiff> result(x.size());
      for (Eigen::Index i = 0; i < x.size(); ++i)
        result[i] = AutoDiff(x[i].real()), result[i].derivatives()[0] = x[i].imag() / h;
      return result;
    };
    const VectorX<AutoDiff> q = moved(q_c), y = moved(y_c);
    const VectorX<AutoDiff> ydot = s.ydot.cast<AutoDiff>(), tau_a = tau.cast<AutoDiff>();
    const VectorX<Complex> ydot_c = s.ydot.cast<Complex>(), tau_c = tau.cast<Complex>();

    agree(rnea<AutoDiff>(mechanism, data, q, y, ydot), rnea<Complex>(complex, steps, q_c, y_c, ydot_c));
    agree(crba<AutoDiff>(mechanism, data), crba<Complex>(complex, steps));
    agree(generalized_gravity<AutoDiff>(mechanism, data), generalized_gravity<Complex>(complex, steps));
    agree(coriolis_matrix(mechanism, data).C, coriolis_matrix(complex, steps).C);
    agree(coriolis_matrix_dot(mechanism, data).Cdot, coriolis_matrix_dot(complex, steps).Cdot);
    ChristoffelTensor<AutoDiff> Gamma(mechanism);
    ChristoffelTensor<Complex> Gamma_c(complex);
    christoffel_symbols<AutoDiff>(mechanism, data, Gamma);
    christoffel_symbols<Complex>(complex, steps, Gamma_c);
    for (int i = 0; i < n; ++i) agree(Gamma.page(i), Gamma_c.page(i));
    const auto& inverse = inverse_dynamics_derivatives<AutoDiff>(mechanism, data);
    const auto& inverse_c = inverse_dynamics_derivatives<Complex>(complex, steps);
    agree(inverse.dtau_dq, inverse_c.dtau_dq);
    agree(inverse.dtau_dv, inverse_c.dtau_dv);
    // These contain solutions with M, whose condition is some thousands.
    agree(aba<AutoDiff>(mechanism, data, q, y, tau_a), aba<Complex>(complex, steps, q_c, y_c, tau_c), 1e3);
    const auto& forward = forward_dynamics_derivatives<AutoDiff>(mechanism, data, q, y, tau_a);
    const auto& forward_c = forward_dynamics_derivatives<Complex>(complex, steps, q_c, y_c, tau_c);
    agree(forward.da_dq, forward_c.da_dq, 1e3);
    agree(forward.da_dv, forward_c.da_dv, 1e3);
    return 0.0;
  };
  for (int k = 0; k < n; ++k) s.step.along(s.q, s.y, VectorXd::Unit(n, k), VectorXd::Unit(n, n - 1 - k), all_agree);
}

#endif

}  // namespace loops_test
