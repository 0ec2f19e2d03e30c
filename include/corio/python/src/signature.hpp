#pragma once
#include <pybind11/pybind11.h>

#include "line.hpp"

namespace corio::python {

struct Dimension {
  enum Kind { fixed, q, v, bodies } kind = fixed;
  int n = 1;
  Eigen::Index of(const AnyRobot& r) const {
    return n * static_cast<Eigen::Index>(kind == q ? r.nq : kind == v ? r.nv : kind == bodies ? r.bodies : 1);
  }
};
enum class Kind { vector, frame, reference, point, forces, number, joints, integrator, friction };
struct Argument {
  std::string name, fallback;  // fallback: the value of an optional argument
  Kind kind;
  Dimension size;
  PyObject* key;  // the interned name
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
  PyTypeObject* tuple = nullptr;        // type of several results
  PyMethodDef method;
};
/// The contents of a line of the table.
Function parse(const Line& line);

}  // namespace corio::python
