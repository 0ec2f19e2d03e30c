#pragma once

#include <set>

#include "corio/model/builder.hpp"
#include "corio/model/loops.hpp"

namespace corio {

/// One run of ModelBuilder::build(): resolves names, numbers depth first, lumps what is rigid, checks everything.
template <class S>
class ModelBuilder<S>::Assembly {
 public:
  explicit Assembly(const ModelBuilder& builder) : builder_(builder), specs_(builder.specs_), at_(specs_.size() + 1) {
    m_.name_ = builder.name_;
    m_.set_gravity(builder.gravity_);
    int nq = 0, nv = 0;
    for (const auto& spec : specs_)
      for (const auto& link : spec.joint.chain) nq += link.cell.nq(), nv += link.cell.nv();
    constexpr double inf = std::numeric_limits<double>::infinity();
    m_.armature_.setZero(nv), m_.damping_.setZero(nv), m_.friction_.setZero(nv), m_.stiffness_.setZero(nv);
    m_.rest_.setZero(nq);
    m_.notes_ = builder.notes_;
    for (const Note& note : m_.notes_) given_notes_.emplace(note.element, note.advice);
    detail::check_sense(builder.ground_inertia_, m_.name_, "the ground");
    m_.ground_inertia_ = Inertia<S>(builder.ground_inertia_);
    m_.lower_limit_.setConstant(nq, -inf), m_.upper_limit_.setConstant(nq, inf);
    m_.velocity_limit_.setConstant(nv, inf), m_.effort_limit_.setConstant(nv, inf);
    m_.safety_.lower.setConstant(nq, -inf), m_.safety_.upper.setConstant(nq, inf);
    m_.safety_.position_gain.setZero(nv), m_.safety_.velocity_gain.setZero(nv);
  }

  Model<S> finish() {
    if (specs_.empty()) fail({"has no bodies; add_body first"});
    check_names();
    number_depth_first();
    add_frames();
    add_loops();
    relate_nodes();
    for (auto& node : m_.nodes_) node.set_inertia(Inertia<S>(node.inertia));
    check_inertias();
    check_joints();
    return std::move(m_);
  }

 private:
  // The same type as in Model, since hash tables take long to compile.
  using Numbers = typename Model<S>::Numbers;

  /// Where the frame of a body of the builder ended up.
  struct Attachment {
    int node = -1;
    int body = -1;  // index of the moving body it belongs to
    Pose<S> offset = Pose<S>::identity();
  };

  [[noreturn]] void fail(std::initializer_list<std::string_view> what) const {
    throw ModelError(detail::join({"model '", m_.name_, "': ", detail::join(what)}));
  }

  void check_pose(const Pose<S>& pose, const std::string& name) const {
    if (!detail::all_in_range(pose.rotation) || !detail::all_in_range(pose.translation))
      fail({"the placement of '", name, "': each number ", detail::range_rule});
    const Matrix3<double> R = detail::values(pose.rotation), E = transpose(R) * R;
    double error = std::abs(dot(column(R, 0), cross(column(R, 1), column(R, 2))) - 1.0);
    for (int i = 0; i < 9; ++i) error = std::max(error, std::abs(E(i) - (i % 4 == 0 ? 1.0 : 0.0)));
    if (error >= 1e-5) fail({"the rotation of the placement of '", name, "' must be orthogonal with determinant +1"});
  }

  void check_names() {
    Numbers carried_by;
    for (int i = 0; i < specs_.size(); ++i) {
      const auto& spec = specs_[i];
      if (spec.name.empty()) fail({"body number ", std::to_string(i), " has no name"});
      if (!numbers_.try_emplace(spec.name, i).second) fail({"two bodies are named '", spec.name, "'"});
      if (const auto [other, is_new] = carried_by.try_emplace(spec.joint_name, i); !is_new)
        fail({"joint '", spec.joint_name, "' carries two bodies, '", specs_[other->second].name, "' and '", spec.name,
              "'; joint names must be unique"});
    }
  }

