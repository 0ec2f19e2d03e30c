#include <kdl/config.h>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "convert.hpp"

namespace compare {
namespace {

KDL::Vector vector(const Vector3d& a) { return {a.x(), a.y(), a.z()}; }

/// A segment like a segment made from a URDF: the joint is in the axes of the parent, the tip is the frame of the body.
KDL::Segment segment(const Body& body) {
  const Matrix3d R = rotation(body), I = inertia(body);
  const KDL::Frame placement(
      KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
      vector(position(body)));
  const auto type = body.joint == Body::Joint::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
  const KDL::Joint joint(body.name, placement.p, placement.M.UnitZ(), type);
  const KDL::RotationalInertia about_com(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  return KDL::Segment(body.name, joint, placement, KDL::RigidBodyInertia(body.mass, vector(com(body)), about_com));
}

KDL::Tree build(const Mechanism& mechanism) {
  if (mechanism.floats()) throw Unsupported("has no floating base");
  KDL::Tree tree("ground");
  for (const Body& body : mechanism.bodies)
    tree.addSegment(segment(body),
                    body.parent < 0 ? "ground" : mechanism.bodies[static_cast<std::size_t>(body.parent)].name);
  return tree;
}

const KDL::Vector gravity(0, 0, -9.81);

struct TreeRobot {
  struct State : PeerState {
    explicit State(const PeerState& s) : PeerState(s) {
      const auto n = static_cast<unsigned>(s.v.size());
      for (auto* x : {&q_kdl, &v_kdl, &a_kdl, &tau_kdl, &zero}) x->resize(n);
      q_kdl.data = s.q;
      v_kdl.data = s.v;
      a_kdl.data = s.a;
      tau_kdl.data = s.tau;
      q_and_v = KDL::JntArrayVel(q_kdl, v_kdl);
    }
    KDL::JntArray q_kdl, v_kdl, a_kdl, tau_kdl, zero;
    KDL::JntArrayVel q_and_v;
  };
  KDL::Tree tree;
  KDL::TreeIdSolver_RNE inverse_dynamics;
  KDL::TreeJntToJacSolver jacobian;
  std::string last;
  std::vector<State> states;
  KDL::JntArray result;
  KDL::Jacobian J;
  KDL::WrenchMap no_forces;

  explicit TreeRobot(const Mechanism& mechanism)
      : tree(build(mechanism)),
        inverse_dynamics(tree, gravity),
        jacobian(tree),
        last(mechanism.bodies.back().name),
        result(tree.getNrOfJoints()),
        J(tree.getNrOfJoints()) {
    for (const PeerState& s : convert(mechanism, Base::angular_linear)) states.emplace_back(s);
  }
};

KDL::Chain build_chain(const Mechanism& mechanism) {
  KDL::Chain chain;
  for (const Body& body : mechanism.bodies) chain.addSegment(segment(body));
  return chain;
}

struct ChainRobot : TreeRobot {
  KDL::Chain chain;
  KDL::ChainIdSolver_RNE inverse_dynamics;
  KDL::ChainFdSolver_RNE forward_dynamics;
  KDL::ChainFkSolverVel_recursive kinematics;
  KDL::ChainJntToJacSolver jacobian;
  KDL::ChainDynParam parameters;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Wrenches no_forces;
  std::vector<KDL::FrameVel> frames;

  explicit ChainRobot(const Mechanism& mechanism)
      : TreeRobot(mechanism),
        chain(build_chain(mechanism)),
        inverse_dynamics(chain, gravity),
        forward_dynamics(chain, gravity),
        kinematics(chain),
        jacobian(chain),
        parameters(chain, gravity),
        M(static_cast<int>(chain.getNrOfJoints())),
        no_forces(chain.getNrOfSegments(), KDL::Wrench::Zero()),
        frames(chain.getNrOfSegments()) {}
};

std::vector<double> kinematics(const ChainRobot& r) {
  std::vector<double> result;
  for (const KDL::FrameVel& frame : r.frames) {
    const KDL::Frame X = frame.GetFrame();
    const KDL::Twist V = frame.GetTwist();
    append(result, {X.p.x(), X.p.y(), X.p.z()});
    append(result, {V.rot.x(), V.rot.y(), V.rot.z()});
    append(result, {V.vel.x(), V.vel.y(), V.vel.z()});
  }
  return result;
}

const auto result = [](const TreeRobot& r, const TreeRobot::State& s) { return force(s, r.result.data); };

const auto columns_of_J = [](const TreeRobot& r, const TreeRobot::State& s) {
  return columns(s, {r.J.data.bottomRows(3), r.J.data.topRows(3)});
};

void add_tree(Peer& peer, const Mechanism& mechanism) {
  using State = TreeRobot::State;
  const auto robot = std::make_shared<TreeRobot>(mechanism);
  add(
      peer, Algorithm::inverse_dynamics, "TreeIdSolver_RNE", robot,
      [](TreeRobot& r, const State& s) {
        r.inverse_dynamics.CartToJnt(s.q_kdl, s.v_kdl, s.a_kdl, r.no_forces, r.result);
      },
      result);
  add(
      peer, Algorithm::bias, "TreeIdSolver_RNE", robot,
      [](TreeRobot& r, const State& s) {
        r.inverse_dynamics.CartToJnt(s.q_kdl, s.v_kdl, s.zero, r.no_forces, r.result);
      },
      result);
  add(
      peer, Algorithm::frame_jacobian, "TreeJntToJacSolver", robot,
      [](TreeRobot& r, const State& s) { r.jacobian.JntToJac(s.q_kdl, r.J, r.last); }, columns_of_J);
}

void add_chain(Peer& peer, const Mechanism& mechanism) {
  using State = ChainRobot::State;
  const auto robot = std::make_shared<ChainRobot>(mechanism);
  add(
      peer, Algorithm::kinematics, "ChainFkSolverVel_recursive", robot,
      [](ChainRobot& r, const State& s) { r.kinematics.JntToCart(s.q_and_v, r.frames); },
      [](const ChainRobot& r, const State&) { return kinematics(r); });
  add(
      peer, Algorithm::inverse_dynamics, "ChainIdSolver_RNE", robot,
      [](ChainRobot& r, const State& s) {
        r.inverse_dynamics.CartToJnt(s.q_kdl, s.v_kdl, s.a_kdl, r.no_forces, r.result);
      },
      result);
  add(
      peer, Algorithm::bias, "ChainIdSolver_RNE", robot,
      [](ChainRobot& r, const State& s) {
        r.inverse_dynamics.CartToJnt(s.q_kdl, s.v_kdl, s.zero, r.no_forces, r.result);
      },
      result);
  add(
      peer, Algorithm::mass_matrix, "ChainDynParam::JntToMass", robot,
      [](ChainRobot& r, const State& s) { r.parameters.JntToMass(s.q_kdl, r.M); },
      [](const ChainRobot& r, const State& s) { return matrices(s, {r.M.data}); });
  add(
      peer, Algorithm::forward_dynamics, "ChainFdSolver_RNE", robot,
      [](ChainRobot& r, const State& s) {
        r.forward_dynamics.CartToJnt(s.q_kdl, s.v_kdl, s.tau_kdl, r.no_forces, r.result);
      },
      result);
  add(
      peer, Algorithm::frame_jacobian, "ChainJntToJacSolver", robot,
      [](ChainRobot& r, const State& s) { r.jacobian.JntToJac(s.q_kdl, r.J); }, columns_of_J);
}

}  // namespace

Peer make_kdl(const Mechanism& mechanism) {
  Peer peer{"KDL " KDL_VERSION_STRING, "library as installed, called from " CORIO_COMPARE_FLAGS, {}};
  if (mechanism.is_chain() && !mechanism.floats())
    add_chain(peer, mechanism);
  else
    add_tree(peer, mechanism);
  return peer;
}

}  // namespace compare
