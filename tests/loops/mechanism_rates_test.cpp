#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "loops/mechanism_support.hpp"
#include "support/catch.hpp"

// Rates and derivatives of mechanisms, in independent speeds and in those of the tree.

namespace loops_test {

TEST_CASE("the Coriolis matrix of a mechanism has the rate of differences along its motion", "[loops]") {
  // Central differences are of second order: h^2 = 1e-10 times third derivatives.
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const VectorXd y = s.y, ydot = random_vector<double>(s.mechanism.nv(), 14), q = s.q;
  const auto rates = coriolis_matrix_dot(s.mechanism, s.data, q, y, ydot);
  const auto plain = coriolis_matrix_dot<factorization::Plain>(s.mechanism, s.data);
  const VectorXd v = s.data.tree.v, a = s.data.tree.a;
  CHECK(relative_error(rates.C, coriolis_matrix(s.mechanism, s.data).C) < bound);
  CHECK(relative_error(rates.M, crba<double>(s.mechanism, s.data)) < bound);
  CHECK(relative_error(rates.Mdot, coriolis_matrix(s.mechanism, s.data).Mdot) < bound);
  constexpr double h = 1e-5;
  const auto difference = [&](auto factorization) -> MatrixXd {
    const auto at = [&](double t) -> MatrixXd {
      const auto assembly = assemble<double>(s.mechanism, s.data, integrate<double>(s.model, q, t * v + t * t / 2 * a));
      REQUIRE(assembly.closed);
      forward_kinematics<double>(s.mechanism, s.data, assembly.q, y + t * ydot);
      return coriolis_matrix(s.mechanism, s.data, factorization).C;
    };
    return (at(h) - at(-h)) / (2 * h);
  };
  CHECK(relative_error(rates.Cdot, difference(factorization::Christoffel{})) < 1e-6);
  CHECK(relative_error(plain.Cdot, difference(factorization::Plain{})) < 1e-6);
  CHECK(relative_error(plain.Cdot + plain.Cdot.transpose(), rates.Cdot + rates.Cdot.transpose()) < bound);
}

TEST_CASE("symbols of a mechanism have the torsion of its structure constants", "[loops]") {
  // The tree's symbols are those of its mass matrix without armature.
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  Model<double> model = s.model;
  model.set_armature(VectorXd::Zero(model.nv()));
  const Mechanism<double> mechanism(model, s.loops, s.q);
  MechanismData<double> data(mechanism);
  const int n = mechanism.nv();
  ChristoffelTensor<double> Gamma(mechanism);
  Tensor3<double> c;
  christoffel_symbols<double>(mechanism, data, s.q, Gamma);
  structure_constants<double>(mechanism, data, c);
  const MatrixXd M = crba<double>(mechanism, data);
  double largest = 0.0, error = 0.0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        double torsion = 0.0;
        for (int l = 0; l < n; ++l) torsion += M(i, l) * c(l, k, j);
        error = std::max(error, std::abs(Gamma(i, j, k) - Gamma(i, k, j) - torsion));
        largest = std::max(largest, std::abs(c(i, j, k)));
      }
  CHECK(error < bound * (1 + M.norm()));
  CHECK((largest > 0.1) == !s.has_coordinates());
}

TEST_CASE("forces of loops change by the derivatives of their Jacobian", "[loops]") {
  const int seed = GENERATE(range(0, 4));
  CAPTURE(seed);
  Scene s(seed);
  const int n = s.model.nv();
  const VectorXd q = random_q(s.model, seed), lambda = random_vector<double>(s.loops.rows(), 3);
  constexpr double h = 1e-5;
  MatrixXd differences(n, n), H(n, n);
  for (int j = 0; j < n; ++j) {
    const auto force = [&](double t) -> VectorXd {
      return s.jacobian(integrate<double>(s.model, q, t * VectorXd::Unit(n, j))).transpose() * lambda;
    };
    differences.col(j) = (force(h) - force(-h)) / (2 * h);
  }
  forward_kinematics<double>(s.model, s.data, q);
  constraint_force_derivatives<double>(s.model, s.data, s.loops, lambda, H);
  CHECK(relative_error(H, differences) < 1e-8);
}

