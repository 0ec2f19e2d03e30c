#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "corio/io/urdf_robot.hpp"

namespace corio::urdf {

/// What to do with a joint that has <mimic>: refuse the file, or load the joint as an independent one (the
/// coupling is then the user's affair).
enum class Mimic { reject, independent };

struct Options {
  /// The joint between the ground and the root link, named "root_joint" unless it is fixed.
  joint::Any<double> root = joint::Fixed{};
  Mimic mimic = Mimic::reject;
  /// How to take inertias that no body has: see ModelBuilder::set_inertias.
  Inertias inertias = Inertias::as_given;
  /// Reflected rotor inertias by joint, kg m^2 or kg, for joints with one degree of freedom; they replace what the file
  /// says in a <transmission>.
  std::map<std::string, double> armature{};
  /// For joints that move no inertia and have no armature: see ModelBuilder::set_armature_of_massless.
  double armature_of_massless = 0.0;
};

/// A joint that can be given in place of Options.
template <class J>
concept RootJoint = std::same_as<J, joint::Fixed> || std::same_as<J, joint::Any<double>> ||
    joint::JointModel<J, double> || requires(const J& joint) {
  joint.cells();
};

namespace detail {

inline void check_mimics(const Robot& robot) {
  std::string found;
  for (const Note& mimic : robot.mimics)
    found +=
        join({found.empty() ? "" : "; ", "line ", std::to_string(mimic.line), ": ", mimic.element, " ", mimic.found});
  if (!found.empty())
    throw ModelError(join({found,
                           ". A tree of independent joints cannot express this; Options::mimic = Mimic::independent "
                           "loads them as independent joints"}));
}

inline ModelBuilder<double> builder(const std::string& text, const Options& options) {
  const xml::Document document(text);
  Robot robot(document.root());
  if (options.mimic == Mimic::reject) check_mimics(robot);
  for (const auto& [joint, armature] : options.armature) {
    BodySpec<double>* const body = robot.find(joint);
    if (!body) throw ModelError(join({"Options::armature names joint ", excerpt(joint), ", which is not in the file"}));
    body->armature = {armature};
  }

  robot.root.joint = options.root;
  robot.root.joint_name = "root_joint";
  if (options.root.chain.empty()) {
    // A fixed root's joint leaves no trace in the model, but the builder wants names to differ.
    while (robot.find(robot.root.joint_name)) robot.root.joint_name += '_';
  } else if (const auto* taken = robot.find("root_joint")) {
    throw ModelError(join({"line ", std::to_string(taken->joint_line),
                           ": joint 'root_joint': this name is taken by the joint of Options::root; rename the joint "
                           "or load the robot with a fixed root"}));
  }

  ModelBuilder<double> builder(robot.name);
  builder.set_inertias(options.inertias);
  builder.set_armature_of_massless(options.armature_of_massless);
  bool moves = !options.root.chain.empty();
  for (const auto& body : robot.bodies) moves = moves || !body.joint.chain.empty();
  if (!moves)
    robot.notes.push_back({join({"robot ", excerpt(robot.name)}), document.root().line(),
                           "nothing in it moves: the root and all joints are fixed",
                           "Options::root = joint::FreeFlyer{} makes it a free body"});
  for (auto* notes : {&robot.notes, &robot.mimics})
    for (Note& note : *notes) builder.add_note(std::move(note));
  builder.add_body(std::move(robot.root));
  for (auto& body : robot.bodies) builder.add_body(std::move(body));
  return builder;
}

}  // namespace detail

/// The bodies and joints of a robot described in URDF (Unified Robot Description Format), from text, as a builder to
/// which more can be added before build().
///
/// Joint types revolute, continuous, prismatic, fixed, planar (normal = axis; q = [x, y, cos, sin] in axes
/// with z along the normal, see joint::Planar) and floating (joint::FreeFlyer). Axes need not be of unit
/// length; a missing <axis> is (1, 0, 0). A joint's <origin> places the child link's frame in the parent
/// link's, R = Rz(yaw) Ry(pitch) Rx(roll). Bodies are named after links, joints after joints, the model after
/// the robot; links on fixed joints are lumped into the link that carries them and stay available as frames.
/// Children keep the order in which their joints stand in the file, whatever the order of the links.
///
/// Links without <inertial> are massless; the inertia of links that are fixed to the ground is checked but plays no
/// part. Of revolute, prismatic and continuous joints the limits (lower and upper not of continuous ones) and damping
/// and friction (<dynamics>, see Model::damping) are kept. A <transmission> between one actuator and one joint gives
/// the joint an armature reduction^2 I if it names an inertia I of the rotor: <rotorInertia> or <motorInertia>, with
/// <mechanicalReduction> or <gearRatio>, in the <actuator>, the <joint> or the transmission, also written like
/// rotor_inertia or drake:rotor_inertia, and as attributes. A <safety_controller> is kept in Model::safety(). Not used:
/// calibration, geometry, materials, sensors, plugins of simulators.
///
/// What is improbable is loaded as it stands and listed in Model::notes() with its line: elements and attributes that
/// are not part of URDF, missing limits, an <inertial> with parts missing, joints that mimic others, a robot in which
/// nothing moves (nv = 0), and what ModelBuilder::build() notes.
///
/// @throws ModelError  with the line or the link or joint: XML that is not well-formed; what xacro should have
///   expanded; missing, repeated or unknown names; a joint type that is not known; values that are not finite numbers;
///   a zero axis; lower > upper, also of soft limits; negative mass, damping, friction, effort or velocity limit; no
///   root or several, a link with two parents, loops; <mimic> unless Mimic::independent. There is no half-built model.
///
/// Time and memory linear in the text. XML nests at most 500 deep; the tree of links has no limit.
inline ModelBuilder<double> builder_from_text(const std::string& text, const Options& options = {}) {
  return xml::with_source("URDF text", [&] { return detail::builder(text, options); });
}
/// The same of a file's content, with the file's name in front of every message.
/// @throws ModelError  also if the file does not exist, is no regular file or cannot be read.
inline ModelBuilder<double> builder(const std::filesystem::path& path, const Options& options = {}) {
  const std::string text = xml::read(path, "URDF file");
  return xml::with_source(path.string(), [&] { return detail::builder(text, options); });
}

/// builder_from_text(text, options).build(), whose errors are added: numbers out of range, and with Inertias::strict
/// moments of inertia that no body has and joints that move no inertia.
inline Model<double> parse(const std::string& text, const Options& options = {}) {
  return xml::with_source("URDF text", [&] { return detail::builder(text, options).build(); });
}
/// The same with a joint between the ground and the root link: parse(text, joint::FreeFlyer{}).
template <RootJoint J>
Model<double> parse(const std::string& text, const J& root) {
  return parse(text, Options{.root = root});
}

/// The same of a file: builder(path, options).build(), with the file's name in front of every message.
///
///   auto arm = corio::urdf::load("arm.urdf");
///   auto walker = corio::urdf::load("walker.urdf", corio::joint::FreeFlyer{});
inline Model<double> load(const std::filesystem::path& path, const Options& options = {}) {
  const std::string text = xml::read(path, "URDF file");
  return xml::with_source(path.string(), [&] { return detail::builder(text, options).build(); });
}
template <RootJoint J>
Model<double> load(const std::filesystem::path& path, const J& root) {
  return load(path, Options{.root = root});
}

}  // namespace corio::urdf
