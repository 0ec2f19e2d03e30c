#pragma once

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/kinematics/variations.hpp"
#include "corio/model/loops.hpp"
#include "corio/spatial/cross.hpp"

/// The conditions k(q) = 0 of closed loops, their Jacobian K with dk/dt = K v, and its rates. Each row is a wrench: the
/// one that transmits power between the two bodies when they move against the condition,
///   dk/dt = F . (V_second - V_first),   K_j = +-F . Phi_j
/// for the degrees of freedom j that move one of the bodies and not the other. A force lambda_i in row i, K^T lambda,
/// is the wrench lambda_i F_i on the second body and the opposite one on the first.
///
/// All write into the caller's vector or matrix, completely. They hold at every q, whether or not the loops are closed.
/// Source: Featherstone (2008), ch. 8, with the rows as derivatives of scalar conditions on the relative pose.
namespace corio {
namespace detail {

/// A frame in motion: axes and position in world axes about the origin of its tree, and that origin; rotation w, dw and
/// motion of the frame's origin, as far as asked for.
template <class S>
struct FrameInMotion {
  Pose<S> pose;
  Vector3<S> origin = zero3<S>(), w = origin, velocity = origin, dw = origin, acceleration = origin;

  FrameInMotion(const Data<S>& data, const Frame<S>& frame, Pass level) : pose(frame.placement()) {
    const int b = frame.node();
    if (b < 0) return;
    pose = data.pose[b] * frame.placement();
    origin = data.origin[b];
    if (level == Pass::position) return;
    w = data.velocity[b].angular;
    velocity = data.velocity[b].linear + cross(w, pose.translation);
    if (level == Pass::velocity) return;
    dw = data.acceleration[b].angular;
    acceleration = data.acceleration[b].linear + cross(dw, pose.translation) + cross(w, velocity);
  }
  /// First and second rate of a vector x that is fixed in the frame.
  Vector3<S> rate(const Vector3<S>& x) const { return cross(w, x); }
  Vector3<S> second_rate(const Vector3<S>& x) const { return cross(dw, x) + cross<S>(w, cross(w, x)); }
};

/// A condition at a state: its value, the wrench F about the origin of the second frame, in world axes, and its rates
/// as F is about a fixed point that this origin is passing.
template <class S>
struct ConditionInMotion {
  S value;
  Force<S> F, rate, second_rate;

  ConditionInMotion(const closure::Condition& condition, const FrameInMotion<S>& first,
                    const FrameInMotion<S>& second) {
    using Form = closure::Condition::Form;
    const Vector3<S> d = (second.origin - first.origin) + (second.pose.translation - first.pose.translation);
    const Vector3<S> a = first.pose.rotation * condition.a.template cast<S>();
    const Vector3<S> da = first.rate(a), d2a = first.second_rate(a);
    if (condition.form == Form::direction) {
      const Vector3<S> b = second.pose.rotation * condition.b.template cast<S>();
      const Vector3<S> db = second.rate(b), d2b = second.second_rate(b);
      value = dot(a, b);
      F = {cross(b, a), zero3<S>()};
      rate = {cross(db, a) + cross(b, da), zero3<S>()};
      second_rate = {cross(d2b, a) + S(2) * cross(db, da) + cross(b, d2a), zero3<S>()};
      return;
    }
    const bool is_offset = condition.form == Form::offset;
    const S l = static_cast<S>(is_offset ? 1.0 : condition.length);
    value = is_offset ? dot(a, d) : S((dot(d, d) / l - l) / S(2));
    const auto force = [&](const Vector3<S>& of_offset, const Vector3<S>& of_distance) -> Vector3<S> {
      return is_offset ? of_offset : Vector3<S>(of_distance * (S(1) / l));
    };
    const Vector3<S> f = force(a, d), df = force(da, second.velocity - first.velocity);
    F = {zero3<S>(), f};
    rate = {cross(second.velocity, f), df};
    second_rate = {cross(second.acceleration, f) + S(2) * cross(second.velocity, df),
                   force(d2a, second.acceleration - first.acceleration)};
  }
};

/// F about the origin of a frame, about that of the tree of another (or the same) one instead.
template <class S>
Force<S> about_tree(const Force<S>& F, const FrameInMotion<S>& frame, const FrameInMotion<S>& of_tree) {
  return moved<S>(F, of_tree.origin - frame.origin - frame.pose.translation);
}

/// f(row, condition, first, second) for the conditions of a closure.
template <class S, class F>
void for_each_condition(const Data<S>& data, const typename Loops<S>::Loop& loop, Pass level, F&& f) {
  if (loop.frames.empty()) return;
  const FrameInMotion<S> first(data, loop.frames[0], level), second(data, loop.frames[1], level);
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

template <class S>
void fill_zero(const MatrixOut<S>& x) {
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i) x(i, j) = S(0);
}

/// K(row, j) = +-f(condition, about, j) for the conditions of closures, where about(F) is a wrench of the condition
/// about the origin of the tree that j belongs to. Zeros elsewhere.
template <class S, class F>
void write_rows(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, Pass level, MatrixOut<S> K, F&& f) {
  fill_zero<S>(K);
  for (const auto& loop : loops.all())
    for_each_condition<S>(data, loop, level, [&](int row, const auto& c, const auto& first, const auto& second) {
      for_each_between<S>(model, loop, [&](int j, int side) {
        const auto about = [&](const Force<S>& wrench) {
          return about_tree(wrench, second, side == 1 ? second : first);
        };
        const S x = f(c, about, j);
        K(row, j) = side == 1 ? x : S(-x);
      });
    });
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
    detail::for_each_condition<S>(data, loop, Pass::position,
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
  detail::write_rows<S>(model, data, loops, Pass::position, K,
                        [&](const auto& c, auto&& about, int j) { return dot(about(c.F), data.phi[j]); });
  for (const auto& loop : loops.all())
    for (const auto& [joint, factor] : loop.terms) K(loop.begin, joint.v_index()) = static_cast<S>(factor);
}

/// dK/dt: d2k/dt2 = K a + dK/dt v.
/// @param Kdot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_dot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kdot) {
  data.require(model, Pass::velocity, "constraint_jacobian_dot");
  detail::check_constraints<S>(model, loops, Kdot, "constraint_jacobian_dot");
  detail::write_rows<S>(model, data, loops, Pass::velocity, Kdot, [&](const auto& c, auto&& about, int j) {
    return dot(about(c.F), data.phi_dot[j]) + dot(about(c.rate), data.phi[j]);
  });
}

/// d2K/dt2, for the acceleration of the state.
/// @param Kddot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_ddot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kddot) {
  data.require(model, Pass::acceleration, "constraint_jacobian_ddot");
  detail::check_constraints<S>(model, loops, Kddot, "constraint_jacobian_ddot");
  detail::write_rows<S>(model, data, loops, Pass::acceleration, Kddot, [&](const auto& c, auto&& about, int j) {
    return dot(about(c.F), detail::column_second_rate(model, data, j)) + S(2) * dot(about(c.rate), data.phi_dot[j]) +
           dot(about(c.second_rate), data.phi[j]);
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
  detail::for_each_condition<S>(data, loop, Pass::position,
                                [&](int row, const auto& c, const auto&, const auto&) { sum += c.F * lambda[row]; });
  return sum;
}

}  // namespace corio
