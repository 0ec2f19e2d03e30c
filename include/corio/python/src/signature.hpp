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
  std::string name, fallback;  // the value of one that need not be given
  Kind kind;
  Dimension size;
  PyObject* key;  // interned
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
  std::size_t required = 0, state = 0;  // positional ones; of them q, v, a
  PyTypeObject* tuple = nullptr;        // of several results
  PyMethodDef method;
};
/// What a line of the table says.
Function parse(const Line& line);

}  // namespace corio::python
