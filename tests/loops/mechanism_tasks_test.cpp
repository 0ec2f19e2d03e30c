#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "loops/mechanism_in_motion.hpp"
#include "support/catch.hpp"

// Tests the functions that controllers call for tasks of mechanisms (frames, pairs of frames, subtrees and the
// momentum) against complex steps along motions that keep the loops closed.

namespace loops_test {
namespace {

struct PlaceOfMechanism {
  ReferenceFrame reference;
  bool last;

  template <class S>
  FramePoint<S> on(const Model<S>& model) const {
    const auto& bodies = model.bodies();
    return {last ? bodies.back() : bodies[bodies.size() / 2], reference, {S(0.1), S(-0.2), S(0.3)}};
  }
};
std::vector<PlaceOfMechanism> places_of_mechanism() {
  std::vector<PlaceOfMechanism> all;
  for (const auto reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned})
    for (const bool last : {false, true}) all.push_back({reference, last});
  return all;
}

/// For functions of the state (robot, data), with q, y and dy/dt: derivatives along each speed and with respect to each
/// speed.
template <class F>
std::pair<MatrixXd, MatrixXd> state_derivatives(const InMotion& s, F&& f) {
  ComplexStep step(s.over_complex());
  const auto at = [&](const auto& robot, auto& data, const auto& q, const auto& y) {
    using C = InMotion::Complex;
    const VectorX<C> ydot = s.ydot.cast<C>();
    forward_kinematics<C>(robot, data, q, y, ydot);
    return f(robot, data);
  };
  const int n = s.mechanism.nv();
  std::pair<MatrixXd, MatrixXd> result;
  for (int k = 0; k < n; ++k) {
    const VectorXd by_q = step.along_q(s.q, s.y, k, at), by_y = step.along_v(s.q, s.y, k, at);
    if (k == 0) result.first.resize(by_q.size(), n), result.second.resize(by_q.size(), n);
    result.first.col(k) = by_q, result.second.col(k) = by_y;
  }
  return result;
}

}  // namespace

TEST_CASE("derivatives of tasks of a mechanism are complex steps along its motions", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const int n = s.mechanism.nv();
  for (const PlaceOfMechanism& point : places_of_mechanism()) {
    CAPTURE(static_cast<int>(point.reference), point.last);
    const auto where = point.on(s.model);
    MatrixXd V_q(6, n), a_q(6, n), a_y(6, n), c_q(6, n), c_y(6, n), J(6, n);
    body_velocity_derivatives(s.mechanism, s.data, where, V_q);
    body_acceleration_derivatives(s.mechanism, s.data, where, a_q, a_y);
    body_acceleration_derivatives(s.mechanism, s.data, where, c_q, c_y, Acceleration::classical);
    MatrixXd dV(6, n), by_q(6, n), by_y(6, n);
    body_acceleration_derivatives(s.mechanism, s.data, where, dV, by_q, by_y, J);
    CHECK(relative_error(dV, V_q, 1.0) < bound);
    CHECK(by_q == a_q);
    CHECK(by_y == a_y);
    const auto V =
        state_derivatives(s, [&](auto& m, auto& d) { return body_velocity(m, d, point.on(m.tree())).vector(); });
    const auto a =
        state_derivatives(s, [&](auto& m, auto& d) { return body_acceleration(m, d, point.on(m.tree())).vector(); });
    const auto c = state_derivatives(
        s, [&](auto& m, auto& d) { return body_classical_acceleration(m, d, point.on(m.tree())).vector(); });
    CHECK(relative_error(V_q, V.first, 1.0) < bound);
    CHECK(relative_error(J, V.second, 1.0) < bound);
    CHECK(relative_error(a_q, a.first, 1.0) < bound);
    CHECK(relative_error(a_y, a.second, 1.0) < bound);
    CHECK(relative_error(c_q, c.first, 1.0) < bound);
    CHECK(relative_error(c_y, c.second, 1.0) < bound);
  }
}

TEST_CASE("derivatives of the centroidal momentum of a mechanism are complex steps along its motions", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const auto& D = centroidal_momentum_derivatives(s.mechanism, s.data);
  const auto h = state_derivatives(s, [](auto& m, auto& d) { return centroidal_momentum(m, d).vector(); });
  const auto rate = state_derivatives(s, [](auto& m, auto& d) { return centroidal_momentum_dot(m, d).vector(); });
  CHECK(relative_error(D.dh_dq, h.first, 1.0) < bound);
  CHECK(relative_error(D.A, h.second, 1.0) < bound);
  CHECK(relative_error(D.dhdot_dq, rate.first, 1.0) < bound);
  CHECK(relative_error(D.dhdot_dv, rate.second, 1.0) < bound);
  // Computes with one level less, and again with all.
  const MatrixXd before = D.dhdot_dq;
  MatrixXd V_q(6, s.mechanism.nv());
  forward_kinematics<double>(s.mechanism, s.data, s.q, 2 * s.y);
  body_velocity_derivatives(s.mechanism, s.data, s.model.bodies().back(), V_q);
  CHECK(centroidal_momentum_derivatives<double>(s.mechanism, s.data, s.q, s.y, s.ydot).dhdot_dq == before);
}

TEST_CASE("two places of a mechanism, and its subtrees, move with their Jacobians", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const int n = s.mechanism.nv();
  for (const PlaceOfMechanism& point : places_of_mechanism()) {
    CAPTURE(static_cast<int>(point.reference), point.last);
    const PlaceOfMechanism other{point.reference, !point.last};
    MatrixXd J(6, n), Jdot(6, n), P(3, n);
    relative_jacobian(s.mechanism, s.data, other.on(s.model), point.on(s.model), J);
    relative_jacobian_dot(s.mechanism, s.data, other.on(s.model), point.on(s.model), Jdot);
    const VectorXd V = relative_velocity(s.mechanism, s.data, other.on(s.model), point.on(s.model)).vector();
    CHECK(relative_error(J * s.y, V, 1.0) < bound);
    const auto dJ = s.rate([&](auto& m, auto& d, auto& q, auto& y) {
      MatrixX<InMotion::Complex> A(6, n);
      forward_kinematics<InMotion::Complex>(m, d, q, y);
      relative_jacobian(m, d, other.on(m.tree()), point.on(m.tree()), A);
      return A;
    });
    CHECK(relative_error(Jdot, dJ, 1.0) < bound);
    body_jacobian(s.mechanism, s.data, point.on(s.model), J);
    body_position_jacobian(s.mechanism, s.data, point.on(s.model), P);
    CHECK(P == J.bottomRows(3));
    body_jacobian_dot(s.mechanism, s.data, point.on(s.model), J);
    body_position_jacobian_dot(s.mechanism, s.data, point.on(s.model), P);
    CHECK(P == J.bottomRows(3));
  }
  const auto& bodies = s.model.bodies();
  MatrixXd J(3, n), all(3 * std::ssize(bodies), n);
  subtree_com_jacobians(s.mechanism, s.data, all);
  for (const auto& body : bodies) {
    CAPTURE(body.name());
    if (subtree_mass(s.mechanism, body) == 0) continue;
    subtree_com_jacobian(s.mechanism, s.data, body, J);
    CHECK(J == all.middleRows(3 * body.index(), 3));
    const auto c = s.rate([&](auto& m, auto& d, auto& q, auto& y) {
      forward_kinematics<InMotion::Complex>(m, d, q, y);
      return subtree_center_of_mass(m, d, m.tree().body(body.name()));
    });
    CHECK(relative_error(J * s.y, VectorXd(c), 1.0) < bound);
  }
}

}  // namespace loops_test
