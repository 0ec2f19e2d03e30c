#include <dlfcn.h>

#include "codegen/compiled_support.hpp"

using namespace codegen_test;

namespace {

/// Returns angles of every size, near multiples of pi/2 and beyond the range that the formulas reduce.
std::vector<double> angles() {
  std::vector<double> x{0.0, -0.0, 1e-310, 1e-9, 1e5, -1e5, 100001.0, 1e22, -3e300, INFINITY, std::nan("")};
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 3000; ++i) x.push_back(std::pow(10.0, 5 * uniform(generator)) * uniform(generator));
  for (int k = -2000; k <= 2000; ++k) {
    const double at = k * (std::numbers::pi / 2);
    for (const double y : {at, std::nextafter(at, 1e9), std::nextafter(at, -1e9)}) x.push_back(y);
  }
  while (x.size() % 8 != 0) x.push_back(1.0);
  return x;
}
/// Returns the error in units in the last place of the exact value.
template <class T>
double error(T got, long double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  const T near = static_cast<T>(exact);
  const long double unit = std::nextafter(std::abs(near), T(INFINITY)) - std::abs(near);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / unit);
}
/// Returns the largest error of sines and cosines that a library computes over T, `lanes` at a time, and of square
/// roots.
template <class T>
std::pair<double, double> errors(void* library, int lanes, const std::vector<double>& x) {
  using Function = void (*)(const T*, T*, T*, T*);
  const auto f = reinterpret_cast<Function>(dlsym(library, "lanes_f"));
  REQUIRE(f);
  std::pair<double, double> worst;
  for (std::size_t first = 0; first < x.size(); first += std::size_t(lanes)) {
    T in[8], sine[8], cosine[8], root[8];
    for (int l = 0; l < lanes; ++l) in[l] = static_cast<T>(x[first + std::size_t(l)]);
    f(in, sine, cosine, root);
    for (int l = 0; l < lanes; ++l) {
      const long double at = in[l];
      worst.first = std::max({worst.first, error(sine[l], std::sin(at)), error(cosine[l], std::cos(at))});
      worst.second = std::max(worst.second, error(root[l], std::sqrt(at)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("lanes have sines, cosines and roots of their own, as exact as those of the C library", "[codegen]") {
  const test::WorkingFolder folder;
  Recording f("f");
  const auto x = f.input("x", 1);
  f.output("sine", sin(x[0])), f.output("cosine", cos(x[0])), f.output("root", sqrt(x[0]));
  const bool single = GENERATE(false, true);
  const int lanes = GENERATE(2, 8);
  codegen::Writer writer("lanes", "", {false, single, lanes});
  writer.add(f);
  for (const auto& [name, text] : writer.files()) std::ofstream(name) << text;
  const auto library = [&](const std::string& compiler, const std::string& options) {
    const bool compiled =
        runs(compiler + " -std=c11 " + options + " -Wall -Wextra -Wconversion -Werror -fPIC -c lanes.c && " + compiler +
             " -shared lanes.o -lm -o lanes.so");  // linked by -ffast-math, a library changes the state of its process
    INFO(text_of("log"));
    REQUIRE(compiled);
    return dlopen(fs::absolute("lanes.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  };
  for (const std::string compiler : {"gcc", "clang"}) {
    if (!exists(compiler)) continue;
    for (const char* options : {"-O2", "-O2 -march=native -ffp-contract=fast"}) {
      CAPTURE(single, lanes, compiler, options);
      void* const made = library(compiler, options);
      const auto [of_angles, of_roots] =
          single ? errors<float>(made, lanes, angles()) : errors<double>(made, lanes, angles());
      CHECK(of_angles < 1);
      CHECK(of_roots <= 0.5);
      dlclose(made);
    }
    // If sums are rearranged, all functions are those of the C library, with errors of up to four units.
    void* const made = library(compiler, "-O2 -ffast-math");
    const std::vector<double> some{0.1, -0.7, 1.5, 2.9, 30.0, -31.0, 1e3, 2e4};
    CHECK((single ? errors<float>(made, lanes, some) : errors<double>(made, lanes, some)).first < 4);
    dlclose(made);
  }
}

TEST_CASE("packed matrices have their zeros left out, and rows and columns beside the function", "[codegen]") {
  const test::WorkingFolder folder;
  const auto model = zoo::quadruped(8);
  const Model<Recorded> robot = codegen::snapped(model).cast<Recorded>();
  const bool cuda = GENERATE(false, true);
  codegen::Writer writer("robot", codegen::layout(model), {cuda});
  for (const std::string function : {"crba", "inverse_dynamics_derivatives", "christoffel_symbols"}) {
    CAPTURE(function);
    const auto f = codegen::record<Model>(function, robot, {}, true), whole = codegen::record<Model>(function, robot);
    CHECK(f.num_outputs() < (whole.num_outputs() * 3) / 4);
    CHECK(f.schedule().operations == whole.schedule().operations);
    CHECK(codegen::largest_difference(function, model, f, f.schedule({100, 30}), 20) < rounding);
    writer.add(f, f.schedule({400, 20}));
  }
  std::string all;
  for (const auto& [name, text] : writer.files()) std::ofstream(name) << text, all += text;
  const std::string entries = std::to_string(codegen::record<Model>("crba", robot, {}, true).num_outputs());
  CHECK(all.find("extern const int robot_crba_M_row[" + entries + "], robot_crba_M_column[" + entries + "];") !=
        std::string::npos);
  if (cuda || !exists("gcc")) return;
  REQUIRE(runs("gcc -std=c11 -Wall -Wextra -Werror -pedantic -O0 -fPIC -shared robot.c -lm -o robot.so"));
  void* const library = dlopen(fs::absolute("robot.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  Data<double> data(model);
  std::mt19937_64 generator(1);
  const VectorXd q = random_configuration(model, generator);
  const auto& M = crba<double>(model, data, q);
  std::vector<double> values(std::stoul(entries));
  reinterpret_cast<void (*)(const double*, double*)>(dlsym(library, "robot_crba"))(q.data(), values.data());
  const auto *row = static_cast<const int*>(dlsym(library, "robot_crba_M_row")),
             *column = static_cast<const int*>(dlsym(library, "robot_crba_M_column"));
  MatrixX<double> got = MatrixX<double>::Zero(model.nv(), model.nv());
  for (std::size_t k = 0; k < values.size(); ++k) got(row[k], column[k]) = values[k];
  CHECK(test::relative_error(got, M) < rounding);
  dlclose(library);
}

TEST_CASE("lanes are right where constants of C are of long double", "[codegen]") {
  const test::WorkingFolder folder;
  std::ofstream("empty.c") << "#include <math.h>\nint main(void) { return 0; }\n";
  if (!exists("gcc") || !runs("gcc -m32 empty.c -o empty && ./empty")) {
    WARN("gcc makes no programs of 32 bits here");
    return;
  }
  const auto model = zoo::serial_chain(3);
  const bool single = GENERATE(false, true);
  CAPTURE(single);
  codegen::Writer writer("robot", codegen::layout(model), {false, single, 4});
  writer.add(codegen::record("rnea", model));
  for (const auto& [name, text] : writer.files()) std::ofstream(name) << text;
  std::ofstream("main.c") << R"(#include "robot.c"
#include <stdio.h>
int main(void) {
  robot_real x[9], tau[3];
  for (int i = 0; i < 9; ++i)
    for (int l = 0; l < 4; ++l) x[i][l] = i - 4 + l * 0.25f;
  robot_rnea(x, x + 3, x + 6, tau);
  for (int l = 0; l < 4; ++l)
    for (int i = 0; i < 3; ++i) printf("%.17g ", tau[i][l]);
  return 0;
}
)";
  const bool ran = runs("gcc -m32 -std=c11 -O1 -Wall -Wextra -pedantic -Werror main.c -lm -o main && ./main");
  INFO(text_of("log"));
  REQUIRE(ran);
  std::istringstream out(text_of("log"));
  Data<double> data(model);
  for (int l = 0; l < 4; ++l) {
    const VectorXd x = VectorXd::LinSpaced(9, -4 + l * 0.25, 4 + l * 0.25);
    VectorXd tau(3);
    for (double& number : tau) out >> number;
    const VectorXd exact = rnea<double>(model, data, x.head(3), x.segment(3, 3), x.tail(3));
    CHECK(test::relative_error(tau, exact) < (single ? 1e-5 : 1e-13));
  }
}
