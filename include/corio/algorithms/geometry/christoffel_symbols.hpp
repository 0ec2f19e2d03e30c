#pragma once

#include "corio/algorithms/geometry/packed_christoffel_tensor.hpp"
#include "corio/kernels/christoffel_slices.hpp"
#include "corio/kernels/gather.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {
namespace algorithm {

template <class S>
struct christoffel_symbols {
  static constexpr detail::Requirement requires_pass{Pass::position, "christoffel_symbols"};
  detail::SliceLayout<S> layout;
  detail::SymbolColumns<S> columns;
  std::vector<detail::Columns<S, 9, detail::pack_width<S>>> forces;  // of one j: F1 and F2, pack by pack
  detail::SymbolTriples<S> row;                                      // of one j, where all symbols are made of strips

  explicit christoffel_symbols(const Model<S>& m)
      : layout(m), columns(m), forces(static_cast<std::size_t>(m.nv() / detail::pack_width<S> + 1)), row(m, true) {}
  void run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma);
  void run(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& Gamma);

  /// The columns, in this configuration.
  void make_columns(const Model<S>& model, Data<S>& data);
  /// The symbols of j with all i at or above it and all k at or below it, from the columns.
  void write_row(const Data<S>& data, int j, detail::SymbolTriples<S>& strips);
};

template <class S>
void christoffel_symbols<S>::make_columns(const Model<S>& model, Data<S>& data) {
  using N = detail::Pack<S>;
  detail::composite_inertias(model, data);
  detail::for_dof_packs(model, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = at.of_dofs(data.phi);
    columns.operators.set(k, detail::body_coriolis(phi, at.placed(data, data.composite_inertia)));
    columns.tiles[k].phi.set(k, phi);
  });
}

template <class S>
CORIO_NOINLINE void christoffel_symbols<S>::write_row(const Data<S>& data, int j, detail::SymbolTriples<S>& strips) {
  using N = detail::Pack<S>;
  const int begin = strips.dof(j).begin, end = strips.dof(j).end;
  const Motion<N> phi_j = detail::broadcast<N>(data.phi[j]);
  auto* F = forces.data();
  for (int k = begin; k < end; k += N::width, ++F) {
    const Force<N> F1 = detail::times(columns.operators, phi_j, k);
    F->set(0, F1.moment), F->set(0, F1.force, 3);
    F->set(0, detail::transpose_moment(columns.operators, phi_j, k), 6);
  }
  // B_j^T Phi_j = 0, exactly and not up to rounding.
  forces[static_cast<std::size_t>((j - begin) / N::width)].set((j - begin) % N::width, zero3<S>(), 6);
  const Motion<S>* const phis = data.phi.data();
  const Eigen::Index kind = strips.kind();
  strips.for_each_run(j, [&](int i, S* a) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = detail::broadcast<N>(phis[i]);
    S* const b = a + kind;
    const auto* of = forces.data();
    for (int k = begin; k < end; k += N::width, ++of) {
      dot(phi, of->template force<N>(0)).store(a + k);
      dot(phi.angular, of->template vector<N>(0, 6)).store(b + k);
    }
  });
}

}  // namespace algorithm

namespace detail {

/// add(i, j, k, x) for what joints whose columns move in the body add to Gamma(i,j,k): Phi_i . I^C D_k Phi_j for j, k
/// of such a joint, with the composite of whichever of i and the joint is nearer the leaves.
template <class S, class F>
void for_moving_columns(const Model<S>& model, const Data<S>& data, F&& add) {
  for (int b = 0; b < model.num_nodes() && !data.phi_partial.empty(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.partials_begin < 0) continue;
    const Motion<S>* partial = &data.phi_partial[node.partials_begin];
    for (int k = node.v_begin; k < node.v_end; ++k)
      for (int j = node.v_begin; j < node.v_end; ++j, ++partial) {
        const Force<S> F_b = placed(data, data.composite_inertia, b) * *partial;
        for (int i = node.v_end - 1; i >= 0; i = model.dof_parent(i)) add(i, j, k, dot(data.phi[i], F_b));
        for (int i = node.v_end; i < node.subtree_v_end; ++i)
          add(i, j, k, dot(data.phi[i], placed(data, data.composite_inertia, model.node_of_dof(i)) * *partial));
      }
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
void christoffel_symbols<S>::run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma) {
  make_columns(model, data);
  row.for_each_row(model, [&](int j) { write_row(data, j, Gamma.strips()); });
  detail::for_moving_columns(model, data, [&](int i, int j, int k, const S& x) { Gamma.add(i, j, k, x); });
}

/// All n^3. Where few squares of pairs are empty they are written by pages, in which all numbers lie side by side: of
/// what a strip holds two thirds are far from each other, which took a chain of 20 1.6 times as long. Elsewhere by
/// strips: by pages trees took 1.4 to 2.5 times as long.
template <class S>
void christoffel_symbols<S>::run(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& Gamma) {
  make_columns(model, data);
  Tensor3<S>& T = Gamma.tensor();
  if (layout.full)
    detail::christoffel_slices(model, layout, columns, T);
  else
    row.for_each_row(model, [&](int j) { write_row(data, j, row), detail::expand_symbols(row, j, T); });
  detail::for_moving_columns(model, data, [&](int i, int j, int k, const S& x) { T(i, j, k) += x; });
}

}  // namespace algorithm

/// Christoffel symbols of the first kind of the mass matrix, for joints of every type: in terms of the velocities v
/// whatever these are, so that for spherical joints or floating bases they are the generalized symbols
///   Gamma(i,j,k) = <E_i, nabla_{E_k} E_j>
/// of the frame of vector fields E_i along the degrees of freedom. With the force and the moment that the composite
/// operators B_k = B(Phi_k, I^C_k) make of the columns,
///   F1 = B_k Phi_j,   F2 = B_k^T Phi_j,   Gamma(i,k,j) = Phi_i . F1,   Gamma(j,k,i) = -Gamma(k,j,i) = Phi_i . F2
/// for i at or above j, j at or above k. All n^3 of chains are written page by page instead (christoffel_slices.hpp):
/// the two tensors then agree up to rounding. Armature does not enter.
///
/// @param Gamma  a ChristoffelTensor or PackedChristoffelTensor of this model
/// @throws SizeError, StateError for a tensor of another model. O(n d^2).
/// Source: Echeandia and Wensing (2021), Algorithm 2; for generalized speeds the authors' extension to joints with
/// several degrees of freedom, in the 12 numbers of BodyCoriolis.
template <class S, class Tensor>
void christoffel_symbols(const Model<S>& model, Data<S>& data, Tensor& Gamma) {
  using Algorithm = algorithm::christoffel_symbols<S>;
  data.require(model, Algorithm::requires_pass.pass, Algorithm::requires_pass.name);
  Gamma.check_fits(model);
  data.template of<Algorithm>(model).run(model, data, Gamma);
}
template <class S, class Tensor>
void christoffel_symbols(const Model<S>& model, Data<S>& data, VectorIn<S> q, Tensor& Gamma) {
  Gamma.check_fits(model);
  christoffel_symbols(model, forward_kinematics(model, data, q), Gamma);
}

}  // namespace corio
