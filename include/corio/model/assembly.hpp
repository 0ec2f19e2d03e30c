#pragma once

#include "corio/model/builder.hpp"

namespace corio {

/// One run of ModelBuilder::build(): resolves names, numbers depth first, lumps what is rigid, checks everything.
template <class S>
class ModelBuilder<S>::Assembly {
 public:
  explicit Assembly(const ModelBuilder& builder)
      : specs_(builder.specs_), frame_specs_(builder.frames_), m_(builder.model_), at_(specs_.size()) {}

  Model<S> finish() {
    if (specs_.empty()) fail({"has no bodies; add_body first"});
    check_names();
    number_depth_first();
    add_frames();
    find_subtrees();
    for (std::size_t b = 0; b < m_.inertia_.size(); ++b) m_.set_node_inertia(b, m_.inertia_[b]);
    check_inertias();
    check_inertia_moved();
    m_.tree_stamp_ = m_.stamp_ = Model<S>::next_stamp();
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
    const S error[] = {dot(x, x) - S(1), dot(y, y) - S(1), dot(z, z) - S(1), dot(x, y), dot(x, z), dot(y, z),
                       dot(x, cross(y, z)) - S(1)};
    return std::all_of(std::begin(error), std::end(error), [](const S& e) { return std::abs(value_of(e)) < 1e-5; });
  }
  void check_pose(const Pose<S>& pose, const std::string& who) const {
    if (!finite(pose)) fail({who, ": its placement must consist of finite numbers"});
    if (!proper(pose)) fail({who, ": the rotation of its placement must be orthogonal with determinant +1"});
  }

  void check_names() {
    std::unordered_map<std::string, int> joint_names;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const auto& spec = specs_[i];
      if (spec.name.empty()) fail({"body number ", std::to_string(i), " has no name"});
      if (!index_.emplace(spec.name, static_cast<int>(i)).second) fail({"two bodies are named '", spec.name, "'"});
      const auto [previous, is_new] = joint_names.emplace(spec.joint_name, static_cast<int>(i));
      if (!is_new)
        fail({"joint '", spec.joint_name, "' carries two bodies, '",
              specs_[static_cast<std::size_t>(previous->second)].name, "' and '", spec.name, "'; joint names must be unique"});
    }
  }

  /// Index of a parent, -1 for the ground.
  int resolve(const Parent& parent, const std::string& who) const {
    if (parent.is_ground()) return -1;
    if (parent.is_handle()) {
      if (parent.handle() < 0 || parent.handle() >= static_cast<int>(specs_.size()))
        fail({who, ": its parent handle is not of this builder"});
      return parent.handle();
    }
    const auto found = index_.find(parent.name());
    if (found == index_.end()) fail({who, ": its parent '", parent.name(), "' is not a body of the model"});
    return found->second;
  }

  void number_depth_first() {
    const std::size_t n = specs_.size();
    std::vector<int> parents(n);
    std::vector<std::vector<int>> children(n + 1);  // the last: of the ground
    for (std::size_t i = 0; i < n; ++i) {
      parents[i] = resolve(specs_[i].parent, "body '" + specs_[i].name + "'");
      children[parents[i] < 0 ? n : static_cast<std::size_t>(parents[i])].push_back(static_cast<int>(i));
    }
    std::vector<int> stack;
    const auto push = [&stack](const std::vector<int>& siblings) {
      for (std::size_t k = siblings.size(); k-- > 0;) stack.push_back(siblings[k]);
    };
    push(children[n]);
    std::vector<int> placed(n);
    while (!stack.empty()) {
      const auto i = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      placed[i] = 1;
      add(i, parents[i] < 0 ? Attachment{} : at_[static_cast<std::size_t>(parents[i])]);
      push(children[i]);
    }
    std::string loop;
    for (std::size_t i = 0; i < n; ++i)
      if (!placed[i]) loop += detail::join({loop.empty() ? "'" : ", '", specs_[i].name, "'"});
    if (!loop.empty()) fail({"bodies ", loop, " hang on a closed chain of parents; one of them must be on the ground"});
    if (m_.parent_.empty()) fail({"nothing moves: every joint is fixed"});
  }

