#pragma once

#include "corio/model/model.hpp"
#include "peer.hpp"

/// corio's side of the comparison.
namespace compare {

/// The tree for the peers, with random states.
/// @throws Unsupported for joints other than revolute and prismatic ones and a floating base, and for rotor inertias
Mechanism describe(const corio::Model<double>& model, const std::string& key, const std::string& title);

Peer make_corio(const corio::Model<double>& model, const Mechanism& mechanism);

}  // namespace compare
