#pragma once

#include "corio/model/builder.hpp"

namespace corio {

/// One run of ModelBuilder::build(): resolves names, numbers depth first, lumps what is rigid, checks everything.
template <class S>
class ModelBuilder<S>::Assembly {
 public:
  explicit Assembly(const ModelBuilder& builder)
      : specs_(builder.specs_), frame_specs_(builder.frames_), at_(specs_.size()) {
    m_.name_ = builder.name_;
    m_.set_gravity(builder.gravity_);
  }

  Model<S> finish() {
    if (specs_.empty()) fail({"has no bodies; add_body first"});
    check_names();
    number_depth_first();
    m_.armature_ = to_vector(armature_);
    m_.lower_limit_ = to_vector(lower_), m_.upper_limit_ = to_vector(upper_);
    m_.velocity_limit_ = to_vector(velocity_), m_.effort_limit_ = to_vector(effort_);
    add_frames();
    find_subtrees();
    for (auto& node : m_.nodes_) node.set_inertia(Inertia<S>(node.inertia));
    check_inertias();
    check_joints();
    return std::move(m_);
  }

 private:
  /// Where the frame of a body of the builder ended up.
  struct Attachment {
    int node = -1;
    int body = -1;  // index of the moving body it belongs to
    Pose<S> offset = Pose<S>::identity();
  };

  [[noreturn]] void fail(std::initializer_list<std::string_view> what) const {
    throw ModelError(detail::join({"model '", m_.name_, "': ", detail::join(what)}));
  }

  static bool finite(const Pose<S>& pose) {
    return detail::all_finite(pose.rotation) && detail::all_finite(pose.translation);
  }
  static bool proper(const Pose<S>& pose) {
    const Vector3<S> x = pose.rotation.col(0), y = pose.rotation.col(1), z = pose.rotation.col(2);
    const S error[] = {dot(x, x) - S(1), dot(y, y) - S(1), dot(z, z) - S(1),          dot(x, y),
                       dot(x, z),        dot(y, z),        dot(x, cross(y, z)) - S(1)};
    return std::all_of(std::begin(error), std::end(error), [](const S& e) { return std::abs(value_of(e)) < 1e-5; });
  }
  void check_pose(const Pose<S>& pose, const std::string& name) const {
    if (!finite(pose)) fail({"the placement of '", name, "' must consist of finite numbers"});
    if (!proper(pose)) fail({"the rotation of the placement of '", name, "' must be orthogonal with determinant +1"});
  }

  /// Index of the body of that name among the first n, -1 if there is none.
  int find(const std::string& name, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      if (specs_[i].name == name) return static_cast<int>(i);
    return -1;
  }

  void check_names() {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const auto& spec = specs_[i];
      if (spec.name.empty()) fail({"body number ", std::to_string(i), " has no name"});
      if (find(spec.name, i) >= 0) fail({"two bodies are named '", spec.name, "'"});
      for (std::size_t k = 0; k < i; ++k)
        if (specs_[k].joint_name == spec.joint_name)
          fail({"joint '", spec.joint_name, "' carries two bodies, '", specs_[k].name, "' and '", spec.name,
                "'; joint names must be unique"});
    }
  }

  /// Index of a parent, -1 for the ground.
  int resolve(const Parent& parent, const std::string& name) const {
    if (parent.is_ground()) return -1;
    if (parent.is_handle()) {
      if (parent.handle() < 0 || parent.handle() >= static_cast<int>(specs_.size()))
        fail({"the parent of '", name, "' is a handle that is not of this builder"});
      return parent.handle();
    }
    const int found = find(parent.name(), specs_.size());
    if (found < 0) fail({"the parent of '", name, "', '", parent.name(), "', is not a body of the model"});
    return found;
  }

