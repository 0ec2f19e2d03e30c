#pragma once

#include "corio/algorithms/coriolis/admissibility.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/core/tensor3.hpp"

/// Contorsion: the difference between the connection of a factorization and the Riemannian one (connection.hpp).
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S, class Robot = Model<S>>
struct Contorsion;

}  // namespace algorithm

/// Computes the contorsion of a factorization C' with respect to the Riemannian one, K(i,j,k) = C'(e_k)(i,j) -
/// Gamma(i,j,k).
///
/// @param C  a body-level factorization (factorization.hpp), or any callable C(v) that returns the nv x nv matrix of
///           C' for the velocity v at this q, linear in v
/// @param K  resized to nv x nv x nv if its size differs, which allocates
/// @throws SizeError. O(n^2 d) for body-level factorizations.
/// Source: Wensing and Slotine (2023), sections III-C and IV.
template <class S, template <class> class Robot, class Factorization>
void contorsion(const Robot<S>& robot, DataOf<Robot<S>>& data, const Factorization& C, Tensor3<S>& K) {
  data.template run<algorithm::Contorsion<S, Robot<S>>>(robot, C, K);
}
template <class S, template <class> class Robot, class Factorization>
void contorsion(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, const Factorization& C, Tensor3<S>& K) {
  contorsion(robot, forward_kinematics(robot, data, q, __func__), C, K);
}

/// Defects of the connection of a factorization, as largest magnitudes over all entries of its contorsion.
struct ContorsionDefects {
  double metric;     ///< |K(i,j,k) + K(j,i,k)|: zero iff Mdot - 2 C is skew-symmetric for every v
  double geodesics;  ///< |K(i,j,k) + K(i,k,j)|: zero iff C v is right for every v
  double torsion;    ///< |K(i,j,k) - K(i,k,j)|: zero iff the connection is free of torsion
};

/// Computes the defects from K. All three vanish only for the Christoffel-consistent factorization. For an admissible
/// factorization (the first two vanish) K is totally antisymmetric, hence zero for nv <= 2. Source: ibid., Propositions
/// III.2, IV.1, IV.2 and Corollary IV.1.
template <class S>
ContorsionDefects contorsion_defects(const Tensor3<S>& K) {
  ContorsionDefects d{0, 0, 0};
  const auto grow = [](double& largest, const S& x) { detail::grow(largest, std::abs(detail::known_value(x))); };
  for (int i = 0; i < K.size(); ++i)
    for (int j = 0; j < K.size(); ++j)
      for (int k = 0; k < K.size(); ++k) {
        grow(d.metric, K(i, j, k) + K(j, i, k));
        grow(d.geodesics, K(i, j, k) + K(i, k, j));
        grow(d.torsion, K(i, j, k) - K(i, k, j));
      }
  return d;
}

namespace algorithm {

template <class S, class Robot>
struct Contorsion {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "contorsion"};
  DataOf<Robot> inner;  // holds the state at unit velocities
  VectorX<S> unit;

  explicit Contorsion(const Robot& m) : inner(m), unit(zeros<S>(m.nv())) { inner.template of<CoriolisMatrix<S>>(m); }
  template <class Factorization>
  void run(const Robot& robot, const DataOf<Robot>& data, const Factorization& C, Tensor3<S>& K);
};
template <class S, class Robot>
template <class Factorization>
void Contorsion<S, Robot>::run(const Robot& robot, const DataOf<Robot>& data, const Factorization& C, Tensor3<S>& K) {
  const int n = robot.nv();
  K.resize(n);
  for (int k = 0; k < n; ++k) {
    unit.setZero();
    unit[k] = S(1);
    const auto set = [&](const MatrixX<S>& A, const MatrixX<S>& riemannian) {
      detail::check_size("the rows of C", A.rows(), n, needs.name);
      detail::check_size("the columns of C", A.cols(), n, needs.name);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) K(i, j, k) = A(i, j) - riemannian(i, j);
    };
    const MatrixX<S>& riemannian = corio::coriolis_matrix(robot, inner, data.of_tree().q, unit).C;
    if constexpr (std::is_invocable_v<const Factorization&, const VectorX<S>&>)
      set(C(unit), riemannian);
    else if constexpr (std::is_same_v<Factorization, factorization::Christoffel>)
      set(riemannian, riemannian);
    else
      set(corio::coriolis_matrix(robot, inner, C).C, riemannian);
  }
}

}  // namespace algorithm

}}  // namespace corio
