#pragma once

#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::inline CORIO_ABI {
namespace algorithm {

/// The formulas of ChristoffelSymbols for several k at a time, which takes a third of the time: in packed storage the
/// symbols of i, j and consecutive k are neighbours.
template <class S>
struct PackedChristoffelSymbols {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "christoffel_symbols"};
  template <class N>
  struct Forces {
    Force<N> F1;
    Couple<N> F2;
  };
  detail::DofArrays<S, BodyCoriolis> operators;  // B_k = B(Phi_k, I^C_k)
  std::vector<Forces<detail::Lanes<S>>> forces;  // of one j and all k of the subtree of its joint

  explicit PackedChristoffelSymbols(const Model<S>& m)
      : operators(m.nv()), forces(static_cast<std::size_t>(m.nv() / detail::pack_width<S> + 1)) {}
  void run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma);

 private:
  void fill_row(const Data<S>& data, int j, detail::SymbolTriples<S>& out);
};
template <class S>
void PackedChristoffelSymbols<S>::run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma) {
  detail::composite_inertias(model, data);
  operators.fill(model, data,
                 [&](const auto& of) { return detail::body_coriolis(of(data.phi), of(data.composite_inertia)); });
  Gamma.triples().for_each_row(model, [&](int j) { fill_row(data, j, Gamma.triples()); });
  detail::for_column_partials(model, data, [&](int k, int j, const Motion<S>& s) {
    detail::for_related(model, k, [&](int i, int c) {
      Gamma.add(i, j, k, dot(data.phi[i], detail::at_node(data, data.composite_inertia, c) * s));
    });
  });
}
/// The symbols of j with all i at or above it and all k at or below it.
template <class S>
CORIO_NOINLINE void PackedChristoffelSymbols<S>::fill_row(const Data<S>& data, int j, detail::SymbolTriples<S>& out) {
  using N = detail::Lanes<S>;
  const int begin = out.dof(j).begin, end = out.dof(j).end;
  const Motion<N> phi_j = detail::broadcast<N>(data.phi[j]);
  auto* F = forces.data();
  for (int k = begin; k < end; k += N::width, ++F) {
    const BodyCoriolis<N> B = operators.pack(k);
    F->F1 = B * phi_j;
    F->F2 = B.transpose_times(phi_j);
    // B_j^T Phi_j = 0, exactly and not up to rounding.
    if (k <= j && j < k + N::width) detail::set_lane(F->F2, j - k, Couple<S>::zero());
  }
  const Motion<S>* const phis = data.phi.data();
  const Eigen::Index kind = out.kind();
  out.for_each_run(j, [&](int i, S* a) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = detail::broadcast<N>(phis[i]);
    const auto* of_k = forces.data();
    for (int k = begin; k < end; k += N::width, ++of_k) {
      dot(phi, of_k->F1).store(a + k);
      dot(phi, of_k->F2).store(a + kind + k);
    }
  });
}

}  // namespace algorithm

/// christoffel_symbols into packed storage.
template <class S>
void christoffel_symbols(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma) {
  data.require(model, Pass::position, "christoffel_symbols");
  Gamma.check_fits(model);
  data.template run<algorithm::PackedChristoffelSymbols<S>>(model, Gamma);
}
template <class S>
void christoffel_symbols(const Model<S>& model, Data<S>& data, VectorIn<S> q, PackedChristoffelTensor<S>& Gamma) {
  Gamma.check_fits(model);
  christoffel_symbols(model, forward_kinematics(model, data, q), Gamma);
}

}  // namespace corio
