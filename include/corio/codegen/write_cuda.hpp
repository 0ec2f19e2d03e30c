#pragma once

#include "corio/codegen/writer.hpp"

namespace corio::inline CORIO_ABI::codegen {

namespace detail::cuda {

// The address of result k by a product of 32 bits: compilers turn products of 64 bits into sums, which fill registers.
inline constexpr const char* header = R"($BANNER// Matrices are by columns; arrays of one call must not overlap.
$LINES_OF_LAYOUT#pragma once
#include <stddef.h>

typedef $SCALAR $REAL;

#ifdef __cplusplus
extern "C" {
#endif
/// Version, robot, and what the numbers of the arrays are.
extern const char $ROBOT_layout[];
// Arrays of the device, as [number][state], or with rows as [state][number], for any number of states; a cudaError_t.
$DECLARATIONS#ifdef __cplusplus
}
#endif

#if defined(__CUDACC__) || defined(CORIO_DEVICE)
#define $ROBOT_piece static __device__ __noinline__ void
#ifdef __CUDA_ARCH__
template <unsigned k>
static __device__ __forceinline__ $REAL* $ROBOT_at($REAL* x, unsigned stride) {
  $REAL* at;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(at) : "r"(stride), "n"(k * $BYTES), "l"(x));
  return at;
}
#else
template <unsigned k>
static __device__ __forceinline__ $REAL* $ROBOT_at($REAL* x, unsigned stride) {
  return x + (size_t)k * stride;
}
#endif

struct $ROBOT_sincos_of {
  $REAL sine, cosine;
};
/// Not inlined, as the reduction of large angles is long.
static __device__ __noinline__ $ROBOT_sincos_of $ROBOT_sincos($REAL angle) {
  $ROBOT_sincos_of x;
  $SINCOS(angle, &x.sine, &x.cosine);
  return x;
}

$CODE#endif
)";

inline constexpr const char* source = R"($BANNER#include "$ROBOT.cuh"

#ifndef CORIO_LAUNCH
#define CORIO_LAUNCH(kernel, blocks, threads, stream, ...) kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)
#endif
#define CORIO_THREADS 64
#ifndef CORIO_BOUNDS
#define CORIO_BOUNDS(blocks) __launch_bounds__(CORIO_THREADS, blocks)
#endif
#ifndef CORIO_CHUNK
#define CORIO_CHUNK ((size_t)65536)
#endif

extern $LAYOUT
$TURN$KERNELS)";

inline constexpr const char* turn_kernel = R"(/// From [number][state] to [state][number], in tiles.
static __global__ void $ROBOT_turn(const $REAL* from, $REAL* to, unsigned numbers, unsigned states) {
  __shared__ $REAL tile[32][33];
  const unsigned first_state = blockIdx.x * 32, first = blockIdx.y * 32;
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
    const unsigned number = first + i / 32, state = first_state + i % 32;
    if (number < numbers && state < states) tile[i / 32][i % 32] = from[(size_t)number * states + state];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
    const unsigned state = first_state + i / 32, number = first + i % 32;
    if (number < numbers && state < states) to[(size_t)state * numbers + number] = tile[i % 32][i / 32];
  }
}

)";

inline constexpr const char* declaration = R"(/// $SIGNATURE
int $FUNCTION($ARRAYSsize_t states, int rows, $REAL* scratch, void* stream);
size_t $FUNCTION_scratch(size_t states);
)";

inline constexpr const char* kernel =
    R"(static __global__ void CORIO_BOUNDS($BLOCKS) $FUNCTION_kernel($ARRAYSunsigned states, int in_rows, int out_rows) {
  const unsigned state = blockIdx.x * blockDim.x + threadIdx.x;
  if (state < states) $FUNCTION_state($INPUTS_AT_STATEin_rows ? 1 : states, $OUTPUTS_AT_STATEout_rows ? 1 : states);
}
)";
inline constexpr const char* function = R"(extern "C" size_t $FUNCTION_scratch(size_t states) {
  return $SCRATCH;
}
extern "C" int $FUNCTION($ARRAYSsize_t states, int rows, $REAL* scratch, void* stream) {
  if (states == 0) return cudaSuccess;
  if (states > 0x7fffffff$IS_MISSING) return cudaErrorInvalidValue;
$BY_SCRATCH  CORIO_LAUNCH($FUNCTION_kernel, dim3((unsigned)((states + CORIO_THREADS - 1) / CORIO_THREADS)), CORIO_THREADS, (cudaStream_t)stream, $NAMES(unsigned)states, $ROWS, $ROWS);
  return cudaGetLastError();
}

)";
/// Rows of more than 64 results: computed as [number][state], then transposed.
inline constexpr const char* by_scratch = R"(  if (rows) {
    if (!scratch) return cudaErrorInvalidValue;
    for (size_t first = 0; first < states; first += CORIO_CHUNK) {
    const size_t chunk = states - first < CORIO_CHUNK ? states - first : CORIO_CHUNK;
    CORIO_LAUNCH($FUNCTION_kernel, dim3((unsigned)((chunk + CORIO_THREADS - 1) / CORIO_THREADS)), CORIO_THREADS, (cudaStream_t)stream, $CHUNKS(unsigned)chunk, 1, 0);
$TURNS    }
    return cudaGetLastError();
  }
)";
inline constexpr const char* turn_call =
    R"(    CORIO_LAUNCH($ROBOT_turn, dim3((chunk + 31) / 32, $TILES), 256, (cudaStream_t)stream, scratch + $BEGINS * chunk, $ARRAY + first * $SIZE, $SIZE, (unsigned)chunk);
)";

}  // namespace detail::cuda

