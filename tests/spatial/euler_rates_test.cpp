#include "corio/spatial/euler_rates.hpp"

#include <numbers>

#include "corio/algorithms/derivatives/jacobian_derivatives.hpp"
#include "corio/model/builder.hpp"
#include "corio/spatial/crm_factors.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

constexpr std::array<int, 3> euler_sequences[] = {{2, 1, 0}, {0, 1, 2}, {2, 0, 2}, {1, 2, 1}};

/// Returns R_a(q0) R_b(q1) R_c(q2) by Eigen.
Matrix3<double> rotation_by_angles(const std::array<int, 3>& axes, const Vector3<double>& q) {
  const auto R = [&](int i) {
    return Eigen::AngleAxisd(q[i], Vector3<double>::Unit(axes[static_cast<std::size_t>(i)])).toRotationMatrix();
  };
  return R(0) * R(1) * R(2);
}

}  // namespace

TEST_CASE("E is the angular velocity of angle rates, and Gamma its inverse", "[spatial][euler_rates]") {
  Random<double> random(1);
  for (const auto& axes : euler_sequences) {
    const Vector3<double> q = random.vector() + Vector3<double>(0, 1.2, 0), rate = random.vector();
    const auto [E, Gamma] = euler_rates(axes, q);
    // With h = 1e-5, h^2 and eps / h are 1e-10 of the entries.
    constexpr double h = 1e-5;
    const Matrix3<double> R = rotation_by_angles(axes, q);
    const Matrix3<double> slope =
        (rotation_by_angles(axes, q + h * rate) - rotation_by_angles(axes, q - h * rate)) / (2 * h);
    const Matrix3<double> S = R.transpose() * slope;
    CHECK(relative_error(Matrixd(skew(Vector3<double>(E * rate))), Matrixd(S)) < 1e-8);
    CHECK(relative_error(Matrixd(E * Gamma), Matrixd::Identity(3, 3)) < tolerance<double>() * max_magnitude(Gamma));
  }
}

TEST_CASE("Gamma grows without bound where two axes become parallel", "[spatial][euler_rates]") {
  const auto largest_rate = [](const std::array<int, 3>& axes, const Vector3<double>& q) {
    return max_magnitude(Matrixd(euler_rates(axes, q).Gamma));
  };
  for (const auto& axes : euler_sequences) {
    const double singular = axes[0] == axes[2] ? 0 : std::numbers::pi / 2;
    for (const double distance : {1e-3, 1e-6})
      CHECK(std::abs(largest_rate(axes, {0.3, singular + distance, 0.2}) * distance - 1) < 0.1);
  }
}

TEST_CASE("derivatives by angles times Gamma are those along angular velocities", "[spatial][euler_rates]") {
  // Tests eq. 33 of Garofalo, Ott and Albu-Schaeffer (2013) for a ball joint, once as one joint and once as three
  // hinges.
  Random<double> random(7);
  using joint::Revolute;
  const InertialParameters<double> inertia(random.inertia());
  const Pose<double> P0 = random.pose(), P1 = random.pose(), P2 = random.pose();
  const Revolute first(random.direction()), last(random.direction());
  ModelBuilder<double> ball_builder("ball"), hinge_builder("hinges");
  ball_builder.add_body({.name = "base", .joint = first, .placement = P0, .inertia = inertia});
  ball_builder.add_body(
      {.name = "ball", .parent = "base", .joint = joint::Spherical{}, .placement = P1, .inertia = inertia});
  ball_builder.add_body({.name = "tip", .parent = "ball", .joint = last, .placement = P2, .inertia = inertia});
  hinge_builder.add_body({.name = "base", .joint = first, .placement = P0, .inertia = inertia});
  const char* parent = "base";
  const std::pair<const char*, int> hinges[] = {{"yaw", 2}, {"pitch", 1}, {"ball", 0}};
  for (const auto& [name, axis] : hinges) {
    hinge_builder.add_body({.name = name,
                            .parent = parent,
                            .joint = Revolute(Vector3<double>::Unit(axis)),
                            .placement = parent == std::string("base") ? P1 : Pose<double>::identity(),
                            .inertia = inertia});
    parent = name;
  }
  hinge_builder.add_body({.name = "tip", .parent = "ball", .joint = last, .placement = P2, .inertia = inertia});
  const auto ball = ball_builder.build(), hinged = hinge_builder.build();
  Data<double> ball_data(ball), hinge_data(hinged);

  const Vectord angles = random_vector(random, 5);
  const Vector3<double> of_ball = angles.segment<3>(1);
  Vectord q(6);
  q << angles[0], Eigen::Quaterniond(rotation_by_angles({2, 1, 0}, of_ball)).coeffs(), angles[4];
  Matrixd A = Matrixd::Identity(5, 5);  // dq/dt = A v
  A.block<3, 3>(1, 1) = euler_rates({2, 1, 0}, of_ball).Gamma;

  // Compares derivatives of the tip's Jacobian with respect to the last joint, and to its pose: these columns are the
  // same motions in both models.
  JacobianDerivatives<double> D(ball), D_hinges(hinged);
  body_jacobian_derivatives(ball, ball_data, q, {ball.body("tip"), ReferenceFrame::world}, D);
  body_jacobian_derivatives(hinged, hinge_data, angles, {hinged.body("tip"), ReferenceFrame::world}, D_hinges);
  CHECK(relative_error(Matrixd(D.jacobian()), Matrixd(D_hinges.jacobian() * A)) < tolerance<double>());
  for (int l = 0; l < 5; ++l)
    for (const int same : {0, 4}) {
      Vectord expected = Vectord::Zero(6);
      for (int h = 0; h < 5; ++h) expected += D_hinges.along(h).col(same) * A(h, l);
      CHECK(relative_error(Vectord(D.along(l).col(same)), expected) < tolerance<double>());
    }
}

TEST_CASE("the constant W and a matrix that repeats V have the product (V x)", "[spatial][crm_factors]") {
  Random<double> random(9);
  for (int i = 0; i < 10; ++i) {
    const Motion<double> V = random.motion();
    CHECK(relative_error(Matrixd(crm_selection<double>() * repeated(V)), Matrixd(crm(V))) < tolerance<double>());
    // The function is linear in V: the change of V by x changes the matrix crm(V) by crm(x).
    const Motion<double> x = random.motion(), sum = V + x;
    CHECK(relative_error(Matrixd(crm_selection<double>() * (repeated(sum) - repeated(V))), Matrixd(crm(x))) <
          10 * tolerance<double>());
  }
}
