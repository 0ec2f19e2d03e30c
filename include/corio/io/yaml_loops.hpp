#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corio/core/detail/file.hpp"
#include "corio/model/builder.hpp"

/// Loops described by a YAML file beside a URDF, in the form of the robots of
/// https://github.com/Gepetto/example-parallel-robots: link corio::yaml, which needs yaml-cpp.
namespace corio { inline namespace CORIO_ABI { namespace yaml {

/// Adds the loops of such a file to the builder of a URDF and replaces joints; on an error the builder is unchanged:
///
///   closed_loop: [['closedloop1_A', 'closedloop1_B'], ...]   pairs of frames that coincide
///   type: ['6d', '3d', ...]        closure::Weld or closure::Point, one for each pair; all '6d' by default
///   name_mot: ['motor_hip', ...]   the actuated joints
///   joint_name: ['rod_1', ...]     joints that are replaced,
///   joint_type: ['SPHERICAL', ...] by these: SPHERICAL, UJOINT_XY (first about x, then about y; as well YZ, ZY, ...),
///                                  FIXED
///
/// Frames are given by the name of a link or frame, or of a joint, which means its child link; a loop has the name of
/// its first frame.
///
///   auto builder = corio::urdf::builder("robot.urdf");
///   const auto motors = corio::yaml::add_loops(builder, "robot.yaml");
///   const corio::Mechanism<double> mechanism(builder.build(), motors);
///
/// @return the names of the actuated joints, for the independent joints of a Mechanism if they determine the motion of
///   all others; otherwise give Mechanism a configuration instead
/// @throws ModelError with file and line, for a file that cannot be read or is not YAML, a second document, repeated
///   entries or entries that are not lists of names, lists of different lengths, unknown types, and names that the
///   builder does not have or that are given twice
inline std::vector<std::string> add_loops(ModelBuilder<double>& to, const std::filesystem::path& path);

namespace detail {

using corio::detail::join;
using corio::detail::plain_text;
using corio::detail::read_file;
using corio::detail::with_source;

/// The name of a file, for messages, and its contents as lists of names.
struct File {
  std::string name;

