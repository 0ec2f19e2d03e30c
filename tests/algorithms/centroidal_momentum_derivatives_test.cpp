#include "corio/algorithms/derivatives/centroidal_momentum_derivatives.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "derivatives of the centroidal momentum and of its rate are their complex steps",
          "[algorithms][centroidal_momentum_derivatives]") {
  const int n = s.model.nv();
  const auto complex = s.model.cast<Complex>();
  Data<Complex> ahead(complex);
  const auto D = centroidal_momentum_derivatives(s.model, s.data, s.q, s.v, s.a);
  const auto slope = [](const Force<Complex>& x) { return Vectord(x.vector().imag() / complex_step); };
  const VectorX<Complex> q = s.q.cast<Complex>(), v = s.v.cast<Complex>(), a = s.a.cast<Complex>();
  Matrixd h_q(6, n), rate_q(6, n), rate_v(6, n);
  for (int k = 0; k < n; ++k) {
    forward_kinematics(complex, ahead, step(complex, s.q, Vectord::Unit(n, k)), v, a);
    h_q.col(k) = slope(centroidal_momentum(complex, ahead));
    rate_q.col(k) = slope(centroidal_momentum_dot(complex, ahead));
    forward_kinematics(complex, ahead, q, VectorX<Complex>(v + Complex(0, complex_step) * Vectord::Unit(n, k)), a);
    rate_v.col(k) = slope(centroidal_momentum_dot(complex, ahead));
  }
  CHECK(relative_error(D.dh_dq, h_q) < tolerance<double>());
  CHECK(relative_error(D.dhdot_dq, rate_q) < tolerance<double>());
  CHECK(relative_error(D.dhdot_dv, rate_v) < tolerance<double>());
  CHECK(D.A == centroidal_momentum_matrix(s.model, s.data));
  // The rate does not include gravity.
  Model<double> weightless = s.model;
  weightless.set_gravity(zero3<double>());
  CHECK(centroidal_momentum_derivatives(weightless, s.data).dhdot_dq == D.dhdot_dq);
}
