#include "controller_interface/controller_interface.hpp"
#include "support/interposed.hpp"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

// host EXPECTED FIRST SECOND SCOPE: loads two plugins into one process and lets both control a robot. EXPECTED is runs
// or refused, which concerns the second. SCOPE is global, so that it can take its functions from the first, local or
// deepbind.
namespace {

using controller_interface::CallbackReturn;
constexpr int dofs = 7;

struct Plugin {
  Plugin(const char* file, int scope) : library(dlopen(file, RTLD_NOW | scope)) {
    if (!library) {
      std::printf("%s\n", dlerror());
      std::exit(1);
    }
    controller.reset(function<controller_interface::ControllerInterface*()>("create")());
    flags = function<int()>("flags")();
    for (int i = 0; i < dofs; ++i) {
      state[2 * i] = 0.1 * i;
      state[2 * i + 1] = 0.3 - 0.1 * i;
      controller->command_interfaces_.push_back({torques + i});
      for (int k : {2 * i, 2 * i + 1}) controller->state_interfaces_.push_back({state + k});
    }
  }
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(dlsym(library, name));
  }
  bool configure() { return controller->on_configure({}) == CallbackReturn::SUCCESS; }
  /// Whether the first update allocates nothing and the torques are numbers.
  bool update() {
    const auto calls = corio::test::interposed([&] { controller->update({}, {}); });
    if (calls.memory) std::printf("%ld allocations in update\n", calls.memory);
    double sum = 0;
    for (const double x : torques) sum += std::abs(x);
    return calls.memory == 0 && sum > 1 && std::isfinite(sum);
  }

  void* library;
  std::unique_ptr<controller_interface::ControllerInterface> controller;
  int flags = 0;
  double state[2 * dofs] = {}, torques[dofs] = {};
};

bool check(bool holds, const char* what) {
  if (!holds) std::printf("failed: %s\n", what);
  return holds;
}

}  // namespace

int main(int, char** arguments) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::puts("SKIPPED: this processor has no AVX2");
    return 77;
  }
#endif
  const bool refused = std::strcmp(arguments[1], "refused") == 0;
  const int scope = std::strcmp(arguments[4], "local") == 0      ? RTLD_LOCAL
                    : std::strcmp(arguments[4], "deepbind") == 0 ? RTLD_GLOBAL | RTLD_DEEPBIND
                                                                 : RTLD_GLOBAL;
  Plugin first(arguments[2], scope), second(arguments[3], scope);
  if (refused && first.flags == second.flags) {
    std::puts("SKIPPED: the compiler's own flags are for AVX, so the plugins do not differ");
    return 77;
  }
  if (!check(first.configure() && first.update(), "the first plugin works")) return 1;
  const bool configured = second.configure();
  std::printf("%s\n", second.controller->node_.text.c_str());
  if (refused) {
    return check(
               !configured && second.controller->node_.text.find("shares its functions of Eigen") != std::string::npos,
               "the second plugin is refused in words") &&
                   check(first.update(), "the first plugin goes on")
               ? 0
               : 1;
  }
  if (!check(configured && second.update(), "the second plugin works")) return 1;
  for (int i = 0; i < dofs; ++i)  // sums in another order, of torques below a thousand
    if (!check(std::abs(first.torques[i] - second.torques[i]) < 1e-9, "both compute the same")) return 1;
  return 0;
}
