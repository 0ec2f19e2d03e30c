// The module, and one function of Python for each line of the table: arguments, states, results.
#define CORIO_IMPORTS_NUMPY
#include "arguments.hpp"
#include "class.hpp"
#include "corio/version.hpp"
#include "docs.hpp"

namespace py = pybind11;

namespace corio::python { namespace {

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
    fail(PyExc_TypeError, "%s: the first argument is a %s, expected a corio.Model or corio.Mechanism", f.name.c_str(),
         t->tp_name);
  }
}

/// One call from Python.
struct Call {
  Call(const Function& function, AnyRobot& robot) : f(function), r(robot) {}

  const Function& f;
  AnyRobot& r;
  Constants c;
  PyData* data = nullptr;
  PyObject *out = nullptr, *threads = nullptr;
  std::array<PyObject*, 12> given{};  // by argument
  std::array<Input, most_inputs> inputs{};
  std::size_t n_in = 0;
  int lead = 0;  // the states: their number of dimensions, and these
  npy_intp states[NPY_MAXDIMS];
  std::array<py::object, most_outputs> results{};
  std::array<double*, most_outputs> to{};

  void find_arguments(PyObject* const* args, Py_ssize_t nargs, PyObject* names);
  void read_arguments();
  void read_forces(std::size_t argument);
  Constants::Shape sizes_of(const std::vector<Dimension>& shape, npy_intp* sizes) const {
    Constants::Shape all;
    for (const Dimension& d : shape) all.rows *= std::exchange(all.cols, *sizes++ = d.of(r, c));
    return all;
  }
  void add_input(const std::string& name, PyObject* x, const std::vector<Dimension>& shape, std::size_t argument) {
    if (n_in == most_inputs) throw Error(f.name + ": too many external forces");
    npy_intp sizes[2];
    c.inputs[n_in] = sizes_of(shape, sizes);
    inputs[n_in] = input(f, name, x, {sizes, shape.size()});
    inputs[n_in++].argument = argument;
  }
  void find_states();
  void make_results();
  void run();
  PyObject* finished();
};

void Call::find_arguments(PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  Py_ssize_t at = f.of_robot;
  if (f.of_robot && nargs > 1 && Py_TYPE(args[1]) == types.data) data = value<PyData>(args[1]), ++at;
  if (data && data->robot.get() != &r) throw StateError(f.name + ": data was made for another model");
  const auto positional = static_cast<std::size_t>(nargs - at);
  const auto is = [](PyObject* key, const std::string& name) {
    return PyUnicode_CompareWithASCIIString(key, name.c_str()) == 0;
  };
  const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
  // Without q, the form that uses the state in data.
  c.reuse = data && f.state > 0 && positional + f.state <= f.required;
  for (Py_ssize_t k = 0; k < keywords; ++k) c.reuse = c.reuse && !is(PyTuple_GET_ITEM(names, k), f.arguments[0].name);
  const std::size_t first = c.reuse ? f.state : 0;
  if (positional + first > f.required)
    fail(PyExc_TypeError, "%s() takes %zu arguments%s by position, %zu were given", f.name.c_str(), f.required,
         f.of_robot ? " after the model" : "", positional);
  std::copy_n(args + at, positional, given.begin() + static_cast<std::ptrdiff_t>(first));
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* const key = PyTuple_GET_ITEM(names, k);
    PyObject* const x = args[nargs + k];
    std::size_t i = 0;
    while (i < f.arguments.size() && f.arguments[i].key != key && PyUnicode_Compare(f.arguments[i].key, key) != 0) ++i;
    if (i < f.arguments.size() && given[i])
      fail(PyExc_TypeError, "%s() got multiple values for argument '%U'", f.name.c_str(), key);
    else if (i < f.arguments.size())
      given[i] = x;
    else if (is(key, "out"))
      out = x == Py_None ? nullptr : x;
    else if (is(key, "threads"))
      threads = x;
    else
      fail(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", f.name.c_str(), key);
  }
}

