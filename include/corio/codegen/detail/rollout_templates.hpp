#pragma once

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen { namespace detail {

/// The texts of rollouts around a function NAME that computes one step. Words beside those of Templates:
///
///   $STATES{..} $PARAMETERS{..}   the text between, once for each array of the state, or of parameters
///   $CONTROLS $GROUPS             how many controls; groups of four of them
///   $IN_STEP $OUT_STEP $IN_BACK   the arguments of a step, and of its adjoint
///   $LENGTH                       the length of a state
///   $COUNT $LANE                  lanes, and one of them; empty for a single one
///   $DEVICE                       begins a function of the device
///
/// Random numbers of rollouts: a counter of rollout, step and group of controls, and a key, give four normal numbers by
/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011) and Box-Muller.
/// They need no state, so that the update generates them again instead of reading them.
inline constexpr const char* random_numbers =
    R"(#include <stdint.h>

$DEVICEvoid $ROBOT_philox(uint32_t* c, uint32_t key_0, uint32_t key_1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
    const uint32_t next_0 = (uint32_t)(b >> 32) ^ c[1] ^ key_0, next_2 = (uint32_t)(a >> 32) ^ c[3] ^ key_1;
    c[0] = next_0, c[1] = (uint32_t)b, c[2] = next_2, c[3] = (uint32_t)a;
    key_0 += 0x9E3779B9u, key_1 += 0xBB67AE85u;
  }
}
$DEVICEvoid $ROBOT_normals(uint32_t rollout, uint32_t step, uint32_t group, uint32_t seed, $SCALAR* z) {
  uint32_t c[4] = {rollout, step, group, 0};
  $ROBOT_philox(c, seed, 0);
  for (int i = 0; i < 4; i += 2) {
    const $SCALAR size = sqrt$F(-2 * log$F((($SCALAR)c[i] + ($SCALAR)0.5) * ($SCALAR)2.3283064365386963e-10));
    const $SCALAR angle = ($SCALAR)c[i + 1] * ($SCALAR)1.4629180792671596e-9;
    z[i] = size * cos$F(angle), z[i + 1] = size * sin$F(angle);
  }
}

)";

inline constexpr const char* c_control =
    R"(static void $ROBOT_$NAME_control(const $REAL* u, const $SCALAR* sigma, unsigned seed, unsigned number, unsigned step,
    $REAL* control) {
  for (unsigned k = 0; k < $CONTROLS; ++k) control[k] = u[k];
  for (unsigned l = 0; l < $COUNT && sigma; ++l)
    for (unsigned group = 0; group < $GROUPS; ++group) {
      $SCALAR z[4];
      $ROBOT_normals(number + l, step, group, seed, z);
      for (unsigned k = 4 * group; k < 4 * group + 4 && k < $CONTROLS; ++k)
        control[k]$LANE += sigma[k] * z[k - 4 * group];
    }
}
)";
inline constexpr const char* c_rollout =
    R"(/// The cost of a rollout: the sum of those of `steps` steps from a state; and the state at its end, unless null. Controls
/// are u[steps][$CONTROLS], and if sigma[$CONTROLS] is not null, these plus sigma times normal numbers of seed and
/// number, of lanes number, number + 1, ..
/// $STATES{$ARRAY$SHAPE, }u, $PARAMETERS{$ARRAY$SHAPE, }sigma, seed, number, steps -> $STATES{$ARRAY_end$SHAPE, }cost[1]
void $ROBOT_$NAME_rollout($STATES{const $REAL* $ARRAY_, }const $REAL* u, $PARAMETERS{const $REAL* $ARRAY_, }
    const $SCALAR* sigma, unsigned seed, unsigned number, size_t steps, $STATES{$REAL* $ARRAY_end, }$REAL* cost) {
  $STATES{$REAL $ARRAY_now[$SIZE], $ARRAY_then[$SIZE]; }
  $REAL control[$CONTROLS], total = {0};
$STATES{  for (int k = 0; k < $SIZE; ++k) $ARRAY_now[k] = $ARRAY_[k];
}  for (size_t step = 0; step < steps; ++step) {
    $REAL now;
    $ROBOT_$NAME_control(u + step * $CONTROLS, sigma, seed, number, (unsigned)step, control);
    $ROBOT_$NAME($IN_STEP, $OUT_STEP);
    total += now;
$STATES{    for (int k = 0; k < $SIZE; ++k) $ARRAY_now[k] = $ARRAY_then[k];
}  }
$STATES{  for (int k = 0; k < $SIZE && $ARRAY_end; ++k) $ARRAY_end[k] = $ARRAY_now[k];
}  *cost = total;
}
)";
inline constexpr const char* c_update =
    R"(/// New controls u[steps][$CONTROLS] of all rollouts of a seed: the old ones plus the mean of their noise with weights
