#include "corio/simd/sincos.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace corio;

// Compares with the C library in long double, whose argument reduction is exact.

namespace {

template <class S>
struct SineCosine {
  explicit SineCosine(const std::vector<S>& x) : sine(x.size()), cosine(x.size()) {
    detail::sincos(static_cast<int>(x.size()), x.data(), sine.data(), cosine.data());
  }
  std::vector<S> sine, cosine;
};

/// Returns |y - exact| in units in the last place of a result of that size.
template <class S>
double ulps(S y, long double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<S>::min_exponent);
  return static_cast<double>(std::abs(static_cast<long double>(y) - exact) /
                             std::ldexp(1.0L, exponent - std::numeric_limits<S>::digits));
}

template <class S>
double worst_error(const std::vector<S>& x) {
  const SineCosine<S> result(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto exact = static_cast<long double>(x[i]);
    worst = std::max({worst, ulps(result.sine[i], std::sin(exact)), ulps(result.cosine[i], std::cos(exact))});
  }
  return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("sines and cosines of angles up to 1e5 are within one unit in the last place", "[spatial][sincos]",
                   double, float) {
  std::mt19937_64 generator(7);
  for (const double range : {1e-3, 1.0, 10.0, 1e3, 1e5}) {
    CAPTURE(range);
    std::uniform_real_distribution<double> angle(-range, range);
    std::vector<TestType> x(100000);
    for (TestType& xi : x) xi = static_cast<TestType>(angle(generator));
    CHECK(worst_error(x) < 1.0);
  }
}

TEMPLATE_TEST_CASE("so they are next to all multiples of pi/2 up to 1e5, where one of them almost vanishes",
                   "[spatial][sincos]", double, float) {
  const auto half_pi = std::acos(-1.0L) / 2;
  std::vector<TestType> x;
  for (int n = -63661; n <= 63661; ++n) {
    const auto nearest = static_cast<TestType>(static_cast<long double>(n) * half_pi);
    x.push_back(nearest);
    x.push_back(std::nextafter(nearest, TestType(1e9)));
    x.push_back(std::nextafter(nearest, TestType(-1e9)));
    x.push_back(static_cast<TestType>(nearest * TestType(1 + 1e-7)));
  }
  CHECK(worst_error(x) < 1.0);
}

TEMPLATE_TEST_CASE("and between them, where the quadrant changes, and for tiny angles", "[spatial][sincos]", double,
                   float) {
  const auto quarter_pi = std::acos(-1.0L) / 4;
  std::vector<TestType> x{TestType(0), -TestType(0)};
  for (int n = -2001; n <= 2001; n += 2) {
    const auto nearest = static_cast<TestType>(static_cast<long double>(n) * quarter_pi);
    for (const double factor : {1.0, 1.0 - 1e-7, 1.0 + 1e-7}) x.push_back(static_cast<TestType>(nearest * factor));
  }
  for (TestType tiny = TestType(1); tiny > TestType(0); tiny /= 3) x.insert(x.end(), {tiny, -tiny});
  CHECK(worst_error(x) < 1.0);
}

TEMPLATE_TEST_CASE("larger angles are those of the C library", "[spatial][sincos]", double, float) {
  for (const double x : {100001.0, -3e5, 1e9, 1e22, -3e37}) {
    const auto angle = static_cast<TestType>(x);
    const SineCosine<TestType> result({angle});
    CHECK(result.sine[0] == std::sin(angle));
    CHECK(result.cosine[0] == std::cos(angle));
  }
}

TEMPLATE_TEST_CASE("NaN gives NaN, and only in its own lane", "[spatial][sincos]", double, float) {
  constexpr TestType nan = std::numeric_limits<TestType>::quiet_NaN(), inf = std::numeric_limits<TestType>::infinity();
  const std::vector<TestType> x{TestType(0.1), nan, TestType(0.3), inf, TestType(0.5), -inf, TestType(1e6)};
  const SineCosine<TestType> result(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    const SineCosine<TestType> alone({x[i]});
    if (std::isfinite(x[i])) {
      CHECK(result.sine[i] == alone.sine[0]);
      CHECK(result.cosine[i] == alone.cosine[0]);
    } else {
      CHECK(std::isnan(result.sine[i]));
      CHECK(std::isnan(result.cosine[i]));
    }
  }
}

TEMPLATE_TEST_CASE("any number of angles is served, and nothing else is written", "[spatial][sincos]", double, float) {
  for (std::size_t n = 0; n <= 9; ++n) {
    std::vector<TestType> x(n), sine(n + 8, TestType(7)), cosine(sine);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<TestType>(0.3 * static_cast<double>(i) - 1);
    detail::sincos(static_cast<int>(n), x.data(), sine.data(), cosine.data());
    for (std::size_t i = 0; i < sine.size(); ++i) {
      CHECK(sine[i] == (i < n ? SineCosine<TestType>({x[i]}).sine[0] : TestType(7)));
      CHECK(cosine[i] == (i < n ? SineCosine<TestType>({x[i]}).cosine[0] : TestType(7)));
    }
  }
}

TEST_CASE("scalars without a kernel use their own sin and cos", "[spatial][sincos]") {
  const std::vector<long double> x{0.1L, -2.0L, 1e6L};
  const SineCosine<long double> result(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(result.sine[i] == std::sin(x[i]));
    CHECK(result.cosine[i] == std::cos(x[i]));
  }
}
