#pragma once

#include "corio/loops/loop_in_motion.hpp"

/// The conditions k(q) = 0 of closed loops, their Jacobian K with dk/dt = K v, and its rates. Each row is a wrench,
/// whose power on the relative motion of the two bodies is the rate of the condition,
///   dk/dt = F . (V_second - V_first),   K_j = +-F . Phi_j
/// for the degrees of freedom j that move one of the bodies and not the other. A force lambda_i of row i acts as the
/// wrench lambda_i F_i on the second body and its opposite on the first, with the generalized forces K^T lambda.
///
/// All functions overwrite the whole vector or matrix of the caller. They are valid at every q, whether or not the
/// loops are closed. Source: Featherstone (2008), ch. 8, with the rows as derivatives of scalar conditions on the
/// relative pose.
namespace corio {
namespace detail {

template <class S>
void check_constraints(const Model<S>& model, const Loops<S>& loops, const MatrixOut<S>& K, const char* function) {
  loops.check_fits(model, function);
  check_shape("the matrix", K.rows(), K.cols(), loops.rows(), model.nv(), function);
}

template <class S>
void write_rows(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, Pass level, MatrixOut<S> K) {
  K.set_zero();
  for (const auto& loop : loops.all())
    LoopInMotion<S>(model, data, loop, level).for_each_entry([&](int i, int j, const S& x) {
      K(loop.begin + i, j) = x;
    });
}

}  // namespace detail

/// k(q), m and rad: zero where the loops are closed.
/// @param k  loops.rows(), overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows).
template <class S>
void constraint_residual(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorOut<S> k) {
  data.require(model, Pass::position, "constraint_residual");
  loops.check_fits(model, "constraint_residual");
  detail::check_size("k", k.size(), loops.rows());
  for (const auto& loop : loops.all())
    detail::LoopInMotion<S>(model, data, loop).for_each_value([&](int i, const S& x) { k[loop.begin + i] = x; });
}

/// K(q), dk/dt = K v.
/// @param K  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> K) {
  data.require(model, Pass::position, "constraint_jacobian");
  detail::check_constraints<S>(model, loops, K, "constraint_jacobian");
  detail::write_rows<S>(model, data, loops, Pass::position, K);
}

/// dK/dt: d2k/dt2 = K a + dK/dt v.
/// @param Kdot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_dot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kdot) {
  data.require(model, Pass::velocity, "constraint_jacobian_dot");
  detail::check_constraints<S>(model, loops, Kdot, "constraint_jacobian_dot");
  detail::write_rows<S>(model, data, loops, Pass::velocity, Kdot);
}

/// d2K/dt2, for the acceleration of the state.
/// @param Kddot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model and for users' joints with axes that move in the body and
/// members that are not templates. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_ddot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kddot) {
  data.require(model, Pass::acceleration, "constraint_jacobian_ddot");
  detail::check_constraints<S>(model, loops, Kddot, "constraint_jacobian_ddot");
  detail::require_dual_forms(model, data, "constraint_jacobian_ddot");
  detail::write_rows<S>(model, data, loops, Pass::acceleration, Kddot);
}

/// The wrench of a loop's forces lambda on the body of its second frame: in world axes, about the origin of that frame
/// (ReferenceFrame::world_aligned). The first body has the opposite one.
/// @param lambda  loops.rows(), N and N m
/// @throws SizeError, ModelError for loops of another model, an unknown name, or a coupling
template <class S>
Force<S> closure_force(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, const std::string& name,
                       VectorIn<S> lambda) {
  data.require(model, Pass::position, "closure_force");
  loops.check_fits(model, "closure_force");
  detail::check_input("lambda", lambda, loops.rows());
  const auto& loop = loops.loop(name);
  if (loop.frames.empty()) throw ModelError(detail::join({"loop '", name, "' couples coordinates: it has no wrench"}));
  const detail::LoopInMotion<S> moving(model, data, loop);
  Force<S> sum = Force<S>::zero();
  for (int i = 0; i < loop.rows(); ++i) sum += moving.condition(i).F * lambda[loop.begin + i];
  return sum;
}

}  // namespace corio
