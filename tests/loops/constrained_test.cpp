#include <numbers>

#include "corio/mechanism/constrained_inverse_dynamics.hpp"

#include "loops/mechanism_support.hpp"
#include "support/catch.hpp"

// Drives, impacts, gears, and impossible choices of independent speeds.

namespace loops_test {

TEST_CASE("drives and loops together give the acceleration", "[loops]") {
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const int n = s.model.nv();
  const VectorXd ydot = random_vector<double>(s.mechanism.nv(), 21);
  const VectorXd effort = random_vector<double>(n, 4).cwiseAbs() + VectorXd::Ones(n);
  const auto drives = constrained_inverse_dynamics<double>(s.mechanism, s.data, s.q, s.y, ydot, effort);
  CHECK(drives.missing < bound * drives.tau.norm());
  MatrixXd K(s.loops.rows(), n);
  constraint_jacobian<double>(s.model, s.data.tree, s.loops, K);
  const VectorXd tree = corio::rnea(s.model, s.data.tree);
  CHECK(relative_error(drives.tau + K.transpose() * drives.lambda, tree) < 1e-9);
  CHECK(relative_error(constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, drives.tau).a,
                       s.data.tree.a) < 1e-8);
  // The torques are the cheapest: a change of tau without effect, K^T mu, costs nothing to first order.
  CHECK((K * effort.cwiseProduct(drives.tau)).norm() < 1e-9 * K.norm() * drives.tau.norm() * effort.maxCoeff());

  // Only the ratios of efforts matter, not their size.
  const VectorXd cheapest = drives.tau;
  for (const double size : {1e-310, 1e300})
    CHECK(relative_error(constrained_inverse_dynamics<double>(s.mechanism, s.data, size * effort).tau, cheapest) <
          1e-9);

  // Drives at the independent joints alone have the torques of rnea.
  VectorXd some = VectorXd::Constant(n, std::numeric_limits<double>::infinity());
  for (const int k : s.mechanism.independent()) some[k] = 2.0;
  const auto own = constrained_inverse_dynamics<double>(s.mechanism, s.data, some);
  const VectorXd tau = rnea<double>(s.mechanism, s.data);
  VectorXd expected = VectorXd::Zero(n);
  for (int j = 0; j < tau.size(); ++j) expected[s.mechanism.independent()[static_cast<std::size_t>(j)]] = tau[j];
  CHECK(relative_error(own.tau, expected) < 1e-9);
  CHECK(own.missing < bound * tau.norm());

  // There is one drive less than needed.
  some[s.mechanism.independent()[0]] = std::numeric_limits<double>::infinity();
  const auto fewer = constrained_inverse_dynamics<double>(s.mechanism, s.data, some);
  CHECK(relative_error(fewer.missing, std::abs(tau[0])) < 1e-9);
  some[0] = -1;
  CHECK(mentions(message_of<Error>([&] { constrained_inverse_dynamics<double>(s.mechanism, s.data, some); }),
                 {"effort", s.model.joints()[0].name()}));
}

