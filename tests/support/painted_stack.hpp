#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

namespace corio::test {

/// A separate stack, painted before a function runs on it.
class PaintedStack {
 public:
  /// Returns the bytes from the top of the stack to the lowest byte that f wrote. f must not throw.
  std::size_t use(const std::function<void()>& f) {
    std::memset(bytes_.data(), paint, bytes_.size());
    running() = &f;
    ucontext_t here, there;
    getcontext(&there);
    there.uc_stack.ss_sp = bytes_.data();
    there.uc_stack.ss_size = bytes_.size();
    there.uc_link = &here;
    makecontext(
        &there, [] { (*running())(); }, 0);
    swapcontext(&here, &there);
    // Searches by blocks first, because code without optimisation would take long for each byte.
    constexpr std::size_t block = 4096;
    const std::vector<unsigned char> painted(block, paint);
    std::size_t at = 0;
    while (at < bytes_.size() && std::memcmp(&bytes_[at], painted.data(), block) == 0) at += block;
    while (at < bytes_.size() && bytes_[at] == paint) ++at;
    return bytes_.size() - at;
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
