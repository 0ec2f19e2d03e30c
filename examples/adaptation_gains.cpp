// An arm that does not know its load, under the adaptive law of Slotine and Li with gains from far too small to far too
// large, with noise in the measured velocities; and the gain that a bound on the error gives.
//
//   adaptation_gains [folder] [--check]
//
// prints for each gain the errors, the time until the load is found, and the noise of its mass; writes data, and
// figures if there is gnuplot, into the folder (default adaptation_gains_output). --check: exit status 1 unless the
// error stays within the bound from which the gain was chosen, and the load is found.

#include <corio/algorithms/dynamics/crba.hpp>
#include <corio/control/adaptive_slotine_li.hpp>
#include <corio/io/urdf.hpp>
#include <corio/simulation/simulation.hpp>
#include <cstdio>
#include <random>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::demand;
constexpr double dt = 1e-3, end = 8;  // time step, end; s
const char* const hand = "flange";

/// The desired motion of the joints at time t with two derivatives. It starts at rest.
struct Reference {
  VectorXd q, v, a;
};
Reference desired(double t) {
  Reference r{VectorXd(7), VectorXd(7), VectorXd(7)};
  r.q << 0, 0.6, 0, 1.2, 0, 0.3, 0;
  for (int k = 0; k < 7; ++k) {
    const double w = 1.1 + 0.27 * k, x = 0.5;
    r.q[k] += x * (1 - std::cos(w * t)), r.v[k] = x * w * std::sin(w * t), r.a[k] = x * w * w * std::cos(w * t);
  }
  return r;
}

corio::Vector10<double> ball(double mass, double radius, const Eigen::Vector3d& center) {
  const Eigen::Matrix3d I = 0.4 * mass * radius * radius * Eigen::Matrix3d::Identity();
  return corio::InertialParameters<double>{mass, center, I}.vector();
}

/// The arm, the gains of tracking, the initial estimate of all bodies, and the true parameters with the load.
struct Task {
  corio::Model<double> arm = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf");
  VectorXd lambda = VectorXd::Constant(7, 8), K_D, believed, truth;
  corio::BodySelection flange{arm, {hand}};

  Task() {
    VectorXd rotors(7);
    rotors << 0.5, 0.5, 0.3, 0.3, 0.1, 0.1, 0.05;  // kg m^2, reflected by the gears
    arm.set_armature(rotors);
    corio::Data data(arm);
    K_D = 20 * corio::crba(arm, data, desired(0).q).diagonal();
    const Eigen::Index place = 10 * arm.body(hand).index();
    truth = believed = corio::inertial_parameters(arm);
    // Parameters of bodies that are joined add up.
    truth.segment<10>(place) += ball(2, 0.06, {0.03, 0, 0.10});
    believed.segment<10>(place) += ball(0.1, 0.2, {0, 0, 0.10});
  }

  /// The energy s^T M s / 2 for an error of `allowed`, rad, in every joint.
  double energy(double allowed) const {
    corio::Data data(arm);
    const VectorXd s = allowed * lambda;
    return 0.5 * s.dot(corio::crba(arm, data, desired(0).q) * s);
  }
  /// The allowed distance of the estimate, without unit: the distance for a gain of 1.
  double divergence() const {
    corio::AdaptiveParameters<double> estimate(arm, {.parameters = VectorXd::Ones(1), .bodies = flange});
    estimate.set(arm, believed);
    return estimate.distance(truth);
  }
};

struct Run {
  double first = 0, last = 0;  // rms error of the first second and of the last two, rad
  double found = end,
         noise =
             0;  // time after which the mass is right to 10 %, s; standard deviation of the mass in the last 2 s, kg
  double energy = 0;  // the largest s^T M s / 2, J
};

