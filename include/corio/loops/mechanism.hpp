#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corio/compiled/list.hpp"
#include "corio/loops/cluster_solver.hpp"
#include "corio/loops/constraint_jacobian.hpp"
#include "corio/loops/independent_speeds.hpp"

namespace corio::inline CORIO_ABI {

template <class S>
class MechanismData;

/// A tree with closed loops, parametrised by independent velocities y. Some of the tree's degrees of freedom, in
/// ascending order, are independent, and the loops determine the others from them:
///   v = G(q) y,   dv/dt = G dy/dt + dG/dt y.
/// The configuration is that of the tree, which assemble() closes.
///
///   const corio::Mechanism leg(model, loops, {"hip", "knee_motor"});
///   corio::MechanismData data(leg);
///   const auto& tau = corio::rnea(leg, data, q, y, ydot);  // of hip and knee motor
///
/// Functions take configurations in which the loops are closed up to closing_tolerance(), and throw a StateError for
/// others.
///
/// Functions whose first argument is a `robot` take it in place of a Model, with y for v, dy/dt for a and forces on the
/// independent speeds, once what they need is included: mechanism_dynamics.hpp, mechanism_quantities.hpp,
/// mechanism_regressors.hpp or mechanism_derivatives.hpp. Others have a form of their own in this folder. For other
/// quantities that depend only on the motion of bodies call the tree's functions with tree() and data.tree after
/// forward_kinematics of the mechanism, and project what belongs to the tree's speeds (project_jacobian,
/// project_forces). ComplexStep (kinematics/complex_step.hpp) gives derivatives without a function here, such as those
/// of C or second derivatives of the dynamics. All other functions of a Model do not compile for a Mechanism.
///
/// Loops that have degrees of freedom in common form a cluster. Clusters do not depend on each other's speeds, so G has
/// a block for each, and is 1 for degrees of freedom in no loop. Stored are O(n) numbers, times the number of
/// independent speeds in a cluster. Source: Wensing and Slotine (2023), sec. VI-C, in the form of projections.
template <class S>
class Mechanism {
 public:
  using Scalar = S;
  using DataType = MechanismData<S>;

  /// Degrees of freedom of the tree, by their indices in v, and rows of K.
  struct Cluster {
    std::string loops;         // their names
    std::vector<int> members;  // their indices among loops().all()
    std::vector<int> rows;     // of conditions()
    std::vector<int> dependent, independent;
    std::vector<int> columns;  // of G: the indices in y of the independent ones
    bool varies = false;       // whether G depends on q: false for couplings alone
  };

