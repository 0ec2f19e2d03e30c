#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace speed {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path) {
  File file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file) throw std::runtime_error("cannot write " + path);
  return file;
}

void print_head(std::FILE* out, const std::vector<std::string>& columns) {
  std::fprintf(out, "| |");
  for (const auto& column : columns) std::fprintf(out, " %s |", column.c_str());
  std::fprintf(out, "\n|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) std::fprintf(out, "---:|");
  std::fprintf(out, "\n");
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
constexpr const char* reuse_suffix = "_reuse";

}  // namespace

double Report::Result::least() const { return *std::min_element(nanoseconds.begin(), nanoseconds.end()); }
double Report::Result::noise() const {
  return 100 * (*std::max_element(nanoseconds.begin(), nanoseconds.end()) / least() - 1);
}

Report::Report(std::vector<Case> cases, std::vector<RobotInfo> robots) : robots_(std::move(robots)) {
  // A function that some robots lack is placed after its predecessor in the lists that have it.
  auto after = algorithms_.begin();
  for (const Case& c : cases) {
    if (std::find(parts_.begin(), parts_.end(), c.part) == parts_.end()) parts_.push_back(c.part);
    const std::pair key(c.part, c.algorithm);
    auto at = std::find(algorithms_.begin(), algorithms_.end(), key);
    if (at == algorithms_.end()) at = algorithms_.insert(after, key);
    after = at + 1;
  }
}

bool Report::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}
/// Called with all repetitions of a benchmark, then with the statistics of the library.
void Report::ReportRuns(const std::vector<Run>& runs) {
  const Result* shown = nullptr;
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
    Result& result = results_[run.run_name.function_name];
    // The time of this thread, since other processes run, too.
    result.nanoseconds.push_back(1e9 * run.cpu_accumulated_time / static_cast<double>(run.iterations));
    const auto counter = [&](const char* name) {
      const auto at = run.counters.find(name);
      return at == run.counters.end() ? 0.0 : at->second.value;
    };
    result.flops = counter("flops"), result.functions = counter("functions");
    shown = &result;
  }
  if (!shown) return;
  std::printf("%-62s %12.0f ns + %4.1f %% %8.2f GFLOP/s\n", runs.front().run_name.function_name.c_str(), shown->least(),
              shown->noise(), shown->gflops());
  std::fflush(stdout);
}

const Report::Result* Report::find(const std::string& algorithm, const std::string& robot, bool is_float) const {
  const auto at = results_.find(Case{"", algorithm, robot, is_float}.name());
  return at == results_.end() ? nullptr : &at->second;
}
double Report::peak(const std::string& what, bool is_float) const {
  const Result* const result = find("peak", what + (is_float ? "_float" : "_double"));
  return result ? result->gflops() : 0;
}
double Report::share_of_peak(const Result& result, bool is_float) const {
  const double fma = peak("fma", is_float);
  return fma > 0 ? 100 * result.gflops() / fma : 0;
}

void Report::for_each_algorithm(const std::string& part, bool reuse,
                                const std::function<void(const std::string&)>& f) const {
  for (const auto& [own, name] : algorithms_) {
    if (own != part || (!reuse && ends_with(name, reuse_suffix))) continue;
    const std::string& algorithm = name;
    if (std::any_of(robots_.begin(), robots_.end(),
                    [&](const RobotInfo& robot) { return find(algorithm, robot.name) != nullptr; }))
      f(name);
  }
}
std::vector<RobotInfo> Report::robots_of(bool is_float) const {
  std::vector<RobotInfo> some;
  for (const RobotInfo& robot : robots_)
    for (const auto& [part, name] : algorithms_)
      if (find(name, robot.name, is_float)) {
        some.push_back(robot);
        break;
      }
  return some;
}

