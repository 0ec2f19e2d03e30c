#include "support/catch.hpp"

// Compares closed loops with DART, which treats them differently: it steps from velocity to velocity, and a solver of
// complementarity problems finds the impulses of its closures.

#ifdef CORIO_TEST_DART
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/constraint/WeldJointConstraint.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "corio/loops/assemble.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/model/builder.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using Eigen::VectorXd;
using V = Vector3<double>;
namespace dyn = dart::dynamics;
namespace con = dart::constraint;

constexpr double mass = 1.5;
const V moments(0.1, 0.2, 0.25);

/// A tree, and the same tree in DART. All bodies have the axes of the world where q is neutral.
struct BothTrees {
  ModelBuilder<double> builder{"twin"};
  dyn::SkeletonPtr skeleton = dyn::Skeleton::create();
  std::string first, second;  // the closed bodies
  V at_first, at_second;      // their closed points
  bool weld = false;          // otherwise a ball joint

  void hinge(const std::string& name, const std::string& parent, const V& at, const V& com, const V& axis) {
    dyn::RevoluteJoint::Properties joint;
    joint.mAxis = axis.normalized();
    add<dyn::RevoluteJoint>(name, parent, at, com, joint::Revolute(axis), joint);
  }
  void ball(const std::string& name, const std::string& parent, const V& at, const V& com) {
    add<dyn::BallJoint>(name, parent, at, com, joint::Spherical{}, {});
  }
  void floating(const std::string& name, const V& com) {
    add<dyn::FreeJoint>(name, "", {0, 0, 0}, com, joint::FreeFlyer{}, {});
  }
  void close(const std::string& a, const V& at_a, const std::string& b, const V& at_b, bool welded) {
    first = a, at_first = at_a, second = b, at_second = at_b, weld = welded;
    builder.add_frame("first_end", a, {identity3<double>(), at_a});
    builder.add_frame("second_end", b, {identity3<double>(), at_b});
    if (weld) builder.close_loop("loop", "first_end", "second_end", closure::Weld{});
    if (!weld) builder.close_loop("loop", "first_end", "second_end", closure::Spherical{});
  }

 private:
  template <class Theirs>
  void add(const std::string& name, const std::string& parent, const V& at, const V& com,
           const joint::JointSpec<double>& joint, typename Theirs::Properties their_joint) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .placement = {identity3<double>(), at},
                      .inertia = {mass, com, moments.asDiagonal()}});
    their_joint.mName = name + "_joint";
    their_joint.mT_ParentBodyToJoint.translation() = at;
    dyn::BodyNode::Properties body;
    body.mName = name;
    body.mInertia = dyn::Inertia(mass, com, moments.asDiagonal().toDenseMatrix());
    auto* const node = parent.empty() ? nullptr : skeleton->getBodyNode(parent);
    skeleton->createJointAndBodyNodePair<Theirs>(node, their_joint, body);
  }
};

BothTrees both_trees(int which) {
  BothTrees t;
  if (which == 0) {
    // In a four-bar linkage of hinges, the ball joint's condition across the plane is redundant.
    t.hinge("crank", "", {0, 0, 0}, {0.1, 0.02, 0.01}, {0, 0, 1});
    t.hinge("coupler", "crank", {0.3, 0, 0}, {0.3, 0.1, 0}, {0, 0, 1});
    t.hinge("rocker", "", {0.8, 0, 0}, {0.2, 0, 0.05}, {0, 0, 1});
    t.close("coupler", {0.9, 0, 0}, "rocker", {0.7, 0, 0}, false);
  } else if (which == 1) {
    // This linkage is spatial, with hinges that are not parallel and two ball joints, between which the coupler can
    // turn freely.
    t.hinge("crank", "", {0, 0, 0}, {0.1, 0.02, 0.01}, {0.2, 0.1, 1});
    t.ball("coupler", "crank", {0.3, 0, 0}, {0.3, 0.1, 0});
    t.hinge("rocker", "", {0.8, 0, 0}, {0.2, 0, 0.05}, {-0.3, 0.4, 1});
    t.close("coupler", {0.9, 0, 0}, "rocker", {0.7, 0, 0}, false);
  } else {
    // The two arms of a floating base hold each other.
    t.floating("base", {0.05, 0, 0.02});
    t.hinge("left", "base", {0.1, 0.2, 0}, {0.1, 0, 0}, {0, 0, 1});
    t.ball("left_hand", "left", {0.3, 0, 0}, {0.1, 0, 0.1});
    t.hinge("right", "base", {0.1, -0.2, 0}, {0.1, 0, 0}, {0, 1, 0});
    t.ball("forearm", "right", {0.3, 0, 0}, {0.1, 0, 0.1});
    t.hinge("right_hand", "forearm", {0.3, 0, 0.1}, {0.1, 0.02, 0}, {0, 0, 1});
    t.close("left_hand", {0.4, 0.1, 0}, "right_hand", {0.1, -0.1, 0}, true);
  }
  return t;
}

/// Converts quaternions to rotation vectors; velocities are the same in both.
VectorXd their_positions(const Model<double>& model, const VectorXd& q) {
  VectorXd result(model.nv());
  for (const Joint& joint : model.joints()) {
    const int i = joint.q_index(), k = joint.v_index();
    const auto rotation = [&](int j) { return Eigen::Quaterniond(q[j + 3], q[j], q[j + 1], q[j + 2]).matrix(); };
    if (joint.nv() == 1) {
      result[k] = q[i];
    } else if (joint.nv() == 3) {
      result.segment(k, 3) = dyn::BallJoint::convertToPositions(rotation(i));
    } else {
      Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
      X.linear() = rotation(i + 3), X.translation() = q.segment(i, 3);
      result.segment(k, 6) = dyn::FreeJoint::convertToPositions(X);
    }
  }
  return result;
}

