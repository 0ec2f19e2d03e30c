#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks how the blocks of a Hessian relate to each other, and to M, C and the forces.

namespace {

Vectord multipliers(const Sample& s, int seed) { return random_vector<double>(s.model.nv(), seed); }

Hessian inverse(Sample& s, const Vectord& lambda, ExternalForces<double> external = {}) {
  return Hessian(inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, lambda, external));
}
Hessian forward(Sample& s, const Vectord& lambda, ExternalForces<double> external = {}) {
  return Hessian(forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, lambda, external));
}

Hessian combined(double x, const Hessian& a, double y, const Hessian& b) {
  Hessian H;
  H.qq = x * a.qq + y * b.qq, H.vq = x * a.vq + y * b.vq, H.vv = x * a.vv + y * b.vv, H.xq = x * a.xq + y * b.xq;
  return H;
}

/// Returns D_j D_l - D_l D_j of a function whose derivatives along q are `first`: B(j,l) = sum_m c(m,l,j) first_m.
Matrixd bracket_of(Sample& s, const Vectord& first) {
  Tensor3<double> c;
  structure_constants(s.model, s.data, s.q, c);
  const int n = s.model.nv();
  Matrixd B(n, n);
  for (int j = 0; j < n; ++j)
    for (int l = 0; l < n; ++l) B(j, l) = bracket(c, Vectord::Unit(n, l), Vectord::Unit(n, j)).dot(first);
  return B;
}

}  // namespace

TEST_EACH(Sample& s, "the Hessian of lambda^T tau: the order of derivatives along q matters by the bracket",
          "[algorithms][hessian]") {
  const Vectord lambda = multipliers(s, 5);
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const Matrixd qq = inverse(s, lambda, external).qq;
  const Vectord first =
      inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, external).dtau_dq.transpose() * lambda;
  const double scale = std::max(1.0, max_magnitude(qq));
  CHECK(max_magnitude(Matrixd(qq - qq.transpose() - bracket_of(s, first))) < tolerance<double>() * scale);
}

TEST_EACH(Sample& s, "the Hessian of lambda^T a: the order of derivatives along q matters by the bracket",
          "[algorithms][hessian]") {
  const Vectord lambda = multipliers(s, 5);
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const Matrixd qq = forward(s, lambda, external).qq;
  const Vectord first =
      forward_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, external).da_dq.transpose() * lambda;
  const double scale = std::max(1.0, max_magnitude(qq)), c = std::max(10.0, condition(crba(s.model, s.data, s.q)));
  CHECK(max_magnitude(Matrixd(qq - qq.transpose() - bracket_of(s, first))) < 1e-13 * c * scale);
}

TEST_EACH(Sample& s, "the Hessians by v twice are symmetric", "[algorithms][hessian]") {
  for (const Matrixd& vv : {inverse(s, multipliers(s, 5)).vv, forward(s, multipliers(s, 5)).vv})
    CHECK(relative_error(vv, vv.transpose()) < tolerance<double>());
}

