#pragma once

#include <limits>

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/loops/loops.hpp"
#include "corio/spatial/cross.hpp"

/// The conditions k(q) = 0 of closed loops, their Jacobian K with dk/dt = K v, and its rate. Each row is a wrench: the
/// one that transmits power between the two bodies when they move against the condition,
///   dk/dt = F . (V_second - V_first),   K_j = +-F . Phi_j
/// for the degrees of freedom j that move one of the bodies and not the other. A force lambda_i in row i, K^T lambda,
/// is the wrench lambda_i F_i on the second body and the opposite one on the first.
///
/// All write into the caller's vector or matrix, completely. They hold at every q, whether or not the loops are closed.
/// Source: Featherstone (2008), ch. 8, with the rows as derivatives of scalar conditions on the relative pose.
namespace corio {
namespace detail {

/// A frame in motion: axes and position in world axes about the origin of its tree, and that origin.
template <class S>
struct FrameInMotion {
  Pose<S> pose;
  Vector3<S> origin, velocity;  // velocity: of the frame's origin
  Motion<S> twist;

  FrameInMotion(const Data<S>& data, const Frame<S>& frame, bool rates)
      : pose(frame.placement()), origin(zero3<S>()), velocity(zero3<S>()), twist(Motion<S>::zero()) {
    const int b = frame.node();
    if (b < 0) return;
    pose = data.pose[b] * frame.placement();
    origin = data.origin[b];
    if (!rates) return;
    twist = data.velocity[b];
    velocity = twist.linear + cross(twist.angular, pose.translation);
  }
};

/// A condition at a state: its value, the wrench F about the origin of the second frame, in world axes, and dF/dt as F
/// is about a fixed point that this origin is passing.
template <class S>
struct ConditionInMotion {
  S value;
  Force<S> F, rate;

  ConditionInMotion(const closure::Condition& condition, const FrameInMotion<S>& first,
                    const FrameInMotion<S>& second) {
    using Form = closure::Condition::Form;
    const Vector3<S> d = (second.origin - first.origin) + (second.pose.translation - first.pose.translation);
    const Vector3<S> a = first.pose.rotation * condition.a.template cast<S>(), da = cross(first.twist.angular, a);
    if (condition.form == Form::direction) {
      const Vector3<S> b = second.pose.rotation * condition.b.template cast<S>();
      value = dot(a, b);
      F = {cross(b, a), zero3<S>()};
      rate = {cross<S>(cross(second.twist.angular, b), a) + cross(b, da), zero3<S>()};
      return;
    }
    const bool is_offset = condition.form == Form::offset;
    const S l = static_cast<S>(is_offset ? 1.0 : condition.length);
    value = is_offset ? dot(a, d) : S((dot(d, d) / l - l) / S(2));
    F = {zero3<S>(), is_offset ? a : Vector3<S>(d * (S(1) / l))};
    rate = {cross(second.velocity, F.force),
            is_offset ? da : Vector3<S>((second.velocity - first.velocity) * (S(1) / l))};
  }
};

/// F about the origin of a frame, about that of the tree of another (or the same) one instead.
template <class S>
Force<S> about_tree(const Force<S>& F, const FrameInMotion<S>& frame, const FrameInMotion<S>& of_tree) {
  return moved<S>(F, of_tree.origin - frame.origin - frame.pose.translation);
}

/// f(row, condition, first, second) for the conditions of a closure.
template <class S, class F>
void for_each_condition(const Data<S>& data, const typename Loops<S>::Loop& loop, bool rates, F&& f) {
  if (loop.frames.empty()) return;
  const FrameInMotion<S> first(data, loop.frames[0], rates), second(data, loop.frames[1], rates);
  int row = loop.begin;
  for (const auto& condition : loop.conditions) f(row++, ConditionInMotion<S>(condition, first, second), first, second);
}

/// f(j, side) for the degrees of freedom j that move one frame and not the other: side 1 the second one, 0 the first.
template <class S, class F>
void for_each_between(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  const auto last = [&](const Frame<S>& frame) { return frame.node() < 0 ? -1 : model.node(frame.node()).v_end - 1; };
  int i = last(loop.frames[0]), j = last(loop.frames[1]);
  while (i != j)
    if (i > j)
      f(i, 0), i = model.dof_parent(i);
    else
      f(j, 1), j = model.dof_parent(j);
}

template <class S>
void check_constraints(const Model<S>& model, const Loops<S>& loops, const MatrixOut<S>& K, const char* function) {
  loops.check_fits(model, function);
  check_shape("the matrix", K.rows(), K.cols(), loops.rows(), model.nv(), function);
}

/// Below this, relative to the largest, what remains of a row of K, or of a pivot, is a rounding error.
template <class S>
inline constexpr S loop_tolerance = S(1000) * std::numeric_limits<S>::epsilon();

/// By what rows of these lengths are multiplied before their rank is judged, since rows in m and in rad differ in size:
/// so that they get the length 1, and 0 where there are rounding errors alone.
template <class S>
VectorX<S> row_scales(const VectorX<S>& lengths) {
  const S least = lengths.size() > 0 ? S(loop_tolerance<S> * lengths.maxCoeff()) : S(0);
  return lengths.unaryExpr([least](const S& x) { return x > least ? S(1) / x : S(0); });
}

template <class S>
void set_zero(const MatrixOut<S>& K) {
  for (Eigen::Index i = 0; i < K.rows(); ++i)
    for (Eigen::Index j = 0; j < K.cols(); ++j) K(i, j) = S(0);
}

}  // namespace detail

/// k(q), m and rad: zero where the loops are closed.
/// @param k  loops.rows(), overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows).
template <class S>
void constraint_residual(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorOut<S> k) {
  data.require(model, Pass::position, "constraint_residual");
  loops.check_fits(model, "constraint_residual");
  detail::check_size("k", k.size(), loops.rows());
  for (const auto& loop : loops.all()) {
    if (loop.frames.empty()) {
      S sum = static_cast<S>(-loop.offset);
      for (const auto& [joint, factor] : loop.terms) sum += static_cast<S>(factor) * data.q[joint.q_index()];
      k[loop.begin] = sum;
    }
    detail::for_each_condition<S>(data, loop, false,
                                  [&](int row, const auto& c, const auto&, const auto&) { k[row] = c.value; });
  }
}

/// K(q), dk/dt = K v.
/// @param K  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> K) {
  data.require(model, Pass::position, "constraint_jacobian");
  detail::check_constraints<S>(model, loops, K, "constraint_jacobian");
  detail::set_zero<S>(K);
  for (const auto& loop : loops.all()) {
    for (const auto& [joint, factor] : loop.terms) K(loop.begin, joint.v_index()) = static_cast<S>(factor);
    detail::for_each_condition<S>(
        data, loop, false, [&](int row, const auto& c, const auto& first, const auto& second) {
          const Force<S> F[2] = {detail::about_tree(c.F, second, first), detail::about_tree(c.F, second, second)};
          detail::for_each_between<S>(model, loop, [&](int j, int side) {
            const S x = dot(F[side], data.phi[j]);
            K(row, j) = side == 1 ? x : S(-x);
          });
        });
  }
}

