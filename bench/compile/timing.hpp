#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <vector>

#include "corio/core/scalar.hpp"

/// Timing for programs that are compiled with several flags and compared.
namespace timing {

/// The time of one of the `calls` calls in pass(): the least of 40 samples of half a millisecond.
template <class F>
double nanoseconds(int calls, F&& pass) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int sample = 0; sample < 40; ++sample) {
    const auto start = Clock::now();
    int passes = 0;
    double elapsed = 0;
    do {
      pass();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      ++passes;
      elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    } while (elapsed < 5e5);
    best = std::min(best, elapsed / (passes * calls));
  }
  return best;
}

template <class S>
struct State {
  corio::VectorX<S> q, v, a;
};

/// States with numbers between -1 and 1.
template <class S>
std::vector<State<S>> random_states(int count, int nq, int nv) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&](int n) {
    return corio::VectorX<S>::NullaryExpr(n, [&] { return S(uniform(random)); }).eval();
  };
  std::vector<State<S>> states;
  for (int i = 0; i < count; ++i) states.push_back({vector(nq), vector(nv), vector(nv)});
  return states;
}

}  // namespace timing
