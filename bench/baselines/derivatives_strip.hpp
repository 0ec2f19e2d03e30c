#pragma once

#include "baselines/columns.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"

/// Entries of matrices of derivatives from pairs of columns: row by row in one triangle, entry by entry in the other.
namespace corio::detail {

/// The components of a column as plain numbers, so that they stay in registers.
template <class S>
struct Components {
  S x[6];
  explicit Components(const Motion<S>& m)
      : x{m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]} {}
};

/// x . F(k + l) for the columns l of the pack at k.
template <class S>
CORIO_INLINE Lanes<S> dot_block(const S (&x)[6], const baseline::Columns<S, 6>& F, int k) {
  Lanes<S> sum = x[0] * Lanes<S>::load(F.at(0, k));
  repeat<5>([&](int r) CORIO_INLINE_LAMBDA { sum += x[r + 1] * Lanes<S>::load(F.at(r + 1, k)); });
  return sum;
}
/// The same product for the angular part of x and columns of moments.
template <class S>
CORIO_INLINE Lanes<S> dot_block(const S (&x)[6], const baseline::Columns<S, 3>& N, int k) {
  using P = Lanes<S>;
  return x[0] * P::load(N.at(0, k)) + x[1] * P::load(N.at(1, k)) + x[2] * P::load(N.at(2, k));
}

/// The places of the results of degree of freedom i for the columns from k on: contiguous in column i, and with stride
/// n in row i. They are offsets, so that all matrices of one size share them.
struct Place {
  std::ptrdiff_t column, row, n;
  CORIO_INLINE Place(std::ptrdiff_t size, int i, int k) : column(i * size + k), row(k * size + i), n(size) {}
};

template <class S, int n>
CORIO_INLINE void store_column(S* A, const Place& to, Count<n> count, const Lanes<S>& x) {
  x.store(A + to.column, count);
}
template <class S, int n>
CORIO_INLINE void store_row(S* A, const Place& to, Count<n> count, const Lanes<S>& x) {
  x.store(A + to.row, to.n, count);
}

/// Computes the entries of degree of freedom i with each k in [begin, end), at or below i. With phi, psi_dot, psi and
/// chi of i,
///   M(i,k) = M(k,i) = phi . F3(k),   dtau_dq(i,k) = phi . F1(k),   dtau_dq(k,i) = psi_dot . F3(k) + psi . F4(k),
///   dtau_dv(i,k) = phi . F2(k),      dtau_dv(k,i) = chi . F3(k) + phi . F4(k),
/// where F4 is moments.
template <class S>
void derivatives_strip(const Motion<S>& phi, const Motion<S>& psi, const Motion<S>& psi_dot, const Motion<S>& chi,
                       const baseline::Columns<S, 6>& F1, const baseline::Columns<S, 6>& F2,
                       const baseline::Columns<S, 6>& F3, const baseline::Columns<S, 3>& F4, int i, int begin, int end,
                       InverseDynamicsDerivativesResult<S>& out) {
  const Components<S> p(phi), s(psi), t(psi_dot), c(chi);
  S *const dq = out.dtau_dq.data(), *const dv = out.dtau_dv.data(), *const M = out.M.data();
  const std::ptrdiff_t n = out.M.rows();
  baseline::for_each_pack<S>(begin, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const Place to(n, i, k);
    const Lanes<S> mass = dot_block(p.x, F3, k);
    store_column(M, to, count, mass);
    store_row(M, to, count, mass);
    store_column(dq, to, count, dot_block(t.x, F3, k) + dot_block(s.x, F4, k));
    store_row(dq, to, count, dot_block(p.x, F1, k));
    store_column(dv, to, count, dot_block(c.x, F3, k) + dot_block(p.x, F4, k));
    store_row(dv, to, count, dot_block(p.x, F2, k));
  });
}

}  // namespace corio::detail
