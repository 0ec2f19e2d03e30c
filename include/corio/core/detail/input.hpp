#pragma once

#include <cmath>

#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"

/// Checks of arguments. Sizes are always checked, which costs nothing. Functions that keep a state or solve equations
/// (time steps and simulations, controllers, observers and estimators, mechanisms, constrained dynamics, assembly)
/// refuse numbers that are not finite, by name and before anything is changed: a single one would corrupt all later
/// results, or look like a singular configuration. All other functions pass them on to their results. Functions of
/// packs of states always pass them on: a state that is not finite affects only its own lane. If the macro
/// CORIO_CHECK_INPUTS is defined, every function rejects them, and forward_kinematics also rejects a unit quaternion
/// (or unit vector) of q whose norm differs from one by more than 1e-3. Use it to find where a control loop first
/// computes a NaN. Sources of a program with and without it use different functions; if they exchange a Model or Data,
/// the program does not link.
namespace corio { inline namespace CORIO_ABI { namespace detail {

#ifdef CORIO_CHECK_INPUTS
inline constexpr bool checks_inputs = true;
#else
inline constexpr bool checks_inputs = false;
#endif

/// Always true for packs of states: a state that is not finite must not stop the others.
template <class Derived>
bool all_finite(const Eigen::DenseBase<Derived>& x) {
  if constexpr (states_of<typename Derived::Scalar> == 1 && is_checked<typename Derived::Scalar>)
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i)
        if (!std::isfinite(value_of(x.derived().coeff(i, j)))) return false;
  return true;
}

/// @param function  the function that the message names; by default the caller
/// @param cause     ": " and the likely cause, for a result
/// @param owner     the owner of an index, which the message names, such as " (joint 'elbow')"
/// @throws Error with the name, index and value of the first number that is not finite
template <class X, class Owner>
void require_finite(const char* what, const X& x, const char* function, const char* cause, Owner&& owner) {
  if (all_finite(x)) return;
  if constexpr (states_of<typename X::Scalar> == 1) {
    Eigen::Index i = 0;
    while (std::isfinite(value_of(x[i]))) ++i;
    throw Error(join({plain_name(function), ": ", what, "[", Digits(i), "] is ", number(value_of(x[i])), owner(i),
                      cause, "; nothing was changed"}));
  }
}
template <class X>
void require_finite(const char* what, const X& x, const char* function = __builtin_FUNCTION(), const char* cause = "") {
  require_finite(what, x, function, cause, [](Eigen::Index) { return ""; });
}
inline void require_finite(const char* what, double x, const char* function = __builtin_FUNCTION()) {
  if (!std::isfinite(x)) throw Error(join({plain_name(function), ": ", what, " is ", number(x), ", must be finite"}));
}

/// Both check the size. check_finite_vector also checks that all numbers are finite, check_vector only if
/// CORIO_CHECK_INPUTS is defined. For vectors of a robot: check_finite_coordinates and check_finite_speeds of
/// model/detail/check_vectors.hpp.
template <class X>
void check_finite_vector(const char* what, const X& x, Eigen::Index expected,
                         const char* function = __builtin_FUNCTION()) {
  check_size(what, x.size(), expected, function);
  require_finite(what, x, function);
}
template <class X>
void check_vector(const char* what, const X& x, Eigen::Index expected, const char* function = __builtin_FUNCTION()) {
  check_size(what, x.size(), expected, function);
  if constexpr (checks_inputs) require_finite(what, x, function);
}

/// @throws Error unless a tolerance is zero or positive, since comparisons with a negative tolerance or NaN fail
inline void check_tolerance(const char* what, double tolerance, const char* function = __builtin_FUNCTION()) {
  if (!(tolerance >= 0.0))
    throw Error(join({plain_name(function), ": ", what, " is ", number(tolerance), ", must be zero or positive"}));
}

/// @throws ModelError unless k is the index of one of n degrees of freedom
inline void check_dof(const char* what, int k, int n, const char* function = __builtin_FUNCTION()) {
  if (k < 0 || k >= n)
    throw ModelError(join({plain_name(function), ": ", what, " is ", Digits(k),
                           ", expected the index of a degree of freedom, from 0 to ", Digits(n - 1),
                           " (v_indices of the model or mechanism gives the indices of a joint)"}));
}

}}}  // namespace corio::detail
