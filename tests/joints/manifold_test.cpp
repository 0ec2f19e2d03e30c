#include <complex>
#include <limits>

#include "joints/built_in.hpp"
#include "support/catch.hpp"

using namespace corio;
using namespace corio::test;
using namespace corio::joint;

/// Returns exp(hat(sum S_k dv_k)) by a power series that does not depend on formulas for rotations.
template <class S, class J>
Matrix4<S> exponential_of(const J& joint, const VectorX<S>& q, const VectorX<S>& dv) {
  const Vector6<S> twist = columns_of(joint, q) * dv;
  return matrix_exponential(hat(Motion<S>::from(twist)));
}

/// Returns a dv whose angular part, if the joint turns, has the norm `angle`.
template <class S, class J>
VectorX<S> step_of_angle(const J& joint, const VectorX<S>& q, double angle, int seed) {
  VectorX<S> dv = random_vector<S>(joint.nv, seed);
  const Vector6<S> twist = columns_of(joint, q) * dv;
  const S norm = twist.template head<3>().norm();
  if (norm > S(0)) dv *= S(angle) / norm;
  return dv;
}

TEMPLATE_TEST_CASE("the neutral configuration is the identity pose", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  VectorX<S> q = VectorX<S>::Constant(joint.nq, S(9));
  joint.neutral(q.data());
  CHECK(homogeneous(pose_of(joint, q)) == Matrix4<S>::Identity());
  CHECK(joint.violation(q.data()) == 0.0);
}

TEMPLATE_TEST_CASE("integrate multiplies the pose by the exponential of the joint twist", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const double angle = GENERATE(0.0, 1e-9, 1e-4, 0.5, 2.0, 3.14159, 5.0);
  CAPTURE(angle);
  const auto q = random_configuration_of<S>(joint, 1);
  const VectorX<S> dv = step_of_angle(joint, q, angle, 2);
  const Matrix4<S> reached = homogeneous(pose_of(joint, integrated(joint, q, dv)));
  const Matrix4<S> expected = homogeneous(pose_of(joint, q)) * exponential_of(joint, q, dv);
  CHECK(relative_error(reached, expected) < tolerance<S>());
}

TEMPLATE_TEST_CASE("integrate equals the group exponential exp(Motion)", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_configuration_of<S>(joint, seed);
  const auto dv = random_vector<S>(joint.nv, seed + 100);
  const Vector6<S> twist = columns_of(joint, q) * dv;
  const Pose<S> expected = pose_of(joint, q) * exp(Motion<S>::from(twist));
  CHECK(relative_error(pose_of(joint, integrated(joint, q, dv)), expected) < tolerance<S>());
}

TEMPLATE_TEST_CASE("integrate may write over its input", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  auto q = random_configuration_of<S>(joint, 1);
  const auto dv = random_vector<S>(joint.nv, 2);
  const auto expected = integrated(joint, q, dv);
  joint.integrate(q.data(), dv.data(), q.data());
  CHECK(q == expected);
}