  /// Index of a parent, after those of all bodies for the ground.
  int resolve(const Parent& parent, const std::string& name) const {
    if (parent.handle) {
      const auto [index, stamp] = *parent.handle;
      if (index < 0 || index >= specs_.size() || builder_.stamps_[index] != stamp)
        fail({"the parent of '", name, "' is a handle that is not of this builder"});
      return index;
    }
    if (parent.name.empty()) return specs_.size();
    const auto found = numbers_.find(parent.name);
    if (found == numbers_.end()) fail({"the parent of '", name, "', '", parent.name, "', is not a body of the model"});
    return found->second;
  }

  void number_depth_first() {
    const int n = specs_.size();
    detail::PerSpec<int> parents(n);
    detail::PerSpec<std::vector<int>> children(n + 1);  // backwards
    for (int i = n - 1; i >= 0; --i) {
      parents[i] = resolve(specs_[i].parent, specs_[i].name);
      children[parents[i]].push_back(i);
    }
    std::vector<int> stack = children[n];
    detail::PerSpec<char> placed(n, 0);
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      placed[i] = 1;
      const InertialParameters<S> inertia =
          detail::located(specs_[i].line, [this, i] { return accepted_inertia(specs_[i]); });
      detail::located(specs_[i].joint_line, [&] { add(i, at_[parents[i]], inertia); });
      for (const int c : children[i]) stack.push_back(c);
    }
    std::string loop;
    for (int i = 0; i < n; ++i)
      if (!placed[i]) loop += detail::join({loop.empty() ? "'" : ", '", specs_[i].name, "'"});
    if (!loop.empty()) fail({"bodies ", loop, " hang on a closed chain of parents; one of them must be on the ground"});
  }

