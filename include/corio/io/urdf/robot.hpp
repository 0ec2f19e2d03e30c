#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corio/io/urdf/joint_types.hpp"
#include "corio/io/urdf/limits.hpp"
#include "corio/io/urdf/loops.hpp"
#include "corio/io/urdf/transmission.hpp"
#include "corio/model/builder.hpp"

namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

/// The robot in a URDF file: the bodies in the order of their joints, and notes. The constructor checks that all
/// numbers are finite and that the joints span one tree. ModelError names the line, the link or joint, what was found
/// and what is expected.
class Robot {
 public:
  /// @param otherwise  the name of a robot without name
  Robot(const ElementView& robot, const std::string& otherwise) : name(robot.attribute("name").value_or(otherwise)) {
    check_root(robot);
    check_known(robot, *schema.find("", "robot"), join({"robot ", excerpt(name)}));
    const auto links = robot.children("link");
    if (links.empty()) robot.fail({"the robot has no links; it needs at least one <link name=\"...\">"});
    for (const ElementView& e : links) read_link(e);
    for (const char* joint : {"joint", "drake:joint"})
      for (const ElementView& e : robot.children(joint)) read_joint(e);
    for (const ElementView& e : robot.children("transmission")) read_transmission(e);
    count_strange();
    check_tree();
    const LoopReader reader([this](const std::string& link) { return way_to(link); }, bodies, dependent_, notes);
    Names names;
    const auto check_name = [&](const ElementView& e) {
      names.add(new_name(e, names, [&](int i) { return loops.begin()[i].line; }));
    };
    for (const ElementView& e : robot.children("loop")) check_name(e), loops.push_back(reader.loop(e, frames));
    for (const ElementView& e : robot.children("coupling")) check_name(e), loops.push_back(reader.coupling(e));
  }

  /// For Mimic::couple: checks that the mimicked joints exist, and that no joints mimic each other in a cycle.
  void resolve_mimics() {
    Names joints;  // numbered as mimics
    for (MimicJoint& mimic : mimics) {
      joints.add(mimic.coupling.terms[0].joint);
      // A fixed joint has q = 0, so only the offset remains.
      if (const auto* master = find(mimic.master); master && master->joint.chain.empty())
        mimic.coupling.terms.resize(1);
      else if (!master)
        throw ModelError(
            join({"line ", corio::detail::Digits(mimic.note.line), ": ", mimic.note.element, " ", mimic.note.found,
                  ", which is not in the file; correct the name, or load it with Mimic::independent"}));
    }
    // The path from each joint to the joint that it mimics ends at a joint without <mimic>, or is a cycle.
    const auto next = [&](std::size_t i) {
      const auto& terms = mimics[i].coupling.terms;
      const int found = terms.size() < 2 ? -1 : joints.find(terms[1].joint);
      return found < 0 ? mimics.size() : static_cast<std::size_t>(found);
    };
    std::vector<char> good(mimics.size(), 0);  // whether the path from the joint is known to end
    for (std::size_t i = 0; i < mimics.size(); ++i) {
      std::size_t steps = 0;
      for (std::size_t at = i; at < mimics.size() && !good[at]; at = next(at))
        if (++steps > mimics.size())
          throw ModelError(join({"line ", corio::detail::Digits(mimics[at].note.line), ": ", mimics[at].note.element,
                                 " ", mimics[at].note.found, ", which mimics it in turn; one joint must mimic none"}));
      for (std::size_t at = i; at < mimics.size() && !good[at]; at = next(at)) good[at] = 1;
    }
  }

  /// The body on the joint of that name, null if there is none.
  BodySpec<double>* find(const std::string& joint) {
    const int found = joint_names_.find(joint);
    return found < 0 ? nullptr : &bodies[found];
  }

  std::string name;
  BodySpec<double> root;                            // the root link, without a joint
  corio::detail::PerSpec<BodySpec<double>> bodies;  // all other links
  Notes notes;
  /// A joint that mimics another: its coupling with this master, and the note on it.
  struct MimicJoint {
    LoopSpec coupling;
    std::string master;
    Note note;
  };
  std::vector<MimicJoint> mimics;
  std::vector<LoopSpec> loops;
  std::vector<FrameSpec<double>> frames;  // the frames of loops
  corio::detail::Table<Rotor<double>, struct OfRotors> rotors;

 private:
  using Names = corio::detail::Names;
  static constexpr int none = -1;

  struct Link {
    std::string name;
    int line;
    InertialParameters<double> inertia;  // zero for a link without <inertial>
    int carrier;                         // the body whose joint carries the link, none for a root
  };

