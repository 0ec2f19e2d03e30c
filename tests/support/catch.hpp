// One include and one spelling of Approx and Contains for Catch2 2.13 and 3.
#pragma once

#include <complex>

// An exception in an assertion ends the test case, instead of being caught in each assertion.
#define CATCH_CONFIG_FAST_COMPILE

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace Catch {
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

/// TEST_EACH(T& x, "name", "[tags]") { .. } is a test case of each x = T(0), T(1), .. T(T::count() - 1), whose name()
/// is shown where a check fails.
#define TEST_EACH(PARAMETER, ...) CORIO_TEST_EACH(INTERNAL_CATCH_UNIQUE_NAME(each_), PARAMETER, __VA_ARGS__)
#define CORIO_TEST_EACH(FUNCTION, PARAMETER, ...)                   \
  static void FUNCTION(PARAMETER);                                  \
  TEST_CASE(__VA_ARGS__) { corio::test::call_with_each(FUNCTION); } \
  static void FUNCTION(PARAMETER)

/// TEST_EACH_SCALAR(T<S>& x, "name", "[tags]") { .. } is a test case of x = T<S>(1), .. T<S>(10) over each scalar S.
#define TEST_EACH_SCALAR(PARAMETER, ...) \
  CORIO_TEST_EACH_SCALAR(INTERNAL_CATCH_UNIQUE_NAME(each_), PARAMETER, __VA_ARGS__)
#define CORIO_TEST_EACH_SCALAR(FUNCTION, PARAMETER, ...)                                     \
  template <class S>                                                                         \
  static void FUNCTION(PARAMETER);                                                           \
  TEMPLATE_TEST_CASE(__VA_ARGS__, CORIO_TEST_SCALARS(double, float, std::complex<double>)) { \
    corio::test::call_with_each_seed(FUNCTION<TestType>);                                    \
  }                                                                                          \
  template <class S>                                                                         \
  static void FUNCTION(PARAMETER)

namespace corio::test {

template <class T>
void call_with_each_seed(void (*test)(T&)) {
  const int seed = GENERATE(Catch::Generators::range(1, 11));
  CAPTURE(seed);
  std::remove_const_t<T> x(seed);
  test(x);
}

template <class T>
void call_with_each(void (*test)(T&)) {
  T x(GENERATE(Catch::Generators::range(0, T::count())));
  INFO(x.name());
  test(x);
}

}  // namespace corio::test

/// The scalars of a TEMPLATE_TEST_CASE: without CORIO_TEST_ALL only the first. The same source compiles over the
/// others, and takes as long again for each.
#ifdef CORIO_TEST_ALL
#define CORIO_TEST_SCALARS(...) __VA_ARGS__
#else
#define CORIO_TEST_SCALARS(FIRST, ...) FIRST
#endif
