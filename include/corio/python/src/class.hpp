#pragma once
// Classes of Python whose members are given by lines of Python.
#include <pybind11/eigen.h>
#include <pybind11/eval.h>
#include <pybind11/stl.h>

#include "classes.hpp"

namespace corio::python {

using V = Eigen::VectorXd;
using In = const Eigen::Ref<const V>&;
using Mat = Eigen::MatrixXd;
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
