#pragma once

#include <vector>

#include "corio/simd/pack.hpp"
#include "corio/spatial/body_coriolis.hpp"

namespace corio::detail {

/// The spatial quantities T, such as motions, of all degrees of freedom, stored number by number: those of neighbours
/// lie side by side, so that a pack of them is read and written at once.
template <class S, template <class> class T>
class Columns {
 public:
  explicit Columns(int nv) : stride_(nv + pack_padding<S>), numbers_(static_cast<std::size_t>(stride_ * size), S(0)) {}

  /// Those of degree of freedom k and the ones after it, as many as there are lanes.
  CORIO_INLINE void set(int k, const T<Pack<S>>& column) {
    const auto from = reinterpret_cast<const Pack<S>*>(&column);
    repeat<size>([&](int r) CORIO_INLINE_LAMBDA { from[r].store(numbers_.data() + r * stride_ + k); });
  }
  CORIO_INLINE T<Pack<S>> pack(int k) const {
    T<Pack<S>> column;
    const auto to = reinterpret_cast<Pack<S>*>(&column);
    repeat<size>([&](int r) CORIO_INLINE_LAMBDA { to[r] = Pack<S>::load(numbers_.data() + r * stride_ + k); });
    return column;
  }

 private:
  static constexpr int size = sizeof(T<S>) / sizeof(S);
  static_assert(sizeof(T<Pack<S>>) == size * sizeof(Pack<S>));

  std::ptrdiff_t stride_;
  std::vector<S> numbers_;
};

}  // namespace corio::detail