  /// @param independent  joints in loops whose speeds are independent, or single speeds, "ball[2]" (Model::v_indices);
  ///   those in no loop always are
  /// @throws ModelError for loops of another model, unknown names, and couplings that do not determine the other joints
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& independent);
  /// With the loops of the model; independent are the joints that no loop names as dependent.
  /// @throws ModelError also for loops that name no dependent joints, as those of an MJCF; the message suggests
  /// independent joints
  explicit Mechanism(const Model<S>& tree);
  Mechanism(const Model<S>& tree, const std::vector<std::string>& independent)
      : Mechanism(tree, Loops<S>(tree), independent) {}
  /// With independent speeds chosen for a configuration: those that are not pivots of a rank-revealing factorization of
  /// K (Householder, with column pivoting), so that the others follow from them with high accuracy. They may be some of
  /// the degrees of freedom of one joint. For float, double and the like.
  Mechanism(const Model<S>& tree, const Loops<S>& loops, VectorIn<S> q)
      : Mechanism(tree, loops, std::vector<std::string>(), q) {}
  Mechanism(const Model<S>& tree, VectorIn<S> q) : Mechanism(tree, Loops<S>(tree), q) {}
  /// The same, where the `preferred` joints or single speeds, such as those with motors, are independent unless without
  /// them the others would follow with less than a thousandth of the accuracy; independent() tells which speeds it
  /// took, notes() why.
  /// @throws ModelError also for unknown names
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& preferred, VectorIn<S> q);

  const Model<S>& tree() const { return tree_; }
  const Loops<S>& loops() const { return loops_; }
  /// The same without idle conditions, which restrict no motion, as three of the five of a hinge in a planar linkage.
  const Loops<S>& conditions() const { return conditions_; }
  /// Conditions on the sense of axes, which bound no motion but are to be met as well.
  const Loops<S>& senses() const { return senses_; }
  bool is_idle(int row) const { return idle_[static_cast<std::size_t>(row)] != 0; }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// The number of independent speeds, and their indices as degrees of freedom of the tree.
  int nv() const { return static_cast<int>(independent_.size()); }
  const std::vector<int>& independent() const { return independent_; }
  int dof_of_speed(int k) const { return independent_[static_cast<std::size_t>(k)]; }
  /// Of independent speeds that were chosen for a configuration: preferred joints that are not independent, others that
  /// are, and joints that move by themselves, such as rods that spin about their axis. Empty where none is surprising.
  const std::vector<Note>& notes() const { return notes_; }
  /// Whether no loops determine anything: G = 1, and functions give what those of the tree give.
  bool is_tree() const { return nv() == tree_.nv(); }
  /// Whether G changes with q.
  bool varies() const { return varies_; }

  /// How far loops may be open in a configuration that is given to a function: the largest |k_i|, m or rad, and
  /// relative to coordinates larger than 1 as the tolerance of assemble. By default 100 sqrt(eps), which is 1.5e-6 in
  /// double precision; more for coordinates that are measured, infinity for any, as for unknowns without a value
  /// in a recording. G is then tangent to the configurations with that residual.
  double closing_tolerance() const { return closing_tolerance_; }
  /// @throws Error for a number that is negative or none
  void set_closing_tolerance(double tolerance) {
    if (!(tolerance >= 0.0))
      throw Error(detail::join({"Mechanism of model '", tree_.name(), "': the closing tolerance is ",
                                detail::number(tolerance), ", must be zero or positive"}));
    closing_tolerance_ = tolerance;
  }

  /// The same mechanism over another scalar, such as a pack of states (batch/pack.hpp). A closing tolerance that was
  /// not set is that of the other scalar.
  /// @throws ModelError as those of Model and Loops
  template <class T>
  Mechanism<T> cast() const {
    const Model<T> tree = tree_.template cast<T>();
    return Mechanism<T>(tree, loops_.template cast<T>(tree), *this);
  }

  /// As Model::topology_id(): a number shared only with copies of this mechanism.
  std::uint64_t topology_id() const { return state_id_; }

  /// The entries of G are numbered row by row; those of row r are entry(r), .., entry(r + 1) - 1.
  int entry(int r) const { return row_begin_[r]; }
  /// f(column, entry) for the entries of G in row r, ascending.
  template <class F>
  void for_each_entry(int r, F&& f) const {
    for (int e = row_begin_[r]; e < row_begin_[r + 1]; ++e) f(column_[e], e);
  }
  /// f(row, entry) for the entries of G in the column of speed k: 1 in the row of its own degree of freedom, then those
  /// of the dependent ones, ascending.
  template <class F>
  void for_each_driven_dof(int k, F&& f) const {
    const std::pair<int, int>*at = moved_.data() + moved_begin_[k], *const end = moved_.data() + moved_begin_[k + 1];
    for (; at != end; ++at) f(at->first, at->second);
  }
  /// f(begin, end) for ranges of rows that have all nonzero entries of A G in the column of speed k, for matrices A of
  /// the tree.
  template <class F>
  void for_each_row_range(int k, F&& f) const {
    for (const auto& [begin, end] : reached_[k]) f(begin, end);
  }
  /// The constant entries; 0 for the others.
  const VectorX<S>& constant_entries() const { return constant_; }
  /// The number of a degree of freedom among those of its cluster, the dependent ones first.
  int place(int r) const { return place_[r]; }

  /// The last speed before k that is coupled with k in M, C and the like, or in the factor L^T D L of M, as parent_dof
  /// of a tree; -1 if there is none. Two speeds whose entries can be nonzero follow from each other by this relation:
  /// those that move bodies of which one carries the other, or that share a cluster, and the fill-in of elimination
  /// from the last speed on.
  int parent_dof(int k) const { return parent_dof_[k]; }
  /// f(i) for k and all speeds that follow from it by parent_dof.
  template <class F>
  void for_each_ancestor(int k, F&& f) const {
    for (; k >= 0; k = parent_dof_[k]) f(k);
  }
  /// f(i) for k and all speeds from which k follows by parent_dof.
  template <class F>
  void for_each_descendant(int k, F&& f) const {
    for (const auto& [begin, end] : descendants_[k])
      for (int i = begin; i < end; ++i) f(i);
  }
  /// f(begin, end) for the ranges of the degrees of freedom of the tree above and below s, s and those of its joint
  /// included: the rows of the matrices of the tree that can be nonzero in column s.
  template <class F>
  void for_each_related(int s, F&& f) const {
    f(run_begin_[s], tree_.subtree_end(s));
    for (int r = tree_.parent_dof(run_begin_[s]); r >= 0; r = tree_.parent_dof(run_begin_[r])) f(run_begin_[r], r + 1);
  }

 private:
  template <class>
  friend class Mechanism;
  using Ranges = std::vector<std::pair<int, int>>;
  /// With the independent speeds of another one.
  template <class T>
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const Mechanism<T>& other)
      : tree_(tree), loops_(loops), conditions_(loops), senses_(loops.senses()), notes_(other.notes()) {
    if (const double set = other.closing_tolerance(); set != detail::redundancy_tolerance<T>())
      closing_tolerance_ = set;
    set_conditions(other.idle_);
    PerDof<int> chosen(tree.nv(), false);
    for (const int k : other.independent()) chosen[k] = true;
    make(chosen);
  }

  /// @param chosen  whether a degree of freedom of a loop is independent
  void make(const PerDof<int>& chosen);
  void set_conditions(const std::vector<char>& idle);
  std::vector<Cluster> find_clusters() const;
  void find_pattern();

  Model<S> tree_;
  Loops<S> loops_, conditions_, senses_;
  double closing_tolerance_ = detail::redundancy_tolerance<S>();
  std::vector<char> idle_;
  std::uint64_t state_id_ = detail::next_id();
  std::vector<Cluster> clusters_;
  std::vector<Note> notes_;
  bool varies_ = false;
  std::vector<int> independent_;
  PerDof<int> row_begin_, place_;
  PerDof<int> run_begin_;  // of the degrees of freedom, each the parent of the next, that end with this one
  detail::Table<int, struct OfEntries> column_;
  VectorX<S> constant_;
  // By speed: degrees of freedom that it moves, with their entries; rows of A G; the speeds that follow it in M.
  PerDof<int> moved_begin_, parent_dof_;
  detail::Table<std::pair<int, int>, struct OfEntries> moved_;
  PerDof<Ranges> reached_, descendants_;
};

