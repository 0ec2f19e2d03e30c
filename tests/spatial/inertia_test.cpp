#include "corio/spatial/inertia.hpp"

#include <complex>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

// Numbers (2.x) refer to the mathematics of the dynamics core. The oracle is a cloud of point masses, summed point by
// point without spatial algebra.

namespace {

/// Returns sum m (r.r 1 - r r^T) about the point c.
template <class S>
Matrix3<S> rotational_inertia(const std::vector<PointMass<S>>& points, const Vector3<S>& c) {
  Matrix3<S> sum = Matrix3<S>::Zero();
  for (const PointMass<S>& point : points) {
    const Vector3<S> r = point.position - c;
    sum += point.mass * (dot(r, r) * Matrix3<S>::Identity() - r * r.transpose());
  }
  return sum;
}

template <class S>
Vector3<S> centre_of_mass(const std::vector<PointMass<S>>& points) {
  S mass(0);
  Vector3<S> h = Vector3<S>::Zero();
  for (const PointMass<S>& point : points) {
    mass += point.mass;
    h += point.mass * point.position;
  }
  return h / mass;
}

template <class S>
double size(const Motion<S>& V, const Force<S>& F) {
  return max_magnitude(V.vector()) * max_magnitude(F.vector());
}

}  // namespace

TEMPLATE_TEST_CASE("a symmetric matrix survives the round trip through its six numbers", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Matrix3<S> A;
  A << S(1), S(4), S(5), S(4), S(2), S(6), S(5), S(6), S(3);
  const Symmetric3<S> a = Symmetric3<S>::from(A);
  CHECK(a.matrix() == A);
  CHECK(a.trace() == A.trace());
}

TEMPLATE_TEST_CASE("a symmetric matrix is taken from the upper triangle", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Matrix3<S> A;
  A << S(1), S(4), S(5), S(-7), S(2), S(6), S(-8), S(-9), S(3);
  Matrix3<S> symmetric;
  symmetric << S(1), S(4), S(5), S(4), S(2), S(6), S(5), S(6), S(3);
  CHECK(Symmetric3<S>::from(A).matrix() == symmetric);
}

TEMPLATE_TEST_CASE("six numbers add and multiply as the symmetric matrix does", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(1);
  const Symmetric3<S> A = random.inertia().sigma, B = random.inertia().sigma;
  const Vector3<S> x = random.vector();
  Symmetric3<S> sum = A;
  sum += B;
  CHECK(relative_error(A * x, A.matrix() * x) < tolerance<S>());
  CHECK(sum.matrix() == A.matrix() + B.matrix());
  CHECK(Symmetric3<S>::zero().matrix() == Matrix3<S>::Zero());
}

