#include <cmath>

#include "contracts/operations.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

// Data is a state and results, and each function changes only its own results. A failure is named "g after f".

namespace {

using M = Model<double>;
using D = Data<double>;
using X = Arguments<double>;
using Op = Operation<double>;

const Op& operation_number(int i) { return operations<double>()[static_cast<std::size_t>(i)]; }
int count() { return static_cast<int>(operations<double>().size()); }

M robot() { return zoo::random_tree(9, {.bodies = 10, .floating_base = true, .passive = true}); }

/// The robots: the plain one, one with armature, users' joints whose axes move, and the mechanisms that tests of
/// algorithms use: every kind of joint on the ground and on a floating base, several trees, massless and welded bodies.
/// Without optimisation the random ones are left out, because the others have their joints and branches.
const std::vector<M>& robots() {
  static const std::vector<M> all = [] {
    std::vector<M> some{robot(), zoo::random_tree(4, {.bodies = 14, .armature = true, .passive = true}),
                        tower<double>(joint::FreeFlyer()), tower<double>(ParentBall())};
    for (const Plan& plan : topologies())
      if (optimised || !plan.name.starts_with("random tree")) some.push_back(build(plan));
    return some;
  }();
  return all;
}

/// All operations of the table that suit a model, with their targets.
struct All {
  explicit All(const M& model) {
    for (const Op& f : operations<double>())
      if (suits(f, model)) all.emplace_back(&f, f.prepare(model));
  }
  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
  std::vector<std::pair<const Op*, std::unique_ptr<Call<double>>>> all;
};

/// Tells whether a test of all pairs takes f and g: always if they belong to one function. Without optimisation a fifth
/// of the other pairs is taken, which still has each operation in many pairs.
bool takes_pair(const Op& f, const Op& g) {
  return optimised || f.function == g.function ||
         (&f - &operation_number(0) + 3 * (&g - &operation_number(0))) % 5 == 0;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += name + "; ";
  return text;
}

/// Keeps one configuration for all, so that M does not change, and draws other vectors.
std::vector<Vectord> other_numbers(const M& model) { return random_numbers(model, 2); }

}  // namespace

TEST_CASE("both forms of a function give the same and write all of it, whatever came before", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  for (const M& model : robots()) {
    if (!suits(f, model)) continue;
    INFO(model.name());
    D data(model), other(model);
    std::vector<Vectord> not_finite = random_numbers(model, 1);
    for (Vectord& numbers : not_finite) numbers.setConstant(std::nan(""));
    const X x(model, random_numbers(model, 1), 3), before(model, other_numbers(model), 4), bad(model, not_finite, 3);
    const auto call = f.prepare(model), first = f.prepare(model);
    first->complete(model, other, x);
    const Vectord expected = first->numbers();
    CHECK(expected.allFinite());
    // Checks after another state, and after one that is not finite.
    for (const X* state : {&before, &bad}) {
      call->complete(model, data, *state);
      call->complete(model, data, x);
      CHECK(call->numbers() == expected);
    }
    // Zeros are exempt: for unrelated degrees of freedom the first call wrote them.
    for (const auto& memory : call->memory())
      for (Eigen::Index i = 0; i < memory.size; ++i)
        if (memory.begin[i] != 0) const_cast<double&>(memory.begin[i]) = std::nan("");
    call->complete(model, data, x);
    CHECK(call->numbers() == expected);
    if (!f.has_reuse) continue;
    // Checks in new Data, and after a longer pass, twice.
    D fresh(model);
    run_pass(model, fresh, x, f.pass);
    const auto again = f.prepare(model);
    again->reuse(model, fresh, x);
    CHECK(again->numbers() == expected);
    call->complete(model, data, before);
    run_pass(model, data, x, Pass::acceleration);
    for (int i = 0; i < 2; ++i) {
      call->reuse(model, data, x);
      CHECK(call->numbers() == expected);
    }
  }
}

TEST_CASE("what a function writes into part of a matrix leaves the rest alone", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  const M model = robot();
  D data(model);
  const X x(model, random_numbers(model, 1), 3);
  const auto call = f.prepare(model);
  call->complete(model, data, x);
  CHECK(call->left_neighbours_alone());
  if (f.has_reuse) call->reuse(model, data, x);
  CHECK(call->left_neighbours_alone());
}

