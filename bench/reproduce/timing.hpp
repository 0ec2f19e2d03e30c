#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

/// Common parts of the benchmarks that repeat the experiments of a paper: interleaved timing, orders of growth,
/// reports.
namespace paper {

/// The number of processes that want to run, averaged over the last minute; negative if the system does not tell it.
inline double load_average() {
  std::ifstream in("/proc/loadavg");
  double load = -1;
  in >> load;
  return load;
}

/// Times many cases against each other. Each round measures all of them once, so that a change of the clock rate
/// affects all alike. The least time over the rounds contains no time of other processes, as long as a sample is
/// shorter than a time slice of the scheduler.
class Timer {
 public:
  /// @param pass   runs the timed function `calls` times
  /// @returns      the index of the case in microseconds() and noise()
  std::size_t add(int calls, std::function<void()> pass) {
    cases_.push_back({std::move(pass), calls, {}});
    return cases_.size() - 1;
  }

  void run(int rounds) {
#if __has_include(<unistd.h>)
    const bool progress = isatty(STDERR_FILENO) != 0;
#else
    const bool progress = false;
#endif
    for (int round = 0; round < rounds; ++round) {
      if (progress) std::fprintf(stderr, "\rround %d of %d ", round + 1, rounds);
      for (Case& c : cases_) measure(c);
    }
    if (progress) std::fprintf(stderr, "\r%30s\r", "");
    for (Case& c : cases_) std::sort(c.samples.begin(), c.samples.end());
  }

  /// The least time per call.
  double microseconds(std::size_t at) const { return cases_[at].samples.front(); }
  /// The median of the samples minus the least one, relative to the least one.
  double noise(std::size_t at) const {
    const auto& samples = cases_[at].samples;
    return samples[samples.size() / 2] / samples.front() - 1;
  }
  std::size_t size() const { return cases_.size(); }

 private:
  struct Case {
    std::function<void()> pass;
    int calls;
    std::vector<double> samples;
  };
  /// Takes one sample: an untimed pass, which brings the case back into the caches, then as many passes as fill half a
  /// millisecond, so that the time to read the clock is negligible.
  static void measure(Case& c) {
    using Clock = std::chrono::steady_clock;
    c.pass();
    const auto start = Clock::now();
    int passes = 0;
    double elapsed = 0;
    do {
      c.pass();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      ++passes;
      elapsed = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    } while (elapsed < 500);
    c.samples.push_back(elapsed / (passes * c.calls));
  }

  std::vector<Case> cases_;
};

/// Fits y = scale x^order by least squares on the logarithms.
struct PowerLaw {
  double order, scale;
};
inline PowerLaw fit_power_law(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double u = 0, w = 0, uu = 0, uw = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    u += std::log(x[i]) / n;
    w += std::log(y[i]) / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    uu += (std::log(x[i]) - u) * (std::log(x[i]) - u);
    uw += (std::log(x[i]) - u) * (std::log(y[i]) - w);
  }
  return {uw / uu, std::exp(w - uw / uu * u)};
}

/// A text file that is closed by its destructor.
class TextFile {
 public:
  explicit TextFile(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
    if (!file_) throw std::runtime_error("cannot write " + path);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { std::fclose(file_); }
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::vfprintf(file_, format, arguments);
    va_end(arguments);
  }

 protected:
  std::FILE* file_;
};

/// A text file whose contents are printed, too.
class Report : public TextFile {
 public:
  using TextFile::TextFile;
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) {
    std::va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    std::vprintf(format, arguments);
    std::vfprintf(file_, format, again);
    va_end(again);
    va_end(arguments);
  }
};

/// The processor's name, if the system tells it.
inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

/// The conditions of the measurement, in lines: compiler, flags, processor, and the load when the program began (@param
/// load) and now.
inline std::string machine(const char* compiler, const char* flags, double load) {
  char loads[80];
  std::snprintf(loads, sizeof loads, "%.1f at the start, %.1f at the end", load, load_average());
  return std::string("compiler   ") + compiler + ", " + flags + "\nprocessor  " + processor() + "\nload       " +
         loads + ", this program included\n" +
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
         "\nWARNING: built without optimisation or with assertions; the times mean nothing.\n";
#else
         "";
#endif
}
inline void print_machine(Report& report, const char* compiler, const char* flags, double load) {
  report.print("%s", machine(compiler, flags, load).c_str());
}

inline void print_noise(Report& report, const Timer& timer) {
  std::vector<double> noise;
  for (std::size_t i = 0; i < timer.size(); ++i) noise.push_back(100 * timer.noise(i));
  std::sort(noise.begin(), noise.end());
  report.print(
      "\nNoise: the middle one of the rounds takes %.1f %% longer than the least (typical case), %.1f %% (worst)\n",
      noise[noise.size() / 2], noise.back());
}

}  // namespace paper
