#pragma once

#include "corio/kernels/pairs.hpp"

namespace corio::baseline {

/// Columns of numbers, one per degree of freedom, stored by coordinate: coordinate r of column k and of the columns
/// after it lie side by side.
template <class S, int rows>
class Columns {
 public:
  explicit Columns(int n) : stride_(n + detail::group_padding<S>), x_(static_cast<std::size_t>(stride_ * rows), S(0)) {}
  CORIO_INLINE S* at(int r, int k) { return x_.data() + r * stride_ + k; }
  CORIO_INLINE const S* at(int r, int k) const { return x_.data() + r * stride_ + k; }
  /// Returns three coordinates of column k, from `first` on.
  CORIO_INLINE void set(int k, const Vector3<S>& a, int first = 0) {
    for (int r = 0; r < 3; ++r) *at(first + r, k) = a[r];
  }
  CORIO_INLINE void set(int k, const Force<S>& F) { set(k, F.moment), set(k, F.force, 3); }
  CORIO_INLINE void set(int k, const Motion<S>& V) { set(k, V.angular), set(k, V.linear, 3); }

 private:
  std::ptrdiff_t stride_;
  std::vector<S> x_;
};

/// Calls f(k, count) for the ranges [k, k + count) that make up [begin, end); all but the last have the size
/// group_size.
template <class S, class F>
CORIO_INLINE void for_each_pack(int begin, int end, F&& f) {
  constexpr int width = detail::group_size<S>;
  int k = begin;
  for (; k + width <= end; k += width) f(k, detail::Count<width>());
  detail::for_rest<width - 1>(end - k, k, f);
}

}  // namespace corio::baseline
