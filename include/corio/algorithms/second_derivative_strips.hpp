#pragma once

#include "corio/algorithms/hessian_strips.hpp"
#include "corio/core/tensor3.hpp"

/// Kernels of inverse_dynamics_second_derivatives. Of three related degrees of freedom the one nearest the leaves is a
/// column k, of which a block is worked on at once. Another one, the generator g, makes of each column a force P and
/// moments m and n, which the third one, a, multiplies.
namespace corio::detail {

/// A coordinate vector of each column of a block.
template <class S>
struct BlockVector3 {
  BlockType<S> x[3];

  /// Three rows of the columns from k on.
  template <int rows>
  CORIO_INLINE static BlockVector3 load(const Columns<S, rows>& from, int first, int k) {
    using B = Block<S>;
    return {B::load(from.row(first) + k), B::load(from.row(first + 1) + k), B::load(from.row(first + 2) + k)};
  }
  template <int rows>
  CORIO_INLINE void store(Columns<S, rows>& to, int first, int k) const {
    for (int r = 0; r < 3; ++r) Block<S>::store(to.row(first + r) + k, x[r]);
  }
  CORIO_INLINE friend BlockVector3 operator+(const BlockVector3& a, const BlockVector3& b) {
    return {a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]};
  }
  CORIO_INLINE friend BlockVector3 operator-(const BlockVector3& a, const BlockVector3& b) {
    return {a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]};
  }
  CORIO_INLINE friend BlockVector3 operator-(const BlockVector3& a) { return {-a.x[0], -a.x[1], -a.x[2]}; }
  CORIO_INLINE friend BlockVector3 operator*(const S& factor, const BlockVector3& a) {
    return {factor * a.x[0], factor * a.x[1], factor * a.x[2]};
  }
  CORIO_INLINE friend BlockVector3 cross(const Vector3<S>& a, const BlockVector3& b) {
    return {a[1] * b.x[2] - a[2] * b.x[1], a[2] * b.x[0] - a[0] * b.x[2], a[0] * b.x[1] - a[1] * b.x[0]};
  }
  CORIO_INLINE friend BlockType<S> dot(const Vector3<S>& a, const BlockVector3& b) {
    const BlockType<S> sum = a[0] * b.x[0] + a[1] * b.x[1] + a[2] * b.x[2];
    return sum;
  }
};
template <class S>
struct BlockForce {
  BlockVector3<S> moment, force;
  template <int rows>
  CORIO_INLINE static BlockForce load(const Columns<S, rows>& from, int k) {
    return {BlockVector3<S>::load(from, 0, k), BlockVector3<S>::load(from, 3, k)};
  }
  CORIO_INLINE friend BlockType<S> dot(const Motion<S>& V, const BlockForce& F) {
    const BlockType<S> sum = dot(V.angular, F.moment) + dot(V.linear, F.force);
    return sum;
  }
};

/// Coriolis operators in the columns from k on: B V, and the moment of B^T V.
template <class S>
CORIO_INLINE BlockForce<S> times(const Columns<S, 12>& B, const Motion<S>& V, int k) {
  const auto column = [&](int j) CORIO_INLINE_LAMBDA { return BlockVector3<S>::load(B, 3 * j, k); };
  const Vector3<S>& w = V.angular;
  return {w[0] * column(0) + w[1] * column(1) + w[2] * column(2), cross(w, column(3))};
}
template <class S>
CORIO_INLINE BlockVector3<S> transpose_moment(const Columns<S, 12>& B, const Motion<S>& V, int k) {
  const auto column = [&](int j) CORIO_INLINE_LAMBDA { return BlockVector3<S>::load(B, 3 * j, k); };
  const Vector3<S>& w = V.angular;
  return BlockVector3<S>{dot(w, column(0)), dot(w, column(1)), dot(w, column(2))} - cross(V.linear, column(3));
}

/// What a degree of freedom multiplies with, and its place in the tree: where its joint's degrees of freedom begin and
/// end, and those that make pairs with it both ways (its subtree, without its joint's own if these are several).
template <class S>
struct SecondDerivativeRow {
  HessianRow<S> x;  // psi_U = Phi_g x Phi
  int own_begin, own_end, pairs_begin, pairs_end;
};

/// Per degree of freedom: rows, the columns F1 to F4 of inverse_dynamics_derivatives, twice the operators
/// B = B(Phi, I^C) and A = D B^C along itself, and what a generator makes of it.
template <class S>
struct SecondDerivativeColumns {
  std::vector<SecondDerivativeRow<S>> rows;
  Columns<S, 6> F1, F2, F3;
  Columns<S, 3> F4;
  Columns<S, 12> B, A, generated;  // P, m, n

  explicit SecondDerivativeColumns(int nv)
      : rows(static_cast<std::size_t>(nv)), F1(nv), F2(nv), F3(nv), F4(nv), B(nv), A(nv), generated(nv) {}

