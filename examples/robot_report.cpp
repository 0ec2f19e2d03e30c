// A report on a robot: its tree, its equations of motion at one state, identities between them, and the time per call.
//
//   robot_report [robot.urdf] [--floating] [--html folder]
//
// Without a file it reports on the two robots in examples/models. With --html it also writes a page into the folder,
// one file that needs nothing else: tables, plots, and a skeleton that moves with sliders. Exit status 1 when an
// identity fails.

#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>
#include <corio/model/describe.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <random>

#include "robot_report/page.hpp"

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Model = corio::Model<double>;
using Data = corio::Data<double>;

constexpr int shown = 12;  // rows and columns that fit on a terminal

// ---- The robot and its tree

/// Each body's joint behind the branches that lead to it, in depth-first order.
std::vector<std::string> branches(const Model& model) {
  const auto& bodies = model.bodies();
  std::vector<std::string> lines(bodies.size());
  const std::function<void(int, const std::string&)> add_children = [&](int parent, const std::string& indent) {
    std::vector<std::size_t> children;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].parent() == parent) children.push_back(i);
    for (const std::size_t child : children) {
      // A chain stays in one column; only bodies with siblings are indented.
      const bool last = child == children.back(), alone = children.size() == 1;
      const auto& joint = model.joints()[static_cast<std::size_t>(bodies[child].joint())];
      lines[child] = indent + (alone ? "" : last ? "`- " : "|- ") + joint.name();
      add_children(static_cast<int>(child), indent + (alone ? "" : last ? "   " : "|  "));
    }
  };
  add_children(-1, "");
  return lines;
}

void print_tree(const Model& model) {
  const auto lines = branches(model);
  int joint_width = 8, body_width = 8;  // longer names are truncated
  for (std::size_t i = 0; i < lines.size(); ++i) {
    joint_width = std::clamp(static_cast<int>(lines[i].size()), joint_width, 42);
    body_width = std::clamp(static_cast<int>(model.bodies()[i].name().size()), body_width, 26);
  }
  std::printf("Tree: each joint carries the one below it; where several are carried, |- and `- mark them\n");
  std::printf("  %-*s  %-11s  %-*s  mass [kg]  v index  nv\n", joint_width, "joint", "type", body_width, "body");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& body = model.bodies()[i];
    const auto& joint = model.joints()[static_cast<std::size_t>(body.joint())];
    std::printf("  %-*.*s  %-11s  %-*.*s  %9.3f  %7d  %2d\n", joint_width, joint_width, lines[i].c_str(),
                joint.type().c_str(), body_width, body_width, body.name().c_str(), model.inertia(body).mass,
                joint.v_index(), joint.nv());
  }
}

// ---- Matrices

double largest(const Matrix& x) { return x.cwiseAbs().maxCoeff(); }

/// A number in eight characters, with as many digits as the largest entry of its matrix leaves room for.
void print_entry(double x, double max) {
  const int digits = std::clamp(4 - static_cast<int>(std::floor(std::log10(std::max(max, 1e-9)))), 0, 4);
  const bool zero = std::abs(x) < 0.5 * std::pow(10.0, -digits);
  std::printf("%8.*f", zero ? 0 : digits, zero ? 0.0 : x);
}

/// Entries between joints on different branches are exactly zero: printed as a dot.
void print_matrix(const char* title, const Model& model, const Matrix& A) {
  const Eigen::Index n = std::min<Eigen::Index>(A.rows(), shown);
  std::printf("\n%s", title);
  if (n < A.rows()) std::printf(", leading %d x %d of %d x %d", shown, shown, int(A.rows()), int(A.cols()));
  std::printf("\n");
  const auto coupled = report::coupling(model);
  const double max = largest(A.topLeftCorner(n, n));
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      if (j == 0) std::printf("  ");
      if (A(i, j) == 0.0 && !coupled(i, j))
        std::printf("%8s", ".");
      else
        print_entry(A(i, j), max);
    }
    std::printf("\n");
  }
}

void print_pattern(const Model& model) {
  if (model.nv() <= shown || model.nv() > 48) return;
  const auto coupled = report::coupling(model);
  std::printf("\nPattern of M and C: joints on different branches are not coupled, %d %% of the entries are zero\n",
              static_cast<int>(100 - 100 * coupled.count() / coupled.size()));
  for (Eigen::Index i = 0; i < coupled.rows(); ++i) {
    for (Eigen::Index j = 0; j < coupled.cols(); ++j) std::printf("%*c", j == 0 ? 3 : 2, coupled(i, j) ? '#' : '.');
    std::printf("\n");
  }
}

// ---- Identities

struct State {
  Vector q, v, a;
};

