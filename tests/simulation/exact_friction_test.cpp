#include <array>

#include "corio/batch/pack.hpp"
#include "corio/codegen/recorded.hpp"
#include "corio/codegen/recording.hpp"
#include "corio/corio.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/simulation/time_step.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Tests Coulomb friction that holds: each step is optimal, closed forms agree, and held joints do not move.
namespace exact_friction_test {

namespace {

constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint,
                                      Integrator::variational_midpoint};

struct State {
  Vectord q, v;
};

/// Builds a tree with all joint types and with dampers and springs; odd seeds float.
Model<double> tree(int seed) {
  return zoo::random_tree(static_cast<std::uint64_t>(seed),
                          {.bodies = 8, .floating_base = seed % 2 == 1, .armature = true, .passive = true});
}

Model<double> slider(double m, double friction, double stiffness = 0) {
  ModelBuilder<double> builder("slider");
  builder.add_body({.name = "mass",
                    .joint = joint::Prismatic::x(),
                    .inertia = ball(m),
                    .passive = {.friction = {friction}, .stiffness = {stiffness}}});
  return builder.build();
}

StepWork<double> simulate(const Model<double>& model, State& x, const Vectord& tau, double h, int steps,
                          Integrator integrator) {
  Data<double> data(model);
  StepWork<double> work;
  for (int i = 0; i < steps; ++i) work += step(model, data, x.q, x.v, tau, h, integrator, Friction::exact);
  return work;
}

/// Checks that p are the friction forces for speeds x, up to `error` of the force that would hold all joints.
void check_friction(const Vectord& p, const Vectord& x, const Vectord& c, double error) {
  for (int k = 0; k < p.size(); ++k) {
    CAPTURE(k, p[k], x[k], c[k]);
    if (x[k] == 0)
      CHECK(std::abs(p[k]) <= c[k] + error);
    else
      CHECK(std::abs(p[k] + std::copysign(c[k], x[k])) <= error);
  }
}

}  // namespace

TEST_CASE("each step has the friction of its speeds, on trees of all joints", "[simulation][friction]") {
  const int seed = GENERATE(range(1, 9));
  const double size = GENERATE(0.1, 1.0, 10.0, 1e6);
  auto model = tree(seed);
  const Vectord q = random_q(model, seed);
  Vectord v = random_vector<double>(model.nv(), seed), tau = 5 * random_vector<double>(model.nv(), seed + 9);
  for (int k = 0; k < model.nv(); k += 2) v[k] = 0;
  model.set_friction(size * (random_vector<double>(model.nv(), seed + 5).array().abs() + 0.01).matrix());
  const double h = 1e-2;
  // Computes (M + h D + h^2 K) x - (M v + h (tau - C v - g + springs)), with the springs from a model without dampers.
  Data<double> data(model);
  Matrixd A = crba(model, data, q);
  auto sprung = model;
  sprung.set_damping(Vectord::Zero(model.nv())), sprung.set_friction(Vectord::Zero(model.nv()));
  Data<double> of_springs(sprung);
  const Vectord b = A * v + h * (tau - nonlinear_effects(model, data, q, v) + passive_forces(sprung, of_springs, q, v));
  A += (h * model.damping() + h * h * model.stiffness()).asDiagonal();
  State next{q, v};
  const auto work = simulate(model, next, tau, h, 1, Integrator::semi_implicit_euler);
  CAPTURE(seed, size);
  // The bound is some roundings times the size of the forces.
  check_friction(A * next.v - b, next.v, h * model.friction(), 1e-12 * (1 + b.cwiseAbs().maxCoeff()));
  CHECK(relative_error(difference<double>(model, q, next.q), h * next.v) < 1e-12);
  CHECK(relative_error(work.tau, h * tau.dot(next.v)) < 1e-12);
  CHECK(relative_error(work.losses, h * (model.damping().cwiseProduct(next.v).dot(next.v) +
                                         model.friction().dot(next.v.cwiseAbs()))) < 1e-12);
  if (size == 1e6) CHECK(max_magnitude(next.v) == 0.0);  // it stops every joint, from any speed, within such a step
}

