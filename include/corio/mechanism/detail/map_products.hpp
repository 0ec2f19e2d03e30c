#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "corio/core/tensor3.hpp"
#include "corio/mechanism/data.hpp"
#include "corio/simd/add_multiple.hpp"
#include "corio/simd/column_sum.hpp"

/// Products with the map G of a mechanism or its rates, as entries numbered by Mechanism::for_each_entry.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Computes v = G y.
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
/// Adds G^T tau to `out`, for a vector or for every column of a matrix.
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
/// Computes out = G^T tau.
template <class S, class X, class Out>
void times_G_transpose(const Mechanism<S>& mechanism, const VectorX<S>& G, const X& tau, Out& out) {
  out.setZero();
  add_times_G_transpose(mechanism, G, tau, out);
}
/// Converts forces tau of the tree and their rate tau_dot to independent speeds: G^T tau and G^T tau_dot + dG/dt^T tau.
template <class S>
void project_with_rate(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& tau,
                       const VectorX<S>& tau_dot, VectorX<S>& out, VectorX<S>& out_dot) {
  times_G_transpose(mechanism, data.G, tau, out);
  times_G_transpose(mechanism, data.G, tau_dot, out_dot);
  if (mechanism.varies()) add_times_G_transpose(mechanism, data.Gdot(mechanism), tau, out_dot);
}
/// Adds J G to `out`.
template <class S>
void add_columns_times_G(const Mechanism<S>& mechanism, const VectorX<S>& G, MatrixIn<S> J, const MatrixOut<S>& out) {
  for (int r = 0; r < J.cols(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (Eigen::Index i = 0; i < J.rows(); ++i) out(i, c) += G[e] * J(i, r);
    });
}
/// Returns row i of L^T times a vector of the tree.
template <class S>
S row_of_map_times(const Mechanism<S>& mechanism, const VectorX<S>& L, int i, const S* x) {
  S sum(0);
  for (const auto& [r, e] : mechanism.driven_dofs(i)) sum += L[e] * x[r];
  return sum;
}

/// Computes L^T (A_1 R_1 + A_2 R_2 + ..) for maps L and R from independent speeds to speeds of the tree, and matrices A
/// of the tree, whose entries are zero for degrees of freedom that are on no common path from a root. Only entries of
/// coupled speeds (Mechanism::parent_dof) are written. The caller sets the others to zero once.
template <class S>
class Projection {
 public:
  struct Product {
    const MatrixX<S>& A;
    const VectorX<S>& R;
  };
  using Products = std::initializer_list<Product>;

  explicit Projection(const Mechanism<S>& m) : right_(MatrixX<S>::Zero(m.tree().nv(), m.nv())) {
    Eigen::Index longest = 0;
    for (const std::size_t c : m.blocks()) longest = (std::max)(longest, std::ssize(m.clusters()[c].speeds));
    rows_.resize(longest * m.tree().nv()), block_.resize(longest * longest);
  }

  /// Sets `out` to the sum of the products. O(n d) for n degrees of freedom of the tree at depths up to d, times the
  /// number of independent speeds in a cluster.
  /// @param products  in the first product R is G, in the others R is a rate of G
  void set(const Mechanism<S>& mechanism, const VectorX<S>& L, Products products, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = products.begin()->A);
    multiply(mechanism, L, products, out);
    for_each_pair(mechanism, [&](int i, int k) {
      out(i, k) = row_of_map_times(mechanism, L, i, &right_(0, k));
      if (i != k) out(k, i) = row_of_map_times(mechanism, L, k, &right_(0, i));
    });
  }
  /// Computes out = G^T A G for a symmetric A.
  void set_symmetric(const Mechanism<S>& mechanism, const VectorX<S>& G, const MatrixX<S>& A, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = A);
    multiply(mechanism, G, {{A, G}}, out);
    for_each_pair(mechanism,
                  [&](int i, int k) { out(i, k) = out(k, i) = row_of_map_times(mechanism, G, i, &right_(0, k)); });
  }

 private:
  /// Calls f(i, k) once for each pair of coupled speeds outside the blocks, with i at or before k.
  template <class F>
  void for_each_pair(const Mechanism<S>& mechanism, F&& f) const {
    for (int k = 0; k < mechanism.nv(); ++k) {
      const int block = mechanism.block_of_speed(k);
      if (block < 0)
        mechanism.for_each_ancestor(k, [&](int i) { f(i, k); });
      else
        mechanism.for_each_ancestor(k, [&](int i) {
          if (mechanism.block_of_speed(i) != block) f(i, k);
        });
    }
  }
  /// Computes right_, the sum of A R, and the blocks of `out`. If G is constant, its rates are zero, and only the first
  /// product is computed.
  void multiply(const Mechanism<S>& mechanism, const VectorX<S>& L, Products products, MatrixX<S>& out) {
    const auto end_of_products = mechanism.varies() ? products.end() : products.begin() + 1;
    for (const std::size_t c : mechanism.blocks())
      multiply_block(mechanism, mechanism.clusters()[c], L, std::span(products.begin(), end_of_products), out);
    for (int k = 0; k < mechanism.nv(); ++k) {
      if (mechanism.block_of_speed(k) >= 0) continue;
      sum_.clear();
      for (auto product = products.begin(); product != end_of_products; ++product)
        for (const auto& [s, e] : mechanism.driven_dofs(k))
          sum_.add(product->A.data() + s * product->A.rows(), product->R[e]);
      for (const auto& [begin, end] : mechanism.row_ranges(k)) sum_.write(begin, end, &right_(0, k));
    }
  }
  /// The same for the speeds of a cluster together: rows of A R have a number for each speed.
  void multiply_block(const Mechanism<S>& mechanism, const LoopCluster& cluster, const VectorX<S>& L,
                      std::span<const Product> products, MatrixX<S>& out) {
    const std::vector<int>& speeds = cluster.speeds;
    with_length<S>(std::ssize(speeds), [&](auto n) CORIO_INLINE_LAMBDA {
      const auto row = [&](int r) { return rows_.data() + r * n; };
      for (const int k : speeds)
        for (const auto& [begin, end] : mechanism.row_ranges(k)) std::fill(row(begin), row(end), S(0));
      for (const auto& [A, R] : products) {
        const auto add = [&, &A = A](int s, auto&& f) {
          mechanism.for_each_related(s, [&](int begin, int end) {
            for (int r = begin; r < end; ++r) f(row(r), A(r, s));
          });
        };
        for (const int s : cluster.dependent()) {
          const S* const R_s = R.data() + mechanism.row_begin(s);
          add(s, [&](S* to, const S& x) CORIO_INLINE_LAMBDA { add_multiple<S>(to, x, R_s, n); });
        }
        for (int k = 0; const int s : cluster.independent()) {
          const S R_s = R[mechanism.row_begin(s)];
          add(s, [&](S* to, const S& x) { to[k] += x * R_s; });
          ++k;
        }
      }
      std::fill_n(block_.data(), n * n, S(0));
      for (const int r : cluster.dependent())
        for (int i = 0; i < n; ++i) add_multiple<S>(&block_[i * n], L[mechanism.row_begin(r) + i], row(r), n);
      for (int i = 0; const int r : cluster.independent())
        add_multiple<S>(&block_[i++ * n], L[mechanism.row_begin(r)], row(r), n);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
          out(speeds[static_cast<std::size_t>(i)], speeds[static_cast<std::size_t>(k)]) = block_[i * n + k];
      if (n == mechanism.nv()) return;  // the blocks contain all speeds
      for (int k = 0; const int column : speeds) {
        for (const auto& [begin, end] : mechanism.row_ranges(column))
          for (int r = begin; r < end; ++r) right_(r, column) = row(r)[k];
        ++k;
      }
    });
  }

  MatrixX<S> right_;
  ColumnSum<S> sum_;
  VectorX<S> rows_, block_;
};

