#pragma once

#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/loops/constraint_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

/// christoffel_symbols of a mechanism, those of the mass matrix in independent speeds, C(i,j) = sum_k Gamma(i,j,k) y_k
/// of coriolis_matrix:
///   Gamma(i,j,k) = G_ai G_bj G_ck Gamma(a,b,c) + G_ai M_ab D_k G_bj,
/// with the derivatives D_k G of G along y_k. Symmetric in j and k where independent speeds are rates of coordinates,
/// that is, not those of spherical joints, floating bases and the like; their structure_constants c give
/// Gamma(i,j,k) - Gamma(i,k,j) = sum_l M(i,l) c(l,k,j), without armature. O(n d^2), times the number of independent
/// speeds in a cluster, and no allocation. Source: Wensing and Slotine (2023), app. A, in the form of projections.
namespace corio {
namespace detail {

/// out_c += G_kc x for the independent speeds c of the cluster of degree of freedom k, in its order.
template <class S>
void add_row_of_map(const Mechanism<S>& mechanism, const VectorX<S>& G, const typename Mechanism<S>::Cluster& cluster,
                    int k, const S& x, S* out) {
  const auto c = mechanism.place(k) - std::ssize(cluster.dependent);
  if (c >= 0)
    out[c] += x;
  else
    add_multiple<S>(out, x, &G[mechanism.entry(k)], std::ssize(cluster.columns));
}

/// D_k G_d = -K_d^-1 D_k K G, the derivatives of the varying part of G along the independent speeds k. Motions of all
/// bodies of a loop together do not change its conditions, so G of a cluster depends only on the cluster's speeds.
template <class S>
class MapDerivatives {
 public:
  /// f(cluster, k, D_k G) for every speed k of the clusters in which G varies; D_k G has the rows of the cluster's
  /// dependent speeds and the columns of its independent ones.
  template <class F>
  void for_each(const Mechanism<S>& mechanism, MechanismData<S>& data, F&& f) {
    for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
      const auto n = std::ssize(cluster.columns), m = std::ssize(cluster.rows);
      if (KG_.size() < n * n * m) KG_.resize(n * n * m);
      std::fill_n(KG_.data(), n * n * m, S(0));
      for_each_member(mechanism, cluster, [&](const auto& loop, int row) {
        for_each_jacobian_derivative(mechanism.tree(), data.tree, loop, [&](int j, auto&& entries) {
          along_j_.assign(static_cast<std::size_t>(loop.rows() * n), S(0)), by_speed_.assign(static_cast<std::size_t>(n), S(0));
          entries([&](int i, int k, const S& x) {
            add_row_of_map(mechanism, data.G, cluster, k, x, along_j_.data() + i * n);
          });
          add_row_of_map(mechanism, data.G, cluster, j, S(1), by_speed_.data());
          for (int i = 0; i < loop.rows(); ++i)
            for (Eigen::Index k = 0; k < n; ++k)
              add_multiple<S>(&KG_[((row + i) * n + k) * n], by_speed_[static_cast<std::size_t>(k)], along_j_.data() + i * n, n);
        });
      });
      MatrixX<S>& X = solver.columns();
      for (Eigen::Index l = 0; const int k : cluster.columns) {
        for (Eigen::Index j = 0; j < n; ++j)
          for (Eigen::Index i = 0; i < m; ++i) X(i, j) = KG_[(i * n + l) * n + j];
        f(cluster, k, solver.rate(X));
        ++l;
      }
    });
  }

 private:
  VectorX<S> KG_;  // [(row n + k) n + c]: (D_k K G)(row, c), of speeds k and c of a cluster by their numbers in it
  std::vector<S> along_j_, by_speed_;  // those of one degree of freedom
};

}  // namespace detail

