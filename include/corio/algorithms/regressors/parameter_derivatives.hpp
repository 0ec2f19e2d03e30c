#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kinematics/robot.hpp"
#include "corio/model/inertial_parameters.hpp"

/// Derivatives of M, C and g with respect to one inertial parameter of one body. All three are linear in the
/// parameters, so that the derivative is their value for that parameter = 1 and all others = 0:
///   dM = J^T I_h J,   dC = J^T (B(V, I_h) J + I_h dJ),   dg = -J^T I_h a_g,
/// with the Jacobian J of the body and the inertia I_h of that parameter. Entries of degrees of freedom that do not
/// move the body are zero; all entries of the caller's matrix are written. For products with a vector, regressors.hpp
/// has all parameters at once.
///
/// @throws SizeError; ModelError for a body of another model. O(nv^2), O(d^2) operations for a body d degrees of
/// freedom from the ground. Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 13.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class R, class S>
void check_derivative(const R& robot, const Body<S>& body, const char* what, Eigen::Index rows, Eigen::Index columns,
                      const char* function = __builtin_FUNCTION());
template <class S>
Inertia<S> unit_inertia(const Data<S>& data, const Body<S>& body, InertialParameter parameter);
template <class S, class F>
void for_each_on_way(const Model<S>& model, const Body<S>& body, F&& f);
template <class S, class F, class... Rate>
void fill_on_way(const Model<S>& model, const Data<S>& data, const Body<S>& body, MatrixOut<S> out, F&& force,
                 const Rate&...);
template <class S, template <class> class Robot, class RobotData, class F, class... Rate>
void fill_on_way(const Robot<S>& robot, RobotData& data, const Body<S>& body, MatrixOut<S> out, F&& force,
                 const Rate&... rate);

}  // namespace detail

/// Computes dM/dpi for one parameter of a body.
/// @param dM  out, nv x nv
template <class S, template <class> class Robot>
void mass_matrix_parameter_derivative(const Robot<S>& robot, const DataOf<Robot<S>>& data, const Body<S>& body,
                                      InertialParameter parameter, MatrixOut<S> dM) {
  data.require(robot, Pass::position, "mass_matrix_parameter_derivative");
  detail::check_derivative(robot, body, "a column or row of dM", dM.rows(), dM.cols());
  const Data<S>& state = data.of_tree();
  const Inertia<S> I_b = detail::unit_inertia(state, body, parameter);
  detail::fill_on_way<S>(robot, data, body, dM, [&](int k) -> Force<S> { return I_b * state.phi[k]; });
}
template <class S, template <class> class Robot>
void mass_matrix_parameter_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, const Body<S>& body,
                                      InertialParameter parameter, MatrixOut<S> dM) {
  detail::check_derivative(robot, body, "a column or row of dM", dM.rows(), dM.cols());
  mass_matrix_parameter_derivative(robot, forward_kinematics(robot, data, q, __func__), body, parameter, dM);
}

/// Computes dC/dpi for one parameter of a body, for the C of Christoffel's factorization or another (see
/// coriolis_matrix).
/// @param dC  out, nv x nv
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
void coriolis_parameter_derivative(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const Body<S>& body,
                                   InertialParameter parameter, MatrixOut<S> dC, const Factorization& B = {}) {
  data.require(robot, Pass::velocity, "coriolis_parameter_derivative");
  detail::check_derivative(robot, body, "a column or row of dC", dC.rows(), dC.cols());
  const Data<S>& state = data.of_tree();
  const Inertia<S> I_b = detail::unit_inertia(state, body, parameter);
  const auto operation = detail::body_operator(B, state.velocity[body.node()], I_b);
  detail::fill_on_way<S>(
      robot, data, body, dC, [&](int k) -> Force<S> { return I_b * state.phi_dot[k] + operation * state.phi[k]; },
      [&](int k) -> Force<S> { return I_b * state.phi[k]; });
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
void coriolis_parameter_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                   const Body<S>& body, InertialParameter parameter, MatrixOut<S> dC,
                                   const Factorization& B = {}) {
  detail::check_derivative(robot, body, "a column or row of dC", dC.rows(), dC.cols());
  coriolis_parameter_derivative(robot, forward_kinematics(robot, data, q, v, __func__), body, parameter, dC, B);
}

