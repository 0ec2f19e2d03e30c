#pragma once

#include <functional>

#include "loops/mechanism_support.hpp"

namespace loops_test::contracts {

/// Any of them may be part of what a MechanismData holds.
struct Views {
  Eigen::Ref<const VectorXd> q, y, ydot, x, tree, forces;
};
struct Arguments {
  VectorXd q, y, ydot, x, tree, forces;
  operator Views() const { return {q, y, ydot, x, tree, forces}; }  // NOLINT(google-explicit-constructor)
};
/// Right ones.
Arguments arguments(const Closed& s, int seed);

using Function = std::function<MatrixXd(Closed&, const Views&)>;

struct Entry {
  const char* name;
  Pass pass;
  Function complete, reuse;
};
/// All functions of mechanisms; in mechanism_contracts_test.cpp.
const std::vector<Entry>& table();

}  // namespace loops_test::contracts
