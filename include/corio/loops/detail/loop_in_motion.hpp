#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include "corio/kinematics/detail/variations.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/loops/detail/closure_in_motion.hpp"
#include "corio/model/loops.hpp"

/// A loop at a state of the tree: its conditions, their rows of K, and the rates of these rows.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns the value of a coupling or relation.
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

/// Computes K_j of joint i of a relation whose coordinates are x, with its rates. This is a function of its own, so
/// that it is not compiled for every callback of for_each_coupling_rate.
/// @param finite  whether the motion is finite
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
                             loop.terms[i].first.name(), "', which is at ", number(value_of(x_i.x.x.x)),
                             "; start elsewhere, or write a relation that is smooth there"}));
  return K;
}

/// Calls f(j, K_j, dK_j/dt, d2K_j/dt2) over T = S or Dual<S> once for each degree of freedom j of a coupling or
/// relation. The coordinates of joint j and their rates are motion(joint), {q, v, a}.
/// @throws ModelError for a relation in which these rates, up to `level`, are not finite although the motion is
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
/// The same at the q of data, where rates(j) returns the velocity and acceleration of degree of freedom j.
template <class S, class Rates, class F>
void for_each_coupling_rate(const Data<S>& data, const typename Loops<S>::Loop& loop, Pass level, Rates&& rates,
                            F&& f) {
  const auto motion = [&](const Joint& joint) {
    const auto [v, a] = rates(joint.v_index());
    return std::array<S, 3>{data.q[joint.q_index()], v, a};
  };
  for_each_coupling_rate<S, S>(loop, level, motion, f);
}

/// Calls f(j, side) once for each degree of freedom j that moves one frame and not the other: side is 1 for the second
/// frame and 0 for the first.
template <class S, class F>
void for_each_between(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  for_each_between(model, loop.frames[0].node(), loop.frames[1].node(), f);
}

/// Calls f(j) once for each degree of freedom coupled by a loop.
template <class S, class F>
void for_each_coupled(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  for (const auto& [joint, factor] : loop.terms) f(joint.v_index());
  if (!loop.frames.empty()) for_each_between<S>(model, loop, [&](int j, int) { f(j); });
}

/// The rows of K of a loop, and their rates up to the requested level, at a state of its tree.
template <class S>
class LoopInMotion {
 public:
  using Loop = typename Loops<S>::Loop;

  /// @param closure  the closure at this state and level; for other loops it is not read
  LoopInMotion(const Model<S>& model, const Data<S>& data, const Loop& loop, const ClosureInMotion<S>& closure,
               Pass level)
      : model_(model), data_(data), loop_(loop), closure_(closure), level_(level) {}

