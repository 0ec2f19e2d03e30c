#include "corio/model/edit_reroot.hpp"

#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// Loops that a builder is given, and how they change as models are edited.

namespace loops_test {
namespace {

/// A four-bar linkage whose crank is geared to a rotor.
ModelBuilder<double> geared_linkage() {
  auto builder = to_builder(four_bar(0.3, 0.9, 0.7, 0.8));
  builder.add_body({.name = "rotor",
                    .joint = joint::Revolute::z(),
                    .inertia = {0.1, {0, 0, 0}, Vector3<double>(1e-5, 1e-5, 2e-5).asDiagonal()}});
  builder.close_loop("pin", "coupler_tip", "rocker_tip", closure::Revolute{{0, 0, 1}},
                     {"coupler_joint", "rocker_joint"});
  builder.couple("gear", {{"rotor_joint", 1.0}, {"crank_joint", -20.0}}, 0.5, {"rotor_joint"});
  return builder;
}

VectorXd closed_configuration(const Model<double>& model) {
  Data<double> data(model);
  VectorXd q = neutral(model);
  q[model.joint("crank_joint").q_index()] = 0.7, q[model.joint("coupler_joint").q_index()] = -0.4;
  q[model.joint("rocker_joint").q_index()] = 1.4;
  const auto assembly = assemble<double>(model, data, Loops<double>(model), q);
  REQUIRE(assembly.closed);
  return assembly.q;
}

}  // namespace

TEST_CASE("a model brings the loops that its builder was given", "[loops]") {
  const auto model = geared_linkage().build();
  REQUIRE(model.loops().size() == 2);
  Loops<double> same(model);
  CHECK(same.rows() == 6);
  const Mechanism<double> mechanism(model);
  CHECK(mechanism.nv() == 1);
  CHECK(mechanism.independent() == std::vector<int>{model.joint("crank_joint").v_index()});
  MechanismData<double> data(mechanism);
  const VectorXd q = closed_configuration(model), y = VectorXd::Ones(1);
  forward_kinematics<double>(mechanism, data, q, y);
  CHECK(std::abs(data.tree.v[model.joint("rotor_joint").v_index()] - 20.0) < bound);
  CHECK(Mechanism<float>(model.cast<float>()).nv() == 1);
}

TEST_CASE("edited models keep their loops", "[loops]") {
  const auto model = geared_linkage().build();
  const VectorXd q = closed_configuration(model);
  const auto mass = [](const Model<double>& m, const VectorXd& at) {
    const Mechanism<double> mechanism(m);
    MechanismData<double> data(mechanism);
    return crba<double>(mechanism, data, at)(0, 0);
  };
  const double M = mass(model, q);
  CHECK(relative_error(mass(to_builder(model).build(), q), M) < bound);
  CHECK(mass(with_payload(model, "coupler_tip", {1.0, {0, 0, 0}, Matrix3<double>::Zero()}), q) > 1.01 * M);

  // Puts the loop, with names of its own, on a cart that stands still.
  ModelBuilder<double> cart("cart");
  cart.add_body(
      {.name = "cart", .joint = joint::Prismatic::x(), .inertia = {2.0, {0, 0, 0}, Matrix3<double>::Identity()}});
  const auto on_cart = attach(cart.build(), "cart", model, "my_");
  REQUIRE(on_cart.loops().size() == 2);
  CHECK(on_cart.loops()[0].first == "my_coupler_tip");
  const Mechanism<double> moving(on_cart);
  CHECK(moving.nv() == 2);
  MechanismData<double> data(moving);
  VectorXd q_cart(q.size() + 1);
  q_cart << 0.0, q;
  CHECK(relative_error(crba<double>(moving, data, q_cart)(1, 1), M) < bound);

  // The crank alone has no loop left.
  CHECK(submodel(on_cart, "my_crank").loops().empty());
  const auto held = lock_joints(model, {"crank_joint"}, q);
  REQUIRE(held.loops().size() == 2);
  CHECK(held.loops()[1].terms.size() == 1);
  CHECK(std::abs(held.loops()[1].offset - 0.5 - 20 * q[model.joint("crank_joint").q_index()]) < bound);
  CHECK(lock_joints(model, {"crank_joint", "rotor_joint"}, q).loops().size() == 1);
  const auto stiff = lock_joints(model, {"crank_joint", "coupler_joint", "rocker_joint"}, q);
  REQUIRE(stiff.loops().size() == 1);
  CHECK(std::ranges::any_of(stiff.notes(), [](const Note& n) { return n.element == "loop 'pin'"; }));
}

TEST_CASE("in the place of a locked joint that a loop determines, it determines another one", "[loops]") {
  const auto model = geared_linkage().build();
  const VectorXd q = closed_configuration(model);
  const auto independent = [&](const std::vector<std::string>& locked) {
    const auto held = lock_joints(model, locked, q);
    const Mechanism<double> mechanism(held);
    MechanismData<double> data(mechanism);
    const VectorXd at = remap(index_maps(model, held).q, q, neutral(held)), y = VectorXd::Ones(mechanism.nv());
    forward_kinematics<double>(mechanism, data, at, y);  // throws unless the loops determine the others
    return mechanism.nv();
  };
  CHECK(independent({"rotor_joint"}) == 0);
  CHECK(independent({"coupler_joint"}) == 0);
  CHECK(independent({"crank_joint"}) == 0);

  // Two motors, coupled to two wrist joints as a differential is.
  ModelBuilder<double> builder("differential");
  Parent parent;
  for (const char* name : {"pitch", "roll", "left", "right"}) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint::Revolute::x(),
                      .inertia = {1.0, {0, 0.1, 0.2}, Matrix3<double>::Identity()}});
    parent = name;
  }
  builder.couple("sum", {{"left_joint", 1.0}, {"pitch_joint", -1.0}, {"roll_joint", -1.0}}, 0.0, {"left_joint"});
  builder.couple("difference", {{"right_joint", 1.0}, {"pitch_joint", -1.0}, {"roll_joint", 1.0}}, 0.0,
                 {"right_joint"});
  const auto wrist = builder.build();
  const auto one = lock_joints(wrist, {"left_joint"}, VectorXd::Zero(4));
  CHECK(one.loops()[0].dependent == std::vector<std::string>{"pitch_joint"});
  CHECK(Mechanism<double>(one).nv() == 1);
  const auto both = lock_joints(wrist, {"left_joint", "right_joint"}, VectorXd::Zero(4));
  CHECK(both.loops()[1].dependent == std::vector<std::string>{"roll_joint"});
  CHECK(Mechanism<double>(both).nv() == 0);
}

