#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/hessian.hpp"
#include "line.hpp"

CORIO_TABLE(derivatives) {
  CORIO_PACKS(acceleration, inverse_dynamics_derivatives,
              "(q, v, a, external=None) -> dtau_dq[v,v], dtau_dv[v,v], M[v,v]", x.forces());
  CORIO_PACKS(velocity, forward_dynamics_derivatives,
              "(q, v, tau, external=None) -> da_dq[v,v], da_dv[v,v], da_dtau[v,v]", x.vector(2), x.forces());
  CORIO_LINE(acceleration, hybrid_dynamics_derivatives,
             "(q, v, a, joints, external=None) -> dz_dq[v,v], dz_dv[v,v], dz_du[v,v]", x.joints(), x.forces());
  CORIO_LINE(acceleration, inverse_dynamics_time_derivative, "(q, v, a, jerk, external=None) -> tau[v], tau_dot[v]",
             x.vector(3), x.forces());
  CORIO_LINE(velocity, gravity_dot, "(q, v) -> gdot[v]");
  CORIO_LINE(position, gravity_derivatives, "(q) -> dg_dq[v,v]");
  CORIO_LINE(velocity, passive_force_derivatives, "(q, v) -> dtau_dq[v,v], dtau_dv[v,v]");
  CORIO_LINE(position, mass_matrix_derivatives, "(q) -> dM_dq[v,v,v]", object<MassMatrixDerivativesResult>(x));
  CORIO_LINE(velocity, coriolis_matrix_derivatives, "(q, v) -> dC_dq[v,v,v]",
             object<CoriolisMatrixDerivativesResult>(x));
  CORIO_LINE(acceleration, inverse_dynamics_hessian,
             "(q, v, a, lambda_, external=None) -> qq[v,v], vq[v,v], vv[v,v], aq[v,v]", x.vector(3), x.forces());
  CORIO_LINE(velocity, forward_dynamics_hessian,
             "(q, v, tau, lambda_, external=None) -> qq[v,v], vq[v,v], vv[v,v], tau_q[v,v]", x.vector(2), x.vector(3),
             x.forces());
  CORIO_LINE(acceleration, inverse_dynamics_second_derivatives,
             "(q, v, a, external=None) -> d2tau_dqdq[v,v,v], d2tau_dvdq[v,v,v], d2tau_dvdv[v,v,v], dM_dq[v,v,v]",
             object<InverseDynamicsSecondDerivativesResult>(x), x.forces());
}