void Report::print_overview(std::FILE* out) const {
  std::fprintf(out, "\n## Time per call [us]\n\n");
  std::vector<std::string> columns;
  for (const auto& robot : robots_of(false)) columns.push_back(robot.name + ", " + std::to_string(robot.nv));
  print_head(out, columns);
  for (const auto& part : parts_)
    for_each_algorithm(part, true, [&](const std::string& name) {
      std::fprintf(out, "| `%s` |", name.c_str());
      for (const auto& robot : robots_of(false)) {
        const Result* const result = find(name, robot.name);
        const double time = result ? result->least() / 1000 : 0;
        // Writes three digits without an exponent.
        result ? std::fprintf(out, time < 100 ? " %.3g |" : " %.0f |", time) : std::fprintf(out, " |");
      }
      std::fprintf(out, "\n");
    });
}

void Report::print_robot(std::FILE* out, const RobotInfo& robot, bool is_float) const {
  std::fprintf(out, "\n## %s, %d degrees of freedom%s\n\n", robot.name.c_str(), robot.nv, is_float ? ", float" : "");
  print_head(out, {"time [ns]", "+ [%]", "flops", "functions", "GFLOP/s", "% of peak"});
  for (const auto& [part, name] : algorithms_) {
    const Result* const result = find(name, robot.name, is_float);
    if (!result) continue;
    std::fprintf(out, "| `%s` | %.0f | %.1f | %.0f | %.0f | %.2f |", name.c_str(), result->least(), result->noise(),
                 result->flops, result->functions, result->gflops());
    if (peak("fma", is_float) > 0) std::fprintf(out, " %.1f", share_of_peak(*result, is_float));
    std::fprintf(out, " |\n");
  }
}

void Report::print_reuse(std::FILE* out) const {
  std::fprintf(out, "\n## What f(model, data) after a kinematics pass saves [%% of the complete call]\n\n");
  std::vector<std::string> columns;
  for (const auto& robot : robots_of(false)) columns.push_back(robot.name);
  print_head(out, columns);
  for (const auto& part : parts_)
    for_each_algorithm(part, false, [&](const std::string& name) {
      std::string row;
      for (const auto& robot : robots_of(false)) {
        const Result *const all = find(name, robot.name), *const reuse = find(name + reuse_suffix, robot.name);
        char cell[40] = " |";
        if (all && reuse)
          std::snprintf(cell, sizeof cell, " %ld |", std::lround(100 * (1 - reuse->least() / all->least())));
        row += cell;
      }
      if (row.find_first_not_of(" |") != std::string::npos)
        std::fprintf(out, "| `%s` |%s\n", name.c_str(), row.c_str());
    });
}

void Report::print_float(std::FILE* out) const {
  const auto robots = robots_of(true);
  if (robots.empty()) return;
  std::fprintf(out, "\n## How many times faster float is than double\n\n");
  std::vector<std::string> columns;
  for (const auto& robot : robots) columns.push_back(robot.name);
  print_head(out, columns);
  for (const auto& [part, name] : algorithms_) {
    std::string row;
    for (const auto& robot : robots) {
      const Result *const wide = find(name, robot.name), *const narrow = find(name, robot.name, true);
      char cell[40] = " |";
      if (wide && narrow) std::snprintf(cell, sizeof cell, " %.2f |", wide->least() / narrow->least());
      row += cell;
    }
    if (row.find_first_not_of(" |") != std::string::npos) std::fprintf(out, "| `%s` |%s\n", name.c_str(), row.c_str());
  }
}

