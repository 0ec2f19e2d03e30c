#pragma once

#include "corio/model/data.hpp"

/// Columns x columns: one degree of freedom against the force columns of a contiguous range of others. Plain fused loops
/// over rows of contiguous memory: one Eigen expression per row ran a third slower.
namespace corio::detail {

/// The twelve coordinates of a column as plain locals, so that they stay in registers.
template <class S>
struct Coordinates {
  S x[6];
  explicit Coordinates(const Motion<S>& m)
      : x{m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]} {}
  S dot(const S* const (&F)[6], int k) const {
    return x[0] * F[0][k] + x[1] * F[1][k] + x[2] * F[2][k] + x[3] * F[3][k] + x[4] * F[4][k] + x[5] * F[5][k];
  }
  S dot_angular(const S* const (&N)[3], int k) const { return x[0] * N[0][k] + x[1] * N[1][k] + x[2] * N[2][k]; }
};

template <class S>
struct Rows6 {
  const S* at[6];
  explicit Rows6(const ForceColumns<S, 6>& F) : at{F.row(0), F.row(1), F.row(2), F.row(3), F.row(4), F.row(5)} {}
};
template <class S>
struct Rows3 {
  const S* at[3];
  explicit Rows3(const ForceColumns<S, 3>& F) : at{F.row(0), F.row(1), F.row(2)} {}
};

/// A(i, k) = A(k, i) = phi . F(k) for k in [begin, end).
template <class S>
void symmetric_strip(const Motion<S>& phi, const ForceColumns<S, 6>& F, int i, int begin, int end, MatrixX<S>& A) {
  const Coordinates<S> x(phi);
  const Rows6<S> f(F);
  const Eigen::Index n = A.rows();
  S* const column = A.data() + i * n;
  S* const row = A.data() + i;
  for (int k = begin; k < end; ++k) row[k * n] = column[k] = x.dot(f.at, k);
}

/// M and C of dof i against [begin, end), all of them strictly below i:
///   M(i,k) = M(k,i) = phi . F2(k),  C(i,k) = phi . F1(k),  C(k,i) = phi_dot . F2(k) + w . F3(k),  Mdot = C + C^T.
template <class S>
void coriolis_strip(const Motion<S>& phi, const Motion<S>& phi_dot, const ForceColumns<S, 6>& F1,
                    const ForceColumns<S, 6>& F2, const ForceColumns<S, 3>& F3, int i, int begin, int end,
                    CoriolisMatrices<S>& out) {
  const Coordinates<S> x(phi), y(phi_dot);
  const Rows6<S> f1(F1), f2(F2);
  const Rows3<S> f3(F3);
  const Eigen::Index n = out.M.rows();
  S *const M_column = out.M.data() + i * n, *const M_row = out.M.data() + i;
  S *const C_column = out.C.data() + i * n, *const C_row = out.C.data() + i;
  S *const D_column = out.Mdot.data() + i * n, *const D_row = out.Mdot.data() + i;
  for (int k = begin; k < end; ++k) {
    const S upper = x.dot(f1.at, k);
    const S lower = y.dot(f2.at, k) + x.dot_angular(f3.at, k);
    M_row[k * n] = M_column[k] = x.dot(f2.at, k);
    C_row[k * n] = upper;
    C_column[k] = lower;
    D_row[k * n] = D_column[k] = upper + lower;
  }
}

}  // namespace corio::detail