  void number_depth_first() {
    const std::size_t n = specs_.size();
    // The children of each body and of the ground as linked lists; filled backwards they end in order.
    std::vector<int> parents(n), first_child(n, -1), next_sibling(n, -1), stack;
    int first_root = -1;
    for (std::size_t i = n; i-- > 0;) {
      parents[i] = resolve(specs_[i].parent, specs_[i].name);
      int& head = parents[i] < 0 ? first_root : first_child[static_cast<std::size_t>(parents[i])];
      next_sibling[i] = head;
      head = static_cast<int>(i);
    }
    if (first_root >= 0) stack.push_back(first_root);
    std::vector<int> placed(n, 0);
    while (!stack.empty()) {
      const auto i = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      placed[i] = 1;
      add(i, parents[i] < 0 ? Attachment{} : at_[static_cast<std::size_t>(parents[i])]);
      if (next_sibling[i] >= 0) stack.push_back(next_sibling[i]);
      if (first_child[i] >= 0) stack.push_back(first_child[i]);
    }
    std::string loop;
    for (std::size_t i = 0; i < n; ++i)
      if (!placed[i]) loop += detail::join({loop.empty() ? "'" : ", '", specs_[i].name, "'"});
    if (!loop.empty()) fail({"bodies ", loop, " hang on a closed chain of parents; one of them must be on the ground"});
    if (m_.nodes_.empty()) fail({"nothing moves: every joint is fixed"});
  }

