#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corio/loops/constraint_jacobian.hpp"
#include "corio/loops/elimination.hpp"

namespace corio {

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
/// Functions of mechanisms have the names of those of trees (mechanism_kinematics.hpp, mechanism_dynamics.hpp and
/// others of this folder). For quantities that depend only on the motion of bodies, such as poses, energies and
/// momenta, call the tree's functions with tree() and data.tree after forward_kinematics of the mechanism; regressors
/// are those of the tree, projected (project_forces). Derivatives without a function
/// here, such as those of C or second derivatives of the dynamics, can be taken by complex steps: of a
/// Mechanism<std::complex<double>>(tree.cast<std::complex<double>>()), with q moved along columns of i h G. All other
/// functions of a Model do not compile for a Mechanism.
///
/// Loops that have degrees of freedom in common form a cluster. Clusters do not depend on each other's speeds, so G has
/// a block for each, and is 1 for degrees of freedom in no loop. K and the pattern of G are stored as matrices: O(m n +
/// n^2) numbers for m conditions. Source: Wensing and Slotine (2023), sec. VI-C, in the form of projections.
template <class S>
class Mechanism {
 public:
  using Scalar = S;
  using DataType = MechanismData<S>;

  /// Degrees of freedom of the tree, by their indices in v, and rows of K.
  struct Cluster {
    std::string loops;  // their names
    std::vector<int> rows;
    std::vector<int> dependent, independent;
    std::vector<int> columns;  // of G: the indices in y of the independent ones
    bool varies = false;       // whether G depends on q: false for couplings alone
  };

  /// @param independent  joints in loops whose speeds are independent; joints in no loop always are
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
  /// The same, where the `preferred` joints, such as those with motors, are independent unless without them the others
  /// would follow with less than a thousandth of the accuracy; independent() tells which speeds it took.
  /// @throws ModelError also for unknown names
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& preferred, VectorIn<S> q);

  const Model<S>& tree() const { return tree_; }
  const Loops<S>& loops() const { return loops_; }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// The number of independent speeds, and their indices as degrees of freedom of the tree.
  int nv() const { return static_cast<int>(independent_.size()); }
  const std::vector<int>& independent() const { return independent_; }
  int dof_of_speed(int k) const { return independent_[static_cast<std::size_t>(k)]; }
  /// Whether G changes with q.
  bool varies() const { return std::ranges::any_of(clusters_, &Cluster::varies); }

  /// The same mechanism over another scalar, such as a pack of states (batch/pack.hpp).
  /// @throws ModelError as those of Model and Loops
  template <class T>
  Mechanism<T> cast() const {
    const Model<T> tree = tree_.template cast<T>();
    return Mechanism<T>(tree, loops_.template cast<T>(tree), *this);
  }

  /// A number shared only with copies of this mechanism.
  std::uint64_t stamp() const { return stamp_; }

  /// f(column, entry) for the entries of G in row r, ascending; `entry` is an index into one vector of all entries.
  template <class F>
  void for_each_entry(int r, F&& f) const {
    for (int e = row_begin_[r]; e < row_begin_[r + 1]; ++e) f(column_[e], e);
  }
  int entry(int r) const { return row_begin_[r]; }
  /// The constant entries; 0 for the others.
  const VectorX<S>& constant_entries() const { return constant_; }

  /// f(begin, end) for the ranges, ascending, of speeds at which column k of M, C and the like, or of the factor
  /// L^T D L of M, can be nonzero: those that move a body that k carries, or is carried by, or shares a cluster with,
  /// and the fill-in of elimination from the last speed on.
  template <class F>
  void for_each_coupled(int k, F&& f) const {
    for (const auto& [begin, end] : coupled_[k]) f(begin, end);
  }
  /// f(i) for those i < end.
  template <class F>
  void for_each_coupled_before(int k, int end, F&& f) const {
    for (const auto& [first, last] : coupled_[k]) {
      if (first >= end) return;
      for (int i = first; i < std::min(last, end); ++i) f(i);
    }
  }

 private:
  template <class>
  friend class Mechanism;
  /// With the independent speeds of another one.
  template <class T>
  Mechanism(const Model<S>& tree, const Loops<S>& loops, const Mechanism<T>& other)
      : tree_(tree), loops_(loops), clusters_(find_clusters()) {
    PerDof<int> chosen(tree.nv(), false);
    for (const int k : other.independent()) chosen[k] = true;
    make(chosen);
  }

  /// @param chosen  whether a degree of freedom of a loop is independent
  void make(const PerDof<int>& chosen);
  std::vector<Cluster> find_clusters() const;
  void require_dependents(const PerDof<int>& chosen) const;
  void find_pattern();

