#pragma once

#include "corio/spatial/body_coriolis.hpp"

namespace corio::inline CORIO_ABI {

/// Featherstone's articulated-body inertia, symmetric 6 x 6, [A, B; B^T, D] by its 21 numbers: what takes the place of
/// a rigid-body inertia if the body carries others on joints that are free to move.
template <class S>
struct ArticulatedInertia {
  Symmetric3<S> A;
  MatrixOf<S> B;
  Symmetric3<S> D;

  CORIO_INLINE static ArticulatedInertia from(const Inertia<S>& I) {
    return {trace_complement(I.sigma), skew(I.h), Symmetric3<S>::multiple_of_identity(I.mass)};
  }

  CORIO_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A;
    B += b.B;
    D += b.D;
    return *this;
  }

  /// About the point c: B' = B - [c]x D,  A' = A + K [c]x + (K [c]x)^T with K = (B + B') / 2.
  CORIO_INLINE friend ArticulatedInertia about(const ArticulatedInertia& I, const VectorOf<S>& c) {
    const MatrixOf<S> half = skew_times(c * S(0.5), I.D), K = I.B - half;
    ArticulatedInertia out{I.A, K - half, I.D};
    out.A += plus_transpose(times_skew(K, c));
    return out;
  }

  CORIO_INLINE friend Force<S> operator*(const ArticulatedInertia& I, const Motion<S>& V) {
    return {I.A * V.angular + I.B * V.linear, transpose_times(I.B, V.angular) + I.D * V.linear};
  }

  /// Eliminates a degree of freedom along phi: I - U U^T / d with U = I phi and d = phi . U + armature. 27m 21a.
  CORIO_INLINE void subtract_outer(const Force<S>& U, const S& reciprocal_d) {
    const VectorOf<S>&n = U.moment, &f = U.force;
    const VectorOf<S> n_by_d = n * reciprocal_d;
    A -= Symmetric3<S>::from(outer(n_by_d, n));
    B -= outer(n_by_d, f);
    D -= Symmetric3<S>::from(outer(f * reciprocal_d, f));
  }
};

}  // namespace corio
