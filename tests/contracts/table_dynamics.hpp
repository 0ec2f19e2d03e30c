#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"

/// The equations of motion, and the geometry behind them.
namespace corio::test {

template <class S, class Factorization>
void add_coriolis(Table<S>& table, const char* variant) {
  const auto B = given::always(Factorization{});
  using given::x, given::y;
  table.template add<Pass::velocity>(CORIO_FUNCTION(coriolis_matrix), B).of(variant);
  table.template add<Pass::velocity>(CORIO_FUNCTION(coriolis_product), x, B).of(variant).given({"v_r"});
  table.template add<Pass::velocity>(CORIO_FUNCTION(coriolis_transpose_product), x, B).of(variant).given({"x"});
  table.template add<Pass::velocity>(CORIO_FUNCTION(slotine_li_inverse_dynamics), x, y, B)
      .of(variant)
      .given({"v_r", "a_r"});
  table.template add<Pass::acceleration>(CORIO_FUNCTION(coriolis_matrix_dot), B).of(variant);
}

/// A user's factorization that defines only B for each body.
struct UsersFactorization {
  template <class S>
  Matrix6<S> operator()(const Motion<S>& V, const Inertia<S>& I) const {
    return crf_bar(I * V);
  }
};

template <class S>
void add_dynamics(Table<S>& table) {
  using given::x, given::y, given::forces, given::prescribed;
  table.template add<Pass::acceleration>(CORIO_FUNCTION(rnea), forces).under_forces();
  table.template add<Pass::velocity>(CORIO_FUNCTION(nonlinear_effects));
  table.template add<Pass::velocity>(CORIO_FUNCTION(generalized_momentum));
  table.template add<Pass::position>(CORIO_FUNCTION(generalized_gravity));
  table.template add<Pass::position>(CORIO_FUNCTION(crba));
  // A second name for the same result.
  table.template add<Pass::position>(CORIO_FUNCTION(mass_matrix)).of("mass_matrix").function = "crba";
  table.template add<Pass::position>(CORIO_FUNCTION(mass_matrix_inverse)).errors_grow(Conditioned::once);
  table.template add<Pass::position>(CORIO_FUNCTION(mass_matrix_inverse_product), x)
      .given({"x"})
      .errors_grow(Conditioned::once);
  table.template add<Pass::velocity>(CORIO_FUNCTION(aba), x, forces)
      .given({"tau"})
      .under_forces()
      .errors_grow(Conditioned::once);
  table.template add<Pass::acceleration>(CORIO_FUNCTION(joint_reactions), forces).under_forces();
  table
      .template add_reuse<Pass::position>(
          "center_of_pressure",
          [](auto& m, auto& d, auto&) {
            const Force<S> push{{S(0.3), S(-0.1), S(0.2)}, {S(0.1), S(-0.2), S(1)}};
            return center_of_pressure(m, d, ExternalForce<S>(m.bodies().back(), push, ReferenceFrame::world_aligned));
          })
      .needs_body = true;
  table.template add<Pass::velocity>(CORIO_FUNCTION(hybrid_dynamics), x, y, prescribed, forces)
      .given({"a", "tau"})
      .under_forces()
      .errors_grow(Conditioned::once)
      .bounded = true;  // the force of a prescribed speed is not read
  table.template add<Pass::velocity>(CORIO_FUNCTION(passive_forces));
  // A spring's stiffness is the same everywhere, and friction no longer changes at infinite speed.
  table.template add<Pass::velocity>(CORIO_FUNCTION(passive_force_derivatives)).bounded = true;
  table.template add<Pass::velocity>(CORIO_FUNCTION(mass_matrix_dot));
  add_coriolis<S, factorization::Christoffel>(table, "Christoffel");
  add_coriolis<S, factorization::Plain>(table, "Plain");
  if constexpr (std::is_same_v<S, double>) add_coriolis<S, UsersFactorization>(table, "user's");
  table.template add<Pass::velocity>(CORIO_NUMBER(kinetic_energy));
  table.template add<Pass::position>(CORIO_NUMBER(potential_energy));
}

/// Symbols of the second kind, with the symbols of the first kind that they are made from, computed elsewhere.
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
  using given::x, given::y, given::out;
  const auto tensor = [](auto&) { return Tensor3<S>(); };
  const auto for_model = []<class T>(std::type_identity<T>) { return [](auto& m) { return T(m); }; };
  const auto dense = for_model(std::type_identity<ChristoffelTensor<S>>());
  const auto packed = for_model(std::type_identity<PackedChristoffelTensor<S>>());
  table.template into<Pass::position>(CORIO_FUNCTION(christoffel_symbols), dense, out).of("dense");
  table.template into<Pass::position>(CORIO_FUNCTION(christoffel_symbols), packed, out).of("packed");
  table
      .template into_reuse<Pass::position>("christoffel_symbols_second_kind",
                                           for_model(std::type_identity<SecondKind<S>>()),
                                           [](auto& m, auto& d, auto& all, auto& to) { to(m, d, all); })
      .errors_grow(Conditioned::once);
  table.template into<Pass::position>(CORIO_FUNCTION(structure_constants), tensor, out);
  table.template into<Pass::position>(CORIO_FUNCTION(structure_constants_first_kind), tensor, out);
  table.template add<Pass::velocity>(CORIO_FUNCTION(covariant_derivative), x, y)
      .given({"w", "wdot"})
      .errors_grow(Conditioned::once);
  table.template add<Pass::velocity>(CORIO_FUNCTION(geodesic_residual), x).given({"a"}).errors_grow(Conditioned::once);
  table.template add<Pass::acceleration>(
      "hamel_equations", [](auto&&... all) -> auto& { return hamel_equations(all...).tau; });
  table.template into<Pass::position>(CORIO_FUNCTION(contorsion), tensor, given::always(factorization::Plain{}), out)
      .of("Plain");
  table.template into<Pass::velocity>(
      CORIO_FUNCTION(coriolis_matrix_by_differentiation), [](auto&) { return MatrixX<S>(); }, out);
  table
      .template into<Pass::velocity>(CORIO_FUNCTION(com_decoupled),
                                     for_model(std::type_identity<ComDecoupledResult<S>>()), out)
      .needs_floating_base = true;
  table
      .template into<Pass::velocity>(CORIO_FUNCTION(locked_decoupled),
                                     for_model(std::type_identity<LockedDecoupledResult<S>>()), out)
      .errors_grow(Conditioned::once)
      .needs_floating_base = true;
}

}  // namespace corio::test
