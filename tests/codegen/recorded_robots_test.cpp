#include "codegen/codegen_support.hpp"
#include "corio/control/momentum_observer.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/operational_space_dynamics.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/loops/constrained_dynamics.hpp"

using namespace codegen_test;

// Robots whose parameters are inputs, controllers, and constrained dynamics as recorded functions.

namespace recorded_robots {

/// Compares a function of numbers x near `nominal`, recorded and over double.
template <class F>
void check_near(const VectorXd& nominal, double reach, F&& function) {
  Recording f("f");
  f.output("y", VectorX<Recorded>(function(f.input("x", nominal))));
  const auto schedule = f.schedule();
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-reach, reach);
  for (int i = 0; i < 3; ++i) {
    const VectorXd x = nominal + VectorXd::NullaryExpr(nominal.size(), [&] { return uniform(generator); });
    const VectorXd y = function(x);
    CHECK(test::relative_error(evaluate(f, schedule, {x.begin(), x.end()}), y) < rounding);
  }
}
VectorXd numbers(int n) { return VectorXd::LinSpaced(n, -0.7, 0.9); }

/// Returns tau for a task of the last body, with its acceleration and a posture torque, with or without a contact.
template <class S>
VectorX<S> task_control(const Model<S>& model, const VectorX<S>& x, bool contact) {
  const int n = model.nv();
  Data<S> data(model);
  forward_kinematics<S>(model, data, x.head(n), x.segment(n, n));
  MatrixX<S> J(6, n), Jdot(6, n);
  body_jacobian(model, data, model.bodies().back(), J), body_jacobian_dot(model, data, model.bodies().back(), Jdot);
  const std::vector<OperationalTask<S>> tasks{{J.bottomRows(3), Jdot.bottomRows(3), x.segment(2 * n, 3)}};
  OperationalTask<S> foot;
  if (contact) foot = {J.topRows(1), Jdot.topRows(1), VectorX<S>::Zero(1)};
  OperationalSpace<S> control(model);
  control.relax(S(0));
  return control.update(model, data, std::span(tasks), x.tail(n), foot);
}

}  // namespace recorded_robots
using namespace recorded_robots;

TEST_CASE("parameters of robots are inputs, with nominal values at which they are checked", "[codegen]") {
  const auto arm = zoo::serial_chain(3);
  // The inputs are q, v, a, payload, damping, friction, armature.
  VectorXd nominal(3 + 3 + 3 + 1 + 9);
  nominal << numbers(9), 0.5, VectorXd::Constant(9, 0.3);
  check_near(nominal, 0.2, [&](const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    auto model = with_payload(arm.cast<S>(), "link3",
                              InertialParameters<S>(x[9], Vector3<S>(S(0), S(0), S(0.1)), diagonal3(S(0.01))));
    model.set_damping(x.segment(10, 3)), model.set_friction(x.segment(13, 3)), model.set_armature(x.tail(3));
    Data<S> data(model);
    VectorX<S> y(12);
    y.segment(0, 3) = rnea<S>(model, data, x.head(3), x.segment(3, 3), x.segment(6, 3));
    y.segment(3, 3) = passive_forces(model, data);
    y.segment(6, 3) = aba<S>(model, data, x.head(3), x.segment(3, 3), x.segment(6, 3));
    y.tail(3) = center_of_mass(model, data);
    return y;
  });
  Recording f("f");
  const auto mass = f.input("m", 1);
  const auto message = test::message_of<Error>([&] {
    with_payload(arm.cast<Recorded>(), "link3",
                 InertialParameters<Recorded>(mass[0], Vector3<Recorded>::Zero(), diagonal3(Recorded(0))));
  });
  CHECK(test::mentions(message, {"give nominal values"}));
}

TEST_CASE("a builder takes recorded inertias and placements", "[codegen]") {
  Vector10<double> pi;
  pi << 2.0, 0.1, 0.2, 0.3, 0.5, 0.0, 0.6, 0.0, 0.0, 0.7;
  VectorXd nominal(6 + 10 + 1);
  nominal << numbers(6), pi, 0.4;
  check_near(nominal, 0.05, [](const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    ModelBuilder<S> builder("arm");
    for (const char* name : {"upper", "lower"}) {
      BodySpec<S> body{.name = name, .joint = joint::Revolute({1, 2, 3})};
      body.placement.translation[0] = x[16];
      if (name[0] == 'l') body.parent = "upper";
      body.inertia = InertialParameters<S>::from_parameters(Vector10<S>(x.segment(6, 10)));
      builder.add_body(body);
    }
    const auto model = builder.build();
    Data<S> data(model);
    return VectorX<S>(rnea<S>(model, data, x.head(2), x.segment(2, 2), x.segment(4, 2)));
  });
}

