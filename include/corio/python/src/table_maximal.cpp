#include "corio/mechanism/kinematics.hpp"
#include "line.hpp"

CORIO_TABLE(maximal) {
  static constexpr auto at = choice<BodyPoint>;
  constexpr auto wrenches = matrix<1>;
#define AT "at='center_of_mass'"
  CORIO_LINE(position, maximal_poses, "(q) -> rotation[b,3,3], translation[b,3]");
  CORIO_LINE(velocity, maximal_velocities, "(q, v, " AT ") -> V[6,b]", at);
  CORIO_LINE(acceleration, maximal_accelerations, "(q, v, a, " AT ") -> A[6,b]", at);
  CORIO_LINE(position, generalized_velocities, "(q, V[6,b], " AT ") -> v[v], residual[6,b]", wrenches, at);
  CORIO_LINE(position, least_squares_velocities, "(q, V[6,b], " AT ") -> v[v], residual[6,b]", wrenches, at);
  CORIO_LINE(position, generalized_forces, "(q, F[6,b], " AT ") -> Q[v]", wrenches, at);
  CORIO_LINE(position, cartesian_forces, "(q, Q, " AT ") -> F[6,b], residual[v]", vector<1>, at);
  CORIO_LINE(position, minimum_norm_forces, "(q, Q, " AT ") -> F[6,b], residual[v]", vector<1>, at);
  CORIO_LINE(position, body_wrenches, "(q, joints[6,b], " AT ") -> F[6,b]", wrenches, at);
  CORIO_LINE(position, joint_wrenches, "(q, F[6,b], " AT ") -> joints[6,b]", wrenches, at);
  CORIO_LINE(position, wrenches_at_points, "(q, tau, frames) -> forces[3,p], torques[3,b], residual[v]", vector<1>,
             places);
  t.add_call<models>("forward_kinematics(q, v, a, " AT ") -> rotation[b,3,3], translation[b,3], V[6,b], A[6,b]",
                     [](auto& r, auto& d, auto& x) {
                       if (!x.c.reuse) forward_kinematics(r, d, x.state(0), x.state(1), x.vector(2));
                       write_result(maximal_poses(r, d), x.out);
                       write_result(maximal_velocities(r, d, at(x)), x.out + 2);
                       write_result(maximal_accelerations(r, d, at(x)), x.out + 3);
                     });
#undef AT
  CORIO_LINE(velocity, lagrangian_form, "(q, v) -> M[v,v], C[v,v], g[v]");
}