namespace algorithm {

/// What a mechanism runs for algorithm A of trees; A itself where only mechanisms have it.
template <class A>
struct for_mechanism : A {
  using A::A;
};

}  // namespace algorithm

namespace detail {

/// The rows of G, or of its derivative, that belong to the dependent speeds of a cluster.
template <class S>
void write_map(const Mechanism<S>& mechanism, const typename Mechanism<S>::Cluster& cluster, const MatrixX<S>& rows,
               VectorX<S>& G) {
  for (std::size_t i = 0; i < cluster.dependent.size(); ++i) {
    S* const entry = G.data() + mechanism.entry(cluster.dependent[i]);
    for (Eigen::Index j = 0; j < rows.cols(); ++j) entry[j] = rows(static_cast<Eigen::Index>(i), j);
  }
}

}  // namespace detail

template <class S>
void Mechanism<S>::set_conditions(const std::vector<char>& idle) {
  idle_ = idle;
  conditions_ = loops_.without(idle_);
  clusters_ = find_clusters();
}

template <class S>
auto Mechanism<S>::find_clusters() const -> std::vector<Cluster> {
  // The cluster of each degree of freedom, named by its first one; -1 for those in no loop.
  PerDof<int> first(tree_.nv(), -1);
  const auto root = [&](int k) {
    while (first[k] != k) k = first[k];
    return k;
  };
  for (const auto& loop : loops_.all()) {
    int previous = -1;
    detail::for_each_coupled<S>(tree_, loop, [&](int k) {
      if (first[k] < 0) first[k] = k;
      if (previous >= 0) {
        const int a = root(previous), b = root(k);
        first[(std::max)(a, b)] = (std::min)(a, b);
      }
      previous = k;
    });
    if (previous < 0)
      throw ModelError(detail::join({"loop '", loop.name, "' of model '", tree_.name(), "' moves no joint"}));
  }
  std::vector<Cluster> clusters;
  PerDof<int> number(tree_.nv(), -1);
  for (int k = 0; k < tree_.nv(); ++k) {
    if (first[k] < 0) continue;
    const int r = root(k);
    if (r == k) number[k] = static_cast<int>(clusters.size()), clusters.emplace_back();
    clusters[static_cast<std::size_t>(number[r])].dependent.push_back(k);
  }
  for (int l = 0; const auto& loop : conditions_.all()) {
    int one = -1;
    detail::for_each_coupled<S>(tree_, loop, [&](int k) { one = k; });
    Cluster& cluster = clusters[static_cast<std::size_t>(number[root(one)])];
    cluster.members.push_back(l++);
    cluster.loops += (cluster.loops.empty() ? "'" : ", '") + loop.name + "'";
    cluster.varies = cluster.varies || !loop.frames.empty() || loop.relation;
    for (int i = 0; i < loop.rows(); ++i) cluster.rows.push_back(loop.begin + i);
  }
  return clusters;
}

