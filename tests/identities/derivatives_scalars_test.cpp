#include <Eigen/Core>
// After Eigen/Core, which it needs and does not include.
#include <unsupported/Eigen/AutoDiff>

#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/scalar_support.hpp"

using namespace corio;
using namespace corio::test;

// The derivatives, first and second, and the inverse of M over scalars other than double.

namespace {

/// All results over S in one vector, back in double.
template <class S>
struct Derivatives : Over<S> {
  using Over<S>::Over;
  /// Of tau: dtau_dq, dtau_dv, M under forces of every reference on every body.
  Vectord inverse() {
    const auto& x = inverse_dynamics_derivatives(this->model, this->data, this->q, this->v, this->a, external());
    return in_one({&x.dtau_dq, &x.dtau_dv, &x.M});
  }
  /// Of a, and the inverse of M, which all errors of M enter times cond(M).
  Vectord forward(DerivativeRoute route) {
    const auto& x = forward_dynamics_derivatives(this->model, this->data, this->q, this->v, this->a, external(), route);
    const auto& W = mass_matrix_inverse(this->model, this->data);
    return in_one({&x.da_dq, &x.da_dv, &x.da_dtau, &W});
  }
  /// Of lambda^T tau, with the v of the state as lambda.
  Vectord inverse_hessian() {
    const auto& x = inverse_dynamics_hessian(this->model, this->data, this->q, this->v, this->a, this->v, external());
    return in_one({&x.qq, &x.vq, &x.vv, &x.aq});
  }
  Vectord forward_hessian() {
    const auto& x = forward_dynamics_hessian(this->model, this->data, this->q, this->v, this->a, this->v, external());
    return in_one({&x.qq, &x.vq, &x.vv, &x.tau_q});
  }
  Vectord tensors() {
    InverseDynamicsSecondDerivatives<S> x(this->model);
    inverse_dynamics_second_derivatives(this->model, this->data, this->q, this->v, this->a, x, external());
    const int n = this->model.nv();
    const auto matrix = [n](const Tensor3<S>& T) -> MatrixX<S> {
      return Eigen::Map<const MatrixX<S>>(T.data(), n, n * n);
    };
    const MatrixX<S> qq = matrix(x.d2tau_dqdq), vq = matrix(x.d2tau_dvdq), vv = matrix(x.d2tau_dvdv),
                     M = matrix(x.dM_dq);
    return in_one({&qq, &vq, &vv, &M});
  }

 private:
  std::vector<ExternalForce<S>> external() const {
    Random<double> random(3);
    std::vector<Wrench> all;
    for (const auto& body : this->model.bodies())
      for (const auto reference : all_references) {
        const Force<double> F = random.force();
        all.push_back({body.name(), F, reference, random.vector()});
      }
    return forces_on(this->model, all);
  }
  static Vectord in_one(const std::vector<const MatrixX<S>*>& matrices) {
    const Eigen::Index size = matrices.front()->size();
    Vectord all(size * static_cast<Eigen::Index>(matrices.size()));
    for (std::size_t i = 0; i < matrices.size(); ++i)
      all.segment(static_cast<Eigen::Index>(i) * size, size) =
          matrices[i]->reshaped().unaryExpr([](const S& x) { return value_of(x); });
    return all;
  }
};

constexpr int seeds = 6;
double condition_of(RandomRobot& r) { return std::max(10.0, condition(crba(r.model, r.data, r.q))); }

}  // namespace

TEST_CASE("derivatives over long double, complex and AutoDiff are those over double",
          "[identities][derivatives_scalars]") {
  using AutoDiff = Eigen::AutoDiffScalar<Eigen::Vector2d>;
  RandomRobot r(GENERATE(range(0, seeds)));
  const double c = condition_of(r);
  Derivatives<double> d(r);
  const Vectord inverse = d.inverse();
  Derivatives<long double> l(r);
  Derivatives<Complex> z(r);
  Derivatives<AutoDiff> a(r);
  CHECK(relative_error(inverse, l.inverse()) < tolerance<double>());
  CHECK(relative_error(inverse, z.inverse()) < tolerance<double>());
  CHECK(relative_error(inverse, a.inverse()) < tolerance<double>());
  for (const auto route : {DerivativeRoute::dense, DerivativeRoute::articulated}) {
    CAPTURE(static_cast<int>(route));
    const Vectord forward = d.forward(route);
    CHECK(relative_error(forward, l.forward(route)) < 1e-13 * c);
    CHECK(relative_error(forward, z.forward(route)) < 1e-13 * c);
    CHECK(relative_error(forward, a.forward(route)) < 1e-13 * c);
  }
}

