#pragma once

#include "corio/kernels/columns.hpp"
#include "corio/kernels/gather.hpp"
#include "corio/kernels/moving_sums.hpp"
#include "corio/kernels/packed_triples.hpp"
#include "corio/kinematics/second_partials.hpp"

/// Kernels of coriolis_matrix_derivatives.hpp, which says what the letters mean.
namespace corio::detail {

/// All entries of g with columns k of the subtree of its joint and any a at or above it, in runs of g and a:
///   skew = D_a C(g,k),
///   lower = D_k C(g,a) and upper = D_k C(a,g) for k below g,
///   upper_along = D_g C(a,k) and lower_along = D_g C(k,a) for a above g.
/// Runs of joints of several degrees of freedom hold numbers without a meaning for k that are not below g. For a of
/// the joint of g, the last two kinds have a meaning if the columns of that joint move in the body: what D_g C(a,k) and
/// D_g C(k,a) have by this more than skew says.
struct CoriolisKinds {
  enum Kind { lower, upper, skew, upper_along, lower_along, count };
};
template <class S>
using CoriolisTriples = PackedTriples<S, CoriolisKinds::count>;

/// Writes what the row of g holds to all its places among the nv^3.
template <class S>
void expand_coriolis_derivatives(const CoriolisTriples<S>& strips, int g, Tensor3<S>& T) {
  using Kinds = CoriolisKinds;
  const auto d = strips.dof(g);
  const int below = d.own_end == d.begin + 1 ? d.begin : d.own_end;
  const Eigen::Index kind = strips.kind();
  strips.for_each_run(g, [&](int a, const S* strip) CORIO_INLINE_LAMBDA {
    const bool above = a < d.begin;
    const auto x = [&](int c, int k) CORIO_INLINE_LAMBDA { return Pack<S>::load(strip + c * kind + k); };
    const Line<0, S> ag(T, a, g), ga(T, g, a);
    const Line<1, S> a_g(T, a, g), g_a(T, g, a);
    const Line<2, S> ag_(T, a, g), ga_(T, g, a);
    for_each_pack<S>(d.begin, below, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      g_a.store(k, count, x(Kinds::skew, k));
      if (!above) return;
      a_g.store(k, count, x(Kinds::upper_along, k)), ag.store(k, count, x(Kinds::lower_along, k));
    });
    // The order matters for k = g, of which the last ones are right.
    for_each_pack<S>(below, d.end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      ga_.store(k, count, x(Kinds::lower, k)), ag_.store(k, count, x(Kinds::upper, k));
      ga.store(k, count, -x(Kinds::skew, k)), g_a.store(k, count, x(Kinds::skew, k));
      if (!above) return;
      a_g.store(k, count, x(Kinds::upper_along, k)), ag.store(k, count, x(Kinds::lower_along, k));
    });
  });
}

/// What D_l C has more in rows and columns of degrees of freedom i of the same joint as l, if its columns move in the
/// body: calls add(l, i, k, x, y) for all k that are related to them, where x belongs to D_l C(i,k), y to D_l C(k,i),
///   x = dPhi_k . I^C s + Phi_k . B^C^T s,   y = Phi_k . (I^C (V x s + D_l dS_i/dt) + B^C s),   s = D_l S_i,
/// with the composites of whichever of i and k is nearer the leaves.
template <class S, class F>
void for_moving_coriolis_derivatives(const Model<S>& model, const Data<S>& data, F&& add) {
  for (int b = 0; b < model.num_nodes() && !data.phi_partial.empty(); ++b) {
    const Node<S>& node = model.node(b);
    if (node.partials_begin < 0) continue;
    const SecondPartials<S> second(model, data, b);
    for (int l = node.v_begin; l < node.v_end; ++l)
      for (int i = node.v_begin; i < node.v_end; ++i) {
        const Motion<S>& s = moving_partial(data, node, l, i);
        const Motion<S> s_dot = cross(data.velocity[b], s) + second.of_rate(l, i, data.v);
        for (int k = node.subtree_v_end - 1; k >= 0; k = k > node.v_begin ? k - 1 : model.dof_parent(k)) {
          const int c = k < node.v_begin ? b : model.node_of_dof(k);
          const auto I = placed(data, data.composite_inertia, c);
          const auto B = placed(data, data.composite_coriolis, c);
          add(l, i, k, dot(data.phi_dot[k], I * s) + dot(data.phi[k].angular, transpose_moment(B, s)),
              dot(data.phi[k], I * s_dot + B * s));
        }
      }
  }
}

/// Per degree of freedom k: psi, F1, F2, the moment F3, and the operators B and A. Per pair of g and k, pack by pack,
/// what any a multiplies with.
template <class S>
class CoriolisDerivativeColumns : CoriolisKinds {
 public:
  explicit CoriolisDerivativeColumns(const Model<S>& m)
      : psi_(m.nv()),
        F1_(m.nv()),
        F2_(m.nv()),
        F3_(m.nv()),
        B_(m.nv()),
        A_(m.nv()),
        of_g_(static_cast<std::size_t>(m.nv() / N::width + 1)) {}

