#include <dlfcn.h>

#include "codegen/compiled_support.hpp"

using namespace codegen_test;

namespace {

template <class T, std::size_t>
using OneOf = T;
template <class T, std::size_t... i>
void call(void* function, const std::vector<T*>& arrays, std::index_sequence<i...>) {
  reinterpret_cast<void (*)(OneOf<T*, i>...)>(function)(arrays[i]...);
}
/// Returns the results of a shared library's function over T in states x, of which `width` are passed at once.
template <class T>
std::vector<double> call(void* function, const Recording& f, const std::vector<double>& x, std::size_t width) {
  alignas(64) static T in[500], out[5000];
  std::vector<T*> arrays;
  std::size_t sizes[] = {0, 0};
  for (const auto& array : f.inputs()) arrays.push_back(in + width * sizes[0]), sizes[0] += std::size_t(array.size());
  for (const auto& array : f.outputs()) arrays.push_back(out + width * sizes[1]), sizes[1] += std::size_t(array.size());
  std::vector<double> y(x.size() / sizes[0] * sizes[1]);
  for (std::size_t first = 0; first < x.size() / sizes[0]; first += width) {
    for (std::size_t lane = 0; lane < width; ++lane)
      for (std::size_t i = 0; i < sizes[0]; ++i)
        in[i * width + lane] = static_cast<T>(x[(first + lane) * sizes[0] + i]);
    switch (arrays.size()) {
      case 2: call(function, arrays, std::make_index_sequence<2>()); break;
      case 3: call(function, arrays, std::make_index_sequence<3>()); break;
      case 4: call(function, arrays, std::make_index_sequence<4>()); break;
      case 5: call(function, arrays, std::make_index_sequence<5>()); break;
      case 6: call(function, arrays, std::make_index_sequence<6>()); break;
    }
    for (std::size_t lane = 0; lane < width; ++lane)
      for (std::size_t k = 0; k < sizes[1]; ++k)
        y[(first + lane) * sizes[1] + k] = static_cast<double>(out[k * width + lane]);
  }
  return y;
}
/// Compiles code for all robots, and compares its results. A state that is not finite spoils its own results, and no
/// others.
void check_c(const Robots& robots, bool single, int lanes, const std::string& options, Names compilers) {
  std::erase_if(compilers, [](const std::string& compiler) { return !exists(compiler); });
  for (const auto& robot : robots.all)
    write(codegen::Writer(robot.name, robot.layout, {false, single, lanes}), robot.functions, short_pieces);
  for (const auto& compiler : compilers) {
    CAPTURE(lanes, single, compiler);
    const bool compiled = runs(compiler + " -std=c11 " + options +
                               " -Wall -Wextra -Werror -Wno-psabi -fPIC -shared robot*.c -lm -o robots.so");
    INFO(text_of("log"));
    REQUIRE(compiled);
    void* const library = dlopen(fs::absolute("robots.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    for (const auto& robot : robots.all) {
      CHECK(test::mentions(static_cast<const char*>(dlsym(library, (robot.name + "_layout").c_str())),
                           {"robot " + robot.name, robot.layout}));
      for (const auto& s : robot.functions) {
        CAPTURE(robot.name, robot.layout, s.f.name());
        void* const function = dlsym(library, (robot.name + "_" + s.f.name()).c_str());
        REQUIRE(function);
        const auto at = [&](const std::vector<double>& x) {
          const auto width = static_cast<std::size_t>(lanes);
          return single ? call<float>(function, s.f, x, width) : call<double>(function, s.f, x, width);
        };
        const auto y = at(s.x);
        CHECK(difference(y, s) < tolerance(single));
        std::vector<double> x = s.x;
        std::fill_n(x.begin(), x.size() / static_cast<std::size_t>(robots.states), std::nan(""));
        const auto others = at(x);
        const auto second = others.begin() + s.f.num_outputs();
        CHECK(std::any_of(others.begin(), second, [](double number) { return std::isnan(number); }));
        CHECK(std::equal(second, others.end(), y.begin() + s.f.num_outputs()));
      }
    }
    dlclose(library);
  }
}

}  // namespace

TEST_CASE("C compiles without a warning and computes what the templates do, in vectors each state alone", "[codegen]") {
  const test::WorkingFolder folder;
  check_c(some_robots(8), GENERATE(false, true), GENERATE(1, 4), "-O1", {"gcc", "clang"});
}

TEST_CASE("C of every joint and of every robot of the zoo computes what the templates do", "[codegen]") {
  const test::WorkingFolder folder;
  check_c(every_robot(8), false, 1, "-O0", {"gcc"});
}

TEST_CASE("C of closed loops computes what the templates do near the nominal configuration", "[codegen]") {
  const test::WorkingFolder folder;
  const bool single = GENERATE(false, true);
  check_c(closed_loops(8), single, single ? 4 : 1, "-O0", {"clang"});
}

TEST_CASE("C needs of the mathematical library what was recorded alone", "[codegen]") {
  const test::WorkingFolder folder;
  if (!exists("gcc") || !exists("nm")) return;
  write_all(codegen::Writer("robot", ""), zoo::serial_chain(3), {});
  REQUIRE(runs("gcc -std=c11 -Os -fno-builtin -ffreestanding -c robot.c -o robot.o && nm -u robot.o"));
  std::istringstream lines(text_of("log"));
  for (std::string kind, symbol; lines >> kind >> symbol;) {
    CAPTURE(symbol);
    CHECK((symbol == "sin" || symbol == "cos" || symbol == "sqrt" || symbol == "_GLOBAL_OFFSET_TABLE_"));
  }
}

TEST_CASE("Python calls the shared library with arrays of numpy", "[codegen]") {
  const test::WorkingFolder folder;
  if (!exists("gcc") || !runs("python3 -c 'import numpy'")) return;
  const auto model = zoo::serial_chain(3);
  write_all(codegen::Writer("robot", codegen::layout(model)), model, {});
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
  INFO(text_of("log"));
  REQUIRE(ran);
  Data<double> data(model);
  const auto& M = crba<double>(model, data, VectorXd{{0.1, 0.2, 0.3}});
  std::istringstream numbers(text_of("log"));
  for (int i = 0; i < 9; ++i) {
    double number = 0;
    numbers >> number;
    CHECK(std::abs(number - M.data()[i]) < 1e-14);
  }
}
