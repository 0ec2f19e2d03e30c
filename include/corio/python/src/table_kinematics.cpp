#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"
#include "corio/algorithms/derivatives/com_jacobian_derivatives.hpp"
#include "corio/algorithms/derivatives/jacobian_dot_derivatives.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/cartesian/lagrangian.hpp"
#include "corio/cartesian/pseudo_inverse.hpp"
#include "corio/cartesian/wrenches_at_points.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/kinematics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "line.hpp"

CORIO_TABLE(kinematics) {
#define AT "frame, reference='body', point[3]=(0, 0, 0)"
  t.add_call<all | packs>("body_pose(q, frame) -> rotation[3,3], translation[3]", [](auto& r, auto& d, auto& x) {
    if (!x.c.reuse) body_kinematics(r, d, x.state(0), x.frame());
    x.write(body_pose(r, d, x.frame()));
  });
  CORIO_LINE(velocity, body_velocity, "(q, v, " AT ") -> V[6]", x.place());
  CORIO_LINE(acceleration, body_acceleration, "(q, v, a, " AT ") -> A[6]", x.place());
  CORIO_LINE(acceleration, body_classical_acceleration, "(q, v, a, " AT ") -> A[6]", x.place());
  CORIO_LINE(position, body_jacobian, "(q, " AT ") -> J[6,v]", x.place(), x.out());
  CORIO_LINE(velocity, body_jacobian_dot, "(q, v, " AT ") -> Jdot[6,v]", x.place(), x.out());
  CORIO_LINE(acceleration, body_jacobian_ddot, "(q, v, a, " AT ") -> Jddot[6,v]", x.place(), x.out());
  CORIO_LINE(position, body_position_jacobian, "(q, " AT ") -> J[3,v]", x.place(), x.out());
  CORIO_LINE(velocity, body_position_jacobian_dot, "(q, v, " AT ") -> Jdot[3,v]", x.place(), x.out());
  CORIO_LINE(position, body_jacobian_derivatives, "(q, " AT ") -> dJ_dq[6,v,v], J[6,v]", x.place(),
             object<JacobianDerivatives>(x));
  CORIO_LINE(velocity, body_jacobian_dot_derivatives, "(q, v, " AT ") -> dJdot_dq[6,v,v], Jdot[6,v]", x.place(),
             object<JacobianDerivatives>(x));
  CORIO_LINE(velocity, body_velocity_derivatives, "(q, v, " AT ") -> dV_dq[6,v]", x.place(), x.out());
  CORIO_LINE(acceleration, body_acceleration_derivatives,
             "(q, v, a, " AT ", acceleration='spatial') -> da_dq[6,v], da_dv[6,v]", x.place(), x.out(), x.out(1),
             x.choice());
  t.add_call("body_kinematics(q, v, a, " AT ") -> rotation[3,3], translation[3], V[6], A[6]",
             [](auto& r, auto& d, auto& x) {
               if (!x.c.reuse) body_kinematics(r, d, x.state(0), x.state(1), x.state(2), x.place());
               x.write(body_pose(r, d, x.frame()));
               x.write(body_velocity(r, d, x.place()));
               x.write(body_acceleration(r, d, x.place()));
             });
#undef AT
  CORIO_LINE(position, relative_pose, "(q, base, frame) -> rotation[3,3], translation[3]", x.place(), x.place(1));
  CORIO_LINE(velocity, relative_velocity, "(q, v, base, frame) -> V[6]", x.place(), x.place(1));
  CORIO_LINE(position, relative_jacobian, "(q, base, frame) -> J[6,v]", x.place(), x.place(1), x.out());
  CORIO_LINE(velocity, relative_jacobian_dot, "(q, v, base, frame) -> Jdot[6,v]", x.place(), x.place(1), x.out());
  CORIO_LINE(position, center_of_mass, "(q) -> c[3]");
  CORIO_LINE(velocity, center_of_mass_velocity, "(q, v) -> cdot[3]");
  CORIO_LINE(acceleration, center_of_mass_acceleration, "(q, v, a) -> cddot[3]");
  CORIO_LINE(position, com_jacobian, "(q) -> J[3,v]");
  CORIO_LINE(velocity, com_jacobian_dot, "(q, v) -> Jdot[3,v]");
  CORIO_LINE(acceleration, com_jacobian_ddot, "(q, v, a) -> Jddot[3,v]");
  t.add_call<models>("com_jacobian_derivatives(q) -> D[3,v,v]", [](auto& r, auto& d, auto& x) {
    if (!x.c.reuse) forward_kinematics(r, d, x.state(0));
    const int n = r.nv();
    MatrixX<double> D(3, n * n);  // D(i, l n + k)
    com_jacobian_derivatives(r, d, D);
    for (int i = 0; i < 3; ++i) Eigen::Map<RowMajor<double>>(x.outputs[0] + i * n * n, n, n) = D.row(i).reshaped(n, n);
  });
  t.add_call("subtree_mass(frame) -> m[]", [](auto& r, auto&, auto& x) { x.write(subtree_mass(r, x.frame())); });
  CORIO_LINE(position, subtree_center_of_mass, "(q, frame) -> c[3]", x.frame());
  CORIO_LINE(position, subtree_centers_of_mass, "(q) -> c[3,b]", x.out());
  CORIO_LINE(position, subtree_com_jacobian, "(q, frame) -> J[3,v]", x.frame(), x.out());
  CORIO_LINE(position, subtree_com_jacobians, "(q) -> J[b,3,v]", x.out());
  CORIO_LINE(position, centroidal_momentum_matrix, "(q) -> A[6,v]");
  CORIO_LINE(velocity, centroidal_momentum_matrix_dot, "(q, v) -> Adot[6,v]");
  CORIO_LINE(velocity, centroidal_momentum, "(q, v) -> h[6]");
  CORIO_LINE(acceleration, centroidal_momentum_dot, "(q, v, a) -> hdot[6]");
  CORIO_LINE(acceleration, centroidal_momentum_derivatives,
             "(q, v, a) -> dh_dq[6,v], dhdot_dq[6,v], dhdot_dv[6,v], A[6,v]");

#define AT "at='center_of_mass'"
  CORIO_LINE(position, maximal_poses, "(q) -> rotation[b,3,3], translation[b,3]");
  CORIO_LINE(velocity, maximal_velocities, "(q, v, " AT ") -> V[6,b]", x.choice());
  CORIO_LINE(acceleration, maximal_accelerations, "(q, v, a, " AT ") -> A[6,b]", x.choice());
  CORIO_LINE(position, generalized_velocities, "(q, V[6,b], " AT ") -> v[v], residual[6,b]", x.matrix(1), x.choice());
  CORIO_LINE(position, least_squares_velocities, "(q, V[6,b], " AT ") -> v[v], residual[6,b]", x.matrix(1), x.choice());
  CORIO_LINE(position, generalized_forces, "(q, F[6,b], " AT ") -> Q[v]", x.matrix(1), x.choice());
  CORIO_LINE(position, cartesian_forces, "(q, Q, " AT ") -> F[6,b], residual[v]", x.vector(1), x.choice());
  CORIO_LINE(position, minimum_norm_forces, "(q, Q, " AT ") -> F[6,b], residual[v]", x.vector(1), x.choice());
  CORIO_LINE(position, body_wrenches, "(q, joints[6,b], " AT ") -> F[6,b]", x.matrix(1), x.choice());
  CORIO_LINE(position, joint_wrenches, "(q, F[6,b], " AT ") -> joints[6,b]", x.matrix(1), x.choice());
  CORIO_LINE(position, wrenches_at_points, "(q, tau, frames) -> forces[3,p], torques[3,b], residual[v]", x.vector(1),
             x.places());
  t.add_call<models>("forward_kinematics(q, v, a, " AT ") -> rotation[b,3,3], translation[b,3], V[6,b], A[6,b]",
                     [](auto& r, auto& d, auto& x) {
                       if (!x.c.reuse) forward_kinematics(r, d, x.state(0), x.state(1), x.vector(2));
                       x.write(maximal_poses(r, d));
                       x.write(maximal_velocities(r, d, x.choice()));
                       x.write(maximal_accelerations(r, d, x.choice()));
                     });
#undef AT
  CORIO_LINE(velocity, lagrangian_form, "(q, v) -> M[v,v], C[v,v], g[v]");
}
