#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "corio/core/error.hpp"
#include "trials/trial.hpp"

// corio_trials [--minutes M] [--seed S] [--kind NAME] [--only N]
//
// Runs the kinds of trials in turn for M minutes. Trial N of a kind depends on S, the kind and N alone, so that a
// failed one is repeated by --kind NAME --only N; its robot is in corio_trials_KIND_N.txt. At the end: trials, and the
// largest errors of each kind. The exit status is 1 if a trial has failed.

namespace {

using namespace corio::trials;

struct Options {
  double minutes = 1;
  unsigned seed = 1;
  std::string kind{};
  long only = -1;
};

Options options_of(int argc, char** argv) {
  Options options;
  const auto reject = [] {
    std::cerr << "usage: corio_trials [--minutes M] [--seed S] [--kind NAME] [--only N]\nkinds:";
    for (const Kind& kind : kinds()) std::cerr << ' ' << kind.name;
    std::cerr << '\n';
    std::exit(2);
  };
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 == argc) reject();
    if (key == "--minutes")
      options.minutes = std::atof(argv[i + 1]);
    else if (key == "--seed")
      options.seed = static_cast<unsigned>(std::atol(argv[i + 1]));
    else if (key == "--kind")
      options.kind = argv[i + 1];
    else if (key == "--only")
      options.only = std::atol(argv[i + 1]);
    else
      reject();
  }
  for (const Kind& kind : kinds())
    if (options.kind.empty() || options.kind == kind.name) return options;
  reject();
  return options;
}

struct Sum {
  long trials = 0, failures = 0;
  Figures figures{};
};

/// Returns whether the trial has passed.
bool run(const Kind& kind, std::size_t number_of_kind, const Options& options, long number, Sum& sum) {
  std::seed_seq seeds{options.seed, static_cast<unsigned>(number_of_kind), static_cast<unsigned>(number)};
  Random random(seeds);
  Figures figures;
  std::string problem;
  try {
    kind.run(random, figures);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  ++sum.trials;
  sum.figures.merge(figures);
  if (problem.empty()) return true;
  ++sum.failures;
  const std::string file = std::string("corio_trials_") + kind.name + "_" + std::to_string(number) + ".txt";
  std::ofstream(file) << figures.robot();
  std::cout << "FAILED: " << kind.name << ": " << problem << "\n  again: --seed " << options.seed << " --kind "
            << kind.name << " --only " << number << ", robot: " << file << std::endl;
  return false;
}

void print(const Kind& kind, const Sum& sum) {
  std::cout << kind.name << ": " << sum.trials << " trials, " << sum.failures << " failed\n" << std::setprecision(2);
  for (const auto& [quantity, worst] : sum.figures.worst())
    std::cout << "  " << std::left << std::setw(44) << quantity << ' ' << std::setw(9) << worst.error << " of "
              << worst.bound << '\n';
  for (const auto& [reason, count] : sum.figures.skipped())
    std::cout << "  skipped " << count << ": " << reason << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  const auto& all = kinds();
  std::vector<Sum> sums(all.size());
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (options.kind.empty() || options.kind == all[k].name) chosen.push_back(k);

  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  bool passed = true;
  for (long number = std::max(0L, options.only);; ++number) {
    for (const std::size_t k : chosen)
      if (options.only >= 0 || seconds() < 60 * options.minutes)
        passed = run(all[k], k, options, number, sums[k]) && passed;
    if (options.only >= 0 || seconds() >= 60 * options.minutes) break;
  }
  for (const std::size_t k : chosen) print(all[k], sums[k]);
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
