#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "corio/batch/pack.hpp"
#include "corio/core/error.hpp"

namespace corio { inline namespace CORIO_ABI { namespace batch {

/// A view of the numbers of many states, a column for each: a matrix, block, map or transpose of Eigen with any
/// strides, or a span with one number for each state. A row-major B x n array, as in numpy, is mapped as a column-major
/// n x B matrix.
/// @tparam S  const for inputs
template <class S>
class View {
 public:
  template <class X>
  View(S* data, const X& x)
      : data_(data), rows_(x.rows()), cols_(x.cols()), row_stride_(x.rowStride()), column_stride_(x.colStride()) {}
  explicit View(std::span<S> x) : data_(x.data()), rows_(1), cols_(std::ssize(x)), row_stride_(1), column_stride_(1) {}

  /// Returns a view of this single column for each of n states.
  View repeated(Eigen::Index n) const {
    View all = *this;
    all.cols_ = n, all.column_stride_ = 0;
    return all;
  }

  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return cols_; }
  S& operator()(Eigen::Index i, Eigen::Index j) const { return data_[i * row_stride_ + j * column_stride_]; }

  /// Loads columns [j, end) into lanes 0, 1, .. of packs; lanes left over repeat column end - 1.
  template <class P>
  void load(Eigen::Index j, Eigen::Index end, VectorX<P>& to) const {
    using N = typename P::Number;
    constexpr int width = P::width;
    to.resize(rows_);
    if (rows_ == 0) return;
    if (column_stride_ == 1 && end - j == P::lanes && std::is_same_v<std::remove_const_t<S>, N>) {
      for (Eigen::Index i = 0; i < rows_; ++i) to[i] = P::load(reinterpret_cast<const N*>(data_ + i * row_stride_ + j));
      return;
    }
    const S* const last =
        &(*this)(rows_ - 1, end - 1);  // Nothing beyond this element is read: other threads may write there.
    N copy[P::lanes][width];
    for_squares(width, [&](Eigen::Index i, int count) {
      const auto row = [&](int l) -> const N* {
        const S* const from = &(*this)(i, (std::min)(j + l, end - 1));
        if constexpr (std::is_same_v<std::remove_const_t<S>, N>)
          if (row_stride_ == 1 && from + width <= last + 1) return from;
        for (int c = 0; c < count; ++c) copy[l][c] = static_cast<N>(from[c * row_stride_]);
        return copy[l];
      };
      P::load_transposed(row, count, to.data() + i);
    });
  }
  template <class P>
  void store(Eigen::Index j, Eigen::Index end, const P* from) const {
    using N = typename P::Number;
    constexpr int width = P::width;
    if (rows_ == 0) return;
    if (column_stride_ == 1 && end - j == P::lanes && std::is_same_v<S, N>) {
      for (Eigen::Index i = 0; i < rows_; ++i) from[i].store(reinterpret_cast<N*>(data_ + i * row_stride_ + j));
      return;
    }
    if constexpr (std::is_same_v<S, N>)
      if (row_stride_ == 1 && end - j == P::lanes && rows_ >= width) return store_columns(j, from);
    const S* const last = &(*this)(rows_ - 1, end - 1);
    const int states = static_cast<int>(end - j);
    N copy[P::lanes][width];
    for_squares(width, [&](Eigen::Index i, int count) {
      // A short column may be written past its end, since the next column follows there and is written after it.
      const bool whole = row_stride_ == 1 && (count == width || column_stride_ == rows_);
      const auto place = [&](int l) -> S* { return &(*this)(i, j + l); };
      const auto is_direct = [&](int l) { return l < states && whole && place(l) + width <= last + 1; };
      P::store_transposed(from + i, count, [&](int l) -> N* {
        if constexpr (std::is_same_v<S, N>)
          if (is_direct(l)) return place(l);
        return copy[l];
      });
      for (int l = 0; l < states; ++l)
        if (!std::is_same_v<S, N> || !is_direct(l))
          for (int c = 0; c < (std::min)(count, width); ++c) place(l)[c * row_stride_] = static_cast<S>(copy[l][c]);
    });
  }

