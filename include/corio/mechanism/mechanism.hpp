#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corio/core/compiled.hpp"
#include "corio/mechanism/detail/cluster_solver.hpp"
#include "corio/mechanism/detail/independent_speeds.hpp"

namespace corio { inline namespace CORIO_ABI {

// A compiler that reports MechanismData as incomplete shows this line with the header to include.
template <class S>
class MechanismData;  // #include <corio/mechanism/dynamics.hpp>

/// A tree with closed loops, parametrised by independent velocities y. Some of the tree's degrees of freedom, in
/// ascending order, are independent, and the loops determine the other speeds:
///   v = G(q) y,   dv/dt = G dy/dt + dG/dt y.
/// q is the configuration of the tree; assemble() closes its loops.
///
///   const corio::Mechanism leg(model, loops, {"hip", "knee_motor"});
///   corio::MechanismData data(leg);
///   const auto& tau = corio::rnea(leg, data, q, y, ydot);  // forces of hip and knee motor
///
/// Functions take configurations in which the loops are closed up to closing_tolerance(), and throw a StateError for
/// others.
///
/// Functions whose first argument is a `robot` take a Mechanism in place of a Model, with y for v, dy/dt for a and
/// forces on the independent speeds. They need a header of this folder: dynamics.hpp, quantities.hpp, regressors.hpp,
/// derivatives.hpp, hessian.hpp or geometry.hpp, which also have functions of mechanisms alone. For other quantities
/// that depend only on the motion of bodies call the tree's functions with tree() and data.tree after
/// forward_kinematics of the mechanism, and project results that belong to the tree's speeds (project_jacobian,
/// project_forces). ComplexStep (kinematics/complex_step.hpp) computes derivatives that have no function here, such as
/// derivatives of C. All other functions of a Model do not compile for a Mechanism.
///
/// Loops that have degrees of freedom in common form a cluster. Clusters do not depend on each other's speeds, so G has
/// a block for each cluster, and is 1 for degrees of freedom in no loop. G is stored as O(n) numbers, times the number
/// of independent speeds in a cluster. Source: Wensing and Slotine (2023), sec. VI-C, in the form of projections.
template <class S>
class Mechanism {
 public:
  using Scalar = S;
  using DataType = MechanismData<S>;

  using Cluster = LoopCluster;

  /// @param independent  joints in loops whose speeds are independent, or single speeds such as "ball[2]"
  ///   (Model::v_indices); joints in no loop are always independent
  /// @throws ModelError for loops of another model, unknown names, and couplings that do not determine the other joints
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& independent);
  /// Uses the loops of the model, with all joints independent that no loop names as dependent.
  /// @throws ModelError also for loops that name no dependent joints, as in an MJCF; the message suggests joints
  explicit Mechanism(const Model<S>& tree);
  Mechanism(const Model<S>& tree, const std::vector<std::string>& independent)
      : Mechanism(tree, Loops<S>(tree), independent) {}
  /// Chooses independent speeds for a configuration. K, the Jacobian of the loop conditions (K v = 0), is factored with
  /// column pivoting (Householder). The speeds that are not pivots become independent, because they determine the
  /// pivots with high accuracy. The independent speeds may be some of the speeds of a joint. S is float, double or a
  /// similar scalar.
  Mechanism(const Model<S>& tree, const Loops<S>& loops, VectorIn<S> q)
      : Mechanism(tree, loops, std::vector<std::string>(), q) {}
  Mechanism(const Model<S>& tree, VectorIn<S> q) : Mechanism(tree, Loops<S>(tree), q) {}
  /// Makes the `preferred` joints or single speeds, such as driven ones, independent unless the other speeds would
  /// follow with less than a thousandth of the accuracy. independent() lists the choice, notes() the reasons.
  /// @throws ModelError also for unknown names
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& preferred, VectorIn<S> q);

