#pragma once

#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct PackedChristoffelSymbols;

}  // namespace algorithm

/// Computes christoffel_symbols into packed storage.
template <class S>
void christoffel_symbols(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma) {
  Gamma.check_fits(model);
  data.template run<algorithm::PackedChristoffelSymbols<S>>(model, Gamma);
}
template <class S>
void christoffel_symbols(const Model<S>& model, Data<S>& data, VectorIn<S> q, PackedChristoffelTensor<S>& Gamma) {
  Gamma.check_fits(model);
  christoffel_symbols(model, forward_kinematics(model, data, q, __func__), Gamma);
}

namespace algorithm {

/// The formulas of ChristoffelSymbols for several k at a time, which takes a third of the time: in packed storage the
/// symbols of i, j and consecutive k are neighbours.
template <class S>
struct PackedChristoffelSymbols {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "christoffel_symbols"};
  template <class N>
  struct Forces {
    Force<N> F;
    Couple<N> n;
  };
  detail::DofArrays<S, BodyCoriolis> operators;  // B_k = B(Phi_k, I^C_k)
  detail::TripleFactors<S, Forces> forces;       // for one j and all k of the subtree of its joint

  explicit PackedChristoffelSymbols(const Model<S>& m) : operators(m.nv()), forces(m) {}
  void run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma);
};
template <class S>
void PackedChristoffelSymbols<S>::run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma) {
  detail::compute_composite_inertias(model, data);
  operators.fill(model, data,
                 [](const auto& k, auto& B) { B = detail::body_coriolis(k.phi(), k.composite_inertia()); });
  auto& triples = Gamma.triples();
  triples.for_each_row(model, [&](int j) {
    const auto phi_j = forces.constant(data.phi[j]);
    forces.compute(triples, j, operators, [&](const auto& B, auto& forces_k) {
      forces_k.F = B * phi_j;
      forces_k.n = B.transpose_times(phi_j);
    });
    forces.set_zero(
        j, [](auto& forces_k) -> auto& { return forces_k.n; });  // n is exactly zero
    triples.for_each_run(j, [&](int i, S* symbols) CORIO_INLINE_LAMBDA {
      const auto phi_i = forces.constant(data.phi[i]);
      forces.write(triples, symbols, [&](const auto& forces_k) {
        return std::array{dot(phi_i, forces_k.F), dot(phi_i, forces_k.n)};
      });
    });
  });
  detail::for_column_partials(model, data, [&](int k, int j, const Motion<S>& s) {
    detail::for_related(model, k, [&](int i, int c) {
      Gamma.add(i, j, k, dot(data.phi[i], detail::at_node(data, data.composite_inertia, c) * s));
    });
  });
}

}  // namespace algorithm

}}  // namespace corio
