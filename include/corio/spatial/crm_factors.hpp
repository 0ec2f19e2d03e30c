#pragma once

#include "corio/spatial/cross.hpp"

/// (V x) as the product of a constant and a block-diagonal matrix: crm(V) = W blkdiag(V, V, V, V, V, V). Only the
/// second factor depends on V, and linearly, which helps derivations; crm is faster. Source: Garofalo, Ott and
/// Albu-Schaeffer (2013), eq. 17 and appendix, here with angular before linear.
namespace corio { inline namespace CORIO_ABI {

/// Returns the constant W, 6 x 36: columns 6 j to 6 j + 5 hold the map from V to column j of (V x), which is -(e_j x).
template <class S>
Eigen::Matrix<S, 6, 36> crm_selection() {
  Eigen::Matrix<S, 6, 36> W;
  for (int j = 0; j < 6; ++j) {
    Motion<S> e = Motion<S>::zero();
    (j < 3 ? e.angular : e.linear)[j % 3] = S(-1);
    W.template middleCols<6>(6 * j) = crm(e);
  }
  return W;
}

/// Returns blkdiag(V, V, V, V, V, V), 36 x 6.
template <class S>
Eigen::Matrix<S, 36, 6> repeated(const Motion<S>& V) {
  Eigen::Matrix<S, 36, 6> blocks = Eigen::Matrix<S, 36, 6>::Zero();
  for (int j = 0; j < 6; ++j)
    for (int r = 0; r < 3; ++r) {
      blocks(6 * j + r, j) = V.angular[r];
      blocks(6 * j + 3 + r, j) = V.linear[r];
    }
  return blocks;
}

}}  // namespace corio
