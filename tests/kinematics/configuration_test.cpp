#include "corio/kinematics/configuration.hpp"

#include <array>

#include "corio/kinematics/frames.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Returns the largest difference of the poses of all bodies in two configurations, so that the sign of a quaternion
/// does not count.
double distance(Sample& s, const Vectord& q0, const Vectord& q1) {
  Data<double> other(s.model);
  forward_kinematics(s.model, s.data, q0);
  forward_kinematics(s.model, other, q1);
  double largest = 0;
  for (const auto& body : s.model.bodies())
    largest = std::max(largest, relative_error(body_pose(s.model, s.data, body), body_pose(s.model, other, body)));
  return largest;
}

Model<double> limited() {
  ModelBuilder<double> builder;
  const auto inertia = ball();
  builder.add_body(
      {.name = "swing", .joint = joint::Revolute::x(), .inertia = inertia, .limits = {.lower = {0.2}, .upper = {0.3}}});
  builder.add_body({.name = "ball", .parent = "swing", .joint = joint::Spherical{}, .inertia = inertia});
  builder.add_body({.name = "slide",
                    .parent = "ball",
                    .joint = joint::Translation{},
                    .inertia = inertia,
                    .limits = {.lower = {-9, 1, -3}, .upper = {-8, 2, std::numeric_limits<double>::infinity()}}});
  return builder.build();
}

/// A slide in the plane whose functions write their result before they read their arguments.
struct Hasty : joint::VectorSpace<2> {
  static constexpr const char* type = "hasty";
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return A * Pose<S>{identity3<S>(), {q[0], q[1], S(0)}};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    for (int k = 0; k < 2; ++k) phi[k] = X.act(Motion<S>{zero3<S>(), unit3<S>(k)});
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    out[0] = out[1] = S(0);
    for (int i = 0; i < 2; ++i) out[i] = q[i] + dv[i];
  }
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    dv[0] = dv[1] = S(0);
    for (int i = 0; i < 2; ++i) dv[i] = q1[i] - q0[i];
  }
};

}  // namespace

