#include "support/catch.hpp"
#include "support/scalar_support.hpp"

using namespace corio;
using namespace corio::test;

// Tests complex steps through the algorithms. contracts/ checks that results over any scalar equal those over double.

namespace {

constexpr int seeds = 6;

/// A value and n derivatives with the members and the conversions of ceres::Jet, for which corio has no special code.
template <class T, int n>
struct JetLike {
  T a{0};
  Eigen::Matrix<T, n, 1> v = Eigen::Matrix<T, n, 1>::Zero();

  JetLike() = default;
  explicit JetLike(const T& value) : a(value) {}
  JetLike(const T& value, const Eigen::Matrix<T, n, 1>& derivatives) : a(value), v(derivatives) {}
  JetLike& operator+=(const JetLike& y) { return *this = *this + y; }
  JetLike& operator-=(const JetLike& y) { return *this = *this - y; }
  JetLike& operator*=(const JetLike& y) { return *this = *this * y; }
  JetLike& operator/=(const JetLike& y) { return *this = *this / y; }
  friend JetLike operator-(const JetLike& x) { return {-x.a, -x.v}; }
  friend JetLike operator+(const JetLike& x, const JetLike& y) { return {x.a + y.a, x.v + y.v}; }
  friend JetLike operator-(const JetLike& x, const JetLike& y) { return {x.a - y.a, x.v - y.v}; }
  friend JetLike operator*(const JetLike& x, const JetLike& y) { return {x.a * y.a, x.a * y.v + y.a * x.v}; }
  friend JetLike operator/(const JetLike& x, const JetLike& y) { return {x.a / y.a, (x.v - x.a / y.a * y.v) / y.a}; }
  friend bool operator==(const JetLike& x, const JetLike& y) { return x.a == y.a; }
  friend auto operator<=>(const JetLike& x, const JetLike& y) { return x.a <=> y.a; }
  friend JetLike sqrt(const JetLike& x) { return {std::sqrt(x.a), x.v / (2 * std::sqrt(x.a))}; }
  friend JetLike sin(const JetLike& x) { return {std::sin(x.a), std::cos(x.a) * x.v}; }
  friend JetLike cos(const JetLike& x) { return {std::cos(x.a), -std::sin(x.a) * x.v}; }
  friend JetLike atan2(const JetLike& y, const JetLike& x) {
    return {std::atan2(y.a, x.a), (x.a * y.v - y.a * x.v) / (x.a * x.a + y.a * y.a)};
  }
};

}  // namespace

template <class T, int n>
struct corio::ScalarValue<JetLike<T, n>> {
  static auto of(const JetLike<T, n>& x) { return corio::ScalarValue<T>::of(x.a); }
};
template <class T, int n>
struct Eigen::NumTraits<JetLike<T, n>> : Eigen::NumTraits<T> {
  using Real = JetLike<T, n>;
  using NonInteger = JetLike<T, n>;
  using Nested = JetLike<T, n>;
  enum { RequireInitialization = 1 };
};

TEST_CASE("a scalar as that of Ceres has derivatives once its ScalarValue is known", "[identities][scalars]") {
  // With h = 1e-5 the errors are 1e-10 times third derivatives (h^2) and 1e-10 times the largest numbers (eps / h).
  RandomRobot r(GENERATE(range(0, seeds)));
  using Jet = JetLike<double, 2>;
  Over<Jet> j(r);
  VectorX<Jet> along(r.model.nv());
  for (int k = 0; k < along.size(); ++k) along[k] = Jet(0.0, Eigen::Vector2d(r.v[k], r.a[k]));
  const VectorX<Jet> moved = integrate<Jet>(j.model, j.q, along);
  const VectorX<Jet> tau = rnea(j.model, j.data, moved, j.v, j.a);
  const MatrixX<Jet> M = crba(j.model, j.data);
  constexpr double h = 1e-5;
  for (const int i : {0, 1}) {
    const Vectord& x = i == 0 ? r.v : r.a;
    const auto slope = [&](const auto& f) -> Matrixd {
      return (f(integrate(r.model, r.q, h * x)) - f(integrate(r.model, r.q, -h * x))) / (2 * h);
    };
    const auto derivative = [i](const Jet& y) { return y.v[i]; };
    const Matrixd of_tau = slope([&](const Vectord& q) -> Matrixd { return rnea(r.model, r.data, q, r.v, r.a); });
    const Matrixd of_M = slope([&](const Vectord& q) -> Matrixd { return crba(r.model, r.data, q); });
    CHECK(relative_error(Matrixd(tau.unaryExpr(derivative)), of_tau) < 1e-7);
    CHECK(relative_error(Matrixd(M.unaryExpr(derivative)), of_M) < 1e-7);
  }
}

