// Plans a motion that determines the inertial parameters of an arm as accurately as possible: a Fourier series within
// limits of position, speed, acceleration and effort and boxes for frames, written as rows for a robot to follow.
// Compares it with random motions.
//
// excite --help lists the options. Without a file it plans for the arm in examples/models. The robot follows
// motion.csv, records torques or currents, and the example identify fits parameters to the recording.

#include <corio/corio.hpp>
#include <corio/identification/excitation.hpp>
#include <corio/model/describe.hpp>

#include <cstdio>
#include <future>
#include <optional>
#include <random>

#include "support/figures.hpp"
#include "support/joint_log.hpp"
#include "support/output.hpp"
#include "support/robot.hpp"

namespace {

namespace fs = std::filesystem;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr const char* usage =
    R"(usage: excite [robot.urdf or robot.xml] [options]
  --period S         of the motion, s (10)
  --harmonics N      (5)
  --share X          of the limits that may be used (0.9)
  --velocity NUMBERS, --acceleration NUMBERS, --effort NUMBERS
                     limits, one for each joint or one for all; otherwise those of the file, and 10 rad/s^2
  --box FRAME,X0,X1,Y0,Y1,Z0,Z1   the origin of a frame stays in there, in world axes, m; may be repeated
  --lock JOINTS      that do not move, with commas between them
  --gravity X,Y,Z    m/s^2 in axes of the robot's base, for one that does not stand as its file has it
  --rate HZ          of the rows that are written (200)
  --candidates N     random motions within the limits, the best four of which are improved side by side (30)
  --seed N           (1)
  --output FOLDER    (excite_output)
  Limits and boxes hold at all rows; collisions of links are not looked for.
  --check            exit status 1 unless the motion tells more than the random ones and keeps the limits
)";

struct Options {
  bool help = false, check = false;
  std::string robot = CORIO_EXAMPLES_DIR "/models/arm7.urdf", output = "excite_output";
  double period = 10, share = 0.9, rate = 200;
  int harmonics = 5, candidates = 30;
  unsigned seed = 1;
  std::vector<std::string> locked, boxes;
  std::vector<double> velocity, acceleration, effort, gravity;
};

Options parse(int argc, char** argv) {
  Options options;
  support::Arguments arguments(argc, argv);
  while (arguments.next()) {
    auto& o = options;
    if (arguments.set("--help", o.help) || arguments.set("-h", o.help) || arguments.set("--check", o.check) ||
        arguments.set("--period", o.period, 0.1) || arguments.set("--harmonics", o.harmonics, 2) ||
        arguments.set("--share", o.share, 0.01) || arguments.set("--velocity", o.velocity, 0) ||
        arguments.set("--acceleration", o.acceleration, 0) || arguments.set("--effort", o.effort, 0) ||
        arguments.add("--box", o.boxes) || arguments.set("--lock", o.locked) || arguments.set("--gravity", o.gravity) ||
        arguments.set("--rate", o.rate, 1) || arguments.set("--candidates", o.candidates, 1) ||
        arguments.set("--seed", o.seed, 0) || arguments.set("--output", o.output))
      continue;
    if (arguments.name().starts_with("-"))
      throw std::invalid_argument("unknown option " + arguments.name());
    else
      options.robot = arguments.name();
  }
  if (options.share > 1) throw std::invalid_argument("--share is above 1");
  return options;
}

corio::ExcitationLimits limits_of(const corio::Model<double>& model, const Options& options) {
  corio::ExcitationLimits limits(model);
  limits.acceleration = limits.acceleration.array().isFinite().select(limits.acceleration, 10);
  const auto set = [](VectorXd& limit, const std::vector<double>& given, const char* option) {
    if (!given.empty()) limit = support::per_joint(given, limit.size(), option);
  };
  set(limits.velocity, options.velocity, "--velocity");
  set(limits.acceleration, options.acceleration, "--acceleration");
  set(limits.effort, options.effort, "--effort");
  for (const std::string& text : options.boxes) {
    const auto parts = corio::detail::fields_of(text, ',');
    if (parts.size() != 7) throw std::runtime_error("--box " + text + ": expected FRAME,X0,X1,Y0,Y1,Z0,Z1");
    corio::ExcitationLimits::Box box{model.frame(parts[0]), {}, {}};
    for (int axis = 0; axis < 3; ++axis)
      for (const bool high : {false, true}) {
        const auto x = corio::detail::parse_number(parts[static_cast<std::size_t>(1 + 2 * axis + high)]);
        if (!x)
          throw std::runtime_error("--box " + text + ": '" + parts[static_cast<std::size_t>(1 + 2 * axis + high)] +
                                   "' is not a number");
        (high ? box.upper : box.lower)[axis] = *x;
      }
    limits.boxes.push_back(box);
  }
  return limits;
}

