// What CUDA source needs to be compiled by any C++ compiler, and to run with its threads one after the other.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <numeric>
#include <utility>
#include <vector>

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

using Sizes = std::vector<size_t>;
/// Calls f(number of an array, number) for all numbers of n states, where the arrays have so many of each state and are
/// [number][state], or with rows [state][number]. Numbers are [state][number], of all arrays side by side.
template <class Real, class F>
void for_each(std::vector<Real>* arrays, const Sizes& sizes, std::vector<double>& numbers, size_t n, bool rows, F f) {
  double* number = numbers.data();
  for (size_t state = 0; state < n; ++state)
    for (size_t a = 0; a < sizes.size(); ++a)
      for (size_t i = 0; i < sizes[a]; ++i) f(arrays[a][rows ? state * sizes[a] + i : i * n + state], *number++);
}
template <class Real, class... A, size_t... i>
int call(int (*function)(A...), const std::vector<Real*>& arrays, size_t n, int rows, Real* scratch,
         std::index_sequence<i...>) {
  return function(arrays[i]..., n, rows, scratch, nullptr);
}
/// Reads n states from standard input, and writes what a function computes there with arrays of either layout.
template <class Real, class... A>
void run(int (*function)(A...), size_t (*scratch_size)(size_t), size_t n, const Sizes& inputs, const Sizes& outputs) {
  const auto numbers = [n](const Sizes& sizes) {
    return std::vector<double>(n * std::accumulate(sizes.begin(), sizes.end(), size_t(0)));
  };
  std::vector<double> x = numbers(inputs), y = numbers(outputs);
  if (fread(x.data(), sizeof(double), x.size(), stdin) != x.size()) exit(2);
  for (const bool rows : {false, true}) {
    std::vector<std::vector<Real>> arrays;
    for (const auto* sizes : {&inputs, &outputs})
      for (const size_t size : *sizes) arrays.emplace_back(n * size, Real(NAN));
    std::vector<Real> scratch(scratch_size(n));
    std::vector<Real*> pointers;
    for (auto& array : arrays) pointers.push_back(array.data());
    const auto result = [&](size_t states, Real* memory) {
      return call(function, pointers, states, rows, memory, std::make_index_sequence<sizeof...(A) - 4>());
    };
    for_each(&arrays[0], inputs, x, n, rows, [](Real& a, double number) { a = static_cast<Real>(number); });
    if (result(0, nullptr) != 0 || result(size_t(1) << 31, scratch.data()) != 1) exit(3);
    if (result(n, scratch.data()) != 0) exit(4);
    for_each(&arrays[inputs.size()], outputs, y, n, rows, [](Real a, double& number) { number = a; });
    fwrite(y.data(), sizeof(double), y.size(), stdout);
    pointers.back() = nullptr;
    if (result(n, scratch.data()) != 1) exit(5);
  }
}