void Report::write(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& context) const {
  const File out = open(folder + "/report.md");
  std::fprintf(out.get(), "# The speed of corio\n\n");
  for (const auto& [key, value] : context) std::fprintf(out.get(), "- %s: %s\n", key.c_str(), value.c_str());
  for (const bool is_float : {false, true})
    if (peak("fma", is_float) > 0)
      std::fprintf(out.get(), "- peak, %s: %.1f GFLOP/s; in vectors of corio's width %.1f, one number at a time %.1f\n",
                   is_float ? "float" : "double", peak("fma", is_float), peak("block", is_float),
                   peak("scalar", is_float));
  std::vector<double> noise;
  for (const auto& [name, result] : results_) noise.push_back(result.noise());
  std::sort(noise.begin(), noise.end());
  if (!noise.empty())
    std::fprintf(out.get(),
                 "- noise: the longest repetition takes %.1f %% more than the least (typical case), %.1f %% (worst)\n",
                 noise[noise.size() / 2], noise.back());
  std::fprintf(out.get(), R"(
Times are of the processor, for one call, by one thread over 64 random states: the least of the repetitions, and +
is how much longer the longest takes. A flop is one +, -, * or /; a function is one sine, cosine, square root or arc tangent. Both are
counted by running the algorithm once with numbers that count, so what vector registers compute and drop is not in
them, nor is what a sine consists of. Peak is what multiplications and additions alone reach in the widest vectors of
this processor, measured in the same run. `_reuse` is f(model, data), after a kinematics pass that is not timed.
)");
  print_overview(out.get());
  print_reuse(out.get());
  print_float(out.get());
  for (const bool is_float : {false, true})
    for (const auto& robot : robots_of(is_float)) print_robot(out.get(), robot, is_float);

  const File index = open(folder + "/index.gp");
  write_growth(folder, index.get());
  write_peak(folder, index.get());
}

/// Writes times of chains against their length, a file for each part.
void Report::write_growth(const std::string& folder, std::FILE* index) const {
  int parts = 0;
  for (const auto& part : parts_) {
    std::vector<std::string> names;
    for_each_algorithm(part, false, [&](const std::string& name) { names.push_back(name); });
    std::vector<RobotInfo> chains;
    for (const auto& robot : robots_of(false))
      if (robot.chain) chains.push_back(robot);
    std::erase_if(names, [&](const std::string& name) {
      return !std::all_of(chains.begin(), chains.end(), [&](const auto& chain) { return find(name, chain.name); });
    });
    if (names.empty() || chains.size() < 2) continue;
    const std::string file = "growth_" + std::to_string(++parts);
    const File data = open(folder + "/" + file + ".dat");
    std::fprintf(data.get(), "joints");
    for (const auto& name : names) std::fprintf(data.get(), " %s", name.c_str());
    for (const auto& chain : chains) {
      std::fprintf(data.get(), "\n%d", chain.nv);
      for (const auto& name : names) std::fprintf(data.get(), " %.5g", find(name, chain.name)->least() / 1000);
    }
    std::fprintf(data.get(), "\n");
    std::fprintf(index, "title_%d = \"%s\"\ncolumns_%d = %d\n", parts, part.c_str(), parts,
                 static_cast<int>(names.size()));
  }
  std::fprintf(index, "parts = %d\n", parts);
}

/// Writes the share of the peak of each complete call on a few robots.
void Report::write_peak(const std::string& folder, std::FILE* index) const {
  std::vector<RobotInfo> robots = robots_of(false), some;
  for (const char* name : {"chain_20", "humanoid", "chain_100"})
    for (const auto& robot : robots)
      if (robot.name == name) some.push_back(robot);
  if (some.empty()) some.assign(robots.begin(), robots.begin() + std::min<std::ptrdiff_t>(3, std::ssize(robots)));
  int rows = 0;
  if (peak("fma", false) > 0 && !some.empty()) {
    const File data = open(folder + "/peak.dat");
    std::fprintf(data.get(), "algorithm");
    for (const auto& robot : some) std::fprintf(data.get(), " %s", robot.name.c_str());
    for (const auto& part : parts_)
      for_each_algorithm(part, false, [&](const std::string& name) {
        const auto* const first = find(name, some.front().name);
        if (!first || first->flops == 0) return;
        std::fprintf(data.get(), "\n%s", name.c_str());
        for (const auto& robot : some) {
          const auto* const result = find(name, robot.name);
          std::fprintf(data.get(), " %.3g", result ? share_of_peak(*result, false) : 0.0);
        }
        ++rows;
      });
    std::fprintf(data.get(), "\n");
    std::fprintf(index, "block_share = %.4g\nscalar_share = %.4g\n", 100 * peak("block", false) / peak("fma", false),
                 100 * peak("scalar", false) / peak("fma", false));
  }
  std::fprintf(index, "rows = %d\nrobots = %d\n", rows, static_cast<int>(some.size()));
}

}  // namespace speed
