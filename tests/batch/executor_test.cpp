#include "corio/batch/executor.hpp"

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/resource.h>
#define CORIO_TEST_LIMITS_MEMORY 1  // sanitizers take more address space than there is
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef CORIO_TEST_LIMITS_MEMORY
#endif
#endif
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace corio;

TEST_CASE("a batch within a batch runs in its thread", "[batch]") {
  batch::ThreadPool pool(2);
  std::atomic<int> calls = 0;
  pool(4, [&](std::ptrdiff_t) { pool(3, [&](std::ptrdiff_t) { ++calls; }); });
  CHECK(calls == 12);
}

TEST_CASE("the threads of a pool work at the same time", "[batch]") {
  batch::ThreadPool pool(2);
  // Runs at once after another batch, and after a pause in which the threads sleep.
  for (const auto pause : {std::chrono::milliseconds(0), std::chrono::milliseconds(0), std::chrono::milliseconds(5)}) {
    std::this_thread::sleep_for(pause);
    // Each call waits for the other, for longer than any machine needs to start a thread.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<int> present = 0, met = 0;
    pool(2, [&](std::ptrdiff_t) {
      for (++present; present < 2 && std::chrono::steady_clock::now() < end;) std::this_thread::yield();
      if (std::chrono::steady_clock::now() < end) ++met;
    });
    CHECK(met == 2);
  }
}

TEST_CASE("a thread pool calls f once for each number, and passes on the first exception", "[batch]") {
  batch::ThreadPool pool(4);
  CHECK(pool.threads() == 4);
  for (const std::ptrdiff_t n : {0, 1, 3, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
    pool(n, [&](std::ptrdiff_t i) { ++calls[static_cast<std::size_t>(i)]; });
    CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& c) { return c == 1; }));
  }
  CHECK_THROWS_AS(pool(100,
                       [](std::ptrdiff_t i) {
                         if (i == 5) throw std::domain_error("five");
                       }),
                  std::domain_error);
  std::atomic<int> again = 0;
  pool(10, [&](std::ptrdiff_t) { ++again; });
  CHECK(again == 10);
  // Calls from several threads at a time.
  std::atomic<int> sum = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) callers.emplace_back([&] { pool(50, [&](std::ptrdiff_t) { ++sum; }); });
  for (auto& caller : callers) caller.join();
  CHECK(sum == 200);
}

#ifdef CORIO_TEST_LIMITS_MEMORY
TEST_CASE("a pool for which the system has no threads ends those that it has, and throws", "[batch]") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit little = before;
  little.rlim_cur = rlim_t(4) << 30;  // 4 GiB of address space: the stacks of some hundred threads
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  CHECK_THROWS_AS(batch::ThreadPool(100000), std::system_error);
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  std::atomic<int> calls = 0;
  batch::ThreadPool(2)(4, [&](std::ptrdiff_t) { ++calls; });
  CHECK(calls == 4);
}
#endif
