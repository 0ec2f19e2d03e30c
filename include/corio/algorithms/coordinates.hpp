#pragma once

#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"

namespace corio {

/// M dv/dt + C v + g = tau, in some velocities v.
template <class S>
struct EquationsOfMotion {
  MatrixX<S> M, C;
  VectorX<S> g, tau;
};

/// The equations of motion in velocities v' with v = A(q) v', as many of them as A has columns (fewer than nv: for
/// motions constrained to those that A v' describes):
///   M' = A^T M A,   C' = A^T (C A + M Adot),   g' = A^T g,   tau' = A^T tau.
/// If Mdot - 2 C is skew-symmetric so is Mdot' - 2 C', and a Christoffel-consistent C gives the Christoffel-consistent
/// C' of the new coordinates or generalized speeds.
///
/// @param from  nv x nv and nv; tau may be empty, and is then left alone
/// @param Adot  rate of A along the motion, nv x n as A
/// @param work  nv x n numbers of scratch
/// @param to    n x n and n; sized, with work, at the first call, which allocates
/// @throws SizeError. O(nv^2 n).
/// Source: Echeandia and Wensing (2021), eqs. 22-27, Proposition 3, Theorem 1; Wensing and Slotine (2023), eq. 18, for
/// constrained motions.
template <class S>
void change_of_coordinates(const EquationsOfMotion<S>& from, MatrixIn<S> A, MatrixIn<S> Adot, MatrixX<S>& work,
                           EquationsOfMotion<S>& to) {
  const auto check = [](const char* name, MatrixIn<S> X, Eigen::Index rows, Eigen::Index columns) {
    if (X.rows() != rows || X.cols() != columns)
      throw SizeError(detail::join({name, " is ", std::to_string(X.rows()), " x ", std::to_string(X.cols()),
                                    ", expected ", std::to_string(rows), " x ", std::to_string(columns)}));
  };
  const Eigen::Index nv = from.M.rows(), n = A.cols();
  check("M", from.M, nv, nv);
  check("C", from.C, nv, nv);
  check("A", A, nv, n);
  check("Adot", Adot, nv, n);
  detail::check_size("g", from.g.size(), nv);
  if (from.tau.size() != 0) detail::check_size("tau", from.tau.size(), nv);
  to.M.resize(n, n), to.C.resize(n, n), to.g.resize(n), work.resize(nv, n);
  work.noalias() = from.M * A;
  to.M.noalias() = A.transpose() * work;
  work.noalias() = from.C * A;
  work.noalias() += from.M * Adot;
  to.C.noalias() = A.transpose() * work;
  to.g.noalias() = A.transpose() * from.g;
  if (from.tau.size() != 0) to.tau.noalias() = A.transpose() * from.tau;
}

}  // namespace corio
