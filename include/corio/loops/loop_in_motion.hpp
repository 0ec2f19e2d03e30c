#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

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
    pose = frame.placement(), origin = zero3<S>();
    if (b >= 0) pose = data.pose[b] * frame.placement(), origin = data.origin[b];
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

/// A condition at a state: its value, the wrench F about the origin of the second frame, in world axes, and its rates
/// about the fixed point that coincides with this origin, up to the requested level.
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
  void move(const Motion<S>& first, const Motion<S>& second) {
    level_ = Pass::velocity;
    FramesInMotion<S>::move(first, second);
  }
  /// The wrench F of forces lambda of the conditions of a closure, and its rate, at the level of velocities.
  std::pair<Force<S>, Force<S>> wrench(const S* lambda) const {
    Force<S> F = Force<S>::zero(), rate = F;
    for (int i = 0; i < loop_.rows(); ++i) {
      const ConditionInMotion<S> c = condition(i);
      F += c.F * lambda[i];
      if (level_ >= Pass::velocity) rate += c.rate * lambda[i];
    }
    return {F, rate};
  }
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
  /// out = dK/dt x for any motion x of the tree, without the entries of dK/dt. At the level of velocities.
  void times_Kdot(const VectorX<S>& x, S* out) const;

 private:
  /// The entries of a coupling or relation.
  template <class Put>
  void for_each_coupling_entry(Put&& put) const;
  /// Row scales from |row|^2, see for_each_entry.
  void set_scales(double play, S* scale) const;
  /// f(j, side, i, conditions) for the degrees of freedom j that move one frame, and conditions from i on.
  template <class F>
  void for_each_dof(F&& f) const {
    ConditionInMotion<S> some[6];
    for (int begin = 0, count; begin < loop_.rows(); begin += count) {
      count = (std::min)(static_cast<int>(std::size(some)), loop_.rows() - begin);
      for (int i = 0; i < count; ++i) some[i] = condition(begin + i);
      for_each_between<S>(model_, loop_, [&](int j, int side) { f(j, side, begin, std::span(some, some + count)); });
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
  for (int i = 0; i < loop.rows(); ++i) f(i, moving.condition(i).value);
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
  for_each_dof([&](int j, int side, int i, const auto& conditions) {
    const Motion<S> phi = relative(data_.phi[j], side);
    if (level_ == Pass::position) {
      for (const auto& c : conditions) put(i++, j, dot(c.F, phi));
      return;
    }
    const Motion<S> phi_dot = relative(data_.phi_dot[j], side);
    if (level_ == Pass::velocity) {
      for (const auto& c : conditions) put(i++, j, dot(c.F, phi_dot) + dot(c.rate, phi));
      return;
    }
    const Motion<S> phi_ddot = relative(column_second_rate(model_, data_, j), side);
    for (const auto& c : conditions)
      put(i++, j, dot(c.F, phi_ddot) + S(2) * dot(c.rate, phi_dot) + dot(c.second_rate, phi));
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
  for_each_dof([&](int j, int side, int i, const auto& conditions) {
    const int parent = model_.node(model_.node_of(j)).parent;
    const auto of_parent = [&](const PerNode<Motion<S>>& x) { return parent < 0 ? Motion<S>::zero() : x[parent]; };
    Variation<S> x = variation(data_.phi[j], data_.phi_dot[j], of_parent(data_.velocity),
                               accelerates ? of_parent(data_.acceleration) : Motion<S>::zero());
    if (columns_move(model_, j)) {
      const Motion<S> rho = moving_axes_term(model_, data_, j, data_.v);
      x.psi += rho, x.chi += rho;
      if (accelerates) x.psi_a += moving_axes_variation(model_, data_, data_.a, j).psi_a;
    }
    const Motion<S> phi = relative(data_.phi[j], side), psi = relative(x.psi, side), chi = relative(x.chi, side);
    const Motion<S> psi_a = relative(x.psi_a, side);
    for (const auto& c : conditions) {
      const S along = dot(c.rate, phi);
      put(i++, j, dot(c.F, psi) + along, dot(c.F, chi) + S(2) * along,
          accelerates ? S(dot(c.F, psi_a) + S(2) * dot(c.rate, psi) + dot(c.second_rate, phi)) : S(0));
    }
  });
}

template <class S>
void LoopInMotion<S>::times_Kdot(const VectorX<S>& x, S* out) const {
  if (loop_.frames.empty()) {
    out[0] = S(0);
    return for_each_coupling_entry([&](int, int j, const S& rate) { out[0] += rate * x[j]; });
  }
  Motion<S> moves[2] = {Motion<S>::zero(), Motion<S>::zero()}, changes[2] = {moves[0], moves[0]};
  for_each_between<S>(model_, loop_, [&](int j, int side) {
    moves[side] += data_.phi[j] * x[j], changes[side] += data_.phi_dot[j] * x[j];
  });
  const Motion<S> move = relative(moves[0], 0) + relative(moves[1], 1);
  const Motion<S> change = relative(changes[0], 0) + relative(changes[1], 1);
  for (int i = 0; i < loop_.rows(); ++i) {
    const ConditionInMotion<S> c = condition(i);
    out[i] = dot(c.F, change) + dot(c.rate, move);
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
