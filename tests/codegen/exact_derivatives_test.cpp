#include "corio/codegen/exact_derivatives.hpp"

#include "codegen/casadi_host.hpp"

using namespace codegen_test;

// Derivatives by the library's algorithms against those of the tape, and what is computed of them if few are wanted.

namespace {

/// The first derivatives of a function by all its inputs, at numbers of any length, then the second ones of seed^T y,
/// and the operations that they take.
struct Derivatives {
  Recording f;
  codegen::Schedule schedule;
  Derivatives(const std::string& function, const Model<double>& model, bool by_tape)
      : f(codegen::record<Model>(function, model.cast<Recorded>(), {}, false, true)) {
    const auto robot = model.cast<Recorded>();
    const auto d = by_tape ? codegen::differentiated(f) : codegen::derivatives<Model>(function, robot, f);
    f.forget_outputs("derivatives");
    const auto seed = f.input("seed", static_cast<int>(d.first.rows()));
    f.output("first", d.first), f.output("second", d.second(seed));
    schedule = f.schedule();
  }
  int size() const {
    int sum = 0;
    for (const auto& input : f.inputs()) sum += input.size();
    return sum;
  }
  /// Returns the first and the second derivatives.
  std::array<VectorXd, 2> operator()(const VectorXd& x) const {
    const auto y = f.evaluate(schedule, x.data());
    const auto first = f.outputs()[0].size(), second = f.outputs()[1].size();
    return {VectorXd::Map(y.data(), first), VectorXd::Map(y.data() + first, second)};
  }
};

/// The lines of a schedule that an output needs.
codegen::Schedule lines_for(const Recording& f, const codegen::Schedule& s, int output) {
  codegen::Schedule part = s;
  part.lines.clear(), part.pieces.assign(1, 0);
  const auto outputs = f.outputs_of_pieces(s);
  for (std::size_t piece = 0; piece < s.pieces.size(); ++piece)
    if (outputs[piece].contains(output))
      part.lines.insert(part.lines.end(), s.lines.begin() + std::ptrdiff_t(s.pieces[piece]),
                        s.lines.begin() + std::ptrdiff_t(s.end_of(piece)));
  return part;
}

}  // namespace

TEST_CASE("derivatives by the algorithms are those of the tape, also for a step of length zero", "[codegen][casadi]") {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  const std::vector<Model<double>> models{test::sprung(joint::Spherical{}),
                                          zoo::random_tree(4, {.bodies = 2, .floating_base = true, .passive = true})};
  for (const Model<double>& model : models) {
    const std::string body = model.bodies().back().name(), first = model.bodies().front().name();
    for (const std::string& function : {std::string("step"), "aba:" + body, "rnea:" + first + "+" + body}) {
      CAPTURE(model.name(), model.nv(), function);
      const Derivatives exact(function, model, false), tape(function, model, true);
      CHECK(exact.schedule.operations < tape.schedule.operations);
      for (int sample = 0; sample < 5; ++sample) {
        VectorXd x = VectorXd::NullaryExpr(exact.size(), [&] { return normal(generator); });
        if (function == "step") x[model.nq() + 2 * model.nv()] = sample == 0 ? 0.0 : 0.02;
        const auto a = exact(x), b = tape(x);
        // Both divide by M + h D + h^2 K, whose condition multiplies the rounding, twice in second derivatives.
        CHECK(test::relative_error(a[0], b[0]) < 1e-9);
        CHECK(test::relative_error(a[1], b[1]) < 1e-8);
      }
    }
  }
}

TEST_CASE("a block that alone is wanted is computed without the pieces of others", "[codegen][casadi]") {
  const auto robot = zoo::quadruped(8).cast<Recorded>();
  Recording f = codegen::record<Model>("aba", robot, {}, false, true);
  const auto d = codegen::derivatives<Model>("aba", robot, f);
  std::mt19937 generator(2);
  std::normal_distribution<double> normal;
  const VectorXd x = VectorXd::NullaryExpr(3 * robot.nq() + 2 * robot.nv(), [&] { return normal(generator); });
  int prefixes = 0;
  codegen::for_each_derivative(std::move(f), d, [&](const Recording& g, const std::string& prefix) {
    ++prefixes;
    if (prefix != "jac_" && prefix != "jac_adj1_") return;
    const auto s = g.schedule(codegen::cut_for(g, {.casadi = true}));
    REQUIRE(s.pieces.size() > 3);
    const auto all = g.evaluate(s, x.data());
    std::size_t first = 0, fewest = s.lines.size();
    for (int o = 0; o < std::ssize(g.outputs()); ++o) {
      const auto part = lines_for(g, s, o);
      const auto alone = g.evaluate(part, x.data());
      const auto size = std::size_t(g.outputs()[std::size_t(o)].size());
      CAPTURE(prefix, o);
      CHECK(std::equal(all.begin() + long(first), all.begin() + long(first + size), alone.begin() + long(first)));
      first += size;
      if (size > 0) fewest = std::min(fewest, part.lines.size());
    }
    CHECK(2 * fewest < s.lines.size());  // d a / d tau, M^-1
  });
  CHECK(prefixes == 4);
}

TEST_CASE("the Jacobian of code for loops is the library's along the independent speeds", "[codegen][casadi]") {
  Linkage leg(zoo::four_bar_leg(), 0.03), wrist(zoo::differential_wrist(), 1.0);
  const auto check = [](const Mechanism<double>& robot, const VectorXd& nominal, const std::vector<VectorXd>& state) {
    CAPTURE(robot.tree().name());
    const int n = robot.nv(), nq = robot.tree().nq();
    const auto recorded = robot.cast<Recorded>();
    Recording f = codegen::record<Mechanism>("aba", recorded, nominal, false, true);
    const auto d = codegen::derivatives<Mechanism>("aba", recorded, f);
    f.forget_outputs("jacobian");
    f.output("first", d.first);
    VectorXd x(nq + 2 * n);
    x << state[0], state[1], state[2];
    const auto y = f.evaluate(f.schedule(), x.data());
    const MatrixX<double> J = MatrixX<double>::Map(y.data(), n, nq + 2 * n);
    MechanismData<double> data(robot);
    MatrixX<double> T(nq, n);
    for (int k = 0; k < n; ++k) {
      const VectorXd unit = VectorXd::Unit(n, k);
      codegen::for_each_result<double, Mechanism>("velocity_map", robot, data, state[0], unit, unit,
                                                  [&](const char*, const VectorXd& dq) { T.col(k) = dq; });
    }
    const auto& exact = forward_dynamics_derivatives<double>(robot, data, state[0], state[1], state[2]);
    // The solution of the loops multiplies rounding.
    CHECK(test::relative_error(J.leftCols(nq) * T, exact.da_dq) < 1e-10);
    CHECK(test::relative_error(J.middleCols(nq, n), exact.da_dv) < 1e-10);
    CHECK(test::relative_error(J.rightCols(n), exact.da_dtau) < 1e-10);
  };
  check(leg.mechanism, leg.nominal, leg.state());
  check(wrist.mechanism, {}, wrist.state());
  const auto recorded = leg.mechanism.cast<Recorded>();
  for (const char* function : {"step", "forward_dynamics_hessian"})
    CHECK_THROWS_WITH((codegen::record<Mechanism>(function, recorded, leg.nominal)), Catch::Contains("record "));
}
