#include <numbers>
#include <thread>

#include "codegen/codegen_support.hpp"
#include "corio/spatial/lie.hpp"
#include "loops/mechanism_support.hpp"

using namespace codegen_test;

TEST_CASE("what is recorded of a function computes it for every joint in every state, cut or not", "[codegen]") {
  const std::string function = GENERATE(from_range(all_functions));
  for (const auto& [model, recorded] : robots()) {
    CAPTURE(function, model.name(), model.joints().begin()->type());
    const auto f = codegen::record(function, recorded);
    const auto whole = f.schedule(), cut = f.schedule({100, 30});
    CHECK(whole.places == 0);
    CHECK(whole.pieces.size() == 1);
    CHECK(cut.alive <= whole.alive);
    Data<double> data(model);
    std::mt19937_64 generator(1);
    double worst = 0;
    for (int s = 0; s < 40; ++s) {
      const auto x = state(model, s, generator);
      const VectorXd y = expected(function, model, data, x);
      const std::vector<double> in = inputs(f, x);
      worst = std::max(worst, test::relative_error(evaluate(f, whole, in), y));
      CHECK(evaluate(f, cut, in) == evaluate(f, whole, in));
    }
    CHECK(worst < rounding);
  }
}

namespace {

/// Checks in closed states near the nominal one, for which pivots are chosen, or for gears, which choose none, far from
/// it.
void check_closed(Linkage& robot, const Mechanism<Recorded>& recorded, const VectorXd& nominal) {
  for (const std::string function : codegen::function_names) {
    CAPTURE(robot.mechanism.tree().name(), function);
    const auto f = codegen::record(function, recorded, nominal);
    const auto schedule = f.schedule();
    double worst = 0;
    for (int s = 0; s < 10; ++s) {
      const auto x = robot.state();
      const VectorXd y = expected(function, robot.mechanism, robot.data, x);
      worst = std::max(worst, test::relative_error(evaluate(f, schedule, inputs(f, x)), y));
    }
    CHECK(worst < rounding);
    if (nominal.size() > 0)
      CHECK(test::mentions(test::message_of<Error>([&] { codegen::record(function, recorded); }),
                           {"give nominal values to all inputs"}));
  }
}

}  // namespace

TEST_CASE("gears are recorded for every state", "[codegen]") {
  for (const auto& model : {zoo::geared_arm(3), zoo::differential_wrist()}) {
    Linkage robot(model, 3.0);
    check_closed(robot, robot.mechanism.cast<Recorded>(), {});
  }
}

TEST_CASE("loops are recorded at a nominal configuration, and not without one", "[codegen]") {
  for (const auto& model :
       {zoo::four_bar_leg(), zoo::delta_robot(), zoo::bricard_loop(), zoo::stewart_platform(), zoo::parallel_biped()}) {
    Linkage robot(model, 0.03);  // legs of the platform end after some centimetres
    check_closed(robot, robot.mechanism.cast<Recorded>(), robot.nominal);
  }
}

TEST_CASE("relations of the user's are recorded where they are given over the recording scalar", "[codegen]") {
  const loops_test::Closed s(6);
  Linkage robot(s.mechanism, s.q, 0.1);
  CHECK(test::mentions(test::message_of<Error>([&] { codegen::record("rnea", robot.mechanism, robot.nominal); }),
                       {"'driven'", "a relation cannot be cast"}));
  const auto model = s.model.cast<Recorded>();
  Names independent;
  for (const Joint& joint : s.model.joints())
    if (std::ranges::count(s.mechanism.independent(), joint.v_index()) > 0) independent.push_back(joint.name());
  check_closed(robot, {model, loops_test::Closed::close<Recorded>(6, model), independent}, robot.nominal);
}

TEST_CASE("a nominal configuration that gives no pivots is refused", "[codegen][errors]") {
  const Linkage leg(zoo::four_bar_leg());
  CHECK(test::mentions(test::message_of<SizeError>([&] { codegen::record("rnea", leg.mechanism, VectorXd::Zero(2)); }),
                       {"q has size 2, expected 5"}));
  VectorXd open = leg.nominal;
  open[4] += 0.1;
  CHECK(test::mentions(test::message_of<StateError>([&] { codegen::record("rnea", leg.mechanism, open); }),
                       {"is open by"}));
  // All bars are in one line.
  auto builder = to_builder(loops_test::four_bar(1, 1, 1, 1));
  builder.close_loop("pin", "coupler_tip", "rocker_tip", closure::Revolute{{0, 0, 1}},
                     {"coupler_joint", "rocker_joint"});
  const Mechanism<double> flat(builder.build());
  for (const std::string function : codegen::function_names) {
    CAPTURE(function);
    const auto message = test::message_of<Error>([&] { codegen::record(function, flat, VectorXd::Zero(3)); });
    CHECK(test::mentions(message, {"'pin'", "crank_joint", "leave a singular configuration"}));
  }
}

