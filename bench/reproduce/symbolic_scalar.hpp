#pragma once

#include <cln/real.h>
#include <ginac/ginac.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

/// A scalar that is an expression of GiNaC, with which corio's algorithms compute formulas.
namespace paper {

class Symbolic {
 public:
  Symbolic() = default;
  /// The simplest fraction that equals this number to the precision of a double: 0.15 becomes 3/20.
  explicit Symbolic(double x) : x_(GiNaC::numeric(cln::rationalize(cln::cl_R(x)))) {}
  explicit Symbolic(GiNaC::ex x) : x_(std::move(x)) {}
  const GiNaC::ex& expression() const { return x_; }
  /// The value for corio's checks of numbers; an expression with symbols counts as a nonzero number.
  double value() const { return GiNaC::is_a<GiNaC::numeric>(x_) ? GiNaC::ex_to<GiNaC::numeric>(x_).to_double() : 1.0; }

  Symbolic operator-() const { return Symbolic(-x_); }
  Symbolic& operator+=(const Symbolic& b) { return x_ += b.x_, *this; }
  Symbolic& operator-=(const Symbolic& b) { return x_ -= b.x_, *this; }
  Symbolic& operator*=(const Symbolic& b) { return x_ *= b.x_, *this; }
  Symbolic& operator/=(const Symbolic& b) { return x_ /= b.x_, *this; }
  friend Symbolic operator+(Symbolic a, const Symbolic& b) { return a += b; }
  friend Symbolic operator-(Symbolic a, const Symbolic& b) { return a -= b; }
  friend Symbolic operator*(Symbolic a, const Symbolic& b) { return a *= b; }
  friend Symbolic operator/(Symbolic a, const Symbolic& b) { return a /= b; }
  friend bool operator==(const Symbolic& a, const Symbolic& b) { return a.x_.is_equal(b.x_); }
  /// Compare values, for code that is never reached with expressions.
  friend auto operator<=>(const Symbolic& a, const Symbolic& b) { return a.value() <=> b.value(); }

  friend Symbolic sin(const Symbolic& a) { return Symbolic(GiNaC::sin(a.x_)); }
  friend Symbolic cos(const Symbolic& a) { return Symbolic(GiNaC::cos(a.x_)); }
  friend Symbolic sqrt(const Symbolic& a) { return Symbolic(GiNaC::sqrt(a.x_)); }
  friend Symbolic atan(const Symbolic& a) { return Symbolic(GiNaC::atan(a.x_)); }
  friend Symbolic abs(const Symbolic& a) { return Symbolic(GiNaC::abs(a.x_)); }

 private:
  GiNaC::ex x_ = 0;
};

}  // namespace paper

template <>
struct Eigen::NumTraits<paper::Symbolic> : Eigen::NumTraits<double> {
  using Real = paper::Symbolic;
  using NonInteger = paper::Symbolic;
  using Nested = paper::Symbolic;
  using Literal = double;
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
