// Identifies the inertial parameters of an arm of seven joints from noisy samples of a trajectory: base parameters by
// least squares over the stream of samples, and all parameters of physically consistent bodies.
//
// identify_arm --help lists the options. Figures are drawn if there is gnuplot.

#include <Eigen/Dense>
#include <corio/io/urdf.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "identify_arm/consistent.hpp"
#include "identify_arm/measurement.hpp"
#include "identify_arm/progress.hpp"

namespace {

using namespace identify;
namespace fs = std::filesystem;

constexpr const char* usage = R"(usage: identify_arm [folder] [options]

Simulates an arm of seven joints that follows a Fourier series, with noise in torques and motion, identifies it, and
predicts the torques of another trajectory. Data and figures go into the folder (default identify_arm_output).

  --samples N       how many samples to identify from (20000)
  --rate HZ         samples per second (1000)
  --candidates N    random trajectories of which the best conditioned is taken (40)
  --torque-noise X  standard deviation, as a share of each joint's limit of torque (0.01)
  --spread X        relative error of the parameters known before, from drawings (0.2)
  --seed N          of all that is random (1)
  --check           exit status 1 unless all errors are as large as the noise makes them
  --help            this text
)";

struct Options {
  std::string folder = "identify_arm_output";
  std::int64_t samples = 20000;
  double rate = 1000;
  int candidates = 40;
  double torque_noise = 0.01, spread = 0.2;
  std::uint64_t seed = 1;
  bool check = false, help = false;
};

Options parse(int argc, char** argv) {
  Options options;
  bool has_folder = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto number = [&](double least) {
      if (i + 1 == argc) throw std::invalid_argument(argument + " needs a number");
      const std::string text = argv[++i];
      char* end = nullptr;
      const double x = std::strtod(text.c_str(), &end);
      if (*end != '\0' || text.empty() || !(x >= least) || x > 1e15)
        throw std::invalid_argument((std::ostringstream() << argument << " needs a number not below " << least).str());
      return x;
    };
    if (argument == "--samples")
      options.samples = static_cast<std::int64_t>(number(10));
    else if (argument == "--rate")
      options.rate = number(1e-3);
    else if (argument == "--candidates")
      options.candidates = static_cast<int>(number(1));
    else if (argument == "--torque-noise")
      options.torque_noise = number(1e-6);
    else if (argument == "--spread")
      options.spread = number(1e-3);
    else if (argument == "--seed")
      options.seed = static_cast<std::uint64_t>(number(0));
    else if (argument == "--check")
      options.check = true;
    else if (argument == "--help" || argument == "-h")
      options.help = true;
    else if (!has_folder && !argument.starts_with("-"))
      options.folder = argument, has_folder = true;
    else
      throw std::invalid_argument("unknown argument " + argument);
  }
  return options;
}

std::ofstream open(const fs::path& path) {
  std::ofstream file(path);
  if (!file) throw std::runtime_error("cannot write " + path.string());
  file.precision(10);
  return file;
}

/// The best conditioned of some random trajectories that the joints' limits of torque allow, by the model known before.
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

/// Another trajectory, to predict torques of: regressors of its states, one above the other, and exact torques.
struct HeldOut {
  HeldOut(Arm& arm, const corio::Model<double>& model, const FourierTrajectory& trajectory)
      : Y(states * model.nv(), corio::num_inertial_parameters(model)),
        tau(model.nv(), states),
        measured(model.nv(), states) {
    corio::Data<double> data(model);
    Matrix here(model.nv(), Y.cols());
    for (int k = 0; k < states; ++k) {
      const Motion m = trajectory.at(time(k));
      corio::inverse_dynamics_regressor(model, data, m.q, m.v, m.a, here);
      Y.middleRows(k * model.nv(), model.nv()) = here;
      tau.col(k) = arm.torque(m);
      measured.col(k) = arm.measure(m).tau;
    }
  }
  static constexpr int states = 500;
  static double time(int k) { return FourierTrajectory::period * k / states; }

  /// Torques by parameters pi, a column per state, and their errors.
  Matrix predict(const Vector& pi) const { return (Y * pi).reshaped(tau.rows(), states); }
  Matrix errors(const Vector& pi) const { return predict(pi) - tau; }

  Matrix Y, tau, measured;
};

Vector rms(const Matrix& rows) { return (rows.rowwise().squaredNorm() / static_cast<double>(rows.cols())).cwiseSqrt(); }

/// What errors of least squares with noise of the variances assumed are to be expected, per joint.
Vector expected_errors(const corio::Estimate<double>& found, const Matrix& Y_base, Eigen::Index joints) {
  const Vector variances = (Y_base * found.covariance).cwiseProduct(Y_base).rowwise().sum();
  return variances.reshaped(joints, HeldOut::states).rowwise().mean().cwiseSqrt();
}

/// The parameters nearest to those known before that have the base parameters beta: what least squares can say of them.
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

/// What is identified, what is known of it, and what the result is tried on.
struct Study {
  corio::Model<double> model;  // as the drawings have it
  Vector truth, drawings;      // all parameters
  Base base;
  Noise noise;
  HeldOut held_out;
  ConsistentFit fit;
  fs::path folder;
};

struct Found {
  corio::Estimate<double> base;  // parameters, by least squares
  Vector plain;                  // all parameters: those nearest to the drawings that have these base parameters
  ConsistentFit::Result consistent;
};

