#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"

/// The equations of motion, and the geometry behind them. In all entries m is the model, d its Data, x the arguments
/// and out what is written to.
namespace corio::test {

template <class S, class Factorization>
void add_coriolis(Table<S>& table, const char* variant) {
  const Factorization B{};
  table
      .add(
          "coriolis_matrix",
          Pass::velocity, [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_matrix(m, d, x.q(), x.v(), B); },
          [B](auto& m, auto& d, auto&) -> auto& { return coriolis_matrix(m, d, B); })
      .of(variant);
  table
      .add(
          "coriolis_product", Pass::velocity,
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_product(m, d, x.q(), x.v(), x.x(), B); },
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_product(m, d, x.x(), B); })
      .of(variant)
      .given({"v_r"});
  table
      .add(
          "coriolis_transpose_product", Pass::velocity,
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_transpose_product(m, d, x.q(), x.v(), x.x(), B); },
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_transpose_product(m, d, x.x(), B); })
      .of(variant)
      .given({"x"});
  table
      .add(
          "slotine_li_inverse_dynamics", Pass::velocity,
          [B](auto& m, auto& d, auto& x) -> auto& {
            return slotine_li_inverse_dynamics(m, d, x.q(), x.v(), x.x(), x.y(), B);
          },
          [B](auto& m, auto& d, auto& x) -> auto& { return slotine_li_inverse_dynamics(m, d, x.x(), x.y(), B); })
      .of(variant)
      .given({"v_r", "a_r"});
  table
      .add(
          "coriolis_matrix_dot", Pass::acceleration,
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_matrix_dot(m, d, x.q(), x.v(), x.a(), B); },
          [B](auto& m, auto& d, auto&) -> auto& { return coriolis_matrix_dot(m, d, B); })
      .of(variant);
}

/// A user's factorization, which knows B of the bodies alone.
struct UsersFactorization {
  template <class S>
  Matrix6<S> operator()(const Motion<S>& V, const Inertia<S>& I) const {
    return crf_bar(I * V);
  }
};

template <class S>
void add_dynamics(Table<S>& table) {
  table
      .add(
          "rnea", Pass::acceleration,
          [](auto& m, auto& d, auto& x) -> auto& { return rnea(m, d, x.q(), x.v(), x.a(), x.forces); },
          [](auto& m, auto& d, auto& x) -> auto& { return rnea(m, d, x.forces); })
      .under_forces();
  table.add(
      "nonlinear_effects", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return nonlinear_effects(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return nonlinear_effects(m, d); });
  table.add(
      "generalized_momentum", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return generalized_momentum(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return generalized_momentum(m, d); });
  table.add(
      "generalized_gravity", Pass::position,
      [](auto& m, auto& d, auto& x) -> auto& { return generalized_gravity(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return generalized_gravity(m, d); });
  table.add(
      "crba", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return crba(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return crba(m, d); });
  // Another name of it, for one result.
  table
      .add(
          "crba", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix(m, d, x.q()); },
          [](auto& m, auto& d, auto&) -> auto& { return mass_matrix(m, d); })
      .of("mass_matrix");
  table
      .add(
          "mass_matrix_inverse", Pass::position,
          [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_inverse(m, d, x.q()); },
          [](auto& m, auto& d, auto&) -> auto& { return mass_matrix_inverse(m, d); })
      .errors_grow(Conditioned::once);
  table
      .add(
          "mass_matrix_inverse_product", Pass::position,
          [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_inverse_product(m, d, x.q(), x.x()); },
          [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_inverse_product(m, d, x.x()); })
      .given({"x"})
      .errors_grow(Conditioned::once);
  table
      .add(
          "aba", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return aba(m, d, x.q(), x.v(), x.x(), x.forces); },
          [](auto& m, auto& d, auto& x) -> auto& { return aba(m, d, x.x(), x.forces); })
      .given({"tau"})
      .under_forces()
      .errors_grow(Conditioned::once);
  table
      .add(
          "joint_reactions", Pass::acceleration,
          [](auto& m, auto& d, auto& x) -> auto& { return joint_reactions(m, d, x.q(), x.v(), x.a(), x.forces); },
          [](auto& m, auto& d, auto& x) -> auto& { return joint_reactions(m, d, x.forces); })
      .under_forces();
  const auto pressed = [](auto& m, auto& d, auto&) {
    const Force<S> push{{S(0.3), S(-0.1), S(0.2)}, {S(0.1), S(-0.2), S(1)}};
    return center_of_pressure(m, d, ExternalForce<S>(m.bodies().back(), push, ReferenceFrame::world_aligned));
  };
  table
      .add(
          "center_of_pressure", Pass::position,
          [=](auto& m, auto& d, auto& x) { return pressed(m, forward_kinematics(m, d, x.q()), x); }, pressed)
      .needs_body = true;
  table
      .add(
          "hybrid_dynamics", Pass::velocity, [](auto& m, auto& d, auto& x) -> auto& {
            return hybrid_dynamics(m, d, x.q(), x.v(), x.x(), x.y(), x.prescribed, x.forces);
          },
          [](auto& m, auto& d, auto& x) -> auto& {
            return hybrid_dynamics(m, d, x.x(), x.y(), x.prescribed, x.forces);
          })
      .given({"a", "tau"})
      .under_forces()
      .errors_grow(Conditioned::once)
      .bounded = true;  // the force of a prescribed speed is not read
  table.add(
      "passive_forces", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return passive_forces(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return passive_forces(m, d); });
  // A spring's stiffness is the same everywhere, and friction no longer changes at infinite speed.
  table
      .add(
          "passive_force_derivatives", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return passive_force_derivatives(m, d, x.q(), x.v()); },
          [](auto& m, auto& d, auto&) -> auto& { return passive_force_derivatives(m, d); })
      .bounded = true;
  table.add(
      "mass_matrix_dot", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return mass_matrix_dot(m, d); });
  add_coriolis<S, factorization::Christoffel>(table, "Christoffel");
  add_coriolis<S, factorization::Plain>(table, "Plain");
  if constexpr (std::is_same_v<S, double>) add_coriolis<S, UsersFactorization>(table, "user's");
  table.add(
      "kinetic_energy", Pass::velocity,
      [](auto& m, auto& d, auto& x) { return one(kinetic_energy(m, d, x.q(), x.v())); },
      [](auto& m, auto& d, auto&) { return one(kinetic_energy(m, d)); });
  table.add(
      "potential_energy", Pass::position, [](auto& m, auto& d, auto& x) { return one(potential_energy(m, d, x.q())); },
      [](auto& m, auto& d, auto&) { return one(potential_energy(m, d)); });
}

