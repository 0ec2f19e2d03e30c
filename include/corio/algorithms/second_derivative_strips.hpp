#pragma once

#include "corio/algorithms/strips.hpp"
#include "corio/core/tensor3.hpp"
#include "corio/kinematics/variations.hpp"

/// Degrees of freedom two by two against the columns of a contiguous range of others, for all second derivatives at
/// once. Of three related degrees of freedom the one nearest the leaves is the column k. Another, the generator, makes
/// of each column k a force P and moments m and n; the third, a, multiplies these.
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
  CORIO_INLINE friend BlockVector3 cross(const Vector3<S>& a, const BlockVector3& b) {
    return {a[1] * b.x[2] - a[2] * b.x[1], a[2] * b.x[0] - a[0] * b.x[2], a[0] * b.x[1] - a[1] * b.x[0]};
  }
};

/// B V of the Coriolis operators in columns k, k + 1, ..; the moment of B^T V.
template <class S>
struct BlockForce {
  BlockVector3<S> moment, force;
};
template <class S>
CORIO_INLINE BlockForce<S> times(const Columns<S, 12>& B, const Motion<S>& V, int k) {
  const auto T = [&](int j) CORIO_INLINE_LAMBDA { return BlockVector3<S>::load(B, 3 * j, k); };
  const BlockVector3<S> x = T(0), y = T(1), z = T(2);
  const Vector3<S>& w = V.angular;
  BlockForce<S> F{{}, cross(w, BlockVector3<S>::load(B, 9, k))};
  for (int r = 0; r < 3; ++r) F.moment.x[r] = w[0] * x.x[r] + w[1] * y.x[r] + w[2] * z.x[r];
  return F;
}
template <class S>
CORIO_INLINE BlockVector3<S> transpose_moment(const Columns<S, 12>& B, const Motion<S>& V, int k) {
  const Vector3<S>& w = V.angular;
  BlockVector3<S> n;
  for (int j = 0; j < 3; ++j) {
    const BlockVector3<S> T = BlockVector3<S>::load(B, 3 * j, k);
    n.x[j] = w[0] * T.x[0] + w[1] * T.x[1] + w[2] * T.x[2];
  }
  return n - cross(V.linear, BlockVector3<S>::load(B, 9, k));
}

/// Per degree of freedom: how the motions vary, the columns F1 to F4 of inverse_dynamics_derivatives, and twice the
/// operators B = B(Phi, I^C) and A = D B^C along itself.
template <class S>
struct SecondDerivativeColumns {
  explicit SecondDerivativeColumns(int nv)
      : variation(static_cast<std::size_t>(nv)), F1(nv), F2(nv), F3(nv), F4(nv), B(nv), A(nv), generated(nv) {}
  std::vector<Variation<S>> variation;
  Columns<S, 6> F1, F2, F3;
  Columns<S, 3> F4;
  Columns<S, 12> B, A;
  Columns<S, 12> generated;  // P, m, n

  /// For a generator Phi above the columns of [begin, end):
  ///   P = B Phi + B^T Phi, the change of I^C Phi;   m = 2 A^T Phi;   n = 2 B^T Phi.
  void generate_from_above(const Motion<S>& phi, int begin, int end) {
    for (int k = begin; k < end; k += Block<S>::width) {
      const BlockForce<S> F = times(B, phi, k);
      const BlockVector3<S> n = transpose_moment(B, phi, k);
      const BlockVector3<S> twice = F.moment + n;
      put({{half(twice), half(F.force)}, transpose_moment(A, phi, k), n}, k);
    }
  }
  /// The generator one joint above or of the columns' own joint, for which tau_k is derived:
  ///   P = Phi x* F3,   m = w x F4 - 2 B^T psi,   n = -2 B^T Phi.
  void generate_for_columns(const Motion<S>& phi, const Motion<S>& psi, int begin, int end) {
    for (int k = begin; k < end; k += Block<S>::width) {
      const auto moment = BlockVector3<S>::load(F3, 0, k), force = BlockVector3<S>::load(F3, 3, k);
      const BlockVector3<S> zero{Block<S>::zero(), Block<S>::zero(), Block<S>::zero()};
      put({{cross(phi.angular, moment) + cross(phi.linear, force), cross(phi.angular, force)},
           cross(phi.angular, BlockVector3<S>::load(F4, 0, k)) - transpose_moment(B, psi, k),
           zero - transpose_moment(B, phi, k)},
          k);
    }
  }

 private:
  struct Generated {
    BlockForce<S> P;
    BlockVector3<S> m, n;
  };
  CORIO_INLINE static BlockVector3<S> half(const BlockVector3<S>& a) {
    return {S(0.5) * a.x[0], S(0.5) * a.x[1], S(0.5) * a.x[2]};
  }
  CORIO_INLINE void put(const Generated& x, int k) {
    x.P.moment.store(generated, 0, k);
    x.P.force.store(generated, 3, k);
    x.m.store(generated, 6, k);
    x.n.store(generated, 9, k);
  }
};

