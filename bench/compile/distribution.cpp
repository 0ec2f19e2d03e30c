// Compiled and compared by distribution.sh: prints robot, algorithm and nanoseconds.
#include <corio/corio.hpp>
#include <cstdio>

#include "timing.hpp"

namespace {

using corio::Data, corio::Model;

void time(const char* robot, const Model<double>& model) {
  Data<double> data(model);
  corio::ChristoffelTensor<double> Gamma(model);
  corio::PackedChristoffelTensor<double> packed(model);
  corio::InverseDynamicsSecondDerivativesResult<double> second(model);
  corio::MatrixX<double> Y(model.nv(), corio::num_inertial_parameters(model));
  const auto states = timing::random_states<double>(16, model.nq(), model.nv());
  const auto add = [&](const char* algorithm, auto f) {
    const double t = timing::nanoseconds(static_cast<int>(states.size()), [&] {
      for (const auto& s : states) f(s.q, s.v, s.a);
    });
    std::printf("%s %s %.1f\n", robot, algorithm, t);
    std::fflush(stdout);
  };
  add("forward_kinematics", [&](auto& q, auto& v, auto& a) { forward_kinematics(model, data, q, v, a); });
  add("rnea", [&](auto& q, auto& v, auto& a) { rnea(model, data, q, v, a); });
  add("nonlinear_effects", [&](auto& q, auto& v, auto&) { nonlinear_effects(model, data, q, v); });
  add("crba", [&](auto& q, auto&, auto&) { crba(model, data, q); });
  add("aba", [&](auto& q, auto& v, auto& a) { aba(model, data, q, v, a); });
  add("mass_matrix_inverse", [&](auto& q, auto&, auto&) { mass_matrix_inverse(model, data, q); });
  add("coriolis_matrix", [&](auto& q, auto& v, auto&) { coriolis_matrix(model, data, q, v); });
  add("christoffel_symbols", [&](auto& q, auto&, auto&) { christoffel_symbols(model, data, q, Gamma); });
  add("christoffel_symbols_packed", [&](auto& q, auto&, auto&) { christoffel_symbols(model, data, q, packed); });
  add("inverse_dynamics_derivatives",
      [&](auto& q, auto& v, auto& a) { inverse_dynamics_derivatives(model, data, q, v, a); });
  add("forward_dynamics_derivatives",
      [&](auto& q, auto& v, auto& a) { forward_dynamics_derivatives(model, data, q, v, a); });
  add("inverse_dynamics_second_derivatives",
      [&](auto& q, auto& v, auto& a) { inverse_dynamics_second_derivatives(model, data, q, v, a, second); });
  add("inverse_dynamics_regressor",
      [&](auto& q, auto& v, auto& a) { inverse_dynamics_regressor(model, data, q, v, a, Y); });
}

}  // namespace

int main() {
  time("chain_20", corio::zoo::serial_chain(20));
  time("tree_20", corio::zoo::binary_tree(20));
  time("arm_7", corio::zoo::serial_chain(7));
  time("quadruped_18", corio::zoo::quadruped(12));
  time("humanoid_36", corio::zoo::humanoid());
}
