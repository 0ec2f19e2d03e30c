#pragma once

#include <cmath>

#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"

/// What functions check of their arguments. Sizes always: that costs nothing. Numbers only where the macro
/// CORIO_CHECK_INPUTS is defined, which must then be so in all sources of a program: every function throws an Error
/// that names it for an argument that holds a number that is not finite, and forward_kinematics for a quaternion (or
/// the like) whose norm is off one by more than 1e-3. Meant for the search for the place where a control loop goes
/// wrong.
namespace corio::detail {

#ifdef CORIO_CHECK_INPUTS
inline constexpr bool checks_inputs = true;
#else
inline constexpr bool checks_inputs = false;
#endif

template <class Derived>
bool all_finite(const Eigen::DenseBase<Derived>& x) {
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      if (!std::isfinite(value_of(x.derived().coeff(i, j)))) return false;
  return true;
}

/// @param function  for the message; by default the one that calls this
template <class X>
void check_input(const char* what, const X& x, Eigen::Index expected, const char* function = __builtin_FUNCTION()) {
  check_size(what, x.size(), expected, function);
  if constexpr (checks_inputs)
    for (Eigen::Index i = 0; i < x.size(); ++i)
      if (const double number_i = value_of(x.data()[i]); !std::isfinite(number_i))
        throw Error(join({plain_name(function), ": ", what, "[", std::to_string(i), "] is ", number(number_i)}));
}

}  // namespace corio::detail