TEST_CASE("the forces of friction are found for any matrix, by both searches", "[simulation][friction]") {
  const int seed = GENERATE(range(1, 40)), n = GENERATE(2, 7, 20);
  const double condition = GENERATE(1.0, 1e4, 1e8);
  CAPTURE(seed, n, condition);
  const auto chain = zoo::serial_chain(n);
  Matrixd random(n, n);
  for (int k = 0; k < n; ++k) random.col(k) = random_vector<double>(n, 100 * seed + k);
  const Matrixd Q = Eigen::HouseholderQR<Matrixd>(random).householderQ();
  Vectord eigenvalues(n);
  for (int k = 0; k < n; ++k) eigenvalues[k] = std::pow(condition, -static_cast<double>(k) / (n - 1));
  Matrixd A = Q * eigenvalues.asDiagonal() * Q.transpose();
  A = (0.5 * (A + A.transpose())).eval();
  const Vectord b = random_vector<double>(n, seed + 1);
  Vectord c = 0.5 * random_vector<double>(n, seed + 2).cwiseAbs(), x = random_vector<double>(n, seed + 3);
  c[0] = 0.3;
  Vectord other = x;
  detail::FrictionSolver<double> solver(chain, 0);
  solver.solve(chain, A, b, c, x);
  check_friction(A * x - b, x, c, 1e-13 * condition + 1e-10);
  // The same friction in two parts, one of which is a row beside the speeds, is solved by the other search.
  detail::FrictionSolver<double> coupled(chain, 1);
  coupled.H(0, 0) = -2;
  Vectord parts(n + 1);
  parts << c, 0.1;
  parts[0] = 0.1;
  coupled.solve(chain, A, b, parts, other);
  // Both find the same active set; joints that are about to slide have speeds as small as the errors of forces.
  CHECK(max_magnitude(other - x) < 1e-13 * condition * condition + 1e-10);
}

TEST_CASE("an arm rests under loads below its friction, to the last bit", "[simulation][friction]") {
  const Integrator integrator = integrators[GENERATE(0, 1, 2, 3)];
  auto model = zoo::serial_chain(7);
  const Vectord q = Vectord::LinSpaced(7, -0.4, 0.9);
  Data<double> data(model);
  const Vectord load = generalized_gravity(model, data, q).cwiseAbs();
  model.set_friction(1.05 * load);
  State x{q, Vectord::Zero(7)};
  const int steps = integrator == Integrator::semi_implicit_euler ? 60000 : 2000;
  const auto work = simulate(model, x, Vectord::Zero(7), 1e-3, steps, integrator);
  CHECK(x.q == q);
  CHECK(max_magnitude(x.v) == 0.0);
  CHECK(work.losses == 0.0);
  // Simulates as a plant does by default.
  Simulation<double> plant(model, q, Vectord::Zero(7), 1e-3, integrator);
  for (int i = 0; i < 100; ++i) plant.advance(Vectord::Zero(7));
  CHECK(plant.q() == q);
  // A joint with less friction starts to slide first.
  Vectord less = 1.05 * load;
  less[3] = 0.9 * load[3];
  model.set_friction(less);
  simulate(model, x, Vectord::Zero(7), 1e-4, 1, integrator);
  for (int k = 0; k < 7; ++k) CHECK((x.v[k] != 0) == (k == 3));
}

TEST_CASE("joints of all types rest where they are", "[simulation][friction]") {
  const Integrator integrator = integrators[GENERATE(0, 1, 2, 3)];
  auto model = tree(GENERATE(1, 2));
  model.set_friction(Vectord::Constant(model.nv(), 1e4));
  const Vectord q = random_q(model, 3), none = Vectord::Zero(model.nv());
  State x{q, none};
  const auto work = simulate(model, x, random_vector<double>(model.nv(), 2), 1e-3, 500, integrator);
  CHECK(max_magnitude(x.v) == 0.0);
  CHECK(work.losses == 0.0);
  // Quaternions are normalized in every step, with roundings that do not add up.
  CHECK(max_magnitude(difference<double>(model, q, x.q)) < 1e-14);
}

