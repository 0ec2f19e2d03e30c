#include "classes.hpp"
#include "corio/version.hpp"

namespace py = pybind11;
using namespace corio;

PYBIND11_MODULE(_corio, m) {
  m.doc() = "Rigid-body dynamics; see the package corio.";
  m.attr("__version__") = version();
  static py::exception<Error> error(m, "Error");
  static py::exception<ModelError> model_error(m, "ModelError", error.ptr());
  static py::exception<SizeError> size_error(m, "SizeError", py::make_tuple(error, py::handle(PyExc_ValueError)).ptr());
  static py::exception<StateError> state_error(m, "StateError", error.ptr());
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const ModelError& e) {
      model_error(e.what());
    } catch (const SizeError& e) {
      size_error(e.what());
    } catch (const StateError& e) {
      state_error(e.what());
    } catch (const Error& e) {
      error(e.what());
    }
  });

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
  python::add_functions(m, lines);
  python::bind_control(m), python::bind_identification(m), python::bind_text(m);
}
