#pragma once
// Classes and functions of Python that are given by lines of Python.
#include <pybind11/eval.h>
#include <pybind11/stl.h>

#include "casters.hpp"

namespace corio::python {

using M = Model<double>;
using V = Eigen::VectorXd;
using In = const Eigen::Ref<const V>&;
using Mat = Eigen::MatrixXd;
using Vec = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Array = pybind11::array_t<double, pybind11::array::c_style>;

/// A line of Python, "name(a, *, b=1)", whose arguments become attributes of a function of pybind11.
struct Signature {
  explicit Signature(const std::string& line) : name(line.substr(0, line.find('('))) {
    for (const auto& text : split(line.substr(name.size() + 1, line.size() - name.size() - 2)))
      arguments.push_back(name_and_fallback(text));
  }
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;
};
inline std::string paragraphs(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "\n\n") + second;
}
/// A function of a module.
void function(pybind11::module_& m, const char* line, auto f, const std::string& doc = "") {
  const Signature s(line);
  const auto module = m.attr("__name__").cast<std::string>();
  const std::string more = doc_of(s.name) + doc_of(module.substr(module.rfind('.') + 1) + "." + s.name);
  m.def(s.name.c_str(), f, s, paragraphs(doc, more).c_str());
}

/// A member of another class than that of Python, as a function.
template <class C, class R, class... A>
auto plain(R (C::*member)(A...) const) {
  return [member](const C& x, A... a) -> decltype(auto) { return (x.*member)(a...); };
}
template <class C, class R>
requires(!std::is_function_v<R>) auto plain(R C::*member) {
  return [member](const C& x) { return x.*member; };
}
auto plain(auto f) { return f; }

/// A class whose constructor and functions are lines of Python. Properties are copies, since the next update changes
/// originals.
template <class T, class... Options>
struct Class : pybind11::class_<T, Options...> {
  Class(pybind11::module_& m, const char* name, const std::string& doc = "", auto... options)
      : pybind11::class_<T, Options...>(m, name, paragraphs(doc, doc_of(name)).c_str(), options...), name_(name) {}
  void init(const char* line, auto f) { this->def(pybind11::init(f), Signature(line)); }
  template <class... A>
  void init(const char* line) {
    init(line, [](A... a) { return T{a...}; });
  }
  void function(const char* line, auto f, const char* doc = "") {
    const Signature s(line);
    this->def(s.name.c_str(), plain(f), s, doc_of_member(s.name, doc).c_str());
  }
  void property(const char* name, auto f, const char* doc = "") {
    this->def_property_readonly(name, plain(f), pybind11::return_value_policy::copy, doc_of_member(name, doc).c_str());
  }

 private:
  std::string doc_of_member(const std::string& name, const std::string& doc) const {
    return paragraphs(doc, doc_of(name_ + "." + name));
  }
  std::string name_;
};

/// A class of results: properties that are members, by their names with spaces between them. Matrices are transposed
/// for results whose columns are samples, which are rows in Python.
template <bool by_columns = false, class T, class... M>
Class<T> bind_result(pybind11::module_& m, const char* name, const char* names, M T::*... members) {
  Class<T> made(m, name);
  std::istringstream words(names);
  const auto add = [&](auto member) {
    std::string word;
    words >> word;
    if constexpr (by_columns && std::is_same_v<decltype(member), Mat T::*>)
      made.property(word.c_str(), [member](const T& x) -> Mat { return (x.*member).transpose(); });
    else
      made.property(word.c_str(), member);
  };
  (add(members), ...);
  made.def("__repr__", [type = std::string(name), fields = std::string(names)](const pybind11::object& x) {
    std::string text = type, field;
    for (std::istringstream all(fields); all >> field;)
      text += (text == type ? "(" : ", ") + field + "=" + pybind11::repr(x.attr(field.c_str())).cast<std::string>();
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
/// Whether x[..] has the rows of Y[.., columns].
inline bool fit(const Array& Y, const Array& x) {
  return Y.ndim() == x.ndim() + 1 && std::equal(x.shape(), x.shape() + x.ndim(), Y.shape());
}

void bind_models(pybind11::module_& module);
void bind_builder(pybind11::module_& module);
void bind_control(pybind11::module_& module);
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
        process_attribute<arg>::init(arg(name.c_str()).none(false), r);
      else
        process_attribute<arg_v>::init(arg(name.c_str()) = object(eval(fallback)), r);
  }
};
