#include "corio/zoo/mechanisms.hpp"

#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/mechanism/step.hpp"
#include "loops/mechanism_support.hpp"
#include "support/catch.hpp"

// Checks mechanisms of every kind: they are closed as built, have the expected freedom, and lose no energy.

namespace loops_test {
namespace {

struct Sample {
  Model<double> model;
  int independent, clusters;
};
Sample sample(int i) {
  switch (i) {
    case 0: return {zoo::geared_arm(7), 7, 7};
    case 1: return {zoo::four_bar_leg(), 3, 1};
    case 2: return {zoo::differential_wrist(), 3, 1};
    case 3: return {zoo::parallel_biped(), 18, 4};
    case 4: return {zoo::delta_robot(), 3, 1};
    case 5: return {zoo::stewart_platform(), 6, 1};
    default: return {zoo::bricard_loop(), 1, 1};
  }
}

/// A closed configuration near the neutral one.
VectorXd moved(const Mechanism<double>& mechanism, MechanismData<double>& data, int seed) {
  VectorXd q = neutral(mechanism.tree());
  forward_kinematics<double>(mechanism, data, q, 0.2 * random_vector<double>(mechanism.nv(), seed));
  const auto assembly = assemble<double>(mechanism, data, integrate<double>(mechanism.tree(), q, data.tree.v));
  REQUIRE(assembly.closed);
  return assembly.q;
}

}  // namespace

TEST_CASE("mechanisms of the zoo are closed and have the freedom that they are said to have", "[loops][zoo]") {
  const int which = GENERATE(range(0, 7));
  const auto [model, independent, clusters] = sample(which);
  CAPTURE(model.name());
  CHECK(model.notes().empty());
  const Mechanism<double> mechanism(model);
  CHECK(mechanism.nv() == independent);
  CHECK(static_cast<int>(mechanism.clusters().size()) == clusters);
  MechanismData<double> data(mechanism);
  VectorXd k(mechanism.loops().rows());
  constraint_residual<double>(model, forward_kinematics<double>(model, data.tree, neutral(model)), mechanism.loops(),
                              k);
  CHECK(k.norm() < 1e-12);

  // The motion under forces in all joints does not depend on the choice of speeds.
  const VectorXd q = moved(mechanism, data, 3), y = random_vector<double>(independent, 4);
  const VectorXd tau = random_vector<double>(model.nv(), 5);
  VectorXd tau_y(independent);
  forward_kinematics<double>(mechanism, data, q, y);
  project_forces<double>(mechanism, data, tau, tau_y);
  const VectorXd ydot = aba<double>(mechanism, data, tau_y);
  const auto& motion = constrained_forward_dynamics<double>(model, data.tree, mechanism.loops(), tau);
  CHECK(motion.rank == model.nv() - independent);
  const VectorXd a = motion.a;
  forward_kinematics<double>(mechanism, data, q, y, ydot);
  CHECK(relative_error(data.tree.a, a) < 1e-8);
  CHECK(relative_error(rnea<double>(mechanism, data), tau_y) < 1e-8);

  const auto& c = coriolis_matrix(mechanism, data);
  ChristoffelTensor<double> Gamma(mechanism);
  christoffel_symbols<double>(mechanism, data, Gamma);
  MatrixXd C;
  Gamma.contract(y, C);
  CHECK(relative_error(C, c.C) < bound);
}

TEST_CASE("derivatives of the zoo's mechanisms are differences", "[loops][zoo]") {
  const int which = GENERATE(range(0, 7));
  const auto model = sample(which).model;
  CAPTURE(model.name());
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  const int n = mechanism.nv();
  const VectorXd q = moved(mechanism, data, 7), y = random_vector<double>(n, 8), ydot = random_vector<double>(n, 9);
  const auto d = inverse_dynamics_derivatives<double>(mechanism, data, q, y, ydot);
  constexpr double h = 1e-5;
  for (int j = 0; j < n; ++j) {
    const VectorXd e = VectorXd::Unit(n, j);
    forward_kinematics<double>(mechanism, data, q, e);
    const VectorXd v = data.tree.v;
    const auto at = [&](double step) -> VectorXd {
      const auto closed = assemble<double>(mechanism, data, integrate<double>(model, q, step * v));
      return rnea<double>(mechanism, data, closed.q, y, ydot);
    };
    const VectorXd difference = (at(h) - at(-h)) / (2 * h);
    CHECK((d.dtau_dq.col(j) - difference).norm() < 1e-5 * (1 + d.dtau_dq.norm()));
    const VectorXd more = rnea<double>(mechanism, data, q, y + h * e, ydot);
    const VectorXd slope = (more - rnea<double>(mechanism, data, q, y - h * e, ydot)) / (2 * h);
    CHECK((d.dtau_dv.col(j) - slope).norm() < 1e-6 * (1 + d.dtau_dv.norm()));
  }
}

TEST_CASE("mechanisms move without loss of energy, with their loops closed", "[loops][zoo]") {
  const int which = GENERATE(1, 4, 6);
  const auto model = sample(which).model;
  CAPTURE(model.name());
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  VectorXd q = moved(mechanism, data, 3), y = 0.5 * random_vector<double>(mechanism.nv(), 4);
  const VectorXd none = VectorXd::Zero(mechanism.nv());
  const auto energy = [&] {
    forward_kinematics<double>(mechanism, data, q, y);
    return kinetic_energy(model, data.tree) + potential_energy(model, data.tree);
  };
  const double before = energy();
  const double kinetic_before = kinetic_energy(model, data.tree);
  double exchanged = 0;
  // After a step, data holds the state at its end.
  const auto exchanged_now = [&] {
    exchanged = std::max(exchanged, std::abs(kinetic_energy(model, data.tree) - kinetic_before));
  };
  for (int i = 0; i < 200; ++i) {
    step<double>(mechanism, data, q, y, none, 1e-3);
    exchanged_now();
  }
  // The integrator is of fourth order: its errors are 1e-12 a step, relative to the exchanged energies.
  CHECK(exchanged > 0.01 * kinetic_before);
  CHECK(std::abs(energy() - before) < 1e-7 * exchanged);
  VectorXd residual(mechanism.loops().rows());
  constraint_residual<double>(model, data.tree, mechanism.loops(), residual);
  CHECK(residual.cwiseAbs().maxCoeff() < 1e-12);
  CHECK_THROWS_AS(step<double>(mechanism, data, q, y, none, std::nan("")), Error);
  CHECK_THROWS_AS(step<double>(mechanism, data, q, y, none, 1e-3, Integrator::semi_implicit_euler), Error);

  // Passes a torque from data, which the stages overwrite.
  VectorXd q1 = q, y1 = y, q2 = q, y2 = y;
  const VectorXd tau = nonlinear_effects<double>(mechanism, data, q, y);
  step<double>(mechanism, data, q1, y1, tau, 0.01);
  step<double>(mechanism, data, q2, y2, nonlinear_effects<double>(mechanism, data, q, y), 0.01);
  CHECK(q1 == q2);
  CHECK(y1 == y2);
}

TEST_CASE("a step of a mechanism applies what the joints' dampers do", "[loops][zoo]") {
  auto model = zoo::four_bar_leg();
  model.set_damping(VectorXd::Constant(model.nv(), 2.0));
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  const VectorXd y = random_vector<double>(3, 1), none = VectorXd::Zero(3);
  VectorXd q = neutral(model), next_y = y;
  constexpr double dt = 1e-5;
  forward_kinematics<double>(mechanism, data, q, y);
  VectorXd force(3);
  project_forces<double>(mechanism, data, passive_forces(model, data.tree), force);
  CHECK(force.dot(y) < -0.1);
  const VectorXd ydot = aba<double>(mechanism, data, force);
  // One step of order one errs by dt times the change of the acceleration.
  const StepWork<double> work = step<double>(mechanism, data, q, next_y, none, dt);
  CHECK(relative_error((next_y - y) / dt, ydot) < 1e-2);
  // The step integrates the losses by another rule.
  CHECK(std::abs(work.losses / dt + (force.dot(y) + passive_forces(mechanism, data).dot(next_y)) / 2) <
        1e-6 * work.losses / dt);
  CHECK(work.tau == 0.0);
}

TEST_CASE("a step that would cross a singular choice of speeds is refused while the energy is right", "[loops]") {
  // The rocker comes to its limit, where crank and coupler are in line and its speed does not determine theirs. A rotor
  // on the rocker's gear moves with it, and must not hide this.
  auto builder = to_builder(four_bar(0.3, 0.9, 0.7, 0.8));
  builder.add_body({.name = "rotor",
                    .joint = joint::Revolute::z(),
                    .inertia = {0.1, {0, 0, 0}, Vector3<double>(1e-6, 1e-6, 1e-6).asDiagonal()}});
  const auto model = builder.build();
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
  loops.couple("gear", {{"rotor_joint", 1.0}, {"rocker_joint", -100.0}});
  const Mechanism<double> mechanism(model, loops, {"rocker_joint"});
  MechanismData<double> data(mechanism);
  VectorXd start(4);
  start << 0.7, -0.4, 1.4, 140.0;
  start = assemble<double>(model, data.tree, loops, start).q;
  const double dt = GENERATE(1e-3, 2e-4);
  VectorXd q = start, y = VectorXd::Constant(1, 3.0);
  const auto energy = [&] {
    forward_kinematics<double>(mechanism, data, q, y);
    return kinetic_energy(model, data.tree) + potential_energy(model, data.tree);
  };
  const double before = energy();
  std::string refusal = "no exception";
  for (int i = 0; i < 2000 && refusal == "no exception"; ++i)
    refusal = message_of<ModelError>([&] { step<double>(mechanism, data, q, y, VectorXd::Zero(1), dt); });
  CHECK(mentions(refusal, {"'pin', 'gear'", "rocker_joint", "singular", "shorter step"}));
  // The rocker has swung to the limit, and the loss there is of the order of a step three steps from it.
  CHECK((q - start).norm() > 0.1);
  CHECK(std::abs(energy() - before) < 1e-3);
  // With the crank's speed as independent, the same linkage continues.
  const Mechanism<double> driven(model, loops, {"crank_joint"});
  MechanismData<double> of_driven(driven);
  forward_kinematics<double>(mechanism, data, q, y);
  VectorXd w = VectorXd::Constant(1, data.tree.v[driven.dof_of_speed(0)]);
  CHECK_NOTHROW(step<double>(driven, of_driven, q, w, VectorXd::Zero(1), dt));
}

TEST_CASE("Bricard's loop is overconstrained and moves all the same", "[loops][zoo]") {
  const auto model = zoo::bricard_loop();
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  const VectorXd q = neutral(model), y = VectorXd::Ones(1);
  // Of the five conditions four are independent; every share of the fifth in the forces gives the same motion.
  CHECK(mechanism.loops().rows() == 5);
  const auto drives = constrained_inverse_dynamics<double>(mechanism, data, q, y, y, VectorXd::Ones(model.nv()));
  MatrixXd K(5, 5);
  constraint_jacobian<double>(model, data.tree, mechanism.loops(), K);
  CHECK(rank(K, 1e-9) == 4);
  CHECK(relative_error(corio::rnea(model, data.tree), drives.tau + K.transpose() * drives.lambda) < 1e-9);
}

TEST_CASE("the double four-bar linkage moves as its one angle says, and stops for nothing but its dead points",
          "[loops][zoo]") {
  // The IFToMM benchmark: five rods of unit length and mass, which all turn by the same angle or not at all. With
  // kinetic energy 3 w^2 / 2 and potential energy 3.5 g sin(angle), 3 dw/dt = -3.5 g cos(angle).
  ModelBuilder<double> builder("double four-bar");
  const InertialParameters<double> rod{1.0, {0.5, 0, 0}, Vector3<double>(1e-4, 1.0 / 12, 1.0 / 12).asDiagonal()};
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {x, 0, 0}}; };
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    builder.add_body({.name = "link" + n, .joint = joint::Revolute::z(), .placement = at(i), .inertia = rod});
    builder.add_frame("tip" + n, "link" + n, at(1));
    if (i == 2) break;
    builder.add_body({.name = "coupler" + n,
                      .parent = "link" + n,
                      .joint = joint::Revolute::z(),
                      .placement = at(1),
                      .inertia = rod});
    builder.add_frame("end" + n, "coupler" + n, at(1));
    builder.close_loop("loop" + n, "end" + n, "tip" + std::to_string(i + 1), closure::Revolute{{0, 0, 1}},
                       {"coupler" + n + "_joint", "link" + std::to_string(i + 1) + "_joint"});
  }
  builder.set_gravity({0, -9.81, 0});
  const auto model = builder.build();
  const Mechanism<double> mechanism(model);
  REQUIRE(mechanism.nv() == 1);
  MechanismData<double> data(mechanism);
  const auto configuration = [&](double angle) {
    VectorXd q(5);
    for (const Joint& joint : model.joints()) q[joint.q_index()] = joint.name().starts_with("link") ? angle : -angle;
    return q;
  };
  for (const double angle : {1.57, 0.6, 0.02, -0.7}) {
    CAPTURE(angle);
    const VectorXd y = VectorXd::Constant(1, 1.3), none = VectorXd::Zero(1);
    const double expected = -3.5 * 9.81 * std::cos(angle) / 3;
    CHECK(std::abs(aba<double>(mechanism, data, configuration(angle), y, none)[0] - expected) < 1e-9);
    CHECK(std::abs(crba<double>(mechanism, data)(0, 0) - 3) < 1e-10);
    CHECK(std::abs(coriolis_matrix(mechanism, data).C(0, 0)) < 1e-9);
  }
  CHECK(mentions(message_of<ModelError>([&] { crba<double>(mechanism, data, configuration(0)); }),
                 {"'loop0', 'loop1'", "link0_joint", "singular"}));

  // Moves from upright nearly down to the dead point.
  VectorXd q = configuration(std::acos(0.0)), y = VectorXd::Constant(1, -1.0);
  const auto energy = [&](double angle, double w) { return 1.5 * w * w + 3.5 * 9.81 * std::sin(angle); };
  for (int i = 0; i < 1500 && q[0] > 0.1; ++i) {
    step<double>(mechanism, data, q, y, VectorXd::Zero(1), 1e-3);
  }
  CHECK(q[0] < 0.2);
  CHECK(std::abs(energy(q[0], y[0]) - energy(std::acos(0.0), 1.0)) < 1e-8);
}

