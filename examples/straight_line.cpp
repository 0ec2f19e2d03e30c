// Straight-line code for one robot: a scalar that records what it computes (straight_line/recorded.hpp) runs through
// corio's algorithms, and what is left of them for this robot, its constants folded, equal terms shared and all else
// left out, is written as C, compiled by the compiler that is found, loaded and compared with the templates.
//
//   straight_line [folder] [--check] [--joints n]
//
// prints for an arm of n joints (default 7) the operations of the C code, the seconds of its compilation, and the
// nanoseconds for each state beside those of the templates, over double and over as many as a register holds; leaves
// the C code in the folder (default straight_line_output). --check: exit status 1 unless both agree. Build it with
// -DCORIO_EXAMPLES_OPTIONS="-O3;-march=native" to have the same flags for both.
//
// On a core of an AMD EPYC (Zen 4), by GCC 12, nanoseconds for each state, and how many times as fast as the templates:
//
//                      operations   double: templates, C    packs of 8: templates, C
//   rnea                     1653        353   297 (1.2)          142    54 (2.7)
//   aba                      3708        538   594 (0.9)          221    99 (2.2)
//   crba                     1550        253   330 (0.8)          107    55 (2.0)
//   coriolis_matrix          3412        488   651 (0.7)          220    97 (2.3)
//   inverse_derivatives      6406        875  1100 (0.8)          405   167 (2.4)
//   forward_derivatives     10276       1262  1760 (0.7)          576   265 (2.2)
//
// Over double it does not pay: the templates fill registers with the numbers of one state, straight-line code does not.
// Over packs, where both fill them with states, it does: a third of the operations is gone, and hardly any memory is
// used. The price is a compiler, six seconds of it for an arm, and code for one robot alone. Of a chain of 20, whose
// forward_derivatives are 75000 lines in one piece, GCC had not finished the six functions after ten minutes.

#include <dlfcn.h>

#include <chrono>
#include <corio/batch/for_each.hpp>
#include <corio/corio.hpp>
#include <cstring>
#include <random>

#include "straight_line/recorded.hpp"
#include "support/arguments.hpp"
#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using corio::VectorX;
using straight_line::Recorded;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Packed = corio::batch::FullPack<double>;

constexpr const char* names[] = {
    "rnea", "aba", "crba", "coriolis_matrix", "inverse_derivatives", "forward_derivatives"};
constexpr int functions = 6;

/// The templates: y of a function at x = [q, v, a], where a is tau for those of forward dynamics.
template <class S>
class Templates {
 public:
  explicit Templates(const corio::Model<double>& from) : model_(from.cast<S>()), data_(model_) {}

  void operator()(int function, const VectorX<S>& x, VectorX<S>& y) {
    const int n = model_.nv();
    const auto q = x.head(n), v = x.segment(n, n), a = x.tail(n);
    const auto put = [&](const auto&... results) {
      y.resize((results.size() + ...));
      Eigen::Index begin = 0;
      ((y.segment(begin, results.size()) = VectorX<S>::Map(results.data(), results.size()), begin += results.size()),
       ...);
    };
    if (function == 0) put(corio::rnea<S>(model_, data_, q, v, a));
    if (function == 1) put(corio::aba<S>(model_, data_, q, v, a));
    if (function == 2) put(corio::crba<S>(model_, data_, q));
    if (function == 3) put(corio::coriolis_matrix(model_, data_, q, v).C);
    if (function == 4) {
      const auto& x4 = corio::inverse_dynamics_derivatives<S>(model_, data_, q, v, a);
      put(x4.dtau_dq, x4.dtau_dv);
    }
    if (function == 5) {
      const auto& x5 = corio::forward_dynamics_derivatives<S>(model_, data_, q, v, a);
      put(x5.da_dq, x5.da_dv, x5.da_dtau);
    }
  }

 private:
  corio::Model<S> model_;
  corio::Data<S> data_;
};

template <class S>
void sine_and_cosine(const S* x, S* sine, S* cosine) {
  using std::sin, std::cos;
  if constexpr (corio::states_of < S >> 1)
    sincos(*x, *sine, *cosine);
  else
    *sine = sin(*x), *cosine = cos(*x);
}

/// Code over S in a shared library.
template <class S>
class Library {
 public:
  using Function = void (*)(const S* x, S* y, void (*sincos)(const S*, S*, S*));

