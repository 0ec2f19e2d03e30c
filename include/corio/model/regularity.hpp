#pragma once

#include <cstdint>
#include <vector>

#include "corio/model/node.hpp"
#include "corio/spatial/articulated_inertia.hpp"

namespace corio::detail {

/// The same numbers in [0, 1) on every machine, for configurations that need only be generic.
inline joint::Uniform uniform_numbers(std::uint32_t seed) {
  return [state = seed]() mutable { return (state = state * 1664525u + 1013904223u) / 4294967296.0; };
}

/// The inertia I of a body at pose X, seen from where X leads: column by column, as forces answer motions.
template <class S>
ArticulatedInertia<S> act(const Pose<S>& X, const ArticulatedInertia<S>& I) {
  Matrix3<S> block[2][2];
  for (int j = 0; j < 6; ++j) {
    Motion<S> unit = Motion<S>::zero();
    (j < 3 ? unit.angular : unit.linear)[j % 3] = S(1);
    const Force<S> F = X.act(I * X.act_inverse(unit));
    for (int i = 0; i < 3; ++i) block[0][j / 3](i, j % 3) = F.moment[i], block[1][j / 3](i, j % 3) = F.force[i];
  }
  return {Symmetric3<S>::from(block[0][0]), block[0][1], Symmetric3<S>::from(block[1][1])};
}

/// The node, the nearest to the leaves, whose joint makes the mass matrix singular because nothing resists a motion
/// that it allows: no inertia at all, a point mass on its axis, a second joint that allows the same motion. -1 if none.
/// One inward sweep of the articulated-body algorithm, in the nodes' own axes, in a generic configuration: in a special
/// one a healthy model may be singular.
template <class S>
int find_singular_joint(const std::vector<Node<S>>& nodes, const VectorX<S>& armature) {
  const joint::Uniform uniform = uniform_numbers(12345);
  std::vector<ArticulatedInertia<S>> articulated;
  for (const Node<S>& node : nodes) articulated.push_back(ArticulatedInertia<S>::from(node.inertia));
  std::vector<S> q;
  for (std::size_t b = nodes.size(); b-- > 0;) {
    const Node<S>& node = nodes[b];
    ArticulatedInertia<S>& I = articulated[b];
    const double rotating = value_of(I.A.trace()), sliding = value_of(I.D.trace());
    q.resize(static_cast<std::size_t>(node.cell.nq()));
    Pose<S> X;
    Motion<S> phi[joint::max_nv];
    node.cell.visit([&](const auto& joint) { joint.random(uniform, q.data()); });
    node.cell.place(node.placement, q.data(), X, phi);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Motion<S> column = X.act_inverse(phi[k - node.v_begin]);
      const Force<S> U = I * column;
      const S d = dot(column, U) + armature[k];
      const double scale = value_of(dot(column.angular, column.angular)) * rotating +
                           value_of(dot(column.linear, column.linear)) * sliding;
      if (value_of(d) <= 1e-12 * scale) return static_cast<int>(b);
      I.subtract_outer(U, S(1) / d);
    }
    if (node.parent >= 0) articulated[static_cast<std::size_t>(node.parent)] += act(X, I);
  }
  return -1;
}

/// The first node whose user's joint has columns that depend on q and no column_rates, -1 if there is none: the
/// velocity terms would be wrong in silence.
template <class S>
int find_missing_rates(const std::vector<Node<S>>& nodes) {
  const joint::Uniform uniform = uniform_numbers(54321);
  for (std::size_t b = 0; b < nodes.size(); ++b) {
    const auto* custom = nodes[b].cell.custom();
    if (!custom || custom->has_column_rates()) continue;
    std::vector<S> q(static_cast<std::size_t>(custom->nq()));
    Motion<S> columns[2][joint::max_nv];
    for (auto& phi : columns) {
      custom->random(uniform, q.data());
      const Pose<S> X = custom->compose(Pose<S>::identity(), q.data());
      custom->columns(X, q.data(), phi);
      for (int k = 0; k < custom->nv(); ++k) phi[k] = X.act_inverse(phi[k]);
    }
    for (int k = 0; k < custom->nv(); ++k) {
      const Motion<S> change = columns[1][k] - columns[0][k];
      if (value_of(dot(change.angular, change.angular) + dot(change.linear, change.linear)) > 1e-12)
        return static_cast<int>(b);
    }
  }
  return -1;
}

}  // namespace corio::detail
