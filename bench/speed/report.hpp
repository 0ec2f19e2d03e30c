#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace speed {

/// Data of a benchmark that the report shows beside its times.
struct Case {
  std::string part, algorithm, robot;
  bool is_float;

  std::string name() const { return algorithm + (is_float ? "_float/" : "/") + robot; }
};
struct RobotInfo {
  std::string name;
  int nv;
  bool chain;  // whether it belongs to a series of robots that differ only in length
};

/// Prints a line for each benchmark, and keeps the times for report.md and the figures.
class Report : public benchmark::BenchmarkReporter {
 public:
  Report(std::vector<Case> cases, std::vector<RobotInfo> robots);
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  /// Writes report.md, and the data and index.gp for speed.gp.
  void write(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& context) const;

 private:
  struct Result {
    std::vector<double> nanoseconds = {};  // one for each repetition
    double flops = 0, functions = 0;

    double least() const;
    double noise() const;  // excess of the longest time [%]
    double gflops() const { return flops / least(); }
  };
  /// Null if it was not run.
  const Result* find(const std::string& algorithm, const std::string& robot, bool is_float = false) const;
  /// The result of peak/<name>_double or _float [GFLOP/s]; zero if it was not run.
  double peak(const std::string& what, bool is_float) const;
  double share_of_peak(const Result& result, bool is_float) const;
  /// Calls f(algorithm) for the algorithms of a part that were run in double, with or without the forms that reuse a
  /// pass.
  void for_each_algorithm(const std::string& part, bool reuse, const std::function<void(const std::string&)>& f) const;
  std::vector<RobotInfo> robots_of(bool is_float) const;

  void print_overview(std::FILE* out) const;
  void print_robot(std::FILE* out, const RobotInfo& robot, bool is_float) const;
  void print_reuse(std::FILE* out) const;
  void print_float(std::FILE* out) const;
  void write_growth(const std::string& folder, std::FILE* index) const;
  void write_peak(const std::string& folder, std::FILE* index) const;

  std::vector<std::string> parts_;
  std::vector<std::pair<std::string, std::string>> algorithms_;  // part, name; in the order of the list
  std::vector<RobotInfo> robots_;
  std::map<std::string, Result> results_;
};

}  // namespace speed
