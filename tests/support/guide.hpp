#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/catch.hpp"

/// Guides whose code stands in a test as well.
namespace corio::test {

inline std::string contents(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Without the blanks that begin lines.
inline std::string without_indent(const std::string& text) {
  std::stringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    result += line + '\n';
  }
  return result;
}

/// All blocks of C++ in a guide stand in a test, both by their paths in the project. Returns how many there are.
inline int check_blocks(const std::string& guide_file, const std::string& test_file) {
  const auto project = std::filesystem::path(CORIO_EXAMPLES_DIR).parent_path();
  const std::string guide = contents(project / guide_file), code = without_indent(contents(project / test_file));
  const std::string fence = "```cpp\n";
  int blocks = 0;
  for (std::size_t at = guide.find(fence); at != std::string::npos; at = guide.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    const std::string block = without_indent(guide.substr(begin, guide.find("```", begin) - begin));
    CAPTURE(block);
    CHECK(code.find(block) != std::string::npos);
    ++blocks;
  }
  return blocks;
}

}  // namespace corio::test
