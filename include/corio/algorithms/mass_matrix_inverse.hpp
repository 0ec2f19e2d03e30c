#pragma once

#include "corio/columns/tiles.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {
namespace detail {

/// Articulated inertias, leaf to root, and what aba needs of them: for degrees of freedom that are eliminated one at a
/// time the gains G_k = I^A Phi_k / d_k and 1 / d_k, where d_k = Phi_k . I^A Phi_k + armature.
template <class S>
void articulate(const Model<S>& model, Data<S>& data) {
  world_inertias(model, data);
  auto inertias = from_children(model, data.work.articulated);
  for (std::size_t b = data.pose.size(); b-- > 0;) {
    const Node<S>& node = model.nodes()[b];
    auto I = Articulated<S>::from(data.inertia[b]);
    inertias.add_to(I, b);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const auto i = static_cast<std::size_t>(k);
      ArticulatedForce<S> G;
      const auto r = I.eliminate(data.phi[i], model.armature()[k], G);
      data.work.gain[i].moment = G.moment, data.work.gain[i].force = G.force;
      data.work.reciprocal_d[k] = any_lane(r);
    }
    inertias.give(I, b);
  }
}

/// Six coordinates of each of several columns, in registers: some blocks side by side, because in the sweeps each step
/// waits for the one before.
template <int blocks, class B, class S>
struct SixRows {
  using Type = typename B::Type;
  static constexpr int width = blocks * B::width;
  Type x[6][blocks];

  CORIO_INLINE void set_zero() {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA { x[c][b] = B::zero(); });
  }
  CORIO_INLINE void load(const S* from) {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA { x[c][b] = B::load(from + c * width + b * B::width); });
  }
  CORIO_INLINE void store(S* to) const {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA { B::store(to + c * width + b * B::width, x[c][b]); });
  }
  CORIO_INLINE void add_to(S* to) const {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA {
      S* const at = to + c * width + b * B::width;
      B::store(at, B::load(at) + x[c][b]);
    });
  }
  /// `from` less V . this or F . this, for block b.
  CORIO_INLINE Type subtract_dot(const Type& from, const Motion<S>& V, int b) const {
    return subtract_dot(from, V.angular, V.linear, b);
  }
  CORIO_INLINE Type subtract_dot(const Type& from, const ArticulatedForce<S>& F, int b) const {
    return subtract_dot(from, F.moment, F.force, b);
  }
  /// += V or F times the factors of the columns of block b
  CORIO_INLINE void add(const Motion<S>& V, const Type& factor, int b) { add(V.angular, V.linear, factor, b); }
  CORIO_INLINE void add(const ArticulatedForce<S>& F, const Type& factor, int b) { add(F.moment, F.force, factor, b); }

 private:
  /// In sums side by side, for the same reason.
  template <class V>
  CORIO_INLINE Type subtract_dot(const Type& from, const V& y, const V& z, int b) const {
    const Type first = y[0] * x[0][b] + y[1] * x[1][b];
    const Type second = y[2] * x[2][b] + z[0] * x[3][b];
    const Type third = z[1] * x[4][b] + z[2] * x[5][b];
    return (from - first) - (second + third);
  }
  template <class V>
  CORIO_INLINE void add(const V& y, const V& z, const Type& factor, int b) {
    repeat<3>([&](auto c) CORIO_INLINE_LAMBDA { x[c][b] += y[c] * factor, x[3 + c][b] += z[c] * factor; });
  }
  template <class F>
  CORIO_INLINE static void each(F&& f) {
    repeat<6>([&](auto c) CORIO_INLINE_LAMBDA { repeat<blocks>([&](auto b) CORIO_INLINE_LAMBDA { f(c, b); }); });
  }
};

