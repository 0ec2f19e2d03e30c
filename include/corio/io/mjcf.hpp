#pragma once

#include <span>

#include "corio/io/mjcf/actuators.hpp"
#include "corio/io/mjcf/attach.hpp"
#include "corio/io/mjcf/equality.hpp"
#include "corio/io/mjcf/springs.hpp"

namespace corio { inline namespace CORIO_ABI { namespace mjcf {

/// Options of the reader.
struct Options {
  /// The treatment of meshes if solid_of_mesh is empty.
  Meshes meshes = Meshes::refuse;
  /// See ModelBuilder::set_inertias and set_armature_of_massless.
  Inertias inertias = Inertias::as_given;
  double armature_of_massless = 0;
  /// If true, hinges without limits become joint::Continuous: see ModelBuilder::wrap_continuous.
  bool wrap_continuous = false;
  /// With Rotors::geared the armature of a joint with one actuator becomes a rotor, gear times as fast as the joint
  /// (see ModelBuilder::add_rotor). rotor_axes lists the axes of rotors, by joint and in its frame, that differ from
  /// the axis of the joint. Rotors come after MuJoCo's bodies; q has their angles, too.
  Rotors rotors = Rotors::reflected;
  std::map<std::string, Vector3<double>> rotor_axes{};
  /// The folder of included files, attached models and meshes, used if the robot is given as text.
  std::filesystem::path folder{};
  /// Computes the solids of meshes: corio::mesh::solid (mesh.hpp, CMake target corio::mesh), or your own function.
  mesh::SolidOf solid_of_mesh{};
};

/// A <key> of <keyframe>, in MuJoCo's numbers: empty, or nq and nv of them in the order of the joints in the file, with
/// quaternions as w, x, y, z and a free joint's velocity as linear in world axes, then angular in body axes. Numbers
/// that are missing at the end of a list are zero, as in MuJoCo 3.3.6 and later (older ones refuse such a list);
/// missing numbers of hinges and slides are their ref (in rad; MuJoCo takes the number of degrees); a quaternion of
/// zeros means no rotation.
struct Keyframe {
  std::string name;
  double time = 0;
  std::vector<double> qpos{}, qvel{};
};

/// The contents of a file.
struct File {
  ModelBuilder<double> builder;
  /// MuJoCo's reference configuration: the ref of hinges and slides, and the poses of free bodies in the file (with
  /// either sign of the quaternion).
  std::vector<double> qpos0{};
  std::vector<Keyframe> keyframes{};
  /// The children of <equality> and <tendon> as in the file; supported children of <equality> are also loops of the
  /// model. Bodies and joints keep their names in the model, and so do sites unless a body has the name.
  std::vector<Element> equalities{}, tendons{};
};

/// Reads a robot in MJCF, the XML of MuJoCo: the builder of its model, and data that are not part of a model.
///
/// Elements that define a tree of rigid bodies are read with their meaning in MuJoCo: <compiler>, <default> with nested
/// classes, <include>, <body>, <frame>, <inertial>, <joint>, <freejoint>, <site>, gravity, <keyframe>; the inertia of
/// bodies without <inertial> comes from their geoms: spheres, capsules, cylinders, boxes, ellipsoids and, with
/// Options::solid_of_mesh, meshes; height fields; shells. <attach> and <replicate> are replaced by the elements that
/// they generate. Meshes without that option (see Options::meshes), <composite>, <flexcomp>, coordinate="global" and
/// alignfree are errors. Contacts, sensors, other assets and visual elements are ignored; actuators, tendons, other
/// equalities, fluids and mocap bodies are ignored with a note, except for the armature of actuators of joints.
/// Elements, attributes and children are those that any MuJoCo from 2.2.0 to 4.0.0 knows (as of 28 November 2026); the
/// contents of ignored elements are not checked. Unknown options, flags and parameters of the solver are ignored with a
/// note, unless their names are near to a known one.
///
/// - Bodies have MuJoCo's names, frames and order. A body without a name is called "body" and its number in MuJoCo; if
///   MuJoCo's fusestatic merges it into another body, it has that body's name ("world" for the ground) and "_static".
/// - Each joint carries a body. The last of several joints of a body carries the body itself; the others carry massless
///   bodies with the body's name, "_" and the joint's name. A joint without a name is called "joint" and its number.
/// - Bodies without joints are welded; their names and the names of sites are names of frames. A site with the name of
///   a body has that name and "_site", with a note.
/// - q of hinges and slides is MuJoCo's qpos, also if ref is not zero. Ball joints are joint::Spherical, free joints
///   are joint::FreeFlyer: corio's quaternions are x, y, z, w, MuJoCo's w, x, y, z; the velocity of a free joint is the
///   twist in body axes [angular; linear], in MuJoCo [linear in world axes; angular in body axes]. A free body's q is
///   its pose in the world, so in the neutral configuration it is at the origin and not at its pose in the file
///   (File::qpos0).
/// - Attached elements have the units, rules and default classes of their own model, and the names that MuJoCo gives
///   them, with prefix or suffix. <compiler> settotalmass, fusestatic, <option> and <flag> are taken from the main
///   file. Keys of an attached model give numbers to its joints alone: all other joints are at qpos0 and at rest, and
///   so are, as in MuJoCo, all replicas but the first. Names of keys have the prefixes of all <attach> around them, in
///   MuJoCo the innermost alone.
/// - Parts disabled by a <flag> are left out of the model, with a note: loops by equality, limits of position by limit,
///   friction by frictionloss, all three by constraint; springs and damping by passive, spring and damper; gravity.
/// - The equalities connect, weld and joint (with a polynomial of degree one) are loops of the model, Model::loops(),
///   which only a Mechanism enforces; in a joint equality, joint1 is the dependent joint. A weld whose torquescale is
///   zero holds a point alone.
/// - Meshes are STL, OBJ and MSH files, or vertices and faces in the file; the distribution of their mass follows the
///   attribute inertia of <mesh> (legacy by default, exact, convex, shell) or exactmeshinertia of older files. With a
///   density, legacy has the mass of the volume, as in MuJoCo 3; MuJoCo 2 took the mass of a box with this inertia.
///   A geom with shellinertia is a shell: of its mesh, as in MuJoCo before 3.3, or of its primitive shape, as
///   from 3.2.3 on. Geoms of another type with a mesh have the size that MuJoCo fits to it, except by fitaabb.
/// - Ranges are limits as with autolimits="true", today's default. Damping, frictionloss and springs, also from
///   springdamper, are passive terms (see passive_forces); polynomials of stiffness and damping are cut to their linear
///   terms, with a note. Armatures are reflected inertias; see Options::rotors. Springs of a free joint are ignored,
///   and friction and armature act in body axes, in MuJoCo on linear motion in world axes: all three with a note.
///   MuJoCo's default unit of angles is the degree; the model has them in rad.
///
/// @throws ModelError with file, line and element, for input that is not well-formed, unknown, unsupported, or
///   contradictory, such as two orientations; for a file that is included twice or attaches itself; for numbers that
///   are missing, not finite or out of their range; if <attach> and <replicate> generate more than 64 MiB of text.
///
/// Memory is linear in the text, generated elements included. So is time, except for n log n in the number n of names
/// and reading the text of its model again for each <attach>.
inline File read_text(const std::string& text, const Options& options = {});
/// Reads a file in the same way. Included files are searched beside the main file, then beside the file that includes
/// them; attached models beside the main file of the model that attaches them.
inline File read(const std::filesystem::path& path, const Options& options = {});

/// Reads only the builder, to change or extend the robot before it is built.
inline ModelBuilder<double> builder_from_text(const std::string& text, const Options& options = {});
inline ModelBuilder<double> builder(const std::filesystem::path& path, const Options& options = {});

/// The model of a robot described in MJCF, from text; see read_text.
///
/// @throws ModelError, and the errors of ModelBuilder::build()
inline Model<double> parse(const std::string& text, const Options& options = {});
/// The model of a robot described in MJCF, from a file; see read_text.
///
///   const corio::Model<double> humanoid = corio::mjcf::load("humanoid.xml");
inline Model<double> load(const std::filesystem::path& path, const Options& options = {});

namespace detail {

/// Adds a note on each section with forces that are not part of the model.
inline void note_forces(Parts& parts, Notes& notes) {
  const Element& root = parts.main().root;
  const auto note = [&](const Element& from, std::string_view section, const char* found, const char* advice) {
    const auto all = sections(from, section);
    const auto first = std::ranges::find_if(all, [](const Element* e) { return !e->children.empty(); });
    if (first != all.end()) notes.add(**first, found, advice);
  };
  note(root, "tendon", "forces and limits of tendons are not applied", "File::tendons has its elements");
  note(root, "actuator", "forces, gears and damping of actuators are not applied", "tau are the forces of the joints");
  for (const Part& part : parts)
    note(part.root, "deformable", "the forces of flexible bodies are not applied", "tau are the forces of the joints");
  for (const Element* e : sections(root, "option")) {
    const Vector3<double> wind = e->vector("wind", zero3<double>());
    if (e->number("density", 0) != 0 || e->number("viscosity", 0) != 0 || dot(wind, wind) != 0)
      notes.add(*e, "forces of the medium (density, viscosity, wind)", "they are not part of the model");
  }
}

/// Adds a note on each attribute below an element that no known version has (may_be_newer).
/// @param row  the element's row of the schema, null if its contents are not checked
inline void note_newer(const Element& e, const xml::Row* row, Notes& notes) {
  if (!row) return;
  for (const auto& [key, value] : e.attributes)
    if (!schema.has(row->attributes, key))
      notes.add(e, join({key, "=", xml::excerpt(value), " is not known"}),
                "it is ignored: options and solvers change neither the tree nor inertias nor frames");
  for (const Element& child : e.children) note_newer(child, schema.find(e.name, child.name), notes);
}

/// The flags that disable parts of a model. (Others concern contacts, actuators, sensors, the solver and the
/// integrator.) MuJoCo before 3.3.6 has "passive", later versions "spring" and "damper".
class Flags {
 public:
  explicit Flags(const Element& root) {
    for (const Element* option : sections(root, "option"))
      for (const Element& e : option->children)
        for (const auto& [key, value] : e.attributes)
          if (schema.has(schema.find(option->name, e.name)->attributes, key))
            set_by_[key] = e.choice(key, "", {"enable", "disable"}) == "disable" ? &e : nullptr;
  }
  void note(Notes& notes) const {
    for (const auto& [key, effect] : effects)
      if (off(key)) notes.add(*set_by_.at(key), join({key, "=\"disable\""}), effect);
  }
  /// Returns whether both disable the same parts of a model.
  bool agree(const Flags& other) const {
    return std::ranges::all_of(effects, [&](const auto& e) { return off(e.first) == other.off(e.first); });
  }
  bool off(const char* key) const {
    const auto found = set_by_.find(key);
    return found != set_by_.end() && found->second;
  }
  bool constraint_off(const char* key) const { return off("constraint") || off(key); }

