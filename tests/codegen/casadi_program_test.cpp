#include <set>

#include "codegen/casadi_host.hpp"
#include "codegen/program_support.hpp"

using namespace codegen_test;

// corio_generate --casadi: what it writes, which names its libraries export, and C as acados compiles it.

namespace {

/// Sensitivities as CasADi writes them for acados: `casadi_int` is int, unused blocks are null, and no other names of
/// the library are called. The status is 0 if they agree with differences, and the adjoint with them.
constexpr const char* as_acados = R"(
#include <math.h>
#include <stdlib.h>
#define casadi_int int
#define casadi_real double
enum { n = 6, nx = 2 * n };
int arm_aba(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem);
int jac_arm_aba(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem);
int adj1_arm_aba(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem);

static double work[20000];

/* dx/dt and its derivative along (s, t), where s moves the velocities alone */
static int vde_forw(const double* x, const double* u, const double* s, const double* t, double* ode, double* along) {
  static double J[3][n * n];
  const double* arg[4] = {x, x + n, u, 0};
  double* a[1] = {ode + n};
  double* res[3] = {J[0], J[1], 0};
  double* last[3] = {0, 0, J[2]};
  if (arm_aba(arg, a, 0, work, 0) || jac_arm_aba(arg, res, 0, work, 0) || jac_arm_aba(arg, last, 0, work, 0)) return 1;
  for (int i = 0; i < n; ++i) {
    ode[i] = x[n + i], along[i] = s[n + i], along[n + i] = 0;
    for (int j = 0; j < n; ++j)
      along[n + i] += J[1][i + n * j] * s[n + j] + J[2][i + n * j] * t[j];
  }
  return 0;
}

int main(void) {
  double x[nx], u[n], s[nx] = {0}, t[n], ode[nx], ahead[nx], behind[nx], along[nx], none[nx], lambda[n], g[3][n];
  for (int i = 0; i < nx; ++i) x[i] = 0.3 + 0.1 * i;
  for (int i = 0; i < n; ++i) u[i] = 1 - 0.2 * i, s[n + i] = sin(i + 1.0), t[i] = cos(i + 1.0), lambda[i] = 1.0 / (i + 1);
  if (vde_forw(x, u, s, t, ode, along)) return 1;
  const double h = 1e-6;
  for (int i = 0; i < nx; ++i) x[i] += h * s[i];
  for (int i = 0; i < n; ++i) u[i] += h * t[i];
  if (vde_forw(x, u, s, t, ahead, none)) return 2;
  for (int i = 0; i < nx; ++i) x[i] -= 2 * h * s[i];
  for (int i = 0; i < n; ++i) u[i] -= 2 * h * t[i];
  if (vde_forw(x, u, s, t, behind, none)) return 3;
  for (int i = 0; i < nx; ++i) x[i] += h * s[i];
  for (int i = 0; i < n; ++i) u[i] += h * t[i];
  double sum = 0, back = 0, size = 0;
  for (int i = 0; i < nx; ++i) {
    size = fmax(size, fabs(along[i]));
    if (!(fabs(along[i] - (ahead[i] - behind[i]) / (2 * h)) < 1e-6 * (1 + fabs(along[i])))) return 4;
  }
  if (!(size > 1)) return 5;
  const double* arg[5] = {x, x + n, u, 0, lambda};
  double* res[3] = {0, g[1], g[2]};
  if (adj1_arm_aba(arg, res, 0, work, 0)) return 6;
  for (int i = 0; i < n; ++i) sum += lambda[i] * along[n + i], back += g[1][i] * s[n + i] + g[2][i] * t[i];
  return fabs(sum - back) < 1e-9 * size ? 0 : 7;
}
)";

}  // namespace

