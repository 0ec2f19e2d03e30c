#pragma once

#include "corio/kernels/lanes_of_dofs.hpp"

namespace corio::inline CORIO_ABI::detail {

/// Column k of the spatial momentum matrix: A_k = I^C Phi_k, and its rate.
template <class Of, class S>
CORIO_INLINE auto momentum(const Data<S>& data, const Of& of) {
  return of(data.composite_inertia) * of(data.phi);
}
template <class Of, class S>
CORIO_INLINE auto momentum_rate(const Data<S>& data, const Of& of) {
  const auto B = of(data.composite_coriolis);
  const auto phi = of(data.phi);
  return of(data.composite_inertia) * of(data.phi_dot) + B * phi + B.transpose_times(phi);
}

/// Columns k of a matrix with as many rows as T has numbers = column(of), for all degrees of freedom.
template <template <class> class T, class S, class F>
CORIO_FLATTEN void fill_columns(const Model<S>& model, const Data<S>& data, S* out, F&& column) {
  T<S>* const columns = reinterpret_cast<T<S>*>(out);
  constexpr int width = LanesOfDofs<S>::width;
  for (int k = 0; k < model.nv(); k += width)
    scatter<T, S>(column(LanesOfDofs<S>(model, data, k)), columns + k, (std::min)(width, model.nv() - k));
}

}  // namespace corio::detail
