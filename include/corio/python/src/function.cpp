// The module, and one function of Python for each line of the table: arguments, states, results.
#include "class.hpp"
#include "corio/version.hpp"
#include "docs.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <numpy/arrayobject.h>

namespace py = pybind11;

namespace corio::python { namespace {

template <class... X>
[[noreturn]] void fail(PyObject* type, const char* format, X... x) {
  PyErr_Format(type, format, x...);
  throw py::error_already_set();
}
/// The owner of a new reference.
py::object own(PyObject* x) {
  if (!x) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(x);
}
PyArrayObject* array(const py::object& x) { return reinterpret_cast<PyArrayObject*>(x.ptr()); }
double* numbers(const py::object& x) { return static_cast<double*>(PyArray_DATA(array(x))); }
/// Whether contiguous arrays have a number in common.
bool overlap(const py::object& a, const py::object& b) {
  return numbers(a) < numbers(b) + PyArray_SIZE(array(b)) && numbers(b) < numbers(a) + PyArray_SIZE(array(a));
}

/// "(2, 3)", after what `text` has of it already.
std::string shape_text(const npy_intp* shape, int n, std::string text = "(") {
  for (int k = 0; k < n; ++k) text += (text == "(" ? "" : ", ") + std::to_string(shape[k]);
  return text + (text != "(" && text.find(',') == text.npos ? ",)" : ")");
}
template <class T>
T as(const Function& f, const std::string& argument, py::handle x, const char* type) {
  try {
    return py::cast<T>(x);
  } catch (const py::builtin_exception&) {
    fail(PyExc_TypeError, "%s: %s is a %s, expected %s", f.name.c_str(), argument.c_str(), Py_TYPE(x.ptr())->tp_name,
         type);
  }
}
AnyRobot& robot(const Function& f, PyObject* x) {
  PyTypeObject* const t = Py_TYPE(x);
  if (t == types.model || t == types.mechanism) {
    // The pointer that pybind11 stores, without its search through registered types.
    const auto* const i = reinterpret_cast<py::detail::instance*>(x);
    void* const stored = i->simple_layout ? i->simple_value_holder[0] : nullptr;
    if (stored && t == types.model) return *static_cast<ModelHolder*>(stored);
    if (stored) return *static_cast<MechanismHolder*>(stored);
  }
  return as<AnyRobot&>(f, "model", x, "a corio.Model or corio.Mechanism");
}

/// One call from Python.
struct Call {
  const Function& f;
  AnyRobot& r;
  Constants c{};
  PyData* data = nullptr;
  PyObject* out = nullptr;
  int threads = 0;
  std::array<PyObject*, 12> given{};  // by argument
  struct Input {
    py::object owner;  // of a contiguous array
    int states = 0;    // number of leading dimensions, which are states
  };
  std::array<Input, most_inputs> inputs{};
  std::size_t n_in = 0;
  std::vector<npy_intp> states{};  // leading dimensions that all inputs have together
  std::array<py::object, most_outputs> results{};
  std::array<double*, most_outputs> to{};

  int lead() const { return static_cast<int>(states.size()); }
  Constants::Shape sizes_of(const Argument& a, npy_intp* sizes) const {
    const npy_intp lengths[] = {r.nq, r.nv, r.bodies, r.tree().nv(), r.loops.rows(), std::ssize(c.places), 1};
    Constants::Shape all;
    for (const auto& [letter, factor] : a.shape)
      all.rows *= std::exchange(all.cols, *sizes++ = factor * lengths[letter]);
    return all;
  }
  std::string text_of(const Argument& a, PyObject* x) const { return as<std::string>(f, a.name, x, "a str"); }
  Names names_of(const Argument& a, PyObject* x) const { return as<Names>(f, a.name, x, "a list of names"); }
  /// @throws Error for a frame that the robot does not have
  Constants::Place place(const std::string& name, ReferenceFrame reference = ReferenceFrame::body) const {
    return {r.tree().frame(name).name(), reference};
  }