TEST_CASE("preferred joints are independent as far as they can be", "[loops][zoo]") {
  const auto [model, independent, clusters] = sample(GENERATE(range(0, 7)));
  CAPTURE(model.name(), clusters);
  const Mechanism<double> given(model);
  MechanismData<double> data(given);
  const VectorXd q = moved(given, data, 3);
  const auto names = [&tree = given.tree()](const std::vector<int>& dofs) {
    std::vector<std::string> out;
    for (const int k : dofs)
      if (const Joint& joint = tree.joint_of_node(tree.node_of(k)); joint.nv() == 1) out.push_back(joint.name());
    return out;
  };
  const auto is_among = [](const std::vector<int>& all, int k) { return std::ranges::count(all, k) == 1; };

  // A possible choice is used.
  const Mechanism<double> same(model, given.loops(), names(given.independent()), q);
  for (const int k : model.v_indices(names(given.independent()))) CHECK(is_among(same.independent(), k));
  // If too many are given, as many as possible are used, and these determine the others.
  std::vector<std::string> every = names(given.independent());
  for (const auto& cluster : given.clusters())
    for (const std::string& name : names({cluster.dependent().begin(), cluster.dependent().end()}))
      every.push_back(name);
  const Mechanism<double> filled(model, given.loops(), every, q);
  CHECK(filled.nv() == independent);
  MechanismData<double> other(filled);
  CHECK_NOTHROW(forward_kinematics<double>(filled, other, q));
  CHECK_THROWS_AS(Mechanism<double>(model, given.loops(), {std::string("no such joint")}, q), ModelError);
}

