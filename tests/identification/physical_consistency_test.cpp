#include <Eigen/Core>
// Included after Eigen/Core, which AutoDiff needs and does not include.
#include <unsupported/Eigen/AutoDiff>
//
#include <Eigen/Eigenvalues>
#include <complex>

#include "corio/identification/log_cholesky.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
namespace t = corio::test;
using t::relative_error;

// The oracle is a cloud of point masses, and Eigen's eigenvalues of the 4 x 4 pseudo-inertia.

namespace {

constexpr int seeds = 20;

/// Returns a solid body as far from the origin as it is large: five points of random mass in a cube of two metres.
template <class S>
InertialParameters<S> body(int seed) {
  return InertialParameters<S>(t::Random<S>(seed).inertia());
}
template <class S>
Vector10<S> random_theta(int seed) {
  t::Random<S> random(seed);
  Vector10<S> theta;
  for (int i = 0; i < 10; ++i) theta[i] = random.scalar();
  return theta;
}
double smallest_eigenvalue(const InertialParameters<double>& parameters) {
  return t::eigenvalues(pseudo_inertia(parameters))[0];
}

}  // namespace

TEMPLATE_TEST_CASE("the pseudo-inertia of points is the sum of m [r; 1] [r; 1]^T", "[identification][inertia]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(0, seeds));
  Eigen::Matrix4<S> expected = Eigen::Matrix4<S>::Zero();
  for (const auto& point : t::Random<S>(seed).points()) {
    const Eigen::Matrix<S, 4, 1> r(point.position[0], point.position[1], point.position[2], S(1));
    expected += point.mass * r * r.transpose();
  }
  const Eigen::Matrix4<S> J = pseudo_inertia(body<S>(seed));
  CHECK(relative_error(J, expected) < t::tolerance<S>());
  CHECK(relative_error(from_pseudo_inertia(J).vector(), body<S>(seed).vector()) < t::tolerance<S>());
}

TEST_CASE("a body is consistent exactly if the eigenvalues of its pseudo-inertia are positive",
          "[identification][inertia]") {
  int consistent = 0;
  t::Random<double> random(1);
  for (int i = 0; i < 2000; ++i) {
    // These are somewhat more extreme than a cloud of points: about half of them are beyond the border.
    Vector10<double> pi = body<double>(i).vector();
    for (int k = 0; k < 10; ++k) pi[k] += 1.5 * random.real();
    const auto parameters = InertialParameters<double>::from_parameters(pi);
    const double smallest = smallest_eigenvalue(parameters);
    if (std::abs(smallest) < 1e-9) continue;
    CAPTURE(i, smallest);
    CHECK(is_physically_consistent(pi) == (smallest > 0));
    consistent += smallest > 0;
  }
  CHECK(consistent > 400);
  CHECK(consistent < 1600);
}

