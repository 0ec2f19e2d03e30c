#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/step.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// Relations of coordinates that users write as functions.

namespace loops_test {
namespace {

constexpr double crank_length = 0.3, rod_length = 0.8;

/// A crank and a slider, with a rod between them that has no mass: a closure of the kind Distance, or a relation.
Model<double> crank_and_slider() {
  ModelBuilder<double> builder("slider_crank");
  Random<double> random(3);
  builder.add_body(
      {.name = "crank", .joint = joint::Revolute({0, 0, 1}), .inertia = InertialParameters<double>(random.inertia())});
  builder.add_body({.name = "slider",
                    .joint = joint::Prismatic({1, 0, 0}),
                    .inertia = InertialParameters<double>(random.inertia())});
  builder.add_body({.name = "wheel",
                    .parent = "slider",
                    .joint = joint::Revolute({0, 1, 1}),
                    .placement = random.pose(),
                    .inertia = InertialParameters<double>(random.inertia())});
  builder.add_frame("tip", "crank", Pose<double>{identity3<double>(), {crank_length, 0, 0}});
  return builder.build();
}
Loops<double> rod(const Model<double>& model, bool is_relation) {
  Loops<double> loops(model);
  if (is_relation)
    loops.relate("rod", {"crank_joint", "slider_joint"}, [](const auto& x) {
      using std::cos, std::sin;
      const auto along = x[1] - crank_length * cos(x[0]), across = crank_length * sin(x[0]);
      return ((along * along + across * across) / rod_length - rod_length) / 2.0;
    });
  else
    loops.close("rod", model.frame("tip"), model.frame("slider"), closure::Distance{rod_length});
  return loops;
}

/// Both descriptions of one mechanism, in the same motion.
struct TwoRods {
  Model<double> model = crank_and_slider();
  Mechanism<double> closed{model, rod(model, false), {"crank_joint"}},
      related{model, rod(model, true), {"crank_joint"}};
  MechanismData<double> of_closed{closed}, of_related{related};
  VectorXd q, y = random_vector<double>(2, 5), ydot = random_vector<double>(2, 6);

