#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// Tests lock_joints, replace_joint, attach, with_payload and submodel: the dynamics of the remaining bodies are
/// unchanged.
void edits(Random& random, Figures& figures);
/// Tests reroot: the same motion has the same energy, and needs the same forces of joints.
void rerooted(Random& random, Figures& figures);
/// Tests that a model is unchanged by write_urdf and reading the file.
void urdf_round_trip(Random& random, Figures& figures);

}  // namespace corio::trials
