#pragma once

#include "contracts/calls.hpp"
#include "corio/cartesian/lagrangian.hpp"
#include "corio/cartesian/pseudo_inverse.hpp"
#include "corio/cartesian/wrenches_at_points.hpp"

/// Functions in maximal coordinates.
namespace corio::test {

template <class S, class F>
void parts(const PerBody<Pose<S>>& x, F&& f) {
  for (const Pose<S>& pose : x) parts(pose, f);
}
template <class S, class F>
void parts(const LagrangianFormResult<S>& x, F&& f) {
  f(x.M), f(x.C), f(x.g);
}
template <class S, class F>
void parts(const GeneralizedVelocitiesResult<S>& x, F&& f) {
  f(x.v), f(x.residual);
}
template <class S, class F>
void parts(const CartesianForcesResult<S>& x, F&& f) {
  f(x.F), f(x.residual);
}

template <class S, class F>
void parts(const WrenchesAtPointsResult<S>& x, F&& f) {
  f(x.forces), f(x.torques), f(x.residual);
}

template <class S>
void add_cartesian(Table<S>& table) {
  // Gives six numbers for each body.
  const auto of_bodies = [](auto& m, auto& all) {
    const auto n = static_cast<int>(m.bodies().size());
    return Eigen::Map<const Matrix6X<S>>(all.parameters(6 * n).data(), 6, n);
  };
  using given::x;
  table.template add<Pass::position>(CORIO_FUNCTION(maximal_poses));
  table.template add<Pass::velocity>(CORIO_FUNCTION(lagrangian_form));
  for (const BodyPoint point : {BodyPoint::center_of_mass, BodyPoint::origin}) {
    const char* variant = point == BodyPoint::origin ? "origin" : "center_of_mass";
    const auto at = given::always(point);
    // Functions of the position alone, which have no form that takes q.
    const auto add = [&](const char* function, auto f, auto rest) -> Operation<S>& {
      return table
          .template add_reuse<Pass::position>(
              function, [=](auto& m, auto& d, auto& all) -> auto& { return f(m, d, rest(m, all), point); })
          .of(variant);
    };
    table.template add<Pass::velocity>(CORIO_FUNCTION(maximal_velocities), at).of(variant);
    table.template add<Pass::acceleration>(CORIO_FUNCTION(maximal_accelerations), at).of(variant);
    table.template add<Pass::position>(CORIO_FUNCTION(generalized_forces), of_bodies, at).of(variant);
    add(CORIO_FUNCTION(body_wrenches), of_bodies);
    add(CORIO_FUNCTION(joint_wrenches), of_bodies);
    if constexpr (std::floating_point<S>) {
      table.template add<Pass::position>(CORIO_FUNCTION(generalized_velocities), of_bodies, at)
          .of(variant)
          .of_real_numbers();
      add(CORIO_FUNCTION(least_squares_velocities), of_bodies).of_real_numbers();
      add(CORIO_FUNCTION(cartesian_forces), x).given({"Q"}).of_real_numbers();
      add(CORIO_FUNCTION(minimum_norm_forces), x).given({"Q"}).of_real_numbers();
    }
  }
  if constexpr (std::floating_point<S>)
    table
        .template add_reuse<Pass::position>(
            "wrenches_at_points",
            [](auto& m, auto& d, auto& all) -> auto& { return wrenches_at_points(m, d, all.x(), {}); })
        .given({"tau"})
        .of_real_numbers();
}

}  // namespace corio::test
