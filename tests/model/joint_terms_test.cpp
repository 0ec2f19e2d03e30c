#include "corio/model/joint_terms.hpp"

#include <complex>
#include <functional>
#include <limits>

#include "model/edit_support.hpp"
#include "support/catch.hpp"

// The terms of joints: which the builder rejects, and which stay when a joint is replaced by another.

namespace edit_test {
namespace {

/// A hinge with all terms that a joint can have, and a slider without any on it.
ModelBuilder<double> equipped() {
  ModelBuilder<double> builder("robot");
  builder.add_body({.name = "forearm",
                    .joint = joint::Revolute::z(),
                    .inertia = ball(),
                    .joint_name = "elbow",
                    .armature = {0.1},
                    .limits = some_limits(1, 1),
                    .safety = some_safety(1, 1),
                    .passive = {{1}, {2}, {3}, {0.4}},
                    .joint_line = 12});
  builder.add_body({.name = "hand", .parent = "forearm", .joint = joint::Prismatic::x(), .inertia = ball()});
  return builder;
}
std::string rejection(const ModelBuilder<double>& builder) {
  return message_of<ModelError>([&] { builder.build(); });
}

/// A hinge with a value of its own for every kind in the list; no value means that the term does not exist.
Model<double> with_every_kind() {
  ModelBuilder<double> builder("robot");
  BodySpec<double> spec{.name = "forearm", .joint = joint::Revolute::z(), .inertia = ball(), .joint_name = "elbow"};
  double size = 2.0;
  for_each_term(
      [&](const JointTerm& term, auto& numbers) {
        size -= 0.05;
        numbers = {term.none < 0.0 ? -size : size};
      },
      spec);
  builder.add_body(std::move(spec));
  builder.add_body({.name = "hand", .parent = "forearm", .joint = joint::Prismatic::x(), .inertia = ball()});
  return builder.build();
}
/// Checks that the elbow of a model has all of these values, to the rounding of S.
template <class S>
void check_every_kind(const Model<S>& model) {
  const Model<double> whole = with_every_kind();
  const Joint &joint = model.joint("elbow"), &own = whole.joint("elbow");
  for_each_term(
      [&](const JointTerm& term, const auto& numbers, const auto& given) {
        CAPTURE(term.name);
        const double x = value_of(numbers[term.per_coordinate ? joint.q_index() : joint.v_index()]);
        CHECK(x == Approx(given[term.per_coordinate ? own.q_index() : own.v_index()]).epsilon(1e-6));
        CHECK(x != term.none);
      },
      model.terms(), whole.terms());
}

}  // namespace

TEST_CASE("edited models and models over other scalars keep numbers of every kind", "[model][edit][cast]") {
  const auto model = with_every_kind();
  const VectorXd q = VectorXd::Constant(2, 0.5);
  check_every_kind(to_builder(model).build());
  check_every_kind(lock_joints(model, {"hand_joint"}, q));
  check_every_kind(replace_joint(model, "hand_joint", joint::Revolute::x()));
  check_every_kind(with_payload(model, "hand", ball()));
  check_every_kind(add_frame(model, "palm", "hand", Pose<double>::identity()));
  check_every_kind(submodel(model, "forearm"));
  check_every_kind(model.cast<float>());
  check_every_kind(model.cast<std::complex<double>>());
}

TEST_CASE("numbers of a joint that have the wrong sign, or are none, are rejected by their names", "[model][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  struct Wrong {
    const char* name;
    std::function<std::vector<double>*(BodySpec<double>&)> numbers;
    std::vector<double> values;
  };
  const std::vector<double> coefficient{-1.0, -1e-300, nan, inf, -inf}, most{-1.0, nan, -inf};
  const std::vector<Wrong> all{
      {"armature", [](auto& s) { return &s.armature; }, coefficient},
      {"damping", [](auto& s) { return &s.passive.damping; }, coefficient},
      {"friction", [](auto& s) { return &s.passive.friction; }, coefficient},
      {"stiffness", [](auto& s) { return &s.passive.stiffness; }, coefficient},
      {"configuration at rest", [](auto& s) { return &s.passive.rest; }, {nan, inf, -inf}},
      {"lower limit", [](auto& s) { return &s.limits.lower; }, {nan, inf}},
      {"upper limit", [](auto& s) { return &s.limits.upper; }, {nan, -inf}},
      {"velocity limit", [](auto& s) { return &s.limits.velocity; }, most},
      {"effort limit", [](auto& s) { return &s.limits.effort; }, most},
      {"acceleration limit", [](auto& s) { return &s.limits.acceleration; }, most},
      {"deceleration limit", [](auto& s) { return &s.limits.deceleration; }, most},
      {"jerk limit", [](auto& s) { return &s.limits.jerk; }, most},
      {"lower limit of the safety controller", [](auto& s) { return &s.safety.lower; }, {nan, inf}},
      {"upper limit of the safety controller", [](auto& s) { return &s.safety.upper; }, {nan, -inf}},
      {"position gain", [](auto& s) { return &s.safety.position_gain; }, coefficient},
      {"velocity gain", [](auto& s) { return &s.safety.velocity_gain; }, coefficient}};
  std::vector<std::string> kinds, tried;
  for_each_term([&](const JointTerm& term) { kinds.emplace_back(term.name); });
  for (const Wrong& wrong : all) tried.emplace_back(wrong.name);
  CHECK(tried == kinds);
  for (const Wrong& wrong : all)
    for (const double x : wrong.values) {
      CAPTURE(wrong.name, x);
      auto builder = equipped();
      *wrong.numbers(builder.body("forearm")) = {x};
      CHECK(mentions(rejection(builder), {"line 12", "'elbow'", wrong.name, "must"}));
    }
  auto builder = equipped();
  builder.body("forearm").limits = {{-inf}, {inf}, {0.0}, {inf}, {0.0}, {inf}, {0.0}};
  CHECK(rejection(builder) == "no exception");
}

