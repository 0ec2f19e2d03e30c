#pragma once

#include "corio/kernels/lanes_of_dofs.hpp"

namespace corio::inline CORIO_ABI::detail {

/// A_k = I^C Phi_k, the momentum per unit velocity of what degree of freedom k moves, about the origin of its tree, and
/// its rate dA_k/dt = I^C dPhi_k/dt + (B^C + B^C^T) Phi_k, for a pack of them, after composite_inertias and
/// composite_coriolis.
template <class S>
CORIO_INLINE Force<Lanes<S>> momentum(const Data<S>& data, const LanesOfDofs<S>& of) {
  return of(data.composite_inertia) * of(data.phi);
}
template <class S>
CORIO_INLINE Force<Lanes<S>> momentum_rate(const Data<S>& data, const LanesOfDofs<S>& of) {
  const auto B = of(data.composite_coriolis);
  const auto phi = of(data.phi);
  return of(data.composite_inertia) * of(data.phi_dot) + B * phi + B.transpose_times(phi);
}

/// Columns k of a matrix with as many rows as T has numbers = column(pack), for all degrees of freedom.
template <template <class> class T, class S, class F>
CORIO_INLINE void fill_columns(const Model<S>& model, const Data<S>& data, S* out, F&& column) {
  T<S>* const columns = reinterpret_cast<T<S>*>(out);
  for_dof_packs(model, data, [&](int k, const LanesOfDofs<S>& of) CORIO_INLINE_LAMBDA {
    scatter<T, S>(column(of), columns + k, (std::min)(of.width, model.nv() - k));
  });
}

}  // namespace corio::detail
