#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "corio/loops/detail/loop_in_motion.hpp"
#include "corio/solvers/elimination.hpp"

/// Clusters: which loops and degrees of freedom belong together, and which conditions restrict no motion.
namespace corio { inline namespace CORIO_ABI {

/// Loops that share degrees of freedom, directly or by way of other loops, and these degrees of freedom.
struct LoopCluster {
  std::string names;      // the quoted names of the loops
  std::vector<int> rows;  // the rows of Mechanism::loops() that are not idle
  std::vector<int> dofs;  // indices in v of the tree: dependent ones, sorted by their number of loops, then independent
  std::vector<int> speeds;  // the indices in y of the independent ones
  bool varies = false;      // whether G depends on q, which it does unless all loops are couplings

  /// The rows of K of a loop, which can be nonzero only in the columns of its own degrees of freedom.
  struct Block {
    int loop;                  // its index among Mechanism::loops().all()
    int row, rows;             // in K of the cluster
    std::vector<int> columns;  // places in dofs
  };
  std::vector<Block> blocks;                   // one for each loop
  std::vector<detail::RowRange> rows_of_dofs;  // for each dependent one the rows of its loop, or all if it has several

  std::span<const int> dependent() const { return std::span(dofs).first(dofs.size() - speeds.size()); }
  std::span<const int> independent() const { return std::span(dofs).last(speeds.size()); }
  std::size_t num_entries = 0;  // the number of entries in all blocks
};

namespace detail {

/// Returns the share of its terms below which a row of K counts as zero, about 1e-6 in double precision.
template <class S>
double redundancy_tolerance() {
  return 100.0 * std::sqrt(value_of(Eigen::NumTraits<S>::epsilon()));
}

/// Finds idle rows of K, which restrict no motion in any configuration, such as three of the five of a hinge that
/// closes a planar linkage. The terms of such a row cancel, and its condition holds, in random configurations. Scalars
/// that are not floating-point numbers have no idle rows.
/// @throws ModelError for loops of another model
template <class S>
std::vector<char> find_idle_rows(const Model<S>& tree, const Loops<S>& loops) {
  loops.check_fits(tree, "Mechanism");
  std::vector<char> idle(static_cast<std::size_t>(loops.rows()), 0);
  if constexpr (std::floating_point<S>) {
    const auto is_coupling = [](const auto& loop) { return loop.frames.empty(); };
    if (std::ranges::all_of(loops.all(), is_coupling)) return idle;
    Data<S> data(tree);
    VectorX<S> q(tree.nq()), scale(loops.rows());
    const joint::Uniform uniform = joint::detail::uniform_numbers(1);
    for (int sample = 0; sample < 3; ++sample) {
      for_each_primitive_joint(tree, [&](const auto& joint, int at, int) { joint.random(uniform, q.data() + at); });
      forward_kinematics<S>(tree, data, q);
      for (const auto& loop : loops.all()) {
        if (is_coupling(loop)) continue;
        LoopAtState<S>(tree, data, loop)
            .for_each_entry(redundancy_tolerance<S>(), scale.data() + loop.begin, [](int, int, const S&) {});
        for_each_residual(data, loop, [&](int i, const S& k) {
          char& is_idle = idle[static_cast<std::size_t>(loop.begin + i)];
          const bool cancels = scale[loop.begin + i] == S(0) && std::abs(value_of(k)) <= redundancy_tolerance<S>();
          is_idle = cancels && (sample == 0 || is_idle);
        });
      }
    }
    for (const auto& loop : loops.all())
      if (const auto rows =
              std::span(idle).subspan(static_cast<std::size_t>(loop.begin), static_cast<std::size_t>(loop.rows()));
          std::ranges::count(rows, 0) == 0)
        std::ranges::fill(rows, 0);
  }
  return idle;
}

/// Returns the clusters of all loops. Their rows are the conditions that are not idle, and all degrees of freedom are
/// still dependent.
/// @throws ModelError for a loop that moves no joint
template <class S>
std::vector<LoopCluster> find_clusters(const Model<S>& tree, const Loops<S>& loops, const std::vector<char>& idle) {
  PerDof<int> first(tree.nv(), -1);  // the first degree of freedom of the cluster of each one; -1 for no loop
  for (const auto& loop : loops.all()) {
    int own = -1;
    for_each_coupled<S>(tree, loop, [&](int k) {
      if (first[k] < 0) first[k] = k;
      const int from = (std::max)(own, first[k]);
      own = own < 0 ? from : (std::min)(own, first[k]);
      if (from != own) std::replace(first.begin(), first.end(), from, own);
    });
    if (own < 0)
      throw ModelError(join({"loop '", loop.name, "' of model '", tree.name(),
                             "' moves no joint; remove the loop, or attach its frames to bodies that move"}));
  }
  std::vector<LoopCluster> clusters;
  PerDof<std::size_t> number(tree.nv(), 0);  // the place of a cluster, by its first degree of freedom
  for (int k = 0; k < tree.nv(); ++k) {
    if (first[k] < 0) continue;
    if (first[k] == k) number[k] = clusters.size(), clusters.emplace_back();
    clusters[number[first[k]]].dofs.push_back(k);
  }
  for (int l = 0; const auto& loop : loops.all()) {
    int one = -1;
    for_each_coupled<S>(tree, loop, [&](int k) { one = k; });
    LoopCluster& cluster = clusters[number[first[one]]];
    cluster.names += (cluster.names.empty() ? "'" : ", '") + loop.name + "'";
    cluster.varies = cluster.varies || !loop.frames.empty() || loop.relation;
    const auto begin = std::ssize(cluster.rows);
    for (int row = loop.begin; row < loop.begin + loop.rows(); ++row)
      if (idle[static_cast<std::size_t>(row)] == 0) cluster.rows.push_back(row);
    cluster.blocks.push_back({l++, static_cast<int>(begin), static_cast<int>(std::ssize(cluster.rows) - begin), {}});
  }
  return clusters;
}

}  // namespace detail
}}  // namespace corio
