#pragma once

#include "corio/columns/regressor_columns.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

/// Regressors: matrices Y, nv x 10 N for N bodies, that multiply the inertial parameters. Ten columns for each body in
/// the order of model.bodies() and of inertial_parameters(model): [m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz],
/// about the origin and in the axes of the body's own frame. Y is the caller's, sized once, of column-major storage;
/// every call writes all of it, zeros where a degree of freedom does not move a body. With a BodySelection the columns
/// are those of its bodies only, in its order.
///
/// Armature is no parameter of a body: it is not in Y pi.
///
/// Sources: Slotine and Li (1987); Garofalo, Ott and Albu-Schaeffer (2013), eqs. 9-16; momentum and energy: Wensing and
/// Slotine, app. B. Cost O(n depth) for n bodies, no allocation.
namespace corio {
namespace detail {

template <class S>
void check_references(const Model<S>& model, VectorIn<S> v_r, VectorIn<S> a_r) {
  check_size("v_r", v_r.size(), model.nv());
  check_size("a_r", a_r.size(), model.nv());
}

/// data.work.motion and .acceleration: W_b = sum Phi_k v_r and dW_b = sum Phi_k a_r + dPhi_k v_r over the way to b.
template <class S>
void reference_motions(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r) {
  auto &W = data.work.motion, &dW = data.work.acceleration;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    const auto parent = static_cast<std::size_t>(node.parent);
    W[b] = node.parent < 0 ? Motion<S>::zero() : W[parent];
    dW[b] = node.parent < 0 ? Motion<S>::zero() : dW[parent];
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const auto dof = static_cast<std::size_t>(k);
      W[b] += data.phi[dof] * v_r[k];
      dW[b] += data.phi[dof] * a_r[k] + data.phi_dot[dof] * v_r[k];
    }
  }
}

}  // namespace detail

/// Y(q, v, a) pi = M a + C v + g = rnea(q, v, a) less the armature's share.
///
/// @param Y  out, nv x 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void inverse_dynamics_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor(model, bodies, Y.rows(), Y.cols());
  forward_kinematics(model, data, q, v, a);
  inverse_dynamics_regressor(model, data, Y, bodies);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
void inverse_dynamics_regressor(const Model<S>& model, Data<S>& data, MatrixOut<S> Y,
                                const BodySelection& bodies = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_regressor");
  detail::fill_regressor(model, data, data.phi, detail::Field<S>::inertial(model, data), bodies, Y);
}

/// Y(q, v, v_r, a_r) pi = M a_r + C(q, v) v_r + g less the armature's share, with Christoffel's C: what passivity-based
/// adaptive control adapts along.
///
/// @param v_r, a_r  nv, reference velocity and acceleration
/// @param Y         out, nv x 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void slotine_li_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> v_r,
                          VectorIn<S> a_r, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor(model, bodies, Y.rows(), Y.cols());
  detail::check_references(model, v_r, a_r);
  forward_kinematics(model, data, q, v);
  slotine_li_regressor(model, data, v_r, a_r, Y, bodies);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
void slotine_li_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r, MatrixOut<S> Y,
                          const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "slotine_li_regressor");
  detail::check_references(model, v_r, a_r);
  detail::reference_motions(model, data, v_r, a_r);
  detail::fill_regressor(model, data, data.phi, detail::Field<S>::reference(model, data), bodies, Y);
}

/// Y(q, v) pi = M v, the generalized momentum, less the armature's share.
///
/// @param Y  out, nv x 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void momentum_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, MatrixOut<S> Y,
                        const BodySelection& bodies = {}) {
  detail::check_regressor(model, bodies, Y.rows(), Y.cols());
  forward_kinematics(model, data, q, v);
  momentum_regressor(model, data, Y, bodies);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
void momentum_regressor(const Model<S>& model, Data<S>& data, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "momentum_regressor");
  detail::fill_regressor(model, data, data.phi, detail::Field<S>::momentum(data), bodies, Y);
}

/// Y(q, v) pi = C(q, v)^T v, the same for every admissible factorization: the bodies' momenta on the rates of the
/// columns. With it, momentum_regressor and gravity_regressor, d(M v)/dt = tau + C^T v - g is linear in pi without
/// accelerations.
///
/// @param Y  out, nv x 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void coriolis_transpose_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, MatrixOut<S> Y,
                                  const BodySelection& bodies = {}) {
  detail::check_regressor(model, bodies, Y.rows(), Y.cols());
  forward_kinematics(model, data, q, v);
  coriolis_transpose_regressor(model, data, Y, bodies);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
void coriolis_transpose_regressor(const Model<S>& model, Data<S>& data, MatrixOut<S> Y,
                                  const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "coriolis_transpose_regressor");
  detail::fill_regressor(model, data, data.phi_dot, detail::Field<S>::momentum(data), bodies, Y);
}

/// Y(q) pi = g(q), the generalized gravity.
///
/// @param Y  out, nv x 10 for each body
/// @throws SizeError; ModelError for a selection from another model
template <class S>
void gravity_regressor(const Model<S>& model, Data<S>& data, VectorIn<S> q, MatrixOut<S> Y,
                       const BodySelection& bodies = {}) {
  detail::check_regressor(model, bodies, Y.rows(), Y.cols());
  forward_kinematics(model, data, q);
  gravity_regressor(model, data, Y, bodies);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
void gravity_regressor(const Model<S>& model, Data<S>& data, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  data.require(model, Pass::position, "gravity_regressor");
  detail::fill_regressor(model, data, data.phi, detail::Field<S>::weight(model), bodies, Y);
}

}  // namespace corio
