// This folder holds equations between several algorithms (dM/dt - 2 C is skew-symmetric, M is the M of coriolis_matrix,
// a complex step gives what the derivatives give), on many robots in many states, far from the origin and over other
// scalars. A folder of an algorithm has what is about this algorithm alone.
//
// In this file other ways to compute derivatives of the dynamics, with which the benchmarks compare, agree with corio.

#include "baselines/abacr.hpp"
#include "baselines/autodiff.hpp"
#include "baselines/complex_step.hpp"
#include "baselines/coriolis_columns.hpp"
#include "baselines/fdcr.hpp"
#include "baselines/finite_differences.hpp"
#include "baselines/idsva_body.hpp"
#include "baselines/rneacr.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/zoo/random_tree.hpp"
#include "reproduce/derivatives_errors.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/growth.hpp"

using namespace corio;
using namespace corio::test;
using baseline::Difference;

namespace {

/// Makes trees with all kinds of joints, every other one on a floating base; then a floating robot, chains and a
/// forest.
Model<double> model_of(int i) {
  switch (i) {
    case 8: return zoo::quadruped();
    case 9: return zoo::serial_chain(1);
    case 10: return zoo::serial_chain(23);
    case 11: return build(topologies()[22]);
    default:
      return zoo::random_tree(static_cast<std::uint64_t>(i),
                              {.bodies = 12 + i, .floating_base = i % 2 == 1, .armature = i % 4 >= 2});
  }
}
constexpr int models = 12;

/// A model at a random state, with corio's derivatives.
struct BaselineRobot {
  explicit BaselineRobot(Model<double> model_, int seed) : model(std::move(model_)), data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    Random<double> random(seed);
    q = random_configuration(model, generator);
    v = random_vector(random, model.nv());
    a = random_vector(random, model.nv());
    of_tau = inverse_dynamics_derivatives(model, data, q, v, a);
    of_a = forward_dynamics_derivatives(model, data, q, v, a);
    const double c = std::max(10.0, condition(of_tau.M));
    forward_tolerance = 1e-14 * c * c;
  }
  explicit BaselineRobot(int i) : BaselineRobot(model_of(i), i) {}
  static int count() { return models; }
  const std::string& name() const { return model.name(); }

  Model<double> model;
  Data<double> data;
  Vectord q, v, a;  // a also serves as tau
  InverseDynamicsDerivativesResult<double> of_tau;
  ForwardDynamicsDerivativesResult<double> of_a;
  double forward_tolerance;  // roundings times M^-1, which enters a's derivatives twice
};

}  // namespace

TEST_EACH(BaselineRobot& s, "the chain rule through rnea gives dtau_dq and dtau_dv", "[identities][baselines]") {
  baseline::Rneacr chain_rule(s.model);
  for (int again = 0; again < 2; ++again) {
    chain_rule(s.model, s.q, s.v, s.a);
    CHECK(relative_error(chain_rule.dtau_dq, s.of_tau.dtau_dq) < tolerance<double>());
    CHECK(relative_error(chain_rule.dtau_dv, s.of_tau.dtau_dv) < tolerance<double>());
  }
}

TEST_EACH(BaselineRobot& s, "the analytic derivatives in body axes are those in world axes",
          "[identities][baselines]") {
  baseline::IdsvaBody body(s.model);
  for (int again = 0; again < 2; ++again) {
    body(s.model, s.q, s.v, s.a);
    CHECK(relative_error(body.result.dtau_dq, s.of_tau.dtau_dq) < tolerance<double>());
    CHECK(relative_error(body.result.dtau_dv, s.of_tau.dtau_dv) < tolerance<double>());
    CHECK(relative_error(body.result.M, s.of_tau.M) < tolerance<double>());
  }
}

TEST_EACH(BaselineRobot& s, "the chain rule through aba gives a, da_dq and da_dv", "[identities][baselines]") {
  baseline::Abacr chain_rule(s.model);
  for (int again = 0; again < 2; ++again) {
    chain_rule(s.model, s.q, s.v, s.a);
    CHECK(relative_error(chain_rule.a, aba(s.model, s.data, s.q, s.v, s.a)) < s.forward_tolerance);
    CHECK(relative_error(chain_rule.da_dq, s.of_a.da_dq) < s.forward_tolerance);
    CHECK(relative_error(chain_rule.da_dv, s.of_a.da_dv) < s.forward_tolerance);
  }
}

