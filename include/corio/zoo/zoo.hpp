#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/model/builder.hpp"

/// Generated models for tests, benchmarks and examples. Each is built in double and then cast to S, so that models over
/// two scalars differ by rounding only. All functions are templates, even if they depend on no type, so that only
/// programs that use them compile them.
namespace corio { inline namespace CORIO_ABI { namespace zoo {

namespace detail {

template <class S>
Model<S> finish(const ModelBuilder<double>& builder) {
  if constexpr (std::is_same_v<S, double>)
    return builder.build();
  else
    return builder.build().template cast<S>();
}

[[noreturn, gnu::cold]] inline void fail(std::initializer_list<std::string_view> what) {
  throw ModelError(corio::detail::join({"zoo: ", corio::detail::join(what)}));
}

/// Returns the inertia of a uniform box with edges `size` along the axes of its body.
template <class D = double>
InertialParameters<D> box(double mass, const Vector3<double>& size, const Vector3<double>& center) {
  const double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2], s = mass / 12;
  return {mass, center, Symmetric3<double>{s * (y + z), s * (x + z), s * (x + y), 0, 0, 0}.matrix()};
}

/// Returns the inertia of a link 0.3 m long in z, off centre so that no product of inertia vanishes in its joint's
/// frame.
template <class D = double>
InertialParameters<D> link() {
  return box(2.0, {0.1, 0.08, 0.3}, {0.02, 0.01, 0.15});
}

/// Adds a body on a revolute joint.
/// @param axis  0, 1 or 2 for x, y or z
template <class D = double>
BodyHandle add_link(ModelBuilder<D>& builder, const std::string& name, const Parent& parent, int axis,
                    const Vector3<double>& position, const InertialParameters<D>& inertia,
                    const std::string& joint_name = "") {
  return builder.add_body({.name = name,
                           .parent = parent,
                           .joint = joint::Revolute(unit3<double>(axis)),
                           .placement = {identity3<D>(), position},
                           .inertia = inertia,
                           .joint_name = joint_name});
}

/// Adds a floating base.
template <class D = double>
void add_base(ModelBuilder<D>& builder, const std::string& name, const InertialParameters<D>& inertia) {
  builder.add_body({.name = name, .joint = joint::FreeFlyer{}, .inertia = inertia, .joint_name = "root_joint"});
}

struct Leg {
  const char* name;
  Vector3<double> hip;
};

/// Adds a floating trunk with legs, all of the same number of links, and a frame "<leg>_foot" at the end of each.
template <class S, class D = double>
Model<S> legged(const char* name, int actuated, const InertialParameters<D>& trunk, std::initializer_list<Leg> legs) {
  const int count = static_cast<int>(legs.size()), per_leg = actuated / count;
  if (actuated <= 0 || actuated % count != 0)
    fail({name, " with ", corio::detail::Digits(actuated),
          " actuated degrees of freedom: must be a positive multiple of ", corio::detail::Digits(count)});
  const double length = 0.9 / per_leg;
  ModelBuilder<D> builder(name);
  add_base(builder, "trunk", trunk);
  for (const auto& [leg, hip] : legs) {
    Parent parent = "trunk";
    for (int i = 0; i < per_leg; ++i)
      parent = add_link(builder, corio::detail::join({leg, "_leg", corio::detail::Digits(i + 1)}), parent, i % 3,
                        i == 0 ? hip : Vector3<double>{0.02, 0, -length},
                        box(10.0 / per_leg, {0.1, 0.08, length}, {0.01, 0, -length / 2}));
    builder.add_frame(corio::detail::join({leg, "_foot"}), parent, {identity3<D>(), {0.01, 0, -length}});
  }
  return finish<S>(builder);
}

}  // namespace detail

/// n revolute joints in series, axes x, y, z in turn, on the ground: bodies "link1" .. "link<n>".
template <class S = double>
Model<S> serial_chain(int n) {
  if (n <= 0) detail::fail({"serial_chain needs at least one joint"});
  ModelBuilder<double> builder("serial_chain");
  Parent parent;
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i + 1);
    const auto position = i == 0 ? zero3<double>() : Vector3<double>{0.05, 0.03, 0.3};
    parent = detail::add_link(builder, "link" + number, parent, i % 3, position, detail::link(), "joint" + number);
  }
  return detail::finish<S>(builder);
}

