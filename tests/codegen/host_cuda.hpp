// Declarations that let any C++ compiler compile CUDA source, and run its threads one after the other, or, for kernels
// whose blocks share memory of a size given at the launch, the threads of a block at once.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <barrier>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#define CORIO_DEVICE
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __shared__ static
#define __syncthreads() (together ? together->arrive_and_wait() : void())

struct dim3 {
  unsigned x, y;
  dim3(unsigned columns, unsigned rows = 1) : x(columns), y(rows) {}
};
static dim3 blockDim(1, 1);
static thread_local dim3 blockIdx(0, 0), threadIdx(0, 0);
static std::barrier<>* together;
static std::vector<double> shared_memory;
#define CORIO_TILE(real, name) real* name = reinterpret_cast<real*>(shared_memory.data())
typedef void* cudaStream_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
static inline int cudaGetLastError() { return cudaSuccess; }

/// Kernels of 256 threads work with any number of threads, and have one here.
template <class Launch>
static void run_blocks(dim3 blocks, unsigned threads, size_t bytes, Launch launch) {
  const bool alone = threads == 256;
  blockDim = dim3(alone ? 1 : threads);
  for (unsigned y = 0; y < blocks.y; ++y)
    for (unsigned x = 0; x < blocks.x; ++x) {
      const auto run = [&](unsigned thread) { blockIdx = dim3(x, y), threadIdx = dim3(thread), launch(); };
      if (bytes == 0) {
        for (unsigned i = 0; i < blockDim.x; ++i) run(i);
        continue;
      }
      shared_memory.assign(bytes / sizeof(double) + 1, NAN);
      std::barrier<> barrier(threads);
      together = &barrier;
      std::vector<std::thread> all;
      for (unsigned i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
          run(i);
          barrier.arrive_and_drop();
        });
      for (auto& thread : all) thread.join();
      together = nullptr;
    }
}
#define CORIO_LAUNCH(kernel, blocks, threads, bytes, stream, ...) \
  ((void)(stream), run_blocks(blocks, threads, bytes, [&] { kernel(__VA_ARGS__); }))

using Sizes = std::vector<size_t>;
/// Calls f(index of an array, index of a number) once for each number of n states. The arrays have the given sizes per
/// state and are [number][state], or with rows [state][number]. Numbers are [state][number], for all arrays side by
/// side.
template <class Real, class F>
void for_each(std::vector<Real>* arrays, const Sizes& sizes, std::vector<double>& numbers, size_t n, bool rows, F f) {
  double* number = numbers.data();
  for (size_t state = 0; state < n; ++state)
    for (size_t a = 0; a < sizes.size(); ++a)
      for (size_t i = 0; i < sizes[a]; ++i) f(arrays[a][rows ? state * sizes[a] + i : i * n + state], *number++);
}
template <class Real, class... A, size_t... i>
int call(int (*function)(A...), const std::vector<Real*>& arrays, size_t n, int rows, std::index_sequence<i...>) {
  return function(arrays[i]..., n, rows, nullptr);
}
/// Reads n states from standard input, and writes a function's results there, with arrays of either layout.
template <class Real, class... A>
void run(int (*function)(A...), size_t n, const Sizes& inputs, const Sizes& outputs) {
  const auto numbers = [n](const Sizes& sizes) {
    return std::vector<double>(n * std::accumulate(sizes.begin(), sizes.end(), size_t(0)));
  };
  std::vector<double> x = numbers(inputs), y = numbers(outputs);
  if (fread(x.data(), sizeof(double), x.size(), stdin) != x.size()) exit(2);
  for (const bool rows : {false, true}) {
    std::vector<std::vector<Real>> arrays;
    for (const auto* sizes : {&inputs, &outputs})
      for (const size_t size : *sizes) arrays.emplace_back(n * size, Real(NAN));
    std::vector<Real*> pointers;
    for (auto& array : arrays) pointers.push_back(array.data());
    const auto result = [&](size_t states) {
      return call(function, pointers, states, rows, std::make_index_sequence<sizeof...(A) - 3>());
    };
    for_each(&arrays[0], inputs, x, n, rows, [](Real& a, double number) { a = static_cast<Real>(number); });
    if (result(0) != 0 || result(size_t(1) << 31) != 1) exit(3);
    if (result(n) != 0) exit(4);
    for_each(&arrays[inputs.size()], outputs, y, n, rows, [](Real a, double& number) { number = a; });
    fwrite(y.data(), sizeof(double), y.size(), stdout);
    pointers.back() = nullptr;
    if (result(n) != 1) exit(5);
  }
}
