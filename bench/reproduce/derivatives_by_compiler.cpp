// The results of Singh, Russell and Wensing (2022) that depend on the compiler and on its vector instructions: Table
// III and Fig. 5. The target derivatives_report builds and runs this program with each compiler it finds, with and
// without AVX.
//
//   derivatives_by_compiler <label> <file> [rounds]
//
// writes lines "<what> <numbers>", which corio_derivatives_bench reads.

#include <cstdlib>
#include <iostream>

#include "derivatives_cases.hpp"

namespace {

using namespace paper;

/// Sizes grow until the sweeps are clearly faster.
double crossover_of(const Series& series, int rounds) {
  std::vector<double> size, dense, articulated;
  for (const int n : {8, 12, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 256, 320, 384, 512}) {
    Timer timer;
    const Point p = add_point(timer, n, series.make(n), dmm, aza);
    timer.run(rounds);
    size.push_back(n);
    dense.push_back(p.microseconds(timer, dmm));
    articulated.push_back(p.microseconds(timer, aza));
    if (dense.back() > 1.4 * articulated.back()) break;
  }
  return crossover(size, dense, articulated);
}

void run(const char* label, const char* path, int rounds) {
  TextFile file(path);
  file.print("# %s\nlanes %d\n", label, corio::detail::group_size<double>);
  for (const Series& s : make_series()) file.print("crossover_%s %.0f\n", s.key, crossover_of(s, rounds));

  Timer timer;
  std::vector<Point> points;
  for (const FloatingRobot& robot : floating_robots)
    points.push_back(add_point(timer, 0, robot.make(), idsva, idsva_body));
  timer.run(2 * rounds);
  for (std::size_t i = 0; i < points.size(); ++i)
    file.print("%s %.4f %.4f %.4f\n", floating_robots[i].key, points[i].microseconds(timer, idsva),
               points[i].microseconds(timer, rneacr), points[i].microseconds(timer, idsva_body));
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 11;
  if (argc < 3 || rounds < 1) throw std::runtime_error("usage: derivatives_by_compiler <label> <file> [rounds]");
  run(argv[1], argv[2], rounds);
} catch (const std::exception& error) {
  std::cerr << "derivatives_by_compiler: " << error.what() << '\n';
  return 1;
}
