#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The interface of corio and its peers in a comparison. It has plain types only: each peer is compiled into a library
/// of its own, some without -march=native, so that the alignment of Eigen's types differs among them.
namespace compare {

/// A body of a tree and the joint that carries it, which turns about or moves along the z axis of its frame; the joint
/// frame is also the frame of the body. Only the first body may float; its joint frame is then the frame of the world.
struct Body {
  enum class Joint { revolute, prismatic, floating };
  std::string name;
  int parent;  // index less than the body's own; -1 for the ground
  Joint joint;
  std::array<double, 9> rotation;  // joint frame in the parent's frame, by rows
  std::array<double, 3> position;
  double mass;
  std::array<double, 3> com;
  std::array<double, 9> inertia;  // about the centre of mass
};

/// A state in corio's conventions: one number per joint, in the order of the bodies, and for a floating body q =
/// [position, quaternion x y z w], v = [angular, linear] in its own axes.
struct State {
  std::vector<double> q, v, a, tau;
};

struct Mechanism {
  std::string key, title;
  std::vector<Body> bodies;
  std::vector<State> states;
  double condition = 1;  // condition of M, largest of all states; infinite if a joint moves no inertia
  double contact =
      1;  // condition of J M^-1 J^T for the origin of the last body; infinite if the rows of J are dependent

  bool floats() const { return bodies.front().joint == Body::Joint::floating; }
  bool is_chain() const {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].parent != static_cast<int>(i) - 1) return false;
    return true;
  }
  int nv() const { return static_cast<int>(bodies.size()) + (floats() ? 5 : 0); }
};

/// The functions that are compared. A new function needs a name here, a row below, and a call in the file of each
/// library that has it. The comments name the numbers on which all libraries must agree, in corio's conventions.
enum class Algorithm {
  kinematics,            // per body its origin and twist, world axes: [p, w, v of the origin]
  inverse_dynamics,      // tau
  bias,                  // C v + g
  mass_matrix,           // M
  forward_dynamics,      // a
  inverse_mass,          // M^-1
  coriolis,              // C, Christoffel-consistent
  inverse_derivatives,   // dtau/dq, dtau/dv, M
  forward_derivatives,   // da/dq, da/dv, M^-1
  second_derivatives,    // d2tau/dq dq, dv dq, dv dv, dM/dq
  hessian,               // qq, vq, vv, aq of lambda^T tau, with lambda = tau of the state
  regressor,             // Y with tau = Y pi, per body [m, h, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in its joint frame
  frame_jacobian,        // J of the last body, world axes, at its origin
  task_derivatives,      // dV/dq, da/dq, da/dv and J of the last body, in its axes
  center_of_mass,        // position c
  com_jacobian,          // dc/dq
  momentum,              // h = [angular about the centre of mass, linear]
  momentum_matrix,       // A_G with h = A_G v
  momentum_derivatives,  // dh/dq, dhdot/dq, dhdot/dv and A_G
  energies,              // kinetic, potential
  integration,           // q after a step along v
  constrained_dynamics,  // a if the origin of the last body is held
};
struct Row {
  const char* title;
  std::size_t parts = 1;       // number of matrices in the result, each of which has its own scale
  bool needs_inverse = false;  // whether errors are proportional to the condition of M, and a singular M is excluded
  bool needs_contact = false;  // as needs_inverse, for a contact at the last body
};
inline constexpr Row rows[] = {
    {"kinematics (pose, twist)"},
    {"inverse dynamics"},
    {"bias C v + g"},
    {"M"},
    {"forward dynamics", 1, true},
    {"M^-1", 1, true},
    {"C"},
    {"d inverse dynamics", 3},
    {"d forward dynamics", 3, true},
    {"d2 inverse dynamics", 4},
    {"d2 lambda^T tau", 4},
    {"regressor"},
    {"frame Jacobian"},
    {"d frame acceleration", 4},
    {"centre of mass"},
    {"J of centre of mass"},
    {"centroidal momentum"},
    {"A_G"},
    {"d centroidal momentum", 4},
    {"energies", 2},
    {"integrate"},
    {"constrained dynamics", 1, true, true},
};
inline constexpr int algorithms = std::size(rows);
static_assert(algorithms == static_cast<int>(Algorithm::constrained_dynamics) + 1);
inline constexpr const Row& row(Algorithm a) { return rows[static_cast<int>(a)]; }
/// The condition of the matrix that the function inverts, which scales its errors.
inline double condition(const Mechanism& mechanism, Algorithm a) {
  return std::max(row(a).needs_inverse ? mechanism.condition : 1.0, row(a).needs_contact ? mechanism.contact : 1.0);
}

/// One way to compute a function. A peer may offer several; the fastest one counts.
struct Contender {
  Algorithm algorithm;
  std::string how;
  std::function<void()> pass;                             // computes the function once for every state; this is timed
  std::function<std::vector<double>(std::size_t)> value;  // the result for one state, which is checked
};

struct Peer {
  std::string name, build;
  std::vector<Contender> contenders;
};

/// Thrown for a mechanism that a peer cannot represent; this is not an error.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Maker = Peer (*)(const Mechanism&);

/// @param robot    kept beyond the call: at least `states` in the conventions of the peer
/// @param compute  (Robot&, const state&); `value` reads the results from the robot
template <class Robot, class Compute, class Value>
void add(Peer& peer, Algorithm algorithm, std::string how, const std::shared_ptr<Robot>& robot, Compute compute,
         Value value) {
  peer.contenders.push_back({algorithm, std::move(how),
                             [robot, compute] {
                               for (const auto& state : robot->states) {
                                 compute(*robot, state);
                                 std::atomic_signal_fence(std::memory_order_seq_cst);
                               }
                             },
                             [robot, compute, value](std::size_t i) {
                               const auto& state = robot->states[i];
                               compute(*robot, state);
                               return value(*robot, state);
                             }});
}

/// A function that is timed beside corio's function of that name, without a comparison of results.
struct PeerFunction {
  std::string corio, name;
  std::function<void()> pass;  // calls it once for every state
};

[[gnu::visibility("default")]] Peer make_pinocchio(const Mechanism& mechanism);
[[gnu::visibility("default")]] std::vector<PeerFunction> pinocchio_functions(const Mechanism& mechanism);
/// A pool of models and OpenMP, in as many threads as there are cores.
[[gnu::visibility("default")]] Peer make_pinocchio_pool(const Mechanism& mechanism);
[[gnu::visibility("default")]] Peer make_rbdl(const Mechanism& mechanism);
[[gnu::visibility("default")]] Peer make_mujoco(const Mechanism& mechanism);
[[gnu::visibility("default")]] Peer make_dart(const Mechanism& mechanism);
[[gnu::visibility("default")]] Peer make_kdl(const Mechanism& mechanism);

}  // namespace compare
