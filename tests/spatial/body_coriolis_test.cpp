#include "corio/spatial/body_coriolis.hpp"

#include <complex>
#include <vector>

#include "corio/spatial/cross.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

// Tests the operator of Niemeyer and Slotine (1991), Echeandia and Wensing (2021) eq. 10, in corio's form with 12
// numbers. Numbers (3.x) name the identities: (3.1) the definition, (3.2) P and f, (3.3) B W, (3.4) B^T W, (3.5) the
// rates and symmetries, (3.6) a change of frame, (3.7) a rigid motion, (3.8) without forming P, (3.9) another
// factorization.

namespace {

template <class S>
struct RandomBody {
  explicit RandomBody(int seed) : random(seed) {}

  Random<S> random;
  std::vector<PointMass<S>> points = random.points();
  Inertia<S> I = inertia_of(points);
  Motion<S> U = random.motion(), V = random.motion(), W = random.motion();
  BodyCoriolis<S> B = BodyCoriolis<S>::from(V, I);
};

/// Returns the size of the terms in U.B W, which may cancel.
template <class S>
double size_of(const RandomBody<S>& b) {
  return max_magnitude(b.U.vector()) * max_magnitude(b.B.matrix()) * max_magnitude(b.W.vector());
}

/// Returns [ tr(P) 1 - P, 0; -S(f), 0 ].
template <class S>
Matrix6<S> dense(const Matrix3<S>& P, const Vector3<S>& f) {
  Matrix6<S> B = Matrix6<S>::Zero();
  B.template block<3, 3>(0, 0) = P.trace() * Matrix3<S>::Identity() - P;
  B.template block<3, 3>(3, 0) = -skew(f);
  return B;
}

}  // namespace

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.1) B is half of (V x*) I + (I V xbar*) - I (V x)",
                 "[spatial][body_coriolis]") {
  const Matrix6<S> I = b.I.matrix();
  const Matrix6<S> expected = (crf(b.V) * I + crf_bar(b.I * b.V) - I * crm(b.V)) / S(2);
  CHECK(relative_error(b.B.matrix(), expected) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.2) the twelve numbers of B are hat(V) J = [P, f; 0, 0]",
                 "[spatial][body_coriolis]") {
  Matrix4<S> twelve = Matrix4<S>::Zero();
  twelve.template topLeftCorner<3, 3>() = b.B.P;
  twelve.template topRightCorner<3, 1>() = b.B.f;
  CHECK(relative_error(twelve, hat(b.V) * pseudo_inertia(b.I)) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.3) B W is the product with the 6 x 6 matrix", "[spatial][body_coriolis]") {
  CHECK(relative_error((b.B * b.W).vector(), b.B.matrix() * b.W.vector()) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.4) B^T W is a couple, that of transpose_times",
                 "[spatial][body_coriolis]") {
  const Vector6<S> product = b.B.matrix().transpose() * b.W.vector();
  CHECK(relative_error(b.B.transpose_times(b.W).moment, product.template head<3>()) < tolerance<S>());
  CHECK(product.template tail<3>().isZero(0));
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "B W is the sum over the points of the forces m w' x velocity",
                 "[spatial][body_coriolis]") {
  Vector3<S> moment = Vector3<S>::Zero(), force = Vector3<S>::Zero();
  for (const auto& point : b.points) {
    const Vector3<S> f = point.mass * (skew(b.W.angular) * velocity_at(b.V, point.position));
    moment += skew(point.position) * f;
    force += f;
  }
  CHECK(relative_error(b.B * b.W, Force<S>{moment, force}) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) B V = V x* I V", "[spatial][body_coriolis]") {
  CHECK(relative_error(b.B * b.V, cross(b.V, b.I * b.V)) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) B^T V = 0", "[spatial][body_coriolis]") {
  const double terms = max_magnitude(b.B.matrix());
  CHECK(max_magnitude(b.B.transpose_times(b.V).moment) < tolerance<S>() * terms);
  // The identity holds for this B only: for the B of another motion the moment does not vanish.
  CHECK(max_magnitude(b.B.transpose_times(b.W).moment) > 1e-3);
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) B + B^T = (V x*) I - I (V x)", "[spatial][body_coriolis]") {
  const Matrix6<S> B = b.B.matrix(), I = b.I.matrix();
  CHECK(relative_error(B + B.transpose(), crf(b.V) * I - I * crm(b.V)) < tolerance<S>());
}

