#pragma once

#include "corio/core/tensor3.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kernels/packed_triples.hpp"
#include "corio/kinematics/detail/variations.hpp"

/// Kernels of coriolis_matrix_derivatives.hpp, which defines the letters.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// All derivatives for one g, with columns k of the subtree of the joint of g and any a at or above g, in runs of g and
/// a:
///   skew = D_a C(g,k),
///   lower = D_k C(g,a) and upper = D_k C(a,g) for k below g,
///   upper_along = D_g C(a,k) and lower_along = D_g C(k,a) for a above g.
/// In joints with several degrees of freedom, the numbers for k that are not below g are unused. For a of the joint of
/// g, the last two kinds are the terms of D_g C(a,k) and D_g C(k,a) beside skew: zero unless columns move in the body.
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

/// The columns of all degrees of freedom, and the forces made of them for one g at a time, which are multiplied by the
/// columns of all a.
template <class S>
class CoriolisDerivativeColumns {
 public:
  explicit CoriolisDerivativeColumns(const Model<S>& m) : columns_(m.nv()), forces_(m) {}

  void set(const Model<S>& model, const Data<S>& data) {
    columns_.fill(model, data, [&](const auto& k, auto& column) {
      const auto I_C = k.composite_inertia();
      const auto B = k.composite_coriolis();
      column.phi = k.phi(), column.phi_dot = k.phi_dot();
      column.psi = motion_variation(model, data, k, column.phi, data.velocity, data.v);
      column.F = I_C * column.phi_dot + B * column.phi;
      column.momentum = I_C * column.phi;
      column.B_T_phi = B.transpose_times(column.phi);
      column.B = body_coriolis(column.phi, I_C);
      column.A = transported(column.phi, B) + body_coriolis(column.psi, I_C);
    });
  }

  void write_row(int g, CoriolisTriples<S>& triples) {
    const auto of_g = columns_.all(g);
    forces_.compute(triples, g, columns_, [&](const auto& k, auto& F) {
      const auto B_psi = k.B * of_g.psi;
      F.turned = k.B.transpose_times(of_g.phi);
      F.R_phi = k.B * of_g.phi + F.turned;
      F.A_transposed = k.A.transpose_times(of_g.phi);
      F.A_phi = k.B * of_g.phi_dot + k.B.transpose_times(of_g.phi_dot) + k.A * of_g.phi;
      F.F_moved = cross(of_g.phi, k.F) + B_psi;
      F.momentum_moved = cross(of_g.phi, k.momentum);
      F.B_T_phi_moved = cross(of_g.psi, k.momentum) + cross(of_g.phi, k.B_T_phi) - B_psi;
    });
    forces_.set_zero(
        g, [](auto& F) -> auto& { return F.turned; });  // makes entries equal without rounding errors
    triples.for_each_run(g, [&](int a, S* numbers) CORIO_INLINE_LAMBDA {
      const bool above = a < triples.dof(g).begin;
      const auto of_a = columns_.all(a);
      forces_.write(triples, numbers, [&](const auto& F) {
        const auto skew = dot(of_a.psi, F.turned), zero = forces_.constant(S(0));
        const auto lower = dot(of_a.phi_dot, F.R_phi) + dot(of_a.phi, F.A_transposed);
        const auto upper = dot(of_a.phi, F.A_phi);
        if (!above) return std::array{lower, upper, skew, zero, zero};
        return std::array{lower, upper, skew, dot(of_a.phi, F.F_moved),
                          dot(of_a.phi_dot, F.momentum_moved) + dot(of_a.phi, F.B_T_phi_moved)};
      });
    });
  }

 private:
  template <class N>
  struct Column {
    Motion<N> phi, phi_dot, psi;
    Force<N> F, momentum;
    Couple<N> B_T_phi;
    BodyCoriolis<N> B, A;
  };
  /// Products of the columns of g and k.
  template <class N>
  struct Forces {
    Force<N> R_phi, A_phi, F_moved, momentum_moved, B_T_phi_moved;
    Couple<N> turned, A_transposed;
  };

  DofArrays<S, Column> columns_;
  TripleFactors<S, Forces> forces_;
};

}}}  // namespace corio::detail