/// Rows up to the last of the columns [j, end) of M^-1, row k from out + k stride on: as M^-1 is symmetric, they are
/// columns below and a little above its diagonal. Spoils columns behind.
template <int blocks, class B, class S>
void inverse_columns(const Model<S>& model, Data<S>& data, int j, int end, S* out, std::ptrdiff_t stride) {
  constexpr int width = B::width;
  const auto row = [&](int k) { return out + k * stride + j; };
  const auto& phi = data.phi;
  const auto& gain = data.work.gain;
  const VectorX<S>& r = data.work.reciprocal_d;

  SixRows<blocks, B, S> F;  // at the base of what has been seen, if unit forces push the columns
  F.set_zero();
  const auto pass = [&](int k, auto is_own) CORIO_INLINE_LAMBDA {
    const int last = model.subtree_end_of_dof(k);
    if (last <= j) return;
    const Motion<S>& p = phi[static_cast<std::size_t>(k)];
    const ArticulatedForce<S>& G = gain[static_cast<std::size_t>(k)];
    S* const w = row(k);
    typename B::Type x[blocks];
    repeat<blocks>([&](auto b) CORIO_INLINE_LAMBDA {
      const int lane = j + b * width;
      x[b] = F.subtract_dot(is_own ? B::unit(k - lane) : B::zero(), p, b);
      if (last < end) x[b] = B::keep(x[b], 0, last - lane);
      F.add(G, x[b], b);
      x[b] *= r[k];
    });
    repeat<blocks>([&](auto b) CORIO_INLINE_LAMBDA { B::store(w + b * width, x[b]); });
  };
  for (int k = end - 1; k >= j; --k) pass(k, std::true_type());
  for (int k = j - 1; k >= 0; --k) pass(k, std::false_type());

  SixRows<blocks, B, S> A;  // of the parent, for these forces
  A.set_zero();
  S* const memory = data.work.column_sums.data();
  const auto of_node = [&](int b) { return memory + b * (6 * blocks * width); };
  for (int b = 0; b < model.num_nodes() && model.node(b).v_begin < end; ++b) {
    const Node<S>& node = model.node(b);
    if (node.parent < 0)
      A.set_zero();
    else if (node.parent != b - 1)
      A.load(of_node(node.parent));
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<S>& p = phi[static_cast<std::size_t>(k)];
      const ArticulatedForce<S>& G = gain[static_cast<std::size_t>(k)];
      S* const w = row(k);
      typename B::Type x[blocks];
      repeat<blocks>([&](auto l) CORIO_INLINE_LAMBDA {
        x[l] = A.subtract_dot(node.subtree_v_end > j ? B::load(w + l * width) : B::zero(), G, l);
        A.add(p, x[l], l);
      });
      repeat<blocks>([&](auto l) CORIO_INLINE_LAMBDA { B::store(w + l * width, x[l]); });
    }
    const bool has_other_children =
        node.v_end != node.subtree_v_end && model.node(b + 1).subtree_v_end != node.subtree_v_end;
    if (has_other_children) A.store(of_node(b));
  }
}

/// The triangle of M^-1 at and below the diagonal, column k from out + k stride on. Columns shorter than two of the
/// widest blocks are written past their end.
template <class S>
void inverse_triangle(const Model<S>& model, Data<S>& data, S* out, std::ptrdiff_t stride) {
  using Wide = WideBlock<S>;
  constexpr int blocks = Wide::width == 1 ? 1 : 2, step = blocks * Wide::width;
  // What does not fill blocks are the columns with the shortest way to the ground.
  const int rest = model.nv() % step;
  if (rest > Wide::width)
    inverse_columns<blocks, Wide>(model, data, 0, rest, out, stride);
  else if (rest > Block<S>::width)
    inverse_columns<1, Wide>(model, data, 0, rest, out, stride);
  else if (rest > 0)
    inverse_columns<1, Block<S>>(model, data, 0, rest, out, stride);
  for (int j = rest; j < model.nv(); j += step) inverse_columns<blocks, Wide>(model, data, j, j + step, out, stride);
}

/// M^-1 from the factors that `articulate` or aba left.
template <class S>
void invert_from_factors(const Model<S>& model, Data<S>& data, MatrixX<S>& inverse) {
  const bool in_place = model.nv() >= 2 * WideBlock<S>::width;
  MatrixX<S>& lower = in_place ? inverse : data.work.rows;
  inverse_triangle(model, data, lower.data(), lower.rows());
  fill_symmetric(inverse, lower.data(), lower.rows());
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
  detail::invert_from_factors(model, data, data.mass_matrix_inverse);
  return data.mass_matrix_inverse;
}

}  // namespace corio
