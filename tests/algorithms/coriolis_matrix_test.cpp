#include "corio/algorithms/coriolis_matrix.hpp"

#include "corio/algorithms/crba.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/spatial/cross.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Twist of a 4 x 4 velocity matrix [S(w), v; 0, 0].
Vector6<double> unhat(const Matrix4<double>& m) {
  return (Vector6<double>() << m(2, 1), m(0, 2), m(1, 0), m(0, 3), m(1, 3), m(2, 3)).finished();
}

/// Sum over bodies of J^T (B J + I Jdot), Echeandia and Wensing (2021) eqs. 29-31, in world axes about the world's origin, with
/// dense 6 x 6 matrices and Jacobians from the oracle's poses.
Matrixd sum_over_bodies(const Sample& s) {
  const int n = s.model.nv();
  Matrixd C = Matrixd::Zero(n, n);
  for (int b = 0; b < s.bodies(); ++b) {
    const Matrix4<double>& T = s.oracle.pose(b);
    const Matrix4<double> inverse = T.inverse(), velocity = s.oracle.pose_rate(b, s.v) * inverse;
    Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, n), Jdot(6, n);
    for (int k = 0; k < n; ++k) {
      const Matrix4<double> column = s.oracle.first(b, k) * inverse;
      J.col(k) = unhat(column);
      Jdot.col(k) = unhat(s.oracle.first_rate(b, k, s.v) * inverse - column * velocity);
    }
    std::vector<PointMass<double>> points = s.oracle.plan().bodies[static_cast<std::size_t>(b)].points;
    for (auto& point : points) point.position = Oracle::at_point(T, point.position);
    const Inertia<double> inertia = inertia_of(points);
    const Matrix6<double> I = inertia.matrix();
    const auto V = Motion<double>::from(unhat(velocity));
    const Matrix6<double> B = (crf(V) * I + crf_bar(inertia * V) - I * crm(V)) / 2;
    C += J.transpose() * (B * J + I * Jdot);
  }
  return C;
}

}  // namespace

TEST_CASE("C is the sum over point masses of m (E_i x).(E_k E_j x) v_k", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C, s.oracle.coriolis_matrix(s.v)) <
        tolerance<double>());
}

TEST_CASE("C is the sum over bodies of J^T (B J + I Jdot)", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C, sum_over_bodies(s)) < tolerance<double>());
}

TEST_CASE("C v is nonlinear_effects minus generalized_gravity", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const Vectord expected = nonlinear_effects(s.model, s.data, s.q, s.v) - generalized_gravity(s.model, s.data, s.q);
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).C * s.v, expected) < tolerance<double>());
}

TEST_CASE("the M of coriolis_matrix is that of crba", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).M, crba(s.model, s.data, s.q)) < tolerance<double>());
}

TEST_CASE("Mdot is the derivative of crba along integrate(q, v t)", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const Matrixd expected = crba(model, data, step(model, s.q, s.v)).imag() / complex_step;
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v).Mdot, expected) < tolerance<double>());
}

TEST_CASE("Mdot - 2 C is skew-symmetric for the derivative of crba", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const Matrixd Mdot = crba(model, data, step(model, s.q, s.v)).imag() / complex_step;
  const Matrixd& C = coriolis_matrix(s.model, s.data, s.q, s.v).C;
  const Matrixd N = Mdot - 2 * C;
  CHECK(max_magnitude(N + N.transpose()) < tolerance<double>() * std::max(1.0, max_magnitude(C)));
}

TEST_CASE("C is linear in v", "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const Matrixd one = coriolis_matrix(s.model, s.data, s.q, s.v).C;
  const Matrixd other = coriolis_matrix(s.model, s.data, s.q, s.a).C;
  CHECK(relative_error(coriolis_matrix(s.model, s.data, s.q, s.v - 3 * s.a).C, one - 3 * other) < tolerance<double>());
}

TEST_CASE("C(v) w is C(w) v where all joint motions commute", "[algorithms][coriolis_matrix]") {
  // No joint with several degrees of freedom that do not commute: the symbols are symmetric in j, k.
  Sample s(PlanMaker("commuting", 4)
               .chain(-1, {Kind::revolute, Kind::universal, Kind::prismatic, Kind::helical, Kind::cylindrical})
               .chain(1, {Kind::translation, Kind::revolute})
               .plan(),
           4);
  const Vectord Cv_w = coriolis_matrix(s.model, s.data, s.q, s.v).C * s.a;
  const Vectord Cw_v = coriolis_matrix(s.model, s.data, s.q, s.a).C * s.v;
  CHECK(relative_error(Cv_w, Cw_v) < tolerance<double>());
}

TEST_CASE("armature does not enter C", "[algorithms][coriolis_matrix]") {
  Plan plan = random_plan(6);
  Sample with(plan, 6);
  for (BodyPlan& body : plan.bodies) body.armature.clear();
  Sample without(plan, 6);
  REQUIRE(with.model.armature().minCoeff() > 0);
  CHECK(coriolis_matrix(with.model, with.data, with.q, with.v).C ==
        coriolis_matrix(without.model, without.data, with.q, with.v).C);
}

TEST_CASE("M and Mdot have both triangles with the same numbers, and Mdot is C + C^T",
          "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const auto [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v);
  // Inside a joint M(i, j) and M(j, i) are separate sums, equal up to rounding.
  CHECK(relative_error(M, M.transpose()) < tolerance<double>());
  CHECK(relative_error(Mdot, C + C.transpose()) < tolerance<double>());
  CHECK(M.diagonal().minCoeff() > 0);
}

TEST_CASE("coriolis_matrix of a state left by forward_kinematics is that of the same q, v to the bit",
          "[algorithms][coriolis_matrix]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  const auto [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v);
  Data<double> data(s.model);
  forward_kinematics(s.model, data, s.q, s.v, s.a);
  const auto& again = coriolis_matrix(s.model, data);
  CHECK(again.C == C);
  CHECK(again.M == M);
  CHECK(again.Mdot == Mdot);
}
