#pragma once

#include "corio/algorithms/strips.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {
namespace detail {

/// Articulated inertias, leaf to root, and what aba needs of them: U_k = I^A Phi_k and 1 / (Phi_k . U_k + armature),
/// for degrees of freedom that are eliminated one at a time.
template <class S>
void articulate(const Model<S>& model, Data<S>& data) {
  world_inertias(model, data);
  auto& articulated = data.work.articulated;
  for (std::size_t b = 0; b < data.pose.size(); ++b) articulated[b] = Articulated<S>::from(data.inertia[b]);
  for (std::size_t b = data.pose.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const auto i = static_cast<std::size_t>(k);
      data.work.reciprocal_d[k] = articulated[b].eliminate(data.phi[i], model.armature()[k], data.work.U[i]);
    }
    if (node.parent >= 0) articulated[static_cast<std::size_t>(node.parent)] += articulated[b];
  }
}

/// w(j) <- (w(j) or 0) - r y . X(j) and then X(j) += z w(j), for j in [begin, end), in the same blocks whatever begin
/// is: a strip that began elsewhere would wait for the stores of the one before. Spoils the rest of w in these blocks.
template <bool keep, class S>
void elimination_strip(const Coordinates<S>& y, const Coordinates<S>& z, const S& r, Columns<S, 6>& X, S* w, int begin,
                       int end) {
  using B = Block<S>;
  S scaled[6];
  for (int c = 0; c < 6; ++c) scaled[c] = -r * y.x[c];
  for (int j = begin - begin % B::width; j < end; j += B::width) {
    BlockType<S> x = short_dot_block(scaled, X, j);
    if constexpr (keep) x += B::load(w + j);
    B::store(w + j, x);
    const bool whole = j >= begin && j + B::width <= end;
    const BlockType<S> only = whole ? x : B::keep(x, begin - j, end - j);
    for (int c = 0; c < 6; ++c) B::store(X.row(c) + j, B::load(X.row(c) + j) + z.x[c] * only);
  }
}

/// M^-1 from the factors that `articulate` or aba left.
template <class S>
void invert_from_factors(const Model<S>& model, Data<S>& data) {
  const int n = model.nv();
  MatrixX<S>& W = data.work.rows;  // longer than n, so that blocks may be whole
  const auto& [phi, U, r] = std::tie(data.phi, data.work.U, data.work.reciprocal_d);

  // Inward: row k of W over the subtree of k (kept as the column of the other triangle), and the forces F(j) at the
  // base of that subtree if j is pushed with unit force.
  Columns<S, 6>& F = data.work.F1;
  for (std::size_t b = data.pose.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Coordinates<S> p(phi[static_cast<std::size_t>(k)]), u(U[static_cast<std::size_t>(k)]);
      S* const w = W.data() + k * W.rows();
      elimination_strip<false>(p, u, r[k], F, w, k + 1, node.subtree_v_end);
      w[k] = r[k];
      for (int c = 0; c < 6; ++c) F.row(c)[k] = u.x[c] * r[k];
      for (int j = node.subtree_v_end; j < n; ++j) w[j] = S(0);
    }
  }

  // Outward: what the acceleration of k's parent, A(j) per unit force on j, takes from row k.
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    Columns<S, 6>& A = data.work.branches.enter(static_cast<int>(b), node.v_begin);
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Coordinates<S> p(phi[static_cast<std::size_t>(k)]), u(U[static_cast<std::size_t>(k)]);
      elimination_strip<true>(u, p, r[k], A, W.data() + k * W.rows(), k, n);
    }
  }
  S* const out = data.mass_matrix_inverse.data();
  for (int k = 0; k < n; ++k)
    for_each_block<S>(k, n, [&](int j, auto count) CORIO_INLINE_LAMBDA {
      const BlockType<S> x = Block<S>::load(W.data() + k * W.rows() + j);
      const Place to(n, k, j);
      store_column(out, to, count, x);
      store_row(out, to, count, x);
    });
}

}  // namespace detail

/// M(q)^-1 without M: two sweeps of the articulated-body algorithm for all unit forces at once.
///
/// @returns nv x nv, symmetric, both triangles filled, in data.mass_matrix_inverse; valid until the next call.
/// @throws SizeError. O(n^2), no allocation.
/// Source: Carpentier (2018), with one array of forces for the whole tree.
template <class S>
const MatrixX<S>& mass_matrix_inverse(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return mass_matrix_inverse(model, data);
}

/// The same for the configuration of the last forward_kinematics.
/// @throws StateError without it
template <class S>
const MatrixX<S>& mass_matrix_inverse(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::position, "mass_matrix_inverse");
  detail::articulate(model, data);
  detail::invert_from_factors(model, data);
  return data.mass_matrix_inverse;
}

}  // namespace corio