 private:
  /// Stores contiguous columns j, j + 1, .., one for each lane.
  template <class P>
  void store_columns(Eigen::Index j, const P* from) const {
    constexpr int width = P::width;
    S* columns[P::lanes];
    for (int l = 0; l < P::lanes; ++l) columns[l] = &(*this)(0, j + l);
    Eigen::Index i = 0;
    if constexpr (width * sizeof(S) == cache_line)
      if (std::any_of(columns, columns + P::lanes, [](const S* x) { return numbers_before_line(x) != 0; }))
        i = store_lines(columns, from);
    for (; i < rows_; i += width) {
      const Eigen::Index row = (std::min)(i, rows_ - width);
      P::store_transposed(from + row, width, [&](int l) { return columns[l] + row; });
    }
  }
  /// Stores whole lines of the cache of columns that need not begin at a line. A few lines of one column at a time are
  /// put together first: a register as long as a line would otherwise be stored across two lines, which takes twice as
  /// long. With shorter registers the copy would cost more than it saves.
  /// @returns the number of rows that are stored
  template <class P>
  Eigen::Index store_lines(S* const* columns, const P* from) const {
    constexpr int width = P::width, several = (std::max)(8 * width, P::lanes);
    if (rows_ < several + width) return 0;
    P::store_transposed(from, width, [&](int l) { return columns[l]; });
    Eigen::Index i = 0;
    for (; i + several + width <= rows_; i += several) {
      alignas(cache_line) S lines[P::lanes][several + width];
      for (int r = 0; r < several + width; r += width)
        P::store_transposed(from + i + r, width, [&](int l) { return lines[l] + r; });
      for (int l = 0; l < P::lanes; ++l) {
        const int before = numbers_before_line(columns[l]);
        for (int r = before; r < before + several; r += P::lanes) P::load(lines[l] + r).store(columns[l] + i + r);
      }
    }
    return i;
  }
  static constexpr int cache_line = 64;  // bytes
  /// Returns how many numbers lie before the first line that begins at x or later.
  static int numbers_before_line(const S* x) {
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(x) % cache_line);
    return past == 0 ? 0 : (cache_line - past) / static_cast<int>(sizeof(S));
  }
  /// Calls f(row, count) for blocks [row, row + count) that cover all rows; the last one may overlap the one before it.
  template <class F>
  void for_squares(int width, F&& f) const {
    const int count = static_cast<int>(std::min<Eigen::Index>(width, rows_));
    for (Eigen::Index i = 0; i < rows_; i += width) f((std::min)(i, rows_ - count), count);
  }

  S* data_;
  Eigen::Index rows_, cols_, row_stride_, column_stride_;
};

namespace detail {

template <class X>
auto input(const Eigen::DenseBase<X>& x) {
  static_assert((X::Flags & Eigen::DirectAccessBit) != 0,
                "an input of a batch must be a matrix, block or map, not an expression");
  return View<const typename X::Scalar>(x.derived().data(), x.derived());
}
template <class S, std::size_t n>
auto input(const std::span<S, n>& x) {
  return View<const std::remove_const_t<S>>(std::span<const std::remove_const_t<S>>(x));
}
template <class X>
auto output(Eigen::PlainObjectBase<X>& x) {
  return View<typename X::Scalar>(x.data(), x);
}
template <class X>
requires(!std::is_base_of_v<Eigen::PlainObjectBase<X>, X>) auto output(const Eigen::DenseBase<X>& x) {
  constexpr int needed = Eigen::DirectAccessBit | Eigen::LvalueBit;
  static_assert((X::Flags & needed) == needed,
                "an output of a batch must be a matrix, block or map that can be written to");
  using S = typename X::Scalar;
  return View<S>(const_cast<S*>(x.derived().data()), x.derived());
}
template <class S, std::size_t n>
auto output(const std::span<S, n>& x) {
  return View<S>(std::span<S>(x));
}

}  // namespace detail

/// The inputs and outputs of for_each, with the same number of states in each. Nothing is copied.
template <class... X>
auto inputs(const X&... x) {
  return std::make_tuple(detail::input(x)...);
}
template <class... X>
auto outputs(X&&... x) {
  return std::make_tuple(detail::output(x)...);
}

}}}  // namespace corio::batch
