#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/cartesian/maximal.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of lagrangian_form.
template <class S>
struct LagrangianFormResult {
  MatrixX<S> M, C;  ///< nv x nv
  VectorX<S> g;     ///< nv
};

namespace algorithm {

template <class S>
struct LagrangianForm;

}  // namespace algorithm

/// Computes the equations of motion M a + C v + g = tau by Lagrange's equations, body by body. With the Jacobians J =
/// [J_v; J_w] of the centre of mass and of the angular velocity, in world axes, and M_c = diag(m 1, I_c),
///   M = sum J^T M_c J + armature,
///   C = sum J^T M_c dJ/dt + J^T [0, 0; 0, [w]x] M_c J,
///   g = -sum J_v^T m gravity.
/// This is for study and comparison: it is slower than crba, coriolis_matrix and generalized_gravity, because it
/// multiplies dense matrices.
///
/// This C is admissible (dM/dt - 2 C is skew-symmetric, C v is right). From three degrees of freedom on it is neither
/// the Christoffel-consistent C nor the C of factorization::Plain. Its operator of a body, in axes at the centre of
/// mass, is the operator of factorization::Christoffel plus tr(Sigma_c) [w]x on angular parts, where Sigma_c is the
/// second moment about the centre of mass. Sigma_c is not linear in the inertia, so that C depends on how welded parts
/// are grouped.
///
/// @returns {M, C, g}, valid until the next lagrangian_form
/// @throws SizeError. O(N n^2) for N bodies. Source: Liu and Jain, eqs. 45-48 and 59.
template <class S>
const LagrangianFormResult<S>& lagrangian_form(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::LagrangianForm<S>>(model).result;
}
template <class S>
const LagrangianFormResult<S>& lagrangian_form(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return lagrangian_form(model, forward_kinematics(model, data, q, v, __func__));
}

namespace algorithm {

template <class S>
struct LagrangianForm {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "lagrangian_form"};
  LagrangianFormResult<S> result;
  Matrix6X<S> J, Jdot, P, W;

  explicit LagrangianForm(const Model<S>& m)
      : result{detail::nv_by_nv(m), detail::nv_by_nv(m), zeros<S>(m.nv())},
        J(Matrix6X<S>::Zero(6, m.nv())),
        Jdot(J),
        P(J),
        W(J) {}
  void run(const Model<S>& model, const Data<S>& data);

 private:
  /// Changes the order of rows to [linear; angular], the order of the source.
  static void swap(Matrix6X<S>& J) { J.template topRows<3>().swap(J.template bottomRows<3>()); }
};
template <class S>
void LagrangianForm<S>::run(const Model<S>& model, const Data<S>& data) {
  auto& [M, C, g] = result;
  M = model.armature().asDiagonal();
  C.setZero(), g.setZero();
  for (const Body<S>& body : model.bodies()) {
    const FramePoint<S> at_com = detail::where_of(model, body, BodyPoint::center_of_mass);
    const InertialParameters<S>& parameters = model.node(body.node()).parameters;
    const Matrix3<S> R = data.pose[body.node()].rotation, I_c = R * parameters.inertia * transpose(R);
    const Matrix3<S> w = skew(data.velocity[body.node()].angular);
    body_jacobian<S>(model, data, at_com, J), swap(J);
    body_jacobian_dot<S>(model, data, at_com, Jdot), swap(Jdot);
    const auto J_v = J.template topRows<3>(), J_w = J.template bottomRows<3>();

    // P = M_c J,  W = M_c dJ/dt + [0, 0; 0, [w]x] M_c J
    P.template topRows<3>() = parameters.mass * J_v;
    P.template bottomRows<3>().noalias() = I_c * J_w;
    W.template topRows<3>() = parameters.mass * Jdot.template topRows<3>();
    W.template bottomRows<3>().noalias() = I_c * Jdot.template bottomRows<3>();
    W.template bottomRows<3>().noalias() += w * P.template bottomRows<3>();
    M.noalias() += J.transpose() * P;
    C.noalias() += J.transpose() * W;
    g.noalias() -= J_v.transpose() * (parameters.mass * model.gravity());
  }
}

}  // namespace algorithm

}}  // namespace corio
