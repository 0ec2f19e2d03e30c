#include <numbers>

#include "cartesian/cartesian_support.hpp"
#include "corio/cartesian/pseudo_inverse.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

// Compares forces on bodies and in joints with power, the oracle's virtual work, and dense matrices.

namespace corio::test::cartesian {

TEST_EACH(Sample& s, "generalized forces have the power of the forces on the bodies", "[cartesian][forces]") {
  const Matrix6X<double> F = random_columns(s.random, s.model);
  for (const BodyPoint point : points) {
    const Vectord Q = generalized_forces(s.model, s.data, s.q, F, point);
    const double power = velocities_by_oracle(s, s.v, point).cwiseProduct(F).sum();
    CHECK(relative_error(Q.dot(s.v), power, Q.cwiseProduct(s.v).lpNorm<1>()) < tolerance<double>());
    CHECK(relative_error(Q, jacobian_by_oracle(s, point).transpose() * F.reshaped()) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "forces at given points with body torques are those of eq. 67", "[cartesian][forces]") {
  forward_kinematics(s.model, s.data, s.q);
  std::vector<ExternalForce<double>> forces;
  Matrix6X<double> F(6, std::ssize(s.model.bodies()));
  Vectord work = Vectord::Zero(s.model.nv());
  for (const auto& body : s.model.bodies()) {
    const int b = plan_number(s.model, body.index());
    const Vector3<double> torque = s.random.vector(), force = s.random.vector(), r = s.random.vector();
    forces.emplace_back(body, Force<double>{torque, force}, ReferenceFrame::world, r);
    work += s.oracle.generalized_force({b, torque, force, r});
    // tau = tau' + (r - x) x f gives the torque at the centre of mass.
    const Vector3<double> arm = r - point_in_world(s, b, BodyPoint::center_of_mass);
    F.col(body.index()) << torque + cross(arm, force), force;
  }
  CHECK(relative_error(generalized_forces<double>(s.model, s.data, forces), work) < tolerance<double>());
  CHECK(relative_error(generalized_forces(s.model, s.data, F), work) < tolerance<double>());
}

TEST_CASE("joint torques are those of eqs. 68 and 69, with D and R", "[cartesian][forces]") {
  Sample s(rotational_plan(GENERATE(range(1, 6))), 1);
  forward_kinematics(s.model, s.data, s.q);
  const Rotations rotations(s);
  Matrix6X<double> hat = random_columns(s.random, s.model);
  hat.bottomRows<3>().setZero();
  const Vectord torques = rotations.D.transpose() * rotations.R * hat.topRows<3>().reshaped();
  for (const BodyPoint point : points) {
    const Matrix6X<double> F = body_wrenches(s.model, s.data, hat, point);
    CHECK(relative_error(F.topRows<3>().reshaped(), torques) < tolerance<double>());
    CHECK(max_magnitude(F.bottomRows<3>()) == 0);
    CHECK(relative_error(joint_wrenches(s.model, s.data, F, point), hat) < tolerance<double>());
    const Vectord Q = generalized_forces(s.model, s.data, F, point);
    for (const auto& joint : s.model.joints()) {
      const auto k = &joint - s.model.joints().data();
      const Vectord expected = rotations.J_hat[static_cast<std::size_t>(k)].transpose() * hat.col(k).template head<3>();
      CHECK(relative_error(Q.segment(joint.v_index(), joint.nv()), expected) < tolerance<double>());
    }
  }
  // The torques by eq. 71 have the least norm.
  const Vectord Q = random_vector(s.random, s.model.nv());
  const auto& found = cartesian_forces(s.model, s.data, Q);
  CHECK(found.rank == s.model.nv());
  const Matrix6X<double>& joints = joint_wrenches(s.model, s.data, found.F);
  for (const auto& joint : s.model.joints()) {
    const auto k = &joint - s.model.joints().data();
    const Vectord expected = pseudo_inverse(rotations.J_hat[static_cast<std::size_t>(k)].transpose()) *
                             Q.segment(joint.v_index(), joint.nv());
    CHECK(relative_error(joints.col(k).template head<3>(), expected) < tolerance<double>());
    CHECK(max_magnitude(joints.col(k).template tail<3>()) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "wrenches in joints act on two bodies, and are the sums over subtrees", "[cartesian][forces]") {
  forward_kinematics(s.model, s.data, s.q);
  const Matrix6X<double> joints = random_columns(s.random, s.model);
  for (const BodyPoint point : points) {
    const Matrix6X<double> F = body_wrenches(s.model, s.data, joints, point);
    CHECK(relative_error(joint_wrenches(s.model, s.data, F, point), joints, max_magnitude(F)) < tolerance<double>());
    // The power is the sum, over the joints, of the joint's wrench times the motion of its body relative to the parent.
    const Matrix6X<double> V = velocities_by_oracle(s, s.v, point);
    double power = 0;
    for (const auto& body : s.model.bodies()) {
      const int b = plan_number(s.model, body.index());
      const Matrix4<double> rate = s.oracle.pose_rate(b, s.v), T = s.oracle.pose(b);
      const bool is_root = body.parent() < 0;
      const int p = is_root ? 0 : plan_number(s.model, body.parent());
      const Matrix4<double> Tp = is_root ? Matrix4<double>::Identity() : s.oracle.pose(p),
                            Tp_rate = is_root ? Matrix4<double>::Zero() : s.oracle.pose_rate(p, s.v);
      const Matrix4<double> relative = Tp.inverse() * (rate * T.inverse() - Tp_rate * Tp.inverse()) * Tp;
      // The bodies of the table have their frames at their joints.
      const Vector3<double> at = Oracle::at_point(Tp.inverse() * T, zero3<double>());
      const Vector3<double> w = vector_of(relative.topLeftCorner<3, 3>()), u = Oracle::at_point(relative, at);
      power += w.dot(joints.col(body.index()).head<3>()) + u.dot(joints.col(body.index()).tail<3>());
    }
    CHECK(relative_error(F.cwiseProduct(V).sum(), power, F.cwiseProduct(V).lpNorm<1>()) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "generalized forces return as forces on the bodies, joint by joint and of least norm",
          "[cartesian][forces]") {
  forward_kinematics(s.model, s.data, s.q);
  const Vectord Q = random_vector(s.random, s.model.nv());
  for (const BodyPoint point : points) {
    const Matrixd Jt = jacobian_by_oracle(s, point).transpose();
    const auto& by_joint = cartesian_forces(s.model, s.data, Q, point);
    const auto& least = minimum_norm_forces(s.model, s.data, Q, point);
    for (const auto* found : {&by_joint, &least}) {
      CHECK(relative_error(Jt * found->F.reshaped(), Q, max_magnitude(Jt) * max_magnitude(found->F)) <
            tolerance<double>());
      CHECK(max_magnitude(found->residual) < 1e-11);
      CHECK(found->rank == s.model.nv());
    }
    CHECK(relative_error(least.F.reshaped(), pseudo_inverse(Jt) * Q) < 1e-11);
    CHECK(least.F.norm() <= by_joint.F.norm() * (1 + 1e-12));
  }
}

TEST_CASE("motors within a floating tree neither push nor turn it", "[cartesian][forces]") {
  Sample s(PlanMaker("floating", 9).chain(-1, {Kind::free_flyer, Kind::revolute, Kind::planar, Kind::helical}).plan(),
           2);
  forward_kinematics(s.model, s.data, s.q);
  Vectord Q = random_vector(s.random, s.model.nv());
  Q.head<6>().setZero();
  const Matrix6X<double> F = cartesian_forces(s.model, s.data, Q).F;
  Vector3<double> force = zero3<double>(), moment = zero3<double>();
  for (Eigen::Index i = 0; i < F.cols(); ++i) {
    const Vector3<double> f = F.col(i).tail<3>(), n = F.col(i).head<3>();
    force += f;
    moment += n + cross(point_in_world(s, plan_number(s.model, i), BodyPoint::center_of_mass), f);
  }
  REQUIRE(max_magnitude(F) > 0.1);
  CHECK(max_magnitude(force) < tolerance<double>());
  CHECK(max_magnitude(moment) < tolerance<double>());
}

TEST_CASE("what a joint in gimbal lock cannot bear is left of the generalized forces", "[cartesian][forces]") {
  const auto model = tree_on<double>(EulerZyx());
  Data<double> data(model);
  Vectord q = random_q(model, 3), Q = test::random_vector<double>(model.nv(), 4);
  q[3] = std::numbers::pi / 2;
  forward_kinematics(model, data, q);
  for (const auto* found : {&cartesian_forces(model, data, Q), &minimum_norm_forces(model, data, Q)}) {
    CHECK(found->rank == model.nv() - 1);
    CHECK(found->F.allFinite());
    CHECK(max_magnitude(found->residual) > 0.01);
  }
  // The columns of the first and of the third angle are opposite, so no wrench gives both required torques.
  const auto& found = cartesian_forces(model, data, Q);
  Vectord expected = Vectord::Zero(model.nv());
  expected[2] = expected[4] = (Q[2] + Q[4]) / 2;
  CHECK(relative_error(found.residual, expected) < tolerance<double>());
  CHECK(relative_error(generalized_forces(model, data, found.F), Q - expected) < tolerance<double>());
}

TEST_CASE("conversions of forces say what is wrong with their arguments", "[cartesian][forces][errors]") {
  const auto model = zoo::serial_chain(3), other = zoo::serial_chain(3);
  Data<double> data(model);
  const Matrix6X<double> F = Matrix6X<double>::Ones(6, 3), narrow = F.leftCols(2);
  const Vectord Q = Vectord::Ones(3), long_Q = Vectord::Ones(4);
  CHECK_THROWS_AS(generalized_forces(model, data, F), StateError);
  CHECK_THROWS_AS(cartesian_forces(model, data, Q), StateError);
  CHECK_THROWS_AS(minimum_norm_forces(model, data, Q), StateError);
  CHECK_THROWS_AS(body_wrenches(model, data, F), StateError);
  CHECK_THROWS_AS(joint_wrenches(model, data, F), StateError);
  forward_kinematics(model, data, Q);
  CHECK_THROWS_AS(generalized_forces(model, data, narrow), SizeError);
  CHECK_THROWS_AS(generalized_forces<double>(model, data, 2 * Q, narrow), SizeError);
  CHECK(data.q == Q);  // the pass comes after the check
  CHECK_THROWS_AS(body_wrenches(model, data, narrow), SizeError);
  CHECK_THROWS_AS(joint_wrenches(model, data, narrow), SizeError);
  CHECK(mentions(message_of<SizeError>([&] { cartesian_forces(model, data, long_Q); }),
                 {"cartesian_forces", "Q has size 4", "expected 3"}));
  CHECK_THROWS_AS(minimum_norm_forces(model, data, long_Q), SizeError);
  const ExternalForce<double> elsewhere(other.body("link2"), Force<double>::zero(), ReferenceFrame::world);
  CHECK_THROWS_AS(generalized_forces<double>(model, data, elsewhere), ModelError);
}

}  // namespace corio::test::cartesian
