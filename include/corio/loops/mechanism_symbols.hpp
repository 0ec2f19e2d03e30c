#pragma once

#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/loops/constraint_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {
namespace detail {

/// D_k G_d = -K_d^-1 D_k K G, the derivatives of the varying part of G along the independent speeds k. Motions of all
/// bodies of a loop together do not change its conditions, so G of a cluster depends only on the cluster's speeds.
template <class S>
class MapDerivatives {
 public:
  explicit MapDerivatives(const Mechanism<S>& m) : place_(static_cast<std::size_t>(m.nv())) {
    for (const auto& cluster : m.clusters()) {
      if (cluster.varies) most_ = std::max(most_, static_cast<int>(cluster.columns.size()));
      for (int l = 0; const int k : cluster.columns) place_[static_cast<std::size_t>(k)] = l++;
    }
    KG_.resize(most_ * most_, m.loops().rows()), along_j_.resize(most_);
  }

  /// f(cluster, k, D_k G) for every speed k of the clusters in which G varies; D_k G has the rows of the cluster's
  /// dependent speeds and the columns of its independent ones.
  template <class F>
  void for_each(const Mechanism<S>& mechanism, MechanismData<S>& data, F&& f) {
    KG_.setZero();
    for_each_jacobian_derivative(mechanism.tree(), data.tree, mechanism.loops(), [&](int row, int j, auto&& entries) {
      along_j_.setZero();
      entries([&](int i, const S& x) {
        mechanism.for_each_entry(i, [&](int m, int e) { along_j_[place(m)] += data.G[e] * x; });
      });
      mechanism.for_each_entry(
          j, [&](int k, int e) { add_multiple<S>(&KG_(place(k) * most_, row), data.G[e], along_j_.data(), most_); });
    });
    for (std::size_t c = 0; c < mechanism.clusters().size(); ++c) {
      const auto& cluster = mechanism.clusters()[c];
      if (!cluster.varies) continue;
      for (const int k : cluster.columns)
        f(cluster, k,
          data.solvers[c].rate(cluster, [&](int row, int m) { return KG_(place(k) * most_ + place(m), row); }));
    }
  }

 private:
  int place(int k) const { return place_[static_cast<std::size_t>(k)]; }

  std::vector<int> place_;  // index of a speed in its cluster
  int most_ = 0;            // largest number of speeds in a cluster
  MatrixX<S> KG_;           // [place(k) most + place(m), row]: (D_k K G)(row, m)
  VectorX<S> along_j_;      // the same for one degree of freedom j and one row
};

}  // namespace detail

namespace algorithm::of_mechanism {

template <class S>
struct christoffel_symbols {
  static constexpr detail::Requirement requires_pass{Pass::position, "christoffel_symbols"};
  detail::MapDerivatives<S> derivatives;
  ChristoffelTensor<S> tree;
  detail::Projection<S> product;
  MatrixX<S> page;
  MatrixX<S> MG;  // column b: G^T times column b of the tree's M

