// Time per call of every algorithm on the sample robots, or on robots from URDF files:
//
//   corio_bench [--robot=robot.urdf ...] [--floating] [--report=folder] [--benchmark_...]
//
//   corio_bench --benchmark_filter='^coriolis_matrix/' --benchmark_repetitions=9 --benchmark_out=times.json
//   corio_bench --robot=arm.urdf --benchmark_filter=rnea
//
// One benchmark is <algorithm>[_float]/<robot>; algorithms.hpp lists them. A plain name, such as crba, is the complete
// call from (q, v, a), kinematics pass included. <algorithm>_reuse is f(model, data) right after a kinematics pass,
// which is not timed. peak/<name> measures the processor's peak (peak.hpp). Each benchmark prints, and writes to JSON,
// its flops and functions: operations + - * / and sines, cosines and roots, counted in one call with a scalar that
// counts.
//
// --report writes report.md and the data for speed.gp to the folder, by default from three repetitions in random order.
// The target speed_report does both.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "corio/corio.hpp"
#include "list.hpp"
#include "peak.hpp"
#include "report.hpp"
#include "reproduce/timing.hpp"
#include "robot_file.hpp"

namespace {

using namespace speed;
using Model = corio::Model<double>;

struct Sample {
  std::string name;
  Model model;
  bool with_float = false, chain = false;
};

std::vector<Sample> samples() {
  namespace zoo = corio::zoo;
  std::vector<Sample> all;
  for (const int n : {7, 20, 50, 100})
    all.push_back({"chain_" + std::to_string(n), zoo::serial_chain(n), n == 20, true});
  for (const int n : {20, 100}) all.push_back({"tree_" + std::to_string(n), zoo::binary_tree(n)});
  all.push_back({"biped", zoo::biped()});
  all.push_back({"quadruped", zoo::quadruped()});
  all.push_back({"humanoid", zoo::humanoid(), true});
  return all;
}

Sample load(const std::string& file, bool floating) {
  return {std::filesystem::path(file).stem().string(), bench::load((floating ? "floating:" : "") + file).model, true};
}

struct Arguments {
  std::vector<std::string> robots, rest;
  std::string report;
  bool floating = false;

  Arguments(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) {
      const std::string argument = argv[i];
      const auto value_of = [&](const std::string& option) {
        const bool given = argument.rfind(option, 0) == 0;
        return given ? std::optional(argument.substr(option.size())) : std::nullopt;
      };
      if (const auto file = value_of("--robot="))
        robots.push_back(*file);
      else if (const auto folder = value_of("--report="))
        report = *folder;
      else if (argument == "--floating")
        floating = true;
      else
        rest.push_back(argument);
    }
    // Defaults come first, so that arguments of the command line override them.
    std::vector<std::string> defaults = {"--benchmark_min_time=0.05"};
    if (!report.empty())
      for (const char* more : {"--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=true"})
        defaults.push_back(more);
    rest.insert(rest.begin() + 1, defaults.begin(), defaults.end());
  }
};

/// Adds the list of one robot in one scalar. Counts are shared by the scalars, and made when they are needed.
template <class S>
void add(const Sample& robot, const std::shared_ptr<List<Counting>>& counts, std::vector<Case>& cases) {
  const auto entries = list_for<S>(robot.model).entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Case c{entries[i].part, entries[i].name, robot.name, std::is_same_v<S, float>};
    cases.push_back(c);
    const auto counted = std::make_shared<std::optional<Operations>>();
    benchmark::RegisterBenchmark(c.name().c_str(), [=, time = entries[i].time](benchmark::State& state) {
      if (!*counted) *counted = counts->entries()[i].count();
      time(state);
      const double flops = static_cast<double>((*counted)->total() - (*counted)->function);
      state.counters["flops"] = flops;
      state.counters["functions"] = static_cast<double>((*counted)->function);
      state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
    });
  }
}

void run(const Arguments& given) {
  std::vector<Sample> robots;
  for (const std::string& file : given.robots) robots.push_back(load(file, given.floating));
  if (robots.empty()) robots = samples();

  register_peaks();
  std::vector<Case> cases;
  std::vector<RobotInfo> infos;
  for (const Sample& robot : robots) {
    const auto counts = std::make_shared<List<Counting>>(list_for<Counting>(robot.model));
    add<double>(robot, counts, cases);
    if (robot.with_float) add<float>(robot, counts, cases);
    infos.push_back({robot.name, robot.model.nv(), robot.chain});
  }

  std::vector<std::pair<std::string, std::string>> context = {
      {"compiler", CORIO_BENCH_COMPILER ", " CORIO_BENCH_FLAGS},
      {"processor", paper::processor() + ", widest vectors: " + widest_vectors()},
      {"blocks", std::to_string(corio::detail::group_size<double>) + " double, " +
                     std::to_string(corio::detail::group_size<float>) + " float"},
      {"load at the start", std::to_string(paper::load_average())}};
  for (const auto& [key, value] : context) benchmark::AddCustomContext(key, value);
  if (given.report.empty()) {
    benchmark::RunSpecifiedBenchmarks();
    return;
  }
  std::filesystem::create_directories(given.report);
  Report report(cases, infos);
  benchmark::RunSpecifiedBenchmarks(&report);
  context.emplace_back("load at the end", std::to_string(paper::load_average()));
  report.write(given.report, context);
}

}  // namespace

int main(int argc, char** argv) try {
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
  std::cerr << "WARNING: corio_bench was built without optimisation or with assertions; its numbers mean nothing.\n"
               "         Configure with -DCMAKE_BUILD_TYPE=Release.\n";
#endif
  Arguments given(argc, argv);
  std::vector<char*> rest;
  for (std::string& argument : given.rest) rest.push_back(argument.data());
  int count = static_cast<int>(rest.size());
  rest.push_back(nullptr);
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 1;
  run(given);
} catch (const std::exception& error) {
  std::cerr << "corio_bench: " << error.what() << '\n';
  return 1;
}
