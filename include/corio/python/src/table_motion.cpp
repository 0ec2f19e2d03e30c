#include "corio/identification/log_cholesky.hpp"
#include "corio/spatial/groups.hpp"
#include "line.hpp"

/// Functions of a configuration, which have no Data.
#define CORIO_MANIFOLD(f, text, ...) \
  t.add<Pass::position, packs>(      \
      #f text, [](auto& r, auto&, auto&&... x) -> decltype(f(r, x...)) { return f(r, x...); }, __VA_ARGS__)

/// Functions of rotations, twists and poses, which have no robot.
#define CORIO_GROUP(f, text, ...) \
  t.add_call<no_robot>(#f text, [](auto&, auto&, auto& x) { write_result(f(__VA_ARGS__), x.out); })

CORIO_TABLE(motion) {
  CORIO_MANIFOLD(integrate, "(q, dv) -> q[q]", vector<1>);
  CORIO_MANIFOLD(difference, "(q0, q1) -> dv[v]", vector<1>);
  CORIO_MANIFOLD(integrate_derivatives, "(q, dv) -> by_q[v,v], by_dv[v,v]", vector<1>, out<0>, out<1>);
  CORIO_MANIFOLD(difference_derivatives, "(q0, q1) -> by_q0[v,v], by_q1[v,v]", vector<1>, out<0>, out<1>);
  CORIO_MANIFOLD(integrate_transport, "(q, dv, J[v,v], argument='q') -> J[v,v]", vector<1>, matrix<2>, out<0>,
                 choice<IntegrateArgument>);
  CORIO_MANIFOLD(interpolate, "(q0, q1, t[]) -> q[q]", vector<1>, scalar<2>);
  CORIO_MANIFOLD(distance, "(q0, q1) -> d[]", vector<1>);
  static constexpr auto rotation = [](auto& x) -> Matrix3<double> { return matrix<0>(x); };
  static constexpr auto twist = [](auto& x) { return Motion<double>{three<0>(x), x.vector(0).template tail<3>()}; };
  static constexpr auto pose = [](auto& x) { return Pose<double>{rotation(x), three<1>(x)}; };
  CORIO_GROUP(exp3, "(w[3]) -> R[3,3]", three<0>(x));
  CORIO_GROUP(log3, "(R[3,3]) -> w[3]", rotation(x));
  CORIO_GROUP(Jexp3, "(w[3]) -> J[3,3]", three<0>(x));
  CORIO_GROUP(Jlog3, "(R[3,3]) -> J[3,3]", rotation(x));
  CORIO_GROUP(exp6, "(V[6]) -> rotation[3,3], translation[3]", twist(x));
  CORIO_GROUP(log6, "(rotation[3,3], translation[3]) -> V[6]", pose(x));
  CORIO_GROUP(Jexp6, "(V[6]) -> J[6,6]", twist(x));
  CORIO_GROUP(Jlog6, "(rotation[3,3], translation[3]) -> J[6,6]", pose(x));
  CORIO_GROUP(rotation_rpy, "(roll[], pitch[], yaw[]) -> R[3,3]", x.in[0][0], x.in[1][0], x.in[2][0]);
  CORIO_GROUP(rotation_from_quaternion, "(xyzw[4]) -> R[3,3]", Quaternion<double>(x.vector(0)));
  CORIO_GROUP(quaternion_from_rotation, "(R[3,3]) -> xyzw[4]", rotation(x));
  CORIO_GROUP(log_cholesky, "(pi[10]) -> theta[10]", InertialParameters<double>::from_parameters(x.vector(0)));
  t.add_call<no_robot>("from_log_cholesky(theta[10]) -> pi[10]", [](auto&, auto&, auto& x) {
    write_result(from_log_cholesky<double>(x.vector(0)).vector(), x.out);
  });
  // The loops of a model, in the coordinates of its tree; a Mechanism has them in its independent speeds.
  CORIO_LINE(position, constraint_residual, "(q) -> k[c]", loops, out_vector<0>);
  CORIO_LINE(position, constraint_jacobian, "(q) -> K[c,v]", loops, out<0>);
  CORIO_LINE(velocity, constraint_jacobian_dot, "(q, v) -> Kdot[c,v]", loops, out<0>);
  CORIO_LINE(acceleration, constraint_jacobian_ddot, "(q, v, a) -> Kddot[c,v]", loops, out<0>);
  CORIO_LINE(velocity, constrained_forward_dynamics, "(q, v, tau, rate=0.0, external={}) -> a[v], lambda_[c]", loops,
             vector<2>, number<>, forces);
  t.add<Pass::velocity>(
      "constrained_forward_dynamics_derivatives(q, v, tau, rate=0.0, external={}) -> da_dq[v,v], da_dv[v,v], "
      "da_dtau[v,v], dlambda_dq[c,v], dlambda_dv[c,v], dlambda_dtau[c,v]",
      [](auto& r, auto& d, auto&& q, auto&& v, auto& l,
         auto&... x) -> decltype(constrained_forward_dynamics_derivatives(r, d, l, q, v, x...)) {
        return constrained_forward_dynamics_derivatives(r, d, l, q, v, x...);
      },
      loops, vector<2>, number<>, forces);
  CORIO_LINE(velocity, constrained_impulse, "(q, v, restitution=0.0) -> v[v], Lambda[c]", loops, number<>);
  CORIO_LINE(acceleration, constrained_inverse_dynamics,
             "(q, v, a, effort[t], external={}) -> tau[t], lambda_[c], missing[]", vector<3>, forces);
  CORIO_LINE(acceleration, constrained_inverse_dynamics_derivatives,
             "(q, v, a, effort[t], external={}) -> dtau_dq[t,v], dtau_dv[t,v], dtau_da[t,v]", vector<3>, forces);
}