TEST_CASE("both branches of exp, log and quaternions are recorded", "[codegen]") {
  Recording f("maps");
  const VectorX<Recorded> w = f.input("w", 3), a = f.input("a", 4);
  const Vector3<Recorded> vector(w[0], w[1], w[2]);
  const Quaternion<Recorded> quaternion(a[0], a[1], a[2], a[3]);
  const auto results = [](const auto& vec, const auto& quat, auto&& put) {
    using S = typename std::decay_t<decltype(vec)>::Scalar;
    put("exponential", exp_quaternion<S>(vec));
    put("logarithm", log_quaternion<S>(quat));
    put("rotation", rotation_from_quaternion<S>(quat));
    put("back", quaternion_from_rotation<S>(rotation_from_quaternion<S>(quat)));
  };
  results(vector, quaternion, [&](const char* name, const auto& x) { f.output(name, x); });
  const auto schedule = f.schedule();
  const double pi = std::numbers::pi;
  for (const Vector3<double>& u : {Vector3<double>(0, 0, 0), Vector3<double>(1e-9, 0, 0), Vector3<double>(0.3, -0.2, 1),
                                   Vector3<double>(0, pi, 0), Vector3<double>(-2, 2, 1)})
    for (const double norm : {1.0, 1e-170, 1e170, -3.0}) {
      const Quaternion<double> q = norm * exp_quaternion<double>(u);
      std::vector<double> y;
      results(u, q, [&](const char*, const auto& x) { y.insert(y.end(), x.data(), x.data() + x.size()); });
      const VectorXd exact = VectorXd::Map(y.data(), static_cast<Eigen::Index>(y.size()));
      CHECK(test::relative_error(evaluate(f, schedule, {u[0], u[1], u[2], q[0], q[1], q[2], q[3]}), exact) < 1e-14);
    }
}

TEST_CASE("a recording folds constants, shares terms and leaves out what no result needs", "[codegen]") {
  Recording f("f");
  const auto x = f.input("x", 2);
  const Recorded sum = x[0] * x[1] + Recorded(2) * Recorded(3), same = Recorded(6) + x[1] * x[0];
  const Recorded unused = sin(x[0]) / x[1], nothing = (x[0] - x[0]) * x[1];
  f.output("sum", sum), f.output("same", same), f.output("nothing", nothing);
  const auto schedule = f.schedule();
  CHECK(schedule.operations == 2);
  CHECK(f.evaluate(schedule, std::vector{0.5, 4.0}.data()) == std::vector{8.0, 8.0, 0.0});
  CHECK(nothing.is_constant());
  CHECK(static_cast<double>(Recorded(3) / Recorded(4)) == 0.75);
  CHECK(bool(Recorded(1) < Recorded(2)));
  CHECK_THROWS_AS(bool(x[0] < x[1]), Error);
  CHECK_THROWS_AS(static_cast<double>(unused), Error);
  Recording other("other");
  CHECK(test::mentions(test::message_of<Error>([&] { x[0] + other.input("y", 1)[0]; }), {"two recordings"}));
}

TEST_CASE("terms that are algebraically equal are computed once, and no others", "[codegen]") {
  Recording f("f");
  const auto x = f.input("x", 3);
  std::vector<double> expected;
  const VectorXd at{{0.3, -1.7, 2.9}};
  const auto more_operations = [&](auto term) {
    const int before = f.schedule().operations;
    f.output("y" + std::to_string(expected.size()), Recorded(term(x)));
    expected.push_back(term(at));
    return f.schedule().operations - before;
  };
  CHECK(more_operations([](const auto& y) { return (y[0] + y[1]) + y[2]; }) == 2);
  CHECK(more_operations([](const auto& y) { return y[2] + (y[1] + y[0]); }) == 0);
  CHECK(more_operations([](const auto& y) { return y[0] * (y[0] + y[1] + y[2]); }) == 1);
  CHECK(more_operations([](const auto& y) { return y[0] * y[0] + (y[1] + y[2]) * y[0]; }) == 0);
  CHECK(more_operations([](const auto& y) { return -y[0] - y[2] - y[1]; }) == 1);
  CHECK(more_operations([](const auto& y) { return y[0] / y[1]; }) == 1);
  CHECK(more_operations([](const auto& y) { return (y[0] * y[2]) / (y[2] * y[1]); }) == 0);
  CHECK(more_operations([](const auto& y) { return cos(y[0]) * cos(y[0]) + sin(y[0]) * sin(y[0]); }) == 0);
  CHECK(more_operations([](const auto& y) { return y[0] * 0x1p61; }) == 1);
  CHECK(more_operations([](const auto& y) { return y[0] * (1 + 0x1p-50) - y[0] * 2049; }) == 3);
  CHECK(more_operations([](const auto& y) { return round(y[0]) + y[0]; }) == 2);
  CHECK(more_operations([](const auto& y) { return sqrt(y[0] * y[0]); }) == 2);
  const VectorXd y = evaluate(f, f.schedule(), {at.begin(), at.end()});
  CHECK(test::relative_error(y, VectorXd::Map(expected.data(), y.size())) < 1e-15);
  CHECK_FALSE(isfinite(x[0]).is_known());
  CHECK_FALSE((x[0] / (x[1] - x[1]) - x[0]).is_constant());
  CHECK((x[0] * (x[1] + x[2]) - x[1] * x[0] - x[2] * x[0]).is_constant());
}

