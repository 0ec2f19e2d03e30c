#pragma once
// Objects of Python and arrays of numpy, as far as functions need them.
#include <span>
#include <utility>

#include "signature.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL corio_numpy
#ifndef CORIO_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace corio::python {

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

/// An owned reference.
struct Ref {
  PyObject* p = nullptr;
  Ref() = default;
  explicit Ref(PyObject* x) : p(x) {}
  Ref(Ref&& o) noexcept : p(std::exchange(o.p, nullptr)) {}
  Ref& operator=(Ref&& o) noexcept { return std::swap(p, o.p), *this; }
  ~Ref() { Py_XDECREF(p); }
  PyObject* release() { return std::exchange(p, nullptr); }
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(p); }
};

/// The numbers of one state, or of many: leading dimensions are states, the numbers of a state are contiguous.
struct Input {
  PyArrayObject* array = nullptr;  // null for a fallback
  Ref owned;
  double* data = nullptr;
  Eigen::Index n = 0;        // numbers of a state
  int states = 0;            // number of leading dimensions
  std::size_t argument = 0;  // of the function
};
std::string shape_text(Eigen::Index n, const npy_intp* shape);
/// @throws SizeError naming the argument, its shape and what was expected; PythonError for other types
Input input(const Function& f, const std::string& name, PyObject* x, std::span<const npy_intp> shape);
const char* text_of(const Function& f, const Argument& a, PyObject* x);
/// @throws Error with all names
int choice(const Function& f, const Argument& a, PyObject* x);

}  // namespace corio::python
