#pragma once

#include "corio/columns/christoffel_pages.hpp"
#include "corio/algorithms/packed_christoffel_tensor.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/columns/gather.hpp"

namespace corio {
namespace detail {

/// Phi_i . I^C x for the degrees of freedom i on the way from node b to the ground, or below b, with the composite of
/// whichever of i and b is nearer the leaves.
template <class S>
CORIO_NOINLINE void related_components(const Model<S>& model, const Data<S>& data, std::size_t b, const Motion<S>& x,
                                       VectorX<S>& out) {
  const Force<S> F = data.composite_inertia[b] * x;
  for (int i = model.nodes()[b].v_end - 1; i >= 0; i = model.dof_parent(i))
    out[i] = dot(data.phi[static_cast<std::size_t>(i)], F);
  for (std::size_t c = b + 1; c < data.pose.size() && model.nodes()[c].v_begin < model.nodes()[b].subtree_v_end; ++c) {
    const Force<S> G = data.composite_inertia[c] * x;
    for (int i = model.nodes()[c].v_begin; i < model.nodes()[c].v_end; ++i)
      out[i] = dot(data.phi[static_cast<std::size_t>(i)], G);
  }
}

/// What joints whose columns move in the body add: Phi_i . I^C D_k Phi_j for j, k of such a joint.
template <class S, class Tensor>
void add_moving_columns(const Model<S>& model, Data<S>& data, Tensor& out) {
  VectorX<S>& x = data.work.u;
  for (std::size_t b = 0; b < data.pose.size() && !data.phi_partial.empty(); ++b) {
    const Node<S>& node = model.nodes()[b];
    if (node.partials_begin < 0) continue;
    const Motion<S>* partial = data.phi_partial.data() + node.partials_begin;
    for (int k = node.v_begin; k < node.v_end; ++k)
      for (int j = node.v_begin; j < node.v_end; ++j, ++partial) {
        related_components(model, data, b, *partial, x);
        for (int i = node.v_end - 1; i >= 0; i = model.dof_parent(i)) Access::add(out, i, j, k, x[i]);
        for (int i = node.v_end; i < node.subtree_v_end; ++i) Access::add(out, i, j, k, x[i]);
      }
  }
}

/// The operators B_k, in data.work.operators, and Phi_k, in data.work.columns.
template <class S>
void composite_operators(const Model<S>& model, Data<S>& data) {
  composite_inertias(model, data);
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    using N = Pack<S>;
    const Motion<N> phi = at.of_dofs(data.phi);
    data.work.operators.set(k, BodyCoriolis<N>::from(phi, at.of_nodes(data.composite_inertia)));
    data.work.columns(k).phi.set(k, phi);
  });
}

/// What the operators make of the column of j, of the joint of `node`: blocks of the force F1 and the moment F2 for
/// all k below that joint or, if j is all of it, from j on; otherwise also those for the k of the joint.
template <class S>
struct OperatorsOn {
  OperatorBlocks<S> blocks;
  int first;  // from which k on the blocks are
  Force<S> F1[joint::max_nv];
  Vector3<S> F2[joint::max_nv];

  CORIO_NOINLINE OperatorsOn(Data<S>& data, const Node<S>& node, int j) : blocks(data.work.operator_blocks.data()) {
    const bool single = node.v_end == node.v_begin + 1;
    const auto& operators = data.work.operators;
    const Motion<S>& phi = data.phi[static_cast<std::size_t>(j)];
    first = single ? j : node.v_end;
    for (int k = node.v_begin; k < first; ++k) {
      F1[k - node.v_begin] = times<S>(operators, phi, k);
      F2[k - node.v_begin] = k == j ? zero3<S>() : transpose_moment<S>(operators, phi, k);
    }
    const Coordinates<S> x(phi);
    OperatorBlocks<S> block = blocks;
    for (int k = first; k < node.subtree_v_end; k += Block<S>::width, block.next()) block.set(x.x, operators, k);
    if (single) blocks.clear_first_moment();  // B_j^T Phi_j = 0, exactly and not up to rounding
  }
};

/// The symbols of j, of the joint of `node`, with all i at or above it and all k at or below it.
template <class S, class Tensor>
void christoffel_strips(const Model<S>& model, Data<S>& data, const Node<S>& node, int j, Tensor& Gamma) {
  const OperatorsOn<S> of_j(data, node, j);
  S* const memory = data.work.operator_blocks.data();
  const int begin = node.v_begin, first = of_j.first, end = node.subtree_v_end;
  for (int i = node.v_end - 1; i >= 0; i = model.dof_parent(i)) {
    const Motion<S>& phi = data.phi[static_cast<std::size_t>(i)];
    const auto strip = Access::strip(Gamma, i, j, i >= begin);
    for (int k = begin; k < first; ++k)
      strip.store_own(k, dot(phi, of_j.F1[k - begin]), dot(phi.angular, of_j.F2[k - begin]));
    const Coordinates<S> x(phi);
    OperatorBlocks<S> block(memory);
    for_each_block<S>(first, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      strip.store(k, count, block.dot_force(x.x), block.dot_moment(x.x));
      block.next();
    });
  }
}

template <class S, class Tensor>
void christoffel_strips(const Model<S>& model, Data<S>& data, Tensor& Gamma) {
  for (std::size_t b = data.pose.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    for (int j = node.v_begin; j < node.v_end; ++j) christoffel_strips(model, data, node, j, Gamma);
  }
}

template <class S, class Tensor>
void write_symbols(const Model<S>& model, Data<S>& data, Tensor& Gamma) {
  christoffel_strips(model, data, Gamma);
}
/// All n^3: where few squares are empty by pages, in which all numbers lie side by side. Of what a strip holds two
/// thirds are far from each other.
template <class S>
void write_symbols(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& Gamma) {
  if (Access::layout(Gamma).full)
    christoffel_pages(model, data, Access::layout(Gamma), Access::pages(Gamma));
  else
    christoffel_strips(model, data, Gamma);
}

}  // namespace detail

/// Christoffel symbols of the first kind of the mass matrix, for joints of every type: in terms of the velocities v
/// whatever these are, so that for spherical joints or floating bases they are the generalized symbols
///   Gamma(i,j,k) = <E_i, nabla_{E_k} E_j>
/// of the frame of vector fields E_i along the degrees of freedom. With the force and the moment that the composite
/// operators B_k = B(Phi_k, I^C_k) make of the columns,
///   F1 = B_k Phi_j,   F2 = B_k^T Phi_j,   Gamma(i,k,j) = Phi_i . F1,   Gamma(j,k,i) = -Gamma(k,j,i) = Phi_i . F2
/// for i at or above j, j at or above k. All n^3 of chains are written page by page instead (christoffel_pages.hpp):
/// the two tensors then agree up to rounding. Armature does not enter.
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
  detail::composite_operators(model, data);
  detail::write_symbols(model, data, Gamma);
  detail::add_moving_columns(model, data, Gamma);
}

}  // namespace corio