TEST_CASE("loops that are locked while they are open are left out with a note of how far", "[loops]") {
  const auto model = geared_linkage().build();
  const VectorXd closed = closed_configuration(model);
  VectorXd open = closed;
  open[model.joint("rotor_joint").q_index()] += 0.25;
  const std::vector<std::string> bars{"crank_joint", "coupler_joint", "rocker_joint"};
  const auto notes = [&](const std::vector<std::string>& locked, const VectorXd& q, const std::string& element) {
    std::string found;
    for (const Note& note : lock_joints(model, locked, q).notes())
      if (note.element == element) found += note.found;
    return found;
  };
  CHECK(notes({"crank_joint", "rotor_joint"}, closed, "loop 'gear'").empty());
  CHECK(mentions(notes({"crank_joint", "rotor_joint"}, open, "loop 'gear'"), {"open", "0.25"}));
  CHECK_FALSE(mentions(notes(bars, closed, "loop 'pin'"), {"open"}));
  // The tip of the rocker moves by 0.8 * 0.001 m across it.
  open = closed;
  open[model.joint("rocker_joint").q_index()] += 0.001;
  CHECK(mentions(notes(bars, open, "loop 'pin'"), {"fixed to each other although it is open by 0.000"}));
}

TEST_CASE("loops of what a builder does not have are refused", "[loops][errors]") {
  const auto refused = [](auto&& change) {
    auto builder = geared_linkage();
    change(builder);
    return message_of<ModelError>([&] { builder.build(); });
  };
  CHECK(mentions(refused([](auto& b) { b.close_loop("x", "crank", "wheel", closure::Point{}); }),
                 {"loop 'x'", "four-bar", "'wheel'"}));
  CHECK(mentions(refused([](auto& b) { b.couple("x", {{"wheel", 1.0}}); }), {"loop 'x'", "'wheel'"}));
  CHECK(mentions(refused([](auto& b) { b.couple("x", {{"crank_joint", 0.0}}); }), {"loop 'x'", "factor", "zero"}));
  CHECK(mentions(refused([](auto& b) {
                   b.add_body({.name = "box",
                               .joint = joint::FreeFlyer(),
                               .inertia = {1.0, {0, 0, 0}, Matrix3<double>::Identity()}});
                   b.couple("x", {{"box_joint", 1.0}});
                 }),
                 {"loop 'x'", "box_joint", "one coordinate"}));
  CHECK(mentions(refused([](auto& b) { b.couple("pin", {{"crank_joint", 1.0}}); }), {"loop 'pin'", "taken"}));
  CHECK(mentions(refused([](auto& b) {
                   b.couple("x", {{"crank_joint", 1.0}}, 0.0, {"wheel"});
                 }),
                 {"loop 'x'", "'wheel'", "dependent"}));
}

