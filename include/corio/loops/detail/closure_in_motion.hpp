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

/// A frame at a state: its pose in world axes about the origin of its tree, this origin in the world, its angular
/// velocity w, the rate dw of w, and the velocity and acceleration of the frame's origin.
template <class S>
struct FrameInMotion {
  Pose<S> pose;
  Vector3<S> origin, w, velocity, dw, acceleration;

  void set(const Data<S>& data, const Frame<S>& frame) {
    const int b = frame.node();
    if (b < 0)
      pose = frame.placement(), origin = zero3<S>();
    else
      pose = data.pose[b] * frame.placement(), origin = data.origin[b];
  }
  /// Sets the velocities from the twist V of the frame's body. `accelerate`, called next, needs the rate A of V.
  void move(const Motion<S>& V) {
    w = V.angular;
    velocity = V.linear + cross(w, pose.translation);
  }
  void accelerate(const Motion<S>& A) {
    dw = A.angular;
    acceleration = A.linear + cross(dw, pose.translation) + cross(w, velocity);
  }
  /// Returns the rate of a vector x that is fixed in the frame; the next function returns its second rate.
  Vector3<S> rate(const Vector3<S>& x) const { return cross(w, x); }
  Vector3<S> second_rate(const Vector3<S>& x) const { return cross(dw, x) + cross<S>(w, cross(w, x)); }
};

/// The two frames of a closure: the first on side 0, the second on side 1.
template <class S>
struct FramesInMotion {
  FrameInMotion<S> of_side[2];
  Vector3<S> point[2];  // by side, from the origin of the frame's tree to the origin of the second frame

  void set(const Data<S>& data, const std::vector<Frame<S>>& frames) {
    for (const int side : {0, 1}) of_side[side].set(data, frames[static_cast<std::size_t>(side)]);
    find_points();
  }
  /// Computes `point` from the poses of both frames.
  void find_points() {
    point[1] = of_side[1].pose.translation;
    point[0] = of_side[1].origin - of_side[0].origin + point[1];
  }
  /// Returns the motion of the second body relative to the first, about the second frame's origin, if only the body on
  /// one side moves, by V about the origin of its tree.
  Motion<S> relative(const Motion<S>& V, int side) const { return signed_by(about(V, point[side]), side); }
  /// Returns the rate of this motion, which is about a moving point, from the rate dV of V about a fixed point; the
  /// next overload returns the second rate.
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
  /// Returns the twist of a body about the second frame's origin, less the velocity of this origin, where V is the
  /// twist about the origin of the tree on one side. A motion X that is fixed in the body has the rate seen(V) x
  /// relative(X). The next overload returns the rate of seen(V) from the rate A of V.
  Motion<S> seen(Motion<S> V, int side) const {
    V.linear += cross(V.angular, point[side]) - of_side[1].velocity;
    return V;
  }
  Motion<S> seen(const Motion<S>& V, Motion<S> A, int side) const {
    A.linear += cross(A.angular, point[side]) + cross(V.angular, of_side[1].velocity) - of_side[1].acceleration;
    return A;
  }
  /// The transpose of `relative`: returns the wrench on the body on one side, about the origin of its tree, if F acts
  /// on the second body and -F on the first, both about the second frame's origin.
  Force<S> on_body(const Force<S>& F, int side) const { return signed_by(about(F, Vector3<S>(-point[side])), side); }
  /// Sets the motion of the frames from the twists of their bodies.
  void move(const Motion<S>& first, const Motion<S>& second) { of_side[0].move(first), of_side[1].move(second); }

 private:
  template <class X>
  static X signed_by(const X& x, int side) {
    return side == 1 ? x : -x;
  }
};

/// A condition at a state: its value k, and the vector f with dk/dt = f . x, in world axes. If the condition `turns`,
/// as directions do, x is the angular velocity of the second body relative to the first, and f a torque on the second
/// body. Otherwise x is the velocity of the second frame's origin relative to the point of the first body at the same
/// place, and f is a force on the second body.
template <class S>
struct ConditionInMotion {
  using Form = closure::Condition::Form;

  Form form;
  int index;  // the place of the condition in its loop
  bool turns;
  S value, stiffness;  // value: k; stiffness: 1 / length for a distance condition, else 0
  Vector3<S> f, rate, second_rate;
  Vector3<S> a = zero3<S>(), b = zero3<S>();  // axes of the condition in world axes; only directions have b

