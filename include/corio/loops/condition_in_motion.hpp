#pragma once

#include <cmath>
#include <utility>

#include "corio/kinematics/data.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/model/loops.hpp"
#include "corio/spatial/cross.hpp"

/// Conditions of closed loops while what they relate moves: two frames, or coordinates.
namespace corio::detail {

/// A frame in motion: axes and position in world axes about the origin of its tree, and that origin; angular velocity
/// w, its rate dw, and velocity and acceleration of the frame's origin, up to the requested level.
template <class S>
struct FrameInMotion {
  Pose<S> pose;
  Vector3<S> origin, w, velocity, dw, acceleration;

  FrameInMotion() = default;
  FrameInMotion(const Data<S>& data, const Frame<S>& frame, Pass level)
      : pose(frame.placement()), origin(zero3<S>()) {
    const int b = frame.node();
    if (b >= 0) pose = data.pose[b] * frame.placement(), origin = data.origin[b];
    if (level == Pass::position) return;
    move(b < 0 ? Motion<S>::zero() : data.velocity[b]);
    if (level == Pass::velocity) return;
    const Motion<S> A = b < 0 ? Motion<S>::zero() : data.acceleration[b];
    dw = A.angular;
    acceleration = A.linear + cross(dw, pose.translation) + cross(w, velocity);
  }
  /// With the twist V of its body.
  void move(const Motion<S>& V) {
    w = V.angular;
    velocity = V.linear + cross(w, pose.translation);
  }
  /// First and second rate of a vector x that is fixed in the frame.
  Vector3<S> rate(const Vector3<S>& x) const { return cross(w, x); }
  Vector3<S> second_rate(const Vector3<S>& x) const { return cross(dw, x) + cross<S>(w, cross(w, x)); }
};

/// A condition at a state: its value, the wrench F about the origin of the second frame, in world axes, and its rates
/// about the fixed point that coincides with this origin, up to the requested level.
template <class S>
struct ConditionInMotion {
  S value;
  Force<S> F, rate, second_rate;

