#include "peak.hpp"

#include <benchmark/benchmark.h>

#include <type_traits>
#include <utility>

#include "corio/simd/lanes.hpp"

namespace speed {
namespace {

// The number of sums that two units with a latency of four cycles need; they fit into sixteen registers.
constexpr int sums = 10, rounds = 400;

/// Prevents the compiler from combining neighbouring numbers to a vector.
template <class V>
CORIO_INLINE void separate([[maybe_unused]] V& x) {
  if constexpr (std::is_arithmetic_v<V>) {
#if defined(__x86_64__)
    asm volatile("" : "+x"(x));
#elif defined(__aarch64__)
    asm volatile("" : "+w"(x));
#endif
  }
}

/// Repeats x <- x a + b with a = 1/2, b = 1/4, which converges to 1/2. V is a number or a vector of numbers.
template <class V, class S, int... i>
CORIO_INLINE void multiply_add(S* start, std::integer_sequence<int, i...>) {
  const V a = V{} + start[0], b = V{} + start[1];
  V x[] = {a + static_cast<S>(i) * b...};
  for (int round = 0; round < rounds; ++round) ((x[i] = x[i] * a + b, separate(x[i])), ...);
  V sum = a;
  ((sum += x[i]), ...);
  benchmark::DoNotOptimize(sum);
}
template <class V, class S>
CORIO_INLINE void multiply_add(S* start) {
  multiply_add<V>(start, std::make_integer_sequence<int, sums>());
}

template <class S, int bytes>
struct Vector {
  typedef S Type __attribute__((vector_size(bytes)));
  static constexpr int width = bytes / static_cast<int>(sizeof(S));
};

template <class S>
struct Widest {
  const char* name;
  int width;
  void (*loop)(S*);
};

#if defined(__x86_64__)
template <class S>
__attribute__((target("avx512f"))) void loop_avx512(S* start) {
  multiply_add<typename Vector<S, 64>::Type>(start);
}
template <class S>
__attribute__((target("avx2,fma"))) void loop_avx2(S* start) {
  multiply_add<typename Vector<S, 32>::Type>(start);
}
#endif
template <class S>
void loop_block(S* start) {
  multiply_add<typename corio::detail::Lanes<S>::Type>(start);
}
template <class S>
void loop_scalar(S* start) {
  multiply_add<S>(start);
}

template <class S>
Widest<S> widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", Vector<S, 64>::width, loop_avx512<S>};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"AVX2 and FMA", Vector<S, 32>::width, loop_avx2<S>};
#endif
  return {"as the flags allow", corio::detail::group_size<S>, loop_block<S>};
}

template <class S>
void add(const std::string& name, int width, void (*loop)(S*)) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    S start[] = {S(0.5), S(0.25)};
    for (auto _ : state) {
      loop(start);
      benchmark::ClobberMemory();
    }
    state.counters["flops"] = 2.0 * sums * rounds * width;
    state.counters["FLOP/s"] =
        benchmark::Counter(2.0 * sums * rounds * width, benchmark::Counter::kIsIterationInvariantRate);
  });
}

template <class S>
void add_all(const std::string& scalar) {
  const auto [name, width, loop] = widest<S>();
  add("peak/fma_" + scalar, width, loop);
  add("peak/block_" + scalar, corio::detail::group_size<S>, loop_block<S>);
  add("peak/scalar_" + scalar, 1, loop_scalar<S>);
}

}  // namespace

void register_peaks() {
  add_all<double>("double");
  add_all<float>("float");
}

std::string widest_vectors() { return widest<double>().name; }

}  // namespace speed
