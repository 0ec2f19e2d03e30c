#pragma once

#include "corio/kernels/composites.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct Crba;

}  // namespace algorithm

/// Computes the mass matrix M(q) by the composite-rigid-body algorithm:
///   M(i,j) = M(j,i) = Phi_i . I^C_j Phi_j   for i at or above j: the joint of i is the joint of j or an ancestor of
///   it;
/// zero for unrelated i, j; armature is added to the diagonal. Phi_k is a column of the motion subspace, in world axes,
/// and I^C_k the composite inertia of the body that k moves.
///
/// @param robot  a Model, or a Mechanism (kinematics/robot.hpp)
/// @param data   made for this robot; the form without q is called after forward_kinematics(robot, data, q)
/// @returns nv x nv, symmetric, both triangles filled; valid until the next crba with this data.
/// @throws SizeError.
/// Cost O(n d) for n degrees of freedom at depth at most d.
/// In plain form, for revolute joints: guide/reading.md.
/// Source: Walker and Orin (1982); Echeandia and Wensing (2021), eq. 17.
template <class S, template <class> class Robot>
const MatrixX<S>& crba(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::Crba<S>>(robot).M;
}
template <class S, template <class> class Robot>
const MatrixX<S>& crba(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return crba(robot, forward_kinematics(robot, data, q, __func__));
}

/// Another name for crba; error messages say crba.
template <class S, template <class> class Robot>
const MatrixX<S>& mass_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return crba(robot, data, q);
}
template <class S, template <class> class Robot>
const MatrixX<S>& mass_matrix(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return crba(robot, data);
}

namespace algorithm {

template <class S>
struct Crba {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "crba"};
  /// The columns for one degree of freedom (N = S), or for several at once.
  template <class N>
  struct Column {
    Motion<N> phi;
    Force<N> momentum;
  };
  MatrixX<S> M;
  detail::DofColumns<S, Column> columns;  // also runs the loop over all related pairs (kernels/pairs.hpp)

  explicit Crba(const Model<S>& m) : M(detail::nv_by_nv(m)), columns(m) {}
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void Crba<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  columns.fill(model, data, [](const auto& k, auto& column) {
    column.phi = k.phi();
    column.momentum = k.composite_inertia() * column.phi;
  });
  // i and j are neighbouring columns, `pairs` is the tile of M that they span (kernels/pairs.hpp), here and transposed.
  // Entries of unrelated i, j are zero since construction.
  columns.for_pairs(
      [&](const auto& pairs, const auto& i, const auto& j) { pairs.symmetric(M) = dot(i.phi, j.momentum); });
  for (int k = 0; k < model.nv(); ++k) M(k, k) += model.armature()[k];
}

}  // namespace algorithm

}}  // namespace corio