/// DART's changes of velocity over the first and the second step, divided by the time of a step.
struct Rates {
  VectorXd first, second;
};
Rates their_rates(const BothTrees& t, const VectorXd& positions, const VectorXd& v, const VectorXd& tau, double h) {
  const auto skeleton = t.skeleton->cloneSkeleton();
  const auto world = dart::simulation::World::create();
  world->setTimeStep(h);
  // The Gauss-Seidel iteration runs until it no longer changes: it also solves for redundant conditions.
  auto solver = std::make_shared<con::PgsBoxedLcpSolver>();
  solver->setOption({20000, 1e-15, 1e-15, 1e-12, false});
  world->setConstraintSolver(std::make_unique<con::BoxedLcpConstraintSolver>(solver, nullptr));
  world->setGravity({0, 0, -9.81});
  world->addSkeleton(skeleton);
  skeleton->setPositions(positions);
  skeleton->setVelocities(v);
  auto* const first = skeleton->getBodyNode(t.first);
  auto* const second = skeleton->getBodyNode(t.second);
  con::DynamicJointConstraint::setErrorReductionParameter(0);
  con::DynamicJointConstraint::setConstraintForceMixing(1e-9);  // the least allowed
  con::ConstraintBasePtr closure;
  if (t.weld) {
    closure = std::make_shared<con::WeldJointConstraint>(first, second);
  } else {
    closure = std::make_shared<con::BallJointConstraint>(first, second, first->getTransform() * t.at_first);
  }
  world->getConstraintSolver()->addConstraint(closure);
  VectorXd speeds[3] = {v};
  for (int i = 0; i < 2; ++i) {
    skeleton->setForces(tau);
    world->step();
    speeds[i + 1] = skeleton->getVelocities();
  }
  return {(speeds[1] - speeds[0]) / h, (speeds[2] - speeds[1]) / h};
}

}  // namespace

TEST_CASE("DART's closed loops accelerate as corio's", "[interop][dart][loops]") {
  const int which = GENERATE(0, 1, 2);
  CAPTURE(which);
  const BothTrees t = both_trees(which);
  const auto model = t.builder.build();
  const Loops<double> loops(model);
  Data<double> tree(model);
  VectorXd start = neutral(model);
  if (which == 0) start = V(0.7, -0.4, 1.4);
  if (which > 0) start = integrate<double>(model, start, 0.5 * random_vector<double>(model.nv(), 1));
  const auto assembly = assemble<double>(model, tree, loops, start);
  REQUIRE(assembly.closed);
  const VectorXd q = assembly.q, positions = their_positions(model, q);

  const Mechanism<double> mechanism(model, loops, q);
  MechanismData<double> data(mechanism);
  const VectorXd moving = 5 * random_vector<double>(mechanism.nv(), 2), tau = 3 * random_vector<double>(model.nv(), 3);
  VectorXd tau_y(mechanism.nv());
  // Computes accelerations by multipliers, and in independent speeds.
  const auto accelerations = [&](const VectorXd& y) {
    forward_kinematics<double>(mechanism, data, q, y);
    const VectorXd by_multipliers = constrained_forward_dynamics<double>(model, data.tree, loops, tau).a;
    project_forces<double>(mechanism, data, tau, tau_y);
    const VectorXd ydot = aba<double>(mechanism, data, tau_y);
    forward_kinematics<double>(mechanism, data, q, y, ydot);
    return std::pair(by_multipliers, data.tree.a);
  };

  // From rest the first step is exact except for terms of h^2 and for the mixing of constraint forces, which adds 1e-9
  // of itself to the diagonal of K M^-1 K^T: at most 2e-9 of the accelerations.
  const auto [a, a_independent] = accelerations(VectorXd::Zero(mechanism.nv()));
  const VectorXd at_rest = their_rates(t, positions, VectorXd::Zero(model.nv()), tau, 1e-5).first;
  CHECK(relative_error(a, at_rest) < 1e-8);
  CHECK(relative_error(a_independent, at_rest) < 1e-8);

  // In motion a step makes K v zero, with the K at its beginning. The first step starts from a v with K v = 0 already,
  // and misses dK/dt v; every later step starts from a v that is a step late, and includes that term with an error of
  // h.
  const auto [b, b_independent] = accelerations(moving);
  const VectorXd v = data.tree.v;
  const auto rates = [&](double h) { return their_rates(t, positions, v, tau, h); };
  const double h = 2e-4;
  const Rates whole = rates(h), half = rates(h / 2), quarter = rates(h / 4);
  const double error = (whole.second - b).norm(), half_error = (half.second - b).norm();
  CHECK((whole.first - b).norm() > 2 * error);
  CHECK(error < 5e-3 * b.norm());
  CHECK(std::abs(half_error / error - 0.5) < 0.01);
  // Two step sizes cancel the errors of order h; errors of order h^2 remain.
  const VectorXd coarse = 2 * half.second - whole.second, fine = 2 * quarter.second - half.second;
  CHECK(std::abs((fine - b).norm() / (coarse - b).norm() - 0.25) < 0.05);
  CHECK(relative_error(b, fine) < 2e-6);
  CHECK(relative_error(b_independent, fine) < 2e-6);
}
#endif
