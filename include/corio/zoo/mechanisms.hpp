#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "corio/zoo/zoo.hpp"

/// Generated mechanisms with closed loops, gears and couplings, for tests, benchmarks and examples: trees with loops
/// (Model::loops()), from which a Mechanism is made. All loops are closed in the neutral configuration; the axes of all
/// bodies are then parallel to the world's.
namespace corio { inline namespace CORIO_ABI { namespace zoo {
namespace detail {

/// Builds bodies and frames from their positions in the world at the neutral q.
class Linkage {
 public:
  explicit Linkage(const std::string& name) : builder(name) { places_[""] = zero3<double>(); }

  void add(const std::string& name, const std::string& parent, const joint::JointSpec<double>& joint,
           const Vector3<double>& at, const InertialParameters<double>& inertia) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .placement = {identity3<double>(), at - places_.at(parent)},
                      .inertia = inertia});
    places_[name] = at;
  }
  /// Adds a rod between two points, on a joint at the first one.
  /// @param thickness  the side of its square cross section over its length
  void add_rod(const std::string& name, const std::string& parent, const joint::JointSpec<double>& joint,
               const Vector3<double>& from, const Vector3<double>& to, double mass, double thickness = 0.01) {
    const Vector3<double> d = to - from;
    const double along = dot(d, d) * thickness * thickness / 6, across = dot(d, d) / 12 + along / 2;
    Matrix3<double> inertia = diagonal3(across);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) inertia(i, j) += (along - across) * d[i] * d[j] / dot(d, d);
    add(name, parent, joint, from, {mass, 0.5 * d, mass * inertia});
  }
  /// Adds a rotor on a parent, coupled to `driven`.
  void add_rotor(const std::string& name, const std::string& parent, const joint::JointSpec<double>& joint,
                 const Vector3<double>& at, double inertia, std::vector<CouplingTerm> driven) {
    add(name, parent, joint, at, {0.2, zero3<double>(), diagonal3(inertia)});
    for (auto& term : driven) term.factor = -term.factor;
    driven.insert(driven.begin(), {name + "_joint", 1.0});
    builder.couple(name + "_gear", std::move(driven), 0.0, {name + "_joint"});
  }
  template <class Closure>
  void close(const std::string& name, const std::string& first, const std::string& second, const Vector3<double>& at,
             const Closure& closure, std::vector<std::string> dependent) {
    int side = 0;
    for (const auto& body : {first, second})
      builder.add_frame(name + (side++ == 0 ? "_first" : "_second"), body,
                        {identity3<double>(), at - places_.at(body)});
    builder.close_loop(name, name + "_first", name + "_second", closure, std::move(dependent));
  }

  ModelBuilder<double> builder;

 private:
  std::map<std::string, Vector3<double>> places_;
};

}  // namespace detail

/// Returns a tree of n links; each carries up to `branching` others. Each joint has a rotor on the link before it,
/// about the axis of the joint and with `ratio` times its speed. The tree has 2 n degrees of freedom, of which n are
/// independent.
template <class S = double>
Model<S> geared_tree(int n, int branching, double ratio = 100.0, const std::string& name = "geared_tree") {
  if (n <= 0 || branching <= 0)
    detail::fail({"geared trees need at least one link, and a branching factor of at least one"});
  detail::Linkage tree(name + std::to_string(n));
  const auto link = [](int i) { return "link" + std::to_string(i + 1); };
  for (int i = 0; i < n; ++i) {
    const std::string parent = i == 0 ? "" : link((i - 1) / branching);
    const Vector3<double> at(0, 0, 0.3 * i);
    const joint::JointSpec<double> joint = i % 2 == 0 ? joint::Revolute::z() : joint::Revolute::y();
    tree.add(link(i), parent, joint, at, detail::link());
    tree.add_rotor("rotor" + std::to_string(i + 1), parent, joint, at + Vector3<double>(0.03, 0.02, -0.05), 2e-5,
                   {{link(i) + "_joint", ratio}});
  }
  return detail::finish<S>(tree.builder);
}
/// Returns geared_tree as a chain.
template <class S = double>
Model<S> geared_arm(int n = 7, double ratio = 100.0) {
  return geared_tree<S>(n, 1, ratio, "geared_arm");
}

