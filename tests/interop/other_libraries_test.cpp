#include "support/catch.hpp"

// Two libraries have corio's generalized velocities: only twists (KDL) and the positions of joints with three rotations
// (DART) differ. Their results equal corio's.

#if defined(CORIO_TEST_KDL) || defined(CORIO_TEST_DART)
#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "corio/joints/euler_angles.hpp"
#include "corio/joints/exponential_coordinates.hpp"
#include "corio/joints/free_flyer.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

const Vector3<double> offset(0.1, 0.2, -0.3), com(0.1, 0.05, -0.2);
/// Both libraries run corio's recursions on the same numbers: another order of operations costs a few digits.
constexpr double rounding = 1e-12;

void add_link(ModelBuilder<double>& builder, const std::string& name, const std::string& parent,
              const joint::JointSpec<double>& joint) {
  builder.add_body({.name = name,
                    .parent = parent,
                    .joint = joint,
                    .placement = {identity3<double>(), offset},
                    .inertia = {1.5, com, Vector3<double>(0.1, 0.2, 0.25).asDiagonal()}});
}

}  // namespace
#endif

#ifdef CORIO_TEST_KDL
#include <kdl/chaindynparam.hpp>
#include <kdl/chainjnttojacsolver.hpp>

TEST_CASE("KDL's dynamics are corio's", "[interop][kdl]") {
  ModelBuilder<double> builder("arm");
  KDL::Chain chain;
  const KDL::Vector placement(offset[0], offset[1], offset[2]);
  std::string parent;
  const auto add = [&](const std::string& name, const joint::JointSpec<double>& joint, const KDL::Vector& axis,
                       auto type) {
    add_link(builder, name, parent, joint);
    chain.addSegment(KDL::Segment(
        name, KDL::Joint(name, placement, axis, type), KDL::Frame(placement),
        KDL::RigidBodyInertia(1.5, {com[0], com[1], com[2]}, KDL::RotationalInertia(0.1, 0.2, 0.25, 0, 0, 0))));
    parent = name;
  };
  add("shoulder", joint::Revolute::z(), {0, 0, 1}, KDL::Joint::RotAxis);
  add("elbow", joint::Revolute::x(), {1, 0, 0}, KDL::Joint::RotAxis);
  add("slide", joint::Prismatic::y(), {0, 1, 0}, KDL::Joint::TransAxis);
  add("wrist", joint::Revolute::y(), {0, 1, 0}, KDL::Joint::RotAxis);
  const auto model = builder.build();
  Data<double> data(model);
  const interop::Conversion c(model, interop::kdl);
  const Vectord q = random_vector<double>(model.nv(), 1), v = random_vector<double>(model.nv(), 2);

  const unsigned n = chain.getNrOfJoints();
  KDL::JntArray their_q(n), their_v(n), result(n);
  their_q.data = c.q_to(q), their_v.data = c.v_to(q, v);
  KDL::ChainDynParam dynamics(chain, {0, 0, -9.81});
  KDL::JntSpaceInertiaMatrix M(static_cast<int>(n));
  dynamics.JntToMass(their_q, M);
  CHECK(relative_error(c.M_to(q, crba(model, data, q)), M.data) < rounding);
  dynamics.JntToGravity(their_q, result);
  CHECK(relative_error(c.tau_from(q, result.data), generalized_gravity(model, data, q)) < rounding);
  dynamics.JntToCoriolis(their_q, their_v, result);
  CHECK(relative_error(c.tau_from(q, result.data), Vectord(coriolis_matrix(model, data, q, v).C * v)) < rounding);

  KDL::Jacobian their_J(n);
  KDL::ChainJntToJacSolver(chain).JntToJac(their_q, their_J);
  Matrixd J(6, model.nv());
  body_jacobian(model, data, {model.body("wrist"), ReferenceFrame::world_aligned}, J);
  CHECK(relative_error(c.jacobian_to(q, J), their_J.data) < rounding);
  CHECK(relative_error(c.jacobian_from(q, their_J.data), J) < rounding);
}
#endif

