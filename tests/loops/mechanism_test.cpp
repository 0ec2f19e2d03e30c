#include "corio/mechanism/dynamics.hpp"

#include <random>

#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/zoo/random_tree.hpp"
#include "loops/mechanism_support.hpp"
#include "support/catch.hpp"

// Compares the equations of motion in independent speeds with those with multipliers, and with differences.

namespace loops_test {

TEST_CASE("independent speeds determine a motion that keeps loops closed", "[loops]") {
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const MatrixXd G = s.map(s.data.G), Gdot = s.map(s.data.Gdot(s.mechanism));
  MatrixXd K(s.loops.rows(), s.model.nv()), Kdot(K);
  constraint_jacobian<double>(s.model, s.data.tree, s.loops, K);
  constraint_jacobian_dot<double>(s.model, s.data.tree, s.loops, Kdot);
  CHECK((K * G).norm() < bound * K.norm() * G.norm());
  CHECK((Kdot * G + K * Gdot).norm() < bound * K.norm() * (1 + Gdot.norm()));
  CHECK(relative_error(s.data.tree.v, G * s.y) < bound);
  CHECK(s.mechanism.nv() == s.model.nv() - rank(K, 1e-10));
  for (int j = 0; j < s.mechanism.nv(); ++j) CHECK(G(s.mechanism.independent()[static_cast<std::size_t>(j)], j) == 1.0);
  if (seed == 0) CHECK(s.mechanism.nv() == 1);
}

TEST_CASE("the equations of motion in independent speeds are those with multipliers", "[loops]") {
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const VectorXd tau = random_vector<double>(s.model.nv(), 8);
  VectorXd tau_y(s.mechanism.nv());
  project_forces<double>(s.mechanism, s.data, tau, tau_y);
  const VectorXd ydot = aba<double>(s.mechanism, s.data, tau_y);
  const auto motion = constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, tau);
  CHECK(relative_error(motion.a, s.map(s.data.G) * ydot + s.map(s.data.Gdot(s.mechanism)) * s.y) < 1e-9);

  const auto c = coriolis_matrix(s.mechanism, s.data);
  const VectorXd g = generalized_gravity<double>(s.mechanism, s.data);
  const VectorXd bias = nonlinear_effects<double>(s.mechanism, s.data);
  CHECK(relative_error(bias, c.C * s.y + g) < bound);
  CHECK(relative_error(c.M, crba<double>(s.mechanism, s.data)) < bound);
  const MatrixXd M_inverse = mass_matrix_inverse<double>(s.mechanism, s.data);
  CHECK(relative_error(M_inverse * c.M, MatrixXd::Identity(c.M.rows(), c.M.rows())) < 1e-8);
  CHECK(M_inverse == M_inverse.transpose());
  CHECK(relative_error(rnea<double>(s.mechanism, s.data, s.q, s.y, ydot), tau_y) < 1e-9);
  CHECK(relative_error(c.M * ydot + bias, tau_y) < 1e-9);
  const VectorXd a = s.data.tree.a;
  CHECK(relative_error(motion.a, a) < 1e-9);
  CHECK(relative_error(corio::rnea(s.model, s.data.tree), s.tree_torque(a)) < bound);
  CHECK(std::abs(kinetic_energy(s.model, s.data.tree) - s.y.dot(c.M * s.y) / 2) < bound * (1 + c.M.norm()));
}

