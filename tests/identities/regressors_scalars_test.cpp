#include <Eigen/Core>
// After Eigen/Core, which it needs and does not include.
#include <unsupported/Eigen/AutoDiff>

#include "corio/algorithms/parameter_derivatives.hpp"
#include "support/catch.hpp"
#include "support/regressor_support.hpp"
#include "support/scalar_support.hpp"

using namespace corio;
using namespace corio::test;

// Regressors and what belongs to them over scalars other than double.

namespace {

/// All results over S in one vector, back in double.
template <class S>
struct Regressors : Over<S> {
  using Over<S>::Over;

  Vectord all() {
    numbers_.clear();
    const auto& m = this->model;
    auto& d = this->data;
    const VectorX<S> pi = inertial_parameters(m);
    const typename Regressor<S>::State state{this->q, this->v, this->a, this->a};
    MatrixX<S> Y(m.nv(), pi.size()), A(m.nv(), m.nv());
    VectorX<S> y(pi.size()), g(m.nv());
    for (const auto& r : regressors<S>()) {
      r.fill(m, d, state, Y, {});
      put(Y);
      put(r.product(m, d, state, pi, {}));
      r.transpose_product(m, d, state, this->v, y, {});
      put(y);
    }
    kinetic_energy_regressor(m, d, this->q, this->v, y);
    put(y);
    potential_energy_regressor(m, d, y);
    put(y);
    for (const auto h : {InertialParameter::mass, InertialParameter::hz, InertialParameter::Iyz}) {
      mass_matrix_parameter_derivative(m, d, m.bodies().back(), h, A);
      put(A);
      coriolis_parameter_derivative(m, d, m.bodies().back(), h, A);
      put(A);
      gravity_parameter_derivative(m, d, m.bodies().back(), h, g);
      put(g);
    }
    return Eigen::Map<const Vectord>(numbers_.data(), static_cast<Eigen::Index>(numbers_.size()));
  }

 private:
  void put(const MatrixX<S>& x) {
    for (const S& entry : x.reshaped()) numbers_.push_back(value_of(entry));
  }
  std::vector<double> numbers_;
};

constexpr int seeds = 6;

}  // namespace

TEST_CASE("regressors over long double, complex and AutoDiff are those over double", "[identities][scalars]") {
  RandomRobot r(GENERATE(range(0, seeds)));
  INFO(r.model.name());
  const Vectord expected = Regressors<double>(r).all();
  CHECK(relative_error(Regressors<long double>(r).all(), expected) < tolerance<double>());
  CHECK(relative_error(Regressors<Complex>(r).all(), expected) < tolerance<double>());
  using AutoDiff = Eigen::AutoDiffScalar<Eigen::Matrix<double, 2, 1>>;
  CHECK(relative_error(Regressors<AutoDiff>(r).all(), expected) < tolerance<double>());
}

TEST_CASE("regressors over float are those over double to its precision", "[identities][scalars]") {
  RandomRobot r(GENERATE(range(0, seeds)));
  INFO(r.model.name());
  CHECK(relative_error(Regressors<float>(r).all(), Regressors<double>(r).all()) < tolerance<float>());
}

TEST_CASE("AutoDiff of rnea along a regressor's motion agrees with products", "[identities][scalars]") {
  // d(Y pi)/dv along a direction, on both sides of the same numbers.
  RandomRobot r(GENERATE(range(0, seeds)));
  INFO(r.model.name());
  using AutoDiff = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  const auto model = r.model.cast<AutoDiff>();
  Data<AutoDiff> data(model);
  VectorX<AutoDiff> q = r.q.cast<AutoDiff>(), v = r.v.cast<AutoDiff>(), a = r.a.cast<AutoDiff>();
  for (int k = 0; k < model.nv(); ++k) v[k].derivatives()[0] = r.a[k];
  for (int k = 0; k < model.nq(); ++k) q[k].derivatives().setZero();
  for (int k = 0; k < model.nv(); ++k) a[k].derivatives().setZero();
  const auto rate = [](const AutoDiff& x) { return x.derivatives()[0]; };
  const Vectord expected = rnea(model, data, q, v, a).unaryExpr(rate);
  MatrixX<AutoDiff> Y(model.nv(), num_inertial_parameters(model));
  inverse_dynamics_regressor(model, data, Y);
  CHECK(relative_error(Y.unaryExpr(rate) * inertial_parameters(r.model), expected) < 10 * tolerance<double>());
}
