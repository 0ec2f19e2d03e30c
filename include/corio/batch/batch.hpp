#pragma once

#include "corio/batch/for_each.hpp"
#include "corio/corio.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"

/// corio's functions for many states at a time; column j is state j. Each function is a few lines around for_each; your
/// own functions can be written the same way. Results that are matrices are columns of nv^2 numbers, column-major:
/// column j, mapped as an nv x nv matrix, is the matrix of state j. Sizes are checked before anything is written.
namespace corio { inline namespace CORIO_ABI { namespace batch {
namespace detail {

struct Rows {
  const char* name;
  Eigen::Index expected;
};
/// Calls for_each after a check of the numbers of rows of the inputs, then of the outputs.
template <class Robot, class Inputs, class Outputs, class F>
Eigen::Index checked(const char* function, std::initializer_list<Rows> rows, const Robot& robot, const Inputs& in,
                     const Outputs& out, const F& f, const Options& options) {
  auto row = rows.begin();
  const auto check = [&](const auto& view) {
    if (view.rows() != row->expected)
      throw SizeError(
          corio::detail::join({"batch::", function, ": ", row->name, " has ", std::to_string(view.rows()),
                               " rows, expected ", std::to_string(row->expected), " (each state is a column)"}));
    ++row;
  };
  std::apply([&](const auto&... view) { (check(view), ...); }, in);
  std::apply([&](const auto&... view) { (check(view), ...); }, out);
  return for_each(robot, in, out, f, options);
}

/// The sizes of q and v.
struct Sizes {
  Eigen::Index q, v;  // Eigen::Index, since products of them may exceed int

  template <class R>
  explicit Sizes(const R& robot) : q(robot.tree().nq()), v(robot.nv()) {}
  template <class P, class R>
  explicit Sizes(const Packed<P, R>& packed) : Sizes(packed.model()) {}
};

/// @throws ModelError unless there is a body or frame of that name
template <class R>
void check_frame(const R& robot, const std::string& name) {
  static_cast<void>(robot.tree().frame(name));
}
template <class P, class R>
void check_frame(const Packed<P, R>& packed, const std::string& name) {
  check_frame(packed.model(), name);
}

}  // namespace detail

/// Computes tau for q, v and a, without external forces.
inline Eigen::Index rnea(const auto& robot, const auto& Q, const auto& V, const auto& A, auto&& Tau,
                         const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "rnea", {{"Q", n.q}, {"V", n.v}, {"A", n.v}, {"Tau", n.v}}, robot, inputs(Q, V, A), outputs(Tau),
      [&](const auto& model, auto& data, const auto& q, const auto& v, const auto& a) {
        return std::tie(corio::rnea(model, data, q, v, a));
      },
      options);
}

/// Computes C v + g.
inline Eigen::Index nonlinear_effects(const auto& robot, const auto& Q, const auto& V, auto&& Tau,
                                      const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "nonlinear_effects", {{"Q", n.q}, {"V", n.v}, {"Tau", n.v}}, robot, inputs(Q, V), outputs(Tau),
      [&](const auto& model, auto& data, const auto& q, const auto& v) {
        return std::tie(corio::nonlinear_effects(model, data, q, v));
      },
      options);
}

/// Computes g.
inline Eigen::Index generalized_gravity(const auto& robot, const auto& Q, auto&& Tau, const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "generalized_gravity", {{"Q", n.q}, {"Tau", n.v}}, robot, inputs(Q), outputs(Tau),
      [&](const auto& model, auto& data, const auto& q) {
        return std::tie(corio::generalized_gravity(model, data, q));
      },
      options);
}

/// Computes a for q, v and tau, without external forces.
inline Eigen::Index aba(const auto& robot, const auto& Q, const auto& V, const auto& Tau, auto&& A,
                        const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "aba", {{"Q", n.q}, {"V", n.v}, {"Tau", n.v}, {"A", n.v}}, robot, inputs(Q, V, Tau), outputs(A),
      [&](const auto& model, auto& data, const auto& q, const auto& v, const auto& tau) {
        return std::tie(corio::aba(model, data, q, v, tau));
      },
      options);
}

