#pragma once

#include "corio/algorithms/aba.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/mass_matrix_inverse.hpp"

namespace corio {

/// How forward_dynamics_derivatives multiplies by M^-1.
enum class DerivativeRoute {
  automatic,    ///< whichever is faster for this many degrees of freedom
  dense,        ///< DMM: matrix products with M^-1, 2 nv^3 multiplications
  articulated,  ///< AZA: two sweeps of aba per column without velocity and gravity, about 50 nv^2 multiplications
};

namespace detail {

/// Degrees of freedom from which on the sweeps are faster than the products, as measured for double.
inline constexpr int articulated_from = WideBlock<double>::width == 8 ? 380 : WideBlock<double>::width == 4 ? 140 : 56;

/// The entries of -W D in four columns from c on and some blocks B of rows from i on, the last of which begins at
/// `last`.
template <int blocks, class B, class S>
CORIO_INLINE void negative_product_tile(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, Eigen::Index i,
                                        Eigen::Index last, Eigen::Index c) {
  const Eigen::Index n = W.rows();
  const S *w = W.data(), *d = D.data() + c * n;
  const auto row = [&](int r) CORIO_INLINE_LAMBDA { return r + 1 < blocks ? i + r * B::width : last; };
  typename B::Type sum[blocks][4];
  repeat<blocks>([&](auto r)
                     CORIO_INLINE_LAMBDA { repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l] = B::zero(); }); });
  for (Eigen::Index k = 0; k < n; ++k, w += n, ++d)
    repeat<blocks>([&](auto r) CORIO_INLINE_LAMBDA {
      const auto x = B::load(w + row(r));
      repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l] -= d[l * n] * x; });
    });
  repeat<blocks>([&](auto r) CORIO_INLINE_LAMBDA {
    repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { B::store(out.data() + (c + l) * n + row(r), sum[r][l]); });
  });
}
template <class B, class S>
void negative_product_tiles(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  constexpr int width = B::width;
  const int n = static_cast<int>(W.rows()), last = n - width;
  for (int column = 0; column < n; column += 4) {
    const int c = std::min(column, n - 4);
    int row = 0;
    for (; row + 2 * width < n; row += 3 * width)
      negative_product_tile<3, B>(W, D, out, row, std::min(row + 2 * width, last), c);
    if (row + width < n)
      negative_product_tile<2, B>(W, D, out, row, last, c);
    else if (row < n)
      negative_product_tile<1, B>(W, D, out, row, last, c);
  }
}

/// out = -W D for n x n matrices, in tiles of up to three blocks of rows by four columns. The last blocks overlap those
/// before them instead of being smaller.
template <class S>
void negative_product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  const int n = static_cast<int>(W.rows());
  if (n >= std::max(WideBlock<S>::width, 4)) return negative_product_tiles<WideBlock<S>>(W, D, out);
  if (n >= std::max(Block<S>::width, 4)) return negative_product_tiles<Block<S>>(W, D, out);
  for (int c = 0; c < n; ++c)
    for (int i = 0; i < n; ++i) {
      S sum(0);
      for (int k = 0; k < n; ++k) sum -= W(i, k) * D(k, c);
      out(i, c) = sum;
    }
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
        const Force<S>& U = data.work.U[static_cast<std::size_t>(k)];
        S* const row = X.data() + k * X.rows() + first;
        for (int l = 0; l < blocks; ++l) {
          S* const at = row + l * B::width;
          const BlockType<S> u = data.work.reciprocal_d[k] * (B::load(at) - p.dot(phi, l));
          p.add(U, u, l);
          B::store(at, u);
        }
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
        const Force<S>& U = data.work.U[static_cast<std::size_t>(k)];
        S* const row = X.data() + k * X.rows() + first;
        for (int l = 0; l < blocks; ++l) {
          S* const at = row + l * B::width;
          const BlockType<S> x = B::load(at) - data.work.reciprocal_d[k] * a.dot(U, l);
          a.add(phi, x, l);
          B::store(at, x);
        }
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
///          a itself is in data.forward_dynamics. Leaves the state of forward_kinematics(model, data, q, v, a).
/// @throws SizeError. O(n^2), dense route O(n^3); no allocation.
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
  auto& result = data.forward_dynamics_derivatives;
  aba(model, data, tau, external);
  detail::complete_accelerations(model, data);
  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(model, data, external);
  detail::invert_from_factors(model, data, result.da_dtau);
  if (route == DerivativeRoute::automatic)
    route = model.nv() < detail::articulated_from ? DerivativeRoute::dense : DerivativeRoute::articulated;
  if (route == DerivativeRoute::dense) {
    detail::negative_product(result.da_dtau, dtau_dq, result.da_dq);
    detail::negative_product(result.da_dtau, dtau_dv, result.da_dv);
  } else {
    detail::negative_solve(model, data, dtau_dq, result.da_dq);
    detail::negative_solve(model, data, dtau_dv, result.da_dv);
  }
  return result;
}

}  // namespace corio
