#pragma once

#include "corio/io/mjcf/joint.hpp"
#include "corio/io/mjcf/keyframe.hpp"

/// The bodies, joints and sites of an MJCF document.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// A set of names in use.
class Names {
 public:
  /// Takes a name; returns false if the name is in use.
  bool take(const std::string& name) { return taken_.insert(name).second; }
  bool has(const std::string& name) const { return taken_.contains(name); }
  /// Takes the wanted name, or, if that name is in use, a name that begins with it.
  std::string unique(std::string wanted) {
    while (!take(wanted)) wanted += '_';
    return wanted;
  }

 private:
  std::set<std::string> taken_;
};

/// A joint with a springdamper.
struct SpringDamper {
  std::size_t body;
  Element joint;
  double time_constant, damping_ratio;
};

/// The result of reading the bodies of a document.
struct Tree {
  std::vector<BodySpec<double>> bodies;
  std::vector<FrameSpec<double>> sites;
  std::set<std::string> fused;  // bodies that fusestatic merges into their parents
  std::vector<SpringDamper> springs;
  std::vector<double> qpos0;
  std::size_t nv = 0;
  /// Places and values of the numbers of keys for joints of attached models, by attribute, such as "qpos home".
  std::map<std::string, std::vector<std::pair<std::size_t, std::vector<double>>>> keys{};
};

class TreeReader {
 public:
  TreeReader(Parts& parts, Notes& notes) : parts_(parts), notes_(notes) {}

  Tree read(const std::vector<const Element*>& worldbodies) {
    for (const Element* e : worldbodies) reserve_names(*e);
    for (const Element* e : worldbodies) {
      Contents world;
      collect(*e, Pose<double>::identity(), parts_.of(*e).defaults.main(), world);
      if (world.inertial || !world.joints.empty()) e->fail({"the world has no <inertial> and no joints"});
      finish("", world);
    }
    return std::move(tree_);
  }

 private:
  struct Child {
    const Element* element;
    Pose<double> frame;
    const Class* around;
  };
  /// The contents of a body, with the poses of the <frame> elements around them.
  struct Contents {
    const Element* inertial = nullptr;
    std::vector<PlacedElement> joints, geoms, sites;
    std::vector<Child> bodies;
  };

  /// Reserves the names in the file, so that generated names avoid them.
  void reserve_names(const Element& around) {
    for (const Element& e : around.children) {
      const std::string* name = e.find("name");
      const bool is_joint = e.name == "joint" || e.name == "freejoint";
      if (e.name != "body" && e.name != "frame" && e.name != "site" && !is_joint) continue;
      if (name && name->empty()) e.fail({"its name is empty; leave the attribute out or give one"});
      if (name && e.name != "frame" && !(is_joint ? joints_ : e.name == "site" ? site_names_ : bodies_).take(*name))
        e.fail({"another ", is_joint ? "joint" : e.name, " has this name"});
      reserve_names(e);
    }
  }

  void collect(const Element& around, const Pose<double>& frame, const Class& inherited, Contents& to) {
    const auto with_defaults = [&](const Element& e) {
      return PlacedElement{parts_.of(e).defaults.applied(e, e.name, inherited), frame};
    };
    for (const Element& e : around.children) {
      if (e.name == "body") {
        to.bodies.push_back({&e, frame, &inherited});
      } else if (e.name == "joint") {
        to.joints.push_back(with_defaults(e));
      } else if (e.name == "freejoint") {
        to.joints.push_back({e, frame});
      } else if (e.name == "geom") {
        to.geoms.push_back(with_defaults(e));
      } else if (e.name == "site") {
        to.sites.push_back(with_defaults(e));
      } else if (e.name == "inertial") {
        if (around.name == "frame") e.fail({"stands in a <frame>, which does not move it; put it into the body"});
        to.inertial = &e;
      } else if (e.name == "frame") {
        collect(e, frame * pose_of(e), childclass(e, inherited), to);
      } else if (e.name == "plugin") {
        notes_.add(e, "forces of plugins are not read", "they are not part of the model");
      } else if (e.name == "composite" || (e.name == "flexcomp" && !e.flag("rigid", false))) {
        fail_generating(e);
      }
    }
  }

  /// (A rigid <flexcomp> generates no bodies.)
  [[noreturn]] static void fail_generating(const Element& e) {
    const std::string type = e.get("type", e.name == "flexcomp" ? "grid" : "");
    constexpr std::string_view until_2 = " rope loop cloth ", until_3_2_4 = " box cylinder ellipsoid ";
    const auto is_one = [&](std::string_view all) { return all.find(join({" ", type, " "})) != all.npos; };
    const char* const versions = e.name == "flexcomp"  ? "3.0.0 or newer"
                                 : type == "cable"     ? "2.3.0 or newer"
                                 : is_one(until_2)     ? "2.3.7 or older"
                                 : is_one(until_3_2_4) ? "3.2.4 or older"
                                                       : "3.2.7 or older";
    e.fail({"type=", xml::excerpt(type), " generates bodies in MuJoCo ", versions,
            ", which corio does not; load the model with that and save it (mj_saveLastXML), which writes them out"});
  }

  /// Adds the sites and child bodies of a body already added.
  void finish(const std::string& body, const Contents& contents) {
    for (const auto& [e, frame] : contents.sites) {
      const std::string* given = e.find("name");
      if (!given) continue;  // the file cannot refer to it by name
      std::string name = *given;
      if (bodies_.has(name)) {
        name = bodies_.unique(name + "_site");
        if (!std::exchange(renamed_, true))
          notes_.add(e, "sites with the name of a body, such as this one",
                     join({"their frames have a longer name, such as '", name, "'"}));
      } else {
        bodies_.take(name);
      }
      tree_.sites.push_back({name, body, frame * (e.find("fromto") ? pose_between(e) : pose_of(e)), notes_.line(e)});
    }
    for (const auto& [e, frame, around] : contents.bodies) read_body(*e, frame, *around, body);
  }

