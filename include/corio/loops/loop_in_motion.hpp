#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/kinematics/variations.hpp"
#include "corio/model/loops.hpp"
#include "corio/spatial/cross.hpp"

/// A loop at a state of the tree: its conditions, their rows of K, and the rates of these.
namespace corio::inline CORIO_ABI::detail {

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

/// K_j of joint i of a relation whose coordinates are x, with its rates: one function for all that
/// for_each_coupling_rate is called with.
/// @param finite  whether the motion is
template <class T, class S>
CORIO_NOINLINE Dual<Dual<T>> relation_rates(const typename Loops<S>::Loop& loop, Pass level, bool finite,
                                            typename Loops<T>::Related& x, std::size_t i) {
  using Moving = Dual<Dual<T>>;
  auto& x_i = x[static_cast<Eigen::Index>(i)];
  x_i.dx = Moving(Dual<T>(T(1)));
  const Moving K = loop.template relation_over<T>(x).dx;
  x_i.dx = Moving();
  if constexpr (std::is_same_v<T, S> && states_of<S> == 1)
    if (const S needed[] = {K.x.x, level >= Pass::velocity ? K.x.dx : S(0),
                            level >= Pass::acceleration ? K.dx.dx : S(0)};
        finite && !all_finite(vector3(needed)))
      throw ModelError(join({"loop '", loop.name, "': its relation has no finite ",
                             level == Pass::position ? "gradient" : "rate of the gradient", " along joint '",
                             loop.terms[i].first.name(), "', which is at ", number(value_of(x_i.x.x.x))}));
  return K;
}

/// f(j, K_j, dK_j/dt, d2K_j/dt2) over T = S or Dual<S> for the degrees of freedom j of a coupling or relation, while
/// the coordinates of its joints are and move as motion(joint), {q, v, a}.
/// @throws ModelError for a relation in which these, up to `level`, are not finite although the motion is
template <class T, class S, class M, class F>
void for_each_coupling_rate(const typename Loops<S>::Loop& loop, Pass level, M&& motion, F&& f) {
  if (!loop.relation) {
    for (const auto& [joint, factor] : loop.terms) f(joint.v_index(), T(static_cast<S>(factor)), T(0), T(0));
    return;
  }
  using Moving = Dual<Dual<T>>;
  typename Loops<T>::Related x(std::ssize(loop.terms));
  bool finite = true;
  for (Eigen::Index i = 0; const auto& term : loop.terms) {
    const auto& [q, v, a] = motion(term.first);
    if constexpr (std::is_same_v<T, S>) finite = finite && all_finite(Vector3<S>(q, v, a));
    x[i++] = Moving({q, v}, {v, a});
  }
  for (std::size_t i = 0; i < loop.terms.size(); ++i) {
    const Moving K = relation_rates<T, S>(loop, level, finite, x, i);
    f(loop.terms[i].first.v_index(), K.x.x, K.x.dx, K.dx.dx);
  }
}
/// At the q of data, with rates(j), a velocity and an acceleration.
template <class S, class Rates, class F>
void for_each_coupling_rate(const Data<S>& data, const typename Loops<S>::Loop& loop, Pass level, Rates&& rates,
                            F&& f) {
  const auto motion = [&](const Joint& joint) {
    const auto [v, a] = rates(joint.v_index());
    return std::array<S, 3>{data.q[joint.q_index()], v, a};
  };
  for_each_coupling_rate<S, S>(loop, level, motion, f);
}

/// f(j, side) for the degrees of freedom j that move one frame and not the other: side 1 the second one, 0 the first.
template <class S, class F>
void for_each_between(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  for_each_between(model, loop.frames[0].node(), loop.frames[1].node(), f);
}

/// f(j) for the degrees of freedom coupled by a loop.
template <class S, class F>
void for_each_coupled(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  for (const auto& [joint, factor] : loop.terms) f(joint.v_index());
  if (!loop.frames.empty()) for_each_between<S>(model, loop, [&](int j, int) { f(j); });
}

/// A loop at a state of its tree, up to the requested level: its frames, with the conditions evaluated at every call.
template <class S>
class LoopInMotion : public FramesInMotion<S> {
 public:
  using Loop = typename Loops<S>::Loop;
  using FramesInMotion<S>::relative;

  LoopInMotion(const Model<S>& model, const Data<S>& data, const Loop& loop, Pass level = Pass::position)
      : model_(model), data_(data), loop_(loop), level_(level) {
    if (loop.frames.empty()) return;
    for (const int side : {0, 1}) this->of_side[side].set(data, loop.frames[static_cast<std::size_t>(side)], level);
    this->find_points();
  }

