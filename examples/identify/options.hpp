#pragma once

#include <algorithm>
#include <corio/identification/friction_fit.hpp>
#include <filesystem>

#include "../support/joint_log.hpp"

namespace identify {

inline constexpr const char* usage = R"(usage: identify robot.urdf|robot.xml log.csv .. [folder] [options]
       identify robot.urdf|robot.xml --log a.csv --log b.csv --validate c.csv [folder] [options]
       identify [folder] [--seed N] [--check]

Identifies the bodies and joints of a robot from recordings: times, positions and motor torques or currents, as tables.
Writes base parameters with standard deviations, physically consistent parameters, the robot with them as
identified.urdf, and a page with figures, identify.html, into the folder (default identify_output). The third form makes
such recordings of a simulated arm first, and compares the result with it.

  --log FILE        a recording to identify from; may be repeated. Signals in files of their own that have the same
                    rows: positions.csv,efforts.csv
  --validate FILE   a recording to predict; may be repeated. Without it, the last part of each log:
  --validation X    that share (0.25)
  --lock NAMES      joints that were fixed, with commas between them: where the model has its neutral configuration
  --gravity X,Y,Z   m/s^2 in axes of the robot's base, for one that does not stand as its file has it
  --payload-of FRAME  the robot is held as the model and friction.csv beside its file have it; a payload fixed to a link
                    or frame is estimated, and changes of the joints' offsets
  --drive-gains NUMBERS   N m/A at the joint for each --current, one for each joint; or:
  --drive-gains estimate  .. found with --loaded FILE, a recording with a payload on --payload-of LINK of which
  --payload NUMBERS       .. the mass is known, mass and centre of mass, or all: m,cx,cy,cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz

  --mend COLUMNS    change what the check of the recordings proposes for these columns, with commas; or all
  --begin S, --end S   the time that is used of every recording, from its first row on
  --cutoff HZ       of the zero-phase low-pass of all signals (10)
  --idle X          a joint that is slower is at rest, where friction is not known: its torque is not fitted, and begin
                    and end are cut in which all joints are at rest (0.01 rad/s or m/s; 0: everything is fitted)
  --shift S         torques were recorded so much later than positions (0); a delay that remains is printed
  --friction FORM   linear, asymmetric or stribeck (linear)
  --smoothing X     rad/s of tanh(v / smoothing) (found among 0.005 to 0.2)
  --spread X        relative error of the bodies of the model (0.2, or more if base parameters alone predict far better)
  --seed N          of the simulation (1)
  --check           exit status 1 unless the simulated arm is found to the accuracy that is printed
  --help            this text

)";

struct Options {
  std::string robot, folder = "identify_output", payload_of, loaded, command = "identify";
  std::vector<std::string> logs{}, validate{}, lock{}, mend{};
  support::LogColumns columns{};
  std::vector<double> payload{}, gravity{};
  double begin = 0, end = std::numeric_limits<double>::infinity(), validation = 0.25, cutoff = 10, idle = 0.01,
         shift = 0, smoothing = 0, spread = 0.2;
  corio::FrictionForm friction = corio::FrictionForm::linear;
  std::uint64_t seed = 1;
  bool find_gains = false, check = false, help = false;
};

inline corio::FrictionForm friction_form(const std::string& name) {
  if (name == "linear") return corio::FrictionForm::linear;
  if (name == "asymmetric") return corio::FrictionForm::asymmetric;
  if (name == "stribeck") return corio::FrictionForm::stribeck;
  throw std::invalid_argument("--friction needs linear, asymmetric or stribeck");
}

inline Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) options.command += std::string(" ") + argv[i];
  std::vector<std::string> names;
  for (support::Arguments arguments(argc, argv); arguments.next();) {
    auto& o = options;
    if (o.columns.take(arguments) || arguments.add("--log", o.logs) || arguments.add("--validate", o.validate) ||
        arguments.set("--validation", o.validation, 0) || arguments.set("--lock", o.lock) ||
        arguments.set("--mend", o.mend) || arguments.set("--gravity", o.gravity) ||
        arguments.set("--begin", o.begin, 0) || arguments.set("--end", o.end, 0) ||
        arguments.set("--payload-of", o.payload_of) || arguments.set("--payload", o.payload) ||
        arguments.set("--loaded", o.loaded) || arguments.set("--cutoff", o.cutoff, 1e-6) ||
        arguments.set("--idle", o.idle, 0) || arguments.set("--shift", o.shift, -10) ||
        arguments.set("--smoothing", o.smoothing, 1e-6) || arguments.set("--spread", o.spread, 1e-3) ||
        arguments.set("--seed", o.seed, 0) || arguments.set("--check", o.check) || arguments.set("--help", o.help) ||
        arguments.set("-h", o.help))
      continue;
    if (arguments.is("--drive-gains")) {
      const auto given = arguments.list();
      options.find_gains = given == std::vector<std::string>{"estimate"};
      for (const auto& one : given)
        if (const auto x = corio::detail::parse_number(one); x && *x > 0)
          options.columns.torque_constant.push_back(*x);
        else if (!options.find_gains)
          throw std::invalid_argument("--drive-gains needs positive numbers, or estimate");
    } else if (arguments.is("--friction"))
      options.friction = friction_form(arguments.text());
    else if (!arguments.name().starts_with("-"))
      names.push_back(arguments.name());
    else
      throw std::invalid_argument("unknown argument " + arguments.name());
  }
  const auto robot = std::ranges::find_if(names, [](const std::string& name) {
    return name.ends_with(".urdf") || name.ends_with(".xml") || name.ends_with(".xacro");
  });
  const auto is_file = [](const std::string& name) {
    return std::filesystem::is_regular_file(name.substr(0, name.find(',')));
  };
  if (robot != names.end()) {
    options.robot = *robot;
    names.erase(robot);
    while (!names.empty() && (options.logs.empty() || is_file(names[0]))) {
      options.logs.push_back(names[0]);
      names.erase(names.begin());
    }
    if (options.logs.empty()) throw std::invalid_argument("a log is needed beside " + options.robot);
  } else if (!options.logs.empty() || std::ranges::any_of(names, is_file))
    throw std::invalid_argument("a robot is needed beside the log, robot.urdf or robot.xml");
  if (options.find_gains &&
      (options.loaded.empty() || options.payload_of.empty() || options.columns.current.empty() ||
       (options.payload.size() != 1 && options.payload.size() != 4 && options.payload.size() != 10)))
    throw std::invalid_argument(
        "--drive-gains estimate needs --current, --loaded, --payload-of, and --payload with 1, 4 or 10 numbers: "
        "without a known payload the scale of all torques is not identifiable");
  if (options.find_gains) options.columns.torque_constant = {1};
  if (options.columns.gear.size() > 1 && options.find_gains) throw std::invalid_argument("--gear is part of the gains");
  if (names.size() > 1) throw std::invalid_argument("unknown argument, or file that does not exist, " + names[1]);
  if (!names.empty()) options.folder = names[0];
  return options;
}

}  // namespace identify
