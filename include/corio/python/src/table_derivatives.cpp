#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/hessian.hpp"
#include "line.hpp"

CORIO_TABLE(derivatives) {
  CORIO_PACKS(acceleration, inverse_dynamics_derivatives,
              "(q, v, a, external={}) -> dtau_dq[v,v], dtau_dv[v,v], M[v,v]", forces);
  CORIO_PACKS(velocity, forward_dynamics_derivatives,
              "(q, v, tau, external={}) -> da_dq[v,v], da_dv[v,v], da_dtau[v,v]", vector<2>, forces);
  CORIO_LINE(acceleration, hybrid_dynamics_derivatives,
             "(q, v, a, joints, external={}) -> dz_dq[v,v], dz_dv[v,v], dz_du[v,v]", joints, forces);
  CORIO_LINE(acceleration, inverse_dynamics_time_derivative, "(q, v, a, jerk, external={}) -> tau[v], tau_dot[v]",
             vector<3>, forces);
  CORIO_LINE(velocity, gravity_dot, "(q, v) -> gdot[v]");
  CORIO_LINE(position, gravity_derivatives, "(q) -> dg_dq[v,v]");
  CORIO_LINE(velocity, passive_force_derivatives, "(q, v) -> dtau_dq[v,v], dtau_dv[v,v]");
  CORIO_LINE(position, mass_matrix_derivatives, "(q) -> dM_dq[v,v,v]", object<MassMatrixDerivativesResult>);
  CORIO_LINE(velocity, coriolis_matrix_derivatives, "(q, v) -> dC_dq[v,v,v]", object<CoriolisMatrixDerivativesResult>);
  CORIO_LINE(acceleration, inverse_dynamics_hessian,
             "(q, v, a, lambda_, external={}) -> qq[v,v], vq[v,v], vv[v,v], aq[v,v]", vector<3>, forces);
  CORIO_LINE(velocity, forward_dynamics_hessian,
             "(q, v, tau, lambda_, external={}) -> qq[v,v], vq[v,v], vv[v,v], tau_q[v,v]", vector<2>, vector<3>,
             forces);
  CORIO_LINE(acceleration, inverse_dynamics_second_derivatives,
             "(q, v, a, external={}) -> d2tau_dqdq[v,v,v], d2tau_dvdq[v,v,v], d2tau_dvdv[v,v,v], dM_dq[v,v,v]",
             object<InverseDynamicsSecondDerivativesResult>, forces);
}
