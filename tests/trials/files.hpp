#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// Compares random MJCF files as MuJoCo and corio read them.
void mujoco(Random& random, Figures& figures);

}  // namespace corio::trials
