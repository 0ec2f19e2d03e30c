#pragma once

#include <type_traits>

#include "corio/core/inline.hpp"
#include "corio/core/scalar.hpp"

namespace corio {
namespace detail {

/// A T<S> that is the same in all states of S: kept as plain numbers, and broadcast wherever it is read.
template <template <class> class T, class S>
class Broadcast {
 public:
  using Plain = T<typename NumberOf<S>::Type>;
  Broadcast(const Plain& x) : x_(x) {}                                  // NOLINT(google-explicit-constructor)
  CORIO_INLINE operator T<S>() const { return x_.template cast<S>(); }  // NOLINT(google-explicit-constructor)
  template <class Other>
  T<Other> cast() const {
    return x_.template cast<Other>();
  }

 private:
  Plain x_;
};

}  // namespace detail

/// What a model keeps of a T<S>, which is read as one: a T<S>; of a Pack of states plain numbers. As packs the
/// constants of a humanoid would leave the nearest cache.
template <template <class> class T, class S>
using Constant = std::conditional_t<states_of<S> == 1, T<S>, detail::Broadcast<T, S>>;

}  // namespace corio
