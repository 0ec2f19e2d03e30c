#include <dlfcn.h>

#include <filesystem>
#include <fstream>

#include "codegen/codegen_support.hpp"
#include "corio/codegen/check.hpp"
#include "corio/codegen/write_c.hpp"
#include "corio/codegen/write_cuda.hpp"
#include "support/comma_locale.hpp"

using namespace codegen_test;

namespace {

namespace fs = std::filesystem;

bool runs(const std::string& command) { return std::system((command + " > log 2>&1").c_str()) == 0; }
bool exists(const std::string& program) { return runs("command -v " + program); }
/// An empty folder that becomes the current one, and goes with the object.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "corio_codegen_test"), before_(fs::current_path()) {
    fs::remove_all(path_), fs::create_directories(path_), fs::current_path(path_);
  }
  ~Folder() { fs::current_path(before_), fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  fs::path path_, before_;
};
std::string log() {
  std::ifstream in("log");
  return {std::istreambuf_iterator<char>(in), {}};
}
/// Writes code of all functions, and returns it.
template <class Writer>
std::string write(Writer writer, const Model<double>& model, const codegen::Cut& cut) {
  for (const char* function : codegen::function_names) {
    const auto f = codegen::record(function, model);
    writer.add(f, f.schedule(cut));
  }
  std::string all;
  for (const auto& file : writer.files()) std::ofstream(file.name, std::ios::binary) << file.text, all += file.text;
  return all;
}
std::vector<Model<double>> some_robots() {
  std::vector<Model<double>> all;
  all.push_back(zoo::serial_chain(3));
  all.push_back(robot_on<double>(test::built_in<double>(6).any()));
  all.push_back(robot_on<double>(joint::FreeFlyer{}));
  return all;
}

/// States, one after the other, as doubles, and what is expected.
struct States {
  int count;
  std::vector<double> x, y;
};
States sample(const std::string& function, const Recording& f, const Model<double>& model, int count) {
  States s{count, {}, {}};
  Data<double> data(model);
  std::mt19937_64 generator(1);
  for (int i = 0; i < count; ++i) {
    const auto x = state(model, i, generator);
    const auto in = inputs(f, x);
    const VectorXd y = expected(function, model, data, x);
    s.x.insert(s.x.end(), in.begin(), in.end()), s.y.insert(s.y.end(), y.begin(), y.end());
  }
  return s;
}
/// The largest difference of one state, relative to its largest number.
template <class T>
double difference(const std::vector<T>& y, const std::vector<double>& exact, std::size_t size) {
  double worst = 0;
  for (std::size_t begin = 0; begin < exact.size(); begin += size) {
    double largest = 0, error = 0;
    for (std::size_t i = begin; i < begin + size; ++i)
      largest = std::max(largest, std::abs(exact[i])), error = std::max(error, std::abs(y[i] - exact[i]));
    if (!(error <= worst * largest)) worst = largest > 0 ? error / largest : error;
  }
  return worst;
}

}  // namespace