TEST_CASE("a mass slides to rest where its energy ends", "[simulation][friction]") {
  const double m = 2, f = 4, v = 1.5, stop = m * v * v / (2 * f);
  const auto model = slider(m, f);
  for (const int steps : {7, 20, 1000})
    for (const Integrator integrator : integrators) {
      CAPTURE(steps, static_cast<int>(integrator));
      State x{Vectord::Zero(1), Vectord::Constant(1, v)};
      const auto work = simulate(model, x, Vectord::Zero(1), 1.0 / steps, steps, integrator);
      CHECK(x.v[0] == 0.0);
      if (integrator == Integrator::semi_implicit_euler) {
        CHECK(std::abs(x.q[0] - stop) < v / steps);
        continue;
      }
      // Positions are parabolas up to the time of the stop, which is found to rounding; up to a thousand steps add
      // roundings.
      CHECK(std::abs(x.q[0] - stop) < 1e-12);
      CHECK(relative_error(work.losses, m * v * v / 2) < 1e-12);
    }
}

TEST_CASE("a sprung mass swings and sticks as Coulomb says", "[simulation][friction]") {
  // The slider swings by half circles about f/k or -f/k, each smaller by 2 f/k, until the spring is too weak.
  const double m = 2, f = 4, k = 50, w = std::sqrt(k / m), start = 0.9;
  const auto model = slider(m, f, k);
  const auto position = [&](double t) {
    double from = start, sign = 1;
    for (; std::abs(from) > f / k; t -= std::acos(-1.0) / w, from = sign * 2 * f / k - from, sign = -sign)
      if (t <= std::acos(-1.0) / w) return sign * f / k + (from - sign * f / k) * std::cos(w * t);
    return from;
  };
  const auto error = [&](Integrator integrator, double T, int steps) {
    State x{Vectord::Constant(1, start), Vectord::Zero(1)};
    simulate(model, x, Vectord::Zero(1), T / steps, steps, integrator);
    if (position(T) == position(2 * T)) CHECK(x.v[0] == 0.0);
    return std::abs(x.q[0] - position(T));
  };
  const double orders[] = {1, 4, 2, 2};
  for (int i = 0; i < 4; ++i)
    for (const double T : {2.2, 5.0}) {  // T = 2.2 s is in the fourth half circle, T = 5 s at rest
      // Euler's energy losses in the spring may end the motion half a circle earlier.
      if (i == 0 && T > 3) continue;
      const double coarse = error(integrators[i], T, 160), fine = error(integrators[i], T, 320);
      CAPTURE(i, T, coarse, fine);
      // Euler stops at the ends of steps, so its constant changes with the length of the step. The midpoint rules have
      // the turning points of a linear spring exactly.
      if (i > 0) CHECK((fine < 1e-12 || std::log2(coarse / fine) > orders[i] - 0.4));
      CHECK(fine < std::pow(w * T / 320, orders[i]));
    }
}

TEST_CASE("energy rises by the work of tau less the losses, with joints that stop and start",
          "[simulation][friction]") {
  const int which = GENERATE(1, 2, 3), seed = GENERATE(1, 2, 4);
  auto model = tree(seed);
  const Vectord size = random_vector<double>(model.nv(), seed + 3).cwiseAbs();
  model.set_friction(0.5 * size);
  State x{random_q(model, seed), 0.5 * random_vector<double>(model.nv(), seed)};
  model.set_springs(model.stiffness(), x.q);
  const Vectord tau = random_vector<double>(model.nv(), 12);
  Data<double> data(model);
  const auto imbalance = [&](double h) {
    State y = x;
    const double before = energy(model, data, x.q, x.v).total();
    const auto work = simulate(model, y, tau, h, static_cast<int>(std::lround(0.2 / h)), integrators[which]);
    CHECK(work.losses > 0);
    return std::abs(energy(model, data, y.q, y.v).total() - before - work.tau + work.losses);
  };
  const double coarse = imbalance(2e-3), fine = imbalance(1e-3);
  CAPTURE(which, seed, coarse, fine);
  // The error is (h times rates of some 10 1/s)^order times some 10 J.
  CHECK(fine < (which == 1 ? 1e-6 : 1e-2));
  CHECK(coarse / fine > (which == 1 ? 6 : 2.5));
}

