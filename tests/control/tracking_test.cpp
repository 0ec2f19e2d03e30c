#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/joints/exponential_coordinates.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/model/builder.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/allocation_counter.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

/// Tracking a desired motion, on trees of all joints.
namespace tracking_test {

using namespace corio;
using namespace corio::test;

/// Builds a tree of joints whose columns move in the body, and of groups.
Model<double> moving_columns() {
  ModelBuilder<double> builder("moving columns");
  Random<double> random(5);
  const auto add = [&](const char* name, Parent parent, const joint::JointSpec<double>& any) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = any,
                      .placement = random.pose(),
                      .inertia = InertialParameters<double>(random.inertia())});
  };
  add("base", {}, joint::FreeFlyerInParentAxes());
  add("exp", "base", joint::SphericalExp());
  add("ball", "exp", joint::Spherical());
  add("plane", "base", joint::Planar());
  return builder.build();
}

struct ControlledMotion {
  explicit ControlledMotion(const Model<double>& m, int seed) : random(seed), model(m), data(model) {
    const auto vector = [&] { return test::random_vector(random, model.nv()); };
    q_d = integrate<double>(model, neutral(model), vector());
    q = integrate<double>(model, q_d, 0.5 * vector());
    v = vector(), v_d = vector(), a_d = vector();
  }
  Random<double> random;
  Model<double> model;
  Data<double> data;
  Vectord q, v, q_d, v_d, a_d;
  int nv() const { return model.nv(); }
  Vectord gain() {
    Vectord x(nv());
    for (int k = 0; k < nv(); ++k) x[k] = 1.5 + random.real();
    return x;
  }
};

template <class F>
void for_each_motion(F&& f) {
  for (int i = 0; i < topology_count(); ++i) {
    const Sample s(i);
    INFO(s.name());
    ControlledMotion m(s.model, i);
    f(m);
  }
  ControlledMotion m(moving_columns(), 1);
  INFO("moving columns");
  f(m);
}

/// The mean of f on both sides of zero, with an error of order h^2.
template <class F>
Vectord central(double h, F&& f) {
  return (f(h) - f(-h)) / (2 * h);
}

}  // namespace tracking_test

using namespace tracking_test;

TEST_CASE("TrackingError: e, its rate, the desired motion carried to q", "[control][tracking]") {
  for_each_motion([](ControlledMotion& m) {
    TrackingError<double> error(m.model), later(m.model);
    forward_kinematics<double>(m.model, m.data, m.q, m.v);
    error.update(m.model, m.data, m.q_d, m.v_d, m.a_d);
    CHECK(error.e == difference<double>(m.model, m.q_d, m.q));
    CHECK(relative_error(error.v_e, m.v - error.v_d) < tolerance<double>());

    // A step of 1e-4 gives errors of 1e-8 for derivatives of order one, and rounding errors of 1e-12.
    const double h = 1e-4, limit = 2e-6;
    const auto moved = [&](double t, const Vectord& q, const Vectord& along) {
      return integrate<double>(m.model, q, t * along);
    };
    const Vectord rate =
        central(h, [&](double t) { return difference<double>(m.model, moved(t, m.q_d, m.v_d), moved(t, m.q, m.v)); });
    CHECK(relative_error(error.e_dot, rate) < limit);
    // If the velocity is carried along, e stays constant.
    const Vectord stays = central(
        h, [&](double t) { return difference<double>(m.model, moved(t, m.q_d, m.v_d), moved(t, m.q, error.v_d)); });
    CHECK(max_magnitude(stays) < limit * (1 + max_magnitude(m.v_d)));

    const Vectord carried_rate = central(h, [&](double t) {
      forward_kinematics<double>(m.model, m.data, moved(t, m.q, m.v), m.v);
      later.update(m.model, m.data, moved(t, m.q_d, m.v_d), m.v_d + t * m.a_d, m.a_d);
      return later.v_d;
    });
    CHECK(relative_error(error.a_d, carried_rate) < limit);
  });
}

TEST_CASE("SlotineLi: V = s^T M s / 2 falls by s^T K_D s, for admissible factorizations alone",
          "[control][slotine_li]") {
  for_each_motion([](ControlledMotion& m) {
    const SlidingGains<double> gains{m.gain(), m.gain()};
    // Returns dV/dt for the motion under the torque minus the expected value, in units of dV/dt.
    const auto wrong = [&](const auto& B) {
      SlotineLi controller(m.model, gains, B);
      const Vectord tau = controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, m.a_d);
      const Vectord s = controller.s(), ds = aba<double>(m.model, m.data, tau) - controller.reference_acceleration();
      CHECK(relative_error(s, controller.error().v_e + gains.lambda.cwiseProduct(controller.error().e)) <
            tolerance<double>());
      const auto& [C, M, Mdot] = coriolis_matrix(m.model, m.data);
      const double falls = s.dot(gains.damping.cwiseProduct(s));
      return std::abs(s.dot(M * ds) + 0.5 * s.dot(Mdot * s) + falls) / (falls + std::abs(s.dot(Mdot * s)));
    };
    // The accuracy of aba depends on the condition of M.
    const double limit = 1e-9;
    for_each_admissible([&](const char* name, const auto& B) {
      CAPTURE(name);
      CHECK(wrong(B) < limit);
    });
    for_each_inadmissible([&](const char* name, const auto& B) {
      CAPTURE(name);
      const double missed = wrong(B);
      if (max_magnitude(coriolis_matrix(m.model, m.data, m.q, m.v).C) > 1e-9) CHECK(missed > 1e-6);
    });
  });
}

