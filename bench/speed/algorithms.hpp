#pragma once

#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/corio.hpp"
#include "list.hpp"
#include "results.hpp"

/// The list of algorithms that corio_bench times. A new algorithm needs only a line here:
///
///   list.add("name", f)      the complete call from the state s (q, v, a, one more vector x, a second configuration)
///   list.reuse("name", f)    f(model, data) after a kinematics pass, shown as name_reuse
///   list.add<Out>("name", f) with a result of the caller's, made by Out(model) and passed as last argument
namespace speed {

template <class S>
void list_configurations(List<S>& list) {
  list.part("Configurations");
  list.template add<Configuration<S>>("integrate",
                                      [](auto& m, auto&, auto& s, auto& q) { corio::integrate(m, s.q, s.v, q); });
  list.template add<Velocity<S>>("difference",
                                 [](auto& m, auto&, auto& s, auto& v) { corio::difference(m, s.q, s.next, v); });
  list.template add<Configuration<S>>("normalize", [](auto& m, auto&, auto& s, auto& q) {
    q.noalias() = s.q;
    corio::normalize(m, q);
  });
  list.add("check_configuration", [](auto& m, auto&, auto& s) { corio::check_configuration(m, s.q); });
  list.template add<Squares<S>>("integrate_derivatives", [](auto& m, auto&, auto& s, auto& by) {
    corio::integrate_derivatives(m, s.q, s.v, by.a, by.b);
  });
  list.template add<Squares<S>>("difference_derivatives", [](auto& m, auto&, auto& s, auto& by) {
    corio::difference_derivatives(m, s.q, s.next, by.a, by.b);
  });
}

template <class S>
void list_kinematics(List<S>& list) {
  list.part("Kinematics and energy");
  list.add("forward_kinematics_position", [](auto& m, auto& d, auto& s) { corio::forward_kinematics(m, d, s.q); });
  list.add("forward_kinematics", [](auto& m, auto& d, auto& s) { corio::forward_kinematics(m, d, s.q, s.v); });
  list.add("forward_kinematics_acceleration",
           [](auto& m, auto& d, auto& s) { corio::forward_kinematics(m, d, s.q, s.v, s.a); });
  list.add("kinetic_energy", [](auto& m, auto& d, auto& s) { return corio::kinetic_energy(m, d, s.q, s.v); });
  list.reuse("kinetic_energy", [](auto& m, auto& d, auto&) { return corio::kinetic_energy(m, d); });
  list.add("potential_energy", [](auto& m, auto& d, auto& s) { return corio::potential_energy(m, d, s.q); });
  list.reuse("potential_energy", [](auto& m, auto& d, auto&) { return corio::potential_energy(m, d); });
}

template <class S>
void list_vectors(List<S>& list) {
  list.part("Vectors");
  list.add("rnea", [](auto& m, auto& d, auto& s) { corio::rnea(m, d, s.q, s.v, s.a); });
  list.reuse("rnea", [](auto& m, auto& d, auto&) { corio::rnea(m, d); });
  list.add("nonlinear_effects", [](auto& m, auto& d, auto& s) { corio::nonlinear_effects(m, d, s.q, s.v); });
  list.reuse("nonlinear_effects", [](auto& m, auto& d, auto&) { corio::nonlinear_effects(m, d); });
  list.add("generalized_gravity", [](auto& m, auto& d, auto& s) { corio::generalized_gravity(m, d, s.q); });
  list.reuse("generalized_gravity", [](auto& m, auto& d, auto&) { corio::generalized_gravity(m, d); });
  list.add("aba", [](auto& m, auto& d, auto& s) { corio::aba(m, d, s.q, s.v, s.a); });
  list.reuse("aba", [](auto& m, auto& d, auto& s) { corio::aba(m, d, s.a); });
  list.add("coriolis_product", [](auto& m, auto& d, auto& s) { corio::coriolis_product(m, d, s.q, s.v, s.x); });
  list.reuse("coriolis_product", [](auto& m, auto& d, auto& s) { corio::coriolis_product(m, d, s.x); });
  list.add("generalized_momentum", [](auto& m, auto& d, auto& s) { corio::generalized_momentum(m, d, s.q, s.v); });
  list.add("slotine_li_inverse_dynamics",
           [](auto& m, auto& d, auto& s) { corio::slotine_li_inverse_dynamics(m, d, s.q, s.v, s.x, s.a); });
  list.add("coriolis_transpose_product",
           [](auto& m, auto& d, auto& s) { corio::coriolis_transpose_product(m, d, s.q, s.v, s.x); });
  list.reuse("coriolis_transpose_product",
             [](auto& m, auto& d, auto& s) { corio::coriolis_transpose_product(m, d, s.x); });
  list.add("covariant_derivative",
           [](auto& m, auto& d, auto& s) { corio::covariant_derivative(m, d, s.q, s.v, s.x, s.a); });
  list.reuse("covariant_derivative", [](auto& m, auto& d, auto& s) { corio::covariant_derivative(m, d, s.x, s.a); });
  list.add("geodesic_residual", [](auto& m, auto& d, auto& s) { corio::geodesic_residual(m, d, s.q, s.v, s.a); });
}

template <class S>
void list_matrices(List<S>& list) {
  using Plain = corio::factorization::Plain;
  list.part("Matrices");
  list.add("crba", [](auto& m, auto& d, auto& s) { corio::crba(m, d, s.q); });
  list.reuse("crba", [](auto& m, auto& d, auto&) { corio::crba(m, d); });
  list.add("mass_matrix_inverse", [](auto& m, auto& d, auto& s) { corio::mass_matrix_inverse(m, d, s.q); });
  list.reuse("mass_matrix_inverse", [](auto& m, auto& d, auto&) { corio::mass_matrix_inverse(m, d); });
  list.add("mass_matrix_dot", [](auto& m, auto& d, auto& s) { corio::mass_matrix_dot(m, d, s.q, s.v); });
  list.reuse("mass_matrix_dot", [](auto& m, auto& d, auto&) { corio::mass_matrix_dot(m, d); });
  list.add("coriolis_matrix", [](auto& m, auto& d, auto& s) { corio::coriolis_matrix(m, d, s.q, s.v); });
  list.reuse("coriolis_matrix", [](auto& m, auto& d, auto&) { corio::coriolis_matrix(m, d); });
  list.add("coriolis_matrix_plain", [](auto& m, auto& d, auto& s) { corio::coriolis_matrix(m, d, s.q, s.v, Plain{}); });
  list.reuse("coriolis_matrix_plain", [](auto& m, auto& d, auto&) { corio::coriolis_matrix(m, d, Plain{}); });
  if (list.model().joints().front().type() == corio::joint::FreeFlyer::type) {
    using Out = corio::ComDecoupledResult<S>;
    list.template add<Out>("com_decoupled",
                           [](auto& m, auto& d, auto& s, auto& out) { corio::com_decoupled(m, d, s.q, s.v, out); });
    list.template reuse<Out>("com_decoupled",
                             [](auto& m, auto& d, auto&, auto& out) { corio::com_decoupled(m, d, out); });
    using Locked = corio::LockedDecoupledResult<S>;
    list.template add<Locked>(
        "locked_decoupled", [](auto& m, auto& d, auto& s, auto& out) { corio::locked_decoupled(m, d, s.q, s.v, out); });
    list.template reuse<Locked>("locked_decoupled",
                                [](auto& m, auto& d, auto&, auto& out) { corio::locked_decoupled(m, d, out); });
  }
  list.template add<Coordinates<S>>("change_of_coordinates", [](auto&, auto&, auto&, auto& x) {
    corio::change_of_coordinates(x.from, x.A, x.Adot, x.work, x.to);
  });
}

template <class S>
void list_symbols(List<S>& list) {
  using Dense = corio::ChristoffelTensor<S>;
  using Packed = corio::PackedChristoffelTensor<S>;
  list.part("Christoffel symbols and geometry");
  const auto symbols = [](auto& m, auto& d, auto& s, auto& out) { corio::christoffel_symbols(m, d, s.q, out); };
  const auto symbols_reuse = [](auto& m, auto& d, auto&, auto& out) { corio::christoffel_symbols(m, d, out); };
  list.template add<Dense>("christoffel_symbols", symbols);
  list.template reuse<Dense>("christoffel_symbols", symbols_reuse);
  list.template add<Packed>("christoffel_symbols_packed", symbols);
  list.template reuse<Packed>("christoffel_symbols_packed", symbols_reuse);
  list.template add<Symbols<S>>("christoffel_contract",
                                [](auto&, auto&, auto& s, auto& out) { out.Gamma.contract(s.v, out.C); });
  list.template reuse<Symbols<S>>("christoffel_symbols_second_kind", [](auto& m, auto& d, auto&, auto& out) {
    corio::christoffel_symbols_second_kind(m, d, out.Gamma, out.second_kind);
  });
  list.template add<Cube<S>>("structure_constants",
                             [](auto& m, auto& d, auto& s, auto& c) { corio::structure_constants(m, d, s.q, c); });
  list.template reuse<Cube<S>>("structure_constants",
                               [](auto& m, auto& d, auto&, auto& c) { corio::structure_constants(m, d, c); });
  list.template add<Cube<S>>("structure_constants_first_kind", [](auto& m, auto& d, auto& s, auto& c) {
    corio::structure_constants_first_kind(m, d, s.q, c);
  });
  list.template reuse<Cube<S>>("structure_constants_first_kind", [](auto& m, auto& d, auto&, auto& c) {
    corio::structure_constants_first_kind(m, d, c);
  });
  list.template add<Cube<S>>("contorsion", [](auto& m, auto& d, auto& s, auto& K) {
    corio::contorsion(m, d, s.q, corio::factorization::Plain{}, K);
  });
  list.template add<Square<S>>("coriolis_matrix_by_differentiation", [](auto& m, auto& d, auto& s, auto& C) {
    corio::coriolis_matrix_by_differentiation(m, d, s.q, s.v, C);
  });
}

template <class S>
void list_derivatives(List<S>& list) {
  list.part("Derivatives");
  list.add("inverse_dynamics_derivatives",
           [](auto& m, auto& d, auto& s) { corio::inverse_dynamics_derivatives(m, d, s.q, s.v, s.a); });
  list.reuse("inverse_dynamics_derivatives",
             [](auto& m, auto& d, auto&) { corio::inverse_dynamics_derivatives(m, d); });
  for (const auto& [name, route] : {std::pair("dense", corio::DerivativeRoute::dense),
                                    std::pair("articulated", corio::DerivativeRoute::articulated)}) {
    list.add(std::string("forward_dynamics_derivatives_") + name, [by = route](auto& m, auto& d, auto& s) {
      corio::forward_dynamics_derivatives(m, d, s.q, s.v, s.a, {}, by);
    });
    list.reuse(std::string("forward_dynamics_derivatives_") + name,
               [by = route](auto& m, auto& d, auto& s) { corio::forward_dynamics_derivatives(m, d, s.a, {}, by); });
  }
  list.add("inverse_dynamics_hessian",
           [](auto& m, auto& d, auto& s) { corio::inverse_dynamics_hessian(m, d, s.q, s.v, s.a, s.x); });
  list.reuse("inverse_dynamics_hessian", [](auto& m, auto& d, auto& s) { corio::inverse_dynamics_hessian(m, d, s.x); });
  list.add("forward_dynamics_hessian",
           [](auto& m, auto& d, auto& s) { corio::forward_dynamics_hessian(m, d, s.q, s.v, s.a, s.x); });
  list.reuse("forward_dynamics_hessian",
             [](auto& m, auto& d, auto& s) { corio::forward_dynamics_hessian(m, d, s.a, s.x); });
  using Second = corio::InverseDynamicsSecondDerivativesResult<S>;
  list.template add<Second>("inverse_dynamics_second_derivatives", [](auto& m, auto& d, auto& s, auto& out) {
    corio::inverse_dynamics_second_derivatives(m, d, s.q, s.v, s.a, out);
  });
  list.template reuse<Second>("inverse_dynamics_second_derivatives", [](auto& m, auto& d, auto&, auto& out) {
    corio::inverse_dynamics_second_derivatives(m, d, out);
  });
}

template <class S>
void list_jacobians(List<S>& list) {
  using Matrix = Jacobian<S>;
  using Change = JacobianChange<S>;
  list.part("Jacobians and momentum");
  list.template add<Matrix>("body_jacobian",
                            [](auto& m, auto& d, auto& s, auto& J) { corio::body_jacobian(m, d, s.q, J.last, J); });
  list.template reuse<Matrix>("body_jacobian",
                              [](auto& m, auto& d, auto&, auto& J) { corio::body_jacobian(m, d, J.last, J); });
  list.template add<Matrix>("body_jacobian_dot", [](auto& m, auto& d, auto& s, auto& J) {
    corio::body_jacobian_dot(m, d, s.q, s.v, J.last, J);
  });
  list.template reuse<Matrix>("body_jacobian_dot",
                              [](auto& m, auto& d, auto&, auto& J) { corio::body_jacobian_dot(m, d, J.last, J); });
  list.template add<Matrix>("body_jacobian_ddot", [](auto& m, auto& d, auto& s, auto& J) {
    corio::body_jacobian_ddot(m, d, s.q, s.v, s.a, J.last, J);
  });
  list.template reuse<Matrix>("body_jacobian_ddot",
                              [](auto& m, auto& d, auto&, auto& J) { corio::body_jacobian_ddot(m, d, J.last, J); });
  list.template add<Change>("body_jacobian_derivatives", [](auto& m, auto& d, auto& s, auto& D) {
    corio::body_jacobian_derivatives(m, d, s.q, D.last, D);
  });
  list.template reuse<Change>("body_jacobian_derivatives", [](auto& m, auto& d, auto&, auto& D) {
    corio::body_jacobian_derivatives(m, d, D.last, D);
  });
  list.add("center_of_mass", [](auto& m, auto& d, auto& s) { return corio::center_of_mass(m, d, s.q); });
  list.reuse("center_of_mass", [](auto& m, auto& d, auto&) { return corio::center_of_mass(m, d); });
  list.add("center_of_mass_velocity",
           [](auto& m, auto& d, auto& s) { return corio::center_of_mass_velocity(m, d, s.q, s.v); });
  list.reuse("center_of_mass_velocity", [](auto& m, auto& d, auto&) { return corio::center_of_mass_velocity(m, d); });
  list.add("center_of_mass_acceleration",
           [](auto& m, auto& d, auto& s) { return corio::center_of_mass_acceleration(m, d, s.q, s.v, s.a); });
  list.reuse("center_of_mass_acceleration",
             [](auto& m, auto& d, auto&) { return corio::center_of_mass_acceleration(m, d); });
  list.add("com_jacobian", [](auto& m, auto& d, auto& s) { corio::com_jacobian(m, d, s.q); });
  list.reuse("com_jacobian", [](auto& m, auto& d, auto&) { corio::com_jacobian(m, d); });
  list.add("com_jacobian_dot", [](auto& m, auto& d, auto& s) { corio::com_jacobian_dot(m, d, s.q, s.v); });
  list.reuse("com_jacobian_dot", [](auto& m, auto& d, auto&) { corio::com_jacobian_dot(m, d); });
  list.add("centroidal_momentum_matrix",
           [](auto& m, auto& d, auto& s) { corio::centroidal_momentum_matrix(m, d, s.q); });
  list.reuse("centroidal_momentum_matrix", [](auto& m, auto& d, auto&) { corio::centroidal_momentum_matrix(m, d); });
  list.add("centroidal_momentum_matrix_dot",
           [](auto& m, auto& d, auto& s) { corio::centroidal_momentum_matrix_dot(m, d, s.q, s.v); });
  list.reuse("centroidal_momentum_matrix_dot",
             [](auto& m, auto& d, auto&) { corio::centroidal_momentum_matrix_dot(m, d); });
  list.add("centroidal_momentum", [](auto& m, auto& d, auto& s) { return corio::centroidal_momentum(m, d, s.q, s.v); });
  list.reuse("centroidal_momentum", [](auto& m, auto& d, auto&) { return corio::centroidal_momentum(m, d); });
  list.add("centroidal_momentum_dot",
           [](auto& m, auto& d, auto& s) { return corio::centroidal_momentum_dot(m, d, s.q, s.v, s.a); });
  list.reuse("centroidal_momentum_dot", [](auto& m, auto& d, auto&) { return corio::centroidal_momentum_dot(m, d); });
}

template <class S>
void list_changes_of_matrices(List<S>& list) {
  list.part("Rates and derivatives of M, C and g");
  list.add("coriolis_matrix_dot", [](auto& m, auto& d, auto& s) { corio::coriolis_matrix_dot(m, d, s.q, s.v, s.a); });
  list.reuse("coriolis_matrix_dot", [](auto& m, auto& d, auto&) { corio::coriolis_matrix_dot(m, d); });
  list.add("gravity_dot", [](auto& m, auto& d, auto& s) { corio::gravity_dot(m, d, s.q, s.v); });
  list.reuse("gravity_dot", [](auto& m, auto& d, auto&) { corio::gravity_dot(m, d); });
  list.add("gravity_derivatives", [](auto& m, auto& d, auto& s) { corio::gravity_derivatives(m, d, s.q); });
  list.reuse("gravity_derivatives", [](auto& m, auto& d, auto&) { corio::gravity_derivatives(m, d); });
  const auto mass = [](auto& m, auto& d, auto& s, auto& out) { corio::mass_matrix_derivatives(m, d, s.q, out); };
  const auto mass_reuse = [](auto& m, auto& d, auto&, auto& out) { corio::mass_matrix_derivatives(m, d, out); };
  const auto coriolis = [](auto& m, auto& d, auto& s, auto& out) {
    corio::coriolis_matrix_derivatives(m, d, s.q, s.v, out);
  };
  const auto coriolis_reuse = [](auto& m, auto& d, auto&, auto& out) { corio::coriolis_matrix_derivatives(m, d, out); };
  list.template add<corio::MassMatrixDerivativesResult<S>>("mass_matrix_derivatives", mass);
  list.template reuse<corio::MassMatrixDerivativesResult<S>>("mass_matrix_derivatives", mass_reuse);
  list.template add<corio::PackedMassMatrixDerivativesResult<S>>("mass_matrix_derivatives_packed", mass);
  list.template reuse<corio::PackedMassMatrixDerivativesResult<S>>("mass_matrix_derivatives_packed", mass_reuse);
  list.template add<corio::CoriolisMatrixDerivativesResult<S>>("coriolis_matrix_derivatives", coriolis);
  list.template reuse<corio::CoriolisMatrixDerivativesResult<S>>("coriolis_matrix_derivatives", coriolis_reuse);
  list.template add<corio::PackedCoriolisMatrixDerivativesResult<S>>("coriolis_matrix_derivatives_packed", coriolis);
  list.template reuse<corio::PackedCoriolisMatrixDerivativesResult<S>>("coriolis_matrix_derivatives_packed",
                                                                       coriolis_reuse);
}

template <class S>
void list_regressors(List<S>& list) {
  using R = Regressor<S>;
  list.part("Regressors");
  list.template add<R>("inverse_dynamics_regressor", [](auto& m, auto& d, auto& s, auto& r) {
    corio::inverse_dynamics_regressor(m, d, s.q, s.v, s.a, r.Y);
  });
  list.template reuse<R>("inverse_dynamics_regressor",
                         [](auto& m, auto& d, auto&, auto& r) { corio::inverse_dynamics_regressor(m, d, r.Y); });
  list.template add<R>("slotine_li_regressor", [](auto& m, auto& d, auto& s, auto& r) {
    corio::slotine_li_regressor(m, d, s.q, s.v, s.x, s.a, r.Y);
  });
  list.template reuse<R>("slotine_li_regressor",
                         [](auto& m, auto& d, auto& s, auto& r) { corio::slotine_li_regressor(m, d, s.x, s.a, r.Y); });
  list.template add<R>("momentum_regressor",
                       [](auto& m, auto& d, auto& s, auto& r) { corio::momentum_regressor(m, d, s.q, s.v, r.Y); });
  list.template reuse<R>("momentum_regressor",
                         [](auto& m, auto& d, auto&, auto& r) { corio::momentum_regressor(m, d, r.Y); });
  list.template add<R>("coriolis_transpose_regressor", [](auto& m, auto& d, auto& s, auto& r) {
    corio::coriolis_transpose_regressor(m, d, s.q, s.v, r.Y);
  });
  list.template reuse<R>("coriolis_transpose_regressor",
                         [](auto& m, auto& d, auto&, auto& r) { corio::coriolis_transpose_regressor(m, d, r.Y); });
  list.template add<R>("gravity_regressor",
                       [](auto& m, auto& d, auto& s, auto& r) { corio::gravity_regressor(m, d, s.q, r.Y); });
  list.template reuse<R>("gravity_regressor",
                         [](auto& m, auto& d, auto&, auto& r) { corio::gravity_regressor(m, d, r.Y); });
  list.template add<R>("inverse_dynamics_regressor_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::inverse_dynamics_regressor_product(m, d, s.q, s.v, s.a, r.pi);
  });
  list.template reuse<R>("inverse_dynamics_regressor_product", [](auto& m, auto& d, auto&, auto& r) {
    corio::inverse_dynamics_regressor_product(m, d, r.pi);
  });
  list.template add<R>("slotine_li_regressor_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::slotine_li_regressor_product(m, d, s.q, s.v, s.x, s.a, r.pi);
  });
  list.template reuse<R>("slotine_li_regressor_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::slotine_li_regressor_product(m, d, s.x, s.a, r.pi);
  });
  list.template add<R>("momentum_regressor_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::momentum_regressor_product(m, d, s.q, s.v, r.pi);
  });
  list.template reuse<R>("momentum_regressor_product",
                         [](auto& m, auto& d, auto&, auto& r) { corio::momentum_regressor_product(m, d, r.pi); });
  list.template add<R>("coriolis_transpose_regressor_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::coriolis_transpose_regressor_product(m, d, s.q, s.v, r.pi);
  });
  list.template reuse<R>("coriolis_transpose_regressor_product", [](auto& m, auto& d, auto&, auto& r) {
    corio::coriolis_transpose_regressor_product(m, d, r.pi);
  });
  list.template add<R>("gravity_regressor_product",
                       [](auto& m, auto& d, auto& s, auto& r) { corio::gravity_regressor_product(m, d, s.q, r.pi); });
  list.template reuse<R>("gravity_regressor_product",
                         [](auto& m, auto& d, auto&, auto& r) { corio::gravity_regressor_product(m, d, r.pi); });
  list.template add<R>("inverse_dynamics_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::inverse_dynamics_regressor_transpose_product(m, d, s.q, s.v, s.a, s.x, r.y);
  });
  list.template reuse<R>("inverse_dynamics_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::inverse_dynamics_regressor_transpose_product(m, d, s.x, r.y);
  });
  list.template add<R>("slotine_li_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::slotine_li_regressor_transpose_product(m, d, s.q, s.v, s.x, s.a, s.v, r.y);
  });
  list.template reuse<R>("slotine_li_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::slotine_li_regressor_transpose_product(m, d, s.x, s.a, s.v, r.y);
  });
  list.template add<R>("momentum_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::momentum_regressor_transpose_product(m, d, s.q, s.v, s.x, r.y);
  });
  list.template reuse<R>("momentum_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::momentum_regressor_transpose_product(m, d, s.x, r.y);
  });
  list.template add<R>("coriolis_transpose_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::coriolis_transpose_regressor_transpose_product(m, d, s.q, s.v, s.x, r.y);
  });
  list.template reuse<R>("coriolis_transpose_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::coriolis_transpose_regressor_transpose_product(m, d, s.x, r.y);
  });
  list.template add<R>("gravity_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::gravity_regressor_transpose_product(m, d, s.q, s.x, r.y);
  });
  list.template reuse<R>("gravity_regressor_transpose_product", [](auto& m, auto& d, auto& s, auto& r) {
    corio::gravity_regressor_transpose_product(m, d, s.x, r.y);
  });
  list.template add<R>("kinetic_energy_regressor", [](auto& m, auto& d, auto& s, auto& r) {
    corio::kinetic_energy_regressor(m, d, s.q, s.v, r.y);
  });
  list.template reuse<R>("kinetic_energy_regressor",
                         [](auto& m, auto& d, auto&, auto& r) { corio::kinetic_energy_regressor(m, d, r.y); });
  list.template add<R>("potential_energy_regressor",
                       [](auto& m, auto& d, auto& s, auto& r) { corio::potential_energy_regressor(m, d, s.q, r.y); });
  list.template reuse<R>("potential_energy_regressor",
                         [](auto& m, auto& d, auto&, auto& r) { corio::potential_energy_regressor(m, d, r.y); });
}

