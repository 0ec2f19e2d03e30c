#pragma once

#include <Eigen/QR>
#include <concepts>

#include "corio/algorithms/mass_matrix_inverse.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/loops/constraint_jacobian.hpp"

/// Motion of a tree whose loops are closed.
namespace corio {

/// What constrained_forward_dynamics returns.
template <class S>
struct ConstrainedMotion {
  VectorX<S> a;       // nv, rate of v
  VectorX<S> lambda;  // forces of the loops, one a row; see closure_force
  int rank = 0;       // how many rows of K are independent
};

namespace algorithm {

template <class S>
struct constrained_forward_dynamics {
  static constexpr detail::Needs needs{Pass::velocity, "constrained_forward_dynamics", true};
  nonlinear_effects<S> bias;
  mass_matrix_inverse<S> mass;
  MatrixX<S> K, Kdot, A, K_M_inverse;
  VectorX<S> k, error, scale;
  Eigen::CompleteOrthogonalDecomposition<MatrixX<S>> decomposition;
  ConstrainedMotion<S> result;

  explicit constrained_forward_dynamics(const Model<S>& m) : bias(m), mass(m) {}
  void run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> tau, double rate);
};
template <class S>
void constrained_forward_dynamics<S>::run(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> tau,
                                          double rate) {
  const int m = loops.rows();
  K.resize(m, model.nv()), Kdot.resize(m, model.nv()), k.resize(m);
  constraint_residual<S>(model, data, loops, k);
  constraint_jacobian<S>(model, data, loops, K);
  constraint_jacobian_dot<S>(model, data, loops, Kdot);
  bias.run(model, data);
  mass.run(model, data);

  VectorX<S>& a = result.a;
  a.noalias() = mass.M_inverse * (tau - bias.tau);
  // What the loops' forces have to make of K a.
  error.noalias() = -(K * a);
  error.noalias() -= Kdot * data.v;
  error.noalias() -= static_cast<S>(2 * rate) * (K * data.v);
  error -= static_cast<S>(rate * rate) * k;
  // Rows in m and in rad are of different sizes: A is judged with a diagonal of ones.
  K_M_inverse.noalias() = K * mass.M_inverse;
  A.noalias() = K_M_inverse * K.transpose();
  scale = detail::row_scales<S>(A.diagonal().cwiseSqrt());
  A = scale.asDiagonal() * A * scale.asDiagonal();
  error = scale.asDiagonal() * error;
  decomposition.setThreshold(detail::loop_tolerance<S>);
  decomposition.compute(A);
  result.lambda = scale.asDiagonal() * decomposition.solve(error);
  result.rank = static_cast<int>(decomposition.rank());
  a.noalias() += K_M_inverse.transpose() * result.lambda;
}

}  // namespace algorithm

/// Forward dynamics of a mechanism with closed loops, in the coordinates of its tree:
///   M a + C v + g = tau + K^T lambda,   K a + dK/dt v = -2 rate K v - rate^2 k.
///
/// With rate = 0 the loops stay as closed as they are; a positive rate (1/s) draws errors of integration back, as
/// exp(-rate t) (Baumgarte 1972). Conditions that say the same twice, as in overconstrained mechanisms, are recognised
/// by the rank of K: a is unique, and of all lambda that have the same effect the one of least norm is taken, with each
/// row scaled by how easily it is moved.
///
/// @param tau  nv generalized forces (N m, N); passive forces are added by the caller
/// @returns {a, lambda, rank}, valid until the next call
/// @throws SizeError; ModelError for loops of another model, or a joint that moves no inertia. O(n^2 + m^2 (n + m)) for
/// m rows. Allocates.
/// Source: Featherstone (2008), ch. 8.
template <std::floating_point S>
const ConstrainedMotion<S>& constrained_forward_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                         VectorIn<S> tau, double rate = 0.0) {
  loops.check_fits(model, "constrained_forward_dynamics");
  detail::check_input("tau", tau, model.nv());
  return data.template run<algorithm::constrained_forward_dynamics<S>>(model, loops, tau, rate).result;
}
template <std::floating_point S>
const ConstrainedMotion<S>& constrained_forward_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                                         VectorIn<S> q, VectorIn<S> v, VectorIn<S> tau,
                                                         double rate = 0.0) {
  detail::check_input("tau", tau, model.nv());
  return constrained_forward_dynamics<S>(model, forward_kinematics(model, data, q, v), loops, tau, rate);
}

}  // namespace corio
