#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"
#include "corio/algorithms/derivatives/com_jacobian_derivatives.hpp"
#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"

/// Kinematics, of bodies and of the centre of mass. In all entries m is the model, d its Data, x the arguments and out
/// what is written to.
namespace corio::test {

/// out = column(b) of all bodies b, side by side.
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
  const auto last = [where](auto& m) { return where(m.bodies().back()); };
  const auto twists = [](auto& m) { return Framed<S>(6, static_cast<Eigen::Index>(m.bodies().size())); };
  const auto jacobian = [](auto& m) { return Framed<S>(6, m.nv()); };
  const auto add = [&](const char* function, Pass pass, auto make, auto complete, auto reuse) {
    Operation<S>& f = table.into(function, pass, make, complete, reuse).of(variant);
    f.needs_body = true;
    return &f;
  };
  const auto add_of_last = [&](const auto&... line) { add(line...)->of_last_body = true; };

  const auto add_motion = [&](const char* function, Pass pass, auto motion) {
    const auto reuse = [=](auto& m, auto& d, auto&, auto& out) {
      of_bodies(m, out, [&](auto& b) { return motion(m, d, where(b)).vector(); });
    };
    add(
        function, pass, twists,
        [=](auto& m, auto& d, auto& x, auto& out) {
          if (pass == Pass::velocity)
            forward_kinematics(m, d, x.q(), x.v());
          else
            forward_kinematics(m, d, x.q(), x.v(), x.a());
          reuse(m, d, x, out);
        },
        reuse);
  };
  add_motion("body_velocity", Pass::velocity, [](const auto&... at) { return body_velocity(at...); });
  add_motion("body_acceleration", Pass::acceleration, [](const auto&... at) { return body_acceleration(at...); });
  add_motion("body_classical_acceleration", Pass::acceleration,
             [](const auto&... at) { return body_classical_acceleration(at...); });
  const auto of_last = [last](auto& m, auto& d, auto&, auto& out) {
    out.out() = body_acceleration(m, d, last(m)).vector();
  };
  Operation<S>& f = table.into(
      "body_acceleration", Pass::acceleration, [](auto&) { return Framed<S>(6, 1); },
      [=](auto& m, auto& d, auto& x, auto& out) {
        of_last(m, body_kinematics(m, d, x.q(), x.v(), x.a(), last(m)), x, out);
      },
      of_last);
  f.of(std::string(variant) + ", body_kinematics");
  f.needs_body = f.of_last_body = true;
  add_of_last(
      "body_jacobian", Pass::position, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian(m, d, x.q(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian(m, d, last(m), out.out()); });
  add_of_last(
      "body_jacobian_dot", Pass::velocity, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian_dot(m, d, x.q(), x.v(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian_dot(m, d, last(m), out.out()); });
  const auto position_jacobian = [](auto& m) { return Framed<S>(3, m.nv()); };
  add_of_last(
      "body_position_jacobian", Pass::position, position_jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_position_jacobian(m, d, x.q(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_position_jacobian(m, d, last(m), out.out()); });
  add_of_last(
      "body_position_jacobian_dot", Pass::velocity, position_jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_position_jacobian_dot(m, d, x.q(), x.v(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_position_jacobian_dot(m, d, last(m), out.out()); });
  // Against the first body.
  const auto first = [](auto& m) { return FramePoint<S>(m.bodies()[m.bodies().size() / 3]); };
  add(
      "relative_velocity", Pass::velocity, [](auto&) { return Framed<S>(6, 1); },
      [=](auto& m, auto& d, auto& x, auto& out) {
        forward_kinematics(m, d, x.q(), x.v());
        out.out() = relative_velocity(m, d, first(m), last(m)).vector();
      },
      [=](auto& m, auto& d, auto&, auto& out) { out.out() = relative_velocity(m, d, first(m), last(m)).vector(); });
  add(
      "relative_jacobian", Pass::position, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { relative_jacobian(m, d, x.q(), first(m), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { relative_jacobian(m, d, first(m), last(m), out.out()); });
  add(
      "relative_jacobian_dot", Pass::velocity, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) {
        relative_jacobian_dot(m, d, x.q(), x.v(), first(m), last(m), out.out());
      },
      [=](auto& m, auto& d, auto&, auto& out) { relative_jacobian_dot(m, d, first(m), last(m), out.out()); });
  add_of_last(
      "body_jacobian_ddot", Pass::acceleration, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian_ddot(m, d, x.q(), x.v(), x.a(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian_ddot(m, d, last(m), out.out()); });
  add_of_last(
      "body_velocity_derivatives", Pass::velocity, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_velocity_derivatives(m, d, x.q(), x.v(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_velocity_derivatives(m, d, last(m), out.out()); });
  add_of_last(
      "body_acceleration_derivatives", Pass::acceleration, [](auto& m) { return Framed<S>(12, m.nv()); },
      [=](auto& m, auto& d, auto& x, auto& out) {
        auto both = out.out();
        body_acceleration_derivatives(m, d, x.q(), x.v(), x.a(), last(m), both.topRows(6), both.bottomRows(6));
      },
      [=](auto& m, auto& d, auto&, auto& out) {
        auto both = out.out();
        body_acceleration_derivatives(m, d, last(m), both.topRows(6), both.bottomRows(6));
      });
  add_of_last(
      "body_jacobian_derivatives", Pass::position, [](auto& m) { return JacobianDerivatives<S>(m); },
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian_derivatives(m, d, x.q(), last(m), out); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian_derivatives(m, d, last(m), out); });
}

template <class S>
void add_kinematics(Table<S>& table) {
  const auto poses = [](auto& m, auto& d, auto&, auto& out) {
    of_bodies(m, out, [&](auto& b) { return numbers_of(body_pose(m, d, b)); });
  };
  table
      .into(
          "body_pose", Pass::position,
          [](auto& m) { return Framed<S>(12, static_cast<Eigen::Index>(m.bodies().size())); },
          [=](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), poses(m, d, x, out); }, poses)
      .needs_body = true;
  const auto relative = [](auto& m, auto& d, auto&, auto& out) {
    const Frame<S>& first = m.bodies().front();
    of_bodies(m, out, [&](auto& b) { return numbers_of(relative_pose(m, d, first, b)); });
  };
  table
      .into(
          "relative_pose", Pass::position,
          [](auto& m) { return Framed<S>(12, static_cast<Eigen::Index>(m.bodies().size())); },
          [=](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), relative(m, d, x, out); },
          relative)
      .needs_body = true;
  add_motions_of_bodies(table, "world", ReferenceFrame::world);
  add_motions_of_bodies(table, "body", ReferenceFrame::body);
  add_motions_of_bodies(table, "world_aligned", ReferenceFrame::world_aligned);

  const auto add = [&](const char* function, Pass pass, auto complete, auto reuse) {
    table.add(function, pass, complete, reuse).needs_body = true;
  };
  add(
      "center_of_mass", Pass::position, [](auto& m, auto& d, auto& x) { return center_of_mass(m, d, x.q()); },
      [](auto& m, auto& d, auto&) { return center_of_mass(m, d); });
  add(
      "center_of_mass_velocity", Pass::velocity,
      [](auto& m, auto& d, auto& x) { return center_of_mass_velocity(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) { return center_of_mass_velocity(m, d); });
  add(
      "center_of_mass_acceleration", Pass::acceleration,
      [](auto& m, auto& d, auto& x) { return center_of_mass_acceleration(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) { return center_of_mass_acceleration(m, d); });
  add(
      "com_jacobian", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return com_jacobian(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return com_jacobian(m, d); });
  add(
      "com_jacobian_dot", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return com_jacobian_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return com_jacobian_dot(m, d); });
  add(
      "com_jacobian_ddot", Pass::acceleration,
      [](auto& m, auto& d, auto& x) -> auto& { return com_jacobian_ddot(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) -> auto& { return com_jacobian_ddot(m, d); });
  const auto into = [&](const char* function, auto make, auto of) {
    table
        .into(
            function, Pass::position, make,
            [of](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), of(m, d, out); },
            [of](auto& m, auto& d, auto&, auto& out) { of(m, d, out); })
        .needs_body = true;
  };
  const auto count = [](auto& m) { return static_cast<Eigen::Index>(m.bodies().size()); };
  into(
      "subtree_center_of_mass", [](auto&) { return Framed<S>(3, 1); },
      [](auto& m, auto& d, auto& out) { out.out() = subtree_center_of_mass(m, d, m.bodies().front()); });
  into(
      "subtree_centers_of_mass", [=](auto& m) { return Framed<S>(3, count(m)); },
      [](auto& m, auto& d, auto& out) { subtree_centers_of_mass(m, d, out.out()); });
  into(
      "subtree_com_jacobian", [](auto& m) { return Framed<S>(3, m.nv()); },
      [](auto& m, auto& d, auto& out) { subtree_com_jacobian(m, d, m.bodies().front(), out.out()); });
  into(
      "subtree_com_jacobians", [=](auto& m) { return Framed<S>(3 * count(m), m.nv()); },
      [](auto& m, auto& d, auto& out) { subtree_com_jacobians(m, d, out.out()); });
  add(
      "centroidal_momentum_derivatives", Pass::acceleration,
      [](auto& m, auto& d, auto& x) -> auto& { return centroidal_momentum_derivatives(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) -> auto& { return centroidal_momentum_derivatives(m, d); });
  add(
      "centroidal_momentum_matrix", Pass::position,
      [](auto& m, auto& d, auto& x) -> auto& { return centroidal_momentum_matrix(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return centroidal_momentum_matrix(m, d); });
  add(
      "centroidal_momentum_matrix_dot", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return centroidal_momentum_matrix_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return centroidal_momentum_matrix_dot(m, d); });
  add(
      "centroidal_momentum", Pass::velocity,
      [](auto& m, auto& d, auto& x) { return centroidal_momentum(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) { return centroidal_momentum(m, d); });
  add(
      "centroidal_momentum_dot", Pass::acceleration,
      [](auto& m, auto& d, auto& x) { return centroidal_momentum_dot(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) { return centroidal_momentum_dot(m, d); });
}

}  // namespace corio::test
