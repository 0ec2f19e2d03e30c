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
inline constexpr int articulated_from = Block<double>::width == 4 ? 140 : 56;

/// The entries of -W D in four columns from c on and some blocks of rows from i on.
template <int blocks, class S>
CORIO_INLINE void negative_product_tile(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, Eigen::Index i,
                                        Eigen::Index c) {
  using B = Block<S>;
  const Eigen::Index n = W.rows();
  const S* w = W.data() + i;
  const S* d = D.data() + c * n;
  BlockType<S> sum[blocks][4];
  for (auto& row : sum)
    for (auto& x : row) x = B::zero();
  for (Eigen::Index k = 0; k < n; ++k, w += n, ++d)
    for (int l = 0; l < 4; ++l)
      for (int r = 0; r < blocks; ++r) sum[r][l] -= d[l * n] * B::load(w + r * B::width);
  for (int l = 0; l < 4; ++l)
    for (int r = 0; r < blocks; ++r) B::store(out.data() + (c + l) * n + i + r * B::width, sum[r][l]);
}

/// out = -W D for n x n matrices, in tiles of one or two blocks of rows by four columns. The last tiles overlap those
/// before them instead of being smaller.
template <class S>
void negative_product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  constexpr int width = Block<S>::width;
  const int n = static_cast<int>(W.rows());
  if (n < std::max(width, 4)) {
    for (int c = 0; c < n; ++c)
      for (int i = 0; i < n; ++i) {
        S sum(0);
        for (int k = 0; k < n; ++k) sum -= W(i, k) * D(k, c);
        out(i, c) = sum;
      }
    return;
  }
  for (int column = 0; column < n; column += 4) {
    const int c = std::min(column, n - 4);
    int row = 0;
    for (; row + 2 * width <= n; row += 2 * width) negative_product_tile<2>(W, D, out, row, c);
    for (; row < n; row += width) negative_product_tile<1>(W, D, out, std::min(row, n - width), c);
  }
}

/// Six coordinates of each of several columns: two blocks, so that the arithmetic of one fills the waits of the other.
template <class S>
struct SixRows {
  static constexpr int blocks = 2, width = blocks * Block<S>::width;
  BlockType<S> x[6][blocks];

  SixRows() {
    for (int c = 0; c < 6; ++c)
      for (int l = 0; l < blocks; ++l) x[c][l] = Block<S>::zero();
  }

  void load(const S* from) {
    for (int c = 0; c < 6; ++c)
      for (int l = 0; l < blocks; ++l) x[c][l] = Block<S>::load(from + c * width + l * Block<S>::width);
  }
  void store(S* to) const {
    for (int c = 0; c < 6; ++c)
      for (int l = 0; l < blocks; ++l) Block<S>::store(to + c * width + l * Block<S>::width, x[c][l]);
  }
  void add_to(S* to) const {
    SixRows sum;
    sum.load(to);
    for (int c = 0; c < 6; ++c)
      for (int l = 0; l < blocks; ++l) sum.x[c][l] += x[c][l];
    sum.store(to);
  }
  CORIO_INLINE BlockType<S> dot(const Coordinates<S>& y, int l) const {
    return (y.x[0] * x[0][l] + y.x[1] * x[1][l] + y.x[2] * x[2][l]) +
           (y.x[3] * x[3][l] + y.x[4] * x[4][l] + y.x[5] * x[5][l]);
  }
  CORIO_INLINE void add(const Coordinates<S>& y, const BlockType<S>& factor, int l) {
    for (int c = 0; c < 6; ++c) x[c][l] += y.x[c] * factor;
  }
};

/// out = -M^-1 D by the sweeps of aba with the factors that it left, some columns at a time. Works on the transpose,
/// whose rows are contiguous over columns.
template <class S>
void negative_solve(const Model<S>& model, Data<S>& data, const MatrixX<S>& D, MatrixX<S>& out) {
  using B = Block<S>;
  constexpr int width = SixRows<S>::width;
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
      SixRows<S> p;
      p.load(sum(b));
      for (int k = node.v_end - 1; k >= node.v_begin; --k) {
        const Coordinates<S> phi(data.phi[static_cast<std::size_t>(k)]), U(data.work.U[static_cast<std::size_t>(k)]);
        S* const row = X.data() + k * X.rows() + first;
        for (int l = 0; l < SixRows<S>::blocks; ++l) {
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
      SixRows<S> a;
      if (node.parent >= 0) a.load(sum(node.parent));
      for (int k = node.v_begin; k < node.v_end; ++k) {
        const Coordinates<S> phi(data.phi[static_cast<std::size_t>(k)]), U(data.work.U[static_cast<std::size_t>(k)]);
        S* const row = X.data() + k * X.rows() + first;
        for (int l = 0; l < SixRows<S>::blocks; ++l) {
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
  detail::accelerations(model, data, aba(model, data, tau, external));
  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(model, data, external);
  detail::invert_from_factors(model, data);
  result.da_dtau = data.mass_matrix_inverse;
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