TEST_CASE("drives and loops balance external forces", "[loops]") {
  // The effect of drives, loops and wrenches on the tree's joints, by Jacobians, gives the acceleration of the tree.
  Closed s(GENERATE(range(0, 7)));
  const int n = s.model.nv();
  const VectorXd ydot = random_vector<double>(s.mechanism.nv(), 21), effort = VectorXd::Ones(n);
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, ydot);
  std::vector<ExternalForce<double>> external;
  VectorXd on_joints = VectorXd::Zero(n);
  Random<double> random(3);
  for (const auto& body : s.model.bodies()) {
    const FramePoint<double> place(body, ReferenceFrame::world_aligned, random.vector());
    const Force<double> F = random.force();
    MatrixXd J(6, n);
    body_jacobian(s.model, s.data.tree, place, J);
    on_joints += J.transpose() * F.vector();
    external.emplace_back(place, F);
  }
  const auto drives = constrained_inverse_dynamics<double>(s.mechanism, s.data, effort, external);
  CHECK(drives.missing < bound * drives.tau.norm());
  const VectorXd tau = drives.tau + on_joints;
  CHECK(relative_error(constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, tau).a, s.data.tree.a) <
        1e-8);
  CHECK(relative_error(constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, drives.tau, 0.0, external).a,
                       s.data.tree.a) < 1e-8);
  MatrixXd K(s.loops.rows(), n);
  constraint_jacobian<double>(s.model, s.data.tree, s.loops, K);
  CHECK(relative_error(tau + K.transpose() * drives.lambda, corio::rnea(s.model, s.data.tree)) < 1e-9);
  CHECK((K * effort.cwiseProduct(drives.tau)).norm() < 1e-9 * K.norm() * drives.tau.norm());
}

TEST_CASE("a single drive has the force of rnea", "[loops]") {
  const Mechanism<double> mechanism(zoo::serial_chain(1));
  MechanismData<double> data(mechanism);
  const VectorXd one = VectorXd::Ones(1);
  const VectorXd expected = rnea(mechanism, data, one, one, one);
  CHECK(relative_error(constrained_inverse_dynamics<double>(mechanism, data, one, one, one, 3 * one).tau, expected) <
        1e-14);
}

TEST_CASE("an impact closes loops and loses what the change of velocity has of energy", "[loops]") {
  const int seed = GENERATE(range(0, 4));
  CAPTURE(seed);
  Closed s(seed);
  const VectorXd v = random_vector<double>(s.model.nv(), 13);
  Data<double> data(s.model);
  MatrixXd K(s.loops.rows(), s.model.nv());
  const auto plastic = constrained_impulse<double>(s.model, data, s.loops, s.q, v);
  constraint_jacobian<double>(s.model, data, s.loops, K);
  const MatrixXd M = corio::crba(s.model, data);
  CHECK((K * plastic.v).norm() < bound * K.norm() * v.norm());
  CHECK(relative_error(M * (plastic.v - v), K.transpose() * plastic.Lambda) < 1e-9);
  CHECK(plastic.rank == s.model.nv() - s.mechanism.nv());
  const auto energy = [&](const VectorXd& x) { return x.dot(M * x) / 2; };
  CHECK(relative_error(energy(v) - energy(plastic.v), energy(v - plastic.v)) < 1e-9);
  const auto elastic = constrained_impulse<double>(s.model, data, s.loops, 1.0);
  CHECK(relative_error(energy(elastic.v), energy(v)) < 1e-9);
  CHECK((K * (elastic.v + v)).norm() < bound * K.norm() * v.norm());
}