  explicit Library(const fs::path& file) : handle_(dlopen(file.c_str(), RTLD_NOW)) {
    if (!handle_) throw std::runtime_error(dlerror());
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { dlclose(handle_); }
  void operator()(int function, const VectorX<S>& x, VectorX<S>& y) const {
    reinterpret_cast<Function>(dlsym(handle_, names[function]))(x.data(), y.data(), sine_and_cosine<S>);
  }

 private:
  void* handle_;
};

/// The first of these that is there.
std::string compiler() {
  for (const char* name : {"gcc", "clang", "cc"})
    if (std::system((std::string("command -v ") + name + " > /dev/null 2>&1").c_str()) == 0) return name;
  return "";
}

/// Writes and compiles the code over S, whose numbers have so many lanes, here.
template <class S>
fs::path compile(const std::string& cc, const std::vector<std::string>& code, double& seconds) {
  const int lanes = corio::states_of<S>;
  const std::string name = lanes > 1 ? "packs" : "numbers";
  auto out = support::output(name + ".c");
  out << "// Written by examples/straight_line.cpp.\n#include <math.h>\ntypedef double T";
  if (lanes > 1) out << " __attribute__((vector_size(" << 8 * lanes << "), aligned(8)))";
  out << ";\nstatic inline T root(T x) {\n  for (int l = 0; l < " << lanes
      << "; ++l) ((double*)&x)[l] = sqrt(((double*)&x)[l]);\n  return x;\n}\n";
  for (const std::string& function : code) out << '\n' << function;
  out.close();
#ifdef __AVX2__
  const char* const flags = " -O2 -march=native -w -shared -fPIC ";
#else
  const char* const flags = " -O2 -w -shared -fPIC ";
#endif
  const auto begin = Clock::now();
  if (std::system((cc + flags + name + ".c -lm -o " + name + ".so").c_str()) != 0)
    throw std::runtime_error(cc + " FAILED to compile " + name + ".c");
  seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return fs::absolute(name + ".so");
}

template <class S>
VectorX<S> random_states(int size, int seed) {
  std::mt19937 generator(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-1, 1);
  VectorX<S> x(size);
  for (S& number : x)
    if constexpr (corio::states_of < S >> 1)
      for (int l = 0; l < S::lanes; ++l) number.set(l, uniform(generator));
    else
      number = uniform(generator);
  return x;
}

/// The largest difference of the code from the templates, relative to the largest number, and the nanoseconds of both
/// for each state: the least of rounds in turns.
template <class S>
struct Comparison {
  double error = 0, templates = 1e300, code = 1e300;

  Comparison(Templates<S>& by_templates, const Library<S>& library, int function, int size) {
    VectorX<S> expected, y;
    for (int seed = 1; seed <= 5; ++seed) {
      const VectorX<S> x = random_states<S>(size, seed);
      by_templates(function, x, expected);
      y.resize(expected.size());
      library(function, x, y);
      double largest = 0, difference = 0;
      for (Eigen::Index i = 0; i < y.size(); ++i) {
        largest = std::max(largest, std::abs(corio::farthest_from(0, expected[i])));
        difference = std::max(difference, std::abs(corio::farthest_from(0, S(y[i] - expected[i]))));
      }
      error = std::max(error, difference / largest);
    }
    const VectorX<S> x = random_states<S>(size, 6);
    for (int round = 0; round < 50; ++round) {
      time(templates, [&] { by_templates(function, x, y); });
      time(code, [&] { library(function, x, y); });
    }
  }
  template <class F>
  static void time(double& least, F&& f) {
    constexpr int calls = 50;
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    least = std::min(least, ns / calls / corio::states_of<S>);
  }
};

bool compare(int joints) {
  const std::string cc = compiler();
  if (cc.empty()) {
    std::printf("SKIPPED: no C compiler was found (Debian and Ubuntu: gcc)\n");
    return true;
  }
  const auto arm = corio::zoo::serial_chain(joints);
  const int size = 3 * arm.nv();
  std::vector<std::string> code;
  int operations[functions];
  for (int f = 0; f < functions; ++f) {
    // The unknowns come first on a new tape, so the model is made after them.
    const std::vector<Recorded> unknowns = Recorded::unknowns(size);
    Templates<Recorded> recording(arm);
    VectorX<Recorded> y;
    recording(f, VectorX<Recorded>::Map(unknowns.data(), size), y);
    code.push_back(Recorded::in_c(names[f], {y.begin(), y.end()}, operations[f]));
  }
  double seconds[2];
  const Library<double> numbers(compile<double>(cc, code, seconds[0]));
  const Library<Packed> packs(compile<Packed>(cc, code, seconds[1]));
  std::printf("An arm of %d, compiled by %s in %.1f s over double, in %.1f s over packs of %d\n", joints, cc.c_str(),
              seconds[0], seconds[1], Packed::lanes);
  std::printf(
      "nanoseconds for each state; in brackets how many times as fast as the templates\n  %-20s %10s %10s %14s "
      "%10s %14s\n",
      "", "operations", "templates", "C", "packs", "C");
  Templates<double> over_double(arm);
  Templates<Packed> over_packs(arm);
  double worst = 0;
  for (int f = 0; f < functions; ++f) {
    const Comparison<double> one(over_double, numbers, f, size);
    const Comparison<Packed> many(over_packs, packs, f, size);
    worst = std::max({worst, one.error, many.error});
    std::printf("  %-20s %10d %10.0f %8.0f (%.1f) %10.0f %8.0f (%.1f)\n", names[f], operations[f], one.templates,
                one.code, one.templates / one.code, many.templates, many.code, many.templates / many.code);
  }
  // Sums in another order, and what inverts M loses the digits of its condition.
  return support::small_enough("largest difference of the C code from the templates", worst, 1e-9, "of the result");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool check = false;
    int joints = 7;
    fs::path folder = "straight_line_output";
    for (support::Arguments arguments(argc, argv); arguments.next();)
      if (arguments.is("--check"))
        check = true;
      else if (arguments.is("--joints"))
        joints = static_cast<int>(arguments.number(1));
      else
        folder = arguments.name();
    fs::create_directories(folder);
    fs::current_path(folder);  // so that no name given by the user passes through the shell
    return compare(joints) || !check ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "straight_line: " << error.what() << '\n';
    return 2;
  }
}
