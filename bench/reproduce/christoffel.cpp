// The numerical experiments of Echeandia and Wensing (2021), "Numerical methods to compute the Coriolis matrix and
// Christoffel symbols for rigid-body systems", section 5: residuals, Table 1 and the data of Figures 2 to 4.
//
//   corio_christoffel_bench [folder [rounds]]
//
// prints a report, and writes the report, the data and the variables that christoffel.gp needs to plot them into the
// folder. The target christoffel_report runs both.

#include <cstdlib>
#include <iostream>

#include "christoffel_cases.hpp"
#include "corio/algorithms/coriolis/mass_matrix_dot.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"

namespace {

using namespace paper;

void print_context(Report& report, int rounds, double load) {
  report.print("Echeandia and Wensing (2021), section 5, with corio\n\n");
  report.print("scalar     double, blocks of %d\n", corio::detail::group_size<double>);
  report.print("timing     one thread; average over 100 random states, the least of %d rounds of all cases\n", rounds);
  print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load);
}

/// The paper's checks of its algorithms on chains. The paper does not give their inertial parameters.
/// @returns false if a residual is larger than rounding explains
bool print_residuals(Report& report) {
  report.print("\nResiduals: largest entry over 100 random states (and relative to the largest of what is checked)\n");
  report.print("  serial chain     C v - rnea(q, v, 0)      Mdot - C - C^T        C - sum Gamma v\n");
  double worst = 0;
  for (const int n : {10, 20, 30}) {
    Robot robot(corio::zoo::serial_chain(n));
    robot.model.set_gravity({0, 0, 0});
    double residual[3] = {}, scale[3] = {};
    const auto compare = [&](int at, const Eigen::MatrixXd& difference, const Eigen::MatrixXd& reference) {
      residual[at] = std::max(residual[at], largest(difference));
      scale[at] = std::max(scale[at], largest(reference));
    };
    Eigen::MatrixXd contracted;
    for (const auto& [q, v] : robot.states) {
      const Eigen::VectorXd tau = corio::rnea(robot.model, robot.data, q, v, Eigen::VectorXd::Zero(n));
      const Eigen::MatrixXd Mdot = corio::mass_matrix_dot(robot.model, robot.data, q, v);
      corio::christoffel_symbols(robot.model, robot.data, q, robot.dense);
      robot.dense.contract(v, contracted);
      const Eigen::MatrixXd& C = corio::coriolis_matrix(robot.model, robot.data, q, v).C;
      Eigen::VectorXd difference = -tau;
      for (int j = 0; j < n; ++j) difference += v[j] * C.col(j);
      compare(0, difference, tau);
      compare(1, Mdot - C - C.transpose(), Mdot);
      compare(2, C - contracted, C);
    }
    report.print("  %2d DoF       ", n);
    for (int i = 0; i < 3; ++i) {
      report.print("     %8.1e (%7.1e)", residual[i], residual[i] / scale[i]);
      worst = std::max(worst, residual[i] / scale[i]);
    }
    report.print("\n");
  }
  report.print("  paper's worst     1.4e-09                1.8e-12                1.6e-11\n");
  return worst < 1e-12;
}

void print_table_1(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print("\nTable 1: time per evaluation [us], and how many times the paper's time is that of corio\n");
  report.print("                                     C, with M and Mdot       symbols, all n^3      symbols, packed\n");
  report.print("                              DoF   paper  corio  ratio   paper  corio  ratio       corio  ratio\n");
  for (const Series& s : all) {
    const Point& p = s.table_1();
    const double C = timer.microseconds(p.time[Point::coriolis]), dense = timer.microseconds(p.time[Point::symbols]),
                 packed = timer.microseconds(p.time[Point::packed]);
    report.print("  %-12s 20 joints     %3d %7.0f %6.2f %6.1f %7.0f %6.2f %6.1f     %7.2f %6.1f\n", s.title,
                 p.robot->model.nv(), s.paper_coriolis, C, s.paper_coriolis / C, s.paper_symbols, dense,
                 s.paper_symbols / dense, packed, s.paper_symbols / packed);
  }
  report.print("  The paper's times are of an Intel i7 at 3.2 GHz, so the ratio is one of machines, too. Biped and\n");
  report.print("  quadruped have a floating base besides their 20 joints: 26 degrees of freedom in all. All times\n");
  report.print("  include the kinematics pass.\n");
}

/// The algorithm with which section 3 compares Algorithm 1 in words.
void print_columns(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print(
      "\nC column by column, by n calls of recursive Newton-Euler for reference velocities, O(n^2) in every tree\n");
  report.print("                              DoF   time [us]   over that of C   grows as (joint DoF)^b\n");
  for (const Series& s : all) {
    const Point& p = s.table_1();
    const double columns = timer.microseconds(p.time[Point::columns]);
    report.print("  %-12s 20 joints     %3d %11.2f %16.1f   b = %.2f\n", s.title, p.robot->model.nv(), columns,
                 columns / timer.microseconds(p.time[Point::coriolis]), s.fit(timer, Point::columns).order);
  }
}