  /// Calls f(i, k_i) once for each condition.
  template <class F>
  void for_each_value(F&& f) const {
    if (loop_.frames.empty()) return f(0, coupling_value(data_, loop_));
    for (int i = 0; const auto& row : closure_.rows()) f(i++, row.value);
  }
  /// Calls put(i, j, x) once for each entry x of K, of its rate or of its second rate, depending on the level.
  template <class Put>
  void for_each_entry(Put&& put) const {
    if (loop_.frames.empty()) return for_each_coupling_entry(put);
    const auto rows = closure_.rows();
    for_each_between<S>(model_, loop_, [&](int j, int side) {
      const Motion<S> c = closure_.relative(data_.phi[j], side);
      int i = 0;
      if (level_ == Pass::position) {
        for (const auto& row : rows) put(i++, j, row.along(row.f, c));
        return;
      }
      const Motion<S> dc = closure_.relative(data_.phi[j], data_.phi_dot[j], side);
      if (level_ == Pass::velocity) {
        for (const auto& row : rows) put(i++, j, row.rate_along(c, dc));
        return;
      }
      const Motion<S> ddc =
          closure_.relative(data_.phi[j], data_.phi_dot[j], column_second_rate(model_, data_, j), side);
      for (const auto& row : rows) put(i++, j, row.second_rate_along(c, dc, ddc));
    });
  }
  /// Calls put(i, j, x) once for each entry x of K, and sets the scales of the rows of K: 1 / |row|, or 0 if the terms
  /// of the row cancel up to the share `play` of their size. Norms are roots of sums of squares. Each row is compared
  /// with its own terms only, because rows in m and in rad, of small bodies or of large gears, may have any size. The
  /// term of a joint with axis w at a point c from the tree's origin consists of w x c and the velocity of this origin;
  /// |c| is increased by one millimetre, because levers are known to a millimetre times `play` at best.
  template <class Put>
  void for_each_entry(double play, S* scale, Put&& put) const {
    using std::sqrt;
    const auto rows = closure_.rows();
    std::fill_n(scale, loop_.frames.empty() ? 1 : std::ssize(rows), S(0));  // |row|^2 until `finish`
    const auto write = [&](int i, int j, const S& x) {
      put(i, j, x);
      scale[i] += S(real_value(x) * real_value(x));
    };
    const auto square_of = [](const auto& x) { return real_value(dot(x, x)); };
    using R = decltype(square_of(Vector3<S>()));
    const auto finish = [&](int i, const R& terms) {
      const R size = real_value(scale[i]);
      scale[i] = select(size > R(play * play) * terms, S(R(1) / sqrt(size)), S(0));
    };
    if (loop_.frames.empty()) return for_each_coupling_entry(write), finish(0, R(0));
    const auto lever = [&](const Vector3<S>& x) {
      const R length = sqrt(square_of(x)) + R(1e-3);
      return R(length * length);
    };
    const R levers[2] = {lever(closure_.point[0]), lever(closure_.point[1])};
    R turns(0), moves(0);  // sums of squares of |w| and of the velocities
    for_each_between<S>(model_, loop_, [&](int j, int side) {
      const Motion<S> c = closure_.relative(data_.phi[j], side);
      for (int i = 0; const auto& row : rows) write(i++, j, row.along(row.f, c));
      const R turn = square_of(data_.phi[j].angular);
      turns += turn, moves += turn * levers[side] + square_of(data_.phi[j].linear);
    });
    for (int i = 0; const auto& row : rows) {
      const auto& [form, a, b, l] = loop_.conditions[static_cast<std::size_t>(row.index)];
      using Form = closure::Condition::Form;
      finish(i++, form == Form::direction ? R(turns * R(square_of(a) * square_of(b)))
                  : form == Form::offset  ? R(moves * R(square_of(a)))
                                          : moves);
    }
  }
  /// Calls put(i, j, d(dk_i/dt)/dq_j, d(d2k_i/dt2)/dv_j, d(d2k_i/dt2)/dq_j), where q moves along a degree of freedom j
  /// at constant v and a. The last two need the level of accelerations. For a closure the three are
  ///   f . psi + df/dt . Phi,   f . chi + 2 df/dt . Phi,   f . psi_a + 2 df/dt . psi + d2f/dt2 . Phi,
  /// with psi, chi and psi_a of the Variation of the bodies that j moves, about the moving origin of the second frame.
  template <class Put>
  void for_each_rate_derivative(Put&& put) const {
    if (loop_.frames.empty()) {
      const auto rates = [&](int j) { return std::pair(data_.v[j], level_ == Pass::acceleration ? data_.a[j] : S(0)); };
      return for_each_coupling_rate(data_, loop_, level_, rates, [&](int j, const S&, const S& rate, const S& second) {
        put(0, j, rate, S(2) * rate, second);
      });
    }
    const bool accelerates = level_ == Pass::acceleration;
    for_each_between<S>(model_, loop_, [&](int j, int side) {
      const int parent = model_.node(model_.node_of(j)).parent;
      const auto of_parent = [&](const PerNode<Motion<S>>& x) { return parent < 0 ? Motion<S>::zero() : x[parent]; };
      const Motion<S> V_parent = of_parent(data_.velocity), V = closure_.seen(V_parent, side);
      const Motion<S> phi = closure_.relative(data_.phi[j], side);
      Motion<S> psi = cross(V, phi), psi_a = Motion<S>::zero();
      if (accelerates) psi_a = cross(closure_.seen(V_parent, of_parent(data_.acceleration), side), phi) + cross(V, psi);
      if (columns_move(model_, j)) {
        const Motion<S> rho = moving_axes_term(model_, data_, j, data_.v);
        psi += closure_.relative(rho, side);
        if (accelerates)
          psi_a +=
              closure_.relative(Motion<S>::zero(), rho, moving_axes_variation(model_, data_, data_.a, j).psi_a, side);
      }
      int i = 0;
      if (!accelerates) {
        for (const auto& row : closure_.rows()) put(i++, j, row.rate_along(phi, psi), S(0), S(0));
        return;
      }
      const Motion<S> chi = psi + closure_.relative(data_.phi[j], data_.phi_dot[j], side);
      for (const auto& row : closure_.rows()) {
        const S turned = row.along(row.rate, phi);
        put(i++, j, S(row.along(row.f, psi) + turned), S(row.along(row.f, chi) + S(2) * turned),
            row.second_rate_along(phi, psi, psi_a));
      }
    });
  }
  /// Computes dK/dt x = f . c + df/dt . V for any motion x of the tree, without the entries of dK/dt. V and c are the
  /// sums of Phi_k x_k and of dPhi_k x_k from the ground to each body. This needs the level of velocities.
  void times_Kdot(const VectorX<S>& x, const PerNode<Motion<S>>& V, const PerNode<Motion<S>>& c, S* out) const {
    if (loop_.frames.empty()) {
      out[0] = S(0);
      return for_each_coupling_entry([&](int, int j, const S& rate) { out[0] += rate * x[j]; });
    }
    Motion<S> move = Motion<S>::zero(), change = move;
    for (const int side : {0, 1})
      if (const int b = loop_.frames[static_cast<std::size_t>(side)].node(); b >= 0)
        move += closure_.relative(V[b], side), change += closure_.relative(V[b], c[b], side);
    for (const auto& row : closure_.rows()) *out++ = row.rate_along(move, change);
  }

