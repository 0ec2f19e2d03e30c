#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// An element of a field of about 0.8 2^62 elements, in which rational functions are evaluated without rounding: equal
/// functions have equal values, and unequal ones at random arguments have unequal values, except with a probability of
/// 10^-15 (J. T. Schwartz, 1980, doi:10.1145/322217.322225).
class Residue {
 public:
  Residue() = default;
  /// The same for the same seeds.
  static Residue random(std::uint64_t seed, std::uint64_t other) { return Residue(mix(seed, other) % prime); }
  /// A number of double, which is an integer times a power of two.
  static Residue of(double x) {
    if (!std::isfinite(x)) return random(1, std::bit_cast<std::uint64_t>(x));
    int exponent;
    auto r = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), 53));
    for (exponent -= 53; exponent > 0; --exponent) r = reduced(2 * r);
    for (; exponent < 0; ++exponent) r = (r % 2 == 0 ? r : r + prime) / 2;
    return x < 0 ? -Residue(r) : Residue(r);
  }
  std::uint64_t bits() const { return x_; }
  bool is_zero() const { return x_ == 0; }

  friend Residue operator+(Residue a, Residue b) { return Residue(reduced(a.x_ + b.x_)); }
  friend Residue operator-(Residue a) { return Residue(reduced(prime - a.x_)); }
  friend Residue operator-(Residue a, Residue b) { return a + -b; }
  friend Residue operator*(Residue a, Residue b) {
    std::uint64_t sum = 0;
    for (; b.x_ > 0; b.x_ /= 2, a.x_ = reduced(2 * a.x_))
      if (b.x_ % 2 == 1) sum = reduced(sum + a.x_);
    return Residue(sum);
  }
  /// a times b to the power prime - 2, for b that is not 0.
  friend Residue operator/(Residue a, Residue b) {
    for (std::uint64_t e = prime - 2; e > 0; e /= 2, b = b * b)
      if (e % 2 == 1) a = a * b;
    return a;
  }

 private:
  /// The first prime after 2^60 pi: modulo one that is close to a power of two, some small numbers would equal others
  /// of double, as 57 equals 2^62 modulo 2^62 - 57.
  static constexpr std::uint64_t prime = 0x3243f6a8885a309d;
  explicit Residue(std::uint64_t x) : x_(x) {}
  static std::uint64_t reduced(std::uint64_t x) { return x < prime ? x : x - prime; }
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t x = (a ^ (b * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 31);
  }
  std::uint64_t x_ = 0;
};

}}}  // namespace corio::codegen
