#pragma once

#include "trials/trial.hpp"

namespace corio::trials {

/// lock_joints, replace_joint, attach, with_payload, submodel: the dynamics of the remaining bodies are unchanged.
void edits(Random& random, Figures& figures);
/// reroot: the same motion has the same energy, and needs the same forces of joints.
void rerooted(Random& random, Figures& figures);
/// write_urdf, and back.
void urdf_round_trip(Random& random, Figures& figures);

}  // namespace corio::trials
