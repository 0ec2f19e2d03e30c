#pragma once

#include "corio/algorithms/geometry/christoffel_symbols.hpp"

namespace corio::inline CORIO_ABI {

/// Derivatives of the mass matrix along the degrees of freedom, all nv^3 of them: D_l M(i,j) as q moves along l, that
/// is integrate(q, e e_l), in (i,j,l). Symmetric in i and j; zero unless i, j and l are related, and for an l whose
/// joint is at or above those of i and j, unless its axes move in the body. along(l) is D_l M; contract(v, Mdot) gives
/// the rate of M for the velocity v. Filled by mass_matrix_derivatives.
template <class S>
class MassMatrixDerivatives : public detail::ModelTensor<S> {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit MassMatrixDerivatives(const Model<S>& model)
      : detail::ModelTensor<S>(model, "derivatives of the mass matrix") {}
};

/// The same derivatives in the smallest storage, which is that of the symbols they are sums of: only those of related
/// i, j, l. Two numbers per triple of joints, which fill faster than the nv^3.
template <class S>
class PackedMassMatrixDerivatives {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit PackedMassMatrixDerivatives(const Model<S>& model)
      : symbols_(model), model_(model, "derivatives of the mass matrix") {}

  int size() const { return symbols_.size(); }
  /// How many numbers are stored.
  Eigen::Index stored() const { return symbols_.stored(); }
  /// D_l M(i,j), O(1).
  S operator()(int i, int j, int l) const { return symbols_(i, j, l) + symbols_(j, i, l); }
  /// Mdot(i,j) = sum_l D_l M(i,j) v_l. O(n d^2). Allocates only to size Mdot, or if that overlaps v.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& Mdot) const {
    symbols_.contract(v, Mdot);
    for (int i = 0; i < size(); ++i)
      for (int j = 0; j <= i; ++j) Mdot(i, j) = Mdot(j, i) = Mdot(i, j) + Mdot(j, i);
  }

  /// @throws SizeError or StateError for an object of another model, or moved from
  void check_fits(const Model<S>& model) const { model_.check_fits(model, size()); }
  /// What is stored, for the algorithm that fills it.
  PackedChristoffelTensor<S>& symbols() { return symbols_; }

 private:
  PackedChristoffelTensor<S> symbols_;
  detail::ModelOfTensor model_;
};

namespace detail {

/// What a row of packed symbols holds, a(k) = Gamma(i,k,j) and b(k) = Gamma(j,k,i), is all it takes: for
/// i above j above k, as D_l M(i,j) = Gamma(i,j,l) + Gamma(j,i,l),
///   D_k M(i,j) = a + b,   D_j M(i,k) = a - b,   D_i M(j,k) = 0.
template <class S>
void expand_mass_matrix_derivatives(const SymbolTriples<S>& triples, int j, Tensor3<S>& T) {
  const auto d = triples.dof(j);
  const int below = d.below();
  for_symbol_runs(triples, j, [&](int i, const S* a, const S* b, bool one_joint) CORIO_INLINE_LAMBDA {
    for (int k = d.begin; k < below; ++k) T(i, k, j) = T(k, i, j) = one_joint ? S(0) : S(a[k] - b[k]);
    const Line<0, S> ij(T, i, j);
    const Line<1, S> i_j(T, i, j);
    const Line<2, S> ij_(T, i, j), ji_(T, j, i);
    for_each_pack<S>(below, d.end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      const auto x = Lanes<S>::load(a + k), y = Lanes<S>::load(b + k), sum = x + y;
      ij_.store(k, count, sum), ji_.store(k, count, sum);
      // Last, as k may be j.
      const auto difference = one_joint ? Lanes<S>::zero() : x - y;
      i_j.store(k, count, difference), ij.store(k, count, difference);
    });
  });
}

}  // namespace detail

namespace algorithm {

template <class S>
struct MassMatrixDerivatives {
  static constexpr detail::Needs needs{Pass::position, "mass_matrix_derivatives"};
  ChristoffelSymbols<S> symbols;

  explicit MassMatrixDerivatives(const Model<S>& m) : symbols(m) {}
  void run(const Model<S>& model, Data<S>& data, PackedMassMatrixDerivatives<S>& out);
  void run(const Model<S>& model, Data<S>& data, corio::MassMatrixDerivatives<S>& out);
};

template <class S>
void MassMatrixDerivatives<S>::run(const Model<S>& model, Data<S>& data, PackedMassMatrixDerivatives<S>& out) {
  symbols.run(model, data, out.symbols());
}
template <class S>
void MassMatrixDerivatives<S>::run(const Model<S>& model, Data<S>& data, corio::MassMatrixDerivatives<S>& out) {
  Tensor3<S>& T = out.tensor();
  symbols.fill(
      model, data, symbols.triples, [&](int j) { detail::expand_mass_matrix_derivatives(symbols.triples, j, T); },
      [&](int i, int j, int l, const S& x) { T(i, j, l) += x, T(j, i, l) += x; });
}

}  // namespace algorithm

/// D_l M(i,j), for joints of every type. By the packed symbols, which hold two numbers per triple of
/// degrees of freedom, as many as the derivatives have. Armature is constant and does not enter.
///
/// @param out  MassMatrixDerivatives or PackedMassMatrixDerivatives of this model
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
  mass_matrix_derivatives(model, forward_kinematics(model, data, q), out);
}

}  // namespace corio
