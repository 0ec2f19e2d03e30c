#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "corio/core/detail/input.hpp"
#include "corio/core/table.hpp"
#include "corio/model/node.hpp"
#include "corio/spatial/inertia.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The real values of a model's numbers: the checks below are made in double for every scalar.
template <class S, int columns>
Eigen::Matrix<double, 3, columns> values(const Eigen::Matrix<S, 3, columns>& A) {
  Eigen::Matrix<double, 3, columns> out;
  for (int i = 0; i < 3 * columns; ++i) out(i) = value_of(A(i));
  return out;
}
template <class S>
Pose<double> values(const Pose<S>& X) {
  return {values(X.rotation), values(X.translation)};
}
template <class S>
Inertia<double> values(const Inertia<S>& I_b) {
  return {value_of(I_b.mass), values(I_b.h), Symmetric3<double>::from(values(I_b.sigma.matrix()))};
}

/// A motion or force as six numbers, and the inertia of a body, or of several, in plain loops over them: the blocks of
/// ArticulatedInertia compile to ten times as much code.
struct Six {
  double at[6];

  Six(const Vector3<double>& first, const Vector3<double>& second) : Six(first.data(), second.data()) {}
  template <class S>
  explicit Six(const Motion<S>& V) : Six(values(V.angular), values(V.linear)) {}
  double squared(int begin) const {
    return at[begin] * at[begin] + at[begin + 1] * at[begin + 1] + at[begin + 2] * at[begin + 2];
  }

 private:
  Six(const double* first, const double* second) : at{first[0], first[1], first[2], second[0], second[1], second[2]} {}
};
class DenseInertia {
 public:
  DenseInertia() = default;
  explicit DenseInertia(const Inertia<double>& I_b) {
    for (int j = 0; j < 6; ++j) {
      const Force<double> F = I_b * unit(j);
      for (int i = 0; i < 6; ++i) at_[i][j] = (i < 3 ? F.moment : F.force)[i % 3];
    }
  }

  double mass() const { return at_[3][3]; }
  /// The sum of the moments of inertia.
  double trace() const { return at_[0][0] + at_[1][1] + at_[2][2]; }
  /// Root mean square distance of the mass from the origin; zero if there is no mass.
  double radius() const { return mass() > 0.0 ? std::sqrt((std::max)(0.0, trace() / 2.0) / mass()) : 0.0; }

  /// Adds the inertia b of a body at pose X: entry (i, j) is M_i . b M_j for the unit motions M in the axes of the
  /// body.
  void add(const Pose<double>& X, const DenseInertia& b) {
    double moved[6][6], force[6];
    for (int j = 0; j < 6; ++j) {
      const Six V(X.act_inverse(unit(j)));
      std::copy(V.at, V.at + 6, moved[j]);
    }
    for (int j = 0; j < 6; ++j) {
      b.multiply(moved[j], force);
      for (int i = 0; i < 6; ++i) at_[i][j] += product(moved[i], force);
    }
  }
  /// Frees a joint with the column x: subtracts U U^T / d with U = I x, if d = x . U + armature, the inertia against
  /// unit rate of the joint, is greater than `least`. @returns whether it is
  bool release(const Six& x, double armature, double least) {
    double U[6];
    multiply(x.at, U);
    const double d = product(x.at, U) + armature;
    // NaN fails this comparison, so that it counts as singular.
    if (!(d > least)) return false;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) at_[i][j] -= U[i] * U[j] / d;
    return true;
  }

 private:
  static Motion<double> unit(int j) {
    Motion<double> V = Motion<double>::zero();
    (j < 3 ? V.angular : V.linear)[j % 3] = 1.0;
    return V;
  }
  static double product(const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += x[i] * y[i];
    return sum;
  }
  void multiply(const double* x, double* out) const {
    for (int i = 0; i < 6; ++i) out[i] = product(at_[i], x);
  }

  double at_[6][6] = {};
};

/// The least inertia against each motion of a joint, relative to the inertia of all bodies that the joint carries.
/// Rounding errors are a hundred times smaller.
inline constexpr double least_inertia = 1e-13;

inline constexpr const char* cure_of_singular_joint =
    "give a body mass and inertia (a point mass has none about itself), give the joint an armature, or make it fixed";

/// The nodes, from the leaves to the root, whose joints make the mass matrix M singular: a joint that moves no inertia,
/// that has only a point mass on its axis, or that allows the same motion as another joint. Such a joint is treated as
/// if it had an armature when joints nearer the root are tested.
///
/// The inward sweep of the articulated-body algorithm computes the pivots of M, the inertia against each degree of
/// freedom when all joints below move freely. A pivot that is zero in exact arithmetic is computed as a rounding error
/// of the terms that cancel in it. It is therefore compared with the inertia of all bodies that the joint carries with
/// the joints below locked, as if M were scaled by its diagonal, so that units and sizes do not matter.
///
/// The configuration is random, since a regular model may be singular at a special configuration. Coordinates that are
/// lengths are of about the size of the bodies: with sliders extended by a metre, moments of inertia of a small robot
/// about different axes would differ by many orders of magnitude.
template <class S>
std::vector<int> find_singular_joints(const PerNode<Node<S>>& nodes, const VectorX<S>& armature) {
  std::vector<int> singular;
  const joint::Uniform uniform = joint::detail::uniform_numbers(12345);
  // Inertias of each body, and then of the body with all bodies below it, once with locked joints and once with free
  // joints.
  PerNode<DenseInertia> composite(nodes.size()), articulated(nodes.size());
  DenseInertia all;
  for (int b = 0; b < nodes.size(); ++b) {
    articulated[b] = composite[b] = DenseInertia(values<S>(nodes[b].inertia));
    all.add(Pose<double>::identity(), composite[b]);
  }
  for (int b = nodes.size() - 1; b >= 0; --b) {
    const Node<S>& node = nodes[b];
    const DenseInertia& carried = composite[b];
    VectorX<S> q(node.joint.nq());
    Motion<S> phi[joint::max_nv];
    if (const auto* custom = node.joint.custom())
      custom->random(uniform, q.data());
    else
      for (S& x : q) x = S(2.0 * uniform() - 1.0);
    Pose<S> moved;
    node.joint.place(Pose<S>::identity(), q.data(), moved, phi);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Six column(moved.act_inverse(phi[k - node.v_begin]));
      const double scale = column.squared(0) * carried.trace() + column.squared(3) * carried.mass();
      if (!articulated[b].release(column, value_of(armature[k]), least_inertia * scale) &&
          (singular.empty() || singular.back() != b))
        singular.push_back(b);
    }
    if (node.parent < 0) continue;
    Pose<double> X = values<S>(node.placement * moved);
    // Lengths were drawn from -1 to 1 and are scaled here, except for users' joints, whose coordinates are unknown, and
    // for helical joints, whose advance follows from the angle.
    if (!node.joint.custom() && node.joint.pitch() == 0.0) {
      const Vector3<double> at_rest = values(node.placement.translation);
      double size = DenseInertia(values<S>(node.inertia)).radius() + std::sqrt(dot(at_rest, at_rest));
      if (!(size > 0.0)) size = all.radius();
      if (size > 0.0) X.translation = at_rest + (X.translation - at_rest) * size;
    }
    articulated[node.parent].add(X, articulated[b]);
    composite[node.parent].add(X, carried);
  }
  return singular;
}

}}}  // namespace corio::detail