TEST_CASE("functions of a tree that divide by M are recorded in the shorter way", "[codegen]") {
  for (const int n : {4, 16})
    for (const std::string function : {"aba", "mass_matrix_inverse", "forward_dynamics_derivatives"}) {
      CAPTURE(n, function);
      const auto model = zoo::serial_chain<Recorded>(n);
      const auto operations_by = [&](auto algorithm) {
        Recording f(function);
        const auto q = f.input("q", n), v = f.input("v", n), tau = f.input("tau", n);
        Data<Recorded> data(model);
        algorithm(data, q, v, tau, [&](const char* name, const auto& x) { f.output(name, x); });
        return f.schedule().operations;
      };
      const int as_templates =
          operations_by([&](auto&&... in) { codegen::for_each_result<Recorded, Model>(function, model, in...); });
      const int by_factor =
          operations_by([&](auto&&... in) { codegen::for_each_result_by_factor(function, model, in...); });
      CHECK((by_factor < as_templates) == (n == 4 || function != "aba"));  // the factor takes O(n^3)
      CHECK(codegen::record(function, model).schedule().operations == std::min(by_factor, as_templates));
    }
}

TEST_CASE("names of recordings are those of C, once each", "[codegen]") {
  for (const char* name : {"", "1a", "a b", "q;"}) CHECK_THROWS_AS(Recording(name), Error);
  Recording f("f");
  f.input("q", 1);
  CHECK_THROWS_AS(f.input("q", 1), Error);
  CHECK_THROWS_AS(f.output("q", Recorded(1)), Error);
  CHECK(test::mentions(test::message_of<Error>([&] { codegen::record("nonsense", zoo::serial_chain(1)); }),
                       {"there are rnea"}));
}

TEST_CASE("a cost and its gradient are recorded with the scalar of derivatives on top", "[codegen]") {
  using D = Dual<Recorded>;
  const auto model = zoo::serial_chain(3);
  Recording f("cost");
  const VectorX<Recorded> q = f.input("q", 3), tau = f.input("tau", 3);
  const auto robot = model.cast<D>();
  Data<D> data(robot);
  const auto cost = [](const auto& m, auto& d, const auto& x, const auto& force) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    const VectorX<S> a = aba<S>(m, d, x, VectorX<S>::Zero(3).eval(), force);
    return S(a.dot(a));
  };
  VectorX<Recorded> gradient(3);
  for (int k = 0; k < 3; ++k) {
    VectorX<D> x(3), force(3);
    for (int i = 0; i < 3; ++i) x[i] = D(q[i], Recorded(i == k)), force[i] = D(tau[i]);
    const D y = cost(robot, data, x, force);
    if (k == 0) f.output("value", y.x);
    gradient[k] = y.dx;
  }
  f.output("gradient", gradient);
  const VectorXd at = VectorXd::Random(6);
  const VectorXd y = evaluate(f, f.schedule(), {at.begin(), at.end()});
  Data<double> in_double(model);
  const auto value = [&](const VectorXd& x) {
    return cost(model, in_double, VectorXd(x.head(3)), VectorXd(x.tail(3)));
  };
  CHECK(std::abs(y[0] - value(at)) < rounding * y[0]);
  for (int k = 0; k < 3; ++k) {
    VectorXd up = at, down = at;
    up[k] += 1e-6, down[k] -= 1e-6;
    CHECK(std::abs(y[1 + k] - (value(up) - value(down)) / 2e-6) < 1e-7 * (1 + y.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("threads record at once, each on a tape of its own", "[codegen]") {
  const auto model = zoo::serial_chain(3);
  const int alone = codegen::record("rnea", model).tape().size();
  int sizes[4];
  std::vector<std::thread> threads;
  for (int& size : sizes) threads.emplace_back([&] { size = codegen::record("rnea", model).tape().size(); });
  for (auto& thread : threads) thread.join();
  for (const int size : sizes) CHECK(size == alone);
}
