#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_time_derivative.hpp"

/// Rates, and first and second derivatives.
namespace corio::test {

template <class S, class F>
void parts(const InverseDynamicsTimeDerivatives<S>& x, F&& f) {
  f(x.tau), f(x.tau_dot), f(x.tau_ddot);
}

template <class S>
void add_derivatives(Table<S>& table) {
  using given::x, given::y, given::out, given::forces, given::prescribed;
  table.template add<Pass::velocity>(CORIO_FUNCTION(gravity_dot));
  table.template add<Pass::position>(CORIO_FUNCTION(gravity_derivatives));
  const auto add_mass = [&]<class T>(const char* variant, std::type_identity<T>) {
    table
        .template into<Pass::position>(
            CORIO_FUNCTION(mass_matrix_derivatives), [](auto& m) { return T(m); }, out)
        .of(variant);
  };
  add_mass("dense", std::type_identity<MassMatrixDerivativesResult<S>>());
  add_mass("packed", std::type_identity<PackedMassMatrixDerivativesResult<S>>());
  const auto add_coriolis = [&]<class T>(const char* variant, std::type_identity<T>) {
    table
        .template into<Pass::velocity>(
            CORIO_FUNCTION(coriolis_matrix_derivatives), [](auto& m) { return T(m); }, out)
        .of(variant);
  };
  add_coriolis("dense", std::type_identity<CoriolisMatrixDerivativesResult<S>>());
  add_coriolis("packed", std::type_identity<PackedCoriolisMatrixDerivativesResult<S>>());
  table.template add<Pass::acceleration>(CORIO_FUNCTION(inverse_dynamics_derivatives), forces).under_forces();
  const auto add_forward = [&](const char* variant, DerivativeRoute route) {
    table.template add<Pass::velocity>(CORIO_FUNCTION(forward_dynamics_derivatives), x, forces, given::always(route))
        .of(variant)
        .given({"tau"})
        .under_forces()
        .errors_grow(Conditioned::once);
  };
  add_forward("automatic", DerivativeRoute::automatic);
  add_forward("dense", DerivativeRoute::dense);
  add_forward("articulated", DerivativeRoute::articulated);
  table.template add<Pass::acceleration>(CORIO_FUNCTION(hybrid_dynamics_derivatives), prescribed, forces)
      .under_forces()
      .errors_grow(Conditioned::once);
  table.template add<Pass::acceleration>(CORIO_FUNCTION(inverse_dynamics_time_derivative), x, forces)
      .of("first")
      .under_forces()
      .given({"jerk"});
  table.template add<Pass::acceleration>(CORIO_FUNCTION(inverse_dynamics_time_derivative), x, y, forces)
      .of("second")
      .under_forces()
      .given({"jerk", "snap"});
}

template <class S>
void add_second_derivatives(Table<S>& table) {
  using given::x, given::y, given::out, given::forces;
  table.template add<Pass::acceleration>(CORIO_FUNCTION(inverse_dynamics_hessian), x, forces)
      .given({"lambda"})
      .under_forces();
  table.template add<Pass::velocity>(CORIO_FUNCTION(forward_dynamics_hessian), x, y, forces)
      .given({"tau", "lambda"})
      .under_forces()
      .errors_grow(Conditioned::once);
  table
      .template into<Pass::acceleration>(
          CORIO_FUNCTION(inverse_dynamics_second_derivatives),
          [](auto& m) { return InverseDynamicsSecondDerivativesResult<S>(m); }, out, forces)
      .under_forces();
}

}  // namespace corio::test