// Couplings of any joints: a leaf and its grandparent, across branches, one within another, one for several clusters.
TEST_CASE("aba of coupled trees solves the equations of motion", "[loops]") {
  const int seed = GENERATE(range(0, 20));
  CAPTURE(seed);
  const auto model = to_builder(zoo::random_tree(static_cast<std::uint64_t>(seed),
                                                 {.bodies = 20, .floating_base = seed % 2 == 1, .armature = true}))
                         .build();
  std::vector<std::string> joints;
  for (const Joint& joint : model.joints())
    if (joint.nq() == 1) joints.push_back(joint.name());
  std::mt19937 shuffled(static_cast<unsigned>(seed));
  std::ranges::shuffle(joints, shuffled);
  REQUIRE(joints.size() >= 4);
  Loops<double> loops(model);
  loops.couple("pair", {{joints[0], 1.0}, {joints[1], -0.7}});
  loops.couple("other", {{joints[2], 1.0}, {joints[3], 0.4}});
  if (seed % 3 == 0) loops.couple("both", {{joints[1], 1.0}, {joints[3], 1.3}});
  Data<double> tree(model);
  const VectorXd q = assemble<double>(model, tree, loops, random_q(model, seed)).q;
  const Mechanism<double> mechanism(model, loops, q);
  MechanismData<double> data(mechanism);
  const VectorXd y = random_vector<double>(mechanism.nv(), 5), tau = random_vector<double>(mechanism.nv(), 6);
  const VectorXd ydot = aba<double>(mechanism, data, q, y, tau);
  const MatrixXd M = crba<double>(mechanism, data);
  CHECK(relative_error(ydot, solve(M, tau - nonlinear_effects<double>(mechanism, data))) < bound);
}

TEST_CASE("external forces act on a mechanism as on its tree", "[loops]") {
  const int seed = GENERATE(0, 1, 2);
  CAPTURE(seed);
  Closed s(seed);
  Random<double> random(seed);
  const std::vector<ExternalForce<double>> forces{
      {s.model.bodies().back(), random.force(), ReferenceFrame::world, zero3<double>()}};
  const VectorXd tau = random_vector<double>(s.mechanism.nv(), 3);
  const VectorXd free = aba<double>(s.mechanism, s.data, tau), pushed = aba<double>(s.mechanism, s.data, tau, forces);
  CHECK(relative_error(rnea<double>(s.mechanism, s.data, s.q, s.y, pushed, forces), tau) < 1e-9);
  CHECK((pushed - free).norm() > 1e-6);
}

TEST_CASE("the mass matrix of a mechanism changes by C + C^T, for every admissible factorization", "[loops]") {
  // Central differences err by h^2 = 1e-10 times third derivatives, which grow near singular configurations.
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const VectorXd y = s.y;
  const MatrixXd differences = s.along(y, [&](const VectorXd& q) { return crba<double>(s.mechanism, s.data, q); });
  forward_kinematics<double>(s.mechanism, s.data, s.q, y);
  const auto one = coriolis_matrix(s.mechanism, s.data);
  const auto other = coriolis_matrix<factorization::Plain>(s.mechanism, s.data);
  CHECK(relative_error(one.Mdot, differences) < 1e-6);
  CHECK(relative_error(other.Mdot, differences) < 1e-6);
  CHECK(relative_error(other.C * y, one.C * y) < bound);

  const VectorXd x = random_vector<double>(s.mechanism.nv(), 11);
  CHECK(relative_error(coriolis_product(s.mechanism, s.data, x), one.C * x) < bound);
  CHECK(relative_error(coriolis_transpose_product(s.mechanism, s.data, x), one.C.transpose() * x) < bound);
  CHECK(relative_error(coriolis_product<factorization::Plain>(s.mechanism, s.data, x), other.C * x) < bound);
}

TEST_CASE("after a pass that failed, data of a mechanism has no state", "[loops][errors]") {
  Closed s(1);
  CHECK_NOTHROW(crba<double>(s.mechanism, s.data));
  VectorXd q = s.q;
  q.segment<4>(s.model.joint("other_joint").q_index()).setZero();
  CHECK(mentions(message_of<Error>([&] { forward_kinematics<double>(s.mechanism, s.data, q, s.y); }), {"other_joint"}));
  CHECK_THROWS_AS(crba<double>(s.mechanism, s.data), StateError);
}

TEST_CASE("ranges of related degrees of freedom have each that is above, below or beside, once", "[loops]") {
  const Closed s(GENERATE(range(0, 7)));
  const Model<double>& tree = s.model;
  const auto carries = [&](int above, int node) {
    while (node > above) node = tree.node(node).parent;
    return node == above;
  };
  for (int c = 0; c < tree.nv(); ++c) {
    std::vector<int> times(static_cast<std::size_t>(tree.nv()));
    s.mechanism.for_each_related(c, [&](int begin, int end) {
      for (int r = begin; r < end; ++r) ++times[static_cast<std::size_t>(r)];
    });
    for (int r = 0; r < tree.nv(); ++r) {
      const int a = tree.node_of(r), b = tree.node_of(c);
      CHECK(times[static_cast<std::size_t>(r)] == (carries(a, b) || carries(b, a) ? 1 : 0));
    }
  }
}

