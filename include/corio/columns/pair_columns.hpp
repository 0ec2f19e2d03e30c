#pragma once

#include "corio/simd/pack.hpp"
#include "corio/spatial/body_operator.hpp"

namespace corio::detail {

/// Coordinates of `side` neighbouring columns, row after row: lane k % side is column k.
template <class S, int rows>
struct Lanes {
  static constexpr int side = tile_side<S>;
  // Numbers that share no registers may have a size that is no power of two.
  alignas(Block<S>::width == 1 ? alignof(S) : side * sizeof(S)) S x[rows][side];

  /// Three coordinates of column k, from `first` on; of a pack, of as many columns as it has lanes.
  template <class N>
  CORIO_INLINE void set(int k, const Vector3<N>& a, int first = 0) {
    repeat<3>([&](int r) CORIO_INLINE_LAMBDA { store_pack(&x[first + r][k % side], a[r]); });
  }
  template <class N>
  CORIO_INLINE void set(int k, const Motion<N>& V) {
    set(k, V.angular), set(k, V.linear, 3);
  }
  /// A force, or with three rows its moment.
  template <class N>
  CORIO_INLINE void set(int k, const Force<N>& F) {
    set(k, F.moment);
    if constexpr (rows == 6) set(k, F.force, 3);
  }

  template <class N = S>
  CORIO_INLINE Vector3<N> vector(int k, int first = 0) const {
    const int l = k % side;
    return {load_pack<N>(&x[first][l]), load_pack<N>(&x[first + 1][l]), load_pack<N>(&x[first + 2][l])};
  }
  template <class N = S>
  CORIO_INLINE Motion<N> motion(int k) const {
    return {vector<N>(k), vector<N>(k, 3)};
  }
  template <class N = S>
  CORIO_INLINE Force<N> force(int k) const {
    return {vector<N>(k), vector<N>(k, 3)};
  }
};

/// Columns of neighbouring degrees of freedom for columns x columns (algorithms/tiles.hpp): motions of the upper one of
/// a pair, forces of the lower one. All in one piece, so that a loop over pairs needs one pointer for each side.
template <class S>
struct PairColumns {
  Lanes<S, 6> phi, phi_dot;
  Lanes<S, 6> psi, psi_dot, chi;  // of the derivatives
  Lanes<S, 6> F1, F2, F3;
  Lanes<S, 3> F4;
  Lanes<S, 6> psi_U, P;  // inverse_dynamics_hessian
  Lanes<S, 3> m, n;
  Lanes<S, 6> phi_ddot, G1, G2, G3;  // coriolis_matrix_dot
  Lanes<S, 3> G4;
};

}  // namespace corio::detail
