#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corio/core/abi.hpp"

/// Executors, which run the tasks of a batch. An executor is any callable parallel_for(n, f) that calls f(i) once for
/// each i in [0, n), in any order and any threads, and returns when all calls have returned. tbb.hpp has one for
/// oneTBB.
namespace corio { inline namespace CORIO_ABI { namespace batch {

/// parallel_for(n, f), see above.
using Executor = std::function<void(std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f)>;

/// Returns the number of physical cores that this process may use. Hardware threads of one core count once: packs keep
/// the units of a core busy, so that a second thread gains little.
inline int physical_cores() {
  const int all = (std::max)(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::set<std::pair<int, int>> cores;
  for (int cpu = 0;; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::ifstream package_file(folder + "physical_package_id"), core_file(folder + "core_id");
    std::pair<int, int> core;
    if (!(package_file >> core.first && core_file >> core.second)) break;
    cores.insert(core);
  }
  return cores.empty() ? all : (std::min)(all, static_cast<int>(cores.size()));
}

/// Runs all tasks in the calling thread.
struct Serial {
  void operator()(std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) const {
    for (std::ptrdiff_t i = 0; i < n; ++i) f(i);
  }
};

/// A pool of threads; the calling thread works, too. Calls from several threads are served one after the other; a
/// nested call, from within f, runs serially. If a call of f throws, no further calls begin, and the first exception is
/// rethrown. After a call the threads of the pool wait for the next one for 50 us, busy but yielding, before they
/// sleep.
class ThreadPool {
 public:
  /// @param threads  including the calling one; 0, as hardware_concurrency may return, counts as 1
  /// @throws std::system_error if the system has no threads left
  explicit ThreadPool(int threads = physical_cores()) {
    try {
      for (int t = 1; t < threads; ++t) threads_.emplace_back([this] { serve(); });
    } catch (...) {
      join();
      throw;
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { join(); }

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  void operator()(std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) {
    if (is_working()) return Serial()(n, f);
    const std::lock_guard one_at_a_time(calls_);
    {
      const std::lock_guard lock(mutex_);
      f_ = &f, n_ = n, next_ = 0, error_ = nullptr;
      ++generation_;
    }
    wake_.notify_all();
    work();
    wait_briefly([this] { return working_ == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return working_ == 0; });
    f_ = nullptr;  // for threads that wake up late
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // std::jthread would join by itself, but libc++ has it only from version 20 on.
  void join() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  void serve() {
    std::uint64_t seen = 0;
    const auto is_called = [&] { return ends_ || generation_ != seen; };
    for (;;) {
      wait_briefly(is_called);
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, is_called);
        if (ends_) return;
        seen = generation_;
        if (!f_) continue;
        ++working_;
      }
      work();
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) done_.notify_all();
    }
  }
  /// Waits for a moment before the thread sleeps: to wake a thread takes as long as a small batch, and one batch often
  /// follows another.
  template <class Ready>
  static void wait_briefly(const Ready& is_ready) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (!is_ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
  /// Returns whether this thread is in a call of f.
  static bool& is_working() {
    thread_local bool working = false;
    return working;
  }
  void work() {
    is_working() = true;
    for (std::ptrdiff_t i; (i = next_++) < n_;) try {
        (*f_)(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = n_;
      }
    is_working() = false;
  }

  std::mutex calls_, mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::ptrdiff_t)>* f_ = nullptr;
  std::ptrdiff_t n_ = 0;
  std::atomic<std::ptrdiff_t> next_{0};
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> working_{0};  // threads at work, except the caller
  std::atomic<bool> ends_{false};
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

/// Returns a pool with one thread per physical core, which the whole program shares; the first call creates it.
inline Executor default_executor() {
  static ThreadPool pool;
  return [](std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) { pool(n, f); };
}

}}}  // namespace corio::batch
