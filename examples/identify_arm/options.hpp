#pragma once

#include <cstdint>
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
  --cutoff HZ       of the low-pass that all signals of a log go through (10)
  --validation X    share of a log, at its end, that is predicted and not identified from (0.25)
  --help            this text

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
  for (support::Arguments arguments(argc, argv); arguments.next();) {
    if (options.log.columns.take(arguments)) continue;
    if (arguments.is("--samples"))
      options.samples = static_cast<std::int64_t>(arguments.number(10));
    else if (arguments.is("--rate"))
      options.rate = arguments.number(1e-3);
    else if (arguments.is("--candidates"))
      options.candidates = static_cast<int>(arguments.number(1));
    else if (arguments.is("--torque-noise"))
      options.torque_noise = arguments.number(1e-6);
    else if (arguments.is("--spread"))
      options.spread = arguments.number(1e-3);
    else if (arguments.is("--seed"))
      options.seed = static_cast<std::uint64_t>(arguments.number(0));
    else if (arguments.is("--cutoff"))
      options.log.cutoff = arguments.number(1e-6);
    else if (arguments.is("--validation"))
      options.log.validation = arguments.number(0);
    else if (arguments.is("--write-log"))
      options.write_log = true;
    else if (arguments.is("--check"))
      options.check = true;
    else if (arguments.is("--help") || arguments.is("-h"))
      options.help = true;
    else if (!arguments.name().starts_with("-"))
      names.push_back(arguments.name());
    else
      throw std::invalid_argument("unknown argument " + arguments.name());
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
