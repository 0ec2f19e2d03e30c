#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// The functions of a Mechanism against projections of Newton's law.
void mechanisms(Random& random, Figures& figures);
/// The constrained dynamics of a tree against its conditions and its equation of motion.
void constrained(Random& random, Figures& figures);

}  // namespace corio::trials