/// Streams the samples of a trajectory, and writes on the way how good the estimates have become.
Stream collect(const Study& study, Arm& arm, const FourierTrajectory& trajectory, const Options& options) {
  const auto& [model, truth, drawings, base, noise, held_out, fit, folder] = study;
  const auto joints = model.nv();
  const Matrix Y_base = base.reduce(held_out.Y);
  const auto over_noise = [&torque = noise.torque](const Vector& errors) {
    return rms(errors.cwiseQuotient(torque).transpose())[0];
  };
  auto file = open(folder / "convergence.dat");
  file << "# time; errors of predicted torques over the noise of one: drawings, least squares, as expected of these, "
       << "consistent\n";

  corio::Data<double> data(model);
  Weights weights(model, noise);
  Stream stream(base.num_parameters());
  Matrix Y(joints, base.num_parameters());
  Progress progress("samples", options.samples);
  for (std::int64_t k = 0, next = 10; k < options.samples;) {
    const Sample sample = arm.measure(trajectory.at(static_cast<double>(k) / options.rate));
    const Motion& m = sample.motion;
    corio::inverse_dynamics_regressor(model, data, m.q, m.v, m.a, Y);
    stream.add(Y, sample.tau, weights(m));
    progress.at(++k);
    if (k < next && k < options.samples) continue;

    next = 1 + next * 5 / 4;
    file << static_cast<double>(k) / options.rate << ' ' << over_noise(rms(held_out.errors(drawings))) << ' ';
    try {
      const auto now = corio::estimate(stream, base);
      file << over_noise(rms(held_out.errors(nearest(base, drawings, now.beta)))) << ' '
           << over_noise(expected_errors(now, Y_base, joints)) << ' ';
    } catch (const corio::Error&) {
      file << "nan nan ";  // not all is excited yet
    }
    const Vector pi = fit.solve(stream).pi;
    file << over_noise(rms(held_out.errors(pi))) << '\n';
    weights.improve(pi);
  }
  return stream;
}

void report_parameters(const Study& study, const Found& found) {
  const Base& base = study.base;
  const Vector beta = base.project(study.truth), drawings = base.project(study.drawings),
               consistent = base.project(found.consistent.pi), sd = found.base.standard_deviation(1.0);
  const Vector &estimate = found.base.beta, error = estimate - beta;
  const auto names = corio::parameter_names(study.model), texts = base.describe(names);
  auto data = open(study.folder / "parameters.dat"), text = open(study.folder / "base_parameters.txt");
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

/// Torques of the trajectory that was not identified from: rms errors per joint, and what is expected of them.
struct TorqueErrors {
  TorqueErrors(const Study& study, const Found& found)
      : drawings(rms(study.held_out.errors(study.drawings))),
        plain(rms(study.held_out.errors(found.plain))),
        consistent(rms(study.held_out.errors(found.consistent.pi))),
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
  std::printf("\nOf %zu bodies %d cannot exist by the parameters nearest to the drawings that least squares leaves.\n",
              study.model.bodies().size(), inconsistent_bodies(study.model, found.plain));

  auto file = open(study.folder / "torques.dat");
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

/// Whether all errors are what noise of the variances assumed makes them. Sums of n squares are distributed as chi^2,
/// with mean n and standard deviation sqrt(2 n).
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
                  inconsistent_bodies(study.model, found.consistent.pi), 0, 0);
  good &= verdict("what the last step of the consistent fit changed", found.consistent.decrement, 0, 1e-6);
  return good;
}

void plot(const fs::path& folder) {
  // From inside, so that no name given by the user passes through the shell.
  fs::current_path(folder);
  const bool plotted = std::system("gnuplot \"" CORIO_EXAMPLES_DIR "/identify_arm/identify_arm.gp\"") == 0;
  std::printf("%s: %s\n", plotted ? "Data and figures" : "Data only, as gnuplot did not run", folder.c_str());
}

int run(const Options& options) {
  const fs::path folder = fs::absolute(options.folder);
  fs::create_directories(folder);
  std::mt19937_64 generator(options.seed);

  const auto arm7 = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf");
  const Vector drawn = drawings(arm7, options.spread, generator);
  auto model = arm7;  // what the identification may know of it
  corio::set_inertial_parameters(model, drawn);

  const Base base = all_base_parameters(model, generator);
  std::printf("%d base parameters of %d\n", base.size(), base.num_parameters());
  const auto trajectory = choose_trajectory(model, base, options.candidates, generator);
  const auto other = choose_trajectory(model, base, 1 + options.candidates / 10, generator);

  Noise noise;
  noise.torque = options.torque_noise * arm7.effort_limit();
  Arm arm(arm7, noise, options.seed + 1);
  const Study study{model,
                    corio::inertial_parameters(arm7),
                    drawn,
                    base,
                    noise,
                    HeldOut(arm, model, other),
                    ConsistentFit(model, drawn, options.spread),
                    folder};

  const Stream stream = collect(study, arm, trajectory, options);
  Found found{corio::estimate(stream, base), {}, study.fit.solve(stream)};
  found.plain = nearest(base, drawn, found.base.beta);
  std::printf("%lld samples of %d torques; condition number of the weighted regressor %.0f\n",
              static_cast<long long>(options.samples), model.nv(), found.base.condition);
  std::printf("consistent fit: %d iterations, the last changed the sum of squares by %.0e\n\n",
              found.consistent.iterations, found.consistent.decrement);
  report_parameters(study, found);
  report_torques(study, found);
  plot(folder);
  return !options.check || check(study, found) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = parse(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "identify_arm: " << error.what() << "\n\n" << usage;
    return 2;
  }
  if (options.help) {
    std::cout << usage;
    return 0;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "identify_arm: " << error.what() << '\n';
    return 1;
  }
}
