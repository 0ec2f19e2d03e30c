#pragma once

#include <algorithm>

#include "corio/model/builder.hpp"
#include "corio/model/loops.hpp"

namespace corio { inline namespace CORIO_ABI {

/// One run of ModelBuilder::build(): resolves names, numbers bodies depth first, merges bodies that are fixed to each
/// other, and checks everything.
template <class S>
class ModelBuilder<S>::Construction {
 public:
  /// @param model  the model to be filled
  Construction(const ModelBuilder& builder, Model<S>& model)
      : builder_(builder), specs_(builder.specs_), m_(model), at_(specs_.size() + 1) {
    m_.name_ = builder.name_;
    m_.set_gravity(builder.gravity_);
    int nq = 0, nv = 0;
    for (const auto& spec : specs_) nq += spec.joint.nq(), nv += spec.joint.nv();
    for_each_term([&](const JointTerm& term, auto& all) { detail::resize(all, term.per_coordinate ? nq : nv); },
                  m_.terms_);
    for (const Note& note : builder.notes_) {
      m_.notes_.push_back(Note(note));
      given_notes_.add(key(note.element, note.advice));
    }
    detail::check_sense(builder.ground_inertia_, m_.name_, "the ground");
    m_.ground_inertia_ = Inertia<S>(builder.ground_inertia_);
  }

  void run() {
    try {
      build();
    } catch (const ModelError& error) {
      if (line_ <= 0) throw;
      throw ModelError(detail::join({"line ", detail::Digits(line_), ": ", error.what()}));
    }
  }

 private:
  friend ModelBuilder;

  void build() {
    // A model without moving bodies is valid, for instance a wall with frames to which robots are attached.
    if (specs_.empty() && builder_.frames_.empty()) fail({"has no bodies and no frames; add_body first"});
    check_names();
    number_depth_first();
    add_frames();
    if (builder_.add_loops_) (this->*builder_.add_loops_)();
    relate_nodes();
    for (auto& node : m_.nodes_) node.set_inertia(Inertia<S>(node.inertia));
    if (builder_.check_inertias_) (this->*builder_.check_inertias_)();
    check_joints();
  }

  /// The node that a body of the builder became part of, and the pose of the body's frame there.
  struct Attachment {
    int node = -1;
    int body = -1;  // index of the moving body it belongs to
    Pose<S> offset = Pose<S>::identity();
  };

  /// The product A B. It is not inlined, since it is not called often.
  [[gnu::noinline]] static Pose<S> product(const Pose<S>& A, const Pose<S>& B) { return A * B; }

  static Pose<S> turned(const Matrix3<double>& R) {
    Pose<S> X = Pose<S>::identity();
    for (int i = 0; i < 9; ++i) X.rotation(i) = S(R(i));
    return X;
  }

  [[noreturn, gnu::cold]] void fail(std::initializer_list<std::string_view> what) const {
    throw ModelError(detail::join({"model '", m_.name_, "': ", detail::join(what)}));
  }

  void check_pose(const Pose<S>& pose, const std::string& name) const {
    if (!detail::all_in_range(pose.rotation) || !detail::all_in_range(pose.translation))
      fail({"the placement of '", name, "': each number ", detail::range_rule});
    const Matrix3<double> R = detail::values(pose.rotation), E = transpose(R) * R;
    double error = std::abs(dot(column(R, 0), cross(column(R, 1), column(R, 2))) - 1.0);
    for (int i = 0; i < 9; ++i) error = (std::max)(error, std::abs(E(i) - (i % 4 == 0 ? 1.0 : 0.0)));
    if (error >= 1e-5) fail({"the rotation of the placement of '", name, "' must be orthogonal with determinant +1"});
  }