TEST_CASE("corio_generate --casadi writes one file, whose library exports CasADi's functions alone",
          "[codegen][casadi][program]") {
  const test::WorkingFolder folder;
  if (!exists("cc")) return;
  write_text("arm.urdf", arm_text("1.5707963267948966"));
  const Names calls{"arm.urdf", "--casadi", "--functions", "aba,energy"};
  const Run run(calls);
  INFO(run.errors);
  REQUIRE(run.status == 0);
  const std::string text = text_of("arm_casadi.c");
  CHECK_FALSE((fs::exists("arm.c") || fs::exists("arm.h")));
  REQUIRE(Run(calls).status == 0);
  CHECK(text_of("arm_casadi.c") == text);

  // Each alone, in the libraries of GCC, Clang, as C++ and for Windows.
  std::set<std::string> expected;
  for (const std::string f : {"aba", "energy"})
    for (const std::string kind : {"", "jac_", "adj1_", "jac_adj1_"})
      for (const std::string ending :
           {"", "_n_in", "_n_out", "_name_in", "_name_out", "_sparsity_in", "_sparsity_out", "_work"})
        expected.insert(kind + "arm_" + f + ending);
  const std::string warn = " -O0 -Wall -Wextra -pedantic -Werror -fPIC -shared arm_casadi.c -o libarm.so -lm";
  for (const std::string compiler : {"cc -x c++ -std=c++11", "clang -std=c99", "cc -std=c99"}) {
    CAPTURE(compiler);
    if (!exists(compiler.substr(0, compiler.find(' ')))) continue;
    CHECK(runs(compiler + warn));
    if (!exists("nm") || !runs("nm -D --defined-only -f posix libarm.so")) continue;
    std::set<std::string> exported;
    std::istringstream lines(text_of("log"));
    for (std::string line; std::getline(lines, line);) exported.insert(line.substr(0, line.find(' ')));
    CHECK(exported == expected);
  }
  const std::string windows = "x86_64-w64-mingw32-";
  if (exists(windows + "gcc")) {
    CHECK(runs(windows + "gcc -O0 -Wall -Wextra -pedantic -Werror -shared arm_casadi.c -o arm.dll"));
    CHECK(runs(windows + "objdump -p arm.dll"));
    const std::string exports = text_of("log");
    for (const auto& name : expected) CHECK(exports.find(" " + name + "\n") != std::string::npos);
  }

  // The library for CasADi serves acados, too, as does one with its type of integers.
  write_text("acados.c", as_acados);
  const std::string link = "cc -std=c99 -O0 -Wall -Wextra -Werror acados.c -L. -larm -Wl,-rpath,. -lm -o acados";
  for (const std::string integers : {"", "-Dcasadi_int=int "}) {
    CAPTURE(integers);
    REQUIRE(runs("cc -O0 " + integers + "-fPIC -shared arm_casadi.c -o libarm.so -lm"));
    REQUIRE(runs(link));
    CHECK(runs("./acados"));
  }
}

TEST_CASE("libraries of two robots are loaded into one process, and refusals say why", "[codegen][casadi][program]") {
  const test::WorkingFolder folder;
  write_text("arm.urdf", arm_text("0"));
  write_text("other.urdf", arm_text("1.5707963267948966", "other"));
  for (const Names& with : {Names{"--lanes", "4"}, {"--scalar", "float"}, {"--language", "CUDA"}, {"--python"}}) {
    Names arguments{"arm.urdf", "--casadi", "--out", "new", "--functions", "rnea"};
    arguments.insert(arguments.end(), with.begin(), with.end());
    const Run refused(arguments);
    CAPTURE(with, refused.errors);
    CHECK(refused.status == 1);
    CHECK(test::mentions(refused.errors, {"CasADi"}));
    CHECK_FALSE(fs::exists("new"));
  }
  CHECK(test::mentions(Run({"arm.urdf", "--casadi", "--casadi"}).errors, {"twice"}));
  CHECK(test::mentions(Run({"-h"}).out, {"--casadi", "NAME_casadi.c"}));
  if (!exists("cc")) return;
  std::vector<void*> loaded;
  for (const std::string name : {"arm", "other"}) {
    REQUIRE(Run({name + ".urdf", "--casadi", "--functions", "generalized_gravity"}).status == 0);
    REQUIRE(runs("cc -O0 -fPIC -shared " + name + "_casadi.c -o lib" + name + ".so -lm"));
    loaded.push_back(dlopen(std::filesystem::absolute("lib" + name + ".so").c_str(), RTLD_NOW | RTLD_GLOBAL));
    REQUIRE(loaded.back());
  }
  const VectorXd q = VectorXd::LinSpaced(6, -1, 1);
  for (const std::string name : {"other", "arm"}) {
    const auto model = urdf::load(name + ".urdf");
    Data<double> data(model);
    const External f(loaded[name == "other"], name + "_generalized_gravity");
    CHECK(test::relative_error(f({q})[0], generalized_gravity<double>(model, data, q)) < rounding);
  }
}
