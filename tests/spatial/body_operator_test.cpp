#include "corio/spatial/body_operator.hpp"

#include <complex>

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

template <class S>
BodyOperator<S> random_operator(Random<S>& random) {
  BodyOperator<S> B = BodyOperator<S>::zero();
  for (int i = 0; i < 36; ++i) B.matrix(i) = random.scalar();
  return B;
}

}  // namespace

TEMPLATE_TEST_CASE("a body operator times a motion is its matrix times the vector", "[spatial][body_operator]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(GENERATE(range(1, 6)));
  const BodyOperator<S> B = random_operator(random);
  const Motion<S> W = random.motion();
  CHECK(relative_error(B * W, Force<S>::from(Vector6<S>(B.matrix * W.vector()))) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the transpose of a body operator is that of its matrix", "[spatial][body_operator]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(GENERATE(range(1, 6)));
  const BodyOperator<S> B = random_operator(random);
  const Motion<S> U = random.motion(), W = random.motion();
  // The transpose must not conjugate.
  CHECK(relative_error(B.transpose_times(W), Force<S>::from(Vector6<S>(B.matrix.transpose() * W.vector()))) <
        tolerance<S>());
  CHECK(relative_error(dot(U, B * W), dot(W, B.transpose_times(U)), 10) < tolerance<S>());
}

TEMPLATE_TEST_CASE("a sum of body operators acts as the sum of their forces", "[spatial][body_operator]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(7);
  const BodyOperator<S> A = random_operator(random), B = random_operator(random);
  const Motion<S> W = random.motion();
  BodyOperator<S> sum = BodyOperator<S>::zero();
  CHECK(max_magnitude(sum.matrix) == 0);
  sum += A;
  CHECK(sum.matrix == A.matrix);
  sum += B;
  CHECK(relative_error(sum.matrix, Matrix6<S>(A.matrix + B.matrix)) < tolerance<S>());
  CHECK(relative_error((sum * W).vector(), Vector6<S>((A * W).vector() + (B * W).vector())) < tolerance<S>());
}

TEST_CASE("each entry of a body operator acts alone: row on the force, column on the motion",
          "[spatial][body_operator]") {
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 6; ++column) {
      CAPTURE(row, column);
      BodyOperator<double> B = BodyOperator<double>::zero();
      B.matrix(row, column) = 2;
      for (int i = 0; i < 6; ++i) {
        const auto unit = Motion<double>::from(Vector6<double>::Unit(i));
        CHECK((B * unit).vector() == Vector6<double>((i == column ? 2.0 : 0.0) * Vector6<double>::Unit(row)));
        CHECK(B.transpose_times(unit).vector() ==
              Vector6<double>((i == row ? 2.0 : 0.0) * Vector6<double>::Unit(column)));
      }
    }
}
