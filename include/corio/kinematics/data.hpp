#pragma once

#include <algorithm>
#include <type_traits>

#include "corio/core/detail/memory.hpp"
#include "corio/core/table.hpp"
#include "corio/model/detail/check_vectors.hpp"
#include "corio/spatial/detail/at_node.hpp"
#include "corio/spatial/register_types.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The level of a kinematics pass: the highest derivative that it computed.
enum class Pass { none, position, velocity, acceleration };

namespace detail {

/// The requirements of an algorithm: the level of the last kinematics pass, a regular M (`regular`), and columns whose
/// rates can be derived (`column_rates`). `name` is the user's function, for messages.
struct Needs {
  Pass pass;
  const char* name;
  bool regular = false;
  bool column_rates = false;
};

/// Stands for all nodes in place of a node number.
inline constexpr int all_nodes = most_nodes;

/// Returns nv x nv zeros.
template <class S, template <class> class Robot>
MatrixX<S> nv_by_nv(const Robot<S>& robot) {
  MatrixX<S> A(robot.nv(), robot.nv());
  std::fill_n(A.data(), A.size(), S(0));
  return A;
}

}  // namespace detail

/// The workspace of one thread: the state of the last kinematics pass, for all nodes or for the nodes on one path, the
/// sums over subtrees at that state, and the result and scratch of each algorithm, created by its first call. Spatial
/// quantities are in world axes about the point `origin`, the position of the base of the node's tree at this instant
/// (a fixed point: no velocity terms arise), which keeps full accuracy far from the world's origin. They are indexed by
/// node b or by degree of freedom k of the Model; for a user's body or frame call the functions of
/// kinematics/frames.hpp.
template <class S>
class Data {
 public:
  /// Allocates O(n) numbers for a model of n nodes.
  explicit Data(const Model<S>& model);
  Data(const Data&) = default;
  Data(Data&&) = default;
  Data& operator=(const Data&) = default;
  Data& operator=(Data&&) = default;
  // Defined outside of the class, as only such members can come from a compiled library (core/compiled.hpp).
  ~Data();

  // The position level of forward_kinematics writes:
  VectorX<S> q;                // the argument of the pass
  PerNode<Vector3<S>> origin;  // reference point of the node's tree, world coordinates, m
  PerNode<Pose<S>> pose;       // axes in world axes, position from the origin
  PerDof<Motion<S>> phi;       // motion-subspace column Phi_k
  /// D_l S_k of joints whose columns move in the body, at [partials_begin + l nv + k]: the derivative of the joint's
  /// column k along its degree of freedom l, as seen in the body.
  PerPartial<Motion<S>> phi_partial;

  // The velocity level of forward_kinematics writes:
  VectorX<S> v;                 // the argument of the pass
  PerNode<Motion<S>> velocity;  // twist V_b
  PerDof<Motion<S>> phi_dot;    // dPhi_k/dt
  PerNode<Motion<S>> bias;      // acceleration of the node for a = 0: sum of dPhi_k v_k from the ground to it

  // The acceleration level of forward_kinematics writes:
  VectorX<S> a;                     // the argument of the pass
  PerNode<Motion<S>> acceleration;  // dV_b/dt, without gravity

  // kernels/composites.hpp writes:
  PerNode<Inertia<S>> inertia;                  // inertia of the node alone
  PerNode<Inertia<S>> composite_inertia;        // inertia of the node's subtree
  PerNode<BodyCoriolis<S>> composite_coriolis;  // operator of the node's subtree

  /// Scratch of these passes, meaningless between calls.
  struct Work {
    explicit Work(const Model<S>& model);
    VectorX<S> q, v, a;       // the next state, until the pass has completed it
    int first_angle;          // q_begin of the first revolute joint, after a floating base
    VectorX<S> sine, cosine;  // sine and cosine of q from first_angle on, if takes_angles_together<S>
  } work;

  /// Required by the concept RobotLike (robot.hpp): a MechanismData returns the Data of its tree here.
  const Data& of_tree() const { return *this; }
  Data& of_tree() { return *this; }
  const VectorX<S>& speeds() const { return v; }

  /// The form of a tree algorithm A for this robot: A itself; for a MechanismData the form for mechanisms.
  template <class A>
  using Form = A;

  /// Returns the result and scratch of algorithm A (namespace corio::algorithm), which the first request creates.
  template <class A>
  A& of(const Model<S>& model) {
    return memory_.template of<A>(model);
  }

  /// Runs algorithm A in the present state.
  /// @throws the errors of require for A::needs
  template <class A, class... Arguments>
  A& run(const Model<S>& model, Arguments&&... arguments) {
    require(model, A::needs);
    A& own = of<A>(model);
    own.run(model, *this, arguments...);
    return own;
  }

  /// Throws StateError unless the last kinematics pass was for this model, with its present inertia, reached the level
  /// `needed`, and moved node b and all nodes between it and the ground.
  void require(const Model<S>& model, Pass needed, const char* algorithm, int b = detail::all_nodes) const {
    check_fits(model);
    if (pass_ < needed || state_id_ != model.state_id() || !has_moved(model, b)) throw_state(model, needed, algorithm);
  }
  /// Also throws ModelError for a model that does not meet A::needs.
  void require(const Model<S>& model, const detail::Needs& needed, int b = detail::all_nodes) const {
    require(model, needed.pass, needed.name, b);
    if (needed.regular) model.check_regular(needed.name);
    if (needed.column_rates) model.check_column_rates(needed.name);
  }