  void check_names() {
    detail::Names carried_by;
    for (int i = 0; i < specs_.size(); ++i) {
      const auto& spec = specs_[i];
      if (spec.name.empty()) fail({"body number ", detail::Digits(i), " has no name"});
      if (!names_.add(spec.name)) fail({"two bodies are named '", spec.name, "'"});
      if (!carried_by.add(spec.joint_name))
        fail({"joint '", spec.joint_name, "' carries two bodies, '", specs_[carried_by.find(spec.joint_name)].name,
              "' and '", spec.name, "'; joint names must be unique"});
    }
  }

  /// The index of a parent; the ground has the index after all bodies.
  int resolve(const Parent& parent, const std::string& name) const {
    if (parent.handle) {
      const auto [index, stamp] = *parent.handle;
      if (index < 0 || index >= specs_.size() || builder_.added_[index].stamp != stamp)
        fail({"the parent of '", name, "' is a handle of another builder"});
      return index;
    }
    if (parent.name.empty()) return specs_.size();
    const int found = names_.find(parent.name);
    if (found < 0) fail({"the parent of '", name, "', '", parent.name, "', is not a body of the model"});
    return found;
  }

  void number_depth_first() {
    const int n = specs_.size();
    detail::PerSpec<int> parents(n), first_child(n + 1, -1), next_sibling(n), placed(n);
    for (int i = n - 1; i >= 0; --i) {
      int& first = first_child[parents[i] = resolve(specs_[i].parent, specs_[i].name)];
      next_sibling[i] = std::exchange(first, i);
    }
    for (int i = first_child[n]; i >= 0;) {
      placed[i] = 1;
      line_ = specs_[i].line;
      const InertialParameters<S> inertia = accepted_inertia(specs_[i]);
      line_ = specs_[i].joint_line;
      add(i, at_[parents[i]], inertia);
      if (first_child[i] >= 0) {
        i = first_child[i];
      } else {
        while (i < n && next_sibling[i] < 0) i = parents[i];
        i = i < n ? next_sibling[i] : -1;
      }
    }
    line_ = 0;
    std::string loop;
    for (int i = 0; i < n; ++i)
      if (!placed[i]) loop += detail::join({loop.empty() ? "'" : ", '", specs_[i].name, "'"});
    if (!loop.empty())
      fail({"the parents of bodies ", loop, " form a cycle; one of the bodies must be attached to the ground"});
  }

  void add(int i, const Attachment& parent, const InertialParameters<S>& inertia) {
    const BodySpec<S>& spec = specs_[i];
    check_pose(spec.placement, spec.name);
    check_pose(spec.body_placement, spec.name);
    const Pose<S> placement = product(parent.offset, spec.placement);
    const auto& chain = spec.joint.chain;

    Attachment& here = at_[i];
    here = {parent.node, parent.body, placement};
    const int q_index = m_.nq(), v_index = m_.nv();
    const auto refuse_if = [&](const std::string& wrong) {
      if (!wrong.empty()) fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): ", wrong});
    };
    refuse_if(spec.joint.wrong);
    for (const auto& link : chain) {
      const Pose<S> axes = turned(link.axes);
      if (!detail::all_finite(axes.rotation))
        fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): its axis must be a finite nonzero vector"});
      refuse_if(link.joint.check());
      if (!detail::in_range(S(link.joint.pitch()))) refuse_if(detail::join({"its pitch ", detail::range_rule}));
      refuse_if(link.joint.wrong_columns());
      add_node(here.node, product(here.offset, axes), link.joint);
      here.node = m_.num_nodes() - 1;
      here.offset = Pose<S>::identity();
    }
    here.offset = product(product(here.offset, turned(spec.joint.tail)), spec.body_placement);
    if (!chain.empty()) {
      here.body = num_bodies();
      for (int k = v_index; k < m_.nv(); ++k) carried_.push_back(i);
      m_.joint_names_.add(spec.joint_name);
      m_.joints_.push_back(
          Joint(spec.joint_name, spec.joint.type, q_index, m_.nq() - q_index, v_index, m_.nv() - v_index));
      m_.bodies_.push_back(
          Body<S>(Frame<S>(spec.name, here.node, here.offset, m_.topology_id_), here.body, parent.body));
    }
    (here.node >= 0 ? m_.nodes_[here.node].inertia : m_.ground_inertia_) += here.offset.act(Inertia<S>(inertia));
    set_terms(i, q_index, v_index);
  }