  void read_body(const Element& e, const Pose<double>& frame, const Class& around, const std::string& parent) {
    // Read the contents and the name of the body, by default MuJoCo's name.
    Contents contents;
    collect(e, Pose<double>::identity(), childclass(e, around), contents);
    const bool mocap = e.flag("mocap", false);
    if (mocap) notes_.add(e, "mocap=\"true\": in MuJoCo the user moves it", "it is welded to the ground");
    const Compiler& main = parts_.main().compiler;
    const bool fusible = main.fuse_static && contents.joints.empty() && !mocap;
    const bool fused = fusible && !main.has_references;
    if (fusible && !fused && !std::exchange(noted_fusible_, true))
      notes_.add(e, "fusestatic in a file whose elements could refer to such bodies by name",
                 "as in MuJoCo 2 they remain bodies, with numbers, and count for settotalmass; MuJoCo 3 fuses some");
    const std::string made_up =
        fused ? (parent.empty() ? "world" : parent) + "_static" : "body" + std::to_string(++body_id_);
    const std::string* given = e.find("name");
    const std::string name = given ? *given : unique_frame(made_up);
    if (fused) tree_.fused.insert(name);
    if (e.number("gravcomp", 0) != 0)
      notes_.add(e, "gravcomp=" + xml::excerpt(e.get("gravcomp")), "the force is not part of the model");

    const Pose<double> placement = frame * pose_of(e);
    const InertialParameters<double> inertia = inertia_of(e, contents.inertial, contents.geoms, parts_, notes_);

    // The joints of the body. Each carries a body of its own; the last one carries this body.
    std::string carried = parent;
    Pose<double> from_parent = placement;
    for (const auto& [e_joint, around_joint] : contents.joints) {
      const bool last = &e_joint == &contents.joints.back().element;
      BodySpec<double> spec =
          joint_spec(e_joint, around_joint, from_parent, parts_.of(e_joint).compiler, tree_.qpos0, notes_);
      if (spec.joint.type == joint::FreeFlyer::type) check_free(e_joint, contents, parent);
      const std::string* joint_name = e_joint.find("name");
      const std::string joint_number = std::to_string(joint_id_++);
      spec.joint_name = joint_name ? *joint_name : joints_.unique("joint" + joint_number);
      spec.joint_line = notes_.line(e_joint);
      spec.name = last ? name : unique_frame(name + "_" + spec.joint_name);
      spec.line = notes_.line(e);
      spec.parent = carried;
      if (last) spec.inertia = inertia;
      for (const auto& [key, value] : e_joint.attributes)
        if (is_key_numbers(key)) {
          const auto n = static_cast<std::size_t>(key.starts_with("qpos") ? spec.joint.nq() : spec.joint.nv());
          const std::size_t at = key.starts_with("qpos") ? tree_.qpos0.size() - n : tree_.nv;
          tree_.keys[key].emplace_back(at, e_joint.numbers(key, n, n));
        }
      tree_.nv += static_cast<std::size_t>(spec.joint.nv());
      carried = spec.name;
      from_parent = Pose<double>::identity();
      if (e_joint.find("springdamper")) {
        const auto x = e_joint.numbers("springdamper", 2, 2);
        if (x[0] > 0 && x[1] > 0)
          tree_.springs.push_back({tree_.bodies.size(), e_joint, x[0], x[1]});
        else if (x[0] != 0 || x[1] != 0)
          e_joint.fail(
              {"springdamper needs two positive numbers, a time constant and a damping ratio, or 0 0 for none"});
      }
      tree_.bodies.push_back(std::move(spec));
    }
    // A body without joints is welded to its parent.
    if (contents.joints.empty())
      tree_.bodies.push_back({.name = name,
                              .parent = parent,
                              .placement = placement,
                              .inertia = inertia,
                              .joint_name = joints_.unique(name + "_joint"),
                              .line = notes_.line(e)});
    finish(name, contents);
  }
  Pose<double> pose_of(const Element& e) { return pose(e, parts_.of(e).compiler); }
  const Class& childclass(const Element& e, const Class& inherited) {
    return parts_.of(e).defaults.named(e, "childclass", inherited);
  }
  void check_free(const Element& e, const Contents& contents, const std::string& parent) const {
    if (contents.joints.size() > 1 || !parent.empty())
      e.fail({"a free joint must be the only one of a body in the world"});
    const std::string align = e.choice("align", "auto", {"false", "true", "auto"});
    if (contents.bodies.empty() && (align == "true" || (align == "auto" && parts_.of(e).compiler.align_free)))
      e.fail(
          {"align and alignfree (MuJoCo 3.2.3 or newer) move the frame of its body to the centre of mass and turn it "
           "to "
           "the principal axes of inertia, which is not read; set align=\"false\", or load the model with MuJoCo and "
           "save it (mj_saveLastXML), which writes the moved frame"});
  }
  /// A name that no body or site has.
  std::string unique_frame(std::string wanted) {
    while (site_names_.has(wanted)) wanted += '_';
    return bodies_.unique(std::move(wanted));
  }

  Parts& parts_;
  Notes& notes_;
  Names bodies_, joints_, site_names_;
  bool renamed_ = false,
       noted_fusible_ =
           false;  // whether the notes on a renamed site, and on a static body that MuJoCo 3 fuses, were added
  int body_id_ = 0, joint_id_ = 0;  // MuJoCo's numbers, in the order of the file
  Tree tree_;
};

}}}}  // namespace corio::mjcf::detail