/// Computes the forces of dampers, friction and springs.
inline Eigen::Index passive_forces(const auto& robot, const auto& Q, const auto& V, auto&& Tau,
                                   const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "passive_forces", {{"Q", n.q}, {"V", n.v}, {"Tau", n.v}}, robot, inputs(Q, V), outputs(Tau),
      [&](const auto& model, auto& data, const auto& q, const auto& v) {
        return std::tie(corio::passive_forces(model, data, q, v));
      },
      options);
}

/// Computes M.
inline Eigen::Index crba(const auto& robot, const auto& Q, auto&& M, const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "crba", {{"Q", n.q}, {"M", n.v * n.v}}, robot, inputs(Q), outputs(M),
      [&](const auto& model, auto& data, const auto& q) { return std::tie(corio::crba(model, data, q)); }, options);
}

/// Computes the inverse of M.
inline Eigen::Index mass_matrix_inverse(const auto& robot, const auto& Q, auto&& Minv, const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "mass_matrix_inverse", {{"Q", n.q}, {"Minv", n.v * n.v}}, robot, inputs(Q), outputs(Minv),
      [&](const auto& model, auto& data, const auto& q) {
        return std::tie(corio::mass_matrix_inverse(model, data, q));
      },
      options);
}

/// Computes C, M and dM/dt, with the Christoffel factorization.
inline Eigen::Index coriolis_matrix(const auto& robot, const auto& Q, const auto& V, auto&& C, auto&& M, auto&& Mdot,
                                    const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "coriolis_matrix", {{"Q", n.q}, {"V", n.v}, {"C", n.v * n.v}, {"M", n.v * n.v}, {"Mdot", n.v * n.v}}, robot,
      inputs(Q, V), outputs(C, M, Mdot),
      [&](const auto& model, auto& data, const auto& q, const auto& v) {
        const auto& x = corio::coriolis_matrix(model, data, q, v);
        return std::tie(x.C, x.M, x.Mdot);
      },
      options);
}

/// Computes C v_r, with the Christoffel factorization.
inline Eigen::Index coriolis_product(const auto& robot, const auto& Q, const auto& V, const auto& Vr, auto&& Tau,
                                     const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "coriolis_product", {{"Q", n.q}, {"V", n.v}, {"Vr", n.v}, {"Tau", n.v}}, robot, inputs(Q, V, Vr), outputs(Tau),
      [&](const auto& model, auto& data, const auto& q, const auto& v, const auto& v_r) {
        return std::tie(corio::coriolis_product(model, data, q, v, v_r));
      },
      options);
}

/// Computes dtau/dq, dtau/dv and M, without external forces.
inline Eigen::Index inverse_dynamics_derivatives(const auto& robot, const auto& Q, const auto& V, const auto& A,
                                                 auto&& dTau_dQ, auto&& dTau_dV, auto&& M,
                                                 const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "inverse_dynamics_derivatives",
      {{"Q", n.q}, {"V", n.v}, {"A", n.v}, {"dTau_dQ", n.v * n.v}, {"dTau_dV", n.v * n.v}, {"M", n.v * n.v}}, robot,
      inputs(Q, V, A), outputs(dTau_dQ, dTau_dV, M),
      [&](const auto& model, auto& data, const auto& q, const auto& v, const auto& a) {
        const auto& x = corio::inverse_dynamics_derivatives(model, data, q, v, a);
        return std::tie(x.dtau_dq, x.dtau_dv, x.M);
      },
      options);
}

/// Computes da/dq, da/dv and da/dtau, without external forces.
inline Eigen::Index forward_dynamics_derivatives(const auto& robot, const auto& Q, const auto& V, const auto& Tau,
                                                 auto&& dA_dQ, auto&& dA_dV, auto&& dA_dTau,
                                                 const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "forward_dynamics_derivatives",
      {{"Q", n.q}, {"V", n.v}, {"Tau", n.v}, {"dA_dQ", n.v * n.v}, {"dA_dV", n.v * n.v}, {"dA_dTau", n.v * n.v}}, robot,
      inputs(Q, V, Tau), outputs(dA_dQ, dA_dV, dA_dTau),
      [&](const auto& model, auto& data, const auto& q, const auto& v, const auto& tau) {
        const auto& x = corio::forward_dynamics_derivatives(model, data, q, v, tau);
        return std::tie(x.da_dq, x.da_dv, x.da_dtau);
      },
      options);
}

