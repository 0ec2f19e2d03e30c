#pragma once

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen { namespace detail {

/// Rollouts in CUDA, one thread each, with the words of rollout_templates.hpp.
///
/// Blocks of the update are a step and four controls, and do not wait for each other: each finds the lowest cost.
inline constexpr const char* cuda_kernels =
    R"(static __global__ void __launch_bounds__(64, 4) $ROBOT_$NAME_rollout_kernel(
    $STATES{const $REAL* $ARRAY_, }const $REAL* u, $PARAMETERS{const $REAL* $ARRAY_, }const $REAL* sigma, unsigned seed,
    unsigned steps, unsigned rollouts, int one_start, $STATES{$REAL* $ARRAY_end, }$REAL* cost) {
  const unsigned rollout = blockIdx.x * blockDim.x + threadIdx.x;
  if (rollout >= rollouts) return;
  $STATES{$REAL $ARRAY_now[$SIZE], $ARRAY_then[$SIZE]; }
  $REAL control[4 * $GROUPS], total = 0;
$STATES{#pragma unroll
  for (unsigned k = 0; k < $SIZE; ++k) $ARRAY_now[k] = $ARRAY_[one_start ? k : (size_t)k * rollouts + rollout];
}#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    $REAL now;
    if (sigma)
#pragma unroll
      for (unsigned group = 0; group < $GROUPS; ++group) $ROBOT_normals(rollout, step, group, seed, control + 4 * group);
#pragma unroll
    for (unsigned k = 0; k < $CONTROLS; ++k) {
      const size_t at = (size_t)step * $CONTROLS + k;
      control[k] = sigma ? u[at] + sigma[k] * control[k] : u[at * rollouts + rollout];
    }
    $ROBOT_$NAME_local($IN_STEP, $OUT_STEP);
    total += now;
$STATES{#pragma unroll
    for (unsigned k = 0; k < $SIZE; ++k) $ARRAY_now[k] = $ARRAY_then[k];
}  }
$STATES{#pragma unroll
  for (unsigned k = 0; k < $SIZE; ++k)
    if ($ARRAY_end) $ARRAY_end[(size_t)k * rollouts + rollout] = $ARRAY_now[k];
}  cost[rollout] = total;
}
static __global__ void __launch_bounds__(256) $ROBOT_$NAME_update_kernel(
    const $REAL* cost, unsigned rollouts, $REAL temperature, const $REAL* sigma, unsigned seed, $REAL* u) {
  __shared__ $REAL part[5][256];
  const unsigned thread = threadIdx.x, threads = blockDim.x;
  $REAL lowest = INFINITY, sums[5] = {0, 0, 0, 0, 0};
  for (unsigned i = thread; i < rollouts; i += threads)
    if (cost[i] - cost[i] == 0 && cost[i] < lowest) lowest = cost[i];
  part[0][thread] = lowest;
  __syncthreads();
  for (unsigned i = 0; i < threads; ++i)
    if (part[0][i] < lowest) lowest = part[0][i];
  __syncthreads();
  for (unsigned i = thread; i < rollouts; i += threads) {
    const $REAL weight = cost[i] - cost[i] == 0 ? exp$F((lowest - cost[i]) / temperature) : 0;
    if (weight < ($REAL)1e-12) continue;
    $REAL z[4];
    $ROBOT_normals(i, blockIdx.y, blockIdx.x, seed, z);
    for (int k = 0; k < 4; ++k) sums[k] += weight * z[k];
    sums[4] += weight;
  }
  for (int k = 0; k < 5; ++k) part[k][thread] = sums[k];
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (thread < half)
      for (int k = 0; k < 5; ++k) part[k][thread] += part[k][thread + half];
    __syncthreads();
  }
  for (unsigned k = thread; k < 4; k += threads) {
    const unsigned control = 4 * blockIdx.x + k;
    if (control < $CONTROLS && part[4][0] > 0)
      u[blockIdx.y * $CONTROLS + control] += sigma[control] * part[k][0] / part[4][0];
  }
}
)";
inline constexpr const char* cuda_rollout =
    R"(/// Costs of rollouts, sums of those of `steps` steps, and the states at their ends, unless null. States are
/// [number][rollout], or with one_start those of one for all. Controls are u[steps][$CONTROLS][rollout], or if
/// sigma[$CONTROLS] is not null, u[steps][$CONTROLS] plus sigma times normal numbers of seed and rollout.
/// $STATES{$ARRAY$SHAPE, }u, $PARAMETERS{$ARRAY$SHAPE, }sigma, seed, steps -> $STATES{$ARRAY_end$SHAPE, }cost
int $ROBOT_$NAME_rollout($STATES{const $REAL* $ARRAY_, }const $REAL* u, $PARAMETERS{const $REAL* $ARRAY_, }
    const $REAL* sigma, unsigned seed, size_t steps, size_t rollouts, int one_start, $STATES{$REAL* $ARRAY_end, }
    $REAL* cost, void* stream) {
  if (rollouts == 0) return cudaSuccess;
  if (rollouts > 0x7fffffff || steps > 0x7fffffff || !cost) return cudaErrorInvalidValue;
  CORIO_LAUNCH($ROBOT_$NAME_rollout_kernel, dim3((unsigned)((rollouts + 63) / 64)), 64, 0, (cudaStream_t)stream,
      $STATES{$ARRAY_, }u, $PARAMETERS{$ARRAY_, }sigma, seed, (unsigned)steps, (unsigned)rollouts, one_start, $STATES{$ARRAY_end, }cost);
  return cudaGetLastError();
}
)";
inline constexpr const char* cuda_update =
    R"(/// New controls u[steps][$CONTROLS] of all rollouts of a seed: the old ones plus the mean of their noise with weights
