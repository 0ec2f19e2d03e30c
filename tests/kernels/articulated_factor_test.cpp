#include "corio/kernels/articulated_factor.hpp"

#include <cmath>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse_product.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "the articulated factor is that of the mass matrix, for all joints",
          "[kernels][articulated_factor]") {
  // M = L^T D L from the leaves to the ground: D holds the d of the articulated bodies, and L_ki = Phi_i . U_k / d_k.
  detail::ArticulatedFactor<double> factor(s.model);
  forward_kinematics(s.model, s.data, s.q);
  factor.compute(s.model, s.data);
  const Matrixd M = s.oracle.mass_matrix();
  Matrixd L = Matrixd::Identity(s.model.nv(), s.model.nv());
  for (int k = 0; k < s.model.nv(); ++k)
    for (int i = s.model.parent_dof(k); i >= 0; i = s.model.parent_dof(i))
      L(k, i) = dot(s.data.phi[i], factor.U_by_d[k]);
  const Vectord D = factor.reciprocal_d.cwiseInverse();
  CHECK(D.minCoeff() > 0);
  CHECK(relative_error(Matrixd(L.transpose() * D.asDiagonal() * L), M) < 10 * tolerance<double>());
}

TEST_CASE("the sweep to the ground takes forces on bodies", "[kernels][articulated_factor]") {
  // Solves M x = tau - sum over bodies of J^T p.
  Sample s(random_plan(5), 5);
  detail::ArticulatedFactor<double> factor(s.model);
  forward_kinematics(s.model, s.data, s.q);
  Vectord tau = s.a, x = tau;
  PerNode<Force<double>> forces(s.model.num_nodes());
  for (int b = 0; b < s.model.num_nodes(); ++b) forces[b] = {{0.3 * b, -0.2, 0.5}, {1.1, 0.4 - b, -0.7}};
  auto sums = forces;
  detail::sum_inward(s.model, sums);
  for (int k = 0; k < s.model.nv(); ++k) tau[k] -= dot(s.data.phi[k], sums[s.model.node_of(k)]);
  factor.compute(s.model, s.data, x, forces);
  factor.sweep_outward(s.model, s.data, x);
  const Matrixd M = s.oracle.mass_matrix();
  CHECK(relative_error(x, solve(M, tau)) < 1e-13 * std::max(10.0, condition(M)));
}

TEST_CASE("a leaf that moves no inertia has an infinite factor, and the algorithms name its joint",
          "[kernels][articulated_factor][errors]") {
  ModelBuilder<double> builder("finger");
  const InertialParameters<double> ball(2.0, {0.1, 0, 0.3}, Vector3<double>(0.1, 0.1, 0.1).asDiagonal());
  builder.add_body({.name = "arm", .joint = joint::Revolute::z(), .inertia = ball});
  builder.add_body({.name = "finger", .parent = "arm", .joint = joint::Revolute::x()});
  auto model = builder.build();
  Data<double> data(model);
  const Vectord x = Vectord::Constant(2, 0.5);
  Matrixd X(2, 3);
  forward_kinematics(model, data, x);
  detail::ArticulatedFactor<double> factor(model);
  factor.compute(model, data);
  CHECK(std::isinf(factor.reciprocal_d[1]));

  const std::vector<std::string> parts{"M^-1", "'finger_joint'", "armature"};
  CHECK(mentions(message_of<ModelError>([&] { mass_matrix_inverse(model, data); }), parts));
  CHECK(mentions(message_of<ModelError>([&] { mass_matrix_inverse_product(model, data, x); }), parts));
  CHECK(mentions(message_of<ModelError>([&] { mass_matrix_inverse_products<double>(model, data, X, X); }), parts));

  model.set_armature(Vectord::Unit(2, 1) * 0.25);
  forward_kinematics(model, data, x);
  factor.compute(model, data);
  CHECK(factor.reciprocal_d[1] == 4.0);
  const Vectord a = mass_matrix_inverse_product(model, data, x);
  CHECK(a[1] == 2.0);
  CHECK(relative_error(Vectord(crba(model, data) * a), x) < tolerance<double>());
}
