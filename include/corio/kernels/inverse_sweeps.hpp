#pragma once

#include <limits>

#include "corio/kernels/pairs.hpp"
#include "corio/kinematics/data.hpp"

/// Sweeps of the articulated-body algorithm for many columns of generalized forces at once, without velocity and
/// gravity: M^-1, or M^-1 times a matrix.
namespace corio::inline CORIO_ABI::detail {

/// The articulated-body elimination of degrees of freedom one at a time, last to first: gains G_k = I^A Phi_k / d_k and
/// reciprocals 1 / d_k, where d_k = Phi_k . I^A Phi_k + armature, about the origin of the tree; and the scratch of the
/// sweeps below.
template <class S>
struct Elimination {
  using N = InRegisters<S>;
  PerDof<Force<S>> gain;
  VectorX<S> reciprocal_d;
  VectorX<S> sums;  // per node, of forces or accelerations for several columns
  MatrixX<S> rows;  // of a matrix with some columns more than it has

  explicit Elimination(const Model<S>& m) : gain(m.nv(), Force<S>::zero()), reciprocal_d(zeros<S>(m.nv())) {}
  /// Eliminates degree of freedom k, along phi, from the articulated inertia I^A of its node, which becomes
  /// I^A - G U^T, the inertia that is felt across k. I^A, phi and G are about the origin p of the node. When the first
  /// degree of freedom of the joint is eliminated, which is the last step at this node, I^A and G are moved to the
  /// origin of the parent: here and not afterwards, because the shift can be computed while the division is under way.
  /// @returns 1 / d_k; G is the gain
  CORIO_INLINE N eliminate(const Data<S>& data, const Node<S>& node, ArticulatedInertia<N>& I_A, const Motion<N>& phi,
                           const VectorOf<N>& p, const S& armature, int k, Force<N>& G) {
    Force<N> U = I_A * phi;
    const N r = N(S(1)) / (dot(phi, U) + N(armature));
    store(about(U * r, -p), gain[k]);
    reciprocal_d[k] = S(r);
    if (k == node.v_begin && node.parent >= 0) {
      const VectorOf<N> to_parent = load(data.pose[node.parent].translation) - p;
      I_A = about(I_A, to_parent);
      U = about(U, to_parent);
    }
    I_A.subtract_outer(U, r);
    G = U * r;
    return r;
  }
  /// Before inverse_triangle or negative_solve. O(n^2) numbers.
  void make_room(const Model<S>& m) {
    static_assert(12 * longest_pack<S> <= (std::numeric_limits<int>::max)() / most_nodes);
    sums.setZero(12 * longest_pack<S> * m.num_nodes());
    rows.setZero(m.nv() + 2 * longest_pack<S> - 1, m.nv() + pack_padding<S>);
  }
};

/// x <- (the acceleration x that a robot at rest has) for the x_k = u_k / d_k that a sweep from the leaves to the root
/// has left, u_k the generalized force that remains for k: the sweep from the root back to the leaves.
/// @param acceleration  scratch: that of each node, about the origin of the tree
template <class S>
CORIO_INLINE void sweep_outward(const Model<S>& model, const PerDof<Motion<S>>& phi, const Elimination<S>& eliminated,
                                PerNode<Motion<S>>& acceleration, S* x, std::ptrdiff_t stride = 1) {
  using N = InRegisters<S>;
  Motion<N> A = Motion<N>::zero();  // of the node before
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.parent < 0)
      A = Motion<N>::zero();
    else if (node.parent + 1 != b)
      A = load(acceleration[node.parent]);
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const N a = N(x[k * stride]) - dot(A, load(eliminated.gain[k]));
      A += load(phi[k]) * a;
      x[k * stride] = S(a);
    }
    store(A, acceleration[b]);
  }
}

/// Six coordinates of each of several columns, in registers. Several packs are taken side by side, because each step of
/// a sweep has to wait for the result of the step before.
template <int packs, class P, class S>
struct SixRows {
  static constexpr int width = packs * P::width;
  P x[6][packs];