TEST_CASE("a rotor behind a gear is an armature, and pushes its base as it spins", "[loops]") {
  // The axis of the rotor is parallel to that of the link, its centre of mass on it, and its inertia round.
  const double ratio = 50, inertia = 2e-4;
  const auto make = [&](bool rotor) {
    ModelBuilder<double> builder("arm");
    Random<double> random(3);
    const InertialParameters<double> link(random.inertia());
    builder.add_body({.name = "base", .joint = joint::Revolute::x(), .inertia = link});
    builder.add_body({.name = "link", .parent = "base", .joint = joint::Revolute::z(), .inertia = link});
    if (rotor)
      builder.add_body({.name = "rotor",
                        .parent = "base",
                        .joint = joint::Revolute::z(),
                        .inertia = {1e-9, {0, 0, 0}, Vector3<double>(1e-12, 1e-12, inertia).asDiagonal()}});
    return builder.build();
  };
  const auto with = make(true);
  Loops<double> loops(with);
  loops.couple("gear", {{"rotor_joint", 1.0}, {"link_joint", -ratio}});
  const Mechanism<double> arm(with, loops, {"link_joint"});
  CHECK(arm.nv() == 2);
  CHECK_FALSE(arm.varies());
  MechanismData<double> data(arm);
  const Eigen::Vector3d q(0.3, 0.7, 0.7 * ratio);
  const Eigen::Vector2d y(0.5, -1.1);
  const MatrixXd M = crba<double>(arm, data, q);
  const auto without = make(false);
  Data<double> plain(without);
  const MatrixXd M0 = corio::crba(without, plain, q.head<2>());
  CHECK(std::abs(M(1, 1) - M0(1, 1) - ratio * ratio * inertia) < 1e-10);
  CHECK(std::abs(M(0, 1) - M0(0, 1)) < 1e-10);
  // An armature leaves out the torque about the axis that turns the base, w x h, which has to be held.
  const VectorXd bias = nonlinear_effects<double>(arm, data, q, y);
  CHECK(std::abs(bias[0] - corio::nonlinear_effects(without, plain, q.head<2>(), y)[0]) < 1e-9);
  const Motion<double>& V = data.tree.velocity[with.body("rotor").node()];
  CHECK(relative_error(V.angular, Vector3<double>(y[0], 0, 0) + data.tree.pose[with.body("rotor").node()].rotation *
                                                                    Vector3<double>(0, 0, ratio * y[1])) < bound);
}

TEST_CASE("independent speeds that cannot be are refused", "[loops][errors]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
  const auto refused = [&](const std::vector<std::string>& independent) {
    const Mechanism<double> mechanism(model, loops, independent);
    MechanismData<double> data(mechanism);
    return message_of<ModelError>(
        [&] { forward_kinematics<double>(mechanism, data, Closed(0).q, VectorXd::Zero(mechanism.nv())); });
  };
  CHECK(mentions(refused({}), {"'pin'", "none", "2 of 3"}));
  CHECK(mentions(refused({"crank_joint", "coupler_joint"}), {"'pin'", "crank_joint, coupler_joint", "1 of 1"}));
  CHECK(mentions(message_of<ModelError>([&] { refused({"wheel"}); }), {"wheel"}));
  Loops<double> other(four_bar(1, 1, 1, 1));
  CHECK(mentions(message_of<ModelError>([&] { Mechanism<double>(model, other, {"crank_joint"}); }), {"another model"}));

  // Two couplings that contradict each other in their rates leave nothing free.
  Loops<double> gears(model);
  gears.couple("one", {{"crank_joint", 1.0}, {"coupler_joint", 2.0}});
  gears.couple("two", {{"crank_joint", 1.0}, {"coupler_joint", 3.0}});
  CHECK(mentions(message_of<ModelError>([&] { Mechanism<double>(model, gears, {"crank_joint"}); }),
                 {"'one', 'two'", "not free"}));
  CHECK_NOTHROW(Mechanism<double>(model, gears, std::vector<std::string>{}));

  // Coupler and rocker are in line: the crank's speed does not determine theirs, but each of theirs determines all
  // others.
  const double a = 0.3, b = 0.5, c = 0.3, d = 0.8;
  const double q1 = std::acos((a * a + d * d - (b + c) * (b + c)) / (2 * a * d));
  const double line = std::atan2(-a * std::sin(q1), d - a * std::cos(q1));
  const auto toggle = four_bar(a, b, c, d);
  Loops<double> pin(toggle);
  pin.close("pin", toggle.frame("coupler_tip"), toggle.frame("rocker_tip"), closure::Point{});
  const Eigen::Vector3d q(q1, line - q1, line + std::numbers::pi);
  const Mechanism<double> stuck(toggle, pin, {"crank_joint"});
  MechanismData<double> data(stuck);
  VectorXd k(3);
  constraint_residual<double>(toggle, forward_kinematics<double>(toggle, data.tree, q), pin, k);
  REQUIRE(k.norm() < 1e-14);
  CHECK(mentions(message_of<ModelError>([&] { forward_kinematics<double>(stuck, data, q); }),
                 {"'pin'", "1 of 2", "singular"}));
  CHECK(mentions(message_of<StateError>([&] { crba<double>(stuck, data); }), {"crba"}));
  const Mechanism<double> moving(toggle, pin, q);
  CHECK(moving.nv() == 1);
  CHECK(moving.independent() != std::vector<int>{0});
  MechanismData<double> free(moving);
  CHECK_NOTHROW(crba<double>(moving, free, q));
}

