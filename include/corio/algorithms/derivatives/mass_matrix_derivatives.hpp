#pragma once

#include "corio/algorithms/geometry/christoffel_symbols.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Derivatives of the mass matrix along the degrees of freedom, all nv^3 of them. Entry (i,j,l) is D_l M(i,j) as q
/// moves along l, that is integrate(q, e e_l). It is symmetric in i and j, zero unless i, j and l are related, and zero
/// if l is at or above both i and j, unless axes of the joint of l move in the body. along(l) is D_l M; contract(v,
/// Mdot) is the rate of M for the velocity v. mass_matrix_derivatives fills the object.
template <class S>
class MassMatrixDerivativesResult : public detail::ModelTensor<S> {
 public:
  /// Makes zeros of the size of the model. Only this constructor allocates.
  explicit MassMatrixDerivativesResult(const Model<S>& model)
      : detail::ModelTensor<S>(model, "derivatives of the mass matrix") {}
};

/// The derivatives in packed storage, as sums of packed Christoffel symbols, for related i, j, l only. The object holds
/// two numbers per triple of joints, and is filled faster than the nv^3 numbers of MassMatrixDerivativesResult.
template <class S>
class PackedMassMatrixDerivativesResult {
 public:
  /// Makes zeros of the size of the model. Only this constructor allocates.
  explicit PackedMassMatrixDerivativesResult(const Model<S>& model)
      : symbols_(model), model_(model, "derivatives of the mass matrix") {}

  int size() const { return symbols_.size(); }
  /// Returns how many numbers are stored.
  Eigen::Index stored() const { return symbols_.stored(); }
  /// Returns D_l M(i,j), O(1).
  S operator()(int i, int j, int l) const { return symbols_(i, j, l) + symbols_(j, i, l); }
  /// Computes Mdot(i,j) = sum_l D_l M(i,j) v_l. O(n d^2). Allocates only to size Mdot, or if Mdot overlaps v.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& Mdot) const {
    symbols_.contract(v, Mdot);
    for (int i = 0; i < size(); ++i)
      for (int j = 0; j <= i; ++j) Mdot(i, j) = Mdot(j, i) = Mdot(i, j) + Mdot(j, i);
  }

  /// @throws SizeError or StateError for an object of another model, or moved from
  void check_fits(const Model<S>& model) const { model_.check_fits(model, size()); }
  /// The stored numbers, for the algorithm that computes them.
  PackedChristoffelTensor<S>& symbols() { return symbols_; }

 private:
  PackedChristoffelTensor<S> symbols_;
  detail::ModelOfTensor model_;
};

namespace algorithm {

template <class S>
struct MassMatrixDerivatives;

}  // namespace algorithm

/// Computes D_l M(i,j), for joints of every type: with the symbols, for i above j above k,
///   D_k M(i,j) = Gamma(i,j,k) + Gamma(j,i,k),   D_j M(i,k) = Gamma(i,k,j) - Gamma(j,k,i),   D_i M(j,k) = 0.
/// Armature is constant and does not enter.
///
/// @param out  MassMatrixDerivativesResult or PackedMassMatrixDerivativesResult of this model
/// @throws SizeError, StateError for an object of another model. O(n d^2).
/// Source: Wensing and Slotine (2023): compatibility of the connection with the metric, D_l M(i,j) = Gamma(i,j,l) +
/// Gamma(j,i,l).
template <class S, class Tensor>
void mass_matrix_derivatives(const Model<S>& model, Data<S>& data, Tensor& out) {
  using Algorithm = algorithm::MassMatrixDerivatives<S>;
  data.require(model, Algorithm::needs);
  out.check_fits(model);
  data.template of<Algorithm>(model).run(model, data, out);
}
template <class S, class Tensor>
void mass_matrix_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, Tensor& out) {
  out.check_fits(model);
  mass_matrix_derivatives(model, forward_kinematics(model, data, q, __func__), out);
}

namespace algorithm {

template <class S>
struct MassMatrixDerivatives {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "mass_matrix_derivatives"};
  PackedChristoffelSymbols<S> symbols;

  explicit MassMatrixDerivatives(const Model<S>& m) : symbols(m) {}
  void run(const Model<S>& model, Data<S>& data, PackedMassMatrixDerivativesResult<S>& out) {
    symbols.run(model, data, out.symbols());
  }
  void run(const Model<S>& model, Data<S>& data, MassMatrixDerivativesResult<S>& out);
};
template <class S>
void MassMatrixDerivatives<S>::run(const Model<S>& model, Data<S>& data, MassMatrixDerivativesResult<S>& out) {
  Tensor3<S>& dM = out.tensor();
  detail::for_symbols(model, data, [&](int i, int j, int k, const S& x, const S& y, bool i_above, bool j_above) {
    if (j_above) dM(i, j, k) = dM(j, i, k) = x + y;
    dM(i, k, j) = dM(k, i, j) = i_above ? S(x - y) : S(0);
  });
  detail::for_column_partials(model, data, [&](int l, int j, const Motion<S>& s) {
    detail::for_related(model, l, [&](int i, int c) {
      const S x = dot(data.phi[i], detail::at_node(data, data.composite_inertia, c) * s);
      dM(i, j, l) += x, dM(j, i, l) += x;
    });
  });
}

}  // namespace algorithm

}}  // namespace corio
