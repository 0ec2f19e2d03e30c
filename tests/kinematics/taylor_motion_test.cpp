#include "corio/kinematics/taylor_motion.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/algorithms/derivatives/gravity_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_time_derivative.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using Wide = long double;
using WideVector = VectorX<Wide>;

/// Returns the polynomial of the rates, or its derivative.
WideVector speed_at(const std::vector<Vectord>& rates, Wide t, std::size_t derivative = 0) {
  WideVector v = WideVector::Zero(rates[0].size());
  Wide factor = 1;
  for (std::size_t i = derivative; i < rates.size(); factor *= t / Wide(++i - derivative))
    v += factor * rates[i].cast<Wide>();
  return v;
}
/// Returns q(t) by midpoint steps, extrapolated twice: the error is t^6 over the sixth power of the number of steps.
WideVector configuration_at(const Model<Wide>& model, const WideVector& q0, const std::vector<Vectord>& rates, Wide t) {
  const auto end = [&](int steps) {
    WideVector q = q0;
    for (int i = 0; i < steps; ++i)
      q = integrate<Wide>(model, q, (t / steps) * speed_at(rates, (Wide(i) + Wide(0.5)) * t / steps));
    return q;
  };
  const WideVector a = end(8), b = end(16), c = end(32);
  const WideVector ab = b + (b - a) / 3, bc = c + (c - b) / 3;
  return bc + (bc - ab) / 15;
}
/// Returns first and second derivatives at zero, from values at -2h, -h, 0, h, 2h; the errors are h^4.
template <class F>
std::array<WideVector, 2> differences(F&& f, Wide h) {
  const WideVector m2 = f(-2 * h), m1 = f(-h), at = f(Wide(0)), p1 = f(h), p2 = f(2 * h);
  return {WideVector((8 * (p1 - m1) - (p2 - m2)) / (12 * h)),
          WideVector((16 * (p1 + m1) - (p2 + m2) - 30 * at) / (12 * h * h))};
}

}  // namespace

TEST_CASE("functions of Taylor agree with Dual of Dual, coefficient by coefficient", "[kinematics][taylor]") {
  // x(t) = x0 + x1 t + x2 t^2 in both types: nested dual numbers give f, f', f''.
  using D = Dual<Dual<double>>;
  using T = Taylor<double, 3>;
  const double x0 = 0.6, x1 = -1.3, x2 = 0.4, y0 = 0.9, y1 = 0.2, y2 = -0.7;
  const auto check = [&](const char* name, auto f) {
    INFO(name);
    T x(x0), y(y0);
    x.c = {x0, x1, x2}, y.c = {y0, y1, y2};
    const D dx(Dual<double>(x0, x1), Dual<double>(x1, 2 * x2)), dy(Dual<double>(y0, y1), Dual<double>(y1, 2 * y2));
    const T series = f(x, y);
    const D dual = f(dx, dy);
    CHECK(std::abs(series.derivative(0) - dual.x.x) < 1e-14);
    CHECK(std::abs(series.derivative(1) - dual.x.dx) < 1e-14);
    CHECK(std::abs(series.derivative(2) - dual.dx.dx) < 1e-13);
  };
  check("product", [](const auto& x, const auto& y) { return x * y - x + y; });
  check("quotient", [](const auto& x, const auto& y) { return x / y; });
  check("sqrt", [](const auto& x, const auto& y) { return sqrt(x * y); });
  check("sin, cos, tan", [](const auto& x, const auto& y) { return sin(x) * cos(y) + tan(x); });
  check("exp, log", [](const auto& x, const auto& y) { return exp(x) * log(y); });
  check("atan, atan2", [](const auto& x, const auto& y) { return atan(x) + atan2(y, -x); });
  check("abs, hypot", [](const auto& x, const auto& y) { return abs(-x) + hypot(x, y); });
  check("tanh", [](const auto& x, const auto& y) { return tanh(x) * y; });
  T x(x0);
  x.c = {x0, x1, x2};
  const T e = exp(x), inverse = 1 / e, expected = (e - inverse) / (e + inverse);
  for (int k = 0; k < 3; ++k) CHECK(std::abs(tanh(x).derivative(k) - expected.derivative(k)) < 1e-14);
}

