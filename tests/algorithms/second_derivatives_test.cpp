#include "corio/algorithms/derivatives/inverse_dynamics_second_derivatives.hpp"

#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Returns T(:,:,l) as a matrix.
Matrixd slice(const Tensor3<double>& T, int l) { return T.along(l); }

struct Second {
  explicit Second(Sample& s) : derivatives(s.model) {
    inverse_dynamics_second_derivatives(s.model, s.data, s.q, s.v, s.a, derivatives);
  }
  InverseDynamicsSecondDerivativesResult<double> derivatives;
};

}  // namespace

TEST_EACH(Sample& s, "second derivatives along q are the complex steps of the first ones",
          "[algorithms][second_derivatives]") {
  const Second second(s);
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const VectorX<Complex> v = s.v.cast<Complex>(), a = s.a.cast<Complex>();
  Matrixd dq = Matrixd::Zero(s.model.nv(), s.model.nv() * s.model.nv()), dv = dq, M = dq, got_dq = dq, got_dv = dq,
          got_M = dq;
  for (int l = 0; l < s.model.nv(); ++l) {
    const int n = s.model.nv();
    const auto& first = inverse_dynamics_derivatives(model, data, step(model, s.q, Vectord::Unit(n, l)), v, a);
    dq.middleCols(l * n, n) = first.dtau_dq.imag() / complex_step;
    dv.middleCols(l * n, n) = first.dtau_dv.imag() / complex_step;
    M.middleCols(l * n, n) = first.M.imag() / complex_step;
    got_dq.middleCols(l * n, n) = slice(second.derivatives.d2tau_dqdq, l);
    got_dv.middleCols(l * n, n) = slice(second.derivatives.d2tau_dvdq, l);
    got_M.middleCols(l * n, n) = slice(second.derivatives.dM_dq, l);
  }
  CHECK(relative_error(got_dq, dq) < tolerance<double>());
  CHECK(relative_error(got_dv, dv) < tolerance<double>());
  CHECK(relative_error(got_M, M) < tolerance<double>());
}

TEST_EACH(Sample& s, "second derivatives by v twice are the differences of the first ones",
          "[algorithms][second_derivatives]") {
  const Second second(s);
  for (int l = 0; l < s.model.nv(); ++l) {
    // dtau_dv is linear in v, so a difference of any size is exact.
    const Vectord unit = Vectord::Unit(s.model.nv(), l);
    const Matrixd forward = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v + unit, s.a).dtau_dv;
    const Matrixd backward = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v - unit, s.a).dtau_dv;
    const Matrixd expected = (forward - backward) / 2;
    CHECK(max_magnitude(slice(second.derivatives.d2tau_dvdv, l) - expected) <
          tolerance<double>() * std::max(1.0, max_magnitude(forward)));
  }
}
