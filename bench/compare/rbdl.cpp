#include <rbdl/rbdl.h>

#include <algorithm>

#include "convert.hpp"

namespace compare {
namespace {

namespace rbd = RigidBodyDynamics;

struct Robot {
  rbd::Model model;
  std::vector<PeerState> states;
  std::vector<unsigned> id;
  rbd::Math::VectorNd tau, a, zero;
  rbd::Math::MatrixNd M;

  explicit Robot(const Mechanism& mechanism) : states(convert(mechanism, Base::world_linear_angular)) {
    model.gravity = rbd::Math::Vector3d(0, 0, -9.81);
    for (const Body& body : mechanism.bodies) {
      const unsigned parent = body.parent < 0 ? 0 : id[static_cast<std::size_t>(body.parent)];
      // A SpatialTransform converts coordinates in the parent to coordinates in the child.
      const rbd::Math::SpatialTransform placement(rotation(body).transpose(), position(body));
      const rbd::Joint joint = body.joint == Body::Joint::revolute ? rbd::Joint(rbd::JointTypeRevoluteZ)
                               : body.joint == Body::Joint::prismatic
                                   ? rbd::Joint(rbd::JointTypePrismatic, rbd::Math::Vector3d(0, 0, 1))
                                   : rbd::Joint(rbd::JointTypeFloatingBase);
      const rbd::Math::Vector3d center = com(body);
      const rbd::Math::Matrix3d I = inertia(body);
      id.push_back(model.AddBody(parent, placement, joint, rbd::Body(body.mass, center, I), body.name));
    }
    const auto n = static_cast<Eigen::Index>(model.qdot_size);
    tau = a = zero = VectorXd::Zero(n);
    M = MatrixXd::Zero(n, n);
    if (mechanism.floats())
      for (PeerState& s : states)  // to [position, x y z of the quaternion, joints, w]
        std::rotate(s.q.data() + 6, s.q.data() + 7, s.q.data() + s.q.size());
  }
};

std::vector<double> kinematics(const Robot& r) {
  std::vector<double> result;
  for (const unsigned i : r.id) {
    const Matrix3d R = r.model.X_base[i].E.transpose();
    append(result, r.model.X_base[i].r);
    append(result, R * r.model.v[i].head<3>());
    append(result, R * r.model.v[i].tail<3>());
  }
  return result;
}

std::string version() {
  const int v = rbdl_get_api_version();
  return std::to_string(v >> 16) + "." + std::to_string((v >> 8) & 255) + "." + std::to_string(v & 255);
}

}  // namespace

Peer make_rbdl(const Mechanism& mechanism) {
  using A = Algorithm;
  Peer peer{"RBDL " + version(), "library as installed, called from " CORIO_COMPARE_FLAGS, {}};
  const auto robot = std::make_shared<Robot>(mechanism);
  const auto tau = [](const Robot& r, const PeerState& s) { return force(s, r.tau); };

  add(
      peer, A::kinematics, "UpdateKinematicsCustom(Q, QDot)", robot,
      [](Robot& r, const PeerState& s) { rbd::UpdateKinematicsCustom(r.model, &s.q, &s.v, nullptr); },
      [](const Robot& r, const PeerState&) { return kinematics(r); });
  add(
      peer, A::kinematics, "UpdateKinematics(Q, QDot, 0)", robot,
      [](Robot& r, const PeerState& s) { rbd::UpdateKinematics(r.model, s.q, s.v, r.zero); },
      [](const Robot& r, const PeerState&) { return kinematics(r); });
  add(
      peer, A::inverse_dynamics, "InverseDynamics", robot,
      [](Robot& r, const PeerState& s) { rbd::InverseDynamics(r.model, s.q, s.v, s.a, r.tau); }, tau);
  add(
      peer, A::bias, "NonlinearEffects", robot,
      [](Robot& r, const PeerState& s) { rbd::NonlinearEffects(r.model, s.q, s.v, r.tau); },
      [](Robot& r, const PeerState& s) {
        rbd::CompositeRigidBodyAlgorithm(r.model, s.q, r.M);
        return bias(s, r.tau, r.M);
      });
  add(
      peer, A::mass_matrix, "CompositeRigidBodyAlgorithm", robot,
      [](Robot& r, const PeerState& s) { rbd::CompositeRigidBodyAlgorithm(r.model, s.q, r.M); },
      [](const Robot& r, const PeerState& s) { return matrices(s, {r.M}); });
  add(
      peer, A::forward_dynamics, "ForwardDynamics", robot,
      [](Robot& r, const PeerState& s) { rbd::ForwardDynamics(r.model, s.q, s.v, s.tau, r.a); },
      [](const Robot& r, const PeerState& s) { return acceleration(s, r.a); });
  return peer;
}

}  // namespace compare
