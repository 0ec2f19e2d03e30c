#include "codegen/codegen_support.hpp"

using namespace codegen_test;

TEST_CASE("the check of generated code passes what is right and finds what is not", "[codegen]") {
  const auto model = zoo::serial_chain(4), other = zoo::tree(4, 3);
  for (const std::string function : codegen::function_names) {
    CAPTURE(function);
    const auto f = codegen::record(function, model), wrong = codegen::record(function, other);
    CHECK(codegen::largest_difference(function, model, f, f.schedule({100, 30}), 1000) < rounding);
    CHECK(codegen::largest_difference(function, model, wrong, wrong.schedule(), 1000) > 1e-3);
  }
  // C is zero for a single joint: the templates give its rounding errors.
  ModelBuilder<double> builder("hinge");
  builder.add_body({.name = "b",
                    .joint = joint::Revolute(Vector3<double>(1, 2, 3).normalized()),
                    .placement = exp(Motion<double>{{0.1, 0.3, 0.5}, {0.7, 0.8, 0.9}}),
                    .inertia = {1.5, {0.1, 0.2, 0.3}, diagonal3(0.4)}});
  const auto hinge = builder.build();
  for (const std::string function : codegen::function_names) {
    CAPTURE(function);
    const auto f = codegen::record(function, hinge);
    CHECK(codegen::largest_difference(function, hinge, f, f.schedule(), 1000) < rounding);
  }
}

TEST_CASE("the check takes code where M is singular to rounding, and finds one wrong result among several",
          "[codegen]") {
  // Two hinges turn about nearly one axis: after the first pivot 1e-11 of M remains, so that accelerations of the
  // templates have five digits, and another order of the same operations gives other errors.
  ModelBuilder<double> builder("eyes");
  const InertialParameters<double> ball{1.0, {0.0, 0.0, 0.1}, diagonal3(0.02)};
  builder.add_body(
      {.name = "tilt", .joint = joint::Revolute::x(), .inertia = {1e-13, zero3<double>(), diagonal3(1e-13)}});
  builder.add_body({.name = "pan", .parent = "tilt", .joint = joint::Revolute({1, 3e-6, 0}), .inertia = ball});
  builder.add_body({.name = "eye", .parent = "pan", .joint = joint::Revolute::y(), .inertia = ball});
  const auto eyes = builder.build();
  const auto robot = eyes.cast<Recorded>();
  for (const std::string function : {"aba", "mass_matrix_inverse", "forward_dynamics_derivatives"}) {
    CAPTURE(function);
    Recording f(function);
    const auto q = f.input("q", 3);
    VectorX<Recorded> v, tau;
    if (function != "mass_matrix_inverse") v = f.input("v", 3), tau = f.input("tau", 3);
    Data<Recorded> data(robot);
    codegen::for_each_result_by_factor(function, robot, data, q, v, tau,
                                       [&](const char* name, const auto& x) { f.output(name, x); });
    CHECK(codegen::largest_difference(function, eyes, f, f.schedule(), 100) < 1e-9);
    Data<double> in_double(eyes);
    double forward = 0;
    std::mt19937_64 generator(1);
    for (int s = 0; s < 20; ++s) {
      const auto x = state(eyes, s, generator);
      const VectorXd y = expected(function, eyes, in_double, x);
      forward = std::max(forward, test::relative_error(evaluate(f, f.schedule(), inputs(f, x)), y));
    }
    CHECK(forward > 1e-8);  // otherwise the case would show nothing
  }
  const auto arm = zoo::serial_chain(4);
  const auto right = codegen::record("inverse_dynamics_derivatives", arm);
  Recording wrong("wrong");
  const auto q = wrong.input("q", 4), v = wrong.input("v", 4), a = wrong.input("a", 4);
  const auto recorded = arm.cast<Recorded>();
  Data<Recorded> data(recorded);
  const auto& x = inverse_dynamics_derivatives(recorded, data, q, v, a);
  MatrixX<Recorded> small = x.dtau_dv;
  small(2, 1) *= Recorded(1 + 1e-3);
  wrong.output("dtau_dq", x.dtau_dq), wrong.output("dtau_dv", small);
  CHECK(codegen::largest_difference("inverse_dynamics_derivatives", arm, wrong, wrong.schedule(), 100) > 1e-5);
}

