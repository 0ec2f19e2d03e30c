#pragma once

#include "contracts/calls.hpp"

/// Regressors, their products, and derivatives along parameters.
namespace corio::test {

/// A regressor Y and its products Y pi and Y^T z, of all bodies and of some. Each is called f(model, data, arguments,
/// what it takes or gives, bodies), in its two forms.
template <class S, class Fill, class Refill, class Product, class Again, class Transposed, class TransposedAgain>
void add_regressor(Table<S>& table, const std::string& name, Pass pass, std::vector<std::string> vectors, Fill fill,
                   Refill refill, Product product, Again again, Transposed transposed,
                   TransposedAgain transposed_again) {
  for (const bool selected : {false, true}) {
    const auto bodies = [selected](auto& x) -> const BodySelection& { return selected ? x.some : x.all; };
    // As many as a selection of arguments has.
    const auto count = [selected](auto& m) {
      return 10 * (selected ? some_bodies(m) : static_cast<int>(m.bodies().size()));
    };
    const char* variant = selected ? "some bodies" : "";
    table
        .into(
            name, pass, [count](auto& m) { return Framed<S>(m.nv(), count(m)); },
            [=](auto& m, auto& d, auto& x, auto& out) { fill(m, d, x, out.out(), bodies(x)); },
            [=](auto& m, auto& d, auto& x, auto& out) { refill(m, d, x, out.out(), bodies(x)); })
        .of(variant)
        .given(vectors)
        .float_tolerance = tolerance<float>();
    table
        .add(
            name + "_product", pass,
            [=](auto& m, auto& d, auto& x) -> auto& { return product(m, d, x, x.parameters(count(m)), bodies(x)); },
            [=](auto& m, auto& d, auto& x) -> auto& { return again(m, d, x, x.parameters(count(m)), bodies(x)); })
        .of(variant)
        .given(vectors)
        .float_tolerance = tolerance<float>();
    // With y, or x where it is not taken otherwise.
    std::vector<std::string> and_one = vectors;
    if (and_one.size() < 2) and_one.push_back("x");
    table
        .into(
            name + "_transpose_product", pass, [count](auto& m) { return Framed<S>(count(m), 1); },
            [=](auto& m, auto& d, auto& x, auto& out) { transposed(m, d, x, out.vector(), bodies(x)); },
            [=](auto& m, auto& d, auto& x, auto& out) { transposed_again(m, d, x, out.vector(), bodies(x)); })
        .of(variant)
        .given(and_one)
        .float_tolerance = tolerance<float>();
  }
}

template <class S>
void add_regressors(Table<S>& table) {
  add_regressor(
      table, "inverse_dynamics_regressor", Pass::acceleration, {},
      [](auto& m, auto& d, auto& x, auto Y, auto& b) { inverse_dynamics_regressor(m, d, x.q(), x.v(), x.a(), Y, b); },
      [](auto& m, auto& d, auto&, auto Y, auto& b) { inverse_dynamics_regressor(m, d, Y, b); },
      [](auto& m, auto& d, auto& x, auto pi, auto& b) -> auto& {
        return inverse_dynamics_regressor_product(m, d, x.q(), x.v(), x.a(), pi, b);
      },
      [](auto& m, auto& d, auto&, auto pi, auto& b) -> auto& {
        return inverse_dynamics_regressor_product(m, d, pi, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        inverse_dynamics_regressor_transpose_product(m, d, x.q(), x.v(), x.a(), x.x(), y, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        inverse_dynamics_regressor_transpose_product(m, d, x.x(), y, b);
      });
  // The transpose product is taken with a, which nothing else here is.
  add_regressor(
      table, "slotine_li_regressor", Pass::velocity, {"v_r", "a_r"},
      [](auto& m, auto& d, auto& x, auto Y, auto& b) { slotine_li_regressor(m, d, x.q(), x.v(), x.x(), x.y(), Y, b); },
      [](auto& m, auto& d, auto& x, auto Y, auto& b) { slotine_li_regressor(m, d, x.x(), x.y(), Y, b); },
      [](auto& m, auto& d, auto& x, auto pi, auto& b) -> auto& {
        return slotine_li_regressor_product(m, d, x.q(), x.v(), x.x(), x.y(), pi, b);
      },
      [](auto& m, auto& d, auto& x, auto pi, auto& b) -> auto& {
        return slotine_li_regressor_product(m, d, x.x(), x.y(), pi, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        slotine_li_regressor_transpose_product(m, d, x.q(), x.v(), x.x(), x.y(), x.a(), y, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        slotine_li_regressor_transpose_product(m, d, x.x(), x.y(), x.a(), y, b);
      });
  add_regressor(
      table, "momentum_regressor", Pass::velocity, {},
      [](auto& m, auto& d, auto& x, auto Y, auto& b) { momentum_regressor(m, d, x.q(), x.v(), Y, b); },
      [](auto& m, auto& d, auto&, auto Y, auto& b) { momentum_regressor(m, d, Y, b); },
      [](auto& m, auto& d, auto& x, auto pi, auto& b) -> auto& {
        return momentum_regressor_product(m, d, x.q(), x.v(), pi, b);
      },
      [](auto& m, auto& d, auto&, auto pi, auto& b) -> auto& { return momentum_regressor_product(m, d, pi, b); },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        momentum_regressor_transpose_product(m, d, x.q(), x.v(), x.x(), y, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) { momentum_regressor_transpose_product(m, d, x.x(), y, b); });
  add_regressor(
      table, "coriolis_transpose_regressor", Pass::velocity, {},
      [](auto& m, auto& d, auto& x, auto Y, auto& b) { coriolis_transpose_regressor(m, d, x.q(), x.v(), Y, b); },
      [](auto& m, auto& d, auto&, auto Y, auto& b) { coriolis_transpose_regressor(m, d, Y, b); },
      [](auto& m, auto& d, auto& x, auto pi, auto& b) -> auto& {
        return coriolis_transpose_regressor_product(m, d, x.q(), x.v(), pi, b);
      },
      [](auto& m, auto& d, auto&, auto pi, auto& b) -> auto& {
        return coriolis_transpose_regressor_product(m, d, pi, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        coriolis_transpose_regressor_transpose_product(m, d, x.q(), x.v(), x.x(), y, b);
      },
      [](auto& m, auto& d, auto& x, auto y, auto& b) {
        coriolis_transpose_regressor_transpose_product(m, d, x.x(), y, b);
      });
  add_regressor(
      table, "gravity_regressor", Pass::position, {},
      [](auto& m, auto& d, auto& x, auto Y, auto& b) { gravity_regressor(m, d, x.q(), Y, b); },
      [](auto& m, auto& d, auto&, auto Y, auto& b) { gravity_regressor(m, d, Y, b); },
      [](auto& m, auto& d, auto& x, auto pi, auto& b) -> auto& {
        return gravity_regressor_product(m, d, x.q(), pi, b);
      },
      [](auto& m, auto& d, auto&, auto pi, auto& b) -> auto& { return gravity_regressor_product(m, d, pi, b); },
      [](auto& m, auto& d, auto& x, auto y, auto& b) { gravity_regressor_transpose_product(m, d, x.q(), x.x(), y, b); },
      [](auto& m, auto& d, auto& x, auto y, auto& b) { gravity_regressor_transpose_product(m, d, x.x(), y, b); });

  for (const bool selected : {false, true}) {
    const auto bodies = [selected](auto& x) -> const BodySelection& { return selected ? x.some : x.all; };
    const auto out = [selected](auto& m) {
      return Framed<S>(10 * (selected ? some_bodies(m) : static_cast<int>(m.bodies().size())), 1);
    };
    table
        .into(
            "kinetic_energy_regressor", Pass::velocity, out,
            [=](auto& m, auto& d, auto& x, auto& y) {
              kinetic_energy_regressor(m, d, x.q(), x.v(), y.vector(), bodies(x));
            },
            [=](auto& m, auto& d, auto& x, auto& y) { kinetic_energy_regressor(m, d, y.vector(), bodies(x)); })
        .of(selected ? "some bodies" : "")
        .float_tolerance = tolerance<float>();
    table
        .into(
            "potential_energy_regressor", Pass::position, out,
            [=](auto& m, auto& d, auto& x, auto& y) { potential_energy_regressor(m, d, x.q(), y.vector(), bodies(x)); },
            [=](auto& m, auto& d, auto& x, auto& y) { potential_energy_regressor(m, d, y.vector(), bodies(x)); })
        .of(selected ? "some bodies" : "")
        .float_tolerance = tolerance<float>();
  }

  const auto square = [](auto& m) { return Framed<S>(m.nv(), m.nv()); };
  const auto add = [&](InertialParameter h, const char* variant, const char* function, Pass pass, auto make,
                       auto complete, auto reuse) {
    auto& f = table
                  .into(
                      function, pass, make,
                      [=](auto& m, auto& d, auto& x, auto& out) { complete(m, d, x, m.bodies().back(), h, out); },
                      [=](auto& m, auto& d, auto&, auto& out) { reuse(m, d, m.bodies().back(), h, out); })
                  .of(variant);
    f.needs_body = true, f.float_tolerance = tolerance<float>();
  };
  using H = InertialParameter;
  for (const auto& [h, variant] : {std::pair(H::mass, "mass"), std::pair(H::hz, "hz"), std::pair(H::Iyz, "Iyz")}) {
    add(
        h, variant, "mass_matrix_parameter_derivative", Pass::position, square,
        [](auto& m, auto& d, auto& x, auto& b, H p, auto& out) {
          mass_matrix_parameter_derivative(m, d, x.q(), b, p, out.out());
        },
        [](auto& m, auto& d, auto& b, H p, auto& out) { mass_matrix_parameter_derivative(m, d, b, p, out.out()); });
    add(
        h, variant, "coriolis_parameter_derivative", Pass::velocity, square,
        [](auto& m, auto& d, auto& x, auto& b, H p, auto& out) {
          coriolis_parameter_derivative(m, d, x.q(), x.v(), b, p, out.out());
        },
        [](auto& m, auto& d, auto& b, H p, auto& out) { coriolis_parameter_derivative(m, d, b, p, out.out()); });
    add(
        h, variant, "gravity_parameter_derivative", Pass::position, [](auto& m) { return Framed<S>(m.nv(), 1); },
        [](auto& m, auto& d, auto& x, auto& b, H p, auto& out) {
          gravity_parameter_derivative(m, d, x.q(), b, p, out.vector());
        },
        [](auto& m, auto& d, auto& b, H p, auto& out) { gravity_parameter_derivative(m, d, b, p, out.vector()); });
  }
}

}  // namespace corio::test
