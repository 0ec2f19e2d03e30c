// One function of Python for each line of the table: arguments, shapes, rows of states, results.
#include "function.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <numpy/arrayobject.h>

#include "docs.hpp"
#include "signature.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

/// An owned reference.
struct Ref {
  PyObject* p = nullptr;
  Ref() = default;
  explicit Ref(PyObject* x) : p(x) {}
  Ref(Ref&& o) noexcept : p(std::exchange(o.p, nullptr)) {}
  Ref& operator=(Ref&& o) noexcept { return std::swap(p, o.p), *this; }
  ~Ref() { Py_XDECREF(p); }
  PyObject* release() { return std::exchange(p, nullptr); }
};
struct PythonError {};
template <class T>
T* need(T* x) {
  if (!x) throw PythonError();
  return x;
}

std::string shape_text(PyArrayObject* x) {
  std::string s = "(";
  for (int i = 0; i < PyArray_NDIM(x); ++i) s += (i ? ", " : "") + std::to_string(PyArray_DIM(x, i));
  return s + (PyArray_NDIM(x) == 1 ? ",)" : ")");
}
[[noreturn]] void wrong_shape(const Function& f, const std::string& name, PyArrayObject* x, Eigen::Index n) {
  const std::string N = std::to_string(n);
  throw SizeError(f.name + ": " + name + " has shape " + shape_text(x) + ", expected (" + N + ",) or (states, " + N +
                  ")");
}

/// An input as doubles, with its last dimension contiguous.
struct Input {
  PyArrayObject* array;
  Ref owned;
  bool many;
};
Input input(const Function& f, const std::string& name, PyObject* x, Eigen::Index n) {
  Input in{nullptr, Ref(), false};
  if (PyArray_CheckExact(x)) {
    auto* a = reinterpret_cast<PyArrayObject*>(x);
    if (PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(a) && PyArray_NDIM(a) > 0 &&
        (PyArray_STRIDE(a, PyArray_NDIM(a) - 1) == sizeof(double) || n == 1))
      in.array = a;
  }
  if (!in.array) {
    in.owned = Ref(need(PyArray_FromAny(x, PyArray_DescrFromType(NPY_DOUBLE), 0, 0,
                                        NPY_ARRAY_CARRAY_RO & ~NPY_ARRAY_FORCECAST, nullptr)));
    in.array = reinterpret_cast<PyArrayObject*>(in.owned.p);
  }
  const int dims = PyArray_NDIM(in.array);
  if (dims == 0 || PyArray_DIM(in.array, dims - 1) != n) wrong_shape(f, name, in.array, n);
  if (dims > 2 && !PyArray_IS_C_CONTIGUOUS(in.array)) {
    in.owned = Ref(
        need(PyArray_FromAny(reinterpret_cast<PyObject*>(in.array), nullptr, 0, 0, NPY_ARRAY_C_CONTIGUOUS, nullptr)));
    in.array = reinterpret_cast<PyArrayObject*>(in.owned.p);
  }
  in.many = dims > 1;
  return in;
}

std::string text_of(const Function& f, const Argument& a, PyObject* x) {
  if (!PyUnicode_Check(x)) {
    PyErr_Format(PyExc_TypeError, "%s: %s is a %s, expected a str", f.name.c_str(), a.name.c_str(),
                 Py_TYPE(x)->tp_name);
    throw PythonError();
  }
  return need(PyUnicode_AsUTF8(x));
}
template <class E>
E choice(const Function& f, const Argument& a, PyObject* x, std::initializer_list<std::pair<const char*, E>> all) {
  const std::string text = text_of(f, a, x);
  std::string known;
  for (const auto& [name, value] : all) {
    if (text == name) return value;
    known += std::string(known.empty() ? "'" : ", '") + name + "'";
  }
  throw Error(f.name + ": " + a.name + " is '" + text + "', expected one of " + known);
}
ReferenceFrame reference(const Function& f, const Argument& a, PyObject* x) {
  return choice<ReferenceFrame>(f, a, x,
                                {{"world", ReferenceFrame::world},
                                 {"body", ReferenceFrame::body},
                                 {"world_aligned", ReferenceFrame::world_aligned}});
}