TEMPLATE_TEST_CASE("the trace complement is tr(A) 1 - A", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(2);
  const Symmetric3<S> A = random.inertia().sigma;
  const Matrix3<S> expected = A.matrix().trace() * Matrix3<S>::Identity() - A.matrix();
  CHECK(relative_error(trace_complement(A).matrix(), expected) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the rotational inertia of point masses is sum m (r.r 1 - r r^T)",
                 "[spatial][inertia]") {
  const auto points = random.points();
  const Matrix3<S> expected = rotational_inertia<S>(points, Vector3<S>::Zero());
  CHECK(relative_error(inertia_of(points).rotational(), expected) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "I V is the momentum of the points", "[spatial][inertia]") {
  const auto points = random.points();
  const Motion<S> V = random.motion();
  Vector3<S> angular = Vector3<S>::Zero(), linear = Vector3<S>::Zero();
  for (const auto& point : points) {
    const Vector3<S> momentum = point.mass * velocity_at(V, point.position);
    angular += skew(point.position) * momentum;
    linear += momentum;
  }
  CHECK(relative_error(inertia_of(points) * V, Force<S>{angular, linear}) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "1/2 V.IV is the kinetic energy of the points", "[spatial][inertia]") {
  const auto points = random.points();
  const Motion<S> V = random.motion();
  S twice_energy(0);
  for (const auto& point : points) {
    const Vector3<S> velocity = velocity_at(V, point.position);
    twice_energy += point.mass * (velocity.transpose() * velocity).value();
  }
  const Force<S> momentum = inertia_of(points) * V;
  CHECK(relative_error(dot(V, momentum), twice_energy, size(V, momentum)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "I V is the product with the 6 x 6 matrix", "[spatial][inertia]") {
  const Inertia<S> I = random.inertia();
  const Motion<S> V = random.motion();
  CHECK(relative_error((I * V).vector(), I.matrix() * V.vector()) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the 6 x 6 inertia is symmetric", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(3);
  const Matrix6<S> I = random.inertia().matrix();
  CHECK(I == I.transpose());
}

TEST_EACH_SCALAR(Random<S>& random, "(2.1) U.IV = tr( hat(U) J hat(V)^T )", "[spatial][inertia]") {
  const Motion<S> U = random.motion(), V = random.motion();
  const Inertia<S> I = random.inertia();
  const S trace = (hat(U) * pseudo_inertia(I) * hat(V).transpose()).trace();
  CHECK(relative_error(dot(U, I * V), trace, size(U, I * V)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("I V is linear in inertia and motion, without conjugation", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  Random<S> random(4);
  const Inertia<S> I = random.inertia(), K = random.inertia();
  const Motion<S> V = random.motion(), W = random.motion();
  const S z = random.scalar();
  CHECK(relative_error((scaled(z, I) + K) * V, z * (I * V) + K * V) < tolerance<S>());
  CHECK(relative_error(I * (z * V + W), z * (I * V) + I * W) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the inertia of two bodies together is the sum of theirs", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(5);
  const auto first = random.points(), second = random.points();
  auto all = first;
  all.insert(all.end(), second.begin(), second.end());
  Inertia<S> sum = Inertia<S>::zero();
  sum += inertia_of(first);
  sum += inertia_of(second);
  CHECK(relative_error(sum, inertia_of(all)) < tolerance<S>());
  CHECK(relative_error(inertia_of(first) + inertia_of(second), inertia_of(all)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "centre of mass and inertia about it are those of the points",
                 "[spatial][inertia]") {
  const auto points = random.points();
  const InertialParameters<S> body(inertia_of(points));
  const Vector3<S> com = centre_of_mass(points);
  CHECK(relative_error(body.mass, inertia_of(points).mass) < tolerance<S>());
  CHECK(relative_error(body.com, com) < tolerance<S>());
  CHECK(relative_error(body.inertia, rotational_inertia(points, com)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "mass, centre of mass and inertia about it give the inertia of the points",
                 "[spatial][inertia]") {
  const auto points = random.points();
  const Vector3<S> com = centre_of_mass(points);
  S mass(0);
  for (const auto& point : points) mass += point.mass;
  const InertialParameters<S> body(mass, com, rotational_inertia(points, com));
  CHECK(relative_error(Inertia<S>(body), inertia_of(points)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the ten parameters are [m, m c, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about the origin",
                 "[spatial][inertia]") {
  const auto points = random.points();
  Eigen::Matrix<S, 10, 1> expected = Eigen::Matrix<S, 10, 1>::Zero();
  for (const auto& point : points) {
    const S m = point.mass, x = point.position[0], y = point.position[1], z = point.position[2];
    expected[0] += m;
    expected[1] += m * x;
    expected[2] += m * y;
    expected[3] += m * z;
    expected[4] += m * (y * y + z * z);
    expected[5] += m * (x * x + z * z);
    expected[6] += m * (x * x + y * y);
    expected[7] -= m * x * y;
    expected[8] -= m * x * z;
    expected[9] -= m * y * z;
  }
  CHECK(relative_error(InertialParameters<S>(inertia_of(points)).vector(), expected) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "a body survives the round trip through its ten parameters", "[spatial][inertia]") {
  const Inertia<S> I = random.inertia();
  const InertialParameters<S> body(I);
  const auto again = InertialParameters<S>::from_parameters(body.vector());
  CHECK(relative_error(again.vector(), body.vector()) < tolerance<S>());
  CHECK(relative_error(again.com, body.com) < tolerance<S>());
  CHECK(relative_error(again.inertia, body.inertia) < tolerance<S>());
  CHECK(relative_error(Inertia<S>(again), I) < tolerance<S>());
}

TEMPLATE_TEST_CASE("a massless body keeps its rotational inertia and has finite parameters", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Inertia<S> I = Inertia<S>::zero();
  I.sigma = Random<S>(6).inertia().sigma;
  const InertialParameters<S> rotor(I);
  CHECK(rotor.com == Vector3<S>::Zero());
  CHECK(relative_error(rotor.inertia, I.rotational()) < tolerance<S>());
  CHECK(relative_error(Inertia<S>(rotor), I) < tolerance<S>());
}

TEST_CASE("a body of denormal mass has a centre of mass", "[spatial][inertia]") {
  const double mass = std::numeric_limits<double>::denorm_min();
  const InertialParameters<double> body(Inertia<double>{mass, {0, 3 * mass, 0}, Symmetric3<double>::zero()});
  CHECK(body.com == Vector3<double>(0, 3, 0));
  CHECK(body.inertia.allFinite());
}

TEMPLATE_TEST_CASE("default inertial parameters are those of no body", "[spatial][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  CHECK(InertialParameters<S>().vector().isZero(0));
  CHECK(pseudo_inertia(Inertia<S>(InertialParameters<S>())).isZero(0));
}

TEST_CASE("the derivative of the ten parameters by complex step is that of the border view", "[spatial][inertia]") {
  // The derivative of pi with respect to c along u is m u for the first moment, and m (2 u.c 1 - u c^T - c u^T) for the
  // rotational inertia.
  using C = std::complex<double>;
  Random<double> random(7);
  const InertialParameters<double> body(random.inertia());
  const Vector3<double> u = random.vector(), c = body.com;
  InertialParameters<C> moved = body.cast<C>();
  moved.com += C(0, 1e-30) * u.cast<C>();
  const Eigen::Matrix<double, 10, 1> rate = moved.vector().imag() / 1e-30;
  const Matrix3<double> A =
      body.mass * (2 * u.dot(c) * Matrix3<double>::Identity() - u * c.transpose() - c * u.transpose());
  Eigen::Matrix<double, 10, 1> expected;
  expected << 0, body.mass * u, A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2);
  CHECK(relative_error(rate, expected) < tolerance<double>());
}

TEST_CASE("a cast of an inertia to a wider scalar and back changes nothing", "[spatial][inertia]") {
  const Inertia<float> I = Random<float>(8).inertia();
  const Inertia<double> wide = I.cast<double>();
  CHECK(pseudo_inertia(wide) == pseudo_inertia(I).cast<double>());
  CHECK(pseudo_inertia(wide.cast<float>()) == pseudo_inertia(I));
}

TEST_CASE("a cast of inertial parameters to a wider scalar and back changes nothing", "[spatial][inertia]") {
  const InertialParameters<float> body(Random<float>(9).inertia());
  const InertialParameters<float> again = body.cast<double>().cast<float>();
  CHECK(again.mass == body.mass);
  CHECK(again.com == body.com);
  CHECK(again.inertia == body.inertia);
}
