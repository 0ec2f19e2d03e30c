#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "corio/core/error.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// An element of a field of about 0.8 2^62 elements, which evaluates rational functions without rounding: equal ones
/// have equal values, unequal ones at random arguments unequal values, except with a probability of 10^-15 (J. T.
/// Schwartz, 1980, doi:10.1145/322217.322225).
class Residue {
 public:
  Residue() = default;
  /// Returns a random element that its seeds determine.
  static Residue random(std::uint64_t seed, std::uint64_t other) { return Residue(mix(seed, other) % prime); }
  /// Converts a double, which is an integer times a power of two.
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
  /// Returns a times b to the power prime - 2, for nonzero b.
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

/// A kind of operation on a tape. Kinds are compared by address.
struct Operation {
  int operands;
  const char* text;  // C code with operands $A, $B and $C; functions of <math.h> over float end with $F
  double (*value)(double a, double b, double c);
  bool is_condition = false;  // the value is 1 or 0
  bool is_function() const { return text[0] >= 'a' && text[0] <= 'z'; }
};

/// The recorded functions y = f(a) of <cmath> and their derivatives.
#define CORIO_RECORDED_FUNCTIONS(DO)           \
  DO(sqrt, Recorded(0.5) / y)                  \
  DO(cbrt, one / (Recorded(3) * y * y))        \
  DO(fabs, select(a < Recorded(0), -one, one)) \
  DO(sin, cos(a))                              \
  DO(cos, -sin(a))                             \
  DO(tan, one + y * y)                         \
  DO(asin, one / sqrt(one - a * a))            \
  DO(acos, -one / sqrt(one - a * a))           \
  DO(atan, one / (one + a * a))                \
  DO(sinh, cosh(a))                            \
  DO(cosh, sinh(a))                            \
  DO(tanh, one - y * y)                        \
  DO(exp, y)                                   \
  DO(expm1, y + one)                           \
  DO(log, one / a)                             \
  DO(log1p, one / (one + a))                   \
  DO(floor, Recorded(0))                       \
  DO(ceil, Recorded(0))                        \
  DO(round, Recorded(0))
namespace operation {
#define CORIO_OPERATION(f, derivative) \
  inline constexpr Operation f{1, #f "$F($A)", [](double a, double, double) { return std::f(a); }};
CORIO_RECORDED_FUNCTIONS(CORIO_OPERATION)
#undef CORIO_OPERATION
inline constexpr Operation atan2{2, "atan2$F($A, $B)", [](double a, double b, double) { return std::atan2(a, b); }};
inline constexpr Operation hypot{2, "hypot$F($A, $B)", [](double a, double b, double) { return std::hypot(a, b); }};
inline constexpr Operation pow{2, "pow$F($A, $B)", [](double a, double b, double) { return std::pow(a, b); }};
inline constexpr Operation fmod{2, "fmod$F($A, $B)", [](double a, double b, double) { return std::fmod(a, b); }};
inline constexpr Operation constant{0, "", nullptr};
inline constexpr Operation input{0, "", nullptr};
inline constexpr Operation plus{2, "$A + $B", [](double a, double b, double) { return a + b; }};
inline constexpr Operation minus{2, "$A - $B", [](double a, double b, double) { return a - b; }};
inline constexpr Operation times{2, "$A * $B", [](double a, double b, double) { return a * b; }};
inline constexpr Operation over{2, "$A / $B", [](double a, double b, double) { return a / b; }};
inline constexpr Operation negative{1, "-$A", [](double a, double, double) { return -a; }};
inline constexpr Operation less{2, "$A < $B", [](double a, double b, double) -> double { return a < b; }, true};
inline constexpr Operation less_equal{2, "$A <= $B", [](double a, double b, double) -> double { return a <= b; }, true};
inline constexpr Operation equal{2, "$A == $B", [](double a, double b, double) -> double { return a == b; }, true};
inline constexpr Operation finite{1, "$A - $A == 0",
                                  [](double a, double, double) -> double { return std::isfinite(a); }, true};
inline constexpr Operation both{2, "$A & $B", [](double a, double b, double) { return a * b; }, true};
inline constexpr Operation either{2, "$A | $B", [](double a, double b, double) { return (std::max)(a, b); }, true};
inline constexpr Operation opposite{1, "$A == 0", [](double a, double, double) { return 1 - a; }, true};
inline constexpr Operation choice{3, "$A ? $B : $C", [](double a, double b, double c) { return a != 0 ? b : c; }};
}  // namespace operation

/// Returns the residue of a result, which is exact for rational functions. Sine and cosine are a point of the circle,
/// random for each angle; any other function is a random number for each argument.
inline Residue residue(const Operation& o, Residue a, Residue b, Residue c) {
  const auto one = Residue::of(1), t = Residue::random(2, a.bits()), square = t * t;
  if (&o == &operation::plus) return a + b;
  if (&o == &operation::minus) return a - b;
  if (&o == &operation::negative) return -a;
  if (&o == &operation::times) return a * b;
  if (&o == &operation::over && !b.is_zero()) return a / b;
  if (&o == &operation::sin) return (t + t) / (one + square);
  if (&o == &operation::cos) return (one - square) / (one + square);
  auto r = Residue::random(3, 0);
  for (const char* letter = o.text; *letter; ++letter) r = Residue::random(r.bits(), std::uint64_t(*letter));
  for (const Residue x : {a, b, c}) r = Residue::random(r.bits(), x.bits());
  return r;
}

/// The operations of one recording, in order. Algebraically equal terms, such as (a + b) + c and c + (b + a), share an
/// entry; the opposite of a term is its negative, and a term that is always zero the constant 0. Only the numbers of
/// its recording refer to a tape, so that several threads may record at once.
class Tape {
 public:
  /// An operation and its result.
  struct Entry {
    const Operation* operation;
    int operand[3];  // earlier entries, or the number of an input
    double value;    // the value at the nominal inputs
    Residue residue;
    bool is_nominal;  // whether all inputs on which it depends have nominal values
    bool is(const Operation& o) const { return operation == &o; }
    bool is_leaf() const { return operation->operands == 0; }
  };

