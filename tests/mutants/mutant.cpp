// The main function of tests in which mutants are tried. It writes the mutants that a test case reaches to
// CORIO_MUTANT_LOG.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

namespace corio_mutants {

int active = std::getenv("CORIO_MUTANT") ? std::atoi(std::getenv("CORIO_MUTANT")) : 0;
unsigned char reached[CORIO_MUTANTS + 1];

#ifdef CATCH_VERSION_MAJOR
#if CATCH_VERSION_MAJOR == 2
using Base = Catch::TestEventListenerBase;
#else
using Base = Catch::EventListenerBase;
#endif
#endif

struct Listener : Base {
  using Base::Base;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    Base::testCaseStarting(info);
    // Mutants that were reached before the first case belong to all cases, and have the case number 0.
    std::fill(std::begin(reached), std::end(reached), 0);
    start_ = clock();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    Base::testCaseEnded(stats);
    const char* path = std::getenv("CORIO_MUTANT_LOG");
    if (!path) return;
    std::ofstream log(path, std::ios::app);
    log << double(clock() - start_) / CLOCKS_PER_SEC << '\t';
    for (int i = 1; i <= CORIO_MUTANTS; ++i)
      if (reached[i]) log << i << ' ';
    log << '\t' << stats.testInfo.name << '\n';
  }

 private:
  std::clock_t start_ = 0;
};

CATCH_REGISTER_LISTENER(Listener)

}  // namespace corio_mutants
