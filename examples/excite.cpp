// Plans a motion that tells as much as possible about the inertial parameters of an arm: a Fourier series within limits
// of position, speed, acceleration and effort and boxes for frames, written as rows for a robot to follow. Compares it
// with random motions.
//
// excite --help lists the options. Without a file it plans for the arm in examples/models. The robot follows
// motion.csv, records torques or currents, and the example identify fits parameters to the recording.

#include <corio/corio.hpp>
#include <corio/identification/excitation.hpp>
#include <corio/model/describe.hpp>

#include <cstdio>
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
  --rate HZ          of the rows that are written (200)
  --candidates N     random motions, the best of which is improved (30)
  --seed N           (1)
  --output FOLDER    (excite_output)
  --check            exit status 1 unless the motion tells more than the random ones and keeps the limits
)";

struct Options {
  bool help = false, check = false;
  std::string robot = CORIO_EXAMPLES_DIR "/models/arm7.urdf", output = "excite_output";
  double period = 10, share = 0.9, rate = 200;
  int harmonics = 5, candidates = 30;
  unsigned seed = 1;
  std::vector<std::string> locked, boxes;
  std::vector<double> velocity, acceleration, effort;
};

Options parse(int argc, char** argv) {
  Options options;
  support::Arguments arguments(argc, argv);
  while (arguments.next()) {
    if (arguments.is("--help") || arguments.is("-h"))
      options.help = true;
    else if (arguments.is("--check"))
      options.check = true;
    else if (arguments.is("--period"))
      options.period = arguments.number(0.1);
    else if (arguments.is("--harmonics"))
      options.harmonics = static_cast<int>(arguments.number(2));
    else if (arguments.is("--share"))
      options.share = arguments.number(0.01);
    else if (arguments.is("--velocity"))
      options.velocity = arguments.numbers(0);
    else if (arguments.is("--acceleration"))
      options.acceleration = arguments.numbers(0);
    else if (arguments.is("--effort"))
      options.effort = arguments.numbers(0);
    else if (arguments.is("--box"))
      options.boxes.push_back(arguments.text());
    else if (arguments.is("--lock"))
      options.locked = arguments.list();
    else if (arguments.is("--rate"))
      options.rate = arguments.number(1);
    else if (arguments.is("--candidates"))
      options.candidates = static_cast<int>(arguments.number(1));
    else if (arguments.is("--seed"))
      options.seed = static_cast<unsigned>(arguments.number(0));
    else if (arguments.is("--output"))
      options.output = arguments.text();
    else if (arguments.name().starts_with("-"))
      throw std::invalid_argument("unknown option " + arguments.name());
    else
      options.robot = arguments.name();
  }
  if (options.share > 1) throw std::invalid_argument("--share is above 1");
  return options;
}

/// Numbers given for all joints or for each.
void set(VectorXd& limit, const std::vector<double>& given, const char* option) {
  if (!given.empty()) limit = support::per_joint(given, limit.size(), option);
}

corio::ExcitationLimits limits_of(const corio::Model<double>& model, const Options& options) {
  corio::ExcitationLimits limits(model);
  for (Eigen::Index i = 0; i < limits.acceleration.size(); ++i)
    if (!std::isfinite(limits.acceleration[i])) limits.acceleration[i] = 10;
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

/// The base parameters that random states excite.
corio::BaseParameters<double> base_of(const corio::Model<double>& model, std::mt19937& generator) {
  corio::Data data(model);
  const int p = corio::num_inertial_parameters(model);
  corio::StreamingLeastSquares<double> rows(p);
  MatrixXd Y(model.nv(), p);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random = [&] { return VectorXd::NullaryExpr(model.nv(), [&] { return uniform(generator); }).eval(); };
  for (int i = 0; i < 3 * p; ++i) {
    const VectorXd q = corio::random_configuration(model, generator), v = random(), a = random();
    corio::inverse_dynamics_regressor(model, data, q, v, a, Y);
    rows.add(Y, VectorXd::Zero(model.nv()));
  }
  return corio::BaseParameters<double>(rows);
}

/// time, then q_JOINT, v_JOINT, a_JOINT of each joint.
void write(const fs::path& file, const corio::Model<double>& model, const corio::FourierMotion& motion, double rate) {
  auto out = support::output(file, 9);
  out << "time";
  for (const char* of : {"q_", "v_", "a_"})
    for (const auto& joint : model.joints()) out << ',' << of << joint.name();
  const int rows = static_cast<int>(std::ceil(motion.period() * rate));
  for (int k = 0; k <= rows; ++k) {
    const double t = std::min(k / rate, motion.period());
    const auto [q, v, a] = motion.at(t);
    out << '\n' << t;
    for (const VectorXd* x : {&q, &v, &a})
      for (const double number : *x) out << ',' << number;
  }
  out << '\n';
}

void print(const char* what, const corio::Excitation& e) {
  std::printf("  %-22s %14.2f %14.0f %10.2f  %s\n", what, e.information, e.condition, e.share, e.tightest.c_str());
}

int run(const Options& options) {
  const auto model = support::load_robot(options.robot, options.locked);
  std::cerr << corio::describe(model.notes());
  const auto limits = limits_of(model, options);
  std::mt19937 generator(options.seed);
  const auto base = base_of(model, generator);
  const int instants = 20 * options.harmonics;

  VectorXd middle = (limits.lower + limits.upper) / 2;
  const VectorXd neutral = corio::neutral(model);
  for (Eigen::Index i = 0; i < middle.size(); ++i)
    if (!std::isfinite(middle[i])) middle[i] = neutral[i];
  std::optional<corio::FourierMotion> start;
  corio::Excitation best{}, worst{};
  double most = 0;  // share of the limits of the start
  for (int i = 0; i < options.candidates; ++i) {
    const auto candidate =
        corio::random_motion<corio::ExcitationLimits>(middle, options.period, options.harmonics, limits, generator);
    const auto e = corio::excitation(model, base, candidate, limits, instants);
    // One within the limits before any beyond them, then by what it tells.
    const bool better =
        !start || (e.share <= 1 && most > 1) || ((e.share <= 1) == (most <= 1) && e.information > best.information);
    if (better) start = candidate, best = e, most = e.share;
    if (i == 0 || e.information < worst.information) worst = e;
  }
  const auto motion = corio::optimize_excitation(model, base, *start, limits, {.share = options.share});
  const auto found = corio::excitation(model, base, motion, limits, 10 * instants);

  std::printf("%s: %d joints, %d base parameters of bodies\n\n", model.name().c_str(), model.nv(), base.size());
  std::printf("  %-22s %14s %14s %10s  %s\n", "motion", "log det", "condition", "share", "tightest limit");
  print("worst random", worst), print("best random", best), print("optimised", found);
  std::printf("\nThe parameters' confidence ellipsoid shrinks by a factor of %.1f in each axis (geometric mean).\n",
              std::exp((found.information - best.information) / (2 * base.size())));

  const fs::path folder = fs::absolute(options.output);
  fs::create_directories(folder);
  write(folder / "motion.csv", model, motion, options.rate);
  write(folder / "random.csv", model, *start, options.rate);
  const bool drawn = support::draw(folder, "excite");
  // Limits hold at the instants; between them a motion may exceed them by what --share leaves.
  const bool good = found.information > best.information && found.share <= 1 && drawn;
  return options.check && !good ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) { return support::with_options("excite", usage, argc, argv, parse, run); }
