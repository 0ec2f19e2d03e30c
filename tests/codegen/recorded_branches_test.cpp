#include "codegen/codegen_support.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/kinematics/joint_conditioning.hpp"
#include "corio/simulation/time_step.hpp"
#include "corio/solvers/householder.hpp"

using namespace codegen_test;

// Decisions of the library by values, over recorded numbers with nominal values: both branches are recorded, or the
// recording is rejected. The branch for the nominal inputs alone would be wrong in other states.

namespace recorded_branches {

/// Records a function at the first state, and evaluates the recording at all states.
template <class F>
void check_at(const std::vector<VectorXd>& states, const F& function) {
  Recording f("f");
  f.output("y", VectorX<Recorded>(function(f.input("x", states[0]))));
  const auto schedule = f.schedule();
  for (const VectorXd& x : states) {
    CAPTURE(x.transpose());
    CHECK(test::relative_error(evaluate(f, schedule, {x.begin(), x.end()}), VectorXd(function(x))) < rounding);
  }
}
template <class X>
using ScalarOf = typename std::decay_t<X>::Scalar;

template <class S>
AdaptationGains<S> gains(int size, const S& gain, ParameterMetric metric) {
  return {VectorX<S>::Constant(size, gain), metric};
}

}  // namespace recorded_branches
using namespace recorded_branches;

TEST_CASE("both branches of rotations, reflections and gains are recorded", "[codegen]") {
  const VectorXd up{{0.6, 0.0, 0.8}}, down{{0.48, 0.6, -0.64}};
  check_at({up, down}, [](const auto& x) {
    using S = ScalarOf<decltype(x)>;
    return VectorX<S>(rotation_with_z<S>(Vector3<S>(x[0], x[1], x[2])).reshaped());
  });
  check_at({up, down, -up}, [](auto x) {
    using S = ScalarOf<decltype(x)>;
    const S t = corio::detail::make_reflection(x.data(), x.size());
    VectorX<S> y(4);
    y << x, t;
    return y;
  });
  // Parameters whose gain is zero have the distance zero, for all values.
  const auto arm = zoo::serial_chain(2);
  check_at({VectorXd{{2.0}}, VectorXd{{0.0}}, VectorXd{{0.5}}}, [&](const auto& x) {
    using S = ScalarOf<decltype(x)>;
    const auto model = arm.cast<S>();
    const AdaptiveParameters<S> parameters(model, gains<S>(20, x[0], ParameterMetric::euclidean));
    return VectorX<S>::Constant(1, parameters.distance(VectorX<S>(S(2) * parameters.values())));
  });
}

TEST_CASE("a recorded mass or coefficient is there, although it is zero at the nominal inputs", "[codegen]") {
  Vector10<double> nominal = Vector10<double>::Zero(), other;
  other << 2.0, 0.1, 0.2, 0.3, 0.5, 0.0, 0.6, 0.0, 0.0, 0.7;
  Recording f("f");
  const auto inertia = InertialParameters<Recorded>::from_parameters(Vector10<Recorded>(f.input("pi", nominal)));
  f.output("c", VectorX<Recorded>(VectorX<Recorded>::NullaryExpr(3, [&](auto i) { return inertia.com[i]; })));
  CHECK(test::relative_error(evaluate(f, f.schedule(), {other.begin(), other.end()}), VectorXd{{0.05, 0.1, 0.15}}) <
        rounding);
  const auto c = f.input("c_0", VectorXd::Zero(1));
  const joint::JointSpec<Recorded> hinge = joint::Revolute();
  CHECK(corio::detail::has_term(corio::detail::joint_term::friction, hinge, std::vector<Recorded>{c[0]}));
  CHECK_FALSE(corio::detail::has_term(corio::detail::joint_term::friction, hinge, std::vector<Recorded>{0.0}));
}

