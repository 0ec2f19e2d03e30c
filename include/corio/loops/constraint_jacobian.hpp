#pragma once

#include <algorithm>
#include <cmath>

#include "corio/kernels/dense_solvers.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/variations.hpp"
#include "corio/loops/condition_in_motion.hpp"

/// The conditions k(q) = 0 of closed loops, their Jacobian K with dk/dt = K v, and its rates. Each row is a wrench,
/// whose power on the relative motion of the two bodies is the rate of the condition,
///   dk/dt = F . (V_second - V_first),   K_j = +-F . Phi_j
/// for the degrees of freedom j that move one of the bodies and not the other. A force lambda_i of row i acts as the
/// wrench lambda_i F_i on the second body and its opposite on the first, with the generalized forces K^T lambda.
///
/// All functions overwrite the whole vector or matrix of the caller. They are valid at every q, whether or not the
/// loops are closed. Source: Featherstone (2008), ch. 8, with the rows as derivatives of scalar conditions on the
/// relative pose.
namespace corio {
namespace detail {

template <class S>
void check_constraints(const Model<S>& model, const Loops<S>& loops, const MatrixOut<S>& K, const char* function) {
  loops.check_fits(model, function);
  check_shape("the matrix", K.rows(), K.cols(), loops.rows(), model.nv(), function);
}

/// put(i, j, x) for the entries of K, its rate or its second rate, by `level`, in row i of a loop.
template <class S, class Put>
void for_each_row_entry(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop, Pass level,
                        Put&& put) {
  if (loop.frames.empty()) {
    const auto rates = [&](int j) {
      return std::pair(level >= Pass::velocity ? data.v[j] : S(0), level == Pass::acceleration ? data.dv[j] : S(0));
    };
    for_each_coupling_rate(data, loop, level, rates, [&](int j, const S& x, const S& rate, const S& second_rate) {
      put(0, j, level == Pass::position ? x : level == Pass::velocity ? rate : second_rate);
    });
    return;
  }
  const FrameInMotion<S> first(data, loop.frames[0], level), second(data, loop.frames[1], level);
  constexpr int most = 6;  // conditions at a time, for each way between the frames
  Force<S> F[most], rate[most], second_rate[most];
  for (int begin = 0; begin < loop.rows(); begin += most) {
    const int end = std::min(begin + most, loop.rows());
    for (int i = begin; i < end; ++i) {
      const ConditionInMotion<S> c(loop.conditions[static_cast<std::size_t>(i)], first, second, level);
      F[i - begin] = c.F;
      if (level >= Pass::velocity) rate[i - begin] = c.rate;
      if (level == Pass::acceleration) second_rate[i - begin] = c.second_rate;
    }
    for_each_between<S>(model, loop, [&](int j, int side) {
      const auto relative = [&](const Motion<S>& V) { return relative_motion(V, side, first, second); };
      const Motion<S> phi = relative(data.phi[j]);
      if (level == Pass::position) {
        for (int i = 0; i < end - begin; ++i) put(begin + i, j, dot(F[i], phi));
        return;
      }
      const Motion<S> phi_dot = relative(data.phi_dot[j]);
      if (level == Pass::velocity) {
        for (int i = 0; i < end - begin; ++i) put(begin + i, j, dot(F[i], phi_dot) + dot(rate[i], phi));
        return;
      }
      const Motion<S> phi_ddot = relative(column_second_rate(model, data, j));
      for (int i = 0; i < end - begin; ++i)
        put(begin + i, j, dot(F[i], phi_ddot) + S(2) * dot(rate[i], phi_dot) + dot(second_rate[i], phi));
    });
  }
}
template <class S>
void write_rows(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, Pass level, MatrixOut<S> K) {
  K.set_zero();
  for (const auto& loop : loops.all())
    for_each_row_entry(model, data, loop, level, [&](int i, int j, const S& x) { K(loop.begin + i, j) = x; });
}

/// put(i, dK/dt x) for the rows i of a loop and any motion x of the tree, without the entries of dK/dt.
template <class S, class Put>
void for_each_row_rate(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                       const VectorX<S>& x, Put&& put) {
  if (loop.relation) {
    const S rate = relation_rate(data, loop, x);
    // The entries by themselves name the joint.
    if constexpr (states_of<S> == 1)
      if (!std::isfinite(value_of(rate)))
        for_each_row_entry(model, data, loop, Pass::velocity, [](int, int, const S&) {});
    return put(0, rate);
  }
  if (loop.frames.empty()) return put(0, S(0));
  const FrameInMotion<S> first(data, loop.frames[0], Pass::velocity), second(data, loop.frames[1], Pass::velocity);
  Motion<S> moves[2] = {Motion<S>::zero(), Motion<S>::zero()}, changes[2] = {moves[0], moves[0]};
  for_each_between<S>(model, loop, [&](int j, int side) {
    moves[side] += data.phi[j] * x[j], changes[side] += data.phi_dot[j] * x[j];
  });
  const auto relative = [&](const Motion<S>(&V)[2]) {
    return relative_motion(V[0], 0, first, second) + relative_motion(V[1], 1, first, second);
  };
  const Motion<S> move = relative(moves), change = relative(changes);
  for (int i = 0; const auto& condition : loop.conditions) {
    const ConditionInMotion<S> c(condition, first, second, Pass::velocity);
    put(i++, dot(c.F, change) + dot(c.rate, move));
  }
}

/// Factors that scale the rows of a loop to length 1 before their rank is found, and 0 for a row in which all terms
/// cancel up to the share `play` of their size. Each row is compared with its own terms only, because rows in m and in
/// rad, of small bodies or of large gears, may have any size. The term of a joint with axis w at a point c from the
/// tree's origin consists of w x c and the velocity of that origin; |c| is increased by one millimetre, because levers
/// are not known better than to a millimetre times `play`.
/// @param square  square(i), the squared length of row i of the loop, by real values if S has others
/// @param scale   loop.rows(), overwritten
template <class S, class Square>
void find_row_scales(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop, Square&& square,
                     double play, S* scale) {
  using Form = closure::Condition::Form;
  using R = std::decay_t<decltype(real_value(std::declval<const S&>()))>;
  constexpr double least_lever = 1e-3;
  const auto length = [](const auto& x) {
    using std::sqrt;
    return R(sqrt(real_value(dot(x, x))));
  };
  R turns(0), moves(0);
  if (!loop.frames.empty()) {
    const FrameInMotion<S> first(data, loop.frames[0]), second(data, loop.frames[1]);
    const R lever[2] = {length(second.origin - first.origin + second.pose.translation) + R(least_lever),
                        length(second.pose.translation) + R(least_lever)};
    for_each_between<S>(model, loop, [&](int j, int side) {
      const R turn = length(data.phi[j].angular);
      turns += turn, moves += turn * lever[side] + length(data.phi[j].linear);
    });
  }
  for (int i = 0; i < loop.rows(); ++i) {
    R least(0);
    if (!loop.frames.empty()) {
      const auto& [form, a, b, l] = loop.conditions[static_cast<std::size_t>(i)];
      least = R(play) * (form == Form::direction ? R(turns * length(a) * length(b))
                         : form == Form::offset  ? R(moves * length(a))
                                                 : moves);
    }
    using std::sqrt;
    const R size = sqrt(real_value(square(i)));
    scale[i] = select(size > least, S(R(1) / size), S(0));
  }
}
/// The same for a loop whose rows are those of K from `begin` on.
template <class S>
void find_row_scales(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                     const MatrixX<S>& K, Eigen::Index begin, double play, VectorX<S>& scale) {
  const auto square = [&](int i) {
    auto sum = real_value(S(0));
    for (Eigen::Index j = 0; j < K.cols(); ++j) sum += real_value(K(begin + i, j)) * real_value(K(begin + i, j));
    return sum;
  };
  find_row_scales(model, data, loop, square, play, scale.data() + begin);
}
/// The same for all rows of K.
template <class S>
void find_row_scales(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, const MatrixX<S>& K,
                     double play, VectorX<S>& scale) {
  scale.resize(loops.rows());
  for (const auto& loop : loops.all()) find_row_scales(model, data, loop, K, loop.begin, play, scale);
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
    if (loop.frames.empty()) k[loop.begin] = detail::coupling_value(data, loop);
    detail::for_each_condition<S>(data, loop, [&](int row, const auto& c) { k[row] = c.value; });
  }
}

/// K(q), dk/dt = K v.
/// @param K  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> K) {
  data.require(model, Pass::position, "constraint_jacobian");
  detail::check_constraints<S>(model, loops, K, "constraint_jacobian");
  detail::write_rows<S>(model, data, loops, Pass::position, K);
}

