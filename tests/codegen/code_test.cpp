#include <dlfcn.h>

#include <filesystem>
#include <fstream>

#include "codegen/codegen_support.hpp"
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
using Names = std::vector<std::string>;
const Names all_functions(std::begin(codegen::function_names), std::end(codegen::function_names));

/// States, one after the other, as doubles, and what is expected.
struct States {
  std::vector<double> x, y;
};
/// Some functions of one robot, with states and what the templates compute there.
struct Case {
  std::string robot, layout;
  std::vector<Recording> functions;
  std::vector<States> states;
};
template <template <class> class R, class NextState>
Case sample(const std::string& name, const R<double>& robot, const R<Recorded>& recorded, const Names& functions,
            int count, NextState next) {
  Case c{name, "", {}, {}};
  for (const auto& function : functions) {
    Recording f = codegen::record(function, recorded);
    States s;
    DataOf<R<double>> data(robot);
    std::mt19937_64 generator(1);
    for (int i = 0; i < count; ++i) {
      const std::vector<VectorXd> x = next(i, generator);
      const auto in = inputs(f, x);
      const VectorXd y = expected(function, robot, data, x);
      s.x.insert(s.x.end(), in.begin(), in.end()), s.y.insert(s.y.end(), y.begin(), y.end());
    }
    c.functions.push_back(std::move(f)), c.states.push_back(std::move(s));
  }
  return c;
}
Case sample(const std::string& name, const Robot& r, const Names& functions, int count) {
  Case c = sample<Model>(name, r.model, r.recorded, functions, count,
                         [&](int i, auto& generator) { return state(r.model, i, generator); });
  c.layout = codegen::layout(r.model);
  return c;
}
/// All functions of three robots, which together have every operation.
std::vector<Case> some_robots(int count) {
  std::vector<Case> all;
  for (const auto& model :
       {zoo::serial_chain(3), robot_on<double>(test::built_in<double>(6).any()), robot_on<double>(joint::FreeFlyer{})})
    all.push_back(sample("robot" + std::to_string(all.size()), Robot(model), all_functions, count));
  return all;
}
/// The short functions of a robot for each type of joint, of those of the zoo, and of one with gears.
std::vector<Case> every_robot(int count) {
  std::vector<Case> all;
  const auto name = [&] { return "robot" + std::to_string(all.size()); };
  for (const auto& robot : robots()) all.push_back(sample(name(), robot, {"rnea", "crba", "aba"}, count));
  for (const auto& model : {zoo::binary_tree(7), zoo::biped(), zoo::quadruped(), zoo::humanoid()})
    all.push_back(sample(name(), Robot(model), {"rnea"}, count));
  const auto tree = zoo::geared_arm(3);
  const Mechanism<double> arm(tree);
  MechanismData<double> data(arm);
  all.push_back(
      sample<Mechanism>(name(), arm, arm.cast<Recorded>(), {"rnea", "crba", "aba"}, count, [&](int, auto& generator) {
        std::uniform_real_distribution<double> uniform(-1, 1);
        const auto random = [&] {
          return VectorXd(VectorXd::NullaryExpr(arm.nv(), [&] { return uniform(generator); }));
        };
        forward_kinematics<double>(arm, data, neutral(tree), random());
        return std::vector<VectorXd>{integrate<double>(tree, neutral(tree), data.tree.v), random(), random()};
      }));
  return all;
}