Run follow(const Task& task, double gamma, double sigma_v, std::ostream* log) {
  corio::AdaptiveSlotineLi<double> controller(task.arm, {task.lambda, task.K_D},
                                              {.parameters = VectorXd::Constant(1, gamma), .bodies = task.flange});
  controller.set_parameters(task.arm, task.believed);
  corio::Simulation plant(task.arm, desired(0).q, desired(0).v, dt);
  corio::set_inertial_parameters(plant.model(), task.truth);
  corio::Data data(task.arm), of_plant(task.arm);
  std::mt19937 generator(1);
  std::normal_distribution<double> normal(0, sigma_v);
  const Eigen::Index place = 10 * task.arm.body(hand).index();
  const double mass = task.truth[place];
  Run run;
  double squares[2] = {0, 0}, sum = 0, sum_of_squares = 0;
  while (plant.time() < end) {
    const double t = plant.time();
    const Reference r = desired(t);
    const VectorXd measured = plant.v() + VectorXd::NullaryExpr(7, [&] { return normal(generator); });
    plant.advance(controller.update(task.arm, data, plant.q(), measured, r.q, r.v, r.a, dt));

    const VectorXd e = plant.q() - desired(plant.time()).q, s = controller.sliding().s;
    const double m = controller.parameters()[place];
    run.energy = std::max(run.energy, 0.5 * s.dot(corio::crba(plant.model(), of_plant, plant.q()) * s));
    if (t < 1) squares[0] += e.squaredNorm() * dt;
    if (t >= end - 2) squares[1] += e.squaredNorm() * dt / 2, sum += m * dt / 2, sum_of_squares += m * m * dt / 2;
    if (std::abs(m - mass) > 0.1 * mass) run.found = t;
    if (log && std::lround(t / dt) % 10 == 0) *log << t << ' ' << e.norm() << ' ' << m << '\n';
  }
  run.first = std::sqrt(squares[0]), run.last = std::sqrt(squares[1]);
  run.noise = std::sqrt(std::max(0.0, sum_of_squares - sum * sum));
  return run;
}

bool compare(const fs::path& folder) {
  const Task task;
  constexpr double allowed = 0.03, sigma_v = 0.005;  // rad, rad/s
  const double gamma = task.divergence() / task.energy(allowed);
  std::printf("An arm of 7 joints with an unknown load of 2 kg, divergence %.2f; %.2f J allowed: gain %.0f/J\n\n",
              task.divergence(), task.energy(allowed), gamma);
  std::printf("  gain       error, rms (rad)       mass of the flange (kg)\n");
  std::printf("  (1/J)      first s     last 2 s   right to 10 %% after (s)  noise\n");
  auto sweep = support::output(folder / "sweep.dat");
  sweep
      << "# gain (1/J), rms error (rad) of the first second and of the last two, time in which the mass is found (s), "
         "its noise (kg)\n";
  support::output(folder / "chosen.dat") << gamma << '\n';
  Run chosen;
  for (const int percent : {1, 3, 10, 30, 100, 300, 1000, 3000}) {
    auto log = support::output(folder / ("run" + std::to_string(percent) + ".dat"));
    log << "# time (s), error (rad), mass of the flange (kg)\n";
    const double x = 0.01 * percent * gamma;
    const Run run = follow(task, x, sigma_v, &log);
    if (percent == 100) chosen = run;
    std::printf("  %8.2f   %.2e    %.2e   %.2f%26.3f\n", x, run.first, run.last, run.found, run.noise);
    sweep << x << ' ' << run.first << ' ' << run.last << ' ' << run.found << ' ' << run.noise << '\n';
  }
  const Run quiet = follow(task, gamma, 0, nullptr);
  std::printf("\n");
  bool good = support::small_enough("with that gain and without noise, s^T M s / 2 at most", quiet.energy,
                                    task.energy(allowed), "J");
  good &= demand("with noise the load is found in half the time", chosen.found < end / 2);
  return demand("and known to 0.1 kg", chosen.noise < 0.1) && good;
}

}  // namespace

int main(int argc, char** argv) { return support::with_figures("adaptation_gains", argc, argv, compare); }
