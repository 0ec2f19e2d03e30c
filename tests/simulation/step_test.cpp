#include "corio/simulation/step.hpp"

#include "corio/corio.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

namespace step_test {

namespace {

constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint,
                                      Integrator::variational_midpoint};
constexpr int orders[] = {1, 4, 2, 2};

struct State {
  Vectord q, v;
};

/// Builds the tree of all joints with dampers and springs that are at rest at the start; friction is left out because
/// of its kink.
Model<double> smooth_tree(int seed) {
  auto model = zoo::random_tree(static_cast<std::uint64_t>(seed),
                                {.bodies = 8, .floating_base = seed % 2 == 1, .armature = true, .passive = true});
  model.set_friction(Vectord::Zero(model.nv()));
  return model;
}

State random_state(const Model<double>& model, int seed) {
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  return {random_configuration(model, generator), random_vector<double>(model.nv(), seed)};
}

State simulate(const Model<double>& model, State x, const Vectord& tau, double duration, int steps,
               Integrator integrator) {
  Data<double> data(model);
  for (int i = 0; i < steps; ++i) step(model, data, x.q, x.v, tau, duration / steps, integrator);
  return x;
}

/// Takes explicit midpoint steps. They share only the equations of motion, by rnea and M, with `step`.
State by_explicit_midpoint(const Model<double>& model, State x, const Vectord& tau, double duration, int steps) {
  Data<double> data(model);
  const double h = duration / steps;
  const auto acceleration = [&](const Vectord& q, const Vectord& v) -> Vectord {
    const Vectord bias = rnea<double>(model, data, q, v, Vectord::Zero(model.nv())),
                  passive = passive_forces(model, data);
    return solve(crba(model, data), tau + passive - bias);
  };
  for (int i = 0; i < steps; ++i) {
    const Vectord v = x.v + h / 2 * acceleration(x.q, x.v), q = integrate<double>(model, x.q, h / 2 * x.v);
    x.v += h * acceleration(q, v);
    x.q = integrate<double>(model, x.q, h * v);
  }
  return x;
}
/// The errors of these steps are a series in even powers of h, except for integrate, which adds h^3: the result is
/// extrapolated twice.
State reference(const Model<double>& model, const State& x, const Vectord& tau, double duration) {
  State at[3];
  for (int i = 0; i < 3; ++i) at[i] = by_explicit_midpoint(model, x, tau, duration, 512 << i);
  const auto extrapolate = [&](const State& coarse, const State& fine, double gain) -> State {
    return {integrate<double>(model, fine.q, difference<double>(model, coarse.q, fine.q) / (gain - 1)),
            fine.v + (fine.v - coarse.v) / (gain - 1)};
  };
  return extrapolate(extrapolate(at[0], at[1], 4), extrapolate(at[1], at[2], 4), 8);
}

double distance(const Model<double>& model, const State& a, const State& b) {
  return std::max(max_magnitude(difference<double>(model, a.q, b.q)), max_magnitude(a.v - b.v));
}

/// A mass of m kg that slides along a horizontal line.
Model<double> slider(double m, PassiveTerms<double> passive) {
  ModelBuilder<double> builder("slider");
  builder.add_body({.name = "mass", .joint = joint::Prismatic::x(), .inertia = ball(m), .passive = std::move(passive)});
  return builder.build();
}
State at(double x, double v) { return {Vectord::Constant(1, x), Vectord::Constant(1, v)}; }
const Vectord no_force = Vectord::Zero(1);

}  // namespace

TEST_CASE("each integrator has its order, with ball joints and a free flyer", "[simulation]") {
  const int seed = GENERATE(range(1, 5)), which = GENERATE(0, 1, 2, 3);
  auto model = smooth_tree(seed);
  const State x = random_state(model, seed);
  model.set_springs(model.stiffness(), x.q);
  const Vectord tau = 3 * random_vector<double>(model.nv(), seed + 50);
  const double duration = 0.1;
  const State end = reference(model, x, tau, duration);
  const auto error = [&](int steps) {
    return distance(model, simulate(model, x, tau, duration, steps, integrators[which]), end);
  };
  // These steps are small enough that the leading term dominates: with each halving, the next term changes the observed
  // order by a few hundredths. An integrator that misses a term loses at least one order.
  const double coarse = error(32), fine = error(64), order = std::log2(coarse / fine);
  CAPTURE(seed, which, coarse, fine);
  CHECK(order > orders[which] - 0.25);
  CHECK(order < orders[which] + 0.6);
}

