#include "controller_interface/controller_interface.hpp"
#include "support/interposed.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

// host EXPECTED FIRST SECOND SCOPE loads two plugins into one process and lets both control a robot. EXPECTED is "runs"
// or "rejected", for the second plugin. SCOPE is "global", so that the second can take its functions from the first,
// "local" or "deepbind".
namespace {

using controller_interface::CallbackReturn, controller_interface::InterfaceConfiguration;
constexpr int dofs = 7;

/// Holds a plugin as a controller manager does.
struct Plugin {
  Plugin(const char* file, int scope) : library(dlopen(file, RTLD_NOW | scope)) {
    if (!library) {
      std::printf("%s\n", dlerror());
      std::exit(1);
    }
    controller.reset(function<controller_interface::ControllerInterface*()>("create")());
    flags = function<int()>("flags")();
    for (int i = 0; i < dofs; ++i) number(i, "position") = 0.1 * i, number(i, "velocity") = 0.3 - 0.1 * i;
  }
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(dlsym(library, name));
  }
  double& number(int joint, const char* kind) { return numbers["joint" + std::to_string(joint + 1) + "/" + kind]; }
  const std::string& text() { return *controller->get_node()->get_logger().text; }

  bool configure() {
    return controller->on_init() == CallbackReturn::SUCCESS && controller->on_configure({}) == CallbackReturn::SUCCESS;
  }
  /// Hands over the interfaces that the controller requests, in the requested order or reversed.
  /// @param less how many of the state interfaces are missing
  bool activate(bool reversed, std::size_t less = 0) {
    const auto asked = [&](const InterfaceConfiguration& configuration, std::initializer_list<const char*> kinds) {
      std::set<std::string> expected;
      for (int i = 0; i < dofs; ++i)
        for (const char* kind : kinds) expected.insert("joint" + std::to_string(i + 1) + "/" + kind);
      auto names = configuration.names;
      right_names &= configuration.type == controller_interface::interface_configuration_type::INDIVIDUAL &&
                     names.size() == expected.size() && std::set(names.begin(), names.end()) == expected;
      if (reversed) std::reverse(names.begin(), names.end());
      return names;
    };
    states.clear(), commands.clear();
    for (const auto& name : asked(controller->state_interface_configuration(), {"position", "velocity"}))
      states.push_back({name, &numbers[name]});
    for (const auto& name : asked(controller->command_interface_configuration(), {"effort"}))
      commands.push_back({{name, &numbers[name]}});
    states.resize(states.size() - less);
    controller->assign_interfaces({commands.begin(), commands.end()}, {states.begin(), states.end()});
    return controller->on_activate({}) == CallbackReturn::SUCCESS;
  }
  bool update() { return controller->update({}, {}) == controller_interface::return_type::OK; }
  /// Tells whether an update allocates nothing and gives finite torques.
  bool works() {
    bool is_updated = false;
    const auto calls = corio::test::interposed([&] { is_updated = update(); });
    if (calls.memory) std::printf("%ld allocations in update\n", calls.memory);
    double sum = 0;
    for (int i = 0; i < dofs; ++i) sum += std::abs(number(i, "effort"));
    return right_names && is_updated && calls.memory == 0 && sum > 1 && std::isfinite(sum);
  }

  void* library;
  std::unique_ptr<controller_interface::ControllerInterface> controller;
  int flags = 0;
  bool right_names = true;
  std::map<std::string, double> numbers;  // the hardware's numbers
  std::vector<hardware_interface::StateInterface> states;
  std::vector<hardware_interface::CommandInterface> commands;
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
  const bool rejected = std::strcmp(arguments[1], "rejected") == 0;
  const int scope = std::strcmp(arguments[4], "local") == 0      ? RTLD_LOCAL
                    : std::strcmp(arguments[4], "deepbind") == 0 ? RTLD_GLOBAL | RTLD_DEEPBIND
                                                                 : RTLD_GLOBAL;
  Plugin first(arguments[2], scope), second(arguments[3], scope);
  if (rejected && first.flags == second.flags) {
    std::puts("SKIPPED: the compiler's own flags are for AVX, so the plugins do not differ");
    return 77;
  }
  if (!check(first.configure() && first.activate(false) && first.works(), "the first plugin works")) return 1;
  const bool configured = second.configure();
  std::printf("%s\n", second.text().c_str());
  if (rejected) {
    return check(!configured && second.text().find("shares its functions of Eigen") != std::string::npos,
                 "the second plugin is rejected in words") &&
                   check(first.works(), "the first plugin goes on")
               ? 0
               : 1;
  }
  if (!check(configured && second.activate(true) && second.works(), "the second plugin works")) return 1;
  for (int i = 0; i < dofs; ++i)  // rounding of torques below a thousand
    if (!check(std::abs(first.number(i, "effort") - second.number(i, "effort")) < 1e-9,
               "both compute the same, by name"))
      return 1;

  const double torque = first.number(6, "effort");
  first.number(2, "velocity") = std::numeric_limits<double>::quiet_NaN();
  if (!check(!first.update() && first.number(6, "effort") == torque, "nothing is sent without a measurement")) return 1;
  first.controller->on_deactivate({});
  if (!check(first.number(6, "effort") == 0.0, "what is not active has no torque")) return 1;
  const bool activated = first.activate(false, 1);
  return check(!activated && first.text() == "no interface joint7/velocity", "a missing interface is named") ? 0 : 1;
}
