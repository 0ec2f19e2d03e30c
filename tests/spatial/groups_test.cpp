#include "corio/spatial/groups.hpp"

#include <complex>

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// The angles are near zero, at the changes of formula, and near pi.
const std::vector<double> group_angles{0.0, 1e-9, 1e-5, 0.1, 0.3, 0.70, 0.72, 1.5, 2.5, 3.1, 3.14159, 3.1415926535};

/// Returns d/dt log(exp(V)^-1 exp(V + t d)) by the complex step: the right Jacobian times d, without its formula.
Vector6<double> twist_of_step(const Motion<double>& V, const Vector6<double>& d) {
  using C = std::complex<double>;
  const double h = 1e-30;
  Vector6<C> moved = V.vector().cast<C>();
  for (int i = 0; i < 6; ++i) moved[i] += C(0, h) * d[i];
  const Pose<C> T = exp(Motion<double>(V).cast<C>()), next = exp(Motion<C>::from(moved));
  const Pose<C> step = T.inverse() * next;
  const Matrix3<double> W = step.rotation.imag() / h;
  Vector6<double> twist;
  twist << W(2, 1), W(0, 2), W(1, 0), step.translation.imag() / h;
  return twist;
}

}  // namespace

TEST_CASE("Jexp6 is the twist of exp6 in its own axes, by complex steps", "[spatial][groups]") {
  Random<double> random(3);
  for (double angle : group_angles) {
    const Motion<double> V{angle * random.direction(), random.vector()};
    const Matrix6<double> J = Jexp6(V);
    CAPTURE(angle);
    // Each rate of the Jacobian of rotations is exact to some sixty roundings.
    for (int k = 0; k < 6; ++k)
      CHECK((J.col(k) - twist_of_step(V, Vector6<double>::Unit(k))).norm() < 200 * 2.3e-16 * (1 + V.linear.norm()));
    CHECK((J.topLeftCorner<3, 3>() - Jexp3(V.angular)).norm() == 0);
  }
}

TEST_CASE("left Jacobians are Ad(exp) times right ones, and logarithms have the inverses", "[spatial][groups]") {
  Random<double> random(4);
  for (double angle : group_angles) {
    const Motion<double> V{angle * random.direction(), random.vector()};
    const Pose<double> T = exp6(V);
    CAPTURE(angle);
    const double bound = 1e-13 * (1 + V.linear.squaredNorm());
    Matrix6<double> carried;
    const Matrix6<double> J = right_jacobian(V);
    for (int k = 0; k < 6; ++k) carried.col(k) = T.act(Motion<double>::from(J.col(k))).vector();
    CHECK((left_jacobian(V) - carried).norm() < bound);
    CHECK((right_jacobian_inverse(V) * J - Matrix6<double>::Identity()).norm() < bound);
    CHECK((left_jacobian_inverse(V) * left_jacobian(V) - Matrix6<double>::Identity()).norm() < bound);
    CHECK((exp3(log3(T.rotation)) - T.rotation).norm() < 1e-13);
    CHECK((Jlog3(exp3(V.angular)) * Jexp3(V.angular) - Matrix3<double>::Identity()).norm() < 1e-13);
    // log6 turns w into the shorter of two rotations, which at pi itself may be -w.
    const Motion<double> again = log6(T);
    CHECK((exp6(again).rotation - T.rotation).norm() + (exp6(again).translation - T.translation).norm() < bound);
    CHECK((Jlog6(T) * Jexp6(again) - Matrix6<double>::Identity()).norm() < bound);
  }
}
