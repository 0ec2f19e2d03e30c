#pragma once

#include "corio/algorithms/derivative_columns.hpp"
#include "corio/columns/page_layout.hpp"
#include "corio/columns/strips.hpp"
#include "corio/core/tensor3.hpp"

/// Kernels of inverse_dynamics_second_derivatives, which writes page by page: page i holds the derivatives of tau_i, by
/// pairs of degrees of freedom that are at, above or below i, in squares of columns x columns.
namespace corio::detail {

/// Per degree of freedom: twice the operators B = B(Phi, I^C) and A = D B^C along itself. And the tree by tiles.
template <class S>
struct SecondDerivativeColumns : PageLayout<S> {
  struct Operators {
    Lanes<S, 12> B, A;
    template <class N>
    CORIO_INLINE static void set(Lanes<S, 12>& to, int k, const BodyCoriolis<N>& B) {
      const Matrix3<N> T = B.rotational();
      for (int c = 0; c < 3; ++c) to.set(k, column(T, c), 3 * c);
      to.set(k, B.f, 9);
    }
  };
  std::vector<Operators> operators;  // by tiles

  explicit SecondDerivativeColumns(const Model<S>& model)
      : PageLayout<S>(model), operators(PageLayout<S>::rows.size()) {}
};

/// One column for all lanes.
template <class S>
struct BroadcastColumn {
  const Lanes<S, 12>& column;
  template <class N>
  CORIO_INLINE Vector3<N> vector(int i, int first = 0) const {
    return broadcast<N>(column.vector(i, first));
  }
};

/// All derivatives of tau_i by pairs of j and a, where a is at or above j. They are those of lambda^T tau with
/// lambda = e_i, as inverse_dynamics_hessian has them: with u_a = Phi_i x Phi_a for a below the joint of i and zero for
/// all others,
///   qq(j,a) = qq(a,j) = psi_dot_a . P + psi_a . m + u_a . F1,   vv(j,a) = vv(a,j) = Phi_a . n,
///   vq(j,a) = psi_a . n + u_a . F2,                             vq(a,j) = chi_a . P + Phi_a . m,
///   M(j,a) = u_a . F3,                                          M(a,j) = Phi_a . P,
/// with M(a,j) = D_j M(i,a). For j at or above i, or of its joint, these are of the forces of i, which turn with j,
///   P = Phi x* F3_i,             m = w x F4_i - 2 B_i^T psi,   n = -2 B_i^T Phi,
/// and for j below the joint of i of those of j, with B = B(Phi, I^C) and A = D B^C along j,
///   P = B Phi_i + B^T Phi_i,     m = 2 A^T Phi_i,              n = 2 B^T Phi_i.
/// Below i, vv is M(a,j) + M(j,a): the third of the derivatives that make a Christoffel symbol, D_i M(a,j), is zero. In
/// pairs of one joint the formulas of (j,a) hold both ways, but for vv, where they leave out that chi_j depends on the
/// joint's own velocity: half of it each way.
template <class S>
class SecondDerivativePage {
 public:
  template <class Tensors>
  SecondDerivativePage(const Model<S>& model, Data<S>& data, Tensors& out, int i)
      : qq_(out.d2tau_dqdq.page(i)),
        vq_(out.d2tau_dvdq.page(i)),
        vv_(out.d2tau_dvdv.page(i)),
        M_(out.dM_dq.page(i)),
        columns_(Access::columns(out)),
        model_(model),
        data_(data),
        i_(i),
        own_end_(model.node(model.node_of_dof(i)).v_end),
        end_(model.subtree_end_of_dof(i)) {}

  void write() {
    columns_.for_tiles(i_, end_, [&](int k, int) { make_columns(k); });
    // From the last ones on in rows and columns, as store_square wants.
    columns_.for_tiles(i_, end_, [&](int k, int j) {
      // Where the tile has rows beside those on the way from j to the ground.
      for (int end = k + side > i_ ? std::min(k + side, end_) : j + 1; j >= 0; j = columns_.above(j), end = j + 1)
        write_tile(j, end, k);
    });
    columns_.for_joints(i_, end_, [&](const auto& joint) { write_joint(joint); });
  }

 private:
  using N = Pack<S>;
  using Values = TileValues<S>;
  using Page = typename Tensor3<S>::Page;
  static constexpr int width = Block<S>::width, side = Values::side;

  /// What i makes of columns.
  struct Generated {
    Force<N> P;
    Vector3<N> m, n;
    Motion<N> u;

