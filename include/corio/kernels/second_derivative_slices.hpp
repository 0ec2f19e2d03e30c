#pragma once

#include "corio/kernels/derivative_columns.hpp"
#include "corio/kernels/slice_layout.hpp"
#include "corio/kernels/tensor3.hpp"

/// Kernels of inverse_dynamics_second_derivatives, which writes slice by slice: slice i holds the derivatives of tau_i, by
/// pairs of degrees of freedom that are at, above or below i, in squares of columns x columns.
namespace corio::detail {

/// Beside the derivative columns twice the operators B = B(Phi, I^C) and A = D B^C along the degree of freedom itself;
/// and, of the slice that is being written, F_U, m_U, n_U and u.
template <class S>
struct SecondDerivativeColumns : DerivativeColumns<S> {
  BlockColumns<S, 12> B, A;
  BlockColumns<S, 6> F_U, u;
  BlockColumns<S, 3> m_U, n_U;
};

/// One column of operators for all lanes.
template <class S>
struct BroadcastColumn {
  const BlockColumns<S, 12>& column;
  template <class N>
  CORIO_INLINE Vector3<N> vector(int i, int first = 0) const {
    return broadcast<N>(column.vector(i, first));
  }
};

/// All derivatives of tau_i by pairs of j and a, where a is at or above j. They are those of U^T tau with U = e_i, as
/// inverse_dynamics_hessian has them: with u_a = Phi_i x Phi_a for a below the joint of i and zero for all others,
///   qq(j,a) = qq(a,j) = psi_dot_a . F_U + psi_a . m_U + u_a . F1,   vv(j,a) = vv(a,j) = Phi_a . n_U,
///   vq(j,a) = psi_a . n_U + u_a . F2,                               vq(a,j) = chi_a . F_U + Phi_a . m_U,
///   M(j,a) = u_a . F3,                                              M(a,j) = Phi_a . F_U,
/// with M(a,j) = D_j M(i,a). For j at or above i, or of its joint, these are of the forces of i, which turn with j,
///   F_U = Phi x* F3_i,             m_U = w x F4_i - 2 B_i^T psi,   n_U = -2 B_i^T Phi,
/// and for j below the joint of i of those of j, with B = B(Phi, I^C) and A = D B^C along j,
///   F_U = B Phi_i + B^T Phi_i,     m_U = 2 A^T Phi_i,              n_U = 2 B^T Phi_i.
/// Below i, vv is M(a,j) + M(j,a): the third of the derivatives that make a Christoffel symbol, D_i M(a,j), is zero. In
/// pairs of one joint the formulas of (j,a) hold both ways, but for vv, where they leave out that chi_j depends on the
/// joint's own velocity: half of it each way.
template <class S>
class SecondDerivativeSlice {
 public:
  using Columns = PerBlock<S, SecondDerivativeColumns<S>>;

  template <class Tensors>
  SecondDerivativeSlice(const Model<S>& model, const SliceLayout<S>& layout, Columns& columns, Tensors& out, int i)
      : qq_(out.d2tau_dqdq.page(i)),
        vq_(out.d2tau_dvdq.page(i)),
        vv_(out.d2tau_dvdv.page(i)),
        M_(out.dM_dq.page(i)),
        model_(model),
        layout_(layout),
        columns_(columns),
        i_(i),
        own_end_(model.node(model.node_of_dof(i)).v_end),
        end_(model.subtree_end_of_dof(i)) {}

  void write() {
    layout_.for_pair_blocks(i_, end_, [&](int k, int) { make_columns(k); });
    // From the last ones on in rows and columns, as store_square wants.
    layout_.for_pair_blocks(i_, end_, [&](int k, int j) {
      // Where the block has rows beside those on the way from j to the ground.
      for (int end = k + side > i_ ? std::min(k + side, end_) : j + 1; j >= 0;
           j = layout_.nearest_above[j], end = j + 1)
        write_tile(j, end, k);
    });
    layout_.for_joints(i_, end_, [&](const auto& joint) { write_joint(joint); });
  }

 private:
  using N = Pack<S>;
  using Values = BlockValues<S>;
  using Page = typename Tensor3<S>::Page;
  static constexpr int width = Values::width, side = Values::side;

  /// What i makes of columns.
  struct Generated {
    Force<N> F;
    Vector3<N> m, n;
    Motion<N> u;

