#include "corio/model/loops.hpp"
#include "corio/zoo/random_tree.hpp"

#include <functional>

#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// Checks closed loops against differences, against the same mechanism as a tree, and for quantities that redundant
// conditions must not change.

namespace loops_test {

namespace {

/// A body on a joint, and the same body afloat with a closure that leaves it the same freedom.
struct Twin {
  joint::JointSpec<double> joint;
  std::function<void(Loops<double>&, const Frame<double>&, const Frame<double>&)> close;
};
template <class C>
Twin twin(joint::JointSpec<double> joint, const C& closure) {
  return {std::move(joint), [closure](auto& loops, auto& a, auto& b) { loops.close("closure", a, b, closure); }};
}

InertialParameters<double> lump() {
  Random<double> random(4);
  return InertialParameters<double>(random.inertia());
}

}  // namespace

TEST_CASE("the Jacobian of closures is the derivative of their residual", "[loops]") {
  // Central differences err by h^2 = 1e-10 times third derivatives, and by rounding, 1e-16 / h = 1e-11.
  const int seed = GENERATE(range(1, 7));
  CAPTURE(seed);
  Scene s(seed);
  const VectorXd q = random_q(s.model, seed);
  const MatrixXd K = s.jacobian(q);
  constexpr double h = 1e-5;
  MatrixXd differences(K.rows(), K.cols());
  for (int j = 0; j < s.model.nv(); ++j) {
    const VectorXd step = h * VectorXd::Unit(s.model.nv(), j);
    differences.col(j) =
        (s.residual(integrate<double>(s.model, q, step)) - s.residual(integrate<double>(s.model, q, -step))) / (2 * h);
  }
  CHECK(relative_error(K, differences) < 1e-8);
}

TEST_CASE("the rate of the Jacobian of closures is its change along the motion", "[loops]") {
  const int seed = GENERATE(range(1, 7));
  CAPTURE(seed);
  Scene s(seed);
  const VectorXd q = random_q(s.model, seed), v = random_vector<double>(s.model.nv(), seed);
  constexpr double h = 1e-5;
  const MatrixXd differences =
      (s.jacobian(integrate<double>(s.model, q, h * v)) - s.jacobian(integrate<double>(s.model, q, -h * v))) / (2 * h);
  MatrixXd Kdot(s.loops.rows(), s.model.nv());
  constraint_jacobian_dot<double>(s.model, forward_kinematics<double>(s.model, s.data, q, v), s.loops, Kdot);
  CHECK(relative_error(Kdot, differences) < 1e-7);
}

TEST_CASE("the wrench of a closure has the power of its rows", "[loops]") {
  Scene s(3);
  const VectorXd q = random_q(s.model, 1), v = random_vector<double>(s.model.nv(), 2);
  const MatrixXd K = s.jacobian(q);
  forward_kinematics<double>(s.model, s.data, q, v);
  const VectorXd lambda = random_vector<double>(s.loops.rows(), 3);
  for (const auto& loop : s.loops.all()) {
    if (loop.frames.empty()) continue;
    CAPTURE(loop.name);
    const auto F = closure_force<double>(s.model, s.data, s.loops, loop.name, lambda);
    const Vector3<double> at = body_pose(s.model, s.data, loop.frames[1]).translation;
    const auto twist = [&](const Frame<double>& frame) {
      if (frame.node() < 0) return Motion<double>::zero();
      auto V = body_velocity(s.model, s.data, {frame, ReferenceFrame::world});
      V.linear += cross(V.angular, at);
      return V;
    };
    const double power = dot(F, twist(loop.frames[1]) - twist(loop.frames[0]));
    const auto rows = Eigen::seqN(loop.begin, loop.rows());
    CHECK(power == Approx(lambda(rows).dot(K(rows, Eigen::seqN(0, K.cols())) * v)).epsilon(1e-11));
  }
}

TEST_CASE("a free body on a closure moves as one on the joint", "[loops]") {
  const Vector3<double> n(1, -2, 0.5), m = Vector3<double>(2, 1, 0);  // perpendicular
  const auto& [joint, close] = GENERATE_COPY(
      values<Twin>({twin(joint::Revolute(n), closure::Revolute{n}), twin(joint::Prismatic(n), closure::Prismatic{n}),
                    twin(joint::Universal(n, m), closure::Universal{n, m}),
                    twin(joint::Spherical(), closure::Spherical{}), twin(joint::Fixed(), closure::Weld{})}));
  CAPTURE(joint.type);
  Random<double> random(7);
  const Pose<double> placement = random.pose();
  ModelBuilder<double> builder;
  builder.add_body({.name = "arm", .joint = joint::Revolute({1, 1, 0}), .placement = random.pose(), .inertia = lump()});
  ModelBuilder<double> apart = builder;
  builder.add_body({.name = "hand", .parent = "arm", .joint = joint, .placement = placement, .inertia = lump()});
  apart.add_body({.name = "hand", .joint = joint::FreeFlyer(), .inertia = lump()});
  apart.add_frame("socket", "arm", placement);
  const auto tree = builder.build(), open = apart.build();

  Data<double> data(tree), open_data(open);
  const VectorXd q = random_q(tree, 1), v = random_vector<double>(tree.nv(), 2), none = VectorXd::Zero(tree.nv());
  const VectorXd a = aba(tree, data, q, v, none);
  forward_kinematics(tree, data, q, v, a);
  const auto& hand = tree.frame("hand");
  VectorXd open_q(8), open_v(7);
  open_q[0] = q[0], open_v[0] = v[0];
  open_q.tail(7) = joint::FreeFlyer::configuration(body_pose(tree, data, hand));
  open_v.tail(6) = body_velocity(tree, data, hand).vector();

  Loops<double> loops(open);
  close(loops, open.frame("socket"), open.frame("hand"));
  VectorXd k(loops.rows());
  const auto& motion = constrained_forward_dynamics<double>(open, open_data, loops, open_q, open_v, VectorXd::Zero(7));
  constraint_residual<double>(open, open_data, loops, k);
  CHECK(k.lpNorm<Eigen::Infinity>() < 1e-13);
  CHECK(motion.rank == loops.rows());
  CHECK(motion.a[0] == Approx(a[0]).epsilon(bound));
  CHECK(relative_error(motion.a.tail(6), body_acceleration(tree, data, hand).vector()) < bound);

  // The loop's forces are the part of inverse dynamics that tau does not give.
  MatrixXd K(loops.rows(), open.nv());
  constraint_jacobian<double>(open, open_data, loops, K);
  const VectorXd lambda = motion.lambda, open_a = motion.a;
  CHECK(relative_error(K.transpose() * lambda, rnea(open, open_data, open_q, open_v, open_a)) < bound);
}

TEST_CASE("redundant conditions change no motion and share their force", "[loops]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  Data<double> data(model);
  const auto& tip = model.frame("coupler_tip");
  const auto& pin = model.frame("rocker_tip");
  Loops<double> point(model), hinge(model), twice(model);
  point.close("pin", tip, pin, closure::Point{});
  hinge.close("pin", tip, pin, closure::Revolute{{0, 0, 1}});
  twice.close("pin", tip, pin, closure::Point{});
  twice.close("again", tip, pin, closure::Point{});
  const auto assembly = assemble<double>(model, data, point, Eigen::Vector3d(1.0, -0.5, 1.5), {0});
  REQUIRE(assembly.closed);
  // These speeds keep the loop closed: they are in the null space of K, and the crank turns at 2 rad/s.
  MatrixXd K(3, 3);
  constraint_jacobian<double>(model, forward_kinematics<double>(model, data, assembly.q), point, K);
  VectorXd v(3);
  v[0] = 2, v.tail(2) = -2 * solve(K.topRightCorner(2, 2), K.col(0).head(2));
  const VectorXd tau = Eigen::Vector3d(1, 0.5, -2);
  const auto one = constrained_forward_dynamics<double>(model, data, point, assembly.q, v, tau);
  const auto spatial = constrained_forward_dynamics<double>(model, data, hinge, assembly.q, v, tau);
  const auto both = constrained_forward_dynamics<double>(model, data, twice, assembly.q, v, tau);
  CHECK(one.rank == 2);
  CHECK(spatial.rank == 2);
  CHECK(both.rank == 2);
  CHECK(relative_error(spatial.a, one.a) < bound);
  CHECK(relative_error(both.a, one.a) < bound);
  CHECK(relative_error(both.lambda.head(3), one.lambda / 2) < bound);
  CHECK(relative_error(both.lambda.tail(3), one.lambda / 2) < bound);
}

TEST_CASE("a coupling is a gear", "[loops]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "motor", .joint = joint::Revolute::z(), .inertia = lump()});
  builder.add_body({.name = "link", .joint = joint::Revolute::x(), .inertia = lump()});
  builder.set_gravity({0, 0, 0});
  const auto model = builder.build();
  Data<double> data(model);
  Loops<double> loops(model);
  constexpr double n = 50;
  loops.couple("gear", {{"motor_joint", 1.0}, {"link_joint", -n}}, 0.2);
  const MatrixXd M = crba(model, data, neutral(model));
  const auto& motion = constrained_forward_dynamics<double>(model, data, loops, Eigen::Vector2d(0.2 + n * 0.1, 0.1),
                                                            Eigen::Vector2d(n, 1), Eigen::Vector2d(3, 4));
  const double link = (n * 3 + 4) / (n * n * M(0, 0) + M(1, 1));
  CHECK(motion.a[1] == Approx(link).epsilon(1e-12));
  CHECK(motion.a[0] == Approx(n * link).epsilon(1e-12));
  const auto assembly = assemble<double>(model, data, loops, Eigen::Vector2d(0, 0.1), {1});
  CHECK(assembly.closed);
  CHECK(assembly.q[0] == Approx(0.2 + n * 0.1).epsilon(1e-12));
  CHECK(assembly.q[1] == 0.1);
}

TEST_CASE("errors of a loop are drawn back at the rate asked for", "[loops]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  Data<double> data(model);
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Point{});
  const VectorXd q = Eigen::Vector3d(1, -0.5, 1.5), v = Eigen::Vector3d(1, 2, 3);  // not closed
  constexpr double rate = 7;
  const auto& motion = constrained_forward_dynamics<double>(model, data, loops, q, v, VectorXd::Zero(3), rate);
  MatrixXd K(3, 3), Kdot(3, 3);
  VectorXd k(3);
  constraint_residual<double>(model, data, loops, k);
  constraint_jacobian<double>(model, data, loops, K);
  constraint_jacobian_dot<double>(model, data, loops, Kdot);
  CHECK(k.norm() > 0.1);
  CHECK((K * motion.a + Kdot * v + 2 * rate * K * v + rate * rate * k).norm() < 1e-9);
}