  void add(int i, const Attachment& parent, const InertialParameters<S>& inertia) {
    const BodySpec<S>& spec = specs_[i];
    check_pose(spec.placement, spec.name);
    check_pose(spec.body_placement, spec.name);
    const Pose<S> placement = parent.offset * spec.placement;
    const auto& chain = spec.joint.chain;

    Attachment& here = at_[i];
    here = {parent.node, parent.body, placement};
    const int q_index = m_.nq(), v_index = m_.nv();
    for (const auto& link : chain) {
      const Pose<S> axes{link.axes.template cast<S>(), zero3<S>()};
      if (!detail::all_finite(axes.rotation))
        fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): its axis must be a finite nonzero vector"});
      if (!detail::in_range(S(link.cell.pitch())))
        fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): its pitch ", detail::range_rule});
      add_node(here.node, here.offset * axes, link.cell);
      here.node = m_.num_nodes() - 1;
      here.offset = Pose<S>::identity();
    }
    here.offset = here.offset * Pose<S>{spec.joint.tail.template cast<S>(), zero3<S>()} * spec.body_placement;
    if (!chain.empty()) {
      here.body = num_bodies();
      for (int k = v_index; k < m_.nv(); ++k) carried_.push_back(i);
      m_.joint_numbers_.emplace(spec.joint_name, here.body);
      m_.joints_.push_back(
          Joint(spec.joint_name, spec.joint.type, q_index, m_.nq() - q_index, v_index, m_.nv() - v_index));
      m_.bodies_.push_back(
          Body<S>(Frame<S>(spec.name, here.node, here.offset, m_.tree_stamp_), here.body, parent.body));
    }
    (here.node >= 0 ? m_.nodes_[here.node].inertia : m_.ground_inertia_) += here.offset.act(Inertia<S>(inertia));
    set_coordinates(spec, q_index, v_index);
  }

  /// What the model takes for the inertia that was given, with a note if no distribution of mass has that.
  InertialParameters<S> accepted_inertia(const BodySpec<S>& spec) {
    detail::check_sense(spec.inertia, m_.name_, spec.name);
    if (builder_.inertias_ == Inertias::strict) return spec.inertia;  // judged as part of its rigid body
    const std::string wrong = detail::violation(spec.inertia, detail::rounding_scale(spec.inertia));
    if (wrong.empty()) return spec.inertia;
    const bool change = builder_.inertias_ == Inertias::nearest;
    const InertialParameters<S> taken = change ? detail::nearest_physical(spec.inertia) : spec.inertia;
    std::string what = "it is taken as given; Inertias::nearest takes the closest that a body can have";
    if (change) {
      const auto moments = detail::principal_moments(taken);
      what = detail::join({"changed to ", detail::number(moments[0]), ", ", detail::number(moments[1]), ", ",
                           detail::number(moments[2]), " kg m^2"});
    }
    note(detail::join({"body '", spec.name, "'"}), spec.line, wrong, what);
    return taken;
  }
  /// Adds a note unless it was given already, as for a builder that was made of a model.
  void note(const std::string& element, int line, const std::string& found, const std::string& advice) {
    if (!given_notes_.contains({element, advice})) m_.notes_.push_back({element, line, found, advice});
  }

  int num_bodies() const { return static_cast<int>(m_.bodies_.size()); }

  void add_node(int parent, const Pose<S>& placement, const joint::Cell<S>& cell) {
    const int nq = cell.nq(), nv = cell.nv();
    const int partials_begin = cell.has_column_rates() ? m_.num_partials() : -1;
    m_.nodes_.push_back({parent, m_.nq_, m_.nv_, m_.nv_ + nv, m_.nv_ + nv, partials_begin, num_bodies(), m_.num_nodes(),
                         placement, cell, Inertia<S>::zero(), InertialParameters<S>()});
    if (partials_begin >= 0) m_.num_partials_ = m_.num_partials_ + nv * nv;
    m_.nq_ = m_.nq_ + nq, m_.nv_ = m_.nv_ + nv;
  }

  /// The armature, passive terms and limits of a joint.
  void set_coordinates(const BodySpec<S>& spec, int q_index, int v_index) {
    const int nq = m_.nq() - q_index, nv = m_.nv() - v_index;
    set_terms(spec, m_.armature_.data() + v_index, nv, spec.armature, "armature");
    set_terms(spec, m_.damping_.data() + v_index, nv, spec.passive.damping, "damping");
    set_terms(spec, m_.friction_.data() + v_index, nv, spec.passive.friction, "friction");
    set_terms(spec, m_.stiffness_.data() + v_index, nv, spec.passive.stiffness, "stiffness");
    int i = q_index;
    for (const auto& link : spec.joint.chain) {
      link.cell.visit([&](const auto& joint) { joint.neutral(m_.rest_.data() + i); });
      i += link.cell.nq();
    }
    set(spec, m_.rest_.data() + q_index, nq, spec.passive.rest, "configuration at rest");
    for (const S& x : spec.passive.rest)
      if (!detail::in_range(x))
        fail({"joint '", spec.joint_name, "': the configuration at rest: each number ", detail::range_rule});
    set(spec, m_.lower_limit_.data() + q_index, nq, spec.limits.lower, "lower limit");
    set(spec, m_.upper_limit_.data() + q_index, nq, spec.limits.upper, "upper limit");
    set(spec, m_.velocity_limit_.data() + v_index, nv, spec.limits.velocity, "velocity limit");
    set(spec, m_.effort_limit_.data() + v_index, nv, spec.limits.effort, "effort limit");
    SafetyLimits& safety = m_.safety_;
    set(spec, safety.lower.data() + q_index, nq, spec.safety.lower, "lower limit of the safety controller");
    set(spec, safety.upper.data() + q_index, nq, spec.safety.upper, "upper limit of the safety controller");
    set(spec, safety.position_gain.data() + v_index, nv, spec.safety.position_gain, "position gain");
    set(spec, safety.velocity_gain.data() + v_index, nv, spec.safety.velocity_gain, "velocity gain");
    for (int k = q_index; k < m_.nq(); ++k)
      if (m_.lower_limit_[k] > m_.upper_limit_[k] || safety.lower[k] > safety.upper[k])
        fail({"joint '", spec.joint_name, "': its lower limit exceeds its upper limit"});
  }

  /// Numbers that must not be negative.
  void set_terms(const BodySpec<S>& spec, S* all, int n, const std::vector<S>& given, const char* what) const {
    set(spec, all, n, given, what);
    for (const S& x : given)
      if (!(value_of(x) >= 0.0 && detail::in_range(x)))
        fail({"joint '", spec.joint_name, "': ", what, " must not be negative, and ", detail::range_rule});
  }
  /// Replaces what is there by what is given, if anything is.
  template <class T>
  void set(const BodySpec<S>& spec, T* all, int n, const std::vector<T>& given, const char* what) const {
    if (!given.empty() && std::ssize(given) != n)
      fail({"joint '", spec.joint_name, "': ", std::to_string(given.size()), " values of ", what, " given, it takes ",
            std::to_string(n)});
    for (const T& x : given)
      if (std::isnan(value_of(x))) fail({"joint '", spec.joint_name, "': ", what, " is not a number"});
    std::copy(given.begin(), given.end(), all);
  }

  void add_frames() {
    for (const auto& body : m_.bodies_) add_frame(body.name(), body.node(), body.placement());
    for (int i = 0; i < specs_.size(); ++i)
      if (specs_[i].joint.chain.empty()) add_frame(specs_[i].name, at_[i].node, at_[i].offset);
    for (const auto& spec : builder_.frames_) detail::located(spec.line, [&] { add_frame(spec); });
  }
  void add_frame(const FrameSpec<S>& spec) {
    check_pose(spec.placement, spec.name);
    const Attachment& at = at_[resolve(spec.parent, spec.name)];
    if (spec.name.empty() || !add_frame(spec.name, at.node, at.offset * spec.placement))
      fail({"frame '", spec.name, "': frames and bodies need distinct, nonempty names"});
  }
  /// False if a frame has that name already.
  bool add_frame(const std::string& name, int node, const Pose<S>& placement) {
    if (!m_.frame_numbers_.try_emplace(name, static_cast<int>(m_.frames_.size())).second) return false;
    m_.frames_.push_back(Frame<S>(name, node, placement, m_.tree_stamp_));
    return true;
  }

  /// Loops as given, but for those between what has been fixed to each other, as when a joint was locked.
  void add_loops() {
    for (const LoopSpec& loop : builder_.loops_) {
      for (const std::string& joint : loop.dependent)
        if (!m_.has_joint(joint))
          detail::located(loop.line, [&] {
            fail({"loop '", loop.name, "': joint '", joint, "', which it is meant to determine, does not exist"});
          });
      if (loop.first != loop.second && m_.has_frame(loop.first) && m_.has_frame(loop.second) &&
          m_.frame(loop.first).node() == m_.frame(loop.second).node())
        m_.notes_.push_back(
            {detail::join({"loop '", loop.name, "'"}), loop.line,
             detail::join({"joins '", loop.first, "' and '", loop.second, "', which are fixed to each other"}),
             "it was left out"});
      else
        m_.loops_.push_back(loop);
    }
    const Loops<S> checked(m_);
  }

  /// What is above and below each node and each degree of freedom.
  void relate_nodes() {
    for (int b = m_.num_nodes() - 1; b >= 0; --b)
      if (const int parent = m_.node(b).parent; parent >= 0) {
        int& end = m_.nodes_[parent].subtree_v_end;
        end = std::max(end, m_.node(b).subtree_v_end);
      }
    std::int64_t related = 0;
    for (int b = 0; b < m_.num_nodes(); ++b) {
      Node<S>& node = m_.nodes_[b];
      node.base = node.parent < 0 ? find_base(b) : m_.node(node.parent).base;
      for (int k = node.v_begin; k < node.v_end; ++k) {
        const int parent = k > node.v_begin ? k - 1 : node.parent < 0 ? -1 : m_.node(node.parent).v_end - 1;
        m_.dof_parent_.push_back(parent);
        m_.dof_node_.push_back(b);
        m_.run_begin_.push_back(parent >= 0 && parent == k - 1 ? m_.run_begin_[parent] : k);
        related += 2 * (node.subtree_v_end - k) - 1;  // those below, for which it is above, and itself
      }
    }
    if (m_.nv() > 0) m_.mean_related_ = static_cast<int>(related / m_.nv());
  }
  /// The base of the tree with that root: see Model.
  int find_base(int root) const {
    const int end = m_.node(root).subtree_v_end;
    int base = root;
    // In depth-first order an only child comes next and has the whole rest of the subtree.
    const auto passed_over = [&](const Node<S>& node) {
      return value_of(node.inertia.mass) == 0.0 || node.cell.only_translates();
    };
    while (passed_over(m_.node(base)) && m_.node(base).v_end < end && m_.node(base + 1).subtree_v_end == end) ++base;
    return base;
  }

  /// Inertias::strict accepts tiny dummy links, welded to real ones, whose inertia no mass distribution has, if they
  /// are negligible in the rigid body that they are part of, which must be physical as a whole.
  void check_inertias() const {
    if (builder_.inertias_ != Inertias::strict) return;
    for (int i = 0; i < specs_.size(); ++i) {
      const int node = at_[i].node;
      const auto rigid = node >= 0 ? m_.node(node).parameters : m_.ground_inertia();
      detail::located(specs_[i].line, [&] {
        detail::check_inertia(specs_[i].inertia, m_.name_, specs_[i].name, detail::principal_moments(rigid)[2]);
      });
    }
    for (const auto& body : m_.bodies_) {
      const InertialParameters<S>& inertia = m_.node(body.node()).parameters;
      detail::check_inertia(inertia, m_.name_, body.name(), detail::rounding_scale(inertia));
    }
  }

  void check_joints() {
    for (int b = 0; b < m_.num_nodes(); ++b)
      if (const std::string wrong = detail::wrong_columns(m_.node(b)); !wrong.empty()) {
        const Joint& joint = m_.joint_of_node(b);
        detail::located(joint_line(joint), [&] { fail({"joint '", joint.name(), "' (", joint.type(), "): ", wrong}); });
      }
    const std::vector<int> singular = detail::find_singular_joints(m_.nodes_, m_.armature_);
    const S& given = builder_.armature_of_massless_;
    if (!(value_of(given) >= 0.0 && detail::in_range(given)))
      fail({"the armature of joints that move no inertia must not be negative, and ", detail::range_rule});
    for (const int b : singular) {
      const Joint& joint = m_.joint_of_node(b);
      const std::string wrong = m_.singular(b);
      if (builder_.inertias_ == Inertias::strict)
        detail::located(joint_line(joint), [&] {
          fail({"joint '", joint.name(), "' ", wrong, "; ", detail::cure_of_singular_joint});
        });
      std::string advice = detail::cure_of_singular_joint;
      if (value_of(given) > 0.0) {
        for (int k = m_.node(b).v_begin; k < m_.node(b).v_end; ++k)
          if (value_of(m_.armature_[k]) == 0.0) m_.armature_[k] = given;
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
  Model<S> m_;
  Numbers numbers_;                                            // those of the bodies, by name
  PerDof<int> carried_;                                        // the body whose joint it belongs to, in the builder
  detail::PerSpec<Attachment> at_;                             // the last is the ground
  std::set<std::pair<std::string, std::string>> given_notes_;  // those of the builder: element and advice
};

template <class S>
Model<S> ModelBuilder<S>::build() const {
  return Assembly(*this).finish();
}

}  // namespace corio