TEST_CASE("the condition that is violated is named, with the body", "[identification][inertia]") {
  const auto message = [](double mass, const Vector3<double>& com, const Vector3<double>& moments) {
    const InertialParameters<double> parameters(mass, com, moments.asDiagonal());
    return t::message_of<ModelError>([&] { check_physically_consistent(parameters, "link3"); });
  };
  const Vector3<double> com(0.1, 0.2, 0.3), good(1, 1.1, 1.2);
  CHECK(message(2, com, good) == "no exception");
  CHECK(t::mentions(message(0, com, good), {"'link3'", "mass is 0 kg", "must be positive"}));
  CHECK(t::mentions(message(-1.5, com, good), {"'link3'", "mass is -1.5 kg"}));
  CHECK(t::mentions(message(0.5, com, {1, 1, 2.01}), {"'link3'", "1, 1, 2.01 kg m^2", "less than the sum"}));
  CHECK(t::mentions(message(2, com, {-0.5, 1, 1}), {"'link3'", "-0.5, 1, 1", "must be positive"}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(t::mentions(message(nan, com, good), {"'link3'", "finite"}));
  CHECK(t::mentions(message(2, {nan, 0, 0}, good), {"'link3'", "finite"}));
  CHECK(t::mentions(message(2, com, {nan, 1, 1}), {"'link3'", "finite"}));
  CHECK(t::mentions(message(std::numeric_limits<double>::infinity(), com, good), {"finite"}));
  CHECK_THROWS_AS(log_cholesky(InertialParameters<double>(2, com, Vector3<double>(1, 1, 2.01).asDiagonal())),
                  ModelError);
}

TEMPLATE_TEST_CASE("log_cholesky and from_log_cholesky are inverse to each other", "[identification][log-cholesky]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const int seed = GENERATE(range(0, seeds));
  const auto parameters = body<S>(seed);
  CHECK(relative_error(from_log_cholesky(log_cholesky(parameters)).vector(), parameters.vector()) < t::tolerance<S>());
  // Numbers in theta are up to 1 in modulus, so exponentials and pivots lose at most two digits.
  const Vector10<S> theta = random_theta<S>(seed);
  CHECK(relative_error(log_cholesky(from_log_cholesky(theta)), theta) < 10 * t::tolerance<S>());
}

TEMPLATE_TEST_CASE("theta gives J = U U^T, positive definite", "[identification][log-cholesky]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const int seed = GENERATE(range(0, seeds));
  const Vector10<S> theta = random_theta<S>(seed);
  const Eigen::Matrix4<S> U = log_cholesky_factor(theta), J = U * U.transpose();
  CHECK(relative_error(pseudo_inertia(from_log_cholesky(theta)), J) < t::tolerance<S>());
  if constexpr (std::is_same_v<S, double>) {
    CHECK(smallest_eigenvalue(from_log_cholesky(theta)) > 0);
    CHECK(is_physically_consistent(from_log_cholesky(Vector10<double>(5 * theta))));
  }
}

TEST_CASE("the first and the last numbers of theta are mass and centre of mass", "[identification][log-cholesky]") {
  const auto parameters = body<double>(3);
  const Vector10<double> theta = log_cholesky(parameters);
  CHECK(std::exp(2 * theta[0]) == Approx(parameters.mass));
  CHECK(relative_error(theta.tail<3>(), parameters.com) < 1e-14);
}

TEST_CASE("the Jacobian is the derivative of pi by theta", "[identification][log-cholesky]") {
  const int seed = GENERATE(range(0, seeds));
  const Vector10<double> theta = random_theta<double>(seed);
  const Eigen::Matrix<double, 10, 10> D = log_cholesky_jacobian(theta);

  SECTION("by complex steps") {
    Eigen::Matrix<double, 10, 10> expected;
    for (int k = 0; k < 10; ++k) {
      Vector10<std::complex<double>> moved = theta.cast<std::complex<double>>();
      moved[k] += std::complex<double>(0, 1e-40);
      expected.col(k) = from_log_cholesky(moved).vector().imag() / 1e-40;
    }
    CHECK(relative_error(D, expected) < 1e-13);
  }
  SECTION("by AutoDiffScalar") {
    using AutoDiff = Eigen::AutoDiffScalar<Vector10<double>>;
    Vector10<AutoDiff> moved;
    for (int k = 0; k < 10; ++k) moved[k] = AutoDiff(theta[k], 10, k);
    const Vector10<AutoDiff> pi = from_log_cholesky(moved).vector();
    for (int i = 0; i < 10; ++i) CHECK(relative_error(pi[i].derivatives(), D.row(i).transpose()) < 1e-13);
    // The map back has the inverse derivative; its condition costs some digits.
    const Vector10<AutoDiff> back = log_cholesky(InertialParameters<AutoDiff>::from_parameters(pi));
    for (int i = 0; i < 10; ++i) CHECK(relative_error(back[i].derivatives(), Vector10<double>::Unit(i)) < 1e-9);
  }
  SECTION("its determinant is that of a Cholesky factorisation and never zero") {
    // The factors are 2^4 prod U_ii^i for J with respect to U, prod U_ii exp(6 alpha) for U with respect to theta, and
    // 2 for pi with respect to J.
    const Eigen::Vector4d u = log_cholesky_factor(theta).diagonal();
    const double expected =
        32 * std::pow(u[0], 2) * std::pow(u[1], 3) * std::pow(u[2], 4) * std::pow(u[3], 5) * std::exp(6 * theta[0]);
    CHECK(std::abs(D.determinant()) == Approx(expected).epsilon(1e-10));
  }
}
