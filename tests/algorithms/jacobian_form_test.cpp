#include "corio/algorithms/coriolis/jacobian_form.hpp"

#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

// Checks remarks 4 to 6 of Echeandia and Wensing (2021).

namespace {

struct JacobianForm {
  Matrixd M, C;
};

/// Returns the inertia of a body in a reference frame.
Inertia<double> inertia_in(ReferenceFrame frame, const Sample& s, const Body<double>& body) {
  const Inertia<double> I(s.model.inertia(body));
  const Pose<double> pose = body_pose(s.model, s.data, body);
  if (frame == ReferenceFrame::body) return I;
  if (frame == ReferenceFrame::world) return pose.act(I);
  return Pose<double>{pose.rotation, zero3<double>()}.act(I);
}

/// Returns the sums over the bodies of a sample, in the velocities x with v = A x.
template <class B>
JacobianForm sum_of_forms(ReferenceFrame frame, const Sample& s, const Vectord& x, const Matrixd& A,
                          const Matrixd& Adot, const B& factorization) {
  const int nv = s.model.nv(), n = static_cast<int>(x.size());
  JacobianForm sum{Matrixd::Zero(n, n), Matrixd::Zero(n, n)};
  Matrixd J(6, nv), Jdot(6, nv);
  for (const auto& body : s.model.bodies()) {
    body_jacobian(s.model, s.data, {body, frame}, J), body_jacobian_dot(s.model, s.data, {body, frame}, Jdot);
    add_jacobian_form(frame, inertia_in(frame, s, body), x, J * A, J * Adot + Jdot * A, sum.M, sum.C, factorization);
  }
  return sum;
}

constexpr ReferenceFrame reference_frames[] = {ReferenceFrame::world, ReferenceFrame::body,
                                               ReferenceFrame::world_aligned};

}  // namespace

TEST_EACH(Sample& s, "the Jacobian forms sum to the M and C of dense products, in every frame",
          "[algorithms][jacobian_form]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  const Matrixd one = Matrixd::Identity(s.model.nv(), s.model.nv()), zero = 0 * one;
  const Matrixd M = mass_sum_over_bodies(s) - Matrixd(s.model.armature().asDiagonal());
  for (const auto frame : reference_frames) {
    CAPTURE(static_cast<int>(frame));
    const auto christoffel = sum_of_forms(frame, s, s.v, one, zero, factorization::Christoffel{});
    CHECK(relative_error(christoffel.M, M) < tolerance<double>());
    CHECK(relative_error(christoffel.C, sum_over_bodies(s, dense_christoffel())) < tolerance<double>());
    const auto plain = sum_of_forms(frame, s, s.v, one, zero, factorization::Plain{});
    CHECK(relative_error(plain.C, sum_over_bodies_in_body_axes(s, factorization::Plain{})) < tolerance<double>());
    const auto own = sum_of_forms(frame, s, s.v, one, zero, twisted(0.3, -0.7));
    CHECK(relative_error(own.C, sum_over_bodies(s, twisted(0.3, -0.7))) < tolerance<double>());
  }
}

TEST_CASE("Jacobians in the velocity of the centre of mass give the sparse C at once", "[algorithms][jacobian_form]") {
  using enum Kind;
  Sample s(PlanMaker("floating", 121).chain(-1, {free_flyer, revolute, universal}).chain(0, {prismatic}).plan(), 121);
  ComDecoupledResult<double> decoupled(s.model);
  com_decoupled(s.model, s.data, s.q, s.v, decoupled);
  const Vectord x = solve(decoupled.A, s.v);
  for (const auto frame : reference_frames) {
    const auto sum = sum_of_forms(frame, s, x, decoupled.A, decoupled.Adot, factorization::Christoffel{});
    CHECK(relative_error(sum.M, decoupled.M) < tolerance<double>());
    CHECK(relative_error(sum.C, decoupled.C) < tolerance<double>());
    CHECK(max_magnitude(Matrixd(sum.C.topRows(3))) < tolerance<double>() * max_magnitude(sum.C));
    // Only Christoffel's factorization has these zeros.
    const auto plain = sum_of_forms(frame, s, x, decoupled.A, decoupled.Adot, factorization::Plain{});
    CHECK(max_magnitude(Matrixd(plain.C.topRows(3))) > 1e-3);
  }
}

TEST_CASE("a Jacobian form of the wrong shape is a SizeError that names it", "[algorithms][jacobian_form][errors]") {
  const auto message = [](auto&& spoil) {
    Matrixd J = Matrixd::Zero(6, 3), Jdot = J, M = Matrixd::Zero(3, 3), C = M;
    spoil(J, Jdot, M, C);
    return message_of<SizeError>(
        [&] { add_jacobian_form(ReferenceFrame::world, Inertia<double>::zero(), Vectord::Zero(3), J, Jdot, M, C); });
  };
  CHECK(mentions(message([](auto& J, auto&, auto&, auto&) { J.resize(6, 4); }), {"J is 6 x 4", "6 x 3"}));
  CHECK(mentions(message([](auto&, auto& Jdot, auto&, auto&) { Jdot.resize(5, 3); }), {"Jdot is 5 x 3", "6 x 3"}));
  CHECK(mentions(message([](auto&, auto&, auto& M, auto&) { M.resize(3, 4); }), {"M is 3 x 4", "3 x 3"}));
  CHECK(mentions(message([](auto&, auto&, auto&, auto& C) { C.resize(2, 3); }), {"C is 2 x 3", "3 x 3"}));
}
