#pragma once

#include "corio/kernels/articulated_columns.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct MassMatrixInverse;

}  // namespace algorithm

/// Computes M(q)^-1 without M: two sweeps of the articulated-body algorithm for all unit forces at once.
///
/// @returns nv x nv, symmetric, both triangles filled; valid until the next call.
/// @throws SizeError; ModelError for a joint that moves no inertia. O(n^2).
/// Source: Carpentier (2018), with one array of forces for the whole tree.
template <class S, template <class> class Robot>
const MatrixX<S>& mass_matrix_inverse(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  return data.template run<algorithm::MassMatrixInverse<S>>(robot).M_inverse;
}
template <class S, template <class> class Robot>
const MatrixX<S>& mass_matrix_inverse(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return mass_matrix_inverse(robot, forward_kinematics(robot, data, q, __func__));
}

namespace algorithm {

template <class S>
struct MassMatrixInverse {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "mass_matrix_inverse", .regular = true};
  MatrixX<S> M_inverse;
  detail::ArticulatedFactor<S> factor;
  detail::ArticulatedColumns<S> columns;

  explicit MassMatrixInverse(const Model<S>& m) : M_inverse(detail::nv_by_nv(m)), factor(m), columns(m) {}
  void run(const Model<S>& model, Data<S>& data) {
    factor.compute(model, data);
    columns.inverse(model, data, factor, M_inverse);
  }
};

}  // namespace algorithm

}}  // namespace corio
