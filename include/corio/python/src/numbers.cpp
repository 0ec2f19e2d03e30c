#include "numbers.hpp"

namespace corio::python {

std::string shape_text(Eigen::Index n, const npy_intp* shape) {
  std::string s = "(";
  for (Eigen::Index i = 0; i < n; ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + (n == 1 ? ",)" : ")");
}

Input input(const Function& f, const std::string& name, PyObject* x, std::span<const npy_intp> shape) {
  Input in;
  const auto own = static_cast<int>(shape.size());
  const auto convert = [&](PyObject* from, PyArray_Descr* type, int flags) {
    in.owned = Ref(need(PyArray_FromAny(from, type, 0, 0, flags, nullptr)));
    in.array = in.owned.array();
  };
  if (PyArray_CheckExact(x)) {
    auto* a = reinterpret_cast<PyArrayObject*>(x);
    if (PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(a)) in.array = a;
  }
  if (!in.array) convert(x, PyArray_DescrFromType(NPY_DOUBLE), NPY_ARRAY_CARRAY_RO & ~NPY_ARRAY_FORCECAST);
  in.states = PyArray_NDIM(in.array) - own;
  if (in.states < 0 || !std::equal(shape.begin(), shape.end(), PyArray_DIMS(in.array) + in.states)) {
    std::string of_states = shape_text(own, shape.data());
    of_states.replace(0, 1, "(states, ");
    if (own == 1) of_states.erase(of_states.size() - 2, 1);
    throw SizeError(f.name + ": " + name + " has shape " + shape_text(PyArray_NDIM(in.array), PyArray_DIMS(in.array)) +
                    ", expected " + shape_text(own, shape.data()) + " or " + of_states);
  }
  in.n = 1;
  bool contiguous = in.states <= 1 || PyArray_IS_C_CONTIGUOUS(in.array);
  for (int k = own - 1; k >= 0; in.n *= shape[static_cast<std::size_t>(k--)])
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

int choice(const Function& f, const Argument& a, PyObject* x) {
  const std::string text = text_of(f, a, x);
  const auto found = std::find(a.names.begin(), a.names.end(), text);
  if (found != a.names.end()) return static_cast<int>(found - a.names.begin());
  std::string known;
  for (const auto& name : a.names) known += std::string(known.empty() ? "'" : ", '") + name + "'";
  throw Error(f.name + ": " + a.name + " is '" + text + "', expected one of " + known);
}

}  // namespace corio::python
