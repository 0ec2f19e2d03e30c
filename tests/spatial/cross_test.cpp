#include "corio/spatial/cross.hpp"

#include <complex>

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

// Tests identities P1-P7 in appendix B of Singh, Russell, Wensing (2022).

TEMPLATE_TEST_CASE("the 3-vector cross product is right-handed", "[spatial][cross]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  for (int i = 0; i < 3; ++i) {
    const Vector3<S> a = Vector3<S>::Unit(i), b = Vector3<S>::Unit((i + 1) % 3), c = Vector3<S>::Unit((i + 2) % 3);
    CHECK(cross(a, b) == c);
    CHECK(cross(b, a) == -c);
    CHECK(cross(a, a) == Vector3<S>::Zero());
  }
}

TEST_EACH_SCALAR(Random<S>& random, "skew is the matrix of the 3-vector cross product", "[spatial][cross]") {
  const Vector3<S> a = random.vector(), b = random.vector();
  CHECK(relative_error(skew(a) * b, cross(a, b)) < tolerance<S>());
  CHECK(skew(a) == -skew(a).transpose());
}

TEMPLATE_TEST_CASE("the 3-vector products are linear in each factor, without conjugation", "[spatial][cross]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  Random<S> random(1);
  const Vector3<S> a = random.vector(), b = random.vector(), c = random.vector();
  const S z = random.scalar();
  const Vector3<S> za_c = z * a + c, zb_c = z * b + c;
  CHECK(relative_error(cross(za_c, b), z * cross(a, b) + cross(c, b)) < tolerance<S>());
  CHECK(relative_error(cross(a, zb_c), z * cross(a, b) + cross(a, c)) < tolerance<S>());
  CHECK(relative_error(dot(za_c, b), z * dot(a, b) + dot(c, b)) < tolerance<S>());
  CHECK(relative_error(dot(a, zb_c), z * dot(a, b) + dot(a, c)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("corio's operators on 3-vectors and 3 x 3 matrices give Eigen's values", "[spatial][cross]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(2);
  const Vector3<S> a = random.vector(), b = random.vector();
  const Matrix3<S> A = from_columns<S>(random.vector(), random.vector(), random.vector());
  const Matrix3<S> B = from_columns<S>(random.vector(), random.vector(), random.vector());
  const S z = random.scalar();
  const auto check = [](const auto& x, const auto& eigen) {
    CHECK(relative_error(x, eigen.matrix()) < tolerance<S>());
  };
  // With the members and arrays on the right, only Eigen's arithmetic applies.
  check(a + b, a.array() + b.array());
  check(a - b, a.array() - b.array());
  check(-a, -a.array());
  check(z * a, z * a.array());
  check(a * z, z * a.array());
  check(A * a, A.lazyProduct(a));
  check(transpose_times(A, a), A.transpose().lazyProduct(a));
  check(A * B, A.lazyProduct(B));
  check(transpose(A), A.transpose());
  CHECK(relative_error(trace(A), A.trace()) < tolerance<S>());
  Vector3<S> sum = a, difference = a;
  Matrix3<S> matrix_sum = A;
  check(sum += b, a.array() + b.array());
  check(difference -= b, a.array() - b.array());
  check(matrix_sum += B, A.array() + B.array());
}

TEST_EACH_SCALAR(Random<S>& random, "V x W, V x* F and F xbar* V are the products with their 6 x 6 matrices",
                 "[spatial][cross]") {
  const Motion<S> V = random.motion(), W = random.motion();
  const Force<S> F = random.force();
  CHECK(relative_error(cross(V, W).vector(), crm(V) * W.vector()) < tolerance<S>());
  CHECK(relative_error(cross(V, F).vector(), crf(V) * F.vector()) < tolerance<S>());
  CHECK(relative_error(cross(V, F).vector(), crf_bar(F) * V.vector()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "V x W is the commutator of the 4 x 4 matrices of V and W", "[spatial][cross]") {
  const Motion<S> V = random.motion(), W = random.motion();
  CHECK(relative_error(hat(cross(V, W)), hat(V) * hat(W) - hat(W) * hat(V)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "V x* F is the moment and force of a rotating force at a moving point",
                 "[spatial][cross]") {
  // The motion V carries the force f at r: f' = w x f, r' = v + w x r, and (r x f)' by the product rule.
  const Motion<S> V = random.motion();
  const Vector3<S> r = random.vector(), f = random.vector();
  const Vector3<S> f_rate = skew(V.angular) * f, r_rate = velocity_at(V, r);
  const Force<S> rate{skew(r_rate) * f + skew(r) * f_rate, f_rate};
  CHECK(relative_error(cross(V, Force<S>{skew(r) * f, f}), rate) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the cross product of motions is antisymmetric", "[spatial][cross]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(3);
  const Motion<S> V = random.motion(), W = random.motion();
  CHECK(relative_error(cross(V, W), -cross(W, V)) < tolerance<S>());
  CHECK(relative_error(cross(V, V), Motion<S>::zero()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the cross product of motions satisfies the Jacobi identity", "[spatial][cross]") {
  const Motion<S> U = random.motion(), V = random.motion(), W = random.motion();
  CHECK(relative_error(cross(U, cross(V, W)), cross(cross(U, V), W) + cross(V, cross(U, W))) < tolerance<S>());
}

TEMPLATE_TEST_CASE("(V x)^T = -(V x*)", "[spatial][cross]", CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(4);
  const Motion<S> V = random.motion();
  CHECK(crm(V).transpose() == -crf(V));
}

TEMPLATE_TEST_CASE("F xbar* is skew-symmetric", "[spatial][cross]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(5);
  const Force<S> F = random.force();
  CHECK(crf_bar(F).transpose() == -crf_bar(F));
}

TEST_EACH_SCALAR(Random<S>& random, "U.(V x* F) = -(V x U).F", "[spatial][cross]") {
  const Motion<S> U = random.motion(), V = random.motion();
  const Force<S> F = random.force();
  CHECK(relative_error(dot(U, cross(V, F)), -dot(cross(V, U), F), 10.0) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "U.(V x* F) changes sign when U and V change places", "[spatial][cross]") {
  const Motion<S> U = random.motion(), V = random.motion();
  const Force<S> F = random.force();
  CHECK(relative_error(dot(U, cross(V, F)), -dot(V, cross(U, F)), 10.0) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "(U x V)x is the commutator of U x and V x", "[spatial][cross]") {
  const Motion<S> U = random.motion(), V = random.motion();
  CHECK(relative_error(crm(cross(U, V)), crm(U) * crm(V) - crm(V) * crm(U)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "(U x V)x* is the commutator of U x* and V x*", "[spatial][cross]") {
  const Motion<S> U = random.motion(), V = random.motion();
  CHECK(relative_error(crf(cross(U, V)), crf(U) * crf(V) - crf(V) * crf(U)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "(U x* F)xbar* = (U x*)(F xbar*) - (F xbar*)(U x)", "[spatial][cross]") {
  const Motion<S> U = random.motion();
  const Force<S> F = random.force();
  CHECK(relative_error(crf_bar(cross(U, F)), crf(U) * crf_bar(F) - crf_bar(F) * crm(U)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the spatial cross products are linear in each factor, without conjugation", "[spatial][cross]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  Random<S> random(6);
  const Motion<S> U = random.motion(), V = random.motion(), W = random.motion();
  const Force<S> F = random.force(), G = random.force();
  const S z = random.scalar();
  CHECK(relative_error(cross(z * U + V, W), z * cross(U, W) + cross(V, W)) < tolerance<S>());
  CHECK(relative_error(cross(W, z * U + V), z * cross(W, U) + cross(W, V)) < tolerance<S>());
  CHECK(relative_error(cross(z * U + V, F), z * cross(U, F) + cross(V, F)) < tolerance<S>());
  CHECK(relative_error(cross(U, z * F + G), z * cross(U, F) + cross(U, G)) < tolerance<S>());
}
