#pragma once

#include <algorithm>

#include "corio/kinematics/joint_brackets.hpp"
#include "corio/loops/loop_in_motion.hpp"

/// The conditions k(q) = 0 of closed loops, their Jacobian K with dk/dt = K v, and its rates. Each row is a wrench,
/// whose power on the relative motion of the two bodies is the rate of the condition,
///   dk/dt = F . (V_second - V_first),   K_j = +-F . Phi_j
/// for the degrees of freedom j that move one of the bodies and not the other. A force lambda_i of row i acts as the
/// wrench lambda_i F_i on the second body and its opposite on the first, with the generalized forces K^T lambda.
///
/// All functions overwrite the whole vector or matrix of the caller. They are valid at every q, whether or not the
/// loops are closed. Source: Featherstone (2008), ch. 8, with the rows as derivatives of scalar conditions on the
/// relative pose.
namespace corio::inline CORIO_ABI {
namespace detail {

template <class S>
void check_constraints(const Model<S>& model, const Loops<S>& loops, const MatrixOut<S>& K, const char* function) {
  loops.check_fits(model, function);
  check_shape("the matrix", K.rows(), K.cols(), loops.rows(), model.nv(), function);
}

template <class S>
void write_rows(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, Pass level, MatrixOut<S> K) {
  K.set_zero();
  for (const auto& loop : loops.all())
    LoopInMotion<S>(model, data, loop, level).for_each_entry([&](int i, int j, const S& x) {
      K(loop.begin + i, j) = x;
    });
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
  for (const auto& loop : loops.all())
    detail::LoopInMotion<S>(model, data, loop).for_each_value([&](int i, const S& x) { k[loop.begin + i] = x; });
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
  data.require(model, {.pass = Pass::acceleration, .name = "constraint_jacobian_ddot", .column_rates = true});
  detail::check_constraints<S>(model, loops, Kddot, "constraint_jacobian_ddot");
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
  detail::check_vector("lambda", lambda, loops.rows());
  const auto& loop = loops.loop(name);
  if (loop.frames.empty()) throw ModelError(detail::join({"loop '", name, "' couples coordinates: it has no wrench"}));
  const detail::LoopInMotion<S> moving(model, data, loop);
  Force<S> sum = Force<S>::zero();
  for (int i = 0; i < loop.rows(); ++i) sum += moving.condition(i).F * lambda[loop.begin + i];
  return sum;
}

namespace detail {

/// A closure while one degree of freedom j after the other moves one of its frames with unit speed.
template <class S>
class ClosureAlong : public LoopInMotion<S> {
 public:
  using typename LoopInMotion<S>::Loop;

  ClosureAlong(const Model<S>& model, const Data<S>& data, const Loop& loop) : LoopInMotion<S>(model, data, loop) {
    this->level_ = Pass::velocity;
    this->first_.move(Motion<S>::zero()), this->second_.move(Motion<S>::zero());
  }
  /// f(j) for all that move one of the frames, where condition() and derivatives are along j.
  template <class F>
  void for_each_dof(F&& f) {
    for_each_between<S>(this->model_, this->loop_, [&](int j, int side) {
      j_ = j, moved_ = side;
      FrameInMotion<S>& moving = side == 1 ? this->second_ : this->first_;
      moving.move(this->data_.phi[j]);
      f(j);
      moving.move(Motion<S>::zero());
    });
  }
  /// put(r, i, D_j K_i) for all i that move one of the frames, where K is the row with the r-th of the wrenches F, or a
  /// sum of rows, and their rates along j.
  template <class Put>
  void for_each_derivative(int rows, const Force<S>* F, const Force<S>* rate_of_F, Put&& put) const {
    for_each_between<S>(this->model_, this->loop_, [&](int i, int side) {
      const Motion<S> phi = this->relative(this->data_.phi[i], side);
      if (side != moved_) {
        for (int r = 0; r < rows; ++r) put(r, i, dot(rate_of_F[r], phi));
        return;
      }
      const Motion<S> change = this->relative(column_derivative(this->model_, this->data_, j_, i), side);
      for (int r = 0; r < rows; ++r) put(r, i, dot(rate_of_F[r], phi) + dot(F[r], change));
    });
  }

 private:
  int j_ = -1, moved_ = 0;
};

/// use(j, entries) for the degrees of freedom j of a loop, where entries(put) calls put(i, k, D_j K(i,k)) for the
/// nonzero entries of its rows i: both k and j move one of a closure's frames and not the other, or belong to one
/// relation. O(d^2) a row.
template <class S, class Use>
void for_each_jacobian_derivative(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop,
                                  Use&& use) {
  for_each_relation_derivative(data, loop, [&](int j, auto&& entries) {
    use(j, [&](auto&& put) { entries([&](int k, const S& x) { put(0, k, x); }); });
  });
  if (loop.frames.empty()) return;
  ClosureAlong<S> along(model, data, loop);
  along.for_each_dof([&](int j) {
    use(j, [&](auto&& put) {
      constexpr int most = 6;  // rows at a time
      Force<S> F[most], rate[most];
      for (int begin = 0; begin < loop.rows(); begin += most) {
        const int rows = (std::min)(most, loop.rows() - begin);
        for (int r = 0; r < rows; ++r) {
          const ConditionInMotion<S> c = along.condition(begin + r);
          F[r] = c.F, rate[r] = c.rate;
        }
        along.for_each_derivative(rows, F, rate, [&](int r, int k, const S& x) { put(begin + r, k, x); });
      }
    });
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
  ClosureAlong<S> along(model, data, loop);
  along.for_each_dof([&](int j) {
    Force<S> force = Force<S>::zero(), rate = force;
    for (int r = 0; r < loop.rows(); ++r) {
      const ConditionInMotion<S> c = along.condition(r);
      force += c.F * lambda[loop.begin + r], rate += c.rate * lambda[loop.begin + r];
    }
    f(j, [&](auto&& use) { along.for_each_derivative(1, &force, &rate, [&](int, int i, const S& x) { use(i, x); }); });
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
      const int n = model.node_of(k), begin = model.node(n).v_begin, nv = model.node(n).v_end - begin;
      if (begin != k || nv == 1) return;
      const JointBrackets<S> brackets(model, data, n);
      S Z_v[joint::max_nv][joint::max_nv], Z_a[joint::max_nv][joint::max_nv];  // by column
      for (int b = 0; b < nv; ++b) {
        brackets.columns(&data.v[begin], b, Z_v[b]), brackets.columns(&data.a[begin], b, Z_a[b]);
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
  detail::check_vector("lambda", lambda, loops.rows());
  detail::check_shape("the matrix", out.rows(), out.cols(), model.nv(), model.nv(), "constraint_force_derivatives");
  out.set_zero();
  detail::for_each_force_derivative<S>(model, data, loops, lambda, [&](int i, int j, const S& x) { out(i, j) += x; });
}

}  // namespace corio
