#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "corio/core/scalar.hpp"

namespace straight_line {

enum class Operation { constant, unknown, plus, minus, times, over, negative, sine, cosine, root };

/// A number that records how it is computed, for the length of a program on one tape. Constants are folded, and what
/// was computed before is not recorded again; 0 x counts as 0. It has no comparisons and no conversion to a number: an
/// algorithm that runs over it has the same operations for every state.
class Recorded {
 public:
  Recorded(double x = 0) : at_(find({Operation::constant, 0, 0, x})) {}  // NOLINT(google-explicit-constructor)
  /// Forgets all, and makes n unknowns.
  static std::vector<Recorded> unknowns(int n) {
    tape.clear(), places.clear();
    std::vector<Recorded> all;
    for (int i = 0; i < n; ++i) all.push_back(Recorded(Place{find({Operation::unknown, i, 0, 0.0})}));
    return all;
  }
  /// For the branches of algorithms: an unknown is neither zero nor small.
  double value() const { return is(Operation::constant) ? entry().value : 1.0; }

  /// The numbers for these unknowns.
  static std::vector<double> evaluate(const std::vector<Recorded>& results, const double* unknowns) {
    std::vector<double> value;
    for (const Entry& e : tape) {
      const auto at = [&](int i) { return value[static_cast<std::size_t>(i)]; };
      value.push_back(e.operation == Operation::constant  ? e.value
                      : e.operation == Operation::unknown ? unknowns[e.a]
                                                          : compute(e.operation, at(e.a), at(e.b)));
    }
    std::vector<double> out;
    for (const Recorded& x : results) out.push_back(value[static_cast<std::size_t>(x.at_)]);
    return out;
  }

