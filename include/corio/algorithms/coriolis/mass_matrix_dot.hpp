#pragma once

#include "corio/kernels/gather.hpp"
#include "corio/kernels/pair_blocks.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {
namespace algorithm {

template <class S>
struct mass_matrix_dot {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "mass_matrix_dot"};
  struct Columns {
    detail::BlockColumns<S, 6> phi, phi_dot, F1, F2;
  };
  MatrixX<S> Mdot;
  detail::PerBlock<S, Columns> columns;

  explicit mass_matrix_dot(const Model<S>& m) : Mdot(detail::square(m)), columns(m.nv()) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void mass_matrix_dot<S>::run(const Model<S>& model, Data<S>& data) {
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  detail::for_dof_packs(model, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    auto& column = columns[k];
    const auto phi = at.of_dofs(data.phi), phi_dot = at.of_dofs(data.phi_dot);
    const auto I = at.placed(data, data.composite_inertia);
    const auto B = at.placed(data, data.composite_coriolis);
    auto rate = I * phi_dot + B * phi;
    rate.moment += transpose_moment(B, phi);
    column.phi.set(k, phi), column.phi_dot.set(k, phi_dot);
    column.F1.set(k, rate);
    column.F2.set(k, I * phi);
  });
  detail::for_pair_blocks(model, columns, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store_symmetric(Mdot, dot(i.phi, j.F1) + dot(i.phi_dot, j.F2));
  });
}

}  // namespace algorithm

/// Mdot(i,j) = dPhi_i . I^C Phi_j + Phi_i . (I^C dPhi_j + (B^C + B^C^T) Phi_j), the rate of the mass matrix along v.
///
/// @returns nv x nv, symmetric, both triangles filled; valid until the next call.
/// @throws SizeError. O(n d).
/// Source: Echeandia and Wensing (2021), Algorithm 1, line 22.
template <class S>
const MatrixX<S>& mass_matrix_dot(const Model<S>& model, Data<S>& data) {
  return data.template run<algorithm::mass_matrix_dot<S>>(model).Mdot;
}
template <class S>
const MatrixX<S>& mass_matrix_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return mass_matrix_dot(model, forward_kinematics(model, data, q, v));
}

}  // namespace corio