TEST_CASE("functions by name are what their names say", "[codegen]") {
  const auto check = [](const auto& robot, const VectorXd& nominal, const std::vector<VectorXd>& x) {
    CAPTURE(robot.tree().name());
    const std::string last = robot.tree().bodies().begin()[std::ssize(robot.tree().bodies()) - 1].name();
    const auto of = [&](const std::string& function, const std::vector<VectorXd>& at) {
      const Recording f = [&] {
        if constexpr (std::is_same_v<std::decay_t<decltype(robot)>, Model<double>>)
          return codegen::record(function, robot);
        else
          return codegen::record(function, robot, nominal);
      }();
      std::vector<double> in;
      for (const auto& array : f.inputs()) {
        const VectorXd& from = array.name == "q"    ? at[0]
                               : array.name == "v"  ? at[1]
                               : array.name == "dt" ? at[3]
                                                    : at[2];
        in.insert(in.end(), from.begin(), from.end());
      }
      return evaluate(f, f.schedule(), in);
    };
    const int n = robot.nv();
    const VectorXd zero = VectorXd::Zero(n), &q = x[0], &v = x[1], &a = x[2];
    const auto matrix = [&](const std::string& function, int rows) {
      const VectorXd numbers = of(function, x);
      REQUIRE(numbers.size() % rows == 0);
      return MatrixX<double>(MatrixX<double>::Map(numbers.data(), rows, numbers.size() / rows));
    };
    const MatrixX<double> M = matrix("crba", n);
    CHECK(test::relative_error(of("generalized_gravity", x), of("rnea", {q, zero, zero})) < rounding);
    CHECK(test::relative_error(of("nonlinear_effects", x), of("rnea", {q, v, zero})) < rounding);
    CHECK(test::relative_error(matrix("inverse_dynamics_regressor", n) * inertial_parameters(robot.tree()),
                               of("rnea", x)) < rounding);  // no robot here has an armature
    const VectorXd V = of("body_velocity:" + last, x), energies = of("energy", x);
    CHECK(test::relative_error(matrix("body_jacobian:" + last, 6) * v, V) < rounding);
    CHECK(std::abs(energies[0] - v.dot(M * v) / 2) < rounding * energies[0]);
    // Compares with central differences of the tree along the motion: 1e-6 for steps of 1e-5.
    using R = std::decay_t<decltype(robot)>;
    typename R::DataType data(robot);
    forward_kinematics(robot, data, q, v);
    const double h = 1e-5;
    const auto rate = [&](const std::string& function) {
      const auto at = [&](double t) {
        const VectorXd moved = integrate<double>(robot.tree(), q, t * data.of_tree().v);
        return of(function, {moved, v, a, {}});
      };
      return VectorXd((at(h) - at(-h)) / (2 * h));
    };
    const VectorXd X = of("body_pose:" + last, x), Xdot = rate("body_pose:" + last);
    CHECK((Xdot.tail(3) - V.tail(3)).norm() < 1e-6 * (1 + V.norm()));
    for (int j = 0; j < 3; ++j) {
      const Eigen::Vector3d w = V.head(3), column = X.segment(3 * j, 3);
      CHECK((Xdot.segment(3 * j, 3) - w.cross(column)).norm() < 1e-6 * (1 + V.norm()));
    }
    const MatrixX<double> J = matrix("com_jacobian", 3), A = matrix("centroidal_momentum_matrix", 6);
    CHECK((rate("center_of_mass") - J * v).norm() < 1e-6 * (1 + v.norm()));
    CHECK(test::relative_error(A.bottomRows(3), robot.tree().total_mass() * J) < rounding);
    CHECK(std::abs(rate("energy")[1] - of("generalized_gravity", x).dot(v)) < 1e-5 * (1 + energies.norm()));
  };
  std::mt19937_64 generator(1);
  for (const auto& model : {zoo::serial_chain(3), zoo::quadruped(8)}) check(model, {}, state(model, 0, generator));
  Linkage leg(zoo::four_bar_leg(), 0.03), wrist(zoo::differential_wrist(), 1.0);
  check(leg.mechanism, leg.nominal, leg.state()), check(wrist.mechanism, {}, wrist.state());
  for (const char* unknown : {"body_pose", "body_pose:", "crba:link1", "gravity"})
    CHECK_THROWS_AS(codegen::record(unknown, zoo::serial_chain(2)), Error);
  CHECK_THROWS_AS(codegen::record("body_pose:hand", zoo::serial_chain(2)), ModelError);
  CHECK(test::mentions(test::message_of<Error>([&] { codegen::record("step", wrist.mechanism); }), {"record aba"}));
}

TEST_CASE("functions with wrenches, Hessians and the rates of coordinates are those of the templates", "[codegen]") {
  const auto robot = robot_on<double>(joint::FreeFlyer{});
  for (const std::string function :
       {"rnea:second", "aba:first+second", "velocity_map", "inverse_dynamics_hessian", "forward_dynamics_hessian"}) {
    CAPTURE(function);
    const auto f = codegen::record(function, robot);
    CHECK(codegen::largest_difference(function, robot, f, f.schedule(), 100) < rounding);
  }
  // A wrench at the origin of a body enters as -J^T w.
  std::mt19937_64 generator(1);
  const auto x = state(robot, 0, generator);
  const VectorXd w = VectorXd::LinSpaced(6, -1, 2);
  const auto with = codegen::record("rnea:second", robot), without = codegen::record("rnea", robot),
             jacobian = codegen::record("body_jacobian:second", robot);
  auto in = inputs(without, x);
  const VectorXd tau = evaluate(without, without.schedule(), in), J = evaluate(jacobian, jacobian.schedule(), in);
  in.insert(in.end(), w.begin(), w.end());
  CHECK(test::relative_error(evaluate(with, with.schedule(), in),
                             VectorXd(tau - MatrixX<double>::Map(J.data(), 6, robot.nv()).transpose() * w)) < rounding);
  CHECK_THROWS_AS(codegen::record("rnea:hand", robot), ModelError);
  CHECK(test::mentions(test::message_of<Error>(
                           [] { codegen::record("forward_dynamics_hessian", Mechanism<double>(zoo::geared_arm(3))); }),
                       {"of trees"}));
}

TEST_CASE("a step is that of the simulation, for any length", "[codegen]") {
  for (const auto& model : {zoo::quadruped(8), test::sprung(joint::Universal({1, 2, 3}, {0, 1, -1}))}) {
    const auto f = codegen::record("step", model);
    const auto schedule = f.schedule();
    Data<double> data(model);
    std::mt19937_64 generator(1);
    for (const double dt : {1e-3, 0.05}) {
      const auto x = state(model, 0, generator);
      VectorXd q = x[0], v = x[1], in(x[0].size() + 2 * x[1].size() + 1);
      in << q, v, x[2], dt;
      const VectorXd y = evaluate(f, schedule, {in.begin(), in.end()});
      step<double>(model, data, q, v, x[2], dt);
      VectorXd expected(q.size() + v.size());
      expected << q, v;
      CHECK(test::relative_error(y, expected) < rounding);
    }
  }
}
