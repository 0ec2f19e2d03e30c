#include "corio/algorithms/regressors/body_parameter_derivatives.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/mechanism/regressors.hpp"
#include "line.hpp"

/// A regressor Y(q, .., x..) with Y pi and Y^T z; input i is pi or z.
#define CORIO_REGRESSOR(pass, f, state, i, ...)                                                             \
  CORIO_LINE(pass, f, "(" state ") -> Y[v,10b]" __VA_OPT__(, ) __VA_ARGS__, out<0>);                        \
  CORIO_LINE(pass, f##_product, "(" state ", pi[10b]) -> tau[v]" __VA_OPT__(, ) __VA_ARGS__, vector<i>);    \
  CORIO_LINE(pass, f##_transpose_product, "(" state ", z) -> x[10b]" __VA_OPT__(, ) __VA_ARGS__, vector<i>, \
             out_vector<0>);

CORIO_TABLE(regressors) {
  constexpr auto parameter = choice<InertialParameter>;
  CORIO_REGRESSOR(acceleration, inverse_dynamics_regressor, "q, v, a", 3)
  CORIO_REGRESSOR(velocity, slotine_li_regressor, "q, v, v_r, a_r", 4, vector<2>, vector<3>)
  CORIO_REGRESSOR(velocity, momentum_regressor, "q, v", 2)
  CORIO_REGRESSOR(velocity, coriolis_transpose_regressor, "q, v", 2)
  CORIO_REGRESSOR(position, gravity_regressor, "q", 1)
  CORIO_LINE(velocity, kinetic_energy_regressor, "(q, v) -> y[10b]", out_vector<0>);
  CORIO_LINE(position, potential_energy_regressor, "(q) -> y[10b]", out_vector<0>);
  CORIO_LINE(position, mass_matrix_parameter_derivative, "(q, frame, parameter) -> dM[v,v]", body, parameter, out<0>);
  CORIO_LINE(velocity, coriolis_parameter_derivative, "(q, v, frame, parameter) -> dC[v,v]", body, parameter, out<0>);
  CORIO_LINE(position, gravity_parameter_derivative, "(q, frame, parameter) -> dg[v]", body, parameter, out_vector<0>);
  CORIO_LINE(velocity, body_parameter_derivatives, "(q, v, frame) -> dM[10,v,v], dC[10,v,v], dg[v,10]", body,
             object<BodyParameterDerivatives>);
  CORIO_LINE(acceleration, joint_regressor, "(q, v, a, smoothing=0.01) -> Y[v,4t]", object<Resized>, number<>);
}