TEST_CASE("(3.5) B + B^T is the rate of the inertia of points moving with V", "[spatial][body_coriolis]") {
  using C = std::complex<double>;
  const int seed = GENERATE(range(1, 11));
  CAPTURE(seed);
  const RandomBody<double> b(seed);
  std::vector<PointMass<C>> moving;
  for (const auto& point : b.points)
    moving.push_back(
        {C(point.mass), point.position.cast<C>() + C(0, 1e-30) * velocity_at(b.V, point.position).cast<C>()});
  const Matrix6<double> rate = inertia_of(moving).matrix().imag() / 1e-30;
  const Matrix6<double> B = b.B.matrix();
  CHECK(relative_error(B + B.transpose(), rate) < tolerance<double>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) U.B(V) W = tr( hat(U) J (hat(W) hat(V))^T )",
                 "[spatial][body_coriolis]") {
  const Matrix4<S> second = hat(b.W) * hat(b.V);
  const S trace = (hat(b.U) * pseudo_inertia(b.I) * second.transpose()).trace();
  CHECK(relative_error(dot(b.U, b.B * b.W), trace, size_of(b)) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) U.B(V) W = -V.B(U) W", "[spatial][body_coriolis]") {
  const S exchanged = -dot(b.V, BodyCoriolis<S>::from(b.U, b.I) * b.W);
  CHECK(relative_error(dot(b.U, b.B * b.W), exchanged, size_of(b)) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) B(V) W - B(W) V = -I (V x W)", "[spatial][body_coriolis]") {
  const Force<S> difference = b.B * b.W - BodyCoriolis<S>::from(b.W, b.I) * b.V;
  CHECK(relative_error(difference, -(b.I * cross(b.V, b.W))) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.5) W x* I V + V x* I W - I (V x W) = 2 B(V) W",
                 "[spatial][body_coriolis]") {
  const Force<S> sum = cross(b.W, b.I * b.V) + cross(b.V, b.I * b.W) - b.I * cross(b.V, b.W);
  CHECK(relative_error(S(2) * (b.B * b.W), sum) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b,
                 "(3.7) U x* B - B (U x) has the form of B with P' = S(w)P - P S(w) + f v^T, f' = w x f",
                 "[spatial][body_coriolis]") {
  const Matrix3<S> w = skew(b.U.angular);
  const Matrix3<S> P = w * b.B.P - b.B.P * w + b.B.f * b.U.linear.transpose();
  const Matrix6<S> B = b.B.matrix();
  CHECK(relative_error(crf(b.U) * B - B * crm(b.U), dense<S>(P, w * b.B.f)) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.8) B W = [h x (w' x v) - w x (Sigma w'); w' x (m v + w x h)]",
                 "[spatial][body_coriolis]") {
  const Matrix3<S> w = skew(b.V.angular), ww = skew(b.W.angular);
  const Vector3<S> l = b.I.mass * b.V.linear + w * b.I.h;
  const Matrix3<S> sigma = b.I.sigma.matrix();
  const Force<S> expected{skew(b.I.h) * (ww * b.V.linear) - w * (sigma * b.W.angular), ww * l};
  CHECK(relative_error(b.B * b.W, expected) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.8) B^T W = [v x (w' x h) + Sigma (w x w') + (m v + w x h) x v'; 0]",
                 "[spatial][body_coriolis]") {
  const Matrix3<S> w = skew(b.V.angular), ww = skew(b.W.angular);
  const Vector3<S> l = b.I.mass * b.V.linear + w * b.I.h;
  const Vector3<S> expected =
      skew(b.V.linear) * (ww * b.I.h) + b.I.sigma.matrix() * (w * b.W.angular) + skew(l) * b.W.linear;
  CHECK(relative_error(b.B.transpose_times(b.W).moment, expected) < tolerance<S>());
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.9) the factorization (V x*) I differs from B by a skew-symmetric matrix",
                 "[spatial][body_coriolis]") {
  const Matrix6<S> difference = crf(b.V) * b.I.matrix() - b.B.matrix();
  CHECK(relative_error(difference, -difference.transpose()) < tolerance<S>());
  CHECK(max_magnitude(difference) > 1e-3);
}

TEST_EACH_SCALAR(const RandomBody<S>& b, "(3.9) (V x*) I = [TL, TR; -S(f) - TR^T, S(m w)]",
                 "[spatial][body_coriolis]") {
  const Vector3<S>&w = b.V.angular, &v = b.V.linear, &h = b.I.h;
  const Matrix3<S> one = Matrix3<S>::Identity();
  const Vector3<S> x = b.I.sigma.trace() * w + skew(h) * v;
  const Matrix3<S> TL = b.B.P.trace() * one - b.B.P + skew(x);
  const Matrix3<S> TR = h * w.transpose() - dot(w, h) * one + b.I.mass * skew(v);
  Matrix6<S> expected;
  expected << TL, TR, -skew(b.B.f) - TR.transpose(), b.I.mass * skew(w);
  CHECK(relative_error(crf(b.V) * b.I.matrix(), expected) < tolerance<S>());
}

TEMPLATE_TEST_CASE("B is linear in motion and inertia, without conjugation", "[spatial][body_coriolis]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  RandomBody<S> b(1);
  const Inertia<S> K = b.random.inertia();
  const S z = b.random.scalar();
  const auto B = [](const Motion<S>& V, const Inertia<S>& I) { return BodyCoriolis<S>::from(V, I).matrix(); };
  CHECK(relative_error(B(z * b.V + b.W, b.I), z * B(b.V, b.I) + B(b.W, b.I)) < tolerance<S>());
  CHECK(relative_error(B(b.V, scaled(z, b.I) + K), z * B(b.V, b.I) + B(b.V, K)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("B W and B^T W are linear in W, without conjugation", "[spatial][body_coriolis]",
                   CORIO_TEST_SCALARS(std::complex<double>, float, double)) {
  using S = TestType;
  RandomBody<S> b(2);
  const S z = b.random.scalar();
  const Motion<S> X = z * b.W + b.U;
  CHECK(relative_error(b.B * X, z * (b.B * b.W) + b.B * b.U) < tolerance<S>());
  const Vector3<S> moment = z * b.B.transpose_times(b.W).moment + b.B.transpose_times(b.U).moment;
  CHECK(relative_error(b.B.transpose_times(X).moment, moment) < tolerance<S>());
}

TEMPLATE_TEST_CASE("the sum of two operators acts as the sum of their matrices", "[spatial][body_coriolis]",
                   CORIO_TEST_SCALARS(double, float, std::complex<double>)) {
  using S = TestType;
  const RandomBody<S> a(3), b(4);
  const Matrix6<S> expected = a.B.matrix() + b.B.matrix();
  BodyCoriolis<S> sum = BodyCoriolis<S>::zero();
  sum += a.B;
  sum += b.B;
  CHECK(relative_error((a.B + b.B).matrix(), expected) < tolerance<S>());
  CHECK(relative_error(sum.matrix(), expected) < tolerance<S>());
  CHECK(relative_error((a.B + b.B) * a.W, a.B * a.W + b.B * a.W) < tolerance<S>());
}
