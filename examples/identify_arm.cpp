// Identifies the parameters of an arm's bodies and joints from noisy samples of a trajectory: base parameters by least
// squares over the stream of samples, and all parameters of physically consistent bodies and joints, which are written
// as the URDF of the robot. The samples are those of a simulated arm of seven joints, or of a log.
//
// identify_arm --help lists the options. Figures are drawn if there is gnuplot.

#include <Eigen/Dense>
#include <corio/io/urdf.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "identify_arm/options.hpp"
#include "identify_arm/progress.hpp"
#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using namespace identify;
namespace fs = std::filesystem;

/// The best conditioned of some random trajectories within the joints' torque limits, according to the prior model.
FourierTrajectory choose_trajectory(const corio::Model<double>& model, const Base& base, int candidates,
                                    std::mt19937_64& generator) {
  std::optional<FourierTrajectory> best;
  double least = std::numeric_limits<double>::infinity(), worst = 0;
  Progress progress("trajectory", candidates);
  for (int i = 0; i < candidates; ++i) {
    progress.at(i);
    const FourierTrajectory trajectory(model, generator);
    const Excitation e = excitation(model, base, trajectory);
    if (e.effort > 0.9) continue;
    worst = std::max(worst, e.condition);
    if (e.condition < least) least = e.condition, best = trajectory;
  }
  if (!best) throw std::runtime_error("no trajectory within the limits of torque; try more --candidates");
  std::printf("trajectory: best of %d, condition number %.0f (worst %.0f)\n", candidates, least, worst);
  return *best;
}

/// A second trajectory for validation: stacked regressors of its states, and exact torques.
struct HeldOut {
  HeldOut(Arm& arm, const corio::Model<double>& model, const FourierTrajectory& trajectory)
      : Y(states * model.nv(), num_parameters(model)), tau(model.nv(), states), measured(model.nv(), states) {
    Regressor regressor(model);
    for (int k = 0; k < states; ++k) {
      const Motion m = trajectory.at(time(k));
      Y.middleRows(k * model.nv(), model.nv()) = regressor(m);
      tau.col(k) = arm.torque(m);
      measured.col(k) = arm.measure(m).tau;
    }
  }
  static constexpr int states = 500;
  static double time(int k) { return FourierTrajectory::period * k / states; }

  /// Torques by parameters p, a column per state, and their errors.
  Matrix predict(const Vector& p) const { return (Y * p).reshaped(tau.rows(), states); }
  Matrix errors(const Vector& p) const { return predict(p) - tau; }

  Matrix Y, tau, measured;
};

Vector rms(const Matrix& rows) { return (rows.rowwise().squaredNorm() / static_cast<double>(rows.cols())).cwiseSqrt(); }

/// The expected errors of least squares per joint, for noise of the assumed variances.
Vector expected_errors(const corio::Estimate<double>& found, const Matrix& Y_base, Eigen::Index joints) {
  const Vector variances = (Y_base * found.covariance).cwiseProduct(Y_base).rowwise().sum();
  return variances.reshaped(joints, HeldOut::states).rowwise().mean().cwiseSqrt();
}

/// The parameters nearest to the prior ones that have the base parameters beta, which are all that least squares
/// determines.
Vector nearest(const Base& base, const Vector& known, const Vector& beta) {
  const Matrix P = base.projection();
  return known + P.completeOrthogonalDecomposition().solve(beta - P * known);
}

int inconsistent_bodies(const corio::Model<double>& model, const Vector& pi) {
  int count = 0;
  for (std::size_t b = 0; b < model.bodies().size(); ++b)
    count += !corio::is_physically_consistent<double>(pi.segment<10>(10 * static_cast<Eigen::Index>(b)));
  return count;
}

/// The arm to identify, prior knowledge of it, and validation data.
struct Study {
  corio::Model<double> model;  // according to the drawings
  Vector truth, drawings;      // all parameters
  Base base;
  Noise noise;
  HeldOut held_out;
  corio::ConsistentPrior<double> prior;
  fs::path folder;
};

