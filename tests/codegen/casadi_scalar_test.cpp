#include "corio/codegen/casadi_scalar.hpp"

#include "codegen/codegen_support.hpp"

using namespace codegen_test;

// Expressions of CasADi as a scalar, over a stand-in with the interface of CasADi's class.

namespace {

using Expression = casadi::SXElem;

/// Returns the results of several functions, one after the other. A quaternion itself may have any length.
template <class S>
VectorX<S> results_over(const Model<double>& in_double, const VectorX<S>& q, const VectorX<S>& v, const VectorX<S>& a) {
  const auto model = in_double.cast<S>();
  Data<S> data(model);
  const VectorX<S> tau = rnea<S>(model, data, q, v, a), forward = aba<S>(model, data, q, v, a);
  const MatrixX<S> C = coriolis_matrix(model, data, q, v).C;
  const MatrixX<S> dtau_dq = inverse_dynamics_derivatives<S>(model, data, q, v, a).dtau_dq;
  const MatrixX<S> da_dq = forward_dynamics_derivatives<S>(model, data, q, v, a).da_dq;
  const VectorX<S> moved = integrate<S>(model, q, v), back = difference<S>(model, q, moved);
  VectorX<S> all(tau.size() + forward.size() + C.size() + dtau_dq.size() + da_dq.size() + back.size());
  all << tau, forward, C.reshaped(), dtau_dq.reshaped(), da_dq.reshaped(), back;
  return all;
}

}  // namespace

TEST_CASE("expressions of CasADi compute what double does, on both sides of each branch", "[codegen][casadi]") {
  std::mt19937_64 generator(1);
  for (const auto& model : {robot_on<double>(joint::Spherical{}), robot_on<double>(joint::FreeFlyer{}),
                            robot_on<double>(joint::Planar{}), robot_on<double>(joint::Continuous{})}) {
    std::vector<double> at(std::size_t(model.nq() + 2 * model.nv()));
    VectorX<Expression> x(Eigen::Index(at.size()));
    for (std::size_t i = 0; i < at.size(); ++i) x[Eigen::Index(i)] = Expression::sym(at[i]);
    const int n = model.nv();
    const auto graph = results_over<Expression>(model, x.head(model.nq()), x.segment(model.nq(), n), x.tail(n));
    for (int number = 0; number < 5; ++number) {
      auto given = state(model, number, generator);
      VectorXd &q = given[0], &v = given[1], &a = given[2];
      if (number == 1) v.setZero();  // series of small angles
      if (number == 2) v *= 1e-9;
      if (number == 4 && model.nq() == 5) q.head(4) *= 1e-200;  // a quaternion whose square underflows
      VectorXd all(x.size());
      all << q, v, a;
      VectorXd::Map(at.data(), all.size()) = all;
      const auto values = evaluate(std::vector<Expression>(graph.begin(), graph.end()));
      const VectorXd expected = results_over<double>(model, q, v, a);
      CAPTURE(model.name(), number);
      CHECK(test::relative_error(VectorXd(VectorXd::Map(values.data(), expected.size())), expected) < 1e-10);
    }
  }
}
