#pragma once

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kinematics/detail/variations.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of inverse_dynamics_time_derivative, each nv: tau of rnea and its rates; tau_ddot is empty without snap.
template <class S>
struct InverseDynamicsTimeDerivatives {
  VectorX<S> tau, tau_dot, tau_ddot;
};

namespace algorithm {

template <class S, int order>
struct InverseDynamicsTimeDerivative;

}  // namespace algorithm

/// Computes tau of rnea and its rate along a motion with da/dt = jerk and, given snap, d2a/dt2, also its second rate:
/// for elastic joints, flatness, and limits on rates of torque. The recursion is closed: accelerations, jerks and snaps
/// outward, forces and their rates inward,
///   tau' = Phi' . F + Phi . F',   tau'' = Phi'' . F + 2 Phi' . F' + Phi . F''.
/// For further rates, and for the second rate of a Mechanism, use rnea over Taylor (kinematics/taylor_motion.hpp).
///
/// @param jerk, snap  nv
/// @param external    wrenches on bodies; each is constant in its own axes and about its own point
/// @returns {tau, tau_dot, tau_ddot}, valid until the next call with as many arguments
/// @throws SizeError; ModelError for users' joints whose axes move and that have no dual form. O(n).
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), sec. V, for tau in place of M, C and g; Buondonno and De Luca
/// (2015).
template <class S, template <class> class Robot>
const InverseDynamicsTimeDerivatives<S>& inverse_dynamics_time_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                          VectorIn<S> jerk,
                                                                          ExternalForces<S> external = {}) {
  return data.template run<algorithm::InverseDynamicsTimeDerivative<S, 1>>(robot, jerk, jerk, external).result;
}
template <class S>
const InverseDynamicsTimeDerivatives<S>& inverse_dynamics_time_derivative(const Model<S>& model, Data<S>& data,
                                                                          VectorIn<S> jerk, VectorIn<S> snap,
                                                                          ExternalForces<S> external = {}) {
  return data.template run<algorithm::InverseDynamicsTimeDerivative<S, 2>>(model, jerk, snap, external).result;
}
template <class S, template <class> class Robot>
const InverseDynamicsTimeDerivatives<S>& inverse_dynamics_time_derivative(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                                                          VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                          VectorIn<S> jerk,
                                                                          ExternalForces<S> external = {}) {
  return inverse_dynamics_time_derivative(robot, forward_kinematics(robot, data, q, v, a, __func__), jerk, external);
}
template <class S>
const InverseDynamicsTimeDerivatives<S>& inverse_dynamics_time_derivative(const Model<S>& model, Data<S>& data,
                                                                          VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                                                                          VectorIn<S> jerk, VectorIn<S> snap,
                                                                          ExternalForces<S> external = {}) {
  return inverse_dynamics_time_derivative(model, forward_kinematics(model, data, q, v, a, __func__), jerk, snap,
                                          external);
}

namespace algorithm {

/// tau and its rates for a motion with the rate da/dt (jerk) and, for order 2, d2a/dt2 (snap). With the motion y of a
/// joint's body relative to its parent, as sums of columns, and with V, a, j, s of the body,
///   s - s_parent = j x y + 2 a x y' + V x y'' + y1'',   y' = V x y + y1,   y'' = a x y + V x y' + y1',
/// where y1, y2, y3 are the rates of y as seen in the body, y1' = V x y1 + y2, y1'' = a x y1 + V x y1' + V x y2 + y3.
template <class S, int order>
struct InverseDynamicsTimeDerivative {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "inverse_dynamics_time_derivative", .column_rates = true};
  InverseDynamicsTimeDerivatives<S> result;
  PerNode<Motion<S>> jerk, snap;       // d2V/dt2 and d3V/dt3
  PerNode<Force<S>> force[order + 1];  // force on each body, then on its subtree, and the rates of the force

  explicit InverseDynamicsTimeDerivative(const Model<S>& m) : jerk(m.num_nodes()), snap(order > 1 ? m.num_nodes() : 0) {
    result.tau = result.tau_dot = zeros<S>(m.nv());
    if (order > 1) result.tau_ddot = result.tau;
    for (auto& F : force) F = PerNode<Force<S>>(m.num_nodes());
  }
  /// @param da, dda  da/dt and d2a/dt2
  void run(const Model<S>& model, const Data<S>& data, VectorIn<S> da, VectorIn<S> dda, ExternalForces<S> external) {
    detail::check_speeds("jerk", da, model, needs.name);
    if (order > 1) detail::check_speeds("snap", dda, model, needs.name);
    detail::check_external(model, external);
    for (int b = 0; b < model.num_nodes(); ++b) move(model, data, b, da, dda);
    for (const auto& e : external)
      if (e.node() >= 0) subtract(data, e);
    for (auto& F : force) detail::sum_inward(model, F);
    for (int k = 0; k < model.nv(); ++k) {
      const int b = model.node_of(k);
      const Motion<S>&phi = data.phi[k], &phi_dot = data.phi_dot[k];
      const S& armature = model.armature()[k];
      result.tau[k] = dot(phi, force[0][b]) + armature * data.a[k];
      result.tau_dot[k] = dot(phi_dot, force[0][b]) + dot(phi, force[1][b]) + armature * da[k];
      if constexpr (order > 1)
        result.tau_ddot[k] = dot(detail::column_second_rate(model, data, k), force[0][b]) +
                             S(2) * dot(phi_dot, force[1][b]) + dot(phi, force[2][b]) + armature * dda[k];
    }
  }

