#pragma once

#include <string>
#include <vector>

#include "peer.hpp"
#include "reproduce/timing.hpp"

/// The measurements and their report.
namespace compare {

/// A library that takes part; library 0 is corio. A library that was not found has a note in place of a build.
struct Library {
  std::string name, build, note;
  double disagreement = 0;  // largest relative difference from corio
  std::string worst{};      // the result in which it occurs
};

/// The times of one library for one algorithm and mechanism, in each of the repeated runs; the fastest of its ways.
struct Times {
  std::string how;
  std::vector<double> microseconds;
  bool known() const { return !microseconds.empty(); }
};

struct Table {
  Mechanism mechanism;
  std::vector<std::string> notes;
  std::vector<std::vector<Times>> times;  // [algorithm][library]
};

/// The time of a library relative to corio's: the median over the runs, and half their range.
struct Ratio {
  double value, spread;
};
Ratio ratio(const Times& own, const Times& other);
double median(std::vector<double> x);

/// The fastest library other than corio, 0 if there is none.
std::size_t fastest_peer(const std::vector<Times>& row);

/// The ratios to the fastest peer for all functions and robots as a table in Markdown, with the least ratios below it.
void print_summary(paper::Report& report, const std::vector<Library>& libraries, const std::vector<Table>& tables);
void print_table(paper::Report& report, const std::vector<Library>& libraries, const Table& table);
void print_libraries(paper::Report& report, const std::vector<Library>& libraries);
void print_calls(paper::Report& report, const std::vector<Library>& libraries, const std::vector<Table>& tables);
void write_data(const std::string& folder, const std::vector<Library>& libraries, const std::vector<Table>& tables);

}  // namespace compare
