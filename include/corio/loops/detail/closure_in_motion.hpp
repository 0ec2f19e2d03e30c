#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/model/loops.hpp"
#include "corio/spatial/cross.hpp"

/// The frames and conditions of a closure at a state of the tree: values, wrenches, and their rates.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// A frame in motion: axes and position in world axes about the origin of its tree, and that origin; angular velocity
/// w, its rate dw, and velocity and acceleration of the frame's origin, up to the requested level.
template <class S>
struct FrameInMotion {
  Pose<S> pose;
  Vector3<S> origin, w, velocity, dw, acceleration;

  void set(const Data<S>& data, const Frame<S>& frame, Pass level) {
    const int b = frame.node();
    if (b < 0)
      pose = frame.placement(), origin = zero3<S>();
    else
      pose = data.pose[b] * frame.placement(), origin = data.origin[b];
    if (level == Pass::position) return;
    move(b < 0 ? Motion<S>::zero() : data.velocity[b]);
    if (level == Pass::velocity) return;
    accelerate(b < 0 ? Motion<S>::zero() : data.acceleration[b]);
  }
  /// With the twist V of its body, and then its acceleration A.
  void move(const Motion<S>& V) {
    w = V.angular;
    velocity = V.linear + cross(w, pose.translation);
  }
  void accelerate(const Motion<S>& A) {
    dw = A.angular;
    acceleration = A.linear + cross(dw, pose.translation) + cross(w, velocity);
  }
  /// First and second rate of a vector x that is fixed in the frame.
  Vector3<S> rate(const Vector3<S>& x) const { return cross(w, x); }
  Vector3<S> second_rate(const Vector3<S>& x) const { return cross(dw, x) + cross<S>(w, cross(w, x)); }
};

/// The two frames of a closure, by side: 0 the first, 1 the second.
template <class S>
struct FramesInMotion {
  FrameInMotion<S> of_side[2];
  Vector3<S> point[2];  // the second frame's origin, from the origin of the tree of the frame on one side

  void set(const Data<S>& data, const std::vector<Frame<S>>& frames, Pass level) {
    for (const int side : {0, 1}) of_side[side].set(data, frames[static_cast<std::size_t>(side)], level);
    find_points();
  }
  /// For the poses of both frames.
  void find_points() {
    point[1] = of_side[1].pose.translation;
    point[0] = of_side[1].origin - of_side[0].origin + point[1];
  }
  /// The motion of the second body against the first, about the second frame's origin, for the motion V of the body on
  /// one side, about the origin of its tree.
  Motion<S> relative(const Motion<S>& V, int side) const { return signed_by(about(V, point[side]), side); }
  /// Its rate, about this origin as it moves, for the rate dV of V about a fixed point; and the second rate.
  Motion<S> relative(const Motion<S>& V, const Motion<S>& dV, int side) const {
    Motion<S> moved = about(dV, point[side]);
    moved.linear += cross(V.angular, of_side[1].velocity);
    return signed_by(moved, side);
  }
  Motion<S> relative(const Motion<S>& V, const Motion<S>& dV, const Motion<S>& ddV, int side) const {
    Motion<S> moved = about(ddV, point[side]);
    moved.linear += S(2) * cross(dV.angular, of_side[1].velocity) + cross(V.angular, of_side[1].acceleration);
    return signed_by(moved, side);
  }
  /// The transpose of `relative`: the wrench on the body on one side, about the origin of its tree, for a wrench F on
  /// the second body, and its opposite on the first, about the second frame's origin.
  Force<S> on_body(const Force<S>& F, int side) const { return signed_by(about(F, Vector3<S>(-point[side])), side); }
  /// From now on only the frames move, with the twists of their bodies.
  void move(const Motion<S>& first, const Motion<S>& second) { of_side[0].move(first), of_side[1].move(second); }

 private:
  template <class X>
  static X signed_by(const X& x, int side) {
    return side == 1 ? x : -x;
  }
};

