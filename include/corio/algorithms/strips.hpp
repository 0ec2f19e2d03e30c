#pragma once

#include <algorithm>

#include "corio/model/data.hpp"

/// Columns x columns: one degree of freedom against the force columns of a contiguous range of others, in fused loops
/// over blocks of as many columns as a vector register holds. Left to auto-vectorisation (GCC 12) the same loops
/// execute twice the instructions; written as one Eigen expression per row they ran a third slower.
namespace corio::detail {

/// A block of columns: one coordinate of `width` neighbours. Plain scalars unless the scalar has vector registers.
template <class S>
struct Block {
  static constexpr int width = 1;
  using Type = S;
  static Type load(const S* x) { return *x; }
  static void store(S* x, const Type& block) { *x = block; }
  static const S& get(const Type& block, int) { return block; }
};

#if defined(__GNUC__) || defined(__clang__)
template <class S>
requires(std::is_same_v<S, double> || std::is_same_v<S, float>) struct Block<S> {
#ifdef __AVX__
  static constexpr int width = 4;
#else
  static constexpr int width = 16 / sizeof(S);
#endif
  typedef S Type __attribute__((vector_size(width * sizeof(S))));
  CORIO_INLINE static Type load(const S* x) {
    Type block;
    __builtin_memcpy(&block, x, sizeof block);
    return block;
  }
  CORIO_INLINE static void store(S* x, const Type& block) { __builtin_memcpy(x, &block, sizeof block); }
  CORIO_INLINE static S get(const Type& block, int l) { return block[l]; }
};
#endif

static_assert(Block<double>::width - 1 <= Columns<double, 6>::padding);
static_assert(Block<float>::width - 1 <= Columns<float, 6>::padding);

template <class S>
using BlockType = typename Block<S>::Type;

/// x . F(k), of a 6-vector x or with columns of moments its angular part, for one k.
template <class S, int rows>
CORIO_INLINE S dot_column(const S (&x)[6], const Columns<S, rows>& F, int k) {
  S sum = x[0] * F.row(0)[k];
  for (int r = 1; r < rows; ++r) sum += x[r] * F.row(r)[k];
  return sum;
}

/// x . F(k + l) for the columns l of the block at k.
template <class S>
CORIO_INLINE BlockType<S> dot_block(const S (&x)[6], const Columns<S, 6>& F, int k) {
  using B = Block<S>;
  return x[0] * B::load(F.row(0) + k) + x[1] * B::load(F.row(1) + k) + x[2] * B::load(F.row(2) + k) +
         x[3] * B::load(F.row(3) + k) + x[4] * B::load(F.row(4) + k) + x[5] * B::load(F.row(5) + k);
}
/// The same for the angular part of x and columns of moments.
template <class S>
CORIO_INLINE BlockType<S> dot_block(const S (&x)[6], const Columns<S, 3>& N, int k) {
  using B = Block<S>;
  return x[0] * B::load(N.row(0) + k) + x[1] * B::load(N.row(1) + k) + x[2] * B::load(N.row(2) + k);
}

/// Column i of a matrix, contiguous, and row i, one entry every n: where a strip of dof i leaves its results.
template <class S>
struct Lines {
  S *column, *row;
  Eigen::Index n;
  Lines(MatrixX<S>& A, int i) : column(A.data() + i * A.rows()), row(A.data() + i), n(A.rows()) {}
};

/// Writes the first `count` lanes of a block to neighbours, or every `stride`.
template <class S>
CORIO_INLINE void store_line(S* to, int count, const BlockType<S>& x) {
  if (count == Block<S>::width) return Block<S>::store(to, x);
  for (int l = 0; l < count; ++l) to[l] = Block<S>::get(x, l);
}
template <class S>
CORIO_INLINE void store_line(S* to, Eigen::Index stride, int count, const BlockType<S>& x) {
  for (int l = 0; l < count; ++l, to += stride) *to = Block<S>::get(x, l);
}
template <class S>
CORIO_INLINE void store_column(const Lines<S>& to, int k, int count, const BlockType<S>& x) {
  store_line<S>(to.column + k, count, x);
}
template <class S>
CORIO_INLINE void store_row(const Lines<S>& to, int k, int count, const BlockType<S>& x) {
  store_line<S>(to.row + k * to.n, to.n, count, x);
}

/// Calls block(k, count) for [begin, end) in steps of a block: whole ones with a count known to the compiler, then the
/// rest.
template <class S, class F>
CORIO_INLINE void for_each_block(int begin, int end, F&& block) {
  constexpr int width = Block<S>::width;
  int k = begin;
  for (; k + width <= end; k += width) block(k, width);
  if (k < end) block(k, end - k);
}

/// The coordinates of a column as plain numbers, so that they stay in registers.
template <class S>
struct Coordinates {
  S x[6];
  explicit Coordinates(const Motion<S>& m)
      : x{m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]} {}
};