TEST_CASE("motions with multipliers have the derivatives of differences", "[loops]") {
  // Uses the tree's own coordinates, so that q also moves where that opens the loops. With a rate, which is not small
  // beside the others, k itself counts. Mechanisms with redundant conditions are left out, because such conditions do
  // not define what happens there.
  const int seed = GENERATE(range(0, 7));
  const double rate = GENERATE(0.0, 2.0);
  CAPTURE(seed, rate);
  Closed s(seed);
  const int n = s.model.nv(), m = s.loops.rows();
  const VectorXd v = s.data.tree.v, tau = random_vector<double>(n, 8);
  Data<double> data(s.model);
  std::vector<ExternalForce<double>> external;
  if (rate > 0)
    for (const auto frame : {ReferenceFrame::body, ReferenceFrame::world_aligned})
      external.emplace_back(s.model.bodies().back(), Force<double>::from(random_vector<double>(6, 9)), frame);
  const auto d = constrained_forward_dynamics_derivatives<double>(s.model, data, s.loops, s.q, v, tau, rate, external);
  const auto motion = constrained_forward_dynamics<double>(s.model, data, s.loops, tau, rate, external);
  CHECK(relative_error(data.a, motion.a) < 1e-9);
  const bool redundant = motion.rank < m;
  if (seed == 0 || seed == 3) CHECK(redundant == (seed == 0));
  constexpr double h = 1e-5;
  const auto difference = [&](auto&& at) -> MatrixXd {
    MatrixXd out(n + m, n);
    for (int j = 0; j < n; ++j) {
      const auto end = [&](double t) -> VectorXd {
        const auto& x = at(VectorXd(t * VectorXd::Unit(n, j)));
        return (VectorXd(n + m) << x.a, x.lambda).finished();
      };
      const VectorXd more = end(h);
      out.col(j) = (more - end(-h)) / (2 * h);
    }
    return out;
  };
  const MatrixXd by_v = difference([&](const VectorXd& x) -> auto& {
    return constrained_forward_dynamics<double>(s.model, data, s.loops, s.q, v + x, tau, rate, external);
  });
  const MatrixXd by_tau = difference([&](const VectorXd& x) -> auto& {
    return constrained_forward_dynamics<double>(s.model, data, s.loops, s.q, v, tau + x, rate, external);
  });
  CHECK(relative_error(d.da_dv, by_v.topRows(n)) < 1e-6);
  CHECK(relative_error(d.da_dtau, by_tau.topRows(n)) < 1e-6);
  CHECK(relative_error(d.dlambda_dtau, by_tau.bottomRows(m)) < 1e-6);
  if (redundant) {
    // Moves along closed motions, whose derivatives the mechanism computes.
    VectorXd tau_y(s.mechanism.nv());
    forward_kinematics<double>(s.mechanism, s.data, s.q, s.y);
    const MatrixXd G = s.map(s.data.G);
    const auto a_along = [&](const VectorXd& q) -> MatrixXd {
      return constrained_forward_dynamics<double>(s.model, data, s.loops, q, v, tau, 0.0).a;
    };
    if (rate > 0) return;
    for (int j = 0; j < s.mechanism.nv(); ++j)
      CHECK(relative_error(d.da_dq * G.col(j), s.along(VectorXd::Unit(s.mechanism.nv(), j), a_along)) < 1e-5);
    return;
  }
  const MatrixXd by_q = difference([&](const VectorXd& x) -> auto& {
    return constrained_forward_dynamics<double>(s.model, data, s.loops, integrate<double>(s.model, s.q, x), v, tau,
                                                rate, external);
  });
  CHECK(relative_error(d.dlambda_dv, by_v.bottomRows(m)) < 1e-6);
  CHECK(relative_error(d.da_dq, by_q.topRows(n)) < 1e-5);
  CHECK(relative_error(d.dlambda_dq, by_q.bottomRows(m)) < 1e-5);
}

TEST_CASE("forces of drives have the derivatives of differences", "[loops]") {
  // Tests more drives than speeds, and as many, with some at dependent joints if that is possible.
  const int seed = GENERATE(range(0, 7));
  const bool redundant = GENERATE(true, false);
  CAPTURE(seed, redundant);
  Closed s(seed);
  const int n = s.mechanism.nv();
  VectorXd effort = random_vector<double>(s.model.nv(), 4).cwiseAbs() + VectorXd::Ones(s.model.nv());
  if (!redundant) {
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(s.map(s.data.G).transpose());
    VectorXd some = VectorXd::Constant(s.model.nv(), std::numeric_limits<double>::infinity());
    for (int i = 0; i < n; ++i) some[qr.colsPermutation().indices()[i]] = 2.0;
    effort = some;
  }
  std::vector<ExternalForce<double>> external;  // fixed to the bodies, or to the world like a weight on a hook
  Random<double> random(seed);
  for (const auto& body : s.model.bodies())
    external.emplace_back(body, random.force(), redundant ? ReferenceFrame::body : ReferenceFrame::world_aligned,
                          random.vector());
  const VectorXd y = s.y, ydot = random_vector<double>(n, 21);
  const auto tau = [&](const VectorXd& q, const VectorXd& speeds, const VectorXd& rates) -> VectorXd {
    return constrained_inverse_dynamics<double>(s.mechanism, s.data, q, speeds, rates, effort, external).tau;
  };
  const auto d = constrained_inverse_dynamics_derivatives<double>(s.mechanism, s.data, s.q, y, ydot, effort, external);
  constexpr double h = 1e-5;
  MatrixXd by_q(s.model.nv(), n), by_y(by_q), by_ydot(by_q);
  for (int j = 0; j < n; ++j) {
    const VectorXd e = VectorXd::Unit(n, j);
    by_q.col(j) = s.along(e, [&](auto& q) -> MatrixXd { return tau(q, y, ydot); });
    by_y.col(j) = (tau(s.q, y + h * e, ydot) - tau(s.q, y - h * e, ydot)) / (2 * h);
    by_ydot.col(j) = (tau(s.q, y, ydot + h * e) - tau(s.q, y, ydot - h * e)) / (2 * h);
  }
  CHECK(relative_error(d.dtau_dq, by_q) < 1e-5);
  CHECK(relative_error(d.dtau_dy, by_y) < 1e-6);
  CHECK(relative_error(d.dtau_dydot, by_ydot) < 1e-6);
  const VectorXd none = VectorXd::Constant(s.model.nv(), std::numeric_limits<double>::infinity());
  CHECK(mentions(message_of<ModelError>([&] {
                   constrained_inverse_dynamics_derivatives<double>(s.mechanism, s.data, s.q, y, ydot, none);
                 }),
                 {"move 0 of " + std::to_string(n), s.model.name()}));
}

}  // namespace loops_test