TEST_CASE("a joint that becomes another keeps the numbers that fit, and a note names the others", "[model][edit]") {
  const auto model = equipped().build();
  const auto become = [&](const joint::JointSpec<double>& joint) {
    auto builder = to_builder(model);
    builder.body("forearm").joint = joint;
    return builder.build();
  };
  SECTION("all fit another joint of one coordinate") {
    const auto changed = become(joint::Helical({0, 0, 1}, 0.1));
    CHECK(changed.notes().empty());
    for_each_term(
        [](const JointTerm& term, const auto& a, const auto& b) {
          CAPTURE(term.name);
          CHECK(a == b);
        },
        changed.terms(), model.terms());
  }
  SECTION("none fits a joint of two") {
    const auto changed = become(joint::Universal());
    REQUIRE(changed.notes().size() == 1);
    CHECK(changed.notes()[0].element == "joint 'elbow'");
    CHECK(mentions(
        to_string(changed.notes()[0]),
        {"universal", "revolute", "armature", "damping", "friction", "stiffness", "configuration at rest",
         "lower limit", "upper limit", "velocity limit", "effort limit", "position gain", "velocity gain", "dropped"}));
    CHECK(changed.armature() == VectorXd::Zero(3));
    CHECK(changed.upper_limit() == VectorXd::Constant(3, std::numeric_limits<double>::infinity()));
    CHECK(changed.safety().velocity_gain == VectorXd::Zero(3));
    CHECK(to_builder(changed).build().notes().size() == 1);
    CHECK(become(joint::Fixed()).nv() == 1);
  }
  SECTION("those of each degree of freedom fit a joint with more coordinates") {
    ModelBuilder<double> builder;
    builder.add_body({.name = "head",
                      .joint = joint::Spherical(),
                      .inertia = ball(),
                      .armature = {1, 2, 3},
                      .passive = {{}, {}, {1, 1, 1}, {0, 0, 1, 0}}});
    builder.body("head").joint = joint::SphericalEuler<'z', 'y', 'x'>();
    const auto changed = builder.build();
    CHECK(changed.armature() == Vector3<double>(1, 2, 3));
    CHECK(changed.rest_configuration() == Vector3<double>(0, 0, 0));
    REQUIRE(changed.notes().size() == 1);
    CHECK(mentions(changed.notes()[0].found, {"spherical", "configuration at rest"}));
    CHECK_FALSE(mentions(changed.notes()[0].found, {"armature"}));
  }
  SECTION("nothing is noted of a joint that has none, and what it is given now is taken") {
    auto builder = to_builder(model);
    builder.body("hand").joint = joint::Universal();
    builder.body("hand").armature = {0.1, 0.2};
    const auto changed = builder.build();
    CHECK(changed.notes().empty());
    CHECK(changed.armature() == Vector3<double>(0.1, 0.1, 0.2));
  }
  SECTION("other sizes are rejected as before") {
    auto builder = to_builder(model);
    builder.body("forearm").joint = joint::Universal();
    builder.body("forearm").armature = {0.1, 0.2, 0.3};
    CHECK(mentions(rejection(builder), {"'elbow'", "3 values of armature", "expected 2"}));
  }
}

TEST_CASE("joints, bodies and frames of a model that is gone are rejected where they are compiled", "[model]") {
  const auto has_lists = [](auto&& model) {
    using M = decltype(model);
    return requires(M m) { static_cast<M>(m).joints(); }
    || requires(M m) { static_cast<M>(m).bodies(); }
    || requires(M m) { static_cast<M>(m).frames(); };
  };
  const auto model = equipped().build();
  CHECK(has_lists(model));
  CHECK_FALSE(has_lists(equipped().build()));
  // Notes and loops do not refer to a model: they are copies, valid after the model is gone.
  STATIC_REQUIRE(std::is_same_v<decltype(equipped().build().notes()), std::vector<Note>>);
  STATIC_REQUIRE(std::is_same_v<decltype(equipped().build().loops()), std::vector<LoopSpec>>);
  for (const Note& note : equipped().build().notes()) FAIL(to_string(note));
}

}  // namespace edit_test
