#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "corio/core/detail/names.hpp"
#include "corio/core/error.hpp"
#include "corio/core/table.hpp"
#include "corio/model/closure.hpp"
#include "corio/model/detail/inertia_check.hpp"
#include "corio/model/detail/regularity.hpp"
#include "corio/model/joint_terms.hpp"
#include "corio/model/named.hpp"
#include "corio/model/note.hpp"

namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// A new number, unique in this process, for identifying models.
inline std::uint64_t next_id() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

}  // namespace detail

template <class S>
class ModelBuilder;
template <class S>
class Data;

/// A kinematic tree: topology, joints, constant geometry and inertia. It is built and validated by ModelBuilder, and
/// then constant except for inertial parameters, gravity, armature, damping, friction and springs, which have setters.
/// Share one Model among threads, give each thread its own Data.
///
/// Inside, the tree consists of nodes 0 .. num_nodes()-1 numbered depth first, so that the degrees of freedom of every
/// subtree are contiguous. A node is a body, or the massless body between two primitive joints of a joint like
/// Universal. It has the axes of its joint (z along the axis of a revolute joint); Body::placement() is the pose of a
/// body's own frame, the one that users know, in these axes. Welded bodies are part of the node that carries them.
///
/// The reference point of a tree (Data::origin) is the position of its base. The base is the first node, counted from
/// the root down, that has mass and rotates, or does not have exactly one child. Massless nodes and sliders above it,
/// as in a mobile base on several joints, are skipped, so that the point moves with the base. The base is chosen
/// when the model is built.
template <class S>
class Model {
 public:
  using Scalar = S;

  Model(const Model&) = default;
  Model(Model&&) = default;
  Model& operator=(const Model&) = default;
  Model& operator=(Model&&) = default;
  ~Model();  // defined outside of the class, as only such members can come from a compiled library

  const std::string& name() const { return name_; }
  int nq() const { return nq_; }
  int nv() const { return nv_; }

  /// Joints and bodies in depth-first order, children in the order they were added.
  const std::vector<Joint>& joints() const& { return joints_; }
  const std::vector<Body<S>>& bodies() const& { return bodies_; }
  /// Bodies first, then welded bodies, then frames added by name.
  const std::vector<Frame<S>>& frames() const& { return frames_; }
  /// Deleted for temporaries: the reference would dangle. Give the model a name.
  void joints() const&& = delete;
  void bodies() const&& = delete;
  void frames() const&& = delete;

  /// The loops given to the builder. Functions of a Model do not enforce them; Mechanism (mechanism/mechanism.hpp)
  /// does, and so do functions that take a Loops.
  const std::vector<LoopSpec>& loops() const& { return loops_; }
  std::vector<LoopSpec> loops() && { return std::move(loops_); }

  /// Look-ups by name; ModelError with the known names for another name.
  const Joint& joint(const std::string& name) const;
  const Body<S>& body(const std::string& name) const;
  const Frame<S>& frame(const std::string& name) const;
  /// A frame fixed to the ground at that pose in the world, for instance to close a loop with. It is not one of
  /// frames().
  /// @param name  the name that messages use
  Frame<S> ground_frame(const Pose<S>& placement, const std::string& name = "ground") const {
    return {name, -1, placement, topology_id_};
  }
  bool has_joint(const std::string& name) const { return search(joints_, joint_names_, name) != nullptr; }
  bool has_body(const std::string& name) const { return search(bodies_, frame_names_, name) != nullptr; }
  bool has_frame(const std::string& name) const { return search(frames_, frame_names_, name) != nullptr; }

  /// Indices into q, or into v and tau, of these joints, in this order: q(model.q_indices(names)) is q in the joint
  /// order of a driver. v_indices also takes single speeds: "ball[2]" is the third speed of joint "ball", unless
  /// "ball[2]" is the name of a joint.
  /// @throws ModelError for a joint, or a speed of it, that the model does not have
  std::vector<int> q_indices(const std::vector<std::string>& names) const;
  std::vector<int> v_indices(const std::vector<std::string>& names) const;

