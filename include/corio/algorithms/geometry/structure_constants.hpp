#pragma once

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/core/tensor3.hpp"
#include "corio/kinematics/detail/joint_brackets.hpp"
#include "corio/kinematics/robot.hpp"

/// Structure constants of the velocities: with the vector field E_k of unit velocity along degree of freedom k,
///   [E_a, E_b] = sum_l c(l,a,b) E_l.
/// They vanish if velocities are rates of coordinates. Nonzero ones have l, a, b of one joint whose motions do not
/// commute: Spherical (c(l,a,b) is +-1 for permutations of x, y, z), SphericalInParentAxes (with the other sign),
/// Planar, FreeFlyer and FreeFlyerInParentAxes.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S, class F>
void for_each_structure_constant(const Model<S>& model, const Data<S>& data, int n, F&& f);
template <class S, class F>
void for_each_structure_constant(const Model<S>& model, const Data<S>& data, F&& f);

}  // namespace detail

namespace algorithm {

template <class S>
struct StructureConstantsFirstKind;

}  // namespace algorithm

/// Computes c(l,a,b), antisymmetric in a, b. The constants of built-in joints do not depend on q (except by rounding);
/// the constants of a user's joint may.
///
/// For a mechanism with closed loops, [G_a, G_b] = sum_l c(l,a,b) G_l for the motions G_a of the tree at unit
/// independent speeds. As the rows of G of independent speeds are constant, c follows from the tree's constants for G_a
/// and G_b.
///
/// @param c  resized to nv x nv x nv if its size differs, which allocates
/// @throws SizeError, StateError. O(n) plus setting c to zero; for a mechanism times the squared number of speeds in a
/// cluster.
/// Source: the Lie bracket of the joint's twists; for moving columns the integrability condition of their derivatives.
template <class S, template <class> class Robot>
void structure_constants(const Robot<S>& robot, const DataOf<Robot<S>>& data, Tensor3<S>& c) {
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
void structure_constants(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, Tensor3<S>& c) {
  structure_constants(robot, forward_kinematics(robot, data, q, __func__), c);
}

/// Computes structure constants with the first index lowered by the mass matrix: y(i,a,b) = <E_i, [E_a, E_b]> = sum_l
/// M(i,l) c(l,a,b), so that Gamma(i,j,k) - Gamma(i,k,j) = y(i,k,j). M excludes armature, which does not enter the
/// symbols either.
///
/// @param y  resized to nv x nv x nv if its size differs, which allocates
/// @throws SizeError. O(n) for each joint with such motions, plus setting y to zero.
template <class S>
void structure_constants_first_kind(const Model<S>& model, Data<S>& data, Tensor3<S>& y) {
  data.template run<algorithm::StructureConstantsFirstKind<S>>(model, y);
}
template <class S>
void structure_constants_first_kind(const Model<S>& model, Data<S>& data, VectorIn<S> q, Tensor3<S>& y) {
  structure_constants_first_kind(model, forward_kinematics(model, data, q, __func__), y);
}

namespace detail {

/// Calls f(l, a, b, c(l,a,b)) once for each l, a, b of the joint of node n.
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
/// Calls f once for each joint with several degrees of freedom.
template <class S, class F>
void for_each_structure_constant(const Model<S>& model, const Data<S>& data, F&& f) {
  for (int n = 0; n < model.num_nodes(); ++n) for_each_structure_constant(model, data, n, f);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct StructureConstantsFirstKind {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "structure_constants_first_kind"};
  Crba<S> mass;

  explicit StructureConstantsFirstKind(const Model<S>& m) : mass(m) {}
  void run(const Model<S>& model, Data<S>& data, Tensor3<S>& y);
};
template <class S>
void StructureConstantsFirstKind<S>::run(const Model<S>& model, Data<S>& data, Tensor3<S>& y) {
  y.resize(model.nv());
  y.set_zero();
  mass.run(model, data);
  const MatrixX<S>& M = mass.M;
  detail::for_each_structure_constant(model, data, [&](int l, int a, int b, const S& c) {
    for (int i = 0; i < model.nv(); ++i) y(i, a, b) += (i == l ? M(i, l) - model.armature()[l] : M(i, l)) * c;
  });
}

}  // namespace algorithm

}}  // namespace corio
