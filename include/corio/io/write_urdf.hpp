#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "corio/core/detail/file.hpp"
#include "corio/model/edit.hpp"

namespace corio { inline namespace CORIO_ABI {
/// A model as URDF text. urdf::parse reads it back with the same names, coordinates and dynamics, exactly except for
/// rounding of rotations, which are written as roll, pitch and yaw.
///
/// Bodies are links; frames and welded bodies are massless links on fixed joints. Limits, damping and friction of
/// revolute and prismatic joints are written; the armature is a <rotorInertia> in the <actuator> of a <transmission>
/// with <mechanicalReduction> 1. A revolute joint without position limits is continuous; other limits that URDF
/// requires and the model does not have are 1e9, which urdf::parse reads as none. With limits of acceleration,
/// deceleration or jerk the file is of version 1.2. The root link is the body fixed at the origin of the ground, or a
/// link "world". If a free flyer at the origin carries the whole robot, and has the default name of urdf::Options, the
/// root link is the body on it: read such a file with urdf::parse(text, joint::FreeFlyer{}). A joint off the origin of
/// its body carries a massless link
/// "<body>_joint_frame" to which the body is fixed.
///
/// A coupling of one joint to at most one other is a <mimic>, which is read back as a coupling with another name. Data
/// that URDF cannot represent (springs, gravity, other loops, all numbers of planar and floating joints) are left out
/// and named in a comment.
/// @throws ModelError naming a joint of a type that URDF does not have: helical, cylindrical, translation, universal,
/// spherical, a floating base in other coordinates or speeds than FreeFlyer, composite, a user's own; or a name with a
/// control character that XML does not have
inline std::string write_urdf(const Model<double>& model);

/// Writes the text to a file, atomically: on an error the old file is unchanged.
/// @throws ModelError also if the file cannot be written
inline void write_urdf(const Model<double>& model, const std::filesystem::path& path);

namespace detail {

/// One run of write_urdf.
class UrdfWriter {
 public:
  explicit UrdfWriter(const Model<double>& model) : model_(model) {
    for (const Frame<double>& frame : model.frames()) link_names_.insert(frame.name());
    for (const Joint& joint : model.joints()) joint_names_.insert(joint.name());
    for (const LoopSpec& loop : model.loops()) find_mimic(loop);
  }

  std::string run() {
    if (model_.gravity() != Vector3<double>(0, 0, -9.81)) note_loss("gravity");
    choose_root();
    for (const Body<double>& body : model_.bodies())
      if (body.name() != root_) add_body(body);
    const auto& frames = model_.frames();
    for (auto frame = frames.begin() + std::ssize(model_.bodies()); frame != frames.end(); ++frame)
      if (frame->name() != root_) {
        const FrameSpec<double> spec = frame_spec(model_, *frame);
        add_link(spec.name, {});
        fix(spec.name, link_of(spec.parent), spec.placement);
      }
    const std::string comment = lost_.empty() ? "" : join({"  <!-- Not part of URDF: ", lost_, " -->\n"});
    return join({"<?xml version=\"1.0\"?>\n<robot name=\"", escaped(model_.name()), "\"",
                 later_limits_ ? " version=\"1.2\"" : "", ">\n", comment, text_, transmissions_, "</robot>\n"});
  }

 private:
  /// The value written for a limit that URDF requires but the model does not have.
  static constexpr double unlimited = 1e9;
  /// Tolerance for rounding errors of placements.
  static constexpr double nothing = 1e-12;