  /// Half-open range of a body's subtree in v and tau: the degrees of freedom of its joint and of all joints below it.
  struct Range {
    int begin, end;
  };
  Range subtree(const Body<S>& body) const {
    check_owns(body);
    // begin()[i] takes an int; a vector's own [i] would convert it, with a warning.
    return {joints_.begin()[body.joint()].v_index(), node(body.node()).subtree_v_end};
  }

  /// The gravitational acceleration in world axes, m/s^2; (0, 0, -9.81) by default.
  const Vector3<S>& gravity() const { return gravity_; }
  void set_gravity(const Vector3<S>& gravity) {
    if (!detail::all_in_range(gravity)) throw ModelError(detail::join({"gravity ", detail::range_rule}));
    gravity_ = gravity;
  }

  /// Reflected rotor inertia per degree of freedom: it adds armature_i a_i to tau_i, armature_i to M(i,i), and
  /// armature_i v_i^2 / 2 to the kinetic energy. kg m^2 or kg. The setter takes nv values; ModelError for a value that
  /// is negative or not finite.
  const VectorX<S>& armature() const { return terms_.armature; }
  void set_armature(VectorIn<S> armature);

  /// Used only by passive_forces: per degree of freedom viscous damping (N m s, N s/m), Coulomb friction (N m, N) and
  /// stiffness of a spring (N m/rad, N/m), and the configuration that the springs rest at (nq). The setters take nv
  /// (and nq) values; ModelError for a value that is not finite, or negative (coordinates at rest may be).
  const VectorX<S>& damping() const { return terms_.passive.damping; }
  const VectorX<S>& friction() const { return terms_.passive.friction; }
  const VectorX<S>& stiffness() const { return terms_.passive.stiffness; }
  const VectorX<S>& rest_configuration() const { return terms_.passive.rest; }
  void set_damping(VectorIn<S> damping);
  void set_friction(VectorIn<S> friction);
  void set_springs(VectorIn<S> stiffness, VectorIn<S> rest_configuration);

  /// Questionable input that was accepted when the model was built.
  const std::vector<Note>& notes() const& { return notes_; }
  std::vector<Note> notes() && { return std::move(notes_); }

  /// Joint limits, infinite if there is no limit. Limits of position have nq numbers, all others nv.
  /// inverse_kinematics, random_configuration and, by an option, rollouts keep positions within them;
  /// suggested_time_step uses the limits of velocity and effort; limits of acceleration, deceleration and jerk are only
  /// stored.
  const VectorX<double>& lower_limit() const { return terms_.limits.lower; }
  const VectorX<double>& upper_limit() const { return terms_.limits.upper; }
  const VectorX<double>& velocity_limit() const { return terms_.limits.velocity; }
  const VectorX<double>& effort_limit() const { return terms_.limits.effort; }
  const VectorX<double>& acceleration_limit() const { return terms_.limits.acceleration; }
  const VectorX<double>& deceleration_limit() const { return terms_.limits.deceleration; }
  const VectorX<double>& jerk_limit() const { return terms_.limits.jerk; }
  const SafetyLimits& safety() const { return terms_.safety; }

  /// All per-joint numbers, as listed by for_each_term.
  struct Terms {
    VectorX<S> armature;
    JointLimitsAs<VectorX<double>> limits;
    SafetyLimits safety;
    PassiveTermsAs<VectorX<S>> passive;
  };
  const Terms& terms() const { return terms_; }

  /// Mass of all moving bodies, kg.
  S total_mass() const {
    S sum(0);
    for (const auto& node : nodes_) sum += node.inertia.mass;
    return sum;
  }

