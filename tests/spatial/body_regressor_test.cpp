#include "corio/spatial/body_regressor.hpp"

#include "corio/spatial/cross.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using Vector10d = Vector10<double>;
using Matrix6x10 = Eigen::Matrix<double, 6, 10>;

Vector10d parameters_of(const Inertia<double>& I) { return InertialParameters<double>(I).vector(); }

Matrix6x10 momentum(const Motion<double>& V) {
  return BodyRegressor<double>::of(PointField<double>::velocity(V)).matrix();
}

}  // namespace

TEST_CASE("the field of velocities gives I V", "[spatial][body_regressor]") {
  Random<double> random(GENERATE(range(0, 20)));
  const auto I = random.inertia();
  const auto V = random.motion();
  const Vector6<double> expected = (I * V).vector();
  CHECK(relative_error(momentum(V) * parameters_of(I), expected) < tolerance<double>());
}

TEST_CASE("the field of accelerations gives I dW + B(V, I) W", "[spatial][body_regressor]") {
  Random<double> random(GENERATE(range(0, 20)));
  const auto I = random.inertia();
  const auto V = random.motion(), W = random.motion(), dW = random.motion();
  const auto H = BodyRegressor<double>::of(PointField<double>::acceleration(V, W, dW));
  const Vector6<double> expected = (I * dW + BodyCoriolis<double>::from(V, I) * W).vector();
  CHECK(relative_error(H.matrix() * parameters_of(I), expected) < tolerance<double>());
}

TEST_CASE("the field of accelerations is that of momenta, crossed", "[spatial][body_regressor]") {
  // Compares A(dW) + (V x* A(W) + W x* A(V) - A(V x W)) / 2 column by column, so not only for physical parameters.
  Random<double> random(GENERATE(range(0, 20)));
  const auto V = random.motion(), W = random.motion(), dW = random.motion();
  const Matrix6x10 H = BodyRegressor<double>::of(PointField<double>::acceleration(V, W, dW)).matrix();
  const Matrix6x10 expected = momentum(dW) + (crf(V) * momentum(W) + crf(W) * momentum(V) - momentum(cross(V, W))) / 2;
  CHECK(relative_error(H, expected) < tolerance<double>());
}

TEST_CASE("the matrix of a body in other axes is that in its own, transformed", "[spatial][body_regressor]") {
  Random<double> random(GENERATE(range(0, 20)));
  const auto X = random.pose();
  const auto V = random.motion(), W = random.motion(), dW = random.motion();
  const auto H = BodyRegressor<double>::of(PointField<double>::acceleration(V, W, dW), X);
  const auto own = BodyRegressor<double>::of(
      PointField<double>::acceleration(X.act_inverse(V), X.act_inverse(W), X.act_inverse(dW)));
  CHECK(relative_error(H.matrix(), X.force_matrix() * own.matrix()) < tolerance<double>());
}

TEST_CASE("products with the matrix of a body are those with its 60 numbers", "[spatial][body_regressor]") {
  Random<double> random(GENERATE(range(0, 20)));
  const auto X = random.pose();
  const auto H = BodyRegressor<double>::of(PointField<double>::velocity(random.motion()), X);
  const auto U = random.motion();
  std::array<double, 10> pi{};
  for (double& x : pi) x = random.real();
  const Vector10d as_vector = Eigen::Map<const Vector10d>(pi.data());
  CHECK(relative_error((H * pi).vector(), H.matrix() * as_vector) < tolerance<double>());
  const auto powers = H.powers(U);
  const Vector10d expected = H.matrix().transpose() * U.vector();
  CHECK(relative_error(Eigen::Map<const Vector10d>(powers.data()), expected, 10) < tolerance<double>());
}