  ConditionInMotion(const closure::Condition& condition, const FrameInMotion<S>& first, const FrameInMotion<S>& second,
                    Pass level) {
    using Form = closure::Condition::Form;
    using std::sqrt;
    const Vector3<S> a = first.pose.rotation * condition.a.template cast<S>();
    if (condition.form == Form::direction || condition.form == Form::sense) {
      const Vector3<S> b = second.pose.rotation * condition.b.template cast<S>();
      value = condition.form == Form::direction ? dot(a, b) : S(dot(a, b) - sqrt(S(dot(a, a) * dot(b, b))));
      F = {cross(b, a), zero3<S>()};
      if (level == Pass::position) return;
      const Vector3<S> da = first.rate(a), db = second.rate(b);
      rate = {cross(db, a) + cross(b, da), zero3<S>()};
      if (level == Pass::velocity) return;
      second_rate = {cross(second.second_rate(b), a) + S(2) * cross(db, da) + cross(b, first.second_rate(a)),
                     zero3<S>()};
      return;
    }
    const Vector3<S> d = (second.origin - first.origin) + (second.pose.translation - first.pose.translation);
    const bool is_offset = condition.form == Form::offset;
    const S l = static_cast<S>(is_offset ? 1.0 : condition.length);
    value = is_offset ? dot(a, d) : S((dot(d, d) / l - l) / S(2));
    const auto force = [&](const Vector3<S>& of_offset, const Vector3<S>& of_distance) -> Vector3<S> {
      return is_offset ? of_offset : Vector3<S>(of_distance * (S(1) / l));
    };
    const Vector3<S> f = force(a, d);
    F = {zero3<S>(), f};
    if (level == Pass::position) return;
    const Vector3<S> df = force(first.rate(a), second.velocity - first.velocity);
    rate = {cross(second.velocity, f), df};
    if (level == Pass::velocity) return;
    second_rate = {cross(second.acceleration, f) + S(2) * cross(second.velocity, df),
                   force(first.second_rate(a), second.acceleration - first.acceleration)};
  }
};

/// The value of a coupling or relation.
template <class S>
S coupling_value(const Data<S>& data, const typename Loops<S>::Loop& loop) {
  if (loop.relation) {
    typename Loops<S>::Related x(std::ssize(loop.terms));
    for (Eigen::Index i = 0; const auto& term : loop.terms)
      x[i++] = Dual<Dual<S>>(Dual<S>(data.q[term.first.q_index()]));
    return loop.relation(x).x.x.x;
  }
  S sum = static_cast<S>(-loop.offset);
  for (const auto& [joint, factor] : loop.terms) sum += static_cast<S>(factor) * data.q[joint.q_index()];
  return sum;
}

/// f(j, K_j, dK_j/dt, d2K_j/dt2) for the degrees of freedom j of a coupling or relation, while their coordinates move
/// with rates(j), a velocity and an acceleration.
/// @throws ModelError for a relation in which these, up to `level`, are not finite although the motion is
template <class S, class Rates, class F>
void for_each_coupling_rate(const Data<S>& data, const typename Loops<S>::Loop& loop, Pass level, Rates&& rates,
                            F&& f) {
  if (!loop.relation) {
    for (const auto& [joint, factor] : loop.terms) f(joint.v_index(), static_cast<S>(factor), S(0), S(0));
    return;
  }
  using Moving = Dual<Dual<S>>;
  typename Loops<S>::Related x(std::ssize(loop.terms));
  bool finite = true;
  for (Eigen::Index i = 0; const auto& term : loop.terms) {
    const auto [v, a] = rates(term.first.v_index());
    const S& q = data.q[term.first.q_index()];
    finite = finite && all_finite(Vector3<S>(q, v, a));
    x[i++] = Moving({q, v}, {v, a});
  }
  for (Eigen::Index i = 0; const auto& term : loop.terms) {
    x[i].dx = Moving(Dual<S>(S(1)));
    const Moving K = loop.relation(x).dx;
    x[i++].dx = Moving();
    if constexpr (states_of<S> == 1)
      if (finite && !all_finite(Vector3<S>(K.x.x, K.x.dx, K.dx.dx).head(static_cast<int>(level))))
        throw ModelError(join({"loop '", loop.name, "': its relation has no finite ",
                               level == Pass::position ? "gradient" : "rate of the gradient", " along joint '",
                               term.first.name(), "', which is at ", number(value_of(data.q[term.first.q_index()]))}));
    f(term.first.v_index(), K.x.x, K.x.dx, K.dx.dx);
  }
}
/// dK/dt x of a relation for any speeds x of the tree: a mixed second derivative, along v and along x.
template <class S>
S relation_rate(const Data<S>& data, const typename Loops<S>::Loop& loop, const VectorX<S>& x) {
  using Moving = Dual<Dual<S>>;
  typename Loops<S>::Related at(std::ssize(loop.terms));
  for (Eigen::Index i = 0; const auto& term : loop.terms) {
    const int j = term.first.v_index();
    at[i].x = Moving(Dual<S>(data.q[term.first.q_index()], data.v[j]));
    at[i++].dx = Moving(Dual<S>(x[j]));
  }
  return loop.relation(at).dx.x.dx;
}
/// f(j, row) for the degrees of freedom j of a relation, where row(use) calls use(i, D_j K_i) for all of them: its
/// second derivatives.
template <class S, class F>
void for_each_relation_derivative(const Data<S>& data, const typename Loops<S>::Loop& loop, F&& f) {
  if (!loop.relation) return;
  for (const auto& term : loop.terms) {
    const int j = term.first.v_index();
    f(j, [&](auto&& use) {
      for_each_coupling_rate(
          data, loop, Pass::velocity, [&](int k) { return std::pair(S(k == j ? 1 : 0), S(0)); },
          [&](int i, const S&, const S& derivative, const S&) { use(i, derivative); });
    });
  }
}

}  // namespace corio::detail
