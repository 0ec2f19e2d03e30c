#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "from_log.hpp"

namespace identify {

inline constexpr const char* usage = R"(usage: identify_arm [folder] [options]
       identify_arm robot.urdf log.csv [folder] [options]

The first form simulates an arm of seven joints that follows a Fourier series, with noise in torques and motion,
identifies its bodies, and armature, damping, friction and offset of its joints, and predicts the torques of another
trajectory. The second one identifies a robot from what was logged of it, and predicts the end of the log. Data and
figures go into the folder (default identify_arm_output).

  --samples N       how many samples to identify from (20000)
  --rate HZ         samples per second (1000)
  --candidates N    random trajectories of which the best conditioned is taken (40)
  --torque-noise X  standard deviation, as a share of each joint's limit of torque (0.01)
  --write-log       the samples as log.csv, too
  --seed N          of all that is random (1)
  --check           exit status 1 unless all errors are as large as the noise makes them
  --spread X        relative error of the parameters known before, from drawings (0.2)
  --help            this text

Of a log, columns by name or number (from 1 on), one for each joint, with commas between them:
  --time COLUMN     s (time)
  --q COLUMNS       rad (q_JOINT)
  --v COLUMNS       rad/s (v_JOINT if there are; otherwise differences)
  --tau COLUMNS     N m (tau_JOINT)
  --current COLUMNS A, instead of torques
  --torque-constant NUMBERS, --gear NUMBERS   N m/A at the motor, and its turns for one of the joint (1)
  --cutoff HZ       of the low-pass that all signals go through (10)
  --validation X    share of the log, at its end, that is predicted and not identified from (0.25)
)";

struct Options {
  std::string folder = "identify_arm_output";
  std::int64_t samples = 20000;
  double rate = 1000;
  int candidates = 40;
  double torque_noise = 0.01, spread = 0.2;
  std::uint64_t seed = 1;
  bool check = false, help = false, write_log = false;
  LogOptions log{};
};

inline Options parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto text_of = [&]() -> std::string {
      if (i + 1 == argc) throw std::invalid_argument(argument + " needs a value");
      return argv[++i];
    };
    const auto columns = [&] { return split(text_of(), ','); };
    const auto to_number = [&](const std::string& text, double least) {
      char* end = nullptr;
      const double x = std::strtod(text.c_str(), &end);
      if (*end != '\0' || text.empty() || !(x >= least) || x > 1e15)
        throw std::invalid_argument((std::ostringstream() << argument << " needs a number not below " << least).str());
      return x;
    };
    const auto number = [&](double least) { return to_number(text_of(), least); };
    const auto numbers = [&] {
      std::vector<double> all;
      for (const auto& text : columns()) all.push_back(to_number(text, -1e15));
      return all;
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
    else if (argument == "--time")
      options.log.time = text_of();
    else if (argument == "--q")
      options.log.q = columns();
    else if (argument == "--v")
      options.log.v = columns();
    else if (argument == "--tau")
      options.log.tau = columns();
    else if (argument == "--current")
      options.log.current = columns();
    else if (argument == "--torque-constant")
      options.log.torque_constant = numbers();
    else if (argument == "--gear")
      options.log.gear = numbers();
    else if (argument == "--cutoff")
      options.log.cutoff = number(1e-6);
    else if (argument == "--validation")
      options.log.validation = number(0);
    else if (argument == "--write-log")
      options.write_log = true;
    else if (argument == "--check")
      options.check = true;
    else if (argument == "--help" || argument == "-h")
      options.help = true;
    else if (!argument.starts_with("-"))
      names.push_back(argument);
    else
      throw std::invalid_argument("unknown argument " + argument);
  }
  if (!names.empty() && names[0].ends_with(".urdf")) {
    if (names.size() < 2) throw std::invalid_argument("a log is needed beside " + names[0]);
    options.log.robot = names[0], options.log.log = names[1];
    names.erase(names.begin(), names.begin() + 2);
  }
  if (names.size() > 1) throw std::invalid_argument("unknown argument " + names[1]);
  if (!names.empty()) options.folder = names[0];
  return options;
}

}  // namespace identify
