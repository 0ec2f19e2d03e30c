#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// Random MJCF as MuJoCo reads it, and as corio does.
void mujoco(Random& random, Figures& figures);

}  // namespace corio::trials
