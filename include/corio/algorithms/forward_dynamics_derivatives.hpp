#pragma once

#include "corio/algorithms/aba.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/mass_matrix_inverse.hpp"

namespace corio {

/// How forward_dynamics_derivatives multiplies by M^-1.
enum class DerivativeRoute {
  automatic,    ///< whichever is faster for this model
  dense,        ///< DMM: products with M^-1, 2 nv^2 r multiplications: each degree of freedom has r related ones
  articulated,  ///< AZA: two sweeps of aba per column without velocity and gravity, about 50 nv^2 multiplications
};

namespace detail {

/// Rows in a product, on average over the columns, from which on the sweeps are faster than the products, as measured
/// for double.
inline constexpr int articulated_from = WideBlock<double>::width == 8 ? 320 : 80;

/// Rows of a matrix that a product reads, f(begin, end) for those side by side: all of them.
struct AllRows {
  int n;
  template <class F>
  CORIO_INLINE void for_ranges(int, F&& f) const {
    f(0, n);
  }
};
/// Those that can differ from zero in four columns from c on, where unrelated degrees of freedom meet in zeros: from c
/// to the end of the subtrees, and on the way to the ground, which the four have in common before c.
template <class S>
struct RelatedRows {
  const Model<S>& model;
  const int *run_begin, *end_of_four;
  template <class F>
  CORIO_INLINE void for_ranges(int c, F&& f) const {
    int begin = run_begin[c];
    f(begin, end_of_four[c]);
    for (int k; (k = model.dof_parent(begin)) >= 0;) f(begin = run_begin[k], k + 1);
  }
};

/// The entries of -W D in four columns from c on and some blocks B of rows from i on, the last of which begins at
/// `last`.
template <int blocks, class B, class S, class Rows>
CORIO_INLINE void negative_product_tile(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, int i, int last,
                                        int c, const Rows& rows) {
  const Eigen::Index n = W.rows();
  const auto row = [&](int r) CORIO_INLINE_LAMBDA { return r + 1 < blocks ? i + r * B::width : last; };
  typename B::Type sum[blocks][4];
  repeat<blocks>([&](auto r)
                     CORIO_INLINE_LAMBDA { repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l] = B::zero(); }); });
  rows.for_ranges(c, [&](int begin, int end) CORIO_INLINE_LAMBDA {
    const S *w = W.data() + begin * n, *d = D.data() + c * n + begin;
    for (int k = begin; k < end; ++k, w += n, ++d)
      repeat<blocks>([&](auto r) CORIO_INLINE_LAMBDA {
        const auto x = B::load(w + row(r));
        repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l] -= d[l * n] * x; });
      });
  });
  repeat<blocks>([&](auto r) CORIO_INLINE_LAMBDA {
    repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { B::store(out.data() + (c + l) * n + row(r), sum[r][l]); });
  });
}
template <class B, class S, class Rows>
void negative_product_tiles(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, const Rows& rows) {
  constexpr int width = B::width;
  const int n = static_cast<int>(W.rows()), last = n - width;
  for (int column = 0; column < n; column += 4) {
    const int c = std::min(column, n - 4);
    int row = 0;
    for (; row + 2 * width < n; row += 3 * width)
      negative_product_tile<3, B>(W, D, out, row, std::min(row + 2 * width, last), c, rows);
    if (row + width < n)
      negative_product_tile<2, B>(W, D, out, row, last, c, rows);
    else if (row < n)
      negative_product_tile<1, B>(W, D, out, row, last, c, rows);
  }
}

/// out = -W D for n x n matrices, in tiles of up to three blocks of rows by four columns. The last blocks overlap those
/// before them instead of being smaller.
template <class S, class Rows>
void negative_product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, const Rows& rows) {
  const int n = static_cast<int>(W.rows());
  if (n >= std::max(WideBlock<S>::width, 4)) return negative_product_tiles<WideBlock<S>>(W, D, out, rows);
  if (n >= std::max(Block<S>::width, 4)) return negative_product_tiles<Block<S>>(W, D, out, rows);
  for (int c = 0; c < n; ++c)
    for (int i = 0; i < n; ++i) {
      S sum(0);
      for (int k = 0; k < n; ++k) sum -= W(i, k) * D(k, c);
      out(i, c) = sum;
    }
}
template <class S>
void negative_product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  negative_product(W, D, out, AllRows{static_cast<int>(W.rows())});
}

