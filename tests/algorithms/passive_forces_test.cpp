#include "corio/algorithms/derivatives/passive_force_derivatives.hpp"

#include <complex>
#include <unsupported/Eigen/AutoDiff>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/corio.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/sprung_joints.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using AutoDiff = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;

Model<double> passive_tree(int seed) {
  return zoo::random_tree(static_cast<std::uint64_t>(seed), {.floating_base = seed % 2 == 1, .passive = true});
}

/// A random state of that tree.
struct PassiveSample {
  explicit PassiveSample(int seed) : model(passive_tree(seed)), data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    q = random_configuration(model, generator);
    v = random_vector<double>(model.nv(), seed), a = random_vector<double>(model.nv(), seed + 100);
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a;
};

/// Returns -dV/dq by central differences along the degrees of freedom.
Vectord by_differences(const Model<double>& model, const Vectord& q) {
  constexpr double h = 1e-6;
  Vectord force(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    const Vectord e = h * Vectord::Unit(model.nv(), k), back = -e;
    force[k] = (spring_energy<double>(model, integrate(model, q, back)) -
                spring_energy<double>(model, integrate(model, q, e))) /
               (2 * h);
  }
  return force;
}

}  // namespace

TEST_CASE("passive forces of a hinge with all of them", "[algorithms][passive]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "arm",
                    .joint = joint::Revolute::y(),
                    .inertia = ball(),
                    .passive = {.damping = {0.5}, .friction = {2.0}, .stiffness = {3.0}, .rest = {0.4}}});
  const auto model = builder.build();
  Data<double> data(model);
  const auto tau = [&](double q, double v, double smoothing) {
    return passive_forces(model, data, Vectord::Constant(1, q), Vectord::Constant(1, v), smoothing)[0];
  };
  CHECK(relative_error(tau(0.9, 1.5, 0), -3.0 * 0.5 - 0.5 * 1.5 - 2.0) < tolerance<double>());
  CHECK(relative_error(tau(0.9, -1.5, 0), -3.0 * 0.5 + 0.5 * 1.5 + 2.0) < tolerance<double>());
  CHECK(relative_error(tau(0.4, 0, 0), 0.0) < tolerance<double>());
  CHECK(relative_error(tau(0.4, 0.1, 0.2), -0.05 - 2.0 * std::tanh(0.5)) < tolerance<double>());
  CHECK(relative_error(spring_energy<double>(model, Vectord::Constant(1, 0.9)), 3.0 * 0.25 / 2) < tolerance<double>());
}

TEST_CASE("passive forces of every joint are linear in their terms, those of dampers in its degrees of freedom",
          "[algorithms][passive]") {
  PassiveSample s(GENERATE(range(1, 7)));
  const Vectord still = Vectord::Zero(s.model.nv());
  const Vectord springs = passive_forces(s.model, s.data, s.q, still);
  const Vectord resistance = passive_forces(s.model, s.data, s.q, s.v, 0.3) - springs;
  for (int k = 0; k < s.model.nv(); ++k)
    CHECK(relative_error(resistance[k],
                         -s.model.damping()[k] * s.v[k] - s.model.friction()[k] * std::tanh(s.v[k] / 0.3)) < 1e-12);
  s.model.set_springs(3 * s.model.stiffness(), s.model.rest_configuration());
  CHECK(relative_error(passive_forces(s.model, s.data, s.q, still), 3 * springs) < tolerance<double>());
  // The forces vanish if the tree is at rest in the springs' rest configuration.
  CHECK(max_magnitude(passive_forces<double>(s.model, s.data, s.model.rest_configuration(), still)) < 1e-7);
}

TEST_CASE("derivatives of passive forces are their central differences", "[algorithms][passive][derivatives]") {
  // With h = 1e-6, h^2 and eps / h are 1e-10, times third derivatives of some tens for a smoothing of 0.3.
  PassiveSample s(GENERATE(range(1, 7)));
  constexpr double h = 1e-6;
  const auto [dtau_dq, dtau_dv] = passive_force_derivatives(s.model, s.data, s.q, s.v, 0.3);
  const auto model = s.model.cast<Dual<double>>();
  Data<Dual<double>> data(model);
  VectorX<Dual<double>> v_along_a = s.v.cast<Dual<double>>();
  for (int k = 0; k < v_along_a.size(); ++k) v_along_a[k].dx = s.a[k];
  const VectorX<Dual<double>> tau = passive_forces<Dual<double>>(model, data, s.q.cast<Dual<double>>(), v_along_a, 0.3);
  CHECK(relative_error(tau.unaryExpr([](const Dual<double>& x) { return x.dx; }), dtau_dv * s.a) < tolerance<double>());
  Matrixd by_q(dtau_dq.rows(), dtau_dq.cols()), by_v(by_q);
  for (int k = 0; k < s.model.nv(); ++k) {
    const Vectord e = h * Vectord::Unit(s.model.nv(), k), back = -e;
    const auto at = [&](const Vectord& q, const Vectord& v) -> Vectord {
      return passive_forces(s.model, s.data, q, v, 0.3);
    };
    by_q.col(k) = (at(integrate(s.model, s.q, e), s.v) - at(integrate(s.model, s.q, back), s.v)) / (2 * h);
    by_v.col(k) = (at(s.q, s.v + e) - at(s.q, s.v - e)) / (2 * h);
  }
  CHECK(relative_error(dtau_dq, by_q) < 1e-7);
  CHECK(relative_error(dtau_dv, by_v) < 1e-7);
}