  /// The inertia that the model uses, with a note if no rigid body can have the given inertia.
  InertialParameters<S> accepted_inertia(const BodySpec<S>& spec) {
    detail::check_sense(spec.inertia, m_.name_, spec.name);
    if (builder_.inertias_ == Inertias::strict) return spec.inertia;  // checked as part of its rigid body
    const std::string wrong = detail::violation(spec.inertia, detail::rounding_scale(spec.inertia));
    if (wrong.empty()) return spec.inertia;
    InertialParameters<S> taken = spec.inertia;
    std::string what = "it is taken as given; Inertias::nearest takes the closest that a body can have";
    if (builder_.nearest_) {
      taken = builder_.nearest_(spec.inertia);
      const auto moments = detail::principal_moments(taken);
      what = detail::join({"changed to ", detail::number(moments[0]), ", ", detail::number(moments[1]), ", ",
                           detail::number(moments[2]), " kg m^2"});
    }
    note(detail::join({"body '", spec.name, "'"}), spec.line, wrong, what);
    return taken;
  }
  /// Adds a note, unless the builder was made from a model that had it already.
  void note(const std::string& element, int line, const std::string& found, const std::string& advice) {
    if (!given_notes_.contains(key(element, advice))) m_.notes_.push_back({element, line, found, advice});
  }

  static std::string key(const std::string& element, const std::string& advice) {
    return detail::join({element, "\n", advice});
  }

  int num_bodies() const { return static_cast<int>(m_.bodies_.size()); }

  void add_node(int parent, const Pose<S>& placement, const joint::PrimitiveJoint<S>& primitive) {
    if (m_.num_nodes() == detail::most_nodes)
      fail({"has more than ", detail::Digits(detail::most_nodes),
            " bodies, including the bodies between the axes of joints"});
    const int nq = primitive.nq(), nv = primitive.nv();
    const int partials_begin = primitive.has_column_rates() ? m_.num_partials() : -1;
    m_.nodes_.push_back({parent, m_.nq_, m_.nv_, m_.nv_ + nv, m_.nv_ + nv, partials_begin, num_bodies(), m_.num_nodes(),
                         placement, primitive, Inertia<S>::zero(), InertialParameters<S>()});
    if (partials_begin >= 0) m_.num_partials_ = m_.num_partials_ + nv * nv;
    m_.nq_ = m_.nq_ + nq, m_.nv_ = m_.nv_ + nv;
  }

  /// The numbers of a joint (for_each_term). Numbers of the wrong count are dropped if the joint was replaced after its
  /// body was added, and rejected otherwise.
  void set_terms(int i, int q_index, int v_index) {
    const BodySpec<S>& spec = specs_[i];
    const joint::JointSpec<S>& added = builder_.added_[i].joint;
    std::string dropped;
    for_each_term(
        [&]<class T>(const JointTerm& term, auto& all, const std::vector<T>& given) {
          for (const T& x : given)
            if (!detail::is_allowed(term, x))
              fail({"joint '", spec.joint_name, "': ", term.name, " ", detail::rule(term)});
          std::vector<T> numbers = detail::without<T>(term, spec.joint);
          if (given.size() == numbers.size())
            numbers = given;
          else if (std::ssize(given) != detail::size(term, added) && !given.empty())
            fail({"joint '", spec.joint_name, "': ", detail::Digits(given.size()), " values of ", term.name,
                  " given, expected ", detail::Digits(numbers.size())});
          else if (detail::has_term(term, added, given))
            dropped += detail::join({dropped.empty() ? "" : ", ", term.name});
          std::copy(numbers.begin(), numbers.end(), all.data() + (term.per_coordinate ? q_index : v_index));
        },
        m_.terms_, spec);
    if (!dropped.empty())
      note(detail::join({"joint '", spec.joint_name, "'"}), spec.joint_line,
           detail::join({"is ", spec.joint.type, ", but its ", dropped, " were given when it was ", added.type}),
           "these numbers have the wrong count and were dropped");
    const auto& limits = m_.terms_.limits;
    const auto& safety = m_.terms_.safety;
    for (int k = q_index; k < m_.nq(); ++k)
      if (limits.lower[k] > limits.upper[k] || safety.lower[k] > safety.upper[k])
        fail({"joint '", spec.joint_name, "': its lower limit exceeds its upper limit"});
  }

