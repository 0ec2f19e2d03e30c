#include "corio/algorithms/dynamics/position_jacobian.hpp"

#include "support/catch.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "position Jacobians are the last rows of Jacobians", "[algorithms][jacobian]") {
  const int n = s.model.nv();
  forward_kinematics(s.model, s.data, s.q, s.v);
  for (const Place& place : places(s.model, s.random)) {
    CAPTURE(place.frame, static_cast<int>(place.reference));
    const auto where = place.on(s.model);
    Matrixd around = Matrixd::Constant(5, n, 7);
    body_position_jacobian(s.model, s.data, where, around.middleRows(1, 3));
    CHECK(Matrixd(around.middleRows(1, 3)) == jacobian(s.model, s.data, where).bottomRows(3));
    body_position_jacobian_dot(s.model, s.data, where, around.middleRows(1, 3));
    CHECK(Matrixd(around.middleRows(1, 3)) == jacobian_dot(s.model, s.data, where).bottomRows(3));
    CHECK((around.row(0).array() == 7 && around.row(4).array() == 7).all());
  }
}
