#pragma once

#include <btBulletDynamicsCommon.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <corio/cartesian/cartesian_forces.hpp>
#include <corio/cartesian/generalized_configuration.hpp>
#include <corio/model/joint_geometry.hpp>
#include <memory>
#include <stdexcept>
#include <vector>

/// A model simulated by Bullet: every body has six degrees of freedom and is held by constraints. Poses, velocities and
/// forces of bodies are exchanged at their centres of mass.
class Engine {
 public:
  using Model = corio::Model<double>;
  using Data = corio::Data<double>;
  using Pose = corio::Pose<double>;
  using Vector = Eigen::VectorXd;

  /// Starts in the configuration q with the velocity v. Bodies do not collide.
  Engine(const Model& model, Data& data, const Vector& q, const Vector& v) : model_(model) {
    world_.setGravity(vector(model.gravity()));
    // Steps of 1 ms leave time for a precise solution.
    world_.getSolverInfo().m_numIterations = 200;
    const corio::PerBody<Pose> at = corio::maximal_poses(model, data, q);
    for (const auto& body : model.bodies()) add_body(body, at[body.index()]);
    const corio::PerBody<Pose> neutral = corio::maximal_poses(model, data, corio::neutral(model));
    for (const auto& body : model.bodies()) add_joint(body, neutral);
    const auto& V = corio::maximal_velocities(model, data, q, v);
    for (const auto& body : model.bodies()) {
      const auto i = body.index();
      rigid(i).setAngularVelocity(vector(V.col(i).head<3>()));
      rigid(i).setLinearVelocity(vector(V.col(i).tail<3>()));
    }
  }

  /// The poses of the frames of the bodies.
  const corio::PerBody<Pose>& poses() {
    for (const auto& body : model_.bodies()) {
      const btTransform& X = rigid(body.index()).getCenterOfMassTransform();
      const btMatrix3x3& R = X.getBasis();
      Pose pose{Eigen::Matrix3d(), vector(X.getOrigin())};
      for (int row = 0; row < 3; ++row) pose.rotation.row(row) = vector(R[row]).transpose();
      poses_[body.index()] = pose * principal_[body.index()].inverse();
    }
    return poses_;
  }
  /// The velocities of the bodies, at their centres of mass.
  const corio::Matrix6X<double>& velocities() {
    for (const auto& body : model_.bodies())
      velocities_.col(body.index()) << vector(rigid(body.index()).getAngularVelocity()),
          vector(rigid(body.index()).getLinearVelocity());
    return velocities_;
  }

  /// Makes one step under wrenches on the bodies, at their centres of mass.
  void step(const corio::Matrix6X<double>& F, double dt) {
    for (const auto& body : model_.bodies()) {
      rigid(body.index()).applyTorque(vector(F.col(body.index()).head<3>()));
      rigid(body.index()).applyCentralForce(vector(F.col(body.index()).tail<3>()));
    }
    world_.stepSimulation(static_cast<btScalar>(dt), 0);
  }

 private:
  static btVector3 vector(const Eigen::Vector3d& x) {
    return {static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]), static_cast<btScalar>(x[2])};
  }
  static Eigen::Vector3d vector(const btVector3& x) { return {x[0], x[1], x[2]}; }
  btRigidBody& rigid(int i) { return *bodies_[static_cast<std::size_t>(i)]; }

  /// Bullet's frame of a body has its origin at the centre of mass and the principal axes of the inertia.
  void add_body(const corio::Body<double>& body, const Pose& at) {
    const auto inertia = model_.inertia(body);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(inertia.inertia);
    Eigen::Matrix3d R = axes.eigenvectors();
    if (R.determinant() < 0) R.col(2) *= -1;
    principal_.push_back({R, inertia.com});
    const Pose X = at * principal_.back();
    const Eigen::Quaterniond turn(X.rotation);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(inertia.mass), nullptr, &shape_,
                                                  vector(axes.eigenvalues()));
    info.m_startWorldTransform =
        btTransform(btQuaternion(static_cast<btScalar>(turn.x()), static_cast<btScalar>(turn.y()),
                                 static_cast<btScalar>(turn.z()), static_cast<btScalar>(turn.w())),
                    vector(X.translation));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get(), 0, 0);
  }

  /// A joint as a constraint between its two bodies, or one body and the world, at the neutral configuration.
  void add_joint(const corio::Body<double>& body, const corio::PerBody<Pose>& neutral) {
    const corio::Joint& joint = model_.joints()[static_cast<std::size_t>(body.joint())];
    if (joint.type() == corio::joint::FreeFlyer::type) return;
    const Pose placement = corio::joint_placement(model_, joint);
    const Pose parent = body.parent() < 0 ? Pose::identity() : neutral[body.parent()];
    const Pose in_world = parent * placement;
    const auto seen_from = [&](int i) { return (neutral[i] * principal_[i]).inverse() * in_world; };
    const Pose child = seen_from(body.index());
    const bool on_ground = body.parent() < 0;
    const bool is_hinge =
        joint.type() == corio::joint::Revolute::type || joint.type() == corio::joint::Continuous::type;
    if (joint.type() == corio::joint::Spherical::type) {
      if (on_ground)
        constraints_.push_back(
            std::make_unique<btPoint2PointConstraint>(rigid(body.index()), vector(child.translation)));
      else
        constraints_.push_back(std::make_unique<btPoint2PointConstraint>(rigid(body.parent()), rigid(body.index()),
                                                                         vector(seen_from(body.parent()).translation),
                                                                         vector(child.translation)));
    } else if (is_hinge && !on_ground) {
      const Eigen::Vector3d axis = corio::joint_axis(model_, joint);
      const Pose there = seen_from(body.parent());
      constraints_.push_back(std::make_unique<btHingeConstraint>(
          rigid(body.parent()), rigid(body.index()), vector(there.translation), vector(child.translation),
          vector(there.rotation * axis), vector(child.rotation * axis)));
    } else {
      throw std::runtime_error("no constraint for joint '" + joint.name() + "' (" + joint.type() + ")");
    }
    world_.addConstraint(constraints_.back().get(), true);
  }

  const Model& model_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> constraints_;
  corio::PerBody<Pose> principal_;  // Bullet's frames in the frames of the bodies
  corio::PerBody<Pose> poses_{static_cast<int>(model_.bodies().size()), Pose::identity()};
  corio::Matrix6X<double> velocities_{6, model_.bodies().size()};
  btSphereShape shape_{static_cast<btScalar>(0.05)};
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  // The world is destroyed before the objects to which it refers.
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
};
