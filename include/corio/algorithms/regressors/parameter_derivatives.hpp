#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/model/inertial_parameters.hpp"

/// Derivatives of M, C and g with respect to one inertial parameter of one body. All three are linear in the
/// parameters, so that each is what is left of them if that parameter is 1 and all others are 0:
///   dM = J^T I_h J,   dC = J^T (B(V, I_h) J + I_h dJ),   dg = -J^T I_h a_g,
/// with the Jacobian J of the body and the inertia I_h of that one parameter. Entries of degrees of freedom that do not
/// move the body are zero; the results are the caller's and complete. Where a product with a vector is wanted,
/// regressors.hpp has all parameters at once.
///
/// @throws SizeError; ModelError for a body of another model. O(nv^2), O(d^2) operations for a body d degrees of
/// freedom from the ground. Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 13.
namespace corio {
namespace detail {

/// @param robot  a model or a mechanism
/// @throws ModelError for a body of another model, SizeError for a matrix that is not nv x nv
template <class R, class S>
void check_derivative(const R& robot, const Body<S>& body, const char* what, Eigen::Index rows, Eigen::Index columns,
                      const char* function = __builtin_FUNCTION()) {
  robot.tree().check_owns(body);
  check_size(what, rows, robot.nv(), function);
  check_size(what, columns, robot.nv(), function);
}

/// The inertia of a body of which one parameter is 1, in world axes.
template <class S>
Inertia<S> unit_inertia(const Data<S>& data, const Body<S>& body, InertialParameter parameter) {
  const int h = static_cast<int>(parameter);
  const auto one = [h](int i) { return S(i == h ? 1 : 0); };
  const Symmetric3<S> Ibar{one(4), one(5), one(6), one(7), one(8), one(9)};
  const Inertia<S> I{one(0), {one(1), one(2), one(3)}, half_trace_complement(Ibar)};
  return (data.pose[body.node()] * body.placement()).act(I);
}

/// out(i, k) = Phi_i . force(k) for all i, k on the way to a body, otherwise 0.
template <class S, class F>
void fill_on_way(const Model<S>& model, const Data<S>& data, const Body<S>& body, MatrixOut<S> out, F&& force) {
  for (int k = 0; k < model.nv(); ++k)
    for (int i = 0; i < model.nv(); ++i) out(i, k) = S(0);
  const int last = model.node(body.node()).v_end - 1;
  for (int k = last; k >= 0; k = model.dof_parent(k)) {
    const Force<S> column = force(k);
    for (int i = last; i >= 0; i = model.dof_parent(i)) out(i, k) = dot(data.phi[i], column);
  }
}

}  // namespace detail

/// dM/dpi for one parameter of a body.
/// @param dM  out, nv x nv
template <class S>
void mass_matrix_parameter_derivative(const Model<S>& model, const Data<S>& data, const Body<S>& body,
                                      InertialParameter parameter, MatrixOut<S> dM) {
  data.require(model, Pass::position, "mass_matrix_parameter_derivative");
  detail::check_derivative(model, body, "a column or row of dM", dM.rows(), dM.cols());
  const Inertia<S> I = detail::unit_inertia(data, body, parameter);
  detail::fill_on_way<S>(model, data, body, dM, [&](int k) -> Force<S> { return I * data.phi[k]; });
}
template <class S>
void mass_matrix_parameter_derivative(const Model<S>& model, Data<S>& data, VectorIn<S> q, const Body<S>& body,
                                      InertialParameter parameter, MatrixOut<S> dM) {
  detail::check_derivative(model, body, "a column or row of dM", dM.rows(), dM.cols());
  mass_matrix_parameter_derivative(model, forward_kinematics(model, data, q), body, parameter, dM);
}

/// dC/dpi for one parameter of a body: of C by Christoffel's factorization or another, see coriolis_matrix.
/// @param dC  out, nv x nv
template <class Factorization = factorization::Christoffel, class S>
void coriolis_parameter_derivative(const Model<S>& model, const Data<S>& data, const Body<S>& body,
                                   InertialParameter parameter, MatrixOut<S> dC, const Factorization& B = {}) {
  data.require(model, Pass::velocity, "coriolis_parameter_derivative");
  detail::check_derivative(model, body, "a column or row of dC", dC.rows(), dC.cols());
  const Inertia<S> I = detail::unit_inertia(data, body, parameter);
  const auto operation = detail::body_operator(B, data.velocity[body.node()], I);
  detail::fill_on_way<S>(model, data, body, dC,
                         [&](int k) -> Force<S> { return I * data.phi_dot[k] + operation * data.phi[k]; });
}
template <class Factorization = factorization::Christoffel, class S>
void coriolis_parameter_derivative(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                   const Body<S>& body, InertialParameter parameter, MatrixOut<S> dC,
                                   const Factorization& B = {}) {
  detail::check_derivative(model, body, "a column or row of dC", dC.rows(), dC.cols());
  coriolis_parameter_derivative(model, forward_kinematics(model, data, q, v), body, parameter, dC, B);
}

/// dg/dpi for one parameter of a body.
/// @param dg  out, nv
template <class S>
void gravity_parameter_derivative(const Model<S>& model, const Data<S>& data, const Body<S>& body,
                                  InertialParameter parameter, VectorOut<S> dg) {
  data.require(model, Pass::position, "gravity_parameter_derivative");
  detail::check_derivative(model, body, "dg", dg.size(), model.nv());
  const Inertia<S> I = detail::unit_inertia(data, body, parameter);
  const Force<S> weight = I * Motion<S>{zero3<S>(), model.gravity()};
  for (int k = 0; k < model.nv(); ++k) dg[k] = S(0);
  for (int k = model.node(body.node()).v_end - 1; k >= 0; k = model.dof_parent(k)) dg[k] = -dot(data.phi[k], weight);
}
template <class S>
void gravity_parameter_derivative(const Model<S>& model, Data<S>& data, VectorIn<S> q, const Body<S>& body,
                                  InertialParameter parameter, VectorOut<S> dg) {
  detail::check_derivative(model, body, "dg", dg.size(), model.nv());
  gravity_parameter_derivative(model, forward_kinematics(model, data, q), body, parameter, dg);
}

}  // namespace corio
