#pragma once

#include "corio/kernels/lanes_of_dofs.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Column k of the spatial momentum matrix: A_k = I^C Phi_k, and its rate.
template <class Dof>
CORIO_INLINE auto momentum(const Dof& k) {
  return k.composite_inertia() * k.phi();
}
template <class Dof>
CORIO_INLINE auto momentum_rate(const Dof& k) {
  const auto B = k.composite_coriolis();
  const auto phi = k.phi();
  return k.composite_inertia() * k.phi_dot() + B * phi + B.transpose_times(phi);
}

}}}  // namespace corio::detail
