// Measures the peaks of this GPU: 10^12 operations a second over float and over double (fused ones count once, as lines
// of generated code do at best), and 10^9 bytes a second read and written.
#include <cuda_runtime.h>

#include <cstdio>

template <class T>
__global__ void multiply_and_add(T* out, T a) {
  T x[8];
  for (int i = 0; i < 8; ++i) x[i] = a + T(threadIdx.x + i);
  for (int r = 0; r < 4096; ++r)
    for (int i = 0; i < 8; ++i) x[i] = x[i] * a + T(0.5);
  T sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void copy(const float4* in, float4* out, size_t n) {
  const size_t step = gridDim.x * (size_t)blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) out[i] = in[i];
}
template <class F>
double seconds(F f) {
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  float best = 1e9f;
  for (int r = 0; r < 6; ++r) {
    cudaEventRecord(a), f(), cudaEventRecord(b), cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (ms < best) best = ms;
  }
  return 1e-3 * best;
}
int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  const int blocks = p.multiProcessorCount * 16, threads = 256;
  const size_t bytes = 1 << 30;
  void *a, *b;
  if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes)) return 1;
  const double operations = 4096.0 * 8 * blocks * threads;
  printf("%.1f %.1f %.0f\n",
         1e-12 * operations / seconds([&] { multiply_and_add<<<blocks, threads>>>((float*)a, 0.9f); }),
         1e-12 * operations / seconds([&] { multiply_and_add<<<blocks, threads>>>((double*)a, 0.9); }),
         2e-9 * (double)bytes / seconds([&] { copy<<<blocks, threads>>>((const float4*)a, (float4*)b, bytes / 16); }));
}