  TwoRods() {
    const auto assembly = assemble<double>(related, of_related, Eigen::Vector3d(0.7, 1.0, 0.2));
    REQUIRE(assembly.closed);
    q = assembly.q;
    forward_kinematics<double>(closed, of_closed, q, y, ydot);
    forward_kinematics<double>(related, of_related, q, y, ydot);
  }
};

}  // namespace

TEST_CASE("a rod as a relation of coordinates has the rates of a rod between points", "[loops]") {
  TwoRods s;
  const auto both = [&](auto&& f) {
    const MatrixXd expected = f(s.of_closed.tree, s.closed.loops()), found = f(s.of_related.tree, s.related.loops());
    CHECK(expected.norm() > 1e-2);
    CHECK(relative_error(found, expected) < bound);
  };
  both([&](auto& data, const auto& loops) {
    MatrixXd K(1, 3);
    constraint_jacobian<double>(s.model, data, loops, K);
    return K;
  });
  both([&](auto& data, const auto& loops) {
    MatrixXd K(1, 3);
    constraint_jacobian_dot<double>(s.model, data, loops, K);
    return K;
  });
  both([&](auto& data, const auto& loops) {
    MatrixXd K(1, 3);
    constraint_jacobian_ddot<double>(s.model, data, loops, K);
    return K;
  });
  both([&](auto& data, const auto& loops) {
    MatrixXd change(3, 3);
    constraint_force_derivatives<double>(s.model, data, loops, VectorXd::Constant(1, 1.7), change);
    return change;
  });
  both([&](auto& data, const auto& loops) {
    return MatrixXd(constrained_forward_dynamics<double>(s.model, data, loops, VectorXd::Constant(3, 0.4), 2.0).a);
  });
}

TEST_CASE("a mechanism with a relation is the one with the rod", "[loops]") {
  TwoRods s;
  const auto both = [&](auto&& f) {
    const MatrixXd expected = f(s.closed, s.of_closed), found = f(s.related, s.of_related);
    CHECK(relative_error(found, expected) < bound);
  };
  both([](auto& m, auto& data) { return MatrixXd(rnea<double>(m, data)); });
  both([](auto& m, auto& data) { return MatrixXd(aba<double>(m, data, VectorXd::Constant(2, 0.3))); });
  both([](auto& m, auto& data) { return coriolis_matrix_dot(m, data).Cdot; });
  both([](auto& m, auto& data) { return inverse_dynamics_derivatives<double>(m, data).dtau_dq; });
  both([](auto& m, auto& data) { return inverse_dynamics_derivatives<double>(m, data).dtau_dv; });
  both([](auto& m, auto& data) {
    ChristoffelTensor<double> Gamma(m);
    christoffel_symbols<double>(m, data, Gamma);
    MatrixXd result(2, 4);
    for (int i = 0; i < 8; ++i) result(i / 4, i % 4) = Gamma(i / 4, i / 2 % 2, i % 2);
    return result;
  });
  // If the loops are open, the relation reports it.
  const VectorXd open = s.q + VectorXd::Constant(3, 0.01);
  both([&](auto& m, auto& data) {
    VectorXd k(1);
    constraint_residual<double>(m.tree(), forward_kinematics<double>(m.tree(), data.tree, open), m.loops(), k);
    CHECK(std::abs(k[0]) > 1e-3);
    return MatrixXd(k);
  });
  // Takes one time step.
  VectorXd q1 = s.q, y1 = s.y, q2 = s.q, y2 = s.y;
  step<double>(s.closed, s.of_closed, q1, y1, s.ydot, 1e-2);
  step<double>(s.related, s.of_related, q2, y2, s.ydot, 1e-2);
  CHECK(relative_error(q2, q1) < bound);
  CHECK(relative_error(y2, y1) < bound);
}

TEST_CASE("a relation that is linear is a coupling", "[loops]") {
  const auto model = crank_and_slider();
  Loops<double> coupled(model), related(model);
  coupled.couple("gear", {{"crank_joint", 2.0}, {"wheel_joint", -0.5}}, 0.3);
  related.relate("gear", {"crank_joint", "wheel_joint"}, [](const auto& x) { return 2.0 * x[0] - 0.5 * x[1] - 0.3; });
  const Mechanism<double> one(model, coupled, {"crank_joint"}), two(model, related, {"crank_joint"});
  CHECK(!one.varies());
  CHECK(two.varies());
  MechanismData<double> of_one(one), of_two(two);
  const VectorXd y = random_vector<double>(2, 5), q = assemble<double>(one, of_one, random_q(model, 4)).q;
  const auto expected = inverse_dynamics_derivatives<double>(one, of_one, q, y, y).dtau_dq;
  CHECK(relative_error(inverse_dynamics_derivatives<double>(two, of_two, q, y, y).dtau_dq, expected) < bound);
}

TEST_CASE("relations that cannot be are refused by name", "[loops][errors]") {
  const auto model = crank_and_slider();
  Loops<double> loops(model);
  const auto f = [](const auto& x) { return x[0]; };
  const auto refused = [&](const std::vector<std::string>& joints) {
    return message_of<ModelError>([&] { loops.relate("cam", joints, f); });
  };
  CHECK(mentions(refused({}), {"'cam'", "joints"}));
  CHECK(mentions(refused({"crank_joint", "nothing"}), {"'cam'", "'nothing'"}));
  CHECK(mentions(refused({"crank_joint", "crank_joint"}), {"'cam'", "'crank_joint'", "twice"}));
  CHECK(mentions(refused(std::vector<std::string>(9, "crank_joint")), {"'cam'", "eight"}));
  CHECK(loops.rows() == 0);
  // A relation that does not determine the other coordinates, such as a root at its branch point.
  loops.relate("cam", {"crank_joint", "slider_joint"}, [](const auto& x) { return x[1] * x[1] - x[0]; });
  const Mechanism<double> mechanism(model, loops, {"crank_joint"});
  MechanismData<double> data(mechanism);
  CHECK(mentions(message_of<ModelError>([&] { forward_kinematics<double>(mechanism, data, VectorXd::Zero(3)); }),
                 {"'cam'", "crank_joint"}));
}

}  // namespace loops_test
