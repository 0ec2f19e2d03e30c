#include "corio/spatial/pose.hpp"

#include <complex>
#include <vector>

#include <Eigen/Geometry>
#include "corio/spatial/cross.hpp"

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

// Numbers (2.2) and (3.6) refer to the mathematics of the dynamics core.

TEST_EACH_SCALAR(Random<S>& random, "a pose maps points as its 4 x 4 matrix does", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Vector3<S> r = random.vector();
  const Eigen::Matrix<S, 4, 1> r1(r[0], r[1], r[2], S(1));
  CHECK(relative_error(T.point(r), (homogeneous(T) * r1).template head<3>()) < tolerance<S>());
  CHECK(relative_error(T.point_inverse(T.point(r)), r) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the product of poses is the product of their 4 x 4 matrices", "[spatial][pose]") {
  const Pose<S> A = random.pose(), B = random.pose();
  CHECK(relative_error(homogeneous(A * B), homogeneous(A) * homogeneous(B)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "a pose times its inverse is the identity, on either side", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  CHECK(relative_error(T * T.inverse(), Pose<S>::identity()) < tolerance<S>());
  CHECK(relative_error(T.inverse() * T, Pose<S>::identity()) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the identity pose changes nothing", "[spatial][pose]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(1);
  const Pose<S> one = Pose<S>::identity(), T = random.pose();
  const Motion<S> V = random.motion();
  const Force<S> F = random.force();
  const Inertia<S> I = random.inertia();
  const auto B = BodyCoriolis<S>::from(V, I);
  CHECK(relative_error(one * T, T) < tolerance<S>());
  CHECK(relative_error(one.act(V), V) < tolerance<S>());
  CHECK(relative_error(one.act(F), F) < tolerance<S>());
  CHECK(relative_error(one.act(I), I) < tolerance<S>());
  CHECK(relative_error(one.act(B), B) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "act on motions is the product with motion_matrix", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion();
  CHECK(relative_error(T.act(V).vector(), T.motion_matrix() * V.vector()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "act on forces is the product with force_matrix", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Force<S> F = random.force();
  CHECK(relative_error(T.act(F).vector(), T.force_matrix() * F.vector()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "motion_matrix and force_matrix are inverse transposes of each other",
                 "[spatial][pose]") {
  const Pose<S> T = random.pose();
  CHECK(relative_error(T.motion_matrix().transpose() * T.force_matrix(), Matrix6<S>::Identity()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the 6 x 6 matrices of the inverse pose are the inverses", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Matrix6<S> one = Matrix6<S>::Identity();
  CHECK(relative_error(T.inverse().motion_matrix() * T.motion_matrix(), one) < tolerance<S>());
  CHECK(relative_error(T.inverse().force_matrix() * T.force_matrix(), one) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "act_inverse undoes act and is the act of the inverse pose", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const auto check = [&T](const auto& x) {
    CHECK(relative_error(T.act_inverse(T.act(x)), x) < tolerance<S>());
    CHECK(relative_error(T.act_inverse(x), T.inverse().act(x)) < tolerance<S>());
  };
  const Motion<S> V = random.motion();
  const Inertia<S> I = random.inertia();
  check(V);
  check(random.force());
  check(I);
  check(BodyCoriolis<S>::from(V, I));
}

TEST_EACH_SCALAR(Random<S>& random, "acting with a product of poses is acting twice", "[spatial][pose]") {
  const Pose<S> A = random.pose(), B = random.pose();
  const auto check = [&A, &B](const auto& x) {
    CHECK(relative_error((A * B).act(x), A.act(B.act(x))) < tolerance<S>());
  };
  const Motion<S> V = random.motion();
  const Inertia<S> I = random.inertia();
  check(V);
  check(random.force());
  check(I);
  check(BodyCoriolis<S>::from(V, I));
}

TEST_EACH_SCALAR(Random<S>& random, "power does not depend on the frame", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion();
  const Force<S> F = random.force();
  const double terms = 6 * max_magnitude(T.act(V).vector()) * max_magnitude(T.act(F).vector());
  CHECK(relative_error(dot(T.act(V), T.act(F)), dot(V, F), terms) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "kinetic energy does not depend on the frame", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion(), TV = T.act(V);
  const Inertia<S> I = random.inertia();
  const Force<S> momentum = T.act(I) * TV;
  const double terms = 6 * max_magnitude(TV.vector()) * max_magnitude(momentum.vector());
  CHECK(relative_error(dot(TV, momentum), dot(V, I * V), terms) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "a transformed motion moves the transformed point with the rotated velocity",
                 "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion();
  const Vector3<S> r = random.vector();
  const Vector3<S> there = T.rotation * r + T.translation;
  CHECK(relative_error(velocity_at(T.act(V), there), T.rotation * velocity_at(V, r)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "a transformed force is the wrench of the rotated force at the transformed point",
                 "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Vector3<S> r = random.vector(), f = random.vector();
  const Vector3<S> there = T.rotation * r + T.translation, rotated = T.rotation * f;
  const Force<S> expected{skew(there) * rotated, rotated};
  CHECK(relative_error(T.act(Force<S>{skew(r) * f, f}), expected) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "act on motions conjugates their 4 x 4 matrices", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion();
  CHECK(relative_error(hat(T.act(V)) * homogeneous(T), homogeneous(T) * hat(V)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the spatial cross products do not depend on the frame", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion(), W = random.motion();
  const Force<S> F = random.force();
  CHECK(relative_error(cross(T.act(V), T.act(W)), T.act(cross(V, W))) < tolerance<S>());
  CHECK(relative_error(cross(T.act(V), T.act(F)), T.act(cross(V, F))) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "(2.2) act on an inertia is J' = T J T^T", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Inertia<S> I = random.inertia();
  const Matrix4<S> expected = homogeneous(T) * pseudo_inertia(I) * homogeneous(T).transpose();
  CHECK(relative_error(pseudo_inertia(T.act(I)), expected) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the transformed inertia is that of the transformed points", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const auto points = random.points();
  auto moved = points;
  for (auto& point : moved) point.position = T.rotation * point.position + T.translation;
  CHECK(relative_error(T.act(inertia_of(points)), inertia_of(moved)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the 6 x 6 inertia transforms by congruence with force_matrix", "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Inertia<S> I = random.inertia();
  const Matrix6<S> X = T.force_matrix();
  CHECK(relative_error(T.act(I).matrix(), X * I.matrix() * X.transpose()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "(3.6) the 6 x 6 Coriolis operator transforms by congruence with force_matrix",
                 "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion();
  const auto B = BodyCoriolis<S>::from(V, random.inertia());
  const Matrix6<S> X = T.force_matrix();
  CHECK(relative_error(T.act(B).matrix(), X * B.matrix() * X.transpose()) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "(3.6) the transformed Coriolis operator is that of transformed motion and inertia",
                 "[spatial][pose]") {
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion();
  const Inertia<S> I = random.inertia();
  CHECK(relative_error(T.act(BodyCoriolis<S>::from(V, I)), BodyCoriolis<S>::from(T.act(V), T.act(I))) < tolerance<S>());
}

TEMPLATE_TEST_CASE("act is linear, without conjugation", "[spatial][pose]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  Random<S> random(2);
  const Pose<S> T = random.pose();
  const Motion<S> V = random.motion(), W = random.motion();
  const Force<S> F = random.force(), G = random.force();
  const Inertia<S> I = random.inertia(), K = random.inertia();
  const S z = random.scalar();
  CHECK(relative_error(T.act(z * V + W), z * T.act(V) + T.act(W)) < tolerance<S>());
  CHECK(relative_error(T.act(z * F + G), z * T.act(F) + T.act(G)) < tolerance<S>());
  CHECK(relative_error(T.act(scaled(z, I) + K), scaled(z, T.act(I)) + T.act(K)) < tolerance<S>());
}

TEST_CASE("the rate of a transformed quantity by complex step is its product with the motion", "[spatial][pose]") {
  // T (1 + i h hat(U)) is a pose to first order in h.
  using C = std::complex<double>;
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  constexpr double h = 1e-30;
  Random<double> random(seed);
  const Pose<double> T = random.pose();
  const Motion<double> U = random.motion(), V = random.motion();
  const Force<double> F = random.force();
  const Inertia<double> I = random.inertia();
  Pose<C> moved = T.cast<C>();
  moved.rotation += C(0, h) * (T.rotation * skew(U.angular)).cast<C>();
  moved.translation += C(0, h) * (T.rotation * U.linear).cast<C>();

  const Vector6<double> motion_rate = moved.act(V.cast<C>()).vector().imag() / h;
  CHECK(relative_error(motion_rate, T.act(cross(U, V)).vector()) < tolerance<double>());
  const Vector6<double> force_rate = moved.act(F.cast<C>()).vector().imag() / h;
  CHECK(relative_error(force_rate, T.act(cross(U, F)).vector()) < tolerance<double>());
  const Matrix6<double> inertia_rate = moved.act(I.cast<C>()).matrix().imag() / h;
  const Matrix6<double> X = T.force_matrix(), rate = crf(U) * I.matrix() - I.matrix() * crm(U);
  CHECK(relative_error(inertia_rate, X * rate * X.transpose()) < tolerance<double>());
}

TEST_CASE("a cast of a pose to a wider scalar and back changes nothing", "[spatial][pose]") {
  const Pose<float> T = Random<float>(3).pose();
  CHECK(homogeneous(T.cast<double>()) == homogeneous(T).cast<double>());
  CHECK(homogeneous(T.cast<double>().cast<float>()) == homogeneous(T));
}

TEST_CASE("a pose converts to Eigen's isometry and back", "[spatial][pose]") {
  Random<double> random(1);
  const Pose<double> X = random.pose();
  const auto isometry = X.to<Eigen::Isometry3d>();
  const Vector3<double> r = random.vector();
  CHECK(relative_error(isometry * r, X.point(r)) < tolerance<double>());
  CHECK(relative_error(isometry.matrix().row(3).transpose(), Eigen::Vector4d::UnitW()) == 0.0);
  const auto back = Pose<double>::from(isometry);
  CHECK(back.rotation == X.rotation);
  CHECK(back.translation == X.translation);
}
