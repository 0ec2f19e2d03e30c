#include "corio/algorithms/derivatives/inverse_dynamics_hessian.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Vectord multipliers(Sample& s) { return random_vector<double>(s.model.nv(), 5); }

}  // namespace

TEST_EACH(Sample& s, "the Hessian of lambda^T tau is the complex step of the first derivatives",
          "[algorithms][hessian]") {
  const int n = s.model.nv();
  const Vectord lambda = multipliers(s);
  const std::vector<Wrench> wrenches = mixed_wrenches(s);
  const auto [qq, vq, vv, aq] =
      inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, lambda, forces_on(s.model, wrenches));

  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const auto external = forces_on(model, wrenches);
  const VectorX<Complex> q = s.q.cast<Complex>(), v = s.v.cast<Complex>(), a = s.a.cast<Complex>();
  Matrixd expected_qq(n, n), expected_vq(n, n), expected_vv(n, n), expected_aq(n, n);
  for (int l = 0; l < n; ++l) {
    const auto& along_q =
        inverse_dynamics_derivatives(model, data, step(model, s.q, Vectord::Unit(n, l)), v, a, external);
    expected_qq.col(l) = along_q.dtau_dq.imag().transpose() * lambda / complex_step;
    expected_vq.col(l) = along_q.dtau_dv.imag().transpose() * lambda / complex_step;
    expected_aq.col(l) = along_q.M.imag() * lambda / complex_step;
    const VectorX<Complex> moved = v + VectorX<Complex>::Unit(n, l) * Complex(0, complex_step);
    const auto& along_v = inverse_dynamics_derivatives(model, data, q, moved, a, external);
    expected_vv.col(l) = along_v.dtau_dv.imag().transpose() * lambda / complex_step;
  }
  CHECK(relative_error(qq, expected_qq) < tolerance<double>());
  CHECK(relative_error(vq, expected_vq) < tolerance<double>());
  CHECK(relative_error(vv, expected_vv) < tolerance<double>());
  CHECK(relative_error(aq, expected_aq) < tolerance<double>());
}