TEST_CASE("Jacobians of a mechanism move its bodies", "[loops]") {
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const auto& body = s.model.bodies().back();
  MatrixXd J(6, s.model.nv()), J_y(6, s.mechanism.nv()), direct(J_y), Jdot_y(J_y);
  const VectorXd ydot = random_vector<double>(s.mechanism.nv(), 6);
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, ydot);
  body_jacobian(s.model, s.data.tree, body, J);
  project_jacobian<double>(s.mechanism, s.data, J, J_y);
  body_jacobian(s.mechanism, s.data, body, direct);
  CHECK(relative_error(direct, J_y) < bound);
  body_jacobian_dot(s.mechanism, s.data, body, Jdot_y);
  CHECK(relative_error(J_y * s.y, body_velocity(s.model, s.data.tree, body).vector()) < bound);
  CHECK(relative_error(J_y * ydot + Jdot_y * s.y, body_acceleration(s.model, s.data.tree, body).vector()) < bound);
}

TEST_CASE("regressors of a mechanism are those of its tree, projected", "[loops]") {
  const int seed = GENERATE(0, 6);
  CAPTURE(seed);
  Closed s(seed);
  const VectorXd tau = rnea<double>(s.mechanism, s.data, s.q, s.y, random_vector<double>(s.mechanism.nv(), 6));
  MatrixXd Y(s.model.nv(), 10 * static_cast<int>(s.model.bodies().size())), Y_y(s.mechanism.nv(), Y.cols());
  inverse_dynamics_regressor(s.model, s.data.tree, Y);
  project_forces<double>(s.mechanism, s.data, Y, Y_y);
  CHECK(relative_error(Y_y * inertial_parameters(s.model), tau) < bound);
}

TEST_CASE("Christoffel symbols of mechanisms are those of their mass matrix", "[loops]") {
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const int n = s.mechanism.nv();
  ChristoffelTensor<double> Gamma(s.mechanism);
  christoffel_symbols<double>(s.mechanism, s.data, Gamma);
  MatrixXd C;
  Gamma.contract(s.y, C);
  CHECK(relative_error(C, coriolis_matrix(s.mechanism, s.data).C) < bound);
  if (!s.has_coordinates()) return;
  // The symbols have no torsion and are compatible with M: only one set of symbols is.
  for (int k = 0; k < n; ++k) {
    const MatrixXd along = Gamma.along(k);
    const MatrixXd dM = s.along(VectorXd::Unit(n, k), [&](auto& q) { return crba<double>(s.mechanism, s.data, q); });
    CHECK(relative_error(along + along.transpose(), dM) < 1e-6);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) CHECK(std::abs(Gamma(i, j, k) - Gamma(i, k, j)) < bound * (1 + along.norm()));
  }
}