  void add_frames() {
    for (const auto& body : m_.bodies_) add_frame(body.name(), body.node(), body.placement());
    for (int i = 0; i < specs_.size(); ++i)
      if (specs_[i].joint.chain.empty()) add_frame(specs_[i].name, at_[i].node, at_[i].offset);
    for (const auto& spec : builder_.frames_) {
      line_ = spec.line;
      add_frame(spec);
    }
    line_ = 0;
  }
  void add_frame(const FrameSpec<S>& spec) {
    check_pose(spec.placement, spec.name);
    const Attachment& at = at_[resolve(spec.parent, spec.name)];
    if (spec.name.empty() || !add_frame(spec.name, at.node, product(at.offset, spec.placement)))
      fail({"frame '", spec.name, "': frames and bodies need distinct, nonempty names"});
  }
  /// Adds a frame; returns false if a frame has that name already.
  bool add_frame(const std::string& name, int node, const Pose<S>& placement) {
    if (!m_.frame_names_.add(name)) return false;
    m_.frames_.push_back(Frame<S>(name, node, placement, m_.topology_id_));
    return true;
  }

  /// The given loops except closures of frames that are fixed to each other, which lock_joints may leave.
  void add_loops() {
    for (const LoopSpec& loop : builder_.loops_) {
      for (const std::string& joint : loop.dependent)
        if (!m_.has_joint(joint)) {
          line_ = loop.line;
          fail({"loop '", loop.name, "': its dependent joint '", joint, "' does not exist"});
        }
      if (loop.first != loop.second && m_.has_frame(loop.first) && m_.has_frame(loop.second) &&
          m_.frame(loop.first).node() == m_.frame(loop.second).node())
        m_.notes_.push_back({detail::join({"loop '", loop.name, "'"}), loop.line, fixed(loop), "it was left out"});
      else
        m_.loops_.push_back(loop);
    }
    const Loops<S> checked(m_);
  }

  /// The note on a closure of two frames that are fixed to each other.
  std::string fixed(const LoopSpec& loop) const {
    const Pose<S> X = m_.frame(loop.first).placement().inverse() * m_.frame(loop.second).placement();
    double open = 0.0;
    for (const auto& condition : loop.conditions)
      open = (std::max)(open, std::abs(condition.value({detail::values(X.rotation), detail::values(X.translation)})));
    return detail::join({"joins '", loop.first, "' and '", loop.second, "', which are fixed to each other",
                         open > 1e-6 ? detail::join({" although it is open by ", detail::number(open)}) : ""});
  }

