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

}  // namespace corio::detail