/// Returns a leg with hip and knee, the knee driven through a four-bar linkage by a crank at the hip. The trunk moves
/// along z on a rail. The tree has 5 degrees of freedom; trunk, hip and crank are independent.
template <class S = double>
Model<S> four_bar_leg() {
  detail::Linkage leg("four_bar_leg");
  const auto about_y = joint::Revolute::y();
  const Vector3<double> hip(0, 0, 1), knee(0.05, 0, 0.6), pin(-0.04, 0, 0.57), crank_tip(-0.08, 0, 0.98);
  leg.add("trunk", "", joint::Prismatic::z(), hip, detail::box(8.0, {0.3, 0.2, 0.2}, {0, 0, 0.1}));
  leg.add("thigh", "trunk", about_y, hip, detail::box(2.0, {0.08, 0.06, 0.4}, {0.02, 0, -0.2}));
  leg.add("shank", "thigh", about_y, knee, detail::box(1.0, {0.05, 0.05, 0.5}, {0, 0, -0.2}));
  leg.add_rod("crank", "thigh", about_y, hip, crank_tip, 0.2);
  leg.add_rod("rod", "crank", about_y, crank_tip, pin, 0.3);
  leg.close("knee_linkage", "rod", "shank", pin, closure::Revolute{{0, 1, 0}}, {"shank_joint", "rod_joint"});
  leg.builder.add_frame("foot", "shank", {identity3<double>(), {-0.05, 0, -0.5}});
  return detail::finish<S>(leg.builder);
}

/// A differential wrist: two rotors on the forearm drive pitch and roll through bevel gears, with speeds `ratio` times
/// pitch + roll and pitch - roll.
template <class S = double>
Model<S> differential_wrist(double ratio = 20.0) {
  detail::Linkage wrist("differential_wrist");
  wrist.add("forearm", "", joint::Revolute::z(), {0, 0, 0}, detail::link());
  wrist.add("pitch", "forearm", joint::Revolute::y(), {0, 0, 0.3}, detail::box(0.5, {0.05, 0.1, 0.05}, {0, 0, 0.01}));
  wrist.add("roll", "pitch", joint::Revolute::z(), {0, 0, 0.35}, detail::box(0.8, {0.1, 0.06, 0.2}, {0.02, 0.01, 0.1}));
  wrist.add_rotor("left", "forearm", joint::Revolute::y(), {0.02, 0.05, 0.1}, 3e-5,
                  {{"pitch_joint", ratio}, {"roll_joint", ratio}});
  wrist.add_rotor("right", "forearm", joint::Revolute::y(), {0.02, -0.05, 0.1}, 3e-5,
                  {{"pitch_joint", ratio}, {"roll_joint", -ratio}});
  return detail::finish<S>(wrist.builder);
}

/// A biped with six degrees of freedom per leg: hip yaw, roll and pitch, a knee driven by a four-bar linkage, and an
/// ankle driven by two cranks on the shank through rods with ball joints. 34 degrees of freedom in the tree, 18
/// independent: the floating base, the hips, and the cranks of knees and ankles.
template <class S = double>
Model<S> parallel_biped() {
  detail::Linkage biped("parallel_biped");
  const auto x = joint::Revolute::x(), y = joint::Revolute::y(), z = joint::Revolute::z();
  using V = Vector3<double>;
  biped.add("pelvis", "", joint::FreeFlyer(), {0, 0, 0}, detail::box(10.0, {0.2, 0.3, 0.4}, {0, 0, 0.15}));
  for (const std::string side : {"left_", "right_"}) {
    const double s = side == "left_" ? 1.0 : -1.0;
    const auto point = [s](double px, double py, double pz) { return V(px, s * (0.1 + py), pz); };
    const auto name = [&](const char* part) { return side + part; };
    biped.add(name("yaw"), "pelvis", z, point(0, 0, -0.05), detail::box(0.8, {0.1, 0.1, 0.1}, {0, 0, -0.02}));
    biped.add(name("roll"), name("yaw"), x, point(0, 0, -0.1), detail::box(0.8, {0.1, 0.1, 0.1}, {0, 0, 0}));
    biped.add(name("thigh"), name("roll"), y, point(0, 0, -0.1), detail::box(3.0, {0.1, 0.1, 0.4}, {0, 0, -0.2}));
    biped.add(name("shank"), name("thigh"), y, point(0.04, 0, -0.5), detail::box(2.0, {0.08, 0.08, 0.4}, {0, 0, -0.2}));
    const V crank = point(-0.07, 0.02, -0.12), pin = point(-0.04, 0.02, -0.51);
    biped.add_rod(name("knee_crank"), name("thigh"), y, point(0, 0.02, -0.1), crank, 0.2);
    biped.add_rod(name("knee_rod"), name("knee_crank"), y, crank, pin, 0.2);
    biped.close(name("knee"), name("knee_rod"), name("shank"), pin, closure::Revolute{{0, 1, 0}},
                {name("shank_joint"), name("knee_rod_joint")});
    biped.add(name("foot"), name("shank"), joint::Universal({1, 0, 0}, {0, 1, 0}), point(0.04, 0, -0.9),
              detail::box(0.8, {0.2, 0.1, 0.05}, {0.03, 0, -0.04}));
    for (const double e : {1.0, -1.0}) {
      const auto part = [&](const char* what) { return side + (e > 0 ? "outer_" : "inner_") + what; };
      const double out = 0.05 * e;
      const V tip = point(-0.05, out, -0.62), heel = point(-0.05, out, -0.91);
      biped.add_rod(part("crank"), name("shank"), y, point(0.03, out, -0.6), tip, 0.1);
      biped.add_rod(part("rod"), part("crank"), joint::Universal({1, 0, 0}, {0, 1, 0}), tip, heel, 0.1);
      biped.close(part("ankle"), part("rod"), name("foot"), heel, closure::Spherical{},
                  {part("rod_joint"), name("foot_joint")});
    }
  }
  return detail::finish<S>(biped.builder);
}