void Call::read_arguments() {
  const auto add_place = [&](const Argument& a, PyObject* x) {
    c.places.push_back({text_of(f, a, x)});
    static_cast<void>(r.tree().frame(c.places.back().frame));
  };
  const auto for_names = [&](const Argument& a, PyObject* x, auto&& one) {
    const std::string expected = f.name + ": " + a.name + " must be a list of names";
    if (PyUnicode_Check(x)) fail(PyExc_TypeError, "%s", expected.c_str());  // a sequence of letters
    const auto all = own(PySequence_Fast(x, expected.c_str()));
    for (const py::handle name : all) one(name.ptr());
  };
  c.loops = &r.loops;
  if (c.reuse) n_in = f.state;
  std::size_t forces = f.arguments.size();
  for (std::size_t i = c.reuse ? f.state : 0; i < f.arguments.size(); ++i) {
    const Argument& a = f.arguments[i];
    PyObject* const x = given[i] == Py_None && a.optional() ? nullptr : given[i];
    if (!x && !a.optional()) fail(PyExc_TypeError, "%s() missing argument '%s'", f.name.c_str(), a.name.c_str());
    switch (a.kind) {
      case Kind::point:
        if (!x) break;
        c.places.back().point = static_cast<int>(n_in);
        [[fallthrough]];
      case Kind::vector:
        if (x) {
          add_input(a.name, x, a.shape, i);
        } else {
          inputs[n_in].data = const_cast<double*>(a.numbers.data());
          c.inputs[n_in].cols = inputs[n_in].n = std::ssize(a.numbers);
          ++n_in;
        }
        break;
      case Kind::frame: add_place(a, x); break;
      case Kind::frames: for_names(a, x, [&](PyObject* one) { add_place(a, one); }); break;
      case Kind::joints: for_names(a, x, [&](PyObject* one) { c.joints.push_back(text_of(f, a, one)); }); break;
      case Kind::reference:
        if (x) c.places.back().reference = static_cast<ReferenceFrame>(enumerator(f.name, a.name, text_of(f, a, x)));
        break;
      case Kind::choice: c.choices.push_back(x ? enumerator(f.name, a.name, text_of(f, a, x)) : 0); break;
      case Kind::number:
        c.numbers.push_back(x ? PyFloat_AsDouble(x) : a.numbers[0]);
        if (PyErr_Occurred()) throw PythonError();
        break;
      case Kind::forces:
        if (x) forces = i;
    }
  }
  if (forces < f.arguments.size()) read_forces(forces);
  if (!r.takes(f.entry))
    throw Error(f.name + (std::get<Body<Model<double>>>(f.entry)
                              ? ": takes a Model, not a Mechanism; mechanism.model is its tree"
                              : ": takes a Mechanism, not a Model"));
}

/// {frame: wrench in world axes about its origin}, or {(frame, reference): wrench}
void Call::read_forces(std::size_t argument) {
  const Argument& a = f.arguments[argument];
  PyObject *key = nullptr, *x = nullptr, *const all = given[argument];
  if (!PyDict_Check(all))
    fail(PyExc_TypeError, "%s: external is a %s, expected a dict {frame: wrench}", f.name.c_str(),
         Py_TYPE(all)->tp_name);
  c.first_force = n_in;
  for (Py_ssize_t position = 0; PyDict_Next(all, &position, &key, &x);) {
    Constants::Place place{"", ReferenceFrame::world_aligned};
    if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 2)
      place.reference =
          static_cast<ReferenceFrame>(enumerator(f.name, "reference", text_of(f, a, PyTuple_GET_ITEM(key, 1)))),
      key = PyTuple_GET_ITEM(key, 0);
    place.frame = text_of(f, a, key);
    static_cast<void>(r.tree().frame(place.frame));
    c.forces.push_back(place);
    add_input("external['" + place.frame + "']", x, {{' ', 6}}, argument);
  }
}

void Call::find_states() {
  for (std::size_t i = 0; i < n_in; ++i) {
    const int dims = inputs[i].states;
    if (dims == 0) continue;
    const npy_intp* const own = PyArray_DIMS(inputs[i].array);
    if (dims > lead) {
      std::copy_backward(states, states + lead, states + dims);
      std::fill_n(states, dims - lead, 1);
      lead = dims;
    }
    for (int k = 0; k < dims; ++k) {
      npy_intp& n = states[lead - dims + k];
      if (own[k] != 1 && n != 1 && n != own[k])
        throw SizeError(f.name + ": " + f.arguments[inputs[i].argument].name + " has shape " +
                        shape_text(PyArray_NDIM(inputs[i].array), own) +
                        ", which does not go with the states of the arguments before it");
      if (n == 1) n = own[k];
    }
  }
}