TEST_CASE("a spring far stronger than the friction moves a joint from rest, with steps as long as are stable",
          "[simulation][friction]") {
  // h^2 k / m is up to 7.84, for which half a swing is shorter than a step: the slider has swung back before the step
  // ends.
  const double h = GENERATE(0.01, 0.02, 0.025, 0.028);
  constexpr double mass = 1, stiffness = 1e4, friction = 0.1;
  const auto model = slider(mass, friction, stiffness);
  for (const auto integrator : integrators) {
    State x{Vectord::Constant(1, 0.1), Vectord::Zero(1)};
    const auto first = simulate(model, x, Vectord::Zero(1), h, 1, integrator);
    CAPTURE(h, static_cast<int>(integrator));
    CHECK(x.q[0] != 0.1);
    CHECK(first.losses > 0);
    // The slider ends at rest, or swings; at rest the friction holds it.
    simulate(model, x, Vectord::Zero(1), h, 500, integrator);
    CHECK((x.v[0] != 0 || std::abs(stiffness * x.q[0]) <= friction));
  }
}

TEST_CASE("without friction exact friction changes nothing, and much of it is the limit of the smooth one",
          "[simulation][friction]") {
  for (const Integrator integrator : integrators) {
    auto model = tree(2);
    const State start{random_q(model, 3), random_vector<double>(model.nv(), 1)};
    const Vectord tau = random_vector<double>(model.nv(), 12);
    // Far from zero speed, both friction forces have the sign of v.
    State one = start, other = start;
    one.v.array() += 3, other.v.array() += 3;
    model.set_friction(Vectord::Constant(model.nv(), 1e-3));
    Data<double> data(model);
    step(model, data, one.q, one.v, tau, 1e-3, integrator, Friction::exact);
    step(model, data, other.q, other.v, tau, 1e-3, integrator);
    // Euler's smooth friction is a damper. The results differ by the change of this friction within the step, 1e-3 of
    // 1e-6.
    CHECK(relative_error(one.v, other.v) < 1e-8);
    model.set_friction(Vectord::Zero(model.nv()));
    one = other = start;
    step(model, data, one.q, one.v, tau, 1e-3, integrator, Friction::exact);
    step(model, data, other.q, other.v, tau, 1e-3, integrator);
    CHECK(one.v == other.v);
    CHECK(one.q == other.q);
  }
}

TEST_CASE("complex steps differentiate a step with joints that hold", "[simulation][friction][scalars]") {
  auto model = tree(3);
  model.set_friction(0.7 * random_vector<double>(model.nv(), 2).cwiseAbs());
  const Vectord q = random_q(model, 3), v = Vectord::Zero(model.nv()), tau = 0.5 * random_vector<double>(model.nv(), 4);
  const auto after = [&](const auto& force) {
    using S = typename std::decay_t<decltype(force)>::Scalar;
    const Model<S> own = model.cast<S>();
    Data<S> data(own);
    VectorX<S> x = q.cast<S>(), y = v.cast<S>();
    step<S>(own, data, x, y, force, 1e-2, Integrator::semi_implicit_euler, Friction::exact);
    return y;
  };
  const Vectord base = after(tau);
  const auto held = (base.array() == 0).count();
  CHECK(held > 0);
  CHECK(held < model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    const Vectord e = Vectord::Unit(model.nv(), k);
    const Vectord slope = after(VectorX<Complex>(tau + Complex(0, 1e-30) * e)).imag() * 1e30;
    // The function is piecewise linear, so its differences are exact except for roundings.
    const Vectord ahead = after(Vectord(tau + 1e-6 * e)), behind = after(Vectord(tau - 1e-6 * e));
    CHECK(relative_error(slope, (ahead - behind) / 2e-6) < 1e-8);
    for (int i = 0; i < model.nv(); ++i)
      if (base[i] == 0) CHECK(slope[i] == 0.0);
  }
  const auto own = model.cast<Complex>();
  Data<Complex> data(own);
  VectorX<Complex> x = q.cast<Complex>(), y = v.cast<Complex>();
  CHECK(mentions(message_of<Error>([&] {
                   step<Complex>(own, data, x, y, VectorX<Complex>(tau.cast<Complex>()), 1e-2, Integrator::rk4,
                                 Friction::exact);
                 }),
                 {"step: ", "exact friction", "semi_implicit_euler"}));
}

TEST_CASE("steps with exact friction over float are those over double", "[simulation][friction][scalars]") {
  const auto model = slider(2, 4, 50);
  const auto small = model.cast<float>();
  for (const Integrator integrator : integrators) {
    State x{Vectord::Constant(1, 0.9), Vectord::Zero(1)};
    simulate(model, x, Vectord::Zero(1), 1e-2, 500, integrator);
    Data<float> data(small);
    VectorX<float> q = VectorX<float>::Constant(1, 0.9f), v = VectorX<float>::Zero(1);
    for (int i = 0; i < 500; ++i)
      step<float>(small, data, q, v, VectorX<float>::Zero(1), 1e-2, integrator, Friction::exact);
    CHECK(v[0] == 0.0f);
    CHECK(std::abs(static_cast<double>(q[0]) - x.q[0]) < 1e-4);
  }
}

