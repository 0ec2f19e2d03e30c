#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "corio/loops/mechanism_data.hpp"
#include "corio/simd/column_sum.hpp"

/// Products with the map G of a mechanism, or with a rate of it, as entries numbered by Mechanism::for_each_entry.
namespace corio::inline CORIO_ABI::detail {

/// v = G y.
template <class S, class Y>
void times_G(const Mechanism<S>& mechanism, const VectorX<S>& G, const Y& y, VectorX<S>& v) {
  v.resize(mechanism.tree().nv());
  if (mechanism.is_tree()) return void(v = y);
  for (int r = 0; r < v.size(); ++r) {
    S sum(0);
    mechanism.for_each_entry(r, [&](int c, int e) { sum += G[e] * y[c]; });
    v[r] = sum;
  }
}
/// out += G^T tau, for a vector or for every column of a matrix.
template <class S, class X, class Out>
void add_times_G_transpose(const Mechanism<S>& mechanism, const VectorX<S>& G, const X& tau, Out&& out) {
  if (mechanism.is_tree()) {
    for (Eigen::Index j = 0; j < tau.cols(); ++j)
      for (Eigen::Index r = 0; r < tau.rows(); ++r) out(r, j) += tau(r, j);
    return;
  }
  for (Eigen::Index j = 0; j < tau.cols(); ++j)
    for (int r = 0; r < tau.rows(); ++r)
      mechanism.for_each_entry(r, [&](int c, int e) { out(c, j) += G[e] * tau(r, j); });
}
/// out = G^T tau.
template <class S, class X, class Out>
void times_G_transpose(const Mechanism<S>& mechanism, const VectorX<S>& G, const X& tau, Out& out) {
  out.setZero();
  add_times_G_transpose(mechanism, G, tau, out);
}
/// Forces tau of the tree and their rate tau_dot in independent speeds: G^T tau and G^T tau_dot + dG/dt^T tau.
template <class S>
void project_with_rate(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& tau,
                       const VectorX<S>& tau_dot, VectorX<S>& out, VectorX<S>& out_dot) {
  times_G_transpose(mechanism, data.G, tau, out);
  times_G_transpose(mechanism, data.G, tau_dot, out_dot);
  if (mechanism.varies()) add_times_G_transpose(mechanism, data.Gdot(mechanism), tau, out_dot);
}
/// out += J G.
template <class S>
void add_columns_times_G(const Mechanism<S>& mechanism, const VectorX<S>& G, MatrixIn<S> J, const MatrixOut<S>& out) {
  for (int r = 0; r < J.cols(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (Eigen::Index i = 0; i < J.rows(); ++i) out(i, c) += G[e] * J(i, r);
    });
}
/// Row i of L^T times a vector of the tree.
template <class S>
S row_of_map_times(const Mechanism<S>& mechanism, const VectorX<S>& L, int i, const S* x) {
  S sum(0);
  for (const auto& [r, e] : mechanism.driven_dofs(i)) sum += L[e] * x[r];
  return sum;
}

/// Products L^T (A_1 R_1 + A_2 R_2 + ..) for maps L and R from independent speeds to those of the tree, and matrices A
/// of the tree, whose entries are zero for degrees of freedom that are on no common path from a root. Only these pairs
/// and the pairs of coupled speeds (Mechanism::parent_dof) are visited: the others are zero from the beginning.
template <class S>
class Projection {
 public:
  struct Product {
    const MatrixX<S>& A;
    const VectorX<S>& R;
  };
  using Products = std::initializer_list<Product>;

  explicit Projection(const Mechanism<S>& m) : right_(MatrixX<S>::Zero(m.tree().nv(), m.nv())) {}

  /// out = the sum of the products. O(n d) for n degrees of freedom of the tree at depths up to d, times the number of
  /// independent speeds in a cluster.
  /// @param products  in the first one R is G, in the others rates of it
  void set(const Mechanism<S>& mechanism, const VectorX<S>& L, Products products, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = products.begin()->A);
    multiply(mechanism, products);
    for (int k = 0; k < mechanism.nv(); ++k)
      mechanism.for_each_ancestor(k, [&](int i) {
        out(i, k) = row_of_map_times(mechanism, L, i, &right_(0, k));
        if (i != k) out(k, i) = row_of_map_times(mechanism, L, k, &right_(0, i));
      });
  }
  /// out = G^T A G for a symmetric A.
  void set_symmetric(const Mechanism<S>& mechanism, const VectorX<S>& G, const MatrixX<S>& A, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = A);
    multiply(mechanism, {{A, G}});
    for (int k = 0; k < mechanism.nv(); ++k)
      mechanism.for_each_ancestor(
          k, [&](int i) { out(i, k) = out(k, i) = row_of_map_times(mechanism, G, i, &right_(0, k)); });
  }

 private:
  /// right = the sum of A R. Where G is constant the other maps, its rates, are zero.
  void multiply(const Mechanism<S>& mechanism, Products products) {
    const auto end_of_products = mechanism.varies() ? products.end() : products.begin() + 1;
    for (int k = 0; k < mechanism.nv(); ++k) {
      sum_.clear();
      for (auto product = products.begin(); product != end_of_products; ++product)
        for (const auto& [s, e] : mechanism.driven_dofs(k))
          sum_.add(product->A.data() + s * product->A.rows(), product->R[e]);
      for (const auto& [begin, end] : mechanism.row_ranges(k)) sum_.write(begin, end, &right_(0, k));
    }
  }

  MatrixX<S> right_;
  ColumnSum<S> sum_;
};

}  // namespace corio::detail
