#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "corio/core/input.hpp"
#include "corio/core/table.hpp"
#include "corio/model/node.hpp"
#include "corio/spatial/articulated_inertia.hpp"

namespace corio::inline CORIO_ABI::detail {

/// The real values of a model's numbers: the checks below are made in double for every scalar.
template <class S, int columns>
Eigen::Matrix<double, 3, columns> values(const Eigen::Matrix<S, 3, columns>& A) {
  Eigen::Matrix<double, 3, columns> out;
  for (int i = 0; i < 3 * columns; ++i) out(i) = value_of(A(i));
  return out;
}
template <class S>
Inertia<double> values(const Inertia<S>& I_b) {
  return {value_of(I_b.mass), values(I_b.h), Symmetric3<double>::from(values(I_b.sigma.matrix()))};
}

/// The articulated inertia I^A of a body at pose X, transformed by X: column j is the force for unit motion j.
template <class S>
ArticulatedInertia<S> act(const Pose<S>& X, const ArticulatedInertia<S>& I_A) {
  Matrix3<S> block[2][2];
  for (int j = 0; j < 6; ++j) {
    Motion<S> unit = Motion<S>::zero();
    (j < 3 ? unit.angular : unit.linear)[j % 3] = S(1);
    const Force<S> F = X.act(I_A * X.act_inverse(unit));
    for (int i = 0; i < 3; ++i) block[0][j / 3](i, j % 3) = F.moment[i], block[1][j / 3](i, j % 3) = F.force[i];
  }
  return {Symmetric3<S>::from(block[0][0]), block[0][1], Symmetric3<S>::from(block[1][1])};
}

/// Root mean square distance of a body's mass from its origin; zero without mass.
inline double radius(const Inertia<double>& I_b) {
  return I_b.mass > 0.0 ? std::sqrt((std::max)(0.0, I_b.sigma.trace()) / I_b.mass) : 0.0;
}

/// The least inertia against each motion of a joint, relative to the inertia of all bodies that the joint carries.
/// Rounding errors are a hundred times smaller.
inline constexpr double least_inertia = 1e-13;

inline constexpr const char* cure_of_singular_joint =
    "give a body mass and inertia (a point mass has none about itself), give the joint an armature, or make it fixed";

/// The nodes, from the leaves to the root, whose joints make the mass matrix M singular: a joint that moves no inertia,
/// that has only a point mass on its axis, or that allows the same motion as another one. Such a joint is treated as if
/// it had an armature when joints nearer the root are tested.
///
/// The inward sweep of the articulated-body algorithm computes the pivots of M, the inertia against each degree of
/// freedom when all joints below move freely. A pivot that is zero in exact arithmetic is computed as a rounding error
/// of the terms that cancel in it. It is therefore compared with the inertia of all bodies that the joint carries with
/// the joints below locked, as if M were scaled by its diagonal, so that units and sizes do not matter.
///
/// The configuration is random, since a regular model may be singular at a special one. Coordinates that are lengths
/// are of about the size of the bodies: with sliders extended by a metre, moments of inertia of a small robot about
/// different axes would differ by many orders of magnitude.
template <class S>
std::vector<int> find_singular_joints(const PerNode<Node<S>>& nodes, const VectorX<S>& armature) {
  std::vector<int> singular;
  const joint::Uniform uniform = joint::detail::uniform_numbers(12345);
  PerNode<Inertia<double>> composite(nodes.size());
  PerNode<ArticulatedInertia<double>> articulated(nodes.size());
  Inertia<double> sum = Inertia<double>::zero();
  for (int b = 0; b < nodes.size(); ++b) {
    composite[b] = values<S>(nodes[b].inertia);
    articulated[b] = ArticulatedInertia<double>::from(composite[b]);
    sum += composite[b];
  }
  const double mean_radius = radius(sum);
  for (int b = nodes.size() - 1; b >= 0; --b) {
    const Node<S>& node = nodes[b];
    const Inertia<double>& carried = composite[b];
    ArticulatedInertia<double>& I_A = articulated[b];
    VectorX<S> q(node.joint.nq());
    Motion<S> phi[joint::max_nv];
    if (const auto* custom = node.joint.custom())
      custom->random(uniform, q.data());
    else
      for (S& x : q) x = S(2.0 * uniform() - 1.0);
    Pose<S> moved;
    node.joint.place(Pose<S>::identity(), q.data(), moved, phi);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Motion<S> phi_k = moved.act_inverse(phi[k - node.v_begin]);
      const Motion<double> column{values(phi_k.angular), values(phi_k.linear)};
      const Force<double> U = I_A * column;
      const double d = dot(column, U) + value_of(armature[k]);
      const double scale = 2.0 * dot(column.angular, column.angular) * carried.sigma.trace() +
                           dot(column.linear, column.linear) * carried.mass;
      // NaN fails this comparison, so that it counts as singular.
      if (d > least_inertia * scale)
        I_A.subtract_outer(U, 1.0 / d);
      else if (singular.empty() || singular.back() != b)
        singular.push_back(b);
    }
    if (node.parent < 0) continue;
    moved = node.placement * moved;
    Pose<double> X{values(moved.rotation), values(moved.translation)};
    // Lengths were drawn from -1 to 1. Not for users' joints, whose coordinates are unknown, and helical ones, whose
    // advance follows from the angle.
    if (!node.joint.custom() && node.joint.pitch() == 0.0) {
      const Vector3<double> at_rest = values(node.placement.translation);
      double size = radius(values(node.inertia)) + std::sqrt(dot(at_rest, at_rest));
      if (!(size > 0.0)) size = mean_radius;
      if (size > 0.0) X.translation = at_rest + (X.translation - at_rest) * size;
    }
    articulated[node.parent] += act(X, I_A);
    composite[node.parent] += X.act(carried);
  }
  return singular;
}

/// Describes an error in the columns of a user's joint; empty if there is none.
template <class S>
std::string wrong_columns(const Node<S>& node) {
  const auto* custom = node.joint.custom();
  if (!custom) return {};
  const joint::Uniform uniform = joint::detail::uniform_numbers(54321);
  VectorX<S> q(custom->nq);
  Motion<S> columns[2][joint::max_nv];
  for (auto& phi : columns) {
    custom->random(uniform, q.data());
    custom->columns(Pose<S>::identity(), q.data(), phi);
  }
  for (int k = 0; k < custom->nv; ++k) {
    if (!all_finite(columns[0][k].angular) || !all_finite(columns[0][k].linear)) return "its columns are not finite";
    const Motion<S> change = columns[1][k] - columns[0][k];
    if (custom->has_column_rates()) continue;
    // Without the rates velocity terms would be wrong, silently.
    if (!(value_of(dot(change.angular, change.angular) + dot(change.linear, change.linear)) <= 1e-12))
      return "its columns depend on q in the body's own axes, so it needs a const member column_rates(X, q, v, rates)";
  }
  return {};
}

}  // namespace corio::detail
