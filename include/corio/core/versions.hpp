#pragma once

#include "corio/core/inline.hpp"
#include "corio/instances/has_versions.hpp"

/// Where corio::instances is linked, the functions below exist twice in a program for plain x86-64: with its registers
/// of two numbers, and with those of four of processors that have AVX2 and FMA (instances/wide.hpp). Elsewhere there is
/// nothing to choose from, and nothing of this costs anything.
namespace corio::detail {

enum class Kernel {
  kinematics_pass,
  composite_inertias,
  composite_coriolis,
  rnea,
  nonlinear_effects,
  crba,
  mass_matrix_inverse,
  aba,
  coriolis_matrix,
  mass_matrix_dot,
  coriolis_matrix_dot,
  coriolis_product,
  coriolis_transpose_product,
  centroidal_momentum_matrix,
  centroidal_momentum_matrix_dot,
  gravity_derivatives,
  christoffel_symbols,
  coriolis_matrix_derivatives,
  inverse_dynamics_derivatives,
  inverse_dynamics_hessian,
  inverse_dynamics_second_derivatives,
  forward_dynamics_derivatives,
  forward_dynamics_hessian,
  fill_regressor,
  regressor_product,
  regressor_transpose_product
};

}  // namespace corio::detail

#if defined(CORIO_INSTANCES) && defined(CORIO_HAS_VERSIONS)
#include "corio/instances/versions.hpp"
#endif

namespace corio::detail {

#if !defined(CORIO_INSTANCES) || !defined(CORIO_HAS_VERSIONS) || defined(CORIO_WIDE)
/// Whether a version of this function for longer registers has done its work. Results are the same but for rounding.
template <Kernel kernel, class... A>
constexpr bool ran_wide(const A&...) {
  return false;
}
#else
template <Kernel kernel, class M, class... A>
CORIO_INLINE bool ran_wide(const M& model, A&&... arguments) {
  using S = typename M::Scalar;
  if constexpr (has_versions<S>)
    if constexpr (std::is_invocable_v<const Versions<S>&, KernelTag<kernel>, const M&, A...>)
      if (const Versions<S>* const wide = WideVersions<S>::used.load(std::memory_order_relaxed)) {
        (*wide)(KernelTag<kernel>(), model, std::forward<A>(arguments)...);
        return true;
      }
  return false;
}
#endif

}  // namespace corio::detail
