#include "corio/algorithms/derivatives/forward_dynamics_hessian.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "the Hessian of lambda^T a is the complex step of the first derivatives",
          "[algorithms][hessian]") {
  const int n = s.model.nv();
  const Vectord lambda = random_vector<double>(n, 5), tau = s.a;
  const std::vector<Wrench> wrenches = mixed_wrenches(s);
  const auto [qq, vq, vv, tau_q] =
      forward_dynamics_hessian(s.model, s.data, s.q, s.v, tau, lambda, forces_on(s.model, wrenches));

  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const auto external = forces_on(model, wrenches);
  const VectorX<Complex> q = s.q.cast<Complex>(), v = s.v.cast<Complex>(), complex_tau = tau.cast<Complex>();
  Matrixd expected_qq(n, n), expected_vq(n, n), expected_vv(n, n), expected_tau_q(n, n);
  for (int l = 0; l < n; ++l) {
    const auto& along_q =
        forward_dynamics_derivatives(model, data, step(model, s.q, Vectord::Unit(n, l)), v, complex_tau, external);
    expected_qq.col(l) = along_q.da_dq.imag().transpose() * lambda / complex_step;
    expected_vq.col(l) = along_q.da_dv.imag().transpose() * lambda / complex_step;
    expected_tau_q.col(l) = along_q.da_dtau.imag() * lambda / complex_step;
    const VectorX<Complex> moved = v + VectorX<Complex>::Unit(n, l) * Complex(0, complex_step);
    const auto& along_v = forward_dynamics_derivatives(model, data, q, moved, complex_tau, external);
    expected_vv.col(l) = along_v.da_dv.imag().transpose() * lambda / complex_step;
  }
  // The rounding errors of M^-1 enter twice, once in lambda and once in the derivatives.
  const double limit = 1e-13 * std::max(10.0, condition(crba(s.model, s.data, s.q)));
  CHECK(relative_error(qq, expected_qq) < limit);
  CHECK(relative_error(vq, expected_vq) < limit);
  CHECK(relative_error(vv, expected_vv) < limit);
  CHECK(relative_error(tau_q, expected_tau_q) < limit);
}
