#include <vector>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/algorithms/geometry/connection.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"

using namespace corio;
using namespace corio::test;

// Treats free motions as geodesics: integrated in time, their speed in the metric stays constant, and their covariant
// acceleration is zero. Accelerations come from the symbols or from aba, which share only the kinematics.

namespace {

struct Point {
  Vectord q, v;
};

/// Integrates the free motion from (q, v) over `duration` in `steps` steps of the classical Runge-Kutta method for q
/// (+) u, dv/dt = a(q, v). If speeds do not commute, their increments obey du/dt = v + [u, v] / 2 + [u, [u, v]] / 12 +
/// ...; the fourth order needs no more terms.
template <class Acceleration>
std::vector<Point> integrate_motion(const Model<double>& model, const Tensor3<double>& c, Point x, double duration,
                                    int steps, const Acceleration& acceleration) {
  const double h = duration / steps;
  std::vector<Point> path{x};
  for (int i = 0; i < steps; ++i) {
    Vectord u = Vectord::Zero(model.nv()), w = x.v, du_sum = u, dv_sum = u;
    const double node[] = {0.5, 0.5, 1.0, 0.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    for (int stage = 0; stage < 4; ++stage) {
      const Vectord once = bracket(c, u, w);
      const Vectord du = w + once / 2 + bracket(c, u, once) / 12;
      const Vectord dv = acceleration(Vectord(integrate(model, x.q, u)), w);
      du_sum += weight[stage] * du, dv_sum += weight[stage] * dv;
      u = node[stage] * h * du, w = x.v + node[stage] * h * dv;
    }
    x.v += h / 6 * dv_sum;
    x.q = integrate(model, x.q, Vectord(h / 6 * du_sum));
    path.push_back(x);
  }
  return path;
}

struct FreeMotion {
  explicit FreeMotion(int which) : s(plan(which), which) { structure_constants(s.model, s.data, s.q, c); }
  static int count() { return 3; }
  const std::string& name() const { return s.name(); }
  static Plan plan(int which) {
    using enum Kind;
    PlanMaker maker("free motion " + std::to_string(which), 60 + which);
    if (which == 0) maker.chain(-1, {revolute, prismatic, universal, revolute});
    if (which == 1) maker.chain(-1, {spherical, revolute, planar});
    if (which == 2) maker.chain(-1, {free_flyer, revolute}).chain(0, {spherical});
    Plan plan = maker.plan();
    plan.gravity.setZero();
    return plan;
  }
  std::vector<Point> by_aba(double duration, int steps) {
    return integrate_motion(s.model, c, {s.q, s.v}, duration, steps,
                            [&](const Vectord& q, const Vectord& v) -> Vectord {
                              return aba(s.model, s.data, q, v, Vectord::Zero(s.model.nv()));
                            });
  }
  std::vector<Point> by_symbols(double duration, int steps) {
    ChristoffelTensor<double> Gamma(s.model);
    Tensor3<double> second;
    return integrate_motion(s.model, c, {s.q, s.v}, duration, steps,
                            [&](const Vectord& q, const Vectord& v) -> Vectord {
                              Vectord minus_a;
                              christoffel_symbols(s.model, s.data, q, Gamma);
                              christoffel_symbols_second_kind(s.model, s.data, Gamma, second);
                              second.contract(v, v, minus_a);
                              return -minus_a;
                            });
  }
  Sample s;
  Tensor3<double> c;
};

double distance(const Model<double>& model, const Point& a, const Point& b) {
  return std::max(max_magnitude(difference(model, a.q, b.q)), max_magnitude(a.v - b.v));
}

}  // namespace

TEST_EACH(FreeMotion& m, "the integrator of free motions is of fourth order", "[algorithms][free_motion]") {
  // Halving the step divides the error by 16.
  const Point fine = m.by_aba(0.4, 160).back();
  const double coarse = distance(m.s.model, m.by_aba(0.4, 20).back(), fine);
  const double half = distance(m.s.model, m.by_aba(0.4, 40).back(), fine);
  CAPTURE(coarse, half);
  CHECK(coarse / half > 11);
  CHECK(coarse / half < 23);
}

TEST_EACH(FreeMotion& m, "free motion keeps the kinetic energy", "[algorithms][free_motion]") {
  const double start = kinetic_energy(m.s.model, m.s.data, m.s.q, m.s.v);
  double drift = 0, change = 0;
  for (const Point& x : m.by_aba(0.5, 200)) {
    drift = std::max(drift, std::abs(kinetic_energy(m.s.model, m.s.data, x.q, x.v) - start));
    change = std::max(change, max_magnitude(x.v - m.s.v));
  }
  // The truncation error of 200 steps, h^4 times the fifth derivatives, is the largest error.
  CHECK(drift < 1e-6 * start);
  CHECK(change > 0.1);  // the motion is not at rest
}

TEST_EACH(FreeMotion& m, "free motion by the symbols of the second kind is that of aba", "[algorithms][free_motion]") {
  const auto one = m.by_aba(0.3, 30), other = m.by_symbols(0.3, 30);
  // Both take the same steps and so have the same truncation error: only rounding differs.
  CHECK(distance(m.s.model, one.back(), other.back()) < 1e-10);
}

TEST_EACH(FreeMotion& m, "along free motion the velocities obey the geodesic equation", "[algorithms][free_motion]") {
  const int steps = 400;
  const double h = 0.4 / steps;
  const auto path = m.by_aba(0.4, steps);
  double residual = 0, acceleration = 0;
  for (std::size_t i = 10; i + 10 < path.size(); i += 20) {
    const Vectord a = (path[i + 1].v - path[i - 1].v) / (2 * h);
    const Vectord& r = geodesic_residual(m.s.model, m.s.data, path[i].q, path[i].v, a);
    residual = std::max(residual, max_magnitude(r));
    acceleration = std::max(acceleration, max_magnitude(a));
  }
  // The central difference errs by h^2 / 6 times the third derivative of v, with h = 1e-3.
  CAPTURE(residual, acceleration);
  CHECK(residual < 1e-4 * acceleration);
  CHECK(acceleration > 0.1);
}

TEST_EACH(FreeMotion& m, "parallel transport along free motion keeps lengths and angles", "[algorithms][free_motion]") {
  // wdot = -M^-1 C(v) w is integrated with the motion: w^T M w and w^T M v stay constant.
  const int n = m.s.model.nv(), steps = 400;
  const double h = 0.4 / steps;
  const auto path = m.by_aba(0.4, 2 * steps);  // includes the midpoints
  Vectord w = random_vector(m.s.random, n);
  const auto rate = [&](std::size_t i, const Vectord& x) -> Vectord {
    return -covariant_derivative(m.s.model, m.s.data, path[i].q, path[i].v, x, Vectord::Zero(n));
  };
  const auto products = [&](std::size_t i) {
    const Matrixd M = crba(m.s.model, m.s.data, path[i].q);
    return Eigen::Vector2d(w.dot(M * w), w.dot(M * path[i].v));
  };
  const Eigen::Vector2d start = products(0);
  for (std::size_t i = 0; i < path.size() - 1; i += 2) {
    const Vectord k1 = rate(i, w), k2 = rate(i + 1, w + h / 2 * k1), k3 = rate(i + 1, w + h / 2 * k2);
    const Vectord k4 = rate(i + 2, w + h * k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  CHECK(max_magnitude(products(path.size() - 1) - start) < 1e-7 * max_magnitude(start));
}
