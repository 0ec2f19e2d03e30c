#pragma once

#include "corio/mechanism/detail/mechanism_pass.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The kinematics pass of the tree at a closed configuration, and the map G from independent speeds to speeds of the
/// tree. With the columns K_d and K_i of K for dependent and independent speeds,
///   G_i = 1,     G_d = -K_d^-1 K_i,             v = G y,
///   dG_i/dt = 0, dG_d/dt = -K_d^-1 (dK/dt G),   dv/dt = G dy/dt + dG/dt y.
/// Conditions may be redundant, as in overconstrained linkages, if the loops are closed up to about 1e-6. Arguments may
/// refer to anything in `data`.
///
/// @param q         nq of the tree
/// @param y         nv of the mechanism
/// @param ydot      the rate of y
/// @param function  the function that errors name; a function of yours that calls forward_kinematics passes its own
///   name
/// @returns data
/// @throws SizeError; Error for an argument that is not finite, or a quaternion of zeros; StateError for data of
/// another mechanism, and for loops that are open by more than Mechanism::closing_tolerance, with the name of the loop
/// that is open farthest (in such a state of a pack G is NaN instead); ModelError if the independent speeds do not
/// determine the others or are restricted, as in singular configurations. O(n), and for a varying G O(m n) for m
/// conditions and O(k^3) for every cluster of k degrees of freedom.
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     const char* function = "forward_kinematics") {
  return detail::mechanism_pass<S>(mechanism, data, Pass::position, detail::OpenLoops::refused, function, q);
}
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, const char* function = "forward_kinematics") {
  return detail::mechanism_pass<S>(mechanism, data, Pass::velocity, detail::OpenLoops::refused, function, q, y);
}
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, VectorIn<S> ydot, const char* function = "forward_kinematics") {
  return detail::mechanism_pass<S>(mechanism, data, Pass::acceleration, detail::OpenLoops::refused, function, q, y,
                                   ydot);
}

/// The same as forward_kinematics, because loops anywhere in the tree may move the body.
template <class S>
MechanismData<S>& body_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                  const FramePoint<std::type_identity_t<S>>&,
                                  const char* function = "body_kinematics") {
  return forward_kinematics<S>(mechanism, data, q, function);
}
template <class S>
MechanismData<S>& body_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                  const FramePoint<std::type_identity_t<S>>&,
                                  const char* function = "body_kinematics") {
  return forward_kinematics<S>(mechanism, data, q, y, function);
}
template <class S>
MechanismData<S>& body_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                  VectorIn<S> ydot, const FramePoint<std::type_identity_t<S>>&,
                                  const char* function = "body_kinematics") {
  return forward_kinematics<S>(mechanism, data, q, y, ydot, function);
}

namespace detail {

/// Computes v = G y and a = G dy/dt + dG/dt y.
template <class S, class Y>
void tree_motion(const Mechanism<S>& mechanism, MechanismData<S>& data, const Y& y, const Y& ydot, VectorX<S>& v,
                 VectorX<S>& a) {
  times_G(mechanism, data.G, y, v);
  times_G(mechanism, data.G, ydot, a);
  if (!mechanism.varies()) return;
  sum_outward(mechanism.tree(), data.work.twist, data.tree.phi, v);
  sum_outward(mechanism.tree(), data.work.bias, data.tree.phi_dot, v);
  add_drift(mechanism, data, v, data.work.twist, data.work.bias, a);
}

}  // namespace detail

/// Computes v = G y and dv/dt = G dy/dt + dG/dt y, for any y and dy/dt at the last forward_kinematics.
/// @throws SizeError, StateError. O(n).
template <class S>
void tree_velocities(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& y, VectorX<S>& v) {
  data.require(mechanism, Pass::position, "tree_velocities");
  detail::check_nv("y", y.size(), mechanism);
  detail::times_G(mechanism, data.G, y, v);
}
template <class S, class Y>
void tree_accelerations(const Mechanism<S>& mechanism, MechanismData<S>& data, const Y& y, const Y& ydot,
                        VectorX<S>& a) {
  data.require(mechanism, Pass::velocity, "tree_accelerations");
  detail::check_nv("y", y.size(), mechanism);
  detail::check_nv("ydot", ydot.size(), mechanism);
  detail::tree_motion(mechanism, data, y, ydot, data.work.v, a);
}
/// Calls f(c, g) once for each entry g of G in row k and column c; the next function does so for dG/dt.
template <class S, class F>
void for_each_speed(const Mechanism<S>& mechanism, const MechanismData<S>& data, int k, F&& f) {
  mechanism.for_each_entry(k, [&](int c, int e) { f(c, data.G[e]); });
}
template <class S, class F>
void for_each_speed_rate(const Mechanism<S>& mechanism, MechanismData<S>& data, int k, F&& f) {
  if (mechanism.varies())
    mechanism.for_each_entry(k, [&, &Gdot = data.Gdot(mechanism)](int c, int e) { f(c, Gdot[e]); });
}

