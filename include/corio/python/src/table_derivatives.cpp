#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/hessian.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

void add_derivatives(Table& t) {
  constexpr int fast = models | packs;
  t.add<Pass::acceleration, fast>(
      "inverse_dynamics_derivatives(q, v, a, external={}) -> dtau_dq[v,v], dtau_dv[v,v], M[v,v]",
      CORIO_FUNCTION(inverse_dynamics_derivatives), forces);
  t.add<Pass::velocity, fast>(
      "forward_dynamics_derivatives(q, v, tau, external={}) -> da_dq[v,v], da_dv[v,v], da_dtau[v,v]",
      CORIO_FUNCTION(forward_dynamics_derivatives), vector<2>, forces);
  t.add<Pass::acceleration>(
      "hybrid_dynamics_derivatives(q, v, a, joints, external={}) -> dz_dq[v,v], dz_dv[v,v], dz_du[v,v]",
      CORIO_FUNCTION(hybrid_dynamics_derivatives), speeds, forces);
  t.add<Pass::acceleration>("inverse_dynamics_time_derivative(q, v, a, jerk, external={}) -> tau[v], tau_dot[v]",
                            CORIO_FUNCTION(inverse_dynamics_time_derivative), vector<3>, forces);
  t.add<Pass::velocity>("gravity_dot(q, v) -> gdot[v]", CORIO_FUNCTION(gravity_dot));
  t.add<Pass::position>("gravity_derivatives(q) -> dg_dq[v,v]", CORIO_FUNCTION(gravity_derivatives));
  t.add<Pass::velocity>("passive_force_derivatives(q, v) -> dtau_dq[v,v], dtau_dv[v,v]",
                        CORIO_FUNCTION(passive_force_derivatives));
  t.into_object<Pass::position>("mass_matrix_derivatives(q) -> dM_dq[v,v,v]", CORIO_FUNCTION(mass_matrix_derivatives),
                                make<MassMatrixDerivativesResult>);
  t.into_object<Pass::velocity>("coriolis_matrix_derivatives(q, v) -> dC_dq[v,v,v]",
                                CORIO_FUNCTION(coriolis_matrix_derivatives), make<CoriolisMatrixDerivativesResult>);
  t.add<Pass::acceleration>(
      "inverse_dynamics_hessian(q, v, a, lambda_, external={}) -> qq[v,v], vq[v,v], vv[v,v], aq[v,v]",
      CORIO_FUNCTION(inverse_dynamics_hessian), vector<3>, forces);
  t.add<Pass::velocity>(
      "forward_dynamics_hessian(q, v, tau, lambda_, external={}) -> qq[v,v], vq[v,v], vv[v,v], tau_q[v,v]",
      CORIO_FUNCTION(forward_dynamics_hessian), vector<2>, vector<3>, forces);
  t.add_call<models>(
      "inverse_dynamics_second_derivatives(q, v, a, external={}) -> d2tau_dqdq[v,v,v], d2tau_dvdq[v,v,v], "
      "d2tau_dvdv[v,v,v], dM_dq[v,v,v]",
      [](auto& r, auto& d, auto& x) {
        InverseDynamicsSecondDerivativesResult<double> all(r);
        if (x.c.reuse)
          inverse_dynamics_second_derivatives(r, d, all, forces(x));
        else
          inverse_dynamics_second_derivatives(r, d, x.q(0), x.v(1), x.v(2), all, forces(x));
        write_result(all, x.out);
      });
}

}  // namespace corio::python