TEST_CASE("derivatives of a mechanism's dynamics are differences along closed motions", "[loops]") {
  const int seed = GENERATE(range(0, 7));
  CAPTURE(seed);
  Closed s(seed);
  const int n = s.mechanism.nv();
  const VectorXd ydot = random_vector<double>(n, 21);
  const auto d = inverse_dynamics_derivatives<double>(s.mechanism, s.data, s.q, s.y, ydot);
  const VectorXd tau = rnea<double>(s.mechanism, s.data);
  CHECK(relative_error(d.M, crba<double>(s.mechanism, s.data)) < bound);
  const auto f = forward_dynamics_derivatives<double>(s.mechanism, s.data, s.q, s.y, tau);
  CHECK(relative_error(f.da_dtau * d.M, MatrixXd::Identity(n, n)) < 1e-9);
  CHECK(relative_error(d.M * f.da_dq, -d.dtau_dq) < 1e-9);
  CHECK(relative_error(d.M * f.da_dv, -d.dtau_dv) < 1e-9);
  const std::vector<ExternalForce<double>> forces{
      {s.model.bodies().back(), Random<double>(seed).force(), ReferenceFrame::world, zero3<double>()}};
  const auto pushed = inverse_dynamics_derivatives<double>(s.mechanism, s.data, s.q, s.y, ydot, forces);
  constexpr double h = 1e-5;
  MatrixXd dq(n, n), dv(n, n), pushed_dq(n, n);
  for (int j = 0; j < n; ++j) {
    const VectorXd e = VectorXd::Unit(n, j);
    dq.col(j) = s.along(e, [&](auto& q) { return rnea<double>(s.mechanism, s.data, q, s.y, ydot); });
    pushed_dq.col(j) = s.along(e, [&](auto& q) { return rnea<double>(s.mechanism, s.data, q, s.y, ydot, forces); });
    const VectorXd more = rnea<double>(s.mechanism, s.data, s.q, s.y + h * e, ydot);
    dv.col(j) = (more - rnea<double>(s.mechanism, s.data, s.q, s.y - h * e, ydot)) / (2 * h);
  }
  CHECK(relative_error(d.dtau_dq, dq) < 1e-5);
  CHECK(relative_error(d.dtau_dv, dv) < 1e-6);
  CHECK(relative_error(pushed.dtau_dq, pushed_dq) < 1e-5);
  CHECK(relative_error(pushed.dtau_dv, dv) < 1e-6);
  // At seed 6 the force acts on a rotor on the ground, with a constant torque.
  if (seed != 6) CHECK((pushed_dq - dq).norm() > 1e-6);
}

TEST_CASE("second rates of the Jacobian of closures are differences", "[loops]") {
  const int seed = GENERATE(range(0, 4));
  CAPTURE(seed);
  Scene s(seed);
  const VectorXd q = random_q(s.model, seed), v = random_vector<double>(s.model.nv(), 1),
                 a = random_vector<double>(s.model.nv(), 2);
  constexpr double h = 1e-5;
  const auto Kdot_at = [&](double t) {
    MatrixXd Kdot(s.loops.rows(), s.model.nv());
    const VectorXd q_t = integrate<double>(s.model, q, t * v + t * t / 2 * a);
    forward_kinematics<double>(s.model, s.data, q_t, v + t * a);
    constraint_jacobian_dot<double>(s.model, s.data, s.loops, Kdot);
    return Kdot;
  };
  const MatrixXd differences = (Kdot_at(h) - Kdot_at(-h)) / (2 * h);
  MatrixXd Kddot(s.loops.rows(), s.model.nv());
  forward_kinematics<double>(s.model, s.data, q, v, a);
  constraint_jacobian_ddot<double>(s.model, s.data, s.loops, Kddot);
  CHECK(relative_error(Kddot, differences) < 1e-7);
}

TEST_CASE("loops of models over other scalars are closed, too", "[loops]") {
  // Uses single precision, and a mass matrix with a condition of some hundreds.
  Closed s(0);
  const auto model = s.model.cast<float>();
  Loops<float> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
  const Mechanism<float> mechanism(model, loops, {"crank_joint"});
  MechanismData<float> data(mechanism);
  const VectorX<float> q = s.q.cast<float>(), y = s.data.tree.v.head(1).cast<float>(), none = VectorX<float>::Zero(3);
  const auto& a = constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, VectorXd::Zero(3)).a;
  const float ydot = aba<float>(mechanism, data, q, y, none.head(1))[0];
  CHECK(relative_error(static_cast<double>(ydot), a[0]) < 1e-3);
  const auto& motion = constrained_forward_dynamics<float>(model, data.tree, loops, none);
  CHECK(motion.rank == 2);
  CHECK(relative_error(motion.a.cast<double>(), a) < 1e-3);
  CHECK(assemble<float>(mechanism, data, q).closed);
}