#ifdef CORIO_TEST_DART
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/EulerJoint.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

namespace {

template <class Joint>
dart::dynamics::BodyNode* add_node(const dart::dynamics::SkeletonPtr& skeleton, dart::dynamics::BodyNode* parent,
                                   const std::string& name, typename Joint::Properties joint = {}) {
  joint.mName = name;
  joint.mT_ParentBodyToJoint.translation() = offset;
  dart::dynamics::BodyNode::Properties body;
  body.mName = name;
  body.mInertia = dart::dynamics::Inertia(1.5, com, Eigen::Vector3d(0.1, 0.2, 0.25).asDiagonal().toDenseMatrix());
  return skeleton->createJointAndBodyNodePair<Joint>(parent, joint, body).second;
}

}  // namespace

TEST_CASE("DART's dynamics are corio's", "[interop][dart]") {
  namespace dyn = dart::dynamics;
  ModelBuilder<double> builder("robot");
  add_link(builder, "base", "", joint::FreeFlyer{});
  add_link(builder, "arm", "base", joint::Spherical{});
  add_link(builder, "hand", "arm", joint::Revolute::z());
  add_link(builder, "leg", "base", joint::Revolute::z());
  const auto model = builder.build();
  Data<double> data(model);
  std::mt19937 generator(4);
  const Vectord q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 5);

  const auto skeleton = dyn::Skeleton::create();
  skeleton->setGravity({0, 0, -9.81});
  auto* const base = add_node<dyn::FreeJoint>(skeleton, nullptr, "base");
  auto* const arm = add_node<dyn::BallJoint>(skeleton, base, "arm");
  dyn::RevoluteJoint::Properties hinge;
  hinge.mAxis = Eigen::Vector3d::UnitZ();
  add_node<dyn::RevoluteJoint>(skeleton, arm, "hand", hinge);
  add_node<dyn::RevoluteJoint>(skeleton, base, "leg", hinge);
  const auto rotation = [&](int i) { return Eigen::Quaterniond(q[i + 3], q[i], q[i + 1], q[i + 2]).matrix(); };
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = rotation(3), X.translation() = q.head<3>();
  Vectord their_q(model.nv());
  their_q << dyn::FreeJoint::convertToPositions(X), dyn::BallJoint::convertToPositions(rotation(7)), q.tail(2);
  skeleton->setPositions(their_q);
  skeleton->setVelocities(v);

  CHECK(relative_error(crba(model, data, q), skeleton->getMassMatrix()) < rounding);
  CHECK(relative_error(generalized_gravity(model, data), skeleton->getGravityForces()) < rounding);
  CHECK(relative_error(nonlinear_effects(model, data, q, v), skeleton->getCoriolisAndGravityForces()) < rounding);
  for (const auto& body : model.bodies()) {
    Matrixd J(6, model.nv());
    body_jacobian(model, data, {body, ReferenceFrame::world_aligned}, J);
    const auto* const node = skeleton->getBodyNode(body.name());
    CHECK(relative_error(J, Matrixd(skeleton->getWorldJacobian(node))) < rounding);
  }
}

