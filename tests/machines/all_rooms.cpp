#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/batch/for_each.hpp"
#include "corio/codegen/writer.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/mechanisms.hpp"
#ifdef CORIO_TEST_URDF
#include "corio/io/urdf.hpp"
#include "corio/io/write_urdf.hpp"
#endif

// This program uses all folders of headers, for the compilers and processors that cmake/machines.sh finds. It checks a
// few identities in each folder, and prints them with one result of each folder, which must be the same on all
// machines. It ends with 1 if an identity does not hold.
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

int failures = 0;

void check(const char* what, double error, double most) {
  const bool holds = error <= most;  // not for NaN
  std::printf("%-6s %-50s %8.1e, at most %.0e\n", holds ? "ok" : "FAILED", what, error, most);
  failures += !holds;
}
/// Prints only digits that rounding cannot change.
void result(const char* room, double value) { std::printf("result %s %.7g\n", room, value); }

/// Returns the same numbers on every machine, unlike random distributions.
VectorXd wave(int n, double phase) {
  VectorXd x(n);
  for (int i = 0; i < n; ++i) x[i] = std::sin(phase + i);
  return x;
}
double distance(const auto& x, const auto& y) { return (x - y).norm() / y.norm(); }

/// A floating robot in motion.
struct Given {
  corio::Model<double> model = corio::zoo::quadruped();
  corio::Data<double> data{model};
  int n = model.nv();
  VectorXd v = wave(n, 1), a = wave(n, 2), q = corio::integrate(model, corio::neutral(model), wave(n, 3));
  VectorXd moved(const VectorXd& step) const { return corio::integrate(model, q, step); }
};
constexpr double h = 1e-5;  // for central differences, with errors of h^2 and 1e-16 / h

void dynamics() {
  Given r;
  const auto& [C, M, Mdot] = corio::coriolis_matrix(r.model, r.data, r.q, r.v);
  const VectorXd sum = M * r.a + C * r.v + corio::generalized_gravity(r.model, r.data);
  const MatrixXd rate = C + C.transpose();
  result("C", C.norm());
  const MatrixXd after = corio::crba(r.model, r.data, r.moved(h * r.v));
  const MatrixXd before = corio::crba(r.model, r.data, r.moved(-h * r.v));
  check("C + C^T is the rate of M", distance(rate, (after - before) / (2 * h)), 1e-7);
  const VectorXd tau = corio::rnea(r.model, r.data, r.q, r.v, r.a);
  check("M a + C v + g is rnea", distance(sum, tau), 1e-12);
  check("aba inverts rnea", distance(corio::aba(r.model, r.data, r.q, r.v, tau), r.a), 1e-9);
  result("rnea", tau.norm());
}

void derivatives() {
  Given r;
  const auto& by = corio::inverse_dynamics_derivatives(r.model, r.data, r.q, r.v, r.a);
  const MatrixXd by_q = by.dtau_dq, by_v = by.dtau_dv;
  MatrixXd slope_q(r.n, r.n), slope_v(r.n, r.n);
  for (int k = 0; k < r.n; ++k) {
    const VectorXd e = h * VectorXd::Unit(r.n, k);
    const VectorXd at_q = corio::rnea(r.model, r.data, r.moved(e), r.v, r.a);
    slope_q.col(k) = (at_q - corio::rnea(r.model, r.data, r.moved(-e), r.v, r.a)) / (2 * h);
    const VectorXd at_v = corio::rnea(r.model, r.data, r.q, r.v + e, r.a);
    slope_v.col(k) = (at_v - corio::rnea(r.model, r.data, r.q, r.v - e, r.a)) / (2 * h);
  }
  check("dtau/dq is the slope of rnea", distance(by_q, slope_q), 1e-7);
  check("dtau/dv is the slope of rnea", distance(by_v, slope_v), 1e-7);
  result("derivatives", by_q.norm());
}