TEST_CASE("C compiles without a warning and computes what the templates do, also in vectors", "[codegen]") {
  const Folder folder;
  const int lanes = GENERATE(1, 4);
  const bool single = GENERATE(false, true);
  for (const auto& model : some_robots())
    for (const char* compiler : {"gcc", "clang"}) {
      if (!exists(compiler)) continue;
      CAPTURE(lanes, single, compiler, model.joints().begin()->type());
      write(codegen::CWriter("robot", codegen::layout(model), {false, single, lanes}), model, {400, 20});
      const bool compiled =
          runs(std::string(compiler) +
               " -std=c11 -O1 -Wall -Wextra -Werror -Wno-psabi -fPIC -shared robot.c -lm -o robot.so");
      INFO(log());
      REQUIRE(compiled);
      void* const library = dlopen(fs::absolute("robot.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      REQUIRE(library);
      CHECK(test::mentions(static_cast<const char*>(dlsym(library, "robot_layout")), {"robot robot", "q[0"}));
      for (const std::string function : codegen::function_names) {
        CAPTURE(function);
        const auto f = codegen::record(function, model);
        const auto s = sample(function, f, model, 8);
        const auto outputs = static_cast<std::size_t>(f.num_outputs()), width = static_cast<std::size_t>(lanes);
        const auto num_inputs = s.x.size() / 8;
        std::vector<double> got(s.y.size());
        const auto run = [&]<class T>(T) {
          alignas(64) static T x[500], y[5000];
          for (std::size_t first = 0; first < 8; first += width) {
            for (std::size_t l = 0; l < width; ++l)
              for (std::size_t i = 0; i < num_inputs; ++i)
                x[i * width + l] = static_cast<T>(s.x[(first + l) * num_inputs + i]);
            const T* in[3];
            T* out[3];
            std::size_t at = 0, number = 0;
            for (const auto& array : f.inputs()) in[number++] = x + width * at, at += std::size_t(array.size());
            at = number = 0;
            for (const auto& array : f.outputs()) out[number++] = y + width * at, at += std::size_t(array.size());
            void* const call = dlsym(library, ("robot_" + function).c_str());
            const auto in_out = 10 * f.inputs().size() + f.outputs().size();
            if (in_out == 11) reinterpret_cast<void (*)(const T*, T*)>(call)(in[0], out[0]);
            if (in_out == 21) reinterpret_cast<void (*)(const T*, const T*, T*)>(call)(in[0], in[1], out[0]);
            if (in_out == 31)
              reinterpret_cast<void (*)(const T*, const T*, const T*, T*)>(call)(in[0], in[1], in[2], out[0]);
            if (in_out == 32)
              reinterpret_cast<void (*)(const T*, const T*, const T*, T*, T*)>(call)(in[0], in[1], in[2], out[0],
                                                                                     out[1]);
            if (in_out == 33)
              reinterpret_cast<void (*)(const T*, const T*, const T*, T*, T*, T*)>(call)(in[0], in[1], in[2], out[0],
                                                                                         out[1], out[2]);
            for (std::size_t l = 0; l < width; ++l)
              for (std::size_t k = 0; k < outputs; ++k)
                got[(first + l) * outputs + k] = static_cast<double>(y[k * width + l]);
          }
        };
        single ? run(float()) : run(double());
        // Of float seven digits, less those that a condition of 1e3 takes.
        CHECK(difference(got, s.y, outputs) < (single ? 1e-3 : rounding));
      }
      dlclose(library);
    }
}

TEST_CASE("C needs of the mathematical library what was recorded alone", "[codegen]") {
  const Folder folder;
  if (!exists("gcc") || !exists("nm")) return;
  write(codegen::CWriter("robot", "", {}), zoo::serial_chain(3), {});
  REQUIRE(runs("gcc -std=c11 -Os -fno-builtin -ffreestanding -c robot.c -o robot.o && nm -u robot.o"));
  std::istringstream lines(log());
  for (std::string kind, symbol; lines >> kind >> symbol;) {
    CAPTURE(symbol);
    CHECK((symbol == "sin" || symbol == "cos" || symbol == "sqrt" || symbol == "_GLOBAL_OFFSET_TABLE_"));
  }
}

TEST_CASE("code has the same bytes each time, whatever the locale", "[codegen][locale]") {
  const Folder folder;
  const auto all = [] {
    const auto model = robot_on<double>(joint::FreeFlyer{});
    return write(codegen::CWriter("robot", codegen::layout(model), {}), model, {200, 20}) +
           write(codegen::CudaWriter("robot", codegen::layout(model), true), model, {});
  };
  const std::string before = all();
  const test::CommaLocale comma;
  CHECK(all() == before);
}

TEST_CASE("CUDA computes in every layout what the templates do, and nothing beside its arrays", "[codegen]") {
  const Folder folder;
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty()) return;
  std::ofstream("empty.cpp") << "int main() {}\n";  // a compiler may come without its sanitizers
  const std::string sanitize = runs(compiler + " -fsanitize=address empty.cpp -o empty") ? " -fsanitize=address" : "";
  const bool single = GENERATE(false, true);
  const std::string real = single ? "float" : "double";
  constexpr int count = 101;  // neither blocks nor tiles nor chunks are full
  for (const auto& model : some_robots()) {
    CAPTURE(single, model.joints().begin()->type());
    write(codegen::CudaWriter("robot", codegen::layout(model), single), model, {400, 20});
    std::ofstream main("main.cpp");
    main << "#include \"" << CORIO_EXAMPLES_DIR << "/../tests/codegen/host_cuda.hpp\"\n#include \"robot.cu\"\n"
         << "#include <cstdio>\n#include <vector>\nint main() {\n  const size_t n = " << count
         << ";\n  FILE* in = fopen(\"x\", \"rb\");\n  FILE* out = fopen(\"y\", \"wb\");\n";
    std::ofstream x("x", std::ios::binary);
    std::vector<double> exact;
    std::vector<std::size_t> sizes;
    const auto put = [&](double number) {
      const float small = static_cast<float>(number);
      single ? x.write(reinterpret_cast<const char*>(&small), 4) : x.write(reinterpret_cast<const char*>(&number), 8);
    };
    for (const std::string function : codegen::function_names)
      for (const bool rows : {false, true}) {
        const auto f = codegen::record(function, model);
        const auto s = sample(function, f, model, count);
        const std::size_t num_inputs = s.x.size() / count, num_outputs = s.y.size() / count;
        std::string arguments, prints;
        main << "  {\n";
        std::size_t begin = 0;
        for (const auto& array : f.inputs()) {
          const std::size_t size = static_cast<std::size_t>(array.size());
          for (std::size_t i = 0; i < size * count; ++i)
            put(s.x[(rows ? i / size : i % count) * num_inputs + begin + (rows ? i % size : i / count)]);
          begin += size;
          main << "    std::vector<" << real << "> " << array.name << "(n * " << size << ");\n    if (fread("
               << array.name << ".data(), sizeof(" << real << "), n * " << size << ", in) == 0) return 1;\n";
          arguments += array.name + ".data(), ";
        }
        begin = 0;
        for (const auto& array : f.outputs()) {
          const std::size_t size = static_cast<std::size_t>(array.size());
          for (std::size_t i = 0; i < size * count; ++i)
            exact.push_back(s.y[(rows ? i / size : i % count) * num_outputs + begin + (rows ? i % size : i / count)]);
          begin += size;
          sizes.push_back(size * count);
          main << "    std::vector<" << real << "> y_" << array.name << "(n * " << size << ", NAN);\n";
          arguments += "y_" + array.name + ".data(), ";
          prints +=
              "    fwrite(y_" + array.name + ".data(), sizeof(" + real + "), n * " + std::to_string(size) + ", out);\n";
        }
        main << "    std::vector<" << real << "> scratch(robot_" << function << "_scratch(n));\n    if (robot_"
             << function << "(" << arguments << "0, " << rows << ", nullptr, nullptr) != 0) return 2;\n    if (robot_"
             << function << "(" << arguments << "(size_t)1 << 31, " << rows
             << ", scratch.data(), nullptr) != 1) return 3;\n    if (robot_" << function << "(" << arguments << "n, "
             << rows << ", scratch.data(), nullptr) != 0) return 4;\n"
             << prints << "  }\n";
      }
    main << "  fclose(out);\n}\n";
    main.close(), x.close();
    const bool ran = runs(compiler + " -std=c++17 -O0" + sanitize + " -D_GNU_SOURCE main.cpp -o main && ./main");
    INFO(log());
    REQUIRE(ran);
    std::ifstream y("y", std::ios::binary);
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
      std::vector<double> got(size);
      for (double& number : got)
        if (float small; single)
          y.read(reinterpret_cast<char*>(&small), 4), number = static_cast<double>(small);
        else
          y.read(reinterpret_cast<char*>(&number), 8);
      REQUIRE(y.good());
      CHECK(difference(got, {exact.begin() + long(at), exact.begin() + long(at + size)}, size) <
            (single ? 1e-3 : rounding));
      at += size;
    }
  }
}

