#pragma once

#include <urdf_model/pose.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "corio/io/xml.hpp"

namespace corio::urdf::detail {

/// The links and joints of a URDF in the order of the file. Making one checks what urdfdom accepts silently
/// or reports without a name: numbers, missing and repeated elements, names, and that the joints span one
/// tree. ModelError names the line, the link or joint, what was found and what would be right.
class Outline {
 public:
  struct Link {
    std::string name;
    bool has_inertial;
  };
  struct Joint {
    std::string name, type, parent, child;
    bool has_mimic;
    int line;
  };

  explicit Outline(const std::string& text) : elements_(XmlScanner(text).scan()) {
    const Element& robot = elements_.front();
    if (robot.name != "robot") fail(robot, {"the root element is <", robot.name, ">, a URDF has <robot>"});
    if (!robot.attribute("name")) fail(robot, {"<robot> has no attribute name"});
    for (const Element& e : elements_)
      if (e.name.starts_with("xacro:")) fail(e, {"<", e.name, "> is a macro; expand the file with xacro first"});
    for (const Element& e : elements_) {
      if (e.parent != 0) continue;
      if (e.name == "link") add_link(e);
      if (e.name == "joint") add_joint(e);
    }
    if (links.empty()) fail(robot, {"the robot has no links; it needs at least one <link name=\"...\">"});
    check_tree();
  }

  /// How messages begin that concern a joint.
  static std::string where(const Joint& joint) {
    return join({"line ", std::to_string(joint.line), ": joint '", joint.name, "'"});
  }

  std::vector<Link> links;
  std::vector<Joint> joints;
  std::string root;

 private:
  [[noreturn]] static void fail(const Element& where, std::initializer_list<std::string_view> what) {
    throw ModelError(join({"line ", std::to_string(where.line), ": ", join(what)}));
  }

  /// The attribute name of a link or joint, which has to be new among its kind.
  std::string new_name(const Element& e, std::map<std::string, int>& known) const {
    const std::string* name = e.attribute("name");
    if (!name || name->empty()) fail(e, {"a <", e.name, "> has no name; give it a unique attribute name"});
    const auto [previous, is_new] = known.emplace(*name, e.line);
    if (!is_new)
      fail(e, {"two ", e.name, "s are named '", *name, "', the first in line ", std::to_string(previous->second),
               "; names must be unique"});
    return *name;
  }

  /// The child element of that name, nullptr if there is none.
  const Element* child(const Element& of, const std::string& name, const std::string& who) const {
    const int index = static_cast<int>(&of - elements_.data());
    const Element* found = nullptr;
    for (std::size_t i = static_cast<std::size_t>(index) + 1; i < elements_.size() && elements_[i].parent >= index; ++i)
      if (elements_[i].parent == index && elements_[i].name == name) {
        if (found) fail(elements_[i], {who, " has two <", name, ">, expected at most one"});
        found = &elements_[i];
      }
    return found;
  }
  const Element& required_child(const Element& of, const std::string& name, const std::string& who) const {
    const Element* found = child(of, name, who);
    if (!found) fail(of, {who, " has no <", name, "> in its <", of.name, ">"});
    return *found;
  }
  static const std::string& required(const Element& e, const std::string& key, const std::string& who) {
    const std::string* value = e.attribute(key);
    if (!value) fail(e, {who, ": <", e.name, "> has no attribute ", key});
    return *value;
  }

  static double number(const Element& e, const std::string& key, const std::string& who) {
    const std::string& text = required(e, key, who);
    try {
      const double x = ::urdf::strToDouble(text.c_str());
      if (std::isfinite(x)) return x;
    } catch (const std::runtime_error&) {
    }
    fail(e, {who, ": <", e.name, "> has ", key, "=\"", text, "\", expected a finite number"});
  }
  static double number_or(double missing, const Element& e, const std::string& key, const std::string& who) {
    return e.attribute(key) ? number(e, key, who) : missing;
  }
  static ::urdf::Vector3 numbers(const Element& e, const std::string& key, const std::string& who) {
    const std::string& text = required(e, key, who);
    try {
      ::urdf::Vector3 x;
      x.init(text);
      if (std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) return x;
    } catch (const std::exception&) {
    }
    fail(e, {who, ": <", e.name, "> has ", key, "=\"", text, "\", expected three finite numbers separated by spaces"});
  }
  void check_origin(const Element& of, const std::string& who) const {
    const Element* origin = child(of, "origin", who);
    if (!origin) return;
    for (const char* key : {"xyz", "rpy"})
      if (origin->attribute(key)) numbers(*origin, key, who);
  }

