#pragma once

#include <span>

#include "corio/core/taylor.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/robot.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A motion of a robot about an instant, as power series in time.
template <class S, int N>
struct TaylorMotion {
  VectorX<Taylor<S, N>> q, v, a;  ///< configuration of the tree (nq); speeds of the robot and their rates (nv)
};

/// Computes the series of a motion from its configuration and the derivatives of its speeds, as arguments of rnea and
/// the like:
///
///   using T = corio::Taylor<double, 3>;
///   const auto series = model.cast<T>();
///   corio::Data<T> data(series);
///   const std::vector<VectorXd> rates{v, a, jerk, snap};
///   const auto motion = corio::taylor_motion(series, data, q, std::span(rates));
///   const corio::VectorX<T> tau = corio::rnea(series, data, motion.q, motion.v, motion.a);
///   const double tau_dot = tau[0].derivative(1), tau_ddot = tau[0].derivative(2);
///
/// v and a are the polynomials of the rates; q(t) = integrate(q, x(t)) with by_dv(x) dx/dt = v of integrate_derivatives
/// (dx/dt = v for joints whose coordinates are vectors), for a Mechanism v = G(q) y. Each of N rounds of a fixed-point
/// iteration makes one coefficient of x exact.
///
/// @param robot, data  over Taylor<S, N>: model.cast<Taylor<S, N>>()
/// @param q      nq; the loops of a Mechanism must be closed
/// @param rates  v, dv/dt, .., nv each; further ones are zero. Derivative k of tau needs k + 2 of them
/// @throws SizeError; ModelError for a user's joint that is not a template; for a Mechanism also the errors of
/// forward_kinematics.
/// O(N^3) times the kinematics pass. Allocates.
template <class S, int N, template <class> class Robot>
TaylorMotion<S, N> taylor_motion(const Robot<Taylor<S, N>>& robot, DataOf<Robot<Taylor<S, N>>>& data, VectorIn<S> q,
                                 std::span<const VectorX<std::type_identity_t<S>>> rates) {
  using T = Taylor<S, N>;
  const Model<T>& tree = robot.tree();
  detail::check_nq("q", q.size(), tree);
  TaylorMotion<S, N> motion{q.template cast<T>(), zeros<T>(robot.nv()), zeros<T>(robot.nv())};
  S factor(1);  // 1 / i!
  for (std::size_t i = 0; i < rates.size() && i <= N; factor /= S(double(++i))) {
    detail::check_nv("a rate", rates[i].size(), robot);
    for (int k = 0; k < robot.nv(); ++k) {
      if (i < N) motion.v[k].c[i] = rates[i][k] * factor;
      if (i > 0) motion.a[k].c[i - 1] = rates[i][k] * factor * S(double(i));
    }
  }
  const VectorX<T> start = motion.q;
  VectorX<T> v(tree.nv()), x = zeros<T>(tree.nv()), x_dot = x, reached(tree.nv());
  for (int round = 0; round + 1 < N; ++round) {
    if constexpr (!std::is_same_v<Robot<T>, Model<T>>) forward_kinematics<T>(robot, data, motion.q);
    tree_velocities<T>(robot, data, motion.v, v);
    integrate_transport<T>(tree, start, x, x_dot, MatrixOut<T>(reached), IntegrateArgument::dv);
    x_dot += v - reached;
    for (int k = 0; k < tree.nv(); ++k)
      for (std::size_t i = 1; i < N; ++i) x[k].c[i] = x_dot[k].c[i - 1] / S(double(i));
    motion.q = integrate<T>(tree, start, x);
  }
  return motion;
}

}}  // namespace corio