TEST_CASE("no function changes the result of another", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  const M model = robot();
  const X x(model, random_numbers(model, 1)), y(model, other_numbers(model));
  std::vector<std::string> changed;
  const auto call = f.prepare(model);
  for (const auto& [g, results] : All(model)) {
    if (g->function == f.function) continue;
    D data(model);
    run_pass(model, data, x, Pass::acceleration);
    results->complete(model, data, x);
    if (results->memory().empty()) continue;
    const Vectord before = results->numbers();
    run_pass(model, data, x, Pass::acceleration);
    if (f.has_reuse) call->reuse(model, data, y);
    call->complete(model, data, y);
    if (results->numbers() != before) changed.push_back(g->name() + " after " + f.name());
  }
  CHECK(list(changed) == "");
}

TEST_CASE("no function changes the state that it reuses", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  if (!f.has_reuse) return;
  const M model = robot();
  const X x(model, random_numbers(model, 1)), y(model, other_numbers(model));
  std::vector<std::string> changed;
  const auto call = f.prepare(model);
  for (const auto& [g, results] : All(model)) {
    if (!g->has_reuse || !takes_pair(f, *g)) continue;
    D data(model), untouched(model);
    run_pass(model, data, x, Pass::acceleration);
    run_pass(model, untouched, x, Pass::acceleration);
    call->reuse(model, data, y);
    results->reuse(model, untouched, x);
    const Vectord expected = results->numbers();
    results->reuse(model, data, x);
    if (results->numbers() != expected) changed.push_back(g->name() + " after " + f.name());
  }
  CHECK(list(changed) == "");
}

TEST_CASE("a function called with a state leaves that state, and nothing of the one before", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  const M model = robot();
  const X x(model, random_numbers(model, 1)), before(model, other_numbers(model));
  std::vector<std::string> stale;
  const auto call = f.prepare(model);
  for (const auto& [g, results] : All(model)) {
    if (!g->has_reuse || !takes_pair(f, *g)) continue;
    D data(model), fresh(model);
    run_pass(model, data, before, Pass::acceleration);
    results->reuse(model, data, before);
    call->complete(model, data, x);
    if (g->pass <= f.pass && (g->of_last_body || !f.of_last_body)) {
      run_pass(model, fresh, x, f.pass);
      results->reuse(model, fresh, x);
      const Vectord expected = results->numbers();
      results->reuse(model, data, x);
      if (results->numbers() != expected) stale.push_back(g->name() + " after " + f.name());
    } else {
      try {
        results->reuse(model, data, x);
        stale.push_back(g->name() + " after " + f.name());
      } catch (const StateError&) {
      }
    }
  }
  CHECK(list(stale) == "");
}

TEST_CASE("the numbers that a function is given may be part of any result", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  // The chain has as many coordinates as degrees of freedom, so that a result can serve as q; as another vector it
  // always can.
  const bool of_q = GENERATE(false, true);
  const M chain = zoo::serial_chain(5), model = of_q ? chain : robot();
  if (!suits(f, model)) return;
  std::vector<std::string> wrong;
  D data(model), other(model);
  const auto call = f.prepare(model), expected = f.prepare(model);
  X x(model, random_numbers(model, 1), 3), copied(model, random_numbers(model, 1), 3);
  for (const auto& [g, results] : All(model)) {
    if (!takes_pair(f, *g)) continue;
    results->complete(model, data, x);
    const std::size_t parts = results->memory().size();
    for (std::size_t part = 0; part < parts; ++part)
      for (int i = 0; i < X::slots; ++i) {
        const auto slot = static_cast<X::Slot>(i);
        if (!f.takes(slot) || of_q != (slot == X::q_slot && suits(f, chain))) continue;
        const auto right = x.at(slot);
        for (const bool reuse : {false, true}) {
          if (reuse && (!f.has_reuse || slot < X::x_slot)) continue;
          results->complete(model, data, x);
          run_pass(model, data, x, Pass::acceleration);
          run_pass(model, other, x, Pass::acceleration);
          const Memory<double> memory = results->memory()[part];
          if (memory.size < right.size()) continue;
          const Vectord copy = Eigen::Map<const Vectord>(memory.begin, right.size());
          x.set(slot, memory.begin, right.size());
          copied.set(slot, copy.data(), copy.size());
          if (reuse)
            call->reuse(model, data, x), expected->reuse(model, other, copied);
          else
            call->complete(model, data, x), expected->complete(model, other, copied);
          // Results make poor quaternions: normalizing zeros gives NaN.
          if (expected->numbers().allFinite() && call->numbers() != expected->numbers())
            wrong.push_back(f.name() + " of " + g->name() + ", part " + std::to_string(part));
          x.set(slot, right.data(), right.size());
          copied.set(slot, right.data(), right.size());
        }
      }
  }
  CHECK(list(wrong) == "");
}