TEMPLATE_TEST_CASE("difference inverts integrate up to half a turn", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  // The largest angle is 1e-4 below pi, more than the rounding of q in float.
  const double angle = GENERATE(0.0, 1e-12, 1e-6, 1e-2, 0.3, 1.0, 3.0, 3.1415);
  CAPTURE(angle);
  const auto q = random_configuration_of<S>(joint, 3);
  const VectorX<S> dv = step_of_angle(joint, q, angle, 4);
  const VectorX<S> q1 = integrated(joint, q, dv);
  CHECK(relative_error(difference_of(joint, q, q1), dv) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the difference of a configuration from itself is zero", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const int seed = GENERATE(range(1, 6));
  CAPTURE(seed);
  const auto q = random_configuration_of<S>(joint, seed);
  CHECK(relative_error(difference_of(joint, q, q), VectorX<S>::Zero(joint.nv)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("integrate(q0, difference(q0, q1)) reaches the pose of q1", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  const int seed = GENERATE(range(1, 21));
  CAPTURE(seed);
  const auto q0 = random_configuration_of<S>(joint, seed), q1 = random_configuration_of<S>(joint, seed + 1000);
  const VectorX<S> reached = integrated(joint, q0, difference_of(joint, q0, q1));
  CHECK(relative_error(pose_of(joint, reached), pose_of(joint, q1)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("difference takes the short way round where q does not count turns", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  const auto q0 = random_configuration_of<S>(joint, 5);
  const VectorX<S> long_way = step_of_angle(joint, q0, 4.0, 6);
  const VectorX<S> dv = difference_of(joint, q0, integrated(joint, q0, long_way));
  const Vector6<S> twist = columns_of(joint, q0) * dv;
  const double two_pi = 6.283185307179586;
  CHECK(relative_error(static_cast<double>(twist.template head<3>().norm()), two_pi - 4.0) < tolerance<S>());
}

TEMPLATE_TEST_CASE("differences of a revolute joint count turns", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  const VectorX<TestType> q0 = VectorX<TestType>::Constant(1, TestType(1));
  const VectorX<TestType> q1 = VectorX<TestType>::Constant(1, TestType(21));
  CHECK(difference_of(Revolute(), q0, q1)[0] == TestType(20));
}

TEMPLATE_TEST_CASE("differences of a continuous joint are the shorter way round", "[joints]",
                   CORIO_TEST_SCALARS(double, float, long double)) {
  using S = TestType;
  const S pi = static_cast<S>(3.14159265358979323846L), epsilon = std::numeric_limits<S>::epsilon();
  const auto of = [](S q0, S q1) {
    S dv;
    Continuous().difference(&q0, &q1, &dv);
    return dv;
  };
  for (const S q0 : {S(0), S(-3.1), S(3.1), S(100), S(-1000)})
    for (int i = -31; i <= 31; ++i)
      for (int turns = -3; turns <= 3; ++turns) {
        CAPTURE(q0, i, turns);
        const S change = S(i) / S(10), q1 = q0 + change + S(2 * turns) * pi;
        CHECK(std::abs(of(q0, q1) - change) <= S(4) * epsilon * (std::abs(q0) + std::abs(q1) + S(1)));
        if (turns == 0) CHECK(of(q0, q1) == q1 - q0);
      }
  for (const S half : {pi, -pi}) CHECK(std::abs(std::abs(of(S(0), half)) - pi) <= S(4) * epsilon);
}

TEMPLATE_TEST_CASE("difference crosses exactly half a turn", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  VectorX<S> q0(joint.nq), q1(joint.nq);
  joint.neutral(q0.data());
  joint.neutral(q1.data());
  q1[joint.nq - 1] = S(0);
  q1[joint.nq - joint.normed] = joint.normed == 2 ? S(-1) : S(1);
  const VectorX<S> reached = integrated(joint, q0, difference_of(joint, q0, q1));
  CHECK(relative_error(pose_of(joint, reached), pose_of(joint, q1)) < tolerance<S>());
}

TEST_CASE("the derivative of difference along integrate is one at zero, by complex step", "[joints]") {
  using StepScalar = std::complex<double>;
  const int i = GENERATE(range(0, built_in_joints));
  const auto& joint = built_in<StepScalar>(i);
  INFO(joint.type);
  const VectorX<StepScalar> q = random_configuration_of<double>(built_in<double>(i), 7).template cast<StepScalar>();
  constexpr double h = 1e-30;
  for (int k = 0; k < joint.nv; ++k) {
    CAPTURE(k);
    VectorX<StepScalar> dv = VectorX<StepScalar>::Zero(joint.nv);
    dv[k] = StepScalar(0, h);
    const VectorX<double> rate = difference_of<StepScalar>(joint, q, integrated(joint, q, dv)).imag() / h;
    CHECK(relative_error(rate, VectorX<double>::Unit(joint.nv, k)) < tolerance<double>());
  }
}

TEMPLATE_TEST_CASE("random configurations are valid and differ", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(0, built_in_joints)));
  INFO(joint.type);
  VectorX<S> previous = VectorX<S>::Zero(joint.nq);
  for (int seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto q = random_configuration_of<S>(joint, seed);
    CHECK(joint.violation(q.data()) < tolerance<S>());
    CHECK(max_magnitude(q) < 4.0);
    CHECK(q != previous);
    previous = q;
  }
}

TEST_CASE("random orientations are uniform: the mean rotation matrix vanishes", "[joints]") {
  // Entries have variance 1/3, so the mean of 3000 samples has a standard deviation of 0.0105. Allow 0.06, which is
  // more than five deviations.
  const Uniform source = uniform(1);
  Matrix3<double> mean = Matrix3<double>::Zero();
  VectorX<double> q(4);
  for (int i = 0; i < 3000; ++i) {
    Spherical().random(source, q.data());
    mean += pose_of(Spherical(), q).rotation / 3000;
  }
  CHECK(max_magnitude(mean) < 0.06);
}

TEMPLATE_TEST_CASE("only the direction of the normed coordinates counts, not their length", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  const double factor = GENERATE(0.01, 0.5, 3.0);
  const double angle = GENERATE(1e-4, 0.5, 3.0);
  CAPTURE(factor, angle);
  const auto q0 = random_configuration_of<S>(joint, 10);
  const VectorX<S> dv = step_of_angle(joint, q0, angle, 11);
  VectorX<S> q1(joint.nq), scaled = q0, moved(joint.nq), found(joint.nv);
  scaled.tail(joint.normed) *= S(factor);
  joint.integrate(q0.data(), dv.data(), q1.data());
  joint.integrate(scaled.data(), dv.data(), moved.data());
  CHECK(relative_error(homogeneous(pose_of(joint, moved)), homogeneous(pose_of(joint, q1))) < tolerance<S>());
  joint.difference(scaled.data(), q1.data(), found.data());
  CHECK(relative_error(found, dv) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the length of the normed coordinates may be any finite number but zero", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  // The powers are about 1e+-20, 1e+-150, 1e+-160 and 1e+-300 in double.
  const double part = GENERATE(0.065, 0.487, 0.52, 0.974);
  const int sign = GENERATE(-1, 1);
  CAPTURE(part, sign);
  const S factor = std::ldexp(S(1), sign * static_cast<int>(part * std::numeric_limits<S>::max_exponent));
  const auto q = random_configuration_of<S>(joint, 12);
  const auto dv = random_vector<S>(joint.nv, 13);
  const VectorX<S> reached = integrated(joint, q, dv);
  VectorX<S> scaled = q, scaled_reached = reached;
  scaled.tail(joint.normed) *= factor;
  scaled_reached.tail(joint.normed) *= factor;
  CHECK(relative_error(pose_of(joint, scaled), pose_of(joint, q)) < tolerance<S>());
  CHECK(relative_error(pose_of(joint, integrated(joint, scaled, dv)), pose_of(joint, reached)) < tolerance<S>());
  CHECK(relative_error(difference_of(joint, scaled, scaled_reached), dv) < tolerance<S>());
  CHECK(relative_error(difference_of(joint, q, scaled_reached), dv) < tolerance<S>());
  CHECK(relative_error(joint.violation(scaled.data()), std::abs(static_cast<double>(factor) - 1.0)) < tolerance<S>());
  joint.normalize(scaled.data());
  CHECK(relative_error(scaled, q) < tolerance<S>());
}

TEMPLATE_TEST_CASE("where there is no direction normalize changes nothing", "[joints]",
                   CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  const S bad = GENERATE(S(0), std::numeric_limits<S>::infinity(), std::numeric_limits<S>::quiet_NaN());
  VectorX<S> q = VectorX<S>::Zero(joint.nq);
  q[joint.nq - 1] = bad;
  joint.normalize(q.data());
  CHECK(q.head(joint.nq - 1) == VectorX<S>::Zero(joint.nq - 1));
  CHECK((q[joint.nq - 1] == bad || std::isnan(bad)));
}

TEST_CASE("joints that turn have the digits of long double up to half a turn", "[joints]") {
  using L = long double;
  const int i = GENERATE(range(plain_joints, built_in_joints));
  const auto& joint = built_in<L>(i);
  INFO(joint.type);
  const double angle = GENERATE(1e-6, 0.1, 0.7, 1.5, 3.0, 3.14, 3.1415926);
  CAPTURE(angle);
  VectorX<L> q = random_configuration_of<double>(built_in<double>(i), 14).template cast<L>();
  joint.normalize(q.data());
  const VectorX<L> dv = step_of_angle<L>(joint, q, angle, 15);
  const VectorX<L> found = difference_of(joint, q, integrated(joint, q, dv));
  CHECK(relative_error(found, dv) < 100 * static_cast<double>(std::numeric_limits<L>::epsilon()));
}

TEMPLATE_TEST_CASE("normalize restores the norm and keeps the pose", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  const auto q = random_configuration_of<S>(joint, 8);
  VectorX<S> scaled = q;
  scaled.tail(joint.normed) *= S(2.5);
  joint.normalize(scaled.data());
  CHECK(relative_error(scaled, q) < tolerance<S>());
}

TEMPLATE_TEST_CASE("violation is the distance of the norm from one", "[joints]", CORIO_TEST_SCALARS(double, float)) {
  using S = TestType;
  const auto& joint = built_in<S>(GENERATE(range(plain_joints, built_in_joints)));
  INFO(joint.type);
  auto q = random_configuration_of<S>(joint, 9);
  const double factor = GENERATE(0.0, 0.75, 1.5);
  CAPTURE(factor);
  q.tail(joint.normed) *= S(factor);
  CHECK(relative_error(joint.violation(q.data()), std::abs(factor - 1.0)) < tolerance<S>());
}

TEST_CASE("plain vectors are always valid and normalize leaves them alone", "[joints]") {
  const auto& joint = built_in<double>(GENERATE(range(0, plain_joints)));
  INFO(joint.type);
  const VectorX<double> q = 100.0 * random_vector<double>(joint.nq, 10);
  VectorX<double> same = q;
  joint.normalize(same.data());
  CHECK(same == q);
  CHECK(joint.violation(q.data()) == 0.0);
}