template <class T>
T* value(PyObject* x) {
  return py::cast<T*>(py::handle(x));
}
AnyRobot* robot(const Function& f, PyObject* x) {
  PyTypeObject* const t = Py_TYPE(x);
  if (t == types.model || t == types.mechanism) {
    // The pointer that pybind11 stores, without its search through registered types.
    const auto* const i = reinterpret_cast<py::detail::instance*>(x);
    if (i->simple_layout && i->simple_value_holder[0])
      return t == types.model
                 ? static_cast<AnyRobot*>(static_cast<RobotHolder<Model<double>>*>(i->simple_value_holder[0]))
                 : static_cast<RobotHolder<Mechanism<double>>*>(i->simple_value_holder[0]);
  }
  try {
    return value<AnyRobot>(x);
  } catch (const py::cast_error&) {
    PyErr_Format(PyExc_TypeError, "%s: the first argument is a %s, expected a corio.Model or corio.Mechanism",
                 f.name.c_str(), t->tp_name);
    throw PythonError();
  }
}

PyObject* call(const Function& f, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  constexpr std::size_t most = 12;
  PyObject* given[most] = {};
  if (nargs < 1) {
    PyErr_Format(PyExc_TypeError, "%s() needs a model as its first argument", f.name.c_str());
    throw PythonError();
  }
  AnyRobot& r = *robot(f, args[0]);
  Constants c;
  PyData* data = nullptr;
  Py_ssize_t at = 1;
  if (nargs > 1 && Py_TYPE(args[1]) == types.data) data = value<PyData>(args[1]), ++at;
  if (data && data->robot.get() != &r) throw StateError(f.name + ": data was made for another model");
  const auto positional = static_cast<std::size_t>(nargs - at);
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  PyObject *out = nullptr, *threads_given = nullptr;
  // Without q, the form that uses the state in data.
  std::size_t first = 0;
  bool q_by_key = false;
  for (Py_ssize_t k = 0; k < keywords; ++k)
    q_by_key =
        q_by_key || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), f.arguments[0].name.c_str()) == 0;
  if (data && f.state > 0 && positional + f.state <= f.required && !q_by_key) first = f.state, c.reuse = true;
  if (positional + first > f.required) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zu arguments after the model by position, %zu were given",
                 f.name.c_str(), f.required, positional);
    throw PythonError();
  }
  for (std::size_t i = 0; i < positional; ++i) given[first + i] = args[at + static_cast<Py_ssize_t>(i)];
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* const key = PyTuple_GET_ITEM(kwnames, k);
    PyObject* const x = args[nargs + k];
    std::size_t i = 0;
    while (i < f.arguments.size() && f.arguments[i].key != key && PyUnicode_Compare(f.arguments[i].key, key) != 0) ++i;
    if (i < f.arguments.size()) {
      if (given[i]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", f.name.c_str(), key);
        throw PythonError();
      }
      given[i] = x;
    } else if (PyUnicode_CompareWithASCIIString(key, "out") == 0) {
      out = x == Py_None ? nullptr : x;
    } else if (PyUnicode_CompareWithASCIIString(key, "threads") == 0) {
      threads_given = x;
    } else {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", f.name.c_str(), key);
      throw PythonError();
    }
  }

  Input inputs[most_inputs];
  const double* in[most_inputs];
  std::size_t n_in = 0;
  if (c.reuse)
    for (std::size_t i = 0; i < f.state; ++i) in[n_in] = nullptr, inputs[n_in++].array = nullptr;
  const auto add_input = [&](const std::string& name, PyObject* x, Eigen::Index n) {
    if (n_in == most_inputs) throw Error(f.name + ": too many external forces");
    inputs[n_in] = input(f, name, x, n);
    in[n_in] = static_cast<const double*>(PyArray_DATA(inputs[n_in].array));
    ++n_in;
  };
  PyObject* forces = nullptr;
  for (std::size_t i = first; i < f.arguments.size(); ++i) {
    const Argument& a = f.arguments[i];
    PyObject* const x = given[i];
    if (!x || (x == Py_None && a.optional())) {
      if (!a.optional()) {
        PyErr_Format(PyExc_TypeError, "%s() missing argument '%s'", f.name.c_str(), a.name.c_str());
        throw PythonError();
      }
      if (a.kind == Kind::number) c.numbers.push_back(std::stod(a.fallback));
      continue;
    }
    switch (a.kind) {
      case Kind::vector: add_input(a.name, x, a.size.of(r)); break;
      case Kind::frame: {
        c.places.push_back({text_of(f, a, x)});
        static_cast<void>(r.tree().frame(c.places.back().frame));
        break;
      }
      case Kind::joints: {
        const Ref all(need(PySequence_Fast(x, "joints: expected a list of names")));
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(all.p); ++k)
          c.joints.push_back(text_of(f, a, PySequence_Fast_GET_ITEM(all.p, k)));
        break;
      }
      case Kind::reference: c.places.back().reference = reference(f, a, x); break;
      case Kind::point: {
        const Input p = input(f, a.name, x, 3);
        if (p.many) wrong_shape(f, a.name, p.array, 3);
        c.places.back().point = Eigen::Map<const Eigen::Vector3d>(static_cast<const double*>(PyArray_DATA(p.array)));
        break;
      }
      case Kind::number: {
        const double number = PyFloat_AsDouble(x);
        if (number == -1 && PyErr_Occurred()) throw PythonError();
        c.numbers.push_back(number);
        break;
      }
      case Kind::integrator:
        c.integrator = choice<Integrator>(f, a, x,
                                          {{"semi_implicit_euler", Integrator::semi_implicit_euler},
                                           {"rk4", Integrator::rk4},
                                           {"implicit_midpoint", Integrator::implicit_midpoint},
                                           {"variational_midpoint", Integrator::variational_midpoint}});
        break;
      case Kind::friction:
        c.friction = choice<Friction>(f, a, x, {{"smooth", Friction::smooth}, {"exact", Friction::exact}});
        break;
      case Kind::forces: forces = x; break;
    }
  }
  if (forces) {  // {frame: wrench in world axes about its origin}, or {(frame, reference): wrench}
    c.first_force = n_in;
    PyObject *key = nullptr, *x = nullptr;
    Py_ssize_t position = 0;
    if (!PyDict_Check(forces)) {
      PyErr_Format(PyExc_TypeError, "%s: external is a %s, expected a dict {frame: wrench}", f.name.c_str(),
                   Py_TYPE(forces)->tp_name);
      throw PythonError();
    }
    const Argument named = {"external", "", Kind::forces, {}, nullptr};
    while (PyDict_Next(forces, &position, &key, &x)) {
      Constants::Place place;
      place.reference = ReferenceFrame::world_aligned;
      if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 2)
        place.reference = reference(f, named, PyTuple_GET_ITEM(key, 1)), key = PyTuple_GET_ITEM(key, 0);
      place.frame = text_of(f, named, key);
      static_cast<void>(r.tree().frame(place.frame));
      c.forces.push_back(place);
      add_input("external['" + place.frame + "']", x, 6);
    }
  }

  if (!r.takes(f.entry)) throw Error(f.name + ": takes a Model, not a Mechanism; mechanism.model is its tree");

  // The states: leading dimensions, which are equal or broadcast.
  int lead = 0;
  npy_intp shape[NPY_MAXDIMS];
  bool same = true;
  for (std::size_t i = 0; i < n_in; ++i) {
    if (!inputs[i].array || !inputs[i].many) continue;
    const int dims = PyArray_NDIM(inputs[i].array) - 1;
    if (lead == 0)
      lead = dims, std::copy_n(PyArray_DIMS(inputs[i].array), dims, shape);
    else
      same = same && dims == lead && std::equal(shape, shape + lead, PyArray_DIMS(inputs[i].array));
  }
  if (!same) {
    lead = 0;
    for (std::size_t i = 0; i < n_in; ++i) {
      if (!inputs[i].array || !inputs[i].many) continue;
      const int dims = PyArray_NDIM(inputs[i].array) - 1;
      const npy_intp* const own = PyArray_DIMS(inputs[i].array);
      if (dims > lead)
        std::copy_backward(shape, shape + lead, shape + dims), std::fill_n(shape, dims - lead, 1), lead = dims;
      for (int k = 0; k < dims; ++k) {
        npy_intp& n = shape[lead - dims + k];
        if (own[k] != 1 && n != 1 && n != own[k])
          throw SizeError(f.name + ": " + (i < f.arguments.size() ? f.arguments[i].name : "external") + " has shape " +
                          shape_text(inputs[i].array) +
                          ", which does not go with the states of the arguments before it");
        n = std::max(n, own[k]);
      }
    }
  }
  Eigen::Index states = 1;
  for (int k = 0; k < lead; ++k) states *= shape[k];

  // Results
  const std::size_t n_out = f.results.size();
  Ref results[most_outputs];
  double* to[most_outputs];
  for (std::size_t o = 0; o < n_out; ++o) {
    npy_intp full[NPY_MAXDIMS];
    std::copy_n(shape, lead, full);
    int dims = lead;
    for (const Dimension& d : f.results[o].shape) full[dims++] = d.of(r);
    if (out) {
      PyObject* x = n_out == 1 && !PyTuple_Check(out) ? out
                    : PyTuple_Check(out) && static_cast<std::size_t>(PyTuple_GET_SIZE(out)) == n_out
                        ? PyTuple_GET_ITEM(out, static_cast<Py_ssize_t>(o))
                        : nullptr;
      auto* const a = reinterpret_cast<PyArrayObject*>(x);
      if (!x || !PyArray_Check(x) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY(a) || PyArray_NDIM(a) != dims ||
          !std::equal(full, full + dims, PyArray_DIMS(a))) {
        std::string expected = "(";
        for (int k = 0; k < dims; ++k) expected += std::to_string(full[k]) + (k + 1 < dims || dims == 1 ? "," : "");
        throw SizeError(f.name + ": out must have for " + f.results[o].name +
                        " a C-contiguous array of float64 with shape " + expected + ")");
      }
      Py_INCREF(x);
      results[o] = Ref(x);
    } else {
      results[o] = Ref(need(PyArray_SimpleNew(dims, full, NPY_DOUBLE)));
    }
    to[o] = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(results[o].p)));
  }

  if (lead == 0) {
    r.one(f.entry, data ? data->own.get() : nullptr, in, to, c);
  } else {
    if (c.reuse) throw StateError(f.name + ": rows of states need q");
    int threads = 0;
    if (threads_given) {
      threads = static_cast<int>(PyLong_AsLong(threads_given));
      if (threads == -1 && PyErr_Occurred()) throw PythonError();
    }
    std::vector<Rows> rows_in, rows_out;
    for (std::size_t i = 0; i < n_in; ++i) {
      PyArrayObject* a = inputs[i].array;
      const Eigen::Index n = PyArray_DIM(a, PyArray_NDIM(a) - 1);
      if (inputs[i].many && !same) {
        npy_intp full[NPY_MAXDIMS];
        std::copy_n(shape, lead, full), full[lead] = n;
        Ref fresh(need(PyArray_SimpleNew(lead + 1, full, NPY_DOUBLE)));
        if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(fresh.p), a) < 0) throw PythonError();
        inputs[i].owned = std::move(fresh);
        a = inputs[i].array = reinterpret_cast<PyArrayObject*>(inputs[i].owned.p);
      }
      const Eigen::Index stride = !inputs[i].many ? 0
                                  : lead > 1      ? n
                                                  : PyArray_STRIDE(a, 0) / static_cast<npy_intp>(sizeof(double));
      rows_in.push_back({static_cast<double*>(PyArray_DATA(a)), n, stride});
    }
    for (std::size_t o = 0; o < n_out; ++o) {
      Eigen::Index n = 1;
      for (const Dimension& d : f.results[o].shape) n *= d.of(r);
      rows_out.push_back({to[o], n, n});
    }
    const py::gil_scoped_release release;
    r.many(f.entry, rows_in, rows_out, states, c, threads);
  }
  const auto finished = [&](Ref& x) -> PyObject* {
    if (PyArray_NDIM(reinterpret_cast<PyArrayObject*>(x.p)) > 0 || out) return x.release();
    return PyFloat_FromDouble(*static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(x.p))));
  };
  if (n_out == 1) return finished(results[0]);
  PyObject* const tuple = need(PyStructSequence_New(f.tuple));
  for (std::size_t o = 0; o < n_out; ++o)
    PyStructSequence_SET_ITEM(tuple, static_cast<Py_ssize_t>(o), finished(results[o]));
  return tuple;
}