TEST_EACH(Sample& s, "the Hessian by v twice makes the Coriolis forces, and that by v and q their derivatives",
          "[algorithms][hessian]") {
  // tau = M a + C v + g, and C v is of second degree in v: v^T vv v and v^T vq are twice lambda^T C v and its
  // derivatives.
  const Vectord lambda = multipliers(s, 5), zero = Vectord::Zero(s.model.nv());
  const Hessian H = inverse(s, lambda);
  const Vectord Cv = coriolis_matrix(s.model, s.data, s.q, s.v).C * s.v;
  const double scale = std::max(1.0, max_magnitude(H.vv));
  CHECK(std::abs(s.v.dot(H.vv * s.v) - 2 * lambda.dot(Cv)) < tolerance<double>() * scale);
  const auto along_q = [&](const Vectord& v) -> Vectord {
    return inverse_dynamics_derivatives(s.model, s.data, s.q, v, zero).dtau_dq.transpose() * lambda;
  };
  const Vectord expected = 2 * (along_q(s.v) - along_q(zero));
  CHECK(relative_error(Vectord(H.vq.transpose() * s.v), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "the Hessian by a and q is the derivative of M lambda", "[algorithms][hessian]") {
  const Vectord lambda = multipliers(s, 5);
  const Matrixd aq = inverse(s, lambda, forces_on(s.model, mixed_wrenches(s))).xq;
  const std::vector<Matrixd> dM = mass_matrix_derivatives(s.model.cast<Complex>(), s.q);
  Matrixd expected(aq.rows(), aq.cols());
  for (int l = 0; l < s.model.nv(); ++l) expected.col(l) = dM[static_cast<std::size_t>(l)] * lambda;
  CHECK(relative_error(aq, expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "the Hessian by tau and q is the derivative of M^-1 lambda", "[algorithms][hessian]") {
  const Vectord lambda = multipliers(s, 5);
  const Matrixd tau_q = forward(s, lambda, forces_on(s.model, mixed_wrenches(s))).xq;
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  Matrixd expected(tau_q.rows(), tau_q.cols());
  for (int l = 0; l < s.model.nv(); ++l)
    expected.col(l) = mass_matrix_inverse(model, data, step(model, s.q, Vectord::Unit(s.model.nv(), l))).imag() *
                      lambda / complex_step;
  CHECK(relative_error(tau_q, expected) < 1e-13 * std::max(10.0, condition(crba(s.model, s.data, s.q))));
}

TEST_EACH(Sample& s, "the Hessians are linear in lambda", "[algorithms][hessian]") {
  const Vectord x = multipliers(s, 5), y = multipliers(s, 6), zero = Vectord::Zero(s.model.nv());
  const auto external = forces_on(s.model, mixed_wrenches(s));
  const Hessian of_sum = inverse(s, 2 * x - 3 * y, external);
  CHECK(relative_error(combined(2, inverse(s, x, external), -3, inverse(s, y, external)), of_sum) <
        tolerance<double>());
  CHECK(relative_error(inverse(s, zero, external), Hessian(s.model.nv())) == 0);
  const double c = std::max(10.0, condition(crba(s.model, s.data, s.q)));
  const Hessian forward_of_sum = forward(s, 2 * x - 3 * y, external);
  CHECK(relative_error(combined(2, forward(s, x, external), -3, forward(s, y, external)), forward_of_sum) < 1e-13 * c);
  CHECK(relative_error(forward(s, zero, external), Hessian(s.model.nv())) == 0);
}

TEST_EACH(Sample& s, "external forces change the Hessian along q alone, and add up in it", "[algorithms][hessian]") {
  const Vectord lambda = multipliers(s, 5);
  const Hessian without = inverse(s, lambda);
  const std::vector<Wrench> all = mixed_wrenches(s);
  Hessian sum = without;
  for (const Wrench& w : all) sum.qq += inverse(s, lambda, forces_on(s.model, {w})).qq - without.qq;
  const Hessian with = inverse(s, lambda, forces_on(s.model, all));
  CHECK(relative_error(with, sum) < tolerance<double>() * static_cast<double>(all.size()));
  CHECK(with.vq == without.vq);
  CHECK(with.vv == without.vv);
  CHECK(with.xq == without.xq);
}

TEST_EACH(Sample& s, "weights that hold up every body take gravity out of the second derivatives",
          "[algorithms][hessian][second_derivatives]") {
  std::vector<Wrench> lifts;
  for (int b = 0; b < s.bodies(); ++b) {
    const auto& points = s.oracle.plan().bodies[static_cast<std::size_t>(b)].points;
    if (points.empty()) continue;
    const Inertia<double> I = inertia_of(points);
    lifts.push_back({body_name(b),
                     {Vector3<double>::Zero(), -I.mass * s.model.gravity()},
                     ReferenceFrame::world_aligned,
                     I.h / I.mass});
  }
  const Vectord zero = Vectord::Zero(s.model.nv()), lambda = multipliers(s, 5);
  const auto at_rest = [&](const std::vector<Wrench>& wrenches) -> Matrixd {
    return inverse_dynamics_hessian(s.model, s.data, s.q, zero, zero, lambda, forces_on(s.model, wrenches)).qq;
  };
  const double scale = std::max(1.0, max_magnitude(at_rest({})));
  CHECK(max_magnitude(at_rest(lifts)) < tolerance<double>() * scale);
  InverseDynamicsSecondDerivativesResult<double> second(s.model);
  inverse_dynamics_second_derivatives(s.model, s.data, second, forces_on(s.model, lifts));
  CHECK(max_magnitude(numbers(second.d2tau_dqdq)) < tolerance<double>() * scale);
}

TEST_CASE("a rigid motion of everything changes no second derivative", "[algorithms][hessian]") {
  // Without gravity, moves the base of a floating robot; derivatives are taken along the base's own axes.
  Sample s(PlanMaker("floating", 7).chain(-1, {Kind::free_flyer, Kind::spherical, Kind::revolute}).plan(), 7);
  s.model.set_gravity(Vector3<double>::Zero());
  const Vectord lambda = multipliers(s, 5);
  const Hessian here = inverse(s, lambda), forward_here = forward(s, lambda);
  Vectord dq = Vectord::Zero(s.model.nv());
  dq.head<6>() << 1, -2, 0.5, 0.7, -0.4, 1.1;
  s.q = integrate(s.model, s.q, dq);
  CHECK(relative_error(inverse(s, lambda), here) < tolerance<double>());
  const double c = std::max(10.0, condition(crba(s.model, s.data, s.q)));
  CHECK(relative_error(forward(s, lambda), forward_here) < 1e-13 * c);
}