  /// Inertial parameters of a body including welded bodies, in the body's own frame. The setter replaces all ten, for
  /// payloads and adaptation; f(model, data) with the state of an earlier pass is then a StateError. The setter throws
  /// ModelError and leaves the model unchanged if the parameters are not physical (even if the old parameters were
  /// not), or if a joint would move no inertia, unless a joint of the model already did. O(n), allocates.
  InertialParameters<S> inertia(const Body<S>& body) const;
  InertialParameters<S> inertia(const std::string& name) const { return inertia(body(name)); }
  void set_inertia(const Body<S>& body, const InertialParameters<S>& parameters);
  /// Sets the parameters of all bodies at once, in the order of bodies().
  void set_inertias(const std::vector<InertialParameters<S>>& parameters);
  void set_inertia(const std::string& name, const InertialParameters<S>& parameters) {
    set_inertia(body(name), parameters);
  }

  /// Inertial parameters of everything fixed to the ground, in the ground's frame. No function of this model depends on
  /// them; attach adds them to the body to which the model is attached.
  InertialParameters<S> ground_inertia() const { return InertialParameters<S>(ground_inertia_); }

  /// The same model over another scalar. ModelError for a user's joint whose members are not templates on the scalar.
  template <class T>
  Model<T> cast() const;

  // The interface for algorithms: the members of every robot (RobotLike, kinematics/robot.hpp), and the tree by node
  // and by degree of freedom.

  using DataType = Data<S>;
  const Model& tree() const { return *this; }
  int dof_of_speed(int k) const { return k; }
  int num_nodes() const { return nodes_.size(); }
  const Node<S>& node(int b) const { return nodes_[b]; }
  const PerNode<Node<S>>& nodes() const { return nodes_; }
  /// Returns whether node b, for b <= end, is on the path from the ground to node `end`.
  bool carries(int b, int end) const { return node(b).subtree_v_end > node(end).v_begin; }
  const Joint& joint_of_node(int b) const { return joints_.begin()[body_of_node(b).joint()]; }
  /// The parent of degree of freedom k: the previous one on the path from the ground, -1 for the first one.
  int parent_dof(int k) const { return parent_dof_[k]; }
  int node_of(int k) const { return dof_node_[k]; }
  /// [k, subtree_end(k)) are k itself, the later degrees of freedom of its joint, and all degrees of freedom of the
  /// joints below.
  int subtree_end(int k) const { return nodes_[node_of(k)].subtree_v_end; }
  /// [chain_begin(k), k] are the consecutive numbers with which the path from the ground to k ends.
  int chain_begin(int k) const { return chain_begin_[k]; }
  /// Nodes [b, vectors_end(b)) have joints whose configurations are added as vectors, PrimitiveJoint::adds().
  int vectors_end(int b) const { return vectors_end_[b]; }
  /// The mean, over k, of the number of degrees of freedom related to k: above it, below it, and k itself. It decides
  /// which of two algorithms is faster (DerivativeRoute::automatic).
  int mean_related() const { return mean_related_; }
  /// Size of Data::phi_partial.
  int num_partials() const { return num_partials_; }

  /// Numbers by which Data and results recognise their model. Copies of a model share topology_id(); state_id() also
  /// changes with the inertia. Gravity changes neither, since no stored result depends on it. Both are zero for a
  /// moved-from model.
  std::uint64_t topology_id() const { return topology_id_; }
  std::uint64_t state_id() const { return state_id_; }

  /// Throws ModelError if a joint moves no inertia, so that M is singular. The message names the joint, and `function`,
  /// which needs M^-1.
  void check_regular(const char* function) const {
    if (singular_node_ >= 0) throw_singular(singular_node_, function);
  }
  /// Throws ModelError if the columns of a joint move in the body and the joint has no dual form, so that their rates
  /// cannot be derived. The message names the joint, and `function`, which derives them.
  void check_column_rates(const char* function) const {
    for (int b = 0; b < num_nodes() && num_partials_ > 0; ++b)
      if (nodes_[b].partials_begin >= 0 && !nodes_[b].joint.custom()->has_dual_form()) throw_no_dual_form(b, function);
  }

