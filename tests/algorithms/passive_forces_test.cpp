#include "corio/algorithms/dynamics/passive_forces.hpp"

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/corio.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

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

TEST_CASE("passive forces of every joint are linear in their terms and act on their own degree of freedom",
          "[algorithms][passive]") {
  PassiveSample s(GENERATE(range(1, 7)));
  const Vectord x = difference<double>(s.model, s.model.rest_configuration(), s.q);
  for (int k = 0; k < s.model.nv(); ++k) {
    const double expected = -s.model.damping()[k] * s.v[k] - s.model.stiffness()[k] * x[k] -
                            s.model.friction()[k] * std::tanh(s.v[k] / 0.3);
    CHECK(relative_error(passive_forces(s.model, s.data, s.q, s.v, 0.3)[k], expected) < tolerance<double>());
  }
  // At rest in the configuration at rest there are none.
  const Vectord still = Vectord::Zero(s.model.nv());
  CHECK(max_magnitude(passive_forces<double>(s.model, s.data, s.model.rest_configuration(), still)) < 1e-7);
}

TEST_CASE("damping and friction take energy, whatever the velocity", "[algorithms][passive]") {
  PassiveSample s(GENERATE(range(1, 7)));
  s.model.set_springs(Vectord::Zero(s.model.nv()), s.model.rest_configuration());
  for (const double smoothing : {0.0, 0.01, 1.0})
    CHECK((passive_forces(s.model, s.data, s.q, s.v, smoothing).array() * s.v.array() < 0).all());
}

TEST_CASE("derivatives of passive forces are their central differences", "[algorithms][passive][derivatives]") {
  // h = 1e-6: h^2 and eps / h are 1e-10, times third derivatives of some tens for a smoothing of 0.3.
  PassiveSample s(GENERATE(range(1, 7)));
  constexpr double h = 1e-6;
  const auto [dtau_dq, dtau_dv] = passive_force_derivatives(s.model, s.data, s.q, s.v, 0.3);
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

TEST_CASE("the springs' energy falls by the work of their forces", "[algorithms][passive]") {
  // Isotropic springs: for a ball joint others have no energy of that form, nor have the screws of a free flyer.
  ModelBuilder<double> builder;
  Parent parent;
  int i = 0;
  for (const joint::Any<double>& joint :
       {joint::Any<double>(joint::Spherical{}), joint::Any<double>(joint::Revolute::x()),
        joint::Any<double>(joint::Universal({1, 2, 3}, {0, 1, -1})), joint::Any<double>(joint::Cylindrical({1, 0, 2})),
        joint::Any<double>(joint::Helical({0, 1, 0}, 0.3)), joint::Any<double>(joint::Translation{})})
    parent = builder.add_body({.name = std::to_string(i++), .parent = parent, .joint = joint, .inertia = ball()});
  auto model = builder.build();
  std::mt19937 generator(5);
  model.set_springs(Vectord::Constant(model.nv(), 2.0), random_configuration(model, generator));
  Data<double> data(model);
  const Vectord q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 7);
  constexpr double h = 1e-6;
  const Vectord ahead = h * v, behind = -ahead;
  const double rate = (spring_energy<double>(model, integrate(model, q, ahead)) -
                       spring_energy<double>(model, integrate(model, q, behind))) /
                      (2 * h);
  CHECK(relative_error(-passive_forces(model, data, q, v).dot(v), rate, 10.0) < 1e-8);
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

TEST_CASE("wrong passive terms are refused by name and leave the model as it was", "[algorithms][passive][errors]") {
  PassiveSample s(2);
  const Vectord before = passive_forces(s.model, s.data, s.q, s.v);
  Vectord wrong = Vectord::Ones(s.model.nv());
  wrong[4] = -1;
  const auto& joint = s.model.joint_of_node(s.model.node_of_dof(4)).name();
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_damping(wrong); }), {joint, "damping", "negative"}));
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_friction(wrong); }), {joint, "friction"}));
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_springs(wrong, s.q); }), {joint, "stiffness"}));
  Vectord nowhere = s.q;
  nowhere[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(mentions(message_of<ModelError>([&] { s.model.set_springs(wrong.cwiseAbs(), nowhere); }), {"at rest"}));
  CHECK_THROWS_AS(s.model.set_damping(wrong.head(2).eval()), SizeError);
  CHECK(passive_forces(s.model, s.data, s.q, s.v) == before);
  CHECK(mentions(message_of<Error>([&] { passive_forces(s.model, s.data, s.q, s.v, -1.0); }), {"smooths", "-1"}));

  ModelBuilder<double> builder;
  builder.add_body({.name = "arm", .joint = joint::Revolute::y(), .inertia = ball(), .passive = {.damping = {1, 2}}});
  CHECK(mentions(message_of<ModelError>([&] { builder.build(); }), {"'arm_joint'", "damping", "takes 1"}));
}
