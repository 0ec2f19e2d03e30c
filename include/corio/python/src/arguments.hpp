#pragma once
// Signatures, objects of Python and arrays of numpy, as far as functions need them.
#include <pybind11/pybind11.h>

#include <span>
#include <utility>

#include "function.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL corio_numpy
#ifndef CORIO_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace corio::python {

struct Dimension {
  char letter = ' ';  // q, v, b(odies), t(he tree's speeds), c(onditions of loops), p(laces)
  int n = 1;
  Eigen::Index of(const AnyRobot& r, const Constants& c) const {
    switch (letter) {
      case 'q': return n * r.nq;
      case 'v': return n * r.nv;
      case 'b': return n * r.bodies;
      case 't': return n * r.tree().nv();
      case 'c': return n * r.loops.rows();
      case 'p': return n * std::ssize(c.places);
      default: return n;
    }
  }
};
enum class Kind { vector, point, frame, frames, reference, forces, number, joints, choice };
struct Argument {
  std::string name, fallback;  // fallback: the value of an optional argument
  Kind kind;
  std::vector<Dimension> shape;
  std::vector<double> numbers;  // the fallback as numbers
  PyObject* key;                // the interned name
  bool optional() const { return !fallback.empty(); }
};
struct Result {
  std::string name;
  std::vector<Dimension> shape;
};
struct Function {
  std::string name, doc;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  Entry entry;
  std::size_t required = 0, state = 0;  // number of positional arguments, and of q, v, a among them
  bool of_robot = true;
  PyTypeObject* tuple = nullptr;  // type of several results
  PyMethodDef method;
};
/// The contents of a line of the table.
Function parse(const Line& line);

/// An error that Python has been told of.
struct PythonError {};
template <class... X>
[[noreturn]] void fail(PyObject* type, const char* format, X... x) {
  PyErr_Format(type, format, x...);
  throw PythonError();
}
template <class T>
T* need(T* x) {
  if (!x) throw PythonError();
  return x;
}

/// The owner of a new reference.
inline pybind11::object own(PyObject* x) { return pybind11::reinterpret_steal<pybind11::object>(need(x)); }
inline PyArrayObject* array(const pybind11::object& x) { return reinterpret_cast<PyArrayObject*>(x.ptr()); }

/// The numbers of one state, or of many: leading dimensions are states, the numbers of a state are contiguous.
struct Input {
  PyArrayObject* array = nullptr;  // null for a fallback
  pybind11::object owned;
  double* data = nullptr;
  Eigen::Index n = 0;        // numbers of a state
  int states = 0;            // number of leading dimensions
  std::size_t argument = 0;  // of the function
};
std::string shape_text(Eigen::Index n, const npy_intp* shape);
/// @throws SizeError naming the argument, its shape and what was expected; PythonError for other types
Input input(const Function& f, const std::string& name, PyObject* x, std::span<const npy_intp> shape);
const char* text_of(const Function& f, const Argument& a, PyObject* x);

}  // namespace corio::python