  Model<S> tree_;
  Loops<S> loops_;
  std::uint64_t stamp_ = detail::next_stamp();
  std::vector<Cluster> clusters_;
  std::vector<int> independent_;
  PerDof<int> row_begin_;
  detail::Table<int, struct OfEntries> column_;
  VectorX<S> constant_;
  PerDof<std::vector<std::pair<int, int>>> coupled_;  // by speed
};

namespace detail {

/// "model 'm': in loops 'a', 'b' the independent joints (c, d)", the beginning of error messages on a cluster.
template <class S>
std::string who_determines(const Model<S>& model, const typename Mechanism<S>::Cluster& cluster) {
  std::string names;
  for (const int k : cluster.independent) names += (names.empty() ? "" : ", ") + joint_of_dof(model, k);
  return join({"model '", model.name(), "': in loops ", cluster.loops, " the independent joints (",
               names.empty() ? "none" : names, ")"});
}

/// Below this share of its terms a row of K counts as zero: about 1e-6 in double precision.
template <class S>
double play_of_conditions() {
  return 100.0 * std::sqrt(value_of(Eigen::NumTraits<S>::epsilon()));
}

/// The rows of G that belong to the dependent speeds of a cluster, and their rates.
template <class S>
class ClusterSolver {
 public:
  /// G_d = -K_d^-1 K_i in the first rows of the result, where other rows of K must not restrict the independent speeds.
  /// @param scale  of the rows of K
  /// @throws ModelError  if the independent speeds do not determine the others, or are restricted themselves. Of a
  /// state of a pack it is then not a number.
  const MatrixX<S>& solve(const Model<S>& model, const typename Mechanism<S>::Cluster& cluster, const MatrixX<S>& K,
                          const VectorX<S>& scale) {
    const auto m = std::ssize(cluster.rows), d = std::ssize(cluster.dependent);
    K_d_.resize(m, d), B_.resize(m, std::ssize(cluster.independent)), scale_.resize(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const int r = cluster.rows[static_cast<std::size_t>(i)];
      const auto row = K.row(r);
      scale_[i] = scale[r];
      for (Eigen::Index j = 0; const int k : cluster.dependent) K_d_(i, j++) = scale_[i] * row[k];
      for (Eigen::Index j = 0; const int k : cluster.independent) B_(i, j++) = -scale_[i] * row[k];
    }
    solver_.compute(K_d_);
    const auto rank = solver_.rank();
    if (rank < d) fail(model, cluster, rank);
    solver_.solve(B_);
    // Redundant conditions are consistent only up to the residual of the loops and the accuracy of parallel axes.
    using std::sqrt;
    const auto consistent =
        sqrt(squares(B_.bottomRows(m - d))) <= play_of_conditions<S>() * (1.0 + sqrt(squares(B_.topRows(d))));
    if constexpr (states_of<S> == 1) {
      if (!consistent) fail(model, cluster, rank);
    } else {
      keep_where(consistent, B_);
    }
    return B_;
  }
  /// -K_d^-1 X with the factorization of the last solve, for X(row, j) of the cluster's rows and its independent
  /// speeds.
  template <class X>
  const MatrixX<S>& rate(const typename Mechanism<S>::Cluster& cluster, X&& x) {
    for (Eigen::Index j = 0; j < B_.cols(); ++j)
      for (Eigen::Index i = 0; i < B_.rows(); ++i)
        B_(i, j) =
            -scale_[i] * x(cluster.rows[static_cast<std::size_t>(i)], cluster.columns[static_cast<std::size_t>(j)]);
    solver_.solve(B_);
    return B_;
  }
  /// The forces of the cluster's loops, K_d^T lambda = tau_d, with the factorization of the last solve.
  void multipliers(const typename Mechanism<S>::Cluster& cluster, const VectorX<S>& tau, VectorX<S>& lambda) {
    tau_d_.resize(std::ssize(cluster.dependent));
    for (Eigen::Index i = 0; i < tau_d_.size(); ++i) tau_d_[i] = tau[cluster.dependent[static_cast<std::size_t>(i)]];
    solver_.solve_transposed(tau_d_, forces_);
    for (Eigen::Index i = 0; i < forces_.size(); ++i)
      lambda[cluster.rows[static_cast<std::size_t>(i)]] = scale_[i] * forces_[i];
  }

 private:
  template <class X>
  static auto squares(const X& x) {
    auto sum = real_value(S(0));
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i) sum += real_value(x(i, j)) * real_value(x(i, j));
    return sum;
  }

