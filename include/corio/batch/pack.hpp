#pragma once

#include "corio/batch/joint_by_lane.hpp"
#include "corio/simd/state_pack.hpp"

/// corio::Pack<double, 8> and the like: several states as one scalar, for every function of corio. Cast the model,
/// model.cast<Pack<double, 8>>(), and make a Data of the result for each thread. A function of your own that is a
/// template on its scalar takes packs, too; use select and choose for branches on values, which do not compile.
/// Batches (corio/batch/batch.hpp) do all this, and distribute arrays of states to threads.
