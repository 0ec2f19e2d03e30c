#pragma once

#include <filesystem>
#include <fstream>

#include "codegen/codegen_support.hpp"
#include "support/temporary_file.hpp"

/// Common parts of tests that compile generated code: functions of robots with the expected results, and their code in
/// files.
namespace codegen_test {

namespace fs = std::filesystem;

inline bool runs(const std::string& command) { return std::system((command + " > log 2>&1").c_str()) == 0; }
inline bool exists(const std::string& program) { return runs("command -v " + program); }
inline std::string text_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// Runs a command, which must succeed.
inline void require(const std::string& command) {
  const bool ran = runs(command);
  INFO(command + "\n" + text_of("log"));
  REQUIRE(ran);
}
inline void write_sources(const codegen::Writer& writer) {
  for (const auto& [name, text] : writer.files()) std::ofstream(name, std::ios::binary) << text;
}

/// Returns clang's output from CUDA for a GPU, with declarations of its own in place of a toolkit.
inline std::string gpu_code(const std::string& file) {
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
__device__ float expf(float); __device__ float logf(float); __device__ double exp(double); __device__ double log(double);
__device__ float atanf(float); __device__ float tanhf(float); __device__ double atan(double); __device__ double tanh(double);
#define CORIO_LAUNCH(kernel, ...) ((void)&kernel)
)";
  const bool compiled = runs(
      "clang++ -x cuda -std=c++17 --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -include prelude.hpp "
      "-O0 -S " +
      file + " -o all.ptx");
  INFO(text_of("log"));
  REQUIRE(compiled);
  return text_of("all.ptx");
}

/// A function with its inputs in several states, one after the other, and the results of the templates there.
struct Sample {
  Recording f;
  std::vector<double> x, y;
};
struct Robots {
  struct Robot {
    std::string name, layout;
    std::vector<Sample> functions;
  };
  int states;
  std::vector<Robot> all;

  void add(const codegen_test::Robot& robot, const Names& functions) {
    std::mt19937_64 generator(1);
    int number = 0;
    add<Model>(codegen::layout(robot.model), robot.model, robot.recorded, functions, {},
               [&] { return state(robot.model, number++, generator); });
  }
  /// @param nominal  empty for gears
  void add(Linkage& robot, const Names& functions, const VectorXd& nominal) {
    add<Mechanism>(codegen::layout(robot.mechanism.tree()), robot.mechanism, robot.mechanism.cast<Recorded>(),
                   functions, nominal, [&] { return robot.state(); });
  }

 private:
  template <template <class> class R, class State>
  void add(const std::string& layout, const R<double>& robot, const R<Recorded>& recorded, const Names& functions,
           const VectorXd& nominal, State next) {
    DataOf<R<double>> data(robot);
    all.push_back({"robot" + std::to_string(all.size()), layout, {}});
    for (const auto& name : functions) {
      Sample s{codegen::record(name, recorded, nominal), {}, {}};
      for (int i = 0; i < states; ++i) {
        const std::vector<VectorXd> at = next();
        const auto x = inputs(s.f, at);
        const VectorXd y = expected(name, robot, data, at);
        s.x.insert(s.x.end(), x.begin(), x.end()), s.y.insert(s.y.end(), y.begin(), y.end());
      }
      all.back().functions.push_back(std::move(s));
    }
  }
};
/// Returns all functions of three robots, which together have every operation.
inline Robots some_robots(int states) {
  Robots robots{states, {}};
  for (const auto& model :
       {zoo::serial_chain(3), robot_on<double>(test::built_in<double>(6).any()), robot_on<double>(joint::FreeFlyer{})})
    robots.add(Robot(model), all_functions);
  return robots;
}
/// Returns the short functions of a robot for each type of joint, of the zoo's robots, and of a robot with gears.
inline Robots every_robot(int states) {
  Robots every{states, {}};
  for (const auto& robot : robots()) every.add(robot, {"rnea", "crba", "aba"});
  for (const auto& model : {zoo::binary_tree(7), zoo::biped(), zoo::quadruped(), zoo::humanoid()})
    every.add(Robot(model), {"rnea"});
  Linkage arm(zoo::geared_arm(3), 1.0);
  every.add(arm, {"rnea", "crba", "aba"}, {});
  return every;
}
/// Mechanisms with closed loops: a planar one, one of rods, one whose loop has more equations than it needs, and one of
/// six loops, without its longest functions.
inline Robots closed_loops(int states) {
  Robots robots{states, {}};
  const auto add = [&](const Model<double>& model, const Names& functions) {
    Linkage robot(model, 0.03);  // legs of the platform end after some centimetres
    robots.add(robot, functions, robot.nominal);
  };
  add(zoo::four_bar_leg(), all_functions);
  add(zoo::delta_robot(), all_functions);
  add(zoo::bricard_loop(), all_functions);
  add(zoo::stewart_platform(), {"rnea", "crba", "aba"});
  return robots;
}

/// Writes code for the functions, and returns it.
template <class Writer, class Functions>
std::string write(Writer writer, const Functions& functions, const codegen::Cut& cut) {
  for (const Sample& s : functions) writer.add(s.f, s.f.schedule(cut));
  std::string all;
  for (const auto& file : writer.files()) std::ofstream(file.name, std::ios::binary) << file.text, all += file.text;
  return all;
}
/// Returns all functions of a tree.
template <class Writer>
std::string write_all(Writer writer, const Model<double>& model, const codegen::Cut& cut) {
  std::vector<Sample> functions;
  for (const auto& name : all_functions) functions.push_back({codegen::record(name, model), {}, {}});
  return write(std::move(writer), functions, cut);
}
/// The length of a piece: so short that most functions in tests have several pieces.
inline constexpr codegen::Cut short_pieces{400, 20};

/// Returns the largest difference in one state, relative to its numbers; infinite if one is not finite.
inline double difference(const std::vector<double>& y, const Sample& s) {
  if (y.size() != s.y.size()) return std::numeric_limits<double>::infinity();
  const int outputs = s.f.num_outputs();
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); i += static_cast<std::size_t>(outputs)) {
    const auto got = VectorXd::Map(&y[i], outputs), exact = VectorXd::Map(&s.y[i], outputs);
    const double error = (got - exact).norm() / (exact.norm() > 0 ? exact.norm() : 1);
    if (!(error <= worst)) worst = std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }
  return worst;
}
/// A float has seven digits, minus those that a condition of 1e3 costs.
inline double tolerance(bool single) { return single ? 1e-3 : rounding; }

}  // namespace codegen_test
