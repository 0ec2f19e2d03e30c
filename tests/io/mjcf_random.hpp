#pragma once

#include <array>
#include <random>
#include <string>

/// MJCF files for random trees.
namespace corio::test {

/// Has every joint type, several joints in a body, five kinds of orientation, geoms and given inertias, nested classes.
class RandomMjcf {
 public:
  /// @param oblique  bodies of several geoms, whose principal axes of inertia have to be found
  RandomMjcf(unsigned seed, bool oblique) : random_(seed), oblique_(oblique) {}

  std::string text() {
    const std::string angle = chance(2) ? "degree" : "radian";
    unit_ = angle == "degree" ? 180 : 3;
    std::string sequence;
    for (int i = 0; i < 3; ++i) sequence += "xyzXYZ"[below(6)];
    std::string all = "<mujoco><compiler autolimits=\"true\" angle=\"" + angle + "\" eulerseq=\"" + sequence + "\"";
    if (chance(4)) all += " settotalmass=\"12\"";
    if (chance(4)) all += " boundmass=\"0.5\" boundinertia=\"0.1\"";
    if (chance(4)) all += " inertiafromgeom=\"true\"";
    all += "/>\n<option gravity=\"" + numbers(3) + "\"/>\n<default><joint" + terms() + "/><geom" + shape() +
           " density=\"300\"/>\n<default class=\"one\"><joint" + terms() +
           "/><default class=\"two\"><joint axis=\"1 0 0.5\"" + terms() + "/><geom" + shape() +
           "/></default></default></default>\n<worldbody>\n";
    bodies_ = 3 + below(8);
    while (bodies_ > 0) all += body(0);
    return all + "</worldbody></mujoco>\n";
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int in) { return below(in) == 0; }
  std::string number(double size = 1) {
    return std::to_string(size * (static_cast<double>(random_()) / 2147483648.0 - 1.0));
  }
  std::string positive() { return std::to_string(0.1 + static_cast<double>(random_()) / 4294967296.0); }
  std::string numbers(int n, double size = 1) {
    std::string all;
    for (int i = 0; i < n; ++i) all += (i > 0 ? " " : "") + number(size);
    return all;
  }
  std::string attribute(const std::string& key, const std::string& value) { return " " + key + "=\"" + value + "\""; }

  std::string pose() {
    std::string all = chance(3) ? "" : attribute("pos", numbers(3));
    switch (below(6)) {
      case 0: return all + attribute("quat", numbers(4));
      case 1: return all + attribute("axisangle", numbers(3) + " " + number(unit_));
      case 2: return all + attribute("xyaxes", numbers(6));
      case 3: return all + attribute("zaxis", numbers(3));
      case 4: return all + attribute("euler", numbers(3, unit_));
      default: return all;
    }
  }
  std::string terms() {
    std::string all;
    for (const char* key : {"damping", "stiffness", "armature", "frictionloss"})
      if (chance(3)) all += attribute(key, positive());
    if (chance(3)) all += attribute("springref", number());
    if (chance(3)) all += attribute("ref", number());
    return all;
  }
  std::string shape() {
    constexpr std::array types = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
    return attribute("type", types[static_cast<std::size_t>(below(5))]) +
           attribute("size", positive() + " " + positive() + " " + positive());
  }
  std::string of_class() { return chance(2) ? "" : attribute("class", chance(2) ? "one" : "two"); }

  std::string joint(const std::string& type) {
    std::string all = "<joint" + of_class() + attribute("type", type) + attribute("pos", numbers(3)) +
                      attribute("axis", numbers(3)) + (chance(3) ? terms() : "");
    if (chance(3)) all += attribute("name", "j" + std::to_string(joints_++));
    if (chance(3)) all += attribute("range", chance(2) && type != "ball" ? "-0.5 1.25" : "0 1.5");
    return all + "/>";
  }
  std::string joints(int depth) {
    if (depth == 0 && chance(3)) return "<freejoint/>";
    std::string all;
    for (int k = below(4); k > 0; --k) all += joint(chance(2) ? "hinge" : "slide");
    if (chance(4)) all += joint("ball");
    return all;
  }
  std::string body(int depth) {
    --bodies_;
    std::string all = "<body" + pose();
    if (chance(2)) all += attribute("name", "b" + std::to_string(bodies_));
    if (chance(4)) all += attribute("childclass", chance(2) ? "one" : "two");
    all += ">\n" + joints(depth);
    if (chance(2)) all += "<inertial mass=\"" + positive() + "\" diaginertia=\"0.2 0.3 0.4\"" + inertial_pose() + "/>";
    for (int k = oblique_ ? 1 + below(2) : 1; k > 0; --k)
      all += "<geom" + of_class() + (chance(2) ? shape() : "") + (chance(3) ? attribute("mass", positive()) : "") +
             pose() + "/>";
    if (chance(2)) all += "<site" + attribute("name", "s" + std::to_string(bodies_)) + pose() + "/>";
    while (bodies_ > 0 && depth < 5 && !chance(3)) all += body(depth + 1);
    return all + "</body>\n";
  }
  std::string inertial_pose() {
    const std::string found = pose();
    return found.find("pos=") == found.npos ? attribute("pos", numbers(3)) + found : found;
  }

  std::mt19937 random_;
  bool oblique_;
  double unit_ = 1;
  int bodies_ = 0, joints_ = 0;
};

inline std::string random_mjcf(unsigned seed, bool oblique) { return RandomMjcf(seed, oblique).text(); }

}  // namespace corio::test
