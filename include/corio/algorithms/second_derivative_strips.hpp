#pragma once

#include "corio/algorithms/derivative_columns.hpp"
#include "corio/algorithms/strips.hpp"
#include "corio/core/tensor3.hpp"

/// Kernels of inverse_dynamics_second_derivatives. Of three related degrees of freedom the one nearest the leaves is a
/// column k, of which a block is worked on at once. Another one, the generator g, makes of each column a force P and
/// moments m and n, which the third one, a, multiplies.
namespace corio::detail {

/// Coriolis operators in the columns from k on: B V, and the moment of B^T V.
template <class N, class S>
CORIO_INLINE Matrix3<N> rotational(const Columns<S, 12>& B, int k) {
  return from_columns<N>(B.template vector<N>(k), B.template vector<N>(k, 3), B.template vector<N>(k, 6));
}
template <class N, class S>
CORIO_INLINE Force<N> times(const Columns<S, 12>& B, const Motion<N>& V, int k) {
  return {rotational<N>(B, k) * V.angular, cross(V.angular, B.template vector<N>(k, 9))};
}
template <class N, class S>
CORIO_INLINE Vector3<N> transpose_moment(const Columns<S, 12>& B, const Motion<N>& V, int k) {
  return transpose_times(rotational<N>(B, k), V.angular) - cross(V.linear, B.template vector<N>(k, 9));
}

/// What a degree of freedom multiplies with, and its place in the tree: where its joint's degrees of freedom begin and
/// end, and those that make pairs with it both ways (its subtree, without its joint's own if these are several).
template <class S>
struct SecondDerivativeRow {
  Motion<S> phi, psi, psi_dot, chi, u;  // u = Phi_g x Phi
  int own_begin, own_end, pairs_begin, pairs_end;
};

/// Per degree of freedom: rows, twice the operators B = B(Phi, I^C) and A = D B^C along itself, and what a generator
/// makes of it.
template <class S>
struct SecondDerivativeColumns {
  using N = Pack<S>;
  std::vector<SecondDerivativeRow<S>> rows;
  Columns<S, 6> F1, F2, F3;
  Columns<S, 3> F4;
  Columns<S, 12> B, A;
  Columns<S, 6> P;
  Columns<S, 3> m, n;

  explicit SecondDerivativeColumns(int nv)
      : rows(static_cast<std::size_t>(nv)), F1(nv), F2(nv), F3(nv), F4(nv), B(nv), A(nv), P(nv), m(nv), n(nv) {}

  /// For i = g strictly above the columns:   P = B Phi + B^T Phi,  m = 2 A^T Phi,  n = 2 B^T Phi.
  void generate_from_above(const SecondDerivativeRow<S>& g, int begin, int end) {
    const Motion<N> phi = broadcast<N>(g.phi);
    for (int k = begin; k < end; k += Block<S>::width) {
      const Force<N> F = times(B, phi, k);
      const Vector3<N> moment = transpose_moment(B, phi, k);
      P.set(k, Force<N>{N(0.5) * (F.moment + moment), N(0.5) * F.force});
      m.set(k, transpose_moment(A, phi, k));
      n.set(k, moment);
    }
  }
  /// For i = k, with g at or above the columns:   P = Phi x* F3,  m = w x F4 - 2 B^T psi,  n = -2 B^T Phi.
  void generate_for_columns(const SecondDerivativeRow<S>& g, int begin, int end) {
    const Motion<N> phi = broadcast<N>(g.phi), psi = broadcast<N>(g.psi);
    for (int k = begin; k < end; k += Block<S>::width) {
      P.set(k, cross(phi, F3.template force<N>(k)));
      m.set(k, cross(phi.angular, F4.template vector<N>(k)) - transpose_moment(B, psi, k));
      n.set(k, -transpose_moment(B, phi, k));
    }
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
    using N = Pack<S>;
    const SecondDerivativeRow<S>& r = columns.rows[static_cast<std::size_t>(a)];
    const Force<N> P = columns.P.template force<N>(k);
    const Vector3<N> m = columns.m.template vector<N>(k), n_k = columns.n.template vector<N>(k);
    const std::ptrdiff_t nn = n * n, to = varied ? g * nn + a * n + k : k * nn + a * n + g;
    const auto store = [&](S* T, const N& x) CORIO_INLINE_LAMBDA {
      if constexpr (varied)
        store_line<S>(T + to, Lanes(), block_of(x));
      else
        store_line<S>(T + to, nn, Lanes(), block_of(x));
    };
    const std::ptrdiff_t mirrored = varied ? g * nn + k * n + a : k * nn + g * n + a;
    const auto mirror = [&](S* T, const N& x)
                            CORIO_INLINE_LAMBDA { store_line<S>(T + mirrored, varied ? n : nn, Lanes(), block_of(x)); };
    // All before the first store, after which r might have changed as far as the compiler knows.
    const Motion<N> phi = broadcast<N>(r.phi), psi_dot = broadcast<N>(r.psi_dot), chi = broadcast<N>(r.chi);
    const Vector3<N> psi = broadcast<N>(r.psi.angular);
    N along_q = dot(psi_dot, P) + dot(psi, m), along_v = dot(psi, n_k);
    const N by_v = dot(phi.angular, n_k), along_v_mirrored = dot(chi, P) + dot(phi.angular, m), mass = dot(phi, P);
    if constexpr (apart && varied) {
      const Motion<N> u = broadcast<N>(r.u);
      along_q += dot(u, columns.F1.template force<N>(k));
      along_v += dot(u, columns.F2.template force<N>(k));
    }
    store(qq, along_q);
    store(vq, along_v);
    store(vv, by_v);
    if constexpr (apart && !varied) {
      mirror(M, mass);
      store_line<S>(M + (a * nn + g * n + k), Lanes(), block_of(mass));
    }
    if constexpr (one_joint) return;
    mirror(qq, along_q);
    mirror(vq, along_v_mirrored);
    mirror(vv, by_v);
    if constexpr (varied) mirror(M, mass);
  }
};

}  // namespace corio::detail