struct Found {
  corio::Estimate<double> base;  // parameters, by least squares
  Vector plain;                  // all parameters: those nearest to the drawings that have these base parameters
  corio::ConsistentEstimate<double> consistent;
};

/// Streams the samples of a trajectory, and writes the errors of the estimates on the way.
Stream collect(const Study& study, Arm& arm, const FourierTrajectory& trajectory, const Options& options) {
  const auto& [model, truth, drawings, base, noise, held_out, prior, folder] = study;
  const auto joints = model.nv();
  const Matrix Y_base = base.reduce(held_out.Y);
  const auto over_noise = [&torque = noise.torque](const Vector& errors) {
    return rms(errors.cwiseQuotient(torque).transpose())[0];
  };
  auto file = support::output(folder / "convergence.dat", 10);
  file << "# time; errors of predicted torques over the noise of one: drawings, least squares, as expected of these, "
       << "consistent\n";

  Regressor regressor(model);
  Weights weights(model, noise);
  Stream stream(base.num_parameters());
  std::ofstream log;
  if (options.write_log) {
    log = support::output(folder / "log.csv", 10);
    support::write_joint_log_names(log, model);
  }
  Progress progress("samples", options.samples);
  for (std::int64_t k = 0, next = 10; k < options.samples;) {
    const double t = static_cast<double>(k) / options.rate;
    const Sample sample = arm.measure(trajectory.at(t));
    const Motion& m = sample.motion;
    stream.add(regressor(m), sample.tau, weights(m));
    if (log.is_open()) support::write_joint_log_row(log, t, m.q, m.v, sample.tau);
    progress.at(++k);
    if (k < next && k < options.samples) continue;

    next = 1 + next * 5 / 4;
    file << static_cast<double>(k) / options.rate << ' ' << over_noise(rms(held_out.errors(drawings))) << ' ';
    try {
      const auto now = corio::estimate(stream, base);
      file << over_noise(rms(held_out.errors(nearest(base, drawings, now.beta)))) << ' '
           << over_noise(expected_errors(now, Y_base, joints)) << ' ';
    } catch (const corio::Error&) {
      file << "nan nan ";  // not all parameters are excited yet
    }
    const Vector p = corio::consistent_estimate(model, stream, prior).parameters;
    file << over_noise(rms(held_out.errors(p))) << '\n';
    weights.improve(p);
  }
  return stream;
}

void report_parameters(const Study& study, const Found& found) {
  const Base& base = study.base;
  const Vector beta = base.project(study.truth), drawings = base.project(study.drawings),
               consistent = base.project(found.consistent.parameters), sd = found.base.standard_deviation(1.0);
  const Vector &estimate = found.base.beta, error = estimate - beta;
  const auto names = names_of_parameters(study.model), texts = base.describe(names);
  auto data = support::output(study.folder / "parameters.dat", 10),
       text = support::output(study.folder / "base_parameters.txt", 10);
  data << "# number, name, true, drawings, estimate, standard deviation, consistent\n";
  std::printf("Base parameters, by the first of those they combine (all of them: base_parameters.txt), in SI units\n");
  std::printf("%24s %10s %10s %10s %10s %10s %8s %10s\n", "", "true", "drawings", "estimate", "error", "std.dev.",
              "error/sd", "consistent");
  for (int i = 0; i < base.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto& name = names[static_cast<std::size_t>(base.independent()[at])];
    std::printf("%3d %-20s %10.5f %10.5f %10.5f %10.5f %10.5f %8.2f %10.5f\n", i + 1, name.c_str(), beta[i],
                drawings[i], estimate[i], error[i], sd[i], error[i] / sd[i], consistent[i]);
    data << i + 1 << " \"" << name << "\" " << beta[i] << ' ' << drawings[i] << ' ' << estimate[i] << ' ' << sd[i]
         << ' ' << consistent[i] << '\n';
    text << i + 1 << ": " << texts[at] << '\n';
  }
}

