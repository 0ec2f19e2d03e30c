#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Second derivatives serve expansions of the dynamics to second order along a displacement (dq, dv, da or dtau), in
// which q moves by integrate.

namespace {

/// A robot with joints of every type under forces in every reference, and a displacement of its state.
struct Displaced {
  explicit Displaced(int seed)
      : model(zoo::random_tree(static_cast<std::uint64_t>(seed), {.floating_base = seed % 2 == 1, .armature = true})),
        data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    Random<double> random(seed);
    const auto vector = [&]() -> Vectord { return random_vector(random, model.nv()); };
    q = random_configuration(model, generator), v = vector(), a = vector(), lambda = vector();
    dq = vector(), dv = vector(), da = vector();
    external = forces_on(model, wrenches_on(model, random));
  }
  Vectord tau(double h) { return rnea(model, data, integrate(model, q, h * dq), v + h * dv, a + h * da, external); }
  /// Uses a and da in place of tau and dtau.
  Vectord acceleration(double h) {
    return aba(model, data, integrate(model, q, h * dq), v + h * dv, a + h * da, external);
  }

  Model<double> model;
  Data<double> data;
  Vectord q, v, a, lambda, dq, dv, da;
  std::vector<ExternalForce<double>> external;
};
constexpr int displaced_seeds = 6;

/// Returns d2/dh2 of lambda^T tau(h) or lambda^T a(h).
double second_order(const Hessian& H, const Displaced& s) {
  return s.dq.dot(H.qq * s.dq) + 2 * s.dv.dot(H.vq * s.dq) + s.dv.dot(H.vv * s.dv) + 2 * s.da.dot(H.xq * s.dq);
}

/// Returns the ratio of the remainders r(h) and r(h / 2) of an expansion: 2^k if they begin with h^k.
template <class F>
double ratio(double h, F&& remainder) {
  return std::abs(remainder(h)) / std::abs(remainder(h / 2));
}
constexpr double short_step = 1e-3;

/// Checks that a remainder is of third order, and small beside the terms that were subtracted. Terms of fourth order
/// change the ratio by some percent, roundings by less. If the second-order term has a relative error of 1e-3, some ten
/// times the remainder, the ratio becomes 4.
template <class F>
void check_third_order(F&& remainder, double second) {
  CHECK(std::abs(ratio(short_step, remainder) - 8) < 0.3);
  CHECK(std::abs(remainder(short_step)) < 0.01 * short_step * short_step * std::max(1.0, std::abs(second)));
}

}  // namespace

TEST_CASE("lambda^T tau to second order: what is left is of third order", "[identities][second_order]") {
  Displaced s(GENERATE(range(0, displaced_seeds)));
  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, s.external);
  const double zeroth = s.lambda.dot(rnea(s.model, s.data, s.external));
  const double first = s.lambda.dot(dtau_dq * s.dq + dtau_dv * s.dv + M * s.da);
  const double second = second_order(Hessian(inverse_dynamics_hessian(s.model, s.data, s.lambda, s.external)), s);
  const auto remainder = [&](double step) {
    return s.lambda.dot(s.tau(step)) - zeroth - step * first - step * step / 2 * second;
  };
  check_third_order(remainder, second);
}

TEST_CASE("lambda^T a to second order: what is left is of third order", "[identities][second_order]") {
  Displaced s(GENERATE(range(0, displaced_seeds)));
  const Hessian H(forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, s.lambda, s.external));
  const auto& [da_dq, da_dv, da_dtau] =
      forward_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, corio::ExternalForces<double>(s.external));
  const double zeroth = s.lambda.dot(aba(s.model, s.data, s.q, s.v, s.a, s.external));
  const double first = s.lambda.dot(da_dq * s.dq + da_dv * s.dv + da_dtau * s.da);
  const double second = second_order(H, s);
  const auto remainder = [&](double step) {
    return s.lambda.dot(s.acceleration(step)) - zeroth - step * first - step * step / 2 * second;
  };
  check_third_order(remainder, second);
}

TEST_CASE("each tau_i to second order by the tensors: what is left is of third order", "[identities][second_order]") {
  Displaced s(GENERATE(range(0, displaced_seeds)));
  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(s.model, s.data, s.q, s.v, s.a, s.external);
  const Vectord zeroth = rnea(s.model, s.data, s.external);
  const Vectord first = dtau_dq * s.dq + dtau_dv * s.dv + M * s.da;
  InverseDynamicsSecondDerivativesResult<double> T(s.model);
  inverse_dynamics_second_derivatives(s.model, s.data, T, s.external);
  // The factors of contract belong to the last index and to the one before.
  Vectord qq, vq, vv, aq;
  T.d2tau_dqdq.contract(s.dq, s.dq, qq);
  T.d2tau_dvdq.contract(s.dq, s.dv, vq);
  T.d2tau_dvdv.contract(s.dv, s.dv, vv);
  T.dM_dq.contract(s.dq, s.da, aq);
  const Vectord second = qq + 2 * vq + vv + 2 * aq;
  const auto remainder = [&](double step) {
    return (s.tau(step) - zeroth - step * first - step * step / 2 * second).norm();
  };
  check_third_order(remainder, second.norm());
}

TEST_CASE("moves one after the other have the derivatives in their order, a move at once their mean",
          "[identities][second_order]") {
  // Moves f(s, t) to integrate(integrate(q, s x), t y): t acts on the axes that s has moved, so its derivative is taken
  // first, y^T qq x. Along s x + t y at once neither comes first: (y^T qq x + x^T qq y) / 2. h^2 and eps / h^2 are 1e-7
  // and 1e-9 of fourth derivatives and of f, and the two orders differ by far more.
  Displaced s(GENERATE(range(0, displaced_seeds)));
  const Vectord &x = s.dq, &y = s.dv;
  const Matrixd qq = inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, s.lambda, s.external).qq;
  const auto f = [&](const Vectord& q) { return s.lambda.dot(rnea(s.model, s.data, q, s.v, s.a, s.external)); };
  const double step = 3e-4;
  const auto mixed = [&](auto&& moved) {
    const auto at = [&](double i, double j) { return f(moved(i * step * x, j * step * y)); };
    return (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * step * step);
  };
  const auto in_turn = [&](const Vectord& first, const Vectord& then) -> Vectord {
    return integrate(s.model, integrate(s.model, s.q, first), then);
  };
  const auto at_once = [&](const Vectord& first, const Vectord& then) -> Vectord {
    return integrate(s.model, s.q, first + then);
  };
  const double xy = y.dot(qq * x), yx = x.dot(qq * y), scale = std::max(1.0, qq.norm() * x.norm() * y.norm());
  REQUIRE(std::abs(xy - yx) > 1e-4 * scale);
  CHECK(std::abs(mixed(in_turn) - xy) < 1e-6 * scale);
  CHECK(std::abs(mixed(at_once) - (xy + yx) / 2) < 1e-6 * scale);
}
