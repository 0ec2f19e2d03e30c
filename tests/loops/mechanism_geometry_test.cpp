#include "corio/mechanism/geometry.hpp"

#include "corio/mechanism/dynamics.hpp"
#include "loops/mechanism_in_motion.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"

// The geometry that the kinetic energy defines on the closed configurations of mechanisms.

namespace loops_test {
namespace {

/// Allow some hundred operations, and solutions with the conditions of clusters.
constexpr double geometry_bound = 1e-10;

using test::bracket;

double condition(const MatrixXd& M) { return M.norm() * inverse(M).norm(); }

}  // namespace

TEST_CASE("the connection of a mechanism is compatible with its metric and has no torsion", "[loops][geometry]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const Mechanism<double> mechanism = s.unarmed();
  MechanismData<double> data(mechanism);
  const int n = mechanism.nv();
  const VectorXd w = random_vector<double>(n, 8), u = random_vector<double>(n, 9), zero = VectorXd::Zero(n);
  const MatrixXd M = crba<double>(mechanism, data, s.q), Mdot = coriolis_matrix(mechanism, data, s.q, s.y).Mdot;
  const double bound_of_inverse = 1e-12 * std::max(10.0, condition(M));
  const auto nabla = [&](const VectorXd& v, const VectorXd& x) -> VectorXd {
    return covariant_derivative(mechanism, data, s.q, v, x, zero);
  };
  CHECK(relative_error(VectorXd(M * nabla(s.y, w)), VectorXd(coriolis_product(mechanism, data, w))) < bound_of_inverse);
  CHECK(std::abs(w.dot(Mdot * u) - nabla(s.y, w).dot(M * u) - w.dot(M * nabla(s.y, u))) <
        bound_of_inverse * n * M.norm());
  Tensor3<double> c;
  structure_constants<double>(mechanism, data, s.q, c);
  const VectorXd torsion = nabla(s.y, w) - nabla(w, s.y) - bracket(c, s.y, w);
  CHECK(torsion.norm() < bound_of_inverse * (1 + nabla(s.y, w).norm()));
}

TEST_CASE("the acceleration of a mechanism against free motion is M^-1 (tau - g)", "[loops][geometry]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const VectorXd tau = rnea<double>(s.mechanism, s.data) - generalized_gravity<double>(s.mechanism, s.data);
  const MatrixXd M = crba<double>(s.mechanism, s.data);
  const VectorXd residual = geodesic_residual(s.mechanism, s.data, s.q, s.y, s.ydot);
  CHECK(relative_error(VectorXd(M * residual), tau) < geometry_bound * condition(M));
  // Symbols of the second kind give the same result, and M times them gives those of the first kind.
  ChristoffelTensor<double> Gamma(s.mechanism);
  Tensor3<double> second;
  christoffel_symbols(s.mechanism, s.data, Gamma);
  christoffel_symbols_second_kind(s.mechanism, s.data, Gamma, second);
  VectorXd sum;
  second.contract(s.y, s.y, sum);
  CHECK(relative_error(VectorXd(s.ydot + sum), residual) < 1e-14 * std::max(1e3, condition(M)));
  MatrixXd C;
  second.contract(s.y, C);
  CHECK(relative_error(MatrixXd(M * C), coriolis_matrix(s.mechanism, s.data).C) < 1e-13 * std::max(1e2, condition(M)));
}

TEST_CASE("the contorsion of a mechanism is that of its covariant derivative", "[loops][geometry]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const int n = s.mechanism.nv();
  const VectorXd w = random_vector<double>(n, 8), zero = VectorXd::Zero(n);
  Tensor3<double> K;
  contorsion(s.mechanism, s.data, s.q, factorization::Plain{}, K);
  VectorXd expected;
  K.contract(s.y, w, expected);
  const MatrixXd M = crba<double>(s.mechanism, s.data);
  const VectorXd riemannian = covariant_derivative(s.mechanism, s.data, s.q, s.y, w, zero);
  const VectorXd plain = covariant_derivative<factorization::Plain>(s.mechanism, s.data, s.q, s.y, w, zero);
  const double scale = M.norm() * (1 + riemannian.norm());
  CHECK((M * (plain - riemannian) - expected).norm() < 1e-12 * condition(M) * scale);
  // The factorization is admissible: its contorsion is totally antisymmetric.
  const ContorsionDefects defects = contorsion_defects(K);
  CHECK(std::max(defects.metric, defects.geodesics) < geometry_bound * M.norm());
  contorsion(s.mechanism, s.data, factorization::Christoffel{}, K);
  CHECK(contorsion_defects(K).torsion == 0);
  ChristoffelTensor<double> Gamma(s.mechanism);
  christoffel_symbols<double>(s.mechanism, s.data, s.q, Gamma);
  contorsion(
      s.mechanism, s.data,
      [&](const VectorXd& y) {
        MatrixXd C;
        Gamma.contract(y, C);
        return C;
      },
      K);
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, MatrixXd(K.page(i)).cwiseAbs().maxCoeff());
  CHECK(largest < geometry_bound * M.norm());
}