TEST_CASE("second derivatives over long double, complex and AutoDiff are those over double",
          "[identities][derivatives_scalars]") {
  using AutoDiff = Eigen::AutoDiffScalar<Eigen::Vector2d>;
  RandomRobot r(GENERATE(range(0, seeds)));
  const double limit = 1e-13 * condition_of(r);
  Derivatives<double> d(r);
  const Vectord inverse = d.inverse_hessian(), forward = d.forward_hessian(), tensors = d.tensors();
  const auto check = [&](auto&& other) {
    CHECK(relative_error(inverse, other.inverse_hessian()) < tolerance<double>());
    CHECK(relative_error(forward, other.forward_hessian()) < limit);
    CHECK(relative_error(tensors, other.tensors()) < tolerance<double>());
  };
  check(Derivatives<long double>(r));
  check(Derivatives<Complex>(r));
  check(Derivatives<AutoDiff>(r));
}

TEST_CASE("derivatives over float are those over double to the accuracy of float",
          "[identities][derivatives_scalars]") {
  // Trees are some ten metres deep and quantities are about the root: squares of distances cost two or three digits.
  RandomRobot r(GENERATE(range(0, seeds)));
  Derivatives<float> f(r);
  Derivatives<double> d(r);
  CHECK(relative_error(f.inverse(), d.inverse()) < 1e-4);
  for (const auto route : {DerivativeRoute::dense, DerivativeRoute::articulated})
    CHECK(relative_error(f.forward(route), d.forward(route)) < 1e-5 * condition_of(r));
  CHECK(relative_error(f.inverse_hessian(), d.inverse_hessian()) < 1e-4);
  CHECK(relative_error(f.tensors(), d.tensors()) < 1e-4);
  CHECK(relative_error(f.forward_hessian(), d.forward_hessian()) < 1e-5 * condition_of(r));
}

TEST_CASE("complex steps of dtau_dq and da_dv are what central differences give", "[identities][derivatives_scalars]") {
  // Second derivatives, for which the results themselves must be analytic. h = 1e-5: eps / h and h^2 are 1e-10 of the
  // terms and of third derivatives; those of a are larger by some powers of cond(M).
  RandomRobot r(GENERATE(range(0, seeds)));
  Over<Complex> c(r);
  const double h = 1e-5;
  const VectorX<Complex> q = step(c.model, r.q, r.v);
  const Vectord after = integrate(r.model, r.q, h * r.v), before = integrate(r.model, r.q, -h * r.v);
  const auto of_tau = [&](const Vectord& x) -> Matrixd {
    return inverse_dynamics_derivatives(r.model, r.data, x, r.v, r.a).dtau_dq;
  };
  const Matrixd exact = inverse_dynamics_derivatives(c.model, c.data, q, c.v, c.a).dtau_dq.imag() / complex_step;
  CHECK(relative_error((of_tau(after) - of_tau(before)) / (2 * h), exact) < 1e-6);
  for (const auto route : {DerivativeRoute::dense, DerivativeRoute::articulated}) {
    CAPTURE(static_cast<int>(route));
    const auto of_a = [&](const Vectord& x) -> Matrixd {
      return forward_dynamics_derivatives(r.model, r.data, x, r.v, r.a, {}, route).da_dv;
    };
    const Matrixd exact_of_a =
        forward_dynamics_derivatives(c.model, c.data, q, c.v, c.a, {}, route).da_dv.imag() / complex_step;
    CHECK(relative_error((of_a(after) - of_a(before)) / (2 * h), exact_of_a) < 1e-9 * condition_of(r));
  }
}
