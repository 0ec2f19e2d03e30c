#pragma once

#include <algorithm>

#include "corio/io/urdf.hpp"
#include "corio/io/urdf/robot.hpp"

namespace corio { inline namespace CORIO_ABI { namespace urdf {
namespace detail {

/// For Mimic::reject: throws if any joints mimic other joints, and names them all.
inline void check_mimics(const Robot& robot) {
  std::string found;
  for (const auto& [coupling, master, note] : robot.mimics)
    found += join(
        {found.empty() ? "" : "; ", "line ", corio::detail::Digits(note.line), ": ", note.element, " ", note.found});
  if (!found.empty())
    throw ModelError(join({found,
                           ". Options::mimic = Mimic::couple couples them, Mimic::independent loads them as "
                           "independent joints"}));
}

/// Reflects the rotors of transmissions into the armatures of their joints.
inline void reflect_rotors(Robot& robot, const Options& options) {
  if (!options.rotor_axes.empty()) throw ModelError("Options::rotor_axes needs Options::rotors = Rotors::geared");
  for (const Rotor<double>& rotor : robot.rotors) {
    if (options.armature.contains(rotor.joint)) continue;
    std::vector<double>& armature = robot.find(rotor.joint)->armature;
    armature.resize(1);
    armature[0] += rotor.ratio * rotor.ratio * rotor.inertia;
  }
}

/// Adds the rotors of transmissions, whose joints are in the builder, as bodies.
inline void add_rotors(Robot& robot, const Options& options, ModelBuilder<double>& builder) {
  const auto has_rotor = [&](const std::string& joint) {
    for (const Rotor<double>& rotor : robot.rotors)
      if (rotor.joint == joint) return !options.armature.contains(joint);
    return false;
  };
  for (const auto& [joint, axis] : options.rotor_axes)
    if (!has_rotor(joint))
      throw ModelError(join({"Options::rotor_axes names joint ", excerpt(joint), ", which has no rotor in the file"}));
  for (Rotor<double>& rotor : robot.rotors) {
    if (options.armature.contains(rotor.joint)) continue;
    if (const auto axis = options.rotor_axes.find(rotor.joint); axis != options.rotor_axes.end())
      rotor.axis = axis->second;
    builder.add_rotor(rotor);
  }
}

/// The name of the joint of the root, distinct from all joints of the file. (A fixed root joint is not in the model,
/// but the builder requires distinct names.)
inline std::string root_name(Robot& robot, const Options& options) {
  const bool fixed = options.root.chain.empty(), given = !options.root_name.empty();
  std::string name = given ? options.root_name : "root_joint";
  const BodySpec<double>* const taken = robot.find(name);
  if (taken && given && !fixed)
    throw ModelError(join({"line ", corio::detail::Digits(taken->joint_line), ": joint ", excerpt(name),
                           ": Options::root_name gives the same name to the joint of the root; choose another"}));
  while (robot.find(name)) name += '_';
  if (taken && !fixed)
    robot.notes.all.push_back({"joint 'root_joint'", taken->joint_line,
                               "has the name that the joint of the root has elsewhere",
                               join({"that one is ", excerpt(name), "; Options::root_name gives it another name"})});
  return name;
}

/// The builder of the robot in a URDF text: class Robot (robot.hpp) reads the elements, and the options are applied
/// here.
/// @param name  the name of the model if the robot has none
inline ModelBuilder<double> builder(const std::string& text, const Options& options,
                                    const std::string& name = "robot") {
  // The contents of the file.
  const xml::Document document(text);
  Robot robot(document.root(), name);
  const std::string owner = join({"robot ", excerpt(robot.name)});
  if (document.zeros() > 0)
    robot.notes.all.push_back(
        {owner, 0, join({corio::detail::Digits(document.zeros()), " zero bytes follow the text"}), "they are ignored"});

  // Options for joints of the file.
  if (options.mimic == Mimic::reject) check_mimics(robot);
  if (options.mimic == Mimic::couple) robot.resolve_mimics();
  for (const auto& [joint, armature] : options.armature) {
    BodySpec<double>* const body = robot.find(joint);
    if (!body) throw ModelError(join({"Options::armature names joint ", excerpt(joint), ", which is not in the file"}));
    if (body->joint.chain.empty())
      throw ModelError(join({"Options::armature names joint ", excerpt(joint), ", which is fixed"}));
    body->armature = {armature};
  }
  if (options.rotors == Rotors::reflected) reflect_rotors(robot, options);

  // The joint between the ground and the root.
  robot.root.joint = options.root;
  robot.root.joint_name = root_name(robot, options);

  // The builder gets settings and notes, then the root before all other bodies, then the elements that need the bodies.
  ModelBuilder<double> builder(robot.name);
  builder.set_inertias(options.inertias);
  builder.set_armature_of_massless(options.armature_of_massless);
  bool moves = !options.root.chain.empty();
  for (const auto& body : robot.bodies) moves = moves || !body.joint.chain.empty();
  if (!moves)
    robot.notes.add(owner, document.root(), "nothing in it moves: the root and all joints are fixed",
                    "Options::root = joint::FreeFlyer{} makes it a free body");
  for (Note& note : robot.notes.all) builder.add_note(std::move(note));
  for (auto& [coupling, master, note] : robot.mimics) {
    note.advice = options.mimic == Mimic::couple ? "they are coupled in a Mechanism; in the tree alone they are free"
                                                 : "it is loaded as an independent joint";
    builder.add_note(std::move(note));
  }
  builder.add_body(std::move(robot.root));
  for (auto& body : robot.bodies) builder.add_body(std::move(body));
  for (auto& frame : robot.frames) builder.add_frame(std::move(frame));
  if (options.rotors == Rotors::geared) add_rotors(robot, options, builder);
  if (options.mimic == Mimic::couple)
    for (auto& mimic : robot.mimics) builder.add_loop(std::move(mimic.coupling));
  for (auto& loop : robot.loops) builder.add_loop(std::move(loop));
  if (options.wrap_continuous) builder.wrap_continuous();
  return builder;
}

}  // namespace detail

CORIO_URDF_INLINE ModelBuilder<double> builder_from_text(const std::string& text, const Options& options) {
  return xml::with_source("URDF text", [&] { return detail::builder(text, options); });
}

CORIO_URDF_INLINE ModelBuilder<double> builder(const std::filesystem::path& path, const Options& options) {
  const std::string text = corio::detail::read_file(path, "URDF file");
  return xml::with_source(path.string(), [&] { return detail::builder(text, options, path.stem().string()); });
}

CORIO_URDF_INLINE Model<double> parse(const std::string& text, const Options& options) {
  return xml::with_source("URDF text", [&] { return detail::builder(text, options).build(); });
}

CORIO_URDF_INLINE Model<double> load(const std::filesystem::path& path, const Options& options) {
  const std::string text = corio::detail::read_file(path, "URDF file");
  return xml::with_source(path.string(), [&] { return detail::builder(text, options, path.stem().string()).build(); });
}

}}}  // namespace corio::urdf