  void find_arguments(PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    Py_ssize_t at = f.of_robot;
    if (f.of_robot && nargs > 1 && Py_TYPE(args[1]) == types.data) data = py::cast<PyData*>(py::handle(args[at++]));
    if (data && data->robot.get() != &r) throw StateError(f.name + ": data was made for another model");
    const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < keywords; ++k) {
      PyObject* const key = PyTuple_GET_ITEM(names, k);
      std::size_t i = 0;
      while (i < f.arguments.size() && f.arguments[i].key != key && PyUnicode_Compare(f.arguments[i].key, key) != 0)
        ++i;
      if (i == f.arguments.size())
        fail(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", f.name.c_str(), key);
      given[i] = args[nargs + k];
    }
    const auto positional = static_cast<std::size_t>(nargs - at);
    // Without q, v and a, the form that uses the state in data.
    const auto after_state = given.begin() + static_cast<std::ptrdiff_t>(f.state);
    c.reuse = data && f.state > 0 && positional + f.state <= f.required &&
              std::none_of(given.begin(), after_state, std::identity());
    const std::size_t first = c.reuse ? f.state : 0;
    if (positional + first > f.required)
      fail(PyExc_TypeError, "%s() takes %zu arguments%s by position, %zu were given", f.name.c_str(), f.required,
           f.of_robot ? " after the model" : "", positional);
    for (std::size_t i = first; i < first + positional; ++i)
      if (PyObject* const twice = std::exchange(given[i], args[at++]))
        fail(PyExc_TypeError, "%s() got multiple values for argument '%U'", f.name.c_str(), f.arguments[i].key);
  }
  void read_arguments() {
    c.loops = &r.loops;
    n_in = c.reuse ? f.state : 0;
    std::size_t forces = 0;  // these follow all other inputs
    for (std::size_t i = n_in; i < f.arguments.size(); ++i) {
      const Argument& a = f.arguments[i];
      PyObject* const x = given[i] && (given[i] != Py_None || !a.optional()) ? given[i] : a.value;
      if (!x) fail(PyExc_TypeError, "%s() missing argument '%s'", f.name.c_str(), a.name.c_str());
      switch (a.kind) {
        case Kind::point: c.places.back().point = static_cast<int>(n_in); [[fallthrough]];
        case Kind::scalar:
        case Kind::vector: add_input(a, a.name, x); break;
        case Kind::frame: c.places.push_back(place(text_of(a, x))); break;
        case Kind::frames:
          for (const auto& name : names_of(a, x)) c.places.push_back(place(name));
          break;
        case Kind::joints: c.joints = names_of(a, x); break;
        case Kind::reference:
          if (x != a.value)
            c.places.back().reference = static_cast<ReferenceFrame>(enumerator(f.name, a.name, text_of(a, x)));
          break;
        case Kind::choice: c.choices.push_back(x == a.value ? 0 : enumerator(f.name, a.name, text_of(a, x))); break;
        case Kind::forces: forces = x == Py_None ? 0 : i; break;
        case Kind::out: out = x == Py_None ? nullptr : x; break;
        case Kind::threads:
          if (x != a.value) threads = as<int>(f, a.name, x, "an int");
          if (threads < 0 || threads > 1024)
            throw Error(f.name + ": threads is " + std::to_string(threads) +
                        ", expected 1 to 1024, or 0 for each core");
      }
    }
    if (forces > 0) read_forces(f.arguments[forces], given[forces]);
    if (!r.takes(f.entry))
      throw Error(f.name + (std::get<Body<Model<double>>>(f.entry)
                                ? ": takes a Model, not a Mechanism; mechanism.model is its tree"
                                : ": takes a Mechanism, not a Model"));
  }
  /// {frame: wrench in world axes about its origin}, or {(frame, reference): wrench}
  void read_forces(const Argument& a, PyObject* all) {
    c.first_force = n_in;
    if (!PyDict_Check(all))
      fail(PyExc_TypeError, "%s: external is a %s, expected a dict {frame: wrench}", f.name.c_str(),
           Py_TYPE(all)->tp_name);
    for (const auto& [key, x] : py::reinterpret_borrow<py::dict>(all)) {
      const bool is_pair = py::isinstance<py::tuple>(key) && py::len(key) == 2;
      const auto reference = is_pair ? enumerator(f.name, "reference", text_of(a, PyTuple_GET_ITEM(key.ptr(), 1)))
                                     : static_cast<int>(ReferenceFrame::world_aligned);
      const std::string frame = text_of(a, is_pair ? PyTuple_GET_ITEM(key.ptr(), 0) : key.ptr());
      c.forces.push_back(place(frame, static_cast<ReferenceFrame>(reference)));
      add_input(a, "external['" + c.forces.back().frame + "']", x.ptr());
    }
  }
  void add_input(const Argument& a, const std::string& name, PyObject* x) {
    if (n_in == most_inputs) throw Error(f.name + ": more than " + std::to_string(most_inputs) + " arrays");
    npy_intp sizes[2];
    c.inputs[n_in] = sizes_of(a, sizes);
    Input& in = inputs[n_in++];
    in.owner = py::reinterpret_borrow<py::object>(x);
    if (!PyArray_CheckExact(x) || PyArray_TYPE(array(in.owner)) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array(in.owner)))
      try {
        if (x == Py_None) fail(PyExc_TypeError, "expected numbers");
        in.owner = own(PyArray_FromAny(x, PyArray_DescrFromType(NPY_DOUBLE), 0, 0, NPY_ARRAY_CARRAY_RO, nullptr));
      } catch (py::error_already_set& e) {
        fail(e.type().ptr(), "%s: %s: %S", f.name.c_str(), name.c_str(), e.value().ptr());
      }
    const int dims = PyArray_NDIM(array(in.owner)), sized = static_cast<int>(a.shape.size());
    const npy_intp* const shape = PyArray_DIMS(array(in.owner));
    in.states = dims - sized;
    if (in.states < 0 || !std::equal(sizes, sizes + sized, shape + in.states))
      throw SizeError(f.name + ": " + name + " has shape " + shape_text(shape, dims) + ", expected " +
                      shape_text(sizes, sized) + " or " + shape_text(sizes, sized, "(states"));
    if (in.states > lead()) states.insert(states.begin(), static_cast<std::size_t>(in.states - lead()), 1);
    for (int k = 0; k < in.states; ++k) {
      npy_intp& n = states.end()[k - in.states];
      if (shape[k] != 1 && n != 1 && n != shape[k])
        throw SizeError(f.name + ": " + name + " has shape " + shape_text(shape, dims) +
                        ", which does not go with the states of the arguments before it");
      if (n == 1) n = shape[k];
    }
  }
  void make_results() {
    const std::size_t n_out = c.n_outputs = f.results.size();
    const bool tuple = out && PyTuple_Check(out);
    const bool fits = tuple ? PyTuple_GET_SIZE(out) == std::ssize(f.results) : n_out == 1;
    for (std::size_t o = 0; o < n_out; ++o) {
      npy_intp full[NPY_MAXDIMS + 3];
      std::copy(states.begin(), states.end(), full);
      const int dims = lead() + static_cast<int>(f.results[o].shape.size());
      c.outputs[o] = sizes_of(f.results[o], full + lead());
      if (out) {
        PyObject* const x = tuple && fits ? PyTuple_GET_ITEM(out, static_cast<Py_ssize_t>(o)) : out;
        auto* const a = reinterpret_cast<PyArrayObject*>(x);
        if (!fits || !PyArray_Check(x) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY(a) ||
            PyArray_NDIM(a) != dims || !std::equal(full, full + dims, PyArray_DIMS(a)))
          throw SizeError(f.name + ": out must have for " + f.results[o].name +
                          " a C-contiguous array of float64 with shape " + shape_text(full, dims));
        results[o] = py::reinterpret_borrow<py::object>(x);
        for (std::size_t i = c.reuse ? f.state : 0; i < n_in; ++i)
          if (overlap(inputs[i].owner, results[o]))
            inputs[i].owner = own(PyArray_NewCopy(array(inputs[i].owner), NPY_CORDER));
        for (std::size_t i = 0; i < o; ++i)
          if (overlap(results[i], results[o])) throw SizeError(f.name + ": arrays of out overlap");
      } else {
        results[o] = own(PyArray_SimpleNew(dims, full, NPY_DOUBLE));
      }
      to[o] = numbers(results[o]);
    }
  }
  void run() {
    if (states.empty()) {
      std::array<const double*, most_inputs> in{};
      for (std::size_t i = c.reuse ? f.state : 0; i < n_in; ++i) in[i] = numbers(inputs[i].owner);
      return r.one(f.entry, data ? data->own.get() : nullptr, in.data(), to.data(), c);
    }
    if (c.reuse) throw StateError(f.name + ": rows of states need q");
    Rows rows{{}, {}, PyArray_MultiplyList(states.data(), lead()), threads};
    const auto view = [&](double* first, Eigen::Index size, bool constant = false) -> batch::View<double> {
      const Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic> strides(constant ? 0 : size, 1);
      return {first, Eigen::Map<Eigen::MatrixXd, 0, decltype(strides)>(first, size, rows.states, strides)};
    };
    for (std::size_t i = 0; i < n_in; ++i) {
      Input& x = inputs[i];
      const npy_intp* const shape = PyArray_DIMS(array(x.owner));
      if (x.states > 0 && !std::equal(states.begin(), states.end(), shape, shape + x.states)) {
        // States are repeated as numpy broadcasts them.
        std::vector<npy_intp> full = states;
        full.insert(full.end(), shape + x.states, shape + PyArray_NDIM(array(x.owner)));
        auto fresh = own(PyArray_SimpleNew(static_cast<int>(full.size()), full.data(), NPY_DOUBLE));
        if (PyArray_CopyInto(array(fresh), array(x.owner)) < 0) throw py::error_already_set();
        x.owner = std::move(fresh);
      }
      rows.in.push_back(view(numbers(x.owner), c.inputs[i].size(), x.states == 0));
    }
    for (std::size_t o = 0; o < f.results.size(); ++o) rows.out.push_back(view(to[o], c.outputs[o].size()));
    r.many(f.entry, rows, c);
  }
  PyObject* finished() {
    const auto one = [&](std::size_t o) {
      return PyArray_NDIM(array(results[o])) > 0 || out ? results[o].release().ptr() : PyFloat_FromDouble(*to[o]);
    };
    if (!f.tuple) return one(0);
    py::object tuple = own(f.tuple->tp_alloc(f.tuple, std::ssize(f.results)));
    for (std::size_t o = 0; o < f.results.size(); ++o)
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(o), one(o));
    return tuple.release().ptr();
  }
};

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
    Call call{f, f.of_robot ? robot(f, args[0]) : *f.without};
    call.find_arguments(args, nargs, kwnames);
    call.read_arguments();
    call.make_results();
    call.run();
    return call.finished();
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const Error&) {
    tell_python(std::current_exception());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return nullptr;
}

