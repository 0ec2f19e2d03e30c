#pragma once
// Classes of Python whose members are given by lines of Python.
#include <pybind11/eigen.h>
#include <pybind11/eval.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "classes.hpp"

namespace corio::python {

using V = Eigen::VectorXd;
using In = const Eigen::Ref<const V>&;
using Mat = Eigen::MatrixXd;
using Array = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;
using RowMat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A line of Python, "name(a, *, b=1)", whose arguments become attributes of a function of pybind11.
struct Signature {
  explicit Signature(const std::string& line) : name(line.substr(0, line.find('('))) {
    for (const auto& text : split(line.substr(name.size() + 1, line.size() - name.size() - 2)))
      arguments.push_back(name_and_fallback(text));
  }
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;
};
/// A class whose constructor and functions are lines of Python. Properties are copies: the next update changes
/// originals.
template <class T, class... Options>
struct Class : pybind11::class_<T, Options...> {
  Class(pybind11::module_& m, const char* name, const std::string& doc = "", auto... options)
      : pybind11::class_<T, Options...>(m, name, (doc + "\n\n" + doc_of(name)).c_str(), options...) {}
  void init(const char* line, auto f) { this->def(pybind11::init(f), Signature(line)); }
  void function(const char* line, auto f, const char* doc = "") {
    this->def(Signature(line).name.c_str(), f, Signature(line), doc);
  }
  void property(const char* name, auto f, const char* doc = "") {
    this->def_property_readonly(name, f, pybind11::return_value_policy::copy, doc);
  }
};
/// A function of a module.
void function(pybind11::module_& m, const char* line, auto f, const std::string& doc = "") {
  const Signature s(line);
  m.def(s.name.c_str(), f, s, (doc + "\n\n" + doc_of(s.name)).c_str());
}

/// Whether x[..] has the rows of Y[.., columns].
inline bool fit(const Array& Y, const Array& x) {
  return Y.ndim() == x.ndim() + 1 && std::equal(x.shape(), x.shape() + x.ndim(), Y.shape());
}
/// Adds properties that are members, by their names with commas between them; `Samples` are matrices by columns.
template <bool by_columns = false, class T, class... M>
Class<T> bind_result(pybind11::module_& m, const char* name, const char* names, M T::*... members) {
  Class<T> made(m, name);
  std::istringstream words(names);
  const auto add = [&](auto member) {
    std::string word;
    words >> word;
    if constexpr (by_columns && std::is_same_v<decltype(member), MatrixX<double> T::*>)
      made.property(word.c_str(), [member](const T& x) -> RowMat { return (x.*member).transpose(); });
    else
      made.property(word.c_str(), [member](const T& x) { return x.*member; });
  };
  (add(members), ...);
  made.def("__repr__", [type = std::string(name), fields = std::string(names)](const pybind11::object& x) {
    std::string text = type + "(", field;
    for (std::istringstream all(fields); all >> field;)
      text +=
          (text.back() == '(' ? "" : ", ") + field + "=" + pybind11::repr(x.attr(field.c_str())).cast<std::string>();
    return text + ")";
  });
  return made;
}

/// Returns T(robot, a...).
template <class T>
T made(AnyRobot& any, const auto&... a) {
  return with(any, [&](auto& robot, auto&) { return T(robot, a...); });
}
/// Calls object.update(robot, data, a...).
template <class T, class... A>
V update(T& object, AnyRobot& any, A... a) {
  return with(any, [&](auto& robot, auto& data) -> V { return object.update(robot, data, a...); });
}
inline BodySelection selected(const AnyRobot& any, const Names& bodies) {
  return bodies.empty() ? BodySelection() : BodySelection(any.tree(), bodies);
}

void bind_models(pybind11::module_& module);
void bind_builder(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_control(pybind11::module_& module);
void bind_operational_space(pybind11::module_& module);
void bind_observers(pybind11::module_& module);
void bind_recordings(pybind11::module_& module);
void bind_identification(pybind11::module_& module);
void bind_excitation(pybind11::module_& module);
void bind_files(pybind11::module_& module);

}  // namespace corio::python

template <>
struct pybind11::detail::process_attribute<corio::python::Signature>
    : pybind11::detail::process_attribute_default<corio::python::Signature> {
  static void init(const corio::python::Signature& s, function_record* r) {
    for (const auto& [name, fallback] : s.arguments)
      if (name == "*")
        process_attribute<kw_only>::init({}, r);
      else if (fallback.empty())
        process_attribute<arg>::init(arg(name.c_str()), r);
      else
        process_attribute<arg_v>::init(arg(name.c_str()) = object(eval(fallback)), r);
  }
};