void print_stores(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print("\nWhat bounds the symbols: the same places written in the same order with a constant, no arithmetic\n");
  report.print("                              all n^3                                    packed\n");
  report.print("                 stored  written  writing [us]  share     stored  writing [us]  share\n");
  for (const Series& s : all) {
    const Point& p = s.table_1();
    const double dense = timer.microseconds(s.write_dense), packed = timer.microseconds(s.write_packed);
    const int n = p.robot->model.nv();
    report.print("  %-12s %8d %8d %13.2f %5.0f %% %10d %13.2f %5.0f %%\n", s.title, n * n * n,
                 count_written(p.robot->model), dense, 100 * dense / timer.microseconds(p.time[Point::symbols]),
                 static_cast<int>(p.robot->packed.stored()), packed,
                 100 * packed / timer.microseconds(p.time[Point::packed]));
  }
  report.print(
      "  Numbers stored, and of the n^3 those written, the ones not zero in all states. Share: of the time of\n");
  report.print("  christoffel_symbols, what its stores take together with the loops that run over them.\n");
}

void print_orders(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print("\nOrder of growth b of t ~ (joint DoF)^b, fitted over the upper half of the sizes\n");
  report.print("                    joints     C    theory            symbols  packed  theory\n");
  for (const Series& s : all)
    report.print("  Fig. %d %-12s %2d-%3d  %5.2f   %4.2f  %-10s %6.2f  %6.2f    %4.2f  %s\n", s.figure, s.title,
                 s.points[s.fit_begin()].joints, s.points.back().joints, s.fit(timer, Point::coriolis).order,
                 s.theory(1), s.coriolis_law, s.fit(timer, Point::symbols).order, s.fit(timer, Point::packed).order,
                 s.theory(2), s.symbols_law);
  report.print("  theory: the same fit to the law, with n all degrees of freedom and d the depth; for biped and\n");
  report.print("  quadruped n = 6 + joints and d = 6 + joints per leg.\n");
}

void print_parts(Report& report, const Timer& timer, const std::vector<Series>& all) {
  report.print("\nWhere the orders come from: t = a nv + b pairs or a nv + c triples [ns], fitted to all sizes\n");
  report.print("                    C, with M and Mdot       symbols, all n^3        symbols, packed\n");
  report.print("                     a      b  within        a      c  within        a      c  within\n");
  for (const Series& s : all) {
    report.print("  %-12s", s.title);
    for (const auto& [per_dof, per_term, deviation] :
         {s.split(timer, Point::coriolis, &Point::pairs), s.split(timer, Point::symbols, &Point::triples),
          s.split(timer, Point::packed, &Point::triples)})
      report.print(" %8.0f %6.2f %5.0f %%", per_dof, per_term, 100 * deviation);
    report.print("\n");
  }
  report.print("  Pairs and triples are of related degrees of freedom, n (n + 1) / 2 and n (n + 1) (n + 2) / 6 in a\n");
  report.print(
      "  chain. They cost so little that, at these sizes, what is done once per joint hides part of the order.\n");
}

/// Writes <key>.dat for each series, and the fits as variables of gnuplot.
void write_data(const std::string& folder, const Timer& timer, const std::vector<Series>& all) {
  TextFile fits(folder + "/fits.gp");
  fits.print("# t = scale * joints**order [us], fitted for from <= joints <= to\n");
  for (const Series& s : all) {
    fits.print("%s_from = %d\n%s_to = %d\n", s.key, s.points[s.fit_begin()].joints, s.key, s.points.back().joints);
    TextFile data(folder + "/" + s.key + ".dat");
    data.print("# %s: least time per evaluation, as in Fig. %d of Echeandia and Wensing (2021)\n", s.title, s.figure);
    const char* const names[] = {"coriolis", "symbols", "packed"};
    for (const auto a : {Point::coriolis, Point::symbols, Point::packed}) {
      const auto [order, scale] = s.fit(timer, a);
      fits.print("%s_%s_order = %.3f\n%s_%s_scale = %.5g\n", s.key, names[a], order, s.key, names[a], scale);
      data.print("# fitted from %d joints on: %s = %.5g us * joints^%.3f\n", s.points[s.fit_begin()].joints, names[a],
                 scale, order);
    }
    data.print("# joints  nv  coriolis_matrix[us]  christoffel_symbols[us]  christoffel_symbols_packed[us]\n");
    for (const Point& p : s.points)
      data.print("%7d %4d %14.4f %20.4f %24.4f\n", p.joints, p.robot->model.nv(), timer.microseconds(p.time[0]),
                 timer.microseconds(p.time[1]), timer.microseconds(p.time[2]));
  }
}

void run(const std::string& folder, int rounds) {
  const double load = load_average();
  Timer timer;
  auto all = make_series();
  for (Series& s : all) {
    for (const int n : s.sizes) s.points.push_back(add_point(timer, n, s.make(n)));
    const auto robot = s.table_1().robot;
    const auto add_writing = [&](auto& tensor) {
      return timer.add(100, [robot, &tensor] {
        for (int i = 0; i < 100; ++i) {
          write_only(robot->model, tensor);
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
      });
    };
    s.write_dense = add_writing(robot->dense);
    s.write_packed = add_writing(robot->packed);
  }
  timer.run(rounds);

  Report report(folder + "/report.txt");
  print_context(report, rounds, load);
  const bool correct = print_residuals(report);
  print_table_1(report, timer, all);
  print_columns(report, timer, all);
  print_stores(report, timer, all);
  print_orders(report, timer, all);
  print_parts(report, timer, all);
  print_noise(report, timer);
  write_data(folder, timer, all);
  if (!correct) throw std::runtime_error("a residual is larger than rounding explains");
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 41;
  if (rounds < 1) throw std::runtime_error("usage: corio_christoffel_bench [folder [rounds]]");
  run(argc > 1 ? argv[1] : ".", rounds);
} catch (const std::exception& error) {
  std::cerr << "corio_christoffel_bench: " << error.what() << '\n';
  return 1;
}