TEST_EACH(BaselineRobot& s, "C column by column is the C of the composites", "[identities][baselines]") {
  baseline::CoriolisColumns<double> columns(s.model);
  columns(s.model, s.data, s.q, s.v);
  CHECK(relative_error(columns.C, coriolis_matrix(s.model, s.data, s.q, s.v).C) < tolerance<double>());
  baseline::CoriolisColumns<double, factorization::Plain> plain(s.model);
  plain(s.model, s.data, s.q, s.v);
  CHECK(relative_error(plain.C, coriolis_matrix<factorization::Plain>(s.model, s.data, s.q, s.v).C) <
        tolerance<double>());
}

TEST_CASE("C column by column takes O(N^2) operations in every tree, by composites O(N d)", "[identities][baselines]") {
  // Every column takes the same number of operations, so the counts are exact polynomials of the number of bodies.
  const auto count = [](const Mechanism& m) {
    const auto x = m.numbers();
    const VectorX<Counting> q = x[0].cast<Counting>(), v = x[1].cast<Counting>();
    Data<Counting> data(m.model);
    baseline::CoriolisColumns<Counting> columns(m.model);
    const long by_columns = operations_of([&] { columns(m.model, data, q, v); }).total();
    return std::pair(by_columns, operations_of([&] { coriolis_matrix(m.model, data, q, v); }).total());
  };
  using Counts = std::pair<long, long>;
  const auto tree = [](int n) { return Mechanism(zoo::binary_tree<Counting>(n)); };
  for (const bool branched : {false, true}) {
    CAPTURE(branched);
    const auto ratio = [&](int n, auto member) {
      const auto of = [&](int size) { return static_cast<double>(count(branched ? tree(size) : chain(size)).*member); };
      return of(2 * n) / of(n);
    };
    // Twice the bodies take four times the operations, except for the work done once per body. By composites the factor
    // is 4 in a chain, and 2 log(2 N) / log(N) in a tree.
    CHECK(std::abs(ratio(128, &Counts::first) - 4) < 0.1);
    CHECK(std::abs(ratio(128, &Counts::second) - (branched ? 2.1 : 3.7)) < 0.2);
  }
  const Counts of_chain = count(chain(20)), of_tree = count(tree(20));
  CHECK(of_chain.first > 4 * of_chain.second);
  CHECK(of_tree.first > 5 * of_tree.second);
  CHECK(std::abs(static_cast<double>(of_tree.first - of_chain.first)) < 0.05 * static_cast<double>(of_chain.first));
}

TEST_EACH(BaselineRobot& s, "complex steps of rnea and aba give the derivatives", "[identities][baselines]") {
  baseline::ComplexStep step(s.model);
  step.of_rnea(s.q, s.v, s.a);
  CHECK(relative_error(step.along_q, s.of_tau.dtau_dq) < tolerance<double>());
  CHECK(relative_error(step.along_v, s.of_tau.dtau_dv) < tolerance<double>());
  step.of_aba(s.q, s.v, s.a);
  CHECK(relative_error(step.along_q, s.of_a.da_dq) < s.forward_tolerance);
  CHECK(relative_error(step.along_v, s.of_a.da_dv) < s.forward_tolerance);
}

TEST_EACH(BaselineRobot& s, "automatic differentiation of rnea and aba gives the derivatives",
          "[identities][baselines]") {
  // For most robots, 4 does not divide the number 2 n of directions.
  baseline::AutoDiff<4> automatic(s.model);
  automatic.of_rnea(s.q, s.v, s.a);
  CHECK(relative_error(automatic.along_q, s.of_tau.dtau_dq) < tolerance<double>());
  CHECK(relative_error(automatic.along_v, s.of_tau.dtau_dv) < tolerance<double>());
  automatic.of_aba(s.q, s.v, s.a);
  CHECK(relative_error(automatic.along_q, s.of_a.da_dq) < s.forward_tolerance);
  CHECK(relative_error(automatic.along_v, s.of_a.da_dv) < s.forward_tolerance);
}

TEST_EACH(BaselineRobot& s, "finite differences of rnea and aba give the derivatives to their own accuracy",
          "[identities][baselines]") {
  // Forward differences err by h = 1.5e-8 times second derivatives and eps / h = 1.5e-8 times values, central ones by
  // h^2 = 4e-11 times third derivatives and eps / h = 4e-11. tau and its derivatives are up to some hundred here, and
  // all grow with powers of the speeds; M^-1 enlarges the derivatives of a once per order.
  for (const auto& [kind, bound] : {std::pair(Difference::forward, 1e-5), std::pair(Difference::central, 1e-8)}) {
    CAPTURE(bound);
    baseline::FiniteDifferences difference(s.model, kind);
    difference.of_rnea(s.model, s.q, s.v, s.a);
    CHECK(relative_error(difference.along_q, s.of_tau.dtau_dq) < bound);
    CHECK(relative_error(difference.along_v, s.of_tau.dtau_dv) < bound);
    difference.of_aba(s.model, s.q, s.v, s.a);
    const double c = std::max(10.0, condition(s.of_tau.M));
    CHECK(relative_error(difference.along_q, s.of_a.da_dq) < bound * c);
    CHECK(relative_error(difference.along_v, s.of_a.da_dv) < bound * c);
  }
}