template <class S>
void list_parameter_derivatives(List<S>& list) {
  using P = ParameterDerivative<S>;
  list.part("Derivatives by an inertial parameter");
  list.template add<P>("mass_matrix_parameter_derivative", [](auto& m, auto& d, auto& s, auto& p) {
    corio::mass_matrix_parameter_derivative(m, d, s.q, p.last, p.parameter, p.matrix);
  });
  list.template reuse<P>("mass_matrix_parameter_derivative", [](auto& m, auto& d, auto&, auto& p) {
    corio::mass_matrix_parameter_derivative(m, d, p.last, p.parameter, p.matrix);
  });
  list.template add<P>("coriolis_parameter_derivative", [](auto& m, auto& d, auto& s, auto& p) {
    corio::coriolis_parameter_derivative(m, d, s.q, s.v, p.last, p.parameter, p.matrix);
  });
  list.template reuse<P>("coriolis_parameter_derivative", [](auto& m, auto& d, auto&, auto& p) {
    corio::coriolis_parameter_derivative(m, d, p.last, p.parameter, p.matrix);
  });
  list.template add<P>("gravity_parameter_derivative", [](auto& m, auto& d, auto& s, auto& p) {
    corio::gravity_parameter_derivative(m, d, s.q, p.last, p.parameter, p.vector);
  });
  list.template reuse<P>("gravity_parameter_derivative", [](auto& m, auto& d, auto&, auto& p) {
    corio::gravity_parameter_derivative(m, d, p.last, p.parameter, p.vector);
  });
}

template <class S>
List<S> list_for(const corio::Model<double>& model) {
  List<S> list(model);
  list_kinematics(list);
  list_vectors(list);
  list_matrices(list);
  list_symbols(list);
  list_derivatives(list);
  list_jacobians(list);
  list_changes_of_matrices(list);
  list_regressors(list);
  list_parameter_derivatives(list);
  list_configurations(list);
  return list;
}

}  // namespace speed