 private:
  /// Calls put for the entries of a coupling or relation.
  template <class Put>
  void for_each_coupling_entry(Put&& put) const {
    const auto rates = [&](int j) {
      return std::pair(level_ >= Pass::velocity ? data_.v[j] : S(0), level_ == Pass::acceleration ? data_.a[j] : S(0));
    };
    for_each_coupling_rate(data_, loop_, level_, rates, [&](int j, const S& x, const S& rate, const S& second_rate) {
      put(0, j, level_ == Pass::position ? x : level_ == Pass::velocity ? rate : second_rate);
    });
  }

  const Model<S>& model_;
  const Data<S>& data_;
  const Loop& loop_;
  const ClosureInMotion<S>& closure_;
  Pass level_;
};

/// A loop that is evaluated on construction, without the conditions in `idle` (ClosureInMotion::set), for functions
/// that read it once.
template <class S>
class LoopAtState : private ClosureInMotion<S>, public LoopInMotion<S> {
 public:
  LoopAtState(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
              Pass level = Pass::position, std::span<const char> idle = {})
      : LoopInMotion<S>(model, data, loop, *this, level) {
    if (!loop.frames.empty()) this->set(data, loop, level, idle);
  }
};

/// Calls f(i, k_i) once for each condition of a closure; the next overload takes any loop.
template <class S, class F>
void for_each_residual(const FramesInMotion<S>& frames, const typename Loops<S>::Loop& loop, F&& f) {
  for (int i = 0; const closure::Condition& condition : loop.conditions) {
    ConditionInMotion<S> own;
    own.set(condition, frames);
    f(i++, own.value);
  }
}
template <class S, class F>
void for_each_residual(const Data<S>& data, const typename Loops<S>::Loop& loop, F&& f) {
  if (loop.frames.empty()) return f(0, coupling_value(data, loop));
  FramesInMotion<S> frames;
  frames.set(data, loop.frames);
  for_each_residual(frames, loop, f);
}

}}}  // namespace corio::detail
