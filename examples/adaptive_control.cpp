// An arm that has taken up an unknown load follows a trajectory by the adaptive law of Slotine and Li (1987): its model
// of the last body adapts until the torques are right. Exit status 1 unless tracking errors fall by a factor of ten,
// and the function that proves stability never grows.

#include <corio/corio.hpp>
#include <cstdio>

namespace {

using Eigen::VectorXd;

constexpr double dt = 1e-3, lambda = 10;  // s; 1/s, how fast errors die out on the sliding surface
constexpr int steps = 12000;

struct Reference {
  VectorXd q, v, a;
};
Reference desired(int n, double t) {
  Reference r{VectorXd(n), VectorXd(n), VectorXd(n)};
  for (int k = 0; k < n; ++k) {
    const double w = 1.5 + 0.25 * k;
    r.q[k] = 0.5 * std::sin(w * t), r.v[k] = 0.5 * w * std::cos(w * t), r.a[k] = -0.5 * w * w * std::sin(w * t);
  }
  return r;
}

struct Result {
  double early = 0, late = 0;  // rms tracking errors of the first and the last second, rad
  double growth = 0;           // the most that the Lyapunov function grew in a step, over its first value
  double mass = 0;             // of the last body with its load, as it is thought to be
};

/// @param rate  of adaptation; zero for none
Result follow(const corio::Model<double>& known, const corio::Model<double>& loaded, double rate) {
  const int n = known.nv();
  corio::Data plant(loaded), data(known);
  const corio::BodySelection last(known, {known.bodies().back().name()});
  const auto of_load = [n](auto& pi) { return pi.template segment<10>(10 * (n - 1)); };
  // Gains of mass, first moment and inertia in the proportions of their sizes.
  VectorXd gain(10);
  gain << 1, 0.1, 0.1, 0.1, VectorXd::Constant(6, 0.01);
  gain *= rate;

  VectorXd pi = corio::inertial_parameters(known), update(10);
  const VectorXd truth = corio::inertial_parameters(loaded);
  Reference start = desired(n, 0);
  VectorXd q = start.q, v = start.v;
  Result result;
  double before = 0, first = 0;
  for (int i = 0; i < steps; ++i) {
    const Reference r = desired(n, dt * i);
    const VectorXd e = q - r.q, v_r = r.v - lambda * e, a_r = r.a - lambda * (v - r.v), s = v - v_r;
    VectorXd feedforward = corio::slotine_li_regressor_product(known, data, q, v, v_r, a_r, pi);
    feedforward += known.armature().cwiseProduct(a_r);  // is known, and no part of pi
    corio::slotine_li_regressor_transpose_product(known, data, v_r, a_r, s, update, last);

    const VectorXd wrong = of_load(pi) - of_load(truth);
    double now = 0.5 * s.dot(corio::crba(loaded, plant, q) * s);
    if (rate > 0) now += 0.5 * wrong.dot(wrong.cwiseQuotient(gain));
    if (i == 0) first = before = now;
    result.growth = std::max(result.growth, (now - before) / first);
    before = now;
    if (i < 1000) result.early += e.squaredNorm() / 1000;
    if (i >= steps - 1000) result.late += e.squaredNorm() / 1000;

    corio::step(loaded, plant, q, v, feedforward - 20 * s, dt, corio::Integrator::rk4);
    of_load(pi) -= dt * gain.cwiseProduct(update);
  }
  result.early = std::sqrt(result.early), result.late = std::sqrt(result.late);
  result.mass = pi[10 * (n - 1)];
  return result;
}

}  // namespace

int main() {
  auto known = corio::zoo::serial_chain(5);
  known.set_armature(VectorXd::Constant(known.nv(), 0.1));
  auto loaded = known;
  const std::string& hand = known.bodies().back().name();
  corio::InertialParameters<double> with_load = known.inertia(hand);
  with_load.mass += 3;
  with_load.com = {0.0, 0.02, 0.25};
  loaded.set_inertia(hand, with_load);

  const Result fixed = follow(known, loaded, 0), adaptive = follow(known, loaded, 20);
  std::printf("rms tracking error, first and last of %g s:\n", dt * steps);
  std::printf("  as known before  %8.5f %8.5f rad\n", fixed.early, fixed.late);
  std::printf("  adaptive         %8.5f %8.5f rad\n", adaptive.early, adaptive.late);
  std::printf("mass of the last body: known %.2f, true %.2f, adapted %.2f kg\n", known.inertia(hand).mass,
              with_load.mass, adaptive.mass);
  std::printf("largest growth of the Lyapunov function in a step: %.1e of its first value\n", adaptive.growth);
  // It falls in continuous time; a step of the discrete law may raise it by the order of dt^2.
  const bool good = adaptive.late < 0.1 * fixed.late && adaptive.growth < 1e-4;
  std::printf("%s\n", good ? "ok" : "FAILED");
  return good ? 0 : 1;
}
