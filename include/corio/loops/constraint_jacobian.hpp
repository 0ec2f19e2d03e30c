#pragma once

#include "corio/loops/detail/loop_in_motion.hpp"

/// The conditions k(q) = 0 of closed loops, their Jacobian K with dk/dt = K v, and its rates. Each row is a wrench,
/// whose power on the relative motion of the two bodies is the rate of the condition,
///   dk/dt = F . (V_second - V_first),   K_j = +-F . Phi_j
/// for the degrees of freedom j that move one of the bodies and not the other. A force lambda_i of row i acts as the
/// wrench lambda_i F_i on the second body and its opposite on the first, with the generalized forces K^T lambda.
///
/// All functions overwrite the whole vector or matrix of the caller. They are valid at every q, whether or not the
/// loops are closed. Source: Featherstone (2008), ch. 8, with the rows as derivatives of scalar conditions on the
/// relative pose.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Computes K, its rate or its second rate, depending on `level`.
template <class S>
void write_conditions(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, Pass level, MatrixOut<S> K,
                      const char* function) {
  loops.check_fits(model, function);
  check_shape("the matrix", K.rows(), K.cols(), loops.rows(), model.nv(), function);
  K.set_zero();
  for (const auto& loop : loops.all())
    LoopAtState<S>(model, data, loop, level).for_each_entry([&](int i, int j, const S& x) {
      K(loop.begin + i, j) = x;
    });
}

}  // namespace detail

/// Computes k(q), m and rad: it is zero if the loops are closed.
/// @param k  loops.rows(), overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows).
template <class S>
void constraint_residual(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorOut<S> k) {
  data.require(model, Pass::position, "constraint_residual");
  loops.check_fits(model, "constraint_residual");
  detail::check_size("k", k.size(), loops.rows());
  for (const auto& loop : loops.all())
    detail::for_each_residual(data, loop, [&](int i, const S& x) { k[loop.begin + i] = x; });
}

/// Computes K(q), with dk/dt = K v.
/// @param K  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and O(rows nv) for the zeros.
template <class S>
void constraint_jacobian(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> K) {
  data.require(model, Pass::position, "constraint_jacobian");
  detail::write_conditions<S>(model, data, loops, Pass::position, K, "constraint_jacobian");
}

/// Computes dK/dt, with d2k/dt2 = K a + dK/dt v.
/// @param Kdot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and O(rows nv) for the zeros.
template <class S>
void constraint_jacobian_dot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kdot) {
  data.require(model, Pass::velocity, "constraint_jacobian_dot");
  detail::write_conditions<S>(model, data, loops, Pass::velocity, Kdot, "constraint_jacobian_dot");
}

/// Computes d2K/dt2 for the acceleration of the state.
/// @param Kddot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model and for users' joints with axes that move in the body and
/// members that are not templates. O(rows d), and O(rows nv) for the zeros.
template <class S>
void constraint_jacobian_ddot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kddot) {
  data.require(model, {.pass = Pass::acceleration, .name = "constraint_jacobian_ddot", .column_rates = true});
  detail::write_conditions<S>(model, data, loops, Pass::acceleration, Kddot, "constraint_jacobian_ddot");
}

/// Returns the wrench of a loop's forces lambda on the body of its second frame: in world axes, about the origin of
/// that frame (ReferenceFrame::world_aligned). The opposite wrench acts on the first body.
/// @param lambda  loops.rows(), N and N m
/// @throws SizeError, ModelError for loops of another model, an unknown name, or a coupling
template <class S>
Force<S> closure_force(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, const std::string& name,
                       VectorIn<S> lambda) {
  data.require(model, Pass::position, "closure_force");
  loops.check_fits(model, "closure_force");
  detail::check_vector("lambda", lambda, loops.rows());
  const auto& loop = loops.loop(name);
  if (loop.frames.empty())
    throw ModelError(detail::join(
        {"closure_force: loop '", name, "' is a coupling and has no wrench; name a loop between two frames"}));
  detail::ClosureInMotion<S> closure;
  closure.set(data, loop, Pass::position);
  return detail::ClosureWrench<S>(closure.rows(), lambda.data() + loop.begin).F;
}

namespace detail {

/// Calls put(i, j, D_j (K^T lambda)_i) once for each entry of a loop that can be nonzero. O(d^2), and O(d) for each
/// row.
template <class S, class Put>
void for_each_force_derivative(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                               VectorIn<S> lambda, Put&& put) {
  for (const auto& term : loop.terms) {
    const int j = term.first.v_index();
    const auto rates = [&](int k) { return std::pair(S(k == j ? 1 : 0), S(0)); };
    for_each_coupling_rate(data, loop, Pass::velocity, rates,
                           [&](int i, const S&, const S& rate, const S&) { put(i, j, S(rate * lambda[loop.begin])); });
  }
  if (loop.frames.empty()) return;
  ClosureInMotion<S> moving;
  moving.set(data, loop, Pass::position);
  const ClosureWrench<S> wrench(moving.rows(), lambda.data() + loop.begin);
  for_each_between<S>(model, loop, [&](int j, int side) {
    const Motion<S> zero = Motion<S>::zero(), phi = about(data.phi[j], moving.point[side]);
    const Force<S> rate = wrench.rate(side == 0 ? phi : zero, side == 1 ? phi : zero);
    for_each_between<S>(model, loop, [&](int i, int other) {
      S x = dot(rate, moving.relative(data.phi[i], other));
      if (other == side) x += dot(wrench.F, moving.relative(column_derivative(model, data, j, i), side));
      put(i, j, x);
    });
  });
}

}  // namespace detail

/// Computes d(K^T lambda)/dq for constant forces lambda: column j is the derivative along degree of freedom j. The
/// matrix is not symmetric if several degrees of freedom of one joint in a loop do not commute.
/// @param lambda  loops.rows(), N and N m
/// @param out     nv x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(d^2) for each loop, and O(nv^2) for the zeros.
template <class S>
void constraint_force_derivatives(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorIn<S> lambda,
                                  MatrixOut<S> out) {
  data.require(model, Pass::position, "constraint_force_derivatives");
  loops.check_fits(model, "constraint_force_derivatives");
  detail::check_vector("lambda", lambda, loops.rows());
  detail::check_shape("the matrix", out.rows(), out.cols(), model.nv(), model.nv(), "constraint_force_derivatives");
  out.set_zero();
  for (const auto& loop : loops.all())
    detail::for_each_force_derivative<S>(model, data, loop, lambda, [&](int i, int j, const S& x) { out(i, j) += x; });
}

}}  // namespace corio
