#pragma once

#include <concepts>
#include <functional>

#include "corio/core/tensor3.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The equations of motion M dv/dt + C v + g = tau in some velocities v.
template <class S>
struct EquationsOfMotion {
  MatrixX<S> M, C;
  VectorX<S> g, tau;
};

/// Computes the equations of motion in velocities v' with v = A(q) v'. A may have n < nv columns, for motions
/// constrained to v = A v':
///   M' = A^T M A,   C' = A^T (C A + M Adot),   g' = A^T g,   tau' = A^T tau.
/// If Mdot - 2 C is skew-symmetric so is Mdot' - 2 C', and a Christoffel-consistent C gives the Christoffel-consistent
/// C' of the new coordinates or generalized speeds.
///
/// @param from  EquationsOfMotion: nv x nv and nv; tau may be empty and is then ignored
/// @param Adot  rate of A along the motion, nv x n as A
/// @param work  nv x n numbers of scratch
/// @param to    n x n and n; sized, with work, at the first call, which allocates. It may be `from`, and A and Adot may
///              lie in it or in work; then each call allocates.
/// @throws SizeError. O(nv^2 n).
/// Source: Echeandia and Wensing (2021), eqs. 22-27, Proposition 3, Theorem 1; Wensing and Slotine (2023), eq. 18, for
/// constrained motions.
template <class S, std::same_as<EquationsOfMotion<S>> From>
void change_of_coordinates(const From& from, MatrixIn<S> A, MatrixIn<S> Adot, MatrixX<S>& work,
                           EquationsOfMotion<S>& to) {
  const Eigen::Index nv = from.M.rows(), n = A.cols();
  detail::check_shape("M", from.M.rows(), from.M.cols(), nv, nv);
  detail::check_shape("C", from.C.rows(), from.C.cols(), nv, nv);
  detail::check_shape("A", A.rows(), A.cols(), nv, n);
  detail::check_shape("Adot", Adot.rows(), Adot.cols(), nv, n);
  detail::check_size("g", from.g.size(), nv);
  if (from.tau.size() != 0) detail::check_size("tau", from.tau.size(), nv);
  bool in_place = &from == &to || &work == &from.M || &work == &from.C || &work == &to.M || &work == &to.C;
  // Outputs own their memory, so an argument that overlaps an output begins in that output.
  const auto avoid = [&](const auto& out) {
    const std::less<const S*> before;
    for (const auto* x : {&A, &Adot})
      in_place |= x->size() != 0 && !before(x->data(), out.data()) && before(x->data(), out.data() + out.size());
  };
  avoid(work), avoid(to.M), avoid(to.C), avoid(to.g), avoid(to.tau);
  if (in_place) {
    EquationsOfMotion<S> result;
    MatrixX<S> own_work;
    if (from.tau.size() == 0) result.tau = to.tau;
    change_of_coordinates(from, A, Adot, own_work, result);
    to = std::move(result);
    return;
  }
  to.M.resize(n, n), to.C.resize(n, n), to.g.resize(n), work.resize(nv, n);
  work.noalias() = from.M * A;
  to.M.noalias() = A.transpose() * work;
  work.noalias() = from.C * A;
  work.noalias() += from.M * Adot;
  to.C.noalias() = A.transpose() * work;
  to.g.noalias() = A.transpose() * from.g;
  if (from.tau.size() != 0) to.tau.noalias() = A.transpose() * from.tau;
}

/// Computes the Christoffel symbols under a change of velocities v = A(q) v':
///   Gamma'(i,j,k) = sum_ab A(a,i) (sum_c Gamma(a,b,c) A(c,k) A(b,j) + M(a,b) D_k A(b,j)),
/// where page k is the C' of the unit velocity e_k, so that C'(i,j) = sum_k Gamma'(i,j,k) v'_k. The results are the
/// Christoffel symbols of M' if v' is the rate of coordinates, and otherwise the symbols of the Riemannian connection
/// in the basis of v'.
///
/// @param Gamma  nv x nv x nv, the symbols in v, of christoffel_symbols or of another connection
/// @param M      nv x nv
/// @param A      nv x n
/// @param dA     nv x n^2, [D_0 A, .., D_{n-1} A]: the derivative of A as q moves along column k of A; for coordinates
///               q(y) the second derivatives of q
/// @param out    n x n x n, resized if its size differs; not Gamma itself. Allocates.
/// @throws SizeError, Error if out is Gamma. O(nv^3 n).
/// Source: Echeandia and Wensing (2021), proof of Theorem 1; for generalized speeds its Remark 5.
template <class S>
void change_of_coordinates(const Tensor3<S>& Gamma, MatrixIn<S> M, MatrixIn<S> A, MatrixIn<S> dA, Tensor3<S>& out) {
  const Eigen::Index nv = A.rows(), n = A.cols();
  detail::check_size("Gamma", Gamma.size(), nv);
  detail::check_shape("M", M.rows(), M.cols(), nv, nv);
  detail::check_shape("dA", dA.rows(), dA.cols(), nv, n * n);
  if (&Gamma == &out) throw Error("change_of_coordinates: out must not be Gamma itself");
  out.resize(static_cast<int>(n));
  EquationsOfMotion<S> from{M, {}, VectorX<S>::Zero(nv), {}}, to;
  MatrixX<S> work;
  for (int k = 0; k < n; ++k) {
    Gamma.contract(A.col(k), from.C);
    change_of_coordinates<S>(from, A, dA.middleCols(k * n, n), work, to);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out(i, j, k) = to.C(i, j);
  }
}

}}  // namespace corio
