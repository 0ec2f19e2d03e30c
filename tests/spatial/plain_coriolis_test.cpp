#include "corio/spatial/plain_coriolis.hpp"

#include "corio/spatial/cross.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

TEMPLATE_TEST_CASE("24 numbers are (V x*) I and its transpose", "[spatial][plain_coriolis]",
                   CORIO_TEST_SCALARS(double, float)) {
  Random<TestType> random(3);
  for (int i = 0; i < 20; ++i) {
    const Motion<TestType> V = random.motion(), W = random.motion();
    const Inertia<TestType> I = random.inertia(), J = random.inertia();
    auto B = PlainCoriolis<TestType>::from(V, I);
    const Matrix6<TestType> dense = crf(V) * I.matrix();
    CHECK(relative_error(B.matrix(), dense) < tolerance<TestType>());
    CHECK(relative_error((B * W).vector(), dense * W.vector()) < tolerance<TestType>());
    CHECK(relative_error(B.transpose_times(W).vector(), dense.transpose() * W.vector()) < tolerance<TestType>());
    B += PlainCoriolis<TestType>::from(W, J);
    CHECK(relative_error(B.matrix(), dense + crf(W) * J.matrix()) < tolerance<TestType>());
  }
  CHECK(max_magnitude(PlainCoriolis<TestType>::zero().matrix()) == 0);
}