TEST_CASE("the complex step gives the derivatives of M that central differences give", "[identities][scalars]") {
  // With h = 1e-5, h^2 and eps / h are 1e-10 of third derivatives and of the largest entries.
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  constexpr double h = 1e-5;
  for (int k = 0; k < r.model.nv(); ++k) {
    const Vectord unit = Vectord::Unit(r.model.nv(), k);
    const Matrixd after = crba(r.model, r.data, integrate(r.model, r.q, h * unit));
    const Matrixd before = crba(r.model, r.data, integrate(r.model, r.q, -h * unit));
    const Matrixd exact = crba(c.model, c.data, step(c.model, r.q, unit)).imag() / complex_step;
    CAPTURE(k);
    CHECK(relative_error((after - before) / (2 * h), exact) < 1e-8 * std::max(1.0, max_magnitude(after)));
  }
}

TEST_CASE("the derivative of C v along v, by complex step, is twice C v", "[identities][scalars]") {
  // C v is quadratic in v.
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  const VectorX<Complex> v = r.v.cast<Complex>() * Complex(1, complex_step);
  const Vectord slope = nonlinear_effects(c.model, c.data, c.q, v).imag() / complex_step;
  CHECK(relative_error(slope, 2 * (coriolis_matrix(r.model, r.data, r.q, r.v).C * r.v)) < tolerance<double>());
}

TEST_CASE("complex steps of dtau_dq and da_dv are what central differences give", "[identities][scalars]") {
  // Takes second derivatives, for which the results themselves must be analytic. With h = 1e-5, eps / h and h^2 are
  // 1e-10 of the terms and of third derivatives; for a they are larger by some powers of cond(M).
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  const double h = 1e-5;
  const VectorX<Complex> q = step(c.model, r.q, r.v);
  const Vectord after = integrate(r.model, r.q, h * r.v), before = integrate(r.model, r.q, -h * r.v);
  const auto of_tau = [&](const Vectord& x) -> Matrixd {
    return inverse_dynamics_derivatives(r.model, r.data, x, r.v, r.a).dtau_dq;
  };
  const Matrixd exact = inverse_dynamics_derivatives(c.model, c.data, q, c.v, c.a).dtau_dq.imag() / complex_step;
  CHECK(relative_error((of_tau(after) - of_tau(before)) / (2 * h), exact) < 1e-6);
  for (const auto route : {DerivativeRoute::dense, DerivativeRoute::articulated}) {
    CAPTURE(static_cast<int>(route));
    const auto of_a = [&](const Vectord& x) -> Matrixd {
      return forward_dynamics_derivatives(r.model, r.data, x, r.v, r.a, {}, route).da_dv;
    };
    const Matrixd exact_of_a =
        forward_dynamics_derivatives(c.model, c.data, q, c.v, c.a, {}, route).da_dv.imag() / complex_step;
    CHECK(relative_error((of_a(after) - of_a(before)) / (2 * h), exact_of_a) <
          1e-9 * std::max(10.0, condition(crba(r.model, r.data, r.q))));
  }
}