/// The columns: time, then q_JOINT, v_JOINT, a_JOINT of each joint.
void write(const fs::path& file, const corio::Model<double>& model, const corio::FourierMotion& motion, double rate) {
  auto out = support::output(file, 9);
  support::write_joint_log_names(out, model, {"q", "v", "a"});
  const int rows = static_cast<int>(std::ceil(motion.period() * rate));
  for (int k = 0; k <= rows; ++k) {
    const double t = std::min(k / rate, motion.period());
    const auto [q, v, a] = motion.at(t);
    support::write_joint_log_row(out, t, {q, v, a});
  }
}

void print(const char* what, const corio::Excitation& e) {
  std::printf("  %-22s %14.2f %14.0f %10.2f  %s\n", what, e.information, e.condition, e.share, e.tightest.c_str());
}

/// A motion and its information on the parameters, evaluated at ten times the instants of the optimisation, or at the
/// rows that are written if these are more.
struct Candidate {
  corio::FourierMotion motion;
  corio::Excitation told;
};

/// Plans motions within limits: random motions about configurations inside the boxes, and optimized ones.
class Planner {
 public:
  Planner(const corio::Model<double>& model, const Options& options)
      : model_(model),
        options_(options),
        limits_(limits_of(model, options)),
        generator_(options.seed),
        base_(corio::structural_base_parameters(model, false)) {}

  const corio::BaseParameters<double>& base() const { return base_; }

  /// Random motions about the middle of the ranges, or about other configurations if the middle is outside a box.
  /// @throws std::runtime_error if no configuration is found within the limits
  std::vector<Candidate> random() {
    std::vector<Candidate> found;
    std::string refused;
    for (int tried = 0; std::ssize(found) < options_.candidates && tried < 40 * options_.candidates; ++tried) {
      const VectorXd center =
          tried == 0 || limits_.boxes.empty() ? limits_.middle() : corio::random_configuration(model_, generator_);
      try {
        found.push_back(within(corio::random_motion(center, options_.period, options_.harmonics, limits_, generator_)));
      } catch (const corio::Error& error) {
        refused = error.what();
      }
    }
    if (found.empty()) throw std::runtime_error(refused);
    std::ranges::sort(found, std::greater(), [](const Candidate& c) { return c.told.information; });
    return found;
  }

  /// Optimizes the best few motions, each in a thread. Returns the best result, or the first motion if no result is
  /// better.
  Candidate improve(const std::vector<Candidate>& starts) const {
    std::vector<std::future<std::optional<Candidate>>> improved;
    for (std::size_t i = 0; i < std::min<std::size_t>(4, starts.size()); ++i)
      improved.push_back(std::async(std::launch::async, [&, i]() -> std::optional<Candidate> {
        try {
          return within(
              corio::optimize_excitation(model_, base_, starts[i].motion, limits_, {.share = options_.share}));
        } catch (const corio::Error&) {  // no motion near this start is within the limits
          return std::nullopt;
        }
      }));
    Candidate best = starts[0];
    for (auto& one : improved)
      if (const auto found = one.get(); found && found->told.information > best.told.information) best = *found;
    return best;
  }

 private:
  Candidate within(const corio::FourierMotion& motion) const {
    const int rows = static_cast<int>(std::ceil(options_.period * options_.rate));
    const int instants = std::max(200 * options_.harmonics, rows);
    auto kept = corio::within_limits(model_, base_, motion, limits_, options_.share, instants);
    return {kept, corio::excitation(model_, base_, kept, limits_, instants)};
  }

  const corio::Model<double>& model_;
  const Options& options_;
  corio::ExcitationLimits limits_;
  std::mt19937 generator_;
  corio::BaseParameters<double> base_;
};

int run(const Options& options) {
  const auto model = support::load_robot(options.robot, options.locked, options.gravity);
  std::cerr << corio::describe(model.notes());
  Planner planner(model, options);
  const auto random = planner.random();
  const Candidate best = planner.improve(random);

  std::printf("%s: %d joints, %d base parameters of bodies\n\n", model.name().c_str(), model.nv(),
              planner.base().size());
  std::printf("  %-22s %14s %14s %10s  %s\n", "motion", "log det", "condition", "share", "tightest limit");
  print("worst random", random.back().told), print("best random", random[0].told), print("optimised", best.told);
  const double factor = std::exp((best.told.information - random[0].told.information) / (2 * planner.base().size()));
  if (factor > 1)
    std::printf(
        "\nEach axis of the parameters' confidence ellipsoid is %.1f times shorter (geometric mean) than after the "
        "best random motion.\n",
        factor);
  else
    std::printf("\nNo motion was found that is better than the best random one, which is written.\n");

  const fs::path folder = fs::absolute(options.output);
  fs::create_directories(folder);
  write(folder / "motion.csv", model, best.motion, options.rate);
  write(folder / "random.csv", model, random[0].motion, options.rate);
  const bool drawn = support::draw(folder, "excite");
  return options.check && !(factor > 1 && drawn) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) { return support::with_options("excite", usage, argc, argv, parse, run); }