TEST_EACH(Sample& s, "at the neutral configuration every joint's transform is the identity",
          "[kinematics][configuration]") {
  forward_kinematics(s.model, s.data, neutral(s.model));
  std::vector<Matrix4<double>> expected;
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyPlan& body = s.oracle.plan().bodies[static_cast<std::size_t>(b)];
    Matrix4<double> T = homogeneous(body.placement);
    if (body.parent >= 0) T = expected[static_cast<std::size_t>(body.parent)] * T;
    expected.push_back(T);
    CHECK(relative_error(homogeneous(body_pose(s.model, s.data, s.frame(b))), T) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "integrate undoes difference on whole models", "[kinematics][configuration]") {
  std::mt19937 generator(7);
  const Vectord target = random_configuration(s.model, generator);
  CHECK(distance(s, integrate(s.model, s.q, difference(s.model, s.q, target)), target) < tolerance<double>());
}

TEST_EACH(Sample& s, "difference undoes integrate on whole models", "[kinematics][configuration]") {
  // |v| < sqrt(3) < pi in every joint, so no turn is longer than the shortest way.
  CHECK(relative_error(difference(s.model, s.q, integrate(s.model, s.q, s.v)), s.v) < tolerance<double>());
}

TEST_CASE("each joint moves along its own exponential: T(q (+) d) = T(q) exp(S d)", "[kinematics][configuration]") {
  // Tests joints with one group: a joint of several factors moves along each factor in turn.
  const auto kind = static_cast<Kind>(GENERATE(range(0, moving_kinds)));
  Sample s(PlanMaker(name_of(kind), 70).chain(-1, {kind}).plan(), 70);
  INFO(s.name());
  const auto& factors = s.oracle.plan().bodies[0].joint.factors;
  Matrix4<double> expected = homogeneous(s.oracle.plan().bodies[0].placement);
  int q = 0, k = 0;
  for (const Factor& factor : factors) {
    Matrix4<double> twist = Matrix4<double>::Zero();
    for (const auto& column : factor.twists) twist += s.v[k++] * hat(column);
    expected = expected * factor.transform(s.q.data() + q) * matrix_exponential(twist);
    q += factor.nq;
  }
  forward_kinematics(s.model, s.data, integrate(s.model, s.q, s.v));
  CHECK(relative_error(homogeneous(body_pose(s.model, s.data, s.frame(0))), expected) < tolerance<double>());
}

TEST_EACH(Sample& s, "what integrate and difference write may overlap what they read in any way",
          "[kinematics][configuration]") {
  const int nq = s.model.nq(), nv = s.model.nv();
  // Each entry gives the places of three vectors in one array: two are read, the third is written.
  std::vector<std::array<int, 3>> places;
  const int here = nq + 3, there = here + 2 * nq + 3, near = here + nq / 2;
  for (const int shift : {-nq / 2, -3, -2, -1, 0, 1, 2, 3, nq / 2}) {
    places.push_back({here, there, here + shift});
    places.push_back({there, here, here + shift});
    places.push_back({here, here + shift, here});
    places.push_back({near, here, near + shift});
  }
  const Vectord numbers = Vectord::Random(there + 2 * nq + 3);
  for (const auto& [first, second, out] : places) {
    CAPTURE(first, second, out);
    Vectord array = numbers;
    const Vectord reached = integrate(s.model, array.segment(first, nq), array.segment(second, nv));
    integrate(s.model, array.segment(first, nq), array.segment(second, nv), array.segment(out, nq));
    CHECK(array.segment(out, nq) == reached);
    array = numbers;
    const Vectord dv = difference(s.model, array.segment(first, nq), array.segment(second, nq));
    difference(s.model, array.segment(first, nq), array.segment(second, nq), array.segment(out, nv));
    CHECK(array.segment(out, nv) == dv);
  }
}

TEST_EACH(Sample& s, "integrate and difference in place allocate nothing", "[kinematics][configuration]") {
  const int nv = s.model.nv();
  const Vectord target = integrate(s.model, s.q, s.v), dv = difference(s.model, s.q, target);
  Vectord q = s.q, from = s.q, to = target, step = s.v;
  Eigen::internal::set_is_malloc_allowed(false);
  integrate(s.model, q, s.v, q);
  if (nv == s.model.nq()) integrate(s.model, s.q, step, step);
  difference(s.model, from, target, from.head(nv));
  difference(s.model, s.q, to, to.head(nv));
  Eigen::internal::set_is_malloc_allowed(true);
  CHECK(q == target);
  CHECK((nv == s.model.nq() ? step : target) == target);
  CHECK(from.head(nv) == dv);
  CHECK(to.head(nv) == dv);
}

TEST_CASE("a user's joint may write its results before it has read all", "[kinematics][configuration][custom]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "body", .joint = Hasty(), .inertia = ball()});
  const Model<double> model = builder.build();
  const Eigen::Vector2d q(0.3, 0.4), dv(0.1, 0.2);
  const Vectord reached = integrate(model, q, dv);
  CHECK(difference(model, q, reached) == Vectord(reached - q));
  Vectord out = q, step = dv, start = q;
  integrate(model, out, dv, out);
  integrate(model, q, step, step);
  difference(model, start, reached, start);
  CHECK(out == reached);
  CHECK(step == reached);
  CHECK(start == difference(model, q, reached));
}

TEST_EACH(Sample& s, "difference writes what it returns", "[kinematics][configuration]") {
  const Vectord target = integrate(s.model, s.q, s.a);
  Vectord dv(s.model.nv());
  difference(s.model, s.q, target, dv);
  CHECK(dv == difference(s.model, s.q, target));
}

TEST_EACH(Sample& s, "random configurations are valid and differ", "[kinematics][configuration]") {
  std::mt19937 generator(11);
  Vectord last = s.q;
  for (int i = 0; i < 20; ++i) {
    const Vectord q = random_configuration(s.model, generator);
    CHECK_NOTHROW(check_configuration(s.model, q, 1e-12));
    CHECK(max_magnitude(q - last) > 1e-3);
    last = q;
  }
}

namespace {

/// A user's random source: it counts, and its call operator is const.
struct Counter {
  using result_type = std::uint8_t;
  static constexpr result_type min() { return 3; }
  static constexpr result_type max() { return 250; }
  result_type operator()() const { return static_cast<result_type>(3 + ++count % 248); }
  mutable int count = 0;
};
template <class Generator>
concept Generates = requires(const Model<double>& model, Generator&& generator) {
  random_configuration(model, std::forward<Generator>(generator));
};
static_assert(Generates<std::mt19937&> && Generates<std::mt19937> && Generates<std::minstd_rand&> &&
              Generates<Counter&> && Generates<const Counter&>);
static_assert(!Generates<int> && !Generates<const std::mt19937&> && !Generates<double (&)()>);

}  // namespace

TEST_CASE("any uniform random bit generator gives random configurations", "[kinematics][configuration]") {
  const auto model = limited();
  const Counter counter;
  const Vectord q = random_configuration(model, counter), next = random_configuration(model, counter);
  CHECK_NOTHROW(check_configuration(model, q, 1e-12));
  CHECK(max_magnitude(next - q) > 1e-3);
  CHECK(random_configuration(model, std::mt19937(3)) == random_configuration(model, std::mt19937(3)));
}

TEST_CASE("random configurations stay within limits where both are finite, and reach all between",
          "[kinematics][configuration]") {
  const auto model = limited();
  const int swing = model.joint("swing_joint").q_index(), slide = model.joint("slide_joint").q_index();
  std::mt19937_64 generator(3);
  double lowest = 1, highest = 0;
  for (int i = 0; i < 500; ++i) {
    const Vectord q = random_configuration(model, generator);
    REQUIRE((q[swing] >= 0.2 && q[swing] <= 0.3));
    REQUIRE((q[slide] >= -9 && q[slide] <= -8));
    REQUIRE((q[slide + 1] >= 1 && q[slide + 1] <= 2));
    REQUIRE((q[slide + 2] >= -1 && q[slide + 2] <= 1));  // one limit only: the joint's own range
    lowest = std::min(lowest, q[swing]);
    highest = std::max(highest, q[swing]);
  }
  CHECK(lowest < 0.205);
  CHECK(highest > 0.295);
}

TEST_EACH(Sample& s, "normalize brings a scaled configuration back without moving any body",
          "[kinematics][configuration]") {
  Vectord q = s.q;
  for (const Joint& joint : s.model.joints()) {
    if (joint.type() == "spherical") q.segment(joint.q_index(), 4) *= 1.7;
    if (joint.type() == "free_flyer") q.segment(joint.q_index() + 3, 4) *= 0.4;
    if (joint.type() == "planar") q.segment(joint.q_index() + 2, 2) *= 2.3;
  }
  normalize(s.model, q);
  CHECK_NOTHROW(check_configuration(s.model, q, 1e-14));
  CHECK(relative_error(q, s.q) < tolerance<double>());
}

TEST_EACH(Sample& s, "normalize keeps the direction of any finite nonzero norm", "[kinematics][configuration]") {
  const double factor = GENERATE(1e-300, 1e-150, 1e-20, 1e20, 1e150, 1e300);
  CAPTURE(factor);
  Vectord q = s.q;
  for (const Joint& joint : s.model.joints()) {
    if (joint.type() == "spherical") q.segment(joint.q_index(), 4) *= factor;
    if (joint.type() == "free_flyer") q.segment(joint.q_index() + 3, 4) *= factor;
    if (joint.type() == "planar") q.segment(joint.q_index() + 2, 2) *= factor;
  }
  CHECK(distance(s, q, s.q) < tolerance<double>());
  if (q != s.q) CHECK_THROWS_AS(check_configuration(s.model, q), Error);
  normalize(s.model, q);
  CHECK_NOTHROW(check_configuration(s.model, q, 1e-14));
  CHECK(relative_error(q, s.q) < tolerance<double>());
}

TEST_CASE("normalize names the joint that has no direction and leaves its numbers alone",
          "[kinematics][configuration]") {
  const auto model = limited();
  const int ball_q = model.joint("ball_joint").q_index();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double bad = GENERATE_COPY(0.0, inf, -inf, std::nan(""));
  CAPTURE(bad);
  Vectord q = neutral(model);
  q.segment(ball_q, 4) << 0, 0, bad, 0;
  CHECK(mentions(message_of<Error>([&] { normalize(model, q); }), {"ball_joint", "spherical", "norm"}));
  CHECK(q.segment(ball_q, 2) == Eigen::Vector2d::Zero());
  CHECK((q[ball_q + 2] == bad || std::isnan(bad)));
}

TEST_CASE("check_configuration draws the line at its tolerance", "[kinematics][configuration]") {
  const auto model = limited();
  Vectord q = neutral(model);
  double& w = q[model.joint("ball_joint").q_index() + 3];
  for (const double tolerance : {1e-6, 1e-3}) {
    CAPTURE(tolerance);
    for (const double sign : {-1.0, 1.0}) {
      w = 1 + 0.9 * sign * tolerance;
      CHECK_NOTHROW(check_configuration(model, q, tolerance));
      w = 1 + 1.1 * sign * tolerance;
      CHECK_THROWS_AS(check_configuration(model, q, tolerance), Error);
    }
  }
  w = 1 + 1.1e-6;
  CHECK_THROWS_AS(check_configuration(model, q), Error);
  w = 1 + 0.9e-6;
  CHECK_NOTHROW(check_configuration(model, q));
}

TEST_CASE("check_configuration names the joint whose norm is off", "[kinematics][configuration]") {
  const auto model = limited();
  Vectord q = neutral(model);
  const int ball_q = model.joint("ball_joint").q_index();
  q[ball_q + 3] = 1 + 1e-5;
  const std::string message = message_of<Error>([&] { check_configuration(model, q); });
  CHECK(mentions(message, {"ball_joint", "spherical", "norm"}));
  CHECK_NOTHROW(check_configuration(model, q, 1e-4));
  for (const double tolerance : {-1e-9, std::nan("")})
    CHECK(mentions(message_of<Error>([&] { check_configuration(model, neutral(model), tolerance); }),
                   {"check_configuration: tolerance is", "zero or positive"}));
}

TEST_CASE("check_configuration names the joint whose numbers are not finite", "[kinematics][configuration]") {
  const auto model = limited();
  const double bad = GENERATE(std::nan(""), std::numeric_limits<double>::infinity());
  Vectord q = neutral(model);
  q[model.joint("slide_joint").q_index() + 1] = bad;
  CHECK(mentions(message_of<Error>([&] { check_configuration(model, q); }),
                 {"check_configuration: q[", bad > 0 ? "] is inf" : "] is nan", "(joint 'slide_joint')"}));
}

TEST_CASE("configurations of the wrong size are SizeErrors", "[kinematics][configuration]") {
  const auto model = limited();
  const Vectord q = neutral(model), v = Vectord::Zero(model.nv()), longer = Vectord::Zero(model.nq() + 1);
  Vectord out = q, short_out(model.nq() - 1), dv = v, short_dv(model.nv() - 1);
  CHECK_THROWS_AS(integrate(model, longer, v), SizeError);
  CHECK_THROWS_AS(integrate(model, q, longer), SizeError);
  CHECK_THROWS_AS(integrate(model, q, v, short_out), SizeError);
  CHECK_THROWS_AS(difference(model, longer, q), SizeError);
  CHECK_THROWS_AS(difference(model, q, longer), SizeError);
  CHECK_THROWS_AS(difference(model, q, q, short_dv), SizeError);
  CHECK_THROWS_AS(normalize(model, short_out), SizeError);
  CHECK_THROWS_AS(check_configuration(model, longer), SizeError);
}

TEST_EACH(Sample& s, "interpolate goes the way of difference, and distance is its length",
          "[kinematics][configuration]") {
  std::mt19937 generator(5);
  const Vectord q1 = random_configuration(s.model, generator);
  const Vectord way = difference(s.model, s.q, q1);
  CHECK(relative_error(distance(s.model, s.q, q1), way.norm()) < tolerance<double>());
  CHECK(distance(s, interpolate(s.model, s.q, q1, 0.0), s.q) < tolerance<double>());
  CHECK(distance(s, interpolate(s.model, s.q, q1, 1.0), q1) < 10 * tolerance<double>());
  // Two halves add up to the whole, because the way is a geodesic of each joint.
  const Vectord half = interpolate(s.model, s.q, q1, 0.5);
  CHECK(distance(s, integrate(s.model, half, 0.5 * way), q1) < 10 * tolerance<double>());
}
