#pragma once

#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"

/// The Riemannian connection of the kinetic-energy metric, whose geodesics are the free motions of the robot, and the
/// connections that belong to other factorizations of C. Armature enters M as in every algorithm, but not C: on joints
/// whose motions do not commute the Riemannian connection then has torsion, nabla_v w - nabla_w v = M^-1 (M - armature)
/// [v, w]. The torsion of a Mechanism is M^-1 times the asymmetry of its symbols (mechanism/derivatives.hpp).
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S, template <class> class Robot>
void check_fields(const Robot<S>& robot, VectorIn<S> w, VectorIn<S> wdot) {
  check_speeds("w", w, robot, "covariant_derivative");
  check_speeds("wdot", wdot, robot, "covariant_derivative");
}

}  // namespace detail

namespace algorithm {

template <class S, class Robot = Model<S>>
struct ChristoffelSymbolsSecondKind;
template <class S, class Factorization = factorization::Christoffel, class Robot = Model<S>>
struct CovariantDerivative;
template <class S, class Robot = Model<S>>
struct GeodesicResidual;

}  // namespace algorithm

/// Computes Christoffel symbols of the second kind, out(l,j,k) = sum_i Minv(l,i) Gamma(i,j,k), so that free motions
/// obey dv_l/dt = -sum_jk out(l,j,k) v_j v_k. With the index raised, entries of unrelated degrees of freedom of a tree
/// are nonzero.
///
/// @param Gamma  the result of christoffel_symbols for the configuration of the last forward_kinematics
/// @param out    resized to nv x nv x nv if its size differs, which allocates
/// @throws StateError, SizeError; ModelError for a joint that moves no inertia. O(n^3 d), no further allocation.
template <class S, template <class> class Robot>
void christoffel_symbols_second_kind(const Robot<S>& robot, DataOf<Robot<S>>& data, const ChristoffelTensor<S>& Gamma,
                                     Tensor3<S>& out) {
  data.template run<algorithm::ChristoffelSymbolsSecondKind<S, Robot<S>>>(robot, Gamma, out);
}

/// Computes out(i,j,k) = (T(i,j,k) + T(i,k,j)) / 2, the part of Gamma that enters C v. `out` may be T itself.
template <class S>
void symmetric_part(const Tensor3<S>& T, Tensor3<S>& out) {
  const int n = T.size();
  out.resize(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j <= k; ++j) out(i, j, k) = out(i, k, j) = (T(i, j, k) + T(i, k, j)) / S(2);
}

/// Computes the covariant derivative of a vector field along a motion,
///   nabla_v w = wdot + M^-1 C(q, v) w.
/// With the default, Christoffel's factorization, the connection is the Riemannian one: symmetric, nabla_v w - nabla_w
/// v = [v, w], and compatible with the metric, d(w^T M u)/dt = <nabla_v w, u> + <w, nabla_v u>. The connection of
/// another factorization has the same geodesics, nabla_v v = a - aba(q, v, 0) without gravity, if B is valid, and is
/// compatible with the metric if B is admissible; contorsion.hpp measures how far it is from the Riemannian one.
///
/// @param w     nv, the components of the field at q, in the basis of v
/// @param wdot  nv, their rates as q moves along v; zero for a field of constant components
/// @param B     the factorization, as for coriolis_matrix
/// @returns nv, valid until the next call.
/// @throws SizeError; ModelError for a joint that moves no inertia. O(n d^2).
/// Source: Riemannian connection in a frame of generalized velocities, do Carmo (1992), ch. 2; link with C: C(i,j) =
/// <E_i, nabla_v E_j>, Wensing and Slotine (2023), eq. 10.
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& covariant_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> w, VectorIn<S> wdot,
                                       const Factorization& B = {}) {
  return data.template run<algorithm::CovariantDerivative<S, Factorization, Robot<S>>>(robot, w, wdot, B).result;
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& covariant_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                       VectorIn<S> w, VectorIn<S> wdot, const Factorization& B = {}) {
  detail::check_fields<S>(robot, w, wdot);
  return covariant_derivative(robot, forward_kinematics(robot, data, q, v, __func__), w, wdot, B);
}

/// Computes nabla_v v = a + M^-1 C v, the acceleration relative to free motion: zero along geodesics of the
/// kinetic-energy metric, M^-1 (tau - g) in general.
/// @returns nv, valid until the next call.
/// @throws SizeError; ModelError for a joint that moves no inertia. O(n d^2).
template <class S, template <class> class Robot>
const VectorX<S>& geodesic_residual(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> a) {
  return data.template run<algorithm::GeodesicResidual<S, Robot<S>>>(robot, a).result;
}
template <class S, template <class> class Robot>
const VectorX<S>& geodesic_residual(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                    VectorIn<S> a) {
  detail::check_speeds("a", a, robot);
  return geodesic_residual(robot, forward_kinematics(robot, data, q, v, __func__), a);
}

namespace algorithm {

template <class S, class Robot>
struct ChristoffelSymbolsSecondKind {
  static constexpr detail::Needs needs{
      .pass = Pass::position, .name = "christoffel_symbols_second_kind", .regular = true};
  detail::MassMatrixFactor<S, Robot> mass;

  explicit ChristoffelSymbolsSecondKind(const Robot& m) : mass(m) {}
  void run(const Robot& robot, DataOf<Robot>& data, const ChristoffelTensor<S>& Gamma, Tensor3<S>& out);
};
template <class S, class Robot>
void ChristoffelSymbolsSecondKind<S, Robot>::run(const Robot& robot, DataOf<Robot>& data,
                                                 const ChristoffelTensor<S>& Gamma, Tensor3<S>& out) {
  Gamma.check_fits(robot);
  out = Gamma.tensor();
  detail::solve_mass_matrix(robot, mass.run(robot, data), out.data(), out.stride(0));
}

template <class S, class Factorization, class Robot>
struct CovariantDerivative {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "covariant_derivative", .regular = true};
  VectorX<S> result;
  typename DataOf<Robot>::template Form<CoriolisProduct<S, Factorization>> product;
  detail::MassMatrixFactor<S, Robot> mass;

  explicit CovariantDerivative(const Robot& m) : result(zeros<S>(m.nv())), product(m), mass(m) {}
  void run(const Robot& robot, DataOf<Robot>& data, VectorIn<S> w, VectorIn<S> wdot, const Factorization& B = {});
};
template <class S, class Factorization, class Robot>
void CovariantDerivative<S, Factorization, Robot>::run(const Robot& robot, DataOf<Robot>& data, VectorIn<S> w,
                                                       VectorIn<S> wdot, const Factorization& B) {
  detail::check_fields<S>(robot, w, wdot);
  product.run(robot, data, w, B);
  detail::solve_mass_matrix(robot, mass.run(robot, data), product.result.data(), 1);
  result = wdot + product.result;
}

/// A covariant derivative with its own storage, so that two results are valid at once.
template <class S, class Robot>
struct GeodesicResidual : CovariantDerivative<S, factorization::Christoffel, Robot> {
  using Base = CovariantDerivative<S, factorization::Christoffel, Robot>;
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "geodesic_residual", .regular = true};
  using Base::Base;
  void run(const Robot& robot, DataOf<Robot>& data, VectorIn<S> a);
};
template <class S, class Robot>
void GeodesicResidual<S, Robot>::run(const Robot& robot, DataOf<Robot>& data, VectorIn<S> a) {
  detail::check_speeds("a", a, robot, needs.name);
  Base::run(robot, data, data.speeds(), a);
}

}  // namespace algorithm

}}  // namespace corio