TEST_CASE("adaptation is recorded with its estimates as inputs, without nominal values", "[codegen]") {
  const auto arm = zoo::serial_chain(2);
  // The inputs are pi, q, v, q_d, v_d, a_d, a row of W and its y.
  const auto function = [&](const auto& x) {
    using S = ScalarOf<decltype(x)>;
    const auto model = arm.cast<S>();
    Data<S> data(model);
    const auto part = [&](int i) { return x.segment(20 + 2 * i, 2).eval(); };
    AdaptiveSlotineLi<S> law(model, {VectorX<S>::Constant(2, S(5)), VectorX<S>::Constant(2, S(3))},
                             gains<S>(20, S(0.1), ParameterMetric::euclidean));
    law.set_parameters(model, x.head(20));
    law.adapt(x.segment(30, 20).transpose(), x.tail(1), S(0.5), 0.001);
    VectorX<S> y(22);
    y << law.update(model, data, part(0), part(1), part(2), part(3), part(4), 0.001), law.parameters();
    return y;
  };
  Recording f("f");
  f.output("y", function(f.input("x", 51)));
  const VectorXd x = VectorXd::LinSpaced(51, -0.5, 1.5);
  CHECK(test::relative_error(evaluate(f, f.schedule(), {x.begin(), x.end()}), function(x)) < rounding);
  // A first call stores no number, but is checked.
  FilteredRegressors<Recorded> filtered(arm.cast<Recorded>(), 10.0);
  const auto robot = arm.cast<Recorded>();
  Data<Recorded> data(robot);
  const auto q = f.input("q", 2);
  CHECK_NOTHROW(filtered.update(robot, data, q, q, q, 0.001));
}

TEST_CASE("what decides by values is refused, with nominal inputs as well", "[codegen][errors]") {
  const auto arm = zoo::serial_chain(2);
  const auto robot = arm.cast<Recorded>();
  Data<Recorded> data(robot);
  Recording f("f");
  const auto q = f.input("q", VectorXd{{0.1, 0.2}}), v = f.input("v", VectorXd{{0.3, 0.4}});
  const VectorX<Recorded> one = VectorX<Recorded>::Ones(2);
  const auto refused = [](auto use) {
    return test::mentions(test::message_of<Error>(use), {"branches on a number that is not known"});
  };
  MomentumObserver<Recorded> observer(robot, 50.0 * one);
  for (int i = 0; i < 2; ++i) observer.update(robot, data, q, v, one, 0.001);
  CollisionDetector<Recorded> detector(robot, {one, one}, one);
  CHECK(refused([&] { detector.detect(robot, data, observer); }));
  AdaptiveParameters<Recorded> natural(robot, gains<Recorded>(2, 0.1, ParameterMetric::natural));
  const VectorX<Recorded> pi = q[0] * natural.values();
  CHECK(refused([&] { is_physically_consistent(Vector10<Recorded>(pi.head(10))); }));
  CHECK(refused([&] { natural.distance(pi); }));
  CHECK(refused([&] { natural.adapt(pi.transpose(), q.head(1), Recorded(1), 0.001); }));
  CHECK(refused([&] { joint::NumbersOf<Recorded>::Call::each([&](const auto& call) { abs(call.get(q[0])); }); }));
  const auto gimbal = robot_on<Recorded>(joint::SphericalEuler<'z', 'y', 'x'>());
  Data<Recorded> of_gimbal(gimbal);
  forward_kinematics<Recorded>(gimbal, of_gimbal, f.input("e", VectorXd::Ones(4)));
  CHECK(refused([&] { joint_conditioning(gimbal, of_gimbal, gimbal.joints()[0].name()); }));
  Tensor3<Recorded> K(1);
  K(0, 0, 0) = q[0];
  CHECK(refused([&] { contorsion_defects(K); }));
  auto damped = arm.cast<Recorded>();
  damped.set_damping(v);
  CHECK(refused([&] { suggested_time_step(damped, Integrator::rk4); }));
  const auto geared = zoo::geared_arm(2).cast<Recorded>();
  const auto at = f.input("at", VectorXd::Zero(geared.nq()));
  CHECK(refused([&] { lock_joints<Recorded>(geared, {geared.joints()[0].name()}, at); }));
}

TEST_CASE("steps that iterate are refused over numbers that record, and over duals of them", "[codegen][errors]") {
  const auto check = [](auto zero) {
    using S = decltype(zero);
    Recording f("f");
    auto model = zoo::serial_chain(2).cast<S>();
    Data<S> data(model);
    VectorX<S> q = f.input("q", VectorXd::Ones(2)).template cast<S>(), v = q;
    const VectorX<S> tau = zeros<S>(2);
    const auto refused = [&](Integrator integrator, Friction friction) {
      const auto call = [&] { step<S>(model, data, q, v, tau, 0.001, integrator, friction); };
      return test::mentions(test::message_of<Error>(call), {"one state at a time", "scalars that record"});
    };
    CHECK(refused(Integrator::implicit_midpoint, Friction::smooth));
    CHECK(refused(Integrator::variational_midpoint, Friction::smooth));
    model.set_friction(VectorX<S>::Constant(2, S(0.1)));
    CHECK(refused(Integrator::semi_implicit_euler, Friction::exact));
    CHECK_NOTHROW(step<S>(model, data, q, v, tau, 0.001));
  };
  check(Recorded());
  check(Dual<Recorded>());
}
