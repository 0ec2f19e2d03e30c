#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// Compares the functions of a Mechanism with projections of Newton's law.
void mechanisms(Random& random, Figures& figures);
/// Compares the constrained dynamics of a tree with its conditions and its equation of motion.
void constrained(Random& random, Figures& figures);

}  // namespace corio::trials
