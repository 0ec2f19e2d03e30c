#pragma once

#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/loops/constraint_jacobian.hpp"

namespace corio {
namespace detail {

/// The frames of a closure while a degree of freedom j moves one of them, as given by for_each_between.
template <class S>
struct FramesAlong {
  FrameInMotion<S> first, second;
  int j, moved;

  FramesAlong(const Data<S>& data, const typename Loops<S>::Loop& loop, int dof, int side)
      : first(data, loop.frames[0]), second(data, loop.frames[1]), j(dof), moved(side) {
    (moved == 1 ? second : first).move(data.phi[j]);
  }
  /// f(i, D_j K_i) for all i that move one of the frames, where K is the row of a condition, or a sum of rows, with the
  /// wrench F and its rate.
  template <class Use>
  void for_each_derivative(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                           const Force<S>& F, const Force<S>& rate_of_F, Use&& f) const {
    for_each_between<S>(model, loop, [&](int i, int side) {
      const auto relative = [&](const Motion<S>& V) { return relative_motion(V, side, first, second); };
      S x = dot(rate_of_F, relative(data.phi[i]));
      if (side == moved) x += dot(F, relative(column_derivative(model, data, j, i)));
      f(i, x);
    });
  }
};

/// f(i, j, entries) for the rows i of a loop that change along degree of freedom j, where entries(use) calls use(k, D_j
/// K(i,k)) for the nonzero entries: both k and j move one of a closure's frames and not the other, or belong to one
/// relation. O(d^2) a row.
template <class S, class F>
void for_each_jacobian_derivative(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                                  F&& f) {
  for_each_relation_derivative(data, loop, [&](int j, auto&& entries) { f(0, j, entries); });
  if (loop.frames.empty()) return;
  for_each_between<S>(model, loop, [&](int j, int side) {
    const FramesAlong<S> along(data, loop, j, side);
    for (int i = 0; const auto& condition : loop.conditions) {
      const ConditionInMotion<S> c(condition, along.first, along.second, Pass::velocity);
      f(i++, j, [&](auto&& use) { along.for_each_derivative(model, data, loop, c.F, c.rate, use); });
    }
  });
}

/// f(j, entries) for the degrees of freedom j of a loop, where entries(use) calls use(i, D_j (K^T lambda)_i) for the
/// nonzero entries. O(d^2), and O(d) a row.
template <class S, class F>
void for_each_force_derivative(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                               VectorIn<S> lambda, F&& f) {
  for_each_relation_derivative(data, loop, [&](int j, auto&& entries) {
    f(j, [&](auto&& use) { entries([&](int i, const S& x) { use(i, S(x * lambda[loop.begin])); }); });
  });
  if (loop.frames.empty()) return;
  for_each_between<S>(model, loop, [&](int j, int side) {
    const FramesAlong<S> along(data, loop, j, side);
    Force<S> force = Force<S>::zero(), rate = force;
    int row = loop.begin;
    for (const auto& condition : loop.conditions) {
      const ConditionInMotion<S> c(condition, along.first, along.second, Pass::velocity);
      force += c.F * lambda[row];
      rate += c.rate * lambda[row++];
    }
    f(j, [&](auto&& use) { along.for_each_derivative(model, data, loop, force, rate, use); });
  });
}
/// f(i, j, D_j (K^T lambda)_i) for all loops.
template <class S, class F>
void for_each_force_derivative(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorIn<S> lambda,
                               F&& f) {
  for (const auto& loop : loops.all())
    for_each_force_derivative<S>(model, data, loop, lambda,
                                 [&](int j, auto&& entries) { entries([&](int i, const S& x) { f(i, j, x); }); });
}

/// Derivatives of the rates of the conditions, dk/dt = K v and d2k/dt2 = K a + dK/dt v, by the state. If v were the
/// rate of coordinates, derivatives would commute, and these would be
///   d(dk/dt)/dq = dK/dt,   d(d2k/dt2)/dv = 2 dK/dt,   d(d2k/dt2)/dq = d2K/dt2.
/// In general, q moves by x at constant v and a if dx/dt = -Z(v) x, where Z(v)(l,b) = sum_a c(l,a,b) v_a with the
/// structure constants c. This adds terms to d(K x)/dt and d2(K x)/dt2:
///   d(dk/dt)/dq = dK/dt - K Z(v),   d(d2k/dt2)/dv = 2 dK/dt - K Z(v),
///   d(d2k/dt2)/dq = d2K/dt2 - d(d2k/dt2)/dv Z(v) - K Z(a).
template <class S>
struct ConstraintRateDerivatives {
  MatrixX<S> rate_dq, second_dv, second_dq;

  /// For K, dK/dt and d2K/dt2 of the state, with column(j) for each degree of freedom j that for_each_dof(f) visits.
  template <class Dofs, class Column>
  void run(const Model<S>& model, const Data<S>& data, const MatrixX<S>& K, const MatrixX<S>& Kdot,
           const MatrixX<S>& Kddot, Dofs&& for_each_dof, Column&& column) {
    rate_dq = Kdot, second_dv = S(2) * Kdot, second_dq = Kddot;
    const auto subtract = [](MatrixX<S>& from, int b, const MatrixX<S>& x, int l, const S& factor) {
      for (Eigen::Index i = 0; i < x.rows(); ++i) from(i, b) -= x(i, l) * factor;
    };
    for_each_dof([&](int k) {
      const int n = model.node_of_dof(k), begin = model.node(n).v_begin, nv = model.node(n).v_end - begin;
      if (begin != k || nv == 1) return;
      const JointBrackets<S> brackets(data, n, model.node(n));
      S Z_v[joint::max_nv][joint::max_nv], Z_a[joint::max_nv][joint::max_nv];  // by column
      for (int b = 0; b < nv; ++b) {
        brackets.columns(&data.v[begin], b, Z_v[b]), brackets.columns(&data.dv[begin], b, Z_a[b]);
        for (int l = 0; l < nv; ++l) {
          subtract(rate_dq, column(k + b), K, column(k + l), Z_v[b][l]);
          subtract(second_dv, column(k + b), K, column(k + l), Z_v[b][l]);
          subtract(second_dq, column(k + b), K, column(k + l), Z_a[b][l]);
        }
      }
      for (int b = 0; b < nv; ++b)
        for (int l = 0; l < nv; ++l) subtract(second_dq, column(k + b), second_dv, column(k + l), Z_v[b][l]);
    });
  }
};

}  // namespace detail

/// d(K^T lambda)/dq for constant forces lambda: column j is the derivative along degree of freedom j. It is not
/// symmetric where several degrees of freedom of one joint in a loop do not commute.
/// @param lambda  loops.rows(), N and N m
/// @param out     nv x nv, overwritten
/// @throws SizeError, ModelError for loops of another model. O(d^2) a loop, and the zeros.
template <class S>
void constraint_force_derivatives(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, VectorIn<S> lambda,
                                  MatrixOut<S> out) {
  data.require(model, Pass::position, "constraint_force_derivatives");
  loops.check_fits(model, "constraint_force_derivatives");
  detail::check_input("lambda", lambda, loops.rows());
  detail::check_shape("the matrix", out.rows(), out.cols(), model.nv(), model.nv(), "constraint_force_derivatives");
  out.set_zero();
  detail::for_each_force_derivative<S>(model, data, loops, lambda, [&](int i, int j, const S& x) { out(i, j) += x; });
}

}  // namespace corio
