#pragma once

#include "corio/kernels/composites.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct MassMatrixDot;

}  // namespace algorithm

/// Computes Mdot(i,j) = dPhi_i . I^C Phi_j + Phi_i . (I^C dPhi_j + (B^C + B^C^T) Phi_j), the rate of the mass matrix
/// along v.
///
/// @returns nv x nv, symmetric, both triangles filled; valid until the next call.
/// @throws SizeError. O(n d).
/// Source: Echeandia and Wensing (2021), Algorithm 1, line 22.
template <class S>
const MatrixX<S>& mass_matrix_dot(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::MassMatrixDot<S>>(model).Mdot;
}
template <class S>
const MatrixX<S>& mass_matrix_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return mass_matrix_dot(model, forward_kinematics(model, data, q, v, __func__));
}

namespace algorithm {

template <class S>
struct MassMatrixDot {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "mass_matrix_dot"};
  template <class N>
  struct Column {
    Motion<N> phi, phi_dot;
    Force<N> momentum_dot, momentum;
  };
  MatrixX<S> Mdot;
  detail::DofColumns<S, Column> columns;

  explicit MassMatrixDot(const Model<S>& m) : Mdot(detail::nv_by_nv(m)), columns(m) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void MassMatrixDot<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  detail::compute_composite_coriolis(model, data);
  columns.fill(model, data, [](const auto& k, auto& column) {
    const auto I_C = k.composite_inertia();
    const auto B = k.composite_coriolis();
    column.phi = k.phi(), column.phi_dot = k.phi_dot();
    column.momentum_dot = I_C * column.phi_dot + B * column.phi + B.transpose_times(column.phi);
    column.momentum = I_C * column.phi;
  });
  columns.for_pairs([&](const auto& pairs, const auto& i, const auto& j) {
    pairs.symmetric(Mdot) = dot(i.phi, j.momentum_dot) + dot(i.phi_dot, j.momentum);
  });
}

}  // namespace algorithm

}}  // namespace corio
