#include "corio/corio.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

// Tests identities between the algorithms on twenty random trees with joints of all types, every second one on a
// floating base, half of them with armature, some with massless bodies, in fifty random states each. The identities
// hold to some roundings in all of them. Each case checks the worst of a thousand errors, relative to the largest entry
// of the compared result.

namespace {

constexpr int trees = 20, states = 50;

struct RobotInState {
  Vectord q, v, a;
};

/// Returns the largest f(model, data, state) of all states.
template <class F>
double worst(F&& f) {
  double largest = 0;
  for (int seed = 0; seed < trees; ++seed) {
    const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 12,
                                                                           .floating_base = seed % 2 == 1,
                                                                           .chain_bias = 0.2 * (seed % 5),
                                                                           .armature = seed % 4 >= 2,
                                                                           .massless = seed % 3 == 0});
    Data<double> data(model);
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    Random<double> random(seed);
    for (int i = 0; i < states; ++i) {
      const RobotInState s{random_configuration(model, generator), random_vector(random, model.nv()),
                           random_vector(random, model.nv())};
      const double error = f(model, data, s);
      largest = std::max(largest, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
  }
  return largest;
}

using M = Model<double>;
using D = Data<double>;

}  // namespace

TEST_CASE("in a thousand states crba is the M of coriolis_matrix", "[identities][thousand_states]") {
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          const Matrixd M = crba(m, d, s.q);
          return relative_error(coriolis_matrix(m, d, s.q, s.v).M, M);
        }) < tolerance<double>());
}

TEST_CASE("in a thousand states C v + g are the nonlinear effects", "[identities][thousand_states]") {
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          const Vectord h = nonlinear_effects(m, d, s.q, s.v);
          return relative_error(coriolis_matrix(m, d).C * s.v + generalized_gravity(m, d), h);
        }) < tolerance<double>());
}

TEST_CASE("in a thousand states M a + C v + g is rnea", "[identities][thousand_states]") {
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          const Vectord tau = rnea(m, d, s.q, s.v, s.a);
          const auto& [C, M, Mdot] = coriolis_matrix(m, d);
          return relative_error(M * s.a + C * s.v + generalized_gravity(m, d), tau);
        }) < tolerance<double>());
}

TEST_CASE("in a thousand states aba(rnea(a)) is a, to 1e-13 cond(M)", "[identities][thousand_states]") {
  // Some roundings in tau become an error that is cond(M) times as large.
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          const Vectord tau = rnea(m, d, s.q, s.v, s.a);
          const double c = condition(crba(m, d));
          return relative_error(aba(m, d, tau), s.a) / std::max(10.0, c);
        }) < 1e-13);
}

TEST_CASE("in a thousand states Mdot - 2 C is skew-symmetric with the rate of crba", "[identities][thousand_states]") {
  // The central difference with h = 1e-4 has errors of h^2 times third derivatives and rounding errors of eps / h, that
  // is 1e-8 and 1e-11 of the largest entry of M or C. The table of mechanisms tests the exact rate, by complex step.
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          constexpr double h = 1e-4;
          const Matrixd after = crba(m, d, integrate(m, s.q, h * s.v));
          const Matrixd before = crba(m, d, integrate(m, s.q, -h * s.v));
          const Matrixd C = coriolis_matrix(m, d, s.q, s.v).C;
          const Matrixd N = (after - before) / (2 * h) - 2 * C;
          return max_magnitude(N + N.transpose()) / std::max({1.0, max_magnitude(C), max_magnitude(after)});
        }) < 1e-6);
}

TEST_CASE("in a thousand states the kinetic energy is v^T M v / 2", "[identities][thousand_states]") {
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          const double twice = s.v.dot(crba(m, d, s.q) * s.v);
          return relative_error(kinetic_energy(m, d, s.q, s.v), twice / 2);
        }) < tolerance<double>());
}

TEST_CASE("in a thousand states v^T C v is half of v^T Mdot v", "[identities][thousand_states]") {
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          const auto& [C, M, Mdot] = coriolis_matrix(m, d, s.q, s.v);
          return relative_error(s.v.dot(C * s.v), s.v.dot(Mdot * s.v) / 2, max_magnitude(C));
        }) < tolerance<double>());
}

TEST_CASE("in a thousand states a rigid motion of the floating base with gravity changes no M, C or tau",
          "[identities][thousand_states]") {
  // The base turns and moves in the world, and gravity turns with the world.
  Random<double> random(99);
  CHECK(worst([&random](const M& m, D& d, const RobotInState& s) {
          if (!m.has_joint("root_joint")) return 0.0;
          const Vectord tau = rnea(m, d, s.q, s.v, s.a);
          const auto matrices = coriolis_matrix(m, d);
          const Vectord turn = random_vector(random, 3);
          const Quaternion<double> by = exp_quaternion<double>(turn);
          const Matrix3<double> R = rotation_from_quaternion(by);
          M moved = m;
          // The base joint is described in a frame that is turned in the world.
          const Matrix3<double> axes = m.node(0).placement.rotation;
          moved.set_gravity(axes * R * axes.transpose() * m.gravity());
          const int base = m.joint("root_joint").q_index();
          Vectord q = s.q;
          q.segment<3>(base) = R * Vector3<double>(s.q.segment<3>(base)) + random.vector();
          q.segment<4>(base + 3) = quaternion_product<double>(by, s.q.segment<4>(base + 3));
          const auto& other = coriolis_matrix(moved, d, q, s.v);
          return std::max({relative_error(other.C, matrices.C), relative_error(other.M, matrices.M),
                           relative_error(rnea(moved, d, q, s.v, s.a), tau)});
        }) < tolerance<double>());
}

TEST_CASE("every algorithm leaves the state as it found it for the others, to the bit",
          "[identities][thousand_states]") {
  CHECK(worst([](const M& m, D& d, const RobotInState& s) {
          D fresh(m);
          forward_kinematics(m, d, s.q, s.v, s.a);
          for (int round = 0; round < 2; ++round) {
            aba(m, d, s.a), rnea(m, d), coriolis_matrix(m, d), crba(m, d), nonlinear_effects(m, d),
                generalized_gravity(m, d);
          }
          // Makes all calls first, so that a later call could spoil an earlier result.
          const auto &a = aba(m, d, s.a), &tau = rnea(m, d);
          const auto& C = coriolis_matrix(m, d).C;
          const auto& M_of_crba = crba(m, d);
          const auto &bias = nonlinear_effects(m, d), &gravity = generalized_gravity(m, d);
          const bool same = a == aba(m, fresh, s.q, s.v, s.a) && tau == rnea(m, fresh, s.q, s.v, s.a) &&
                            C == coriolis_matrix(m, fresh, s.q, s.v).C && M_of_crba == crba(m, fresh, s.q) &&
                            bias == nonlinear_effects(m, fresh, s.q, s.v) &&
                            gravity == generalized_gravity(m, fresh, s.q);
          return same ? 0.0 : 1.0;
        }) == 0);
}
