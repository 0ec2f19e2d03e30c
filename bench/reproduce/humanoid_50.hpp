#pragma once

#include <stdexcept>

#include "corio/model/edit.hpp"
#include "corio/zoo/zoo.hpp"

namespace paper {

/// The humanoid of the zoo with two hands of seven joints, a thumb of three and two fingers of two: 50 degrees of
/// freedom, as many as the robot of Figure 5 of Singh, Russell and Wensing (2022) has.
inline corio::Model<double> humanoid_50() {
  using corio::zoo::detail::add_link;
  corio::ModelBuilder<double> builder("hand");
  enum { roll, pitch };
  const auto phalanx = corio::zoo::detail::box(0.05, {0.02, 0.02, 0.04}, {0, 0, -0.02});
  const auto add = [&](const std::string& name, const corio::Parent& parent, int axis, double x, double y, double z) {
    add_link(builder, name + "_link", parent, axis, {x, y, z}, phalanx, name);
  };
  add("thumb_1", {}, roll, 0.03, 0, 0.02), add("thumb_2", "thumb_1_link", pitch, 0, 0, -0.03);
  add("thumb_3", "thumb_2_link", pitch, 0, 0, -0.04);
  add("index_1", {}, pitch, 0, 0.03, -0.06), add("index_2", "index_1_link", pitch, 0, 0, -0.04);
  add("middle_1", {}, pitch, 0, -0.03, -0.06), add("middle_2", "middle_1_link", pitch, 0, 0, -0.04);
  const auto hand = builder.build();
  auto robot = corio::zoo::humanoid();
  for (const std::string side : {"left_", "right_"}) robot = corio::attach(robot, side + "palm", hand, side);
  if (robot.nv() != 50) throw std::logic_error("the humanoid has lost its 50 degrees of freedom");
  return robot;
}

/// The robots of Figure 5, each on a floating base; the keys name them in files.
struct FloatingRobot {
  const char *key, *title;
  corio::Model<double> (*make)();
};
inline constexpr FloatingRobot floating_robots[] = {
    {"biped", "biped, 26", [] { return corio::zoo::biped(); }},
    {"quadruped", "quadruped, 26", [] { return corio::zoo::quadruped(); }},
    {"humanoid", "humanoid, 36", [] { return corio::zoo::humanoid(); }},
    {"humanoid_50", "humanoid, 50", humanoid_50}};

}  // namespace paper