template <class S>
void Mechanism<S>::make(const PerDof<int>& chosen) {
  const auto is_chosen = [&](int k) { return chosen[k] != 0; };
  varies_ = std::ranges::any_of(clusters_, &Cluster::varies);
  PerDof<const Cluster*> dependent(tree_.nv(), nullptr);
  for (Cluster& cluster : clusters_) {
    auto& all = cluster.dependent;
    std::ranges::copy_if(all, std::back_inserter(cluster.independent), is_chosen);
    std::erase_if(all, is_chosen);
    for (const int k : all) dependent[k] = &cluster;
  }
  for (int k = 0; k < tree_.nv(); ++k)
    if (!dependent[k]) independent_.push_back(k);
  const auto column = [&](int k) {
    return static_cast<int>(std::ranges::lower_bound(independent_, k) - independent_.begin());
  };
  PerDof<const Cluster*> of_speed(nv(), nullptr);
  for (Cluster& cluster : clusters_)
    for (const int k : cluster.independent) cluster.columns.push_back(column(k)), of_speed[column(k)] = &cluster;
  for (int k = 0; k < tree_.nv(); ++k) {
    row_begin_.push_back(column_.size());
    if (!dependent[k]) column_.push_back(column(k));
    if (dependent[k])
      for (const int c : dependent[k]->columns) column_.push_back(c);
  }
  row_begin_.push_back(column_.size());

  place_ = PerDof<int>(tree_.nv(), 0);
  constant_.setZero(column_.size());
  for (const int k : independent_) constant_[entry(k)] = S(1);
  detail::ClusterSolver<S> solver;
  for (const Cluster& cluster : clusters_) {
    int place = 0;
    for (const auto* dofs : {&cluster.dependent, &cluster.independent})
      for (const int k : *dofs) place_[k] = place++;
    if (cluster.varies) continue;
    solver.resize(cluster);
    solver.K.setZero();
    for (Eigen::Index row = 0; const int l : cluster.members) {
      double squares = 0.0;
      for (const auto& [joint, factor] : loops_.all()[static_cast<std::size_t>(l)].terms)
        solver.K(row, place_[joint.v_index()]) = S(factor), squares += factor * factor;
      solver.scale[row++] = S(1.0 / std::sqrt(squares));
    }
    detail::write_map(*this, cluster, solver.solve(tree_, cluster), constant_);
  }
  for (int k = 0; k < nv(); ++k) {
    moved_begin_.push_back(moved_.size());
    moved_.push_back({dof_of_speed(k), entry(dof_of_speed(k))});
    if (const Cluster* own = of_speed[k])
      for (int i = 0; const int other : own->columns) {
        if (other == k)
          for (const int r : own->dependent) moved_.push_back({r, entry(r) + i});
        ++i;
      }
  }
  moved_begin_.push_back(moved_.size());
  find_pattern();
}