State random_state(const Model& model, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vector::NullaryExpr(model.nv(), [&] { return uniform(generator); }).eval(); };
  Vector q = corio::random_configuration(model, generator);
  Vector v = vector(), a = vector();
  return {std::move(q), std::move(v), std::move(a)};
}

/// Residuals are relative to the largest term, so that rounding is about 1e-16 times the conditioning.
class Checks {
 public:
  Checks() { std::printf("\n  %-7s%-42s%10s%11s   limited by\n", "", "identity", "residual", "threshold"); }
  void add(const char* identity, const Matrix& error, double scale, double threshold, const char* limit) {
    const double residual = largest(error) / std::max(scale, 1e-12);
    const bool ok = error.allFinite() && residual <= threshold;
    passed_ = passed_ && ok;
    std::printf("  %-7s%-42s%10.1e%11.0e   %s\n", ok ? "ok" : "FAILED", identity, residual, threshold, limit);
  }
  bool passed() const { return passed_; }

 private:
  bool passed_ = true;
};

/// Central difference of f(q, v) along the motion: v and a are the rates of q and v.
template <class Result, class F>
Result rate_along(const Model& model, const State& s, F f) {
  constexpr double h = 1e-5;  // error: h^2 times the third derivative, and rounding of f over h, both near 1e-10
  const auto at = [&](double t) -> Result {
    return f(corio::integrate(model, s.q, t * s.v + 0.5 * t * t * s.a), s.v + t * s.a);
  };
  return (at(h) - at(-h)) / (2 * h);
}

bool check_identities(const Model& model, const State& s) {
  const auto& [q, v, a] = s;
  Data data(model);
  const auto [C, M, Mdot] = corio::coriolis_matrix(model, data, q, v);
  const Vector g = corio::generalized_gravity(model, data, q);
  const Vector tau = corio::rnea(model, data, q, v, a);
  const Vector bias = corio::rnea(model, data, q, v, Vector::Zero(model.nv()));
  const Vector recovered = corio::aba(model, data, q, v, tau);
  const double kinetic = corio::kinetic_energy(model, data, q, v);
  const double potential = corio::potential_energy(model, data, q);
  const auto mass_matrix = [&](const Vector& x, const Vector&) { return corio::crba(model, data, x); };
  const auto difference = rate_along<Matrix>(model, s, mass_matrix);
  const auto energy = [&](const Vector& x, const Vector& w) {
    return corio::kinetic_energy(model, data, x, w) + corio::potential_energy(model, data, x);
  };
  const auto power = rate_along<double>(model, s, energy);
  const Matrix skew = Mdot - 2 * C;
  const auto scalar = [](double x) { return Matrix::Constant(1, 1, x); };
  const double scale = std::max({largest(M * a), largest(C * v), largest(g), largest(tau)});

  constexpr double exact = 1e-11, differenced = 1e-7;
  Checks checks;
  checks.add("M a + C v + g = rnea(q, v, a)", M * a + C * v + g - tau, scale, exact, "rounding");
  checks.add("C v = rnea(q, v, 0) - g", C * v - (bias - g), scale, exact, "rounding");
  checks.add("M of coriolis_matrix = crba(q)", M - corio::crba(model, data, q), largest(M), exact, "rounding");
  checks.add("v.M v / 2 = kinetic_energy(q, v) = T", scalar(v.dot(M * v) / 2 - kinetic), kinetic, exact, "rounding");
  checks.add("aba(q, v, rnea(q, v, a)) = a", recovered - a, largest(a), 1e-8, "condition of M");
  checks.add("Mdot = dM/dt by central difference", Mdot - difference, std::max(largest(M), largest(difference)),
             differenced, "differencing, h = 1e-5");
  checks.add("Mdot - 2 C skew-symmetric", skew + skew.transpose(), largest(C), exact, "by construction: C + C^T");
  checks.add("v.tau = d(T + U)/dt by central difference", scalar(power - v.dot(tau)),
             kinetic + std::abs(potential) + v.cwiseAbs().dot(tau.cwiseAbs()), differenced, "differencing, h = 1e-5");
  return checks.passed();
}

// ---- Time

/// Median over batches of the time per call of f(state), in microseconds.
template <class F>
double microseconds(const std::vector<State>& states, F f) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> batches(25);
  double sink = 0;
  for (double& batch : batches) {
    const auto start = Clock::now();
    for (const State& s : states) sink += f(s);
    const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
    batch = elapsed.count() / static_cast<double>(states.size());
  }
  if (std::isnan(sink)) std::fprintf(stderr, "robot_report: a result is NaN\n");  // keeps the calls alive
  std::nth_element(batches.begin(), batches.begin() + 12, batches.end());
  return batches[12];
}

