#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/mass_matrix_factor.hpp"

/// Dynamics of a robot some of whose joints move as prescribed while the others follow their forces. Functions of a
/// `robot` take a Mechanism, too (loops/mechanism_dynamics.hpp), of whose independent speeds some are prescribed.
namespace corio::inline CORIO_ABI {

/// What hybrid_dynamics returns, each nv.
template <class S>
struct HybridDynamics {
  VectorX<S> a, tau;
};

/// What hybrid_dynamics_derivatives returns, each nv x nv.
template <class S>
struct HybridDynamicsDerivatives {
  MatrixX<S> dz_dq, dz_dv, dz_du;
};

namespace detail {

/// @throws ModelError for an index that is not one of a speed
inline void mark_prescribed(const std::vector<int>& prescribed, PerDof<char>& held, const char* function) {
  for (const int k : prescribed) check_dof("a prescribed speed", k, held.size(), function);
  std::fill(held.begin(), held.end(), char(0));
  for (const int k : prescribed) held[k] = 1;
}

/// out = x where held is `which`, and zero elsewhere; x there may be anything.
template <class S>
void where_held(VectorIn<S> x, const PerDof<char>& held, char which, VectorX<S>& out) {
  for (int k = 0; k < held.size(); ++k) out[k] = held[k] == which ? S(x[k]) : S(0);
}

}  // namespace detail

namespace algorithm {

template <class S>
struct HybridDynamics {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "hybrid_dynamics", .inverse = true};
  corio::HybridDynamics<S> result;
  PerDof<char> held;
  VectorX<S> x;
  PerNode<Motion<S>> acceleration, change;  // of the bodies: prescribed, and what the other joints add
  PerNode<Force<S>> force;
  detail::ArticulatedFactor<S> factor;

  explicit HybridDynamics(const Model<S>& m)
      : result{zeros<S>(m.nv()), zeros<S>(m.nv())},
        held(m.nv(), 0),
        x(zeros<S>(m.nv())),
        acceleration(m.num_nodes()),
        change(m.num_nodes()),
        force(m.num_nodes()),
        factor(m) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> a, VectorIn<S> tau, const std::vector<int>& prescribed,
           ExternalForces<S> external);
};
template <class S>
void HybridDynamics<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> a, VectorIn<S> tau,
                            const std::vector<int>& prescribed, ExternalForces<S> external) {
  detail::check_vector("a", a, model.nv(), needs.name);
  detail::check_vector("tau", tau, model.nv(), needs.name);
  detail::check_external(model, external);
  detail::mark_prescribed(prescribed, held, needs.name);
  detail::where_held<S>(a, held, 1, x);
  detail::sum_outward(model, acceleration, data.phi, x);
  for (int b = 0; b < model.num_nodes(); ++b) acceleration[b] += data.bias[b];
  detail::body_forces(model, data, acceleration, external, force);
  detail::where_held<S>(tau, held, 0, x);
  detail::compute_body_inertias(model, data);
  factor.compute(model, data, x, force, held);
  factor.sweep_outward(model, data, x);
  detail::sum_outward(model, change, data.phi, x);
  for (int b = 0; b < model.num_nodes(); ++b) force[b] += detail::at_node(data, data.inertia, b) * change[b];
  detail::sum_inward(model, force);
  for (int k = 0; k < model.nv(); ++k) {  // a and tau may be those of the last result
    const S a_k = held[k] ? S(a[k]) : x[k], F_k = dot(data.phi[k], force[model.node_of(k)]) + model.armature()[k] * a_k;
    result.tau[k] = held[k] ? F_k : S(tau[k]);
    result.a[k] = a_k;
  }
}

template <class S, class Inverse = InverseDynamicsDerivatives<S>>
struct HybridDynamicsDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "hybrid_dynamics_derivatives", .inverse = true, .column_rates = true};
  corio::HybridDynamicsDerivatives<S> result;
  Inverse of_inverse;
  PerDof<char> held;
  MatrixX<S> M;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> da;  // by q, v and u, side by side

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

/// Hybrid dynamics: the accelerations of some speeds are prescribed, the forces of the others given, and the rest of a
/// and tau is found so that rnea(q, v, a, external) = tau. Prescribed joints do not give way in the articulated sweep;
/// their accelerations are part of the bias. With none prescribed it is aba, with all of them rnea.
///
/// @param a           nv, of which the prescribed entries are read
/// @param tau         nv (N m, N), of which the others are read
/// @param prescribed  indices of speeds: model.v_indices({"elbow_joint", "ball[2]"})
/// @param external    wrenches on bodies, each with its axes and point
/// @returns {a, tau}, both complete; valid until the next call
/// @throws SizeError; ModelError for an index that is not that of a speed, and for a joint that moves no inertia. O(n).
/// Source: Featherstone (2008), sec. 9.2.
template <class S, template <class> class Robot>
const HybridDynamics<S>& hybrid_dynamics(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> a, VectorIn<S> tau,
                                         const std::vector<int>& prescribed, ExternalForces<S> external = {}) {
  return data.template run<algorithm::HybridDynamics<S>>(robot, a, tau, prescribed, external).result;
}
template <class S, template <class> class Robot>
const HybridDynamics<S>& hybrid_dynamics(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, VectorIn<S> tau, const std::vector<int>& prescribed,
                                         ExternalForces<S> external = {}) {
  detail::check_vector("a", a, robot.nv());
  detail::check_vector("tau", tau, robot.nv());
  return hybrid_dynamics(robot, forward_kinematics(robot, data, q, v), a, tau, prescribed, external);
}

/// Derivatives of what hybrid_dynamics finds, z (a_k of the speeds that follow forces, tau_k of the prescribed ones),
/// by q, v and what it is given, u (tau_k and a_k), at a state q, v, a, such as its result. As q changes, what moves
/// how and what is held is as for inverse_dynamics_derivatives, whose partition they are: of accelerations f found and
/// p prescribed,
///   da_f = -M_ff^-1 dtau_f,   dtau_p = dtau_p + M_pf da_f,   da_f/da_p = -M_ff^-1 M_fp,   da_f/dtau_f = M_ff^-1.
/// With none prescribed they are forward_dynamics_derivatives, with all of them inverse_dynamics_derivatives.
///
/// @returns {dz_dq, dz_dv, dz_du}, each nv x nv; valid until the next call
/// @throws as hybrid_dynamics and inverse_dynamics_derivatives. O(n^2 d), and O(n^2) for each prescribed speed.
template <class S, template <class> class Robot>
const HybridDynamicsDerivatives<S>& hybrid_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                const std::vector<int>& prescribed,
                                                                ExternalForces<S> external = {}) {
  return data.template run<algorithm::HybridDynamicsDerivatives<S>>(robot, prescribed, external).result;
}
template <class S, template <class> class Robot>
const HybridDynamicsDerivatives<S>& hybrid_dynamics_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                const std::vector<int>& prescribed,
                                                                ExternalForces<S> external = {}) {
  return hybrid_dynamics_derivatives(robot, forward_kinematics(robot, data, q, v, a), prescribed, external);
}

}  // namespace corio