  /// The ancestors and subtrees of each node and each degree of freedom.
  void relate_nodes() {
    for (int b = m_.num_nodes() - 1; b >= 0; --b)
      if (const int parent = m_.node(b).parent; parent >= 0) {
        int& end = m_.nodes_[parent].subtree_v_end;
        end = (std::max)(end, m_.node(b).subtree_v_end);
      }
    m_.vectors_end_ = PerNode<int>(m_.num_nodes());
    for (int b = m_.num_nodes() - 1, end = b + 1; b >= 0; --b) {
      if (!m_.node(b).joint.adds()) end = b;
      m_.vectors_end_[b] = end;
    }
    std::int64_t related = 0;
    for (int b = 0; b < m_.num_nodes(); ++b) {
      Node<S>& node = m_.nodes_[b];
      node.base = node.parent < 0 ? find_base(b) : m_.node(node.parent).base;
      for (int k = node.v_begin; k < node.v_end; ++k) {
        const int parent = k > node.v_begin ? k - 1 : node.parent < 0 ? -1 : m_.node(node.parent).v_end - 1;
        m_.parent_dof_.push_back(parent);
        m_.dof_node_.push_back(b);
        m_.chain_begin_.push_back(parent >= 0 && parent == k - 1 ? m_.chain_begin_[parent] : k);
        related += 2 * (node.subtree_v_end - k) - 1;  // pairs (k, l) and (l, k) for l below k, and (k, k)
      }
    }
    if (m_.nv() > 0) m_.mean_related_ = static_cast<int>(related / m_.nv());
  }
  /// The base (see Model) of the tree with that root.
  int find_base(int root) const {
    const int end = m_.node(root).subtree_v_end;
    int base = root;
    // In depth-first order an only child is the next node, and its subtree ends where its parent's does.
    const auto passed_over = [&](const Node<S>& node) {
      return value_of(node.inertia.mass) == 0.0 || node.joint.only_translates();
    };
    while (passed_over(m_.node(base)) && m_.node(base).v_end < end && m_.node(base + 1).subtree_v_end == end) ++base;
    return base;
  }

  /// Inertias::strict accepts unphysical inertias of tiny dummy links that are welded to real links, if they are
  /// negligible in the rigid body that they are part of; this rigid body must be physical as a whole.
  void check_inertias() {
    for (int i = 0; i < specs_.size(); ++i) {
      const int node = at_[i].node;
      const InertialParameters<S> rigid = node >= 0 ? m_.node(node).parameters : m_.ground_inertia();
      line_ = specs_[i].line;
      detail::check_inertia(specs_[i].inertia, m_.name_, specs_[i].name, detail::principal_moments(rigid)[2]);
    }
    line_ = 0;
    for (const auto& body : m_.bodies_) {
      const InertialParameters<S>& inertia = m_.node(body.node()).parameters;
      detail::check_inertia(inertia, m_.name_, body.name(), detail::rounding_scale(inertia));
    }
  }

  void check_joints() {
    const std::vector<int> singular = detail::find_singular_joints(m_.nodes_, m_.terms_.armature);
    const S& given = builder_.armature_of_massless_;
    if (!(value_of(given) >= 0.0 && detail::in_range(given)))
      fail({"the armature of joints that move no inertia must not be negative, and ", detail::range_rule});
    for (const int b : singular) {
      const Joint& joint = m_.joint_of_node(b);
      auto [wrong, advice] = m_.singular(b);
      if (builder_.inertias_ == Inertias::strict) {
        line_ = joint_line(joint);
        fail({"joint '", joint.name(), "' ", wrong, "; ", advice});
      }
      if (value_of(given) > 0.0) {
        for (int k = m_.node(b).v_begin; k < m_.node(b).v_end; ++k) {
          S& armature = m_.terms_.armature[k];
          armature = select(detail::real_value(armature) == 0.0, given, armature);
        }
        advice = detail::join({"it was given an armature of ", detail::number(value_of(given))});
      } else {
        m_.singular_node_ = singular.front();
      }
      note(detail::join({"joint '", joint.name(), "'"}), joint_line(joint), wrong, advice);
    }
  }
  int joint_line(const Joint& joint) const { return specs_[carried_[joint.v_index()]].joint_line; }

  const ModelBuilder& builder_;
  const detail::PerSpec<BodySpec<S>>& specs_;
  Model<S>& m_;
  int line_ = 0;               // the line in the file of the element that is being checked; 0 if there is no file
  detail::Names names_;        // names of the bodies
  detail::Names given_notes_;  // the builder's notes: keys by element and advice
  PerDof<int> carried_;  // for each degree of freedom, the index in the builder of the body that its joint carries
  detail::PerSpec<Attachment> at_;  // the last entry is the ground's
};

template <class S>
Model<S> ModelBuilder<S>::build() const {
  Model<S> model;
  Construction(*this, model).run();
  return model;
}

}}  // namespace corio
