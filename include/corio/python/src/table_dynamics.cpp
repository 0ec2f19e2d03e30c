#include "corio/algorithms/regressors/body_parameter_derivatives.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "line.hpp"

/// A regressor Y(q, .., x..) with Y pi and Y^T z; input i is pi or z.
#define CORIO_REGRESSOR(pass, f, state, i, ...)                                                               \
  CORIO_LINE(pass, f, "(" state ") -> Y[v,10b]" __VA_OPT__(, ) __VA_ARGS__, x.out());                         \
  CORIO_LINE(pass, f##_product, "(" state ", pi[10b]) -> tau[v]" __VA_OPT__(, ) __VA_ARGS__, x.vector(i));    \
  CORIO_LINE(pass, f##_transpose_product, "(" state ", z) -> x[10b]" __VA_OPT__(, ) __VA_ARGS__, x.vector(i), \
             x.out_vector());

CORIO_TABLE(dynamics) {
  CORIO_PACKS(acceleration, rnea, "(q, v, a, external=None) -> tau[v]", x.forces());
  CORIO_PACKS(velocity, nonlinear_effects, "(q, v) -> tau[v]");
  CORIO_PACKS(position, generalized_gravity, "(q) -> tau[v]");
  CORIO_PACKS(velocity, generalized_momentum, "(q, v) -> p[v], drift[v]");
  CORIO_PACKS(velocity, aba, "(q, v, tau, external=None) -> a[v]", x.vector(2), x.forces());
  CORIO_LINE(velocity, hybrid_dynamics, "(q, v, a, tau, joints, external=None) -> a[v], tau[v]", x.vector(2),
             x.vector(3), x.joints(), x.forces());
  CORIO_LINE(acceleration, joint_reactions, "(q, v, a, external=None) -> reactions[6,b]", x.forces());
  CORIO_LINE(position, center_of_pressure, "(q, external=None, plane_point[3]=(0, 0, 0), normal[3]=(0, 0, 1)) -> p[3]",
             x.forces(), x.three(1), x.three(2));
  CORIO_PACKS(position, crba, "(q) -> M[v,v]");
  CORIO_LINE(position, mass_matrix, "(q) -> M[v,v]");
  CORIO_PACKS(position, mass_matrix_inverse, "(q) -> Minv[v,v]");
  CORIO_LINE(position, mass_matrix_inverse_product, "(q, x) -> y[v]", x.vector(1));
  CORIO_PACKS(velocity, passive_forces, "(q, v) -> tau[v]");
  CORIO_PACKS(velocity, kinetic_energy, "(q, v) -> T[]");
  CORIO_PACKS(position, potential_energy, "(q) -> U[]");
  CORIO_LINE(velocity, energy, "(q, v) -> kinetic[], potential[], springs[]");
  t.add_call(
      "step(q, v, tau, dt, integrator='semi_implicit_euler', friction='smooth') -> q[q], v[v]",
      [](auto& r, auto& d, auto& x) {
        auto q = x.out_vector();
        auto v = x.out_vector(1);
        q = x.state(0), v = x.state(1);
        step(r, d, q, v, x.vector(2), *x.in[3], x.choice(), x.choice(1));
      },
      0);

  CORIO_PACKS(velocity, coriolis_matrix, "(q, v) -> C[v,v], M[v,v], Mdot[v,v]");
  CORIO_LINE(acceleration, coriolis_matrix_dot, "(q, v, a) -> C[v,v], M[v,v], Mdot[v,v], Cdot[v,v]");
  CORIO_LINE(velocity, mass_matrix_dot, "(q, v) -> Mdot[v,v]");
  CORIO_PACKS(velocity, coriolis_product, "(q, v, v_r) -> tau[v]", x.vector(2));
  CORIO_LINE(velocity, coriolis_transpose_product, "(q, v, x) -> tau[v]", x.vector(2));
  CORIO_LINE(velocity, slotine_li_inverse_dynamics, "(q, v, v_r, a_r) -> tau[v]", x.vector(2), x.vector(3));

  CORIO_REGRESSOR(acceleration, inverse_dynamics_regressor, "q, v, a", 3)
  CORIO_REGRESSOR(velocity, slotine_li_regressor, "q, v, v_r, a_r", 4, x.vector(2), x.vector(3))
  CORIO_REGRESSOR(velocity, momentum_regressor, "q, v", 2)
  CORIO_REGRESSOR(velocity, coriolis_transpose_regressor, "q, v", 2)
  CORIO_REGRESSOR(position, gravity_regressor, "q", 1)
  CORIO_LINE(velocity, kinetic_energy_regressor, "(q, v) -> y[10b]", x.out_vector());
  CORIO_LINE(position, potential_energy_regressor, "(q) -> y[10b]", x.out_vector());
  CORIO_LINE(position, mass_matrix_parameter_derivative, "(q, frame, parameter) -> dM[v,v]", x.body(), x.choice(),
             x.out());
  CORIO_LINE(velocity, coriolis_parameter_derivative, "(q, v, frame, parameter) -> dC[v,v]", x.body(), x.choice(),
             x.out());
  CORIO_LINE(position, gravity_parameter_derivative, "(q, frame, parameter) -> dg[v]", x.body(), x.choice(),
             x.out_vector());
  CORIO_LINE(velocity, body_parameter_derivatives, "(q, v, frame) -> dM[10,v,v], dC[10,v,v], dg[v,10]", x.body(),
             object<BodyParameterDerivatives>(x));
  CORIO_LINE(acceleration, joint_regressor, "(q, v, a, smoothing=0.01) -> Y[v,4t]", object<MatrixX>(x), x.number(3));
}
