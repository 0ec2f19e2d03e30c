#include "corio/codegen/recording.hpp"
#include "corio/corio.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#ifdef CORIO_TEST_CPPADCG
#include <cppad/cg.hpp>
#endif
#ifdef CORIO_TEST_CPPAD
#include <cppad/cppad.hpp>
#include <cppad/example/cppad_eigen.hpp>
#endif

// Tests scalars that record operations instead of computing, so that code can be generated: their unknowns have no
// value, and none is converted to a number.

#ifdef CORIO_TEST_CPPADCG
template <class Base>
struct corio::ScalarValue<CppAD::cg::CG<Base>> {
  static Base of(const CppAD::cg::CG<Base>& x) { return x.isValueDefined() ? x.getValue() : Base(1); }
};
#endif

namespace {

using corio::VectorX;
using Eigen::VectorXd;

/// Returns the results of several functions, one after the other, at x = [q, v, a].
template <class S>
VectorX<S> results(const corio::Model<double>& in_double, const VectorX<S>& x) {
  const auto model = in_double.cast<S>();
  corio::Data<S> data(model);
  const int n = model.nv();
  const VectorX<S> q = x.head(model.nq()), v = x.segment(model.nq(), n), a = x.tail(n);
  const VectorX<S> tau = corio::rnea(model, data, q, v, a);
  const corio::MatrixX<S> M = corio::crba(model, data, q);
  const corio::MatrixX<S> C = corio::coriolis_matrix(model, data, q, v).C;
  const VectorX<S> forward = corio::aba(model, data, q, v, a);
  VectorX<S> all(2 * n + 2 * n * n);
  all << tau, forward, M.reshaped(), C.reshaped();
  return all;
}

/// A floating base with legs and arms of revolute joints.
const corio::Model<double>& robot() {
  static const auto model = corio::zoo::humanoid<double>();
  return model;
}
VectorXd random_state(int seed) {
  std::mt19937_64 generator(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random = [&] { return uniform(generator); };
  const int n = robot().nv();
  VectorXd x(robot().nq() + 2 * n);
  x << corio::random_configuration(robot(), generator), VectorXd::NullaryExpr(2 * n, random);
  return x;
}
int unknowns() { return robot().nq() + 2 * robot().nv(); }

/// Allow for rounding: sums in another order, and for aba the condition of M, some 1e4.
constexpr double tolerance = 1e-10;

}  // namespace

TEST_CASE("what a scalar without values records of dynamics computes them at any state", "[scalars]") {
  using corio::codegen::Recorded;
  corio::codegen::Recording recording("results");
  recording.output("y", results<Recorded>(robot(), recording.input("x", unknowns())));
  const auto schedule = recording.schedule();
  for (int seed = 1; seed <= 3; ++seed) {
    const VectorXd state = random_state(seed);
    const std::vector<double> numbers = recording.evaluate(schedule, state.data());
    const VectorXd y = VectorXd::Map(numbers.data(), recording.num_outputs());
    CHECK(corio::test::relative_error(y, results<double>(robot(), state)) < tolerance);
  }
}

#ifdef CORIO_TEST_CPPAD
TEST_CASE("CppAD differentiates inverse dynamics as inverse_dynamics_derivatives does", "[scalars][scalars][cppad]") {
  using S = CppAD::AD<double>;
  const VectorXd first = random_state(1), state = random_state(2);
  VectorX<S> x = first.cast<S>();
  CppAD::Independent(x);
  const VectorX<S> y = results<S>(robot(), x).head(robot().nv()).eval();
  CppAD::ADFun<double> function(x, y);
  // Evaluates at another state than the recorded one.
  const VectorXd jacobian = function.Jacobian(state);
  const auto J = jacobian.reshaped<Eigen::RowMajor>(y.size(), x.size());
  corio::Data data(robot());
  const int n = robot().nv(), nq = robot().nq(), joints = n - 6;
  const auto& [dtau_dq, dtau_dv, M] =
      corio::inverse_dynamics_derivatives(robot(), data, state.head(nq), state.segment(nq, n), state.tail(n));
  CHECK(corio::test::relative_error(J.middleCols(7, joints).eval(), dtau_dq.rightCols(joints).eval()) < tolerance);
  CHECK(corio::test::relative_error(J.middleCols(nq, n).eval(), dtau_dv) < tolerance);
  CHECK(corio::test::relative_error(J.rightCols(n).eval(), M) < tolerance);
}
#endif

#ifdef CORIO_TEST_CPPADCG
TEST_CASE("what CppADCodeGen records of dynamics computes them at any state", "[scalars][scalars][cppadcg]") {
  using S = CppAD::cg::CG<double>;
  CppAD::cg::CodeHandler<double> code;
  VectorX<S> x(unknowns());
  code.makeVariables(x);
  CppAD::cg::Evaluator<double, double, double> graph(code);
  const VectorXd state = random_state(1), expected = results<double>(robot(), state);
  const auto evaluated = [&](const VectorX<S>& y) {
    const std::vector<double> numbers(state.begin(), state.end());
    const std::vector<S> entries(y.begin(), y.end());
    const std::vector<double> values = graph.evaluate(numbers, entries);
    return VectorXd(VectorXd::Map(values.data(), y.size()));
  };
  CHECK(corio::test::relative_error(evaluated(results<S>(robot(), x)), expected) < tolerance);

  // Code for derivatives is generated in this way: CppAD records over this scalar.
  VectorX<CppAD::AD<S>> u = random_state(2).cast<CppAD::AD<S>>();
  CppAD::Independent(u);
  CppAD::ADFun<S> function(u, results<CppAD::AD<S>>(robot(), u));
  CHECK(corio::test::relative_error(evaluated(function.Forward(0, x)), expected) < tolerance);
}
#endif
