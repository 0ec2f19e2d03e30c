#include "corio/spatial/lie.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include "corio/spatial/cross.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

constexpr double pi = 3.14159265358979323846;
/// The angles are around every change of formula (0.2 = 2 asin(0.1), sqrt(1/2), pi/2, sqrt(2)), near zero and near pi.
const std::vector<double> angles{0.0,  1e-9, 1e-6, 1e-4, 0.1,  0.19, 0.21,     0.7,
                                 0.71, 1.4,  1.42, 1.57, 1.58, 2.5,  pi - 1e-3};
const std::vector<double> large_angles{pi, 4.0, 6.2, 2 * pi, 7.0, 20.0};

/// The oracle runs in double if the library runs in float.
template <class S>
using Wide = std::conditional_t<std::is_same_v<S, float>, double, S>;

/// Returns a rotation vector of given length (for complex scalars approximately, with a tenth of it imaginary).
template <class S>
Vector3<S> rotation_vector(Random<S>& random, double angle) {
  Vector3<S> w = (angle * random.direction()).template cast<S>();
  if constexpr (is_complex<S>) w += S(0, 0.1 * angle) * random.direction().template cast<S>();
  return w;
}

/// Returns a quaternion of any norm in which the component number `largest` outweighs the others.
template <class S>
Quaternion<S> quaternion(Random<S>& random, int largest) {
  Quaternion<S> a;
  for (int i = 0; i < 4; ++i) {
    a[i] = S(0.5 * random.real());
    if constexpr (is_complex<S>) a[i] += S(0, 0.1 * random.real());
  }
  a[largest] += value_of(a[largest]) < 0 ? S(-1) : S(1);
  return a;
}

template <class S>
S squared_norm(const Quaternion<S>& a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
}

/// Returns the distance of a matrix from the rotations, R^T R = 1 with right-handed columns.
template <class S>
double rotation_defect(const Matrix3<S>& R) {
  const Vector3<S> x = R.col(0), y = R.col(1), z = R.col(2);
  return std::max(relative_error(R.transpose() * R, Matrix3<S>::Identity()), relative_error(cross(x, y), z));
}

template <class S>
auto rotation_oracle(const Vector3<S>& w) {
  return matrix_exponential(skew(w).template cast<Wide<S>>());
}

}  // namespace

TEMPLATE_TEST_CASE("a quarter turn about an axis takes the next axis to the one after", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const S quarter = S(pi / 2);
  const Matrix3<S> turns[] = {rotation_x(quarter), rotation_y(quarter), rotation_z(quarter)};
  for (int i = 0; i < 3; ++i) {
    CHECK(relative_error(turns[i].col(i), Vector3<S>::Unit(i)) < tolerance<S>());
    CHECK(relative_error(turns[i].col((i + 1) % 3), Vector3<S>::Unit((i + 2) % 3)) < tolerance<S>());
  }
}

TEMPLATE_TEST_CASE("turns about the coordinate axes are matrix exponentials", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const S angle = S(1.1) + Random<S>(1).scalar();
  const Matrix3<S> turns[] = {rotation_x(angle), rotation_y(angle), rotation_z(angle)};
  for (int i = 0; i < 3; ++i) {
    const Vector3<S> w = angle * Vector3<S>::Unit(i);
    CHECK(relative_error(turns[i].template cast<Wide<S>>(), rotation_oracle(w)) < tolerance<S>());
  }
}

TEMPLATE_TEST_CASE("roll, pitch and yaw are turns about fixed axes, roll first", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(2);
  const Vector3<S> rpy = random.vector(), r = random.vector();
  const Vector3<S> pitched = rotation_y(rpy[1]) * (rotation_x(rpy[0]) * r);
  const Vector3<S> expected = rotation_z(rpy[2]) * pitched;
  CHECK(relative_error(rotation_rpy(rpy[0], rpy[1], rpy[2]) * r, expected) < tolerance<S>());
}

