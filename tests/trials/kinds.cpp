#include "trials/edits.hpp"
#include "trials/files.hpp"
#include "trials/mechanisms.hpp"
#include "trials/trees.hpp"

namespace corio::trials {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"tree_dynamics", tree_dynamics}, {"tree_derivatives", tree_derivatives}, {"tree_regressors", tree_regressors},
      {"mechanisms", mechanisms},       {"constrained", constrained},           {"edits", edits},
      {"rerooted", rerooted},           {"urdf_round_trip", urdf_round_trip},   {"mujoco", mujoco},
  };
  return all;
}

}  // namespace corio::trials