TEST_CASE("loops are closed near where one starts, or the one that cannot be is named", "[loops]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  Data<double> data(model);
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Point{});
  // There are two assemblies: th2 = atan2(u) +- acos((b^2 + r^2 - c^2) / (2 b r)) with u from the crank's pin to the
  // base's.
  const double branch = GENERATE(-1.0, 1.0);
  const double q1 = 0.8, a = 0.3, b = 0.9, c = 0.7, d = 0.8;
  const double x = d - a * std::cos(q1), y = -a * std::sin(q1), r = std::hypot(x, y);
  const double q2 = std::atan2(y, x) + branch * std::acos((b * b + r * r - c * c) / (2 * b * r)) - q1;
  const double q3 = std::atan2(a * std::sin(q1) + b * std::sin(q1 + q2), a * std::cos(q1) + b * std::cos(q1 + q2) - d);
  const auto assembly = assemble<double>(model, data, loops, Eigen::Vector3d(q1, q2 + 0.2, q3 - 0.1), {0});
  CHECK(assembly.closed);
  CHECK(assembly.iterations < 20);
  CHECK(relative_error(assembly.q, Eigen::Vector3d(q1, q2, q3)) < 1e-10);

  // The bars of this linkage miss each other by 0.5.
  const auto short_model = four_bar(0.3, 0.5, 0.4, 1.7);
  Data<double> short_data(short_model);
  Loops<double> open(short_model);
  open.close("pin", short_model.frame("coupler_tip"), short_model.frame("rocker_tip"), closure::Point{});
  const auto failed = assemble<double>(short_model, short_data, open, Eigen::Vector3d(0.3, -0.1, 2.5));
  CHECK_FALSE(failed.closed);
  CHECK(failed.worst == "pin");
  CHECK(failed.residual == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("a closure with the wrong sense is named where nothing can move, and no step is tried", "[loops]") {
  // After a turn by 120 deg about the diagonal, the axes are perpendicular to the others again; the points coincide.
  ModelBuilder<double> builder("free body");
  builder.add_body({.name = "body", .joint = joint::FreeFlyer(), .inertia = lump()});
  builder.add_frame("ground", Parent(), Pose<double>::identity());
  const auto model = builder.build();
  Data<double> data(model);
  Loops<double> loops(model);
  loops.close("weld", model.frame("ground"), model.body("body"), closure::Weld{});
  loops.close("pin", model.frame("ground"), model.body("body"), closure::Point{});
  VectorXd q = neutral(model);
  q.tail<4>().setConstant(0.5);
  const auto failed = assemble<double>(model, data, loops, q, {0, 1, 2, 3, 4, 5});
  CHECK_FALSE(failed.closed);
  CHECK(failed.worst == "weld");
  CHECK(failed.iterations == 0);
}

TEST_CASE("random trees are assembled", "[loops]") {
  // The conditions hold in a reachable configuration: the frames coincide there.
  const int seed = GENERATE(range(1, 7));
  CAPTURE(seed);
  auto builder = to_builder(zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 10}));
  const auto open = builder.build();
  const VectorXd q = random_q(open, seed);
  Data<double> data(open);
  forward_kinematics<double>(open, data, q);
  const auto &first = open.bodies()[2], &last = open.bodies().back();
  const std::string tip = last.name();
  builder.add_frame("a", first.name(), body_pose(open, data, first).inverse() * body_pose(open, data, last));
  const auto model = builder.build();
  Loops<double> loops(model);
  loops.close("loop", model.frame("a"), model.frame(tip), closure::Weld{});
  Data<double> closed(model);
  const VectorXd start = integrate<double>(model, q, 0.05 * random_vector<double>(model.nv(), seed));
  const auto assembly = assemble<double>(model, closed, loops, start);
  CHECK(assembly.closed);
  CHECK_NOTHROW(check_configuration<double>(model, assembly.q));
  forward_kinematics<double>(model, closed, assembly.q);
  CHECK(relative_error(body_pose(model, closed, model.frame("a")), body_pose(model, closed, model.frame(tip))) < 1e-11);
}

