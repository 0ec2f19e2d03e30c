#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"
#include "corio/algorithms/derivatives/com_jacobian_derivatives.hpp"
#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"

/// Kinematics of bodies and of the centre of mass.
namespace corio::test {

/// Writes column(b) for all bodies b side by side into out.
template <class S, class F>
void of_bodies(const Model<S>& m, Framed<S>& out, F&& column) {
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    out.out().col(static_cast<Eigen::Index>(b)) = column(m.bodies()[b]);
}
template <class S>
Eigen::Matrix<S, 12, 1> numbers_of(const Pose<S>& X) {
  Eigen::Matrix<S, 12, 1> x;
  x << X.rotation.reshaped(), X.translation;
  return x;
}

template <class S>
void add_motions_of_bodies(Table<S>& table, const char* variant, ReferenceFrame reference) {
  const auto where = [reference](auto& frame) { return FramePoint<S>(frame, reference, {S(0.1), S(-0.2), S(0.3)}); };
  const auto last = [where](auto& m, auto&...) { return where(m.bodies().back()); };
  const auto first = [](auto& m, auto&...) { return FramePoint<S>(m.bodies()[m.bodies().size() / 3]); };
  const auto twist = [](auto&) { return Framed<S>(6, 1); };
  const auto twists = [](auto& m) { return Framed<S>(6, static_cast<Eigen::Index>(m.bodies().size())); };
  const auto jacobian = [](auto& m) { return Framed<S>(6, m.nv()); };
  const auto position_jacobian = [](auto& m) { return Framed<S>(3, m.nv()); };
  const auto of_bodies_here = [&](Operation<S>& f) -> Operation<S>& {
    f.of(variant).needs_body = true;
    return f;
  };
  const auto of_last = [&](Operation<S>& f) { of_bodies_here(f).of_last_body = true; };

  const auto add_motion = [&]<Pass pass>(std::integral_constant<Pass, pass>, const char* function, auto motion) {
    of_bodies_here(table.template into_reuse<pass>(function, twists, [=](auto& m, auto& d, auto&, auto& out) {
      of_bodies(m, out, [&](auto& b) { return motion(m, d, where(b)).vector(); });
    }));
  };
  constexpr std::integral_constant<Pass, Pass::velocity> velocity;
  constexpr std::integral_constant<Pass, Pass::acceleration> acceleration;
  add_motion(velocity, CORIO_FUNCTION(body_velocity));
  add_motion(acceleration, CORIO_FUNCTION(body_acceleration));
  add_motion(acceleration, CORIO_FUNCTION(body_classical_acceleration));
  const auto acceleration_of_last = [last](auto& m, auto& d, auto&, auto& out) {
    out.out() = body_acceleration(m, d, last(m)).vector();
  };
  Operation<S>& f = table.into_forms(
      "body_acceleration", Pass::acceleration, twist,
      [=](auto& m, auto& d, auto& x, auto& out) {
        acceleration_of_last(m, body_kinematics(m, d, x.q(), x.v(), x.a(), last(m)), x, out);
      },
      acceleration_of_last);
  of_last(f);
  f.of(std::string(variant) + ", body_kinematics");
  using given::matrix, given::out;
  of_last(table.template into<Pass::position>(CORIO_FUNCTION(body_jacobian), jacobian, last, matrix));
  of_last(table.template into<Pass::velocity>(CORIO_FUNCTION(body_jacobian_dot), jacobian, last, matrix));
  of_last(table.template into<Pass::position>(CORIO_FUNCTION(body_position_jacobian), position_jacobian, last, matrix));
  of_last(
      table.template into<Pass::velocity>(CORIO_FUNCTION(body_position_jacobian_dot), position_jacobian, last, matrix));
  // Motion is relative to the first body.
  of_bodies_here(table.template into_reuse<Pass::velocity>(
      "relative_velocity", twist,
      [=](auto& m, auto& d, auto&, auto& to) { to.out() = relative_velocity(m, d, first(m), last(m)).vector(); }));
  of_bodies_here(table.template into<Pass::position>(CORIO_FUNCTION(relative_jacobian), jacobian, first, last, matrix));
  of_bodies_here(
      table.template into<Pass::velocity>(CORIO_FUNCTION(relative_jacobian_dot), jacobian, first, last, matrix));
  of_last(table.template into<Pass::acceleration>(CORIO_FUNCTION(body_jacobian_ddot), jacobian, last, matrix));
  of_last(table.template into<Pass::velocity>(CORIO_FUNCTION(body_velocity_derivatives), jacobian, last, matrix));
  of_last(table.template into<Pass::acceleration>(
      CORIO_FUNCTION(body_acceleration_derivatives), [](auto& m) { return Framed<S>(12, m.nv()); }, last,
      [](auto&, auto&, auto& both) { return both.out().topRows(6); },
      [](auto&, auto&, auto& both) { return both.out().bottomRows(6); }));
  of_last(table.template into<Pass::position>(
      CORIO_FUNCTION(body_jacobian_derivatives), [](auto& m) { return JacobianDerivatives<S>(m); }, last, out));
}

template <class S>
void add_kinematics(Table<S>& table) {
  const auto poses = [](auto& m) { return Framed<S>(12, static_cast<Eigen::Index>(m.bodies().size())); };
  table
      .template into_reuse<Pass::position>("body_pose", poses,
                                           [](auto& m, auto& d, auto&, auto& out) {
                                             of_bodies(m, out, [&](auto& b) { return numbers_of(body_pose(m, d, b)); });
                                           })
      .needs_body = true;
  table
      .template into_reuse<Pass::position>(
          "relative_pose", poses,
          [](auto& m, auto& d, auto&, auto& out) {
            const Frame<S>& first = m.bodies().front();
            of_bodies(m, out, [&](auto& b) { return numbers_of(relative_pose(m, d, first, b)); });
          })
      .needs_body = true;
  add_motions_of_bodies(table, "world", ReferenceFrame::world);
  add_motions_of_bodies(table, "body", ReferenceFrame::body);
  add_motions_of_bodies(table, "world_aligned", ReferenceFrame::world_aligned);

  const std::size_t without_bodies = table.all.size();
  table.template add<Pass::position>(CORIO_FUNCTION(center_of_mass));
  table.template add<Pass::velocity>(CORIO_FUNCTION(center_of_mass_velocity));
  table.template add<Pass::acceleration>(CORIO_FUNCTION(center_of_mass_acceleration));
  table.template add<Pass::position>(CORIO_FUNCTION(com_jacobian));
  table.template add<Pass::velocity>(CORIO_FUNCTION(com_jacobian_dot));
  table.template add<Pass::acceleration>(CORIO_FUNCTION(com_jacobian_ddot));
  const auto count = [](auto& m) { return static_cast<Eigen::Index>(m.bodies().size()); };
  table.template into_reuse<Pass::position>(
      "subtree_center_of_mass", [](auto&) { return Framed<S>(3, 1); },
      [](auto& m, auto& d, auto&, auto& out) { out.out() = subtree_center_of_mass(m, d, m.bodies().front()); });
  table.template into_reuse<Pass::position>(
      "subtree_centers_of_mass", [=](auto& m) { return Framed<S>(3, count(m)); },
      [](auto& m, auto& d, auto&, auto& out) { subtree_centers_of_mass(m, d, out.out()); });
  table.template into_reuse<Pass::position>(
      "subtree_com_jacobian", [](auto& m) { return Framed<S>(3, m.nv()); },
      [](auto& m, auto& d, auto&, auto& out) { subtree_com_jacobian(m, d, m.bodies().front(), out.out()); });
  table.template into_reuse<Pass::position>(
      "subtree_com_jacobians", [=](auto& m) { return Framed<S>(3 * count(m), m.nv()); },
      [](auto& m, auto& d, auto&, auto& out) { subtree_com_jacobians(m, d, out.out()); });
  table.template add<Pass::acceleration>(CORIO_FUNCTION(centroidal_momentum_derivatives));
  table.template add<Pass::position>(CORIO_FUNCTION(centroidal_momentum_matrix));
  table.template add<Pass::velocity>(CORIO_FUNCTION(centroidal_momentum_matrix_dot));
  table.template add<Pass::velocity>(CORIO_FUNCTION(centroidal_momentum));
  table.template add<Pass::acceleration>(CORIO_FUNCTION(centroidal_momentum_dot));
  for (std::size_t i = without_bodies; i < table.all.size(); ++i) table.all[i].needs_body = true;
}

}  // namespace corio::test