/// A delta robot: three driven arms at the corners of a triangle, and massless rods from their ends to a platform. In a
/// real delta robot parallelograms keep the platform from rotating; here its joint is a translation. 6 degrees of
/// freedom in the tree, 3 independent.
template <class S = double>
Model<S> delta_robot() {
  detail::Linkage delta("delta_robot");
  const Vector3<double> center(0, 0, -0.6);
  delta.add("platform", "", joint::Translation(), center, detail::box(0.5, {0.1, 0.1, 0.02}, {0, 0, 0}));
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * i * std::numbers::pi / 3.0, c = std::cos(angle), s = std::sin(angle);
    const std::string n = std::to_string(i + 1);
    const Vector3<double> radial(c, s, 0), shoulder = 0.2 * radial, elbow = 0.4 * radial + Vector3<double>(0, 0, -0.1),
                                           corner = center + 0.05 * radial, rod = elbow - corner;
    delta.add_rod("arm" + n, "", joint::Revolute({-s, c, 0}), shoulder, elbow, 0.4);
    for (const auto& [frame, body, at] : {std::tuple("elbow" + n, "arm" + n, elbow - shoulder),
                                          std::tuple("corner" + n, std::string("platform"), corner - center)})
      delta.builder.add_frame(frame, body, {identity3<double>(), at});
    delta.builder.close_loop("rod" + n, "elbow" + n, "corner" + n, closure::Distance{std::sqrt(dot(rod, rod))},
                             {"platform_joint"});
  }
  return detail::finish<S>(delta.builder);
}

/// A Stewart platform: six legs, each a universal joint on the ground, a slider and a ball joint under the platform. 24
/// degrees of freedom in the tree; the six sliders are independent.
template <class S = double>
Model<S> stewart_platform() {
  detail::Linkage stewart("stewart_platform");
  const Vector3<double> center(0, 0, 0.8);
  stewart.add("platform", "", joint::FreeFlyer(), {0, 0, 0}, detail::box(5.0, {0.5, 0.5, 0.05}, center));
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i + 1);
    const double third = std::numbers::pi / 3.0, sign = i % 2 == 0 ? 1.0 : -1.0;
    const auto on_circle = [](double radius, double angle) {
      return Vector3<double>(radius * std::cos(angle), radius * std::sin(angle), 0.0);
    };
    // Pairs of legs meet alternately at the ground and at the platform.
    const int pair = 2 * (i / 2);
    const Vector3<double> foot = on_circle(0.6, pair * third + 0.9 * sign * third / 2 + third / 2);
    const Vector3<double> head = center + on_circle(0.35, pair * third + 0.2 * sign * third / 2 + third / 2);
    const Vector3<double> half = 0.5 * (foot + head);
    stewart.add_rod("lower" + n, "", joint::Universal({1, 0, 0}, {0, 1, 0}), foot, half, 0.5);
    stewart.add_rod("upper" + n, "lower" + n, joint::Prismatic(head - foot), half, head, 0.3);
    stewart.close("leg" + n, "upper" + n, "platform", head, closure::Spherical{},
                  {"lower" + n + "_joint", "platform_joint"});
  }
  return detail::finish<S>(stewart.builder);
}

/// Bricard's loop of six rods of unit length and mass along the edges of a cube, 0.1 m thick, each hinge perpendicular
/// to both of its rods. It has 6 - 6 degrees of freedom by counting but moves with one: an overconstrained benchmark of
/// the IFToMM. The first rod is the ground and carries the others; gravity is along y. The second hinge is independent,
/// since the first hinge reverses during the motion.
template <class S = double>
Model<S> bricard_loop() {
  detail::Linkage bricard("bricard_loop");
  const Vector3<double> corner[] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
  const Vector3<double> axis[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  std::string parent;
  std::vector<std::string> dependent;
  for (int i = 0; i < 5; ++i) {
    const std::string rod = "rod" + std::to_string(i + 1);
    bricard.add_rod(rod, parent, joint::Revolute(axis[i]), corner[i], corner[i + 1], 1.0, 0.1);
    if (i != 1) dependent.push_back(rod + "_joint");
    parent = rod;
  }
  bricard.close("last_hinge", parent, "", corner[5], closure::Revolute{axis[5]}, dependent);
  bricard.builder.set_gravity({0, 9.81, 0});
  return detail::finish<S>(bricard.builder);
}

}}}  // namespace corio::zoo