TEMPLATE_TEST_CASE("exp_rotation is the matrix exponential of [w]x, at every angle", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 4));
  const double angle = GENERATE(from_range(angles), from_range(large_angles));
  CAPTURE(seed, angle);
  Random<S> random(seed);
  const Vector3<S> w = rotation_vector(random, angle);
  CHECK(relative_error(exp_rotation(w).template cast<Wide<S>>(), rotation_oracle(w)) < tolerance<S>());
  CHECK(rotation_defect(exp_rotation(w)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("exp is the matrix exponential of hat(V), at every angle", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 4));
  const double angle = GENERATE(from_range(angles), from_range(large_angles));
  CAPTURE(seed, angle);
  Random<S> random(seed);
  const Motion<S> V{rotation_vector(random, angle), random.vector()};
  const auto oracle = matrix_exponential(hat(V).template cast<Wide<S>>());
  CHECK(relative_error(homogeneous(exp(V)).template cast<Wide<S>>(), oracle) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the pose exp(V) acts as the exponentials of V x and V x*", "[spatial][lie]") {
  const Motion<S> V = random.motion();
  const auto motions = matrix_exponential(crm(V).template cast<Wide<S>>());
  const auto forces = matrix_exponential(crf(V).template cast<Wide<S>>());
  CHECK(relative_error(exp(V).motion_matrix().template cast<Wide<S>>(), motions) < tolerance<S>());
  CHECK(relative_error(exp(V).force_matrix().template cast<Wide<S>>(), forces) < tolerance<S>());
}

TEMPLATE_TEST_CASE("log undoes exp below half a turn", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 4));
  const double angle = GENERATE(from_range(angles));
  CAPTURE(seed, angle);
  Random<S> random(seed);
  const Motion<S> V{rotation_vector(random, angle), random.vector()};
  CHECK(relative_error(log(exp(V)), V) < tolerance<S>());
  CHECK(relative_error(log_rotation(exp_rotation(V.angular)), V.angular) < tolerance<S>());
  CHECK(relative_error(log_translation(V.angular, exp_translation(V)), V.linear) < tolerance<S>());
}

TEST_CASE("log undoes exp a billionth of a radian from half a turn", "[spatial][lie]") {
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  Random<double> random(seed);
  const Motion<double> V{rotation_vector(random, pi - 1e-9), random.vector()};
  CHECK(relative_error(log(exp(V)), V) < tolerance<double>());
}

TEST_CASE("log keeps the relative precision of a small rotation vector", "[spatial][lie]") {
  const double angle = GENERATE(1e-3, 1e-6, 1e-12, 1e-100);
  CAPTURE(angle);
  Random<double> random(3);
  const Vector3<double> w = rotation_vector(random, angle);
  CHECK((log_rotation(exp_rotation(w)) - w).norm() < tolerance<double>() * angle);
}

TEMPLATE_TEST_CASE("exp undoes log", "[spatial][lie]", CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  const Pose<S> T = Random<S>(seed).pose();
  CHECK(relative_error(exp(log(T)), T) < tolerance<S>());
}

TEMPLATE_TEST_CASE("log of a rotation beyond half a turn is the shorter way round", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  using std::sqrt;
  const double angle = GENERATE(3.2, 3.5, 4.6, 4.8, 6.0, 6.28);
  CAPTURE(angle);
  Random<S> random(4);
  const Vector3<S> w = rotation_vector(random, angle);
  const Vector3<S> shorter = w * (S(1) - S(2 * pi) / sqrt(dot(w, w)));
  CHECK(relative_error(log_rotation(exp_rotation(w)), shorter) < tolerance<S>());
}

TEMPLATE_TEST_CASE("log of a half turn about n is pi n or -pi n", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(0, 11));
  CAPTURE(seed);
  const Vector3<double> n = seed < 3 ? Vector3<double>::Unit(seed).eval() : Random<double>(seed).direction();
  const Matrix3<double> nn = n * n.transpose();
  const Vector3<S> w = log_rotation<S>((2 * nn - Matrix3<double>::Identity()).cast<S>());
  CHECK(relative_error(w * w.transpose(), (pi * pi * nn).cast<S>()) < tolerance<S>());
}

TEST_CASE("exp and log do not jump where they change formula", "[spatial][lie]") {
  // A step of 2e-15 across the change may move the result by some 2e-15.
  const double angle = GENERATE(std::sqrt(0.5), std::sqrt(2.0), 2 * std::asin(0.1), pi / 2);
  const int seed = GENERATE(range(1, 11));
  CAPTURE(angle, seed);
  Random<double> random(seed);
  const Motion<double> below{rotation_vector(random, angle * (1 - 1e-15)), random.vector()};
  const Motion<double> above{below.angular * (1 + 2e-15), below.linear};
  CHECK(relative_error(exp(below), exp(above)) < 1e-14);
  CHECK(relative_error(log(exp(below)), log(exp(above))) < 1e-14);
  CHECK(relative_error(log_translation(below.angular, below.linear), log_translation(above.angular, above.linear)) <
        1e-14);
}

