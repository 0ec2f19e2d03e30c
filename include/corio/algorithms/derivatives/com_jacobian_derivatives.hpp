#pragma once

#include "corio/algorithms/dynamics/com_jacobian.hpp"
#include "corio/kinematics/detail/variations.hpp"

/// The second rate and the derivatives of com_jacobian. With mass m and first moment h of the
/// subtree of degree of freedom k, J_com(:,k) = (m v_k + w_k x h) / total mass for its column Phi_k = [w_k; v_k].
///
/// @throws SizeError, ModelError for a model without mass
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct ComJacobianDdot;

}  // namespace algorithm

/// Computes d2J_com/dt2 for given rates v of the configuration and a of v.
/// @returns 3 x nv, valid until the next com_jacobian_ddot.
/// @throws ModelError also for a user's joint whose axes move in its body and whose members are not templates. O(n).
template <class S>
const Matrix3X<S>& com_jacobian_ddot(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::ComJacobianDdot<S>>(model).J_ddot;
}
template <class S>
const Matrix3X<S>& com_jacobian_ddot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                     VectorIn<S> a) {
  return com_jacobian_ddot(model, forward_kinematics(model, data, q, v, a, __func__));
}

/// Computes dJ_com/dq, the derivatives of J_com as q moves along each degree of freedom: the Hessian of the centre of
/// mass,
///   D_l J_com(:,k) = w_l x J_com(:,k) for l at or above k,
/// which equals D_k J_com(:,l), since motions of different joints commute; zero for unrelated degrees of freedom. A
/// column that varies in its body by D_l S_k adds the force part of I^C D_l S_k over the total mass.
///
/// @param D  out, 3 x nv^2: D_l J_com in the columns from l nv on
/// @throws SizeError, ModelError. O(n d), plus setting D to zero.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eqs. 7 and 31.
template <class S>
void com_jacobian_derivatives(const Model<S>& model, Data<S>& data, MatrixOut<S> D) {
  const int n = model.nv();
  detail::check_shape("D", D.rows(), D.cols(), 3, Eigen::Index(n) * n, "com_jacobian_derivatives");
  data.require(model, Pass::position, "com_jacobian_derivatives");
  detail::compute_composite_inertias(model, data);
  for (Eigen::Index c = 0; c < D.cols(); ++c)
    for (int r = 0; r < 3; ++r) D(r, c) = S(0);
  const S reciprocal = detail::total_mass(model, data, "com_jacobian_derivatives").reciprocal;
  for (int k = 0; k < n; ++k) {
    const int b = model.node_of(k);
    const int begin = model.node(b).v_begin, end = model.node(b).v_end;
    const auto I_C = detail::at_node(data, data.composite_inertia, b);
    const Vector3<S> J_k = reciprocal * (I_C * data.phi[k]).force;
    const auto write = [&](int l, const Vector3<S>& x, bool also_mirrored) {
      for (int r = 0; r < 3; ++r) {
        D(r, Eigen::Index(l) * n + k) = x[r];
        if (also_mirrored) D(r, Eigen::Index(k) * n + l) = x[r];
      }
    };
    for (int l = end - 1; l >= 0; l = model.parent_dof(l)) write(l, cross(data.phi[l].angular, J_k), l < begin);
  }
  detail::for_column_partials(model, data, [&](int l, int k, const Motion<S>& s) {
    const auto I_C = detail::at_node(data, data.composite_inertia, model.node_of(k));
    const Vector3<S> x = reciprocal * (I_C * s).force;
    for (int r = 0; r < 3; ++r) D(r, Eigen::Index(l) * n + k) += x[r];
  });
}
template <class S>
void com_jacobian_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, MatrixOut<S> D) {
  detail::check_shape("D", D.rows(), D.cols(), 3, Eigen::Index(model.nv()) * model.nv(), "com_jacobian_derivatives");
  com_jacobian_derivatives(model, forward_kinematics(model, data, q, __func__), D);
}

namespace algorithm {

template <class S>
struct ComJacobianDdot {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "com_jacobian_ddot", .column_rates = true};
  Matrix3X<S> J_ddot;
  PerNode<Force<S>> momentum, rate;  // momentum of each subtree, and its rate

  explicit ComJacobianDdot(const Model<S>& m)
      : J_ddot(Matrix3X<S>::Zero(3, m.nv())), momentum(m.num_nodes()), rate(momentum) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void ComJacobianDdot<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  detail::sum_momenta(model, data, momentum, rate);
  const S reciprocal = detail::total_mass(model, data, needs.name).reciprocal;
  for (int k = 0; k < model.nv(); ++k) {
    const int b = model.node_of(k);
    const auto I_C = detail::at_node(data, data.composite_inertia, b);
    const Motion<S> second = detail::column_second_rate(model, data, k);
    // dh/dt = momentum.force, d2h/dt2 = rate.force.
    const Vector3<S> column = (I_C * second).force + S(2) * cross(data.phi_dot[k].angular, momentum[b].force) +
                              cross(data.phi[k].angular, rate[b].force);
    for (int r = 0; r < 3; ++r) J_ddot(r, k) = reciprocal * column[r];
  }
}

}  // namespace algorithm

}}  // namespace corio