  /// The shortest text that is read back as x, in any locale.
  static std::string number(double x) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x + 0.0).ptr};  // -0 + 0 = 0
  }
  static std::string limit(double x) { return number(std::isfinite(x) ? x : std::copysign(unlimited, x)); }
  static std::string vector(const Vector3<double>& x) {
    return join({number(x[0]), " ", number(x[1]), " ", number(x[2])});
  }
  /// A name as the value of an attribute. Tabs and ends of lines are written as character references, since readers
  /// take the characters themselves as blanks.
  /// @throws ModelError for other control characters, which XML cannot represent
  static std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) {
      if (c == '&')
        text += "&amp;";
      else if (c == '<')
        text += "&lt;";
      else if (c == '"')
        text += "&quot;";
      else if (c == '\t' || c == '\n' || c == '\r')
        text += join({"&#", std::to_string(int(c)), ";"});
      else if (is_control(c))
        throw ModelError(join({"the name ", excerpt(name), " cannot be written as URDF: it has the control character ",
                               std::to_string(int(c)), ", which XML cannot represent"}));
      else
        text += c;
    }
    return text;
  }

  /// Roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll). Roll is computed from Rz(yaw)^T R, so that the three are
  /// consistent also at a pitch of pi/2, when yaw is arbitrary.
  static Vector3<double> rpy(const Matrix3<double>& R) {
    const double yaw = std::atan2(R(1, 0), R(0, 0)), c = std::cos(yaw), s = std::sin(yaw);
    return {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)),
            std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0)), yaw};
  }
  static std::string origin(const Pose<double>& X) {
    return join({"<origin xyz=\"", vector(X.translation), "\" rpy=\"", vector(rpy(X.rotation)), "\"/>"});
  }

  static std::string unique(std::string name, std::set<std::string>& names) {
    while (!names.insert(name).second) name += '_';
    return name;
  }
  const std::string& link_of(const Parent& parent) const { return parent.name.empty() ? root_ : parent.name; }

  /// Records data that URDF cannot represent.
  void note_loss(const std::string& what) {
    lost_ += join({lost_.empty() ? "" : ", ", what});
    std::ranges::replace_if(lost_, is_control, ' ');
    // A comment must not contain two hyphens in a row.
    for (auto at = lost_.find("--"); at != std::string::npos; at = lost_.find("--")) lost_.insert(at + 1, 1, ' ');
  }

  /// Converts a coupling of one joint to at most one other to a <mimic>; URDF has no other loops.
  void find_mimic(const LoopSpec& loop) {
    if (loop.terms.empty() || loop.terms.size() > 2) return note_loss(join({"loop '", loop.name, "'"}));
    const bool second =
        loop.terms.size() == 2 && std::ranges::find(loop.dependent, loop.terms[1].joint) != loop.dependent.end();
    const CouplingTerm& one = loop.terms[second ? 1 : 0];
    const CouplingTerm other = loop.terms.size() == 2 ? loop.terms[second ? 0 : 1] : CouplingTerm{one.joint, 0.0};
    // Mimics must not form a cycle.
    if (loop.terms.size() == 2 && last_mimicked(other.joint) == one.joint)
      return note_loss(join({"loop '", loop.name, "'"}));
    const double multiplier = -other.factor / one.factor, offset = loop.offset / one.factor;
    if (!std::isfinite(multiplier) || !std::isfinite(offset)) return note_loss(join({"loop '", loop.name, "'"}));
    // A coupling of one joint holds it constant: written as a mimic with multiplier zero, which needs some joint.
    const std::string text = join({"    <mimic joint=\"", escaped(other.joint), "\" multiplier=\"", number(multiplier),
                                   "\" offset=\"", number(offset), "\"/>\n"});
    if (!mimics_.emplace(one.joint, text).second) return note_loss(join({"loop '", loop.name, "'"}));
    if (loop.terms.size() == 2) mimicked_[one.joint] = other.joint;
  }
  /// The last joint of a chain of mimics, or the joint itself if it mimics none. Stored for all joints of the chain, so
  /// that each chain is followed once.
  std::string last_mimicked(const std::string& joint) {
    std::string last = joint;
    for (auto next = mimicked_.find(last); next != mimicked_.end(); next = mimicked_.find(last)) last = next->second;
    for (std::string on_way = joint; on_way != last;) on_way = std::exchange(mimicked_[on_way], last);
    return last;
  }

  /// A free flyer that carries the whole robot is not written: it is an option of readers. Otherwise the ground is a
  /// link: the first one that is fixed at its origin, or an additional one.
  void choose_root() {
    const auto& bodies = model_.bodies();
    const InertialParameters<double> ground = model_.ground_inertia();
    const auto is_origin = [](const Pose<double>& X) { return difference(X, Pose<double>::identity()) <= nothing; };
    const auto on_ground = [](const auto& frame) { return frame.node() < 0; };
    if (std::ranges::count_if(bodies, [](const auto& body) { return body.parent() < 0; }) == 1 &&
        std::ranges::none_of(model_.frames(), on_ground) && ground.mass == 0.0) {
      const BodySpec<double> base = body_spec(model_, bodies.front());
      if (base.joint_name == root_joint(base.joint_name) && is_free_flyer(base) &&
          is_origin(base.placement * base.body_placement)) {
        root_ = base.name;
        lose_terms(base);
        return add_link(root_, base.inertia);
      }
    }
    const auto at_origin = std::ranges::find_if(
        model_.frames(), [&](const auto& frame) { return on_ground(frame) && is_origin(frame.placement()); });
    root_ = at_origin == model_.frames().end() ? unique("world", link_names_) : at_origin->name();
    add_link(root_, ground);
  }

  /// The default name that readers give to the joint of the root, if the file has all joints but `base`.
  std::string root_joint(const std::string& base) const {
    std::string name = "root_joint";
    while (name != base && joint_names_.contains(name)) name += '_';
    return name;
  }

  static double difference(const Pose<double>& X, const Pose<double>& Y) {
    return (X.rotation - Y.rotation).cwiseAbs().maxCoeff() + (X.translation - Y.translation).cwiseAbs().maxCoeff();
  }
  static bool is_free_flyer(const BodySpec<double>& spec) { return std::string(urdf_type(spec)) == "floating"; }

  /// The type of a joint, disregarding its limits; empty if URDF has no such type.
  static const char* urdf_type(const BodySpec<double>& spec) {
    if (spec.joint.chain.size() != 1) return "";
    return spec.joint.chain.front().joint.visit([]<class J>(const J&) {
      if (std::is_base_of_v<joint::Revolute, J>) return "revolute";
      if (std::is_same_v<J, joint::Prismatic>) return "prismatic";
      if (std::is_same_v<J, joint::Planar>) return "planar";
      return std::is_same_v<J, joint::FreeFlyer> ? "floating" : "";
    });
  }

  void add_link(const std::string& name, const InertialParameters<double>& inertia) {
    text_ += join({"  <link name=\"", escaped(name), "\""});
    if (inertia.mass == 0.0 && inertia.inertia.isZero(0.0)) {
      text_ += "/>\n";
      return;
    }
    const auto moment = [&](const char* key, int i, int j) {
      return join({" ", key, "=\"", number(inertia.inertia(i, j)), "\""});
    };
    text_ += join({">\n    <inertial>\n      <origin xyz=\"", vector(inertia.com), "\"/>\n      <mass value=\"",
                   number(inertia.mass), "\"/>\n      <inertia", moment("ixx", 0, 0), moment("ixy", 0, 1),
                   moment("ixz", 0, 2), moment("iyy", 1, 1), moment("iyz", 1, 2), moment("izz", 2, 2),
                   "/>\n    </inertial>\n  </link>\n"});
  }

  void add_joint(const std::string& name, const char* type, const std::string& parent, const std::string& child,
                 const Pose<double>& placement, const std::string& rest = "") {
    text_ += join({"  <joint name=\"", escaped(name), "\" type=\"", type, "\">\n    ", origin(placement),
                   "\n    <parent link=\"", escaped(parent), "\"/>\n    <child link=\"", escaped(child), "\"/>\n", rest,
                   "  </joint>\n"});
  }
  void fix(const std::string& link, const std::string& parent, const Pose<double>& placement) {
    add_joint(unique(link + "_joint", joint_names_), "fixed", parent, link, placement);
  }

  void add_body(const Body<double>& body) {
    BodySpec<double> spec = body_spec(model_, body);
    const std::string type = urdf_type(spec);
    if (type.empty())
      throw ModelError(join({"model '", model_.name(), "' cannot be written as URDF: joint '", spec.joint_name, "' (",
                             spec.joint.type, ") is not revolute, continuous, prismatic, planar, floating or fixed"}));
    const bool floating = type == "floating", single = type == "revolute" || type == "prismatic";
    const bool continuous =
        type == "revolute" && !std::isfinite(spec.limits.lower[0]) && !std::isfinite(spec.limits.upper[0]);

    // In URDF a link's frame is the moving frame of its joint, and <axis> is the normal of planar joints. If the body
    // has another frame, a massless link is inserted.
    const Matrix3<double>& axes = spec.joint.chain.front().axes;
    const Vector3<double> axis = corio::column(axes, 2);
    const Matrix3<double> expected = floating ? identity3<double>() : single ? axes : rotation_with_z<double>(axis);
    const bool between = difference({axes, spec.body_placement.translation}, {expected, zero3<double>()}) > nothing;
    const std::string link = between ? unique(spec.name + "_joint_frame", link_names_) : spec.name;
    const Pose<double> turn{axes * transpose(expected), zero3<double>()},
        back{expected * spec.joint.tail, zero3<double>()};
    if (between) add_link(link, {});
    add_link(spec.name, spec.inertia);
    add_joint(
        spec.joint_name, continuous ? "continuous" : type.c_str(), link_of(spec.parent), link,
        between ? spec.placement * turn : spec.placement,
        join({floating ? "" : join({"    <axis xyz=\"", vector(axis), "\"/>\n"}),
              single ? limits(spec, continuous) + safety(spec) + dynamics(spec) + mimics_[spec.joint_name] : ""}));
    if (between) fix(spec.name, link, back * spec.body_placement);
    if (single && spec.armature[0] != 0.0) add_transmission(spec);
    // Terms that were written; all others are lost.
    if (single) spec.armature = spec.passive.damping = spec.passive.friction = {}, spec.limits = {}, spec.safety = {};
    lose_terms(spec);
  }

  std::string limits(const BodySpec<double>& spec, bool continuous) {
    const JointLimits& given = spec.limits;
    // Attributes of URDF 1.2.
    std::string optional;
    for (const auto& [key, x] : {std::pair("acceleration", given.acceleration[0]),
                                 {"deceleration", given.deceleration[0]},
                                 {"jerk", given.jerk[0]}})
      if (std::isfinite(x)) optional += join({" ", key, "=\"", number(x), "\""});
    later_limits_ = later_limits_ || !optional.empty();
    if (continuous && !std::isfinite(given.velocity[0]) && !std::isfinite(given.effort[0]) && optional.empty())
      return "";
    std::string text = "    <limit";
    if (!continuous) text += join({" lower=\"", limit(given.lower[0]), "\" upper=\"", limit(given.upper[0]), "\""});
    return text + join({" effort=\"", limit(given.effort[0]), "\" velocity=\"", limit(given.velocity[0]), "\"",
                        optional, "/>\n"});
  }
  static std::string safety(const BodySpec<double>& spec) {
    const double lower = spec.safety.lower[0], upper = spec.safety.upper[0];
    const double position = spec.safety.position_gain[0], velocity = spec.safety.velocity_gain[0];
    const bool limited = std::isfinite(lower) || std::isfinite(upper);
    if (!limited && position == 0.0 && velocity == 0.0) return "";
    const std::string limits =
        limited ? join({" soft_lower_limit=\"", limit(lower), "\" soft_upper_limit=\"", limit(upper), "\""}) : "";
    return join({"    <safety_controller k_position=\"", number(position), "\" k_velocity=\"", number(velocity), "\"",
                 limits, "/>\n"});
  }
  static std::string dynamics(const BodySpec<double>& spec) {
    const double damping = spec.passive.damping[0], friction = spec.passive.friction[0];
    if (damping == 0.0 && friction == 0.0) return "";
    return join({"    <dynamics damping=\"", number(damping), "\" friction=\"", number(friction), "\"/>\n"});
  }

  /// Writes the armature as the inertia of a rotor without gear.
  void add_transmission(const BodySpec<double>& spec) {
    const std::string name = escaped(spec.joint_name);
    transmissions_ += join({"  <transmission name=\"", name,
                            "_transmission\">\n"
                            "    <type>transmission_interface/SimpleTransmission</type>\n"
                            "    <joint name=\"",
                            name,
                            "\">\n"
                            "      <hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface>\n"
                            "    </joint>\n"
                            "    <actuator name=\"",
                            name,
                            "_motor\">\n"
                            "      <mechanicalReduction>1</mechanicalReduction>\n"
                            "      <rotorInertia>",
                            number(spec.armature[0]),
                            "</rotorInertia>\n"
                            "    </actuator>\n"
                            "  </transmission>\n"});
  }

  /// Records the numbers of a joint that URDF cannot represent.
  void lose_terms(const BodySpec<double>& spec) {
    for_each_term(
        [&](const JointTerm& term, const auto& numbers) {
          if (has_term(term, spec.joint, numbers)) note_loss(join({term.name, " of joint '", spec.joint_name, "'"}));
        },
        spec);
  }

  const Model<double>& model_;
  std::set<std::string> link_names_, joint_names_;
  std::map<std::string, std::string> mimics_, mimicked_;  // by the name of the joint
  std::string root_, text_, transmissions_, lost_;
  bool later_limits_ = false;  // whether there are limits of version 1.2
};

}  // namespace detail

inline std::string write_urdf(const Model<double>& model) { return detail::UrdfWriter(model).run(); }

inline void write_urdf(const Model<double>& model, const std::filesystem::path& path) {
  detail::write_file(path, write_urdf(model), "URDF file");
}

}}  // namespace corio