TEST_CASE("notes of a mechanism tell which preferred joints are not independent, and why", "[loops][zoo]") {
  const auto model = zoo::four_bar_leg();
  const Loops<double> loops(model);
  const VectorXd q = neutral(model);
  const auto notes = [&](const std::vector<std::string>& preferred, const VectorXd& at) {
    return Mechanism<double>(model, loops, preferred, at).notes();
  };
  CHECK(Mechanism<double>(model).notes().empty());
  CHECK(Mechanism<double>(model, q).notes().empty());
  CHECK(notes({"trunk_joint", "thigh_joint", "crank_joint"}, q).empty());
  // One speed too many is given in the loop, which has one freedom.
  const auto two = notes({"trunk_joint", "crank_joint", "shank_joint"}, q);
  REQUIRE(two.size() == 1);
  const std::string text = to_string(two[0]);
  CAPTURE(text);
  const bool crank = mentions(two[0].element, {"crank_joint"});
  CHECK((crank || mentions(two[0].element, {"shank_joint"})));
  CHECK(mentions(text, {"preferred", "leave 1 speed independent", crank ? "shank_joint" : "crank_joint"}));
  // No speed is given in the loop.
  const auto none = notes({"trunk_joint"}, q);
  REQUIRE(none.size() == 1);
  CHECK(mentions(to_string(none[0]), {"loops '", "0 of 1", "independent, too: '"}));
  // The notes stay with the mechanism over another scalar.
  const Mechanism<double> mechanism(model, loops, {"trunk_joint"}, q);
  CHECK(mechanism.cast<float>().notes().size() == 1);
}