TEST_CASE("SlotineLi: the reference acceleration is the rate of the reference velocity", "[control][slotine_li]") {
  for_each_motion([](ControlledMotion& m) {
    SlotineLi controller(m.model, {m.gain(), m.gain()});
    controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, m.a_d);
    const Vectord a_r = controller.reference_acceleration();
    const Vectord rate = central(1e-4, [&](double t) {
      const auto moved = [&](const Vectord& q, const Vectord& v) { return integrate<double>(m.model, q, t * v); };
      controller.update(m.model, m.data, moved(m.q, m.v), m.v, moved(m.q_d, m.v_d), m.v_d + t * m.a_d, m.a_d);
      return Vectord(controller.reference_velocity());
    });
    CHECK(relative_error(a_r, rate) < 2e-6);
  });
}

TEST_CASE("TrackingError: a joint whose integrate is for doubles alone is rejected by name", "[control][tracking]") {
  struct BallOfDoubles : ParentBall {
    void integrate(const double* q, const double* dv, double* out) const { ParentBall::integrate(q, dv, out); }
  };
  ModelBuilder<double> builder("ball of doubles");
  builder.add_body({.name = "ball", .joint = BallOfDoubles(), .inertia = ball()});
  const auto model = builder.build();
  Data<double> data(model);
  const Vectord q = neutral(model), v = Vectord::Ones(3);
  forward_kinematics<double>(model, data, q, v);
  TrackingError<double> error(model);
  CHECK(mentions(message_of<ModelError>([&] { error.update(model, data, q, v, v); }),
                 {"TrackingError", "'ball_joint'", "templates on the scalar"}));
}

TEST_CASE("PDPlus: V = v_e^T M v_e / 2 + e^T K_P e / 2 falls by v_e^T K_D v_e", "[control][pd_plus]") {
  for_each_motion([](ControlledMotion& m) {
    const PDGains<double> gains{m.gain(), m.gain()};
    for_each_admissible([&](const char* name, const auto& B) {
      CAPTURE(name);
      PDPlus controller(m.model, gains, B);
      const Vectord tau = controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, m.a_d);
      const TrackingError<double>& error = controller.error();
      const Vectord rate = aba<double>(m.model, m.data, tau) - error.a_d;
      const auto& [C, M, Mdot] = coriolis_matrix(m.model, m.data);
      const double falls = error.v_e.dot(gains.damping.cwiseProduct(error.v_e));
      const double spring = gains.stiffness.cwiseProduct(error.e).dot(error.e_dot);
      const double dV = error.v_e.dot(M * rate) + 0.5 * error.v_e.dot(Mdot * error.v_e) + spring;
      CHECK(std::abs(dV + falls) < 1e-9 * (falls + std::abs(error.v_e.dot(Mdot * error.v_e)) + std::abs(spring)));
    });
  });
}

TEST_CASE("ComputedTorque gives the acceleration that it wants", "[control][computed_torque]") {
  for_each_motion([](ControlledMotion& m) {
    const ComputedTorque<double>::Gains gains{m.gain(), m.gain()};
    ComputedTorque controller(m.model, gains);
    const Vectord tau = controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, m.a_d);
    CHECK(relative_error(aba<double>(m.model, m.data, tau), controller.acceleration()) < 1e-9);
    const TrackingError<double>& error = controller.error();
    CHECK(relative_error(controller.acceleration(), error.a_d - gains.damping.cwiseProduct(error.v_e) -
                                                        gains.stiffness.cwiseProduct(error.e)) < tolerance<double>());
  });
}

TEST_CASE("In closed loop V stays on one curve for admissible factorizations", "[control][slotine_li]") {
  const auto model = zoo::serial_chain(4);
  const Vectord one = Vectord::Ones(model.nv());
  const SlidingGains<double> gains{2 * one, 0.5 * one};
  Random<double> random(3);
  const Vectord start = test::random_vector(random, model.nv()), speed = 3 * test::random_vector(random, model.nv());
  // Returns the largest |V(t) + int s^T K_D s dt - V(0)| over V(0) in a second, with the torque held for dt.
  const auto balance = [&](const auto& B, double dt) {
    SlotineLi controller(model, gains, B);
    Data data(model);
    Simulation<double> plant(model, start, speed, dt);
    double first = 0, lost = 0, worst = 0;
    for (int i = 0; i * dt < 1; ++i) {
      const double t = i * dt;
      const Vectord q_d = std::sin(3 * t) * one, v_d = 3 * std::cos(3 * t) * one, a_d = -9 * std::sin(3 * t) * one;
      const Vectord tau = controller.update(model, data, plant.q(), plant.v(), q_d, v_d, a_d);
      const Vectord& s = controller.s();
      const double V = 0.5 * s.dot(crba(model, data) * s), rate = s.dot(gains.damping.cwiseProduct(s));
      if (i == 0) first = V;
      worst = std::max(worst, std::abs(V + lost - first) / first);
      lost += dt * rate;
      plant.advance(tau);
    }
    return worst;
  };
  for_each_admissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    const double coarse = balance(B, 4e-4), fine = balance(B, 2e-4);
    CHECK(fine < 0.02);
    CHECK(fine < 0.75 * coarse);  // of first order in dt, because torques are held
  });
  for_each_inadmissible([&](const char* name, const auto& B) {
    CAPTURE(name);
    CHECK(balance(B, 2e-4) > 0.1);
  });
}