/// The parameters of each joint, true and as identified with physically consistent bodies.
void report_joints(const Study& study, const Found& found) {
  std::printf("\nParameters of joints, true and identified\n%-16s %19s %19s %19s %19s\n", "joint", "armature",
              "damping", "friction", "offset");
  for (int i = 0; i < study.model.nv(); ++i) {
    std::printf("%-16s", study.model.joints()[static_cast<std::size_t>(i)].name().c_str());
    for (int k = 0; k < 4; ++k) {
      const auto at = study.truth.size() - 4 * (study.model.nv() - i) + k;
      std::printf(" %9.4f %9.4f", study.truth[at], found.consistent.parameters[at]);
    }
    std::printf("\n");
  }
}

/// Torques of the validation trajectory: rms errors per joint, and their expected values.
struct TorqueErrors {
  TorqueErrors(const Study& study, const Found& found)
      : drawings(rms(study.held_out.errors(study.drawings))),
        plain(rms(study.held_out.errors(found.plain))),
        consistent(rms(study.held_out.errors(found.consistent.parameters))),
        expected(expected_errors(found.base, study.base.reduce(study.held_out.Y), study.model.nv())) {}
  Vector drawings, plain, consistent, expected;
};

void report_torques(const Study& study, const Found& found) {
  const auto& held_out = study.held_out;
  const TorqueErrors errors(study, found);
  const Vector size = rms(held_out.tau);
  std::printf("\nTorques of another trajectory: rms errors in N m, and relative to the rms torque\n");
  std::printf("%-16s %9s %9s %20s %20s %9s %20s\n", "joint", "rms", "noise", "drawings", "least squares", "expected",
              "consistent");
  for (int i = 0; i < study.model.nv(); ++i)
    std::printf("%-16s %9.3f %9.3f %9.4f (%6.2f %%) %9.4f (%6.2f %%) %9.4f %9.4f (%6.2f %%)\n",
                study.model.joints()[static_cast<std::size_t>(i)].name().c_str(), size[i], study.noise.torque[i],
                errors.drawings[i], 100 * errors.drawings[i] / size[i], errors.plain[i],
                100 * errors.plain[i] / size[i], errors.expected[i], errors.consistent[i],
                100 * errors.consistent[i] / size[i]);
  std::printf(
      "\nOf %zu bodies %d are not physically consistent with the least-squares parameters nearest to the drawings.\n",
      study.model.bodies().size(), inconsistent_bodies(study.model, found.plain));

  auto file = support::output(study.folder / "torques.dat", 10);
  file << "# time; per joint: measured, error of the drawings, error of the identified parameters, exact\n";
  const Matrix by_drawings = held_out.errors(study.drawings), by_plain = held_out.errors(found.plain);
  for (int k = 0; k < HeldOut::states; ++k) {
    file << HeldOut::time(k);
    for (Eigen::Index i = 0; i < by_plain.rows(); ++i)
      file << ' ' << held_out.measured(i, k) << ' ' << by_drawings(i, k) << ' ' << by_plain(i, k) << ' '
           << held_out.tau(i, k);
    file << '\n';
  }
}

bool verdict(const char* what, double value, double least, double most) {
  const bool good = value >= least && value <= most;
  std::printf("  %-62s %10.4g in [%.4g, %.4g]: %s\n", what, value, least, most, good ? "ok" : "FAILED");
  return good;
}

