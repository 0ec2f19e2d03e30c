#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

void tree_dynamics(Random& random, Figures& figures);
void tree_derivatives(Random& random, Figures& figures);
void tree_regressors(Random& random, Figures& figures);

}  // namespace corio::trials