TEST_EACH(BaselineRobot& s, "the chain rule through rnea and M^-1 give da_dq and da_dv", "[identities][baselines]") {
  baseline::Fdcr chain_rule(s.model);
  chain_rule(s.model, s.q, s.v, s.a);
  CHECK(relative_error(chain_rule.da_dq, s.of_a.da_dq) < s.forward_tolerance);
  CHECK(relative_error(chain_rule.da_dv, s.of_a.da_dv) < s.forward_tolerance);
}

TEST_CASE("errors of the derivatives of aba grow with a power of the length of a chain", "[identities][baselines]") {
  const paper::ErrorGrowth growth(paper::ErrorGrowth::all_sizes(), 3);
  for (const auto m : {paper::ErrorGrowth::fdsva, paper::ErrorGrowth::fdcr, paper::ErrorGrowth::abacr,
                       paper::ErrorGrowth::forward_difference, paper::ErrorGrowth::central_difference}) {
    INFO(paper::ErrorGrowth::name[m] << ": " << growth.fit(m).scale << " n^" << growth.fit(m).order << ", within "
                                     << growth.deviation(m));
    CHECK(growth.fit(m).order > 0.5);
    CHECK(growth.fit(m).order < 4);
    CHECK(growth.deviation(m) < 10);
  }
}

TEST_CASE("the baselines allocate nothing once they have been called", "[identities][baselines]") {
  struct NoAllocation {
    NoAllocation() { Eigen::internal::set_is_malloc_allowed(false); }
    ~NoAllocation() { Eigen::internal::set_is_malloc_allowed(true); }
  };
  BaselineRobot s(GENERATE(0, 1, 8, 10));
  baseline::Rneacr rneacr(s.model);
  baseline::IdsvaBody body(s.model);
  baseline::Fdcr fdcr(s.model);
  baseline::Abacr abacr(s.model);
  baseline::FiniteDifferences forward(s.model, Difference::forward), central(s.model, Difference::central);
  baseline::ComplexStep step(s.model);
  baseline::AutoDiff<4> automatic(s.model);
  fdcr(s.model, s.q, s.v, s.a);  // the functions of corio that some of these call allocate in their first call
  forward.of_rnea(s.model, s.q, s.v, s.a);
  central.of_aba(s.model, s.q, s.v, s.a);
  step.of_rnea(s.q, s.v, s.a);
  automatic.of_aba(s.q, s.v, s.a);
  const NoAllocation guard;
  CHECK_FALSE(Eigen::internal::is_malloc_allowed());
  rneacr(s.model, s.q, s.v, s.a);
  body(s.model, s.q, s.v, s.a);
  fdcr(s.model, s.q, s.v, s.a);
  abacr(s.model, s.q, s.v, s.a);
  forward.of_rnea(s.model, s.q, s.v, s.a);
  central.of_aba(s.model, s.q, s.v, s.a);
  step.of_rnea(s.q, s.v, s.a);
  automatic.of_aba(s.q, s.v, s.a);
}

namespace {

/// A revolute joint that declares that its axis moves in the body.
struct Moving : joint::VectorSpace<1> {
  static constexpr const char* type = "moving";
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return joint::detail::turn_about_z(A, q[0]);
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = joint::detail::rotation_column(X, 2);
  }
  template <class S>
  void column_rates(const Pose<S>&, const S*, const S*, Motion<S>* rate) const {
    rate[0] = Motion<S>::zero();
  }
};

}  // namespace

TEST_CASE("the baselines in body axes reject joints whose columns move in the body", "[identities][baselines]") {
  ModelBuilder<double> builder("moving");
  builder.add_body({.name = "body", .joint = Moving{}, .inertia = zoo::detail::link()});
  const auto model = builder.build();
  CHECK_THROWS_AS(baseline::Rneacr(model), ModelError);
  CHECK_THROWS_AS(baseline::Abacr(model), ModelError);
  CHECK_THROWS_AS(baseline::IdsvaBody(model), ModelError);
}