  /// Throws ModelError for a body or frame of another model; a copy of this model counts as this model.
  void check_owns(const Frame<S>& frame) const {
    if (frame.topology_id() != topology_id_)
      throw ModelError(detail::join({"'", frame.name(), "' is a body or frame of another model than '", name_, "'"}));
  }

 private:
  friend class ModelBuilder<S>;
  template <class>
  friend class Model;
  Model() = default;

  /// The body to whose joint node b belongs.
  const Body<S>& body_of_node(int b) const { return bodies_.begin()[node(b).body]; }
  /// A node whose joint makes M singular if the model had these nodes; -1 if there is none.
  int find_singular(const PerNode<Node<S>>& nodes) const {
    const std::vector<int> singular = detail::find_singular_joints(nodes, armature());
    return singular.empty() ? -1 : singular.front();
  }
  /// Describes why the joint of node b makes M singular, and what to do about it.
  std::pair<std::string, std::string> singular(int b) const;
  [[noreturn, gnu::cold]] void throw_singular(int b, const char* function) const;
  [[noreturn, gnu::cold]] void throw_no_dual_form(int b, const char* function) const;
  /// Throws ModelError unless these numbers are allowed for that kind.
  void check_terms(const JointTerm& kind, VectorIn<S> given) const;
  /// Replaces the inertias of the bodies from `first` on. Throws and leaves the model unchanged if a given inertia is
  /// not physical or a joint would then move no inertia.
  void replace_inertias(int first, const std::vector<InertialParameters<S>>& given);

  /// Finds an element by name; null for an unknown name. Bodies are the first frames and have equal indices.
  template <class Named>
  static const Named* search(const std::vector<Named>& all, const detail::Names& names, const std::string& name) {
    const int found = names.find(name);
    return found < 0 || found >= std::ssize(all) ? nullptr : all.data() + found;
  }
  template <class Named>
  const Named& find(const std::vector<Named>& all, const detail::Names& names, const std::string& name,
                    const char* what) const {
    if (const Named* x = search(all, names, name)) return *x;
    std::string known;
    const auto shown = std::min<std::ptrdiff_t>(std::ssize(all), 20);
    for (auto x = all.begin(); x != all.begin() + shown; ++x)
      known += detail::join({known.empty() ? "'" : ", '", x->name(), "'"});
    if (std::ssize(all) > shown) known += detail::join({" and ", detail::Digits(std::ssize(all) - shown), " more"});
    throw ModelError(
        detail::join({"model '", name_, "' has no ", what, " '", name, "'; it has ", known.empty() ? "none" : known}));
  }
  /// The speeds of the joint of that name, or the single speed of that name, such as "ball[2]".
  Range speeds(const std::string& name) const;

  std::string name_;
  std::vector<Joint> joints_;
  std::vector<Body<S>> bodies_;
  std::vector<Frame<S>> frames_;
  std::vector<LoopSpec> loops_;
  Vector3<S> gravity_{S(0), S(0), S(-9.81)};
  Inertia<S> ground_inertia_ = Inertia<S>::zero();
  Terms terms_;
  std::vector<Note> notes_;
  detail::Names joint_names_, frame_names_;

  PerNode<Node<S>> nodes_;
  PerDof<int> parent_dof_, dof_node_, chain_begin_;
  PerNode<int> vectors_end_;
  ZeroAfterMove<int> nq_, nv_, num_partials_;
  int mean_related_ = 0;
  int singular_node_ = -1;  // a node whose joint moves no inertia, -1 if there is none
  ZeroAfterMove<std::uint64_t> topology_id_ = detail::next_id(), state_id_ = topology_id_;
};

template <class S>
Model<S>::~Model() = default;

template <class S>
const Joint& Model<S>::joint(const std::string& name) const {
  return find(joints_, joint_names_, name, "joint");
}

template <class S>
const Body<S>& Model<S>::body(const std::string& name) const {
  if (!has_body(name) && has_frame(name))
    throw ModelError(
        detail::join({"'", name, "' of model '", name_,
                      "' is not a moving body but a frame on a body or on the ground: use frame(\"", name, "\")"}));
  return find(bodies_, frame_names_, name, "moving body");
}

