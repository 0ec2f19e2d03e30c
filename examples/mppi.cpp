// Sampling-based control of an arm of seven joints that is too weak to lift itself: it swings up and balances. Every 20
// ms the law (model predictive path integral control, Williams et al. 2017) tries up to 512 perturbations of its plan
// for the next second, several in the lanes of a pack and in several threads, and continues with their mean, weighted
// by cost. If the machine is too slow for 512, it tries fewer, so that an update takes 80 % of real time.
//
//   mppi [folder] [--check]
//
// prints the number of perturbations and the time of an update, beside the 20 ms of real time; writes data, and a
// figure and an animation if there is gnuplot, into the folder (default mppi_output). --check: exit status 1 unless the
// arm balances.
//
//   mppi --gpu [folder]
//   mppi --c [folder]
//
// instead write the rollouts of this arm and the update of the plan into the folder, as CUDA or as C with several
// rollouts in a vector, and say how to compile and call them.

#include <chrono>
#include <corio/batch/rollout.hpp>
#include <corio/codegen/check.hpp>
#include <corio/codegen/rollouts.hpp>
#include <corio/corio.hpp>
#include <random>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
namespace fs = std::filesystem;
constexpr int joints = 7, horizon = 50, hold = 5;  // joints, steps of the plan, steps between its knots
constexpr int most_samples = 512, fewest_samples = 128;
constexpr double period = 0.02, duration = 10, link = 0.2,
                 highest = (joints - 2) * link;  // s, s, m, m; the first link always hangs
const VectorXd limit = (VectorXd(joints) << 40, 40, 25, 25, 10, 10, 5).finished();  // N m

/// The arm hangs from the ceiling. Its axes are along and across the links in turn. Stretched out, it would need 70 N m
/// in its second joint, which has 40.
corio::Model<double> arm() {
  corio::ModelBuilder<double> builder("arm");
  const double mass[joints] = {4, 4, 3, 3, 2, 2, 1};
  for (int i = 0; i < joints; ++i) {
    const double m = mass[i], across = m * link * link / 12, along = m * 0.05 * 0.05 / 2;
    builder.add_body({.name = "link" + std::to_string(i + 1),
                      .parent = i == 0 ? "" : "link" + std::to_string(i),
                      .joint = i % 2 == 0 ? corio::joint::Revolute::z() : corio::joint::Revolute::y(),
                      .placement = {corio::identity3<double>(), {0, 0, i == 0 ? 0 : -link}},
                      .inertia = {m, {0, 0, -link / 2}, Eigen::Vector3d(across, across, along).asDiagonal()},
                      .limits = {.effort = {limit[i]}}});
  }
  builder.add_frame("hand", "link7", {corio::identity3<double>(), {0, 0, -link}});
  auto model = builder.build();
  model.set_armature(VectorXd::Constant(joints, 0.3));
  model.set_damping(VectorXd::Constant(joints, 1.0));
  return model;
}

/// The cost of a state or of a pack of states: the distance of the hand from its highest point, and the speeds.
constexpr auto cost = [](const auto& model, auto& data, const auto& q, const auto& v, const auto& tau, int step) {
  using S = typename std::decay_t<decltype(model)>::Scalar;
  const S low = 1.0 - corio::body_pose(model, data, model.frame("hand")).translation[2] / highest;
  S speeds(0), torques(0), angles(0);
  for (int k = 0; k < joints; ++k) {
    speeds += v[k] * v[k], torques += tau[k] * tau[k] / (limit[k] * limit[k]);
    if (k % 2 == 0) angles += q[k] * q[k];
  }
  const S now = 4.0 * low + 4.0 * low * low + 0.03 * speeds + 0.02 * angles + 0.01 * torques;
  return S(step == horizon ? 10.0 * now : now);
};

class PathIntegralControl {
 public:
  explicit PathIntegralControl(const corio::Model<double>& model)
      : packed_(model), plan_(VectorXd::Zero(joints * horizon)), tried_(joints * horizon, most_samples) {}

  /// The torque for the next period.
  VectorXd update(const VectorXd& x) {
    const auto start = std::chrono::steady_clock::now();
    plan_.head(joints * (horizon - 1)) =
        plan_.tail(joints * (horizon - 1)).eval();  // moves the plan forward by one period
    for (int j = 0; j < samples_; ++j) perturb(j);
    corio::batch::rollout(packed_, x, tried_.leftCols(samples_), period, cost, rollouts_);
    const double best = rollouts_.cost.minCoeff(), temperature = 0.02 * best + 1e-6;
    const VectorXd weight = (-(rollouts_.cost.array() - best) / temperature).exp();  // zero if the cost is not finite
    plan_ = tried_.leftCols(samples_) * (weight / weight.sum());
    finite_ = finite_ && rollouts_.finite.all();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    samples_ = std::clamp(static_cast<int>(samples_ * 0.8 * period / seconds_), fewest_samples, most_samples);
    return plan_.head(joints);
  }
  /// Time and number of samples of the last update.
  double seconds() const { return seconds_; }
  Eigen::Index samples() const { return rollouts_.cost.size(); }
  /// True if all rollouts of all updates were finite.
  bool finite() const { return finite_; }

