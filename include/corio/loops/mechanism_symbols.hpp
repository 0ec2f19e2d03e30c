#pragma once

#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/packed_christoffel_tensor.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio {
namespace detail {

/// D_k G, the derivatives of G along the independent speeds k, on a Data of their own. A loop does not notice motions
/// of all its bodies together, so those that G of a cluster depends on are its own. All clusters are therefore moved at
/// once, each with one of its speeds.
template <class S>
struct MapDerivatives {
  Data<S> probe;
  VectorX<S> y, v, D;
  MatrixX<S> Kdot;

  explicit MapDerivatives(const Mechanism<S>& m)
      : probe(m.tree()),
        y(zeros<S>(m.nv())),
        v(zeros<S>(m.tree().nv())),
        D(VectorX<S>::Zero(m.constant_entries().size())),
        Kdot(m.loops().rows(), m.tree().nv()) {}

  /// f(l) for every l, with D_k G in D for the speed number l, k, of every cluster in which G varies.
  template <class F>
  void for_each_column(const Mechanism<S>& mechanism, MechanismData<S>& data, F&& f) {
    for (std::size_t l = 0; l < mechanism.most_columns(); ++l) {
      y.setZero();
      mechanism.for_each_varying(l, [&](int k, const auto&) { y[k] = S(1); });
      spread<S>(mechanism, data.G, y, v);
      forward_kinematics<S>(mechanism.tree(), probe, data.tree.q, v);
      constraint_jacobian_dot<S>(mechanism.tree(), probe, mechanism.loops(), Kdot);
      solve_dependent_rate(mechanism, data, Kdot, D);
      f(l);
    }
  }
};

}  // namespace detail

namespace algorithm::of_mechanism {

template <class S>
struct christoffel_symbols {
  static constexpr detail::Needs needs{Pass::position, "christoffel_symbols"};
  detail::MapDerivatives<S> derivatives;
  PackedChristoffelTensor<S> tree;
  VectorX<S> M_b, G_M_b;

  explicit christoffel_symbols(const Mechanism<S>& m)
      : derivatives(m), tree(m.tree()), M_b(m.tree().nv()), G_M_b(m.nv()) {}
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
    derivatives.for_each_column(mechanism, data, [&](std::size_t l) {
      mechanism.for_each_varying(l, [&](int k, const auto& cluster) {
        for (const int b : cluster.dependent) {
          M_b = M.col(b);
          G_M_b.setZero();
          detail::add_projected(mechanism, G, M_b, G_M_b);
          mechanism.for_each_entry(b, [&](int j, int e) {
            for (int i = 0; i < mechanism.nv(); ++i) Gamma(i, j, k) += G_M_b[i] * derivatives.D[e];
          });
        }
      });
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
/// @throws SizeError, StateError, and what forward_kinematics of the mechanism throws. O(n d^2) and a kinematics pass
/// for each independent speed of the largest cluster. No allocation with a Gamma of this size.
/// Source: Wensing and Slotine (2023), app. A, in the form of projections.
template <std::floating_point S>
void christoffel_symbols(const Mechanism<S>& mechanism, MechanismData<S>& data, Tensor3<S>& Gamma) {
  data.template run<algorithm::of_mechanism::christoffel_symbols<S>>(mechanism, Gamma);
}
template <std::floating_point S>
void christoffel_symbols(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Tensor3<S>& Gamma) {
  christoffel_symbols<S>(mechanism, forward_kinematics<S>(mechanism, data, q), Gamma);
}

}  // namespace corio