TEST_CASE("the forces of springs are the gradient of their energy, for every joint", "[algorithms][passive]") {
  // Differences with h = 1e-6 err by h^2 and eps V / h with V of some tens: 1e-8.
  const auto& [name, joint] = GENERATE(from_range(sprung_joints()));
  CAPTURE(name);
  const Model<double> model = sprung(joint);
  Data<double> data(model);
  const Vectord still = Vectord::Zero(model.nv());
  for (int seed = 1; seed < 5; ++seed) {
    const Vectord q = displaced(model, seed), force = passive_forces(model, data, q, still);
    CHECK(relative_error(force, by_differences(model, q)) < 1e-7);
    CHECK(force.norm() > 0.1);
  }
  const Vectord rest = model.rest_configuration();
  CHECK(passive_forces(model, data, rest, still).norm() < 1e-12);
  CHECK(spring_energy<double>(model, rest) < 1e-24);
}

TEST_CASE("derivatives of springs are those of their forces, for every joint", "[algorithms][passive][derivatives]") {
  // The error is as above; at rest the derivatives are the stiffnesses, in the axes of the degrees of freedom.
  const auto& [name, joint] = GENERATE(from_range(sprung_joints()));
  CAPTURE(name);
  const Model<double> model = sprung(joint);
  Data<double> data(model);
  const Vectord still = Vectord::Zero(model.nv());
  constexpr double h = 1e-6;
  for (const double length : {0.0, 1e-5, 1e-2, 1.0, 2.0, 3.0}) {
    CAPTURE(length);
    const Vectord q = displaced(model, 3, length);
    const Matrixd by_q = passive_force_derivatives(model, data, q, still).dtau_dq;
    Matrixd expected(by_q.rows(), by_q.cols());
    for (int k = 0; k < model.nv(); ++k) {
      const Vectord e = h * Vectord::Unit(model.nv(), k), back = -e;
      expected.col(k) = (Vectord(passive_forces(model, data, integrate(model, q, e), still)) -
                         Vectord(passive_forces(model, data, integrate(model, q, back), still))) /
                        (2 * h);
    }
    CHECK(relative_error(by_q, expected) < 1e-7);
    if (length == 0.0) CHECK(relative_error(by_q, -Matrixd(model.stiffness().asDiagonal())) < 1e-9);
  }
}

TEST_CASE("springs are conservative up to half a turn, where their energy has a kink", "[algorithms][passive]") {
  const auto model =
      sprung(GENERATE(joint::JointSpec<double>(joint::Spherical{}), joint::JointSpec<double>(joint::Continuous{})));
  Data<double> data(model);
  const Vectord still = Vectord::Zero(model.nv());
  Vectord x = Vectord::Zero(model.nv());
  x.head(model.nv() - 1) = Eigen::Vector3d(1, 2, -2).head(model.nv() - 1).normalized();
  const auto at = [&](double angle) { return integrate<double>(model, model.rest_configuration(), angle * x); };
  const double pi = std::acos(-1.0), d = 1e-4;
  for (const double angle : {pi - d, pi + d})
    CHECK(relative_error(passive_forces(model, data, at(angle), still), by_differences(model, at(angle))) < 1e-6);
  CHECK(relative_error(spring_energy<double>(model, at(pi - d)), spring_energy<double>(model, at(pi + d))) < 1e-12);
  const auto radial = [&](double angle) { return passive_forces(model, data, at(angle), still).dot(x); };
  CHECK(relative_error(radial(pi - d), -radial(pi + d)) < 1e-9);
  CHECK(radial(pi - d) < -3);
}

TEMPLATE_TEST_CASE("springs pull alike over every scalar", "[algorithms][passive][scalars]", float, long double,
                   std::complex<double>, AutoDiff) {
  using S = TestType;
  const auto& [name, joint] = GENERATE(from_range(sprung_joints()));
  CAPTURE(name);
  const Model<double> model = sprung(joint);
  Data<double> data(model);
  const Vectord q = displaced(model, 1), still = Vectord::Zero(model.nv());
  const Vectord tau = passive_forces(model, data, q, still);
  const Matrixd by_q = passive_force_derivatives(model, data, q, still).dtau_dq;
  const Model<S> other = model.cast<S>();
  Data<S> other_data(other);
  const VectorX<S> at = q.cast<S>(), none = still.cast<S>();
  const double limit = std::is_same_v<S, float> ? 1e-4 : 1e-12;
  const auto differs = [](const MatrixX<S>& x, const Matrixd& expected) {
    double worst = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(value_of(x(i)) - expected(i)));
    return worst / (1 + max_magnitude(expected));
  };
  CHECK(differs(passive_forces(other, other_data, at, none), tau) < limit);
  CHECK(differs(passive_force_derivatives(other, other_data, at, none).dtau_dq, by_q) < 10 * limit);
}

