#pragma once

#include "corio/algorithms/derivatives/detail/packed_coriolis_matrix_derivatives.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Derivatives of the Coriolis matrix along the degrees of freedom, all nv^3 of them. Entry (i,j,l) is D_l C(i,j): q
/// moves along l, that is integrate(q, e e_l), at constant v. It is zero unless i, j and l are related. along(l) is D_l
/// C; contract(x, out) gives the derivative along x. coriolis_matrix_derivatives fills the object. The derivatives with
/// respect to v are the Christoffel symbols, dC(i,j)/dv_l = Gamma(i,j,l).
template <class S>
class CoriolisMatrixDerivativesResult : public detail::ModelTensor<S> {
 public:
  /// Makes zeros of the size of the model. Only this constructor allocates.
  explicit CoriolisMatrixDerivativesResult(const Model<S>& model)
      : detail::ModelTensor<S>(model, "derivatives of the Coriolis matrix") {}
};

namespace algorithm {

template <class S>
struct CoriolisMatrixDerivatives;

}  // namespace algorithm

/// Computes D_l C(i,j) for the C of coriolis_matrix, with the Christoffel factorization. With D_l V = Phi_l x V + psi_l
/// for the velocities in the subtree of l, the composites vary by
///   D_l I^C = (Phi_l x*) I^C - I^C (Phi_l x),   D_l B^C = (Phi_l x*) B^C - B^C (Phi_l x) + B(psi_l, I^C).
/// For related degrees of freedom a, g and k, the joint of each at or above the joint of the next, this leaves, with B
/// = B(Phi_k, I^C), R = D_k I^C and A = D_k B^C of k,
///   D_k C(g,a) = dPhi_a . R Phi_g + Phi_a . A^T Phi_g,   D_k C(a,g) = Phi_a . (R dPhi_g + A Phi_g),
///   D_a C(g,k) = -D_a C(k,g) = psi_a . B^T Phi_g,
///   D_g C(a,k) = Phi_a . (Phi_g x* F + B psi_g),
///   D_g C(k,a) = dPhi_a . (Phi_g x* I^C Phi) + Phi_a . (psi_g x* I^C Phi + Phi_g x* B^C^T Phi - B psi_g)
/// with F = I^C dPhi + B^C Phi, I^C Phi and B^C^T Phi of k. Factors that depend on two of a, g,
/// k are computed once for all values of the third. Columns i of the joint of l that vary in their body by s = D_l S_i,
/// and their rates by s_dot, add
///   dPhi_k . I^C s + Phi_k . B^C^T s   to D_l C(i,k),   Phi_k . (I^C s_dot + B^C s)   to D_l C(k,i).
/// Armature does not enter.
///
/// @param out  CoriolisMatrixDerivativesResult or PackedCoriolisMatrixDerivativesResult of this model
/// @throws SizeError, StateError for an object of another model, ModelError for users' joints whose axes move and
/// that have no dual form. O(n d^2).
/// Source: the task of Garofalo, Ott and Albu-Schaeffer (2013), eq. 24, for the factorization of Niemeyer and Slotine
/// (1991), derived in composite form with the 12 numbers of BodyCoriolis.
template <class S, class Tensor>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, Tensor& out) {
  using Algorithm = algorithm::CoriolisMatrixDerivatives<S>;
  data.require(model, Algorithm::needs);
  out.check_fits(model);
  data.template of<Algorithm>(model).run(model, data, out);
}
template <class S, class Tensor>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, Tensor& out) {
  out.check_fits(model);
  coriolis_matrix_derivatives(model, forward_kinematics(model, data, q, v, __func__), out);
}

namespace algorithm {

template <class S>
struct CoriolisMatrixDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::velocity, .name = "coriolis_matrix_derivatives", .column_rates = true};
  detail::CoriolisDerivativeColumns<S> columns;
  detail::CoriolisTriples<S> triples;  // a dense tensor is filled from these

  explicit CoriolisMatrixDerivatives(const Model<S>& m) : columns(m), triples(m) {}
  void run(const Model<S>& model, Data<S>& data, PackedCoriolisMatrixDerivativesResult<S>& out);
  void run(const Model<S>& model, Data<S>& data, CoriolisMatrixDerivativesResult<S>& out);

 private:
  void prepare(const Model<S>& model, Data<S>& data) {
    detail::compute_composite_inertias(model, data);
    detail::compute_composite_coriolis(model, data);
    columns.set(model, data);
  }
  /// Calls add(l, i, k, x, y) once for each term x of D_l C(i,k) and y of D_l C(k,i) of columns that move in their
  /// body.
  template <class F>
  static void for_moving_columns(const Model<S>& model, const Data<S>& data, F&& add);
};

template <class S>
template <class F>
void CoriolisMatrixDerivatives<S>::for_moving_columns(const Model<S>& model, const Data<S>& data, F&& add) {
  detail::for_column_rate_partials(model, data, [&](int l, int i, const Motion<S>& s, const Motion<S>& s_dot) {
    detail::for_related(model, l, [&](int k, int c) {
      const auto I_C = detail::at_node(data, data.composite_inertia, c);
      const auto B = detail::at_node(data, data.composite_coriolis, c);
      add(l, i, k, dot(data.phi_dot[k], I_C * s) + dot(data.phi[k], B.transpose_times(s)),
          dot(data.phi[k], I_C * s_dot + B * s));
    });
  });
}
template <class S>
void CoriolisMatrixDerivatives<S>::run(const Model<S>& model, Data<S>& data,
                                       PackedCoriolisMatrixDerivativesResult<S>& out) {
  using Kinds = detail::CoriolisKinds;
  auto& numbers = out.triples();
  prepare(model, data);
  numbers.for_each_row(model, [&](int g) { columns.write_row(g, numbers); });
  for_moving_columns(model, data, [&](int l, int i, int k, const S& x, const S& y) {
    if (numbers.above(l, k))
      numbers(Kinds::upper_along, i, l, k) = x, numbers(Kinds::lower_along, i, l, k) = y;
    else
      numbers(Kinds::lower_along, k, l, i) += x, numbers(Kinds::upper_along, k, l, i) += y;
  });
}
template <class S>
void CoriolisMatrixDerivatives<S>::run(const Model<S>& model, Data<S>& data, CoriolisMatrixDerivativesResult<S>& out) {
  Tensor3<S>& T = out.tensor();
  prepare(model, data);
  triples.for_each_row(model, [&](int g) {
    columns.write_row(g, triples);
    detail::expand_coriolis_derivatives(triples, g, T);
  });
  for_moving_columns(model, data,
                     [&](int l, int i, int k, const S& x, const S& y) { T(i, k, l) += x, T(k, i, l) += y; });
}

}  // namespace algorithm

}}  // namespace corio