/// The overload for a Mechanism of the function in robot.hpp.
template <class S>
void pass_within_step(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& q, const VectorX<S>& y,
                      const char* function = "forward_kinematics") {
  detail::mechanism_pass<S>(mechanism, data, Pass::velocity, detail::OpenLoops::allowed, function, q, y);
}
/// Closes loops that are open by the errors of a time step, by two of Newton's steps with constant independent
/// coordinates. The number is fixed, because all states of a pack make the same steps. The first step reduces the
/// residual from the order of dt^5 to its square, which may be above the closing tolerance, and the second step squares
/// the residual once more. In states of a pack that stay open `speeds` become NaN.
template <class S>
void close_loops(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorX<S>& q,
                 [[maybe_unused]] VectorX<S>& speeds) {
  const Model<S>& tree = mechanism.tree();
  for (int newton = 0; newton < 2; ++newton) {
    detail::mechanism_pass<S>(mechanism, data, Pass::position, detail::OpenLoops::allowed, "forward_kinematics", q);
    data.work.v.setZero();
    for (const std::size_t c : mechanism.varying()) {
      const LoopCluster& cluster = mechanism.clusters()[c];
      auto& solver = data.solvers[c];
      if (cluster.speeds.empty()) continue;
      detail::for_each_moving_loop(mechanism, data, cluster, Pass::position, [&](const auto& loop, int row) {
        loop.for_each_value([&](int i, const S& k) { solver.b(0, row + i) = k; });
      });
      if constexpr (states_of<S> != 1)
        for (Eigen::Index i = 0; i < solver.b.cols() && newton == 1; ++i)
          detail::keep_where(abs(solver.b(0, i)) <= mechanism.closing_tolerance(), speeds);
      solver.minus_solve(solver.b, solver.x);
      for (Eigen::Index i = 0; const int k : cluster.dependent()) data.work.v[k] = solver.x(0, i++);
    }
    integrate<S>(tree, q, data.work.v, data.work.q);
    q.swap(data.work.q);
  }
}

/// Closes the loops near q at constant independent coordinates, as assemble for a Model and Loops does.
template <std::floating_point S>
Assembly<S> assemble(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return assemble<S>(mechanism.tree(), data.tree, mechanism.loops(), q, mechanism.independent());
}

/// Computes J_y = J G, which converts a Jacobian J of the tree's speeds to a Jacobian of independent speeds.
/// @param J    any number of rows, nv of the tree columns
/// @param J_y  as many rows, nv of the mechanism columns, overwritten; must not overlap J
/// @throws SizeError. O(rows n).
template <class S>
void project_jacobian(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> J, MatrixOut<S> J_y) {
  data.require(mechanism, Pass::position, "project_jacobian");
  detail::check_shape("J", J.rows(), J.cols(), J_y.rows(), mechanism.tree().nv(), "project_jacobian");
  detail::check_shape("J_y", J_y.rows(), J_y.cols(), J.rows(), mechanism.nv(), "project_jacobian");
  J_y.set_zero();
  detail::add_columns_times_G<S>(mechanism, data.G, J, J_y);
}
/// Computes tau_y = G^T tau, the generalized forces on the independent speeds for forces tau on the tree; for a matrix,
/// such as a regressor, column by column. tau_y must not overlap tau.
template <class S>
void project_forces(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> tau, MatrixOut<S> tau_y) {
  data.require(mechanism, Pass::position, "project_forces");
  detail::check_shape("tau", tau.rows(), tau.cols(), mechanism.tree().nv(), tau_y.cols(), "project_forces");
  detail::check_shape("tau_y", tau_y.rows(), tau_y.cols(), mechanism.nv(), tau.cols(), "project_forces");
  tau_y.set_zero();
  detail::add_times_G_transpose(mechanism, data.G, tau, tau_y);
}

#define CORIO_COMPILED_MECHANISM_KINEMATICS(EXTERN, S)                                                               \
  EXTERN template class MechanismData<S>;                                                                            \
  EXTERN template MechanismData<S>& detail::mechanism_pass(const Mechanism<S>&, MechanismData<S>&, Pass,             \
                                                           detail::OpenLoops, const char*, VectorIn<S>, VectorIn<S>, \
                                                           VectorIn<S>);
CORIO_DECLARE_COMPILED(MECHANISM_KINEMATICS)

}}  // namespace corio