  const Model<S>& tree() const { return tree_; }
  const Loops<S>& loops() const { return loops_; }
  /// The number of independent speeds; the next functions return their indices in v of the tree.
  int nv() const { return static_cast<int>(independent_.size()); }
  const std::vector<int>& independent() const { return independent_; }
  int dof_of_speed(int k) const { return independent_[static_cast<std::size_t>(k)]; }
  /// Returns the indices in y of joints or single speeds, with names as for Model::v_indices.
  /// @throws ModelError for unknown names, and for a speed that is not independent
  std::vector<int> v_indices(const std::vector<std::string>& names) const {
    std::vector<int> places;
    for (const std::string& name : names)
      for (const int k : tree_.v_indices({name})) {
        const auto place = std::ranges::lower_bound(independent_, k);
        if (place == independent_.end() || *place != k)
          throw ModelError(detail::join({"'", name, "' is not independent in the mechanism of model '", tree_.name(),
                                         "': ", detail::name_speeds<S>(tree_, std::span(&k, 1)), " follows from ",
                                         detail::name_speeds<S>(tree_, independent_), "; name some of these"}));
        places.push_back(static_cast<int>(place - independent_.begin()));
      }
    return places;
  }
  /// Returns notes about independent speeds that were chosen for a configuration: on preferred joints that are not
  /// independent, on other joints that are, and on joints that move no other joint, such as a rod that spins about its
  /// axis.
  const std::vector<Note>& notes() const { return notes_; }
  /// Returns whether all speeds are independent: G = 1, and functions have the same results as for the tree.
  bool is_tree() const { return nv() == tree_.nv(); }
  /// Returns whether G changes with q.
  bool varies() const { return !varying_.empty(); }

  /// The largest permitted |k_i| of the loops in a configuration that is given to a function, in m or rad, and relative
  /// to coordinates larger than 1 as the tolerance of assemble. The default is 100 sqrt(eps), 1.5e-6 in double
  /// precision. Set a larger one for measured coordinates, and infinity if q has no values, as in the recording of
  /// generated code. G is then tangent to the configurations with the same residual.
  double closing_tolerance() const { return closing_tolerance_.value_or(detail::redundancy_tolerance<S>()); }
  /// @throws Error for a tolerance that is negative or NaN
  void set_closing_tolerance(double tolerance) {
    detail::check_tolerance(detail::join({"the closing tolerance of model '", tree_.name(), "'"}).c_str(), tolerance,
                            "Mechanism");
    closing_tolerance_ = tolerance;
  }

  /// Returns this mechanism over another scalar, such as a pack of states (batch/pack.hpp). A closing tolerance that
  /// was not set becomes the default of the other scalar.
  /// @throws ModelError as Model::cast and Loops::cast
  template <class T>
  Mechanism<T> cast() const {
    const Model<T> tree = tree_.template cast<T>();
    return Mechanism<T>(tree, loops_.template cast<T>(tree), *this);
  }

  // For algorithms: conditions, clusters, and the pattern of G.

  /// Returns whether the condition in a row of loops() restricts no motion, such as three of the five of a hinge in a
  /// planar linkage. Idle conditions must hold, but are left out of K.
  bool is_idle(int row) const { return idle_[static_cast<std::size_t>(row)] != 0; }
  /// Returns a number for each condition of a loop, which is nonzero if the condition is idle.
  std::span<const char> idle_rows(const typename Loops<S>::Loop& loop) const {
    return std::span(idle_).subspan(static_cast<std::size_t>(loop.begin), static_cast<std::size_t>(loop.rows()));
  }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// Returns the indices of the clusters whose rows of G change with q.
  const std::vector<std::size_t>& varying() const { return varying_; }

  /// @throws ModelError unless speed k moves an inertia. Packs of states do not throw; their results are then not
  /// finite.
  void require_inertia(int k, const S& moved) const {
    if constexpr (states_of<S> == 1 && is_checked<S>)
      if (!(value_of(moved) > 0.0))
        throw ModelError(detail::join(
            {"model '", tree_.name(), "': M^-1 does not exist: joint '", detail::joint_of_dof(tree_, dof_of_speed(k)),
             "' and the joints it drives move no inertia; give them an inertia or an armature"}));
  }

  /// Returns a number that only copies of this mechanism share, as Model::topology_id() does.
  std::uint64_t topology_id() const { return topology_id_; }

