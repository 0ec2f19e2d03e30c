#include <limits>
#include <set>

#include "contracts/operations.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks the error of every function for wrong arguments and for a missing state, and that a rejected call changes
// nothing.

namespace {

using M = Model<double>;
using D = Data<double>;
using X = Arguments<double>;
using Op = Operation<double>;

const Op& operation_number(int i) { return operations<double>()[static_cast<std::size_t>(i)]; }
int count() { return static_cast<int>(operations<double>().size()); }

M robot() { return zoo::random_tree(9, {.bodies = 10, .floating_base = true, .passive = true}); }

const char* signature(Pass pass) {
  const char* text[] = {"", "(model, data, q)", "(model, data, q, v)", "(model, data, q, v, a)"};
  return text[static_cast<int>(pass)];
}
const char* name_of(const Op& f, X::Slot slot) {
  if (slot < X::x_slot) return slot == X::q_slot ? "q" : slot == X::v_slot ? "v" : "a";
  return f.vectors[slot == X::x_slot ? 0 : 1].c_str();
}

/// Functions without a form that takes q: the table calls forward_kinematics or body_kinematics before them.
const std::set<std::string> only_of_a_state{"body_pose",
                                            "body_velocity",
                                            "body_acceleration",
                                            "body_classical_acceleration",
                                            "relative_pose",
                                            "relative_velocity",
                                            "center_of_pressure",
                                            "christoffel_symbols_second_kind",
                                            "subtree_com_jacobian",
                                            "subtree_com_jacobians",
                                            "subtree_center_of_mass",
                                            "subtree_centers_of_mass",
                                            "body_wrenches",
                                            "joint_wrenches",
                                            "cartesian_forces",
                                            "least_squares_velocities",
                                            "minimum_norm_forces",
                                            "wrenches_at_points"};

/// A robot with its arguments, and all else that a test of one operation needs.
struct Fixture {
  explicit Fixture(const Op& op, M of = robot(), int force_seed = 0)
      : f(op),
        model(std::move(of)),
        data(model),
        x(model, random_numbers(model, 1), force_seed),
        call(suits(f, model) ? f.prepare(model) : nullptr) {}
  const Op& f;
  M model;
  D data;
  X x;
  std::unique_ptr<Call<double>> call;
};

/// Returns the passes that do not compute enough for f.
std::vector<Pass> insufficient(const Op& f) {
  std::vector<Pass> all;
  for (const auto pass : {Pass::none, Pass::position, Pass::velocity})
    if (pass < f.pass) all.push_back(pass);
  return all;
}

}  // namespace

TEST_CASE("an argument of the wrong size is a SizeError that names it, its function and both sizes",
          "[contracts][errors]") {
  Fixture s(operation_number(GENERATE(range(0, count()))));
  INFO(s.f.name());
  s.call->complete(s.model, s.data, s.x);
  const Vectord before = s.call->numbers();
  run_pass(s.model, s.data, s.x, Pass::acceleration);
  for (int i = 0; i < X::slots; ++i) {
    const auto slot = static_cast<X::Slot>(i);
    if (!s.f.takes(slot)) continue;
    for (const int change : {-1, 1}) {
      const auto right = s.x.at(slot);
      const Vectord wrong = Vectord::Zero(right.size() + change);
      s.x.set(slot, wrong.data(), wrong.size());
      CAPTURE(name_of(s.f, slot), change);
      const bool by_pass = slot < X::x_slot && only_of_a_state.contains(s.f.function);
      std::vector<std::string> parts{(by_pass ? "_kinematics" : s.f.function) + ": " + name_of(s.f, slot) + " has size",
                                     std::to_string(wrong.size()), std::to_string(right.size())};
      if (slot < X::x_slot) parts.push_back(slot == X::q_slot ? "nq of model '" : "nv of model '");
      CHECK(mentions(message_of<SizeError>([&] { s.call->complete(s.model, s.data, s.x); }), parts));
      if (slot >= X::x_slot && s.f.has_reuse)
        CHECK(mentions(message_of<SizeError>([&] { s.call->reuse(s.model, s.data, s.x); }), parts));
      s.x.set(slot, right.data(), right.size());
      CHECK(s.call->numbers() == before);
    }
  }
  // The state is still there, unchanged.
  if (s.f.has_reuse) {
    s.call->reuse(s.model, s.data, s.x);
    CHECK(s.call->numbers() == before);
  }
}

TEST_CASE("Data of another model is a SizeError or, of the same size, a StateError", "[contracts][errors]") {
  Fixture s(operation_number(GENERATE(range(0, count()))));
  INFO(s.f.name());
  const M twin = robot();
  D small(zoo::serial_chain(3)), same_size(twin);
  const auto complete = [&](D& data) { s.call->complete(s.model, data, s.x); };
  const auto reuse = [&](D& data) { s.call->reuse(s.model, data, s.x); };
  CHECK(mentions(message_of<SizeError>([&] { complete(small); }), {"Data", "another model"}));
  CHECK(mentions(message_of<StateError>([&] { complete(same_size); }), {"Data", "another model"}));
  if (!s.f.has_reuse) return;
  s.f.prepare(twin)->complete(twin, same_size, X(twin, random_numbers(twin, 1)));
  CHECK(mentions(message_of<StateError>([&] { reuse(same_size); }), {"another model"}));
  CHECK_THROWS_AS(reuse(small), SizeError);
}