 private:
  /// The plan plus noise that is linear between knots; the first sample is the plan itself.
  void perturb(int j) {
    auto u = tried_.col(j);
    u = plan_;
    VectorXd next = VectorXd::Zero(joints), last = next;
    for (int i = 0; i < horizon && j > 0; ++i) {
      if (i % hold == 0) {
        last = next;
        for (int k = 0; k < joints; ++k) next[k] = 0.25 * limit[k] * normal_(generator_);
      }
      const double share = static_cast<double>(i % hold) / hold;
      auto tau = u.segment(joints * i, joints);
      tau = (tau + (1 - share) * last + share * next).cwiseMin(limit).cwiseMax(-limit);
    }
  }

  corio::batch::Packed<corio::batch::FullPack<double>> packed_;
  VectorXd plan_;
  MatrixXd tried_;
  corio::batch::Rollouts rollouts_;
  std::mt19937 generator_{1};
  std::normal_distribution<double> normal_;
  int samples_ = most_samples;  // number of samples of the next update
  double seconds_ = 0;
  bool finite_ = true;
};

bool swing_up(const fs::path& folder) {
  const auto model = arm();
  corio::Data<double> data(model);
  PathIntegralControl control(model);
  VectorXd x = VectorXd::Zero(2 * joints), q = x.head(joints), v = x.tail(joints);
  auto log = support::output(folder / "motion.dat"), postures = support::output(folder / "postures.dat");
  log << "# time (s), height of the hand (m), speed |v| (rad/s), update (ms), samples, torques (N m)\n";
  std::vector<double> milliseconds, samples;
  double lowest = highest;  // in the last two seconds
  const int updates = static_cast<int>(duration / period);
  for (int i = 0; i < updates; ++i) {
    x << q, v;
    const VectorXd tau = control.update(x);
    milliseconds.push_back(1e3 * control.seconds()), samples.push_back(static_cast<double>(control.samples()));
    for (int part = 0; part < 20; ++part) corio::step(model, data, q, v, tau, period / 20, corio::Integrator::rk4);
    const double height = corio::body_pose(model, data, model.frame("hand")).translation[2];
    if (i * period > duration - 2) lowest = std::min(lowest, height);
    log << (i + 1) * period << ' ' << height << ' ' << v.norm() << ' ' << milliseconds.back() << ' ' << samples.back()
        << ' ' << tau.transpose() << '\n';
    if (i % 2 == 1) {
      for (const auto& body : model.bodies())
        postures << corio::body_pose(model, data, body).translation.transpose() << '\n';
      postures << corio::body_pose(model, data, model.frame("hand")).translation.transpose() << "\n\n\n";
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end()), std::sort(samples.begin(), samples.end());
  const auto middle = milliseconds.size() / 2, late = milliseconds.size() * 99 / 100;
  std::printf("An arm of %d swings up: samples of %g s in %d steps, %d states in a pack, %d threads\n", joints,
              horizon * period, horizon, corio::batch::FullPack<double>::lanes, corio::batch::physical_cores());
  std::printf(
      "%.0f samples (median, %.0f to %.0f), %.1f ms an update (median; 99 of 100 below %.1f), of %g ms of real time\n",
      samples[middle], samples.front(), samples.back(), milliseconds[middle], milliseconds[late], 1e3 * period);
  bool good = support::demand("every rollout is finite", control.finite());
  // With all samples in every update the motion does not depend on the machine's speed.
  if (samples.front() == most_samples)
    good &= support::demand("in the last two seconds the hand stays within 15 % of its greatest height",
                            lowest > 0.85 * highest);
  else
    good &= support::demand("in the last two seconds the hand stays above half of its greatest height",
                            lowest > 0.5 * highest);
  std::printf("  lowest hand in the last two seconds: %.3f of %.3f m\n", lowest, highest);
  return good;
}

/// Writes code with the same step and cost as above, without the additional weight of the last state.
void write_code(const fs::path& folder, bool cuda) {
  const auto model = arm();
  const auto now = [](const auto& m, auto& data, const auto& q, const auto& v, const auto& tau, const auto&) {
    return cost(m, data, q, v, tau, 0);
  };
  const int lanes = cuda ? 1 : corio::batch::FullPack<double>::lanes;
  corio::codegen::Writer writer("arm", corio::codegen::layout(model), {cuda, cuda, lanes});
  writer.add_rollouts(corio::codegen::record_step(model, period, {0, 1, 2, 3, 4, 5, 6}, 0, now));
  fs::create_directories(folder);
  for (const auto& [name, text] : writer.files()) support::output(folder / name) << text;
  if (cuda)
    std::printf(
        "%s has arm.cuh and arm.cu. They need a GPU and nvcc: nvcc -O3 -shared -Xcompiler -fPIC arm.cu -o arm.so\n",
        folder.string().c_str());
  else
    std::printf(
        "%s has arm.h and arm.c: cc -O2 -march=native -c arm.c\n"
        "arm_step_rollout computes %d rollouts at once; threads call it for rollouts of their own.\n",
        folder.string().c_str(), lanes);
  std::printf("An update of the plan is arm_step_rollout, with noise made inside, and arm_step_update.\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string option = argc > 1 ? argv[1] : "";
  if (option == "--gpu" || option == "--c") {
    try {
      write_code(argc > 2 ? argv[2] : "mppi_output", option == "--gpu");
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "mppi: %s\n", error.what());
      return 2;
    }
  }
  return support::with_figures("mppi", argc, argv, swing_up);
}
