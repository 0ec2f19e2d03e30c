#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corio/algorithms/regressors/energy_regressors.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "support/dynamics_support.hpp"

/// The regressors with nv rows as one table, for checks that apply to each of them.
namespace corio::test {

/// The same call for any state; x is pi, or the vector on the left.
template <class S>
struct Regressor {
  using M = const Model<S>&;
  using D = Data<S>&;
  using X = const VectorX<S>&;
  using Sel = const BodySelection&;
  struct State {
    VectorX<S> q, v, a, v_r;
  };
  std::string name, pass;
  std::function<void(M, D, const State&, MatrixOut<S>, Sel)> fill;
  std::function<VectorX<S>(M, D, const State&, X, Sel)> product;
  std::function<void(M, D, const State&, X, VectorOut<S>, Sel)> transpose_product;
  // Uses the state of the last pass.
  std::function<void(M, D, const State&, MatrixOut<S>, Sel)> refill;
  std::function<VectorX<S>(M, D, const State&, X, Sel)> product_again;
  std::function<void(M, D, const State&, X, VectorOut<S>, Sel)> transpose_product_again;
};

/// Lists inverse dynamics, Slotine and Li, momentum, C^T v and gravity.
template <class S>
std::vector<Regressor<S>> regressors() {
  return {
      {"inverse_dynamics_regressor", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& s, auto Y, auto& b) { inverse_dynamics_regressor(m, d, s.q, s.v, s.a, Y, b); },
       [](auto& m, auto& d, auto& s, auto& x, auto& b) -> VectorX<S> {
         return inverse_dynamics_regressor_product(m, d, s.q, s.v, s.a, x, b);
       },
       [](auto& m, auto& d, auto& s, auto& x, auto y, auto& b) {
         inverse_dynamics_regressor_transpose_product(m, d, s.q, s.v, s.a, x, y, b);
       },
       [](auto& m, auto& d, auto&, auto Y, auto& b) { inverse_dynamics_regressor(m, d, Y, b); },
       [](auto& m, auto& d, auto&, auto& x, auto& b) -> VectorX<S> {
         return inverse_dynamics_regressor_product(m, d, x, b);
       },
       [](auto& m, auto& d, auto&, auto& x, auto y, auto& b) {
         inverse_dynamics_regressor_transpose_product(m, d, x, y, b);
       }},
      {"slotine_li_regressor", "(model, data, q, v)",
       [](auto& m, auto& d, auto& s, auto Y, auto& b) { slotine_li_regressor(m, d, s.q, s.v, s.v_r, s.a, Y, b); },
       [](auto& m, auto& d, auto& s, auto& x, auto& b) -> VectorX<S> {
         return slotine_li_regressor_product(m, d, s.q, s.v, s.v_r, s.a, x, b);
       },
       [](auto& m, auto& d, auto& s, auto& x, auto y, auto& b) {
         slotine_li_regressor_transpose_product(m, d, s.q, s.v, s.v_r, s.a, x, y, b);
       },
       [](auto& m, auto& d, auto& s, auto Y, auto& b) { slotine_li_regressor(m, d, s.v_r, s.a, Y, b); },
       [](auto& m, auto& d, auto& s, auto& x, auto& b) -> VectorX<S> {
         return slotine_li_regressor_product(m, d, s.v_r, s.a, x, b);
       },
       [](auto& m, auto& d, auto& s, auto& x, auto y, auto& b) {
         slotine_li_regressor_transpose_product(m, d, s.v_r, s.a, x, y, b);
       }},
      {"momentum_regressor", "(model, data, q, v)",
       [](auto& m, auto& d, auto& s, auto Y, auto& b) { momentum_regressor(m, d, s.q, s.v, Y, b); },
       [](auto& m, auto& d, auto& s, auto& x, auto& b) -> VectorX<S> {
         return momentum_regressor_product(m, d, s.q, s.v, x, b);
       },
       [](auto& m, auto& d, auto& s, auto& x, auto y, auto& b) {
         momentum_regressor_transpose_product(m, d, s.q, s.v, x, y, b);
       },
       [](auto& m, auto& d, auto&, auto Y, auto& b) { momentum_regressor(m, d, Y, b); },
       [](auto& m, auto& d, auto&, auto& x, auto& b) -> VectorX<S> { return momentum_regressor_product(m, d, x, b); },
       [](auto& m, auto& d, auto&, auto& x, auto y, auto& b) { momentum_regressor_transpose_product(m, d, x, y, b); }},
      {"coriolis_transpose_regressor", "(model, data, q, v)",
       [](auto& m, auto& d, auto& s, auto Y, auto& b) { coriolis_transpose_regressor(m, d, s.q, s.v, Y, b); },
       [](auto& m, auto& d, auto& s, auto& x, auto& b) -> VectorX<S> {
         return coriolis_transpose_regressor_product(m, d, s.q, s.v, x, b);
       },
       [](auto& m, auto& d, auto& s, auto& x, auto y, auto& b) {
         coriolis_transpose_regressor_transpose_product(m, d, s.q, s.v, x, y, b);
       },
       [](auto& m, auto& d, auto&, auto Y, auto& b) { coriolis_transpose_regressor(m, d, Y, b); },
       [](auto& m, auto& d, auto&, auto& x, auto& b) -> VectorX<S> {
         return coriolis_transpose_regressor_product(m, d, x, b);
       },
       [](auto& m, auto& d, auto&, auto& x, auto y, auto& b) {
         coriolis_transpose_regressor_transpose_product(m, d, x, y, b);
       }},
      {"gravity_regressor", "(model, data, q)",
       [](auto& m, auto& d, auto& s, auto Y, auto& b) { gravity_regressor(m, d, s.q, Y, b); },
       [](auto& m, auto& d, auto& s, auto& x, auto& b) -> VectorX<S> {
         return gravity_regressor_product(m, d, s.q, x, b);
       },
       [](auto& m, auto& d, auto& s, auto& x, auto y, auto& b) {
         gravity_regressor_transpose_product(m, d, s.q, x, y, b);
       },
       [](auto& m, auto& d, auto&, auto Y, auto& b) { gravity_regressor(m, d, Y, b); },
       [](auto& m, auto& d, auto&, auto& x, auto& b) -> VectorX<S> { return gravity_regressor_product(m, d, x, b); },
       [](auto& m, auto& d, auto&, auto& x, auto y, auto& b) { gravity_regressor_transpose_product(m, d, x, y, b); }},
  };
}
inline constexpr int regressor_count = 5;

/// Returns one of them over double, compiled once.
const Regressor<double>& regressor(int i);

Regressor<double>::State state_of(Sample& s);

/// Returns the whole regressor, written into a matrix that was full of other numbers.
Matrixd filled(const Regressor<double>& of, const Model<double>& model, Data<double>& data,
               const Regressor<double>::State& state, const BodySelection& bodies = {});

}  // namespace corio::test