  void add(std::size_t i, const Attachment& parent) {
    const BodySpec<S>& spec = specs_[i];
    const std::string who = "body '" + spec.name + "'";
    check_pose(spec.placement, who);
    const Pose<S> placement = parent.offset * spec.placement;
    const auto& chain = spec.joint.chain;

    Attachment& here = at_[i];
    here = {parent.node, parent.body, placement};
    const int q_index = m_.nq(), v_index = m_.nv();
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const Pose<S> axes{chain[k].axes.template cast<S>(), zero3<S>()};
      if (!finite(axes))
        fail({"joint '", spec.joint_name, "' (", spec.joint.type, "): its axis must be a finite nonzero vector, and its pitch finite"});
      add_node(here.node, here.offset * axes, chain[k].cell);
      here.node = m_.num_nodes() - 1;
      here.offset = Pose<S>::identity();
    }
    if (!chain.empty()) {
      here.offset.rotation = spec.joint.tail.template cast<S>();
      m_.joints_.emplace_back(spec.joint_name, spec.joint.type, q_index, m_.nq() - q_index, v_index, m_.nv() - v_index);
      m_.bodies_.emplace_back(spec.name, here.node, here.offset, static_cast<int>(m_.joints_.size()) - 1, parent.body);
      here.body = static_cast<int>(m_.bodies_.size()) - 1;
    }
    (here.node >= 0 ? m_.inertia_[static_cast<std::size_t>(here.node)] : ground_) += here.offset.act(Inertia<S>(spec.inertia));
    add_coordinates(spec, m_.nq() - q_index, m_.nv() - v_index);
  }

  void add_node(int parent, const Pose<S>& placement, const joint::Cell<S>& cell) {
    const int nv = cell.nv();
    for (int k = 0; k < nv; ++k) m_.dof_node_.push_back(m_.num_nodes());
    m_.parent_.push_back(parent);
    m_.placement_.push_back(placement);
    m_.cell_.push_back(cell);
    m_.inertia_.push_back(Inertia<S>::zero());
    m_.parameters_.emplace_back();
    m_.q_index_.push_back(m_.q_index_.back() + cell.nq());
    m_.v_index_.push_back(m_.v_index_.back() + nv);
  }

  /// Appends the armature and limits of a joint.
  void add_coordinates(const BodySpec<S>& spec, int nq, int nv) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto append = [&](auto& all, const auto& values, int n, auto missing, const char* what) {
      const auto given = static_cast<int>(values.size());
      if (given != 0 && given != n)
        fail({"joint '", spec.joint_name, "': ", std::to_string(given), " values of ", what, " given, it takes ", std::to_string(n)});
      const Eigen::Index old = all.size();
      all.conservativeResize(old + n);
      for (int i = 0; i < n; ++i) {
        all[old + i] = given == 0 ? missing : values[static_cast<std::size_t>(i)];
        if (std::isnan(value_of(all[old + i]))) fail({"joint '", spec.joint_name, "': ", what, " is not a number"});
      }
    };
    append(m_.armature_, spec.armature, nv, S(0), "armature");
    for (int i = 0; i < nv; ++i) {
      const double value = value_of(m_.armature_[m_.armature_.size() - nv + i]);
      if (!(value >= 0.0 && std::isfinite(value)))
        fail({"joint '", spec.joint_name, "': armature must be finite and not negative"});
    }
    append(m_.lower_limit_, spec.limits.lower, nq, -inf, "lower limit");
    append(m_.upper_limit_, spec.limits.upper, nq, inf, "upper limit");
    append(m_.velocity_limit_, spec.limits.velocity, nv, inf, "velocity limit");
    append(m_.effort_limit_, spec.limits.effort, nv, inf, "effort limit");
    for (int i = 0; i < nq; ++i) {
      const Eigen::Index k = m_.lower_limit_.size() - nq + i;
      if (m_.lower_limit_[k] > m_.upper_limit_[k])
        fail({"joint '", spec.joint_name, "': its lower limit exceeds its upper limit"});
    }
  }

  void add_frames() {
    for (const auto& body : m_.bodies_) m_.frames_.push_back(body);
    for (std::size_t i = 0; i < specs_.size(); ++i)
      if (specs_[i].joint.chain.empty()) m_.frames_.emplace_back(specs_[i].name, at_[i].node, at_[i].offset);
    for (const auto& spec : frame_specs_) {
      const std::string who = "frame '" + spec.name + "'";
      if (spec.name.empty() || m_.has_frame(spec.name)) fail({who, ": frames and bodies need distinct, nonempty names"});
      check_pose(spec.placement, who);
      const int body = resolve(spec.parent, who);
      const Attachment at = body < 0 ? Attachment{} : at_[static_cast<std::size_t>(body)];
      m_.frames_.emplace_back(spec.name, at.node, at.offset * spec.placement);
    }
  }

  void find_subtrees() {
    m_.subtree_end_.resize(m_.parent_.size());
    for (int b = m_.num_nodes() - 1; b >= 0; --b) {
      int& end = m_.subtree_end_[static_cast<std::size_t>(b)];
      end = std::max(end, b + 1);
      if (m_.parent(b) >= 0) {
        int& parent_end = m_.subtree_end_[static_cast<std::size_t>(m_.parent(b))];
        parent_end = std::max(parent_end, end);
      }
    }
  }

  /// Robots' files hold dummy links that no mass distribution has, welded to real ones: what counts is how much a link
  /// disturbs the rigid body it is part of.
  void check_inertias() const {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const int node = at_[i].node;
      const auto rigid = node >= 0 ? m_.node_parameters(node) : InertialParameters<S>(ground_);
      detail::check_inertia(specs_[i].inertia, m_.name_, specs_[i].name, detail::principal_moments(rigid)[2]);
    }
  }

  /// A degree of freedom that moves no inertia makes M singular. Looked at in a generic configuration: at the neutral
  /// one a point mass may happen to lie on an axis.
  void check_inertia_moved() const {
    std::uint32_t state = 12345;
    const joint::Uniform uniform = [&state] { return (state = state * 1664525u + 1013904223u) / 4294967296.0; };
    const auto n = static_cast<std::size_t>(m_.num_nodes());
    std::vector<Pose<S>> pose(n);
    std::vector<Inertia<S>> composite = m_.inertia_;  // each about its own node's origin, then summed towards the root
    std::vector<Motion<S>> columns;  // per degree of freedom, in its own node's axes
    for (std::size_t b = 0; b < n; ++b) {
      std::vector<S> q(static_cast<std::size_t>(m_.q_index_[b + 1] - m_.q_index_[b]));
      Motion<S> phi[6];
      m_.cell_[b].visit([&](const auto& joint) { joint.random(uniform, q.data()); });
      m_.cell_[b].place(m_.placement_[b], q.data(), pose[b], phi);
      for (int k = 0; k < m_.v_index_[b + 1] - m_.v_index_[b]; ++k) columns.push_back(pose[b].act_inverse(phi[k]));
    }
    for (std::size_t b = n; b-- > 0;) {
      for (int k = m_.v_index_[b]; k < m_.v_index_[b + 1]; ++k) {
        const Motion<S>& phi = columns[static_cast<std::size_t>(k)];
        const double moved = value_of(dot(phi, composite[b] * phi)) + value_of(m_.armature_[k]);
        const double rotating = value_of(dot(phi.angular, phi.angular)) * value_of(composite[b].sigma.trace());
        const double sliding = value_of(dot(phi.linear, phi.linear)) * value_of(composite[b].mass);
        if (moved <= 1e-13 * (rotating + sliding)) report_massless(static_cast<int>(b));
      }
      if (m_.parent_[b] >= 0) composite[static_cast<std::size_t>(m_.parent_[b])] += pose[b].act(composite[b]);
    }
  }

  [[noreturn]] void report_massless(int node) const {
    for (const auto& body : m_.bodies_)
      if (body.node() >= node)
        fail({"joint '", m_.joints_[static_cast<std::size_t>(body.joint())].name(), "' moves no inertia: body '", body.name(), "' and all that hangs on it have none in the direction in which the joint moves. Give a body mass "
             "and inertia, give the joint an armature, or make it fixed"});
    fail({"a joint moves no inertia"});
  }

  const std::vector<BodySpec<S>>& specs_;
  const std::vector<FrameSpec>& frame_specs_;
  Model<S> m_;
  std::vector<Attachment> at_;
  Inertia<S> ground_ = Inertia<S>::zero();  // of all that is welded to the ground
  std::unordered_map<std::string, int> index_;
};

}  // namespace corio