TEST_CASE("a user's joint with an axis that moves is simulated by all", "[simulation]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "cam", .joint = Cam(0.4), .inertia = ball(1.0, {0.2, 0, 0.1})});
  builder.add_body(
      {.name = "ball", .parent = "cam", .joint = joint::Spherical{}, .inertia = ball(0.5, {0.1, 0, -0.3})});
  const auto model = builder.build();
  const State x = random_state(model, 3);
  const Vectord tau = random_vector<double>(model.nv(), 4);
  const State end = reference(model, x, tau, 0.2);
  // The errors are of order h = 1e-3, h^4 and h^2, times constants of some tens.
  const double limits[] = {5e-2, 1e-9, 5e-5};
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(distance(model, simulate(model, x, tau, 0.2, 200, integrators[i]), end) < limits[i]);
  }
}

TEST_CASE("a damped spring follows its closed form", "[simulation]") {
  const double m = 2, d = 3, k = 50, rest = 0.3, T = 1.0;
  const auto model = slider(m, {.damping = {d}, .stiffness = {k}, .rest = {rest}});
  // x - rest = exp(-s t) (A cos w t + B sin w t), s = d / 2m, w^2 = k / m - s^2.
  const double s = d / (2 * m), w = std::sqrt(k / m - s * s), A = 0.5, B = (1.0 + s * A) / w;
  const double c = std::cos(w * T), n = std::sin(w * T), decay = std::exp(-s * T);
  const State end = at(rest + decay * (A * c + B * n), decay * ((B * w - s * A) * c - (A * w + s * B) * n));
  // The errors are about w (w h)^p T, with h = 1e-3 and w = 5: 2e-2, 3e-9 and 1e-4.
  const double limits[] = {2e-2, 3e-9, 1e-4};
  for (int i = 0; i < 3; ++i)
    CHECK(distance(model, simulate(model, at(rest + A, 1.0), no_force, T, 1000, integrators[i]), end) < limits[i]);
}

TEST_CASE("the implicit integrators are stable with stiff dampers and springs", "[simulation]") {
  const double h = 0.01;
  Data<double> data(slider(1, {}));
  const auto damped = slider(1, {.damping = {1e6}});  // h d / m = 1e4
  const State euler = simulate(damped, at(0, 1), no_force, 10 * h, 10, Integrator::semi_implicit_euler);
  // v' = v / (1 + h d / m) at each step.
  CHECK(std::abs(euler.v[0]) < 1e-39);
  CHECK(relative_error(euler.q[0], h * 1e-4, 1e-6) < 1e-8);
  const State midpoint = simulate(damped, at(0, 1), no_force, 1000 * h, 1000, Integrator::implicit_midpoint);
  // v' = (1 - x) / (1 + x) v with x = h d / 2m.
  CHECK(relative_error(midpoint.v[0], std::pow((1 - 5e3) / (1 + 5e3), 1000)) < 1e-9);
  CHECK(midpoint.v[0] > 0);

  const auto sprung = slider(1, {.stiffness = {1e8}});  // h^2 k / m = 1e4
  CHECK(std::abs(simulate(sprung, at(1, 0), no_force, h * 100, 100, Integrator::semi_implicit_euler).q[0]) < 1e-10);
  const State swinging = simulate(sprung, at(1, 0), no_force, h * 1000, 1000, Integrator::implicit_midpoint);
  // The energy of a spring is kept exactly.
  CHECK(relative_error((1e8 * swinging.q[0] * swinging.q[0] + swinging.v[0] * swinging.v[0]) / 1e8, 1.0) < 1e-9);

  // Dampers act on all joints of a tree, so that no velocity grows.
  auto model = smooth_tree(3);
  model.set_damping(Vectord::Constant(model.nv(), 1e5));
  const State x = random_state(model, 1);
  const State slow = simulate(model, x, Vectord::Zero(model.nv()), 1.0, 100, Integrator::semi_implicit_euler);
  CHECK(max_magnitude(slow.v) < 1e-2);
}

