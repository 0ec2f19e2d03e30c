#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "convert.hpp"

namespace compare {
namespace {

namespace dyn = dart::dynamics;

template <class Properties>
Properties joint_properties(const Body& body) {
  Properties p;
  p.mName = body.name + "_joint";
  p.mT_ParentBodyToJoint.linear() = rotation(body);
  p.mT_ParentBodyToJoint.translation() = position(body);
  if constexpr (requires { p.mAxis; }) p.mAxis = Vector3d::UnitZ();
  return p;
}

struct Robot {
  dyn::SkeletonPtr skeleton = dyn::Skeleton::create();
  std::vector<dyn::BodyNode*> bodies;
  std::vector<PeerState> states;
  MatrixXd matrix;
  Vector3d com_position;

  explicit Robot(const Mechanism& mechanism) : states(convert(mechanism, Base::angular_linear)) {
    skeleton->setGravity({0, 0, -9.81});
    for (const Body& body : mechanism.bodies) {
      dyn::BodyNode* parent = body.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(body.parent)];
      dyn::BodyNode::Properties properties;
      properties.mName = body.name;
      properties.mInertia = dyn::Inertia(body.mass, com(body), inertia(body));
      const auto add = [&]<class Joint>(Joint*) {
        return skeleton
            ->createJointAndBodyNodePair<Joint>(parent, joint_properties<typename Joint::Properties>(body), properties)
            .second;
      };
      bodies.push_back(body.joint == Body::Joint::revolute    ? add(static_cast<dyn::RevoluteJoint*>(nullptr))
                       : body.joint == Body::Joint::prismatic ? add(static_cast<dyn::PrismaticJoint*>(nullptr))
                                                              : add(static_cast<dyn::FreeJoint*>(nullptr)));
    }
    if (mechanism.floats())
      for (PeerState& s : states) {
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.linear() = Eigen::Quaterniond(s.q[6], s.q[3], s.q[4], s.q[5]).toRotationMatrix();
        X.translation() = s.q.head<3>();
        const VectorXd joints = s.q.tail(s.q.size() - 7);
        s.q.resize(joints.size() + 6);
        s.q << dyn::FreeJoint::convertToPositions(X), joints;
      }
  }

  void set(const PeerState& s) {
    skeleton->setPositions(s.q);
    skeleton->setVelocities(s.v);
  }
};

std::vector<double> kinematics(const Robot& r) {
  std::vector<double> result;
  for (const dyn::BodyNode* body : r.bodies) {
    append(result, body->getTransform().translation());
    append(result, body->getAngularVelocity());
    append(result, body->getLinearVelocity());
  }
  return result;
}

}  // namespace

Peer make_dart(const Mechanism& mechanism) {
  using A = Algorithm;
  Peer peer{"DART " DART_VERSION, "library as installed, called from " CORIO_COMPARE_FLAGS, {}};
  const auto robot = std::make_shared<Robot>(mechanism);
  const auto matrix = [](const Robot& r, const PeerState& s) { return matrices(s, {r.matrix}); };

  add(
      peer, A::kinematics, "getTransform, getSpatialVelocity", robot,
      [](Robot& r, const PeerState& s) {
        r.set(s);
        for (const dyn::BodyNode* body : r.bodies) {  // DART computes them on request
          body->getTransform();
          body->getSpatialVelocity();
        }
      },
      [](const Robot& r, const PeerState&) { return kinematics(r); });
  add(
      peer, A::inverse_dynamics, "computeInverseDynamics", robot,
      [](Robot& r, const PeerState& s) {
        r.set(s);
        r.skeleton->setAccelerations(s.a);
        r.skeleton->computeInverseDynamics();
      },
      [](const Robot& r, const PeerState& s) { return force(s, r.skeleton->getForces()); });
  add(
      peer, A::bias, "getCoriolisAndGravityForces", robot,
      [](Robot& r, const PeerState& s) {
        r.set(s);
        r.skeleton->getCoriolisAndGravityForces();
      },
      [](const Robot& r, const PeerState& s) { return force(s, r.skeleton->getCoriolisAndGravityForces()); });
  add(
      peer, A::mass_matrix, "getMassMatrix", robot,
      [](Robot& r, const PeerState& s) {
        r.skeleton->setPositions(s.q);
        r.matrix = r.skeleton->getMassMatrix();
      },
      matrix);
  add(
      peer, A::forward_dynamics, "computeForwardDynamics", robot,
      [](Robot& r, const PeerState& s) {
        r.set(s);
        r.skeleton->setForces(s.tau);
        r.skeleton->computeForwardDynamics();
      },
      [](const Robot& r, const PeerState& s) { return acceleration(s, r.skeleton->getAccelerations()); });
  add(
      peer, A::inverse_mass, "getInvMassMatrix", robot,
      [](Robot& r, const PeerState& s) {
        r.skeleton->setPositions(s.q);
        r.matrix = r.skeleton->getInvMassMatrix();
      },
      matrix);
  const auto of_velocity = [](const Robot& r, const PeerState& s) { return columns(s, {r.matrix}); };
  add(
      peer, A::frame_jacobian, "getWorldJacobian", robot,
      [](Robot& r, const PeerState& s) {
        r.skeleton->setPositions(s.q);
        r.matrix = r.skeleton->getWorldJacobian(r.bodies.back());
      },
      of_velocity);
  add(
      peer, A::center_of_mass, "getCOM", robot,
      [](Robot& r, const PeerState& s) {
        r.skeleton->setPositions(s.q);
        r.com_position = r.skeleton->getCOM();
      },
      [](const Robot& r, const PeerState&) { return numbers(r.com_position); });
  add(
      peer, A::com_jacobian, "getCOMLinearJacobian", robot,
      [](Robot& r, const PeerState& s) {
        r.skeleton->setPositions(s.q);
        r.matrix = r.skeleton->getCOMLinearJacobian();
      },
      of_velocity);
  // Energies are left out: computePotentialEnergy is not m g z of the centre of mass that getCOM returns.
  return peer;
}

}  // namespace compare
