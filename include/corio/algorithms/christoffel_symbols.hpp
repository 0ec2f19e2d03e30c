#pragma once

#include "corio/algorithms/packed_christoffel_tensor.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/neighbours.hpp"

namespace corio {
namespace detail {

/// What joints whose columns move in the body add: Phi_i . I^C D_k Phi_j for j, k of such a joint, with the composite
/// of whichever of i and the joint is nearer the leaves.
template <class S, class Tensor>
void add_moving_columns(const Model<S>& model, const Data<S>& data, Tensor& out) {
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    if (node.partials_begin < 0) continue;
    const Motion<S>* partial = data.phi_partial.data() + node.partials_begin;
    for (int k = node.v_begin; k < node.v_end; ++k)
      for (int j = node.v_begin; j < node.v_end; ++j, ++partial) {
        const Force<S> F = data.composite_inertia[b] * *partial;
        for (int i = node.v_end - 1; i >= 0; i = model.dof_parent(i))
          out.add(i, j, k, dot(data.phi[static_cast<std::size_t>(i)], F));
        for (std::size_t c = b + 1; c < data.pose.size() && model.nodes()[c].v_begin < node.subtree_v_end; ++c) {
          const Force<S> G = data.composite_inertia[c] * *partial;
          for (int i = model.nodes()[c].v_begin; i < model.nodes()[c].v_end; ++i)
            out.add(i, j, k, dot(data.phi[static_cast<std::size_t>(i)], G));
        }
      }
  }
}

/// The symbols of j, of the joint of `node`, with all i at or above it and all k at or below it. F1 and F2 are the
/// force and the moment for the other k of the joint itself, if it has any.
template <class S, class Tensor>
void christoffel_strips(const Model<S>& model, Data<S>& data, const Node<S>& node, int j, const Force<S>* F1,
                        const Vector3<S>* F2, Tensor& Gamma) {
  const int begin = node.v_begin, end = node.subtree_v_end;
  const bool single = node.v_end == begin + 1;
  const int first = single ? begin : node.v_end;
  S* const memory = data.work.operator_blocks.data();
  OperatorBlocks<S> blocks(memory);
  const Coordinates<S> phi_j(data.phi[static_cast<std::size_t>(j)]);
  for (int k = first; k < end; k += Block<S>::width, blocks.next()) blocks.set(phi_j.x, data.work.operators, k);
  if (single) OperatorBlocks<S>(memory).clear_first_moment();  // B_j^T Phi_j = 0, exactly and not up to rounding

  for (int i = node.v_end - 1; i >= 0; i = model.dof_parent(i)) {
    const Motion<S>& phi = data.phi[static_cast<std::size_t>(i)];
    const auto strip = Gamma.strip(i, j, i >= begin);
    for (int k = begin; k < first; ++k) strip.store_own(k, dot(phi, F1[k - begin]), dot(phi.angular, F2[k - begin]));
    const Coordinates<S> x(phi);
    OperatorBlocks<S> block(memory);
    for_each_block<S>(first, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      strip.store(k, count, block.dot_force(x.x), block.dot_moment(x.x));
      block.next();
    });
  }
}

}  // namespace detail

/// Christoffel symbols of the first kind of the mass matrix, for joints of every type: in terms of the velocities v
/// whatever these are, so that for spherical joints or floating bases they are the generalized symbols
///   Gamma(i,j,k) = <E_i, nabla_{E_k} E_j>
/// of the frame of vector fields E_i along the degrees of freedom. With the force and the moment that the composite
/// operators B_k = B(Phi_k, I^C_k) make of the columns,
///   F1 = B_k Phi_j,   F2 = B_k^T Phi_j,   Gamma(i,k,j) = Phi_i . F1,   Gamma(j,k,i) = -Gamma(k,j,i) = Phi_i . F2
/// for i at or above j, j at or above k. Armature does not enter.
///
/// @param Gamma  a ChristoffelTensor or PackedChristoffelTensor of this model
/// @throws SizeError, StateError for a tensor of another model. O(n d^2), no allocation.
/// Source: Echeandia and Wensing (2021), Algorithm 2; for generalized speeds the authors' extension to joints with
/// several degrees of freedom, in the 12 numbers of BodyCoriolis.
template <class S, class Tensor>
void christoffel_symbols(const Model<S>& model, Data<S>& data, VectorIn<S> q, Tensor& Gamma) {
  Gamma.check_fits(model);
  forward_kinematics(model, data, q);
  christoffel_symbols(model, data, Gamma);
}

/// The same for the configuration of the last forward_kinematics.
/// @throws StateError without it
template <class S, class Tensor>
void christoffel_symbols(const Model<S>& model, Data<S>& data, Tensor& Gamma) {
  data.require(model, Pass::position, "christoffel_symbols");
  Gamma.check_fits(model);
  detail::composite_inertias(model, data);
  auto& operators = data.work.operators;
  detail::for_neighbours(model, [&](int k, const detail::Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    using N = detail::Pack<S>;
    operators.set(k, BodyCoriolis<N>::from(at.of_dofs(data.phi), at.of_nodes(data.composite_inertia)));
  });
  for (std::size_t b = data.pose.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    const Motion<S>* const phi = data.phi.data() + node.v_begin;
    const int nv = node.v_end - node.v_begin;
    BodyCoriolis<S> B[joint::max_nv];
    for (int k = 0; k < nv && nv > 1; ++k) B[k] = BodyCoriolis<S>::from(phi[k], data.composite_inertia[b]);
    for (int j = 0; j < nv; ++j) {
      Force<S> F1[joint::max_nv];
      Vector3<S> F2[joint::max_nv];
      for (int k = 0; k < nv && nv > 1; ++k) {
        F1[k] = B[k] * phi[j];
        F2[k] = k == j ? zero3<S>() : B[k].transpose_moment(phi[j]);
      }
      detail::christoffel_strips(model, data, node, node.v_begin + j, F1, F2, Gamma);
    }
  }
  detail::add_moving_columns(model, data, Gamma);
}

}  // namespace corio