template <class S>
void Mechanism<S>::find_pattern() {
  for (int s = 0; s < tree_.nv(); ++s)
    run_begin_.push_back(s > 0 && tree_.parent_dof(s) == s - 1 ? run_begin_[s - 1] : s);
  // The tree of elimination from the last speed on: i becomes the parent of all speeds without one on the ways, from
  // the speeds after i that are coupled with it, to the root. `top` shortens these ways. Source: Liu (1986).
  parent_dof_ = PerDof<int>(nv(), -1);
  PerDof<int> top(nv(), -1);
  const auto couple = [&](int i, int k) {
    while (k > i) {
      const int next = std::exchange(top[k], i);
      if (next < 0) parent_dof_[k] = i;
      k = next;
    }
  };
  for (int i = nv() - 1; i >= 0; --i)
    for_each_driven_dof(i, [&](int r, int) {
      for_each_related(r, [&](int begin, int end) {
        for (int e = entry(begin); e < entry(end); ++e) couple(i, column_[e]);
      });
    });
  const auto join = [](Ranges& ranges) {
    std::ranges::sort(ranges);
    Ranges joined;
    for (const auto& [begin, end] : ranges)
      if (!joined.empty() && joined.back().second >= begin)
        joined.back().second = (std::max)(joined.back().second, end);
      else
        joined.emplace_back(begin, end);
    ranges = std::move(joined);
  };
  reached_ = descendants_ = PerDof<Ranges>(nv());
  for (int k = nv() - 1; k >= 0; --k) {
    for_each_driven_dof(
        k, [&](int r, int) { for_each_related(r, [&](int begin, int end) { reached_[k].emplace_back(begin, end); }); });
    join(reached_[k]);
    descendants_[k].emplace_back(k, k + 1);  // before those of its children
    join(descendants_[k]);
    if (parent_dof_[k] < 0) continue;
    Ranges& parent = descendants_[parent_dof_[k]];
    parent.insert(parent.end(), descendants_[k].begin(), descendants_[k].end());
  }
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& independent)
    : tree_(tree), loops_(loops), conditions_(loops), senses_(loops.senses()) {
  set_conditions(detail::find_idle_rows(tree, loops));
  PerDof<int> chosen(tree.nv(), false);
  for (const int k : tree.v_indices(independent)) chosen[k] = true;
  make(chosen);
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree)
    : tree_(tree), loops_(tree), conditions_(loops_), senses_(loops_.senses()) {
  set_conditions(detail::find_idle_rows(tree, loops_));
  PerDof<int> chosen(tree.nv(), true);
  for (const LoopSpec& loop : tree.loops())
    for (const int k : tree.v_indices(loop.dependent)) chosen[k] = false;
  detail::require_dependents(tree, conditions_, clusters_, chosen);
  make(chosen);
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& preferred,
                        VectorIn<S> q)
    : tree_(tree), loops_(loops), conditions_(loops), senses_(loops.senses()) {
  set_conditions(detail::find_idle_rows(tree, loops));
  detail::check_finite_vector("q", q, tree.nq(), "Mechanism");
  const MatrixX<S> K = detail::scaled_conditions(tree, conditions_, q);
  PerDof<int> prefers(tree.nv(), false);
  for (const int k : tree.v_indices(preferred)) prefers[k] = true;
  make(detail::choose_speeds(K, prefers));
  for (const Cluster& cluster : clusters_)
    detail::explain_choice(tree, K, cluster, prefers, !preferred.empty(), notes_);
}

CORIO_DECLARE_COMPILED(MECHANISM)

}  // namespace corio