TEST_CASE("friction stops a sliding mass where work says, and holds it", "[simulation]") {
  const double m = 2, f = 4, v = 1.5;
  const auto model = slider(m, {.friction = {f}});
  const double stop = m * v * v / (2 * f);
  for (const int steps : {20, 100, 1000})  // h f / (m smoothing) is 10 or more, and each value has other kinks
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::implicit_midpoint, Integrator::variational_midpoint}) {
      CAPTURE(steps, static_cast<int>(integrator));
      const State end = simulate(model, at(0, v), no_force, 1.0, steps, integrator);
      // Allow h v where the mass stops, and smoothing^2 m / f for the creep.
      CHECK(std::abs(end.q[0] - stop) < v / steps + 1e-3);
      CHECK(std::abs(end.v[0]) < 0.01);
      // Euler's losses are computed with the velocity at the end of each step. They are less than the lost energy by
      // m/2 times the squares of the steps' changes of v.
      StepWork<double> work;
      State y = at(0, v);
      Data<double> data(model);
      for (int i = 0; i < steps; ++i) work += step(model, data, y.q, y.v, no_force, 1.0 / steps, integrator);
      const double kinetic = m * v * v / 2,
                   taken = integrator != Integrator::semi_implicit_euler ? 0 : m * v * f / m / steps / 2;
      CHECK(relative_error(work.losses, kinetic - taken, 1.0) < (taken > 0 ? f / m / steps : 1e-4));
      // Under half the force that would move the mass, the mass creeps at half the smoothing velocity.
      const State held = simulate(model, at(0, 0), Vectord::Constant(1, f / 2), 1.0, steps, integrator);
      CHECK(std::abs(held.v[0] - 0.01 * std::atanh(0.5)) < 1e-4);
    }
}

TEST_CASE("a step that ends beyond the kink of friction solves its equation", "[simulation]") {
  // Newton's method from v leads to the other side of the kink, where the residual is larger. The velocity w in the
  // middle of the step, found by bisection here, is between zero and v.
  const double m = 2, f = 4, v = 0.03, h = 0.05, smoothing = 0.01;
  double low = 0, high = v;
  for (int i = 0; i < 60; ++i) {
    const double w = (low + high) / 2;
    (m * (w - v) + h / 2 * f * std::tanh(w / smoothing) < 0 ? low : high) = w;
  }
  for (const Integrator integrator : {Integrator::implicit_midpoint, Integrator::variational_midpoint}) {
    const State end = simulate(slider(m, {.friction = {f}}), at(0, v), no_force, h, 1, integrator);
    // Iterations end when w is corrected by less than 2e-12 m/s.
    CHECK(std::abs(end.v[0] - (2 * low - v)) < 1e-11);
    CHECK(std::abs(end.q[0] - h * low) < 1e-11 * h);
  }
}

TEST_CASE("the implicit midpoint rule keeps energy and momentum of a rotating body exactly", "[simulation]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "body",
                    .joint = joint::Spherical{},
                    .inertia = {1.0, Vector3<double>::Zero(), Vector3<double>(0.1, 0.2, 0.25).asDiagonal()}});
  const auto model = builder.build();
  const Vector3<double> inertia(0.1, 0.2, 0.25);
  State x{neutral(model), Vector3<double>(0.3, 5.0, 0.2)};  // about the unstable axis
  const auto energy_of = [&](const Vectord& w) { return 0.5 * w.dot(inertia.cwiseProduct(w)); };
  const auto momentum_of = [&](const Vectord& w) { return inertia.cwiseProduct(w).norm(); };
  const double T = energy_of(x.v), L = momentum_of(x.v);
  Data<double> data(model);
  double lowest = x.v[1];
  for (int i = 0; i < 1000; ++i) {
    step<double>(model, data, x.q, x.v, Vectord::Zero(3), 0.05, Integrator::implicit_midpoint);
    lowest = std::min(lowest, x.v[1]);
  }
  CHECK(lowest < -4.5);  // it did turn over
  // There are a thousand steps, each solved to 2e-12 (1 + |v|).
  CHECK(relative_error(energy_of(x.v), T) < 1e-9);
  CHECK(relative_error(momentum_of(x.v), L) < 1e-9);
}

