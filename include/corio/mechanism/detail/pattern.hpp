#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "corio/mechanism/mechanism.hpp"

/// How a Mechanism numbers its independent speeds, and finds the sparse pattern of its map G.
namespace corio { inline namespace CORIO_ABI {

template <class S>
void Mechanism<S>::set_independent(const PerDof<int>& chosen) {
  PerDof<int> num_loops(tree_.nv(), 0);
  for (const auto& loop : loops_.all()) detail::for_each_coupled<S>(tree_, loop, [&](int k) { ++num_loops[k]; });
  PerDof<const Cluster*> determining(tree_.nv(), nullptr);  // the cluster of a dependent degree of freedom
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    Cluster& cluster = clusters_[c];
    const auto order = [&](int k) { return chosen[k] ? (std::numeric_limits<int>::max)() : num_loops[k]; };
    std::ranges::stable_sort(cluster.dofs, {}, order);
    for (const int k : cluster.dofs)
      if (!chosen[k]) determining[k] = &cluster;
    if (cluster.varies) varying_.push_back(c);
  }
  for (int k = 0; k < tree_.nv(); ++k)
    if (!determining[k]) independent_.push_back(k);
  const auto speed_of = [&](int k) {
    return static_cast<int>(std::ranges::lower_bound(independent_, k) - independent_.begin());
  };
  column_of_K_ = PerDof<int>(tree_.nv(), 0), block_of_speed_ = PerDof<int>(nv(), -1);
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    Cluster& cluster = clusters_[c];
    for (int i = 0; const int k : cluster.dofs) {
      column_of_K_[k] = i++;
      if (chosen[k]) cluster.speeds.push_back(speed_of(k));
    }
    find_blocks(cluster);
    if (cluster.speeds.size() < 3) continue;
    blocks_.push_back(c);
    for (const int k : cluster.speeds) block_of_speed_[k] = static_cast<int>(c);
  }
  for (int k = 0; k < tree_.nv(); ++k) {
    row_begin_.push_back(column_.size());
    if (!determining[k])
      column_.push_back(speed_of(k));
    else
      for (const int j : determining[k]->speeds) column_.push_back(j);
  }
  row_begin_.push_back(column_.size());
  driven_ = PerDof<Pairs>(nv());
  for (int r = 0; r < tree_.nv(); ++r) for_each_entry(r, [&](int k, int e) { driven_[k].emplace_back(r, e); });
  find_constant_entries();
  find_pattern();
}

template <class S>
void Mechanism<S>::find_blocks(Cluster& cluster) const {
  const int all = static_cast<int>(std::ssize(cluster.rows));
  cluster.rows_of_dofs.assign(cluster.dependent().size(), {0, 0});
  for (auto& [loop, row, count, columns] : cluster.blocks) {
    detail::for_each_coupled<S>(tree_, loops_.all()[static_cast<std::size_t>(loop)],
                                [&, &columns = columns](int k) { columns.push_back(column_of_K(k)); });
    cluster.num_entries += columns.size() * static_cast<std::size_t>(count);
    for (const auto column : columns)
      if (static_cast<std::size_t>(column) < cluster.rows_of_dofs.size()) {
        detail::RowRange& rows = cluster.rows_of_dofs[static_cast<std::size_t>(column)];
        rows = rows.end == 0 ? detail::RowRange{row, row + count} : detail::RowRange{0, all};
      }
  }
}

template <class S>
void Mechanism<S>::find_constant_entries() {
  constant_.setZero(column_.size());
  for (const int k : independent_) constant_[row_begin(k)] = S(1);
  detail::ClusterSolver<S> solver;
  for (const Cluster& cluster : clusters_) {
    if (cluster.varies) continue;
    solver.resize(cluster);
    solver.begin();
    detail::for_each_loop(*this, cluster, [&](const auto& loop, int row) {
      double squares = 0.0;
      for (const auto& [joint, factor] : loop.terms)
        solver.put(row, column_of_K(joint.v_index()), S(factor)), squares += factor * factor;
      solver.scale[row] = S(1.0 / std::sqrt(squares));
    });
    detail::write_map(*this, cluster, solver.solve(tree_, cluster), constant_);
  }
}

template <class S>
void Mechanism<S>::find_pattern() {
  // The elimination tree, from the last speed on. Each speed after i that is coupled with i is on a path to a root, and
  // i becomes the parent of this root. `top` shortens the paths. Source: Liu (1986).
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
    for (const auto& [r, entry] : driven_[i])
      for_each_related(r, [&](int begin, int end) {
        for (int e = row_begin(begin); e < row_begin(end); ++e) couple(i, column_[e]);
      });
  const auto join = [](Pairs& ranges) {
    std::sort(ranges.begin(), ranges.end());
    Pairs joined;
    for (const auto& [begin, end] : ranges)
      if (!joined.empty() && joined.back().second >= begin)
        joined.back().second = (std::max)(joined.back().second, end);
      else
        joined.push_back({begin, end});
    ranges = std::move(joined);
  };
  rows_ = descendants_ = PerDof<Pairs>(nv());
  for (int k = nv() - 1; k >= 0; --k) {
    for (const auto& [r, entry] : driven_[k])
      for_each_related(r, [&](int begin, int end) { rows_[k].push_back({begin, end}); });
    join(rows_[k]);
    descendants_[k].push_back({k, k + 1});  // before its children
    join(descendants_[k]);
    if (parent_dof_[k] < 0) continue;
    Pairs& parent = descendants_[parent_dof_[k]];
    for (const auto& [begin, end] : descendants_[k]) parent.push_back({begin, end});
  }
}

}}  // namespace corio