/// Computes the sum of T(a,b,c) G_ai G_bj G_ck for the speeds i, j and k of one cluster. Entries of T, a tensor of the
/// tree, are zero for degrees of freedom that are on no common path from a root. One index is summed after the other,
/// for all i side by side.
template <class S>
class TensorProjection {
 public:
  void set(const Mechanism<S>& mechanism, const LoopCluster& cluster, const VectorX<S>& G, const Tensor3<S>& T,
           Tensor3<S>& out) {
    const std::size_t count = cluster.speeds.size(), square = count * count;
    rows_of_G_.resize(cluster.dofs.size() * count);
    read_map(mechanism, cluster, G, count, rows_of_G_.data());
    of_a_.resize(static_cast<std::size_t>(mechanism.tree().nv()) * count), of_ac_.resize(of_a_.size() * count);
    of_abc_.assign(square * count, S(0));
    for (const int b : cluster.dofs) std::fill_n(&of_ac_[static_cast<std::size_t>(b) * square], square, S(0));
    with_length<S>(static_cast<Eigen::Index>(count), [&](auto n) CORIO_INLINE_LAMBDA {
      for (const S* G_c = rows_of_G_.data(); const int c : cluster.dofs) {
        mechanism.for_each_related(
            c, [&](int begin, int end) { std::fill_n(of_a_.data() + begin * n, (end - begin) * n, S(0)); });
        for_each_of_cluster(mechanism, cluster, c, [&](int a, std::size_t place) CORIO_INLINE_LAMBDA {
          mechanism.for_each_related(c, [&](int begin, int end) {
            for (int b = begin; b < end; ++b)
              add_multiple<S>(of_a_.data() + b * n, T(a, b, c), &rows_of_G_[place * count], n);
          });
        });
        for_each_of_cluster(mechanism, cluster, c, [&](int b, std::size_t) CORIO_INLINE_LAMBDA {
          for (int k = 0; k < n; ++k) add_multiple<S>(of_ac_.data() + (b * n + k) * n, G_c[k], of_a_.data() + b * n, n);
        });
        G_c += n;
      }
    });
    for (const S* G_b = rows_of_G_.data(); const int b : cluster.dofs)
      for (std::size_t j = 0; j < count; ++j)
        add_multiple<S>(&of_abc_[j * square], *G_b++, &of_ac_[static_cast<std::size_t>(b) * square],
                        static_cast<Eigen::Index>(square));
    for (const S* x = of_abc_.data(); const int j : cluster.speeds)
      for (const int k : cluster.speeds)
        for (const int i : cluster.speeds) out(i, j, k) = *x++;
  }

 private:
  /// Calls f(r, place) once for each degree of freedom r of a cluster that is related to c, with its place in
  /// Cluster::dofs.
  template <class F>
  static void for_each_of_cluster(const Mechanism<S>& mechanism, const LoopCluster& cluster, int c, F&& f) {
    mechanism.for_each_related(c, [&](int begin, int end) {
      for (int r = begin; r < end; ++r)
        if (const auto place = static_cast<std::size_t>(mechanism.column_of_K(r));
            place < cluster.dofs.size() && cluster.dofs[place] == r)
          f(r, place);
    });
  }

  // Sums over a, in order of [b][i]; over a and c, of [b][k][i]; over a, b and c, of [j][k][i].
  std::vector<S> rows_of_G_, of_a_, of_ac_, of_abc_;
};

}}}  // namespace corio::detail
