#pragma once

#include "corio/algorithms/tiles.hpp"
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
  CORIO_INLINE Type dot(const Motion<S>& V, int b) const { return dot(V.angular, V.linear, b); }
  CORIO_INLINE Type dot(const Force<S>& F, int b) const { return dot(F.moment, F.force, b); }
  /// += V or F times the factors of the columns of block b
  CORIO_INLINE void add(const Motion<S>& V, const Type& factor, int b) { add(V.angular, V.linear, factor, b); }
  CORIO_INLINE void add(const Force<S>& F, const Type& factor, int b) { add(F.moment, F.force, factor, b); }

 private:
  /// In two sums side by side, for the same reason.
  CORIO_INLINE Type dot(const Vector3<S>& y, const Vector3<S>& z, int b) const {
    const Type first = y[0] * x[0][b] + y[1] * x[1][b] + y[2] * x[2][b];
    const Type second = z[0] * x[3][b] + z[1] * x[4][b] + z[2] * x[5][b];
    return first + second;
  }
  CORIO_INLINE void add(const Vector3<S>& y, const Vector3<S>& z, const Type& factor, int b) {
    repeat<3>([&](auto c) CORIO_INLINE_LAMBDA { x[c][b] += y[c] * factor, x[3 + c][b] += z[c] * factor; });
  }
  template <class F>
  CORIO_INLINE static void each(F&& f) {
    repeat<6>([&](auto c) CORIO_INLINE_LAMBDA { repeat<blocks>([&](auto b) CORIO_INLINE_LAMBDA { f(c, b); }); });
  }
};

/// Rows up to the last of the columns [j, end) of M^-1 into data.work.rows, row k as its column k. Spoils columns
/// behind.
template <int blocks, class B, class S>
void inverse_columns(const Model<S>& model, Data<S>& data, int j, int end) {
  constexpr int width = B::width;
  const auto row = [&](int k) { return data.work.rows.data() + k * data.work.rows.rows() + j; };
  const auto& phi = data.phi;
  const auto& U = data.work.U;
  const VectorX<S>& r = data.work.reciprocal_d;

  SixRows<blocks, B, S> F;  // at the base of what has been seen, if unit forces push the columns
  F.set_zero();
  const auto pass = [&](int k, auto is_own) CORIO_INLINE_LAMBDA {
    const int last = model.subtree_end_of_dof(k);
    if (last <= j) return;
    const Motion<S>& p = phi[static_cast<std::size_t>(k)];
    const Force<S>& u = U[static_cast<std::size_t>(k)];
    S* const w = row(k);
    typename B::Type x[blocks];
    repeat<blocks>([&](auto b) CORIO_INLINE_LAMBDA {
      const int lane = j + b * width;
      x[b] = -F.dot(p, b);
      if (is_own) x[b] += B::unit(k - lane);
      if (last < end) x[b] = B::keep(x[b], 0, last - lane);
      x[b] *= r[k];
      F.add(u, x[b], b);
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
      const Force<S>& u = U[static_cast<std::size_t>(k)];
      S* const w = row(k);
      typename B::Type x[blocks];
      repeat<blocks>([&](auto l) CORIO_INLINE_LAMBDA {
        x[l] = -r[k] * A.dot(u, l);
        if (node.subtree_v_end > j) x[l] += B::load(w + l * width);
        A.add(p, x[l], l);
      });
      repeat<blocks>([&](auto l) CORIO_INLINE_LAMBDA { B::store(w + l * width, x[l]); });
    }
    const bool has_other_children =
        node.v_end != node.subtree_v_end && model.node(b + 1).subtree_v_end != node.subtree_v_end;
    if (has_other_children) A.store(of_node(b));
  }
}

/// M^-1 from the factors that `articulate` or aba left.
template <class S>
void invert_from_factors(const Model<S>& model, Data<S>& data, MatrixX<S>& inverse) {
  using Values = TileValues<S>;
  constexpr int width = Values::width, side = Values::side;
  const int n = model.nv();
  using Wide = WideBlock<S>;
  constexpr int blocks = width == 1 ? 1 : 2, step = blocks * Wide::width;
  // What does not fill blocks are the columns with the shortest way to the ground.
  const int rest = n % step;
  if (rest > Wide::width)
    inverse_columns<blocks, Wide>(model, data, 0, rest);
  else if (rest > width)
    inverse_columns<1, Wide>(model, data, 0, rest);
  else if (rest > 0)
    inverse_columns<1, Block<S>>(model, data, 0, rest);
  for (int j = rest; j < n; j += step) inverse_columns<blocks, Wide>(model, data, j, j + step);
  for (int i = (n - 1) / side * side; i >= 0; i -= side)
    for (int k = (n - 1) / side * side; k >= i; k -= side) {
      Values x;
      Values::each([&](auto r, auto b) CORIO_INLINE_LAMBDA {
        x.x[r][b] = Block<S>::load(data.work.rows.data() + (i + r) * data.work.rows.rows() + k + b * width);
      });
      store_square(inverse, i, k, x, x);
    }
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