    CORIO_INLINE static Generated zero() { return {Force<N>::zero(), zero3<N>(), zero3<N>(), Motion<N>::zero()}; }
    template <class Mask>
    CORIO_INLINE Generated kept(const Mask& mask) const {
      return {{map(F.moment, mask), map(F.force, mask)},
              map(m, mask),
              map(n, mask),
              {map(u.angular, mask), map(u.linear, mask)}};
    }
    CORIO_INLINE Generated operator+(const Generated& b) const { return {F + b.F, m + b.m, n + b.n, u + b.u}; }
  };

  /// Whether any of the columns from k on have a part in the slice.
  CORIO_INLINE bool has_columns(int k) const {
    bool any = width == side;
    for (int l = 0; l < width && !any; ++l)
      any = k + l < own_end_ ? value_of(layout_.reach.data()[k + l]) >= own_end_ : k + l < end_;
    return any;
  }
  /// F_U, m_U, n_U and u of a block, zero in columns that have no part in the page.
  CORIO_NOINLINE void make_columns(int tile) const {
    SecondDerivativeColumns<S>& column = columns_[tile];
    for (int k = tile; k < tile + side; k += width) {
      const bool some_above = k < own_end_ && has_columns(k);
      const bool some_below = k + width > own_end_ && k < end_;
      Generated x = Generated::zero();
      if (some_above) x = at_or_above(k);
      if (some_below) x = x + below(k);
      column.F_U.set(k, x.F), column.m_U.set(k, x.m), column.n_U.set(k, x.n);
      if (tile + side > own_end_) column.u.set(k, x.u);
    }
  }
  CORIO_INLINE Generated at_or_above(int k) const {
    const auto& own = columns_[i_];
    const Motion<N> phi = columns_[k].phi.template motion<N>(k), psi = columns_[k].psi.template motion<N>(k);
    const BroadcastColumn<S> B{own.B};
    const Force<N> F{broadcast<N>(own.F3.vector(i_)), broadcast<N>(own.F3.vector(i_, 3))};
    const Vector3<N> F4 = broadcast<N>(own.F4.vector(i_));
    const Generated x{cross(phi, F), cross(phi.angular, F4) - transpose_moment(B, psi, i_),
                      -transpose_moment(B, phi, i_), Motion<N>::zero()};
    const N reach = N::load(layout_.reach.data() + k);
    return x.kept([&](const N& y) CORIO_INLINE_LAMBDA { return y.keep_above(reach, k, own_end_); });
  }
  CORIO_INLINE Generated below(int k) const {
    const auto& of = columns_[k];
    const Motion<N> phi_i = broadcast<N>(columns_[i_].phi.motion(i_));
    const Force<N> F = times(of.B, phi_i, k);
    const Vector3<N> moment = transpose_moment(of.B, phi_i, k);
    const Generated x{Force<N>{N(0.5) * (F.moment + moment), N(0.5) * F.force}, transpose_moment(of.A, phi_i, k),
                      moment, cross(phi_i, of.phi.template motion<N>(k))};
    if (width < side && k >= own_end_ && k + width <= end_) return x;
    return x.kept([&](const N& y) CORIO_INLINE_LAMBDA { return y.keep(own_end_ - k, end_ - k); });
  }

  /// Rows j, those above it in its block, and those behind it before `end`.
  CORIO_INLINE void write_tile(int j, int end, int column) {
    const int row = layout_.block_of(j);
    const int rows = layout_.count[j] + end - (j + 1);
    // A square costs as much as two rows or three. Plain registers do not hold one.
    if (width == 2 || 2 * rows <= side) {
      for (int a = end - 1; a > j; --a) write_row(a, column);
      for (; j >= row; j = model_.dof_parent(j)) write_row(j, column);
    } else if (row + side > own_end_) {
      write_square<true>(row, column);
    } else {
      write_square<false>(row, column);
    }
  }

