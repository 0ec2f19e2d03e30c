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

/// What benchmarks that repeat the experiments of a paper share: interleaved timing, orders of growth, reports.
namespace paper {

/// Times many cases against each other. Each round measures all of them once, so that another process or a change of
/// the clock rate hits all alike, and the median over the rounds drops what hit only a few.
class Timer {
 public:
  /// @param pass   runs what is timed, `calls` times
  /// @returns      where to find the result
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

  /// Median time per call.
  double microseconds(std::size_t at) const { return quantile(at, 0.5); }
  /// Half the width of the interval that holds the middle half of the samples, as a share of the median.
  double spread(std::size_t at) const { return (quantile(at, 0.75) - quantile(at, 0.25)) / (2 * quantile(at, 0.5)); }
  std::size_t size() const { return cases_.size(); }

 private:
  struct Case {
    std::function<void()> pass;
    int calls;
    std::vector<double> samples;
  };
  double quantile(std::size_t at, double p) const {
    const auto& samples = cases_[at].samples;
    const double x = p * static_cast<double>(samples.size() - 1), below = std::floor(x);
    const auto i = static_cast<std::size_t>(below);
    return samples[i] + (x - below) * (samples[std::min(i + 1, samples.size() - 1)] - samples[i]);
  }

  /// One sample: after an untimed pass, which brings the case back into the caches, as many passes as fill half a
  /// millisecond, beside which reading the clock costs nothing.
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

/// y = scale x^order, by least squares on the logarithms.
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

/// A text file that is shown too.
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

/// The processor's name, where the system tells it.
inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace paper