/// dK/dt: d2k/dt2 = K a + dK/dt v.
/// @param Kdot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_dot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kdot) {
  data.require(model, Pass::velocity, "constraint_jacobian_dot");
  detail::check_constraints<S>(model, loops, Kdot, "constraint_jacobian_dot");
  detail::set_zero<S>(Kdot);
  for (const auto& loop : loops.all())
    detail::for_each_condition<S>(data, loop, true, [&](int row, const auto& c, const auto& first, const auto& second) {
      const Force<S> F[2] = {detail::about_tree(c.F, second, first), detail::about_tree(c.F, second, second)};
      const Force<S> dF[2] = {detail::about_tree(c.rate, second, first), detail::about_tree(c.rate, second, second)};
      detail::for_each_between<S>(model, loop, [&](int j, int side) {
        const S x = dot(F[side], data.phi_dot[j]) + dot(dF[side], data.phi[j]);
        Kdot(row, j) = side == 1 ? x : S(-x);
      });
    });
}

/// The wrench of a loop's forces lambda on the body of its second frame: in world axes, about the origin of that frame
/// (ReferenceFrame::world_aligned). The first body has the opposite one.
/// @param lambda  loops.rows(), N and N m
/// @throws SizeError, ModelError for loops of another model, a name that they do not have, or a coupling
template <class S>
Force<S> closure_force(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, const std::string& name,
                       VectorIn<S> lambda) {
  data.require(model, Pass::position, "closure_force");
  loops.check_fits(model, "closure_force");
  detail::check_input("lambda", lambda, loops.rows());
  const auto& loop = loops.loop(name);
  if (loop.frames.empty()) throw ModelError(detail::join({"loop '", name, "' couples coordinates: it has no wrench"}));
  Force<S> sum = Force<S>::zero();
  detail::for_each_condition<S>(data, loop, false,
                                [&](int row, const auto& c, const auto&, const auto&) { sum += c.F * lambda[row]; });
  return sum;
}

}  // namespace corio