  void add(std::size_t i, const Attachment& parent) {
    const BodySpec<S>& spec = specs_[i];
    check_pose(spec.placement, spec.name);
    const Pose<S> placement = parent.offset * spec.placement;
    const auto& chain = spec.joint.chain;

    Attachment& here = at_[i];
    here = {parent.node, parent.body, placement};
    const int q_index = nq_, v_index = nv_;
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const Pose<S> axes{chain[k].axes.template cast<S>(), zero3<S>()};
      if (!finite(axes))
        fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): its axis must be a finite nonzero vector"});
      if (!std::isfinite(chain[k].cell.pitch()))
        fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): its pitch must be finite"});
      add_node(here.node, here.offset * axes, chain[k].cell);
      here.node = m_.num_nodes() - 1;
      here.offset = Pose<S>::identity();
    }
    if (!chain.empty()) {
      here.offset.rotation = spec.joint.tail.template cast<S>();
      m_.joints_.push_back(Joint(spec.joint_name, spec.joint.type, q_index, nq_ - q_index, v_index, nv_ - v_index));
      m_.bodies_.push_back(Body<S>(Frame<S>(spec.name, here.node, here.offset, m_.tree_stamp_),
                                   static_cast<int>(m_.joints_.size()) - 1, parent.body));
      here.body = static_cast<int>(m_.bodies_.size()) - 1;
    }
    (here.node >= 0 ? m_.nodes_[static_cast<std::size_t>(here.node)].inertia : ground_) +=
        here.offset.act(Inertia<S>(spec.inertia));
    add_coordinates(spec, nq_ - q_index, nv_ - v_index);
  }

  void add_node(int parent, const Pose<S>& placement, const joint::Cell<S>& cell) {
    const int nq = cell.nq(), nv = cell.nv();
    const int partials_begin = cell.has_column_rates() ? partials_ : -1;
    m_.nodes_.push_back(
        {parent, nq_, nv_, nv_ + nv, nv_ + nv, parent < 0 ? m_.num_nodes() : m_.node(parent).base, partials_begin, placement, cell, Inertia<S>::zero(), {}});
    if (partials_begin >= 0) partials_ += nv * nv;
    nq_ += nq;
    nv_ += nv;
  }

  /// Appends the armature and limits of a joint.
  void add_coordinates(const BodySpec<S>& spec, int nq, int nv) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    append(spec, armature_, spec.armature, nv, S(0), "armature");
    append(spec, lower_, spec.limits.lower, nq, -inf, "lower limit");
    append(spec, upper_, spec.limits.upper, nq, inf, "upper limit");
    append(spec, velocity_, spec.limits.velocity, nv, inf, "velocity limit");
    append(spec, effort_, spec.limits.effort, nv, inf, "effort limit");
    for (const S& x : spec.armature)
      if (!(value_of(x) >= 0.0 && std::isfinite(value_of(x))))
        fail({"joint '", spec.joint_name, "': armature must be finite and not negative"});
    for (std::size_t k = lower_.size() - static_cast<std::size_t>(nq); k < lower_.size(); ++k)
      if (lower_[k] > upper_[k]) fail({"joint '", spec.joint_name, "': its lower limit exceeds its upper limit"});
  }

  /// Appends n values to `all`: those given, or n times the one for none.
  template <class T>
  void append(const BodySpec<S>& spec, std::vector<T>& all, const std::vector<T>& given, int n, const T& none,
              const char* what) const {
    const auto count = static_cast<std::size_t>(n);
    if (!given.empty() && given.size() != count)
      fail({"joint '", spec.joint_name, "': ", std::to_string(given.size()), " values of ", what, " given, it takes ",
            std::to_string(n)});
    for (std::size_t i = 0; i < count; ++i) {
      if (!given.empty() && std::isnan(value_of(given[i])))
        fail({"joint '", spec.joint_name, "': ", what, " is not a number"});
      all.push_back(given.empty() ? none : given[i]);
    }
  }

  template <class T>
  static VectorX<T> to_vector(const std::vector<T>& x) {
    VectorX<T> result(static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) result[static_cast<Eigen::Index>(i)] = x[i];
    return result;
  }

  void add_frames() {
    const auto add = [this](const std::string& name, int node, const Pose<S>& placement) {
      m_.frames_.push_back(Frame<S>(name, node, placement, m_.tree_stamp_));
    };
    for (const auto& body : m_.bodies_) add(body.name(), body.node(), body.placement());
    for (std::size_t i = 0; i < specs_.size(); ++i)
      if (specs_[i].joint.chain.empty()) add(specs_[i].name, at_[i].node, at_[i].offset);
    for (const auto& spec : frame_specs_) {
      if (spec.name.empty() || m_.has_frame(spec.name))
        fail({"frame '", spec.name, "': frames and bodies need distinct, nonempty names"});
      check_pose(spec.placement, spec.name);
      const int body = resolve(spec.parent, spec.name);
      const Attachment at = body < 0 ? Attachment{} : at_[static_cast<std::size_t>(body)];
      add(spec.name, at.node, at.offset * spec.placement);
    }
  }

  void find_subtrees() {
    for (std::size_t b = m_.nodes_.size(); b-- > 0;)
      if (const int parent = m_.nodes_[b].parent; parent >= 0) {
        int& end = m_.nodes_[static_cast<std::size_t>(parent)].subtree_v_end;
        end = std::max(end, m_.nodes_[b].subtree_v_end);
      }
    for (std::size_t b = 0; b < m_.nodes_.size(); ++b) {
      const Node<S>& node = m_.nodes_[b];
      const int above = node.parent < 0 ? -1 : m_.node(node.parent).v_end - 1;
      for (int k = node.v_begin; k < node.v_end; ++k) {
        m_.dof_parent_.push_back(k == node.v_begin ? above : k - 1);
        m_.dof_node_.push_back(static_cast<int>(b));
      }
    }
  }

  /// Robots' files hold tiny dummy links that no mass distribution has, welded to real ones: they pass if they do not
  /// matter in the rigid body that they are part of, and that one must be right as a whole.
  void check_inertias() const {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const int node = at_[i].node;
      const auto rigid = node >= 0 ? m_.node(node).parameters : InertialParameters<S>(ground_);
      detail::check_inertia(specs_[i].inertia, m_.name_, specs_[i].name, detail::principal_moments(rigid)[2]);
    }
    for (const auto& body : m_.bodies_) {
      const Node<S>& node = m_.node(body.node());
      // Of a body far from its frame's origin, rounding leaves 1e-16 of the moments about that.
      detail::check_inertia(node.parameters, m_.name_, body.name(), 1e-8 * value_of(node.inertia.sigma.trace()));
    }
  }

  void check_joints() const {
    if (const int b = detail::find_singular_joint(m_.nodes_, m_.armature_); b >= 0) m_.throw_singular(b);
    if (const int b = detail::find_missing_rates(m_.nodes_); b >= 0) {
      const Joint& joint = m_.joints_[static_cast<std::size_t>(m_.body_of_node(b).joint())];
      fail({"joint '", joint.name(), "' (", joint.type(),
            "): its columns depend on q in the body's own axes, so it "
            "needs a const member column_rates(X, q, v, rates)"});
    }
  }

  const std::vector<BodySpec<S>>& specs_;
  const std::vector<FrameSpec>& frame_specs_;
  Model<S> m_;
  std::vector<Attachment> at_;
  int nq_ = 0, nv_ = 0, partials_ = 0;
  std::vector<S> armature_;
  std::vector<double> lower_, upper_, velocity_, effort_;
  Inertia<S> ground_ = Inertia<S>::zero();  // of all that is welded to the ground
};

template <class S>
Model<S> ModelBuilder<S>::build() const {
  return Assembly(*this).finish();
}

}  // namespace corio
