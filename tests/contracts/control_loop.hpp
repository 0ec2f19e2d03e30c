#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contracts/operations.hpp"

/// Lists the functions that a control loop may call: all functions of the table, controllers, observers and steps.
namespace corio::test {

struct NamedCall {
  std::string name;
  std::function<void()> run;
};

/// Adds all functions of the table that suit a model.
void add_operations(const Model<double>& robot, std::vector<NamedCall>& calls);

/// Returns all functions of the table, and controllers, observers and steps for robots and mechanisms.
std::vector<NamedCall> control_loop();

}  // namespace corio::test
