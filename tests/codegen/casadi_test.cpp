#include <complex>
#include <thread>

#include "codegen/casadi_host.hpp"
#include "corio/codegen/exact_derivatives.hpp"

using namespace codegen_test;

// External functions for CasADi: values, and each derivative block, in a host of the protocol.

namespace {

const codegen::Language for_casadi{.casadi = true};

/// Writes the file, which must compile as C without a warning.
template <template <class> class R>
void* library(const std::string& name, const R<double>& robot, const Names& functions, bool packed = false) {
  const auto recorded = robot.template cast<Recorded>();
  codegen::Writer writer(name, codegen::layout(robot), for_casadi);
  for (const auto& function : functions) {
    Recording f = codegen::record<R>(function, recorded, {}, packed, true);
    const auto d = codegen::derivatives<R>(function, recorded, f);
    writer.add(std::move(f), d);
  }
  const auto files = writer.files();
  REQUIRE(files.size() == 1);
  CHECK(files[0].name == name + "_casadi.c");
  std::ofstream(files[0].name, std::ios::binary) << files[0].text;
  const bool compiled = runs("cc -std=c11 -O0 -Wall -Wextra -pedantic -Werror -fvisibility=hidden -fPIC -shared " +
                             files[0].name + " -o lib" + name + ".so -lm");
  INFO(text_of("log"));
  REQUIRE(compiled);
  void* loaded = dlopen(std::filesystem::absolute("lib" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(loaded);
  return loaded;
}
External::Values random_inputs(const External& f, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  External::Values x;
  for (const auto& s : f.in) x.push_back(VectorXd::NullaryExpr(Index(s.size()), [&] { return normal(generator); }));
  return x;
}

/// Central differences with h = 1e-6 leave 1e-9 of the curvature, which the accelerations of light links multiply.
constexpr double by_differences = 1e-5;

void check(void* loaded, const std::string& robot, const std::string& function) {
  CAPTURE(robot, function);
  const std::string name = robot + "_" + codegen::identifier(function);
  const External f(loaded, name), first(loaded, "jac_" + name), adjoint(loaded, "adj1_" + name),
      second(loaded, "jac_adj1_" + name);
  const auto x = random_inputs(f, 3);  // quaternions of any length
  const auto y = f(x);
  auto with = x;
  for (std::size_t o = 0; o < f.out.size(); ++o) {
    with.emplace_back(0);  // CasADi passes f's results, which the derivatives do not need
    CHECK(first.in_names[x.size() + o] == "out_" + f.out_names[o]);
    CHECK((first.in[x.size() + o].size() == 0 && first.in[x.size() + o].rows == f.out[o].rows));
    const auto others = f(x, int(o));
    for (std::size_t k = 0; k < y.size(); ++k) CHECK((k == o || others[k] == y[k]));
  }
  CHECK(first.out_names[0] == "jac_" + f.out_names[0] + "_" + f.in_names[0]);
  CHECK(first.error_of_blocks(f, with) < by_differences);
  auto seeded = random_inputs(adjoint, 3);
  for (std::size_t i = 0; i < x.size(); ++i) seeded[i] = x[i];
  const auto g = adjoint(seeded), blocks = first(with);
  for (std::size_t i = 0; i < x.size(); ++i) {
    VectorXd sum = VectorXd::Zero(x[i].size());
    for (std::size_t o = 0; o < f.out.size(); ++o) {
      const Sparsity& s = first.out[o * x.size() + i];
      const VectorXd seed = f.out[o].dense(seeded[x.size() + f.out.size() + o]), entries = blocks[o * x.size() + i];
      for (std::size_t k = 0; k < s.size(); ++k) sum[s.column[k]] += entries[Index(k)] * seed[s.row[k]];
    }
    CHECK((sum - g[i]).norm() <= rounding * (1 + g[i].norm()));
  }
  CHECK(second.error_of_blocks(adjoint, seeded) < by_differences);
}

/// Checks the blocks of the first and the second derivatives of a function, exactly: against a dual number in the
/// direction of one input of the templates, over complex numbers with a small imaginary part in that of another.
void check_by_complex_steps(void* loaded, const std::string& prefix, const Model<double>& model,
                            const std::string& function) {
  CAPTURE(model.name(), function);
  using Scalar = Dual<std::complex<double>>;
  constexpr double h = 1e-20;
  const std::string name = prefix + "_" + function;
  const External f(loaded, name), first(loaded, "jac_" + name), adjoint(loaded, "adj1_" + name),
      second(loaded, "jac_adj1_" + name);
  const auto robot = model.cast<Scalar>();
  Data<Scalar> data(robot);
  const auto x = random_inputs(adjoint, 7);
  const std::size_t n = f.in.size(), outputs = f.out.size();
  std::vector<External::Values> exact_first(outputs, External::Values(n));
  External::Values exact_second(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (Eigen::Index e = 0; e < x[i].size(); ++e)
      for (std::size_t k = 0; k < n; ++k)
        for (Eigen::Index d = 0; d < x[k].size(); ++d) {
          std::vector<VectorX<Scalar>> at(3, zeros<Scalar>(model.nv()));
          for (std::size_t input = 0; input < n; ++input) at[input] = x[input].cast<Scalar>();
          at[k][d] += Scalar(std::complex(0.0, h));
          at[i][e] = Scalar(at[i][e].value(), std::complex(1.0));
          if (model.nq() > model.nv()) {  // a quaternion, which the templates of velocity_map expect to be a unit
            const auto quaternion = at[0].segment<4>(3);
            at[0].segment<4>(3) = quaternion / sqrt(quaternion.cwiseProduct(quaternion).sum());
          }
          VectorXd& H = exact_second[n * i + k];
          if (H.size() == 0) H.setZero(x[i].size() * x[k].size());
          std::size_t o = 0;
          const auto add = [&](const char*, const auto& y) {
            const VectorXd seed = f.out[o].dense(x[n + outputs + o]);
            VectorXd& J = exact_first[o++][i];
            if (J.size() == 0) J.setZero(y.size() * x[i].size());
            for (Eigen::Index r = 0; r < y.size(); ++r) {
              const Scalar& entry = y(r % y.rows(), r / y.rows());
              J[r + y.size() * e] = entry.dx.real();
              H[e + x[i].size() * d] += seed[r] * entry.dx.imag() / h;
            }
          };
          codegen::for_each_result<Scalar, Model>(function, robot, data, at[0], at[1], at[2], add);
        }
  External::Values with(x.begin(), x.begin() + std::ptrdiff_t(n)),
      seeds(x.begin() + std::ptrdiff_t(n + outputs), x.end());
  with.resize(n + outputs, VectorXd(0));
  double size = 0;  // of the seeds, by which second derivatives are linear
  for (const auto& seed : seeds) size += seed.norm();
  const auto J = first(with), H = second(x);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t o = 0; o < outputs; ++o)
      CHECK(test::relative_error(first.out[o * n + i].dense(J[o * n + i]), exact_first[o][i]) < rounding);
    for (std::size_t k = 0; k < n; ++k) {
      CAPTURE(i, k);
      const std::size_t block = i * adjoint.in.size() + k;
      CHECK(test::relative_error(second.out[block].dense(H[block]), exact_second[n * i + k], size) < rounding);
    }
  }
}

}  // namespace

TEST_CASE("functions for CasADi and their derivatives are right, at quaternions of any length", "[codegen][casadi]") {
  const test::WorkingFolder folder;
  if (!exists("cc")) return;
  const auto arm = zoo::serial_chain(3), base = robot_on<double>(joint::FreeFlyer{}),
             planar = robot_on<double>(joint::Planar{});
  const Names functions{"rnea", "aba", "velocity_map", "rnea:second", "aba:first+second", "step"};
  void* of_arm = library("arm", arm, {"rnea", "aba", "crba", "energy"}, true);
  void* of_base = library("base", base, functions);  // the other one stays loaded
  for (const char* function : {"rnea", "aba", "crba", "energy"}) check(of_arm, "arm", function);
  for (const auto& function : functions) check(of_base, "base", function);
  for (const char* function : {"rnea", "aba", "velocity_map"}) check_by_complex_steps(of_base, "base", base, function);
  for (const char* function : {"crba", "energy"}) check_by_complex_steps(of_arm, "arm", arm, function);
  check(library("planar", planar, {"rnea"}), "planar", "rnea");
  const Mechanism<double> geared(zoo::geared_arm(3));
  check(library("geared", geared, {"aba"}), "geared", "aba");

  // On the manifold, the columns of d/dq along the tangent map equal those of the library, to rounding.
  const External first(of_base, "jac_base_aba"), f(of_base, "base_aba");
  std::mt19937_64 generator(1);
  const auto at = state(base, 0, generator);
  Data<double> data(base);
  const auto& exact = forward_dynamics_derivatives<double>(base, data, at[0], at[1], at[2]);
  const auto blocks = first({at[0], at[1], at[2]});
  MatrixX<double> T(base.nq(), base.nv());
  for (int k = 0; k < base.nv(); ++k) {
    VectorXd v = VectorXd::Unit(base.nv(), k);
    T.col(k) = External(of_base, "base_velocity_map")({at[0], v})[0];
  }
  const VectorXd dense = first.out[0].dense(blocks[0]);
  CHECK(test::relative_error(MatrixX<double>::Map(dense.data(), base.nv(), base.nq()) * T, exact.da_dq) < rounding);
  CHECK(test::relative_error(f({at[0], at[1], at[2]})[0], aba<double>(base, data, at[0], at[1], at[2])) < rounding);

  // Null arguments stand for zeros; functions have no state that threads could share.
  const External of_arm_aba(of_arm, "arm_aba");
  const External::Values zero(3, VectorXd::Zero(3));
  CHECK(of_arm_aba({}, -1, false)[0] == of_arm_aba(zero)[0]);
  const auto x = random_inputs(f, 5);
  const auto alone = f(x);
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int& count : same)
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) count += f(x)[0] == alone[0];
    });
  for (auto& thread : threads) thread.join();
  CHECK(same == std::vector<int>(4, 200));
}