TEST_EACH(Sample& s, "rnea over Taylor gives tau and its rates along a motion", "[kinematics][taylor]") {
  using T = Taylor<double, 3>;
  const Model<T> model = s.model.cast<T>();
  Data<T> data(model);
  const std::vector<Vectord> rates{s.v, s.a, Vectord::Random(s.model.nv()), Vectord::Random(s.model.nv())};
  const auto motion = taylor_motion(model, data, s.q, std::span<const VectorX<double>>(rates));
  const VectorX<T> tau = rnea(model, data, motion.q, motion.v, motion.a);

  const Model<Wide> wide = s.model.cast<Wide>();
  Data<Wide> wide_data(wide);
  const WideVector q0 = s.q.cast<Wide>();
  const auto tau_at = [&](Wide t) {
    return WideVector(
        rnea(wide, wide_data, configuration_at(wide, q0, rates, t), speed_at(rates, t), speed_at(rates, t, 1)));
  };
  // With steps of a thousandth the truncation errors are 1e-12 times the fifth derivative, and the rounding errors are
  // 1e-19 over h or h^2.
  const auto [first, second] = differences(tau_at, Wide(1e-3));
  const double scale = 1 + static_cast<double>(second.norm());
  for (int k = 0; k < s.model.nv(); ++k) {
    CHECK(std::abs(tau[k].derivative(1) - static_cast<double>(first[k])) < 1e-7 * scale);
    CHECK(std::abs(tau[k].derivative(2) - static_cast<double>(second[k])) < 1e-6 * scale);
  }
}

TEST_EACH(Sample& s, "rates of M, C and g over Taylor are those in closed form", "[kinematics][taylor]") {
  using T = Taylor<double, 2>;
  const Model<T> model = s.model.cast<T>();
  Data<T> data(model);
  const std::vector<Vectord> rates{s.v, s.a};
  const auto motion = taylor_motion(model, data, s.q, std::span<const VectorX<double>>(rates));
  const auto& [C, M, Mdot] = coriolis_matrix(model, data, motion.q, motion.v);
  const auto first = [](const auto& x) { return Matrixd(x.unaryExpr([](const T& e) { return e.derivative(1); })); };
  const auto& closed = coriolis_matrix_dot(s.model, s.data, s.q, s.v, s.a);
  CHECK(relative_error(first(M), closed.Mdot) < 10 * tolerance<double>());
  CHECK(relative_error(first(C), closed.Cdot) < 10 * tolerance<double>());
  const Matrixd g_dot = first(generalized_gravity(model, data, motion.q));
  CHECK(relative_error(g_dot, gravity_dot(s.model, s.data, s.q, s.v)) < 10 * tolerance<double>());
}

TEST_CASE("taylor_motion rejects vectors of other sizes", "[kinematics][taylor]") {
  using T = Taylor<double, 3>;
  const Model<double> arm = zoo::serial_chain<double>(3);
  const Model<T> model = arm.cast<T>();
  Data<T> data(model);
  std::vector<Vectord> rates{Vectord::Zero(3), Vectord::Zero(2)};
  CHECK_THROWS_AS(taylor_motion(model, data, neutral(arm), std::span<const Vectord>(rates)), SizeError);
  rates.pop_back();
  CHECK_THROWS_AS(taylor_motion(model, data, Vectord::Zero(4), std::span<const Vectord>(rates)), SizeError);
}

TEST_CASE("the series of tau goes through every joint that is a template", "[kinematics][taylor]") {
  // Compares with the recursion for the rate of tau, which computes the columns' derivatives itself.
  using T = Taylor<double, 2>;
  const auto check = [](const Model<double>& model) {
    INFO(model.joints()[2].type());
    const Vectord q = random_q(model, 1), v = random_vector<double>(model.nv(), 2),
                  a = random_vector<double>(model.nv(), 3), jerk = random_vector<double>(model.nv(), 4);
    Data<double> data(model);
    const auto expected = inverse_dynamics_time_derivative<double>(model, data, q, v, a, jerk);
    const auto series = model.cast<T>();
    Data<T> of_series(series);
    const std::vector<Vectord> rates{v, a, jerk};
    const auto motion = taylor_motion(series, of_series, q, std::span(rates));
    const VectorX<T> tau = rnea(series, of_series, motion.q, motion.v, motion.a);
    Vectord value(model.nv()), rate(model.nv());
    for (int k = 0; k < model.nv(); ++k) value[k] = tau[k].derivative(0), rate[k] = tau[k].derivative(1);
    CHECK(relative_error(value, expected.tau) < tolerance<double>());
    CHECK(relative_error(rate, expected.tau_dot) < tolerance<double>());
  };
  check(tree_on<double>(joint::SphericalExp{})), check(tree_on<double>(joint::FreeFlyerExp{}));
  check(tree_on<double>(joint::SphericalInParentAxes{})), check(tree_on<double>(joint::FreeFlyerInParentAxes{}));
  check(tree_on<double>(Cam(0.4))), check(tree_on<double>(EulerZyx())), check(tree_on<double>(ParentBall()));
}
