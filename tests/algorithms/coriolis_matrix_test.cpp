#include "corio/algorithms/coriolis/coriolis_matrix.hpp"

#include "corio/algorithms/dynamics/crba.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "C is the sum over point masses of m (E_i x).(E_k E_j x) v_k", "[algorithms][coriolis_matrix]") {
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C, s.oracle.coriolis_matrix(s.v)) <
        tolerance<double>());
}

TEST_EACH(Sample& s, "the M of coriolis_matrix is that of crba", "[algorithms][coriolis_matrix]") {
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).M, crba(s.model, s.data, s.q)) < tolerance<double>());
}

TEST_EACH(Sample& s, "Mdot is the derivative of crba along integrate(q, v t)", "[algorithms][coriolis_matrix]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const Matrixd expected = crba(model, data, step(model, s.q, s.v)).imag() / complex_step;
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).Mdot, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "M and Mdot have both triangles with the same numbers, and Mdot is C + C^T",
          "[algorithms][coriolis_matrix]") {
  const auto [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v);
  // Inside a joint M(i, j) and M(j, i) are separate sums, equal up to rounding.
  CHECK(relative_error(M, M.transpose()) < tolerance<double>());
  CHECK(relative_error(Mdot, C + C.transpose()) < tolerance<double>());
  CHECK(M.diagonal().minCoeff() > 0);
}
