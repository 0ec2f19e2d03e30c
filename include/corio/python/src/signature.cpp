// A line of the table is "name(q, v, x[size], option='fallback') -> result[size,size], ..": sizes are numbers, letters
// (Dimension), or products such as 10b; an argument without a size has nq numbers if its name begins with q, else nv.
#include "signature.hpp"

#include <map>

namespace corio::python {
namespace {

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
/// "x[10b,v]": the name, and the sizes.
std::string with_sizes(const std::string& text, std::vector<Dimension>& shape) {
  const auto bracket = text.find('[');
  if (bracket == text.npos) return text;
  for (const std::string& size : split(text.substr(bracket + 1, text.find(']') - bracket - 1))) {
    const bool number = std::isdigit(static_cast<unsigned char>(size[0]));
    const bool letter = std::isalpha(static_cast<unsigned char>(size.back()));
    shape.push_back({letter ? size.back() : ' ', number ? std::stoi(size) : 1});
  }
  return text.substr(0, bracket);
}
Argument argument(const std::string& text) {
  static const std::map<std::string, Kind> kinds{
      {"frame", Kind::frame},        {"base", Kind::frame},          {"frames", Kind::frames},
      {"joints", Kind::joints},      {"reference", Kind::reference}, {"point", Kind::point},
      {"external", Kind::forces},    {"dt", Kind::number},           {"rate", Kind::number},
      {"restitution", Kind::number}, {"smoothing", Kind::number},    {"steps", Kind::number}};
  static const std::map<std::string, std::vector<std::string>> choices{
      {"reference", {"world", "body", "world_aligned"}},
      {"at", {"center_of_mass", "origin"}},
      {"acceleration", {"spatial", "classical"}},
      {"argument", {"q", "dv"}},
      {"integrator", {"semi_implicit_euler", "rk4", "implicit_midpoint", "variational_midpoint"}},
      {"friction", {"smooth", "exact"}},
      {"parameter", {"mass", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"}}};
  Argument a;
  const auto equals = text.find('=');
  if (equals != text.npos) a.fallback = text.substr(equals + 1);
  a.name = with_sizes(text.substr(0, equals), a.shape);
  if (const auto found = choices.find(a.name); found != choices.end()) a.names = found->second;
  const auto found = kinds.find(a.name);
  a.kind = !a.shape.empty() && a.name != "point" ? Kind::vector
           : found != kinds.end()                ? found->second
           : a.names.empty()                     ? Kind::vector
                                                 : Kind::choice;
  if (a.shape.empty()) a.shape = {{a.name[0] == 'q' ? 'q' : 'v'}};
  if (a.fallback[0] == '(')
    for (const auto& x : split(a.fallback.substr(1, a.fallback.size() - 2))) a.numbers.push_back(std::stod(x));
  else if (a.kind == Kind::number && a.optional())
    a.numbers = {std::stod(a.fallback)};
  a.key = PyUnicode_InternFromString(a.name.c_str());
  return a;
}
}  // namespace

Function parse(const Line& line) {
  const std::string& text = line.signature;
  Function f;
  f.entry = line.entry;
  const auto open = text.find('('), arrow = text.find(" -> "), close = text.rfind(')', arrow);
  f.name = text.substr(0, open);
  for (const auto& a : split(text.substr(open + 1, close - open - 1))) f.arguments.push_back(argument(a));
  for (const auto& r : split(text.substr(arrow + 4))) {
    Result result;
    result.name = with_sizes(r, result.shape);
    f.results.push_back(result);
  }
  for (const auto& a : f.arguments) {
    f.required += !a.optional();
    if (f.state < line.state && f.state == static_cast<std::size_t>(&a - f.arguments.data()) &&
        (a.name == "q" || a.name == "v" || a.name == "a"))
      ++f.state;
  }
  return f;
}

}  // namespace corio::python
