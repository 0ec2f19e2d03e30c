#include "corio/spatial/lie.hpp"

#include <Eigen/Core>
#include <complex>
#include <unsupported/Eigen/AutoDiff>

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

// Compares the Jacobians of the exponential map with power series in long double, the complex step and automatic
// differentiation.

namespace jacobian_of_exp {

using Exact = long double;

/// Returns the sum of K^n / (n + shift)!: exp(K), or the integral of exp(s K) from 0 to 1.
Matrix3<Exact> series(const Vector3<Exact>& w, int shift) {
  const Matrix3<Exact> K = skew(w);
  Matrix3<Exact> sum = identity3<Exact>(), term = identity3<Exact>();
  for (int n = 1; n < 60; ++n) {
    term = Matrix3<Exact>(term * K) * (Exact(1) / Exact(n + shift));
    sum += term;
  }
  return sum;
}

template <class S>
Vector3<S> vector_of(double angle, int seed) {
  Random<double> random(seed);
  return (angle * random.direction()).template cast<S>();
}

/// Allow ten roundings: an entry is a sum of three products.
template <class S>
double few_roundings() {
  return 20 * static_cast<double>(std::numeric_limits<S>::epsilon());
}

double small_angle() {
  return GENERATE(0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.3, 0.7, 0.708, 1.0, 1.41, 1.42, 2.0, 2.8, 3.0, 3.1415926);
}

template <int n>
using Derivatives = Eigen::AutoDiffScalar<Eigen::Matrix<double, n, 1>>;

}  // namespace jacobian_of_exp
using namespace jacobian_of_exp;

TEMPLATE_TEST_CASE("exp and its Jacobians are their power series to the last digits", "[spatial][lie][jacobian]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const double angle = small_angle();
  CAPTURE(angle);
  const Vector3<S> w = vector_of<S>(angle, 3);
  const Vector3<Exact> wide = w.template cast<Exact>(), back = -wide;
  const auto same = [](const Matrix3<S>& A, const Matrix3<Exact>& B) {
    return relative_error(Matrix3<Exact>(A.template cast<Exact>()), B) < few_roundings<S>();
  };
  CHECK(same(exp_rotation(w), series(wide, 0)));
  CHECK(same(left_jacobian(w), series(wide, 1)));
  CHECK(same(right_jacobian(w), series(back, 1)));
  // Terms that are small beside the identity must be right, too.
  if (angle > 0 && angle < 0.1) {
    const Matrix3<Exact> rest = Matrix3<S>(left_jacobian(w) - transpose(left_jacobian(w))).template cast<Exact>();
    const Matrix3<Exact> right = series(wide, 1) - series(back, 1);
    CHECK(relative_error(rest, right) * angle < few_roundings<S>());
  }
  const Matrix3<Exact> inverse = left_jacobian_inverse(w).template cast<Exact>();
  CHECK(relative_error(Matrix3<Exact>(inverse * series(wide, 1)), identity3<Exact>()) < 2 * few_roundings<S>());
  const Matrix3<Exact> right_inverse = right_jacobian_inverse(w).template cast<Exact>();
  CHECK(relative_error(Matrix3<Exact>(right_inverse * series(back, 1)), identity3<Exact>()) < 2 * few_roundings<S>());
}

TEMPLATE_TEST_CASE("log undoes exp to the last digits", "[spatial][lie][jacobian]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const double angle = small_angle();
  CAPTURE(angle);
  const Vector3<S> w = vector_of<S>(angle, 4);
  Vector3<S> found = log_quaternion(exp_quaternion(w));
  // A vector just below half a turn may be rounded beyond it; the way back then has the opposite direction and the same
  // length.
  if (angle > 3.14159 && dot(found, w) < S(0)) found = -found;
  CHECK(relative_error(found, w) < few_roundings<S>());
}

TEST_CASE("the rates of the Jacobians of exp are those of the complex step", "[spatial][lie][jacobian]") {
  using ComplexStep = std::complex<double>;
  const double angle = small_angle();
  CAPTURE(angle);
  const Vector3<double> w = vector_of<double>(angle, 5), dw = vector_of<double>(1.3, 6);
  constexpr double h = 1e-30;
  const Vector3<ComplexStep> moved = w.cast<ComplexStep>() + ComplexStep(0, h) * dw.cast<ComplexStep>();
  CHECK(relative_error(left_jacobian_rate(w, dw), Matrix3<double>(left_jacobian(moved).imag() / h)) < 3e-14);
  CHECK(relative_error(right_jacobian_rate(w, dw), Matrix3<double>(right_jacobian(moved).imag() / h)) < 3e-14);
  // R^T dR/dt = [J dw]x.
  const Matrix3<double> rate = exp_rotation(moved).imag() / h;
  CHECK(relative_error(Matrix3<double>(exp_rotation(w).transpose() * rate), skew<double>(right_jacobian(w) * dw)) <
        3e-14);
  CHECK(relative_error(Matrix3<double>(rate * exp_rotation(w).transpose()), skew<double>(left_jacobian(w) * dw)) <
        3e-14);
}

TEST_CASE("exp, log and their Jacobians have derivatives everywhere, at zero too", "[spatial][lie][jacobian]") {
  using S = Derivatives<4>;
  const double angle = small_angle();
  CAPTURE(angle);
  const Vector3<double> w = vector_of<double>(angle, 7);
  Vector3<S> x;
  for (int i = 0; i < 3; ++i) x[i] = S(w[i], Eigen::Vector4d::Unit(i));
  const Matrix3<S> J = left_jacobian(x);
  const Vector3<S> same = log_quaternion(exp_quaternion(x));
  for (int l = 0; l < 3; ++l) {
    Matrix3<double> derivative;
    for (int i = 0; i < 9; ++i) derivative(i) = J(i).derivatives()[l];
    CHECK(relative_error(derivative, left_jacobian_rate(w, unit3<double>(l))) < 3e-14);
    for (int i = 0; i < 3; ++i) CHECK(std::abs(same[i].derivatives()[l] - (i == l ? 1 : 0)) < 1e-13);
  }
}
