#include <complex>

#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// The functions that relations of coordinates may use, with their first three derivatives along a line.

namespace loops_test {
namespace {

template <class S>
using Thrice = Dual<Dual<Dual<S>>>;

/// t + e1 + e2 + e3: the products of these units in f(t + e1 + e2 + e3) have the derivatives of f as factors.
template <class S>
Thrice<S> variable(const S& t) {
  return {Dual<Dual<S>>(Dual<S>(t, S(1)), Dual<S>(S(1))), Dual<Dual<S>>(Dual<S>(S(1)))};
}
/// Returns the largest relative difference between f at t with its first three derivatives and the given values.
template <class S>
double error(const Thrice<S>& f, const std::array<S, 4>& expected) {
  const S found[] = {f.x.x.x, f.dx.x.x, f.dx.dx.x, f.dx.dx.dx};
  double worst = 0.0;
  for (std::size_t i = 0; i < 4; ++i)
    worst = std::max(worst, std::abs(found[i] - expected[i]) / (1.0 + std::abs(expected[i])));
  return worst;
}
/// Allow some tens of roundings, of terms that cancel to a tenth.
constexpr double rounding = 1e-13;

}  // namespace

TEMPLATE_TEST_CASE("exp, log, pow, atan2, abs and hypot have their derivatives in dual numbers", "[loops][dual]",
                   double, std::complex<double>) {
  using S = TestType;
  for (const double at : {0.3, 1.7, -0.8}) {
    CAPTURE(at);
    const S t = at;
    const auto x = variable<S>(t);
    const S e = std::exp(t);
    CHECK(error<S>(exp(x), {e, e, e, e}) < rounding);
    CHECK(error<S>(exp(2.0 * x - 1.0), {std::exp(2.0 * t - 1.0), 2.0 * std::exp(2.0 * t - 1.0),
                                        4.0 * std::exp(2.0 * t - 1.0), 8.0 * std::exp(2.0 * t - 1.0)}) < rounding);
    if (at > 0) {
      CHECK(error<S>(log(x), {std::log(t), 1.0 / t, -1.0 / (t * t), 2.0 / (t * t * t)}) < rounding);
      CHECK(error<S>(pow(x, 2.5), {std::pow(t, 2.5), 2.5 * std::pow(t, 1.5), 3.75 * std::pow(t, 0.5),
                                   1.875 * std::pow(t, -0.5)}) < rounding);
      // x^x = exp(x log x), with its derivatives by hand.
      const S f = std::pow(t, t), u = std::log(t) + 1.0;
      CHECK(error<S>(pow(x, x), {f, f * u, f * (u * u + 1.0 / t), f * (u * u * u + 3.0 * u / t - 1.0 / (t * t))}) <
            rounding);
      CHECK(error<S>(pow(2.0, x),
                     {std::pow(2.0, t), std::log(2.0) * std::pow(2.0, t), std::pow(std::log(2.0), 2) * std::pow(2.0, t),
                      std::pow(std::log(2.0), 3) * std::pow(2.0, t)}) < rounding);
    }
    CHECK(error<S>(pow(x, 3), {t * t * t, 3.0 * t * t, 6.0 * t, S(6.0)}) < rounding);
    CHECK(error<S>(pow(x, -1), {1.0 / t, -1.0 / (t * t), 2.0 / (t * t * t), -6.0 / (t * t * t * t)}) < rounding);
    CHECK(error<S>(pow(x, 0), {S(1.0), S(0.0), S(0.0), S(0.0)}) == 0.0);
    CHECK(error<S>(abs(x), {at < 0 ? -t : t, S(at < 0 ? -1.0 : 1.0), S(0.0), S(0.0)}) == 0.0);
    CHECK(error<S>(hypot(3.0 * x, 4.0 * x), {5.0 * std::abs(at), S(at < 0 ? -5.0 : 5.0), S(0.0), S(0.0)}) < rounding);
    CHECK(error<S>(hypot(x, 1.0), {std::sqrt(1.0 + t * t), t / std::sqrt(1.0 + t * t), 1.0 / std::pow(1.0 + t * t, 1.5),
                                   -3.0 * t / std::pow(1.0 + t * t, 2.5)}) < rounding);
  }
  // The angle of a point that moves around a circle equals the way along the circle, in every quadrant.
  for (const double at : {-2.8, -2.0, -1.2, -0.4, 0.4, 1.2, 2.0, 2.8}) {
    CAPTURE(at);
    const auto x = variable<S>(S(at));
    CHECK(error<S>(atan2(2.0 * sin(x), 2.0 * cos(x)), {S(at), S(1.0), S(0.0), S(0.0)}) < rounding);
  }
}

TEST_CASE("whole powers in dual numbers hold at zero and below, and for complex steps", "[loops][dual]") {
  CHECK(error<double>(pow(variable(0.0), 2), {0.0, 0.0, 2.0, 0.0}) == 0.0);
  CHECK(error<double>(pow(variable(0.0), 3.0), {0.0, 0.0, 0.0, 6.0}) == 0.0);
  // d(x^3)/dx = 12 at -2, from an imaginary step so small that products with pi would hide it.
  const auto step = pow(variable(std::complex<double>(-2.0, 1e-30)), 3).x.x.x;
  CHECK(std::abs(step.imag() / 1e-30 - 12.0) < 1e-14 * 12.0);
}

TEST_CASE("a relation with these functions moves as the one it is the same as", "[loops][dual]") {
  // All three relations say x1 = 2 x0 for x0 > 0.
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  const auto rates = [&](auto relation) {
    Loops<double> loops(model);
    loops.relate("cam", {"crank_joint", "coupler_joint"}, relation);
    const Mechanism<double> mechanism(model, loops, {"crank_joint", "rocker_joint"});
    MechanismData<double> data(mechanism);
    const Eigen::Vector3d q(0.4, 0.8, 0.1);
    const Eigen::Vector2d y(0.7, -0.3), ydot(0.2, 0.5);
    return VectorXd(rnea<double>(mechanism, data, q, y, ydot));
  };
  const VectorXd expected = rates([](const auto& x) { return x[1] - 2.0 * x[0]; });
  const auto same = [&](auto relation) { return relative_error(rates(relation), expected) < bound; };
  CHECK(same([](const auto& x) { return log(x[1] / (2.0 * x[0])); }));
  CHECK(same([](const auto& x) { return exp(x[1]) * exp(-2.0 * x[0]) - 1.0; }));
  CHECK(same([](const auto& x) { return hypot(3.0 * x[1], 8.0 * x[0]) - 10.0 * abs(x[0]); }));
  CHECK(same([](const auto& x) { return atan2(x[1], x[0]) - std::atan(2.0); }));
  CHECK(same([](const auto& x) { return pow(x[1], 1.5) - std::pow(2.0, 1.5) * pow(x[0], 1.5); }));
}

TEST_CASE("a relation with a finite gradient is refused in motion if its rate is infinite", "[loops][dual][errors]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  Loops<double> loops(model);
  loops.relate("cam", {"crank_joint", "coupler_joint"}, [](const auto& x) { return x[1] - pow(x[0], 1.5); });
  const Mechanism<double> mechanism(model, loops, {"crank_joint", "rocker_joint"});
  MechanismData<double> data(mechanism);
  const Eigen::Vector3d q(0.0, 0.0, 0.2);
  const Eigen::Vector2d y(1.0, 0.0);
  CHECK(forward_kinematics<double>(mechanism, data, q).G.norm() == std::sqrt(2.0));
  CHECK(mentions(message_of<ModelError>([&] { forward_kinematics<double>(mechanism, data, q, y); }),
                 {"'cam'", "rate", "'crank_joint'", "at 0"}));
}

}  // namespace loops_test
