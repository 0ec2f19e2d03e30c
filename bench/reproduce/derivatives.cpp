// The numerical experiments of Singh, Russell and Wensing (2022), "Efficient analytical derivatives of rigid-body
// dynamics using spatial vector algebra", section V: accuracy, Table III, and the data of Figures 2 to 7. Figures 4 to
// 6 compare with Pinocchio, as in the paper, if it was found.
//
//   corio_derivatives_bench [folder [rounds [robot.urdf | floating:robot.urdf ...]]]
//
// The given robots are shown beside the robots of Figure 5. The program prints a report, and writes the report, the
// data and the variables that derivatives.gp needs to plot them into the folder. The target derivatives_report does
// both. Before, it runs derivatives_by_compiler, whose results are read from the folder.

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "derivatives_cases.hpp"
#include "derivatives_second.hpp"
#include "robot_file.hpp"
#ifdef CORIO_BENCH_PINOCCHIO
#include "compare/own.hpp"
#endif

namespace {

using namespace paper;

void print_context(Report& report, int rounds, double load) {
  report.print("Singh, Russell and Wensing (2022), section V, with corio\n\n");
  report.print("scalar     double, blocks of %d\n", corio::detail::group_size<double>);
  report.print("timing     one thread; average over %d random states, the least of %d rounds of all cases\n",
               Robot::count, rounds);
  report.print("models     chain: zoo::serial_chain, bf k: zoo::tree with k children per body, revolute joints\n");
  print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load);
  report.print("\nIDSVA   inverse_dynamics_derivatives, dtau_dq, dtau_dv and M, in world axes\n");
  report.print("RNEACR  chain rule through the recursive Newton-Euler algorithm, body axes, without M\n");
  report.print("FDSVA   forward_dynamics_derivatives, da_dq, da_dv and M^-1\n");
  report.print("FDCR    the same from RNEACR, dense products\n");
  report.print("ABACR   chain rule through the articulated-body algorithm, body axes, without M^-1\n");
#ifdef CORIO_BENCH_PINOCCHIO
  report.print("Pinocchio   computeRNEADerivatives, without the lower triangle of M, and computeABADerivatives\n");
#else
  report.print("Pinocchio was not found (version 3, CMAKE_PREFIX_PATH)\n");
#endif
  report.print(
      "All but Pinocchio work on a register of columns at a time and allocate nothing; times include the "
      "kinematics.\n");
}

void print_growth(Report& report, const ErrorGrowth& growth) {
  report.print("\nSection V-A: rms relative error of da_dq and da_dv of chains against the complex step\n");
  report.print("       N");
  for (const double n : growth.size) report.print(" %7.0f", n);
  report.print("   ~ N^b  within a factor\n");
  for (int m = 0; m < ErrorGrowth::methods; ++m) {
    const auto method = static_cast<ErrorGrowth::Method>(m);
    report.print("  %s\n         ", ErrorGrowth::name[m]);
    for (const double e : growth.error[m]) report.print("%.1e ", e);
    report.print("   %4.2f  %.1f\n", growth.fit(method).order, growth.deviation(method));
  }
  report.print(
      "  Error: root mean square of the errors over that of the entries; geometric mean over random states.\n");
  report.print(
      "  Paper: the errors of ABACR, FDSVA and FDCR grow linearly with N on a log-log scale; those of FDSVA\n");
  report.print("  and FDCR are alike.\n");
}

void print_methods(Report& report, const Timer& timer, const std::vector<Methods>& all) {
  report.print("\nTable I in numbers: chains, derivatives along q and v\n");
  report.print("                          inverse dynamics                 forward dynamics\n");
  report.print("    N                     time [ns]    ratio  error        time [ns]    ratio  error\n");
  for (const Methods& m : all)
    for (const auto& row : m.rows) {
      report.print("  %3d  %-20s", m.size, row.name);
      for (int i = 0; i < 2; ++i) {
        report.print(" %10.0f %8.1f  ", 1000 * timer.microseconds(row.time[i]),
                     timer.microseconds(row.time[i]) / timer.microseconds(m.rows.front().time[i]));
        report.print(row.error[i] == 0 ? "reference" : "%.1e  ", row.error[i]);
      }
      report.print("\n");
    }
  report.print("  Error against the complex step, as above, at one state. Automatic: Eigen::AutoDiffScalar with 8\n");
  report.print("  derivatives at a time. Steps: 1e-40 complex, 1.5e-8 forward, 6e-6 central.\n");
}

