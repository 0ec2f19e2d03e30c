#include "corio/algorithms/dynamics/crba.hpp"

#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "crba is the sum over point masses of m (E_i x).(E_j x)", "[algorithms][crba]") {
  CHECK(relative_error(crba(s.model, s.data, s.q), s.oracle.mass_matrix()) < tolerance<double>());
}

TEST_EACH(Sample& s, "crba fills both triangles with the same numbers", "[algorithms][crba]") {
  const Matrixd M = crba(s.model, s.data, s.q);
  CHECK(M == M.transpose());
  CHECK(M.diagonal().minCoeff() > 0);
}

TEST_CASE("crba is zero between degrees of freedom on different branches", "[algorithms][crba]") {
  // The star's body 0 carries the bodies 1, 2 and 3.
  Sample s(
      PlanMaker("star", 3).chain(-1, {Kind::revolute}).chain(0, {Kind::universal}).chain(0, {Kind::spherical}).plan(),
      3);
  const Matrixd M = crba(s.model, s.data, s.q);
  const Joint &left = s.model.joint("body1_joint"), &right = s.model.joint("body2_joint");
  CHECK(max_magnitude(M.block(left.v_index(), right.v_index(), left.nv(), right.nv())) == 0);
  CHECK(max_magnitude(M.block(right.v_index(), left.v_index(), right.nv(), left.nv())) == 0);
}
