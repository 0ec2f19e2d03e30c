#pragma once

#include "corio/model/model.hpp"
#include "peer.hpp"

/// corio's side of the comparison.
namespace compare {

/// Returns whether every joint moves inertia, so that M is regular.
template <class S>
bool is_regular(const corio::Model<S>& model) {
  try {
    model.check_regular("is_regular");
    return true;
  } catch (const corio::ModelError&) {
    return false;
  }
}

/// The number of states: so many that branch predictors cannot learn them, so few that they stay in the cache.
inline constexpr int few_states = 64;
/// The number of states of a batch whose results stay in the cache, too.
inline constexpr int many_states = 256;

/// Describes a tree, with random states, for the peers.
/// @throws Unsupported for joints other than revolute and prismatic ones and a floating base, and for rotor inertias
Mechanism describe(const corio::Model<double>& model, const std::string& key, const std::string& title, int states);

Peer make_corio(const corio::Model<double>& model, const Mechanism& mechanism);
/// Batches of all states in packs that fill a register, in one thread and in one thread per core.
Peer make_batches(const corio::Model<double>& model, const Mechanism& mechanism);
/// Calls for one state after the other that copy their results to the places where a batch stores them.
Peer make_stored_calls(const corio::Model<double>& model, const Mechanism& mechanism);
Peer make_threaded_batches(const corio::Model<double>& model, const Mechanism& mechanism);

}  // namespace compare