/// exp(-(cost - lowest cost) / temperature). A rollout whose cost is not finite has none, and if no cost is finite or
/// the temperature is not positive, controls stay; the latter is cudaErrorInvalidValue.
int $ROBOT_$NAME_update(const $REAL* cost, size_t rollouts, $REAL temperature, const $REAL* sigma, unsigned seed,
    size_t steps, $REAL* u, void* stream) {
  if (steps == 0 || rollouts == 0) return cudaSuccess;
  if (rollouts > 0x7fffffff || steps > 65535 || !(temperature > 0)) return cudaErrorInvalidValue;
  CORIO_LAUNCH($ROBOT_$NAME_update_kernel, dim3($GROUPS, (unsigned)steps), 256, 0, (cudaStream_t)stream,
      cost, (unsigned)rollouts, temperature, sigma, seed, u);
  return cudaGetLastError();
}

)";
// Each thread stores the states of its rollout on the way there, and reads them on the way back.
inline constexpr const char* cuda_gradient_kernel =
    R"(static __global__ void __launch_bounds__(64, 4) $ROBOT_$NAME_gradient_kernel(
    $STATES{const $REAL* $ARRAY_, }const $REAL* u, $PARAMETERS{const $REAL* $ARRAY_, }unsigned steps, unsigned rollouts,
    int one_start, $REAL* memory, $STATES{$REAL* $ARRAY_gradient, }$REAL* d_u, $REAL* cost) {
  const unsigned rollout = blockIdx.x * blockDim.x + threadIdx.x;
  if (rollout >= rollouts) return;
  $STATES{$REAL $ARRAY_now[$SIZE], $ARRAY_then[$SIZE], $ARRAY_slope[$SIZE]; }
  $REAL control[$CONTROLS], u_slope[$CONTROLS], total = 0;
$STATES{#pragma unroll
  for (unsigned k = 0; k < $SIZE; ++k) $ARRAY_then[k] = $ARRAY_[one_start ? k : (size_t)k * rollouts + rollout];
}#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    $REAL now;
$STATES{#pragma unroll
    for (unsigned k = 0; k < $SIZE; ++k)
      memory[((size_t)step * $LENGTH + $BEGINS + k) * rollouts + rollout] = $ARRAY_now[k] = $ARRAY_then[k];
}#pragma unroll
    for (unsigned k = 0; k < $CONTROLS; ++k) control[k] = u[((size_t)step * $CONTROLS + k) * rollouts + rollout];
    $ROBOT_$NAME_local($IN_STEP, $OUT_STEP);
    total += now;
  }
  cost[rollout] = total;
$STATES{#pragma unroll
  for (unsigned k = 0; k < $SIZE; ++k) $ARRAY_slope[k] = 0;
}#pragma unroll 1
  for (unsigned step = steps; step-- > 0;) {
$STATES{#pragma unroll
    for (unsigned k = 0; k < $SIZE; ++k) $ARRAY_then[k] = $ARRAY_slope[k];
#pragma unroll
    for (unsigned k = 0; k < $SIZE; ++k)
      $ARRAY_now[k] = memory[((size_t)step * $LENGTH + $BEGINS + k) * rollouts + rollout];
}#pragma unroll
    for (unsigned k = 0; k < $CONTROLS; ++k) control[k] = u[((size_t)step * $CONTROLS + k) * rollouts + rollout];
    $ROBOT_$NAME_adjoint_local($IN_STEP, $IN_BACK);
#pragma unroll
    for (unsigned k = 0; k < $CONTROLS; ++k) d_u[((size_t)step * $CONTROLS + k) * rollouts + rollout] = u_slope[k];
  }
$STATES{#pragma unroll
  for (unsigned k = 0; k < $SIZE; ++k) $ARRAY_gradient[(size_t)k * rollouts + rollout] = $ARRAY_slope[k];
}}
)";
inline constexpr const char* cuda_gradient =
    R"(/// Costs of rollouts, and their derivatives by all controls and by the coordinates of the first states. Arrays are
/// [number][rollout], controls and their derivatives [steps][$CONTROLS][rollout]; with one_start all begin at one state.
/// memory has steps * $LENGTH * rollouts entries.
int $ROBOT_$NAME_gradient($STATES{const $REAL* $ARRAY_, }const $REAL* u, $PARAMETERS{const $REAL* $ARRAY_, }size_t steps,
    size_t rollouts, int one_start, $REAL* memory, $STATES{$REAL* $ARRAY_gradient, }$REAL* d_u, $REAL* cost, void* stream) {
  if (rollouts == 0) return cudaSuccess;
  if (rollouts > 0x7fffffff || steps > 0x7fffffff || !cost || (steps > 0 && !memory)) return cudaErrorInvalidValue;
  CORIO_LAUNCH($ROBOT_$NAME_gradient_kernel, dim3((unsigned)((rollouts + 63) / 64)), 64, 0, (cudaStream_t)stream,
      $STATES{$ARRAY_, }u, $PARAMETERS{$ARRAY_, }(unsigned)steps, (unsigned)rollouts, one_start, memory, $STATES{$ARRAY_gradient, }d_u, cost);
  return cudaGetLastError();
}

)";

}}}}  // namespace corio::codegen::detail
