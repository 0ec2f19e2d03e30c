#pragma once

#include "contracts/calls.hpp"
#include "corio/cartesian/lagrangian.hpp"
#include "corio/cartesian/pseudo_inverse.hpp"
#include "corio/cartesian/wrenches_at_points.hpp"

/// Maximal coordinates. In all entries m is the model, d its Data, x the arguments.
namespace corio::test {

template <class S, class F>
void parts(const PerBody<Pose<S>>& x, F&& f) {
  for (const Pose<S>& pose : x) parts(pose, f);
}
template <class S, class F>
void parts(const LagrangianForm<S>& x, F&& f) {
  f(x.M), f(x.C), f(x.g);
}
template <class S, class F>
void parts(const GeneralizedVelocities<S>& x, F&& f) {
  f(x.v), f(x.residual);
}
template <class S, class F>
void parts(const CartesianForces<S>& x, F&& f) {
  f(x.F), f(x.residual);
}

template <class S, class F>
void parts(const WrenchesAtPoints<S>& x, F&& f) {
  f(x.forces), f(x.torques), f(x.residual);
}

/// Six numbers for each body.
template <class S>
auto of_bodies(const Model<S>& m, const Arguments<S>& x) {
  const auto n = static_cast<int>(m.bodies().size());
  return Eigen::Map<const Matrix6X<S>>(x.parameters(6 * n).data(), 6, n);
}

template <class S>
void add_cartesian(Table<S>& table) {
  table.add(
      "maximal_poses", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return maximal_poses(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return maximal_poses(m, d); });
  table.add(
      "lagrangian_form", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return lagrangian_form(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return lagrangian_form(m, d); });
  for (const BodyPoint at : {BodyPoint::center_of_mass, BodyPoint::origin}) {
    const char* variant = at == BodyPoint::origin ? "origin" : "center_of_mass";
    // Functions of the position alone, which have no form with q of their own.
    const auto add = [&table, variant](const char* function, auto reuse) -> Operation<S>& {
      return table
          .add(
              function, Pass::position,
              [reuse](auto& m, auto& d, auto& x) -> auto& { return reuse(m, forward_kinematics(m, d, x.q()), x); },
              reuse)
          .of(variant);
    };
    table
        .add(
            "maximal_velocities", Pass::velocity,
            [at](auto& m, auto& d, auto& x) -> auto& { return maximal_velocities(m, d, x.q(), x.v(), at); },
            [at](auto& m, auto& d, auto&) -> auto& { return maximal_velocities(m, d, at); })
        .of(variant);
    table
        .add(
            "maximal_accelerations", Pass::acceleration,
            [at](auto& m, auto& d, auto& x) -> auto& { return maximal_accelerations(m, d, x.q(), x.v(), x.a(), at); },
            [at](auto& m, auto& d, auto&) -> auto& { return maximal_accelerations(m, d, at); })
        .of(variant);
    table
        .add(
            "generalized_forces", Pass::position,
            [at](auto& m, auto& d, auto& x) -> auto& { return generalized_forces(m, d, x.q(), of_bodies(m, x), at); },
            [at](auto& m, auto& d, auto& x) -> auto& { return generalized_forces(m, d, of_bodies(m, x), at); })
        .of(variant);
    add(
        "body_wrenches", [at](auto& m, auto& d, auto& x) -> auto& { return body_wrenches(m, d, of_bodies(m, x), at); });
    add(
        "joint_wrenches", [at](auto& m, auto& d, auto& x) -> auto& {
          return joint_wrenches(m, d, of_bodies(m, x), at);
        });
    if constexpr (std::floating_point<S>) {
      table
          .add(
              "generalized_velocities", Pass::position,
              [at](auto& m, auto& d, auto& x) -> auto& {
                return generalized_velocities(m, d, x.q(), of_bodies(m, x), at);
              },
              [at](auto& m, auto& d, auto& x) -> auto& { return generalized_velocities(m, d, of_bodies(m, x), at); })
          .of(variant)
          .of_real_numbers();
      add(
          "least_squares_velocities",
          [at](auto& m, auto& d, auto& x) -> auto& { return least_squares_velocities(m, d, of_bodies(m, x), at); })
          .of_real_numbers();
      add(
          "cartesian_forces", [at](auto& m, auto& d, auto& x) -> auto& { return cartesian_forces(m, d, x.x(), at); })
          .given({"Q"})
          .of_real_numbers();
      add(
          "minimum_norm_forces",
          [at](auto& m, auto& d, auto& x) -> auto& { return minimum_norm_forces(m, d, x.x(), at); })
          .given({"Q"})
          .of_real_numbers();
    }
  }
  if constexpr (std::floating_point<S>) {
    const auto torques = [](auto& m, auto& d, auto& x) -> auto& { return wrenches_at_points(m, d, x.x(), {}); };
    table
        .add(
            "wrenches_at_points", Pass::position,
            [=](auto& m, auto& d, auto& x) -> auto& { return torques(m, forward_kinematics(m, d, x.q()), x); }, torques)
        .given({"tau"})
        .of_real_numbers();
  }
}

}  // namespace corio::test