  [[noreturn]] static void fail(const Model<S>& model, const typename Mechanism<S>::Cluster& cluster,
                                Eigen::Index rank) {
    const auto others = std::ssize(cluster.dependent);
    if (others == 0)
      throw ModelError(join({who_determines(model, cluster),
                             " are all that they move, and are not free; leave out those that they determine"}));
    throw ModelError(join({who_determines(model, cluster), " determine ", std::to_string(rank), " of ",
                           std::to_string(others), " other degrees of freedom",
                           rank == others ? ", but are not free themselves; choose fewer or other ones, close the loops"
                                          : "; choose other ones",
                           ", or leave a singular configuration"}));
  }

  MatrixX<S> K_d_, B_;
  VectorX<S> scale_, tau_d_, forces_;
  EliminationOf<S> solver_;
};

/// The rows of G, or of its derivative, that belong to the dependent speeds of a cluster: the first ones of a solution.
template <class S>
void write_map(const Mechanism<S>& mechanism, const typename Mechanism<S>::Cluster& cluster, const MatrixX<S>& rows,
               VectorX<S>& G) {
  for (std::size_t i = 0; i < cluster.dependent.size(); ++i)
    G.segment(mechanism.entry(cluster.dependent[i]), rows.cols()) = rows.row(static_cast<Eigen::Index>(i));
}

}  // namespace detail

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
        first[std::max(a, b)] = std::min(a, b);
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
  for (const auto& loop : loops_.all()) {
    int one = -1;
    detail::for_each_coupled<S>(tree_, loop, [&](int k) { one = k; });
    Cluster& cluster = clusters[static_cast<std::size_t>(number[root(one)])];
    cluster.loops += (cluster.loops.empty() ? "'" : ", '") + loop.name + "'";
    cluster.varies = cluster.varies || !loop.frames.empty() || loop.relation;
    for (int i = 0; i < loop.rows(); ++i) cluster.rows.push_back(loop.begin + i);
  }
  return clusters;
}

/// @throws ModelError where loops that name no dependent joint restrict the motion beyond those that name some
template <class S>
void Mechanism<S>::require_dependents(const PerDof<int>& chosen) const {
  std::vector<const LoopSpec*> silent(static_cast<std::size_t>(loops_.rows()), nullptr);  // by their first rows
  for (std::size_t i = 0; i < tree_.loops().size(); ++i)
    if (const LoopSpec& loop = tree_.loops()[i]; loop.dependent.empty())
      silent[static_cast<std::size_t>(loops_.all()[i].begin)] = &loop;
  if (std::ranges::all_of(silent, [](auto* loop) { return !loop; })) return;
  Data<S> data(tree_);
  MatrixX<S> K(loops_.rows(), tree_.nv()), A;
  VectorX<S> scale;
  constraint_jacobian<S>(tree_, forward_kinematics<S>(tree_, data, neutral(tree_)), loops_, K);
  detail::find_row_scales<S>(tree_, data, loops_, K, detail::play_of_conditions<S>(), scale);
  const auto list = [](std::string& names, const std::string& name) {
    names += detail::join({names.empty() ? "'" : ", '", name, "'"});
  };
  std::string found;
  for (const Cluster& cluster : clusters_) {
    std::string names, would_do;
    for (const int row : cluster.rows)
      if (const LoopSpec* loop = silent[static_cast<std::size_t>(row)]) list(names, loop->name);
    if (names.empty()) continue;
    // Prefer joints of several degrees of freedom as dependent ones, since drives are usually in the others.
    const auto joint = [&](Eigen::Index j) -> const Joint& {
      return tree_.joint_of_node(tree_.node_of_dof(cluster.dependent[static_cast<std::size_t>(j)]));
    };
    A.resize(std::ssize(cluster.rows), std::ssize(cluster.dependent));
    for (Eigen::Index i = 0; const int row : cluster.rows) {
      for (Eigen::Index j = 0; const int k : cluster.dependent)
        A(i, j) = scale[row] * K(row, k) * S(joint(j).nv() > 1 ? 1.0 : 1e-3), ++j;
      ++i;
    }
    detail::PivotedElimination<S> elimination;
    elimination.compute(A);
    if (elimination.rank() <= std::ranges::count_if(cluster.dependent, [&](int k) { return chosen[k] == 0; })) continue;
    std::set<std::string> joints;
    int whole = 0;
    for (const int j : elimination.pivots())
      if (joints.insert(joint(j).name()).second) whole += joint(j).nv();
    for (const std::string& name : joints) list(would_do, name);
    found += detail::join({found.empty() ? "" : "; ", names,
                           whole == elimination.rank() ? detail::join({" (", would_do, " would do)"})
                                                       : std::string(" (parts of several joints)")});
  }
  if (!found.empty())
    throw ModelError(detail::join({"Mechanism of model '", tree_.name(),
                                   "': these loops do not say which joints they determine: ", found,
                                   "; name the other joints as independent, or give a configuration"}));
}