/// exp(-(cost - lowest cost) / temperature). A rollout whose cost is not finite has none, and if no cost is finite or
/// the temperature is not positive, controls stay.
void $ROBOT_$NAME_update(const $SCALAR* cost, size_t rollouts, $SCALAR temperature, const $SCALAR* sigma, unsigned seed,
    size_t steps, $SCALAR* u) {
  $SCALAR lowest = INFINITY, sum = 0;
  if (!(temperature > 0)) return;
  for (size_t i = 0; i < rollouts; ++i)
    if (cost[i] - cost[i] == 0 && cost[i] < lowest) lowest = cost[i];
  for (size_t i = 0; i < rollouts; ++i)
    if (cost[i] - cost[i] == 0) sum += exp$F((lowest - cost[i]) / temperature);
  for (size_t i = 0; i < rollouts; ++i) {
    const $SCALAR weight = cost[i] - cost[i] == 0 ? exp$F((lowest - cost[i]) / temperature) / sum : 0;
    if (weight < ($SCALAR)1e-20) continue;
    for (unsigned step = 0; step < steps; ++step)
      for (unsigned group = 0; group < $GROUPS; ++group) {
        $SCALAR z[4];
        $ROBOT_normals((uint32_t)i, step, group, seed, z);
        for (unsigned k = 4 * group; k < 4 * group + 4 && k < $CONTROLS; ++k)
          u[step * $CONTROLS + k] += weight * sigma[k] * z[k - 4 * group];
      }
  }
}

)";
inline constexpr const char* c_gradient =
    R"(/// The cost of a rollout, and its derivatives by all controls and by the coordinates of the first state. memory has
/// steps * $LENGTH entries.
void $ROBOT_$NAME_gradient($STATES{const $REAL* $ARRAY_, }const $REAL* u, $PARAMETERS{const $REAL* $ARRAY_, }size_t steps,
    $REAL* memory, $STATES{$REAL* $ARRAY_gradient, }$REAL* d_u, $REAL* cost) {
  $STATES{$REAL $ARRAY_then[$SIZE]; }
  $REAL total = {0};
$STATES{  for (int k = 0; k < $SIZE; ++k) $ARRAY_then[k] = $ARRAY_[k];
}  for (size_t step = 0; step < steps; ++step) {
    $STATES{$REAL* const $ARRAY_now = memory + step * $LENGTH + $BEGINS; }
    const $REAL* const control = u + step * $CONTROLS;
    $REAL now;
$STATES{    for (int k = 0; k < $SIZE; ++k) $ARRAY_now[k] = $ARRAY_then[k];
}    $ROBOT_$NAME($IN_STEP, $OUT_STEP);
    total += now;
  }
  *cost = total;
$STATES{  for (int k = 0; k < $SIZE; ++k) $ARRAY_gradient[k] = total - total;
}  for (size_t step = steps; step-- > 0;) {
    $STATES{const $REAL* const $ARRAY_now = memory + step * $LENGTH + $BEGINS; }
    const $REAL* const control = u + step * $CONTROLS;
$STATES{    for (int k = 0; k < $SIZE; ++k) $ARRAY_then[k] = $ARRAY_gradient[k];
}    $ROBOT_$NAME_adjoint($IN_STEP, $IN_BACK);
  }
}

)";

}}}}  // namespace corio::codegen::detail