  void add_link(const Element& e) {
    const std::string name = new_name(e, link_lines_);
    const std::string who = join({"link '", name, "'"});
    const Element* inertial = child(e, "inertial", who);
    links.push_back({name, inertial != nullptr});
    if (!inertial) return;
    check_origin(*inertial, who);
    const Element& mass = required_child(*inertial, "mass", who);
    if (number(mass, "value", who) < 0.0)
      fail(mass, {who, ": mass is ", *mass.attribute("value"), " kg, must not be negative"});
    const Element& inertia = required_child(*inertial, "inertia", who);
    for (const char* key : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) number(inertia, key, who);
  }

  void add_joint(const Element& e) {
    Joint joint{
        .name = new_name(e, joint_lines_), .type = {}, .parent = {}, .child = {}, .has_mimic = false, .line = e.line};
    const std::string who = join({"joint '", joint.name, "'"});
    joint.type = required(e, "type", who);
    static constexpr std::array types = {"revolute", "continuous", "prismatic", "fixed", "planar", "floating"};
    if (std::find(types.begin(), types.end(), joint.type) == types.end())
      fail(e, {who, ": type \"", joint.type,
               "\" is not known; it must be revolute, continuous, prismatic, "
               "fixed, planar or floating"});
    joint.parent = required(required_child(e, "parent", who), "link", who);
    joint.child = required(required_child(e, "child", who), "link", who);
    joint.has_mimic = child(e, "mimic", who) != nullptr;
    check_origin(e, who);
    if (const Element* axis = child(e, "axis", who); axis && joint.type != "fixed" && joint.type != "floating") {
      const auto [x, y, z] = numbers(*axis, "xyz", who);
      if (x == 0.0 && y == 0.0 && z == 0.0) fail(*axis, {who, ": its axis is zero, expected a direction"});
    }
    check_limit(e, joint.type == "revolute" || joint.type == "prismatic", who);
    joints.push_back(std::move(joint));
  }

  void check_limit(const Element& e, bool bounded, const std::string& who) const {
    const Element* limit = child(e, "limit", who);
    if (!limit) {
      if (bounded)
        fail(e,
             {who, ": a ", *e.attribute("type"), " joint needs <limit lower= upper= effort= velocity=>",
              *e.attribute("type") == "revolute" ? "; a joint that turns without bounds is of type continuous" : ""});
      return;
    }
    const double lower = number_or(0.0, *limit, "lower", who), upper = number_or(0.0, *limit, "upper", who);
    if (bounded && lower > upper)
      fail(*limit, {who, ": its lower limit ", corio::detail::number(lower), " exceeds its upper limit ",
                    corio::detail::number(upper)});
    for (const char* key : {"effort", "velocity"})
      if (number(*limit, key, who) < 0.0)
        fail(*limit, {who, ": its ", key, " limit is ", *limit->attribute(key), ", must not be negative"});
  }

  void check_tree() {
    std::map<std::string, const Joint*> carrier;
    for (const Joint& joint : joints) {
      const std::string who = where(joint);
      for (const auto& [role, link] : {std::pair("parent", joint.parent), std::pair("child", joint.child)})
        if (!link_lines_.contains(link))
          throw ModelError(join({who, ": its ", role, " link '", link, "' is not in the file; add <link name=\"", link,
                                 "\"/> or correct the name"}));
      const auto [previous, is_new] = carrier.emplace(joint.child, &joint);
      if (!is_new)
        throw ModelError(join({who, ": its child link '", joint.child, "' is already the child of joint '",
                               previous->second->name, "'; a link has one parent joint"}));
    }
    std::string roots;
    int count = 0;
    for (const Link& link : links)
      if (!carrier.contains(link.name)) {
        root = link.name;
        roots += join({count++ == 0 ? "'" : ", '", link.name, "'"});
      }
    if (count == 0)
      throw ModelError("every link is the child of a joint: the joints form a loop; one link must be the root");
    if (count > 1)
      throw ModelError(
          join({"links ", roots, " have no parent joint; all but one, the root, must be the child of a joint"}));
    check_loops(carrier);
  }

  /// Going up from any link must end at the root; links known to do so are in `good`.
  void check_loops(const std::map<std::string, const Joint*>& carrier) const {
    std::set<std::string> good{root};
    for (const Link& link : links) {
      std::vector<std::string> path;
      std::string at = link.name;
      for (; !good.contains(at); at = carrier.at(at)->parent) {
        if (path.size() > links.size())
          throw ModelError(join({where(*carrier.at(at)), ": its child link '", at,
                                 "' is also its ancestor; the joints must form a tree"}));
        path.push_back(at);
      }
      good.insert(path.begin(), path.end());
    }
  }

  std::vector<Element> elements_;
  std::map<std::string, int> link_lines_, joint_lines_;
};

}  // namespace corio::urdf::detail