  CORIO_INLINE void set_zero() {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA { x[c][b] = P::zero(); });
  }
  CORIO_INLINE void load(const S* from) {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA { x[c][b] = P::load(from + c * width + b * P::width); });
  }
  CORIO_INLINE void store(S* to) const {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA { x[c][b].store(to + c * width + b * P::width); });
  }
  CORIO_INLINE void add_to(S* to) const {
    each([&](auto c, auto b) CORIO_INLINE_LAMBDA {
      S* const at = to + c * width + b * P::width;
      (P::load(at) + x[c][b]).store(at);
    });
  }
  /// `from` less V . this or F . this, for pack b.
  CORIO_INLINE P subtract_dot(const P& from, const Motion<S>& V, int b) const {
    return subtract_dot(from, V.angular, V.linear, b);
  }
  CORIO_INLINE P subtract_dot(const P& from, const Force<S>& F, int b) const {
    return subtract_dot(from, F.moment, F.force, b);
  }
  /// += V or F times the factors of the columns of pack b
  CORIO_INLINE void add(const Motion<S>& V, const P& factor, int b) { add(V.angular, V.linear, factor, b); }
  CORIO_INLINE void add(const Force<S>& F, const P& factor, int b) { add(F.moment, F.force, factor, b); }

 private:
  /// As three independent sums, for the same reason.
  template <class V>
  CORIO_INLINE P subtract_dot(const P& from, const V& y, const V& z, int b) const {
    const P first = y[0] * x[0][b] + y[1] * x[1][b];
    const P second = y[2] * x[2][b] + z[0] * x[3][b];
    const P third = z[1] * x[4][b] + z[2] * x[5][b];
    return (from - first) - (second + third);
  }
  template <class V>
  CORIO_INLINE void add(const V& y, const V& z, const P& factor, int b) {
    repeat<3>([&](auto c) CORIO_INLINE_LAMBDA { x[c][b] += y[c] * factor, x[3 + c][b] += z[c] * factor; });
  }
  template <class F>
  CORIO_INLINE static void each(F&& f) {
    repeat<6>([&](auto c) CORIO_INLINE_LAMBDA { repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA { f(c, b); }); });
  }
};

/// Rows up to the last of the columns [j, end) of M^-1, row k from out + k stride on: as M^-1 is symmetric, they are
/// columns below and a little above its diagonal. Columns from `end` on are scratch.
template <int packs, class P, class S>
void inverse_columns(const Model<S>& model, const PerDof<Motion<S>>& phi, Elimination<S>& eliminated, int j, int end,
                     S* out, std::ptrdiff_t stride) {
  constexpr int width = P::width;
  const auto row = [&](int k) { return out + k * stride + j; };
  const auto& gain = eliminated.gain;
  const VectorX<S>& r = eliminated.reciprocal_d;

  SixRows<packs, P, S> F;  // at the base of what has been seen, if unit forces push the columns
  F.set_zero();
  const auto pass = [&](int k, auto is_own) CORIO_INLINE_LAMBDA {
    const int last = model.subtree_end(k);
    if (last <= j) return;
    const Motion<S>& p = phi[k];
    const Force<S>& G = gain[k];
    S* const w = row(k);
    P x[packs];
    repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA {
      const int lane = j + b * width;
      x[b] = F.subtract_dot(is_own ? P::unit(k - lane) : P::zero(), p, b);
      if (last < end) x[b] = x[b].keep(0, last - lane);
      F.add(G, x[b], b);
      x[b] = r[k] * x[b];
    });
    repeat<packs>([&](auto b) CORIO_INLINE_LAMBDA { x[b].store(w + b * width); });
  };
  for (int k = end - 1; k >= j; --k) pass(k, std::true_type());
  for (int k = j - 1; k >= 0; --k) pass(k, std::false_type());

  SixRows<packs, P, S> A;  // of the parent, for these forces
  A.set_zero();
  S* const memory = eliminated.sums.data();
  const auto of_node = [&](int b) { return memory + b * (6 * packs * width); };
  for (int b = 0; b < model.num_nodes() && model.node(b).v_begin < end; ++b) {
    const Node<S>& node = model.node(b);
    if (node.parent < 0)
      A.set_zero();
    else if (node.parent != b - 1)
      A.load(of_node(node.parent));
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<S>& p = phi[k];
      const Force<S>& G = gain[k];
      S* const w = row(k);
      P x[packs];
      repeat<packs>([&](auto l) CORIO_INLINE_LAMBDA {
        x[l] = A.subtract_dot(node.subtree_v_end > j ? P::load(w + l * width) : P::zero(), G, l);
        A.add(p, x[l], l);
      });
      repeat<packs>([&](auto l) CORIO_INLINE_LAMBDA { x[l].store(w + l * width); });
    }
    const bool has_other_children =
        node.v_end != node.subtree_v_end && model.node(b + 1).subtree_v_end != node.subtree_v_end;
    if (has_other_children) A.store(of_node(b));
  }
}

