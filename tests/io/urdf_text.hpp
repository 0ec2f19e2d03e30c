#pragma once

#include <initializer_list>
#include <limits>
#include <string>

#include "corio/io/urdf.hpp"
#include "io/rejection.hpp"
#include "support/temporary_file.hpp"

/// Pieces of URDF text for tests.
namespace corio::test {

constexpr double inf = std::numeric_limits<double>::infinity();

inline std::string robot_xml(const std::string& content) { return "<robot name=\"r\">" + content + "</robot>"; }

inline std::string inertial(const std::string& mass, const std::string& moments, const std::string& origin = "") {
  return "<inertial>" + origin + "<mass value=\"" + mass + "\"/><inertia " + moments + "/></inertial>";
}
inline const std::string moments = R"(ixx="2" ixy="0.1" ixz="0.2" iyy="2.5" iyz="0.3" izz="1.5")";

inline std::string link_xml(const std::string& name, const std::string& content) {
  return "<link name=\"" + name + "\">" + content + "</link>\n";
}
/// A link with mass.
inline std::string link_xml(const std::string& name) {
  return link_xml(name, inertial("3", moments, R"(<origin xyz="0.1 0.2 0.3"/>)"));
}

inline const std::string limit = R"(<limit lower="-1" upper="2" effort="30" velocity="4"/>)";

inline std::string joint_xml(const std::string& name, const std::string& type, const std::string& parent,
                             const std::string& child, const std::string& content = limit) {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + content + "</joint>\n";
}

/// Two links, `a` and `b`, on a joint `j`.
inline std::string two_links(const std::string& type, const std::string& content = limit) {
  return robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", type, "a", "b", content));
}

/// Returns the message of the ModelError, or a text that no error was thrown.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "(no ModelError)";
}

/// Returns whether parsing fails with a message that contains all parts; if not, the result shows the message.
inline std::string rejection(const std::string& text, std::initializer_list<const char*> parts,
                             const urdf::Options& options = {}) {
  return rejection_of([&] { urdf::parse(text, options); }, parts);
}

}  // namespace corio::test
