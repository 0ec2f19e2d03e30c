#pragma once

#include <cstddef>

/// CORIO_HAS_VERSIONS: whether corio::instances holds the functions below twice (versions.hpp). Not where the compiler
/// may use AVX2 and FMA anyway.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !(defined(__AVX2__) && defined(__FMA__))
#define CORIO_HAS_VERSIONS
#endif

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

/// What a file compiled for long registers offers to the others, and sizes of the classes that it was compiled for.
struct WideLink {
  const void* versions;
  std::size_t layout[12];
};

}  // namespace corio::detail

#ifdef CORIO_HAS_VERSIONS
extern "C" {
extern corio::detail::WideLink corio_wide_double;
extern corio::detail::WideLink corio_wide_float;
}
#endif
