#pragma once

#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/packed_christoffel_tensor.hpp"
#include "corio/algorithms/structure_constants.hpp"
#include "corio/loops/constraint_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {
namespace detail {

/// D_k G_d = -K_d^-1 D_k K G, the derivatives along the independent speeds k of what varies in G. A loop does not
/// notice motions of all its bodies together, so those that G of a cluster depends on are the cluster's own.
template <class S>
class MapDerivatives {
 public:
  explicit MapDerivatives(const Mechanism<S>& m) : place_(static_cast<std::size_t>(m.nv())) {
    for (const auto& cluster : m.clusters()) {
      if (cluster.varies) most_ = std::max(most_, static_cast<int>(cluster.columns.size()));
      for (int l = 0; const int k : cluster.columns) place_[static_cast<std::size_t>(k)] = l++;
    }
    KG_.resize(m.loops().rows(), most_ * most_);
  }

  /// f(cluster, k, D_k G) for every speed k of the clusters in which G varies; of D_k G the rows of the cluster's
  /// dependent speeds and the columns of its independent ones.
  template <class F>
  void for_each(const Mechanism<S>& mechanism, MechanismData<S>& data, F&& f) {
    KG_.setZero();
    for_each_jacobian_derivative(
        mechanism.tree(), data.tree, mechanism.loops(), [&](int row, int i, int j, const S& x) {
          mechanism.for_each_entry(j, [&](int k, int e) {
            mechanism.for_each_entry(i, [&](int m, int g) { KG_(row, at(k, m)) += data.G[e] * data.G[g] * x; });
          });
        });
    for (std::size_t c = 0; c < mechanism.clusters().size(); ++c) {
      const auto& cluster = mechanism.clusters()[c];
      if (!cluster.varies) continue;
      for (const int k : cluster.columns)
        f(cluster, k, data.solvers[c].rate(cluster, [&](int row, int l) {
          return S(-KG_(row, at(k, cluster.columns[static_cast<std::size_t>(l)])));
        }));
    }
  }

 private:
  int at(int k, int m) const {
    return place_[static_cast<std::size_t>(k)] * most_ + place_[static_cast<std::size_t>(m)];
  }

  std::vector<int> place_;  // of a speed in its cluster
  int most_ = 0;            // speeds that a cluster has
  MatrixX<S> KG_;           // D_k K G_m in column at(k, m)
};

}  // namespace detail

namespace algorithm::of_mechanism {

template <class S>
struct christoffel_symbols {
  static constexpr detail::Needs needs{Pass::position, "christoffel_symbols"};
  detail::MapDerivatives<S> derivatives;
  PackedChristoffelTensor<S> tree;
  MatrixX<S> MG;

  explicit christoffel_symbols(const Mechanism<S>& m) : derivatives(m), tree(m.tree()), MG(m.nv(), m.tree().nv()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, Tensor3<S>& Gamma) {
    const VectorX<S>& G = data.G;
    Gamma.resize(mechanism.nv());
    Gamma.set_zero();
    corio::christoffel_symbols(mechanism.tree(), data.tree, tree);
    tree.for_each([&](int a, int b, int c, const S& x) {
      mechanism.for_each_entry(a, [&](int i, int e) {
        mechanism.for_each_entry(b, [&](int j, int f) {
          const S two = G[e] * G[f] * x;
          mechanism.for_each_entry(c, [&](int k, int g) { Gamma(i, j, k) += two * G[g]; });
        });
      });
    });
    if (!mechanism.varies()) return;
    const MatrixX<S>& M = corio::crba(mechanism.tree(), data.tree);
    MG.setZero();
    const auto add = [&](int a, int b) {
      mechanism.for_each_entry(a, [&](int i, int e) { MG(i, b) += G[e] * M(a, b); });
    };
    for (int b = 0; b < M.cols(); ++b) {
      add(b, b);
      for (int a = mechanism.tree().dof_parent(b); a >= 0; a = mechanism.tree().dof_parent(a)) add(a, b), add(b, a);
    }
    derivatives.for_each(mechanism, data, [&](const auto& cluster, int k, const MatrixX<S>& D) {
      for (Eigen::Index b = 0; b < std::ssize(cluster.dependent); ++b)
        for (Eigen::Index j = 0; j < D.cols(); ++j)
          for (int i = 0; i < mechanism.nv(); ++i)
            Gamma(i, cluster.columns[static_cast<std::size_t>(j)], k) +=
                MG(i, cluster.dependent[static_cast<std::size_t>(b)]) * D(b, j);
    });
  }
};

}  // namespace algorithm::of_mechanism

/// Christoffel symbols of the first kind of the mass matrix in independent speeds, C(i,j) = sum_k Gamma(i,j,k) y_k of
/// coriolis_matrix:
///   Gamma(i,j,k) = G_ai G_bj G_ck Gamma(a,b,c) + G_ai M_ab D_k G_bj,
/// with the derivatives D_k G of G along y_k. Symmetric in j and k where independent speeds are rates of coordinates,
/// which those of all joints but spherical joints, floating bases and the like are.
///
/// @param Gamma  n x n x n for the n speeds of the mechanism, resized and overwritten
/// @throws SizeError, StateError, and what forward_kinematics of the mechanism throws. O(n d^2), and where G varies
/// O(n) for each entry of it; both times powers of the number of speeds in a cluster. No allocation with a Gamma of
/// this size. Source: Wensing and Slotine (2023), app. A, in the form of projections.
template <std::floating_point S>
void christoffel_symbols(const Mechanism<S>& mechanism, MechanismData<S>& data, Tensor3<S>& Gamma) {
  data.template run<algorithm::of_mechanism::christoffel_symbols<S>>(mechanism, Gamma);
}
template <std::floating_point S>
void christoffel_symbols(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Tensor3<S>& Gamma) {
  christoffel_symbols<S>(mechanism, forward_kinematics<S>(mechanism, data, q), Gamma);
}

/// Structure constants c(l,a,b) of the independent speeds, [G_a, G_b] = sum_l c(l,a,b) G_l for the motions of the tree
/// that they are, in which Gamma(i,j,k) - Gamma(i,k,j) = sum_l M(i,l) c(l,k,j) but for armature. As the rows of G that
/// belong to independent speeds are constant, those are the tree's own constants between G_a and G_b.
///
/// @param c  resized to n x n x n for the n speeds of the mechanism if it is not, which allocates
/// @throws SizeError, StateError. O(n) beside setting c to zero, times the squared number of speeds in a cluster.
template <std::floating_point S>
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
template <std::floating_point S>
void structure_constants(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Tensor3<S>& c) {
  structure_constants<S>(mechanism, forward_kinematics<S>(mechanism, data, q), c);
}

}  // namespace corio