TEST_CASE("CUDA compiles for a GPU without a toolkit", "[codegen]") {
  const Folder folder;
  if (!exists("clang++")) return;
  write(codegen::CudaWriter("robot", "", true), robot_on<double>(joint::FreeFlyer{}), {400, 20});
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
__device__ void sincosf(float, float*, float*);
__device__ float sinf(float); __device__ float cosf(float); __device__ float sqrtf(float); __device__ float fabsf(float);
#define CORIO_LAUNCH(kernel, ...) ((void)&kernel)
)";
  const bool compiled = runs(
      "clang++ -x cuda -std=c++17 --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -include prelude.hpp "
      "-O1 "
      "-S robot.cu -o robot.ptx");
  INFO(log());
  REQUIRE(compiled);
  std::ifstream in("robot.ptx");
  const std::string ptx(std::istreambuf_iterator<char>(in), {});
  for (const char* function : codegen::function_names)
    CHECK(ptx.find(std::string("robot_") + function + "_kernel") != std::string::npos);
}

TEST_CASE("Python calls the shared library with arrays of numpy", "[codegen]") {
  const Folder folder;
  if (!exists("gcc") || !runs("python3 -c 'import numpy'")) return;
  const auto model = zoo::serial_chain(3);
  write(codegen::CWriter("robot", codegen::layout(model), {}), model, {});
  REQUIRE(runs("gcc -O2 -shared -fPIC robot.c -lm -o robot.so"));
  std::ofstream("call.py") << R"(import ctypes
import numpy as np
robot = ctypes.CDLL('./robot.so')
array = np.ctypeslib.ndpointer(np.float64, flags='C')
robot.robot_crba.argtypes = [array, array]
M = np.empty((3, 3))
robot.robot_crba(np.array([0.1, 0.2, 0.3]), M)
print(*('%.17g' % x for x in M.ravel()))
)";
  const bool ran = runs("python3 call.py");
  INFO(log());
  REQUIRE(ran);
  Data<double> data(model);
  const auto& M = crba<double>(model, data, VectorXd{{0.1, 0.2, 0.3}});
  std::istringstream numbers(log());
  for (int i = 0; i < 9; ++i) {
    double number = 0;
    numbers >> number;
    CHECK(std::abs(number - M.data()[i]) < 1e-14);
  }
}
