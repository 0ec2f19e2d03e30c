#pragma once

#include "corio/spatial/body_coriolis.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Featherstone's articulated-body inertia, the symmetric 6 x 6 matrix [A, B; B^T, D], stored as 9 + 2 x 6 numbers. It
/// relates the force and the acceleration of a body whose descendants move freely on their joints.
template <class S>
struct ArticulatedInertia {
  Symmetric3<S> A;
  MatrixOf<S> B;
  Symmetric3<S> D;

  CORIO_INLINE static ArticulatedInertia from(const Inertia<S>& I_b) {
    return {trace_complement(I_b.sigma), skew(I_b.h), Symmetric3<S>::multiple_of_identity(I_b.mass)};
  }

  CORIO_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A;
    B += b.B;
    D += b.D;
    return *this;
  }

  /// Moves the inertia to the point c: B' = B - [c]x D,  A' = A + K [c]x + (K [c]x)^T with K = (B + B') / 2.
  CORIO_INLINE friend ArticulatedInertia about(const ArticulatedInertia& I_A, const VectorOf<S>& c) {
    const MatrixOf<S> half = skew_times(c * S(0.5), I_A.D), K = I_A.B - half;
    ArticulatedInertia out{I_A.A, K - half, I_A.D};
    out.A += plus_transpose(times_skew(K, c));
    return out;
  }

  CORIO_INLINE friend Force<S> operator*(const ArticulatedInertia& I_A, const Motion<S>& V) {
    return {I_A.A * V.angular + I_A.B * V.linear, transpose_times(I_A.B, V.angular) + I_A.D * V.linear};
  }

  /// Eliminates a degree of freedom along phi: I^A - U U^T / d with U = I^A phi and d = phi . U + armature. 27m 21a.
  CORIO_INLINE void subtract_outer(const Force<S>& U, const S& reciprocal_d) {
    const VectorOf<S>&n = U.moment, &f = U.force;
    const VectorOf<S> n_by_d = n * reciprocal_d;
    A -= Symmetric3<S>::from(outer(n_by_d, n));
    B -= outer(n_by_d, f);
    D -= Symmetric3<S>::from(outer(f * reciprocal_d, f));
  }
};

}}  // namespace corio