TEST_CASE("exact friction is rejected where its decisions cannot be made", "[simulation][friction][errors]") {
  const auto model = slider(2, 4);
  const auto rejected = [&]<class S>(std::type_identity<S>) {
    const auto own = model.cast<S>();
    Data<S> data(own);
    VectorX<S> q = VectorX<S>::Zero(1), v = q, tau = q;
    for (const Integrator integrator : integrators)
      CHECK(mentions(message_of<Error>([&] { step<S>(own, data, q, v, tau, 1e-3, integrator, Friction::exact); }),
                     {"step: exact friction", "packs", "record"}));
    CHECK_NOTHROW(step<S>(own, data, q, v, tau, 1e-3));
  };
  rejected(std::type_identity<Pack<double, 4>>());
  rejected(std::type_identity<codegen::Recorded>());
}

TEST_CASE("smooth friction that is too stiff for rk4 is rejected", "[simulation][friction][errors]") {
  const double m = 2, f = 4, limit = 2.5 * friction_smoothing * m / f;
  const auto model = slider(m, f);
  Data<double> data(model);
  State x{Vectord::Constant(1, 0.1), Vectord::Constant(1, 0.2)};
  const State before = x;
  const auto stepped = [&](double h) {
    return message_of<Error>([&] { step(model, data, x.q, x.v, Vectord::Zero(1), h, Integrator::rk4); });
  };
  CHECK(mentions(stepped(1.01 * limit), {"step: ", "'mass_joint'", "rk4", "Friction::exact", "0.0125 s"}));
  CHECK(x.q == before.q);
  CHECK(x.v == before.v);
  CHECK(data.v == before.v);
  CHECK(stepped(0.99 * limit) == "no exception");
  // For packs, the message names the state at fault.
  const auto packed = model.cast<Pack<double, 4>>();
  Data<Pack<double, 4>> of_pack(packed);
  VectorX<Pack<double, 4>> q(1), v(1), tau(1);
  q[0] = v[0] = tau[0] = Pack<double, 4>(0.1);
  step<Pack<double, 4>>(packed, of_pack, q, v, tau, 0.99 * limit, Integrator::rk4);
  CHECK(std::isfinite(v[0][2]));
  step<Pack<double, 4>>(packed, of_pack, q, v, tau, 1.01 * limit, Integrator::rk4);
  CHECK(std::isnan(v[0][2]));
  // Friction in an explicit step could shake an arm at rest, so a step that is too long is rejected.
  auto arm = zoo::serial_chain(7);
  arm.set_friction(Vectord::Constant(7, 20));
  Data<double> of_arm(arm);
  State rest{Vectord::Constant(7, 0.3), Vectord::Zero(7)};
  CHECK(mentions(message_of<Error>([&] { step(arm, of_arm, rest.q, rest.v, Vectord::Zero(7), 1e-3, Integrator::rk4); }),
                 {"too stiff for rk4"}));
  // The suggested step is not rejected.
  const double suggested = suggested_time_step(arm, Integrator::rk4).dt;
  CHECK_NOTHROW(step(arm, of_arm, rest.q, rest.v, Vectord::Zero(7), suggested, Integrator::rk4));
}

TEST_CASE("steps with exact friction do not allocate", "[simulation][friction][allocation]") {
  auto model = tree(GENERATE(1, 2));
  model.set_friction(Vectord::Constant(model.nv(), 0.5));
  State x{random_q(model, 7), random_vector<double>(model.nv(), 3)};
  const Vectord tau = random_vector<double>(model.nv(), 12);
  for (const Integrator integrator : integrators) {
    Data<double> data(model);
    State y = x;
    step(model, data, y.q, y.v, tau, 1e-3, integrator, Friction::exact);
    CHECK(allocations([&] {
            for (int i = 0; i < 100; ++i) step(model, data, y.q, y.v, tau, 1e-3, integrator, Friction::exact);
          }) == 0);
  }
}

}  // namespace exact_friction_test