std::vector<report::Timed> print_times(const Model& model, std::mt19937& generator) {
  std::printf("\nTime per call from (q, v, a) to the result, median of 25 batches\n");
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
  std::printf(
      "  WARNING: built without optimisation or with assertions, these times mean nothing;\n"
      "           configure with -DCMAKE_BUILD_TYPE=Release\n");
#endif
  std::vector<State> states;
  for (int i = 0; i < 256; ++i) states.push_back(random_state(model, generator));
  Data d(model);
  std::vector<report::Timed> times;
  const auto line = [&](const char* name, const char* result, auto f) {
    times.push_back({name, microseconds(states, f), result});
    std::printf("  %-20s %9.2f us   %s\n", name, times.back().microseconds, result);
  };
  line("rnea", "tau", [&](const State& s) { return corio::rnea(model, d, s.q, s.v, s.a)[0]; });
  line("aba", "a", [&](const State& s) { return corio::aba(model, d, s.q, s.v, s.a)[0]; });
  line("crba", "M", [&](const State& s) { return corio::crba(model, d, s.q)(0, 0); });
  line("coriolis_matrix", "C, M, dM/dt",
       [&](const State& s) { return corio::coriolis_matrix(model, d, s.q, s.v).C(0, 0); });
  line("generalized_gravity", "g", [&](const State& s) { return corio::generalized_gravity(model, d, s.q)[0]; });
  return times;
}

/// Questionable input that was accepted, and joints that are outside their limits at neutral.
std::string notes_on(const Model& model) { return corio::describe(model.notes()) + corio::describe_neutral(model); }

bool report_on(const std::string& path, bool floating, const std::string& html) {
  // The notes include changes for the report: couplings that are left out, armatures that make M regular.
  corio::urdf::Options options{.mimic = corio::urdf::Mimic::independent, .armature_of_massless = 1e-3};
  if (floating) options.root = corio::joint::FreeFlyer{};
  const Model model = corio::urdf::load(path, options);
  const std::string rule(98, '=');
  std::printf("%s\n%s (%s)\n%s\n", rule.c_str(), model.name().c_str(), path.c_str(), rule.c_str());
  char summary[200];
  std::snprintf(summary, sizeof summary,
                "%s base, %zu moving bodies, %zu joints, nq = %d, nv = %d, moving mass %.3f kg",
                floating ? "floating" : "fixed", model.bodies().size(), model.joints().size(), model.nq(), model.nv(),
                model.total_mass());
  std::printf("%s\n\n", summary);
  print_tree(model);
  const std::string notes = notes_on(model);
  if (!notes.empty()) std::printf("\nNotes\n%s", notes.c_str());
  if (model.nv() == 0) return true;

  std::mt19937 generator(1);
  const State state = random_state(model, generator);
  Data data(model);
  const auto& matrices = corio::coriolis_matrix(model, data, state.q, state.v);
  const Vector& g = corio::generalized_gravity(model, data);
  std::printf("\nAt a random state, in SI units: M(q) a + C(q, v) v + g(q) = tau\n");
  print_matrix("Mass matrix M(q)", model, matrices.M);
  print_matrix("Coriolis matrix C(q, v), Christoffel-consistent", model, matrices.C);
  std::printf("\nGravity forces g(q)\n");
  for (int k = 0; k < model.nv(); ++k) {
    if (k % shown == 0) std::printf("  ");
    print_entry(g[k], largest(g));
    if ((k + 1) % shown == 0 || k + 1 == model.nv()) std::printf("\n");
  }
  print_pattern(model);

  const bool passed = check_identities(model, state);
  const auto times = print_times(model, generator);
  if (!html.empty()) {
    const auto page = report::write_page(model, {summary, corio::describe(model), notes, times}, html,
                                         CORIO_EXAMPLES_DIR "/robot_report/page.html");
    std::printf("\nThe page: %s\n", page.c_str());
  }
  std::printf("\n");
  return passed;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool floating = std::erase(arguments, "--floating") > 0;
  std::string html;
  if (const auto at = std::find(arguments.begin(), arguments.end(), "--html");
      at != arguments.end() && at + 1 != arguments.end()) {
    html = at[1];
    arguments.erase(at, at + 2);
  }
  if (arguments.size() > 1 || (arguments.empty() ? floating : arguments[0].starts_with("-"))) {
    std::cerr << "usage: robot_report [robot.urdf] [--floating] [--html folder]\n";
    return 2;
  }
  try {
    if (!arguments.empty()) return report_on(arguments[0], floating, html) ? 0 : 1;
    const bool arm = report_on(CORIO_EXAMPLES_DIR "/models/arm7.urdf", false, html);
    const bool quadruped = report_on(CORIO_EXAMPLES_DIR "/models/quadruped.urdf", true, html);
    return arm && quadruped ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "robot_report: " << error.what() << '\n';
    return 1;
  }
}