  explicit christoffel_symbols(const Mechanism<S>& m)
      : derivatives(m), tree(m.tree()), product(m), page(detail::square(m)), MG(m.nv(), m.tree().nv()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, Tensor3<S>& Gamma) {
    const VectorX<S>& G = data.G;
    Gamma.resize(mechanism.nv());
    Gamma.set_zero();
    corio::christoffel_symbols(mechanism.tree(), data.tree, tree);
    for (int a = 0; a < mechanism.tree().nv(); ++a) {
      product.clear(mechanism, {&page});
      detail::for_each_related(mechanism.tree(), a, [&](int c) {
        product.add_column(mechanism, G, tree.tensor().page(a), c, {{G, page}});
      });
      mechanism.for_each_entry(a, [&](int i, int e) {
        auto sum = Gamma.page(i);
        for (int j = 0; j < mechanism.nv(); ++j)
          mechanism.for_each_coupled(
              j, [&](int k, int end) { detail::add_multiple<S>(&sum(k, j), G[e], &page(k, j), end - k); });
      });
    }
    if (!mechanism.varies()) return;
    const MatrixX<S>& M = corio::crba(mechanism.tree(), data.tree);
    for (const auto& cluster : mechanism.clusters())
      for (const int b : cluster.dependent)
        product.visit_column(mechanism, G, M, b, [&](const S* x) {
          mechanism.for_each_entry(b, [&](int j, int) {
            mechanism.for_each_coupled(j, [&](int i, int end) { std::copy(x + i, x + end, &MG(i, b)); });
          });
        });
    derivatives.for_each(mechanism, data, [&](const auto& cluster, int k, const MatrixX<S>& D) {
      for (Eigen::Index b = 0; b < std::ssize(cluster.dependent); ++b)
        for (Eigen::Index j = 0; j < D.cols(); ++j)
          mechanism.for_each_coupled(k, [&](int i, int end) {
            for (; i < end; ++i)
              Gamma(i, cluster.columns[static_cast<std::size_t>(j)], k) +=
                  MG(i, cluster.dependent[static_cast<std::size_t>(b)]) * D(b, j);
          });
    });
  }
};

}  // namespace algorithm::of_mechanism

/// Christoffel symbols of the first kind of the mass matrix in independent speeds, C(i,j) = sum_k Gamma(i,j,k) y_k of
/// coriolis_matrix:
///   Gamma(i,j,k) = G_ai G_bj G_ck Gamma(a,b,c) + G_ai M_ab D_k G_bj,
/// with the derivatives D_k G of G along y_k. Symmetric in j and k where independent speeds are rates of coordinates,
/// that is, not those of spherical joints, floating bases and the like.
///
/// @param Gamma  n x n x n for the n speeds of the mechanism, resized and overwritten
/// @throws SizeError, StateError, and as forward_kinematics of the mechanism. O(n^2 d), times the number of independent
/// speeds in a cluster, beside setting n^3 numbers to zero. No allocation if Gamma has this size.
/// Source: Wensing and Slotine (2023), app. A, in the form of projections.
template <class S>
void christoffel_symbols(const Mechanism<S>& mechanism, MechanismData<S>& data, Tensor3<S>& Gamma) {
  data.template run<algorithm::of_mechanism::christoffel_symbols<S>>(mechanism, Gamma);
}
template <class S>
void christoffel_symbols(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Tensor3<S>& Gamma) {
  christoffel_symbols<S>(mechanism, forward_kinematics<S>(mechanism, data, q), Gamma);
}

/// Structure constants c(l,a,b) of the independent speeds, [G_a, G_b] = sum_l c(l,a,b) G_l for the columns of G as
/// motions of the tree. Without armature, Gamma(i,j,k) - Gamma(i,k,j) = sum_l M(i,l) c(l,k,j). As the rows of G of
/// independent speeds are constant, c is given by the tree's constants between G_a and G_b.
///
/// @param c  resized to n x n x n for the n speeds of the mechanism if it is not, which allocates
/// @throws SizeError, StateError. O(n) beside setting c to zero, times the squared number of speeds in a cluster.
template <class S>
void structure_constants(const Mechanism<S>& mechanism, MechanismData<S>& data, Tensor3<S>& c) {
  data.require(mechanism, Pass::position, "structure_constants");
  c.resize(mechanism.nv());
  c.set_zero();
  const auto& independent = mechanism.independent();
  detail::for_each_structure_constant(mechanism.tree(), data.tree, [&](int r, int s, int t, const S& x) {
    const auto own = std::ranges::lower_bound(independent, r);
    if (own == independent.end() || *own != r) return;
    const int l = static_cast<int>(own - independent.begin());
    mechanism.for_each_entry(s, [&](int a, int e) {
      mechanism.for_each_entry(t, [&](int b, int f) { c(l, a, b) += data.G[e] * data.G[f] * x; });
    });
  });
}
template <class S>
void structure_constants(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Tensor3<S>& c) {
  structure_constants<S>(mechanism, forward_kinematics<S>(mechanism, data, q), c);
}

}  // namespace corio