  /// `below`: there are rows below the joint of i.
  template <bool below>
  CORIO_NOINLINE void write_square(int row, int column) {
    const PairBlock<S> pairs = layout_.row(row).at(column);
    const SecondDerivativeColumns<S>&a = columns_[row], &j = columns_[column];
    Values qq = dot(a.psi_dot, j.F_U) + dot(a.psi, j.m_U), vq = dot(a.psi, j.n_U);
    if constexpr (below) qq = qq + dot(a.u, j.F1), vq = vq + dot(a.u, j.F2);
    pairs.store_symmetric(qq_, qq);
    pairs.store(vq_, vq, dot(a.chi, j.F_U) + dot(a.phi, j.m_U));
    const Values vv = dot(a.phi, j.n_U), M = dot(a.phi, j.F_U);
    pairs.store_symmetric(vv_, vv);
    Values M_lower;
    Values::each([&](auto r, auto b)
                     CORIO_INLINE_LAMBDA { M_lower.x[r][b] = below ? vv.x[r][b] - M.x[r][b] : N::zero(); });
    if (below && row < own_end_)
      Values::each([&](auto r, auto b) CORIO_INLINE_LAMBDA {
        M_lower.x[r][b] = M_lower.x[r][b].keep(0, row + r < own_end_ ? 0 : width);
      });
    pairs.store(M_, M_lower, M);
  }

  /// The entries of one a with columns from k on.
  struct Row {
    N qq, vq_lower, vq_upper, vv, M_lower, M_upper;
  };
  CORIO_INLINE Row row(int i, int k) const {
    const SecondDerivativeColumns<S>&a = columns_[i], &j = columns_[k];
    const Force<N> F = j.F_U.template force<N>(k);
    const Vector3<N> m = j.m_U.template vector<N>(k), n = j.n_U.template vector<N>(k);
    const Motion<N> phi = broadcast<N>(a.phi.motion(i));
    const Vector3<N> psi = broadcast<N>(a.psi.vector(i));
    Row x{dot(broadcast<N>(a.psi_dot.motion(i)), F) + dot(psi, m),
          dot(psi, n),
          dot(broadcast<N>(a.chi.motion(i)), F) + dot(phi.angular, m),
          dot(phi.angular, n),
          N(0),
          dot(phi, F)};
    if (i < own_end_) return x;
    const Motion<N> u = broadcast<N>(a.u.motion(i));
    x.qq += dot(u, j.F1.template force<N>(k)), x.vq_lower += dot(u, j.F2.template force<N>(k));
    x.M_lower = x.vv - x.M_upper;
    return x;
  }
  CORIO_NOINLINE void write_row(int a, int column) {
    const int n = model_.nv(), end = model_.subtree_end_of_dof(a);
    for (int k = column; k < column + side; k += width) {
      if (k + width <= a || k >= end || !has_columns(k)) continue;
      const Row x = row(a, k);
      if (k > a && k + width <= end) {
        const auto write = [&](Page& T, const N& lower, const N& upper) CORIO_INLINE_LAMBDA {
          lower.store(T.data() + a * n + k);
          upper.store(T.data() + k * n + a, n, Count<width>());
        };
        write(qq_, x.qq, x.qq), write(vq_, x.vq_lower, x.vq_upper), write(vv_, x.vv, x.vv);
        write(M_, x.M_lower, x.M_upper);
        continue;
      }
      S *const qq = qq_.data(), *const vq = vq_.data(), *const vv = vv_.data(), *const M = M_.data();
      repeat<width>([&](auto l) CORIO_INLINE_LAMBDA {
        if (k + l < a || k + l >= end) return;
        const int upper = (k + l) * n + a, lower = a * n + k + l;
        qq[upper] = qq[lower] = x.qq[l];
        vv[upper] = vv[lower] = x.vv[l];
        vq[upper] = x.vq_upper[l], vq[lower] = x.vq_lower[l];
        M[upper] = x.M_upper[l], M[lower] = x.M_lower[l];
      });
    }
  }
  /// What the squares and rows wrote otherwise than by the formulas of (j,a): those of one joint with j before a.
  CORIO_NOINLINE void write_joint(const typename SliceLayout<S>::Joint& joint) {
    for (int a = joint.begin + 1; a < joint.own_end; ++a)
      for (int k = joint.begin / width * width; k < a; k += width) {
        const Row x = row(a, k);
        for (int j = std::max(joint.begin, k); j < std::min(a, k + width); ++j) {
          qq_(j, a) = x.qq[j - k], vq_(j, a) = x.vq_lower[j - k], M_(j, a) = x.M_lower[j - k];
          vv_(j, a) = vv_(a, j) = S(0.5) * (vv_(a, j) + x.vv[j - k]);
        }
      }
  }

  Page qq_, vq_, vv_, M_;
  const Model<S>& model_;
  const SliceLayout<S>& layout_;
  Columns& columns_;
  int i_, own_end_, end_;
};

}  // namespace corio::detail