/// A ratio as text, or "-" if it is not positive.
std::string ratio_text(double x) {
  char text[32] = "-";
  if (x > 0) std::snprintf(text, sizeof text, "%.2f", x);
  return text;
}

void print_speedups(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print("\nFigs. 2, 3, 4 and 6: IDSVA and FDSVA [us], and how many times longer others take\n");
  report.print("             N     IDSVA  RNEACR  IDSVA in  Pinocchio       FDSVA    FDCR   ABACR  Pinocchio\n");
  report.print("                                 body axes\n");
  for (const Series& s : all)
    for (const Point& p : s.points)
      report.print("  %-6s   %3d  %8.3f  %6.2f    %6.2f     %6s  %10.3f  %6.2f  %6.2f     %6s\n", s.title, p.n,
                   p.microseconds(timer, idsva), p.ratio(timer, rneacr, idsva), p.ratio(timer, idsva_body, idsva),
                   ratio_text(p.ratio(timer, peer_id, idsva)).c_str(), p.microseconds(timer, fdsva),
                   p.ratio(timer, fdcr, fdsva), p.ratio(timer, abacr, fdsva),
                   ratio_text(p.ratio(timer, peer_fd, fdsva)).c_str());
  report.print("  At N = 128 the rows of a matrix are 1 KiB apart and compete for the same lines of the cache.\n");
  report.print("  Paper: body axes take 1.3 to 1.9 times as long, in Fortran.\n");
}

void print_orders(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print("\nOrder of growth b of t ~ N^b, fitted over the upper half of the sizes but 128\n");
  report.print("           IDSVA  RNEACR  IDSVA in body axes  FDSVA   FDCR  ABACR    DMM    AZA\n");
  for (const Series& s : all) {
    report.print("  %-6s ", s.title);
    for (const Algorithm a : {idsva, rneacr, idsva_body, fdsva, fdcr, abacr, dmm, aza})
      report.print(a == idsva_body ? "              %6.2f" : " %6.2f", s.fit(timer, a).order);
    report.print("\n");
  }
}

/// The results of derivatives_by_compiler.
struct ByCompiler {
  const char *key, *title;
  int paper;  // Table III
  std::vector<std::pair<std::string, std::vector<double>>> lines = {};
  std::string label = {};

  const std::vector<double>& at(const char* what) const {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == what; });
    if (found == lines.end()) throw std::runtime_error(std::string("by_compiler_") + key + ".dat lacks " + what);
    return found->second;
  }
};

std::vector<ByCompiler> read_by_compiler(const std::string& folder) {
  std::vector<ByCompiler> all{{"gcc_plain", "g++, AVX off", 50},
                              {"gcc_native", "g++, AVX on", 450},
                              {"clang_plain", "clang++, AVX off", 80},
                              {"clang_native", "clang++, AVX on", 350}};
  for (ByCompiler& c : all) {
    std::ifstream file(folder + "/by_compiler_" + c.key + ".dat");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("# ", 0) == 0) {
        c.label = line.substr(2);
        continue;
      }
      std::istringstream words(line);
      std::string what;
      words >> what;
      c.lines.push_back({what, {}});
      for (double x; words >> x;) c.lines.back().second.push_back(x);
    }
  }
  return all;
}

std::string crossover_text(double n) {
  return n < 0 ? "none" : n == 0 ? "from the first" : std::to_string(std::lround(n));
}

void print_crossovers(Report& report, const Timer& timer, const std::vector<Series>& all,
                      const std::vector<ByCompiler>& compilers) {
  report.print("\nFig. 7: forward_dynamics_derivatives by matrix products (DMM) and by sweeps of aba (AZA) [us]\n");
  report.print("     N ");
  for (const Series& s : all) report.print("  %6s DMM      AZA  ", s.title);
  report.print("\n");
  for (std::size_t i = 0; i < all.front().points.size(); ++i) {
    report.print("   %3d ", all.front().points[i].n);
    for (const Series& s : all)
      report.print(" %9.3f %9.3f  ", s.points[i].microseconds(timer, dmm), s.points[i].microseconds(timer, aza));
    report.print("\n");
  }
  report.print("  AZA is faster from  ");
  for (const Series& s : all) {
    std::vector<double> size, dense, articulated;
    for (const Point& p : s.points) {
      size.push_back(p.n);
      dense.push_back(p.microseconds(timer, dmm));
      articulated.push_back(p.microseconds(timer, aza));
    }
    report.print("%s: N = %s  ", s.title, crossover_text(crossover(size, dense, articulated)).c_str());
  }
  report.print("\n\nTable III: the N from which on AZA is faster\n");
  report.print("                       lanes   chain    bf 2    bf 4    paper\n");
  for (const ByCompiler& c : compilers) {
    if (c.lines.empty()) {
      report.print("  %-18s   compiler not found, or run without the target derivatives_report\n", c.title);
      continue;
    }
    report.print("  %-18s   %5.0f", c.title, c.at("lanes")[0]);
    for (const char* what : {"crossover_chain", "crossover_tree2", "crossover_tree4"})
      report.print("  %6s", crossover_text(c.at(what)[0]).c_str());
    report.print("  %7d    %s\n", c.paper, c.label.c_str());
  }
  report.print("  The paper's compilers are gcc 9.0 and clang 10; of the models it says kinematic trees.\n");
}