TEST_CASE("a crank at its dead point is not independent, for the accuracy of the others", "[loops][zoo]") {
  // Near the position where crank and rod of a slider-crank are in line, the slider's speed does not determine the
  // crank's.
  ModelBuilder<double> builder;
  const InertialParameters<double> inertia(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity());
  builder.add_body({.name = "crank", .joint = joint::Revolute({0, 0, 1}), .inertia = inertia});
  builder.add_body({.name = "rod",
                    .parent = "crank",
                    .joint = joint::Revolute({0, 0, 1}),
                    .placement = {identity3<double>(), {1, 0, 0}},
                    .inertia = inertia});
  builder.add_body({.name = "slider", .joint = joint::Prismatic({1, 0, 0}), .inertia = inertia});
  builder.add_frame("pin", "rod", {identity3<double>(), {2, 0, 0}});
  builder.add_frame("eye", "slider", {identity3<double>(), {3, 0, 0}});
  builder.close_loop("pin", "pin", "eye", closure::Revolute{{0, 0, 1}}, {"rod_joint", "slider_joint"});
  const auto model = builder.build();
  const Loops<double> loops(model);
  const auto closed = [&](double angle) {
    VectorXd q(3);
    const double rod = std::asin(0.5 * std::sin(angle));
    q << angle, -angle - rod, std::cos(angle) + 2 * std::cos(rod) - 3;
    return q;
  };
  const Mechanism<double> far(model, loops, {"slider_joint"}, closed(1.0));
  CHECK(far.notes().empty());
  CHECK(far.independent() == std::vector<int>{2});
  const Mechanism<double> near(model, loops, {"slider_joint"}, closed(1e-4));
  REQUIRE(near.notes().size() == 2);
  CHECK(mentions(to_string(near.notes()[0]), {"joint 'slider_joint'", "accuracy", "determined by '"}));
  CHECK(mentions(to_string(near.notes()[1]), {"loops 'pin'", "independent, too"}));
  CHECK(near.independent() != std::vector<int>{2});
}

}  // namespace loops_test