 private:
  using N = InRegisters<S>;

  /// Computes motions and forces of node b.
  void move(const Model<S>& model, const Data<S>& data, int b, VectorIn<S> da, VectorIn<S> dda) {
    const Node<S>& node = model.node(b);
    const Motion<N> V = detail::load(data.velocity[b]), a = detail::load(data.acceleration[b]);
    const Motion<N> zero = Motion<N>::zero();
    Motion<N> y = zero, y1 = zero, y2 = zero, y3 = zero;
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<N> phi = detail::load(data.phi[k]);
      y += phi * N(data.v[k]), y1 += phi * N(data.a[k]), y2 += phi * N(S(da[k]));
      if constexpr (order > 1) y3 += phi * N(S(dda[k]));
    }
    if (node.partials_begin >= 0) move_axes(model, data, b, da, y1, y2, y3);
    const Motion<N> dy = cross(V, y) + y1, dy1 = cross(V, y1) + y2, ddy = cross(a, y) + cross(V, dy) + dy1;
    const Motion<N> j = node.parent < 0 ? ddy : detail::load(jerk[node.parent]) + ddy;
    detail::store(j, jerk[b]);
    Motion<N> s = zero;
    if constexpr (order > 1) {
      s = cross(j, y) + N(S(2)) * cross(a, dy) + cross(V, ddy) + cross(a, y1) + cross(V, dy1 + y2) + y3;
      if (node.parent >= 0) s += detail::load(snap[node.parent]);
      detail::store(s, snap[b]);
    }
    const InertialParameters<S>& body = node.parameters;  // in batches, all states share these parameters
    const auto F = detail::newton_euler_rates<order>(data.pose[b], body, V, a, j, s, model.gravity());
    for (std::size_t r = 0; r <= order; ++r) detail::store(F[r], force[r][b]);
  }

  /// Adds to y1, y2 and y3 the terms of columns that move in their body, with their partial derivatives.
  static void move_axes(const Model<S>& model, const Data<S>& data, int b, VectorIn<S> da, Motion<N>& y1, Motion<N>& y2,
                        Motion<N>& y3) {
    const Node<S>& node = model.node(b);
    const detail::SecondPartials<S> second(model, data, b);
    const auto& [v, a] = std::tie(data.v, data.a);
    Motion<S> more[3] = {Motion<S>::zero(), Motion<S>::zero(), Motion<S>::zero()};
    for (int l = node.v_begin; l < node.v_end; ++l) {
      const auto along = [&](const auto& x) { return detail::moving_axes_term(model, data, l, x); };
      more[0] += along(v) * v[l];
      more[1] += along(a) * S(S(2) * v[l]) + along(v) * a[l];
      if (order > 1) more[2] += along(da) * S(S(3) * v[l]) + along(a) * S(S(3) * a[l]) + along(v) * S(da[l]);
      for (int m = node.v_begin; m < node.v_end; ++m) {
        const Motion<S> of_v = second.of_columns(l, m, v);
        more[1] += of_v * S(v[l] * v[m]);
        if (order > 1)
          more[2] += second.of_columns(l, m, a) * S(S(3) * v[l] * v[m]) + second.of_rates(l, m) * S(v[l] * v[m]) +
                     of_v * S(a[l] * v[m] + S(2) * v[l] * a[m]);
      }
    }
    y1 += detail::load(more[0]), y2 += detail::load(more[1]), y3 += detail::load(more[2]);
  }

  /// Subtracts an external wrench, which moves with its axes and its point.
  void subtract(const Data<S>& data, const ExternalForce<S>& e) {
    const int b = e.node();
    const bool stays = e.reference() == ReferenceFrame::world;
    Motion<S> V = stays ? Motion<S>::zero() : data.velocity[b], a = stays ? V : data.acceleration[b];
    if (e.reference() == ReferenceFrame::world_aligned) {
      const Vector3<S> p = e.point_in_world(data), velocity = V.linear + cross(V.angular, p);
      a = {zero3<S>(), a.linear + cross(a.angular, p) + cross(V.angular, velocity)};
      V = {zero3<S>(), velocity};
    }
    const Force<S> F = e.in_world(data), F_dot = cross(V, F);
    force[0][b] -= F, force[1][b] -= F_dot;
    if constexpr (order > 1) force[2][b] -= cross(a, F) + cross(V, F_dot);
  }
};

}  // namespace algorithm

}}  // namespace corio
