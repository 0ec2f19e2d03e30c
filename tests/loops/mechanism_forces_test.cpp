#include "corio/algorithms/dynamics/joint_reactions.hpp"
#include "loops/mechanism_support.hpp"

// Joint reactions and hybrid dynamics of mechanisms with closed loops.

namespace loops_test {
namespace {

/// Returns the places of all bodies, in the world.
std::vector<FramePoint<double>> in_world(const Model<double>& model) {
  std::vector<FramePoint<double>> places;
  for (const auto& body : model.bodies()) places.push_back({body, ReferenceFrame::world});
  return places;
}
/// Returns forces along the columns of the joints, rotors included.
VectorXd along_columns(const Model<double>& model, const Data<double>& data, const Matrix6X<double>& F) {
  VectorXd tau(model.nv());
  for (const auto& body : model.bodies()) {
    const auto& joint = model.joint_of_node(body.node());
    MatrixXd J(6, model.nv());
    body_jacobian(model, data, FramePoint<double>(body, ReferenceFrame::world), J);
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
      tau[k] = J.col(k).dot(F.col(body.index())) + model.armature()[k] * data.a[k];
  }
  return tau;
}

}  // namespace

TEST_CASE("joints without drives bear nothing along their columns, the others what rnea says",
          "[loops][joint_reactions]") {
  Closed s(GENERATE(0, 1, 2, 3, 4, 5));
  const VectorXd ydot = random_vector<double>(s.mechanism.nv(), 8);
  std::vector<ExternalForce<double>> external;
  Random<double> random(4);
  for (const auto& body : s.model.bodies())
    external.emplace_back(body, random.force(), ReferenceFrame::world_aligned, random.vector());
  const auto places = in_world(s.model);
  const Matrix6X<double> F = joint_reactions(s.mechanism, s.data, s.q, s.y, ydot, external, places);
  const VectorXd tau = rnea<double>(s.mechanism, s.data, external);
  VectorXd expected = VectorXd::Zero(s.model.nv());
  for (int k = 0; k < s.mechanism.nv(); ++k) expected[s.mechanism.dof_of_speed(k)] = tau[k];
  CHECK(relative_error(along_columns(s.model, s.data.tree, F), expected, max_magnitude(F)) < bound);
}

TEST_CASE("loops act on bodies as external forces do that closure_force names", "[loops][joint_reactions]") {
  Closed s(GENERATE(0, 1, 2, 3, 4, 5));
  const VectorXd ydot = random_vector<double>(s.mechanism.nv(), 8);
  const auto places = in_world(s.model);
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, ydot);
  const VectorXd effort = VectorXd::Ones(s.model.nv());
  std::vector<ExternalForce<double>> forces;
  if (GENERATE(false, true)) {
    Random<double> random(4);
    for (const auto& body : s.model.bodies())
      forces.emplace_back(body, random.force(), ReferenceFrame::body, random.vector());
  }
  const DriveForces<double> drives = constrained_inverse_dynamics<double>(s.mechanism, s.data, effort, forces);
  const Matrix6X<double> F = joint_reactions(s.mechanism, s.data, drives, places, forces);
  CHECK(relative_error(along_columns(s.model, s.data.tree, F), drives.tau, max_magnitude(F)) < bound);
  for (const auto& loop : s.loops.all()) {
    const Force<double> pin = closure_force(s.model, s.data.tree, s.loops, loop.name, drives.lambda);
    const Vector3<double> at = body_pose(s.model, s.data.tree, loop.frames[1]).translation;
    forces.emplace_back(loop.frames[1], pin, ReferenceFrame::world, at);
    forces.emplace_back(loop.frames[0], -pin, ReferenceFrame::world, at);
  }
  CHECK(relative_error(F, joint_reactions(s.model, s.data.tree, forces, places), max_magnitude(F)) < bound);
}

TEST_CASE("empty braces are no external forces, also where drives could stand", "[loops][joint_reactions]") {
  Closed s(1);
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, random_vector<double>(s.mechanism.nv(), 8));
  const auto places = in_world(s.model);
  const Matrix6X<double> F = joint_reactions(s.mechanism, s.data, ExternalForces<double>(), places);
  CHECK(joint_reactions(s.mechanism, s.data, {}, places) == F);
  CHECK(F.norm() > 1);
}