TEST_CASE("exp and log have exact derivatives at zero by complex step", "[spatial][lie]") {
  using C = std::complex<double>;
  constexpr double h = 1e-30;
  Random<double> random(5);
  const Motion<double> V = random.motion();
  const Motion<C> step = C(0, h) * V.cast<C>();
  const Vector3<double> translation = random.vector();

  const Pose<C> T = exp(step);
  CHECK(relative_error(homogeneous(T).imag() / h, hat(V)) < tolerance<double>());
  CHECK(relative_error(log(T).vector().imag() / h, V.vector()) < tolerance<double>());
  // d/dw of the translation of exp at w = 0 is w x p / 2; for the inverse it is the opposite.
  const Vector3<double> half_turned = skew(V.angular) * translation / 2;
  const Motion<C> turning{step.angular, translation.cast<C>()};
  CHECK(relative_error(exp_translation(turning).imag() / h, half_turned) < tolerance<double>());
  const Vector3<C> back = log_translation<C>(step.angular, translation.cast<C>());
  CHECK(relative_error(back.imag() / h, -half_turned) < tolerance<double>());
  const Quaternion<C> a = exp_quaternion(step.angular);
  CHECK(relative_error(a.head<3>().imag() / h, V.angular / 2) < tolerance<double>());
  CHECK(std::abs(a[3].imag()) == 0.0);
  CHECK(relative_error(log_quaternion(a).imag() / h, V.angular) < tolerance<double>());
}

TEST_CASE("the derivative of exp by complex step is that of the matrix exponential, at every angle", "[spatial][lie]") {
  // exp [A, E; 0, A] = [exp A, dexp(A) E; 0, exp A].
  using C = std::complex<double>;
  constexpr double h = 1e-30;
  const double angle = GENERATE(from_range(angles), from_range(large_angles));
  CAPTURE(angle);
  Random<double> random(6);
  const Motion<double> V{rotation_vector(random, angle), random.vector()}, U = random.motion();
  Eigen::Matrix<double, 8, 8> A = Eigen::Matrix<double, 8, 8>::Zero();
  A << hat(V), hat(U), Matrix4<double>::Zero(), hat(V);
  const Matrix4<double> expected = matrix_exponential(A).topRightCorner<4, 4>();
  const Pose<C> T = exp(V.cast<C>() + C(0, h) * U.cast<C>());
  CHECK(relative_error(homogeneous(T).imag() / h, expected) < tolerance<double>());
}

TEST_CASE("the derivative of log by complex step undoes that of exp, at every angle", "[spatial][lie]") {
  using C = std::complex<double>;
  constexpr double h = 1e-30;
  const double angle = GENERATE(from_range(angles));
  CAPTURE(angle);
  Random<double> random(7);
  const Motion<double> V{rotation_vector(random, angle), random.vector()}, U = random.motion();
  const Motion<C> again = log(exp(V.cast<C>() + C(0, h) * U.cast<C>()));
  CHECK(relative_error(again.vector().imag() / h, U.vector()) < tolerance<double>());
}

TEMPLATE_TEST_CASE("rotation_with_z is a rotation that takes e_z to z", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  const Vector3<S> z = Random<S>(seed).rotation().col(2);
  const Matrix3<S> R = rotation_with_z(z);
  CHECK(rotation_defect(R) < tolerance<S>());
  CHECK(R.col(2) == z);
}

TEMPLATE_TEST_CASE("rotation_with_z is exact along the coordinate axes", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  for (int i = 0; i < 3; ++i)
    for (const double sign : {1.0, -1.0}) {
      CAPTURE(i, sign);
      const Vector3<S> z = S(sign) * Vector3<S>::Unit(i);
      CHECK(rotation_defect(rotation_with_z(z)) == 0.0);
      CHECK(rotation_with_z(z).col(2) == z);
    }
  CHECK(rotation_with_z<S>(Vector3<S>::UnitZ()) == Matrix3<S>::Identity());
}

TEST_CASE("rotation_with_z stays a rotation for z close to -e_z and across the equator", "[spatial][lie]") {
  const double height = GENERATE(-1.0, -1e-300, 0.0, 1e-300);
  const double x = GENERATE(1e-300, 1e-9, 1e-5);
  CAPTURE(height, x);
  const Vector3<double> z = Vector3<double>(x, 2 * x + (height == -1.0 ? 0.0 : 1.0), height).normalized();
  CHECK(rotation_defect(rotation_with_z(z)) < tolerance<double>());
}