void Call::make_results() {
  const std::size_t n_out = f.results.size();
  const bool tuple = out && PyTuple_Check(out);
  if (tuple && PyTuple_GET_SIZE(out) != std::ssize(f.results))
    throw SizeError(f.name + ": out has " + std::to_string(PyTuple_GET_SIZE(out)) + " arrays, expected " +
                    std::to_string(n_out));
  for (std::size_t o = 0; o < n_out; ++o) {
    npy_intp full[NPY_MAXDIMS];
    std::copy_n(states, lead, full);
    const int dims = lead + static_cast<int>(f.results[o].shape.size());
    c.outputs[o] = sizes_of(f.results[o].shape, full + lead);
    if (out) {
      PyObject* const x = tuple ? PyTuple_GET_ITEM(out, static_cast<Py_ssize_t>(o)) : out;
      auto* const a = reinterpret_cast<PyArrayObject*>(x);
      if ((n_out > 1 && !tuple) || !PyArray_Check(x) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY(a) ||
          PyArray_NDIM(a) != dims || !std::equal(full, full + dims, PyArray_DIMS(a)))
        throw SizeError(f.name + ": out must have for " + f.results[o].name +
                        " a C-contiguous array of float64 with shape " + shape_text(dims, full));
      results[o] = py::reinterpret_borrow<py::object>(x);
    } else {
      results[o] = own(PyArray_SimpleNew(dims, full, NPY_DOUBLE));
    }
    to[o] = static_cast<double*>(PyArray_DATA(array(results[o])));
  }
}

void Call::run() {
  if (lead == 0) {
    std::array<const double*, most_inputs> in;
    for (std::size_t i = 0; i < n_in; ++i) in[i] = inputs[i].data;
    return r.one(f.entry, data ? data->own.get() : nullptr, in.data(), to.data(), c);
  }
  if (c.reuse) throw StateError(f.name + ": rows of states need q");
  const long n_threads = threads ? PyLong_AsLong(threads) : 0;
  if (PyErr_Occurred()) throw PythonError();
  const Eigen::Index n_states = PyArray_MultiplyList(states, lead);
  std::vector<Rows> in, written;
  for (std::size_t i = 0; i < n_in; ++i) {
    Input& x = inputs[i];
    Eigen::Index stride = x.n;
    if (x.states > 0 && x.states == lead && std::equal(states, states + lead, PyArray_DIMS(x.array))) {
      if (lead == 1) stride = PyArray_STRIDE(x.array, 0) / static_cast<npy_intp>(sizeof(double));
    } else if (x.states > 0) {  // states are repeated as numpy broadcasts them
      const int dims = PyArray_NDIM(x.array) - x.states;
      npy_intp full[NPY_MAXDIMS];
      std::copy_n(states, lead, full), std::copy_n(PyArray_DIMS(x.array) + x.states, dims, full + lead);
      auto fresh = own(PyArray_SimpleNew(lead + dims, full, NPY_DOUBLE));
      if (PyArray_CopyInto(array(fresh), x.array) < 0) throw PythonError();
      x.owned = std::move(fresh);
      x.data = static_cast<double*>(PyArray_DATA(array(x.owned)));
    } else {
      stride = 0;
    }
    in.push_back({x.data, x.n, stride});
  }
  for (std::size_t o = 0; o < f.results.size(); ++o) {
    const Eigen::Index n = c.outputs[o].size();
    written.push_back({to[o], n, n});
  }
  const py::gil_scoped_release release;
  r.many(f.entry, in, written, n_states, c, static_cast<int>(n_threads));
}

PyObject* Call::finished() {
  const auto one = [&](py::object& x) {
    return PyArray_NDIM(array(x)) > 0 || out ? x.release().ptr()
                                             : PyFloat_FromDouble(*static_cast<double*>(PyArray_DATA(array(x))));
  };
  if (!f.tuple) return one(results[0]);
  PyObject* const tuple = need(PyStructSequence_New(f.tuple));
  for (std::size_t o = 0; o < f.results.size(); ++o)
    PyStructSequence_SET_ITEM(tuple, static_cast<Py_ssize_t>(o), one(results[o]));
  return tuple;
}