TEST_CASE("the variational midpoint rule keeps the momenta of symmetries exactly", "[simulation]") {
  // A plane arm on a base that slides and turns freely keeps its momentum in x and y.
  ModelBuilder<double> builder;
  const auto add = [&](const char* name, Parent parent, const joint::JointSpec<double>& any, double mass) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = any,
                      .placement = Pose<double>{Matrix3<double>::Identity(), Vector3<double>(0.2, 0.1, 0)},
                      .inertia = {mass, Vector3<double>(0.3, 0, 0), Vector3<double>(0.1, 0.2, 0.25).asDiagonal()}});
  };
  add("x", {}, joint::Prismatic::x(), 1), add("y", "x", joint::Prismatic::y(), 1);
  add("base", "y", joint::Revolute::z(), 2), add("upper", "base", joint::Revolute::z(), 1);
  add("lower", "upper", joint::Revolute::z(), 0.5);
  builder.set_gravity(Vector3<double>::Zero());
  const auto model = builder.build();
  State x{neutral(model), Vectord::LinSpaced(5, 0.5, -1.5)};
  Data<double> data(model);
  const auto momenta = [&](const State& state) { return Vectord((crba(model, data, state.q) * state.v).head(2)); };
  const Vectord start = momenta(x);
  const double T = energy(model, data, x.q, x.v).total();
  State other = x;
  double wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    step<double>(model, data, x.q, x.v, Vectord::Zero(5), 0.01, Integrator::variational_midpoint);
    wrong = std::max(wrong, std::abs(energy(model, data).total() / T - 1));
    step<double>(model, data, other.q, other.v, Vectord::Zero(5), 0.01, Integrator::implicit_midpoint);
  }
  CHECK(relative_error(momenta(x), start) < 1e-9);  // each step is solved to 2e-12 (1 + |v|)
  CHECK(wrong < 0.02);
  CHECK(relative_error(momenta(other), start) > 1e-6);
}

TEST_CASE("the energy of the implicit midpoint rule does not drift", "[simulation]") {
  // Two links fall and swing: the error varies with the motion, while a drift would double it.
  const auto model = zoo::serial_chain(2);
  State x{Vectord::Constant(2, 0.3), Vectord::Zero(2)};
  Data<double> data(model);
  const double start = energy(model, data, x.q, x.v).total();
  double worst[2] = {0, 0}, swing = 0;
  constexpr int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    step<double>(model, data, x.q, x.v, Vectord::Zero(2), 0.01, Integrator::implicit_midpoint);
    const auto now = energy(model, data);
    double& w = worst[i >= steps / 2];
    w = std::max(w, std::abs(now.total() - start));
    swing = std::max(swing, now.kinetic);
  }
  CAPTURE(worst[0], worst[1], swing);
  // A symplectic rule's error stays about (w h)^2 of the energy that swings (observed: 1.1 %, w = 10). The motion is
  // chaotic, so the peaks vary, by less than a factor of three; in so many steps a drift would exceed that by far.
  CHECK(worst[1] < 3 * worst[0]);
  CHECK(worst[1] < 2e-2 * swing);
}

TEST_CASE("energy rises by the work of tau less the losses", "[simulation]") {
  const int which = GENERATE(0, 1, 2);
  auto model = smooth_tree(GENERATE(1, 2));
  const State x = random_state(model, 9);
  model.set_springs(model.stiffness(), x.q);
  const Vectord tau = 3 * random_vector<double>(model.nv(), 12);
  Data<double> data(model);
  const auto imbalance = [&](int steps) {
    State y = x;
    StepWork<double> work;
    const double before = energy(model, data, x.q, x.v).total();
    for (int i = 0; i < steps; ++i) work += step(model, data, y.q, y.v, tau, 0.1 / steps, integrators[which]);
    CHECK(work.losses > 0);
    return std::abs(energy(model, data).total() - before - work.tau + work.losses);
  };
  // The balance has the order of the integrator, for steps where the leading term dominates.
  const double coarse = imbalance(32), fine = imbalance(64);
  CAPTURE(which, coarse, fine);
  CHECK(std::log2(coarse / fine) > orders[which] - 0.3);
}

TEST_CASE("after a step, data holds the new state", "[simulation]") {
  auto model = smooth_tree(1);
  State x = random_state(model, 2);
  const Vectord tau = Vectord::Zero(model.nv());
  Data<double> data(model), fresh(model);
  for (const Integrator integrator : integrators) {
    step(model, data, x.q, x.v, tau, 0.01, integrator);
    CHECK(Vectord(nonlinear_effects(model, data)) == nonlinear_effects(model, fresh, x.q, x.v));
    CHECK(data.q == x.q);
  }
}

