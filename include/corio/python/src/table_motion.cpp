#include "corio/identification/log_cholesky.hpp"
#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
#include "corio/spatial/groups.hpp"
#include "line.hpp"

/// Functions of a configuration, which have no Data.
#define CORIO_MANIFOLD(f, ...) \
  CORIO_ROBOTS(                \
      position, packs, [](auto& r, auto&, auto&&... y) -> decltype(f(r, y...)) { return f(r, y...); }, #f __VA_ARGS__)

/// Functions of rotations, twists and poses, which have no robot.
#define CORIO_GROUP(f, text, ...) t.add_call<no_robot>(#f text, [](auto&, auto&, auto& x) { x.write(f(__VA_ARGS__)); })

CORIO_TABLE(motion) {
  CORIO_MANIFOLD(integrate, "(q, dv) -> q[q]", x.vector(1));
  CORIO_MANIFOLD(difference, "(q0, q1) -> dv[v]", x.vector(1));
  CORIO_MANIFOLD(integrate_derivatives, "(q, dv) -> by_q[v,v], by_dv[v,v]", x.vector(1), x.out(), x.out(1));
  CORIO_MANIFOLD(difference_derivatives, "(q0, q1) -> by_q0[v,v], by_q1[v,v]", x.vector(1), x.out(), x.out(1));
  CORIO_MANIFOLD(integrate_transport, "(q, dv, J[v,v], argument='q') -> J[v,v]", x.vector(1), x.matrix(2), x.out(),
                 x.choice());
  CORIO_MANIFOLD(interpolate, "(q0, q1, t[]) -> q[q]", x.vector(1), x.number(2));
  CORIO_MANIFOLD(distance, "(q0, q1) -> d[]", x.vector(1));
  static constexpr auto rotation = [](auto& x) -> Matrix3<double> { return x.matrix(0); };
  static constexpr auto twist = [](auto& x) { return Motion<double>{x.three(0), x.vector(0).template tail<3>()}; };
  static constexpr auto pose = [](auto& x) { return Pose<double>{rotation(x), x.three(1)}; };
  CORIO_GROUP(exp3, "(w[3]) -> R[3,3]", x.three(0));
  CORIO_GROUP(log3, "(R[3,3]) -> w[3]", rotation(x));
  CORIO_GROUP(Jexp3, "(w[3]) -> J[3,3]", x.three(0));
  CORIO_GROUP(Jlog3, "(R[3,3]) -> J[3,3]", rotation(x));
  CORIO_GROUP(exp6, "(V[6]) -> rotation[3,3], translation[3]", twist(x));
  CORIO_GROUP(log6, "(rotation[3,3], translation[3]) -> V[6]", pose(x));
  CORIO_GROUP(Jexp6, "(V[6]) -> J[6,6]", twist(x));
  CORIO_GROUP(Jlog6, "(rotation[3,3], translation[3]) -> J[6,6]", pose(x));
  CORIO_GROUP(rotation_rpy, "(roll[], pitch[], yaw[]) -> R[3,3]", x.in[0][0], x.in[1][0], x.in[2][0]);
  CORIO_GROUP(rotation_from_quaternion, "(xyzw[4]) -> R[3,3]", Quaternion<double>(x.vector(0)));
  CORIO_GROUP(quaternion_from_rotation, "(R[3,3]) -> xyzw[4]", rotation(x));
  CORIO_GROUP(log_cholesky, "(pi[10]) -> theta[10]", InertialParameters<double>::from_parameters(x.vector(0)));
  t.add_call<no_robot>("from_log_cholesky(theta[10]) -> pi[10]",
                       [](auto&, auto&, auto& x) { x.write(from_log_cholesky<double>(x.vector(0)).vector()); });
  // The loops of a model, in the coordinates of its tree; a Mechanism has them in its independent speeds.
  CORIO_LINE(position, constraint_residual, "(q) -> k[c]", x.loops(), x.out_vector());
  CORIO_LINE(position, constraint_jacobian, "(q) -> K[c,v]", x.loops(), x.out());
  CORIO_LINE(velocity, constraint_jacobian_dot, "(q, v) -> Kdot[c,v]", x.loops(), x.out());
  CORIO_LINE(acceleration, constraint_jacobian_ddot, "(q, v, a) -> Kddot[c,v]", x.loops(), x.out());
  CORIO_LINE(velocity, constrained_forward_dynamics, "(q, v, tau, rate=0.0, external=None) -> a[v], lambda_[c]",
             x.loops(), x.vector(2), x.number(3), x.forces());
  t.add_call<models>(
      "constrained_forward_dynamics_derivatives(q, v, tau, rate=0.0, external=None) -> da_dq[v,v], da_dv[v,v], "
      "da_dtau[v,v], dlambda_dq[c,v], dlambda_dv[c,v], dlambda_dtau[c,v]",
      [](auto& r, auto& d, auto& x) {
        x.write(constrained_forward_dynamics_derivatives(r, d, x.loops(), x.vector(0), x.vector(1), x.vector(2),
                                                         x.number(3), x.forces()));
      },
      0);
  CORIO_LINE(velocity, constrained_impulse, "(q, v, restitution=0.0) -> v[v], Lambda[c]", x.loops(), x.number(2));
  CORIO_LINE(acceleration, constrained_inverse_dynamics,
             "(q, v, a, effort[t], external=None) -> tau[t], lambda_[c], missing[]", x.vector(3), x.forces());
  CORIO_LINE(acceleration, constrained_inverse_dynamics_derivatives,
             "(q, v, a, effort[t], external=None) -> dtau_dq[t,v], dtau_dv[t,v], dtau_da[t,v]", x.vector(3),
             x.forces());
}
