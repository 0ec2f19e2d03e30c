#include "corio/cartesian/lagrangian.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"

// Compares the sums over bodies of Liu and Jain with the recursions, and with the oracle's poses.

namespace corio::test::cartesian {

namespace {

/// Returns the operator of one body in eqs. 45-48. The rate of J at the centre of mass is that of J at a fixed point
/// minus [0, 0; [v_c]x, 0] J, so that in axes at the centre of mass B = [[w]x I_c, 0; -m [v_c]x, 0].
Matrix6<double> lagrangian_operator(const Motion<double>& V, const Inertia<double>& I) {
  if (I.mass == 0) return Matrix6<double>::Zero();
  const Pose<double> at_com{identity3<double>(), I.h / I.mass};
  const Inertia<double> I_c = at_com.act_inverse(I);
  const Motion<double> V_c = at_com.act_inverse(V);
  const Matrix3<double> w = skew(V_c.angular), turning = w * I_c.rotational(), moving = -I.mass * skew(V_c.linear);
  const Matrix6<double> B = matrix6<double>(turning, diagonal3(0.0), moving, diagonal3(0.0));
  return at_com.force_matrix() * B * at_com.motion_matrix().inverse();
}

bool has_welded_bodies(const Sample& s) { return s.bodies() != static_cast<int>(s.model.bodies().size()); }

}  // namespace

TEST_EACH(Sample& s, "the Lagrangian form is that of the recursions, but for the factorization",
          "[cartesian][lagrangian]") {
  const auto& [M, C, g] = lagrangian_form(s.model, s.data, s.q, s.v);
  CHECK(relative_error(M, crba(s.model, s.data)) < tolerance<double>());
  CHECK(relative_error(g, generalized_gravity(s.model, s.data)) < tolerance<double>());
  const Vectord bias = nonlinear_effects(s.model, s.data);
  CHECK(relative_error(C * s.v + g, bias, C.cwiseAbs().rowwise().sum().maxCoeff()) < tolerance<double>());
  const auto& christoffel = coriolis_matrix(s.model, s.data);
  CHECK(relative_error(C + C.transpose(), christoffel.Mdot, max_magnitude(C)) < tolerance<double>());
}

TEST_EACH(Sample& s, "the Lagrangian form is that of sums over the oracle's bodies", "[cartesian][lagrangian]") {
  const auto& [M, C, g] = lagrangian_form(s.model, s.data, s.q, s.v);
  CHECK(relative_error(M, mass_sum_over_bodies(s)) < tolerance<double>());
  Vectord weight = Vectord::Zero(s.model.nv());
  for (int b = 0; b < s.bodies(); ++b)
    for (const auto& p : s.oracle.plan().bodies[static_cast<std::size_t>(b)].points)
      weight -= s.oracle.generalized_force(
          {b, zero3<double>(), p.mass * s.model.gravity(), Oracle::at_point(s.oracle.pose(b), p.position)});
  CHECK(relative_error(g, weight) < tolerance<double>());
  // Welded bodies are one body in the model, but several in the plan.
  if (!has_welded_bodies(s)) CHECK(relative_error(C, sum_over_bodies(s, lagrangian_operator)) < tolerance<double>());
}

TEST_CASE("the operator of a body in the Lagrangian form is Christoffel's plus the trace of its second moment",
          "[cartesian][lagrangian]") {
  Random<double> random(GENERATE(range(1, 6)));
  const Inertia<double> I = random.inertia();
  const Motion<double> V = random.motion();
  const Pose<double> at_com{identity3<double>(), I.h / I.mass};
  const Inertia<double> I_c = at_com.act_inverse(I);
  const Matrix6<double> B = at_com.force_matrix().inverse() * lagrangian_operator(V, I) * at_com.motion_matrix();
  Matrix6<double> expected = factorization::Christoffel()(at_com.act_inverse(V), I_c);
  expected.topLeftCorner<3, 3>() += I_c.sigma.trace() * skew(V.angular);
  CHECK(relative_error(B, expected) < tolerance<double>());
}

TEST_CASE("its C is neither Christoffel's nor Plain's from three degrees of freedom on", "[cartesian][lagrangian]") {
  using enum Kind;
  Sample two(PlanMaker("two", 1).chain(-1, {revolute, revolute}).plan(), 1),
      three(PlanMaker("three", 1).chain(-1, {revolute, revolute, revolute}).plan(), 1);
  const auto difference = [](Sample& s, const auto& B) {
    const Matrixd C = lagrangian_form(s.model, s.data, s.q, s.v).C;
    return max_magnitude(C - coriolis_matrix(s.model, s.data, B).C);
  };
  CHECK(difference(two, factorization::Christoffel()) < tolerance<double>());
  CHECK(difference(two, factorization::Plain()) < tolerance<double>());
  CHECK(difference(three, factorization::Christoffel()) > 1e-2);
  CHECK(difference(three, factorization::Plain()) > 1e-2);
}

TEST_CASE("the Lagrangian form does not care where the world's origin is", "[cartesian][lagrangian]") {
  Sample s(PlanMaker("afloat", 2).chain(-1, {Kind::free_flyer, Kind::revolute, Kind::universal}).plan(), 1);
  const auto here = lagrangian_form(s.model, s.data, s.q, s.v);
  s.q.head<3>() += Vector3<double>(1e4, -2e4, 3e4);
  const auto& there = lagrangian_form(s.model, s.data, s.q, s.v);
  CHECK(relative_error(there.M, here.M) < tolerance<double>());
  CHECK(relative_error(there.C, here.C) < tolerance<double>());
}

}  // namespace corio::test::cartesian
