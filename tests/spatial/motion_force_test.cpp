#include <complex>

#include "corio/spatial/force.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

TEMPLATE_TEST_CASE("a motion vector lists angular before linear components", "[spatial][motion]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const Motion<S> V{Vector3<S>(S(1), S(2), S(3)), Vector3<S>(S(4), S(5), S(6))};
  for (int i = 0; i < 6; ++i) CHECK(V.vector()[i] == S(i + 1));
}

TEMPLATE_TEST_CASE("a force vector lists moment before force components", "[spatial][force]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const Force<S> F{Vector3<S>(S(1), S(2), S(3)), Vector3<S>(S(4), S(5), S(6))};
  for (int i = 0; i < 6; ++i) CHECK(F.vector()[i] == S(i + 1));
}

TEMPLATE_TEST_CASE("motion and force vectors survive the round trip through six numbers", "[spatial][motion][force]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(1);
  const Vector6<S> x = random.motion().vector();
  CHECK(Motion<S>::from(x).vector() == x);
  CHECK(Force<S>::from(x).vector() == x);
}

TEMPLATE_TEST_CASE("motion vectors add, subtract, negate and scale as six numbers do", "[spatial][motion]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(2);
  const Motion<S> V = random.motion(), W = random.motion();
  const S z = random.scalar();
  const Vector6<S> x = V.vector(), y = W.vector();
  Motion<S> sum = V;
  sum += W;
  CHECK((V + W).vector() == x + y);
  CHECK((V - W).vector() == x - y);
  CHECK((-V).vector() == -x);
  CHECK(relative_error((V * z).vector(), x * z) < tolerance<S>());
  CHECK(relative_error((z * V).vector(), x * z) < tolerance<S>());
  CHECK(sum.vector() == x + y);
  CHECK(Motion<S>::zero().vector() == Vector6<S>::Zero());
}

TEMPLATE_TEST_CASE("force vectors add, subtract, negate and scale as six numbers do", "[spatial][force]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  Random<S> random(3);
  const Force<S> F = random.force(), G = random.force();
  const S z = random.scalar();
  const Vector6<S> x = F.vector(), y = G.vector();
  Force<S> sum = F, difference = F;
  sum += G;
  difference -= G;
  CHECK((F + G).vector() == x + y);
  CHECK((F - G).vector() == x - y);
  CHECK((-F).vector() == -x);
  CHECK(relative_error((F * z).vector(), x * z) < tolerance<S>());
  CHECK(relative_error((z * F).vector(), x * z) < tolerance<S>());
  CHECK(sum.vector() == x + y);
  CHECK(difference.vector() == x - y);
  CHECK(Force<S>::zero().vector() == Vector6<S>::Zero());
}

TEST_CASE("a couple adds to a force vector as one without force does", "[spatial][force]") {
  Random<double> random(5);
  const Force<double> F = random.force();
  const Couple<double> a{random.force().moment};
  const Vector6<double> x = F.vector(), y = Force<double>(a).vector();
  CHECK((F + a).vector() == x + y);
  CHECK((a + F).vector() == x + y);
  CHECK((F - a).vector() == x - y);
}

TEST_EACH_SCALAR(Random<S>& random, "power is the sum of six products, in either order", "[spatial][force]") {
  const Motion<S> V = random.motion();
  const Force<S> F = random.force();
  S sum(0);
  for (int i = 0; i < 6; ++i) sum += V.vector()[i] * F.vector()[i];
  CHECK(relative_error(dot(V, F), sum) < tolerance<S>());
  CHECK(relative_error(dot(F, V), sum) < tolerance<S>());
}

TEMPLATE_TEST_CASE("power is linear in the twist and in the wrench, without conjugation", "[spatial][force]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  Random<S> random(4);
  const Motion<S> V = random.motion(), W = random.motion();
  const Force<S> F = random.force(), G = random.force();
  const S z = random.scalar();
  CHECK(relative_error(dot(z * V + W, F), z * dot(V, F) + dot(W, F)) < tolerance<S>());
  CHECK(relative_error(dot(V, z * F + G), z * dot(V, F) + dot(V, G)) < tolerance<S>());
}

TEST_EACH_SCALAR(Random<S>& random, "the power of a force at a point is force times velocity of that point",
                 "[spatial][force]") {
  const Motion<S> V = random.motion();
  const Vector3<S> r = random.vector(), f = random.vector();
  const Force<S> wrench{skew(r) * f, f};
  const S power = (f.transpose() * velocity_at(V, r)).value();
  CHECK(relative_error(dot(V, wrench), power, 10.0) < tolerance<S>());
}

TEST_CASE("a cast to a wider scalar and back changes nothing", "[spatial][motion][force]") {
  Random<float> random(5);
  const Motion<float> V = random.motion();
  const Force<float> F = random.force();
  CHECK(V.cast<double>().vector() == V.vector().cast<double>());
  CHECK(F.cast<double>().vector() == F.vector().cast<double>());
  CHECK(V.cast<double>().cast<float>().vector() == V.vector());
  CHECK(F.cast<double>().cast<float>().vector() == F.vector());
}
