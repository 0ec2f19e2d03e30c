#pragma once

#include <Eigen/QR>
#include <concepts>
#include <string>
#include <vector>

#include "corio/algorithms/coriolis_matrix.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/loops/constraint_jacobian.hpp"

/// Equations of motion of a mechanism with closed loops in as many speeds as it has freedom: some of those of its tree,
/// v_i = y, from which the others follow, v = G y.
namespace corio {

/// The equations of motion in independent speeds y, for closed loops and v = G y:
///   M y' + C y + g = G^T tau,   with M, C, g of as many rows as there are independent speeds.
template <class S>
struct ProjectedDynamics {
  MatrixX<S> G, Gdot;     // nv x independent: v = G y, a = G y' + Gdot y
  MatrixX<S> M, C, Mdot;  // Mdot = C + C^T
  VectorX<S> g;
};

namespace detail {

/// A rank-revealing factorization of K with rows of unit length.
template <class S>
Eigen::ColPivHouseholderQR<MatrixX<S>> pivoted(const MatrixX<S>& K) {
  Eigen::ColPivHouseholderQR<MatrixX<S>> qr(row_scales<S>(K.rowwise().norm()).asDiagonal() * K);
  qr.setThreshold(loop_tolerance<S>);
  return qr;
}
template <class S>
Eigen::Index rank_of(const MatrixX<S>& K) {
  return K.size() == 0 ? 0 : pivoted<S>(K).rank();
}

}  // namespace detail

/// Degrees of freedom that determine all others in the present configuration, ascending: those that a rank-revealing
/// factorization of K (Householder, with column pivoting) does not need as pivots, so that those that it does need are
/// found from the rest as accurately as can be.
/// @throws ModelError for loops of another model. O(m^2 n). Allocates.
template <std::floating_point S>
std::vector<int> independent_speeds(const Model<S>& model, const Data<S>& data, const Loops<S>& loops) {
  MatrixX<S> K(loops.rows(), model.nv());
  constraint_jacobian<S>(model, data, loops, K);
  if (K.rows() == 0) K.setZero(1, K.cols());  // Eigen does not factorize what has no rows
  const auto qr = detail::pivoted<S>(K);
  const auto& order = qr.colsPermutation().indices();
  std::vector<int> independent(order.begin() + qr.rank(), order.end());
  std::ranges::sort(independent);
  return independent;
}

/// With K_d, K_i the columns of K of the dependent and independent speeds,
///   G_i = 1, G_d = -K_d^-1 K_i,   Gdot_i = 0, Gdot_d = -K_d^-1 (dK/dt G),
///   M = G^T M G,   C = G^T C G + G^T M Gdot,   g = G^T g
/// of the tree's M, C, g. C inherits what the factorization of the tree promises: dM/dt - 2 C is skew-symmetric if it
/// is admissible. Conditions may be redundant, as long as they do not contradict each other.
///
/// @param independent  the degrees of freedom that y is made of, see independent_speeds; their order is that of y
/// @throws StateError before forward_kinematics(model, data, q, v); ModelError for loops of another model, and if these
/// speeds do not determine the motion, or cannot be chosen freely, which happens where K_d is singular. O(n^3).
/// Allocates.
/// Source: Wensing and Slotine (2023), eq. 18.
template <class Factorization = factorization::Christoffel, std::floating_point S>
ProjectedDynamics<S> projected_dynamics(const Model<S>& model, Data<S>& data, const Loops<S>& loops,
                                        const std::vector<int>& independent, const Factorization& B = {}) {
  const int n = model.nv(), m = loops.rows();
  std::vector<int> dependent;
  for (int k = 0; k < n; ++k)
    if (std::ranges::find(independent, k) == independent.end()) dependent.push_back(k);
  for (const int k : independent)
    if (k < 0 || k >= n || std::ranges::count(independent, k) > 1)
      throw ModelError(detail::join({"projected_dynamics: degree of freedom ", std::to_string(k),
                                     " does not exist, or is named twice among the independent ones"}));

  MatrixX<S> K(m, n), Kdot(m, n);
  constraint_jacobian<S>(model, data, loops, K);
  constraint_jacobian_dot<S>(model, data, loops, Kdot);
  const MatrixX<S> K_d = K(Eigen::all, dependent);
  const auto rank = detail::rank_of<S>(K_d);
  if (rank < std::ssize(dependent) || detail::rank_of<S>(K) > rank)
    throw ModelError(
        detail::join({"projected_dynamics: of the ", std::to_string(dependent.size()), " dependent speeds of model '",
                      model.name(), "' the independent ones determine ", std::to_string(rank),
                      "; take others here, see independent_speeds, or leave a singular configuration"}));
  const auto columns = static_cast<Eigen::Index>(independent.size());
  ProjectedDynamics<S> result;
  result.G.setZero(n, columns), result.Gdot.setZero(n, columns);
  for (Eigen::Index j = 0; j < columns; ++j) result.G(independent[static_cast<std::size_t>(j)], j) = S(1);
  if (!dependent.empty()) {
    const Eigen::CompleteOrthogonalDecomposition<MatrixX<S>> solver(K_d);
    result.G(dependent, Eigen::all) = -solver.solve(K(Eigen::all, independent));
    result.Gdot(dependent, Eigen::all) = -solver.solve(Kdot * result.G);
  }
  const auto& tree = coriolis_matrix(model, data, B);
  const MatrixX<S>& G = result.G;
  result.M = G.transpose() * tree.M * G;
  result.C = G.transpose() * (tree.C * G + tree.M * result.Gdot);
  result.Mdot = result.C + result.C.transpose();
  result.g = G.transpose() * generalized_gravity(model, data);
  return result;
}

}  // namespace corio