/// Makes the function of Python for a line; it lives as long as the module.
void add_function(py::module_& module, const Line& line, AnyRobot& without) {
  auto& f = *new Function(line);
  f.without = &without;
  // "name(model, q, v, *, external=None, out=None, threads=0)\n--\n\n" becomes __text_signature__.
  std::string required = f.of_robot ? "model, /, " : "", optional;
  for (Argument& a : f.arguments) {
    a.optional() ? optional += ", " + a.name + "=" + a.fallback : required += a.name + ", ";
    if (!a.optional()) continue;
    py::object value = py::eval(a.fallback);
    if (a.kind <= Kind::point) value = py::array_t<double>(value);
    a.value = value.release().ptr();
  }
  f.doc = f.name + "(" + required + "*" + optional + ")\n--\n\n" + f.signature + "\n\n" + doc_of(f.name);
  f.method = {f.name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry_point)),
              METH_FASTCALL | METH_KEYWORDS, f.doc.c_str()};
  if (f.results.size() > 1) {
    py::list names;
    for (const auto& r : f.results) names.append(r.name);
    const std::string name = f.name + "_result";
    const auto type = py::module_::import("collections").attr("namedtuple")(name, names, py::arg("module") = "corio");
    module.attr(name.c_str()) = type;
    f.tuple = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
  }
  // A function is pickled by its name if a module owns it; this one has the function as its state.
  static PyModuleDef owner{PyModuleDef_HEAD_INIT, "corio.functions", nullptr, sizeof &f, {}, {}, {}, {}, {}};
  const auto self = own(PyModule_Create(&owner));
  *static_cast<const Function**>(PyModule_GetState(self.ptr())) = &f;
  module.attr(f.name.c_str()) = own(PyCFunction_NewEx(&f.method, self.ptr(), py::str("corio").ptr()));
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
  bind_models(m), bind_control(m), bind_observers(m), bind_recordings(m), bind_identification(m), bind_excitation(m),
      bind_files(m);
  if (_import_array() < 0) throw py::error_already_set();
  auto& without = *new ModelHolder(zoo::serial_chain<double>(1));
  for (const Line& line : lines) add_function(m, line, without);
}

}  // namespace
}  // namespace corio::python

PYBIND11_MODULE(_corio, m) { corio::python::bind(m); }
