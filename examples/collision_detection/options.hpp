#pragma once

#include <cstdint>

#include "../support/joint_log.hpp"

namespace collision {

inline constexpr const char* usage = R"(usage: collision_detection [folder] [options]
       collision_detection robot.urdf log.csv [folder] [options]

The first form simulates an arm of seven joints with friction that follows a trajectory and is pushed, link by link, and
tells how soon each push is found, and on which link, from noisy measurements and a model that is a little wrong. The
second one looks for collisions in the log of a robot. Data and figures go into the folder (default
collision_detection_output).

  --gain K          of the observer, 1/s, for each joint or one for all (30)
  --quiet S         nothing touches the robot in the first S seconds: from these come noise and errors of the model (5)
  --margin X        thresholds are X times the largest residual of that time ..  (1.5)
  --factor X        .. and X standard deviations of the noise (5) ..
  --standstill V    .. and at standstill the friction of the joint, which falls as 1 - |tanh(v / V)|; 0: without (0.05)
  --damping, --friction, --armature NUMBERS   of the joints, instead of those of the model: N m s, N m, kg m^2
  --seed N          of all that is random (1)
  --write-log       the simulated measurements as log.csv, and what is detected from that file
  --check           exit status 1 unless pushes and links are found as they were
  --help            this text

)";

struct Options {
  std::string folder = "collision_detection_output", robot, log;
  support::LogColumns columns{};
  std::vector<double> gain{30.0}, damping{}, friction{}, armature{};
  double quiet = 5, margin = 1.5, factor = 5, standstill = 0.05;
  std::uint64_t seed = 1;
  bool write_log = false, check = false, help = false;
};

inline Options parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> names;
  for (support::Arguments arguments(argc, argv); arguments.next();) {
    if (options.columns.take(arguments)) continue;
    if (arguments.is("--gain"))
      options.gain = arguments.numbers(1e-6);
    else if (arguments.is("--quiet"))
      options.quiet = arguments.number(0.1);
    else if (arguments.is("--margin"))
      options.margin = arguments.number(0);
    else if (arguments.is("--factor"))
      options.factor = arguments.number(0);
    else if (arguments.is("--standstill"))
      options.standstill = arguments.number(0);
    else if (arguments.is("--damping"))
      options.damping = arguments.numbers(0);
    else if (arguments.is("--friction"))
      options.friction = arguments.numbers(0);
    else if (arguments.is("--armature"))
      options.armature = arguments.numbers(0);
    else if (arguments.is("--seed"))
      options.seed = static_cast<std::uint64_t>(arguments.number(0));
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
    options.robot = names[0], options.log = names[1];
    names.erase(names.begin(), names.begin() + 2);
  }
  if (names.size() > 1) throw std::invalid_argument("unknown argument " + names[1]);
  if (!names.empty()) options.folder = names[0];
  return options;
}

/// The joints named on the command line.
inline void set_joints(corio::Model<double>& model, const Options& options) {
  if (!options.armature.empty()) model.set_armature(support::per_joint(options.armature, model.nv(), "--armature"));
  if (!options.damping.empty()) model.set_damping(support::per_joint(options.damping, model.nv(), "--damping"));
  if (!options.friction.empty()) model.set_friction(support::per_joint(options.friction, model.nv(), "--friction"));
}

}  // namespace collision