/// Whether all errors agree with noise of the assumed variances. Sums of n squares are distributed as chi^2, with mean
/// n and standard deviation sqrt(2 n).
bool check(const Study& study, const Found& found) {
  std::printf("\nChecks, within five standard deviations:\n");
  const double n = static_cast<double>(found.base.degrees_of_freedom), r = study.base.size();
  bool good = verdict("chi^2 of the residual over degrees of freedom", found.base.residual / n,
                      1 - 5 * std::sqrt(2 / n), 1 + 5 * std::sqrt(2 / n));
  const Vector error = found.base.beta - study.base.project(study.truth);
  good &= verdict("chi^2 of the errors of the base parameters", (found.base.R * error).squaredNorm(), 0,
                  r + 5 * std::sqrt(2 * r));
  const TorqueErrors torques(study, found);
  good &= verdict("predicted torques, error over the expected: least squares",
                  torques.plain.cwiseQuotient(torques.expected).maxCoeff(), 0, 5);
  good &= verdict("predicted torques, error over the expected: consistent",
                  torques.consistent.cwiseQuotient(torques.expected).maxCoeff(), 0, 5);
  good &= verdict("bodies that cannot exist by the consistent parameters",
                  inconsistent_bodies(study.model, found.consistent.parameters), 0, 0);
  const auto joints = found.consistent.parameters.tail(4 * study.model.nv()).reshaped(4, study.model.nv()).topRows(3);
  good &= verdict("least armature, damping and friction of the consistent parameters", joints.minCoeff(), 0, 1e3);
  good &= verdict("what the last step of the consistent fit changed", found.consistent.decrement, 0, 1e-6);
  return good;
}

int run(const Options& options) {
  const fs::path folder = fs::absolute(options.folder);
  fs::create_directories(folder);
  if (!options.log.robot.empty()) {
    identify_log(options.log, options.spread, folder);
    return 0;
  }
  std::mt19937_64 generator(options.seed);

  const auto arm7 = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf");
  const Vector drawn = drawings(arm7, options.spread, generator);
  auto model = arm7;  // prior model for the identification
  set_parameters(model, drawn);
  const Vector truth = with_joint_parameters(arm7, parameters(arm7), generator);

  const Base base = all_base_parameters(model, generator);
  std::printf("%d base parameters of %d\n", base.size(), base.num_parameters());
  const auto trajectory = choose_trajectory(model, base, options.candidates, generator);
  const auto other = choose_trajectory(model, base, 1 + options.candidates / 10, generator);

  Noise noise;
  noise.torque = options.torque_noise * arm7.effort_limit();
  Arm arm(arm7, truth, noise, options.seed + 1);
  const Study study{model,
                    truth,
                    drawn,
                    base,
                    noise,
                    HeldOut(arm, model, other),
                    {options.spread, joint_deviations(model.effort_limit())},
                    folder};

  const Stream stream = collect(study, arm, trajectory, options);
  Found found{corio::estimate(stream, base), {}, corio::consistent_estimate(model, stream, study.prior)};
  found.plain = nearest(base, drawn, found.base.beta);
  std::printf("%lld samples of %d torques; condition number of the weighted regressor %.0f\n",
              static_cast<long long>(options.samples), model.nv(), found.base.condition);
  std::printf("consistent fit: %d iterations, the last changed the sum of squares by %.0e\n\n",
              found.consistent.iterations, found.consistent.decrement);
  report_parameters(study, found);
  report_joints(study, found);
  report_torques(study, found);
  const double lost = write_robot(model, found.consistent.parameters, folder / "identified.urdf");
  bool good = !options.check || check(study, found);
  if (options.check) good &= verdict("parameters of identified.urdf when read again, relative error", lost, 0, 1e-12);
  if (options.write_log) {
    std::printf("\nOnce more, from the log, which has no accelerations:\n");
    LogOptions from_log = options.log;
    from_log.robot = CORIO_EXAMPLES_DIR "/models/arm7.urdf", from_log.log = (folder / "log.csv").string();
    const LogErrors errors = identify_log(from_log, options.spread, folder);
    // The errors contain the noise of the measured torques, of which less than a fifth passes the filter.
    if (options.check)
      good &= verdict("predicted torques, error over the noise of one: log",
                      errors.identified.cwiseQuotient(study.noise.torque).maxCoeff(), 0, 0.3);
  }
  good &= support::draw(folder, "identify_arm");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_options("identify_arm", std::string(usage) + support::LogColumns::usage, argc, argv, parse, run);
}
