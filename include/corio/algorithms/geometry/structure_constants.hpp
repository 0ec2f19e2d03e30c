#pragma once

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/kernels/tensor3.hpp"
#include "corio/kinematics/robot.hpp"
#include "corio/kinematics/variations.hpp"

/// How far velocities are from being rates of coordinates: E_k, the vector field along degree of freedom k, and
///   [E_a, E_b] = sum_l c(l,a,b) E_l.
/// Zero unless l, a, b are of one joint, and then unless its motions do not commute. Of corio's joints Spherical has
/// some (c(l,a,b) is +-1 for permutations of x, y, z), SphericalInParentAxes (those with the other sign), Planar,
/// FreeFlyer and FreeFlyerInParentAxes.
namespace corio {
namespace detail {

/// x . y of two motions as lists of six numbers.
template <class S>
S inner(const Motion<S>& x, const Motion<S>& y) {
  return dot(x.angular, y.angular) + dot(x.linear, y.linear);
}

/// Coefficients x with sum_l x_l basis_l = y, for n independent motions and a y in their span: normal equations, by
/// elimination without pivots, as their matrix is positive definite.
template <class S>
void expand(const Motion<S>* basis, int n, const Motion<S>& y, S* x) {
  S G[joint::max_nv][joint::max_nv];
  for (int i = 0; i < n; ++i) {
    x[i] = inner(basis[i], y);
    for (int j = 0; j < n; ++j) G[i][j] = inner(basis[i], basis[j]);
  }
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const S factor = G[i][k] / G[k][k];
      for (int j = k; j < n; ++j) G[i][j] -= factor * G[k][j];
      x[i] -= factor * x[k];
    }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= G[k][j] * x[j];
    x[k] /= G[k][k];
  }
}

/// The brackets of the motions of node n's joint, from its columns S_k in the body:
///   sum_l c(l,a,b) S_l = S_a x S_b - D_b S_a + D_a S_b.
template <class S>
struct JointBrackets {
  int nv;
  Motion<S> basis[joint::max_nv], bracket[joint::max_nv][joint::max_nv];

  CORIO_NOINLINE JointBrackets(const Model<S>& model, const Data<S>& data, int n)
      : nv(model.node(n).v_end - model.node(n).v_begin) {
    const int begin = model.node(n).v_begin;
    for (int a = 0; a < nv; ++a) {
      basis[a] = data.pose[n].act_inverse(data.phi[begin + a]);
      for (int b = 0; b <= a; ++b) bracket[a][b] = cross(basis[a], basis[b]), bracket[b][a] = -bracket[a][b];
    }
    for (int a = 0; a < nv; ++a)
      for_column_partials(model, data, begin + a, [&](int b, const Motion<S>& D_a) {
        const Motion<S> seen = data.pose[n].act_inverse(D_a);
        bracket[a][b - begin] += seen, bracket[b - begin][a] += -seen;
      });
  }
  /// c(l,a,b) for every l.
  void constants(int a, int b, S* c) const { expand(basis, nv, bracket[a][b], c); }
  /// out_l = sum_a c(l,a,b) x_a.
  void columns(const S* x, int b, S* out) const {
    Motion<S> sum = Motion<S>::zero();
    for (int a = 0; a < nv; ++a) sum += bracket[a][b] * x[a];
    expand(basis, nv, sum, out);
  }
  /// out_l = sum_ab c(l,a,b) x_a y_b.
  void apply(const S* x, const S* y, S* out) const {
    Motion<S> sum = Motion<S>::zero();
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j) sum += bracket[i][j] * (x[i] * y[j]);
    expand(basis, nv, sum, out);
  }
};