/// Writes several functions of one robot as CUDA, in ROBOT.cuh and ROBOT.cu, one thread per state:
///   ROBOT_NAME_state(..)  for kernels of your own; the entries of a state are in_stride and out_stride apart;
///   int ROBOT_NAME(.., states, rows, scratch, stream)  on the host, for arrays on the device; returns a cudaError_t.
/// Arrays are [number][state], so that neighbouring threads read and write neighbouring entries, or with `rows`
/// [state][number]. More than 64 results are then computed as [number][state] in `scratch`, an array of
/// ROBOT_NAME_scratch(states) entries, and transposed.
class CudaWriter : public detail::Writer {
 public:
  CudaWriter(std::string robot, std::string layout, bool single_precision)
      : Writer(std::move(robot), std::move(layout), Language{true, single_precision, 1}) {}

  void add(const Recording& f, const Schedule& s) {
    Writer::add(f, s);
    const auto both = [&](const std::string& input, const std::string& output) {
      return each(f.inputs(), input + ", ") + each(f.outputs(), output + ", ");
    };
    Values values = {{"FUNCTION", robot_ + "_" + f.name()},
                     {"SIGNATURE", signature(f)},
                     {"ARRAYS", both("const $REAL* $ARRAY", "$REAL* $ARRAY")},
                     {"NAMES", both("$ARRAY", "$ARRAY")},
                     {"INPUTS_AT_STATE", each(f.inputs(), "$ARRAY + (in_rows ? (size_t)state * $SIZE : state), ")},
                     {"OUTPUTS_AT_STATE", each(f.outputs(), "$ARRAY + (out_rows ? (size_t)state * $SIZE : state), ")},
                     {"CHUNKS", both("$ARRAY + first * $SIZE", "scratch + $BEGINS * chunk")},
                     {"TURNS", each(f.outputs(), detail::cuda::turn_call)},
                     {"IS_MISSING", each(f.inputs(), " || !$ARRAY") + each(f.outputs(), " || !$ARRAY")},
                     {"BLOCKS", std::to_string(blocks_at_once(f, s))}};
    const bool is_long = f.num_outputs() > 64;
    any_is_long_ = any_is_long_ || is_long;
    const std::string chunk = "(states < CORIO_CHUNK ? states : CORIO_CHUNK) * " + std::to_string(f.num_outputs());
    values.insert(values.end(),
                  {{"BY_SCRATCH", is_long ? filled(detail::cuda::by_scratch, values) : "  (void)scratch;\n"},
                   {"SCRATCH", is_long ? chunk : "0 * states"},
                   {"ROWS", is_long ? "0" : "rows"}});
    declarations_ += filled(detail::cuda::declaration, values);
    kernels_ += filled(detail::cuda::kernel, values) + filled(detail::cuda::function, values);
  }
  std::vector<File> files() const {
    const Values values = {{"BANNER", banner()},
                           {"LINES_OF_LAYOUT", lines_of_layout("//   ", "\n")},
                           {"LAYOUT", layout_string()},
                           {"DECLARATIONS", declarations_},
                           {"BYTES", language_.single_precision ? "4" : "8"},
                           {"SINCOS", language_.single_precision ? "sincosf" : "sincos"},
                           {"CODE", code_},
                           {"TURN", any_is_long_ ? filled(detail::cuda::turn_kernel) : ""},
                           {"KERNELS", kernels_}};
    return {{robot_ + ".cuh", filled(detail::cuda::header, values)},
            {robot_ + ".cu", filled(detail::cuda::source, values)}};
  }

 private:
  /// Blocks per multiprocessor, which leave each thread 65536 / (64 blocks) registers, as measured on an H200. Code
  /// longer than the instruction cache waits for its instructions, which more threads hide.
  int blocks_at_once(const Recording& f, const Schedule& s) const {
    if (!language_.single_precision) return 4;
    const int length = s.operations + 2 * f.num_outputs();
    if (length > 9000) return s.pieces.size() > 1 || s.alive <= 256 ? 8 : 4;
    if (length > 5000) return 4;
    return s.alive <= 150 ? 8 : s.alive <= 220 ? 6 : 4;
  }

  std::string declarations_, kernels_;
  bool any_is_long_ = false;
};

}  // namespace corio::codegen