/// Computes the kinetic energy T, one number for each state.
inline Eigen::Index kinetic_energy(const auto& robot, const auto& Q, const auto& V, auto&& T,
                                   const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "kinetic_energy", {{"Q", n.q}, {"V", n.v}, {"T", 1}}, robot, inputs(Q, V), outputs(T),
      [&](const auto& model, auto& data, const auto& q, const auto& v, auto& out) {
        out[0] = corio::kinetic_energy(model, data, q, v);
      },
      options);
}

/// Computes the potential energy U, one number for each state.
inline Eigen::Index potential_energy(const auto& robot, const auto& Q, auto&& U, const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "potential_energy", {{"Q", n.q}, {"U", 1}}, robot, inputs(Q), outputs(U),
      [&](const auto& model, auto& data, const auto& q, auto& out) {
        out[0] = corio::potential_energy(model, data, q);
      },
      options);
}

/// Computes p = M v, and C^T v - g.
inline Eigen::Index generalized_momentum(const auto& robot, const auto& Q, const auto& V, auto&& P, auto&& Drift,
                                         const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "generalized_momentum", {{"Q", n.q}, {"V", n.v}, {"P", n.v}, {"Drift", n.v}}, robot, inputs(Q, V),
      outputs(P, Drift),
      [&](const auto& model, auto& data, const auto& q, const auto& v) {
        const auto& x = corio::generalized_momentum(model, data, q, v);
        return std::tie(x.p, x.drift);
      },
      options);
}

/// Computes Q (+) dV.
inline Eigen::Index integrate(const auto& robot, const auto& Q, const auto& dV, auto&& Reached,
                              const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "integrate", {{"Q", n.q}, {"dV", n.v}, {"Reached", n.q}}, robot, inputs(Q, dV), outputs(Reached),
      [&](const auto& model, auto&, const auto& q, const auto& dv, auto& reached) {
        corio::integrate(model, q, dv, reached);
      },
      options);
}

/// Computes the dV with Q0 (+) dV = Q1.
inline Eigen::Index difference(const auto& robot, const auto& Q0, const auto& Q1, auto&& dV,
                               const Options& options = {}) {
  const detail::Sizes n(robot);
  return detail::checked(
      "difference", {{"Q0", n.q}, {"Q1", n.q}, {"dV", n.v}}, robot, inputs(Q0, Q1), outputs(dV),
      [&](const auto& model, auto&, const auto& q0, const auto& q1, auto& dv) { corio::difference(model, q0, q1, dv); },
      options);
}

/// Computes the pose of a body or frame in the world: its rotation matrix, column-major, and its position; 12 rows.
inline Eigen::Index body_pose(const auto& robot, const auto& Q, const std::string& frame, auto&& X,
                              const Options& options = {}) {
  detail::check_frame(robot, frame);
  const detail::Sizes n(robot);
  return detail::checked(
      "body_pose", {{"Q", n.q}, {"X", 12}}, robot, inputs(Q), outputs(X),
      [&](const auto& model, auto& data, const auto& q, auto& x) {
        const auto& of = model.frame(frame);
        const auto pose = corio::body_pose(model, corio::body_kinematics(model, data, q, of), of);
        x << pose.rotation.reshaped(), pose.translation;
      },
      options);
}

/// Computes the Jacobian of a body or frame, in world axes at its origin; 6 nv rows.
inline Eigen::Index body_jacobian(const auto& robot, const auto& Q, const std::string& frame, auto&& J,
                                  const Options& options = {}) {
  detail::check_frame(robot, frame);
  const detail::Sizes n(robot);
  return detail::checked(
      "body_jacobian", {{"Q", n.q}, {"J", 6 * n.v}}, robot, inputs(Q), outputs(J),
      [&](const auto& model, auto& data, const auto& q, auto& out) {
        Eigen::Map<Matrix6X<typename std::decay_t<decltype(out)>::Scalar>> columns(out.data(), 6, model.nv());
        corio::body_jacobian(model, data, q, {model.frame(frame), ReferenceFrame::world_aligned}, columns);
      },
      options);
}

}}}  // namespace corio::batch
