#pragma once

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Sets x <- A^-1 x for the first n rows and columns of a positive definite A, by Gaussian elimination without
/// pivoting, which is stable for such matrices. It serves the few rows of a joint: plain loops over any scalar, packs
/// of states included. Overwrites A. O(n^3).
template <class S, int size>
void solve_definite(S (&A)[size][size], S* x, int n) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const S factor = A[i][k] / A[k][k];
      for (int j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      x[i] -= factor * x[k];
    }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
}

}}}  // namespace corio::detail
