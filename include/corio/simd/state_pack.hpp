#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "corio/core/detail/inline.hpp"
#include "corio/core/scalar.hpp"
#include "corio/simd/sincos.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// The registers that hold a number of n states: as few as the flags allow, aligned like Eigen's arrays. (Compilers
/// would keep one vector longer than a register in memory.)
template <class S, int n>
struct StateRegisters {
  static constexpr int width = (std::min)(n, longest_register_bytes / static_cast<int>(sizeof(S))), parts = n / width;
  static constexpr int bytes = width * static_cast<int>(sizeof(S));
  static constexpr int alignment =
      EIGEN_MAX_ALIGN_BYTES < 16 ? static_cast<int>(alignof(S)) : (std::min)(bytes, EIGEN_MAX_ALIGN_BYTES);
  static_assert((n & (n - 1)) == 0 && bytes >= 16, "a Pack has 2, 4, 8, .. lanes of double, 4, 8, 16, .. of float");
  using Integer = std::conditional_t<sizeof(S) == 8, std::int64_t, std::int32_t>;
  typedef S Real __attribute__((vector_size(bytes), aligned(alignment)));
  typedef Integer Bits __attribute__((vector_size(bytes), aligned(alignment)));
  /// The number of angles of a SinCosBlock in double: `width`, or the lanes of a register if these are fewer.
  static constexpr int angles = (std::min)(width, longest_register_bytes / 8);
};

/// The consecutive lanes first + l.. of a vector. The vector is passed by value, since the caller's vector may be
/// aligned less than a register.
template <int first, class Vector, int... l>
CORIO_INLINE auto lanes_from(Vector x, std::integer_sequence<int, l...>) {
  return shuffle<(first + l)...>(x, x);
}
/// Returns whether any lane of a vector of n integers is nonzero.
template <int n, class Bits>
CORIO_INLINE bool any_lane(Bits x) {
  if constexpr (n == 2) {
    return (x[0] | x[1]) != 0;
  } else {
    using Half = std::make_integer_sequence<int, n / 2>;
    return any_lane<n / 2>(lanes_from<0>(x, Half()) | lanes_from<n / 2>(x, Half()));
  }
}

/// Transposes the n x n matrix whose rows are x[0] .. x[n - 1]: for each bit of the indices, exchanges the off-diagonal
/// blocks of rows and lanes that differ in that bit.
template <int n, int bit = 1, class Vector>
CORIO_INLINE void transpose_square(Vector (&x)[n]) {
  if constexpr (bit < n) {
    repeat<n>([&](auto r) CORIO_INLINE_LAMBDA {
      if constexpr ((r & bit) == 0) {
        const Vector a = x[r], b = x[r + bit];
        [&]<int... l>(std::integer_sequence<int, l...>) CORIO_INLINE_LAMBDA {
          x[r] = shuffle<((l & bit) ? n + l - bit : l)...>(a, b);
          x[r + bit] = shuffle<((l & bit) ? n + l : l + bit)...>(a, b);
        }
        (std::make_integer_sequence<int, n>());
      }
    });
    transpose_square<n, 2 * bit>(x);
  }
}

}  // namespace detail

/// The result of comparing two Packs: a bool per state. It does not convert to bool, since states may differ: use
/// select, or in_every_state and in_any_state if all states take the same branch.
template <class S, int n>
class Mask {
  using Registers = detail::StateRegisters<S, n>;

 public:
  using Bits = typename Registers::Bits;
  static constexpr int parts = Registers::parts;
  Bits part[parts];

  explicit operator bool() const = delete;
  CORIO_INLINE bool operator[](int l) const { return part[l / Registers::width][l % Registers::width] != 0; }

  CORIO_INLINE friend Mask operator&&(const Mask& a, const Mask& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Bits(a.part[p] & b.part[p]); });
  }
  CORIO_INLINE friend Mask operator||(const Mask& a, const Mask& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Bits(a.part[p] | b.part[p]); });
  }
  CORIO_INLINE Mask operator!() const {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Bits(~part[p]); });
  }
  CORIO_INLINE friend bool in_any_state(const Mask& a) {
    Bits bits = a.part[0];
    for (int p = 1; p < parts; ++p) bits |= a.part[p];
    return detail::any_lane<Registers::width>(bits);
  }
  CORIO_INLINE friend bool in_every_state(const Mask& a) { return !in_any_state(!a); }

  template <class F>
  CORIO_INLINE static Mask map(F&& f) {
    return [&]<int... p>(std::integer_sequence<int, p...>) CORIO_INLINE_LAMBDA { return Mask{{f(p)...}}; }
    (std::make_integer_sequence<int, parts>());
  }
};