    CORIO_INLINE static Generated zero() { return {Force<N>::zero(), zero3<N>(), zero3<N>(), Motion<N>::zero()}; }
    template <class Mask>
    CORIO_INLINE Generated kept(Mask&& mask) const {
      const auto of = [&](const Vector3<N>& x) CORIO_INLINE_LAMBDA {
        return Vector3<N>{mask(x[0]), mask(x[1]), mask(x[2])};
      };
      return {{of(P.moment), of(P.force)}, of(m), of(n), {of(u.angular), of(u.linear)}};
    }
    CORIO_INLINE Generated operator+(const Generated& b) const { return {P + b.P, m + b.m, n + b.n, u + b.u}; }
  };

  const PairColumns<S>& of(int k) const { return data_.work.columns(k); }
  const auto& operators(int k) const { return columns_.operators[static_cast<std::size_t>(k / side)]; }

  /// Whether any of the columns from k on have a part in the page.
  CORIO_INLINE bool has_columns(int k) const {
    if constexpr (width == side) {
      return true;
    } else {
      bool any = false;
      for (int l = 0; l < width; ++l)
        any |= k + l < own_end_ ? data_.work.reach[static_cast<std::size_t>(k + l)] >= S(own_end_) : k + l < end_;
      return any;
    }
  }
  /// P, m, n and u of a tile, zero in columns that have no part in the page.
  CORIO_NOINLINE void make_columns(int tile) const {
    PairColumns<S>& column = data_.work.columns(tile);
    for (int k = tile; k < tile + side; k += width) {
      const bool some_above = k < own_end_ && has_columns(k);
      const bool some_below = k + width > own_end_ && k < end_;
      Generated x = Generated::zero();
      if (some_above) x = at_or_above(k);
      if (some_below) x = x + below(k);
      column.P.set(k, x.P), column.m.set(k, x.m), column.n.set(k, x.n);
      if (tile + side > own_end_) column.psi_U.set(k, x.u);
    }
  }
  CORIO_INLINE Generated at_or_above(int k) const {
    const Motion<N> phi = of(k).phi.template motion<N>(k), psi = of(k).psi.template motion<N>(k);
    const BroadcastColumn<S> B{operators(i_).B};
    const Lanes<S, 6>& F3 = of(i_).F3;
    const Force<N> F{broadcast<N>(F3.vector(i_)), broadcast<N>(F3.vector(i_, 3))};
    const Vector3<N> F4 = broadcast<N>(of(i_).F4.vector(i_));
    const Generated x{cross(phi, F), cross(phi.angular, F4) - transpose_moment(B, psi, i_),
                      -transpose_moment(B, phi, i_), Motion<N>::zero()};
    if (width < side && k + width <= own_end_ && columns_.connected[static_cast<std::size_t>(k)] >= own_end_) return x;
    const BlockType<S> reach = Block<S>::load(data_.work.reach.data() + k);
    return x.kept([&](const N& y)
                      CORIO_INLINE_LAMBDA { return N(Block<S>::keep_reaching(block_of(y), reach, k, own_end_)); });
  }
  CORIO_INLINE Generated below(int k) const {
    const Motion<N> phi_i = broadcast<N>(of(i_).phi.motion(i_));
    const Lanes<S, 12>& B = operators(k).B;
    const Force<N> F = times(B, phi_i, k);
    const Vector3<N> moment = transpose_moment(B, phi_i, k);
    const Generated x{Force<N>{N(0.5) * (F.moment + moment), N(0.5) * F.force},
                      transpose_moment(operators(k).A, phi_i, k), moment,
                      cross(phi_i, of(k).phi.template motion<N>(k))};
    if (width < side && k >= own_end_ && k + width <= end_) return x;
    return x.kept([&](const N& y)
                      CORIO_INLINE_LAMBDA { return N(Block<S>::keep(block_of(y), own_end_ - k, end_ - k)); });
  }

  /// Rows j, those above it in its tile, and those behind it before `end`.
  CORIO_INLINE void write_tile(int j, int end, int column) {
    const int row = columns_.tile_of(j);
    const int rows = columns_.count[static_cast<std::size_t>(j)] + end - (j + 1);
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
    const Tile<S> pairs = columns_.row(row).at(column);
    const PairColumns<S>&a = of(row), &j = of(column);
    Values qq = dot(a.psi_dot, j.P) + dot(a.psi, j.m), vq = dot(a.psi, j.n);
    if constexpr (below) qq = qq + dot(a.psi_U, j.F1), vq = vq + dot(a.psi_U, j.F2);
    pairs.store_symmetric(qq_, qq);
    pairs.store(vq_, vq, dot(a.chi, j.P) + dot(a.phi, j.m));
    const Values vv = dot(a.phi, j.n), M = dot(a.phi, j.P);
    pairs.store_symmetric(vv_, vv);
    Values M_lower;
    Values::each([&](auto r, auto b)
                     CORIO_INLINE_LAMBDA { M_lower.x[r][b] = below ? vv.x[r][b] - M.x[r][b] : Block<S>::zero(); });
    if (below && row < own_end_)
      Values::each([&](auto r, auto b) CORIO_INLINE_LAMBDA {
        M_lower.x[r][b] = Block<S>::keep(M_lower.x[r][b], 0, row + r < own_end_ ? 0 : width);
      });
    pairs.store(M_, M_lower, M);
  }

