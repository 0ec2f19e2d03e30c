#pragma once

#include "corio/kernels/composites.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns x - V . F.
template <class N>
CORIO_INLINE N minus_dot(const N& x, const Motion<N>& V, const Force<N>& F) {
  return x - dot(V, F);
}

/// M = L^T D L of a tree, without M, by articulated-body inertias I^A. Degrees of freedom are eliminated one at a time,
/// last to first, each by a rank-one update, which equals the block elimination of a joint with several of them and
/// needs no matrix inverse:
///   U_k = I^A Phi_k,   d_k = Phi_k . U_k + armature_k,   I^A <- I^A - U_k U_k^T / d_k.
/// Row k of L is Phi_i . U_k / d_k for i above k, and D is d. M x = tau is solved by a sweep inward and one outward,
///   u_k = tau_k - Phi_k . p^A,   p^A <- p^A + U_k u_k / d_k;   x_k = (u_k - U_k . a) / d_k,   a <- a + Phi_k x_k,
/// with a = 0 on the ground.
/// Source: Featherstone (1983; 2008, ch. 7); for the factors, Rodriguez, Jain and Kreutz-Delgado (1992).
template <class S>
class ArticulatedFactor {
  using N = InRegisters<S>;

 public:
  PerDof<Force<S>> U_by_d;  // G_k = U_k / d_k, about the origin of the tree
  VectorX<S> reciprocal_d;  // r_k = 1 / d_k

  explicit ArticulatedFactor(const Model<S>& m)
      : U_by_d(m.nv(), Force<S>::zero()),
        reciprocal_d(zeros<S>(m.nv())),
        inertia_(m.num_nodes()),
        force_(m.num_nodes()),
        acceleration_(m.num_nodes()) {}

  /// Factorises M at the position of data. O(n).
  void compute(const Model<S>& model, Data<S>& data) { eliminate(model, data, NoForces()); }
  /// Factorises M and sweeps inward for M x = tau: x is tau before, and u_k / d_k afterwards.
  /// @param force  each body's own part of p^A, about the origin of the tree
  void compute(const Model<S>& model, Data<S>& data, VectorX<S>& x, const PerNode<Force<S>>& force) {
    eliminate(model, data, BiasForces{&force, children_sum<Force<N>>(model, force_), x, {}});
  }
  /// Factorises M and sweeps inward with the degrees of freedom k that are held locked: x_k = 0.
  void compute(const Model<S>& model, Data<S>& data, VectorX<S>& x, const PerNode<Force<S>>& force,
               const PerDof<char>& held) {
    eliminate(model, data, HoldingForces{{&force, children_sum<Force<N>>(model, force_), x, {}}, held});
  }
  /// Factorises M and replaces x by M^-1 x. O(n).
  void solve(const Model<S>& model, Data<S>& data, VectorX<S>& x) {
    eliminate(model, data, BiasForces{nullptr, children_sum<Force<N>>(model, force_), x, {}});
    sweep_outward(model, data, x);
  }
  /// Sweeps outward: u_k / d_k becomes x_k.
  void sweep_outward(const Model<S>& model, const Data<S>& data, VectorX<S>& x);

 private:
  struct NoForces {
    static constexpr bool holds(int) { return false; }
    void begin(int) {}
    void add_dof(int, const Motion<N>&, const Force<N>&, const N&) {}
    void end(int) {}
  };
  /// The forces p^A of one right-hand side.
  struct BiasForces {
    const PerNode<Force<S>>* force;
    ChildrenSum<Force<N>, S, Force<S>> children;
    VectorX<S>& x;
    Force<N> p;

    static constexpr bool holds(int) { return false; }
    CORIO_INLINE void begin(int b) {
      p = force ? load((*force)[b]) : Force<N>::zero();
      children.add_to(p, b);
    }
    CORIO_INLINE void add_dof(int k, const Motion<N>& phi, const Force<N>& G, const N& r) {
      const N u = minus_dot(N(x[k]), phi, p);
      p += G * u;
      x[k] = S(r * u);
    }
    CORIO_INLINE void end(int b) { children.pass_to_parent(p, b); }
  };
  struct HoldingForces : BiasForces {
    const PerDof<char>& held;
    bool holds(int k) const { return held[k] != 0; }
  };
  template <class Forces>
  CORIO_INLINE void eliminate(const Model<S>& model, Data<S>& data, Forces&& forces);

  PerNode<ArticulatedInertia<N>> inertia_;  // I^A of all children but the first
  PerNode<Force<S>> force_;                 // p^A of all children but the first
  PerNode<Motion<S>> acceleration_;         // the a of nodes with several children
};

template <class S>
template <class Forces>
CORIO_INLINE void ArticulatedFactor<S>::eliminate(const Model<S>& model, Data<S>& data, Forces&& forces) {
  auto children = children_sum<ArticulatedInertia<N>>(model, inertia_);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    const auto origin = load(data.pose[b].translation);
    auto I_A = ArticulatedInertia<N>::from(data.has_inertia ? load(data.inertia[b]) : body_inertia(model, data, b));
    children.add_to(I_A, b);
    forces.begin(b);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Motion<N> phi = load(data.phi[k]), phi_here = about(phi, origin);
      Force<N> U = I_A * phi_here;
      const N r = forces.holds(k) ? N(S(0)) : N(N(S(1)) / (dot(phi_here, U) + N(model.armature()[k])));
      const Force<N> G = about(U * r, -origin);
      store(G, U_by_d[k]);
      reciprocal_d[k] = S(r);
      forces.add_dof(k, phi, G, r);
      if (k == node.v_begin && node.parent >= 0) {  // before the last update, so that less waits for r
        const auto to_parent = load(data.pose[node.parent].translation) - origin;
        I_A = about(I_A, to_parent), U = about(U, to_parent);
      }
      I_A.subtract_outer(U, r);
    }
    children.pass_to_parent(I_A, b);
    forces.end(b);
  }
}

/// Sweeps outward for one or several right-hand sides x, in degrees of freedom before `end`.
/// @param acceleration  scratch, the a of each node
template <class S, class X, class T>
CORIO_INLINE void sweep_outward(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor,
                                const X& x, int end, PerNode<T>& acceleration) {
  using N = typename X::Number;
  pass_outward<N, false>(model, acceleration, end, [&](int k, Motion<N>& a) CORIO_INLINE_LAMBDA {
    const N x_k = minus_dot(x[k], a, X::read(factor.U_by_d[k]));
    a += X::read(data.phi[k]) * x_k;
    x.set(k, x_k);
  });
}

/// Sweeps for one right-hand side, with G and Phi of each degree of freedom in registers.
template <class S>
struct OneColumn {
  using Number = InRegisters<S>;
  VectorX<S>& x;

  CORIO_INLINE Number operator[](int k) const { return Number(x[k]); }
  CORIO_INLINE void set(int k, const Number& value) const { x[k] = S(value); }
  template <class V>
  CORIO_INLINE static auto read(const V& v) {
    return load(v);
  }
};

template <class S>
void ArticulatedFactor<S>::sweep_outward(const Model<S>& model, const Data<S>& data, VectorX<S>& x) {
  detail::sweep_outward(model, data, *this, OneColumn<S>{x}, model.nv(), acceleration_);
}

}}}  // namespace corio::detail