  /// Removes disabled parts from the bodies, with the notes on them.
  void apply(std::vector<BodySpec<double>>& bodies, Notes& notes) const {
    const bool frictionless = constraint_off("frictionloss"), springless = off("passive") || off("spring");
    for (auto& body : bodies) {
      if (constraint_off("limit")) body.limits.lower.clear(), body.limits.upper.clear();
      if (frictionless) body.passive.friction.clear();
      if (springless) body.passive.stiffness.clear(), body.passive.rest.clear();
      if (off("passive") || off("damper")) body.passive.damping.clear();
    }
    std::erase_if(notes.all, [&](const Note& note) {
      return (frictionless && note.found == friction_of_free_joint) ||
             (springless && note.found == spring_of_free_joint);
    });
  }

 private:
  static constexpr std::pair<const char*, const char*> effects[] = {
      {"constraint", "the model has no loops, no friction and no limits of position"},
      {"equality", "the model has no loops; File::equalities has them"},
      {"frictionloss", "the model has no friction"},
      {"limit", "the model has no limits of position"},
      {"passive", "the model has no springs and no damping"},
      {"spring", "the model has no springs"},
      {"damper", "the model has no damping"}};
  std::map<std::string, const Element*> set_by_;  // the element that disables a flag, null if a later one enables it
};

inline Vector3<double> gravity(const Element& root, const Flags& flags) {
  Vector3<double> g(0, 0, -9.81);
  for (const Element* e : sections(root, "option")) g = e->vector("gravity", g);
  return flags.off("gravity") ? zero3<double>() : g;
}

/// Adds a note if an attached model has a setting that only the main file can have.
inline void note_attached(const Element& attached, const Element& root, const Flags& flags, Notes& notes) {
  const Flags own(attached);
  const auto options = sections(attached, "option");
  if (!options.empty() && (!own.agree(flags) || gravity(attached, own) != gravity(root, flags)))
    notes.add(*options.front(), "gravity or flags of an attached model differ from the main file",
              "the main file decides, as in MuJoCo");
}

/// The qpos of a <key>, completed as described for Keyframe; empty if the key has none.
inline std::vector<double> key_qpos(const Element& key, const Tree& tree) {
  std::vector<double> qpos = key.numbers("qpos", 0, tree.qpos0.size());
  const std::size_t given = qpos.size();
  if (given == 0) return qpos;
  qpos.resize(tree.qpos0.size());
  for (std::size_t at = 0; const auto& body : tree.bodies) {
    const auto nq = static_cast<std::size_t>(body.joint.nq());
    if (nq == 1 && at >= given) qpos[at] = tree.qpos0[at];
    at += nq;
    if (nq < 4) continue;
    const std::span quaternion(&qpos[at - 4], 4);
    if (std::ranges::all_of(quaternion, [](double x) { return x == 0.0; })) quaternion[0] = 1.0;
  }
  return qpos;
}

inline std::vector<Keyframe> keyframes(const Part& main, const Tree& tree) {
  std::vector<Keyframe> all;
  const std::size_t nv = tree.nv;
  for (const Element& e : entries(main.root, "keyframe")) {
    Keyframe key{e.get("name"), e.number("time", 0)};
    if (e.find("qpos")) key.qpos = key_qpos(e, tree);
    if (e.find("qvel")) key.qvel = e.numbers("qvel", 0, nv);
    if (!key.qvel.empty()) key.qvel.resize(nv);
    all.push_back(std::move(key));
  }
  // Keys of attached models have numbers of their own joints; all other joints are in the reference configuration, at
  // rest.
  const auto filled = [&](const std::string& numbers, std::vector<double> x) {
    const auto found = tree.keys.find(numbers);
    if (found == tree.keys.end()) return std::vector<double>{};
    for (const auto& [at, values] : found->second)
      std::ranges::copy(values, x.begin() + static_cast<std::ptrdiff_t>(at));
    return x;
  };
  for (const Element& e : main.keys)
    all.push_back({e.get("name"), e.number("time", 0), filled("qpos " + e.get("name"), tree.qpos0),
                   filled("qvel " + e.get("name"), std::vector<double>(nv, 0.0))});
  return all;
}

/// Applies settotalmass. Masses that fusestatic merges into the ground do not count.
inline void scale_masses(Tree& tree, double total_mass) {
  if (!(total_mass > 0.0)) return;
  std::set<std::string> ground{""};
  double sum = 0;
  for (const auto& body : tree.bodies)
    if (tree.fused.contains(body.name) && ground.contains(body.parent.name))
      ground.insert(body.name);
    else
      sum += body.inertia.mass;
  const double scale = total_mass / (std::max)(sum, 1e-15);
  for (auto& body : tree.bodies) body.inertia.mass *= scale, body.inertia.inertia *= scale;
}

/// Returns whether an element below this one could refer to bodies by name.
inline bool has_references(const Element& around) {
  constexpr std::string_view referring = " equality tendon actuator sensor contact deformable ";
  return std::ranges::any_of(around.children, [&](const Element& e) {
    if (e.name == "default") return false;
    return referring.find(join({" ", around.name, " "})) != referring.npos || e.name == "camera" || e.name == "light" ||
           e.name == "tuple" || has_references(e);
  });
}

/// @param path  the path of the file, empty for a text
inline File read(Element main, const Options& options, const std::filesystem::path& folder,
                 const std::filesystem::path& path) {
  Notes notes(*main.file);
  Parts parts = Assembler(notes).assemble(std::move(main), folder, path);
  const Element& root = parts.main().root;
  note_forces(parts, notes);
  for (const Part& part : parts) note_newer(part.root, schema.find("", part.root.name), notes);
  const Flags flags(root);
  flags.note(notes);
  for (const Part& part : parts)
    if (part.root.model > 0) note_attached(part.root, root, flags, notes);
  for (Part& part : parts) part.read_meshes(options.meshes, options.solid_of_mesh, notes);
  Compiler& compiler = parts.main().compiler;
  compiler.has_references = std::ranges::any_of(parts, [](const Part& part) { return has_references(part.root); });
  Tree tree = TreeReader(parts, notes).read(sections(root, "worldbody"));
  if (tree.bodies.empty())
    root.fail(
        {"has no <body> in its <worldbody>: the model would be empty; if the file is a part that others include, "
         "load one of those"});
  scale_masses(tree, compiler.total_mass);

  const auto builder = [&] {
    ModelBuilder<double> all(root.get("model", "MuJoCo Model"));
    all.set_armature_of_massless(options.armature_of_massless);
    for (const auto& body : tree.bodies) all.add_body(body);
    return all;
  };
  if (!tree.springs.empty()) set_springs(tree, builder(), notes);
  flags.apply(tree.bodies, notes);
  const std::vector<Element> actuators = entries(root, "actuator");
  reflect_actuators(actuators, parts, tree.bodies, notes);
  note_tendons(entries(root, "tendon"), parts, notes);
  File file{builder()};
  file.builder.set_inertias(options.inertias);
  file.builder.set_gravity(gravity(root, flags));
  for (auto& site : tree.sites) file.builder.add_frame(std::move(site));
  file.keyframes = keyframes(parts.main(), tree);
  file.qpos0 = std::move(tree.qpos0);
  file.equalities = entries(root, "equality");
  file.tendons = entries(root, "tendon");
  if (!flags.constraint_off("equality")) read_equalities(file.equalities, parts, file.builder, file.qpos0, notes);
  add_rotors(actuators, parts, options.rotors, options.rotor_axes, file.builder, notes);
  if (options.wrap_continuous) file.builder.wrap_continuous();
  for (Note& note : notes.all) file.builder.add_note(std::move(note));
  return file;
}

inline constexpr const char* text_name = "MJCF text";

}  // namespace detail

inline File read_text(const std::string& text, const Options& options) {
  return detail::read(detail::Loader(options.folder).text(text, detail::text_name), options, options.folder, {});
}

inline File read(const std::filesystem::path& path, const Options& options) {
  return detail::read(detail::Loader(path.parent_path()).file(path), options, path.parent_path(), path);
}

inline ModelBuilder<double> builder_from_text(const std::string& text, const Options& options) {
  return read_text(text, options).builder;
}

inline ModelBuilder<double> builder(const std::filesystem::path& path, const Options& options) {
  return read(path, options).builder;
}

inline Model<double> parse(const std::string& text, const Options& options) {
  const auto builder = builder_from_text(text, options);
  return xml::with_source(detail::text_name, [&] { return builder.build(); });
}

inline Model<double> load(const std::filesystem::path& path, const Options& options) {
  const auto made = builder(path, options);
  return xml::with_source(path.string(), [&] { return made.build(); });
}

}}}  // namespace corio::mjcf
