#pragma once
#include "function.hpp"

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
  std::vector<double> numbers;     // the fallback as numbers
  std::vector<std::string> names;  // the values of a choice, in the order of the enumeration
  PyObject* key;                   // the interned name
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
