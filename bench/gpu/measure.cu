// One case of generate.cpp, included as CASE: checked against the templates, then timed alone on the GPU.
// run.sh says what it prints.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include CASE

#define CHECK(x)                                                                                  \
  do {                                                                                            \
    if (cudaError_t e = (cudaError_t)(x)) {                                                       \
      printf("%s: CUDA error '%s' in line %d\n", NAME, cudaGetErrorString(e), __LINE__), exit(1); \
    }                                                                                             \
  } while (0)

constexpr int launches = 5;  // consecutive launches of a kernel
template <class F>
double time_of(size_t states, F f) {
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  std::vector<float> t;
  for (int r = 0; r < 9; ++r) {
    cudaEventRecord(a);
    for (int i = 0; i < launches; ++i) f();
    cudaEventRecord(b);
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaGetLastError());
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (r > 2) t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2] * 1e6 / (double)states / launches;
}

int main(int count_of_arguments, char** argv) {
  if (count_of_arguments != 5) return 1;  // file of states, peaks of peaks.cu
  constexpr int given = 64;               // states with results of the templates
  constexpr size_t some = 512;            // so many states are compared at the beginning and at the end
  int inputs = 0, outputs = 0;
  for (int n : in_sizes) inputs += n;
  for (int n : out_sizes) outputs += n;
  size_t states = 1 << 18;
  std::vector<double> x(inputs * given), y((size_t)outputs * given);
  FILE* f = fopen(argv[1], "rb");
  if (!f || fread(x.data(), 8, x.size(), f) != x.size() || fread(y.data(), 8, y.size(), f) != y.size()) return 1;
  real *in[8], *out[8];
  std::vector<real> rows[8], columns[8], result;
  int begin = 0, count = 0, results = 0;
  for (int n : in_sizes) {
    rows[count].resize(n * states), columns[count].resize(n * states);
    for (size_t s = 0; s < states; ++s)
      for (int i = 0; i < n; ++i)
        rows[count][s * (size_t)n + i] = columns[count][i * states + s] = (real)x[(s % given) * inputs + begin + i];
    CHECK(cudaMalloc(&in[count], n * states * sizeof(real)));
    ++count, begin += n;
  }
  for (int n : out_sizes) CHECK(cudaMalloc(&out[results++], n * states * sizeof(real)));
  double worst[2] = {0, 0}, best = 1e300, of_rows = 0;
  for (int as_rows : {0, 1}) {
    for (int i = 0; i < count; ++i)
      CHECK(cudaMemcpy(in[i], (as_rows ? rows : columns)[i].data(), in_sizes[i] * states * sizeof(real),
                       cudaMemcpyHostToDevice));
    for (int i = 0; i < results; ++i) CHECK(cudaMemset(out[i], 0xff, out_sizes[i] * states * sizeof(real)));
    CHECK(CALL(as_rows));
    CHECK(cudaDeviceSynchronize());
    int first = 0;
    std::vector<double> largest(given, 0);
    for (int s = 0; s < given; ++s)
      for (int k = 0; k < outputs; ++k) largest[s] = std::max(largest[s], fabs(y[s * outputs + k]));
    for (int i = 0; i < results; first += out_sizes[i++]) {
      const size_t n = out_sizes[i];
      for (size_t from : {size_t(0), states - some}) {
        result.resize(n * some);
        const size_t size = sizeof(real);
        if (as_rows)
          CHECK(cudaMemcpy(result.data(), out[i] + from * n, n * some * size, cudaMemcpyDeviceToHost));
        else
          CHECK(cudaMemcpy2D(result.data(), some * size, out[i] + from, states * size, some * size, n,
                             cudaMemcpyDeviceToHost));
        for (size_t s = 0; s < some; ++s)
          for (size_t k = 0; k < n; ++k) {
            const size_t at = (from + s) % given;
            const double d = (double)result[as_rows ? s * n + k : k * some + s] - y[at * outputs + first + k];
            worst[as_rows] = std::max(worst[as_rows], d == d ? fabs(d) / largest[at] : 1e9);
          }
      }
    }
    if (as_rows) {
      of_rows = time_of(states, [&] { CALL(1); });
    } else {
      for (int threads : {32, 64}) {
        const double ns = time_of(states, [&] { LAUNCH(threads); });
        best = std::min(best, ns);
      }
    }
  }
  cudaFuncAttributes at;
  CHECK(cudaFuncGetAttributes(&at, KERNEL));
  const double peak = atof(argv[sizeof(real) == 4 ? 2 : 3]), bandwidth = atof(argv[4]);
  printf(
      "%-45s %8.3f ns, rows %8.3f ns  %3.0f %% of the peak %3.0f %% of the bandwidth  %6d operations %3d pieces  "
      "%3d registers %6zu bytes  errors %.1e %.1e\n",
      NAME, best, of_rows, 100 * operations / best * 1e-3 / peak,
      100 * (inputs + outputs) * sizeof(real) / best / bandwidth, operations, pieces, at.numRegs, at.localSizeBytes,
      worst[0], worst[1]);
}