/// Computes dg/dpi for one parameter of a body.
/// @param dg  out, nv
template <class S, template <class> class Robot>
void gravity_parameter_derivative(const Robot<S>& robot, const DataOf<Robot<S>>& data, const Body<S>& body,
                                  InertialParameter parameter, VectorOut<S> dg) {
  data.require(robot, Pass::position, "gravity_parameter_derivative");
  detail::check_derivative(robot, body, "dg", dg.size(), robot.nv());
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  const Force<S> weight = detail::unit_inertia(state, body, parameter) * Motion<S>{zero3<S>(), model.gravity()};
  for (int k = 0; k < robot.nv(); ++k) dg[k] = S(0);
  detail::for_each_on_way(model, body, [&](int k) {
    for_each_speed(robot, data, k, [&](int c, const S& g) { dg[c] -= g * dot(state.phi[k], weight); });
  });
}
template <class S, template <class> class Robot>
void gravity_parameter_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, const Body<S>& body,
                                  InertialParameter parameter, VectorOut<S> dg) {
  detail::check_derivative(robot, body, "dg", dg.size(), robot.nv());
  gravity_parameter_derivative(robot, forward_kinematics(robot, data, q, __func__), body, parameter, dg);
}

namespace detail {

/// @param robot  a model or a mechanism
/// @throws ModelError for a body of another model, SizeError for a matrix that is not nv x nv
template <class R, class S>
void check_derivative(const R& robot, const Body<S>& body, const char* what, Eigen::Index rows, Eigen::Index columns,
                      const char* function) {
  robot.tree().check_owns(body);
  check_size(what, rows, robot.nv(), function);
  check_size(what, columns, robot.nv(), function);
}

/// Returns the inertia of a body with one parameter 1 and all others 0, in world axes.
template <class S>
Inertia<S> unit_inertia(const Data<S>& data, const Body<S>& body, InertialParameter parameter) {
  const int h = static_cast<int>(parameter);
  const auto one = [h](int i) { return S(i == h ? 1 : 0); };
  const Symmetric3<S> Ibar{one(4), one(5), one(6), one(7), one(8), one(9)};
  const Inertia<S> I_b{one(0), {one(1), one(2), one(3)}, half_trace_complement(Ibar)};
  return (data.pose[body.node()] * body.placement()).act(I_b);
}

/// Calls f(k) once for each degree of freedom k that moves a body.
template <class S, class F>
CORIO_INLINE void for_each_on_way(const Model<S>& model, const Body<S>& body, F&& f) {
  for (int k = model.node(body.node()).v_end - 1; k >= 0; k = model.parent_dof(k)) f(k);
}
/// Sets out(i, k) = Phi_i . force(k) for all i, k that move a body, and zero otherwise.
template <class S, class F, class... Rate>
void fill_on_way(const Model<S>& model, const Data<S>& data, const Body<S>& body, MatrixOut<S> out, F&& force,
                 const Rate&...) {
  out.set_zero();
  for_each_on_way(model, body, [&](int k) {
    const Force<S> column = force(k);
    for_each_on_way(model, body, [&](int i) { out(i, k) = dot(data.phi[i], column); });
  });
}
/// Sets out = G^T (F G + R dG/dt) for a robot whose speeds may move several degrees of freedom each, with F(i, k) =
/// Phi_i . force(k) and R(i, k) = Phi_i . rate(k); without `rate`, R is zero.
template <class S, template <class> class Robot, class RobotData, class F, class... Rate>
void fill_on_way(const Robot<S>& robot, RobotData& data, const Body<S>& body, MatrixOut<S> out, F&& force,
                 const Rate&... rate) {
  out.set_zero();
  const auto add = [&](int c, const Force<S>& column) {
    for_each_on_way(robot.tree(), body, [&](int k) {
      const S tau = dot(data.of_tree().phi[k], column);
      for_each_speed(robot, data, k, [&](int i, const S& g) { out(i, c) += g * tau; });
    });
  };
  for_each_on_way(robot.tree(), body, [&](int k) {
    for_each_speed(robot, data, k, [&](int c, const S& g) { add(c, force(k) * g); });
    (for_each_speed_rate(robot, data, k, [&](int c, const S& dg) { add(c, rate(k) * dg); }), ...);
  });
}

}  // namespace detail

}}  // namespace corio
