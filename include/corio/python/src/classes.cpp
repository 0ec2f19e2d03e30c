// A few classes: a simulation, control laws, identification.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "classes.hpp"
#include "corio/control/momentum_observer.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/simulation/simulation.hpp"

namespace py = pybind11;
using namespace corio;
using namespace corio::python;
using M = ModelHolder;
using V = Eigen::VectorXd;
using In = const Eigen::Ref<const V>&;

namespace corio::python {
void bind_classes(py::module_& m) {
  using Sim = Simulation<double, Model<double>>;
  py::class_<Sim>(m, "Simulation")
      .def(py::init([](const M& h, In q, In v, double dt, const std::string& i, int steps) {
             return Sim(h.robot, q, v, dt, i == "rk4" ? Integrator::rk4 : Integrator::semi_implicit_euler, steps);
           }),
           py::arg("model"), py::arg("q"), py::arg("v"), py::arg("dt"), py::arg("integrator") = "rk4",
           py::arg("steps") = 1)
      .def(
          "advance", [](Sim& s, In tau) { s.advance(tau); }, py::arg("tau"))
      .def_property_readonly("q", [](const Sim& s) -> V { return s.q(); })
      .def_property_readonly("v", [](const Sim& s) -> V { return s.v(); })
      .def_property_readonly("time", &Sim::time)
      .def_property_readonly("energy", [](Sim& s) { return s.present_energy().total(); })
      .def_property_readonly("energy_error", &Sim::energy_error);
  py::class_<SlotineLi<double>>(m, "SlotineLi")
      .def(py::init([](const M& h, In lambda, In damping) {
             return SlotineLi<double>(h.robot, {lambda, damping});
           }),
           py::arg("model"), py::arg("rate"), py::arg("damping"))
      .def(
          "update",
          [](SlotineLi<double>& c, M& h, In q, In v, In q_d, In v_d, In a_d) -> V {
            return c.update(h.robot, h.data, q, v, q_d, v_d, a_d);
          },
          py::arg("model"), py::arg("q"), py::arg("v"), py::arg("q_d"), py::arg("v_d"), py::arg("a_d"));
  py::class_<MomentumObserver<double>>(m, "MomentumObserver")
      .def(py::init([](const M& h, In gain) { return MomentumObserver<double>(h.robot, gain); }), py::arg("model"),
           py::arg("gain"))
      .def(
          "update",
          [](MomentumObserver<double>& o, M& h, In q, In v, In tau, double dt) -> V {
            return o.update(h.robot, h.data, q, v, tau, dt);
          },
          py::arg("model"), py::arg("q"), py::arg("v"), py::arg("tau"), py::arg("dt"))
      .def("reset", &MomentumObserver<double>::reset)
      .def_property_readonly("residual", [](const MomentumObserver<double>& o) -> V { return o.residual(); });
  using LS = StreamingLeastSquares<double>;
  py::class_<LS>(m, "StreamingLeastSquares")
      .def(py::init<Eigen::Index>(), py::arg("columns"))
      .def_property_readonly("rows", &LS::rows)
      .def_property_readonly("R", [](const LS& s) -> Eigen::MatrixXd { return s.R(); })
      .def(
          "add",
          [](LS& s, const Eigen::Ref<const Eigen::MatrixXd>& Y, In tau) {
            py::gil_scoped_release r;
            s.add(Y, tau);
          },
          py::arg("Y"), py::arg("tau"))
      .def(
          "add",
          [](LS& s, const py::array_t<double, py::array::c_style | py::array::forcecast>& Y,
             const py::array_t<double, py::array::c_style | py::array::forcecast>& tau) {
            if (Y.ndim() != 3 || tau.ndim() != 2 || Y.shape(0) != tau.shape(0) || Y.shape(1) != tau.shape(1))
              throw SizeError(
                  "StreamingLeastSquares.add: rows of states need Y[states, v, columns] and tau[states, v]");
            using RM = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
            const Eigen::Index n = Y.shape(0) * Y.shape(1), p = Y.shape(2);
            const double *y = Y.data(), *t = tau.data();
            py::gil_scoped_release r;
            // chunks: MatrixIn copies a row-major matrix
            for (Eigen::Index i = 0; i < n; i += 256) {
              const auto k = std::min<Eigen::Index>(256, n - i);
              s.add(Eigen::Map<const RM>(y + i * p, k, p), Eigen::Map<const V>(t + i, k));
            }
          },
          py::arg("Y"), py::arg("tau"))
      .def("merge", &LS::merge);
  using B = BaseParameters<double>;
  py::class_<B>(m, "BaseParameters")
      .def(py::init([](const LS& s) { return B(s); }), py::arg("samples"))
      .def_property_readonly("size", &B::size)
      .def_property_readonly("columns", [](const B& b) { return b.independent(); })
      .def("project", [](const B& b, In pi) -> V { return b.project(pi); })
      .def(
          "describe", [](const B& b, const M& h) { return b.describe(parameter_names(h.robot)); }, py::arg("model"));
  py::class_<Estimate<double>>(m, "Estimate")
      .def_property_readonly("beta", [](const Estimate<double>& e) { return e.beta; })
      .def_property_readonly("condition", [](const Estimate<double>& e) { return e.condition; })
      .def("standard_deviation", [](const Estimate<double>& e) -> V { return e.standard_deviation(); });
  m.def(
      "estimate", [](const LS& s, const B& b) { return estimate(s, b); }, py::arg("samples"), py::arg("base"));
}
}  // namespace corio::python