/// Sets the error of Python for one of corio's; others pass through.
void tell_python(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const Error& e) {
    PyErr_SetString(dynamic_cast<const ModelError*>(&e)   ? types.model_error
                    : dynamic_cast<const SizeError*>(&e)  ? types.size_error
                    : dynamic_cast<const StateError*>(&e) ? types.state_error
                                                          : types.error,
                    e.what());
  }
}

PyObject* entry_point(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto& f = **static_cast<const Function**>(PyModule_GetState(self));
  try {
    if (f.of_robot && nargs < 1) fail(PyExc_TypeError, "%s() needs a model as its first argument", f.name.c_str());
    static auto& none = *new ModelHolder(zoo::serial_chain<double>(1));  // lives as long as the module
    Call call(f, f.of_robot ? *robot(f, args[0]) : none);
    call.find_arguments(args, nargs, kwnames);
    call.read_arguments();
    call.find_states();
    call.make_results();
    call.run();
    return call.finished();
  } catch (const PythonError&) {
  } catch (const Error&) {
    tell_python(std::current_exception());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

void add_functions(py::module_& module) {
  import_array1();
  for (const Line& line : lines) {
    auto* const f = new Function(parse(line));  // lives as long as the module
    // "name(model, q, v, *, external=None, out=None, threads=0)\n--\n\n" becomes __text_signature__.
    std::string signature = f->name + (f->of_robot ? "(model, " : "(");
    for (const auto& a : f->arguments)
      if (!a.optional()) signature += a.name + ", ";
    signature += "*";
    for (const auto& a : f->arguments)
      if (a.optional()) signature += ", " + a.name + "=" + (a.kind == Kind::forces ? "None" : a.fallback);
    signature += ", out=None, threads=0)\n--\n\n";
    f->doc = signature + line.signature + "\n\n" + doc_of(f->name);
    f->method = {f->name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry_point)),
                 METH_FASTCALL | METH_KEYWORDS, f->doc.c_str()};
    if (f->results.size() > 1) {
      auto* const fields = new std::vector<PyStructSequence_Field>;
      py::list names;
      for (const auto& r : f->results) fields->push_back({r.name.c_str(), nullptr}), names.append(r.name);
      fields->push_back({nullptr, nullptr});
      auto* const name = new std::string("corio." + f->name + "_result");
      PyStructSequence_Desc desc{name->c_str(), nullptr, fields->data(), static_cast<int>(f->results.size())};
      f->tuple = PyStructSequence_NewType(&desc);
      const py::handle type(reinterpret_cast<PyObject*>(f->tuple));
      type.attr("_fields") = py::tuple(names);
      module.attr((f->name + "_result").c_str()) = type;
    }
    // A function is pickled by its name if a module owns it; this one has the function as its state.
    static PyModuleDef owner{PyModuleDef_HEAD_INIT, "corio.functions", nullptr, sizeof f, {}, {}, {}, {}, {}};
    const auto self = own(PyModule_Create(&owner));
    *static_cast<const Function**>(PyModule_GetState(self.ptr())) = f;
    module.attr(f->name.c_str()) = own(PyCFunction_NewEx(&f->method, self.ptr(), py::str("corio").ptr()));
  }
}

void bind(py::module_& m) {
  m.doc() = "Rigid-body dynamics; see the package corio.";
  m.attr("__version__") = version();
  m.attr("__module__") = "corio";  // classes are named by it
  auto& [model, mechanism, data, error, model_error, size_error, state_error] = types;
  error = py::exception<Error>(m, "Error").release().ptr();
  model_error = py::exception<ModelError>(m, "ModelError", error).release().ptr();
  state_error = py::exception<StateError>(m, "StateError", error).release().ptr();
  const py::tuple bases = py::make_tuple(py::handle(error), py::handle(PyExc_ValueError));
  size_error = py::exception<SizeError>(m, "SizeError", bases).release().ptr();
  for (const py::handle type : {error, model_error, state_error, size_error}) type.attr("__module__") = "corio";
  py::register_exception_translator(tell_python);
  bind_models(m), bind_simulation(m), bind_control(m), bind_operational_space(m), bind_observers(m), bind_recordings(m),
      bind_identification(m), bind_excitation(m), bind_files(m);
  add_functions(m);
}

}  // namespace
}  // namespace corio::python

PYBIND11_MODULE(_corio, m) { corio::python::bind(m); }
