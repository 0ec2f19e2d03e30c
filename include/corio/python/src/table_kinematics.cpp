#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/kinematics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

namespace {

template <int rows>
constexpr auto rows_by_speeds = [](auto& r) { return std::pair(rows, r.nv()); };

/// A motion of one place, after a pass that moves only the bodies that carry it.
template <Pass pass, class F>
auto of_place(F) {
  return [](auto& r, auto& d, auto& x) {
    const auto where = x.place(0);
    if constexpr (pass == Pass::velocity) {
      if (!x.c.reuse) body_kinematics(r, d, x.q(0), x.v(1), where, "body_velocity");
    } else {
      if (!x.c.reuse) body_kinematics(r, d, x.q(0), x.v(1), x.v(2), where, "body_acceleration");
    }
    write_result(F()(r, d, where), x.out);
  };
}

}  // namespace

void add_kinematics(Table& t) {
  t.add_call<all | packs>("body_pose(q, frame) -> rotation[3,3], translation[3]", [](auto& r, auto& d, auto& x) {
    const auto& frame = r.tree().frame(x.c.places[0].frame);
    if (!x.c.reuse) body_kinematics(r, d, x.q(0), frame, "body_pose");
    write_result(body_pose(r, d, frame), x.out);
  });
  t.add_call("body_velocity(q, v, frame, reference='body', point=(0, 0, 0)) -> V[6]",
             of_place<Pass::velocity>(CORIO_FUNCTION(body_velocity)));
  t.add_call("body_acceleration(q, v, a, frame, reference='body', point=(0, 0, 0)) -> A[6]",
             of_place<Pass::acceleration>(CORIO_FUNCTION(body_acceleration)));
  t.add_call("body_classical_acceleration(q, v, a, frame, reference='body', point=(0, 0, 0)) -> A[6]",
             of_place<Pass::acceleration>(CORIO_FUNCTION(body_classical_acceleration)));
  t.into<Pass::position>("body_jacobian(q, frame, reference='body', point=(0, 0, 0)) -> J[6,v]",
                         CORIO_FUNCTION(body_jacobian), rows_by_speeds<6>, place<0>);
  t.into<Pass::velocity>("body_jacobian_dot(q, v, frame, reference='body', point=(0, 0, 0)) -> Jdot[6,v]",
                         CORIO_FUNCTION(body_jacobian_dot), rows_by_speeds<6>, place<0>);
  t.into<Pass::acceleration>("body_jacobian_ddot(q, v, a, frame, reference='body', point=(0, 0, 0)) -> Jddot[6,v]",
                             CORIO_FUNCTION(body_jacobian_ddot), rows_by_speeds<6>, place<0>);
  t.into<Pass::position>("body_position_jacobian(q, frame, reference='body', point=(0, 0, 0)) -> J[3,v]",
                         CORIO_FUNCTION(body_position_jacobian), rows_by_speeds<3>, place<0>);
  t.into<Pass::velocity>("body_position_jacobian_dot(q, v, frame, reference='body', point=(0, 0, 0)) -> Jdot[3,v]",
                         CORIO_FUNCTION(body_position_jacobian_dot), rows_by_speeds<3>, place<0>);
  t.into<Pass::velocity>("body_velocity_derivatives(q, v, frame, reference='body', point=(0, 0, 0)) -> dV_dq[6,v]",
                         CORIO_FUNCTION(body_velocity_derivatives), rows_by_speeds<6>, place<0>);
  t.add_call<models>("relative_pose(q, base, frame) -> rotation[3,3], translation[3]", [](auto& r, auto& d, auto& x) {
    if (!x.c.reuse) forward_kinematics(r, d, x.q(0));
    write_result(relative_pose(r, d, x.place(0), x.place(1)), x.out);
  });
  t.add_call<models>("relative_velocity(q, v, base, frame) -> V[6]", [](auto& r, auto& d, auto& x) {
    if (!x.c.reuse) forward_kinematics(r, d, x.q(0), x.v(1));
    write_result(relative_velocity(r, d, x.place(0), x.place(1)), x.out);
  });
  t.into<Pass::position>("relative_jacobian(q, base, frame) -> J[6,v]", CORIO_FUNCTION(relative_jacobian),
                         rows_by_speeds<6>, place<0>, place<1>);
  t.into<Pass::velocity>("relative_jacobian_dot(q, v, base, frame) -> Jdot[6,v]", CORIO_FUNCTION(relative_jacobian_dot),
                         rows_by_speeds<6>, place<0>, place<1>);
  t.add<Pass::position>("center_of_mass(q) -> c[3]", CORIO_FUNCTION(center_of_mass));
  t.add<Pass::velocity>("center_of_mass_velocity(q, v) -> cdot[3]", CORIO_FUNCTION(center_of_mass_velocity));
  t.add<Pass::acceleration>("center_of_mass_acceleration(q, v, a) -> cddot[3]",
                            CORIO_FUNCTION(center_of_mass_acceleration));
  t.add<Pass::position>("com_jacobian(q) -> J[3,v]", CORIO_FUNCTION(com_jacobian));
  t.add<Pass::velocity>("com_jacobian_dot(q, v) -> Jdot[3,v]", CORIO_FUNCTION(com_jacobian_dot));
  t.add<Pass::acceleration>("com_jacobian_ddot(q, v, a) -> Jddot[3,v]", CORIO_FUNCTION(com_jacobian_ddot));
  t.add<Pass::position>("centroidal_momentum_matrix(q) -> A[6,v]", CORIO_FUNCTION(centroidal_momentum_matrix));
  t.add<Pass::velocity>("centroidal_momentum_matrix_dot(q, v) -> Adot[6,v]",
                        CORIO_FUNCTION(centroidal_momentum_matrix_dot));
  t.add<Pass::velocity>("centroidal_momentum(q, v) -> h[6]", CORIO_FUNCTION(centroidal_momentum));
  t.add<Pass::acceleration>("centroidal_momentum_dot(q, v, a) -> hdot[6]", CORIO_FUNCTION(centroidal_momentum_dot));
  t.add<Pass::acceleration>(
      "centroidal_momentum_derivatives(q, v, a) -> dh_dq[6,v], dhdot_dq[6,v], dhdot_dv[6,v], A[6,v]",
      CORIO_FUNCTION(centroidal_momentum_derivatives));
}

}  // namespace corio::python