TEST_CASE("loops that make no sense are refused by name", "[loops][errors]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8), other = four_bar(1, 1, 1, 1);
  Loops<double> loops(model);
  const auto refused = [&](auto&& f) { return message_of<ModelError>(f); };
  const auto& tip = model.frame("coupler_tip");
  const auto& pin = model.frame("rocker_tip");
  loops.close("pin", tip, pin, closure::Point{});
  CHECK(mentions(refused([&] { loops.close("pin", tip, pin, closure::Weld{}); }), {"'pin'", "'four-bar'", "taken"}));
  CHECK(mentions(refused([&] { loops.close("x", tip, other.frame("crank"), closure::Weld{}); }), {"'x'", "'crank'"}));
  CHECK(mentions(refused([&] { loops.close("x", tip, model.frame("coupler"), closure::Weld{}); }),
                 {"'x'", "'coupler_tip'", "'coupler'"}));
  CHECK(mentions(refused([&] { loops.close("x", tip, pin, closure::Revolute{{0, 0, 0}}); }), {"axis"}));
  CHECK(mentions(refused([&] { loops.close("x", tip, pin, closure::Distance{-1}); }), {"rod", "positive"}));
  CHECK(mentions(refused([&] { loops.couple("x", {{"elbow", 1.0}}); }), {"'x'", "'elbow'"}));
  CHECK(mentions(refused([&] { loops.couple("x", {{"crank_joint", 0.0}}); }), {"'x'", "'crank_joint'", "factor"}));
  CHECK(mentions(refused([&] { loops.couple("x", {{"crank_joint", 1}, {"crank_joint", 2}}); }), {"twice"}));
  CHECK(mentions(refused([&] { loops.couple("x", {}); }), {"'x'", "joints"}));
  CHECK(mentions(refused([&] { loops.loop("x"); }), {"'x'"}));
  CHECK(loops.rows() == 3);
  Data<double> data(other);
  const VectorXd z = VectorXd::Zero(3);
  CHECK(mentions(refused([&] { constrained_forward_dynamics<double>(other, data, loops, z, z, z); }),
                 {"constrained_forward_dynamics", "another model"}));
  Data<double> own(model);
  forward_kinematics<double>(model, own, z, z);
  MatrixXd small(2, 3);
  CHECK(mentions(message_of<SizeError>([&] { constraint_jacobian<double>(model, own, loops, small); }),
                 {"2 x 3", "3 x 3"}));
  CHECK(
      mentions(message_of<SizeError>([&] { constrained_forward_dynamics<double>(model, own, loops, z, z, z.head(2)); }),
               {"constrained_forward_dynamics: tau"}));
  for (const double tolerance : {-1e-9, std::nan("")})
    CHECK(mentions(message_of<Error>([&] { assemble<double>(model, own, loops, z, {}, tolerance); }),
                   {"assemble: tolerance is", "zero or positive"}));
}