TEST_CASE("Hamel's equations of a mechanism have the terms of its Lagrangian", "[loops][geometry]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const int n = s.mechanism.nv();
  const auto of_s = hamel_equations(s.mechanism, s.data, s.q, s.y, s.ydot);
  CHECK(relative_error(of_s.tau, rnea<double>(s.mechanism, s.data)) < geometry_bound);
  CHECK(relative_error(of_s.momentum, generalized_momentum(s.mechanism, s.data).p) < geometry_bound);
  CHECK(relative_error(of_s.gravity, generalized_gravity<double>(s.mechanism, s.data)) < geometry_bound);
  CHECK(relative_error(VectorXd(of_s.momentum_rate - of_s.kinetic_slope + of_s.gravity - of_s.bracket), of_s.tau) <
        geometry_bound);
  const VectorXd rate = s.rate([](const auto& robot, auto& data, const auto& q, const auto& y) {
    return VectorX<InMotion::Complex>(generalized_momentum<InMotion::Complex>(robot, data, q, y).p);
  });
  CHECK(relative_error(of_s.momentum_rate, rate) < geometry_bound);
  // The slope belongs to the whole kinetic energy, which includes armature.
  ComplexStep<Mechanism> step(s.over_complex());
  for (int i = 0; i < n; ++i) {
    const double slope = step.along_q(s.q, s.y, i, [](const auto& robot, auto& work, const auto& q, const auto& y) {
      return kinetic_energy<InMotion::Complex>(robot, work, q, y);
    });
    CHECK(std::abs(of_s.kinetic_slope[i] - slope) < geometry_bound * (1 + of_s.tau.norm()));
  }
  const Model<double>& tree = s.mechanism.tree();
  Tensor3<double> c, of_tree;
  structure_constants<double>(s.mechanism, s.data, c);
  structure_constants<double>(tree, s.data.tree, of_tree);
  const VectorXd rotors = tree.armature().cwiseProduct(s.data.tree.v);
  MatrixXd G(tree.nv(), n);
  project_jacobian<double>(s.mechanism, s.data, MatrixXd::Identity(tree.nv(), tree.nv()), G);
  VectorXd brackets(n);
  for (int i = 0; i < n; ++i)
    brackets[i] = of_s.momentum.dot(bracket(c, s.y, VectorXd::Unit(n, i))) -
                  rotors.dot(bracket(of_tree, s.data.tree.v, G.col(i)));
  CHECK((of_s.bracket - brackets).norm() < geometry_bound * (1 + of_s.momentum.norm() * s.y.norm()));
}

