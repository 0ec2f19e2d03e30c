#pragma once

#include "corio/algorithms/derivatives/derivative_columns.hpp"
#include "corio/core/tensor3.hpp"
#include "corio/kernels/packed_triples.hpp"

/// Kernels of coriolis_matrix_derivatives.hpp, which says what the letters mean.
namespace corio::inline CORIO_ABI::detail {

/// All entries of g with columns k of the subtree of its joint and any a at or above it, in runs of g and a:
///   skew = D_a C(g,k),
///   lower = D_k C(g,a) and upper = D_k C(a,g) for k below g,
///   upper_along = D_g C(a,k) and lower_along = D_g C(k,a) for a above g.
/// In joints with several degrees of freedom, the numbers for k that are not below g are unused. For a of the joint of
/// g, the last two kinds are what D_g C(a,k) and D_g C(k,a) have beside skew: zero unless columns move in the body.
struct CoriolisKinds {
  enum Kind { lower, upper, skew, upper_along, lower_along, count };
};
template <class S>
using CoriolisTriples = PackedTriples<S, CoriolisKinds::count>;

/// Copies the numbers of the row of g to every entry of the dense tensor that shares them.
template <class S>
void expand_coriolis_derivatives(const CoriolisTriples<S>& triples, int g, Tensor3<S>& T) {
  using Kinds = CoriolisKinds;
  const auto d = triples.dof(g);
  const Eigen::Index kind = triples.kind();
  triples.for_each_run(g, [&](int a, const S* numbers) {
    for (int k = d.begin; k < d.end; ++k) {
      const auto x = [&](int c) -> const S& { return numbers[c * kind + k]; };
      T(g, k, a) = x(Kinds::skew);
      if (a < d.begin) T(a, k, g) = x(Kinds::upper_along), T(k, a, g) = x(Kinds::lower_along);
      if (k < d.own_end) continue;
      T(k, g, a) = -x(Kinds::skew);
      T(g, a, k) = x(Kinds::lower), T(a, g, k) = x(Kinds::upper);
    }
  });
}

/// The columns psi, F1, F2, F3, B and A of all degrees of freedom and, of one g at a time, the forces made of these by
/// which all a are multiplied.
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
    for_dof_packs(model, data, [&](int k, const LanesOfDofs<S>& of) CORIO_INLINE_LAMBDA {
      const Motion<N> phi = of(data.phi);
      const auto I_C = of(data.composite_inertia);
      const auto B = of(data.composite_coriolis);
      const Motion<N> psi = motion_variation(model, data, of, phi, data.velocity, data.v);
      scatter<Motion, S>(psi, &psi_[k], (std::min)(N::width, model.nv() - k));
      F1_.set(k, I_C * of(data.phi_dot) + B * phi);
      F2_.set(k, I_C * phi);
      F3_.set(k, B.transpose_times(phi));
      B_.set(k, body_coriolis(phi, I_C));
      A_.set(k, transported(phi, B) + body_coriolis(psi, I_C));
    });
  }

  void write_row(const Data<S>& data, int g, CoriolisTriples<S>& triples) {
    const int begin = triples.dof(g).begin, end = triples.dof(g).end;
    const Eigen::Index kind = triples.kind();
    prepare(data, g, begin, end);
    triples.for_each_run(g, [&](int a, S* to) CORIO_INLINE_LAMBDA {
      const auto* from = of_g_.data();
      for (int k = begin; k < end; k += N::width, ++from)
        a < begin ? write_pack<true>(data, a, *from, to + k, kind) : write_pack<false>(data, a, *from, to + k, kind);
    });
  }

 private:
  using N = Lanes<S>;
  /// What g makes of the columns k.
  struct OfG {
    Force<N> R_phi, A_phi, F1_moved, F2_moved, F3_moved;
    Couple<N> turned, A_transposed;
  };

  CORIO_NOINLINE void prepare(const Data<S>& data, int g, int begin, int end) {
    const Motion<N> phi = broadcast<N>(data.phi[g]), phi_dot = broadcast<N>(data.phi_dot[g]);
    const Motion<N> psi = broadcast<N>(psi_[g]);
    OfG* to = of_g_.data();
    for (int k = begin; k < end; k += N::width, ++to) {
      const BodyCoriolis<N> B = B_.pack(k), A = A_.pack(k);
      const Force<N> F2 = F2_.pack(k), B_psi = B * psi;
      to->turned = B.transpose_times(phi);
      to->R_phi = B * phi + to->turned;
      to->A_transposed = A.transpose_times(phi);
      to->A_phi = B * phi_dot + B.transpose_times(phi_dot) + A * phi;
      to->F1_moved = cross(phi, F1_.pack(k)) + B_psi;
      to->F2_moved = cross(phi, F2);
      to->F3_moved = cross(psi, F2) + cross(phi, F3_.pack(k)) - B_psi;
      // B^T Phi of g itself, exactly and not up to rounding.
      if (k <= g && g < k + N::width) set_lane(to->turned, g - k, Couple<S>::zero());
    }
  }

  /// `above`: whether the joint of a is above that of g. Not inlined: its operands fill all registers, so that nothing
  /// is gained by keeping those of a from pack to pack.
  template <bool above>
  CORIO_NOINLINE void write_pack(const Data<S>& data, int a, const OfG& from, S* to, Eigen::Index kind) const {
    // All before the first store, after which they might have changed as far as the compiler knows.
    const Motion<N> phi = broadcast<N>(data.phi[a]), phi_dot = broadcast<N>(data.phi_dot[a]);
    const N skew_k = dot(broadcast<N>(psi_[a]), from.turned);
    const N lower_k = dot(phi_dot, from.R_phi) + dot(phi, from.A_transposed);
    const N upper_k = dot(phi, from.A_phi);
    N along_k = N::zero(), lower_along_k = N::zero();
    if constexpr (above) {
      along_k = dot(phi, from.F1_moved);
      lower_along_k = dot(phi_dot, from.F2_moved) + dot(phi, from.F3_moved);
    }
    skew_k.store(to + skew * kind), lower_k.store(to + lower * kind), upper_k.store(to + upper * kind);
    along_k.store(to + upper_along * kind), lower_along_k.store(to + lower_along * kind);
  }

  PerDof<Motion<S>> psi_;
  DofArrays<S, Force> F1_, F2_;
  DofArrays<S, Couple> F3_;
  DofArrays<S, BodyCoriolis> B_, A_;
  std::vector<OfG> of_g_;
};

}  // namespace corio::detail
