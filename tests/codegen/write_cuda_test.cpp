#include "codegen/compiled_support.hpp"

using namespace codegen_test;

namespace {

/// Writes CUDA of all robots, and one file that includes it.
void write_cuda(const Robots& robots, bool single, const char* file) {
  std::ofstream all(file);
  for (const auto& robot : robots.all) {
    write(codegen::Writer(robot.name, robot.layout, {true, single}), robot.functions, short_pieces);
    all << "#include \"" << robot.name << ".cu\"\n";
  }
}
/// Runs CUDA of all robots, compiled for the host, with arrays of both layouts, and compares what it computes.
void check_cuda(const Robots& robots, bool single) {
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty()) return;
  std::ofstream("empty.cpp") << "int main() {}\n";  // a compiler may come without its sanitizers
  const std::string sanitize = runs(compiler + " -fsanitize=address empty.cpp -o empty") ? " -fsanitize=address" : "";
  write_cuda(robots, single, "robots.cu");
  std::ofstream main("main.cpp"), x("x", std::ios::binary);
  main << "#include \"" << CORIO_EXAMPLES_DIR << "/../tests/codegen/host_cuda.hpp\"\n"
       << "#include \"robots.cu\"\nint main() {\n";
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions) {
      const auto sizes = [](const auto& arrays) {
        std::string list;
        for (const auto& array : arrays) list += std::to_string(array.size()) + ", ";
        return "{" + list + "}";
      };
      const std::string function = robot.name + "_" + s.f.name();
      main << "  run<" << robot.name << "_real>(" << function << ", " << function << "_scratch, " << robots.states
           << ", " << sizes(s.f.inputs()) << ", " << sizes(s.f.outputs()) << ");\n";
      x.write(reinterpret_cast<const char*>(s.x.data()), std::ssize(s.x) * std::streamsize(sizeof(double)));
    }
  main << "}\n";
  main.close(), x.close();
  const bool ran =
      runs(compiler + " -std=c++20 -O0" + sanitize + " -D_GNU_SOURCE main.cpp -pthread -o main && (./main < x > y)");
  INFO(text_of("log"));
  REQUIRE(ran);
  std::ifstream y("y", std::ios::binary);
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions)
      for (const bool rows : {false, true}) {
        CAPTURE(single, robot.layout, s.f.name(), rows);
        std::vector<double> got(s.y.size());
        y.read(reinterpret_cast<char*>(got.data()), std::ssize(got) * std::streamsize(sizeof(double)));
        REQUIRE(y.good());
        CHECK(difference(got, s) < tolerance(single));
      }
}

}  // namespace

TEST_CASE("CUDA computes in every layout what the templates do, and nothing beside its arrays", "[codegen]") {
  const test::WorkingFolder folder;
  const Robots robots = some_robots(101);
  const bool single = GENERATE(false, true);
  int functions[3] = {0, 0, 0};  // of each way in which results become rows
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions) ++functions[codegen::way_of_rows(s.f, {true, single})];
  for (const int way : {0, 1, 2}) CHECK(functions[way] > 0);
  check_cuda(robots, single);  // neither the last block nor the last tile is full
}

TEST_CASE("CUDA of every joint and of every robot of the zoo computes what the templates do", "[codegen]") {
  const test::WorkingFolder folder;
  check_cuda(every_robot(4), false);
}

TEST_CASE("CUDA of closed loops computes what the templates do near the nominal configuration", "[codegen]") {
  const test::WorkingFolder folder;
  check_cuda(closed_loops(4), false);
}

TEST_CASE("CUDA compiles for a GPU without a toolkit", "[codegen]") {
  const test::WorkingFolder folder;
  if (!exists("clang++")) return;
  const Robots robots = some_robots(0);
  write_cuda(robots, GENERATE(true, false), "all.cu");
  std::ofstream("prelude.hpp") << R"(#include <stddef.h>
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __syncthreads() __syncthreads_of_device()
#define CORIO_DEVICE
__device__ void __syncthreads_of_device();
#define INFINITY __builtin_inff()
struct Index { unsigned x, y; };
extern __device__ const Index blockIdx, blockDim, threadIdx;
struct dim3 { dim3(unsigned, unsigned = 1) {} };
typedef void* cudaStream_t;
enum { cudaSuccess, cudaErrorInvalidValue };
int cudaGetLastError();
__device__ void sincosf(float, float*, float*); __device__ void sincos(double, double*, double*);
__device__ float sqrtf(float); __device__ float fabsf(float); __device__ float atan2f(float, float);
__device__ double sqrt(double); __device__ double fabs(double); __device__ double atan2(double, double);
__device__ float sinf(float); __device__ float cosf(float); __device__ double sin(double); __device__ double cos(double);
#define CORIO_LAUNCH(kernel, ...) ((void)&kernel)
)";
  const bool compiled = runs(
      "clang++ -x cuda -std=c++17 --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -include prelude.hpp "
      "-O0 -S all.cu -o all.ptx");
  INFO(text_of("log"));
  REQUIRE(compiled);
  const std::string ptx = text_of("all.ptx");
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions) {
      const std::string name = robot.name + "_" + s.f.name() + "_kernel";
      CHECK(ptx.find(".entry _ZL" + std::to_string(name.size()) + name + "PK") != std::string::npos);
    }
}