void loops_and_simulation() {
  const corio::Mechanism<double> leg(corio::zoo::four_bar_leg());
  corio::MechanismData<double> data(leg);
  const auto closing = corio::assemble(leg, data, 0.2 * wave(leg.tree().nq(), 1));
  check("a four-bar linkage closes", closing.closed ? closing.residual : 1.0, 1e-12);
  const VectorXd y = wave(leg.nv(), 2), ydot = wave(leg.nv(), 3), tau = corio::rnea(leg, data, closing.q, y, ydot);
  check("aba inverts rnea of a mechanism", distance(corio::aba(leg, data, closing.q, y, tau), ydot), 1e-9);
  result("mechanism", tau.norm());
  corio::Simulation plant(leg, closing.q, y, 1e-3);
  const double before = plant.present_energy().total();
  for (int i = 0; i < 100; ++i) plant.advance(tau);
  check("its energy is the work of its motors", std::abs(plant.energy_error() / before), 1e-7);  // rk4's error
}

void control() {
  const auto arm = corio::zoo::serial_chain(3);
  const int n = arm.nv();
  corio::Data<double> data(arm);
  corio::ComputedTorque<double> controller(arm, {VectorXd::Constant(n, 100), VectorXd::Constant(n, 20)});
  corio::Simulation plant(arm, wave(n, 1), wave(n, 2), 1e-3);
  const VectorXd goal = wave(n, 3), rest = VectorXd::Zero(n);
  while (plant.time() < 2) plant.advance(controller.update(arm, data, plant.q(), plant.v(), goal, rest, rest));
  check("a controller leads an arm to its goal", distance(plant.q(), goal), 1e-5);  // (1 + 10 t) exp(-10 t) is 4e-8
}

void batches() {
  const auto arm = corio::zoo::serial_chain(5);
  const int n = arm.nv(), states = 100;
  MatrixXd Q(n, states), V(n, states), A(n, states), Tau(n, states), expected(n, states);
  corio::Data<double> data(arm);
  for (int i = 0; i < states; ++i) {
    Q.col(i) = wave(n, i), V.col(i) = wave(n, i + 1), A.col(i) = wave(n, i + 2);
    expected.col(i) = corio::rnea(arm, data, Q.col(i), V.col(i), A.col(i));
  }
  corio::batch::ThreadPool pool(3);
  corio::batch::Options options;
  options.executor = [&](std::ptrdiff_t tasks, const auto& f) { pool(tasks, f); };
  options.packs_per_task = 1;
  const auto rnea = [](const auto& m, auto& d, const auto& q, const auto& v, const auto& a, auto& tau) {
    tau = corio::rnea(m, d, q, v, a);
  };
  corio::batch::for_each(arm, corio::batch::inputs(Q, V, A), corio::batch::outputs(Tau), rnea, options);
  check("batches in threads are single calls", distance(Tau, expected), 1e-13);
}

void generated_code() {
  const auto arm = corio::zoo::serial_chain(2);
  const auto robot = arm.cast<corio::codegen::Recorded>();
  corio::Data<corio::codegen::Recorded> data(robot);
  corio::codegen::Recording f("rnea");
  const auto q = f.input("q", robot.nq()), v = f.input("v", robot.nv()), a = f.input("a", robot.nv());
  f.output("tau", corio::rnea(robot, data, q, v, a));
  corio::codegen::Writer writer("arm", "q and v of an arm");
  writer.add(f, f.schedule({}));
  std::string all;
  for (const auto& [name, text] : writer.files()) all += text;
  const bool declares = all.find("arm_rnea(") != std::string::npos;
  check("code of an arm has its function", declares ? 0 : 1, 0);
}

#ifdef CORIO_TEST_URDF
void files() {
  const auto pendulum = corio::urdf::parse(R"(<robot name="pendulum"><link name="base"/><link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2.5e0"/>
    <inertia ixx="0.01" iyy="0.01" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>)");
  const VectorXd q = VectorXd::Constant(1, 0.3);
  const auto gravity = [&](const corio::Model<double>& model) {
    corio::Data<double> data(model);
    return corio::generalized_gravity(model, data, q)[0];
  };
  check("a URDF's pendulum has m g l sin q", std::abs(gravity(pendulum) - 2.5 * 9.81 * 0.5 * std::sin(q[0])), 1e-12);
  const auto again = corio::urdf::parse(corio::write_urdf(pendulum));
  check("written and read again it is the same", std::abs(gravity(again) - gravity(pendulum)), 0);
}
#endif

}  // namespace

int main() try {
  dynamics();
  derivatives();
  loops_and_simulation();
  control();
  batches();
  generated_code();
#ifdef CORIO_TEST_URDF
  files();
#endif
  return failures > 0;
} catch (const std::exception& error) {
  std::printf("FAILED %s\n", error.what());
  return 1;
}