/// A condition at a state: its value k, and the vector f with dk/dt = f . x, in world axes. A direction `turns`: x is
/// then the angular velocity of the second body against the first; otherwise x is the velocity of the second frame's
/// origin against the point of the first body that is there. f is a torque or a force on the second body.
template <class S>
struct ConditionInMotion {
  S value;
  bool turns;
  Vector3<S> f, rate, second_rate;

  /// f and its rates, up to the requested level.
  void set(const closure::Condition& condition, const FramesInMotion<S>& frames, Pass level) {
    using Form = closure::Condition::Form;
    const auto& [first, second] = frames.of_side;
    turns = condition.form == Form::direction || condition.form == Form::sense;
    a_ = first.pose.rotation * condition.a.template cast<S>();
    if (turns) {
      using std::sqrt;
      b_ = second.pose.rotation * condition.b.template cast<S>();
      value = condition.form == Form::direction ? dot(a_, b_) : S(dot(a_, b_) - sqrt(S(dot(a_, a_) * dot(b_, b_))));
      f = cross(b_, a_);
    } else {
      const Vector3<S> d = (second.origin - first.origin) + (second.pose.translation - first.pose.translation);
      if (condition.form == Form::offset) {
        value = dot(a_, d), f = a_;
      } else {
        const S l = static_cast<S>(condition.length);
        value = (dot(d, d) / l - l) / S(2), f = d * (S(1) / l);
      }
    }
    if (level >= Pass::velocity) set_rate(condition, frames);
    if (level >= Pass::acceleration) set_second_rate(condition, frames);
  }
  void set_rate(const closure::Condition& condition, const FramesInMotion<S>& frames) {
    const auto& [first, second] = frames.of_side;
    if (turns)
      rate = cross(second.rate(b_), a_) + cross(b_, first.rate(a_));
    else if (condition.form == closure::Condition::Form::offset)
      rate = first.rate(a_);
    else
      rate = (second.velocity - first.velocity) * (S(1) / static_cast<S>(condition.length));
  }
  void set_second_rate(const closure::Condition& condition, const FramesInMotion<S>& frames) {
    const auto& [first, second] = frames.of_side;
    if (turns)
      second_rate = cross(second.second_rate(b_), a_) + S(2) * cross(second.rate(b_), first.rate(a_)) +
                    cross(b_, first.second_rate(a_));
    else if (condition.form == closure::Condition::Form::offset)
      second_rate = first.second_rate(a_);
    else
      second_rate = (second.acceleration - first.acceleration) * (S(1) / static_cast<S>(condition.length));
  }
  /// x . V of f or a rate x with the relative motion V or a rate of it.
  S along(const Vector3<S>& x, const Motion<S>& V) const { return dot(x, turns ? V.angular : V.linear); }
  /// f or a rate x as a wrench about the second frame's origin, which moves.
  Force<S> wrench(const Vector3<S>& x) const { return turns ? Force<S>{x, zero3<S>()} : Force<S>{zero3<S>(), x}; }
  /// The axes of the condition in world axes: a, and b where it turns.
  const Vector3<S>& a() const { return a_; }
  const Vector3<S>& b() const { return b_; }

 private:
  Vector3<S> a_ = zero3<S>(), b_ = zero3<S>();
};

/// A closure at a state of the tree: its frames and conditions, evaluated once for all that reads them.
template <class S>
class ClosureInMotion : public FramesInMotion<S> {
 public:
  using Loop = typename Loops<S>::Loop;

