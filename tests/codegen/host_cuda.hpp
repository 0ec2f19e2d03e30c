// What CUDA source needs to be compiled by any C++ compiler, and to run with its threads one after the other.
#include <math.h>
#include <stddef.h>

#define CORIO_DEVICE
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __shared__ static
#define __syncthreads()

struct dim3 {
  unsigned x, y;
  dim3(unsigned columns, unsigned rows = 1) : x(columns), y(rows) {}
};
static dim3 blockIdx(0, 0), blockDim(1, 1), threadIdx(0, 0);
typedef void* cudaStream_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
static inline int cudaGetLastError() { return cudaSuccess; }

/// Kernels that share memory are written for any number of threads, and have one here.
template <class Launch>
static void run_blocks(dim3 blocks, unsigned threads, Launch launch) {
  const bool alone = threads == 256;
  blockDim = dim3(alone ? 1 : threads);
  for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x)
      for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) launch();
}
#define CORIO_LAUNCH(kernel, blocks, threads, stream, ...) \
  ((void)(stream), run_blocks(blocks, threads, [&] { kernel(__VA_ARGS__); }))
#define CORIO_CHUNK ((size_t)96)
