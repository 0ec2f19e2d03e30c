#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// For a rod between two balls, some speeds of its joint are independent and others follow.

namespace loops_test {

TEST_CASE("a rod that spins about its axis between two balls is noted", "[loops]") {
  const auto model = spatial_four_bar();
  const Loops<double> loops(model);
  const Mechanism<double> mechanism(model, loops, {"crank_joint"}, neutral(model));
  CHECK(mechanism.nv() == 2);
  REQUIRE(mechanism.notes().size() == 2);
  // The notes name the speed that was chosen.
  REQUIRE(mechanism.independent()[0] == 0);
  const std::string spin = "'rod_joint[" + std::to_string(mechanism.independent()[1] - 1) + "]'";
  CHECK(mentions(to_string(mechanism.notes()[0]), {"1 of 2", "independent, too: " + spin}));
  CHECK(mentions(to_string(mechanism.notes()[1]), {"joint 'rod_joint'", spin + " moves no other joint", "spins"}));
  // Without preferences this is the only note.
  CHECK(Mechanism<double>(model, loops, neutral(model)).notes().size() == 1);
}

TEST_CASE("single speeds of a joint are preferred by their names", "[loops]") {
  const auto model = spatial_four_bar();
  const Loops<double> loops(model);
  const VectorXd q = neutral(model);
  // The rod turns about x and about y as it spins, so its speed about either is a valid choice.
  for (const int i : {0, 1}) {
    CAPTURE(i);
    const std::vector<std::string> names{"crank_joint", "rod_joint[" + std::to_string(i) + "]"};
    const Mechanism<double> chosen(model, loops, names, q), given(model, names);
    CHECK(chosen.independent() == std::vector<int>{0, 1 + i});
    CHECK(given.independent() == chosen.independent());
    CHECK(chosen.notes().empty());
    // If only that speed is 1, the rod spins about (1, 2, 0) and nothing else moves.
    MechanismData<double> data(given);
    forward_kinematics<double>(given, data, q, VectorXd::Unit(2, 1));
    VectorXd spin(5);
    spin << 0, 1, 2, 0, 0;
    CHECK((data.tree.v - spin / spin[1 + i]).norm() < bound);
  }
}

TEST_CASE("a speed of a preferred joint that follows from others is noted by its name", "[loops]") {
  // Any two of the three may be given.
  const auto model = spatial_four_bar();
  const Mechanism<double> mechanism(model, Loops<double>(model), {"rod_joint"}, neutral(model));
  const auto& independent = mechanism.independent();
  REQUIRE(mechanism.nv() == 2);
  CHECK(std::ranges::all_of(independent, [](int k) { return 1 <= k && k <= 3; }));
  const auto name = [](int k) { return "'rod_joint[" + std::to_string(k - 1) + "]'"; };
  REQUIRE(mechanism.notes().size() == 1);
  CHECK(mentions(to_string(mechanism.notes()[0]), {"joint 'rod_joint'", "preferred", "leave 2 speeds",
                                                   name(6 - independent[0] - independent[1]) + " is determined by " +
                                                       name(independent[0]) + ", " + name(independent[1])}));
}

TEST_CASE("a universal joint in place of a ball joint takes the spin of a rod away, and nothing else", "[loops]") {
  const auto ball = spatial_four_bar();
  const auto still = replace_joint(ball, "rod_joint", joint::Universal({2, -1, 0}, {0, 0, 1}));
  const Mechanism<double> one(still), two(ball, {"crank_joint", "rod_joint[1]"});
  REQUIRE(one.nv() == 1);
  MechanismData<double> data(one), free(two);
  CHECK(Mechanism<double>(still, Loops<double>(still), {"crank_joint"}, neutral(still)).notes().empty());
  VectorXd q = neutral(still);
  q[0] = 0.3;
  const auto assembly = assemble<double>(one, data, q);
  REQUIRE(assembly.closed);
  q = assembly.q;
  const VectorXd y = VectorXd::Constant(1, 1.3), ydot = VectorXd::Constant(1, 0.7);
  const double tau = rnea<double>(one, data, q, y, ydot)[0], M = crba<double>(one, data)(0, 0);

  // This is the same motion on the ball joint, whose speeds are the rod's relative to the crank, in axes of the rod.
  const auto rotation = [&](const char* body) { return body_pose(still, data.tree, still.body(body)).rotation; };
  const auto where = [&](const char* body) {
    return FramePoint<double>(still.body(body), ReferenceFrame::world_aligned);
  };
  const Vector3<double> omega = body_velocity(still, data.tree, where("rod")).angular,
                        carried = body_velocity(still, data.tree, where("crank")).angular,
                        alpha = body_acceleration(still, data.tree, where("rod")).angular -
                                body_acceleration(still, data.tree, where("crank")).angular;
  const Matrix3<double> to_rod = rotation("rod").transpose();
  VectorXd q_ball(6), v(5), a(5);
  q_ball << q[0],
      joint::FreeFlyer::configuration<double>({rotation("crank").transpose() * rotation("rod"), {0, 0, 0}}).tail(4),
      q[3];
  v << y, to_rod * (omega - carried), data.tree.v[3];
  a << ydot, to_rod * (alpha + omega.cross(carried)), data.tree.a[3];
  const Eigen::Vector2d y_ball(v[0], v[2]), ydot_ball(a[0], a[2]);
  const VectorXd tau_ball = rnea<double>(two, free, q_ball, y_ball, ydot_ball);
  CHECK((free.tree.v - v).norm() < bound);
  CHECK((free.tree.a - a).norm() < bound * 10);
  // The forces have the same power.
  CHECK(std::abs(tau * y[0] - tau_ball.dot(y_ball)) < bound * tau_ball.norm());
  CHECK(std::abs(M * y[0] * y[0] - y_ball.dot(crba<double>(two, free) * y_ball)) < bound);
}

TEST_CASE("speeds that a joint does not have are no speeds of a mechanism", "[loops][errors]") {
  const auto model = spatial_four_bar();
  const Loops<double> loops(model);
  const std::vector<std::string> parts{"'spatial'", "no speed 'rod_joint[3]'", "'rod_joint' has 3 speeds"};
  CHECK(mentions(message_of<ModelError>([&] { Mechanism<double>(model, {"crank_joint", "rod_joint[3]"}); }), parts));
  CHECK(mentions(message_of<ModelError>([&] {
                   Mechanism<double>(model, loops, {"crank_joint", "rod_joint[3]"}, neutral(model));
                 }),
                 parts));
}

TEST_CASE("loops that do not say what they determine are answered with single speeds", "[loops][errors]") {
  const auto model = spatial_four_bar();
  auto builder = to_builder(model);
  auto loops = builder.loops();
  loops[0].dependent.clear();
  builder.set_loops(loops);
  const auto silent = builder.build();
  const std::string message = message_of<ModelError>([&] { Mechanism<double>{silent}; });
  CHECK(mentions(message, {"'ball'", "do not say", "would do"}));
  std::vector<std::string> independent;
  for (const char* name : {"crank_joint", "rod_joint[0]", "rod_joint[1]", "rod_joint[2]", "rocker_joint"})
    if (!mentions(message, {std::string("'") + name + "'"})) independent.push_back(name);
  // The remaining names give as many speeds as the mechanism has, and the other speeds follow from them.
  const Mechanism<double> made(silent, independent);
  REQUIRE(made.nv() == 2);
  MechanismData<double> data(made);
  CHECK_NOTHROW(crba<double>(made, data, neutral(silent)));
}

}  // namespace loops_test