TEST_CASE("loops without meaning are refused as they are built, with their line", "[loops][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  using Form = closure::Condition::Form;
  const auto refused = [](const LoopSpec& loop) {
    auto builder = geared_linkage();
    builder.add_loop(loop);
    return message_of<ModelError>([&] { builder.build(); });
  };
  const auto closes = [&](const closure::Conditions& conditions, const std::vector<std::string>& parts) {
    const std::string message =
        refused({.name = "x", .first = "coupler_tip", .second = "rocker_tip", .conditions = conditions, .line = 12});
    return mentions(message, {"line 12: ", "loop 'x'", "'coupler_tip'", "'rocker_tip'"}) && mentions(message, parts);
  };
  for (const double x : {0.0, nan, inf, 1e-200, 1e200}) {
    CAPTURE(x);
    CHECK(closes(closure::Revolute{{0, x, 0}}.conditions(), {"axis"}));
    CHECK(closes(closure::Prismatic{{x, x, 0}}.conditions(), {"axis"}));
    CHECK(closes(closure::Universal{{1, 0, 0}, {0, x, 0}}.conditions(), {"axis"}));
    CHECK(closes(closure::Distance{x}.conditions(), {"rod", "positive"}));
    CHECK(closes({{Form::offset, {0, x, 0}}}, {"axis"}));
    CHECK(closes({{Form::direction, {1, 0, 0}, {0, x, 0}}}, {"axis"}));
  }
  CHECK(closes({}, {"no conditions"}));

  const auto couples = [&](double factor, double offset) {
    return refused({.name = "x", .terms = {{"crank_joint", 1.0}, {"rotor_joint", factor}}, .offset = offset});
  };
  for (const double x : {0.0, nan, -inf, 1e200})
    CHECK(mentions(couples(x, 0.0), {"loop 'x'", "'rotor_joint'", "factor", "zero"}));
  for (const double x : {nan, inf, 1e200}) CHECK(mentions(couples(1.0, x), {"loop 'x'", "offset", "'crank_joint'"}));

  // A loop is given by a closure or by conditions, not by both.
  const closure::Conditions point = closure::Point{}.conditions();
  CHECK(mentions(refused({.name = "x",
                          .first = "coupler_tip",
                          .second = "rocker_tip",
                          .conditions = point,
                          .terms = {{"crank_joint", 1.0}}}),
                 {"loop 'x'", "only one of the two"}));
  CHECK(
      mentions(refused({.name = "x", .conditions = point, .terms = {{"crank_joint", 1.0}}}), {"only one of the two"}));
  CHECK(mentions(refused({.name = "x", .first = "crank", .terms = {{"crank_joint", 1.0}}}), {"only one of the two"}));
  CHECK(mentions(refused({.name = "x", .conditions = point}), {"loop 'x'", "no body or frame ''"}));

  // A frame and itself never make sense; a loop between frames that were later fixed to each other is left out.
  CHECK(mentions(refused({.name = "x", .first = "coupler", .second = "coupler", .conditions = point}),
                 {"'coupler'", "cannot move"}));
  auto builder = geared_linkage();
  builder.add_loop({.name = "x", .first = "coupler", .second = "coupler_tip", .conditions = point, .line = 7});
  const auto model = builder.build();
  CHECK(model.loops().size() == 2);
  CHECK(std::ranges::any_of(model.notes(), [](const Note& n) { return n.element == "loop 'x'" && n.line == 7; }));
}

TEST_CASE("a submodel has the frames of all its bodies", "[loops]") {
  const auto model = geared_linkage().build();
  const auto part = submodel(model, "crank");
  CHECK(part.has_frame("coupler_tip"));
  CHECK_FALSE(part.has_frame("rocker_tip"));
}

}  // namespace loops_test