  [[noreturn]] void fail(const YAML::Mark& mark, std::initializer_list<std::string_view> what) const {
    throw ModelError(join({name, ": line ", std::to_string((std::max)(mark.line, 0) + 1), ": ", join(what)}));
  }
  /// A list below a key of the file; empty if there is none.
  std::vector<YAML::Node> list(const YAML::Node& root, const std::string& key) const {
    const YAML::Node found = root[key];
    if (!found || found.IsNull()) return {};
    if (!found.IsSequence()) fail(found.Mark(), {key, " must be a list in brackets"});
    return {found.begin(), found.end()};
  }
  std::string text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node.Mark(), {"an entry of ", key, " must be a name"});
    return node.Scalar();
  }
};

/// The only document of a file, a map.
inline YAML::Node document(const std::filesystem::path& path, const File& file, ModelBuilder<double>& builder) {
  const std::string bytes = read_file(path, "YAML file");
  const auto [text, zeros] = with_source(file.name, [&] { return plain_text(bytes); });
  std::vector<YAML::Node> all;
  try {
    all = YAML::LoadAll(std::string(text));
  } catch (const YAML::Exception& error) {
    file.fail(error.mark, {"malformed YAML: ", error.msg});
  }
  if (all.size() > 1) file.fail(all[1].Mark(), {"a second document begins; expected one, of a single robot"});
  if (all.empty() || !all[0].IsMap())
    file.fail(all.empty() ? YAML::Mark() : all[0].Mark(), {"the file must be a map, as in closed_loop: [...]"});
  if (zeros > 0)
    builder.add_note({file.name, 0, join({std::to_string(zeros), " zero bytes follow the text"}), "they are ignored"});
  return all[0];
}

/// Replaces the joint of a body by one of a type that URDF does not have.
inline void replace_joint(BodySpec<double>& body, const std::string& type, const YAML::Node& at, const File& file) {
  const std::string_view prefix = "UJOINT_";
  const auto axis = [&](std::size_t i) { return std::string_view("XYZ").find(type[prefix.size() + i]); };
  if (type == "SPHERICAL")
    body.joint = joint::Spherical{};
  else if (type == "FIXED")
    body.joint = joint::Fixed{};
  else if (type.starts_with(prefix) && type.size() == prefix.size() + 2 && axis(0) < 3 && axis(1) < 3 &&
           axis(0) != axis(1))
    body.joint = joint::Universal(unit3<double>(static_cast<int>(axis(0))), unit3<double>(static_cast<int>(axis(1))));
  else
    file.fail(at.Mark(),
              {"joint_type '", type, "' is not known; known are SPHERICAL, FIXED and UJOINT_XY, UJOINT_YZ, ..."});
}

}  // namespace detail

inline std::vector<std::string> add_loops(ModelBuilder<double>& to, const std::filesystem::path& path) {
  ModelBuilder<double> builder = to;
  const detail::File file{path.string()};
  const YAML::Node root = detail::document(path, file, builder);
  // Known keys may occur once; other keys are noted.
  std::set<std::string> keys;
  for (const auto& entry : root) {
    const std::string key = file.text(entry.first, "the keys");
    if (!keys.insert(key).second) file.fail(entry.first.Mark(), {"a second entry ", key, ", expected at most one"});
    if (!std::set<std::string>{"closed_loop", "type", "name_mot", "joint_name", "joint_type"}.contains(key))
      builder.add_note({file.name, entry.first.Mark().line + 1, "entry " + key + " is not known", "it is ignored"});
  }

  // Names of the robot.
  std::map<std::string, std::string> body_of_joint;
  std::set<std::string> frames;
  for (const auto& body : builder.bodies()) {
    body_of_joint[body.joint_name] = body.name;
    frames.insert(body.name);
  }
  for (const auto& frame : builder.frames()) frames.insert(frame.name);
  const auto joint = [&](const YAML::Node& node, const std::string& key) {
    const std::string name = file.text(node, key);
    if (!body_of_joint.contains(name))
      file.fail(node.Mark(), {key, " names joint '", name, "', which the robot does not have"});
    return name;
  };

  // Joints with another type.
  const auto names = file.list(root, "joint_name"), types = file.list(root, "joint_type");
  if (names.size() != types.size())
    file.fail(root.Mark(), {"joint_name has ", std::to_string(names.size()), " entries and joint_type ",
                            std::to_string(types.size()), "; both lists must have the same length"});
  std::set<std::string> replaced;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = joint(names[i], "joint_name");
    if (!replaced.insert(name).second) file.fail(names[i].Mark(), {"joint_name names joint '", name, "' twice"});
    detail::replace_joint(builder.body(body_of_joint.at(name)), file.text(types[i], "joint_type"), types[i], file);
  }

  // Loops.
  const auto loops = file.list(root, "closed_loop"), kinds = file.list(root, "type");
  if (root["type"] && kinds.size() != loops.size())
    file.fail(root["type"].Mark(), {"type has ", std::to_string(kinds.size()), " entries for ",
                                    std::to_string(loops.size()), " loops, expected one for each"});
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].IsSequence() || loops[i].size() != 2)
      file.fail(loops[i].Mark(), {"an entry of closed_loop must be a pair of names, ['first', 'second']"});
    std::string ends[2];
    const std::string name = file.text(loops[i][0], "closed_loop");
    for (std::size_t k = 0; k < 2; ++k) {
      ends[k] = file.text(loops[i][k], "closed_loop");
      if (frames.contains(ends[k])) continue;
      const auto carried = body_of_joint.find(ends[k]);
      if (carried == body_of_joint.end())
        file.fail(loops[i][k].Mark(), {"closed_loop names '", ends[k], "', which is not a link, joint or frame"});
      ends[k] = carried->second;
    }
    const std::string kind = root["type"] ? file.text(kinds[i], "type") : "6d";
    if (kind == "6d" || kind == "6D")
      builder.close_loop(name, ends[0], ends[1], closure::Weld{});
    else if (kind == "3d" || kind == "3D")
      builder.close_loop(name, ends[0], ends[1], closure::Point{});
    else
      file.fail(kinds[i].Mark(), {"type '", kind, "' is not known; known are 6d (weld) and 3d (point)"});
  }
  // Motors.
  std::vector<std::string> motors;
  std::set<std::string> driven;
  for (const YAML::Node& node : file.list(root, "name_mot")) {
    motors.push_back(joint(node, "name_mot"));
    if (!driven.insert(motors.back()).second)
      file.fail(node.Mark(), {"name_mot names joint '", motors.back(), "' twice"});
  }
  to = std::move(builder);
  return motors;
}

}}}  // namespace corio::yaml