/// A robot of Figure 5, or one named on the command line.
struct Shown {
  std::string title;
  Point point;
};

void print_robots(Report& report, const Timer& timer, const std::vector<Shown>& robots) {
  report.print(
      "\nRobots, as in Fig. 5, by this compiler: IDSVA and FDSVA [us], and how many times longer others take\n");
  report.print("  %-32s %8s  %6s %9s %9s  %9s  %6s %6s %9s\n", "", "IDSVA", "RNEACR", "body axes", "Pinocchio", "FDSVA",
               "FDCR", "ABACR", "Pinocchio");
  for (const auto& [name, p] : robots)
    report.print("  %-32s %8.2f  %6.2f %9.2f %9s  %9.2f  %6.2f %6.2f %9s\n", name.c_str(), p.microseconds(timer, idsva),
                 p.ratio(timer, rneacr, idsva), p.ratio(timer, idsva_body, idsva),
                 ratio_text(p.ratio(timer, peer_id, idsva)).c_str(), p.microseconds(timer, fdsva),
                 p.ratio(timer, fdcr, fdsva), p.ratio(timer, abacr, fdsva),
                 ratio_text(p.ratio(timer, peer_fd, fdsva)).c_str());
  report.print(
      "  Numbers are degrees of freedom. The paper has 1.4 for a humanoid of 50, over the Pinocchio of its time.\n");
}

void print_robots(Report& report, const std::vector<ByCompiler>& compilers) {
  report.print("\nThose of the zoo by compiler: IDSVA [us], and how many times longer others take\n");
  report.print("                       ");
  for (const FloatingRobot& robot : floating_robots) report.print("%-27s", robot.title);
  report.print("\n                       ");
  for (std::size_t i = 0; i < std::size(floating_robots); ++i) report.print("IDSVA  RNEACR  body axes   ");
  report.print("\n");
  for (const ByCompiler& c : compilers) {
    if (c.lines.empty()) continue;
    report.print("  %-18s ", c.title);
    for (const FloatingRobot& robot : floating_robots) {
      const auto& t = c.at(robot.key);
      report.print("%7.2f  %6.2f     %6.2f   ", t[0], t[1] / t[0], t[2] / t[0]);
    }
    report.print("\n");
  }
}