TEST_CASE("speeds of mechanisms have the names of their joints", "[loops][hybrid_dynamics]") {
  Closed s(GENERATE(0, 1, 2, 3, 4, 5, 6, 7));
  const auto name = [&](int dof) {
    const Joint& joint = s.model.joint_of_node(s.model.node_of(dof));
    return joint.nv() == 1 ? joint.name() : joint.name() + "[" + std::to_string(dof - joint.v_index()) + "]";
  };
  std::vector<std::string> names;
  std::vector<int> all;
  for (int k = s.mechanism.nv() - 1; k >= 0; --k) {
    CHECK(s.mechanism.v_indices({name(s.mechanism.dof_of_speed(k))}) == std::vector<int>{k});
    names.push_back(name(s.mechanism.dof_of_speed(k))), all.push_back(k);
  }
  CHECK(s.mechanism.v_indices(names) == all);
  const std::string first = s.model.joint_of_node(s.model.node_of(s.mechanism.dof_of_speed(0))).name();
  const auto& independent = s.mechanism.independent();
  for (int dof = 0; dof < s.model.nv(); ++dof)
    if (std::find(independent.begin(), independent.end(), dof) == independent.end())
      CHECK(mentions(message_of<ModelError>([&] { s.mechanism.v_indices({name(dof)}); }),
                     {"'" + s.model.name() + "'", "'" + name(dof) + "'", first}));
  CHECK_THROWS_AS(s.mechanism.v_indices({"no such joint"}), ModelError);
  const VectorXd a = random_vector<double>(s.mechanism.nv(), 9);
  const auto message =
      message_of<ModelError>([&] { hybrid_dynamics(s.mechanism, s.data, s.q, s.y, a, a, {s.mechanism.nv()}); });
  CHECK(mentions(message, {"hybrid_dynamics", "v_indices", "mechanism"}));
}

TEST_CASE("hybrid dynamics of mechanisms solves their partitioned equations", "[loops][hybrid_dynamics]") {
  Closed s(GENERATE(0, 1, 2, 3, 4, 5, 6, 7));
  const int n = s.mechanism.nv();
  std::vector<ExternalForce<double>> external;
  Random<double> random(4);
  for (const auto& body : s.model.bodies()) external.emplace_back(body, random.force());
  const VectorXd tau = random_vector<double>(n, 8), a = random_vector<double>(n, 9);
  for (int first = 0; first < 3; ++first) {
    std::vector<int> prescribed;
    for (int k = first; k < n; k += 2) prescribed.push_back(k);
    const auto found = hybrid_dynamics(s.mechanism, s.data, s.q, s.y, a, tau, prescribed, external);
    MatrixXd M = crba<double>(s.mechanism, s.data);
    VectorXd right = tau - rnea<double>(s.mechanism, s.data, s.q, s.y, VectorXd::Zero(n), external);
    for (const int k : prescribed) M.row(k) = VectorXd::Unit(n, k).transpose(), right[k] = a[k];
    CHECK(relative_error(found.a, solve(M, right)) < bound);
    CHECK(relative_error(found.tau, rnea<double>(s.mechanism, s.data, s.q, s.y, found.a, external)) < bound);
    // Computes the derivatives from those of rnea, by the partition with dense matrices.
    const auto inverse = inverse_dynamics_derivatives<double>(s.mechanism, s.data, external);
    const auto& [dz_dq, dz_dv, dz_du] = hybrid_dynamics_derivatives(s.mechanism, s.data, prescribed, external);
    // Solves M da + dID = dtau with the unknowns z on the left.
    MatrixXd left = inverse.M, given = -MatrixXd::Identity(n, n);
    for (const int k : prescribed) left.col(k) = -VectorXd::Unit(n, k), given.col(k) = inverse.M.col(k);
    CHECK(relative_error(dz_dq, solve(left, -inverse.dtau_dq)) < bound);
    CHECK(relative_error(dz_dv, solve(left, -inverse.dtau_dv)) < bound);
    CHECK(relative_error(dz_du, solve(left, -given)) < bound);
  }
  CHECK_THROWS_AS(hybrid_dynamics(s.mechanism, s.data, s.q, s.y, a, tau, {n}), ModelError);
}

TEST_CASE("the rate of tau of a mechanism is its difference along the motion", "[loops][time_derivative]") {
  Closed s(GENERATE(0, 1, 2, 3, 4, 5, 6, 7));
  const int n = s.mechanism.nv();
  const VectorXd ydot = random_vector<double>(n, 8), jerk = random_vector<double>(n, 9);
  const auto found = inverse_dynamics_time_derivative<double>(s.mechanism, s.data, s.q, s.y, ydot, jerk);
  CHECK(relative_error(found.tau, rnea<double>(s.mechanism, s.data)) < bound);
  // Returns the closed configuration after a time h to third order, for +h and -h; q' = G y there.
  const VectorXd v = s.data.tree.v, a = s.data.tree.a;
  const auto tau_at = [&](double h) -> VectorXd {
    VectorXd q = s.q;
    constexpr int steps = 8;
    for (int i = 0; i < steps; ++i) {  // midpoint steps, with an error of third order
      const double t = (i + 0.5) * h / steps;
      q = integrate<double>(s.model, q, h / steps * (v + t * a));
    }
    const auto assembly = assemble<double>(s.mechanism, s.data, q);
    REQUIRE(assembly.closed);
    return rnea<double>(s.mechanism, s.data, assembly.q, s.y + h * ydot + h * h / 2 * jerk, ydot + h * jerk);
  };
  // The errors are h^2 times the third derivative, and those of rounding and of the closed loops over h.
  const double h = 1e-4;
  const VectorXd slope = (8 * (tau_at(h) - tau_at(-h)) - (tau_at(2 * h) - tau_at(-2 * h))) / (12 * h);
  CHECK(relative_error(found.tau_dot, slope) < 1e-5);
}

}  // namespace loops_test
