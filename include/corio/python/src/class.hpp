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
using Names = std::vector<std::string>;

/// A line of Python, "name(a, b=1)", whose arguments become attributes of a function of pybind11.
struct Signature {
  explicit Signature(const std::string& line) : name(line.substr(0, line.find('('))) {
    const auto f = pybind11::eval("lambda " + line.substr(name.size() + 1, line.size() - name.size() - 2) + ": 0");
    arguments = f.attr("__code__").attr("co_varnames").cast<Names>();
    if (!f.attr("__defaults__").is_none()) defaults = f.attr("__defaults__");
  }
  std::string name;
  Names arguments;
  pybind11::tuple defaults;  // defaults of the last arguments
};
/// A class whose constructor and functions are lines of Python. Properties are copies: the next update changes
/// originals.
template <class T>
struct Class : pybind11::class_<T> {
  using pybind11::class_<T>::class_;
  void init(const char* line, auto f) { this->def(pybind11::init(f), Signature(line)); }
  void function(const char* line, auto f) { this->def(Signature(line).name.c_str(), f, Signature(line)); }
  void property(const char* name, auto f) { this->def_property_readonly(name, f, pybind11::return_value_policy::copy); }
};

/// A function of a module.
void function(pybind11::module_& m, const char* line, auto f) {
  m.def(Signature(line).name.c_str(), f, Signature(line));
}
/// The value of a name.
template <class E>
E chosen(const std::string& name, const std::map<std::string, E>& values) {
  if (const auto at = values.find(name); at != values.end()) return at->second;
  std::string known;
  for (const auto& [other, value] : values) known += (known.empty() ? "'" : "', '") + other;
  throw Error("'" + name + "' is none of " + known + "'");
}

}  // namespace corio::python

template <>
struct pybind11::detail::process_attribute<corio::python::Signature>
    : pybind11::detail::process_attribute_default<corio::python::Signature> {
  static void init(const corio::python::Signature& s, function_record* r) {
    const std::size_t required = s.arguments.size() - s.defaults.size();
    for (std::size_t i = 0; i < s.arguments.size(); ++i) {
      const arg name(s.arguments[i].c_str());
      if (i < required)
        process_attribute<arg>::init(name, r);
      else
        process_attribute<arg_v>::init(name = object(s.defaults[i - required]), r);
    }
  }
};