/// The triangle of M^-1 at and below the diagonal, column k from out + k stride on. Columns shorter than two of the
/// widest packs are written past their end.
template <class S>
void inverse_triangle(const Model<S>& model, const PerDof<Motion<S>>& phi, Elimination<S>& eliminated, S* out,
                      std::ptrdiff_t stride) {
  using Wide = Lanes<S, longest_pack<S>>;
  constexpr int packs = Wide::width == 1 && states_of<S> == 1 ? 1 : 2, step = packs * Wide::width;
  // What does not fill packs are the columns with the shortest way to the ground.
  const int rest = model.nv() % step;
  if (rest > Wide::width)
    inverse_columns<packs, Wide>(model, phi, eliminated, 0, rest, out, stride);
  else if (rest > pack_width<S>)
    inverse_columns<1, Wide>(model, phi, eliminated, 0, rest, out, stride);
  else if (rest > 0)
    inverse_columns<1, Lanes<S>>(model, phi, eliminated, 0, rest, out, stride);
  for (int j = rest; j < model.nv(); j += step)
    inverse_columns<packs, Wide>(model, phi, eliminated, j, j + step, out, stride);
}

/// M^-1 from the gains.
template <class S>
void invert(const Model<S>& model, const PerDof<Motion<S>>& phi, Elimination<S>& eliminated, MatrixX<S>& inverse) {
  const bool in_place = model.nv() >= 2 * longest_pack<S>;
  MatrixX<S>& lower = in_place ? inverse : eliminated.rows;
  inverse_triangle(model, phi, eliminated, lower.data(), lower.rows());
  fill_symmetric(inverse, lower.data(), lower.rows());
}

/// out = -M^-1 D by the sweeps of aba with the gains that it left, several columns at a time. Computed on the
/// transpose, in which the numbers of neighbouring columns are contiguous.
template <class S>
void negative_solve(const Model<S>& model, const PerDof<Motion<S>>& phi, Elimination<S>& eliminated,
                    const MatrixX<S>& D, MatrixX<S>& out) {
  using P = Lanes<S>;
  constexpr int packs = 2, width = packs * P::width;
  const int n = model.nv();
  auto& X = eliminated.rows;
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < n; ++c) X(c, k) = -D(k, c);
  auto& sums = eliminated.sums;  // of forces, then accelerations, per node
  const auto sum = [&](int b) { return sums.data() + 6 * width * b; };
  for (int first = 0; first < n; first += width) {
    std::fill(sums.begin(), sums.end(), S(0));
    for (int b = model.num_nodes() - 1; b >= 0; --b) {
      const Node<S>& node = model.node(b);
      SixRows<packs, P, S> p;
      p.load(sum(b));
      for (int k = node.v_end - 1; k >= node.v_begin; --k) {
        const Motion<S>& p_k = phi[k];
        const auto& G = eliminated.gain[k];
        S* const row = X.data() + k * X.rows() + first;
        repeat<packs>([&](auto l) CORIO_INLINE_LAMBDA {
          S* const at = row + l * P::width;
          const P x = p.subtract_dot(P::load(at), p_k, l);
          p.add(G, x, l);
          (eliminated.reciprocal_d[k] * x).store(at);
        });
      }
      if (node.parent >= 0) p.add_to(sum(node.parent));
    }
    for (int b = 0; b < model.num_nodes(); ++b) {
      const Node<S>& node = model.node(b);
      SixRows<packs, P, S> a;
      a.set_zero();
      if (node.parent >= 0) a.load(sum(node.parent));
      for (int k = node.v_begin; k < node.v_end; ++k) {
        const Motion<S>& p_k = phi[k];
        const auto& G = eliminated.gain[k];
        S* const row = X.data() + k * X.rows() + first;
        repeat<packs>([&](auto l) CORIO_INLINE_LAMBDA {
          S* const at = row + l * P::width;
          const P x = a.subtract_dot(P::load(at), G, l);
          a.add(p_k, x, l);
          x.store(at);
        });
      }
      a.store(sum(b));
    }
  }
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < n; ++c) out(k, c) = X(c, k);
}

}  // namespace corio::detail
