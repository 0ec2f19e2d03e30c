#pragma once

#include "corio/batch/joint_by_lane.hpp"
#include "corio/simd/state_pack.hpp"

/// corio::Pack<double, 8> and the like: several states as one scalar, for every function of corio. Make the model of a
/// pack from that of numbers, model.cast<Pack<double, 8>>(), and a Data of it for each thread. A function of your own
/// that is a template on its scalar takes packs, too: a branch on values does not compile there and becomes a select.
/// Batches (corio/batch/batch.hpp) do all this, and split arrays of states among threads.