  /// Entries of G are numbered row by row: row r has the entries row_begin(r), .., row_begin(r + 1) - 1.
  int row_begin(int r) const { return row_begin_[r]; }
  /// Calls f(column, entry) once for each entry of G in row r, ascending.
  template <class F>
  void for_each_entry(int r, F&& f) const {
    for (int e = row_begin_[r]; e < row_begin_[r + 1]; ++e) f(column_[e], e);
  }
  /// Returns {row, entry} for each entry of G in the column of speed k, ascending.
  std::span<const std::pair<int, int>> driven_dofs(int k) const { return driven_[k]; }
  /// Returns ranges {begin, end} of rows that contain all nonzero entries in column k of A G, for matrices A of the
  /// tree.
  std::span<const std::pair<int, int>> row_ranges(int k) const { return rows_[k]; }
  /// Returns the entries of G, with 0 for entries that change with q.
  const VectorX<S>& constant_entries() const { return constant_; }
  /// Returns the place of degree of freedom r of the tree in Cluster::dofs, which is its column in the cluster's K.
  int column_of_K(int r) const { return column_of_K_[r]; }

  /// Returns the indices of the blocks, which are clusters with three speeds or more: products with G are computed for
  /// all speeds of a block together, row by row.
  const std::vector<std::size_t>& blocks() const { return blocks_; }
  /// Returns the index of the cluster of speed k if the cluster is a block, else -1.
  int block_of_speed(int k) const { return block_of_speed_[k]; }

  /// Returns the parent of k in the elimination tree of M: the last speed before k that is coupled with k, fill-in
  /// included; -1 at a root. Speeds are coupled if one moves a body that carries a body moved by the other, or if they
  /// share a cluster. An entry of M, C and the like can be nonzero only if one of its two speeds is an ancestor of the
  /// other.
  int parent_dof(int k) const { return parent_dof_[k]; }
  /// Calls f(i) once for k and for each ancestor of k by parent_dof.
  template <class F>
  void for_each_ancestor(int k, F&& f) const {
    for (; k >= 0; k = parent_dof_[k]) f(k);
  }
  /// Calls f(i) once for k and for each descendant of k.
  template <class F>
  void for_each_descendant(int k, F&& f) const {
    for (const auto& [begin, end] : descendants_[k])
      for (int i = begin; i < end; ++i) f(i);
  }
  /// Calls f(begin, end) once for each range of the rows in which column s of a matrix of the tree can be nonzero: the
  /// degrees of freedom on the path from the root to the joint of s, and behind this joint.
  template <class F>
  void for_each_related(int s, F&& f) const {
    int begin = tree_.chain_begin(s);
    f(begin, tree_.subtree_end(s));
    for (int r = tree_.parent_dof(begin); r >= 0; r = tree_.parent_dof(begin)) {
      begin = tree_.chain_begin(r);
      f(begin, r + 1);
    }
  }

 private:
  template <class>
  friend class Mechanism;
  using Pairs = std::vector<std::pair<int, int>>;
  /// Constructs all but the part that set_independent() has to add.
  /// @param idle  a number for each row of the loops, nonzero if the row is idle
  Mechanism(std::vector<char> idle, const Model<S>& tree, const Loops<S>& loops)
      : tree_(tree), loops_(loops), idle_(std::move(idle)), clusters_(detail::find_clusters(tree_, loops_, idle_)) {}
  /// Takes the independent speeds of another mechanism.
  template <class T>
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const Mechanism<T>& other)
      : Mechanism(other.idle_, tree, loops) {
    notes_ = other.notes();
    closing_tolerance_ = other.closing_tolerance_;
    PerDof<int> chosen(tree.nv(), false);
    for (const int k : other.independent()) chosen[k] = true;
    set_independent(chosen);
  }

  /// @param chosen  whether a degree of freedom of a loop is independent
  void set_independent(const PerDof<int>& chosen);
  void find_blocks(Cluster& cluster) const;
  void find_constant_entries();
  void find_pattern();

  Model<S> tree_;
  Loops<S> loops_;
  std::optional<double> closing_tolerance_;
  std::vector<char> idle_;
  std::vector<Cluster> clusters_;
  std::uint64_t topology_id_ = detail::next_id();
  std::vector<Note> notes_;
  std::vector<std::size_t> varying_, blocks_;
  std::vector<int> independent_;
  PerDof<int> row_begin_, column_of_K_;
  detail::Table<int, struct OfEntries> column_;
  VectorX<S> constant_;
  // By independent speed.
  PerDof<int> parent_dof_, block_of_speed_;
  PerDof<Pairs> driven_;              // {row, entry} of G
  PerDof<Pairs> rows_, descendants_;  // ranges {begin, end}
};