  // Bookkeeping of the passes.
  /// Throws SizeError if this Data was made for a model of another size, StateError if it was made for another model of
  /// equal size. (Entries of unrelated degrees of freedom are zeroed once, at construction, so that a Data cannot serve
  /// another tree.)
  void check_fits(const Model<S>& model) const {
    if (topology_id_ != model.topology_id()) throw_other(model);
  }
  void begin_pass() { pass_ = Pass::none; }
  /// @param end  the node on whose path the pass has moved the nodes
  void end_pass(const Model<S>& model, Pass pass, int end = detail::all_nodes) {
    pass_ = pass, path_end_ = end;
    ++passes_;
    state_id_ = model.state_id();
    has_inertia = has_composite_inertia = has_composite_coriolis = false;
  }
  bool has_inertia = false, has_composite_inertia = false, has_composite_coriolis = false;
  /// Returns how many passes have ended so far.
  std::uint64_t passes() const { return passes_; }

 private:
  bool has_moved(const Model<S>& model, int b) const {
    return path_end_ == detail::all_nodes || b < 0 || (b <= path_end_ && model.carries(b, path_end_));
  }
  [[noreturn, gnu::cold]] void throw_other(const Model<S>& model) const;
  [[noreturn, gnu::cold]] void throw_state(const Model<S>& model, Pass needed, const char* algorithm) const;

  Pass pass_ = Pass::none;
  int path_end_ = detail::all_nodes;
  ZeroAfterMove<std::uint64_t> topology_id_, state_id_ = 0;
  std::uint64_t passes_ = 0;
  detail::Memory memory_;
};

/// Type of an argument `robot`. Compilers print this name if an argument has another type.
template <class Robot>
concept ModelOrMechanism = requires {
  typename Robot::Scalar;
  typename Robot::DataType;
};

/// The workspace of a robot: the Data of a Model, the MechanismData of a Mechanism.
template <ModelOrMechanism Robot>
using DataOf = typename Robot::DataType;
/// The workspace of functions that need rates or derivatives of the map from the robot's speeds to the speeds of the
/// tree: read-only for a Model, writable for a Mechanism, which computes them on first use in a state.
template <ModelOrMechanism Robot>
using RateDataOf =
    std::conditional_t<std::is_same_v<Robot, Model<typename Robot::Scalar>>, const DataOf<Robot>, DataOf<Robot>>;

/// Creates the results and scratch of these algorithms in Data now rather than in their first calls:
///   corio::reserve<corio::algorithm::Rnea, corio::algorithm::Aba>(model, data);
/// reserve_all (corio.hpp) does it for all that corio.hpp includes. Allocates.
template <template <class...> class... Algorithms, class S>
void reserve(const Model<S>& model, Data<S>& data) {
  data.check_fits(model);
  (data.template of<Algorithms<S>>(model), ...);
}

template <class S>
Data<S>::Data(const Model<S>& model)
    : q(zeros<S>(model.nq())),
      origin(model.num_nodes(), zero3<S>()),
      pose(model.num_nodes(), Pose<S>::identity()),
      phi(model.nv()),
      phi_partial(model.num_partials()),
      v(zeros<S>(model.nv())),
      velocity(model.num_nodes()),
      phi_dot(model.nv()),
      bias(model.num_nodes()),
      a(v),
      acceleration(model.num_nodes()),
      inertia(model.num_nodes()),
      composite_inertia(model.num_nodes()),
      composite_coriolis(model.num_nodes()),
      work(model),
      topology_id_(model.topology_id()) {}

template <class S>
Data<S>::~Data() = default;

template <class S>
Data<S>::Work::Work(const Model<S>& model)
    : q(zeros<S>(model.nq())), v(zeros<S>(model.nv())), a(v), first_angle(model.nq()) {
  if constexpr (detail::takes_angles_together<S>) {
    for (int b = model.num_nodes() - 1; b >= 0; --b)
      if (model.node(b).joint.is_revolute()) first_angle = model.node(b).q_begin;
    sine = cosine = zeros<S>(model.nq());
  }
}

template <class S>
void Data<S>::throw_other(const Model<S>& model) const {
  const std::string text = detail::join({"Data was made for another model than '", model.name(), "'"});
  if (v.size() != model.nv() || pose.size() != model.num_nodes()) throw SizeError(text);
  throw StateError(text);
}

template <class S>
void Data<S>::throw_state(const Model<S>& model, Pass needed, const char* algorithm) const {
  const char* call[] = {"", "(model, data, q)", "(model, data, q, v)", "(model, data, q, v, a)"};
  std::string found;
  if (pass_ != Pass::none && state_id_ != model.state_id())
    found = detail::join({"Data holds the state of model '", model.name(), "' before its inertia was changed"});
  else if (pass_ == Pass::none)
    found = "no kinematics pass has been run with this Data";
  else if (pass_ < needed || path_end_ < 0)
    found = detail::join({"Data only holds the state of forward_kinematics", call[static_cast<int>(pass_)]});
  else
    found = detail::join(
        {"the last function moved only joint '", model.joint_of_node(path_end_).name(), "' and those that carry it"});
  throw StateError(detail::join({algorithm, "(model, data) reuses the state of forward_kinematics",
                                 call[static_cast<int>(needed)], ", but ", found}));
}

}}  // namespace corio
