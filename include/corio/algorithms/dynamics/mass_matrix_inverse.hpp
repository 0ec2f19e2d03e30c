#pragma once

#include "corio/kernels/inverse_sweeps.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio::inline CORIO_ABI {
namespace detail {

/// Every degree of freedom gives way, last to first: what is left in `eliminated` is the factorization of M.
/// @param inertia  scratch: articulated inertias, summed over the children seen so far
template <class S, class N>
void eliminate_all(const Model<S>& model, Data<S>& data, PerNode<ArticulatedInertia<N>>& inertia,
                   Elimination<S>& eliminated) {
  body_inertias(model, data);
  auto inertias = from_children<ArticulatedInertia<N>>(model, inertia);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    const auto p = load(data.pose[b].translation);
    const Inertia<N> body = load(data.inertia[b]);
    auto I_A = ArticulatedInertia<N>::from(body);
    inertias.add_to(I_A, b);
    Force<N> G;
    for (int k = node.v_end - 1; k >= node.v_begin; --k)
      eliminated.eliminate(data, node, I_A, about(load(data.phi[k]), p), p, model.armature()[k], k, G);
    inertias.pass_to_parent(I_A, b);
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
struct MassMatrixInverse {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "mass_matrix_inverse", .inverse = true};
  MatrixX<S> M_inverse;
  PerNode<ArticulatedInertia<InRegisters<S>>> inertia;
  detail::Elimination<S> eliminated;

  explicit MassMatrixInverse(const Model<S>& m) : M_inverse(detail::square(m)), inertia(m.num_nodes()), eliminated(m) {
    eliminated.make_room(m);
  }
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void MassMatrixInverse<S>::run(const Model<S>& model, Data<S>& data) {
  detail::eliminate_all(model, data, inertia, eliminated);
  detail::invert(model, data.phi, eliminated, M_inverse);
}

}  // namespace algorithm

/// M(q)^-1 without M: two sweeps of the articulated-body algorithm for all unit forces at once.
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
  return mass_matrix_inverse(robot, forward_kinematics(robot, data, q));
}

}  // namespace corio
