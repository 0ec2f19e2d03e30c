#pragma once

#include "corio/model/data.hpp"

/// Columns x columns: one degree of freedom against the force columns of a contiguous range of others, in fused loops
/// over blocks of as many columns as a vector register holds. Left to auto-vectorisation (GCC 12) the same loops
/// execute twice the instructions; written as one Eigen expression per row they ran a third slower.
namespace corio::detail {

/// x . F(k + l) for the columns l of the block at k.
template <class S>
CORIO_INLINE BlockType<S> dot_block(const S (&x)[6], const Columns<S, 6>& F, int k) {
  using B = Block<S>;
  return x[0] * B::load(F.row(0) + k) + x[1] * B::load(F.row(1) + k) + x[2] * B::load(F.row(2) + k) +
         x[3] * B::load(F.row(3) + k) + x[4] * B::load(F.row(4) + k) + x[5] * B::load(F.row(5) + k);
}
/// The same in two sums side by side, for loops that wait for each result.
template <class S>
CORIO_INLINE BlockType<S> short_dot_block(const S (&x)[6], const Columns<S, 6>& F, int k) {
  using B = Block<S>;
  const BlockType<S> a = x[0] * B::load(F.row(0) + k) + x[1] * B::load(F.row(1) + k) + x[2] * B::load(F.row(2) + k);
  const BlockType<S> b = x[3] * B::load(F.row(3) + k) + x[4] * B::load(F.row(4) + k) + x[5] * B::load(F.row(5) + k);
  return a + b;
}
/// The same for the angular part of x and columns of moments.
template <class S>
CORIO_INLINE BlockType<S> dot_block(const S (&x)[6], const Columns<S, 3>& N, int k) {
  using B = Block<S>;
  return x[0] * B::load(N.row(0) + k) + x[1] * B::load(N.row(1) + k) + x[2] * B::load(N.row(2) + k);
}

/// Where a strip of dof i leaves its results for the columns from k on, in matrices of one size: in column i,
/// contiguous, and in row i, one entry every n. Offsets, so that all matrices share them.
struct Place {
  std::ptrdiff_t column, row, n;
  CORIO_INLINE Place(std::ptrdiff_t size, int i, int k) : column(i * size + k), row(k * size + i), n(size) {}
};

template <class S, int n>
CORIO_INLINE void store_column(S* A, const Place& to, Count<n> count, const BlockType<S>& x) {
  store_line<S>(A + to.column, count, x);
}
template <class S, int n>
CORIO_INLINE void store_row(S* A, const Place& to, Count<n> count, const BlockType<S>& x) {
  store_line<S>(A + to.row, to.n, count, x);
}

/// The coordinates of a column as plain numbers, so that they stay in registers.
template <class S>
struct Coordinates {
  S x[6];
  explicit Coordinates(const Motion<S>& m)
      : x{m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]} {}
  explicit Coordinates(const Force<S>& F)
      : x{F.moment[0], F.moment[1], F.moment[2], F.force[0], F.force[1], F.force[2]} {}
};

/// A(i, k) = A(k, i) = phi . F(k) for k in [i, end).
template <class S>
void symmetric_strip(const Motion<S>& phi, const Columns<S, 6>& F, int i, int end, MatrixX<S>& A) {
  const Coordinates<S> p(phi);
  S* const out = A.data();
  const std::ptrdiff_t n = A.rows();
  for_each_block<S>(i, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const BlockType<S> a = dot_block(p.x, F, k);
    const Place to(n, i, k);
    store_column(out, to, count, a);
    store_row(out, to, count, a);
  });
}
/// The same with phi . F(k) + phi_dot . F2(k).
template <class S>
void symmetric_strip(const Motion<S>& phi, const Columns<S, 6>& F, const Motion<S>& phi_dot, const Columns<S, 6>& F2,
                     int i, int end, MatrixX<S>& A) {
  const Coordinates<S> p(phi), d(phi_dot);
  S* const out = A.data();
  const std::ptrdiff_t n = A.rows();
  for_each_block<S>(i, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const BlockType<S> a = dot_block(p.x, F, k) + dot_block(d.x, F2, k);
    const Place to(n, i, k);
    store_column(out, to, count, a);
    store_row(out, to, count, a);
  });
}

/// M and C of dof i against [begin, end), all of them strictly below i:
///   M(i,k) = M(k,i) = phi . F2(k),  C(i,k) = phi . F1(k),  C(k,i) = phi_dot . F2(k) + phi . F3(k),  Mdot = C + C^T,
/// where F3 without a force part stands for its moments.
template <class S, int rows>
void coriolis_strip(const Motion<S>& phi, const Motion<S>& phi_dot, const Columns<S, 6>& F1, const Columns<S, 6>& F2,
                    const Columns<S, rows>& F3, int i, int begin, int end, CoriolisMatrices<S>& out) {
  const Coordinates<S> p(phi), d(phi_dot);
  S *const M = out.M.data(), *const C = out.C.data(), *const Mdot = out.Mdot.data();
  const std::ptrdiff_t n = out.M.rows();
  for_each_block<S>(begin, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const Place to(n, i, k);
    const BlockType<S> mass = dot_block(p.x, F2, k);
    const BlockType<S> upper = dot_block(p.x, F1, k);
    const BlockType<S> lower = dot_block(d.x, F2, k) + dot_block(p.x, F3, k);
    const BlockType<S> rate = upper + lower;
    store_column(M, to, count, mass);
    store_column(C, to, count, lower);
    store_column(Mdot, to, count, rate);
    store_row(M, to, count, mass);
    store_row(C, to, count, upper);
    store_row(Mdot, to, count, rate);
  });
}