template <class S>
const Frame<S>& Model<S>::frame(const std::string& name) const {
  return find(frames_, frame_names_, name, "frame");
}

template <class S>
InertialParameters<S> Model<S>::inertia(const Body<S>& body) const {
  check_owns(body);
  return InertialParameters<S>(body.placement().act_inverse(node(body.node()).inertia));
}

template <class S>
std::vector<int> Model<S>::q_indices(const std::vector<std::string>& names) const {
  std::vector<int> result;
  for (const std::string& name : names) {
    const Joint& j = joint(name);
    for (int i = 0; i < j.nq(); ++i) result.push_back(j.q_index() + i);
  }
  return result;
}

template <class S>
std::vector<int> Model<S>::v_indices(const std::vector<std::string>& names) const {
  std::vector<int> result;
  for (const std::string& name : names)
    for (auto [k, end] = speeds(name); k < end; ++k) result.push_back(k);
  return result;
}

template <class S>
auto Model<S>::speeds(const std::string& name) const -> Range {
  const std::string before = name.substr(0, name.rfind('['));
  const Joint& j = joint(has_joint(name) || !has_joint(before) ? name : before);
  if (j.name() == name) return {j.v_index(), j.v_index() + j.nv()};
  for (int i = 0; i < j.nv(); ++i)
    if (detail::name_of_speed(j, i) == name) return {j.v_index() + i, j.v_index() + i + 1};
  throw ModelError(detail::join({"model '", name_, "' has no speed '", name, "': joint '", j.name(), "' has ",
                                 detail::Digits(j.nv()), j.nv() == 1 ? " speed" : " speeds",
                                 ", numbered from 0 as in '", detail::name_of_speed(j, 0), "'"}));
}

template <class S>
template <class T>
Model<T> Model<S>::cast() const {
  using Number = typename NumberOf<T>::Type;
  Model<T> m;
  m.name_ = name_;
  m.joints_ = joints_, m.loops_ = loops_;
  for (const auto& f : frames_)
    m.frames_.push_back(Frame<T>(f.name(), f.node(), f.placement().template cast<T>(), m.topology_id_));
  for (const auto& b : bodies_) m.bodies_.push_back(Body<T>(m.frames_.begin()[b.index()], b.index(), b.parent()));
  m.joint_names_ = joint_names_, m.frame_names_ = frame_names_;
  m.parent_dof_ = parent_dof_, m.dof_node_ = dof_node_, m.chain_begin_ = chain_begin_, m.vectors_end_ = vectors_end_;
  m.nq_ = nq_, m.nv_ = nv_, m.mean_related_ = mean_related_, m.num_partials_ = num_partials_;
  m.gravity_ = gravity_.template cast<T>();
  m.ground_inertia_ = ground_inertia_.template cast<T>();
  for_each_term(
      [](const JointTerm&, auto& to, const auto& from) {
        to = from.template cast<typename std::remove_reference_t<decltype(to)>::Scalar>();
      },
      m.terms_, terms_);
  m.notes_ = notes_, m.singular_node_ = singular_node_;
  for (const Node<S>& n : nodes_) {
    const auto joint = n.joint.template cast<T>();
    if (!joint)
      throw ModelError(
          detail::join({"joint '", joints_.begin()[n.body].name(), "' of model '", name_,
                        "' is a user's joint whose members are not templates on the scalar: build the model "
                        "with ModelBuilder over the new scalar"}));
    m.nodes_.push_back({n.parent, n.q_begin, n.v_begin, n.v_end, n.subtree_v_end, n.partials_begin, n.body, n.base,
                        n.placement.template cast<Number>(), *joint, n.inertia.template cast<Number>(),
                        n.parameters.template cast<Number>()});
  }
  return m;
}

}}  // namespace corio

#include "corio/model/detail/setters.hpp"