  void check_root(const ElementView& robot) {
    if (robot.name() != "robot")
      robot.fail({"the root element is <", brief(robot.name()), ">, a URDF has <robot>",
                  robot.name() == "mujoco" ? "; corio::mjcf::load reads MJCF" : ""});
    if (!robot.attribute("name"))
      notes.add("robot", robot, "has no attribute name", join({"it is called ", excerpt(name)}));
    const std::string version = robot.attribute("version").value_or("1.0");
    if (version != "1" && !version.starts_with("1."))
      robot.fail({"<robot> has version ", excerpt(version), ", expected 1.0 or another version 1"});
  }

  // ---- Unknown and repeated elements and attributes

  /// Notes unknown attributes, unknown and repeated elements in an element and below it, and rejects unexpanded xacro.
  /// Links, joints and transmissions in <robot> are left to their own calls, with their names as owner.
  void check_known(const ElementView& e, const xml::Row& row, const std::string& owner) {
    const auto knows = [](std::string_view list, std::string_view word) {
      return schema.has(list, word) || (schema.has(list, "rotorInertia") && is_of_rotor(word));
    };
    const auto note = [&](const ElementView& where, std::string_view what, std::string_view advice) {
      std::string found = join({"not part of URDF in a <", e.name(), ">: ", what});
      if (strange_names_.add(found)) {
        strange_.push_back({notes.all.size()});
        notes.add(owner, where, found, join({"it is ignored", advice}));
      }
      ++strange_[strange_names_.find(found)].places;
    };
    std::string strange, advice;  // unknown attributes
    e.for_each_attribute([&](std::string_view key, std::string_view value) {
      if (value.find("${") != value.npos || value.find("$(") != value.npos) refuse_xacro(e, excerpt(value));
      if (knows(row.attributes, key) || key.starts_with("xml")) return;
      strange += join({strange.empty() ? "" : ", ", brief(key)});
      const std::string more = schema.advice(row.attributes, key);
      if (advice.find(more) == advice.npos) advice += more;
    });
    if (!strange.empty()) note(e, strange, advice);
    Names once;  // children that may occur only once
    for (const ElementView& c : e.children()) {
      const std::string child = c.name();
      if (child.starts_with("xacro:")) refuse_xacro(c, join({"<", brief(child), ">"}));
      // Links, joints and transmissions are checked when they are read.
      const bool later = e.name() == "robot" &&
                         (child == "link" || child == "joint" || child == "drake:joint" || child == "transmission");
      if (!knows(row.children, child))
        note(c, join({"<", brief(child), ">"}), schema.advice(row.children, child));
      else if (schema.most(row.children, child) == 1 && !once.add(child))
        notes.add(
            owner, c, join({"has another <", child, "> in its <", e.name(), ">"}),
            join({"the first one, in line ", corio::detail::Digits(e.child(child.c_str())->line()), ", is taken"}));
      else if (const xml::Row* below = later ? nullptr : schema.find(e.name(), child))
        check_known(c, *below, owner);
    }
  }

  /// Completes the notes on unknown parts that the file contains more than once.
  void count_strange() {
    for (const Strange& strange : strange_)
      if (strange.places > 1)
        notes.all[strange.note].found +=
            join({", here and in ", corio::detail::Digits(strange.places - 1), " more places"});
  }

  [[noreturn, gnu::cold]] static void refuse_xacro(const ElementView& where, const std::string& found) {
    where.fail({found, " belongs to xacro; expand the file first: xacro robot.urdf.xacro > robot.urdf"});
  }

  // ---- Links

  /// The attribute name of a link or joint, which must be unique among its kind.
  static std::string new_name(const ElementView& e, const Names& known_names, const auto& line_of) {
    const auto given = e.attribute("name");
    if (!given || given->empty()) e.fail({"a <", e.name(), "> has no name; give it a unique attribute name"});
    if (const int found = known_names.find(*given); found >= 0)
      e.fail({"two ", e.name(), "s are named ", excerpt(*given), ", the first in line ",
              corio::detail::Digits(line_of(found)), "; names must be unique"});
    return *given;
  }

  void read_link(const ElementView& e) {
    const std::string link = new_name(e, link_names_, [&](int i) { return links_[i].line; });
    const std::string owner = join({"link ", excerpt(link)});
    check_known(e, *schema.find("robot", e.name()), owner);
    link_names_.add(link);
    links_.push_back({link, e.line(), inertia(e, owner), none});
  }