/// n bodies "body0" .. "body<n-1>" on revolute joints: the parent of body i > 0 is body (i - 1) / branching.
template <class S = double>
Model<S> tree(int n, int branching) {
  if (n <= 0 || branching <= 0) detail::fail({"tree needs at least one body and a branching factor of at least one"});
  ModelBuilder<double> builder(branching == 2 ? "binary_tree" : "tree");
  PerBody<int> axis(1, 2);
  detail::add_link(builder, "body0", Parent(), axis[0], zero3<double>(), detail::link());
  for (int i = 1; i < n; ++i) {
    const int above = (i - 1) / branching, sibling = (i - 1) % branching;
    axis.push_back((axis[above] + 1 + sibling % 2) % 3);  // differs from the parent's axis
    detail::add_link(builder, "body" + std::to_string(i), "body" + std::to_string(above), axis[i],
                     {0.05, 0.2 * (sibling + 1 - 0.5 * branching), 0.3}, detail::link());
  }
  return detail::finish<S>(builder);
}

/// Returns tree(n, 2), of depth log2(n).
template <class S = double>
Model<S> binary_tree(int n) {
  return tree<S>(n, 2);
}

/// Floating "trunk" (joint "root_joint") and two legs in series of actuated / 2 revolute joints each, "left_leg1" down
/// to "left_leg<k>" and "right_...": nv = 6 + actuated. Frames "left_foot" and "right_foot". The topology of Echeandia
/// and Wensing (2021), Fig. 4 and Table 1.
template <class S = double>
Model<S> biped(int actuated = 20) {
  const auto trunk = detail::box(30, {0.2, 0.35, 0.5}, {0.01, 0.0, 0.05});
  return detail::legged<S>("biped", actuated, trunk, {{"left", {0, 0.12, -0.25}}, {"right", {0, -0.12, -0.25}}});
}

/// Floating "trunk" with four legs of actuated / 4 joints: "front_left", "front_right", "hind_left", "hind_right",
/// bodies "front_left_leg1" and so on, frames "front_left_foot" and so on.
template <class S = double>
Model<S> quadruped(int actuated = 20) {
  const auto trunk = detail::box(30, {0.7, 0.3, 0.2}, {0.02, 0.0, 0.01});
  return detail::legged<S>("quadruped", actuated, trunk,
                           {{"front_left", {0.3, 0.15, 0}},
                            {"front_right", {0.3, -0.15, 0}},
                            {"hind_left", {-0.3, 0.15, 0}},
                            {"hind_right", {-0.3, -0.15, 0}}});
}