TEST_CASE("a user's function has derivatives for CasADi; its file is C and C++, and the same in each run",
          "[codegen][casadi]") {
  const test::WorkingFolder folder;
  const auto text = [] {
    Recording f("cost");
    const auto x = f.input("x", 2);
    f.output("value", x[0] * sin(x[1]));
    codegen::Writer writer("robot", "", for_casadi);
    const auto d = codegen::differentiated(f);
    writer.add(std::move(f), d);
    return writer.files()[0].text;
  };
  CHECK(text() == text());
  std::ofstream("robot_casadi.c") << text();
  const std::string warn = " -Wall -Wextra -pedantic -Werror -fsyntax-only ";
  for (const std::string compiler : {"gcc", "clang", "x86_64-w64-mingw32-gcc"}) {
    CAPTURE(compiler);
    if (!exists(compiler)) continue;
    CHECK(runs(compiler + warn + "robot_casadi.c"));
    CHECK(runs(compiler + warn + "-x c++ robot_casadi.c"));
    CHECK(runs(compiler + warn + "-Dcasadi_int=int robot_casadi.c"));  // as acados does
  }
  CHECK_THROWS_AS(codegen::Writer("robot", "", {.lanes = 4, .casadi = true}), Error);
  CHECK_THROWS_AS(codegen::Writer("robot", "", {.single_precision = true, .casadi = true}), Error);
}