  /// The tensor is in the axes of <origin>, about the centre of mass.
  InertialParameters<double> inertia(const ElementView& link, const std::string& owner) {
    const auto inertial = link.child("inertial");
    if (!inertial) return {};
    const Pose<double> origin = pose(*inertial, owner, notes);
    const auto mass = inertial->child("mass"), tensor = inertial->child("inertia");
    if (!mass) notes.add(owner, *inertial, "its <inertial> has no <mass>", "the mass is zero");
    if (!tensor) notes.add(owner, *inertial, "its <inertial> has no <inertia>", "the link is a point mass");
    const double m = mass ? mass->number("value", owner) : 0.0;
    if (m < 0.0) mass->fail({owner, ": mass is ", corio::detail::number(m), " kg, must not be negative"});
    Matrix3<double> inertia = diagonal3(0.0);
    if (tensor) {
      std::string missing;
      const auto product = [&](const char* key, const char* mirrored) {
        const bool given = tensor->attribute(key).has_value(), other = tensor->attribute(mirrored).has_value();
        if (!given && !other) missing += join({missing.empty() ? "" : ", ", key});
        const double x = tensor->number(given ? key : mirrored, owner, 0.0);
        if (given && other && tensor->number(mirrored, owner) != x)
          notes.add(owner, *tensor, join({"its ", key, " and ", mirrored, " differ"}), join({key, " is taken"}));
        return x;
      };
      const double ixx = tensor->number("ixx", owner), iyy = tensor->number("iyy", owner),
                   izz = tensor->number("izz", owner);
      const double ixy = product("ixy", "iyx"), ixz = product("ixz", "izx"), iyz = product("iyz", "izy");
      inertia = Symmetric3<double>{ixx, iyy, izz, ixy, ixz, iyz}.matrix();
      if (!missing.empty()) notes.add(owner, *tensor, join({"its <inertia> has no ", missing}), "taken as zero");
    }
    return {m, origin.translation, origin.rotation * inertia * transpose(origin.rotation)};
  }

  // ---- Joints

  void read_joint(const ElementView& e) {
    // The place of the joint in the tree.
    BodySpec<double> body;
    body.joint_name = new_name(e, joint_names_, [&](int i) { return bodies[i].joint_line; });
    body.joint_line = e.line();
    const std::string owner = join({"joint ", excerpt(body.joint_name)});
    check_known(e, *schema.find("robot", e.name()), owner);
    const std::string type = e.required("type", owner);
    const int parent = link_of(e, "parent", owner), child = link_of(e, "child", owner);
    Link& link = links_[child];
    if (link.carrier != none)
      e.fail({owner, ": its child link ", excerpt(link.name), " is already the child of joint ",
              excerpt(bodies[link.carrier].joint_name), "; a link has one parent joint"});
    link.carrier = bodies.size();
    body.name = link.name, body.line = link.line, body.inertia = link.inertia;
    body.parent = links_[parent].name;
    // The motion of the joint and its numbers.
    body.joint = e.name() == "joint" ? joint_of_type(e, type, owner, notes) : drake_joint(e, type, owner);
    body.placement = pose(e, owner, notes);
    if (type == "revolute" || type == "prismatic" || type == "continuous" || type == "screw") {
      const bool bounded = type != "continuous" && (type != "screw" || e.child("limit"));
      body.limits = limits(e, bounded, owner, notes);
      body.safety = safety(e, bounded, owner);
      body.passive = passive(e, owner);
    } else if (type != "fixed") {
      for (const char* element : {"limit", "safety_controller", "dynamics"})
        if (const auto unread = e.child(element))
          notes.add(owner, *unread, join({"has <", element, "> although it is of type ", type}),
                    "it is ignored: one number cannot limit several coordinates");
    }
    // The <mimic> of the joint as a coupling, and whether the joint is dependent in a loop of URDF+.
    const auto mimic = e.child("mimic");
    if (mimic && type == "fixed")
      notes.add(owner, *mimic, "has <mimic> although it is of type fixed", "it is ignored: the joint does not move");
    else if (mimic) {
      const std::string master = mimic->required("joint", owner);
      LoopSpec coupling{.name = join({"mimic of ", body.joint_name}),
                        .terms = {{body.joint_name, 1.0}},
                        .offset = mimic->number("offset", owner, 0.0),
                        .dependent = {body.joint_name},
                        .line = mimic->line()};
      if (const double multiplier = mimic->number("multiplier", owner, 1.0); multiplier != 0.0)
        coupling.terms.push_back({master, -multiplier});
      mimics.push_back(
          {std::move(coupling), master, {owner, mimic->line(), join({"mimics joint ", excerpt(master)}), ""}});
    }
    if (const auto independent = e.attribute("independent"); independent == "false")
      dependent_.add(body.joint_name);
    else if (independent && independent != "true")
      e.fail({owner, ": independent=", excerpt(*independent), ", expected true or false"});
    joint_names_.add(body.joint_name);
    parents_.push_back(parent);
    bodies.push_back(std::move(body));
  }

