#pragma once

#include "corio/algorithms/regressors/detail/regressor_terms.hpp"

/// Regressors: matrices Y, nv x 10 N for N bodies, that multiply the inertial parameters. Each body has ten columns, in
/// the order of model.bodies() and of inertial_parameters(model): [m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz],
/// about the origin and in the axes of the body's own frame. Y is the caller's matrix, column-major (faster) or
/// row-major; every call writes all of it, with zeros for a degree of freedom that does not move a body. With a
/// BodySelection Y has only the columns of its bodies, in its order.
///
/// Armature is not a parameter of bodies: Y pi does not include it.
///
/// @throws SizeError; ModelError for a selection from another model. O(n depth) for n bodies.
/// Sources: Slotine and Li (1987); Garofalo, Ott and Albu-Schaeffer (2013), eqs. 9-16; momentum and energy: Wensing and
/// Slotine, app. B.
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct Regressor;

}  // namespace algorithm

/// Computes Y with Y(q, v, a) pi = M a + C v + g = rnea(q, v, a), without armature.
/// @param Y  out, nv x 10 for each body
template <class S, template <class> class Robot>
void inverse_dynamics_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, MatrixOut<S> Y,
                                const BodySelection& bodies = {}) {
  const auto of = detail::Regressor<S>::inverse_dynamics(robot, data, "inverse_dynamics_regressor");
  data.template of<algorithm::Regressor<S>>(robot).run(robot, data, of, Y, bodies);
}
template <class S, template <class> class Robot>
void inverse_dynamics_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                VectorIn<S> a, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(robot, bodies, Y);
  inverse_dynamics_regressor(robot, forward_kinematics(robot, data, q, v, a, __func__), Y, bodies);
}

/// Computes Y with Y(q, v, v_r, a_r) pi = M a_r + C(q, v) v_r + g without armature, with Christoffel's C: the regressor
/// of passivity-based adaptive control.
/// @param v_r, a_r  nv, reference velocity and acceleration
/// @param Y         out, nv x 10 for each body
template <class S, template <class> class Robot>
void slotine_li_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> v_r, VectorIn<S> a_r,
                          MatrixOut<S> Y, const BodySelection& bodies = {}) {
  const auto of = detail::Regressor<S>::slotine_li(robot, data, v_r, a_r, "slotine_li_regressor");
  data.template of<algorithm::Regressor<S>>(robot).run(robot, data, of, Y, bodies);
}
template <class S, template <class> class Robot>
void slotine_li_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> v_r,
                          VectorIn<S> a_r, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(robot, bodies, Y);
  detail::check_references(robot, v_r, a_r);
  slotine_li_regressor(robot, forward_kinematics(robot, data, q, v, __func__), v_r, a_r, Y, bodies);
}

/// Computes Y with Y(q, v) pi = M v, the generalized momentum, without armature.
/// @param Y  out, nv x 10 for each body
template <class S, template <class> class Robot>
void momentum_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, MatrixOut<S> Y,
                        const BodySelection& bodies = {}) {
  const auto of = detail::Regressor<S>::momentum(robot, data, "momentum_regressor");
  data.template of<algorithm::Regressor<S>>(robot).run(robot, data, of, Y, bodies);
}
template <class S, template <class> class Robot>
void momentum_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, MatrixOut<S> Y,
                        const BodySelection& bodies = {}) {
  detail::check_regressor<S>(robot, bodies, Y);
  momentum_regressor(robot, forward_kinematics(robot, data, q, v, __func__), Y, bodies);
}

/// Computes Y with Y(q, v) pi = C(q, v)^T v, the same for every admissible factorization: the bodies' momenta projected
/// on the rates of the columns. With momentum_regressor and gravity_regressor, d(M v)/dt = tau + C^T v - g is linear in
/// pi without accelerations.
/// @param Y  out, nv x 10 for each body
template <class S, template <class> class Robot>
void coriolis_transpose_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, MatrixOut<S> Y,
                                  const BodySelection& bodies = {}) {
  const auto of = detail::Regressor<S>::coriolis_transpose(robot, data, "coriolis_transpose_regressor");
  data.template of<algorithm::Regressor<S>>(robot).run(robot, data, of, Y, bodies);
}
template <class S, template <class> class Robot>
void coriolis_transpose_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                  MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(robot, bodies, Y);
  coriolis_transpose_regressor(robot, forward_kinematics(robot, data, q, v, __func__), Y, bodies);
}

/// Computes Y with Y(q) pi = g(q), the generalized gravity.
/// @param Y  out, nv x 10 for each body
template <class S, template <class> class Robot>
void gravity_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, MatrixOut<S> Y,
                       const BodySelection& bodies = {}) {
  const auto of = detail::Regressor<S>::gravity(robot, data, "gravity_regressor");
  data.template of<algorithm::Regressor<S>>(robot).run(robot, data, of, Y, bodies);
}
template <class S, template <class> class Robot>
void gravity_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, MatrixOut<S> Y,
                       const BodySelection& bodies = {}) {
  detail::check_regressor<S>(robot, bodies, Y);
  gravity_regressor(robot, forward_kinematics(robot, data, q, __func__), Y, bodies);
}

namespace algorithm {

template <class S>
struct Regressor {
  detail::RegressorColumns<S> columns;

  explicit Regressor(const Model<S>& m) : columns(m) {}
  void run(const Model<S>& model, const Data<S>& data, const detail::Regressor<S>& regressor, const MatrixOut<S>& Y,
           const BodySelection& bodies);
};
template <class S>
void Regressor<S>::run(const Model<S>& model, const Data<S>& data, const detail::Regressor<S>& regressor,
                       const MatrixOut<S>& Y, const BodySelection& bodies) {
  detail::check_regressor<S>(model, bodies, Y, regressor.function);
  columns.set(model, data, regressor.columns);
  detail::for_bodies(model, data, bodies, [&](const auto& of) { columns.write(model, of, regressor.body(of), Y); });
}

}  // namespace algorithm

}}  // namespace corio