  /// For i = g strictly above the columns:   P = B Phi + B^T Phi,  m = 2 A^T Phi,  n = 2 B^T Phi.
  void generate_from_above(const HessianRow<S>& g, int begin, int end) {
    for (int k = begin; k < end; k += Block<S>::width) {
      const BlockForce<S> F = times(B, g.phi, k);
      const BlockVector3<S> n = transpose_moment(B, g.phi, k);
      put(k, {S(0.5) * (F.moment + n), S(0.5) * F.force}, transpose_moment(A, g.phi, k), n);
    }
  }
  /// For i = k, with g at or above the columns:   P = Phi x* F3,  m = w x F4 - 2 B^T psi,  n = -2 B^T Phi.
  void generate_for_columns(const HessianRow<S>& g, int begin, int end) {
    const Vector3<S>& w = g.phi.angular;
    for (int k = begin; k < end; k += Block<S>::width) {
      const BlockForce<S> F = BlockForce<S>::load(F3, k);
      put(k, {cross(w, F.moment) + cross(g.phi.linear, F.force), cross(w, F.force)},
          cross(w, BlockVector3<S>::load(F4, 0, k)) - transpose_moment(B, g.psi, k), -transpose_moment(B, g.phi, k));
    }
  }

 private:
  CORIO_INLINE void put(int k, const BlockForce<S>& P, const BlockVector3<S>& m, const BlockVector3<S>& n) {
    P.moment.store(generated, 0, k);
    P.force.store(generated, 3, k);
    m.store(generated, 6, k);
    n.store(generated, 9, k);
  }
};

/// Where the columns are in (i, j, l) of a tensor T(i,j,l), beside the generator and a.
enum class ColumnsAre {
  derived,  // T(k,g,a), and T(k,a,g)
  varied,   // T(g,k,a), and T(g,a,k)
};

/// All entries of a generator g and a with some columns k. With ' for the entries with k and a changed,
///   qq = psi_dot_a . P + psi_a . m + u . F1,   vq = psi_a . n + u . F2,   vq' = chi_a . P + Phi_a . m,
///   vv = Phi_a . n,   M(g,a) along k or M(k,a) along g = Phi_a . P,
/// where u = Phi_g x Phi_a if the columns are varied and a is strictly below g, and zero otherwise. qq and vv are
/// symmetric in k and a. `apart`: a is of another joint than g, below it or for derived columns above. M does not
/// change along g if that is at or below a. Pairs of one joint are all written one way.
template <class S, ColumnsAre place>
struct TripleEntries {
  S *qq, *vq, *vv, *M;
  std::ptrdiff_t n;
  const SecondDerivativeColumns<S>& columns;
  int g;

  template <class Tensors>
  TripleEntries(Tensors& out, int generator)
      : qq(out.d2tau_dqdq.data()),
        vq(out.d2tau_dvdq.data()),
        vv(out.d2tau_dvdv.data()),
        M(out.dM_dq.data()),
        n(out.dM_dq.size()),
        columns(out.columns),
        g(generator) {}

  template <bool apart, bool one_joint = false>
  void write(int a, int begin, int end) const {
    for_each_block<S>(begin, end, [&](int k, auto count) { write_block<apart, one_joint, decltype(count)>(a, k); });
  }

 private:
  // A function of its own, so that nothing is prepared for a loop over blocks: most strips have one to three.
  template <bool apart, bool one_joint, class Lanes>
  CORIO_NOINLINE void write_block(int a, int k) const {
    constexpr bool varied = place == ColumnsAre::varied;
    const HessianRow<S>& r = columns.rows[static_cast<std::size_t>(a)].x;
    const BlockForce<S> P = BlockForce<S>::load(columns.generated, k);
    const auto m = BlockVector3<S>::load(columns.generated, 6, k), n_k = BlockVector3<S>::load(columns.generated, 9, k);
    const std::ptrdiff_t nn = n * n, to = varied ? g * nn + a * n + k : k * nn + a * n + g;
    const auto store = [&](S* T, const BlockType<S>& x) CORIO_INLINE_LAMBDA {
      if constexpr (varied)
        store_line<S>(T + to, Lanes(), x);
      else
        store_line<S>(T + to, nn, Lanes(), x);
    };
    const std::ptrdiff_t mirrored = varied ? g * nn + k * n + a : k * nn + g * n + a;
    const auto mirror = [&](S* T, const BlockType<S>& x)
                            CORIO_INLINE_LAMBDA { store_line<S>(T + mirrored, varied ? n : nn, Lanes(), x); };
    // All before the first store, after which r might have changed as far as the compiler knows.
    const auto angular = [](const Motion<S>& x, const BlockVector3<S>& y)
                             CORIO_INLINE_LAMBDA { return dot(x.angular, y); };
    BlockType<S> along_q = dot(r.psi_dot, P) + angular(r.psi, m), along_v = angular(r.psi, n_k);
    const BlockType<S> by_v = angular(r.phi, n_k), along_v_mirrored = dot(r.chi, P) + angular(r.phi, m);
    const BlockType<S> mass = dot(r.phi, P);
    if constexpr (apart && varied) {
      along_q += dot(r.psi_U, BlockForce<S>::load(columns.F1, k));
      along_v += dot(r.psi_U, BlockForce<S>::load(columns.F2, k));
    }
    store(qq, along_q);
    store(vq, along_v);
    store(vv, by_v);
    if constexpr (apart && !varied) {
      mirror(M, mass);
      store_line<S>(M + (a * nn + g * n + k), Lanes(), mass);
    }
    if constexpr (one_joint) return;
    mirror(qq, along_q);
    mirror(vq, along_v_mirrored);
    mirror(vv, by_v);
    if constexpr (varied) mirror(M, mass);
  }
};

}  // namespace corio::detail
