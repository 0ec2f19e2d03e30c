#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace identify {

/// A bar on stderr with the time that is left; nothing where stderr is no terminal or the run is over within a second.
class Progress {
 public:
  Progress(const char* what, std::int64_t total) : what_(what), total_(total), start_(Clock::now()), shown_(start_) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (drawn_) std::fprintf(stderr, "\r%*s\r", width_ + 60, "");
  }

  void at(std::int64_t done) {
    if (!is_terminal_ || done == 0) return;
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(drawn_ ? 100 : 1000)) return;
    shown_ = now;
    drawn_ = true;
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    const double left = std::chrono::duration<double>(now - start_).count() * (1 / share - 1);
    const auto filled = static_cast<std::size_t>(share * width_);
    const std::string bar = std::string(filled, '#') + std::string(width_ - filled, '.');
    std::fprintf(stderr, "\r%s [%s] %3.0f %%, %.0f s left ", what_, bar.c_str(), 100 * share, left);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static bool stderr_is_terminal() {
#if __has_include(<unistd.h>)
    return isatty(2) != 0;
#else
    return false;
#endif
  }

  static constexpr int width_ = 40;
  const char* what_;
  std::int64_t total_;
  Clock::time_point start_, shown_;
  bool is_terminal_ = stderr_is_terminal(), drawn_ = false;
};

}  // namespace identify
