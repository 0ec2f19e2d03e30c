#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "support/geometry_support.hpp"

/// Christoffel symbols by ways that do not use christoffel_symbols.
namespace corio::test {

/// Holds Gamma in both storages.
struct Symbols {
  Symbols(const Model<double>& model, Data<double>& data, const Vectord& q);
  explicit Symbols(Sample& s) : Symbols(s.model, s.data, s.q) {}
  double operator()(int i, int j, int k) const { return dense(i, j, k); }
  /// Returns the largest difference between the two storages, relative to the largest symbol.
  double difference() const;
  double scale() const { return std::max(1.0, max_magnitude(dense.tensor())); }
  ChristoffelTensor<double> dense;
  PackedChristoffelTensor<double> packed;
};

/// Returns sum_l M(i,l) c(l,a,b).
Tensor3<double> lowered(const Matrixd& M, const Tensor3<double>& c);

/// Koszul's formula, with the derivatives of the mass matrix and y(i,a,b) = <E_i, [E_a, E_b]>: 2 Gamma_ijk = E_k M_ij +
/// E_j M_ik - E_i M_jk + y_ikj - y_jki - y_kji.
Tensor3<double> koszul(const std::vector<Matrixd>& D, const Tensor3<double>& y);

/// Returns the joint that each degree of freedom belongs to.
std::vector<int> joints_of(const Model<double>& model);

template <class F>
void for_each_triple(int n, F&& f) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) f(i, j, k);
}

}  // namespace corio::test