TEST_CASE("the accelerations and velocities of the state may be given to any function", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  const M model = robot();
  const auto call = f.prepare(model);
  for (int i = X::v_slot; i < X::slots; ++i) {
    const auto slot = static_cast<X::Slot>(i);
    if (!f.takes(slot)) continue;
    for (const bool acceleration : {false, true}) {
      CAPTURE(i, acceleration);
      D data(model), other(model);
      X x(model, random_numbers(model, 1), 3);
      const X before(model, other_numbers(model), 3);
      run_pass(model, data, before, Pass::acceleration);
      const Vectord copy = acceleration ? data.a : data.v;
      x.set(slot, copy.data(), copy.size());
      call->complete(model, other, x);
      const Vectord expected = call->numbers();
      x.set(slot, (acceleration ? data.a : data.v).data(), copy.size());
      call->complete(model, data, x);
      CHECK(call->numbers() == expected);
    }
  }
}

TEST_CASE("what was moved from is an error, not a state", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  M model = robot();
  D data(model);
  const X x(model, random_numbers(model, 1));
  const auto call = f.prepare(model);
  call->complete(model, data, x);
  const Vectord expected = call->numbers();
  SECTION("Data") {
    D kept = std::move(data);
    CHECK_THROWS_AS(call->complete(model, data, x), Error);  // NOLINT(bugprone-use-after-move)
    if (f.has_reuse) CHECK_THROWS_AS(call->reuse(model, data, x), Error);
    // The state moved to `kept`, and Data can be made again for the model.
    const auto again = f.prepare(model);
    if (f.has_reuse) {
      again->reuse(model, kept, x);
      CHECK(again->numbers() == expected);
    }
    data = D(model);
    again->complete(model, data, x);
    CHECK(again->numbers() == expected);
  }
  SECTION("Model") {
    if (f.needs_body) return;  // asking the model for a body throws first
    const M kept = std::move(model);
    CHECK_THROWS_AS(call->complete(model, data, x), Error);  // NOLINT(bugprone-use-after-move)
    if (f.has_reuse) {
      CHECK_THROWS_AS(call->reuse(model, data, x), Error);
      call->reuse(kept, data, x);
      CHECK(call->numbers() == expected);
    }
  }
  SECTION("what it writes to") {
    // Results that calls size are sized again; results sized at construction no longer belong to a model.
    call->move_away();
    try {
      call->complete(model, data, x);
      CHECK(call->numbers() == expected);
    } catch (const Error&) {
    }
  }
}

TEST_CASE("every function works for a model without a degree of freedom", "[contracts][state]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  ModelBuilder<double> builder("a plate on the wall");
  builder.add_body(
      {.name = "plate",
       .joint = joint::Fixed(),
       .inertia = InertialParameters<double>{1.0, Vector3<double>(0.1, 0.2, 0.3), 0.1 * Matrix3<double>::Identity()}});
  const M model = builder.build();
  REQUIRE(model.nv() == 0);
  if (!suits(f, model)) return;
  D data(model);
  const X x(model, random_numbers(model, 1));
  const auto call = f.prepare(model);
  call->complete(model, data, x);
  CHECK(call->numbers().allFinite());
  if (!f.has_reuse) return;
  call->reuse(model, data, x);
  CHECK(call->numbers().allFinite());
}