  /// Condition i of a closure.
  ConditionInMotion<S> condition(int i) const {
    return ConditionInMotion<S>(loop_.conditions[static_cast<std::size_t>(i)], *this, level_);
  }
  ClosureWrench<S> wrench(const S* lambda) const { return {*this, loop_.conditions, lambda}; }
  /// put(i, j, x) for the entries of K, its rate or its second rate, by the level.
  template <class Put>
  void for_each_entry(Put&& put) const;
  /// put(i, j, x) for the entries of K, and its row scales: 1 / |row|, and 0 for rows that cancel up to the share
  /// `play` of their terms, as roots of sums of squares. Each row is compared with its own terms only, because rows in
  /// m and in rad, of small bodies or of large gears, may have any size. The term of a joint with axis w at a point c
  /// from the tree's origin consists of w x c and the velocity of that origin; |c| is increased by one millimetre,
  /// because levers are not known better than to a millimetre times `play`.
  template <class Put>
  void for_each_entry(double play, S* scale, Put&& put) const;
  /// put(i, j, d(dk_i/dt)/dq_j, d(d2k_i/dt2)/dv_j, d(d2k_i/dt2)/dq_j), by the level, where q moves along a degree of
  /// freedom j at constant v and a. Of a closure, with the Variation of the motion of the bodies that j moves,
  ///   F . psi + dF/dt . Phi,   F . chi + 2 dF/dt . Phi,   F . psi_a + 2 dF/dt . psi + d2F/dt2 . Phi.
  template <class Put>
  void for_each_rate_derivative(Put&& put) const;
  /// out = dK/dt x for any motion x of the tree, without the entries of dK/dt: F . c + dF/dt . V for the sums V and c
  /// of Phi_k x_k and dPhi_k x_k from the ground to the bodies of both frames. At the level of velocities.
  void times_Kdot(const VectorX<S>& x, const PerNode<Motion<S>>& V, const PerNode<Motion<S>>& c, S* out) const;

 private:
  using P = Lanes<S>;
  /// The entries of a coupling or relation.
  template <class Put>
  void for_each_coupling_entry(Put&& put) const;
  /// Row scales from |row|^2, see for_each_entry.
  void set_scales(double play, S* scale) const;
  /// f(j, side, rows) for the degrees of freedom j that move one frame, and all conditions, up to six at a time.
  template <class F>
  void for_each_dof(F&& f) const {
    ConditionRows<S> rows;
    for (int begin = 0; begin < loop_.rows(); begin = rows.end()) {
      rows.set(loop_.conditions, begin, *this, level_);
      for_each_between<S>(model_, loop_, [&](int j, int side) { f(j, side, rows); });
    }
  }