TEST_CASE("a function before its kinematics pass is a StateError that names both", "[contracts][errors]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  if (!f.has_reuse) return;
  for (const Pass pass : insufficient(f)) {
    Fixture s(f);
    run_pass(s.model, s.data, s.x, pass);
    const std::string message = message_of<StateError>([&] { s.call->reuse(s.model, s.data, s.x); });
    CHECK(mentions(message, {f.function, std::string("forward_kinematics") + signature(f.pass)}));
  }
}

TEST_CASE("a shorter pass after a longer one does not leave the older velocities to be used", "[contracts][errors]") {
  Fixture s(operation_number(GENERATE(range(0, count()))));
  INFO(s.f.name());
  if (!s.f.has_reuse) return;
  for (const Pass pass : insufficient(s.f)) {
    s.call->complete(s.model, s.data, s.x);
    CHECK_NOTHROW(s.call->reuse(s.model, s.data, s.x));
    if (pass == Pass::none) continue;
    run_pass(s.model, s.data, s.x, Pass::acceleration);
    run_pass(s.model, s.data, s.x, pass);
    CHECK_THROWS_AS(s.call->reuse(s.model, s.data, s.x), StateError);
  }
}

TEST_CASE("a state computed before set_inertia is a StateError that says so", "[contracts][errors]") {
  Fixture s(operation_number(GENERATE(range(0, count()))));
  INFO(s.f.name());
  if (!s.f.has_reuse) return;
  s.call->complete(s.model, s.data, s.x);
  s.model.set_inertia(s.model.bodies().back(), ball(3.0));
  const std::string message = message_of<StateError>([&] { s.call->reuse(s.model, s.data, s.x); });
  CHECK(mentions(message, {s.f.function, "changed"}));
}

TEST_CASE("a state computed for a copy of the model may be reused", "[contracts][errors]") {
  Fixture s(operation_number(GENERATE(range(0, count()))));
  INFO(s.f.name());
  if (!s.f.has_reuse) return;
  const M copy = s.model;
  s.call->complete(s.model, s.data, s.x);
  const Vectord before = s.call->numbers();
  s.call->reuse(copy, s.data, s.x);
  CHECK(s.call->numbers() == before);
}

TEST_CASE("an external force on a body of another model is a ModelError that leaves the result",
          "[contracts][errors]") {
  Fixture s(operation_number(GENERATE(range(0, count()))), robot(), 3);
  INFO(s.f.name());
  if (!s.f.takes_forces) return;
  s.call->complete(s.model, s.data, s.x);
  const Vectord before = s.call->numbers();
  const M twin = robot(), larger = zoo::serial_chain(30);
  const Force<double> F{Vector3<double>::Ones(), Vector3<double>::Ones()};
  for (const M* other : {&twin, &larger})
    for (const auto reference : all_references) {
      s.x.forces = {{other->bodies().back(), F, reference}};
      CHECK_THROWS_AS(s.call->complete(s.model, s.data, s.x), ModelError);
      CHECK(s.call->numbers() == before);
    }
}

TEST_CASE("a pass that failed for its arguments leaves the state before it", "[contracts][errors]") {
  const M model = robot();
  D data(model);
  const X x(model, random_numbers(model, 1));
  const Matrixd M = crba(model, data, x.q());
  CHECK_THROWS_AS(forward_kinematics(model, data, Vectord::Ones(1)), SizeError);
  CHECK(crba(model, data) == M);
}

namespace {

/// Puts one number that is not finite into each argument in turn.
void check_not_finite(Fixture& s, Eigen::Index index_in_q) {
  const double bad = GENERATE(std::nan(""), std::numeric_limits<double>::infinity());
  INFO(s.f.name());
  s.call->complete(s.model, s.data, s.x);
  CHECK(s.call->numbers().allFinite());
  for (int i = 0; i < X::slots; ++i) {
    const auto slot = static_cast<X::Slot>(i);
    if (!s.f.takes(slot)) continue;
    CAPTURE(name_of(s.f, slot));
    const auto right = s.x.at(slot);
    Vectord wrong = right;
    wrong[slot == X::q_slot ? index_in_q : 0] = bad;
    s.x.set(slot, wrong.data(), wrong.size());
    CHECK_NOTHROW(s.call->complete(s.model, s.data, s.x));
    if (!s.f.bounded) CHECK_FALSE(s.call->numbers().allFinite());
    if (s.f.has_reuse) CHECK_NOTHROW(s.call->reuse(s.model, s.data, s.x));
    s.x.set(slot, right.data(), right.size());
  }
  // No later result contains such a number either.
  s.call->complete(s.model, s.data, s.x);
  CHECK(s.call->numbers().allFinite());
}

}  // namespace

TEST_CASE("what is not finite passes through every function without an exception and shows", "[contracts][errors]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  // Without springs, passive forces do not depend on q.
  M chain = zoo::serial_chain(4);
  chain.set_springs(Vectord::Ones(4), neutral(chain));
  Fixture s(f, std::move(chain));
  // A chain's joints have no structure constants.
  if (!suits(f, s.model) || f.function.starts_with("structure_constants")) return;
  check_not_finite(s, 1);
}

TEST_CASE("what is not finite in one joint shows in what depends on all of a floating robot", "[contracts][errors]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  if (!f.takes_forces && f.conditioned == Conditioned::not_at_all) return;
  Fixture s(f, robot());
  // The position of the base is exempt: it changes only where the robot is.
  check_not_finite(s, s.model.nq() - 1);
}