TEST_CASE("Tracking laws reject bad gains and samples, and go on", "[control][tracking]") {
  const auto model = zoo::quadruped();
  ControlledMotion m(model, 9);
  const Vectord good = Vectord::Ones(m.nv()), nan = good * std::nan("");
  Vectord bad = good;
  bad[m.nv() - 1] = -1;
  const std::string last = model.joints().back().name();
  using Catch::Contains;
  CHECK_THROWS_WITH(SlotineLi<double>(model, {bad, good}), Contains("lambda") && Contains(last) && Contains("-1"));
  CHECK_THROWS_WITH(SlotineLi<double>(model, {good, nan}), Contains("K_D") && Contains("nan"));
  CHECK_THROWS_WITH(PDPlus<double>(model, {bad, good}), Contains("K_P") && Contains(last));
  CHECK_THROWS_WITH(ComputedTorque<double>(model, {good, 0 * good}), Contains("K_D"));
  CHECK_THROWS_AS(SlotineLi<double>(model, {good.head(3), good}), SizeError);

  const auto goes_on = [&](auto&& controller) {
    const auto call = [&](const Vectord& q, const Vectord& v, const Vectord& q_d, const Vectord& v_d,
                          const Vectord& a_d) { return controller.update(m.model, m.data, q, v, q_d, v_d, a_d); };
    const Vectord before = call(m.q, m.v, m.q_d, m.v_d, m.a_d);
    const auto spoilt = [](Vectord x) {
      x[1] = std::nan("");
      return x;
    };
    CHECK_THROWS_WITH(call(spoilt(m.q), m.v, m.q_d, m.v_d, m.a_d), Contains("q[1]"));
    CHECK_THROWS_WITH(call(m.q, spoilt(m.v), m.q_d, m.v_d, m.a_d), Contains("v[1]"));
    CHECK_THROWS_WITH(call(m.q, m.v, spoilt(m.q_d), m.v_d, m.a_d), Contains("q_d[1]"));
    CHECK_THROWS_WITH(call(m.q, m.v, m.q_d, spoilt(m.v_d), m.a_d), Contains("v_d[1]"));
    CHECK_THROWS_WITH(call(m.q, m.v, m.q_d, m.v_d, spoilt(m.a_d)), Contains("a_d[1]"));
    CHECK_THROWS_AS(call(m.q, m.v, m.q_d.head(3), m.v_d, m.a_d), SizeError);
    CHECK(call(m.q, m.v, m.q_d, m.v_d, m.a_d) == before);
    CHECK(controller.update(m.model, m.data, m.q_d, m.v_d, m.a_d) == before);  // uses the state in data
    Data<double> fresh(m.model);
    CHECK_THROWS_AS(controller.update(m.model, fresh, m.q_d, m.v_d, m.a_d), StateError);
    CHECK(allocations([&] { controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, m.a_d); }) == 0);
  };
  goes_on(SlotineLi<double>(model, {good, good}));
  goes_on(PDPlus<double>(model, {good, good}));
  goes_on(ComputedTorque<double>(model, {good, good}));
}

TEST_CASE("Tracking laws name a torque that would not be finite, and keep the last one", "[control][tracking]") {
  const auto model = zoo::quadruped();
  ControlledMotion m(model, 9);
  const Vectord good = Vectord::Ones(m.nv()), high = 1e308 * good;
  const auto keeps = [&](auto&& controller) {
    const Vectord& held = controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, m.a_d);
    const Vectord before = held;
    const auto message = message_of<Error>([&] { controller.update(m.model, m.data, m.q, m.v, m.q_d, m.v_d, high); });
    CHECK(mentions(message, {"tau[", "too large"}));
    CHECK(held == before);
  };
  keeps(SlotineLi<double>(model, {good, good}));
  keeps(PDPlus<double>(model, {good, good}));
  keeps(ComputedTorque<double>(model, {good, good}));
  const auto rejects = [&](auto&& controller) {
    CHECK(mentions(message_of<Error>([&] { controller.update(m.model, m.data, m.q, m.v, m.q_d, 1e3 * m.v_d, m.a_d); }),
                   {"tau[", "gains", "too large"}));
  };
  rejects(SlotineLi<double>(model, {1e-8 * high, 1e-8 * high}));
  rejects(PDPlus<double>(model, {high, high}));
  rejects(ComputedTorque<double>(model, {high, high}));
}