  Tape() { constant(0), constant(1); }
  ~Tape() { *place_ = nullptr; }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  const Entry& operator[](int i) const { return entries_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(entries_.size()); }
  /// The place where its numbers find the tape, null when the tape is gone. No other tape ever has this place, which
  /// takes eight bytes.
  Tape* const* place() const { return place_; }

  int constant(double x) {
    Residue r = Residue::of(x);
    for (auto other = places_.find(r.bits()); other != places_.end(); other = places_.find(r.bits())) {
      const Entry& e = (*this)[other->second];
      if (!e.is(operation::constant) || e.value == x || std::isnan(x)) break;
      r = Residue::random(5, r.bits());  // another number that is equal modulo the prime only
    }
    return find({&operation::constant, {0, 0, 0}, x, r, true});
  }
  /// @param nominal  the nominal value, or NaN
  int input(double nominal) {
    const int i = num_inputs_++;
    const auto r = Residue::random(4, static_cast<std::uint64_t>(i));
    return find({&operation::input, {i, 0, 0}, nominal, r, !std::isnan(nominal)});
  }
  /// Records an operation; operands that it does not have are 0.
  int record(const Operation& o, int a, int b, int c) {
    if (&o == &operation::choice && b == c) return b;
    const Entry &x = (*this)[a], &y = (*this)[b], &z = (*this)[c];
    const Residue r = residue(o, x.residue, y.residue, z.residue);
    const auto opposite = places_.find((-r).bits());
    if (&o != &operation::negative && opposite != places_.end() && !places_.contains(r.bits())) {
      const Entry& e = (*this)[opposite->second];
      return e.is(operation::constant) ? constant(-e.value) : record(operation::negative, opposite->second, 0, 0);
    }
    const bool is_nominal = x.is_nominal && y.is_nominal && z.is_nominal;
    return find({&o, {a, b, c}, o.value(x.value, y.value, z.value), r, is_nominal});
  }

 private:
  /// Returns the entry with this residue. A constant replaces an entry that is not constant.
  int find(const Entry& e) {
    const auto [place, is_new] = places_.try_emplace(e.residue.bits(), size());
    if (is_new || (e.is(operation::constant) && !(*this)[place->second].is(operation::constant))) {
      place->second = size();
      entries_.push_back(e);
    }
    return place->second;
  }

  static Tape** new_place(Tape* tape) {
    static std::mutex mutex;
    static auto& all = *new std::deque<Tape*>;  // outlives recordings in static variables
    const std::lock_guard lock(mutex);
    return &all.emplace_back(tape);
  }

  Tape** const place_ = new_place(this);
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, int> places_;
  int num_inputs_ = 0;
};

}}}  // namespace corio::codegen