TEST_CASE("gains of controllers are inputs", "[codegen]") {
  const auto arm = zoo::serial_chain(3);
  Recording f("control");
  const auto robot = arm.cast<Recorded>();
  Data<Recorded> data(robot);
  const VectorX<Recorded> x = f.input("x", 21);
  const auto part = [](const auto& y, int i) { return y.segment(3 * i, 3).eval(); };
  const auto control = [&](const auto& model, auto& d, const auto& y) {
    using S = typename std::decay_t<decltype(y)>::Scalar;
    SlotineLi<S> law(model, {part(y, 0), part(y, 1)});
    return VectorX<S>(law.update(model, d, part(y, 2), part(y, 3), part(y, 4), part(y, 5), part(y, 6)));
  };
  f.output("tau", control(robot, data, x));
  const VectorXd at = VectorXd::LinSpaced(21, 0.1, 2.0);
  Data<double> in_double(arm);
  CHECK(test::relative_error(evaluate(f, f.schedule(), {at.begin(), at.end()}), control(arm, in_double, at)) <
        rounding);
  // Known values are checked.
  const auto message = test::message_of<Error>([&] {
    SlotineLi<Recorded>(robot, {VectorX<Recorded>::Constant(3, Recorded(-1)), x.head(3)});
  });
  CHECK(test::mentions(message, {"lambda", "must be positive"}));
}

TEST_CASE("operational space control and its dynamics are recorded", "[codegen]") {
  const auto arm = zoo::serial_chain(7);
  for (const bool contact : {false, true})
    check_near(numbers(24), 0.2, [&](const auto& x) {
      using S = typename std::decay_t<decltype(x)>::Scalar;
      return task_control<S>(arm.cast<S>(), x, contact);
    });
  check_near(numbers(14), 0.2, [&](const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    const auto model = arm.cast<S>();
    Data<S> data(model);
    forward_kinematics<S>(model, data, x.head(7), x.tail(7));
    MatrixX<S> J(6, 7), Jdot(6, 7);
    body_jacobian(model, data, model.bodies().back(), J), body_jacobian_dot(model, data, model.bodies().back(), Jdot);
    const auto& dynamics = operational_space_dynamics(model, data, J, Jdot);
    VectorX<S> y(48);
    y << dynamics.Lambda.reshaped(), dynamics.coriolis_force, dynamics.p;
    return y;
  });
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", 24);
  CHECK(test::mentions(test::message_of<Error>([&] { task_control<Recorded>(arm.cast<Recorded>(), x, false); }),
                       {"give nominal values"}));
}

TEST_CASE("constrained dynamics are recorded unless conditions are redundant", "[codegen]") {
  const auto accelerations = [](const auto& model, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    Data<S> data(model);
    const Loops<S> loops(model);
    const int nq = model.nq(), n = model.nv();
    const auto& motion = constrained_forward_dynamics<S>(model, data, loops, x.head(nq), x.segment(nq, n), x.tail(n));
    VectorX<S> y(motion.a.size() + motion.lambda.size());
    y << motion.a, motion.lambda;
    return y;
  };
  const auto leg = zoo::four_bar_leg();
  check_near(numbers(leg.nq() + 2 * leg.nv()), 0.2,
             [&](const auto& x) { return accelerations(leg.cast<typename std::decay_t<decltype(x)>::Scalar>(), x); });
  const Linkage bricard(zoo::bricard_loop(), 0.03);
  const auto& tree = bricard.mechanism.tree();
  VectorXd closed = VectorXd::Zero(tree.nq() + 2 * tree.nv());
  closed.head(tree.nq()) = bricard.nominal;
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", closed);
  CHECK(test::mentions(test::message_of<Error>([&] { accelerations(tree.cast<Recorded>(), x); }), {"redundant"}));
}

TEST_CASE("an observer is recorded as two updates and its state", "[codegen]") {
  const auto arm = zoo::serial_chain(3);
  const auto robot = arm.cast<Recorded>();
  const double dt = 0.001;
  Recording f("observer");
  const auto q0 = f.input("q0", 3), v0 = f.input("v0", 3), r0 = f.input("r0", 3), q = f.input("q", 3),
             v = f.input("v", 3), tau = f.input("tau", 3);
  Data<Recorded> data(robot);
  MomentumObserver<Recorded> recorded(robot, VectorX<Recorded>::Constant(3, Recorded(50)));
  recorded.update(robot, data, q0, v0, tau, dt);
  VectorX<Recorded> r = recorded.update(robot, data, q, v, tau, dt);
  for (int k = 0; k < 3; ++k) r[k] += (Recorded(1) - recorded.share(k, dt)) * r0[k];
  f.output("r", r);
  Data<double> in_double(arm);
  MomentumObserver<double> observer(arm, VectorXd::Constant(3, 50.0));
  VectorXd last = numbers(6), residual = VectorXd::Zero(3);
  observer.update(arm, in_double, last.head(3), last.tail(3), numbers(3), dt);
  for (int i = 0; i < 4; ++i) {
    VectorXd x(18);
    x << last, residual, last.head(3) + dt * last.tail(3), last.tail(3) + 0.01 * numbers(3), (i + 1) * numbers(3);
    last = x.segment(9, 6);
    residual = observer.update(arm, in_double, last.head(3), last.tail(3), x.tail(3), dt);
    CHECK(test::relative_error(evaluate(f, f.schedule(), {x.begin(), x.end()}), residual) < rounding);
  }
}
