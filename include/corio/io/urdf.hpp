#pragma once

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include "corio/io/urdf_outline.hpp"
#include "corio/model/builder.hpp"

namespace corio::urdf {

/// What to do with a joint that has <mimic>: refuse the file, or load the joint as an independent one (the
/// coupling is then the user's affair).
enum class Mimic { reject, independent };

struct Options {
  /// The joint between the ground and the root link, named "root_joint" unless it is fixed.
  joint::Any<double> root = joint::Fixed{};
  Mimic mimic = Mimic::reject;
};

/// A joint that can be given in place of Options.
template <class J>
concept RootJoint = std::same_as<J, joint::Fixed> || std::same_as<J, joint::Any<double>> ||
    joint::JointModel<J, double> || requires(const J& joint) {
  joint.cells();
};

namespace detail {

/// Keeps what urdfdom reports through console_bridge from the terminal while it is alive. The handler of
/// console_bridge is global: one parse at a time, and the previous handler is put back.
class Messages {
 public:
  Messages() : lock_(mutex()), previous_(console_bridge::getOutputHandler()) {
    recorder().text.clear();
    console_bridge::useOutputHandler(&recorder());
  }
  ~Messages() { console_bridge::useOutputHandler(previous_); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  std::string text() const { return recorder().text.empty() ? "no reason given" : recorder().text; }

 private:
  struct Recorder final : console_bridge::OutputHandler {
    void log(const std::string& message, console_bridge::LogLevel level, const char*, int) override {
      if (level >= console_bridge::CONSOLE_BRIDGE_LOG_WARN) text += join({text.empty() ? "" : "; ", message});
    }
    std::string text;
  };
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  /// Never destroyed, because console_bridge keeps a pointer to it as the handler before the present one.
  static Recorder& recorder() {
    static auto& r = *new Recorder;
    return r;
  }

  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* previous_;
};

inline ::urdf::ModelInterfaceSharedPtr parse_with_urdfdom(const std::string& text) {
  const Messages messages;
  ::urdf::ModelInterfaceSharedPtr robot;
  try {
    robot = ::urdf::parseURDF(text);
  } catch (const std::exception& error) {
    throw ModelError(join({"urdfdom refuses the file: ", messages.text(), "; ", error.what()}));
  }
  if (!robot) throw ModelError(join({"urdfdom refuses the file: ", messages.text()}));
  return robot;
}

inline Vector3<double> vector(const ::urdf::Vector3& a) { return {a.x, a.y, a.z}; }

inline Pose<double> pose(const ::urdf::Pose& origin) {
  const auto& r = origin.rotation;
  return {rotation_from_quaternion<double>({r.x, r.y, r.z, r.w}), vector(origin.position)};
}

/// The tensor stands in the axes of <origin>, about the centre of mass.
inline InertialParameters<double> inertia(const ::urdf::Inertial& inertial) {
  const Pose<double> origin = pose(inertial.origin);
  Matrix3<double> I;
  I << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz, inertial.ixz, inertial.iyz,
      inertial.izz;
  return {inertial.mass, origin.translation, origin.rotation * I * origin.rotation.transpose()};
}

inline joint::Any<double> joint_model(const ::urdf::Joint& joint) {
  switch (joint.type) {
    case ::urdf::Joint::REVOLUTE:
    case ::urdf::Joint::CONTINUOUS: return joint::Revolute(vector(joint.axis));
    case ::urdf::Joint::PRISMATIC: return joint::Prismatic(vector(joint.axis));
    case ::urdf::Joint::PLANAR: return joint::Planar(vector(joint.axis));
    case ::urdf::Joint::FLOATING: return joint::FreeFlyer{};
    case ::urdf::Joint::FIXED: return joint::Fixed{};
    default: throw ModelError(join({"joint '", joint.name, "' has a type that is not known"}));
  }
}

/// Limits of the joints with one degree of freedom; those of others would mix metres and radians.
inline JointLimits limits(const ::urdf::Joint& joint) {
  const bool bounded = joint.type == ::urdf::Joint::REVOLUTE || joint.type == ::urdf::Joint::PRISMATIC;
  JointLimits result;
  if (!joint.limits || !(bounded || joint.type == ::urdf::Joint::CONTINUOUS)) return result;
  if (bounded) result.lower = {joint.limits->lower}, result.upper = {joint.limits->upper};
  result.velocity = {joint.limits->velocity};
  result.effort = {joint.limits->effort};
  return result;
}

inline Model<double> build(const std::string& text, const Options& options) {
  const Outline outline(text);
  const bool floating = !options.root.chain.empty();
  for (const auto& joint : outline.joints) {
    const std::string who = Outline::where(joint);
    if (joint.has_mimic && options.mimic == Mimic::reject)
      throw ModelError(join({who,
                             " mimics another joint, which a tree of independent joints cannot express; "
                             "Options::mimic = Mimic::independent loads it as an independent joint"}));
    if (floating && joint.name == "root_joint")
      throw ModelError(join({who,
                             ": this name is taken by the joint of Options::root; rename the joint or load "
                             "the robot with a fixed root"}));
  }
  if (!floating && std::ranges::all_of(outline.joints, [](const auto& joint) { return joint.type == "fixed"; }))
    throw ModelError(
        "nothing moves: the root is fixed and the file has no moving joint; "
        "Options::root = joint::FreeFlyer{} makes it a free body");

  const auto robot = parse_with_urdfdom(text);
  std::map<std::string, InertialParameters<double>> inertias;  // of links without <inertial>: zero
  for (const auto& link : outline.links) {
    const auto parsed = robot->getLink(link.name);
    if (!parsed) throw ModelError(join({"link '", link.name, "' is not found by urdfdom"}));
    if (link.has_inertial && parsed->inertial) inertias[link.name] = inertia(*parsed->inertial);
  }

  // A fixed root's joint leaves no trace in the model, but the builder wants names to differ.
  std::string root_joint = "root_joint";
  while (std::ranges::any_of(outline.joints, [&](const auto& joint) { return joint.name == root_joint; }))
    root_joint += '_';

  ModelBuilder<double> builder(robot->getName());
  builder.add_body(
      {.name = outline.root, .joint = options.root, .inertia = inertias[outline.root], .joint_name = root_joint});
  for (const auto& joint : outline.joints) {
    const auto parsed = robot->joints_.find(joint.name);
    if (parsed == robot->joints_.end()) throw ModelError(join({"joint '", joint.name, "' is not found by urdfdom"}));
    builder.add_body({.name = joint.child,
                      .parent = joint.parent,
                      .joint = joint_model(*parsed->second),
                      .placement = pose(parsed->second->parent_to_joint_origin_transform),
                      .inertia = inertias[joint.child],
                      .joint_name = joint.name,
                      .limits = limits(*parsed->second)});
  }
  return builder.build();
}

/// build with the origin of the text in front of every message.
inline Model<double> build_from(const std::string& source, const std::string& text, const Options& options) {
  try {
    return build(text, options);
  } catch (const ModelError& error) {
    throw ModelError(join({source, ": ", error.what()}));
  }
}

inline std::string read(const std::filesystem::path& path) {
  const std::string what = join({"URDF file '", path.string(), "'"});
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw ModelError(join({what, " does not exist"}));
  if (std::filesystem::is_directory(path, ignored)) throw ModelError(join({what, " is a folder, expected a file"}));
  try {
    std::ifstream in(path, std::ios::binary);
    if (in) {
      std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      if (!in.bad()) return text;
    }
  } catch (const std::ios_base::failure&) {
  }
  throw ModelError(join({what, " cannot be read; check its permissions"}));
}

}  // namespace detail

/// The model of a robot described in URDF (Unified Robot Description Format), from text.
///
/// Joint types revolute, continuous, prismatic, fixed, planar (normal = axis; q = [x, y, cos, sin] in axes
/// with z along the normal, see joint::Planar) and floating (joint::FreeFlyer). Axes need not be of unit
/// length; a missing <axis> is (1, 0, 0). A joint's <origin> places the child link's frame in the parent
/// link's, R = Rz(yaw) Ry(pitch) Rx(roll). Bodies are named after links, joints after joints, the model after
/// the robot; links on fixed joints are lumped into the link that carries them and stay available as frames.
/// Children keep the order in which their joints stand in the file, whatever the order of the links.
///
/// Links without <inertial> are massless; the inertia of links that are fixed to the ground is checked but plays no
/// part. Position limits are kept for revolute and prismatic joints, velocity and effort limits for continuous ones
/// too. Not used: damping and friction (<dynamics>), safety controllers, calibration, geometry, materials,
/// transmissions, sensors, and any element that is not part of URDF.
///
/// @throws ModelError  with the line or the link or joint: XML that is not well-formed; missing, repeated or
///   unknown names; a joint type that is not known; missing parts of <inertial> or <limit>; values that are
///   not finite numbers; a zero axis; lower > upper; negative mass, effort or velocity limit; moments of
///   inertia that no body has; no root or several, a link with two parents, loops; a joint that moves no
///   inertia; nothing that moves; <mimic> unless Mimic::independent. There is no half-built model.
///
/// Time and memory linear in the text but for the building of the model. One text is parsed at a time,
/// whatever the number of threads, and messages of console_bridge are held back meanwhile.
inline Model<double> parse(const std::string& text, const Options& options = {}) {
  return detail::build_from("URDF text", text, options);
}
/// The same with a joint between the ground and the root link: parse(text, joint::FreeFlyer{}).
template <RootJoint J>
Model<double> parse(const std::string& text, const J& root) {
  return parse(text, Options{.root = root});
}

/// parse() of a file's content, with the file's name in front of every message.
///
///   auto arm = corio::urdf::load("arm.urdf");
///   auto walker = corio::urdf::load("walker.urdf", corio::joint::FreeFlyer{});
///
/// @throws ModelError  also if the file does not exist or cannot be read.
inline Model<double> load(const std::filesystem::path& path, const Options& options = {}) {
  return detail::build_from(path.string(), detail::read(path), options);
}
template <RootJoint J>
Model<double> load(const std::filesystem::path& path, const J& root) {
  return load(path, Options{.root = root});
}

}  // namespace corio::urdf