/// dK/dt: d2k/dt2 = K a + dK/dt v.
/// @param Kdot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_dot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kdot) {
  data.require(model, Pass::velocity, "constraint_jacobian_dot");
  detail::check_constraints<S>(model, loops, Kdot, "constraint_jacobian_dot");
  detail::write_rows<S>(model, data, loops, Pass::velocity, Kdot);
}

/// d2K/dt2, for the acceleration of the state.
/// @param Kddot  loops.rows() x nv, overwritten
/// @throws SizeError, ModelError for loops of another model and for users' joints with axes that move in the body and
/// members that are not templates. O(rows d), and the zeros.
template <class S>
void constraint_jacobian_ddot(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, MatrixOut<S> Kddot) {
  data.require(model, Pass::acceleration, "constraint_jacobian_ddot");
  detail::check_constraints<S>(model, loops, Kddot, "constraint_jacobian_ddot");
  detail::require_dual_forms(model, data, "constraint_jacobian_ddot");
  detail::write_rows<S>(model, data, loops, Pass::acceleration, Kddot);
}

/// The wrench of a loop's forces lambda on the body of its second frame: in world axes, about the origin of that frame
/// (ReferenceFrame::world_aligned). The first body has the opposite one.
/// @param lambda  loops.rows(), N and N m
/// @throws SizeError, ModelError for loops of another model, an unknown name, or a coupling
template <class S>
Force<S> closure_force(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, const std::string& name,
                       VectorIn<S> lambda) {
  data.require(model, Pass::position, "closure_force");
  loops.check_fits(model, "closure_force");
  detail::check_input("lambda", lambda, loops.rows());
  const auto& loop = loops.loop(name);
  if (loop.frames.empty()) throw ModelError(detail::join({"loop '", name, "' couples coordinates: it has no wrench"}));
  Force<S> sum = Force<S>::zero();
  detail::for_each_condition<S>(data, loop, [&](int row, const auto& c) { sum += c.F * lambda[row]; });
  return sum;
}

}  // namespace corio
