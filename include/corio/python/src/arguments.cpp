// A line of the table is "name(q, v, x[size], option='fallback') -> result[size,size], ..": sizes are numbers, letters
// (Dimension), or products such as 10b, and x[] is a number; an argument without brackets has nq numbers if its name
// begins with q, else nv.
#include "arguments.hpp"

#include <map>

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
  Argument a;
  std::tie(a.name, a.fallback) = name_and_fallback(text);
  const bool sized = a.name.ends_with(']');
  a.name = with_sizes(a.name, a.shape);
  const auto found = kinds.find(a.name);
  a.kind = sized && a.name != "point" ? Kind::vector
           : found != kinds.end()     ? found->second
           : choices.contains(a.name) ? Kind::choice
                                      : Kind::vector;
  if (!sized) a.shape = {{a.name[0] == 'q' ? 'q' : 'v'}};
  if (a.fallback[0] == '(')
    for (const auto& x : split(a.fallback.substr(1, a.fallback.size() - 2))) a.numbers.push_back(std::stod(x));
  else if (a.kind == Kind::number && a.optional())
    a.numbers = {std::stod(a.fallback)};
  a.key = PyUnicode_InternFromString(a.name.c_str());
  return a;
}
}  // namespace

int enumerator(const std::string& function, const std::string& argument, const std::string& word) {
  return index_of(function + ": " + argument, word, choices.at(argument));
}

Function parse(const Line& line) {
  const std::string& text = line.signature;
  Function f;
  f.entry = line.entry, f.of_robot = line.of_robot;
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

std::string shape_text(Eigen::Index n, const npy_intp* shape) {
  std::string s = "(";
  for (Eigen::Index i = 0; i < n; ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + (n == 1 ? ",)" : ")");
}

Input input(const Function& f, const std::string& name, PyObject* x, std::span<const npy_intp> shape) {
  Input in;
  const auto dims = static_cast<int>(shape.size());
  const auto convert = [&](PyObject* from, PyArray_Descr* type, int flags) {
    in.owned = own(PyArray_FromAny(from, type, 0, 0, flags, nullptr));
    in.array = array(in.owned);
  };
  if (PyArray_CheckExact(x)) {
    auto* a = reinterpret_cast<PyArrayObject*>(x);
    if (PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(a)) in.array = a;
  }
  if (!in.array) convert(x, PyArray_DescrFromType(NPY_DOUBLE), NPY_ARRAY_CARRAY_RO & ~NPY_ARRAY_FORCECAST);
  in.states = PyArray_NDIM(in.array) - dims;
  if (in.states < 0 || !std::equal(shape.begin(), shape.end(), PyArray_DIMS(in.array) + in.states)) {
    std::string of_states = shape_text(dims, shape.data());
    of_states.replace(0, 1, dims ? "(states, " : "(states,");
    if (dims == 1) of_states.erase(of_states.size() - 2, 1);
    throw SizeError(f.name + ": " + name + " has shape " + shape_text(PyArray_NDIM(in.array), PyArray_DIMS(in.array)) +
                    ", expected " + shape_text(dims, shape.data()) + " or " + of_states);
  }
  in.n = 1;
  bool contiguous = in.states <= 1 || PyArray_IS_C_CONTIGUOUS(in.array);
  for (int k = dims - 1; k >= 0; in.n *= shape[static_cast<std::size_t>(k--)])
    contiguous = contiguous && (shape[static_cast<std::size_t>(k)] == 1 ||
                                PyArray_STRIDE(in.array, in.states + k) == in.n * npy_intp(sizeof(double)));
  if (!contiguous) convert(reinterpret_cast<PyObject*>(in.array), nullptr, NPY_ARRAY_C_CONTIGUOUS);
  in.data = static_cast<double*>(PyArray_DATA(in.array));
  return in;
}

const char* text_of(const Function& f, const Argument& a, PyObject* x) {
  if (!PyUnicode_Check(x))
    fail(PyExc_TypeError, "%s: %s is a %s, expected a str", f.name.c_str(), a.name.c_str(), Py_TYPE(x)->tp_name);
  return need(PyUnicode_AsUTF8(x));
}

}  // namespace corio::python
