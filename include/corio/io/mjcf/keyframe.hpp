#pragma once

#include <sstream>

#include "corio/io/mjcf/part.hpp"

/// Keyframes of models that are attached. An attached body keeps only some joints, in other places, so each joint keeps
/// its numbers of a key in attributes called "qpos" and "qvel", a blank, and the name of the key.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

inline constexpr std::string_view key_numbers[] = {"qpos ", "qvel "};
inline bool is_key_numbers(std::string_view attribute) {
  return attribute.starts_with(key_numbers[0]) || attribute.starts_with(key_numbers[1]);
}

/// A joint, with the numbers of its coordinates and speeds.
struct JointOfKeys {
  Element* element;
  std::size_t sizes[2];
};
/// Lists the joints of a model in the order of qpos.
class JointList {
 public:
  JointList(Element& root, Parts& parts) : parts_(parts) {
    for (Element& e : root.children)
      if (e.name == "worldbody") add(e, parts.of(e).defaults.main());
  }
  std::vector<JointOfKeys> all;

 private:
  /// Joints of a body come before its child bodies, even if the file has the joints after or between the child bodies.
  void add(Element& body, const Class& inherited) {
    add(body, inherited, false);
    add(body, inherited, true);
  }
  void add(Element& around, const Class& inherited, bool bodies) {
    for (Element& e : around.children) {
      if (e.name == "frame" || (bodies && e.name == "body")) {
        const Class& inner = parts_.of(e).defaults.named(e, "childclass", inherited);
        e.name == "frame" ? add(e, inner, bodies) : add(e, inner);
      } else if (!bodies && (e.name == "joint" || e.name == "freejoint")) {
        const std::string type =
            e.name == "freejoint" ? "free" : parts_.of(e).defaults.applied(e, "joint", inherited).get("type", "hinge");
        if (type == "free")
          all.push_back({&e, {7, 6}});
        else if (type == "ball")
          all.push_back({&e, {4, 3}});
        else
          all.push_back({&e, {1, 1}});
      }
    }
  }

  Parts& parts_;
};

/// Copies the numbers of the keys of a model to its joints. Keys without a name are left out.
inline void keep_keys(Element& root, Parts& parts) {
  const auto keys = entries(root, "keyframe");
  if (keys.empty()) return;
  const JointList joints(root, parts);
  for (const Element& key : keys)
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string attribute(key_numbers[i].substr(0, 4));
      if (!key.find("name") || !key.find(attribute)) continue;
      std::size_t n = 0;
      for (const JointOfKeys& joint : joints.all) n += joint.sizes[i];
      key.numbers(attribute, n, n);
      std::istringstream words(key.get(attribute));
      for (const auto& [element, sizes] : joints.all) {
        std::string own, word;
        for (std::size_t k = 0; k < sizes[i] && words >> word; ++k) own += join({k > 0 ? " " : "", word});
        element->attributes[join({key_numbers[i], key.get("name")})] = own;
      }
    }
}

}}}}  // namespace corio::mjcf::detail
