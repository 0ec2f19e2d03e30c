#include "classes.hpp"
#include "corio/version.hpp"
#include "line.hpp"

namespace py = pybind11;
using namespace corio;

PYBIND11_MODULE(_corio, m) {
  m.doc() = "Rigid-body dynamics; see the package corio.";
  m.attr("__version__") = version();
  const auto make = [&](const char* name, const py::object& base) {
    m.attr(name) = py::reinterpret_steal<py::object>(
        PyErr_NewException((std::string("corio.") + name).c_str(), base.ptr(), nullptr));
    return py::object(m.attr(name)).release().ptr();
  };
  python::Types& t = python::types;
  const auto error =
      py::reinterpret_borrow<py::object>(t.error = make("Error", py::reinterpret_borrow<py::object>(PyExc_Exception)));
  t.model_error = make("ModelError", error), t.state_error = make("StateError", error);
  t.size_error = make("SizeError", py::make_tuple(error, py::handle(PyExc_ValueError)));
  py::register_exception_translator(python::tell_python);

  python::bind_models(m);
  using python::PyData, python::AnyRobot;
  py::class_<PyData> data(m, "Data", "The workspace of one thread, with the state of the last kinematics pass.",
                          py::is_final());
  data.def(py::init([](std::shared_ptr<AnyRobot> robot) {
             PyData made{robot, robot->make_data()};
             return made;
           }),
           py::arg("model"));
  python::types.data = reinterpret_cast<PyTypeObject*>(data.ptr());

  std::vector<python::Line> lines;
  python::Table table{lines};
  python::add_dynamics(table), python::add_coriolis(table), python::add_kinematics(table);
  python::add_derivatives(table), python::add_geometry(table), python::add_regressors(table), python::add_motion(table);
  python::add_maximal(table);
  python::add_functions(m, lines);
  python::bind_control(m), python::bind_identification(m), python::bind_text(m);
}
