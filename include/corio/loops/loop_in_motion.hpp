#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/variations.hpp"
#include "corio/loops/condition_in_motion.hpp"

/// A loop at a state of the tree: its conditions, their rows of K, and the rates of these.
namespace corio::detail {

/// The last of the degrees of freedom that move a frame, -1 for one on the ground.
template <class S>
int last_dof(const Model<S>& model, const Frame<S>& frame) {
  return frame.node() < 0 ? -1 : model.node(frame.node()).v_end - 1;
}

/// f(j, side) for the degrees of freedom j that move one frame and not the other: side 1 the second one, 0 the first.
template <class S, class F>
void for_each_between(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  int i = last_dof(model, loop.frames[0]), j = last_dof(model, loop.frames[1]);
  while (i != j)
    if (i > j)
      f(i, 0), i = model.dof_parent(i);
    else
      f(j, 1), j = model.dof_parent(j);
}

/// f(j) for the degrees of freedom coupled by a loop.
template <class S, class F>
void for_each_coupled(const Model<S>& model, const typename Loops<S>::Loop& loop, F&& f) {
  for (const auto& [joint, factor] : loop.terms) f(joint.v_index());
  if (!loop.frames.empty()) for_each_between<S>(model, loop, [&](int j, int) { f(j); });
}

/// The frames of a closure are evaluated once, up to `level`, for all that is asked for.
template <class S>
class LoopInMotion {
 public:
  using Loop = typename Loops<S>::Loop;

  LoopInMotion(const Model<S>& model, const Data<S>& data, const Loop& loop, Pass level = Pass::position)
      : model_(model),
        data_(data),
        loop_(loop),
        level_(level),
        first_(loop.frames.empty() ? FrameInMotion<S>() : FrameInMotion<S>(data, loop.frames[0], level)),
        second_(loop.frames.empty() ? FrameInMotion<S>() : FrameInMotion<S>(data, loop.frames[1], level)) {}

  /// Of a closure.
  ConditionInMotion<S> condition(int i) const {
    return ConditionInMotion<S>(loop_.conditions[static_cast<std::size_t>(i)], first_, second_, level_);
  }
  /// From a motion of the body of one frame, side 1 the second and 0 the first, about the origin of its tree: the
  /// motion of the second body against the first, about the origin of the second frame, for products with the wrenches
  /// of conditions.
  Motion<S> relative(const Motion<S>& V, int side) const {
    if (side == 1) return about(V, second_.pose.translation);
    return -about(V, second_.origin - first_.origin + second_.pose.translation);
  }
  /// put(i, k_i).
  template <class Put>
  void for_each_value(Put&& put) const {
    if (loop_.frames.empty()) return put(0, coupling_value(data_, loop_));
    for (int i = 0; i < loop_.rows(); ++i) put(i, condition(i).value);
  }
  /// put(i, j, x) for the entries of K, its rate or its second rate, by the level.
  template <class Put>
  void for_each_entry(Put&& put) const;
  /// put(i, dK/dt x) for any motion x of the tree, without the entries of dK/dt. At the level of velocities.
  template <class Put>
  void for_each_rate(const VectorX<S>& x, Put&& put) const;
  /// Factors that scale rows to length 1 before their rank is found, and 0 for a row in which all terms cancel up to
  /// the share `play` of their size. Each row is compared with its own terms only, because rows in m and in rad, of
  /// small bodies or of large gears, may have any size. The term of a joint with axis w at a point c from the tree's
  /// origin consists of w x c and the velocity of that origin; |c| is increased by one millimetre, because levers are
  /// not known better than to a millimetre times `play`.
  /// @param square  square(i), the squared length of row i, by real values if S has others
  /// @param scale   loop.rows(), overwritten
  template <class Square>
  void find_scales(Square&& square, double play, S* scale) const;
  /// The same for rows of K from `begin` on.
  void find_scales(const MatrixX<S>& K, Eigen::Index begin, double play, VectorX<S>& scale) const {
    const auto square = [&](int i) {
      auto sum = real_value(S(0));
      for (Eigen::Index j = 0; j < K.cols(); ++j) sum += real_value(K(begin + i, j)) * real_value(K(begin + i, j));
      return sum;
    };
    find_scales(square, play, scale.data() + begin);
  }