/// Writes <key>.dat for each series, errors.dat, robots.dat, by_compiler.dat, and the fits as variables of gnuplot.
void write_data(const std::string& folder, const Timer& timer, const std::vector<Series>& all,
                const std::vector<Shown>& robots, const ErrorGrowth& growth, const std::vector<ByCompiler>& compilers) {
  const char* const names[] = {"idsva", "rneacr", "idsva_body", "fdsva",   "fdcr",
                               "abacr", "dmm",    "aza",        "peer_id", "peer_fd"};
  TextFile fits(folder + "/fits.gp");
  fits.print("pinocchio = %d\n", robots.front().point.has_peer);
  TextFile of_robots(folder + "/robots.dat");
  of_robots.print("# robot, then IDSVA, RNEACR, Pinocchio's derivatives of inverse dynamics [us]\n");
  for (const auto& [name, p] : robots)
    of_robots.print("\"%s\" %.4f %.4f %.4f\n", name.c_str(), p.microseconds(timer, idsva),
                    p.microseconds(timer, rneacr), p.microseconds(timer, peer_id));
  for (const Series& s : all) {
    TextFile data(folder + "/" + s.key + ".dat");
    data.print("# %s: least time per evaluation [us]\n#  N", s.title);
    for (const char* name : names) data.print(" %11s", name);
    data.print("\n");
    for (const Point& p : s.points) {
      data.print("%4d", p.n);
      for (int a = 0; a < algorithms; ++a) data.print(" %11.4f", p.microseconds(timer, static_cast<Algorithm>(a)));
      data.print("\n");
    }
  }
  TextFile errors(folder + "/errors.dat");
  errors.print("# rms relative errors\n#  N");
  for (int m = 0; m < ErrorGrowth::methods; ++m) {
    errors.print("  \"%s\"", ErrorGrowth::name[m]);
    const PowerLaw law = growth.fit(static_cast<ErrorGrowth::Method>(m));
    fits.print("error%d_order = %.3f\nerror%d_scale = %.5g\n", m, law.order, m, law.scale);
  }
  for (std::size_t i = 0; i < growth.size.size(); ++i) {
    errors.print("\n%4.0f", growth.size[i]);
    for (const auto& error : growth.error) errors.print(" %.4e", error[i]);
  }
  errors.print("\n");
  TextFile of_compilers(folder + "/by_compiler.dat");
  of_compilers.print("# compiler  then IDSVA, RNEACR, IDSVA in body axes [us] for each of");
  for (const FloatingRobot& robot : floating_robots) of_compilers.print(" %s", robot.key);
  of_compilers.print("\n");
  int count = 0;
  for (const ByCompiler& c : compilers) {
    if (c.lines.empty()) continue;
    fits.print("compiler%d = \"%s\"\n", count++, c.title);
    of_compilers.print("\"%s\"", c.title);
    for (const FloatingRobot& robot : floating_robots)
      for (const double t : c.at(robot.key)) of_compilers.print(" %.4f", t);
    of_compilers.print("\n");
  }
  fits.print("compilers = %d\n", count);
}

/// The times of Pinocchio for the same results, if it was found and has the joints.
void add_peer([[maybe_unused]] Timer& timer, [[maybe_unused]] Point& point) {
#ifdef CORIO_BENCH_PINOCCHIO
  try {
    const auto mechanism = compare::describe(point.robot->model, "robot", "robot");
    for (const compare::Contender& c : compare::make_pinocchio(mechanism).contenders)
      for (const auto& [algorithm, at] : {std::pair(compare::Algorithm::inverse_derivatives, peer_id),
                                          std::pair(compare::Algorithm::forward_derivatives, peer_fd)})
        if (c.algorithm == algorithm) point.time[at] = timer.add(static_cast<int>(mechanism.states.size()), c.pass);
    point.has_peer = true;
  } catch (const compare::Unsupported&) {
  }
#endif
}

void run(const std::string& folder, int rounds, const std::vector<std::string>& files) {
  const double load = load_average();
  Timer timer;
  auto all = make_series();
  for (Series& s : all)
    for (const int n : s.sizes) {
      s.points.push_back(add_point(timer, n, s.make(n)));
      add_peer(timer, s.points.back());
    }
  std::vector<Shown> robots;
  const auto show = [&](const std::string& name, const Model& model) {
    robots.push_back({name, add_point(timer, model.nv(), model, idsva, abacr)});
    add_peer(timer, robots.back().point);
  };
  for (const FloatingRobot& robot : floating_robots) show(robot.title, robot.make());
  for (const std::string& file : files) {
    const bench::Robot robot = bench::load(file);
    show(robot.title + ", " + std::to_string(robot.model.nv()), robot.model);
  }
  std::vector<Methods> methods;
  for (const int n : {7, 20, 50, 100}) methods.emplace_back(timer, n);
  const SecondOrder second(timer);
  timer.run(rounds);
  const ErrorGrowth growth(ErrorGrowth::all_sizes());
  const auto compilers = read_by_compiler(folder);

  Report report(folder + "/report.txt");
  print_context(report, rounds, load);
  print_growth(report, growth);
  print_methods(report, timer, methods);
  second.print(report, timer);
  print_speedups(report, timer, all);
  print_orders(report, timer, all);
  print_crossovers(report, timer, all, compilers);
  print_robots(report, timer, robots);
  print_robots(report, compilers);
  print_noise(report, timer);
  write_data(folder, timer, all, robots, growth, compilers);
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 31;
  if (rounds < 1)
    throw std::runtime_error("usage: corio_derivatives_bench [folder [rounds [robot.urdf | floating:robot.urdf ...]]]");
  run(argc > 1 ? argv[1] : ".", rounds, {argv + std::min(argc, 3), argv + argc});
} catch (const std::exception& error) {
  std::cerr << "corio_derivatives_bench: " << error.what() << '\n';
  return 1;
}