/// f(l, a, b, c(l,a,b)) for every l, a, b of the joint of node n.
template <class S, class F>
void for_each_structure_constant(const Model<S>& model, const Data<S>& data, int n, F&& f) {
  const Node<S>& node = model.node(n);
  const int begin = node.v_begin, end = node.v_end;
  if (end == begin + 1) return;
  const JointBrackets<S> of(model, data, n);
  for (int a = begin; a < end; ++a)
    for (int b = begin; b < end; ++b) {
      S c[joint::max_nv];
      of.constants(a - begin, b - begin, c);
      for (int l = begin; l < end; ++l) f(l, a, b, c[l - begin]);
    }
}
/// The same for every joint with several degrees of freedom.
template <class S, class F>
void for_each_structure_constant(const Model<S>& model, const Data<S>& data, F&& f) {
  for (int n = 0; n < model.num_nodes(); ++n) for_each_structure_constant(model, data, n, f);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct structure_constants_first_kind {
  static constexpr detail::Requirement requires_pass{Pass::position, "structure_constants_first_kind"};
  crba<S> mass;

  explicit structure_constants_first_kind(const Model<S>& m) : mass(m) {}
  void run(const Model<S>& model, Data<S>& data, Tensor3<S>& y);
};
template <class S>
void structure_constants_first_kind<S>::run(const Model<S>& model, Data<S>& data, Tensor3<S>& y) {
  y.resize(model.nv());
  y.set_zero();
  mass.run(model, data);
  const MatrixX<S>& M = mass.M;
  detail::for_each_structure_constant(model, data, [&](int l, int a, int b, const S& c) {
    for (int i = 0; i < model.nv(); ++i) y(i, a, b) += (i == l ? M(i, l) - model.armature()[l] : M(i, l)) * c;
  });
}

}  // namespace algorithm

/// c(l,a,b), antisymmetric in a, b. Constant for built-in joints (up to rounding); a user's joint may have some that
/// depend on q.
///
/// Of a mechanism with closed loops, [G_a, G_b] = sum_l c(l,a,b) G_l for the motions G_a of the tree at unit independent
/// speeds. As the rows of G of independent speeds are constant, c is given by the tree's constants between G_a and G_b.
///
/// @param c  resized to nv x nv x nv if it is not, which allocates
/// @throws SizeError, StateError. O(n) beside setting c to zero; of a mechanism times the squared number of speeds in a
/// cluster.
/// Source: the Lie bracket of the joint's twists; for moving columns the integrability condition of their derivatives.
template <class S, template <class> class Robot>
void structure_constants(const Robot<S>& robot, const typename Robot<S>::DataType& data, Tensor3<S>& c) {
  data.require(robot, Pass::position, "structure_constants");
  c.resize(robot.nv());
  c.set_zero();
  detail::for_each_structure_constant(robot.tree(), data.of_tree(), [&](int r, int s, int t, const S& x) {
    for_each_speed(robot, data, r, [&](int l, const S&) {
      if (robot.dof_of_speed(l) != r) return;
      for_each_speed(robot, data, s, [&](int a, const S& g) {
        for_each_speed(robot, data, t, [&](int b, const S& h) { c(l, a, b) += g * h * x; });
      });
    });
  });
}
template <class S, template <class> class Robot>
void structure_constants(const Robot<S>& robot, typename Robot<S>::DataType& data, VectorIn<S> q, Tensor3<S>& c) {
  structure_constants(robot, forward_kinematics(robot, data, q), c);
}

/// The same with the first index lowered by the mass matrix: y(i,a,b) = <E_i, [E_a, E_b]> = sum_l M(i,l) c(l,a,b), in
/// which Gamma(i,j,k) - Gamma(i,k,j) = y(i,k,j). Without armature, which does not enter the symbols either.
///
/// @param y  resized to nv x nv x nv if it is not, which allocates
/// @throws SizeError. O(n) for each joint with such motions, beside setting y to zero.
template <class S>
void structure_constants_first_kind(const Model<S>& model, Data<S>& data, Tensor3<S>& y) {
  data.template run<algorithm::structure_constants_first_kind<S>>(model, y);
}
template <class S>
void structure_constants_first_kind(const Model<S>& model, Data<S>& data, VectorIn<S> q, Tensor3<S>& y) {
  structure_constants_first_kind(model, forward_kinematics(model, data, q), y);
}

}  // namespace corio
