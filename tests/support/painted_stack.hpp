#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace corio::test {

/// A stack of its own, painted before a function runs on it.
class PaintedStack {
 public:
  /// Bytes from the top of the stack to the lowest one that f wrote. f must not throw.
  std::size_t use(const std::function<void()>& f) {
    std::fill(bytes_.begin(), bytes_.end(), paint);
    running() = &f;
    ucontext_t here, there;
    getcontext(&there);
    there.uc_stack.ss_sp = bytes_.data();
    there.uc_stack.ss_size = bytes_.size();
    there.uc_link = &here;
    makecontext(
        &there, [] { (*running())(); }, 0);
    swapcontext(&here, &there);
    const auto written = std::find_if(bytes_.begin(), bytes_.end(), [](unsigned char x) { return x != paint; });
    return static_cast<std::size_t>(bytes_.end() - written);
  }

 private:
  static const std::function<void()>*& running() {
    static const std::function<void()>* f = nullptr;
    return f;
  }
  static constexpr unsigned char paint = 0xa5;
  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(1 << 20);
};

}  // namespace corio::test
