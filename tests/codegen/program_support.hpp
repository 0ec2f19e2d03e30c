#pragma once

#define CORIO_GENERATE_WITHOUT_MAIN
#include "codegen/compiled_support.hpp"
#include "corio/codegen/generate.cpp"

/// Common parts of tests of the program corio_generate: its calls, and files of robots.
namespace codegen_test {

/// The output of the program, in a folder in which the case works.
struct Run {
  int status;
  std::string out, errors;
  explicit Run(const Names& arguments) {
    std::ostringstream said, failed;
    status = codegen::generate(arguments, said, failed);
    out = said.str(), errors = failed.str();
  }
};
inline void write_text(const char* file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

inline std::string link_text(const std::string& name, double mass) {
  return "<link name='" + name + "'><inertial><mass value='" + std::to_string(mass) +
         "'/><origin xyz='0 0 0.05'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>"
         "</link>\n";
}
inline std::string joint_text(const std::string& name, const std::string& type, const std::string& parent,
                              const std::string& child, const std::string& inside) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         inside + "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>\n";
}
/// Six hinges about axes along the axes of the links, with this text as the turn between them.
inline std::string arm_text(const std::string& quarter, const std::string& name = "arm") {
  std::string text = "<robot name='" + name + "'><link name='l0'/>";
  for (int i = 1; i <= 6; ++i)
    text += link_text("l" + std::to_string(i), i) +
            joint_text("j" + std::to_string(i), "revolute", "l" + std::to_string(i - 1), "l" + std::to_string(i),
                       "<origin xyz='0 0.1 0.3' rpy='" + quarter + " 0 " + (i % 2 == 0 ? quarter : "0") + "'/>" +
                           "<axis xyz='0 0 1'/>");
  return text + "</robot>";
}

}  // namespace codegen_test
