// A line of the table is "name(q, v, x[size], option='fallback') -> result[size,size], ..": sizes are numbers, letters
// (Argument::Size), or products such as 10b, and x[] is a number; an argument without brackets has nq numbers if its
// name begins with q, else nv.
#include <map>

#include "function.hpp"

namespace corio::python {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> all;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    if (c == ',' && depth == 0)
      all.push_back(std::exchange(part, ""));
    else if (c != ' ' || depth > 0)
      part += c;
  }
  if (!part.empty()) all.push_back(part);
  return all;
}
std::pair<std::string, std::string> name_and_fallback(const std::string& text) {
  const auto equals = (std::min)(text.find('='), text.size());
  return {text.substr(0, equals), text.substr((std::min)(equals + 1, text.size()))};
}

namespace {

/// The values of choices, in the order of their enumerations.
const std::map<std::string, Names> choices{
    {"reference", {"world", "body", "world_aligned"}},
    {"at", {"center_of_mass", "origin"}},
    {"acceleration", {"spatial", "classical"}},
    {"argument", {"q", "dv"}},
    {"integrator", {"semi_implicit_euler", "rk4", "implicit_midpoint", "variational_midpoint"}},
    {"friction", {"smooth", "exact"}},
    {"form", {"linear", "asymmetric", "stribeck"}},
    {"metric", {"euclidean", "natural"}},
    {"balance", {"momentum", "energy"}},
    {"parameter", {"mass", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"}}};

/// "x[10b,v]='fallback'"
Argument argument(const std::string& text) {
  using enum Kind;
  static const std::map<std::string, Kind> kinds{
      {"frame", frame},      {"base", frame},      {"frames", frames}, {"joints", joints},  {"reference", reference},
      {"point[3]", point},   {"external", forces}, {"dt", scalar},     {"rate", scalar},    {"restitution", scalar},
      {"smoothing", scalar}, {"steps", scalar},    {"out", out},       {"threads", threads}};
  Argument a;
  std::tie(a.name, a.fallback) = name_and_fallback(text);
  if (const auto found = kinds.find(a.name); found != kinds.end()) a.kind = found->second;
  if (choices.contains(a.name) && a.kind == vector) a.kind = choice;
  const auto bracket = a.name.find('[');
  const bool is_sized = bracket != a.name.npos;
  std::string sizes = a.kind == vector ? a.name[0] == 'q' ? "q" : "v" : a.kind == forces ? "6" : "";
  if (is_sized) sizes = a.name.substr(bracket + 1, a.name.size() - bracket - 2), a.name.resize(bracket);
  for (const std::string& size : split(sizes)) {
    const bool has_factor = std::isdigit(static_cast<unsigned char>(size[0]));
    const auto letter = Argument::letters.find(size.back());
    a.shape.push_back({(std::min)(letter, Argument::letters.size() - 1), has_factor ? std::stoi(size) : 1});
  }
  a.key = PyUnicode_InternFromString(a.name.c_str());
  return a;
}
}  // namespace

int enumerator(const std::string& function, const std::string& argument, const std::string& word) {
  return index_of(function + ": " + argument, word, choices.at(argument));
}

Function::Function(const Line& line) : Line(line) {
  const auto open = signature.find('('), arrow = signature.find(" -> "), close = signature.rfind(')', arrow);
  name = signature.substr(0, open);
  const std::string all = signature.substr(open + 1, close - open - 1) + ", out=None, threads=0";
  for (const auto& a : split(all)) required += !arguments.emplace_back(argument(a)).optional();
  for (const auto& r : split(signature.substr(arrow + 4))) results.push_back(argument(r));
  std::size_t n = 0;
  while (n < state && arguments[n].name == std::string(1, "qva"[n])) ++n;
  state = n;
}

}  // namespace corio::python