  /// The entries of one a with columns from k on.
  struct Row {
    N qq, vq_lower, vq_upper, vv, M_lower, M_upper;
  };
  CORIO_INLINE Row row(int i, int k) const {
    const PairColumns<S>&a = of(i), &j = of(k);
    const Force<N> P = j.P.template force<N>(k);
    const Vector3<N> m = j.m.template vector<N>(k), n = j.n.template vector<N>(k);
    const Motion<N> phi = broadcast<N>(a.phi.motion(i));
    const Vector3<N> psi = broadcast<N>(a.psi.vector(i));
    Row x{dot(broadcast<N>(a.psi_dot.motion(i)), P) + dot(psi, m),
          dot(psi, n),
          dot(broadcast<N>(a.chi.motion(i)), P) + dot(phi.angular, m),
          dot(phi.angular, n),
          N(0),
          dot(phi, P)};
    if (i < own_end_) return x;
    const Motion<N> u = broadcast<N>(a.psi_U.motion(i));
    x.qq += dot(u, j.F1.template force<N>(k)), x.vq_lower += dot(u, j.F2.template force<N>(k));
    x.M_lower = x.vv - x.M_upper;
    return x;
  }
  CORIO_NOINLINE void write_row(int a, int column) {
    for (int k = column; k < column + side; k += width) {
      const int n = model_.nv(), end = model_.subtree_end_of_dof(a);
      if (k + width <= a || k >= end || !has_columns(k)) continue;
      const Row x = row(a, k);
      if (k > a && k + width <= end) {
        const auto write = [&](Page& T, const N& lower, const N& upper) CORIO_INLINE_LAMBDA {
          Block<S>::store(T.data() + a * n + k, block_of(lower));
          store_line<S>(T.data() + k * n + a, n, Count<width>(), block_of(upper));
        };
        write(qq_, x.qq, x.qq), write(vq_, x.vq_lower, x.vq_upper), write(vv_, x.vv, x.vv);
        write(M_, x.M_lower, x.M_upper);
        continue;
      }
      S *const qq = qq_.data(), *const vq = vq_.data(), *const vv = vv_.data(), *const M = M_.data();
      repeat<width>([&](auto l) CORIO_INLINE_LAMBDA {
        if (k + l < a || k + l >= end) return;
        const int upper = (k + l) * n + a, lower = a * n + k + l;
        const auto get = [&](const N& y) CORIO_INLINE_LAMBDA { return Block<S>::get(block_of(y), l); };
        qq[upper] = qq[lower] = get(x.qq);
        vv[upper] = vv[lower] = get(x.vv);
        vq[upper] = get(x.vq_upper), vq[lower] = get(x.vq_lower);
        M[upper] = get(x.M_upper), M[lower] = get(x.M_lower);
      });
    }
  }
  /// What the squares and rows wrote otherwise than by the formulas of (j,a): those of one joint with j before a.
  CORIO_NOINLINE void write_joint(const typename SecondDerivativeColumns<S>::Joint& joint) {
    for (int a = joint.begin + 1; a < joint.own_end; ++a) {
      for (int k = joint.begin / width * width; k < a; k += width) {
        const Row x = row(a, k);
        for (int l = std::max(joint.begin - k, 0); l < std::min(a - k, width); ++l) {
          const int j = k + l;
          qq_(j, a) = Block<S>::get(block_of(x.qq), l), vq_(j, a) = Block<S>::get(block_of(x.vq_lower), l);
          vv_(j, a) = vv_(a, j) = S(0.5) * (vv_(a, j) + Block<S>::get(block_of(x.vv), l));
          M_(j, a) = Block<S>::get(block_of(x.M_lower), l);
        }
      }
    }
  }

  Page qq_, vq_, vv_, M_;
  const SecondDerivativeColumns<S>& columns_;
  const Model<S>& model_;
  Data<S>& data_;
  int i_, own_end_, end_;
};

}  // namespace corio::detail