template <class S>
void Mechanism<S>::make(const PerDof<int>& chosen) {
  const auto is_chosen = [&](int k) { return chosen[k] != 0; };
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
  for (Cluster& cluster : clusters_)
    for (const int k : cluster.independent) cluster.columns.push_back(column(k));
  for (int k = 0; k < tree_.nv(); ++k) {
    row_begin_.push_back(column_.size());
    if (!dependent[k]) column_.push_back(column(k));
    if (dependent[k])
      for (const int c : dependent[k]->columns) column_.push_back(c);
  }
  row_begin_.push_back(column_.size());

  constant_.setZero(column_.size());
  for (const int k : independent_) constant_[entry(k)] = S(1);
  MatrixX<S> K(loops_.rows(), tree_.nv());
  K.setZero();
  VectorX<S> scale = VectorX<S>::Zero(loops_.rows());
  for (const auto& loop : loops_.all()) {
    if (!loop.frames.empty() || loop.relation) continue;
    double squares = 0.0;
    for (const auto& [joint, factor] : loop.terms)
      K(loop.begin, joint.v_index()) = S(factor), squares += factor * factor;
    scale[loop.begin] = S(1.0 / std::sqrt(squares));
  }
  for (const Cluster& cluster : clusters_) {
    if (cluster.varies) continue;
    detail::ClusterSolver<S> solver;
    detail::write_map(*this, cluster, solver.solve(tree_, cluster, K, scale), constant_);
  }
  find_pattern();
}

template <class S>
void Mechanism<S>::find_pattern() {
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> nonzero;
  nonzero.setConstant(nv(), nv(), false);
  for (int r = 0; r < tree_.nv(); ++r)
    for (int s = r; s >= 0; s = tree_.dof_parent(s))
      for_each_entry(r, [&](int i, int) {
        for_each_entry(s, [&](int j, int) { nonzero(std::max(i, j), std::min(i, j)) = true; });
      });
  std::vector<int> before;
  for (int k = nv() - 1; k >= 0; --k) {
    before.clear();
    for (int i = 0; i < k; ++i)
      if (nonzero(k, i)) before.push_back(i);
    for (const int i : before)
      for (const int j : before)
        if (j < i) nonzero(i, j) = true;
  }
  coupled_ = PerDof<std::vector<std::pair<int, int>>>(nv());
  for (int k = 0; k < nv(); ++k)
    for (int i = 0; i < nv(); ++i) {
      if (!nonzero(std::max(i, k), std::min(i, k))) continue;
      auto& ranges = coupled_[k];
      if (ranges.empty() || ranges.back().second < i) ranges.emplace_back(i, i);
      ranges.back().second = i + 1;
    }
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& independent)
    : tree_(tree), loops_(loops) {
  loops.check_fits(tree, "Mechanism");
  clusters_ = find_clusters();
  PerDof<int> chosen(tree.nv(), false);
  for (const int k : tree.v_indices(independent)) chosen[k] = true;
  make(chosen);
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree) : tree_(tree), loops_(tree), clusters_(find_clusters()) {
  PerDof<int> chosen(tree.nv(), true);
  for (const LoopSpec& loop : tree.loops())
    for (const int k : tree.v_indices(loop.dependent)) chosen[k] = false;
  require_dependents(chosen);
  make(chosen);
}

template <class S>
Mechanism<S>::Mechanism(const Model<S>& tree, const Loops<S>& loops, const std::vector<std::string>& preferred,
                        VectorIn<S> q)
    : tree_(tree), loops_(loops) {
  loops.check_fits(tree, "Mechanism");
  clusters_ = find_clusters();
  detail::check_sample("q", q, tree.nq(), "Mechanism");
  Data<S> data(tree);
  MatrixX<S> K(loops.rows(), tree.nv());
  constraint_jacobian<S>(tree, forward_kinematics<S>(tree, data, q), loops, K);
  VectorX<S> scale;
  detail::find_row_scales<S>(tree, data, loops, K, detail::play_of_conditions<S>(), scale);
  K.array().colwise() *= scale.array();
  for (const int k : tree.v_indices(preferred)) K.col(k) *= S(1e-3);  // pivots, which become dependent, are elsewhere
  detail::LeastSquares<S> factorization;
  factorization.compute(K, detail::play_of_conditions<S>());
  PerDof<int> chosen(tree.nv(), true);
  for (Eigen::Index i = 0; i < factorization.rank(); ++i) chosen[factorization.pivot(i)] = false;
  make(chosen);
}

}  // namespace corio
