// Table 2 of Echeandia and Wensing (2021): the Christoffel symbols of binary trees as formulas, by partial derivatives
// of a symbolic mass matrix and by the recursion on symbols. The paper used MATLAB, this program uses GiNaC. The
// symbols of planar chains follow, for which section 5 says that partial derivatives take less time.
//
//   corio_symbolic_bench [folder [rounds [seconds for chains]]]
//
// prints a report and writes it into the folder. The target symbolic_report runs it.

#include <cstdlib>
#include <iostream>
#include <limits>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/zoo/zoo.hpp"
#include "symbolic_scalar.hpp"
#include "timing.hpp"

namespace {

using namespace paper;

/// A chain of n bodies, all of whose joints turn about z.
corio::Model<double> planar_chain(int n) {
  corio::ModelBuilder<double> builder("planar_chain" + std::to_string(n));
  std::string last;
  for (int i = 0; i < n; ++i) {
    const std::string name = "link" + std::to_string(i);
    const corio::Vector3<double> about_com(0.01, 0.05, 0.05);
    builder.add_body({.name = name,
                      .parent = last,
                      .joint = corio::joint::Revolute({0, 0, 1}),
                      .placement = {corio::Matrix3<double>::Identity(), {i > 0 ? 0.5 : 0.0, 0.0, 0.0}},
                      .inertia = {2.0, {0.25, 0.0, 0.0}, corio::Matrix3<double>(about_com.asDiagonal())}});
    last = name;
  }
  return builder.build();
}

/// The symbols of a robot of n bodies at a symbolic configuration, computed in both ways.
class Tree {
 public:
  Tree(corio::Model<Symbolic> model, corio::Model<double> numbers)
      : model_(std::move(model)),
        data_(model_),
        q_(model_.nq()),
        partials_(model_.nv()),
        recursion_(model_),
        numbers_(std::move(numbers)) {
    for (int i = 0; i < model_.nq(); ++i) {
      symbols_.emplace_back(std::string(1, 'q').append(std::to_string(i)));
      q_[i] = Symbolic(symbols_.back());
    }
  }

  /// Computes the symbols by eq. 4 from the partial derivatives of the mass matrix.
  void by_partials() {
    const int n = model_.nv();
    const corio::MatrixX<Symbolic>& M = corio::crba(model_, data_, q_);
    corio::Tensor3<Symbolic> D(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        for (int k = 0; k < n; ++k)
          D(i, j, k) = D(j, i, k) = Symbolic(M(i, j).expression().diff(symbols_[static_cast<std::size_t>(k)]));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) partials_(i, j, k) = (D(i, j, k) + D(i, k, j) - D(j, k, i)) / Symbolic(2.0);
  }
  /// Computes the symbols by Algorithm 2.
  void by_recursion() { corio::christoffel_symbols(model_, data_, q_, recursion_); }

  /// The largest difference of both formulas, evaluated in numbers, from symbols that are computed in numbers, relative
  /// to the largest symbol.
  double residual() const {
    const int n = model_.nv();
    Eigen::VectorXd q(n);
    GiNaC::exmap values;
    for (int i = 0; i < n; ++i) {
      q[i] = 0.3 + 0.7 * i;
      values[symbols_[static_cast<std::size_t>(i)]] = q[i];
    }
    corio::Data<double> data(numbers_);
    corio::ChristoffelTensor<double> expected(numbers_);
    corio::christoffel_symbols(numbers_, data, q, expected);
    double worst = 0, largest = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          for (const Symbolic& x : {partials_(i, j, k), recursion_(i, j, k)}) {
            const double got = GiNaC::ex_to<GiNaC::numeric>(x.expression().subs(values).evalf()).to_double();
            worst = std::max(worst, std::abs(got - expected(i, j, k)));
            largest = std::max(largest, std::abs(expected(i, j, k)));
          }
    return worst / largest;
  }

 private:
  corio::Model<Symbolic> model_;
  corio::Data<Symbolic> data_;
  corio::VectorX<Symbolic> q_;
  std::vector<GiNaC::symbol> symbols_;
  corio::Tensor3<Symbolic> partials_;
  corio::ChristoffelTensor<Symbolic> recursion_;
  corio::Model<double> numbers_;
};

/// The least time of a call, in seconds.
template <class F>
double seconds(int rounds, F&& f) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    f();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

void run(const std::string& folder, int rounds, double most_of_chains) {
  const double load = load_average();
  Report report(folder + "/report.txt");
  report.print("Echeandia and Wensing (2021), Table 2, with corio on the symbols of GiNaC %d.%d.%d\n\n",
               GINACLIB_MAJOR_VERSION, GINACLIB_MINOR_VERSION, GINACLIB_MICRO_VERSION);
  report.print("Time [s] to the Christoffel symbols of a binary tree of N bodies as formulas of q\n");
  report.print("         partials of M, eq. 4       Algorithm 2 on symbols     partials over Algorithm 2\n");
  report.print("    N      paper      here             paper      here             paper      here\n");
  struct Row {
    int bodies;
    double partials, recursion;  // times in the paper, s
  };
  double worst = 0;
  for (const auto& [n, paper_partials, paper_recursion] :
       {Row{5, 1.23, 0.97}, Row{10, 7.83, 3.11}, Row{15, 27.1, 5.88}}) {
    Tree tree(corio::zoo::binary_tree<Symbolic>(n), corio::zoo::binary_tree<double>(n));
    const double partials = seconds(rounds, [&] { tree.by_partials(); });
    const double recursion = seconds(rounds, [&] { tree.by_recursion(); });
    report.print("  %3d %10.2f %9.3f %17.2f %9.3f %17.1f %9.0f\n", n, paper_partials, partials, paper_recursion,
                 recursion, paper_partials / paper_recursion, partials / recursion);
    worst = std::max(worst, tree.residual());
  }
  report.print("\nThe same of planar chains of N bodies, of which the paper says that partials of M take less time\n");
  report.print("    N   partials   Algorithm 2   partials over Algorithm 2\n");
  double spent = 0, last = 0;
  for (int n = 2; spent + 4 * last < most_of_chains; ++n) {
    Tree chain(planar_chain(n).cast<Symbolic>(), planar_chain(n));
    const double partials = seconds(1, [&] { chain.by_partials(); });
    const double recursion = seconds(1, [&] { chain.by_recursion(); });
    report.print("  %3d %10.3f %13.4f %15.0f\n", n, partials, recursion, partials / recursion);
    std::cout << std::flush;
    spent += last = partials + recursion;
    if (n <= 5) worst = std::max(worst, chain.residual());
  }
  report.print(
      "\nThe paper's times are of MATLAB: what can be compared is their growth and the last two columns. In both\n");
  report.print(
      "ways formulas stay as they are made, with common parts shared and nothing expanded or simplified; masses,\n");
  report.print("lengths and inertias are fractions, q alone is symbols. Largest difference, in numbers, from the\n");
  report.print("symbols computed in numbers, over the largest: %.1e\n\n", worst);
  report.print("timing     the least of %d rounds\n", rounds);
  print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load);
  if (!(worst < 1e-10)) throw std::runtime_error("the formulas differ from the symbols");
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  if (rounds < 1) throw std::runtime_error("usage: corio_symbolic_bench [folder [rounds [seconds for chains]]]");
  run(argc > 1 ? argv[1] : ".", rounds, argc > 3 ? std::atof(argv[3]) : 30.0);
} catch (const std::exception& error) {
  std::cerr << "corio_symbolic_bench: " << error.what() << '\n';
  return 1;
}
