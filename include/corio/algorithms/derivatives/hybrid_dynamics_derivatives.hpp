#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"
#include "corio/algorithms/dynamics/hybrid_dynamics.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of hybrid_dynamics_derivatives, each nv x nv.
template <class S>
struct HybridDynamicsDerivativesResult {
  MatrixX<S> dz_dq, dz_dv, dz_du;
};

namespace algorithm {

template <class S, class Inverse = InverseDynamicsDerivatives<S>>
struct HybridDynamicsDerivatives;

}  // namespace algorithm

/// Computes derivatives of the result z of hybrid_dynamics (a_k for speeds with given forces, tau_k for speeds with
/// prescribed accelerations) with respect to q, v and the input u (tau_k and a_k), at a state q, v, a, such as its
/// result. Derivatives along q come from inverse_dynamics_derivatives, partitioned into speeds f with given forces and
/// p with prescribed accelerations,
///   da_f = -M_ff^-1 dtau_f,   dtau_p = dtau_p + M_pf da_f,   da_f/da_p = -M_ff^-1 M_fp,   da_f/dtau_f = M_ff^-1.
/// If no speed is prescribed the results equal forward_dynamics_derivatives; if all speeds are prescribed they equal
/// inverse_dynamics_derivatives.
///
/// @returns {dz_dq, dz_dv, dz_du}, each nv x nv; valid until the next call
/// @throws as hybrid_dynamics and inverse_dynamics_derivatives. O(n^2 d), and O(n^2) for each prescribed speed.
template <class S, template <class> class Robot>
const HybridDynamicsDerivativesResult<S>& hybrid_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                      const std::vector<int>& prescribed,
                                                                      ExternalForces<S> external = {}) {
  return data.template run<algorithm::HybridDynamicsDerivatives<S>>(robot, prescribed, external).result;
}
template <class S, template <class> class Robot>
const HybridDynamicsDerivativesResult<S>& hybrid_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                      VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                      const std::vector<int>& prescribed,
                                                                      ExternalForces<S> external = {}) {
  return hybrid_dynamics_derivatives(robot, forward_kinematics(robot, data, q, v, a, __func__), prescribed, external);
}

namespace algorithm {

template <class S, class Inverse>
struct HybridDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "hybrid_dynamics_derivatives", .regular = true, .column_rates = true};
  HybridDynamicsDerivativesResult<S> result;
  Inverse of_inverse;
  PerDof<char> held;
  MatrixX<S> M;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> da;  // with respect to q, v and u, side by side

  template <class Robot>
  explicit HybridDynamicsDerivatives(const Robot& r) : of_inverse(r), held(r.nv(), 0), da(r.nv(), 3 * r.nv()) {
    for (auto* x : {&result.dz_dq, &result.dz_dv, &result.dz_du}) *x = MatrixX<S>::Zero(r.nv(), r.nv());
  }
  template <class Robot>
  void run(const Robot& robot, DataOf<Robot>& data, const std::vector<int>& prescribed, ExternalForces<S> external) {
    const int n = robot.nv();
    detail::mark_prescribed(prescribed, held, needs.name);
    of_inverse.run(robot, data, external);
    const auto& inverse = of_inverse.result;
    M = inverse.M;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        da(i, j) = held[i] ? S(0) : S(-inverse.dtau_dq(i, j)),
              da(i, n + j) = held[i] ? S(0) : S(-inverse.dtau_dv(i, j));
        da(i, 2 * n + j) = i == j ? S(1) : held[i] || !held[j] ? S(0) : S(-inverse.M(i, j));
        if (held[i] || held[j]) M(i, j) = S(i == j ? 1 : 0);
      }
    detail::factorize_mass_matrix(robot, M);
    detail::solve_mass_matrix(robot, M, da.data(), da.cols());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        S by_q = inverse.dtau_dq(i, j), by_v = inverse.dtau_dv(i, j), by_u(0);
        for (int k = 0; k < n && held[i]; ++k) {
          const S& M_ik = inverse.M(i, k);
          by_q += M_ik * da(k, j), by_v += M_ik * da(k, n + j), by_u += M_ik * da(k, 2 * n + j);
        }
        result.dz_dq(i, j) = held[i] ? by_q : da(i, j), result.dz_dv(i, j) = held[i] ? by_v : da(i, n + j);
        result.dz_du(i, j) = held[i] ? by_u : da(i, 2 * n + j);
      }
  }
};

}  // namespace algorithm

}}  // namespace corio