  /// Frames and conditions up to the requested level. Couplings have none.
  void set(const Data<S>& data, const Loop& loop, Pass level) {
    FramesInMotion<S>::set(data, loop.frames, level);
    if (loop.conditions.size() > std::size(few_)) many_.resize(loop.conditions.size());
    rows_ = std::ssize(loop.conditions);
    for_each_row(loop, [&](auto& row, const auto& condition) { row.set(condition, *this, level); });
  }
  /// After `set`, for the velocities of the state.
  void set_rates(const Data<S>& data, const Loop& loop) {
    for (const int side : {0, 1}) this->of_side[side].move(velocity_of(data.velocity, loop, side));
    for_each_row(loop, [&](auto& row, const auto& condition) { row.set_rate(condition, *this); });
  }
  /// After `set_rates`, for its accelerations.
  void set_second_rates(const Data<S>& data, const Loop& loop) {
    for (const int side : {0, 1}) this->of_side[side].accelerate(velocity_of(data.acceleration, loop, side));
    for_each_row(loop, [&](auto& row, const auto& condition) { row.set_second_rate(condition, *this); });
  }
  std::span<const ConditionInMotion<S>> rows() const {
    return {rows_ > std::ssize(few_) ? many_.data() : few_, static_cast<std::size_t>(rows_)};
  }

 private:
  static Motion<S> velocity_of(const PerNode<Motion<S>>& V, const Loop& loop, int side) {
    const int b = loop.frames[static_cast<std::size_t>(side)].node();
    return b < 0 ? Motion<S>::zero() : V[b];
  }
  template <class F>
  void for_each_row(const Loop& loop, F&& f) {
    ConditionInMotion<S>* row = rows_ > std::ssize(few_) ? many_.data() : few_;
    for (const closure::Condition& condition : loop.conditions) f(*row++, condition);
  }

  ConditionInMotion<S> few_[6];  // as many as bodies can have against each other; further ones depend on them
  std::vector<ConditionInMotion<S>> many_;
  std::ptrdiff_t rows_ = 0;
};

/// The wrench F of forces lambda of the conditions of a closure on the body of its second frame, about the origin of
/// this frame, in world axes; the first body has the opposite one.
template <class S>
class ClosureWrench {
 public:
  Force<S> F = Force<S>::zero();

  ClosureWrench(const FramesInMotion<S>& frames, std::span<const closure::Condition> conditions, const S* lambda) {
    for (const closure::Condition& condition : conditions) {
      ConditionInMotion<S> c;
      c.set(condition, frames, Pass::position);
      const S force = *lambda++;
      F += c.wrench(c.f) * force;
      if (condition.form == closure::Condition::Form::offset) continue;
      if (condition.form == closure::Condition::Form::distance) {
        stiffness_ += force / static_cast<S>(condition.length);
        continue;
      }
      const Vector3<S>&a = c.a(), &b = c.b();
      const S along = dot(a, b);
      has_directions_ = true;
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) turns_(i, j) += force * b[i] * a[j];
        turns_(j, j) -= force * along;
      }
    }
  }
  /// Its rate about a fixed point for twists of both bodies about this point,
  ///   [T w_second - T^T w_first + v_second x f;   w_first x f + s (v_second - v_first)]
  /// with T = sum lambda (b a^T - (a . b) 1) over directions and s = sum lambda / length over distances.
  template <class N>
  Force<N> rate(const Motion<N>& first, const Motion<N>& second) const {
    Vector3<N> turned = zero3<N>(), f;
    for (int i = 0; has_directions_ && i < 3; ++i)
      for (int j = 0; j < 3; ++j) turned[i] += turns_(i, j) * second.angular[j] - turns_(j, i) * first.angular[j];
    N stiffness;
    if constexpr (std::is_same_v<N, S>)
      f = F.force, stiffness = stiffness_;
    else
      f = broadcast<N>(F.force), stiffness = N::all(stiffness_);
    return {turned + cross(second.linear, f), cross(first.angular, f) + (second.linear - first.linear) * stiffness};
  }

 private:
  Matrix3<S> turns_ = Matrix3<S>::Zero();
  S stiffness_ = S(0);
  bool has_directions_ = false;
};

}}}  // namespace corio::detail