 protected:
  const Model<S>& model_;
  const Data<S>& data_;
  const Loop& loop_;
  Pass level_;
  FrameInMotion<S> first_, second_;
};

template <class S>
template <class Put>
void LoopInMotion<S>::for_each_entry(Put&& put) const {
  if (loop_.frames.empty()) {
    const auto rates = [&](int j) {
      return std::pair(level_ >= Pass::velocity ? data_.v[j] : S(0), level_ == Pass::acceleration ? data_.dv[j] : S(0));
    };
    for_each_coupling_rate(data_, loop_, level_, rates, [&](int j, const S& x, const S& rate, const S& second_rate) {
      put(0, j, level_ == Pass::position ? x : level_ == Pass::velocity ? rate : second_rate);
    });
    return;
  }
  constexpr int most = 6;  // conditions at a time, for each way between the frames
  Force<S> F[most], rate[most], second_rate[most];
  for (int begin = 0; begin < loop_.rows(); begin += most) {
    const int end = std::min(begin + most, loop_.rows());
    for (int i = begin; i < end; ++i) {
      const ConditionInMotion<S> c = condition(i);
      F[i - begin] = c.F;
      if (level_ >= Pass::velocity) rate[i - begin] = c.rate;
      if (level_ == Pass::acceleration) second_rate[i - begin] = c.second_rate;
    }
    for_each_between<S>(model_, loop_, [&](int j, int side) {
      const Motion<S> phi = relative(data_.phi[j], side);
      if (level_ == Pass::position) {
        for (int i = 0; i < end - begin; ++i) put(begin + i, j, dot(F[i], phi));
        return;
      }
      const Motion<S> phi_dot = relative(data_.phi_dot[j], side);
      if (level_ == Pass::velocity) {
        for (int i = 0; i < end - begin; ++i) put(begin + i, j, dot(F[i], phi_dot) + dot(rate[i], phi));
        return;
      }
      const Motion<S> phi_ddot = relative(column_second_rate(model_, data_, j), side);
      for (int i = 0; i < end - begin; ++i)
        put(begin + i, j, dot(F[i], phi_ddot) + S(2) * dot(rate[i], phi_dot) + dot(second_rate[i], phi));
    });
  }
}

template <class S>
template <class Put>
void LoopInMotion<S>::for_each_rate(const VectorX<S>& x, Put&& put) const {
  if (loop_.relation) {
    const S rate = relation_rate(data_, loop_, x);
    // The entries by themselves name the joint.
    if constexpr (states_of<S> == 1)
      if (!std::isfinite(value_of(rate))) for_each_entry([](int, int, const S&) {});
    return put(0, rate);
  }
  if (loop_.frames.empty()) return put(0, S(0));
  Motion<S> moves[2] = {Motion<S>::zero(), Motion<S>::zero()}, changes[2] = {moves[0], moves[0]};
  for_each_between<S>(model_, loop_, [&](int j, int side) {
    moves[side] += data_.phi[j] * x[j], changes[side] += data_.phi_dot[j] * x[j];
  });
  const Motion<S> move = relative(moves[0], 0) + relative(moves[1], 1);
  const Motion<S> change = relative(changes[0], 0) + relative(changes[1], 1);
  for (int i = 0; i < loop_.rows(); ++i) {
    const ConditionInMotion<S> c = condition(i);
    put(i, dot(c.F, change) + dot(c.rate, move));
  }
}

template <class S>
template <class Square>
void LoopInMotion<S>::find_scales(Square&& square, double play, S* scale) const {
  using Form = closure::Condition::Form;
  using R = std::decay_t<decltype(real_value(std::declval<const S&>()))>;
  constexpr double least_lever = 1e-3;
  const auto length = [](const auto& x) {
    using std::sqrt;
    return R(sqrt(real_value(dot(x, x))));
  };
  R turns(0), moves(0);
  if (!loop_.frames.empty()) {
    const R lever[2] = {length(second_.origin - first_.origin + second_.pose.translation) + R(least_lever),
                        length(second_.pose.translation) + R(least_lever)};
    for_each_between<S>(model_, loop_, [&](int j, int side) {
      const R turn = length(data_.phi[j].angular);
      turns += turn, moves += turn * lever[side] + length(data_.phi[j].linear);
    });
  }
  for (int i = 0; i < loop_.rows(); ++i) {
    R least(0);
    if (!loop_.frames.empty()) {
      const auto& [form, a, b, l] = loop_.conditions[static_cast<std::size_t>(i)];
      least = R(play) * (form == Form::direction ? R(turns * length(a) * length(b))
                         : form == Form::offset  ? R(moves * length(a))
                                                 : moves);
    }
    using std::sqrt;
    const R size = sqrt(real_value(square(i)));
    scale[i] = select(size > least, S(R(1) / size), S(0));
  }
}

}  // namespace corio::detail