TEST_CASE("frames that are welded or slide end in the sense they should, however far they were", "[loops]") {
  // Three axes also stay perpendicular to three others after turns by 120 and 180 deg.
  ModelBuilder<double> builder("free body");
  builder.add_body({.name = "body",
                    .joint = joint::FreeFlyer(),
                    .inertia = InertialParameters<double>{1.0, zero3<double>(), identity3<double>()}});
  Random<double> random(2);
  const auto placement = random.pose();
  builder.add_frame("ground", Parent(), placement);
  const auto model = builder.build();
  Data<double> data(model);
  const bool slides = GENERATE(false, true);
  Loops<double> loops(model);
  if (slides)
    loops.close("slider", model.frame("ground"), model.body("body"), closure::Prismatic{{1, 2, 0}});
  else
    loops.close("weld", model.frame("ground"), model.body("body"), closure::Weld{});
  CHECK(loops.rows() == (slides ? 5 : 6));
  for (int seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto assembly = assemble<double>(model, data, loops, random_q(model, seed));
    REQUIRE(assembly.closed);
    forward_kinematics<double>(model, data, assembly.q);
    const Matrix3<double> R = transpose(placement.rotation) * body_pose(model, data, model.body("body")).rotation;
    CHECK((R - identity3<double>()).norm() < 1e-6);
  }
}

}  // namespace loops_test
