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

/// The tree for the peers, with random states.
/// @throws Unsupported for joints other than revolute and prismatic ones and a floating base, and for rotor inertias
Mechanism describe(const corio::Model<double>& model, const std::string& key, const std::string& title);

Peer make_corio(const corio::Model<double>& model, const Mechanism& mechanism);

}  // namespace compare