TEST_CASE("without loops a mechanism is its tree", "[loops]") {
  const auto model = zoo::random_tree(3, {.bodies = 8, .armature = true});
  const Loops<double> loops(model);
  const Mechanism<double> mechanism(model, loops, std::vector<std::string>{});
  MechanismData<double> data(mechanism);
  Data<double> tree(model);
  const VectorXd q = random_q(model, 4), v = random_vector<double>(model.nv(), 5),
                 x = random_vector<double>(model.nv(), 6);
  CHECK(mechanism.nv() == model.nv());
  CHECK(rnea<double>(mechanism, data, q, v, x) == corio::rnea(model, tree, q, v, x));
  CHECK(relative_error(aba<double>(mechanism, data, q, v, x), corio::aba(model, tree, q, v, x)) < bound);
  CHECK(coriolis_matrix(mechanism, data).C == corio::coriolis_matrix(model, tree).C);
  CHECK(relative_error(inverse_dynamics_derivatives<double>(mechanism, data, q, v, x).dtau_dq,
                       corio::inverse_dynamics_derivatives(model, tree, q, v, x).dtau_dq) < bound);
  CHECK(relative_error(coriolis_matrix_dot(mechanism, data).Cdot, corio::coriolis_matrix_dot(model, tree).Cdot) <
        bound);
  ChristoffelTensor<double> Gamma(mechanism);
  christoffel_symbols<double>(mechanism, data, Gamma);
  MatrixXd C(model.nv(), model.nv());
  Gamma.contract(v, C);
  CHECK(relative_error(C, coriolis_matrix(mechanism, data).C) < bound);
  CHECK(constrained_forward_dynamics<double>(model, tree, loops, x).rank == 0);
  CHECK(relative_error(constrained_forward_dynamics<double>(model, tree, loops, x).a, corio::aba(model, tree, x)) <
        bound);
}

TEST_CASE("a mechanism without freedom has empty results", "[loops]") {
  ModelBuilder<double> builder("locked");
  builder.add_body(
      {.name = "a", .joint = joint::Revolute::z(), .inertia = {1.0, {0, 0, 0}, Matrix3<double>::Identity()}});
  builder.couple("lock", {{"a_joint", 1.0}}, 0.25, {"a_joint"});
  const Mechanism<double> mechanism(builder.build());
  MechanismData<double> data(mechanism);
  const VectorXd none(0), q = assemble<double>(mechanism, data, VectorXd::Zero(1)).q;
  CHECK(q[0] == Approx(0.25));
  CHECK(rnea<double>(mechanism, data, q, none, none).size() == 0);
  CHECK(aba<double>(mechanism, data, q, none, none).size() == 0);
  forward_kinematics<double>(mechanism, data, q, none, none);
  CHECK(inverse_dynamics_derivatives<double>(mechanism, data).dtau_dq.size() == 0);
  CHECK(coriolis_matrix_dot(mechanism, data).Cdot.size() == 0);
  ChristoffelTensor<double> Gamma(mechanism);
  christoffel_symbols<double>(mechanism, data, Gamma);
  CHECK(Gamma.size() == 0);
}

TEST_CASE("a loop that holds its joints leaves the others free", "[loops]") {
  const auto chain = zoo::serial_chain(3);
  auto builder = to_builder(chain);
  builder.add_frame("tip", chain.bodies().back().name(), {identity3<double>(), {0.1, 0.2, 0.3}});
  builder.add_body(
      {.name = "slider", .joint = joint::Prismatic::x(), .inertia = {2.0, {0, 0, 0}, Matrix3<double>::Identity()}});
  const auto model = builder.build();
  const VectorXd q = (VectorXd(4) << 0.3, -0.5, 0.7, 0.1).finished(), y = VectorXd::Constant(1, 0.4);
  Data<double> tree(model);
  const MatrixXd M = crba<double>(model, tree, q);
  Loops<double> loops(model);
  loops.close("held", model.ground_frame(body_pose(model, tree, model.frame("tip"))), model.frame("tip"),
              closure::Point{});
  const Mechanism<double> mechanism(model, loops, q);
  REQUIRE(mechanism.nv() == 1);
  MechanismData<double> data(mechanism);
  forward_kinematics<double>(mechanism, data, q, y, y);
  CHECK(coriolis_matrix(mechanism, data).M(0, 0) == Approx(M(3, 3)));
  CHECK(coriolis_matrix_dot(mechanism, data).Cdot(0, 0) == 0.0);
  CHECK(inverse_dynamics_derivatives<double>(mechanism, data).dtau_dq(0, 0) == 0.0);
  ChristoffelTensor<double> Gamma(mechanism);
  christoffel_symbols<double>(mechanism, data, Gamma);
  CHECK(Gamma(0, 0, 0) == 0.0);
}

}  // namespace loops_test
