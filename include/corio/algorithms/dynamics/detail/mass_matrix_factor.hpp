#pragma once

#include "corio/algorithms/dynamics/crba.hpp"

/// M = L^T D L with a unit lower triangular L, of a Model or a Mechanism. parent_dof is its elimination tree: for a
/// Model L has the zeros of M, since no fill-in occurs if degrees of freedom are eliminated from the leaves to the
/// root. Source: Featherstone (2005; 2008, ch. 6).
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Replaces the lower triangle of a mass matrix by L and its diagonal by D. O(n d^2).
/// @throws ModelError for a speed of a Mechanism that moves no inertia; a Model is checked before (Needs::inverse)
template <class Robot, class S>
void factorize_mass_matrix(const Robot& robot, MatrixX<S>& M) {
  for (int k = robot.nv() - 1; k >= 0; --k) {
    if constexpr (requires { robot.require_inertia(k, M(k, k)); }) robot.require_inertia(k, M(k, k));
    const S reciprocal = S(1) / M(k, k);
    for (int i = robot.parent_dof(k); i >= 0; i = robot.parent_dof(i)) {
      const S factor = M(k, i) * reciprocal;
      for (int j = i; j >= 0; j = robot.parent_dof(j)) M(i, j) -= factor * M(k, j);
      M(k, i) = factor;
    }
  }
}

/// Sets x <- M^-1 x for n rows x_i of m numbers each, row after row. O(n d m).
template <class Robot, class S>
void solve_mass_matrix(const Robot& robot, const MatrixX<S>& factor, S* x, Eigen::Index m) {
  const auto subtract = [&](int from, int i, const S& a) {
    for (Eigen::Index c = 0; c < m; ++c) x[from * m + c] -= a * x[i * m + c];
  };
  for (int i = robot.nv() - 1; i >= 0; --i) {
    for (int j = robot.parent_dof(i); j >= 0; j = robot.parent_dof(j)) subtract(j, i, factor(i, j));
    const S reciprocal = S(1) / factor(i, i);
    for (Eigen::Index c = 0; c < m; ++c) x[i * m + c] *= reciprocal;
  }
  for (int i = 0; i < robot.nv(); ++i)
    for (int j = robot.parent_dof(i); j >= 0; j = robot.parent_dof(j)) subtract(i, j, factor(i, j));
}

/// The factor of the mass matrix at the configuration in Data; the factor overwrites its own copy of M.
template <class S, class Robot = Model<S>>
struct MassMatrixFactor : DataOf<Robot>::template Form<algorithm::Crba<S>> {
  using Base = typename DataOf<Robot>::template Form<algorithm::Crba<S>>;
  using Base::Base;
  const MatrixX<S>& run(const Robot& robot, DataOf<Robot>& data) {
    Base::run(robot, data);
    factorize_mass_matrix(robot, this->M);
    return this->M;
  }
};

}}}  // namespace corio::detail