/// Symbols of the second kind with those of the first kind that they are made from, computed elsewhere.
template <class S>
struct SecondKind {
  explicit SecondKind(const Model<S>& model) : data(model), Gamma(model) {}
  void operator()(const Model<S>& m, Data<S>& d, const Arguments<S>& x) {
    christoffel_symbols(m, data, x.q(), Gamma);
    christoffel_symbols_second_kind(m, d, Gamma, out);
  }
  Data<S> data;
  ChristoffelTensor<S> Gamma;
  Tensor3<S> out;
};
template <class S, class F>
void parts(const SecondKind<S>& x, F&& f) {
  parts(x.out, f);
}

template <class S>
void add_geometry(Table<S>& table) {
  const auto tensor = [](auto&) { return Tensor3<S>(); };
  const auto add_symbols = [&]<class T>(const char* variant, std::type_identity<T>) {
    table
        .into(
            "christoffel_symbols", Pass::position, [](auto& m) { return T(m); },
            [](auto& m, auto& d, auto& x, auto& out) { christoffel_symbols(m, d, x.q(), out); },
            [](auto& m, auto& d, auto&, auto& out) { christoffel_symbols(m, d, out); })
        .of(variant);
  };
  add_symbols("dense", std::type_identity<ChristoffelTensor<S>>());
  add_symbols("packed", std::type_identity<PackedChristoffelTensor<S>>());
  table
      .into(
          "christoffel_symbols_second_kind", Pass::position, [](auto& m) { return SecondKind<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), out(m, d, x); },
          [](auto& m, auto& d, auto& x, auto& out) { out(m, d, x); })
      .errors_grow(Conditioned::once);
  table.into(
      "structure_constants", Pass::position, tensor,
      [](auto& m, auto& d, auto& x, auto& out) { structure_constants(m, d, x.q(), out); },
      [](auto& m, auto& d, auto&, auto& out) { structure_constants(m, d, out); });
  table.into(
      "structure_constants_first_kind", Pass::position, tensor,
      [](auto& m, auto& d, auto& x, auto& out) { structure_constants_first_kind(m, d, x.q(), out); },
      [](auto& m, auto& d, auto&, auto& out) { structure_constants_first_kind(m, d, out); });
  table
      .add(
          "covariant_derivative", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return covariant_derivative(m, d, x.q(), x.v(), x.x(), x.y()); },
          [](auto& m, auto& d, auto& x) -> auto& { return covariant_derivative(m, d, x.x(), x.y()); })
      .given({"w", "wdot"})
      .errors_grow(Conditioned::once);
  table
      .add(
          "geodesic_residual", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return geodesic_residual(m, d, x.q(), x.v(), x.x()); },
          [](auto& m, auto& d, auto& x) -> auto& { return geodesic_residual(m, d, x.x()); })
      .given({"a"})
      .errors_grow(Conditioned::once);
  table.add(
      "hamel_equations", Pass::acceleration,
      [](auto& m, auto& d, auto& x) -> auto& { return hamel_equations(m, d, x.q(), x.v(), x.a()).tau; },
      [](auto& m, auto& d, auto&) -> auto& { return hamel_equations(m, d).tau; });
  table
      .into(
          "contorsion", Pass::position, tensor,
          [](auto& m, auto& d, auto& x, auto& out) { contorsion(m, d, x.q(), factorization::Plain{}, out); },
          [](auto& m, auto& d, auto&, auto& out) { contorsion(m, d, factorization::Plain{}, out); })
      .of("Plain");
  table.into(
      "coriolis_matrix_by_differentiation", Pass::velocity, [](auto&) { return MatrixX<S>(); },
      [](auto& m, auto& d, auto& x, auto& out) { coriolis_matrix_by_differentiation(m, d, x.q(), x.v(), out); },
      [](auto& m, auto& d, auto&, auto& out) { coriolis_matrix_by_differentiation(m, d, out); });
  table
      .into(
          "com_decoupled", Pass::velocity, [](auto& m) { return ComDecoupled<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) { com_decoupled(m, d, x.q(), x.v(), out); },
          [](auto& m, auto& d, auto&, auto& out) { com_decoupled(m, d, out); })
      .needs_floating_base = true;
  table
      .into(
          "locked_decoupled", Pass::velocity, [](auto& m) { return LockedDecoupled<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) { locked_decoupled(m, d, x.q(), x.v(), out); },
          [](auto& m, auto& d, auto&, auto& out) { locked_decoupled(m, d, out); })
      .errors_grow(Conditioned::once)
      .needs_floating_base = true;
}

}  // namespace corio::test
