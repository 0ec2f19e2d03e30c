#pragma once

#include <casadi/casadi.hpp>

#include "corio/core/scalar.hpp"

/// Makes CasADi's expressions a scalar: `model.cast<casadi::SXElem>()` is a robot whose functions are graphs. Build the
/// model over double. A branch that the mathematics needs is an if_else of both sides, so that values are right in
/// every state; its derivatives are NaN where those of the side that does not hold are infinite. Code that decides by a
/// value, such as a choice of pivots, throws CasADi's exception.
namespace casadi {

/// The value that comparisons use: the expression itself.
struct SXValue : SXElem {
  using SXElem::SXElem;
  SXValue(const SXElem& x) : SXElem(x) {}  // NOLINT(google-explicit-constructor)
  explicit operator double() const { return static_cast<double>(static_cast<const SXElem&>(*this)); }
};
inline bool in_every_state(const SXElem& condition) { return condition.is_constant() && !condition.is_zero(); }
inline bool in_any_state(const SXElem& condition) { return !condition.is_constant() || !condition.is_zero(); }
inline SXElem select(const SXElem& where, const SXElem& a, const SXElem& b) { return if_else(where, a, b); }
template <class T, int n, int m>
Eigen::Matrix<T, n, m> select(const SXElem& where, Eigen::Matrix<T, n, m> a, const Eigen::Matrix<T, n, m>& b) {
  for (Eigen::Index i = 0; i < a.size(); ++i) a(i) = select(where, a(i), b(i));
  return a;
}
/// Returns then() if the condition holds, else otherwise(): see corio::choose.
template <class Then, class Otherwise>
auto choose(const SXElem& where, Then&& then, Otherwise&& otherwise) {
  if (in_every_state(where)) return then();
  if (!in_any_state(where)) return otherwise();
  return select(where, then(), otherwise());
}
inline SXElem scale_to_one(const SXElem& size) { return if_else(size > 0, 1 / size, 1); }
inline SXElem round(const SXElem& x) { return floor(x + 0.5); }

}  // namespace casadi

template <>
inline constexpr bool corio::is_checked<casadi::SXElem> = false;
template <>
struct corio::NumberOf<casadi::SXValue> {
  using Type = double;
};
template <>
struct corio::ScalarValue<casadi::SXElem> {
  static casadi::SXValue of(const casadi::SXElem& x) { return x; }
};
template <>
struct Eigen::NumTraits<casadi::SXElem> : Eigen::NumTraits<double> {
  using Real = casadi::SXElem;
  using NonInteger = casadi::SXElem;
  using Nested = casadi::SXElem;
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
/// @cond
// Eigen leaves out products of numbers for which this is false.
template <>
inline bool Eigen::numext::not_equal_strict(const casadi::SXElem& x, const casadi::SXElem& y) {
  return !is_equal(x, y);
}
/// @endcond