/// Of dof i against [begin, end), at or below it: with phi, psi_dot, psi and chi of i,
///   M(i,k) = M(k,i) = phi . F3(k),   dtau_dq(i,k) = phi . F1(k),   dtau_dq(k,i) = psi_dot . F3(k) + psi . F4(k),
///   dtau_dv(i,k) = phi . F2(k),      dtau_dv(k,i) = chi . F3(k) + phi . F4(k),
/// where F4 is moments.
template <class S>
void derivatives_strip(const Motion<S>& phi, const Motion<S>& psi, const Motion<S>& psi_dot, const Motion<S>& chi,
                       const Columns<S, 6>& F1, const Columns<S, 6>& F2, const Columns<S, 6>& F3,
                       const Columns<S, 3>& F4, int i, int begin, int end, InverseDynamicsDerivatives<S>& out) {
  const Coordinates<S> p(phi), s(psi), t(psi_dot), c(chi);
  S *const dq = out.dtau_dq.data(), *const dv = out.dtau_dv.data(), *const M = out.M.data();
  const std::ptrdiff_t n = out.M.rows();
  for_each_block<S>(begin, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const Place to(n, i, k);
    const BlockType<S> mass = dot_block(p.x, F3, k);
    store_column(M, to, count, mass);
    store_row(M, to, count, mass);
    store_column(dq, to, count, dot_block(t.x, F3, k) + dot_block(s.x, F4, k));
    store_row(dq, to, count, dot_block(p.x, F1, k));
    store_column(dv, to, count, dot_block(c.x, F3, k) + dot_block(p.x, F4, k));
    store_row(dv, to, count, dot_block(p.x, F2, k));
  });
}

/// Blocks of the forces F1 = B V (rows 0 to 5) and moments F2 = B^T V (6 to 8) that BodyCoriolis operators B make of
/// one motion V. Block by block in memory, so that a loop over them needs one pointer.
template <class S>
class OperatorBlocks {
 public:
  static constexpr int rows = 9, size = rows * Block<S>::width;
  explicit OperatorBlocks(S* memory) : x_(memory) {}

  /// F2 = 0 in the first lane.
  void clear_first_moment() const {
    for (int r = 6; r < rows; ++r) x_[r * Block<S>::width] = S(0);
  }

  CORIO_INLINE const S* row(int r) const { return x_ + r * Block<S>::width; }
  CORIO_INLINE void next() { x_ += size; }

  /// For the operators in columns k, k + 1, ..: T = tr(P) 1 - P, column by column, and f.
  CORIO_INLINE void set(const S (&V)[6], const Columns<S, 12>& operators, int k) const {
    using B = Block<S>;
    const auto T = [&](int i, int j) CORIO_INLINE_LAMBDA { return B::load(operators.row(i + 3 * j) + k); };
    const auto put = [&](int r, const BlockType<S>& x) CORIO_INLINE_LAMBDA { B::store(x_ + r * B::width, x); };
    const BlockType<S> f0 = B::load(operators.row(9) + k);
    const BlockType<S> f1 = B::load(operators.row(10) + k);
    const BlockType<S> f2 = B::load(operators.row(11) + k);
    for (int i = 0; i < 3; ++i) put(i, V[0] * T(i, 0) + V[1] * T(i, 1) + V[2] * T(i, 2));
    put(3, V[1] * f2 - V[2] * f1);
    put(4, V[2] * f0 - V[0] * f2);
    put(5, V[0] * f1 - V[1] * f0);
    const auto n = [&](int j) CORIO_INLINE_LAMBDA {
      // Not the expression, which over autodiff scalars would refer to temporaries.
      const BlockType<S> x = V[0] * T(0, j) + V[1] * T(1, j) + V[2] * T(2, j);
      return x;
    };
    put(6, n(0) + (V[5] * f1 - V[4] * f2));
    put(7, n(1) + (V[3] * f2 - V[5] * f0));
    put(8, n(2) + (V[4] * f0 - V[3] * f1));
  }

  /// x . F1, and the angular part of x times F2.
  CORIO_INLINE BlockType<S> dot_force(const S (&x)[6]) const {
    BlockType<S> sum = x[0] * Block<S>::load(row(0));
    for (int r = 1; r < 6; ++r) sum += x[r] * Block<S>::load(row(r));
    return sum;
  }
  CORIO_INLINE BlockType<S> dot_moment(const S (&x)[6]) const {
    using B = Block<S>;
    return x[0] * B::load(row(6)) + x[1] * B::load(row(7)) + x[2] * B::load(row(8));
  }

 private:
  S* x_;
};

}  // namespace corio::detail
