#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "corio/core/dual.hpp"
#include "corio/spatial/lie.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

// Tests rotations at the limits of the scalar: quaternions of extreme norm, all digits of long double.

using namespace corio;
using namespace corio::test;

namespace {

/// Returns a quaternion whose component number `largest` outweighs the others.
Quaternion<double> scaled_quaternion(Random<double>& random, int largest) {
  Quaternion<double> a;
  for (int i = 0; i < 4; ++i) a[i] = 0.5 * random.real();
  a[largest] += a[largest] < 0 ? -1 : 1;
  return a;
}

/// Returns 2^e for exponents e that reach, on both sides, from where squares lose digits to the limits of the scalar.
template <class S>
std::vector<S> extreme_factors() {
  const int limit = std::numeric_limits<S>::max_exponent;
  std::vector<S> factors;
  for (const double part : {0.24, 0.26, 0.49, 0.51, 0.7, 0.97})
    for (const int sign : {-1, 1}) factors.push_back(std::ldexp(S(1), sign * static_cast<int>(part * limit)));
  return factors;
}

}  // namespace

TEMPLATE_TEST_CASE("a power of two in the norm of a quaternion changes nothing, however large", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, long double)) {
  using S = TestType;
  const S factor = GENERATE(from_range(extreme_factors<S>()));
  const int largest = GENERATE(0, 1, 2, 3);
  CAPTURE(factor, largest);
  Random<double> random(largest + 1);
  const Quaternion<S> a = scaled_quaternion(random, largest).template cast<S>();
  const Quaternion<S> multiple = factor * a;
  constexpr double bound = 16 * static_cast<double>(std::numeric_limits<S>::epsilon());
  CHECK(relative_error(rotation_from_quaternion(multiple), rotation_from_quaternion(a)) < bound);
  CHECK(relative_error(log_quaternion(multiple), log_quaternion(a)) < bound);
}

TEST_CASE("quaternions of denormal numbers and at the limit of the range have their direction", "[spatial][lie]") {
  const double size = GENERATE(std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max() / 4);
  CAPTURE(size);
  const Quaternion<double> a(size, 0, 0, size), quarter(1, 0, 0, 1);
  CHECK(relative_error(rotation_from_quaternion(a), rotation_from_quaternion(quarter)) < tolerance<double>());
  CHECK(relative_error(log_quaternion(a), log_quaternion(quarter)) < tolerance<double>());
}

TEST_CASE("quaternions without a direction give NaN", "[spatial][lie]") {
  const double bad = GENERATE(0.0, std::nan(""), HUGE_VAL);
  const Quaternion<double> a(0, bad, 0, 0);
  CHECK(std::isnan(rotation_from_quaternion(a).sum()));
  CHECK(std::isnan(log_quaternion(a).sum()));
}

TEST_CASE("derivatives pass through quaternions of extreme norm", "[spatial][lie]") {
  using C = std::complex<double>;
  const double factor = GENERATE(1e-300, 1e-150, 1.0, 1e150, 1e300);
  CAPTURE(factor);
  Random<double> random(12);
  const Quaternion<double> a = scaled_quaternion(random, 1), along = scaled_quaternion(random, 2);
  const Quaternion<C> moved = (a.cast<C>() + C(0, 1e-8) * along.cast<C>()) * factor;
  Quaternion<Dual<double>> dual;
  for (int i = 0; i < 4; ++i) dual[i] = {a[i] * factor, along[i] * factor};
  // Allow the step times rounding, and the truncation error, 1e-8 squared.
  const Matrix3<double> rate = rotation_from_quaternion(moved).imag() / 1e-8;
  const Vector3<double> log_rate = log_quaternion(moved).imag() / 1e-8;
  // Computes the same at a norm near one, by central differences.
  const auto at = [&](double h) -> Quaternion<double> { return a + h * along; };
  constexpr double h = 1e-5;
  const Matrix3<double> expected = (rotation_from_quaternion(at(h)) - rotation_from_quaternion(at(-h))) / (2 * h);
  const Vector3<double> log_expected = (log_quaternion(at(h)) - log_quaternion(at(-h))) / (2 * h);
  CHECK(relative_error(rate, expected) < 1e-8);
  CHECK(relative_error(log_rate, log_expected) < 1e-8);
  const Matrix3<Dual<double>> by_dual = rotation_from_quaternion(dual);
  const Vector3<Dual<double>> log_by_dual = log_quaternion(dual);
  for (int i = 0; i < 9; ++i) CHECK(by_dual(i).dx == Approx(rate(i)).margin(1e-12));
  for (int i = 0; i < 3; ++i) CHECK(log_by_dual[i].dx == Approx(log_rate[i]).margin(1e-12));
}

TEST_CASE("exp and log have the digits of long double at every angle", "[spatial][lie]") {
  using L = long double;
  constexpr double eps = static_cast<double>(std::numeric_limits<L>::epsilon());
  const L half_turn = 3.14159265358979323846264338327950288L;
  const L angle = GENERATE_COPY(1e-15L, 1e-6L, 1e-3L, 0.1L, 0.19L, 0.21L, 0.5L, 0.7L, 0.71L, 1.4L, 1.42L, 1.58L, 2.5L,
                                half_turn - 1e-3L, half_turn - 1e-9L, half_turn - 1e-15L);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(static_cast<double>(angle), seed);
  Vector3<L> axis = Random<double>(seed).direction().cast<L>();
  axis /= std::sqrt(dot(axis, axis));
  const Vector3<L> w = angle * axis;
  // Uses sin, cos and atan of the same angle, none of them near a loss of digits.
  const Quaternion<L> a(axis[0] * std::sin(angle / 2), axis[1] * std::sin(angle / 2), axis[2] * std::sin(angle / 2),
                        std::cos(angle / 2));
  CHECK(relative_error(exp_quaternion(w), a) < 4 * eps);
  const double scale = static_cast<double>(angle);
  CHECK(max_magnitude(log_quaternion(a) - w) < 8 * eps * scale);
  CHECK(max_magnitude(log_quaternion<L>(-a) - w) < 8 * eps * scale);
  CHECK(relative_error(exp_rotation(w), rotation_from_quaternion(a)) < 16 * eps);
  const Vector3<L> v = Random<double>(seed + 10).vector().cast<L>();
  CHECK(relative_error(log_translation<L>(w, exp_translation<L>({w, v})), v) < 32 * eps);
  // Compares with the other closed form: exp of 2 V is exp of V twice.
  const Pose<L> T = exp(Motion<L>{w, v}), half = exp(Motion<L>{w * 0.5L, v * 0.5L});
  CHECK(relative_error(half * half, T) < 32 * eps);
}

TEST_CASE("numbers of which one has no size stay as they are", "[spatial][lie]") {
  const double bad = GENERATE(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());
  double x[] = {2.0, bad, -3.0};
  detail::rescale(x, 3);
  CHECK(x[0] == 2.0);
  CHECK((x[1] == bad || std::isnan(bad)));
  CHECK(x[2] == -3.0);
}
