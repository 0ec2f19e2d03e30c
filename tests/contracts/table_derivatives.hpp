#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_time_derivative.hpp"

/// Rates and derivatives, first and second.
namespace corio::test {

template <class S, class F>
void parts(const InverseDynamicsTimeDerivatives<S>& x, F&& f) {
  f(x.tau), f(x.tau_dot), f(x.tau_ddot);
}

template <class S>
void add_derivatives(Table<S>& table) {
  table.add(
      "gravity_dot", Pass::velocity, [](auto& m, auto& d, auto& x) -> auto& { return gravity_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return gravity_dot(m, d); });
  table.add(
      "gravity_derivatives", Pass::position,
      [](auto& m, auto& d, auto& x) -> auto& { return gravity_derivatives(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return gravity_derivatives(m, d); });
  const auto add_mass = [&]<class T>(const char* variant, std::type_identity<T>) {
    table
        .into(
            "mass_matrix_derivatives", Pass::position, [](auto& m) { return T(m); },
            [](auto& m, auto& d, auto& x, auto& out) { mass_matrix_derivatives(m, d, x.q(), out); },
            [](auto& m, auto& d, auto&, auto& out) { mass_matrix_derivatives(m, d, out); })
        .of(variant);
  };
  add_mass("dense", std::type_identity<MassMatrixDerivatives<S>>());
  add_mass("packed", std::type_identity<PackedMassMatrixDerivatives<S>>());
  const auto add_coriolis = [&]<class T>(const char* variant, std::type_identity<T>) {
    table
        .into(
            "coriolis_matrix_derivatives", Pass::velocity, [](auto& m) { return T(m); },
            [](auto& m, auto& d, auto& x, auto& out) { coriolis_matrix_derivatives(m, d, x.q(), x.v(), out); },
            [](auto& m, auto& d, auto&, auto& out) { coriolis_matrix_derivatives(m, d, out); })
        .of(variant);
  };
  add_coriolis("dense", std::type_identity<CoriolisMatrixDerivatives<S>>());
  add_coriolis("packed", std::type_identity<PackedCoriolisMatrixDerivatives<S>>());
  table
      .add(
          "inverse_dynamics_derivatives", Pass::acceleration, [](auto& m, auto& d, auto& x) -> auto& {
            return inverse_dynamics_derivatives(m, d, x.q(), x.v(), x.a(), x.forces);
          },
          [](auto& m, auto& d, auto& x) -> auto& { return inverse_dynamics_derivatives(m, d, x.forces); })
      .under_forces();
  const auto add_forward = [&](const char* variant, DerivativeRoute route) {
    table
        .add(
            "forward_dynamics_derivatives", Pass::velocity,
            [route](auto& m, auto& d, auto& x) -> auto& {
              return forward_dynamics_derivatives(m, d, x.q(), x.v(), x.x(), x.forces, route);
            },
            [route](auto& m, auto& d, auto& x) -> auto& {
              return forward_dynamics_derivatives(m, d, x.x(), x.forces, route);
            })
        .of(variant)
        .given({"tau"})
        .under_forces()
        .errors_grow(Conditioned::once);
  };
  add_forward("automatic", DerivativeRoute::automatic);
  add_forward("dense", DerivativeRoute::dense);
  add_forward("articulated", DerivativeRoute::articulated);
  table
      .add(
          "hybrid_dynamics_derivatives", Pass::acceleration, [](auto& m, auto& d, auto& x) -> auto& {
            return hybrid_dynamics_derivatives(m, d, x.q(), x.v(), x.a(), x.prescribed, x.forces);
          },
          [](auto& m, auto& d, auto& x) -> auto& { return hybrid_dynamics_derivatives(m, d, x.prescribed, x.forces); })
      .under_forces()
      .errors_grow(Conditioned::once);
  const auto add_rates = [&](const char* variant, auto complete, auto reuse) -> Operation<S>& {
    return table.add("inverse_dynamics_time_derivative", Pass::acceleration, complete, reuse)
        .of(variant)
        .under_forces();
  };
  add_rates(
      "first", [](auto& m, auto& d, auto& x) -> auto& {
        return inverse_dynamics_time_derivative(m, d, x.q(), x.v(), x.a(), x.x(), x.forces);
      },
      [](auto& m, auto& d, auto& x) -> auto& { return inverse_dynamics_time_derivative(m, d, x.x(), x.forces); })
      .given({"jerk"});
  add_rates(
      "second", [](auto& m, auto& d, auto& x) -> auto& {
        return inverse_dynamics_time_derivative(m, d, x.q(), x.v(), x.a(), x.x(), x.y(), x.forces);
      },
      [](auto& m, auto& d, auto& x) -> auto& { return inverse_dynamics_time_derivative(m, d, x.x(), x.y(), x.forces); })
      .given({"jerk", "snap"});
}

template <class S>
void add_second_derivatives(Table<S>& table) {
  table
      .add(
          "inverse_dynamics_hessian", Pass::acceleration, [](auto& m, auto& d, auto& x) -> auto& {
            return inverse_dynamics_hessian(m, d, x.q(), x.v(), x.a(), x.x(), x.forces);
          },
          [](auto& m, auto& d, auto& x) -> auto& { return inverse_dynamics_hessian(m, d, x.x(), x.forces); })
      .given({"lambda"})
      .under_forces();
  table
      .add(
          "forward_dynamics_hessian", Pass::velocity, [](auto& m, auto& d, auto& x) -> auto& {
            return forward_dynamics_hessian(m, d, x.q(), x.v(), x.x(), x.y(), x.forces);
          },
          [](auto& m, auto& d, auto& x) -> auto& { return forward_dynamics_hessian(m, d, x.x(), x.y(), x.forces); })
      .given({"tau", "lambda"})
      .under_forces()
      .errors_grow(Conditioned::once);
  table
      .into(
          "inverse_dynamics_second_derivatives", Pass::acceleration,
          [](auto& m) { return InverseDynamicsSecondDerivatives<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) {
            inverse_dynamics_second_derivatives(m, d, x.q(), x.v(), x.a(), out, x.forces);
          },
          [](auto& m, auto& d, auto& x, auto& out) { inverse_dynamics_second_derivatives(m, d, out, x.forces); })
      .under_forces();
}

}  // namespace corio::test
