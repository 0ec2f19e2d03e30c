#pragma once

#include "contracts/calls.hpp"

/// Regressors, their products, and derivatives with respect to parameters.
namespace corio::test {

/// Returns as many numbers as a selection of arguments has.
template <class S>
int parameters_of(const Model<S>& m, bool selected) {
  return 10 * (selected ? some_bodies(m) : static_cast<int>(m.bodies().size()));
}

/// A regressor Y and its products Y pi and Y^T z, of all bodies and of some.
/// @param z     the argument of the transpose product
/// @param rest  arguments after the state in all three, before their vector or result and the bodies
template <Pass pass, class S, class Y, class Product, class Transposed, class Z, class... Rest>
void add_regressor(Table<S>& table, std::vector<std::string> vectors, const char* name, Y fill,
                   const char* product_name, Product product, const char* transposed_name, Transposed transposed, Z z,
                   Rest... rest) {
  // Passes y as well, or x if x is free.
  std::vector<std::string> and_one = vectors;
  if (and_one.size() < 2) and_one.push_back("x");
  for (const bool selected : {false, true}) {
    const auto bodies = [selected](auto&, auto& all, auto&...) -> auto& { return selected ? all.some : all.all; };
    const auto pi = [selected](auto& m, auto& all) { return all.parameters(parameters_of(m, selected)); };
    const auto vector = [selected](auto& m) { return Framed<S>(parameters_of(m, selected), 1); };
    const auto matrix = [selected](auto& m) { return Framed<S>(m.nv(), parameters_of(m, selected)); };
    const char* variant = selected ? "some bodies" : "";
    table.template into<pass>(name, fill, matrix, rest..., given::matrix, bodies)
        .of(variant)
        .given(vectors)
        .float_tolerance = tolerance<float>();
    table.template add<pass>(product_name, product, rest..., pi, bodies).of(variant).given(vectors).float_tolerance =
        tolerance<float>();
    table.template into<pass>(transposed_name, transposed, vector, rest..., z, given::column, bodies)
        .of(variant)
        .given(and_one)
        .float_tolerance = tolerance<float>();
  }
}
#define CORIO_REGRESSOR(f) CORIO_FUNCTION(f), CORIO_FUNCTION(f##_product), CORIO_FUNCTION(f##_transpose_product)

template <class S>
void add_regressors(Table<S>& table) {
  using given::x, given::y, given::a;
  add_regressor<Pass::acceleration>(table, {}, CORIO_REGRESSOR(inverse_dynamics_regressor), x);
  // The transpose product uses a, which no other function here does.
  add_regressor<Pass::velocity>(table, {"v_r", "a_r"}, CORIO_REGRESSOR(slotine_li_regressor), a, x, y);
  add_regressor<Pass::velocity>(table, {}, CORIO_REGRESSOR(momentum_regressor), x);
  add_regressor<Pass::velocity>(table, {}, CORIO_REGRESSOR(coriolis_transpose_regressor), x);
  add_regressor<Pass::position>(table, {}, CORIO_REGRESSOR(gravity_regressor), x);

  for (const bool selected : {false, true}) {
    const auto bodies = [selected](auto&, auto& all, auto&...) -> auto& { return selected ? all.some : all.all; };
    const auto vector = [selected](auto& m) { return Framed<S>(parameters_of(m, selected), 1); };
    const char* variant = selected ? "some bodies" : "";
    table.template into<Pass::velocity>(CORIO_FUNCTION(kinetic_energy_regressor), vector, given::column, bodies)
        .of(variant)
        .float_tolerance = tolerance<float>();
    table.template into<Pass::position>(CORIO_FUNCTION(potential_energy_regressor), vector, given::column, bodies)
        .of(variant)
        .float_tolerance = tolerance<float>();
  }

  const auto square = [](auto& m) { return Framed<S>(m.nv(), m.nv()); };
  const auto vector = [](auto& m) { return Framed<S>(m.nv(), 1); };
  const auto last = [](auto& m, auto&...) -> auto& { return m.bodies().back(); };
  using H = InertialParameter;
  for (const auto& [h, variant] : {std::pair(H::mass, "mass"), std::pair(H::hz, "hz"), std::pair(H::Iyz, "Iyz")}) {
    const auto p = given::always(h);
    const auto of_last = [&, text = variant](Operation<S>& f) {
      f.of(text).needs_body = true, f.float_tolerance = tolerance<float>();
    };
    of_last(table.template into<Pass::position>(CORIO_FUNCTION(mass_matrix_parameter_derivative), square, last, p,
                                                given::matrix));
    of_last(table.template into<Pass::velocity>(CORIO_FUNCTION(coriolis_parameter_derivative), square, last, p,
                                                given::matrix));
    of_last(table.template into<Pass::position>(CORIO_FUNCTION(gravity_parameter_derivative), vector, last, p,
                                                given::column));
  }
}

}  // namespace corio::test