namespace algorithm {

template <class S>
struct for_mechanism<christoffel_symbols<S>> {
  detail::MapDerivatives<S> derivatives;
  ChristoffelTensor<S> tree;
  MatrixX<S> right;  // column k: sum over a, c of G_ai Gamma(a,:,c) G_ck, for one speed i
  VectorX<S> column;
  detail::ColumnSum<S> sum;
  MatrixX<S> MG;  // columns of G^T M for the dependent degrees of freedom of a cluster

  explicit for_mechanism(const Mechanism<S>& m)
      : tree(m.tree()),
        right(MatrixX<S>::Zero(m.tree().nv(), m.nv())),
        column(m.tree().nv()),
        MG(m.nv(), m.tree().nv()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ChristoffelTensor<S>& result);

 private:
  void sum_right(const Mechanism<S>& mechanism, const VectorX<S>& G, int i);
};
/// Three degrees of freedom have symbols if they are on one path from a root, as have three speeds.
template <class S>
void for_mechanism<christoffel_symbols<S>>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                ChristoffelTensor<S>& result) {
  using Projection = detail::Projection<S>;
  const VectorX<S>& G = data.G;
  Tensor3<S>& Gamma = result.tensor();
  corio::christoffel_symbols(mechanism.tree(), data.tree, tree);
  if (mechanism.is_tree()) return void(Gamma = tree.tensor());
  const auto for_each_with = [&](int i, auto&& f) {
    mechanism.for_each_to_root(mechanism.dof_parent(i), f);
    mechanism.for_each_above_leaves(i, f);
  };
  for (int i = 0; i < mechanism.nv(); ++i) {
    sum_right(mechanism, G, i);
    for_each_with(i, [&](int k) {
      S* const x = &right(0, k);
      for_each_with(std::max(i, k), [&](int j) { Gamma(i, j, k) = Projection::row(mechanism, G, j, x); });
      mechanism.for_each_reached(k, [&](int begin, int end) { std::fill(x + begin, x + end, S(0)); });
    });
  }
  if (!mechanism.varies()) return;
  const MatrixX<S>& M = corio::crba(mechanism.tree(), data.tree);
  const typename Mechanism<S>::Cluster* of_MG = nullptr;
  derivatives.for_each(mechanism, data, [&](const auto& cluster, int k, const MatrixX<S>& D) {
    const int last = cluster.columns.back();  // with which all are coupled that are coupled with the cluster
    const auto d = std::ssize(cluster.dependent);
    for (Eigen::Index b = 0; b < d && of_MG != &cluster; ++b)
      for_each_with(last, [&](int i) {
        MG(i, b) = Projection::row(mechanism, G, i, &M(0, cluster.dependent[static_cast<std::size_t>(b)]));
      });
    of_MG = &cluster;
    for_each_with(last, [&](int i) {
      for (Eigen::Index j = 0; j < D.cols(); ++j) {
        S total(0);
        for (Eigen::Index b = 0; b < d; ++b) total += MG(i, b) * D(b, j);
        Gamma(i, cluster.columns[static_cast<std::size_t>(j)], k) += total;
      }
    });
  });
}
/// Of column c of the pages only the rows that are related to c and to a degree of freedom that speed i moves.
template <class S>
void for_mechanism<christoffel_symbols<S>>::sum_right(const Mechanism<S>& mechanism, const VectorX<S>& G, int i) {
  const Tensor3<S>& T = tree.tensor();
  mechanism.for_each_reached(i, [&](int first, int last) {
    for (int c = first; c < last; ++c) {
      sum.clear();
      mechanism.for_each_moved(i, [&](int a, int e) { sum.add(T.data() + a * T.stride(0) + c * T.stride(2), G[e]); });
      const auto add_rows = [&](int begin, int end) {
        sum.write(begin, end, column.data());
        mechanism.for_each_entry(
            c, [&](int k, int e) { detail::add_multiple<S>(&right(begin, k), G[e], &column[begin], end - begin); });
      };
      if (c < mechanism.dof_of_speed(i))
        mechanism.for_each_reached(i, add_rows);
      else
        mechanism.for_each_related(c, add_rows);
    }
  });
}

}  // namespace algorithm

}  // namespace corio