/// The numbers of n states, as one scalar: Model<Pack<double, 8>> computes eight states at once, in about the time of
/// one. n is a power of two; 8 doubles or 16 floats fill a register of AVX-512, half as many a register of AVX2, and
/// longer packs take several registers. No lane depends on another lane: a state that is NaN, or singular, does not
/// affect the others. Comparisons return a Mask; see select.
template <class S, int n>
class Pack {
  using Registers = detail::StateRegisters<S, n>;

 public:
  using Number = S;
  using Real = typename Registers::Real;
  static constexpr int lanes = n, width = Registers::width, parts = Registers::parts;
  Real part[parts];

  Pack() = default;
  /// Sets all lanes to x.
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) CORIO_INLINE Pack(T x)  // NOLINT
      : Pack(map([&](int) CORIO_INLINE_LAMBDA { return Real(static_cast<S>(x) - Real{}); })) {}

  CORIO_INLINE static Pack load(const S* from) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Unaligned::load(from + p * width).x; });
  }
  CORIO_INLINE void store(S* to) const {
    for (int p = 0; p < parts; ++p) {
      const Aligned numbers = part[p];
      Unaligned(numbers).store(to + p * width);
    }
  }
  CORIO_INLINE S operator[](int l) const { return part[l / width][l % width]; }
  CORIO_INLINE void set(int l, S x) { part[l / width][l % width] = x; }

  CORIO_INLINE Pack operator-() const {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Real(-part[p]); });
  }
  CORIO_INLINE Pack operator+() const { return *this; }
  CORIO_INLINE friend Pack operator+(const Pack& a, const Pack& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Real(a.part[p] + b.part[p]); });
  }
  CORIO_INLINE friend Pack operator-(const Pack& a, const Pack& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Real(a.part[p] - b.part[p]); });
  }
  CORIO_INLINE friend Pack operator*(const Pack& a, const Pack& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Real(a.part[p] * b.part[p]); });
  }
  CORIO_INLINE friend Pack operator/(const Pack& a, const Pack& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Real(a.part[p] / b.part[p]); });
  }
  CORIO_INLINE Pack& operator+=(const Pack& b) { return *this = *this + b; }
  CORIO_INLINE Pack& operator-=(const Pack& b) { return *this = *this - b; }
  CORIO_INLINE Pack& operator*=(const Pack& b) { return *this = *this * b; }
  CORIO_INLINE Pack& operator/=(const Pack& b) { return *this = *this / b; }

  using Where = Mask<S, n>;
  CORIO_INLINE friend Where operator<(const Pack& a, const Pack& b) {
    return Where::map([&](int p) CORIO_INLINE_LAMBDA { return Bits(a.part[p] < b.part[p]); });
  }
  CORIO_INLINE friend Where operator<=(const Pack& a, const Pack& b) {
    return Where::map([&](int p) CORIO_INLINE_LAMBDA { return Bits(a.part[p] <= b.part[p]); });
  }
  CORIO_INLINE friend Where operator==(const Pack& a, const Pack& b) {
    return Where::map([&](int p) CORIO_INLINE_LAMBDA { return Bits(a.part[p] == b.part[p]); });
  }
  CORIO_INLINE friend Where operator!=(const Pack& a, const Pack& b) { return !(a == b); }
  CORIO_INLINE friend Where operator>(const Pack& a, const Pack& b) { return b < a; }
  CORIO_INLINE friend Where operator>=(const Pack& a, const Pack& b) { return b <= a; }

  /// Returns a in states for which the mask holds, b in the others.
  CORIO_INLINE friend Pack select(const Where& where, const Pack& a, const Pack& b) {
    return map([&](int p) CORIO_INLINE_LAMBDA { return Real(where.part[p] ? a.part[p] : b.part[p]); });
  }
  CORIO_INLINE friend Pack abs(const Pack& a) {
    return map([&](int p) CORIO_INLINE_LAMBDA {
      return __builtin_bit_cast(Real, __builtin_bit_cast(Bits, a.part[p]) & (std::numeric_limits<Integer>::max)());
    });
  }
  CORIO_INLINE friend Pack(min)(const Pack& a, const Pack& b) { return select(b < a, b, a); }
  CORIO_INLINE friend Pack(max)(const Pack& a, const Pack& b) { return select(a < b, b, a); }
  CORIO_INLINE friend Where isfinite(const Pack& a) { return abs(a) <= Pack((std::numeric_limits<S>::max)()); }
  CORIO_INLINE friend Pack sqrt(const Pack& a) {
    return by_lane([](S x) CORIO_INLINE_LAMBDA { return std::sqrt(x); }, a);
  }

  /// Each lane is correct to within one unit in the last place.
  CORIO_INLINE friend void sincos(const Pack& a, Pack& sine, Pack& cosine) {
    a.template sincos_of<true, true>(sine, cosine);
  }
  CORIO_INLINE friend Pack sin(const Pack& a) {
    Pack sine, cosine;
    a.template sincos_of<true, false>(sine, cosine);
    return sine;
  }
  CORIO_INLINE friend Pack cos(const Pack& a) {
    Pack sine, cosine;
    a.template sincos_of<false, true>(sine, cosine);
    return cosine;
  }
  friend Pack tan(const Pack& a) {
    return by_lane([](S x) { return std::tan(x); }, a);
  }
  friend Pack atan(const Pack& a) {
    return by_lane([](S x) { return std::atan(x); }, a);
  }
  friend Pack atan2(const Pack& a, const Pack& b) {
    return by_lane([](S y, S x) { return std::atan2(y, x); }, a, b);
  }
  friend Pack tanh(const Pack& a) {
    return by_lane([](S x) { return std::tanh(x); }, a);
  }
  friend Pack exp(const Pack& a) {
    return by_lane([](S x) { return std::exp(x); }, a);
  }
  friend Pack log(const Pack& a) {
    return by_lane([](S x) { return std::log(x); }, a);
  }
  friend Pack hypot(const Pack& a, const Pack& b) {
    return by_lane([](S x, S y) { return std::hypot(x, y); }, a, b);
  }
  friend Pack floor(const Pack& a) {
    return by_lane([](S x) { return std::floor(x); }, a);
  }
  friend Pack round(const Pack& a) {
    return by_lane([](S x) { return std::round(x); }, a);
  }

  /// Reads, and writes, `count` packs (at most `width`) from arrays with contiguous numbers of each state: row(l)
  /// points to the numbers of state l, with room for `width` numbers.
  template <class Row>
  CORIO_INLINE static void load_transposed(Row&& row, int count, Pack* to) {
    for (int p = 0; p < parts; ++p) {
      Aligned square[width];
      for (int l = 0; l < width; ++l) square[l] = Unaligned::load(row(p * width + l)).x;
      detail::transpose_square(square);
      for (int i = 0; i < count; ++i) to[i].part[p] = square[i];
    }
  }
  template <class Row>
  CORIO_INLINE static void store_transposed(const Pack* from, int count, Row&& row) {
    for (int p = 0; p < parts; ++p) {
      Aligned square[width];
      for (int i = 0; i < width; ++i) square[i] = from[(std::min)(i, count - 1)].part[p];
      detail::transpose_square(square);
      for (int l = 0; l < width; ++l) Unaligned(square[l]).store(row(p * width + l));
    }
  }

  /// Returns the pack of f(a[l]..) for each state l.
  template <class F, class... Packs>
  CORIO_INLINE static Pack by_lane(F&& f, const Packs&... a) {
    Pack out;
    for (int l = 0; l < n; ++l) out.set(l, f(a[l]...));
    return out;
  }

 private:
  using Bits = typename Registers::Bits;
  using Integer = typename Registers::Integer;
  using Unaligned = detail::Lanes<S, width>;
  /// The type of arguments by reference, since Real may be aligned less than a register.
  using Aligned = typename Unaligned::Type;

  template <class F>
  CORIO_INLINE static Pack map(F&& f) {
    Pack out;
#ifdef __OPTIMIZE__
    detail::repeat<parts>([&](auto p) CORIO_INLINE_LAMBDA { out.part[p] = f(p); });
#else  // a third of the calls, none of which becomes inline
    for (int p = 0; p < parts; ++p) out.part[p] = f(p);
#endif
    return out;
  }

  template <bool wants_sine, bool wants_cosine>
  CORIO_INLINE void sincos_of(Pack& sine, Pack& cosine) const {
#ifdef CORIO_VECTOR_SINCOS
    detail::repeat<parts>([&](auto p) CORIO_INLINE_LAMBDA {
      constexpr int at_once = Registers::angles;
      using Block = detail::SinCosBlock<at_once>;
      using Chunk = std::make_integer_sequence<int, at_once>;
      if constexpr (at_once == width && sizeof(S) == 8) {
        const Aligned angles = part[p];
        const Block block(angles);
        sine.part[p] = block.sine, cosine.part[p] = block.cosine;
      } else {
        detail::repeat<width / at_once>([&](auto c) CORIO_INLINE_LAMBDA {
          const auto some = detail::lanes_from<c * at_once>(part[p], Chunk());
          const Block block(__builtin_convertvector(some, typename Block::Real));
          for (int l = 0; l < at_once; ++l) {
            sine.part[p][c * at_once + l] = static_cast<S>(block.sine[l]);
            cosine.part[p][c * at_once + l] = static_cast<S>(block.cosine[l]);
          }
        });
      }
    });
    if (const Where in_range = abs(*this) <= Pack(1e5); !in_every_state(in_range)) {
      if constexpr (wants_sine) replace(sine, in_range, [](S x) { return std::sin(x); });
      if constexpr (wants_cosine) replace(cosine, in_range, [](S x) { return std::cos(x); });
    }
#else
    if constexpr (wants_sine) sine = by_lane([](S x) { return std::sin(x); }, *this);
    if constexpr (wants_cosine) cosine = by_lane([](S x) { return std::cos(x); }, *this);
#endif
  }
  /// Replaces the lanes of `result` for which the mask does not hold by the lanes of f(*this).
  template <class F>
  CORIO_NOINLINE void replace(Pack& result, const Where& holds, F f) const {
    for (int l = 0; l < n; ++l)
      if (!holds[l]) result.set(l, f((*this)[l]));
  }
};

