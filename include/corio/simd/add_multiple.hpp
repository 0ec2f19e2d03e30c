#pragma once

#include "corio/simd/lanes.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Sets out_i = f(x_i, y_i) for n numbers; f also takes several numbers in a register. `out` may begin where x or y
/// does, or before.
template <class S, class F>
CORIO_INLINE void map_numbers(S* out, const S* x, const S* y, Eigen::Index n, F&& f) {
  using P = Lanes<S>;
  Eigen::Index i = 0;
  for (; i < n - n % P::width; i += P::width) f(P::load(x + i), P::load(y + i)).store(out + i);
  if constexpr (P::width == 4) {
    using Half = Lanes<S, 2>;
    if (n % 4 >= 2) f(Half::load(x + i), Half::load(y + i)).store(out + i), i += 2;
  }
  for (; i < n; ++i) out[i] = f(x[i], y[i]);
}

/// Adds a x to `to`, for n numbers. For short columns an expression of Eigen would take longer to find its bounds.
template <class S>
CORIO_INLINE void add_multiple(S* to, const S& a, const S* x, Eigen::Index n) {
  map_numbers(to, to, x, n, [&a](const auto& y, const auto& z) CORIO_INLINE_LAMBDA { return y + a * z; });
}

/// Calls f(n), with a constant n if n is small: loops over short rows then have no tests.
template <class S, class F>
CORIO_INLINE void with_length(Eigen::Index n, F&& f) {
  if constexpr (has_registers<S>) switch (n) {
      case 1: return f(Count<1>());
      case 2: return f(Count<2>());
      case 3: return f(Count<3>());
      case 4: return f(Count<4>());
      case 6: return f(Count<6>());
      default: break;
    }
  f(n);
}

/// Returns the sum of x_i y_i for n numbers.
template <class S>
CORIO_INLINE S inner_product(const S* x, const S* y, Eigen::Index n) {
  using P = Lanes<S>;
  P sums = P::zero();
  Eigen::Index i = 0;
  for (; i < n - n % P::width; i += P::width) sums += P::load(x + i) * P::load(y + i);
  S sum = sums[0];
  for (int l = 1; l < P::width; ++l) sum += sums[l];
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

}}}  // namespace corio::detail