  void set(const Model<S>& model, const Data<S>& data) {
    for_dof_packs(model, [&](int k, const DofPack<S>& at) CORIO_INLINE_LAMBDA {
      const Motion<N> phi = at.of_dofs(data.phi);
      const auto I = at.placed(data, data.composite_inertia);
      const auto B = at.placed(data, data.composite_coriolis);
      Motion<N> psi = cross(at.of_parents(data.velocity), phi);
      if (!data.phi_partial.empty()) psi += moving_sums(model, data, data.v, k);
      scatter<Motion, S>(psi, &psi_[k], std::min(N::width, model.nv() - k));
      F1_.set(k, I * at.of_dofs(data.phi_dot) + B * phi);
      F2_.set(k, I * phi);
      F3_.set(k, transpose_moment(B, phi));
      B_.set(k, body_coriolis(phi, I));
      A_.set(k, transported(phi, B) + body_coriolis(psi, I));
    });
  }

  void write_row(const Data<S>& data, int g, CoriolisTriples<S>& strips) {
    const auto d = strips.dof(g);
    const Eigen::Index kind = strips.kind();
    prepare(data, g, d.begin, d.end);
    strips.for_each_run(g, [&](int a, S* to) CORIO_INLINE_LAMBDA {
      const auto* from = of_g_.data();
      for (int k = d.begin; k < d.end; k += N::width, ++from)
        a < d.begin ? write_pack<true>(data, a, *from, to + k, kind) : write_pack<false>(data, a, *from, to + k, kind);
    });
  }

 private:
  using N = Pack<S>;
  /// Rows of what is of g and columns k, where they begin.
  enum { R_phi = 0, turned = 6, A_transposed = 9, A_phi = 12, F1_moved = 18, F2_moved = 24, F3_moved = 30, rows = 36 };
  using OfG = Columns<S, rows, N::width>;

  CORIO_NOINLINE void prepare(const Data<S>& data, int g, int begin, int end) {
    const Motion<N> phi = broadcast<N>(data.phi[g]), phi_dot = broadcast<N>(data.phi_dot[g]);
    const Motion<N> psi = broadcast<N>(psi_[g]);
    auto* to = of_g_.data();
    for (int k = begin; k < end; k += N::width, ++to) {
      const auto put = [&](int row, const Force<N>& F)
                           CORIO_INLINE_LAMBDA { to->set(0, F.moment, row), to->set(0, F.force, row + 3); };
      const auto R = [&](const Motion<N>& V, const Vector3<N>& moment) CORIO_INLINE_LAMBDA {
        Force<N> F = times(B_, V, k);
        F.moment += moment;
        return F;
      };
      const Vector3<N> moment = transpose_moment(B_, phi, k);
      const Force<N> F2 = F2_.template force<N>(k), B_psi = times(B_, psi, k);
      const Force<N> phi_F3{cross(phi.angular, F3_.template vector<N>(k)), zero3<N>()};
      put(R_phi, R(phi, moment));
      to->set(0, moment, turned);
      to->set(0, transpose_moment(A_, phi, k), A_transposed);
      put(A_phi, R(phi_dot, transpose_moment(B_, phi_dot, k)) + times(A_, phi, k));
      put(F1_moved, cross(phi, F1_.template force<N>(k)) + B_psi);
      put(F2_moved, cross(phi, F2));
      put(F3_moved, cross(psi, F2) + phi_F3 - B_psi);
    }
    // B^T Phi of g itself, exactly and not up to rounding.
    of_g_[static_cast<std::size_t>((g - begin) / N::width)].set((g - begin) % N::width, zero3<S>(), turned);
  }

  /// `above`: a is of a joint above that of g. A function of its own: what is of a is too much for registers to hold it
  /// from pack to pack.
  template <bool above>
  CORIO_NOINLINE void write_pack(const Data<S>& data, int a, const OfG& from, S* to, Eigen::Index kind) const {
    const auto vector = [&](int row) CORIO_INLINE_LAMBDA { return from.template vector<N>(0, row); };
    const auto force = [&](int row) CORIO_INLINE_LAMBDA { return Force<N>{vector(row), vector(row + 3)}; };
    // All before the first store, after which they might have changed as far as the compiler knows.
    const Motion<N> phi = broadcast<N>(data.phi[a]), phi_dot = broadcast<N>(data.phi_dot[a]);
    const N skew_k = dot(broadcast<N>(psi_[a].angular), vector(turned));
    const N lower_k = dot(phi_dot, force(R_phi)) + dot(phi.angular, vector(A_transposed));
    const N upper_k = dot(phi, force(A_phi));
    if constexpr (above) {
      const N along_k = dot(phi, force(F1_moved));
      const N lower_along_k = dot(phi_dot, force(F2_moved)) + dot(phi, force(F3_moved));
      along_k.store(to + upper_along * kind), lower_along_k.store(to + lower_along * kind);
    }
    skew_k.store(to + skew * kind), lower_k.store(to + lower * kind), upper_k.store(to + upper * kind);
  }

  PerDof<Motion<S>> psi_;
  Columns<S, 6> F1_, F2_;
  Columns<S, 3> F3_;
  Columns<S, 12> B_, A_;
  std::vector<OfG> of_g_;
};

}  // namespace corio::detail