TEST_CASE("nothing is allocated after the first step", "[simulation][allocation]") {
  auto model = smooth_tree(GENERATE(1, 2));
  model.set_friction(Vectord::Constant(model.nv(), 0.1));
  State x = random_state(model, 2);
  const Vectord tau = Vectord::Ones(model.nv());
  Data<double> data(model);
  reserve<algorithm::Step, algorithm::Energy>(model, data);
  for (const Integrator integrator : integrators)
    CHECK(allocations([&] {
            step(model, data, x.q, x.v, tau, 1e-3, integrator);
            energy(model, data);
          }) == 0);
}

TEST_CASE("step names what is not finite or would not be, and q, v and data stay", "[simulation][errors]") {
  const auto model = smooth_tree(1);
  State x = random_state(model, 2);
  const State before = x;
  Data<double> data(model);
  forward_kinematics(model, data, x.q, x.v);
  const Vectord zero = Vectord::Zero(model.nv());
  for (const Integrator integrator : integrators) {
    const auto rejected = [&](const std::string& what, auto&& q, auto&& v, const Vectord& tau) {
      CAPTURE(static_cast<int>(integrator), what);
      CHECK(mentions(message_of<Error>([&] { step(model, data, q, v, tau, 1e-3, integrator); }), {"step: ", what}));
      CHECK(x.q == before.q);
      CHECK(x.v == before.v);
      CHECK(data.q == before.q);
      CHECK(data.v == before.v);
    };
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const std::string is = std::isnan(bad) ? "[1] is nan" : "[1] is inf";
      Vectord q = x.q, v = x.v, tau = zero;
      q[1] = v[1] = tau[1] = bad;
      std::string of_q, of_v;  // with the joint of that number
      for (const auto& joint : model.joints()) {
        if (joint.q_index() <= 1 && joint.q_index() + joint.nq() > 1) of_q = is + " (joint '" + joint.name() + "')";
        if (joint.v_index() <= 1 && joint.v_index() + joint.nv() > 1) of_v = is + " (joint '" + joint.name() + "')";
      }
      rejected("q" + of_q, q, x.v, zero);
      rejected("v" + of_v, x.q, v, zero);
      rejected("tau" + of_v, x.q, x.v, tau);
    }
    // The squares of these velocities overflow: the next state does not exist, which must not be reported as a step
    // that is too long.
    rejected("", x.q, x.v, Vectord::Constant(model.nv(), 1e308));
  }
}

TEST_CASE("wrong arguments of step are rejected, and q and v stay", "[simulation][errors]") {
  const auto model = smooth_tree(1), other = smooth_tree(2);
  State x = random_state(model, 2);
  const State before = x;
  const Vectord tau = Vectord::Zero(model.nv());
  Data<double> data(model), of_other(other);
  for (const double dt : {0.0, -1e-3, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK(mentions(message_of<Error>([&] { step(model, data, x.q, x.v, tau, dt); }), {"dt is", "positive"}));
  Vectord longer = Vectord::Zero(model.nv() + 1);
  CHECK(mentions(message_of<SizeError>([&] { step(model, data, x.q, longer, tau, 1e-3); }), {"v has size"}));
  CHECK(mentions(message_of<SizeError>([&] { step(model, data, longer.head(2), x.v, tau, 1e-3); }), {"q has size"}));
  CHECK(mentions(message_of<SizeError>([&] { step(model, data, x.q, x.v, longer, 1e-3); }), {"tau has size"}));
  CHECK_THROWS_AS(step(model, of_other, x.q, x.v, tau, 1e-3), Error);
  // A step of a second at a hundred rad/s has no unique end that Newton's method would find.
  x.v.setConstant(100), forward_kinematics(model, data, x.q, x.v);
  CHECK(mentions(message_of<Error>([&] { step(model, data, x.q, x.v, tau, 1.0, Integrator::implicit_midpoint); }),
                 {"midpoint", "step of 1 s"}));
  CHECK(x.q == before.q);
  CHECK(x.v == Vectord::Constant(model.nv(), 100));
  CHECK(data.q == x.q);

  ModelBuilder<double> builder;
  builder.add_body({.name = "nothing", .joint = joint::Revolute::x()});
  const auto singular = builder.build();
  Data<double> no_data(singular);
  State y = at(0, 0);
  CHECK(
      mentions(message_of<ModelError>([&] { step(singular, no_data, y.q, y.v, no_force, 1e-3); }), {"nothing_joint"}));
}

}  // namespace step_test
