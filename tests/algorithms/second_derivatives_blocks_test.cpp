#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks second derivatives for every small number of degrees of freedom, with joints of several degrees of freedom at
// every place: this covers the tails of blocks, and joints across block borders.

namespace {

/// Computes all three over S, and returns double.
template <class S>
struct BlockResults {
  BlockResults(const Model<double>& of, const Vectord& q, const Vectord& v, const Vectord& a, const Vectord& lambda,
               const std::vector<Wrench>& wrenches) {
    const auto model = of.cast<S>();
    Data<S> data(model);
    const auto external = forces_on(model, wrenches);
    const VectorX<S> q_S = q.cast<S>(), v_S = v.cast<S>(), a_S = a.cast<S>(), lambda_S = lambda.cast<S>();
    inverse = Hessian(inverse_dynamics_hessian(model, data, q_S, v_S, a_S, lambda_S, external));
    // Uses the same a, found from the tau that it takes.
    const VectorX<S> tau = rnea(model, data, external);
    forward = Hessian(forward_dynamics_hessian(model, data, q_S, v_S, tau, lambda_S, external));
    InverseDynamicsSecondDerivativesResult<S> second(model);
    inverse_dynamics_second_derivatives(model, data, q_S, v_S, a_S, second, external);
    qq = numbers(second.d2tau_dqdq), vq = numbers(second.d2tau_dvdq), vv = numbers(second.d2tau_dvdv),
    M = numbers(second.dM_dq);
  }
  Hessian inverse, forward;
  Vectord qq, vq, vv, M;
};

template <class S>
void check(const Model<double>& model, const std::vector<Wrench>& wrenches, double limit, double limit_per_condition) {
  Data<double> data(model);
  Random<double> random(3);
  std::mt19937 generator(3);
  const Vectord q = random_configuration(model, generator), v = random_vector(random, model.nv()),
                a = random_vector(random, model.nv()), lambda = random_vector(random, model.nv());
  const Tensors expected = second_derivatives(model, q, v, a, wrenches);
  const auto& first = inverse_dynamics_derivatives(model, data, q, v, a, forces_on(model, wrenches));
  const BlockResults<S> x(model, q, v, a, lambda, wrenches);
  CHECK(relative_error(x.qq, numbers(expected.qq)) < limit);
  CHECK(relative_error(x.vq, numbers(expected.vq)) < limit);
  CHECK(relative_error(x.vv, numbers(expected.vv)) < limit);
  CHECK(relative_error(x.M, numbers(expected.M)) < limit);
  CHECK(relative_error(x.inverse, expected.summed(lambda)) < limit);
  // The rounding errors of M^-1 enter as often as M^-1 does.
  const double forward_limit = limit_per_condition * std::max(10.0, condition(first.M));
  CHECK(relative_error(x.forward, forward_hessian(expected, first, lambda)) < forward_limit);
}

void check_double(const Model<double>& model, const std::vector<Wrench>& wrenches = {}) {
  check<double>(model, wrenches, tolerance<double>(), 1e-13);
}
/// Squares of distances and products of some ten factors cost two or three of the seven digits of a float.
void check_float(const Model<double>& model, const std::vector<Wrench>& wrenches = {}) {
  check<float>(model, wrenches, 1e-4, 1e-5);
}

std::vector<Wrench> pushes(const Model<double>& model) {
  Random<double> random(8);
  return wrenches_on(model, random);
}

/// Builds `above` hinges, a joint of the given kind, two branches with `below` hinges and one hinge, and a second joint
/// of that kind.
Model<double> hinges_around(Kind kind, int above, int below) {
  PlanMaker maker("hinges around a joint of several", 60 + above + 7 * below);
  int parent = -1;
  for (int i = 0; i < above; ++i) parent = maker.add(parent, Kind::revolute);
  const int middle = maker.add(parent, kind);
  parent = middle;
  for (int i = 0; i < below; ++i) parent = maker.add(parent, Kind::revolute);
  maker.add(middle, Kind::revolute);
  maker.add(parent, kind);
  return build(maker.plan());
}

constexpr Kind kinds[] = {Kind::universal, Kind::cylindrical, Kind::planar, Kind::spherical, Kind::free_flyer};

}  // namespace

TEST_CASE("second derivatives of chains and binary trees of every small size",
          "[algorithms][second_derivatives][hessian]") {
  const int n = GENERATE(range(1, 18));
  CAPTURE(n);
  for (const auto& model : {zoo::serial_chain(n), zoo::binary_tree(n), zoo::tree(n, 3)}) {
    INFO(model.name());
    check_double(model);
    check_double(model, pushes(model));
  }
}

TEST_CASE("second derivatives over float of chains and binary trees of every small size",
          "[algorithms][second_derivatives][hessian]") {
  const int n = GENERATE(range(1, 10));
  CAPTURE(n);
  for (const auto& model : {zoo::serial_chain(n), zoo::binary_tree(n), zoo::tree(n, 3)}) {
    INFO(model.name());
    check_float(model, pushes(model));
  }
}

TEST_CASE("second derivatives with joints of several degrees of freedom at every place in a block",
          "[algorithms][second_derivatives][hessian]") {
  const Kind kind = GENERATE(from_range(std::begin(kinds), std::end(kinds)));
  const int above = GENERATE(range(0, 5)), below = GENERATE(range(0, 5));
  CAPTURE(name_of(kind), above, below);
  const Model<double> model = hinges_around(kind, above, below);
  check_double(model, pushes(model));
  check_float(model, pushes(model));
}

TEST_CASE("second derivatives of branched zoo robots", "[algorithms][second_derivatives][hessian]") {
  const auto model = GENERATE(0, 1) == 0 ? zoo::quadruped(12) : zoo::biped(10);
  INFO(model.name());
  check_double(model, pushes(model));
}