  const Model<S>& model_;
  const Data<S>& data_;
  const Loop& loop_;
  Pass level_;
};

/// A put of for_each_entry: x becomes the entry (begin + i, j) of K, if there is one.
template <class S>
struct PutInto {
  MatrixX<S>* K;
  int begin;
  void operator()(int i, int j, const S& x) const {
    if (K) (*K)(begin + i, j) = x;
  }
};

/// f(i, k_i) for the conditions of a loop.
template <class S, class F>
void for_each_residual(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop, F&& f) {
  if (loop.frames.empty()) return f(0, coupling_value(data, loop));
  const LoopInMotion<S> moving(model, data, loop);
  for (int i = 0; const closure::Condition& condition : loop.conditions)
    f(i++, ConditionInMotion<S>(condition, moving, Pass::none).value);
}

template <class S>
template <class Put>
void LoopInMotion<S>::for_each_coupling_entry(Put&& put) const {
  const auto rates = [&](int j) {
    return std::pair(level_ >= Pass::velocity ? data_.v[j] : S(0), level_ == Pass::acceleration ? data_.a[j] : S(0));
  };
  for_each_coupling_rate(data_, loop_, level_, rates, [&](int j, const S& x, const S& rate, const S& second_rate) {
    put(0, j, level_ == Pass::position ? x : level_ == Pass::velocity ? rate : second_rate);
  });
}

template <class S>
template <class Put>
void LoopInMotion<S>::for_each_entry(Put&& put) const {
  if (loop_.frames.empty()) return for_each_coupling_entry(put);
  using One = std::array<P, 1>;
  for_each_dof([&](int j, int side, const auto& rows) {
    const auto write = [&](auto&& value) { rows.for_each(side, value, [&](int i, const S& x) { put(i, j, x); }); };
    const Motion<P> phi = broadcast<P>(data_.phi[j]);
    if (level_ == Pass::position) return write([&](const auto& w) { return One{dot(w.F, phi)}; });
    const Motion<P> phi_dot = broadcast<P>(data_.phi_dot[j]);
    if (level_ == Pass::velocity)
      return write([&](const auto& w) { return One{dot(w.F, phi_dot) + dot(w.rate, phi)}; });
    const Motion<P> phi_ddot = broadcast<P>(column_second_rate(model_, data_, j));
    write([&](const auto& w) {
      const P turned = dot(w.rate, phi_dot);
      return One{dot(w.F, phi_ddot) + turned + turned + dot(w.second_rate, phi)};
    });
  });
}

template <class S>
template <class Put>
void LoopInMotion<S>::for_each_rate_derivative(Put&& put) const {
  if (loop_.frames.empty()) {
    const auto rates = [&](int j) { return std::pair(data_.v[j], level_ == Pass::acceleration ? data_.a[j] : S(0)); };
    return for_each_coupling_rate(data_, loop_, level_, rates, [&](int j, const S&, const S& rate, const S& second) {
      put(0, j, rate, S(2) * rate, second);
    });
  }
  const bool accelerates = level_ == Pass::acceleration;
  for_each_dof([&](int j, int side, const auto& rows) {
    const int parent = model_.node(model_.node_of(j)).parent;
    const auto of_parent = [&](const PerNode<Motion<S>>& x) { return parent < 0 ? Motion<S>::zero() : x[parent]; };
    Variation<S> x = variation(data_.phi[j], data_.phi_dot[j], of_parent(data_.velocity),
                               accelerates ? of_parent(data_.acceleration) : Motion<S>::zero());
    if (columns_move(model_, j)) {
      const Motion<S> rho = moving_axes_term(model_, data_, j, data_.v);
      x.psi += rho, x.chi += rho;
      if (accelerates) x.psi_a += moving_axes_variation(model_, data_, data_.a, j).psi_a;
    }
    const Motion<P> phi = broadcast<P>(data_.phi[j]), psi = broadcast<P>(x.psi), chi = broadcast<P>(x.chi);
    const Motion<P> psi_a = broadcast<P>(x.psi_a);
    const auto value = [&](const auto& w) {
      const P along = dot(w.rate, phi), by_rate = dot(w.F, psi) + along, by_v = dot(w.F, chi) + along + along;
      if (!accelerates) return std::array{by_rate, by_v, P::zero()};
      const P turned = dot(w.rate, psi);
      return std::array{by_rate, by_v, P(dot(w.F, psi_a) + turned + turned + dot(w.second_rate, phi))};
    };
    rows.for_each(side, value,
                  [&](int i, const S& by_rate, const S& by_v, const S& by_q) { put(i, j, by_rate, by_v, by_q); });
  });
}

template <class S>
void LoopInMotion<S>::times_Kdot(const VectorX<S>& x, const PerNode<Motion<S>>& V, const PerNode<Motion<S>>& c,
                                 S* out) const {
  if (loop_.frames.empty()) {
    out[0] = S(0);
    return for_each_coupling_entry([&](int, int j, const S& rate) { out[0] += rate * x[j]; });
  }
  Motion<S> move = Motion<S>::zero(), change = move;
  for (const int side : {0, 1})
    if (const int b = loop_.frames[static_cast<std::size_t>(side)].node(); b >= 0)
      move += relative(V[b], side), change += relative(c[b], side);
  for (int i = 0; i < loop_.rows(); ++i) {
    const ConditionInMotion<S> own = condition(i);
    out[i] = dot(own.F, change) + dot(own.rate, move);
  }
}

template <class S>
template <class Put>
void LoopInMotion<S>::for_each_entry(double play, S* scale, Put&& put) const {
  std::fill_n(scale, loop_.rows(), S(0));  // first |row|^2
  for_each_entry([&](int i, int j, const S& x) {
    put(i, j, x);
    scale[i] += S(real_value(x) * real_value(x));
  });
  set_scales(play, scale);
}

template <class S>
void LoopInMotion<S>::set_scales(double play, S* scale) const {
  using Form = closure::Condition::Form;
  const auto square_of = [](const auto& x) { return real_value(dot(x, x)); };
  using R = decltype(square_of(Vector3<S>()));
  R turns(0), moves(0);  // sums of squares, of |w| and of the velocities
  if (!loop_.frames.empty()) {
    const auto lever = [&](const Vector3<S>& x) {
      using std::sqrt;
      const R length = sqrt(square_of(x)) + R(1e-3);
      return R(length * length);
    };
    const R levers[2] = {lever(this->point[0]), lever(this->point[1])};
    for_each_between<S>(model_, loop_, [&](int j, int side) {
      const R turn = square_of(data_.phi[j].angular);
      turns += turn, moves += turn * levers[side] + square_of(data_.phi[j].linear);
    });
  }
  for (int i = 0; i < loop_.rows(); ++i) {
    R terms(0);
    if (!loop_.frames.empty()) {
      const auto& [form, a, b, l] = loop_.conditions[static_cast<std::size_t>(i)];
      terms = form == Form::direction ? R(turns * R(square_of(a) * square_of(b)))
              : form == Form::offset  ? R(moves * R(square_of(a)))
                                      : moves;
    }
    using std::sqrt;
    const R size = real_value(scale[i]);
    scale[i] = select(size > R(play * play) * terms, S(R(1) / sqrt(size)), S(0));
  }
}

}  // namespace corio::detail