  /// The link in the <parent> or <child> of a joint.
  int link_of(const ElementView& joint, const char* role, const std::string& owner) {
    const std::string link = joint.required_child(role, owner).required("link", owner);
    const int found = link_names_.find(link);
    if (found < 0 && link == "world" && std::string_view(role) == "parent") {
      notes.add(owner, joint, "its parent link 'world' is not in the file", "it is the ground, as in Drake");
      link_names_.add(link);
      links_.push_back({link, joint.line(), {}, none});
      return links_.size() - 1;
    }
    if (found < 0)
      joint.fail({owner, ": its ", role, " link ", excerpt(link), " is not in the file; add <link name=\"", brief(link),
                  "\"/> or correct the name"});
    return found;
  }

  // ---- Transmissions

  void read_transmission(const ElementView& e) {
    const Transmission transmission = detail::read_transmission(e);
    const std::string& owner = transmission.owner;
    check_known(e, *schema.find("robot", e.name()), owner);
    if (!transmission.rotor_inertia) return;
    const auto skip = [&](const std::string& found) {
      notes.add(owner, e, found, "its rotor inertia is ignored; set it with Options::armature");
    };
    if (transmission.joints.size() != 1 || transmission.actuators > 1)
      return skip("does not connect one actuator and one joint");
    const std::string joint = transmission.joints[0].required("name", owner);
    BodySpec<double>* body = find(joint);
    if (!body) return skip(join({"drives joint ", excerpt(joint), ", which is not in the file"}));
    if (body->joint.nv() != 1)
      return skip(join({"drives joint ", excerpt(joint), ", whose type is ", body->joint.type,
                        "; a rotor drives one degree of freedom"}));
    if (transmission.reduction == 0.0) return skip("has a reduction of 0");
    if (transmission.reductions > 1)
      notes.add(owner, e, "has several reductions",
                join({"their product is taken, ", corio::detail::number(transmission.reduction)}));
    rotors.push_back({joint, *transmission.rotor_inertia, transmission.reduction});
  }

  // ---- The tree

  void check_tree() {
    std::string roots;
    int first = none, count = 0;
    for (int i = 0; i < links_.size(); ++i)
      if (links_[i].carrier == none) {
        if (count++ == 0) first = i;
        if (count <= 10) roots += join({count > 1 ? ", " : "", excerpt(links_[i].name)});
      }
    if (count > 10) roots += join({" and ", corio::detail::Digits(count - 10), " more"});
    if (count == 0)
      throw ModelError("every link is the child of a joint: the joints form a loop; one link must be the root");
    if (count > 1) {
      std::string ignored;  // elements that may have been meant as joints
      for (const Strange& strange : strange_)
        if (const Note& note = notes.all[strange.note]; note.found.find("joint") != note.found.npos)
          ignored = join({"; line ", corio::detail::Digits(note.line), " was ignored: ", note.found});
      throw ModelError(join(
          {"links ", roots, " have no parent joint; all but one, the root, must be the child of a joint", ignored}));
    }
    check_acyclic(first);
    root.name = links_[first].name, root.line = links_[first].line, root.inertia = links_[first].inertia;
  }

  /// The path from each link upwards must end at the root; links known to satisfy this are `good`.
  void check_acyclic(int root_link) const {
    corio::detail::Table<char, struct OfLinks> good(links_.size(), 0);
    good[root_link] = 1;
    for (int i = 0; i < links_.size(); ++i) {
      int steps = 0;
      for (int at = i; !good[at]; at = parents_[links_[at].carrier])
        if (steps++ > links_.size()) {
          const auto& body = bodies[links_[at].carrier];
          throw ModelError(
              join({"line ", corio::detail::Digits(body.joint_line), ": joint ", excerpt(body.joint_name),
                    ": its child link ", excerpt(body.name), " is also its ancestor; the joints must form a tree"}));
        }
      for (int at = i; !good[at]; at = parents_[links_[at].carrier]) good[at] = 1;
    }
  }

  /// The joints on the path from the root to a link, as indices of their bodies; nothing if there is no such link.
  std::optional<std::vector<int>> way_to(const std::string& link) const {
    const int found = link_names_.find(link);
    if (found < 0) return std::nullopt;
    std::vector<int> way;
    for (int at = links_[found].carrier; at != none; at = links_[parents_[at]].carrier) way.push_back(at);
    std::reverse(way.begin(), way.end());
    return way;
  }

  /// An element or attribute that is not part of URDF: its only note, and the number of its places in the file.
  struct Strange {
    std::size_t note;  // index of the note in notes.all
    int places = 0;
  };

  corio::detail::Table<Link, struct OfLinks> links_;
  corio::detail::Table<Strange, struct OfStrange> strange_;
  corio::detail::PerSpec<int> parents_;  // for each body, the parent link of its joint
  Names dependent_;                      // joints declared as not independent
  Names strange_names_, link_names_, joint_names_;
};

}}}}  // namespace corio::urdf::detail