  void set(const closure::Condition& condition, const FramesInMotion<S>& frames) {
    const auto& [first, second] = frames.of_side;
    form = condition.form, turns = form == Form::direction || form == Form::sense, stiffness = S(0);
    a = first.pose.rotation * condition.a.template cast<S>();
    if (turns) {
      using std::sqrt;
      b = second.pose.rotation * condition.b.template cast<S>();
      value = form == Form::direction ? dot(a, b) : S(dot(a, b) - sqrt(S(dot(a, a) * dot(b, b))));
      f = cross(b, a);
      return;
    }
    const Vector3<S> d = (second.origin - first.origin) + (second.pose.translation - first.pose.translation);
    if (form == Form::offset) {
      value = dot(a, d), f = a;
    } else {
      const S l = static_cast<S>(condition.length);
      stiffness = S(1) / l;
      value = (dot(d, d) / l - l) / S(2), f = d * stiffness;
    }
  }
  /// Computes the rate of f; the next function computes its second rate.
  void set_rate(const FramesInMotion<S>& frames) {
    const auto& [first, second] = frames.of_side;
    if (turns)
      rate = cross(second.rate(b), a) + cross(b, first.rate(a));
    else if (form == Form::offset)
      rate = first.rate(a);
    else
      rate = (second.velocity - first.velocity) * stiffness;
  }
  void set_second_rate(const FramesInMotion<S>& frames) {
    const auto& [first, second] = frames.of_side;
    if (turns)
      second_rate = cross(second.second_rate(b), a) + S(2) * cross(second.rate(b), first.rate(a)) +
                    cross(b, first.second_rate(a));
    else if (form == Form::offset)
      second_rate = first.second_rate(a);
    else
      second_rate = (second.acceleration - first.acceleration) * stiffness;
  }
  /// Returns x . V, where x is f or a rate of f, and V the relative motion or its rate.
  S along(const Vector3<S>& x, const Motion<S>& V) const { return dot(x, turns ? V.angular : V.linear); }
  /// Returns the rate of f . V for the rate dV of V; the next function returns its second rate.
  S rate_along(const Motion<S>& V, const Motion<S>& dV) const { return along(f, dV) + along(rate, V); }
  S second_rate_along(const Motion<S>& V, const Motion<S>& dV, const Motion<S>& ddV) const {
    return along(f, ddV) + S(2) * along(rate, dV) + along(second_rate, V);
  }
  /// Returns x, which is f or a rate of f, as a wrench about the moving origin of the second frame.
  Force<S> wrench(const Vector3<S>& x) const { return turns ? Force<S>{x, zero3<S>()} : Force<S>{zero3<S>(), x}; }
};

/// A closure at a state of the tree: its frames and conditions, evaluated once for all functions that read them.
template <class S>
class ClosureInMotion : public FramesInMotion<S> {
 public:
  using Loop = typename Loops<S>::Loop;

  /// Evaluates frames and conditions up to the requested level.
  /// @param idle  a number for each condition; a condition is left out if its number is nonzero, and none is if `idle`
  ///   is empty
  void set(const Data<S>& data, const Loop& loop, Pass level, std::span<const char> idle = {}) {
    FramesInMotion<S>::set(data, loop.frames);
    many_.resize(loop.conditions.size() > std::size(few_) ? loop.conditions.size() : 0);
    num_rows_ = 0;
    for (std::size_t i = 0; i < loop.conditions.size(); ++i) {
      if (!idle.empty() && idle[i] != 0) continue;
      ConditionInMotion<S>& row = first_row()[num_rows_++];
      row.set(loop.conditions[i], *this), row.index = static_cast<int>(i);
    }
    if (level >= Pass::velocity) set_rates(data, loop);
    if (level >= Pass::acceleration) set_second_rates(data, loop);
  }
  /// Evaluates the rates for the velocities of the state. Call it after `set`.
  void set_rates(const Data<S>& data, const Loop& loop) {
    for (const int side : {0, 1}) this->of_side[side].move(of_body(data.velocity, loop, side));
    for (auto& row : std::span(first_row(), num_rows_)) row.set_rate(*this);
  }
  /// Evaluates the second rates for the accelerations of the state. Call it after `set_rates`.
  void set_second_rates(const Data<S>& data, const Loop& loop) {
    for (const int side : {0, 1}) this->of_side[side].accelerate(of_body(data.acceleration, loop, side));
    for (auto& row : std::span(first_row(), num_rows_)) row.set_second_rate(*this);
  }
  std::span<const ConditionInMotion<S>> rows() const { return {many_.empty() ? few_ : many_.data(), num_rows_}; }

 private:
  static Motion<S> of_body(const PerNode<Motion<S>>& V, const Loop& loop, int side) {
    const int b = loop.frames[static_cast<std::size_t>(side)].node();
    return b < 0 ? Motion<S>::zero() : V[b];
  }
  ConditionInMotion<S>* first_row() { return many_.empty() ? few_ : many_.data(); }

  ConditionInMotion<S> few_[6];  // two bodies have at most six independent conditions
  std::vector<ConditionInMotion<S>> many_;
  std::size_t num_rows_ = 0;
};

/// The wrench F that forces lambda of a closure's conditions exert on the body of the second frame, about the origin of
/// this frame, in world axes. The opposite wrench acts on the first body.
template <class S>
class ClosureWrench {
 public:
  Force<S> F = Force<S>::zero();

  /// @param lambda  a force for each condition of the loop; forces of conditions that were left out are not read
  ClosureWrench(std::span<const ConditionInMotion<S>> rows, const S* lambda) {
    for (const ConditionInMotion<S>& row : rows) add(row, lambda[row.index]);
  }
  /// The wrench of a unit force of one condition.
  explicit ClosureWrench(const ConditionInMotion<S>& row) { add(row, S(1)); }
  /// Returns the rate of F about a fixed point, for the twists of both bodies about this point,
  ///   [T w_second - T^T w_first + v_second x f;   w_first x f + s (v_second - v_first)]
  /// where T is the sum of lambda (b a^T - (a . b) 1) over directions, and s the sum of lambda / length over distances.
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
  void add(const ConditionInMotion<S>& row, const S& force) {
    F += row.wrench(row.f) * force;
    stiffness_ += force * row.stiffness;
    if (!row.turns) return;
    const S along = dot(row.a, row.b);
    has_directions_ = true;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) turns_(i, j) += force * row.b[i] * row.a[j];
      turns_(j, j) -= force * along;
    }
  }

  Matrix3<S> turns_ = Matrix3<S>::Zero();
  S stiffness_ = S(0);
  bool has_directions_ = false;
};

}}}  // namespace corio::detail
