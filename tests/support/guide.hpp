#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

/// Checks guides and headers whose code stands in a test as well.
namespace corio::test {

inline std::string contents(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Removes the blanks that begin lines.
inline std::string without_indent(const std::string& text) {
  std::stringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    result += line + '\n';
  }
  return result;
}

/// Checks that all C++ blocks of a guide stand in a test; both are given by their paths in the project. Returns how
/// many there are.
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

/// Returns the code in the comments of headers: indented lines that each end as code does. Sketches of control loops,
/// with "loop:" or "...", do not count.
inline std::vector<std::string> snippets(const std::filesystem::path& header) {
  std::vector<std::string> all;
  std::stringstream lines(without_indent(contents(header)));
  std::string run;
  bool is_code = true;
  for (std::string line; std::getline(lines, line) || !run.empty();) {
    if (line.starts_with("///   ")) {
      run += line.substr(3) + '\n';
      const std::string code = line.substr(0, line.find_last_not_of(' ', line.find(" //", 3)) + 1);
      is_code = is_code && std::string(";{}").find(code.back()) != std::string::npos &&
                line.find("loop:") == std::string::npos && line.find("...") == std::string::npos;
      continue;
    }
    if (!run.empty() && is_code) all.push_back(without_indent(run));
    run.clear(), is_code = true;
  }
  return all;
}

/// Checks that all code in the comments of headers below a folder, with some exceptions, stands in a test. Returns how
/// many snippets there are.
inline int check_snippets(const std::string& folder, const std::string& test_file,
                          const std::string& except = "none of them") {
  const auto project = std::filesystem::path(CORIO_EXAMPLES_DIR).parent_path();
  const std::string code = without_indent(contents(project / test_file));
  int found = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(project / folder)) {
    if (file.path().extension() != ".hpp" || file.path().string().find(except) != std::string::npos) continue;
    for (const std::string& snippet : snippets(file.path())) {
      CAPTURE(file.path().filename().string(), snippet);
      CHECK(code.find(snippet) != std::string::npos);
      ++found;
    }
  }
  return found;
}

}  // namespace corio::test
