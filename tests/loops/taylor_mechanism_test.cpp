#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kinematics/taylor_motion.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("taylor_motion keeps loops closed, and rnea over it gives the rates of tau", "[loops][taylor]") {
  using T = Taylor<double, 6>;
  using Vector = VectorX<double>;
  const Model<double> tree = GENERATE(0, 1) == 0 ? zoo::four_bar_leg() : zoo::stewart_platform();
  INFO(tree.name());
  const Mechanism<double> mechanism(tree);
  MechanismData<double> data(mechanism);
  const Mechanism<T> series = mechanism.cast<T>();
  MechanismData<T> series_data(series);
  const Vector q0 = neutral(tree);
  std::vector<Vector> rates;
  for (int i = 0; i < 4; ++i) rates.push_back(Vector::Random(mechanism.nv()));
  const auto motion = taylor_motion(series, series_data, q0, std::span<const Vector>(rates));
  const VectorX<T> tau = rnea(series, series_data, motion.q, motion.v, motion.a);

  const auto at = [](const VectorX<T>& x, double t) {
    Vector sum = Vector::Zero(x.size());
    for (int k = 0; k < x.size(); ++k)
      for (std::size_t i = 6; i-- > 0;) sum[k] = sum[k] * t + x[k].c[i];
    return sum;
  };
  // The coordinates of the series err by t^6, which is below 1e-12 here, so that the loops count as closed.
  const auto tau_at = [&](double t) {
    return Vector(rnea(mechanism, data, at(motion.q, t), at(motion.v, t), at(motion.a, t)));
  };
  const double h = 2e-3;
  const Vector m2 = tau_at(-2 * h), m1 = tau_at(-h), now = tau_at(0), p1 = tau_at(h), p2 = tau_at(2 * h);
  const Vector first = (8 * (p1 - m1) - (p2 - m2)) / (12 * h),
               second = (16 * (p1 + m1) - (p2 + m2) - 30 * now) / (12 * h * h);
  for (int k = 0; k < mechanism.nv(); ++k) {
    CHECK(std::abs(tau[k].derivative(0) - now[k]) < 1e-12 * (1 + now.norm()));
    // The differences are of fourth order: h^4 = 1.6e-11 of the fifth derivative, and roundings of 1e-15 over h^2.
    CHECK(std::abs(tau[k].derivative(1) - first[k]) < 1e-7 * (1 + second.norm()));
    CHECK(std::abs(tau[k].derivative(2) - second[k]) < 1e-5 * (1 + second.norm()));
  }
  // The series has dq/dt = G y.
  forward_kinematics(mechanism, data, q0, rates[0]);
  for (int k = 0; k < tree.nq() && tree.nq() == tree.nv(); ++k)
    CHECK(std::abs(motion.q[k].c[1] - data.tree.v[k]) < 1e-13 * (1 + data.tree.v.norm()));
}
