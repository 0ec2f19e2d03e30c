#pragma once

#include "corio/model/model.hpp"
#include "peer.hpp"

/// corio's side of the comparison.
namespace compare {

/// Whether every joint moves inertia, so that M can be inverted.
template <class S>
bool is_regular(const corio::Model<S>& model) {
  try {
    model.check_regular("is_regular");
    return true;
  } catch (const corio::ModelError&) {
    return false;
  }
}

/// Enough states that branch predictors cannot learn them, few enough to stay in the cache.
inline constexpr int few_states = 64;
/// As many as make a batch whose results stay in the cache, too.
inline constexpr int many_states = 256;

/// The tree for the peers, with random states.
/// @throws Unsupported for joints other than revolute and prismatic ones and a floating base, and for rotor inertias
Mechanism describe(const corio::Model<double>& model, const std::string& key, const std::string& title, int states);

Peer make_corio(const corio::Model<double>& model, const Mechanism& mechanism);
/// Batches of all states, in packs that fill a register, in one thread and in as many as there are cores.
Peer make_batches(const corio::Model<double>& model, const Mechanism& mechanism);
/// Calls for one state after the other that copy their results where a batch would.
Peer make_stored_calls(const corio::Model<double>& model, const Mechanism& mechanism);
Peer make_threaded_batches(const corio::Model<double>& model, const Mechanism& mechanism);

}  // namespace compare