  /// A C function void name(const T* x, T* y, void (*sincos)(const T*, T*, T*)) that computes the results y of the
  /// unknowns x, for a type T with arithmetic and a function T root(T).
  /// @param operations  is set to the number of its lines with arithmetic
  static std::string in_c(const std::string& name, const std::vector<Recorded>& results, int& operations) {
    const auto& all = tape;
    std::vector<char> needed(all.size(), 0);  // what no result depends on is left out
    const auto need = [&](int i) -> char& { return needed[static_cast<std::size_t>(i)]; };
    for (const Recorded& x : results) need(x.at_) = 1;
    for (int i = static_cast<int>(all.size()) - 1; i >= 0; --i) {
      const Entry& e = all[static_cast<std::size_t>(i)];
      if (need(i) && e.operation > Operation::unknown) need(e.a) = need(e.b) = 1;
    }
    std::string text = "void " + name + "(const T* x, T* y, void (*sincos)(const T*, T*, T*)) {\n";
    std::vector<char> has_angle(all.size(), 0);
    operations = 0;
    const auto term = [&](int i) {
      const Entry& e = all[static_cast<std::size_t>(i)];
      if (e.operation == Operation::unknown) return std::string("x[") + std::to_string(e.a) + "]";
      if (e.operation == Operation::sine || e.operation == Operation::cosine)
        return std::string(e.operation == Operation::sine ? "s" : "c") + std::to_string(e.a);
      if (e.operation != Operation::constant) return std::string("t") + std::to_string(i);
      char digits[40];  // the fewest that are read as the same number
      std::string constant(digits, std::to_chars(digits, digits + sizeof digits, e.value).ptr);
      if (constant.find_first_of(".en") == std::string::npos) constant += ".0";
      return "(" + constant + ")";
    };
    for (int i = 0; i < static_cast<int>(all.size()); ++i) {
      const Entry& e = all[static_cast<std::size_t>(i)];
      if (!need(i) || e.operation <= Operation::unknown) continue;
      const std::string a = term(e.a), b = term(e.b), line = std::string("  const T t") + std::to_string(i) + " = ";
      switch (e.operation) {
        case Operation::plus: text += line + a + " + " + b + ";\n"; break;
        case Operation::minus: text += line + a + " - " + b + ";\n"; break;
        case Operation::times: text += line + a + " * " + b + ";\n"; break;
        case Operation::over: text += line + a + " / " + b + ";\n"; break;
        case Operation::negative: text += line + "-" + a + ";\n"; break;
        case Operation::root: text += line + "root(" + a + ");\n"; break;
        default:  // both at once
          if (char& has = has_angle[static_cast<std::size_t>(e.a)]; !has) {
            const std::string k = std::to_string(e.a);
            text += "  T s" + k + ", c" + k + ";\n  {\n    const T angle = " + a + ";\n    sincos(&angle, &s" + k +
                    ", &c" + k + ");\n  }\n";
            has = 1;
          }
          continue;
      }
      ++operations;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      text += "  y[" + std::to_string(i) + "] = (T){0} + " + term(results[i].at_) + ";\n";
    return text + "}\n";
  }

  friend Recorded operator+(const Recorded& a, const Recorded& b) {
    if (a.is_constant(0)) return b;
    if (b.is_constant(0)) return a;
    if (b.is(Operation::negative)) return a - b.inner();
    if (a.is(Operation::negative)) return b - a.inner();
    return a.at_ < b.at_ ? record(Operation::plus, a, b) : record(Operation::plus, b, a);
  }
  friend Recorded operator-(const Recorded& a, const Recorded& b) {
    if (a.at_ == b.at_) return 0.0;
    if (b.is_constant(0)) return a;
    if (a.is_constant(0)) return -b;
    if (b.is(Operation::negative)) return a + b.inner();
    return record(Operation::minus, a, b);
  }
  friend Recorded operator*(const Recorded& a, const Recorded& b) {
    if (a.is_constant(0) || b.is_constant(0)) return 0.0;
    if (a.is_constant(1)) return b;
    if (b.is_constant(1)) return a;
    if (a.is_constant(-1)) return -b;
    if (b.is_constant(-1)) return -a;
    if (a.is(Operation::negative)) return -(a.inner() * b);  // so that products differ in more than their sign
    if (b.is(Operation::negative)) return -(a * b.inner());
    return a.at_ < b.at_ ? record(Operation::times, a, b) : record(Operation::times, b, a);
  }
  friend Recorded operator/(const Recorded& a, const Recorded& b) {
    if (a.is_constant(0)) return 0.0;
    if (b.is_constant(1)) return a;
    if (a.is(Operation::negative)) return -(a.inner() / b);
    return record(Operation::over, a, b);
  }
  friend Recorded operator-(const Recorded& a) {
    if (a.is(Operation::negative)) return a.inner();
    if (a.is(Operation::minus)) return Recorded(Place{a.entry().b}) - a.inner();
    return record(Operation::negative, a, a);
  }
  Recorded& operator+=(const Recorded& b) { return *this = *this + b; }
  Recorded& operator-=(const Recorded& b) { return *this = *this - b; }
  Recorded& operator*=(const Recorded& b) { return *this = *this * b; }
  Recorded& operator/=(const Recorded& b) { return *this = *this / b; }
  friend Recorded sin(const Recorded& a) { return record(Operation::sine, a, a); }
  friend Recorded cos(const Recorded& a) { return record(Operation::cosine, a, a); }
  friend Recorded sqrt(const Recorded& a) { return record(Operation::root, a, a); }

 private:
  struct Entry {
    Operation operation;
    int a, b;      // on the tape
    double value;  // of a constant
  };
  struct Place {
    int at;
  };
  explicit Recorded(Place place) : at_(place.at) {}

  using Key = std::tuple<Operation, int, int, std::uint64_t>;
  static inline std::vector<Entry> tape;
  static inline std::map<Key, int> places;  // on the tape
  static int find(const Entry& e) {
    const auto [place, is_new] = places.try_emplace({e.operation, e.a, e.b, std::bit_cast<std::uint64_t>(e.value)},
                                                    static_cast<int>(tape.size()));
    if (is_new) tape.push_back(e);
    return place->second;
  }
  static Recorded record(Operation operation, const Recorded& a, const Recorded& b) {
    if (a.is(Operation::constant) && b.is(Operation::constant)) return compute(operation, a.value(), b.value());
    return Recorded(Place{find({operation, a.at_, b.at_, 0.0})});
  }
  static double compute(Operation operation, double a, double b) {
    switch (operation) {
      case Operation::plus: return a + b;
      case Operation::minus: return a - b;
      case Operation::times: return a * b;
      case Operation::over: return a / b;
      case Operation::negative: return -a;
      case Operation::sine: return std::sin(a);
      case Operation::cosine: return std::cos(a);
      default: return std::sqrt(a);
    }
  }
  const Entry& entry() const { return tape[static_cast<std::size_t>(at_)]; }
  bool is(Operation operation) const { return entry().operation == operation; }
  bool is_constant(double x) const { return is(Operation::constant) && entry().value == x; }
  Recorded inner() const { return Recorded(Place{entry().a}); }

  int at_;
};

}  // namespace straight_line

template <>
struct Eigen::NumTraits<straight_line::Recorded> : Eigen::NumTraits<double> {
  using Real = straight_line::Recorded;
  using NonInteger = straight_line::Recorded;
  using Nested = straight_line::Recorded;
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