/// Writes code of the functions, and returns it.
template <class Writer>
std::string write(Writer writer, const std::vector<Recording>& functions, const codegen::Cut& cut) {
  for (const Recording& f : functions) writer.add(f, f.schedule(cut));
  std::string all;
  for (const auto& file : writer.files()) std::ofstream(file.name, std::ios::binary) << file.text, all += file.text;
  return all;
}
template <class Writer>
std::string write(Writer writer, const Model<double>& model, const codegen::Cut& cut) {
  std::vector<Recording> functions;
  for (const auto& function : all_functions) functions.push_back(codegen::record(function, model));
  return write(std::move(writer), functions, cut);
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
/// Of float seven digits, less those that a condition of 1e3 takes.
double tolerance(bool single) { return single ? 1e-3 : rounding; }

/// What a function of a shared library computes over T in states, of which `width` are passed at once.
template <class T>
std::vector<double> call(void* function, const Recording& f, const States& s, std::size_t width) {
  const auto outputs = static_cast<std::size_t>(f.num_outputs());
  const std::size_t count = s.y.size() / outputs, num_inputs = s.x.size() / count;
  std::vector<double> got(s.y.size());
  alignas(64) static T x[500], y[5000];
  for (std::size_t first = 0; first < count; first += width) {
    for (std::size_t l = 0; l < width; ++l)
      for (std::size_t i = 0; i < num_inputs; ++i) x[i * width + l] = static_cast<T>(s.x[(first + l) * num_inputs + i]);
    const T* in[3];
    T* out[3];
    std::size_t at = 0, number = 0;
    for (const auto& array : f.inputs()) in[number++] = x + width * at, at += std::size_t(array.size());
    at = number = 0;
    for (const auto& array : f.outputs()) out[number++] = y + width * at, at += std::size_t(array.size());
    const auto in_out = 10 * f.inputs().size() + f.outputs().size();
    using I = const T*;
    using O = T*;
    if (in_out == 11) reinterpret_cast<void (*)(I, O)>(function)(in[0], out[0]);
    if (in_out == 21) reinterpret_cast<void (*)(I, I, O)>(function)(in[0], in[1], out[0]);
    if (in_out == 31) reinterpret_cast<void (*)(I, I, I, O)>(function)(in[0], in[1], in[2], out[0]);
    if (in_out == 32) reinterpret_cast<void (*)(I, I, I, O, O)>(function)(in[0], in[1], in[2], out[0], out[1]);
    if (in_out == 33)
      reinterpret_cast<void (*)(I, I, I, O, O, O)>(function)(in[0], in[1], in[2], out[0], out[1], out[2]);
    for (std::size_t l = 0; l < width; ++l)
      for (std::size_t k = 0; k < outputs; ++k) got[(first + l) * outputs + k] = static_cast<double>(y[k * width + l]);
  }
  return got;
}
/// Compiles code of all robots with gcc and with clang, and compares what it computes.
void check_c(const std::vector<Case>& cases, bool single, int lanes, const std::string& options) {
  for (const auto& c : cases)
    write(codegen::CWriter(c.robot, c.layout, {false, single, lanes}), c.functions, {400, 20});
  for (const char* compiler : {"gcc", "clang"}) {
    if (!exists(compiler)) continue;
    CAPTURE(lanes, single, compiler);
    const bool compiled = runs(std::string(compiler) + " -std=c11 " + options +
                               " -Wall -Wextra -Werror -Wno-psabi -fPIC -shared robot*.c -lm -o robots.so");
    INFO(log());
    REQUIRE(compiled);
    void* const library = dlopen(fs::absolute("robots.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    for (const auto& c : cases) {
      CHECK(test::mentions(static_cast<const char*>(dlsym(library, (c.robot + "_layout").c_str())),
                           {"robot " + c.robot, c.layout}));
      for (std::size_t i = 0; i < c.functions.size(); ++i) {
        const Recording& f = c.functions[i];
        CAPTURE(c.robot, c.layout, f.name());
        void* const function = dlsym(library, (c.robot + "_" + f.name()).c_str());
        REQUIRE(function);
        const auto width = static_cast<std::size_t>(lanes);
        const auto got =
            single ? call<float>(function, f, c.states[i], width) : call<double>(function, f, c.states[i], width);
        const auto outputs = static_cast<std::size_t>(f.num_outputs());
        CHECK(difference(got, c.states[i].y, outputs) < tolerance(single));
        States spoiled = c.states[i];
        const auto num_inputs = static_cast<std::ptrdiff_t>(spoiled.x.size() * outputs / spoiled.y.size());
        std::fill_n(spoiled.x.begin(), num_inputs, std::numeric_limits<double>::quiet_NaN());
        const auto others =
            single ? call<float>(function, f, spoiled, width) : call<double>(function, f, spoiled, width);
        CHECK(std::any_of(others.begin(), others.begin() + f.num_outputs(), [](double y) { return std::isnan(y); }));
        CHECK(std::equal(got.begin() + f.num_outputs(), got.end(), others.begin() + f.num_outputs()));
      }
    }
    dlclose(library);
  }
}

}  // namespace

TEST_CASE("C compiles without a warning and computes what the templates do, in vectors each state alone", "[codegen]") {
  const Folder folder;
  check_c(some_robots(8), GENERATE(false, true), GENERATE(1, 4), "-O1");
}

TEST_CASE("C of every joint and of every robot of the zoo computes what the templates do", "[codegen]") {
  const Folder folder;
  check_c(every_robot(8), false, 1, "-O0");
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

namespace {

/// Runs CUDA of all robots, compiled for the host, with arrays of both layouts, and compares what it computes.
void check_cuda(const std::vector<Case>& cases, int count, bool single) {
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty()) return;
  std::ofstream("empty.cpp") << "int main() {}\n";  // a compiler may come without its sanitizers
  const std::string sanitize = runs(compiler + " -fsanitize=address empty.cpp -o empty") ? " -fsanitize=address" : "";
  const std::string real = single ? "float" : "double";
  std::ofstream main("main.cpp");
  main << "#include \"" << CORIO_EXAMPLES_DIR << "/../tests/codegen/host_cuda.hpp\"\n";
  for (const auto& c : cases) {
    write(codegen::CudaWriter(c.robot, c.layout, single), c.functions, {400, 20});
    main << "#include \"" << c.robot << ".cu\"\n";
  }
  main << "#include <cstdio>\n#include <vector>\nint main() {\n  const size_t n = " << count
       << ";\n  FILE* in = fopen(\"x\", \"rb\");\n  FILE* out = fopen(\"y\", \"wb\");\n";
  std::ofstream x("x", std::ios::binary);
  std::vector<double> exact;
  std::vector<std::size_t> sizes;
  const auto put = [&](double number) {
    const float small = static_cast<float>(number);
    single ? x.write(reinterpret_cast<const char*>(&small), 4) : x.write(reinterpret_cast<const char*>(&number), 8);
  };
  const auto states = static_cast<std::size_t>(count);
  for (const auto& c : cases)
    for (std::size_t number = 0; number < c.functions.size(); ++number)
      for (const bool rows : {false, true}) {
        const Recording& f = c.functions[number];
        const States& s = c.states[number];
        const std::string function = c.robot + "_" + f.name();
        const std::size_t num_inputs = s.x.size() / states, num_outputs = s.y.size() / states;
        std::string arguments, prints;
        main << "  {\n";
        std::size_t begin = 0;
        for (const auto& array : f.inputs()) {
          const auto size = static_cast<std::size_t>(array.size());
          for (std::size_t i = 0; i < size * states; ++i)
            put(s.x[(rows ? i / size : i % states) * num_inputs + begin + (rows ? i % size : i / states)]);
          begin += size;
          main << "    std::vector<" << real << "> " << array.name << "(n * " << size << ");\n    if (fread("
               << array.name << ".data(), sizeof(" << real << "), n * " << size << ", in) == 0) return 1;\n";
          arguments += array.name + ".data(), ";
        }
        begin = 0;
        for (const auto& array : f.outputs()) {
          const auto size = static_cast<std::size_t>(array.size());
          for (std::size_t i = 0; i < size * states; ++i)
            exact.push_back(s.y[(rows ? i / size : i % states) * num_outputs + begin + (rows ? i % size : i / states)]);
          begin += size;
          sizes.push_back(size * states);
          main << "    std::vector<" << real << "> y_" << array.name << "(n * " << size << ", NAN);\n";
          arguments += "y_" + array.name + ".data(), ";
          prints +=
              "    fwrite(y_" + array.name + ".data(), sizeof(" + real + "), n * " + std::to_string(size) + ", out);\n";
        }
        main << "    std::vector<" << real << "> scratch(" << function << "_scratch(n));\n    if (" << function << "("
             << arguments << "0, " << rows << ", nullptr, nullptr) != 0) return 2;\n    if (" << function << "("
             << arguments << "(size_t)1 << 31, " << rows << ", scratch.data(), nullptr) != 1) return 3;\n    if ("
             << function << "(" << arguments << "n, " << rows << ", scratch.data(), nullptr) != 0) return 4;\n"
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
    CHECK(difference(got, {exact.begin() + long(at), exact.begin() + long(at + size)}, size) < tolerance(single));
    at += size;
  }
}

}  // namespace

TEST_CASE("CUDA computes in every layout what the templates do, and nothing beside its arrays", "[codegen]") {
  const Folder folder;
  constexpr int count = 101;  // neither blocks nor tiles nor chunks are full
  check_cuda(some_robots(count), count, GENERATE(false, true));
}

TEST_CASE("CUDA of every joint and of every robot of the zoo computes what the templates do", "[codegen]") {
  const Folder folder;
  check_cuda(every_robot(4), 4, false);
}

TEST_CASE("CUDA compiles for a GPU without a toolkit", "[codegen]") {
  const Folder folder;
  if (!exists("clang++")) return;
  const bool single = GENERATE(true, false);
  std::vector<Case> cases = every_robot(0);
  cases.push_back(sample("some", Robot(robot_on<double>(joint::FreeFlyer{})), all_functions, 0));
  std::ofstream all("all.cu");
  for (const auto& c : cases) {
    write(codegen::CudaWriter(c.robot, c.layout, single), c.functions, {400, 20});
    all << "#include \"" << c.robot << ".cu\"\n";
  }
  all.close();
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
  INFO(log());
  REQUIRE(compiled);
  std::ifstream in("all.ptx");
  const std::string ptx(std::istreambuf_iterator<char>(in), {});
  for (const auto& c : cases)
    for (const Recording& f : c.functions) CHECK(ptx.find(".entry") < ptx.find(c.robot + "_" + f.name() + "_kernel"));
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