/// x . P of the columns from k on; the angular part of x times m, times n.
template <class S>
struct GeneratedBlock {
  const Columns<S, 12>& columns;
  int k;
  CORIO_INLINE BlockType<S> P(const S (&x)[6]) const {
    const BlockType<S> sum = x[0] * at(0) + x[1] * at(1) + x[2] * at(2) + x[3] * at(3) + x[4] * at(4) + x[5] * at(5);
    return sum;
  }
  CORIO_INLINE BlockType<S> m(const S (&x)[6]) const { return angular(x, 6); }
  CORIO_INLINE BlockType<S> n(const S (&x)[6]) const { return angular(x, 9); }

 private:
  CORIO_INLINE BlockType<S> at(int r) const { return Block<S>::load(columns.row(r) + k); }
  CORIO_INLINE BlockType<S> angular(const S (&x)[6], int r) const {
    const BlockType<S> sum = x[0] * at(r) + x[1] * at(r + 1) + x[2] * at(r + 2);
    return sum;
  }
};

/// Where the columns are in the triple (i, j, l) of a tensor T(i,j,l), beside the generator and a.
enum class Columns3 {
  derived,  // T(k, generator, a), and with the last two changed
  varied,   // T(generator, k, a), and with the last two changed
};

/// The entries T(.., .., a) and T(.., a, ..) of a strip of columns.
template <class S, Columns3 place>
struct TensorLines {
  Eigen::Index n, nn;
  S *line, *mirror;
  TensorLines(Tensor3<S>& T, int generator, int a) : n(T.size()), nn(n * n) {
    S* const page = T.data() + generator * nn;
    line = place == Columns3::varied ? page + a * n : T.data() + a * n + generator;
    mirror = place == Columns3::varied ? page + a : T.data() + generator * n + a;
  }
  template <int count>
  CORIO_INLINE void store(int k, Count<count> c, const BlockType<S>& x) const {
    if constexpr (place == Columns3::varied)
      store_line<S>(line + k, c, x);
    else
      store_line<S>(line + k * nn, nn, c, x);
  }
  template <int count>
  CORIO_INLINE void store_mirror(int k, Count<count> c, const BlockType<S>& x) const {
    const Eigen::Index stride = place == Columns3::varied ? n : nn;
    store_line<S>(mirror + k * stride, stride, c, x);
  }
};

/// For a generator and a, with u = Phi_generator x Phi_a if a is below the generator's joint and zero otherwise:
///   qq = psi_dot_a . P + psi_a . m + u . F1,   vq = psi_a . n + u . F2,   vq' = chi_a . P + Phi_a . m,
///   vv = Phi_a . n,                            M  = u . F3,               M'  = Phi_a . P,
/// where ' stands for the entry with k and a changed; qq and vv are symmetric in these. In a strip of one joint, that
/// is with k of the joint of a, there are no such entries.
template <Columns3 place, bool below, bool one_joint, class S, class Tensors>
void second_derivative_strip(const Motion<S>& phi_a, const Motion<S>& u_a, const SecondDerivativeColumns<S>& x,
                             int generator, int a, int begin, int end, Tensors& out) {
  const Variation<S>& v = x.variation[static_cast<std::size_t>(a)];
  const Coordinates<S> phi(phi_a), psi(v.psi), psi_dot(v.psi_dot), chi(v.chi), u(u_a);
  const TensorLines<S, place> qq(out.d2tau_dqdq, generator, a), vq(out.d2tau_dvdq, generator, a),
      vv(out.d2tau_dvdv, generator, a), M(out.dM_dq, generator, a);
  const TensorLines<S, Columns3::derived> M_transposed(out.dM_dq, generator, a);
  for_each_block<S>(begin, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
    const GeneratedBlock<S> g{x.generated, k};
    BlockType<S> along_q = g.P(psi_dot.x) + g.m(psi.x), along_v = g.n(psi.x);
    const BlockType<S> by_v = g.n(phi.x);
    if constexpr (below) {
      along_q += dot_block(u.x, x.F1, k);
      along_v += dot_block(u.x, x.F2, k);
      const BlockType<S> mass = dot_block(u.x, x.F3, k);
      M.store(k, count, mass);
      M_transposed.store(k, count, mass);
    }
    qq.store(k, count, along_q);
    vq.store(k, count, along_v);
    vv.store(k, count, by_v);
    if constexpr (one_joint) return;
    qq.store_mirror(k, count, along_q);
    vq.store_mirror(k, count, g.P(chi.x) + g.m(phi.x));
    vv.store_mirror(k, count, by_v);
    if constexpr (place == Columns3::varied) M.store_mirror(k, count, g.P(phi.x));
  });
}

}  // namespace corio::detail
