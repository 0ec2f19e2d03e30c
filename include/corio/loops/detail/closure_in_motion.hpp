#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

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
  Pose<S> pose = Pose<S>::identity();  // stays where a loop has no frames
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

  /// For the poses of both frames.
  void find_points() {
    point[1] = of_side[1].pose.translation;
    point[0] = of_side[1].origin - of_side[0].origin + point[1];
  }
  /// The motion of the second body against the first, about the second frame's origin, for the motion V of the body on
  /// one side, about the origin of its tree.
  Motion<S> relative(const Motion<S>& V, int side) const {
    const Motion<S> moved = about(V, point[side]);
    return side == 1 ? moved : -moved;
  }
  /// The transpose of `relative`: the wrench on the body on one side, about the origin of its tree, for a wrench F on
  /// the second body, and its opposite on the first, about the second frame's origin.
  Force<S> on_body(const Force<S>& F, int side) const {
    const Force<S> moved = about(F, Vector3<S>(-point[side]));
    return side == 1 ? moved : -moved;
  }
  /// From now on only the frames move, with the twists of their bodies.
  void move(const Motion<S>& first, const Motion<S>& second) { of_side[0].move(first), of_side[1].move(second); }
};

/// A condition at a state: its value, from the level of positions on the wrench F about the origin of the second frame,
/// in world axes, and its rates about the fixed point that coincides with this origin, up to the requested level.
template <class S>
struct ConditionInMotion {
  S value;
  Force<S> F, rate, second_rate;

  ConditionInMotion() = default;
  ConditionInMotion(const closure::Condition& condition, const FramesInMotion<S>& frames, Pass level) {
    const auto& [first, second] = frames.of_side;
    using Form = closure::Condition::Form;
    using std::sqrt;
    const Vector3<S> a = first.pose.rotation * condition.a.template cast<S>();
    if (condition.form == Form::direction || condition.form == Form::sense) {
      const Vector3<S> b = second.pose.rotation * condition.b.template cast<S>();
      value = condition.form == Form::direction ? dot(a, b) : S(dot(a, b) - sqrt(S(dot(a, a) * dot(b, b))));
      if (level == Pass::none) return;
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
    if (level == Pass::none) return;
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

/// The wrench F of forces lambda of the conditions of a closure on the body of its second frame, about the origin of
/// this frame, in world axes; the first body has the opposite one.
template <class S>
class ClosureWrench {
 public:
  Force<S> F = Force<S>::zero();

  ClosureWrench(const FramesInMotion<S>& frames, std::span<const closure::Condition> conditions, const S* lambda) {
    for (const closure::Condition& condition : conditions) {
      const ConditionInMotion<S> c(condition, frames, Pass::position);
      const S force = *lambda++;
      F += c.F * force;
      if (condition.form == closure::Condition::Form::offset) continue;
      if (condition.form == closure::Condition::Form::distance) {
        stiffness_ += force / static_cast<S>(condition.length);
        continue;
      }
      const Vector3<S> a = frames.of_side[0].pose.rotation * condition.a.template cast<S>();
      const Vector3<S> b = frames.of_side[1].pose.rotation * condition.b.template cast<S>();
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

/// Up to six conditions of a closure side by side: their wrenches on the bodies of both frames, about the origins of
/// their trees, and the rates of these about fixed points, up to the requested level.
template <class S>
class ConditionRows {
 public:
  static constexpr int most = 6;
  using P = Lanes<S>;
  struct Wrenches {
    Force<P> F, rate, second_rate;
  };

  /// Conditions from `begin` on.
  void set(const closure::Conditions& conditions, int begin, const FramesInMotion<S>& frames, Pass level) {
    begin_ = begin, count_ = (std::min)(most, static_cast<int>(conditions.size()) - begin);
    Wrenches own[most_packs];
    for (int i = 0; i < count_; ++i) {
      const ConditionInMotion<S> c(conditions[static_cast<std::size_t>(begin + i)], frames, level);
      const int end = i == count_ - 1 ? packs() * P::width : i + 1;  // lanes without a condition repeat the last one
      for (int l = i; l < end; ++l) {
        Wrenches& to = own[l / P::width];
        set_lane(to.F, l % P::width, c.F);
        if (level >= Pass::velocity) set_lane(to.rate, l % P::width, c.rate);
        if (level >= Pass::acceleration) set_lane(to.second_rate, l % P::width, c.second_rate);
      }
    }
    for (const int side : {0, 1}) {
      const Vector3<P> back = broadcast<P>(Vector3<S>(-frames.point[side]));
      const auto on_body = [&](const Force<P>& F) {
        const Force<P> moved = about(F, back);
        return side == 1 ? moved : -moved;
      };
      for (int p = 0; p < packs(); ++p) {
        Wrenches& to = of_side_[side][p];
        to.F = on_body(own[p].F);
        if (level >= Pass::velocity) to.rate = on_body(own[p].rate);
        if (level >= Pass::acceleration) to.second_rate = on_body(own[p].second_rate);
      }
    }
  }
  /// f(i, x) for these conditions i, with x of the packs value(wrenches), on one side, an array of numbers.
  template <class Value, class F>
  CORIO_INLINE void for_each(int side, Value&& value, F&& f) const {
    constexpr std::size_t n = std::tuple_size_v<decltype(value(of_side_[0][0]))>;
    S x[n][most_packs * P::width];
    for (int p = 0; p < packs(); ++p)
      for (std::size_t k = 0; const P& of_pack : value(of_side_[side][p])) of_pack.store(x[k++] + p * P::width);
    for (int i = 0; i < count_; ++i) [&]<std::size_t... k>(std::index_sequence<k...>) CORIO_INLINE_LAMBDA {
        f(begin_ + i, x[k][i]...);
      }
    (std::make_index_sequence<n>());
  }
  int end() const { return begin_ + count_; }

 private:
  static constexpr int most_packs = (most + P::width - 1) / P::width;
  int packs() const { return (count_ + P::width - 1) / P::width; }

  int begin_ = 0, count_ = 0;
  Wrenches of_side_[2][most_packs];
};

}}}  // namespace corio::detail
