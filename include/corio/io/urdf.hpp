#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "corio/model/builder.hpp"

/// The reader of URDF. Its functions are declared here and defined in io/urdf/reader.hpp: inline, unless
/// CORIO_COMPILED_URDF is defined; then compiled/urdf.cpp compiles them once for all sources of a program, see
/// corio_add_compiled.
#ifdef CORIO_COMPILED_URDF
#define CORIO_URDF_INLINE
#else
#define CORIO_URDF_INLINE inline
#endif

namespace corio { inline namespace CORIO_ABI { namespace urdf {

/// The treatment of joints that have <mimic>: couple them in Model::loops(), which only a Mechanism enforces, load them
/// as independent joints, or reject the file.
enum class Mimic { couple, independent, reject };

/// Options of the reader.
struct Options {
  /// The joint between the ground and the root link, and its name. The default name is "root_joint", or, if a joint of
  /// the file has that name, "root_joint_", and so on, with a note. A fixed joint has no name.
  joint::JointSpec<double> root = joint::Fixed{};
  std::string root_name{};
  Mimic mimic = Mimic::couple;
  /// If true, joints of type continuous, and revolute ones without limits, become joint::Continuous: see
  /// ModelBuilder::wrap_continuous.
  bool wrap_continuous = false;
  /// The treatment of inertias that no rigid body can have: see ModelBuilder::set_inertias.
  Inertias inertias = Inertias::as_given;
  /// Reflected rotor inertias by joint, kg m^2 or kg, for joints with one degree of freedom, in place of the inertias
  /// from a <transmission>.
  std::map<std::string, double> armature{};
  /// The treatment of rotors in a <transmission>; for Rotors::geared, rotor_axes lists the axes of rotors, by joint and
  /// in the frame of the joint, that differ from the axis of the joint.
  Rotors rotors = Rotors::reflected;
  std::map<std::string, Vector3<double>> rotor_axes{};
  /// The armature of joints that move no inertia and have none: see ModelBuilder::set_armature_of_massless.
  double armature_of_massless = 0.0;
};

/// A joint for the root, which can be given in place of Options.
template <class J>
concept RootJoint = std::same_as<J, joint::Fixed> || std::same_as<J, joint::JointSpec<double>> ||
    joint::JointModel<J, double> || requires(const J& joint) {
  joint.primitive_joints();
};

/// The bodies and joints of a robot described in URDF (Unified Robot Description Format), from text, as a builder to
/// which more can be added before build().
///
/// Model. Bodies are named after links, joints after joints, and the model after the robot or, if it has no name, after
/// the file. Links on fixed joints are merged into the link that carries them and stay available as frames. Children
/// are in the order of their joints in the file, not of links.
///
/// Joints. `revolute`, `continuous`, `prismatic` and `fixed`; `planar` (normal = axis; q = [x, y, cos, sin] in axes
/// with z along the normal, see joint::Planar); `floating` (joint::FreeFlyer); and `spherical` (joint::Spherical),
/// which is PyBullet's. Drake's are <drake:joint> of type `ball`, `universal` (about x, then y), `planar` and `screw`
/// (with <drake:screw_thread_pitch>, m per revolution), and the ground as a parent link `world` that the file need not
/// have. A continuous joint is a joint::Revolute unless Options::wrap_continuous is set. Axes need not be of unit
/// length; a missing <axis> is (1, 0, 0). A joint's <origin> places the child link's frame in the parent link's, R =
/// Rz(yaw) Ry(pitch) Rx(roll) or, in version 1.1, the rotation of a quaternion quat_xyzw.
///
/// Inertia. Links without <inertial> are massless; the inertia of links that are fixed to the ground is checked but not
/// used.
///
/// Limits, damping and friction (<dynamics>, see Model::damping) are read for revolute, prismatic and continuous joints
/// (the latter without lower and upper), and limits of acceleration, deceleration and jerk of version 1.2 or as
/// drake:acceleration and drake:jerk. Limits may be inf or -inf, and 1e9 or more means the same; lower > upper means
/// that there are no limits, as in PyBullet, and so does a negative limit of velocity, effort or their rates, as in
/// SDFormat. A <safety_controller> is read into Model::safety().
///
/// Transmissions. A <transmission> between one actuator and one joint may name an inertia I of the rotor
/// (<rotorInertia> or <motorInertia>) and a ratio r (<mechanicalReduction> or <gearRatio>): in the <actuator>, the
/// <joint> or the transmission, as elements or attributes, also spelled like rotor_inertia or drake:rotor_inertia. The
/// joint gets the armature r^2 I; with Rotors::geared, the rotor becomes a body (add_rotor) that turns r times as fast
/// as the joint.
///
/// Loops. Joints with <mimic> are coupled in Model::loops(). In functions of a Model, which is the tree, they move
/// freely; Mechanism (mechanism/mechanism.hpp) enforces the couplings. The elements of URDF+ are loops, too. A <joint
/// independent="false"> is determined by others. A <loop name type> is of type revolute, prismatic, spherical or fixed
/// and has <predecessor link> and <successor link>, each perhaps with an <origin>, and an <axis> in the axes of the
/// predecessor's origin. A <coupling name> has predecessor, successor and <ratio value>, and couples the sums of the
/// joints on the paths from their last common link,
///   sum q(successor) = ratio sum q(predecessor).
///
/// Not used: calibration, geometry, materials, sensors, plugins of simulators.
///
/// Notes. Questionable entries are accepted and reported in Model::notes() with their lines: elements and attributes
/// that are not part of URDF, with one note for all their places; elements such as <inertial> and <axis> that occur
/// twice (the first one is read, as by other readers); missing, negative or zero limits, lower > upper; a planar joint
/// without <axis>; an <inertial> with parts missing or whose ixy and iyx differ; a quaternion that is not of length
/// one; joints that mimic other joints, also fixed joints with <mimic>; a robot without motion (nv = 0); zero bytes
/// after the text; and the notes of ModelBuilder::build().
///
/// @throws ModelError  with the line or the link or joint: XML that is not well-formed; elements that xacro should have
///   expanded; missing, repeated or unknown names; a joint type that is not known; values that are not finite numbers;
///   a zero axis or quaternion; both rpy and quat_xyzw; lower and upper limits at the same infinity; soft limits with
///   lower > upper; negative mass, damping, friction or gain; several <parent> or <child>; a taken Options::root_name;
///   no root or several, a link with two parents, cycles of parents or of joints that mimic each other; invalid loops
///   and couplings (see Loops); <mimic> with Mimic::reject.
///
/// Time and memory linear in the text. XML nests at most 500 deep; the tree of links has no limit.
CORIO_URDF_INLINE ModelBuilder<double> builder_from_text(const std::string& text, const Options& options = {});
/// The builder of a robot from a file; see builder_from_text. Messages begin with the file's name.
/// @throws ModelError  also if the file does not exist, is not a regular file or cannot be read.
CORIO_URDF_INLINE ModelBuilder<double> builder(const std::filesystem::path& path, const Options& options = {});
/// Build in the same way with a joint between the ground and the root link: builder(path, joint::FreeFlyer{}).
template <RootJoint J>
ModelBuilder<double> builder_from_text(const std::string& text, const J& root) {
  return builder_from_text(text, Options{.root = root});
}
template <RootJoint J>
ModelBuilder<double> builder(const std::filesystem::path& path, const J& root) {
  return builder(path, Options{.root = root});
}

/// builder_from_text(text, options).build(), with the additional errors of build(): numbers out of range, and with
/// Inertias::strict moments of inertia that no body has and joints that move no inertia.
CORIO_URDF_INLINE Model<double> parse(const std::string& text, const Options& options = {});
/// Parses in the same way with a joint between the ground and the root link: parse(text, joint::FreeFlyer{}).
template <RootJoint J>
Model<double> parse(const std::string& text, const J& root) {
  return parse(text, Options{.root = root});
}

/// Loads a robot from a file: builder(path, options).build(). Messages begin with the file's name.
///
///   auto arm = corio::urdf::load("arm.urdf");
///   auto walker = corio::urdf::load("walker.urdf", corio::joint::FreeFlyer{});
CORIO_URDF_INLINE Model<double> load(const std::filesystem::path& path, const Options& options = {});
template <RootJoint J>
Model<double> load(const std::filesystem::path& path, const J& root) {
  return load(path, Options{.root = root});
}

}}}  // namespace corio::urdf

#ifndef CORIO_COMPILED_URDF
#include "corio/io/urdf/reader.hpp"
#endif
