// A line of the table is "name(q, v, x[size], option='fallback') -> result[size,size], ..": sizes are numbers, q, v, b
// (bodies), or products such as 10b; an argument without a size has nq numbers if its name begins with q, else nv.
#include "signature.hpp"

#include <map>

namespace corio::python {
namespace {

Dimension dimension(std::string_view text) {
  Dimension d;
  std::size_t i = 0;
  if (std::isdigit(static_cast<unsigned char>(text[0]))) d.n = 0;
  while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) d.n = 10 * d.n + (text[i++] - '0');
  if (i < text.size()) d.kind = text[i] == 'q' ? Dimension::q : text[i] == 'v' ? Dimension::v : Dimension::bodies;
  return d;
}
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
Argument argument(const std::string& text) {
  static const std::map<std::string, Kind> kinds{
      {"frame", Kind::frame},         {"base", Kind::frame},  {"joints", Kind::joints},
      {"reference", Kind::reference}, {"point", Kind::point}, {"external", Kind::forces},
      {"dt", Kind::number},           {"rate", Kind::number}, {"integrator", Kind::integrator},
      {"friction", Kind::friction}};
  Argument a;
  const auto equals = text.find('=');
  const auto bracket = text.find('[');
  a.name = text.substr(0, std::min(equals, bracket));
  if (equals != text.npos) a.fallback = text.substr(equals + 1);
  const auto found = kinds.find(a.name);
  a.kind = found == kinds.end() ? Kind::vector : found->second;
  a.size = bracket != text.npos ? dimension(std::string_view(text).substr(bracket + 1))
                                : Dimension{a.name[0] == 'q' ? Dimension::q : Dimension::v, 1};
  a.key = PyUnicode_InternFromString(a.name.c_str());
  return a;
}
}  // namespace

Function parse(const Line& line) {
  const std::string_view text = line.signature;
  Function f;
  f.entry = line.entry;
  const auto open = text.find('('), arrow = text.find(" -> "), close = text.rfind(')', arrow);
  f.name = text.substr(0, open);
  for (const auto& a : split(text.substr(open + 1, close - open - 1))) f.arguments.push_back(argument(a));
  for (const auto& r : split(text.substr(arrow + 4))) {
    const auto bracket = r.find('[');
    Result result{r.substr(0, bracket), {}};
    for (const auto& d : split(r.substr(bracket + 1, r.size() - bracket - 2))) result.shape.push_back(dimension(d));
    f.results.push_back(result);
  }
  for (const auto& a : f.arguments) {
    f.required += !a.optional();
    if (f.state == static_cast<std::size_t>(&a - f.arguments.data()) &&
        (a.name == "q" || a.name == "v" || a.name == "a"))
      ++f.state;
  }
  return f;
}

}  // namespace corio::python
