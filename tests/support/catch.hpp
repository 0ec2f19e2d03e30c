// One include and one spelling of Approx and Contains for Catch2 2.13 and 3.
#pragma once

// An exception in an assertion ends the test case, instead of being caught in each.
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

/// The scalars of a TEMPLATE_TEST_CASE: without CORIO_TEST_ALL the first alone. The same source compiles over
/// the others, so that they take as long again.
#ifdef CORIO_TEST_ALL
#define CORIO_TEST_SCALARS(...) __VA_ARGS__
#else
#define CORIO_TEST_SCALARS(FIRST, ...) FIRST
#endif
