#pragma once

#include <sstream>

#include "corio/io/mjcf/document.hpp"

/// The default classes of an MJCF document.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// The attributes of a default class, by kind of element.
using Class = std::map<std::string, Attributes>;

/// Overrides inherited attributes by the element's own.
inline void put_over(Attributes& inherited, const Attributes& own) {
  // The element's orientation replaces an inherited quaternion. Other inherited orientations are kept: MuJoCo's
  // versions differ in which of the two they use, and rotation() rejects elements with both.
  for (const std::string_view one : orientations)
    if (own.contains(std::string(one))) inherited.erase("quat");
  for (const auto& [key, value] : own) {
    std::string text = value;
    const bool one_by_one = key == "size" || key == "stiffness" || key == "damping";
    if (const auto old = inherited.find(key); one_by_one && old != inherited.end()) {
      // Missing numbers are inherited.
      std::istringstream given(value), all(old->second);
      std::string word;
      while (given >> word) all >> word;
      while (all >> word) text += join({" ", word});
    }
    inherited[key] = std::move(text);
  }
}

/// <default>: classes by name.
class Defaults {
 public:
  /// The kind of all actuators: as in MuJoCo, a class has one set of attributes for all elements of actuators.
  static constexpr const char* actuator = "actuator";

  /// Reads a top-level section. A nested class starts as a copy of the class around it, as defined so far.
  void read(const Element& section) {
    if (const std::string* name = section.find("class")) outermost_ = *name;
    read_into(classes_.at("main"), section);
  }
  /// The class named by an attribute of the element, or by default the given one.
  const Class& named(const Element& e, const std::string& key, const Class& otherwise) const {
    const std::string* name = e.find(key);
    if (!name) return otherwise;
    const auto found = classes_.find(*name == outermost_ ? "main" : *name);
    if (found == classes_.end()) e.fail({key, "=", xml::excerpt(*name), " is not a class of <default>"});
    return found->second;
  }
  const Class& main() const { return classes_.at("main"); }
  /// The element with the attributes that its class, or by default the given one, has for elements of its kind.
  Element applied(const Element& e, const std::string& kind, const Class& otherwise) const {
    const Class& from = named(e, "class", otherwise);
    Element all = e;
    if (const auto found = from.find(kind); found != from.end()) {
      all.attributes = found->second;
      put_over(all.attributes, e.attributes);
    }
    return all;
  }

 private:
  static bool is_actuator(const std::string& element) {
    return schema.has(schema.find("mujoco", actuator)->children, element);
  }
  void read_into(Class& to, const Element& section) {
    for (const Element& e : section.children)
      if (e.name != "default") put_over(to[is_actuator(e.name) ? actuator : e.name], e.attributes);
    const Class around = to;
    for (const Element& e : section.children)
      if (e.name == "default") {
        const std::string* name = e.find("class");
        if (!name || name->empty()) e.fail({"a nested class needs a name, as in <default class=\"...\">"});
        const auto [added, is_new] = classes_.try_emplace(*name, around);
        if (!is_new || *name == outermost_) e.fail({"another class is named ", xml::excerpt(*name)});
        read_into(added->second, e);
      }
  }

  std::map<std::string, Class> classes_{{"main", {}}};
  std::string outermost_ = "main";
};

}}}}  // namespace corio::mjcf::detail