TEST_CASE("clusters are the loops that have joints in common", "[loops]") {
  Closed s(6);
  // One cluster has the lower linkage with the rotor that drives it, the other has the upper linkage with the rotor
  // that it drives.
  REQUIRE(s.mechanism.clusters().size() == 2);
  for (const auto& cluster : s.mechanism.clusters()) {
    CHECK(cluster.varies);
    CHECK(cluster.dependent().size() == 3);
    CHECK(cluster.independent().size() == 1);
  }
  CHECK(mentions(s.mechanism.clusters()[0].names, {"'pin'", "'drive'"}));
  CHECK(mentions(s.mechanism.clusters()[1].names, {"'upper'", "'driven'"}));
}

TEST_CASE("loops on branches of the ground do not act on each other, in whatever order they come", "[loops]") {
  ModelBuilder<double> builder("three arms");
  Random<double> random(4);
  const auto number = [](int arm) { return std::to_string(arm); };
  for (int arm = 0; arm < 3; ++arm) {
    std::string parent;
    for (const char* part : {"a", "b", "c", "d"}) {
      builder.add_body({.name = part + number(arm),
                        .parent = parent,
                        .joint = joint::Revolute::z(),
                        .placement = random.pose(),
                        .inertia = InertialParameters<double>(random.inertia())});
      parent = part + number(arm);
    }
    builder.add_frame("tip" + number(arm), parent, random.pose());
    builder.add_frame("pin" + number(arm), Parent(), random.pose());
  }
  const auto model = builder.build();
  Loops<double> loops(model);
  const auto close = [&](const char* name, int arm) {
    loops.close(name, model.frame("tip" + number(arm)), model.frame("pin" + number(arm)), closure::Point{});
  };
  close("first", 0), close("second", 1), close("first again", 0), close("third", 2), close("third again", 2);

  const int n = model.nv();
  const VectorXd q = random_q(model, 5), v = random_vector<double>(n, 6), tau = random_vector<double>(n, 7);
  Data<double> data(model);
  const auto motion = constrained_forward_dynamics<double>(model, data, loops, q, v, tau);
  MatrixXd K(loops.rows(), n), Kdot = K;
  constraint_jacobian<double>(model, data, loops, K);
  constraint_jacobian_dot<double>(model, data, loops, Kdot);
  const VectorXd inertial = corio::crba(model, data) * motion.a + corio::nonlinear_effects(model, data);
  CHECK(relative_error(inertial, tau + K.transpose() * motion.lambda) < 1e-11);
  CHECK(relative_error(K * motion.a, -Kdot * v) < 1e-11);
  CHECK(motion.rank == 9);
  // Of all forces with the same effect, these have the least norm: conditions that are given twice share their force.
  CHECK(relative_error(VectorXd(motion.lambda.head(3)), motion.lambda.segment(6, 3)) < 1e-11);
  CHECK(relative_error(VectorXd(motion.lambda.segment(9, 3)), motion.lambda.tail(3)) < 1e-11);

  const auto& all = constrained_impulse<double>(model, data, loops);
  Loops<double> one(model);
  one.close("first", model.frame("tip0"), model.frame("pin0"), closure::Point{});
  const VectorXd of_first = all.v.head(4);
  CHECK(relative_error(of_first, constrained_impulse<double>(model, data, one).v.head(4)) < 1e-11);
}

}  // namespace loops_test