TEST_CASE("DART's Euler, ball and free joints are corio's in other speeds", "[interop][dart]") {
  namespace dyn = dart::dynamics;
  ModelBuilder<double> builder("robot");
  add_link(builder, "base", "", joint::FreeFlyerInParentAxes{});
  add_link(builder, "arm", "base", joint::SphericalEuler<'x', 'y', 'z'>{});
  add_link(builder, "hand", "arm", joint::SphericalExp{});
  add_link(builder, "leg", "base", joint::SphericalEuler<'z', 'y', 'x'>{});
  add_link(builder, "foot", "leg", joint::SphericalInParentAxes{});
  const auto model = builder.build();
  Data<double> data(model);
  std::mt19937 generator(6);
  const Vectord q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 7);

  const auto skeleton = dyn::Skeleton::create();
  skeleton->setGravity({0, 0, -9.81});
  dyn::EulerJoint::Properties xyz, zyx;
  xyz.mAxisOrder = dyn::EulerJoint::AxisOrder::XYZ, zyx.mAxisOrder = dyn::EulerJoint::AxisOrder::ZYX;
  auto* const base = add_node<dyn::FreeJoint>(skeleton, nullptr, "base");
  auto* const arm = add_node<dyn::EulerJoint>(skeleton, base, "arm", xyz);
  add_node<dyn::BallJoint>(skeleton, arm, "hand");
  auto* const leg = add_node<dyn::EulerJoint>(skeleton, base, "leg", zyx);
  add_node<dyn::BallJoint>(skeleton, leg, "foot");

  // In DART, q for ball and free joints is a rotation vector, followed by the position for the free joint; their speeds
  // are the body's angular and linear velocity in its own axes, v' = A v; Euler angles and their rates are the same as
  // in corio.
  const auto rotation = [&](int i) { return Eigen::Quaterniond(q[i + 3], q[i], q[i + 1], q[i + 2]).matrix(); };
  const Eigen::Matrix3d R_base = rotation(3), R_foot = rotation(16);
  const Vector3<double> phi = q.segment<3>(10);
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = R_base, X.translation() = q.head<3>();
  Vectord their_q(model.nv());
  their_q << dyn::FreeJoint::convertToPositions(X), q.segment(7, 3), phi, q.segment(13, 3),
      dyn::BallJoint::convertToPositions(R_foot);
  Matrixd A = Matrixd::Identity(model.nv(), model.nv()), Adot = Matrixd::Zero(model.nv(), model.nv());
  const auto in_parent_axes = [&](int k, const Eigen::Matrix3d& R, int w) {
    const Vector3<double> in_body = R.transpose() * v.segment<3>(w);
    A.block<3, 3>(k, k) = R.transpose();
    Adot.block<3, 3>(k, k) = -skew(in_body) * R.transpose();
  };
  in_parent_axes(0, R_base, 0), in_parent_axes(3, R_base, 0), in_parent_axes(15, R_foot, 15);
  A.block<3, 3>(9, 9) = right_jacobian(phi);
  Adot.block<3, 3>(9, 9) = right_jacobian_rate<double>(phi, v.segment<3>(9));
  skeleton->setPositions(their_q);
  skeleton->setVelocities(A * v);

  const Matrixd their_M = skeleton->getMassMatrix();
  CHECK(relative_error(crba(model, data, q), Matrixd(A.transpose() * their_M * A)) < rounding);
  CHECK(relative_error(generalized_gravity(model, data), Vectord(A.transpose() * skeleton->getGravityForces())) <
        rounding);
  const Vectord bias = skeleton->getCoriolisAndGravityForces() + their_M * Adot * v;
  CHECK(relative_error(nonlinear_effects(model, data, q, v), Vectord(A.transpose() * bias)) < rounding);
  for (const auto& body : model.bodies()) {
    CAPTURE(body.name());
    Matrixd J(6, model.nv()), J_dot(6, model.nv());
    body_jacobian(model, data, {body, ReferenceFrame::world_aligned}, J);
    body_jacobian_dot(model, data, {body, ReferenceFrame::world_aligned}, J_dot);
    const auto* const node = skeleton->getBodyNode(body.name());
    // DART's Jacobian of a body has only the columns of the body's ancestors; the Jacobian of the skeleton has all
    // columns.
    const Matrixd their_J = skeleton->getWorldJacobian(node), their_rate = skeleton->getJacobianClassicDeriv(node);
    CHECK(relative_error(J, Matrixd(their_J * A)) < rounding);
    CHECK(relative_error(J_dot, Matrixd(their_rate * A + their_J * Adot)) < rounding);
  }
}
#endif
