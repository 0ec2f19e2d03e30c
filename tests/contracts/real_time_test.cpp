#include "support/interposed.hpp"

#include <cstdio>
#include <mutex>

#include "contracts/control_loop.hpp"
#include "support/catch.hpp"
#include "support/painted_stack.hpp"

// After its first call, a function of a control loop uses no memory, lock or exception, and a bounded part of the
// stack.

using namespace corio;
using namespace corio::test;

TEST_CASE("calls for memory, of locks and of throw are seen", "[contracts][real_time]") {
  if (!interposing) return;
  CHECK(interposed([] {
          volatile bool wanted = true;
          void* const p = std::malloc(wanted ? 10 : 20);
          *static_cast<volatile char*>(p) = 1;
          std::free(p);
        }).memory == 2);
  std::mutex mutex;
  CHECK(interposed([&] { const std::lock_guard lock(mutex); }).locks == 1);
  CHECK(interposed([] {
          try {
            throw 1;
          } catch (int) {
          }
        }).throws == 1);
}

TEST_CASE("nothing that a control loop calls takes memory, locks or throws after its first call",
          "[contracts][real_time]") {
  for (const auto& [name, run] : control_loop()) {
    // This step closes loops by assemble, which allocates, as documented.
    if (name == "step, mechanism") continue;
    CAPTURE(name);
    run();
    const InterposedCalls made = interposed([&call = run] {
      for (int i = 0; i < 10; ++i) call();
    });
    CHECK(made.memory == 0);
    CHECK(made.locks == 0);
    CHECK(made.throws == 0);
  }
}

#ifndef CORIO_TEST_OTHER_INTERPOSITION  // sanitizers also widen the frames of functions

namespace {

/// Compilers that do not optimise give each inlined function its own place in the frame, so only optimised code (-Og of
/// GCC, but not -O0) tells anything about programs.
constexpr std::size_t most = optimised ? 64 * 1024 : 512 * 1024;

}  // namespace

TEST_CASE("a painted stack shows how far it was used", "[contracts][real_time]") {
  PaintedStack stack;
  const std::size_t none = stack.use([] {}), kilobyte = stack.use([] {
    volatile char a[1024];
    for (auto& x : a) x = 1;
  });
  CHECK(kilobyte >= none + 1024);
  CHECK(kilobyte < none + 1280);
}

TEST_CASE("what a control loop calls takes a bounded part of the stack", "[contracts][real_time]") {
  PaintedStack stack;
  std::vector<std::pair<std::size_t, std::string>> all;
  for (const auto& [name, run] : control_loop()) {
    run();
    all.emplace_back(stack.use(run), name);
  }
  std::sort(all.rbegin(), all.rend());
  std::printf("bytes of the stack, %zu functions\n", all.size());
  for (const auto& [bytes, name] : all) std::printf("%8zu  %s\n", bytes, name.c_str());
  CHECK(all.front().first < most);
}

TEST_CASE("the part of the stack does not grow with the robot", "[contracts][real_time]") {
  PaintedStack stack;
  std::vector<NamedCall> few, many;
  add_operations(zoo::serial_chain(20), few);
  add_operations(zoo::serial_chain(60), many);
  REQUIRE(few.size() == many.size());
  for (std::size_t i = 0; i < few.size(); ++i) {
    CAPTURE(few[i].name);
    few[i].run(), many[i].run();
    // A loop for the remaining columns may call functions that the other length does not need.
    CHECK(stack.use(many[i].run) < stack.use(few[i].run) + 4096);
  }
}

#endif
