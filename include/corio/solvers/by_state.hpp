#pragma once

#include <algorithm>
#include <type_traits>

#include "corio/core/scalar.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Reads number of state l from each entry of a matrix of packs.
template <class X, class Y>
Y& take_state(const X& from, int l, Y& to) {
  to.resize(from.rows(), from.cols());
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i] = from.data()[i][l];
  return to;
}
/// Writes the numbers of state l into a matrix of packs of this size.
template <class Y, class X>
void put_state(const Y& from, int l, X& to) {
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i].set(l, from.data()[i]);
}

/// A solver for a pack of states, which solves one state after the other, as each state has its own pivots.
template <class P, class Solver>
class SolverByState {
  using N = typename NumberOf<P>::Type;

 public:
  template <class... Pattern>
  void compute(const MatrixX<P>& A, const Pattern&... pattern) {
    for (int l = 0; l < states_of<P>; ++l) of_state_[l].compute(take_state(A, l, B_), pattern...);
  }
  /// Returns the largest rank of all states.
  Eigen::Index rank() const { return std::ranges::max_element(of_state_, {}, &Solver::rank)->rank(); }
  void solve(MatrixX<P>& B, MatrixX<P>& X) {
    for (int l = 0; l < states_of<P>; ++l) {
      of_state_[l].solve(take_state(B, l, B_), X_);
      X.resize(X_.rows(), X_.cols());
      put_state(B_, l, B), put_state(X_, l, X);
    }
  }
  void minus_solve(const MatrixX<P>& B, const VectorX<P>& scale, MatrixX<P>& X) {
    for (int l = 0; l < states_of<P>; ++l) {
      of_state_[l].minus_solve(take_state(B, l, B_), take_state(scale, l, b_), X_);
      X.resize(X_.rows(), X_.cols());
      put_state(X_, l, X);
    }
  }
  void solve_transposed(const VectorX<P>& b, VectorX<P>& x) {
    for (int l = 0; l < states_of<P>; ++l) {
      of_state_[l].solve_transposed(take_state(b, l, b_), x_);
      x.resize(x_.rows());
      put_state(x_, l, x);
    }
  }

 private:
  Solver of_state_[states_of<P>];
  MatrixX<N> B_, X_;
  VectorX<N> b_, x_;
};

template <class S, class Solver>
using SolverFor = std::conditional_t<states_of<S> == 1, Solver, SolverByState<S, Solver>>;

}}}  // namespace corio::detail
