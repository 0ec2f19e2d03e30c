#pragma once

#include "contracts/table_cartesian.hpp"
#include "contracts/table_derivatives.hpp"
#include "contracts/table_dynamics.hpp"
#include "contracts/table_kinematics.hpp"
#include "contracts/table_regressors.hpp"

/// The table of operations over one scalar; the file that compiles it includes this header.
namespace corio::test {

template <class S>
const std::vector<Operation<S>>& operations() {
  static const std::vector<Operation<S>> all = [] {
    Table<S> table;
    add_kinematics(table), add_dynamics(table), add_geometry(table);
    add_derivatives(table), add_second_derivatives(table);
    add_regressors(table);
    add_cartesian(table);
    return table.all;
  }();
  return all;
}

}  // namespace corio::test
