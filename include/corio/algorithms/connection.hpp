#pragma once

#include "corio/algorithms/admissibility.hpp"
#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis_product.hpp"
#include "corio/columns/mass_matrix_factor.hpp"

/// The Riemannian connection of the kinetic-energy metric, whose geodesics are the free motions of the robot, and how
/// far the connection of another factorization is from it. Armature enters M as in every algorithm, but not C: on
/// joints whose motions do not commute the connection then has torsion, nabla_v w - nabla_w v = M^-1 (M - armature) [v,
/// w].
namespace corio {

/// Christoffel symbols of the second kind: out(l,j,k) = sum_i Minv(l,i) Gamma(i,j,k), so that free motions obey
/// dv_l/dt = -sum_jk out(l,j,k) v_j v_k. With one index raised, unrelated degrees of freedom of one tree matter.
///
/// @param Gamma  of christoffel_symbols for the configuration of the last forward_kinematics, which must be there
/// @param out    resized to nv x nv x nv if it is not, which allocates
/// @throws StateError, SizeError. O(n^3 d), no further allocation.
template <class S>
void christoffel_symbols_second_kind(const Model<S>& model, Data<S>& data, const ChristoffelTensor<S>& Gamma,
                                     Tensor3<S>& out) {
  data.require(model, Pass::position, "christoffel_symbols_second_kind");
  Gamma.check_fits(model);
  out = Gamma.tensor();
  detail::solve_mass_matrix(model, detail::mass_matrix_factor(model, data), out.data(), out.stride(0));
}

/// out(i,j,k) = (T(i,j,k) + T(i,k,j)) / 2, all of Gamma that C v sees. `out` may be T itself.
template <class S>
void symmetric_part(const Tensor3<S>& T, Tensor3<S>& out) {
  const int n = T.size();
  out.resize(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j <= k; ++j) out(i, j, k) = out(i, k, j) = (T(i, j, k) + T(i, k, j)) / S(2);
}

/// Covariant derivative of a vector field along a motion,
///   nabla_v w = wdot + M^-1 C(q, v) w,
/// with the Riemannian connection: symmetric, nabla_v w - nabla_w v = [v, w], and compatible with the metric,
/// d(w^T M u)/dt = <nabla_v w, u> + <w, nabla_v u>.
///
/// @param w     nv, the components of the field at q, in the basis of v
/// @param wdot  nv, their rates as q moves along v; zero for a field of constant components
/// @returns nv, in data.covariant_derivative; valid until the next call.
/// @throws SizeError. O(n d^2), no allocation.
/// Source: Riemannian connection in a frame of generalized velocities, do Carmo (1992), ch. 2; link with C: C(i,j) =
/// <E_i, nabla_v E_j>.
template <class S>
const VectorX<S>& covariant_derivative(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                       VectorIn<S> w, VectorIn<S> wdot) {
  detail::check_size("w", w.size(), model.nv());
  detail::check_size("wdot", wdot.size(), model.nv());
  forward_kinematics(model, data, q, v);
  return covariant_derivative(model, data, w, wdot);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws SizeError, StateError without it
template <class S>
const VectorX<S>& covariant_derivative(const Model<S>& model, Data<S>& data, VectorIn<S> w, VectorIn<S> wdot) {
  data.require(model, Pass::velocity, "covariant_derivative");
  detail::check_size("w", w.size(), model.nv());
  detail::check_size("wdot", wdot.size(), model.nv());
  coriolis_product(model, data, w);
  detail::solve_mass_matrix(model, detail::mass_matrix_factor(model, data), data.coriolis_product.data(), 1);
  data.covariant_derivative = wdot + data.coriolis_product;
  return data.covariant_derivative;
}

/// nabla_v v = a + M^-1 C v, the acceleration that is not free motion: zero along geodesics of the kinetic-energy
/// metric, M^-1 (tau - g) in general.
/// @returns as covariant_derivative, for w = v. O(n d^2), no allocation.
template <class S>
const VectorX<S>& geodesic_residual(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a) {
  return covariant_derivative(model, data, q, v, v, a);
}

/// Contorsion of a factorization C' against the Riemannian one, K(i,j,k) = C'(e_k)(i,j) - Gamma(i,j,k).
///
/// @param C  a body-level factorization (factorization.hpp), or any callable C(v) that returns the nv x nv matrix of
///           C' for the velocity v at this q, linear in v
/// @param K  resized to nv x nv x nv if it is not, which allocates
/// @throws SizeError. O(n^2 d) for body-level factorizations.
/// Source: Wensing and Slotine (2023), sections III-C and IV.
template <class S, class Factorization>
void contorsion(const Model<S>& model, Data<S>& data, VectorIn<S> q, const Factorization& C, Tensor3<S>& K) {
  const int n = model.nv();
  K.resize(n);
  VectorX<S>& unit = data.work.unit;
  for (int k = 0; k < n; ++k) {
    unit.setZero();
    unit[k] = S(1);
    const auto add = [&](const MatrixX<S>& A, const S& sign, bool first) {
      detail::check_size("the rows of C", A.rows(), n);
      detail::check_size("the columns of C", A.cols(), n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) K(i, j, k) = (first ? S(0) : K(i, j, k)) + sign * A(i, j);
    };
    add(coriolis_matrix(model, data, q, unit).C, S(-1), true);
    if constexpr (std::is_invocable_v<const Factorization&, const VectorX<S>&>)
      add(C(unit), S(1), false);
    else
      add(coriolis_matrix(model, data, q, unit, C).C, S(1), false);
  }
}

/// What the connection of a factorization lacks, as largest magnitudes over all entries of its contorsion.
struct ContorsionDefects {
  double metric;     ///< |K(i,j,k) + K(j,i,k)|: zero iff Mdot - 2 C is skew-symmetric for every v
  double geodesics;  ///< |K(i,j,k) + K(i,k,j)|: zero iff C v is right for every v
  double torsion;    ///< |K(i,j,k) - K(i,k,j)|: zero iff the connection is free of torsion
};

/// The three of them vanish for the Christoffel-consistent factorization alone. For one that is admissible (the first
/// two vanish) K is totally antisymmetric, so for nv <= 2 there is no other. Source: ibid., Propositions III.2, IV.1,
/// IV.2 and Corollary IV.1.
template <class S>
ContorsionDefects contorsion_defects(const Tensor3<S>& K) {
  ContorsionDefects d{0, 0, 0};
  const auto grow = [](double& largest, const S& x) { detail::grow(largest, std::abs(value_of(x))); };
  for (int i = 0; i < K.size(); ++i)
    for (int j = 0; j < K.size(); ++j)
      for (int k = 0; k < K.size(); ++k) {
        grow(d.metric, K(i, j, k) + K(j, i, k));
        grow(d.geodesics, K(i, j, k) + K(i, k, j));
        grow(d.torsion, K(i, j, k) - K(i, k, j));
      }
  return d;
}

}  // namespace corio