/// Floating "pelvis" (joint "root_joint") and 30 revolute joints, nv = 36: waist 2, neck 2, twice 6 in the legs (hip
/// yaw, roll, pitch, knee, ankle pitch, roll) and 7 in the arms (shoulder pitch, roll, yaw, elbow, wrist yaw, pitch,
/// roll). Joints are named "left_hip_yaw", the bodies they carry "left_hip_yaw_link"; frames "left_sole", "left_palm",
/// "eyes".
template <class S = double>
Model<S> humanoid() {
  enum { roll, pitch, yaw };
  struct Link {
    const char *parent, *joint;
    int axis;
    double offset[3], mass, size[3], center[3];
  };
  // The links of the trunk, then of the left limbs.
  static constexpr Link trunk[] = {
      {"pelvis", "waist_yaw", yaw, {0, 0, 0.1}, 1.5, {0.12, 0.12, 0.06}, {0, 0, 0.02}},
      {"waist_yaw_link", "waist_pitch", pitch, {0, 0, 0.05}, 18.0, {0.22, 0.32, 0.42}, {0.01, 0, 0.2}},
      {"waist_pitch_link", "neck_yaw", yaw, {0, 0, 0.42}, 0.8, {0.08, 0.08, 0.08}, {0, 0, 0.04}},
      {"neck_yaw_link", "neck_pitch", pitch, {0, 0, 0.08}, 4.0, {0.18, 0.15, 0.22}, {0.02, 0, 0.1}},
  };
  // The limbs of the left side, with y to the left. The parent of a link is the link before it unless given.
  static constexpr Link limbs[] = {
      {"pelvis", "hip_yaw", yaw, {0, 0.1, -0.06}, 1.2, {0.1, 0.1, 0.08}, {0, 0, -0.02}},
      {nullptr, "hip_roll", roll, {0, 0, -0.04}, 1.5, {0.1, 0.1, 0.1}, {0.01, 0, 0}},
      {nullptr, "hip_pitch", pitch, {0, 0, 0}, 7.0, {0.14, 0.14, 0.4}, {0, 0.01, -0.17}},
      {nullptr, "knee", pitch, {0, 0, -0.4}, 3.5, {0.1, 0.1, 0.38}, {-0.01, 0, -0.16}},
      {nullptr, "ankle_pitch", pitch, {0, 0, -0.38}, 0.5, {0.06, 0.06, 0.06}, {0, 0, 0}},
      {nullptr, "ankle_roll", roll, {0, 0, 0}, 1.1, {0.24, 0.1, 0.06}, {0.04, 0, -0.05}},
      {"waist_pitch_link", "shoulder_pitch", pitch, {0, 0.18, 0.36}, 1.0, {0.1, 0.1, 0.1}, {0, 0.03, 0}},
      {nullptr, "shoulder_roll", roll, {0, 0.05, 0}, 0.8, {0.08, 0.08, 0.1}, {0, 0, -0.03}},
      {nullptr, "shoulder_yaw", yaw, {0, 0, -0.1}, 1.6, {0.08, 0.08, 0.2}, {0, 0, -0.08}},
      {nullptr, "elbow", pitch, {0, 0, -0.18}, 0.7, {0.07, 0.07, 0.1}, {0.01, 0, -0.04}},
      {nullptr, "wrist_yaw", yaw, {0, 0, -0.1}, 0.8, {0.06, 0.06, 0.16}, {0, 0, -0.07}},
      {nullptr, "wrist_pitch", pitch, {0, 0, -0.15}, 0.2, {0.05, 0.05, 0.05}, {0, 0, 0}},
      {nullptr, "wrist_roll", roll, {0, 0, 0}, 0.5, {0.04, 0.09, 0.16}, {0, 0, -0.08}},
  };
  // Add bodies and frames; the right limbs are mirror images.
  ModelBuilder<double> builder("humanoid");
  detail::add_base(builder, "pelvis", detail::box(10.0, {0.2, 0.3, 0.15}, {0.0, 0.0, 0.02}));
  Parent last;
  const auto add = [&](const Link& link, const std::string& side, double y) {
    const auto mirrored = [y](const double(&x)[3]) { return Vector3<double>{x[0], x[1] * y, x[2]}; };
    last = detail::add_link(builder, side + link.joint + "_link", link.parent ? Parent(link.parent) : last, link.axis,
                            mirrored(link.offset), detail::box(link.mass, vector3(link.size), mirrored(link.center)),
                            side + link.joint);
  };
  for (const Link& link : trunk) add(link, "", 1);
  const auto add_frame = [&](const std::string& name, const Parent& body, const Vector3<double>& position) {
    builder.add_frame(name, body, {identity3<double>(), position});
  };
  add_frame("eyes", last, {0.09, 0, 0.12});
  for (const double y : {1.0, -1.0}) {
    const std::string side = y > 0 ? "left_" : "right_";
    for (const Link& link : limbs) add(link, side, y);
    add_frame(side + "sole", side + "ankle_roll_link", {0.04, 0, -0.08});
    add_frame(side + "palm", last, {0, 0, -0.1});
  }
  return detail::finish<S>(builder);
}

}}}  // namespace corio::zoo