TEST_CASE("the symbols of a mechanism are symmetric but for its structure constants, with armature",
          "[loops][geometry]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const Model<double>& tree = s.mechanism.tree();
  const int n = s.mechanism.nv();
  ChristoffelTensor<double> Gamma(s.mechanism);
  christoffel_symbols(s.mechanism, s.data, Gamma);
  Tensor3<double> c, of_tree;
  structure_constants<double>(s.mechanism, s.data, c);
  structure_constants<double>(tree, s.data.tree, of_tree);
  MatrixXd G(tree.nv(), n);
  project_jacobian<double>(s.mechanism, s.data, MatrixXd::Identity(tree.nv(), tree.nv()), G);
  const MatrixXd M = crba<double>(s.mechanism, s.data);
  double error = 0, size = M.norm();
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < k; ++j) {
      const VectorXd expected = M * bracket(c, VectorXd::Unit(n, k), VectorXd::Unit(n, j)) -
                                G.transpose() * tree.armature().cwiseProduct(bracket(of_tree, G.col(k), G.col(j)));
      for (int i = 0; i < n; ++i) {
        error = std::max(error, std::abs(Gamma(i, j, k) - Gamma(i, k, j) - expected[i]));
        size = std::max(size, std::abs(Gamma(i, j, k)));
      }
    }
  CHECK(error < geometry_bound * size);
}

TEST_CASE("transport along motions of a mechanism keeps inner products, and back returns the vector",
          "[loops][geometry]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const int n = s.mechanism.nv();
  const VectorXd v = 0.1 * s.y, w = random_vector<double>(n, 8), u = random_vector<double>(n, 9);
  const MatrixXd before = crba<double>(s.mechanism, s.data);
  const auto change = [&](const auto& B, int steps) {
    const VectorXd x = parallel_transport(s.mechanism, s.data, s.q, v, w, steps, B);
    const VectorXd y = parallel_transport(s.mechanism, s.data, s.q, v, u, steps, B);
    const MatrixXd after = crba<double>(s.mechanism, s.data);
    return std::abs(x.dot(after * y) - w.dot(before * u)) / std::sqrt(w.dot(before * w) * u.dot(before * u));
  };
  const auto check = [&](const auto& B) {
    // The error is of fourth order: half the step leaves a sixteenth, down to the rounding errors of M.
    const double coarse = change(B, 8), fine = change(B, 16);
    CHECK(fine < 1e-4);
    CHECK(fine < std::max(coarse / 10, 1e-10));
  };
  check(factorization::Christoffel{}), check(factorization::Plain{});
  const VectorXd there = parallel_transport(s.mechanism, s.data, s.q, v, w, 16), q = s.data.tree.q;
  CHECK(relative_error(s.data.y, v) == 0);
  for (const int k : s.mechanism.independent())
    if (s.model.joint_of_node(s.model.node_of(k)).nv() == 1)
      CHECK(std::abs(q[s.model.joint_of_node(s.model.node_of(k)).q_index()] -
                     s.q[s.model.joint_of_node(s.model.node_of(k)).q_index()] - s.data.tree.v[k]) < 1e-12);
  const VectorXd back = parallel_transport(s.mechanism, s.data, q, VectorXd(-v), there, 16);
  CHECK(relative_error(back, w) < 1e-4);
}

TEST_CASE("geometry of a mechanism names a speed that moves no inertia, and steps that open its loops",
          "[loops][geometry][errors]") {
  InMotion s(0);
  const VectorXd far = VectorXd::Constant(1, 8.0), w = VectorXd::Ones(1);
  CHECK_THROWS_AS(parallel_transport(s.mechanism, s.data, s.q, far, w, 2), Error);
  CHECK_THROWS_AS(parallel_transport(s.mechanism, s.data, s.q, w, w, 0), Error);
  ModelBuilder<double> builder;
  for (const char* name : {"crank", "wheel"}) builder.add_body({.name = name, .joint = joint::Revolute({0, 0, 1})});
  builder.couple("belt", {{"crank_joint", 1.0}, {"wheel_joint", -2.0}}, 0.0, {"wheel_joint"});
  const Mechanism<double> belt(builder.build());
  MechanismData<double> data(belt);
  const VectorXd q = VectorXd::Zero(2);
  CHECK_THROWS_AS(covariant_derivative(belt, data, q, w, w, w), ModelError);
}

}  // namespace loops_test