PyObject *error_type, *model_error, *size_error, *state_error;

PyObject* entry_point(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto& f = *static_cast<const Function*>(PyCapsule_GetPointer(self, nullptr));
  try {
    return call(f, args, nargs, kwnames);
  } catch (const PythonError&) {
  } catch (const ModelError& e) {
    PyErr_SetString(model_error, e.what());
  } catch (const SizeError& e) {
    PyErr_SetString(size_error, e.what());
  } catch (const StateError& e) {
    PyErr_SetString(state_error, e.what());
  } catch (const Error& e) {
    PyErr_SetString(error_type, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

}  // namespace

void add_functions(py::module_& module, const std::vector<Line>& lines) {
  import_array1();
  error_type = module.attr("Error").ptr(), model_error = module.attr("ModelError").ptr();
  size_error = module.attr("SizeError").ptr(), state_error = module.attr("StateError").ptr();
  for (const Line& line : lines) {
    auto* const f = new Function(parse(line));  // lives as long as the module
    // "name(model, q, v, *, external=None, out=None, threads=0)\n--\n\n" becomes __text_signature__.
    std::string signature = f->name + "(model", shapes;
    for (const auto& a : f->arguments)
      if (!a.optional()) signature += ", " + a.name;
    signature += ", *";
    for (const auto& a : f->arguments)
      if (a.optional()) signature += ", " + a.name + "=" + (a.kind == Kind::forces ? "None" : a.fallback);
    signature += ", out=None, threads=0)\n--\n\n";
    f->doc = signature + line.signature + "\n\n" + doc_of(f->name);
    f->method = {f->name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry_point)),
                 METH_FASTCALL | METH_KEYWORDS, f->doc.c_str()};
    if (f->results.size() > 1) {
      auto* const fields = new std::vector<PyStructSequence_Field>;
      for (const auto& r : f->results) fields->push_back({r.name.c_str(), nullptr});
      fields->push_back({nullptr, nullptr});
      auto* const name = new std::string("corio." + f->name + "_result");
      PyStructSequence_Desc desc{name->c_str(), nullptr, fields->data(), static_cast<int>(f->results.size())};
      f->tuple = PyStructSequence_NewType(&desc);
      module.attr((f->name + "_result").c_str()) =
          py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(f->tuple));
    }
    const py::capsule self(static_cast<const void*>(f), nullptr, nullptr);
    module.attr(f->name.c_str()) =
        py::reinterpret_steal<py::object>(PyCFunction_NewEx(&f->method, self.ptr(), py::str("corio").ptr()));
  }
}

}  // namespace corio::python
