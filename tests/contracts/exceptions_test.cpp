#include "contracts/operations.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/fuse.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// A user's joint may throw at any evaluation. Data then does not treat a half-finished computation as done.

namespace {

/// Sliders with a fuse among the joints of a floating robot: one is a leaf and one carries other joints. Both carry the
/// last body, the only one that some functions move.
Model<double> robot() {
  auto builder = to_builder(zoo::random_tree(9, {.bodies = 6, .floating_base = true, .passive = true}));
  const auto open = builder.build();
  builder.add_body({.name = "inner",
                    .parent = open.bodies().back().name(),
                    .joint = FusedSlider(),
                    .inertia = InertialParameters<double>(ball(1.0))});
  builder.add_body({.name = "arm",
                    .parent = "inner",
                    .joint = joint::Revolute({1, 2, 0}),
                    .inertia = InertialParameters<double>(ball(0.5))});
  builder.add_body(
      {.name = "outer", .parent = "arm", .joint = FusedSlider(), .inertia = InertialParameters<double>(ball(0.7))});
  return builder.build();
}

}  // namespace

TEST_CASE("after an exception of a joint at any evaluation the same call gives what it should", "[contracts][throws]") {
  const auto& f =
      operations<double>()[static_cast<std::size_t>(GENERATE(range(0, static_cast<int>(operations<double>().size()))))];
  INFO(f.name());
  const Model<double> model = robot();
  if (!suits(f, model)) return;
  Data<double> data(model), other(model);
  const Arguments<double> x(model, random_numbers(model, 1), 3), before(model, random_numbers(model, 2), 4);
  const auto call = f.prepare(model);
  call->complete(model, other, x);
  const Vectord expected = call->numbers();
  long k = 0;
  for (bool blew = true; blew; ++k) {
    CAPTURE(k);
    REQUIRE(k < 1000);
    call->complete(model, data, before);
    blew = blows(k, [&] { call->complete(model, data, x); });
    // The state is complete, or does not exist.
    if (blew && f.has_reuse) {
      try {
        call->reuse(model, data, x);
        CHECK(call->numbers() == expected);
      } catch (const StateError&) {
      }
    }
    call->complete(model, data, x);
    CHECK(call->numbers() == expected);
    if (!f.has_reuse) continue;
    run_pass(model, data, x, f.pass);
    blew = blows(k, [&] { call->reuse(model, data, x); }) || blew;
    call->reuse(model, data, x);
    CHECK(call->numbers() == expected);
  }
  CHECK(k > 1);  // at least one evaluation took place
}
