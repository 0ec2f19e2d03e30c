#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

// include/corio/PAPERS.md says of every numbered result of five papers where it is realised and verified. It must not
// name what is gone, nor leave a number out.

namespace papers_map {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

std::string contents(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Strings split(const std::string& text, const std::string& separator) {
  Strings parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + separator.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

/// "(8)-(10), Alg. 1-2, Table I" as 8, 9, 10, Alg. 1, Alg. 2, Table I. What begins with "sec." has no number.
Strings numbers(std::string cell) {
  cell.erase(std::remove_if(cell.begin(), cell.end(), [](char c) { return c == '(' || c == ')'; }), cell.end());
  static const std::regex range("(.*?)(\\d+)-(\\d+)");
  Strings result;
  for (const std::string& item : split(cell, ", ")) {
    std::smatch match;
    if (item.rfind("sec.", 0) == 0) continue;
    if (!std::regex_match(item, match, range)) {
      result.push_back(item);
      continue;
    }
    for (int i = std::stoi(match[2]); i <= std::stoi(match[3]); ++i)
      result.push_back(match[1].str() + std::to_string(i));
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Whether the text has the name by itself, not within a longer one; of a test, as its whole title.
bool names(const std::string& text, const std::string& name, bool is_test) {
  if (is_test) return text.find('"' + name + '"') != std::string::npos;
  const auto is_letter = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

/// Defects of the links [text](file) and [`name`](file) of a line, which are taken out of it.
Strings take_links(std::string& line, const fs::path& folder, int& count) {
  Strings defects;
  for (std::size_t middle; (middle = line.find("](")) != std::string::npos;) {
    const bool is_name = middle > 0 && line[middle - 1] == '`';
    const std::size_t begin = is_name ? line.rfind("[`", middle) : line.rfind('[', middle);
    const std::size_t end = line.find(')', middle);
    REQUIRE((begin != std::string::npos && end != std::string::npos));
    const std::string target = line.substr(middle + 2, end - middle - 2);
    const fs::path file = folder / target.substr(0, target.find('#'));
    const std::string name = is_name ? line.substr(begin + 2, middle - begin - 3) : "";
    line.erase(begin, end + 1 - begin);
    ++count;
    if (target.rfind("https://", 0) == 0) continue;
    if (!fs::exists(file))
      defects.push_back("there is no file " + target);
    else if (is_name && !names(contents(file), name, target.find("_test.cpp") != std::string::npos))
      defects.push_back(target + " has no '" + name + "'");
  }
  return defects;
}

struct Map {
  Strings defects;
  std::vector<Strings> papers;  // the numbers of each
  int links = 0;
};

/// A page with a section for each paper, in which a paragraph "Numbered: .." says what numbers the paper has, and the
/// rows of a table have them in the first of four columns.
Map read(const std::string& page, const fs::path& folder) {
  Map map;
  Strings in_rows;
  std::string title, numbered;
  bool in_numbered = false;
  const auto end_section = [&] {
    if (title.empty()) return;
    if (!numbered.empty()) numbered.pop_back();  // the full stop
    const Strings expected = numbers(numbered);
    std::sort(in_rows.begin(), in_rows.end());
    Strings difference;
    std::set_symmetric_difference(expected.begin(), expected.end(), in_rows.begin(), in_rows.end(),
                                  std::back_inserter(difference));
    for (const std::string& number : difference)
      map.defects.push_back(title + ": " + number + " is missing, twice there, or not of the paper");
    map.papers.push_back(expected);
    in_rows.clear(), numbered.clear();
  };
  for (std::string line : split(page, "\n")) {
    if (line.rfind("## ", 0) == 0) end_section(), title = line.substr(3);
    if (line.rfind("Numbered: ", 0) == 0) in_numbered = true, line.erase(0, 10);
    if (line.empty()) in_numbered = false;
    if (in_numbered) numbered += (numbered.empty() ? "" : " ") + line;
    for (const std::string& defect : take_links(line, folder, map.links)) map.defects.push_back(defect);
    if (line.find('`') != std::string::npos) map.defects.push_back(title + ": a name without its file in: " + line);
    if (line.rfind("| ", 0) != 0 || line.rfind("| number |", 0) == 0) continue;
    const Strings cells = split(line, " | ");
    if (cells.size() != 4) map.defects.push_back(title + ": a row without four columns: " + line);
    for (const std::string& number : numbers(cells.front().substr(2))) in_rows.push_back(number);
  }
  end_section();
  return map;
}

fs::path include_folder() { return fs::path(CORIO_EXAMPLES_DIR).parent_path() / "include" / "corio"; }

TEST_CASE("the map of the papers has all their results and names nothing that is gone", "[identities][papers_map]") {
  const Map map = read(contents(include_folder() / "PAPERS.md"), include_folder());
  for (const std::string& defect : map.defects) FAIL_CHECK(defect);
  CHECK(map.links > 300);
  // How many equations each of them numbers, so that a page that has lost some with their rows is found, too.
  const int equations[] = {40, 38, 132, 85, 33};
  REQUIRE(map.papers.size() == std::size(equations));
  for (std::size_t i = 0; i < std::size(equations); ++i) {
    CAPTURE(i);
    const Strings& paper = map.papers[i];
    const auto is_equation = [](const std::string& number) { return std::isdigit(number.front()) != 0; };
    int last = 0;
    for (const std::string& number : paper)
      if (is_equation(number)) last = std::max(last, std::stoi(number));
    CHECK(last == equations[i]);
    for (int k = 1; k <= last; ++k)
      CHECK(std::any_of(paper.begin(), paper.end(),
                        [&](const std::string& number) { return is_equation(number) && std::stoi(number) == k; }));
  }
}

TEST_CASE("a map of papers with a dead entry, a gap or a name without a file is found out",
          "[identities][papers_map]") {
  const std::string sound =
      "# A map\n\n## A paper\n\nNumbered: (1)-(3), Alg. 1,\nTable I.\n\n| number | says | is | test "
      "|\n|---|---|---|---|\n"
      "| (1)-(2) | mass | [`crba`](algorithms/dynamics/crba.hpp), [map](SYMBOLS.md#rooms) | "
      "[`crba is positive definite`](../../tests/algorithms/crba_test.cpp) |\n"
      "| (3), Alg. 1 | a step | - | - |\n| Table I | times | - | - |\n| sec. 4 | more | - | - |\n";
  const auto defects_of = [&](const std::string& what, const std::string& instead) {
    std::string page = sound;
    if (!what.empty()) page.replace(page.find(what), what.size(), instead);
    return read(page, include_folder()).defects.size();
  };
  CHECK(defects_of("", "") == 0);
  CHECK(defects_of("algorithms/dynamics/crba.hpp", "algorithms/gone.hpp") == 1);
  CHECK(defects_of("SYMBOLS.md#rooms", "GONE.md") == 1);
  CHECK(defects_of("`crba`", "`crb`") == 1);  // part of a name
  CHECK(defects_of("`crba is positive definite`", "`crba is positive`") == 1);
  CHECK(defects_of("| mass |", "| `mass` |") == 1);
  CHECK(defects_of("| mass |", "| mass, momentum | energy |") == 1);
  CHECK(defects_of("(1)-(2)", "(1)") == 1);
  CHECK(defects_of("(1)-(2)", "(1)-(3)") == 1);
  CHECK(defects_of("| (3), Alg. 1", "| (3)") == 1);
  CHECK(defects_of("| Table I", "| Table II") == 2);
  CHECK(defects_of("Numbered: (1)", "Numbers: (1)") > 2);
}

}  // namespace papers_map