TEMPLATE_TEST_CASE("the quaternion units multiply as i j = k, with the real part last", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const Quaternion<S> one = Quaternion<S>::Unit(3);
  for (int i = 0; i < 3; ++i) {
    const Quaternion<S> a = Quaternion<S>::Unit(i), b = Quaternion<S>::Unit((i + 1) % 3);
    CHECK(quaternion_product(a, b) == Quaternion<S>::Unit((i + 2) % 3));
    CHECK(quaternion_product(b, a) == -Quaternion<S>::Unit((i + 2) % 3));
    CHECK(quaternion_product(a, a) == -one);
    CHECK(quaternion_product(a, one) == a);
    CHECK(quaternion_product(one, a) == a);
  }
}

TEMPLATE_TEST_CASE("quaternions of any norm give rotations, and the same for every multiple", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  Random<S> random(seed);
  const Quaternion<S> a = quaternion(random, seed % 4);
  CHECK(rotation_defect(rotation_from_quaternion(a)) < tolerance<S>());
  for (const double factor : {-1.0, 1e-3, -7.0}) {
    const Quaternion<S> multiple = S(factor) * a;
    CHECK(relative_error(rotation_from_quaternion(multiple), rotation_from_quaternion(a)) < tolerance<S>());
  }
}

TEMPLATE_TEST_CASE("the product of quaternions has the product of the rotation matrices", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 17));
  CAPTURE(seed);
  Random<S> random(seed);
  const Quaternion<S> a = quaternion(random, seed % 4), b = quaternion(random, seed / 4 % 4);
  const Matrix3<S> expected = rotation_from_quaternion(a) * rotation_from_quaternion(b);
  CHECK(relative_error(rotation_from_quaternion(quaternion_product(a, b)), expected) < tolerance<S>());
  CHECK(relative_error(squared_norm(quaternion_product(a, b)), squared_norm(a) * squared_norm(b)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the inverse quaternion turns back", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(8);
  const Quaternion<S> a = quaternion(random, 1);
  const Matrix3<S> R = rotation_from_quaternion(a);
  CHECK(relative_error(rotation_from_quaternion(quaternion_inverse(a)), R.transpose()) < tolerance<S>());
}

TEMPLATE_TEST_CASE("exp_quaternion is [n sin(x/2); cos(x/2)]", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  using std::cos, std::sin, std::sqrt;
  const double angle = GENERATE(1e-9, 1e-4, 0.1, 0.7, 1.4, 1.42, 2.5, pi, 4.0, 6.2, 7.0, 20.0);
  CAPTURE(angle);
  Random<S> random(9);
  const Vector3<S> w = rotation_vector(random, angle);
  const S x = sqrt(dot(w, w)), s = sin(x / S(2)) / x;
  const Quaternion<S> expected(w[0] * s, w[1] * s, w[2] * s, cos(x / S(2)));
  CHECK(relative_error(exp_quaternion(w), expected) < tolerance<S>());
}

TEMPLATE_TEST_CASE("exp_quaternion has the rotation matrix exp([w]x)", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const double angle = GENERATE(from_range(angles), from_range(large_angles));
  CAPTURE(angle);
  Random<S> random(10);
  const Vector3<S> w = rotation_vector(random, angle);
  const Matrix3<S> R = rotation_from_quaternion(exp_quaternion(w));
  CHECK(relative_error(R.template cast<Wide<S>>(), rotation_oracle(w)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("log_quaternion undoes exp_quaternion, for either sign of the quaternion", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const double angle = GENERATE(from_range(angles));
  CAPTURE(angle);
  Random<S> random(11);
  const Vector3<S> w = rotation_vector(random, angle);
  const Quaternion<S> a = exp_quaternion(w), opposite = -a;
  CHECK(relative_error(log_quaternion(a), w) < tolerance<S>());
  CHECK(relative_error(log_quaternion(opposite), w) < tolerance<S>());
}

TEMPLATE_TEST_CASE("quaternion_from_rotation recovers the unit quaternion up to sign, whichever component is largest",
                   "[spatial][lie]", CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int largest = GENERATE(0, 1, 2, 3), seed = GENERATE(range(1, 11));
  CAPTURE(largest, seed);
  Random<S> random(seed);
  const Quaternion<S> a = quaternion(random, largest);
  const Quaternion<S> b = quaternion_from_rotation(rotation_from_quaternion(a));
  CHECK(relative_error(b * b.transpose(), a * a.transpose() / squared_norm(a)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("a rotation survives the round trip through its quaternion", "[spatial][lie]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(1, 41));
  CAPTURE(seed);
  const Matrix3<S> R = Random<S>(seed).rotation();
  CHECK(relative_error(rotation_from_quaternion(quaternion_from_rotation(R)), R) < tolerance<S>());
}
