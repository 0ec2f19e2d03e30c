#pragma once

#include <functional>

#include "loops/mechanism_support.hpp"

namespace loops_test::contracts {

struct Arguments {
  VectorXd q, y, ydot, x, tree, forces;
};
/// Right ones.
Arguments arguments(const Closed& s, int seed);

using Function = std::function<MatrixXd(Closed&, const Arguments&)>;

struct Entry {
  const char* name;
  Pass pass;
  Function complete, reuse;
};
/// All functions of mechanisms; in mechanism_contracts_test.cpp.
const std::vector<Entry>& table();

}  // namespace loops_test::contracts