/// A(i, k) = A(k, i) = phi . F(k) for k in [i, end).
template <class S>
void symmetric_strip(const Motion<S>& phi, const Columns<S, 6>& F, int i, int end, MatrixX<S>& A) {
  const Coordinates<S> p(phi);
  const Lines<S> to(A, i);
  for_each_block<S>(i, end, [&](int k, int count) CORIO_INLINE_LAMBDA {
    const BlockType<S> a = dot_block(p.x, F, k);
    store_column(to, k, count, a);
    store_row(to, k, count, a);
  });
}
/// The same with phi . F(k) + phi_dot . F2(k).
template <class S>
void symmetric_strip(const Motion<S>& phi, const Columns<S, 6>& F, const Motion<S>& phi_dot, const Columns<S, 6>& F2,
                     int i, int end, MatrixX<S>& A) {
  const Coordinates<S> p(phi), d(phi_dot);
  const Lines<S> to(A, i);
  for_each_block<S>(i, end, [&](int k, int count) CORIO_INLINE_LAMBDA {
    const BlockType<S> a = dot_block(p.x, F, k) + dot_block(d.x, F2, k);
    store_column(to, k, count, a);
    store_row(to, k, count, a);
  });
}

/// M and C of dof i against [begin, end), all of them strictly below i:
///   M(i,k) = M(k,i) = phi . F2(k),  C(i,k) = phi . F1(k),  C(k,i) = phi_dot . F2(k) + phi . F3(k),  Mdot = C + C^T,
/// where F3 without a force part stands for its moments.
template <class S, int rows>
void coriolis_strip(const Motion<S>& phi, const Motion<S>& phi_dot, const Columns<S, 6>& F1, const Columns<S, 6>& F2,
                    const Columns<S, rows>& F3, int i, int begin, int end, CoriolisMatrices<S>& out) {
  const Coordinates<S> p(phi), d(phi_dot);
  const Lines<S> M(out.M, i), C(out.C, i), Mdot(out.Mdot, i);
  for_each_block<S>(begin, end, [&](int k, int count) CORIO_INLINE_LAMBDA {
    const BlockType<S> mass = dot_block(p.x, F2, k);
    const BlockType<S> upper = dot_block(p.x, F1, k);
    const BlockType<S> lower = dot_block(d.x, F2, k) + dot_block(p.x, F3, k);
    const BlockType<S> rate = upper + lower;
    store_column(M, k, count, mass);
    store_column(C, k, count, lower);
    store_column(Mdot, k, count, rate);
    store_row(M, k, count, mass);
    store_row(C, k, count, upper);
    store_row(Mdot, k, count, rate);
  });
}

/// Columns of T_k w and T_k^T w + f_k x v for k in [begin, end), where the rows of `operators` are T, column by column,
/// and f: the force and, of the other, the moment that BodyCoriolis makes of V = (w, v), for T = tr(P) 1 - P.
template <class S>
void operator_strip(const Motion<S>& V, const Columns<S, 12>& operators, int begin, int end, Columns<S, 6>& F,
                    Columns<S, 3>& N) {
  using B = Block<S>;
  const Coordinates<S> p(V);
  const S(&x)[6] = p.x;
  // Up to a whole block: what is past the end is overwritten or never read.
  for (int k = begin; k < end; k += B::width) {
    const auto T = [&](int i, int j) CORIO_INLINE_LAMBDA { return B::load(operators.row(i + 3 * j) + k); };
    const auto f = [&](int i) CORIO_INLINE_LAMBDA { return B::load(operators.row(9 + i) + k); };
    const BlockType<S> f0 = f(0), f1 = f(1), f2 = f(2);
    for (int i = 0; i < 3; ++i) B::store(F.row(i) + k, T(i, 0) * x[0] + T(i, 1) * x[1] + T(i, 2) * x[2]);
    B::store(F.row(3) + k, f2 * x[1] - f1 * x[2]);
    B::store(F.row(4) + k, f0 * x[2] - f2 * x[0]);
    B::store(F.row(5) + k, f1 * x[0] - f0 * x[1]);
    const auto n = [&](int j) CORIO_INLINE_LAMBDA { return T(0, j) * x[0] + T(1, j) * x[1] + T(2, j) * x[2]; };
    B::store(N.row(0) + k, n(0) + (f1 * x[5] - f2 * x[4]));
    B::store(N.row(1) + k, n(1) + (f2 * x[3] - f0 * x[5]));
    B::store(N.row(2) + k, n(2) + (f0 * x[4] - f1 * x[3]));
  }
}

}  // namespace corio::detail