TEST_CASE("forces of springs have derivatives by stiffnesses of zero", "[algorithms][passive][scalars]") {
  const Model<double> model = sprung(joint::FreeFlyer{});
  const Vectord q = displaced(model, 1), still = Vectord::Zero(model.nv());
  auto other = model.cast<AutoDiff>();
  Data<AutoDiff> data(other);
  VectorX<AutoDiff> stiffness = still.cast<AutoDiff>();
  stiffness[1].derivatives()[0] = 1;
  other.set_springs(stiffness, other.rest_configuration());
  const VectorX<AutoDiff> tau = passive_forces<AutoDiff>(other, data, q.cast<AutoDiff>(), still.cast<AutoDiff>());
  auto unit = model;
  unit.set_springs(Vectord::Unit(model.nv(), 1), model.rest_configuration());
  Data<double> unit_data(unit);
  const Vectord expected = passive_forces(unit, unit_data, q, still);
  CHECK(expected.norm() > 0.1);
  for (int k = 0; k < model.nv(); ++k) {
    CHECK(value_of(tau[k]) == 0.0);
    CHECK(std::abs(tau[k].derivatives()[0] - expected[k]) < 1e-12);
  }
}

TEST_CASE("springs in a joint that is no template on its scalar are rejected by its name", "[algorithms][passive]") {
  auto model = tree_on<double>(CamOfDoubles());
  Data<double> data(model);
  const Vectord q = neutral(model), still = Vectord::Zero(model.nv());
  const Vectord stiffness = Vectord::Constant(model.nv(), 2.0);
  CHECK(max_magnitude(passive_forces(model, data, q, still)) == 0.0);
  model.set_springs(stiffness, q);
  CHECK(mentions(message_of<ModelError>([&] { passive_forces(model, data, q, still); }),
                 {"passive_forces", "middle_joint", "Dual"}));
  CHECK_THROWS_AS(passive_force_derivatives(model, data, q, still), ModelError);
}

TEST_CASE("Y p is what motors must give beyond rnea", "[algorithms][passive][regressors]") {
  PassiveSample s(GENERATE(range(1, 7)));
  s.model.set_springs(Vectord::Zero(s.model.nv()), s.model.rest_configuration());
  const Vectord without = rnea(s.model, s.data, s.q, s.v, s.a);
  s.model.set_armature(Vectord::LinSpaced(s.model.nv(), 0.1, 0.5));
  const Vectord motors = rnea(s.model, s.data, s.q, s.v, s.a) - passive_forces(s.model, s.data, 0.05);
  Vectord p(4 * s.model.nv());
  for (int k = 0; k < s.model.nv(); ++k)
    p.segment<4>(4 * k) << s.model.armature()[k], s.model.damping()[k], s.model.friction()[k], 0.25;
  Matrixd Y;
  joint_regressor<double>(s.model, s.v, s.a, Y, 0.05);
  CHECK(relative_error(Y * p - Vectord::Constant(s.model.nv(), 0.25), motors - without) < tolerance<double>());
}

TEST_CASE("passive terms play no part in any other function", "[algorithms][passive]") {
  PassiveSample s(3);
  auto cleared = s.model;
  const Vectord none = Vectord::Zero(s.model.nv());
  cleared.set_damping(none), cleared.set_friction(none), cleared.set_springs(none, s.model.rest_configuration());
  Data<double> data(cleared);
  CHECK(rnea(cleared, data, s.q, s.v, s.a) == rnea(s.model, s.data, s.q, s.v, s.a));
  CHECK(aba(cleared, data, s.a) == aba(s.model, s.data, s.a));
  CHECK(max_magnitude(passive_forces(cleared, data, s.q, s.v)) == 0.0);
}

TEST_CASE("wrong passive terms are rejected by name and leave the model as it was", "[algorithms][passive][errors]") {
  PassiveSample s(2);
  const Vectord before = passive_forces(s.model, s.data, s.q, s.v);
  Vectord wrong = Vectord::Ones(s.model.nv());
  wrong[4] = -1;
  const auto& joint = s.model.joint_of_node(s.model.node_of(4)).name();
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_damping(wrong); }), {joint, "damping", "negative"}));
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_friction(wrong); }), {joint, "friction"}));
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_springs(wrong, s.q); }), {joint, "stiffness"}));
  Vectord nowhere = s.q;
  nowhere[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_springs(wrong.cwiseAbs(), nowhere); }), {"at rest"}));
  CHECK_THROWS_AS(s.model.set_damping(wrong.head(2).eval()), SizeError);
  CHECK(passive_forces(s.model, s.data, s.q, s.v) == before);
  CHECK(mentions(message_of<Error>([&] { passive_forces(s.model, s.data, s.q, s.v, -1.0); }),
                 {"passive_forces: ", "smooths", "-1"}));

  ModelBuilder<double> builder;
  builder.add_body({.name = "arm", .joint = joint::Revolute::y(), .inertia = ball(), .passive = {.damping = {1, 2}}});
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"'arm_joint'", "damping", "expected 1"}));
}
