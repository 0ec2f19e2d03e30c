#pragma once

#include "corio/columns/tiles.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/columns/gather.hpp"

namespace corio {

/// Mass matrix M(q) by the composite-rigid-body algorithm: M(i,j) = Phi_i . I^C Phi_j with the composite inertia of
/// whichever of i, j is nearer the leaves, zero for unrelated i, j; plus armature on the diagonal.
///
/// @returns nv x nv, symmetric, both triangles filled, in data.mass_matrix; valid until the next crba.
/// @throws SizeError. O(n d) for n degrees of freedom at depth at most d, no allocation.
/// Source: Walker and Orin (1982); Echeandia and Wensing (2021), eq. 17.
template <class S>
const MatrixX<S>& crba(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return crba(model, data);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
const MatrixX<S>& crba(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::position, "crba");
  detail::composite_inertias(model, data);
  detail::for_neighbours(model, [&](int k, const detail::Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    auto& column = data.work.columns(k);
    const auto phi = at.of_dofs(data.phi);
    column.phi.set(k, phi);
    column.F2.set(k, at.of_nodes(data.composite_inertia) * phi);
  });
  detail::for_tiles(model, data, [&](const auto& pairs, const auto& i, const auto& j) CORIO_INLINE_LAMBDA {
    pairs.store_symmetric(data.mass_matrix, dot(i.phi, j.F2));
  });
  for (int k = 0; k < model.nv(); ++k) data.mass_matrix(k, k) += model.armature()[k];
  return data.mass_matrix;
}

/// crba under the name of what it computes.
template <class S>
const MatrixX<S>& mass_matrix(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  return crba(model, data, q);
}
template <class S>
const MatrixX<S>& mass_matrix(const Model<S>& model, Data<S>& data) {
  return crba(model, data);
}

}  // namespace corio