/// out = -M^-1 D by the sweeps of aba with the factors that it left, some columns at a time. Works on the transpose,
/// whose rows are contiguous over columns.
template <class S>
void negative_solve(const Model<S>& model, Data<S>& data, const MatrixX<S>& D, MatrixX<S>& out) {
  using B = Block<S>;
  constexpr int blocks = 2, width = blocks * B::width;
  const int n = model.nv();
  auto& X = data.work.rows;
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < n; ++c) X(c, k) = -D(k, c);
  auto& sums = data.work.column_sums;  // of forces, then accelerations, per node
  const auto sum = [&](int b) { return sums.data() + 6 * width * b; };
  for (int first = 0; first < n; first += width) {
    std::fill(sums.begin(), sums.end(), S(0));
    for (int b = model.num_nodes() - 1; b >= 0; --b) {
      const Node<S>& node = model.node(b);
      SixRows<blocks, B, S> p;
      p.load(sum(b));
      for (int k = node.v_end - 1; k >= node.v_begin; --k) {
        const Motion<S>& phi = data.phi[static_cast<std::size_t>(k)];
        const ArticulatedForce<S>& G = data.work.gain[static_cast<std::size_t>(k)];
        S* const row = X.data() + k * X.rows() + first;
        repeat<blocks>([&](auto l) CORIO_INLINE_LAMBDA {
          S* const at = row + l * B::width;
          const BlockType<S> x = p.subtract_dot(B::load(at), phi, l);
          p.add(G, x, l);
          B::store(at, data.work.reciprocal_d[k] * x);
        });
      }
      if (node.parent >= 0) p.add_to(sum(node.parent));
    }
    for (int b = 0; b < model.num_nodes(); ++b) {
      const Node<S>& node = model.node(b);
      SixRows<blocks, B, S> a;
      a.set_zero();
      if (node.parent >= 0) a.load(sum(node.parent));
      for (int k = node.v_begin; k < node.v_end; ++k) {
        const Motion<S>& phi = data.phi[static_cast<std::size_t>(k)];
        const ArticulatedForce<S>& G = data.work.gain[static_cast<std::size_t>(k)];
        S* const row = X.data() + k * X.rows() + first;
        repeat<blocks>([&](auto l) CORIO_INLINE_LAMBDA {
          S* const at = row + l * B::width;
          const BlockType<S> x = a.subtract_dot(B::load(at), G, l);
          a.add(phi, x, l);
          B::store(at, x);
        });
      }
      a.store(sum(b));
    }
  }
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < n; ++c) out(k, c) = X(c, k);
}

}  // namespace detail

/// Derivatives of the forward dynamics a(q, v, tau) of aba:
///   da_dq = -M^-1 dtau_dq,   da_dv = -M^-1 dtau_dv,   da_dtau = M^-1,
/// with the derivatives of the inverse dynamics at that a. As q changes, what moves how and what is held is as for
/// inverse_dynamics_derivatives, with tau in place of a.
///
/// @param tau       nv generalized forces (N m, N)
/// @param external  wrenches on bodies
/// @param route     how to multiply by M^-1; the result is the same up to rounding
/// @returns {da_dq, da_dv, da_dtau}, each nv x nv, in data.forward_dynamics_derivatives; valid until the next call. The
///          a itself is in data.forward_dynamics, dtau_dq and dtau_dv in data.inverse_dynamics_derivatives, not M.
///          Leaves the state of forward_kinematics(model, data, q, v, a).
/// @throws SizeError; ModelError as inverse_dynamics_derivatives. O(n^2), dense route O(n^2 r); no allocation.
/// Source: Singh, Russell and Wensing (2022), eq. 5 and section V; Carpentier and Mansard (2018).
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                                  VectorIn<S> v, VectorIn<S> tau,
                                                                  ExternalForces<S> external = {},
                                                                  DerivativeRoute route = DerivativeRoute::automatic) {
  detail::check_size("tau", tau.size(), model.nv());
  forward_kinematics(model, data, q, v);
  return forward_dynamics_derivatives(model, data, tau, external, route);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws SizeError, StateError without it
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> tau,
                                                                  ExternalForces<S> external = {},
                                                                  DerivativeRoute route = DerivativeRoute::automatic) {
  data.require(model, Pass::velocity, "forward_dynamics_derivatives");
  detail::require_dual_forms(model, data, "forward_dynamics_derivatives");
  aba(model, data, tau, external);
  detail::complete_accelerations(model, data);
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  detail::joint_forces(data);
  detail::differentiate_composites<false>(model, data, external);
  const auto& given = data.inverse_dynamics_derivatives;
  auto& result = data.forward_dynamics_derivatives;
  detail::invert_from_factors(model, data, result.da_dtau);
  if (route == DerivativeRoute::automatic)
    route = data.work.mean_related < detail::articulated_from ? DerivativeRoute::dense : DerivativeRoute::articulated;
  if (route == DerivativeRoute::dense) {
    const detail::RelatedRows<S> related{model, data.work.run_begin.data(), data.work.end_of_four.data()};
    detail::negative_product(result.da_dtau, given.dtau_dq, result.da_dq, related);
    detail::negative_product(result.da_dtau, given.dtau_dv, result.da_dv, related);
  } else {
    detail::negative_solve(model, data, given.dtau_dq, result.da_dq);
    detail::negative_solve(model, data, given.dtau_dv, result.da_dv);
  }
  return result;
}

}  // namespace corio