namespace algorithm {

/// The form for mechanisms of an algorithm A of trees, or A itself if only mechanisms have it.
template <class A>
struct ForMechanism : A {
  using A::A;
};

}  // namespace algorithm

namespace detail {

/// Calls f(loop, row) once for each loop of a cluster, with the first of its rows in the cluster's K.
template <class S, class F>
void for_each_loop(const Mechanism<S>& mechanism, const LoopCluster& cluster, F&& f) {
  for (const auto& block : cluster.blocks) f(mechanism.loops().all()[static_cast<std::size_t>(block.loop)], block.row);
}
/// Writes the rows of G, or of its derivative, that belong to the dependent speeds of a cluster.
template <class S>
void write_map(const Mechanism<S>& mechanism, const LoopCluster& cluster, const MatrixX<S>& columns, VectorX<S>& G) {
  for (Eigen::Index i = 0; const int r : cluster.dependent()) {
    S* const row = G.data() + mechanism.row_begin(r);
    for (Eigen::Index k = 0; k < columns.rows(); ++k) row[k] = columns(k, i);
    ++i;
  }
}
/// Reads the rows of a map for all degrees of freedom of a cluster: rows[i length + k] belongs to Cluster::dofs[i] and
/// to the k-th speed of the cluster, and is zero for further k.
template <class S>
void read_map(const Mechanism<S>& mechanism, const LoopCluster& cluster, const VectorX<S>& G, std::size_t length,
              S* rows) {
  std::fill_n(rows, cluster.dofs.size() * length, S(0));
  for (const int r : cluster.dependent())
    std::copy_n(G.data() + mechanism.row_begin(r), cluster.speeds.size(), rows), rows += length;
  for (const int r : cluster.independent()) *rows = G[mechanism.row_begin(r)], rows += length + 1;
}

}  // namespace detail

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& independent)
    : Mechanism(detail::find_idle_rows(tree, loops), tree, loops) {
  PerDof<int> chosen(tree.nv(), false);
  for (const int k : tree.v_indices(independent)) chosen[k] = true;
  set_independent(chosen);
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree)
    : Mechanism(detail::find_idle_rows(tree, Loops<S>(tree)), tree, Loops<S>(tree)) {
  PerDof<int> chosen(tree.nv(), true);
  for (const LoopSpec& loop : tree.loops())
    for (const int k : tree.v_indices(loop.dependent)) chosen[k] = false;
  detail::require_dependents(tree, loops_, clusters_, chosen);
  set_independent(chosen);
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& preferred,
                        VectorIn<S> q)
    : Mechanism(detail::find_idle_rows(tree, loops), tree, loops) {
  detail::check_finite_coordinates("q", q, tree, "Mechanism");
  const MatrixX<S> K = detail::scaled_conditions(tree, loops_, q);
  PerDof<int> prefers(tree.nv(), false);
  for (const int k : tree.v_indices(preferred)) prefers[k] = true;
  set_independent(detail::choose_speeds(K, prefers));
  for (const Cluster& cluster : clusters_)
    detail::explain_choice(tree, K, cluster, prefers, !preferred.empty(), notes_);
}

#define CORIO_COMPILED_MECHANISM(EXTERN, S) EXTERN template class Mechanism<S>;
CORIO_DECLARE_COMPILED(MECHANISM)

}}  // namespace corio

#include "corio/mechanism/detail/pattern.hpp"
