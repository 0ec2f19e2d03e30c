#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/algorithms/derivatives/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/derivatives/gravity_derivatives.hpp"
#include "corio/algorithms/derivatives/mass_matrix_derivatives.hpp"
#include "support/geometry_support.hpp"

/// Rates and derivatives of M, C and g by complex steps of M, C and g.
namespace corio::test {

/// The trajectory through (q, v) with acceleration a, at t = i h for a complex step h.
struct Instant {
  VectorX<Complex> q, v;
};
inline Instant complex_instant(const Model<Complex>& model, const Vectord& q, const Vectord& v, const Vectord& a) {
  return {step(model, q, v), v.cast<Complex>() + a.cast<Complex>() * Complex(0, complex_step)};
}

/// M, C and g at a complex instant: their imaginary parts divided by the step are their rates.
struct ComplexMatrices {
  template <class Factorization>
  ComplexMatrices(const Model<Complex>& model, const Instant& at, const Factorization& B) {
    Data<Complex> data(model);
    const auto& matrices = coriolis_matrix(model, data, at.q, at.v, B);
    M = matrices.M.imag() / complex_step, C = matrices.C.imag() / complex_step;
    g = generalized_gravity(model, data).imag() / complex_step;
  }
  ComplexMatrices(const Model<Complex>& model, const Instant& at)
      : ComplexMatrices(model, at, factorization::Christoffel{}) {}
  Matrixd M, C;
  Vectord g;
};

}  // namespace corio::test