template <class S, int n>
inline constexpr int states_of<Pack<S, n>> = n;
template <class S, int n>
struct NumberOf<Pack<S, n>> {
  using Type = S;
};
/// The pack itself, so that comparisons are made per state. value_of is deleted: n states have no single value.
template <class S, int n>
struct ScalarValue<Pack<S, n>> {
  CORIO_INLINE static const Pack<S, n>& of(const Pack<S, n>& x) { return x; }
};
template <class S, int n>
double value_of(const Pack<S, n>&) = delete;

template <class S, int n>
double farthest_from(double x, const Pack<S, n>& of) {
  double result = x;
  for (int l = 0; l < n; ++l)
    if (!(std::abs(of[l] - x) <= std::abs(result - x))) result = static_cast<double>(of[l]);
  return result;
}
/// Element by element.
template <class S, int n, class T, int rows, int columns>
Eigen::Matrix<T, rows, columns> select(const Mask<S, n>& where, const Eigen::Matrix<T, rows, columns>& a,
                                       const Eigen::Matrix<T, rows, columns>& b) {
  Eigen::Matrix<T, rows, columns> out = a;
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = select(where, a(i), b(i));
  return out;
}
/// The overload of choose (core/scalar.hpp) for packs decides for each state.
template <class S, int n, class Then, class Otherwise>
CORIO_INLINE auto choose(const Mask<S, n>& where, Then&& then, Otherwise&& otherwise) {
  if (in_every_state(where)) return then();
  if (!in_any_state(where)) return otherwise();
  return select(where, then(), otherwise());
}

}}  // namespace corio

namespace Eigen {

template <class S, int n>
struct NumTraits<corio::Pack<S, n>> : NumTraits<S> {
  using Real = corio::Pack<S, n>;
  using NonInteger = corio::Pack<S, n>;
  using Nested = corio::Pack<S, n>;
  using Literal = S;
  enum { IsComplex = 0, RequireInitialization = 0 };
};

namespace internal {
/// The alignment of Pack itself.
template <class S, int n>
struct compute_default_alignment<corio::Pack<S, n>, Dynamic> {
  enum { value = 0 };
};
template <class S, int n, int size>
struct compute_default_alignment<corio::Pack<S, n>, size> {
  enum { value = 0 };
};
}  // namespace internal

}  // namespace Eigen
