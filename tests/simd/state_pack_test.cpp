#include "corio/simd/state_pack.hpp"

#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "corio/spatial/lie.hpp"
#include "support/catch.hpp"

using namespace corio;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// Returns numbers of every kind, and many ordinary ones.
std::vector<double> numbers() {
  std::vector<double> all = {0.0, -0.0,  1.0,  -1.0, infinity,           -infinity,         nan, 1e-310, 1e300, -1e300,
                             1e5, 1.1e5, -3e9, 0.1,  1.5707963267948966, 3.141592653589793, 2e-8};
  for (int i = -200; i < 200; ++i) all.push_back(0.37 * i);
  while (all.size() % 16 != 0) all.push_back(0.5);
  return all;
}

template <class P>
void check_arithmetic() {
  using S = typename P::Number;
  const auto values = numbers();
  const auto at = [&](std::size_t i) { return static_cast<S>(values[i % values.size()]); };
  const auto same = [](S x, S y) { return std::memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y) || x == y; };
  for (std::size_t i = 0; i < values.size(); i += P::lanes)
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{35}}) {
      P a, b;
      for (int l = 0; l < P::lanes; ++l) {
        const auto k = static_cast<std::size_t>(l);
        a.set(l, at(i + k)), b.set(l, at(i + k + shift));
      }
      for (int l = 0; l < P::lanes; ++l) {
        const S x = a[l], y = b[l];
        CAPTURE(x, y);
        CHECK(same((a + b)[l], x + y));
        CHECK(same((a - b)[l], x - y));
        CHECK(same((a * b)[l], x * y));
        CHECK(same((a / b)[l], x / y));
        P sum = a, difference = a, product = a, quotient = a;
        sum += b, difference -= b, product *= b, quotient /= b;
        CHECK(same(sum[l], x + y));
        CHECK(same(difference[l], x - y));
        CHECK(same(product[l], x * y));
        CHECK(same(quotient[l], x / y));
        CHECK(same((-a)[l], -x));
        CHECK(same(abs(a)[l], std::abs(x)));
        CHECK(same(min(a, b)[l], std::min(x, y)));
        CHECK(same(max(a, b)[l], std::max(x, y)));
        CHECK(same(sqrt(a)[l], std::sqrt(x)));
        CHECK(same(tanh(a)[l], std::tanh(x)));
        CHECK(same(atan2(a, b)[l], std::atan2(x, y)));
        CHECK(same(select(a < b, a, b)[l], x < y ? x : y));
        CHECK((a < b)[l] == (x < y));
        CHECK((a <= b)[l] == (x <= y));
        CHECK((a > b)[l] == (x > y));
        CHECK((a >= b)[l] == (x >= y));
        CHECK((a == b)[l] == (x == y));
        CHECK((a != b)[l] == (x != y));
        CHECK((!(a < b))[l] == !(x < y));
        CHECK(((a < b) && (b > S(0)))[l] == (x < y && y > 0));
        CHECK(((a < b) || (b > S(0)))[l] == (x < y || y > 0));
        CHECK(isfinite(a)[l] == std::isfinite(x));
        // Allow one unit in the last place, for numbers up to one.
        const S unit = 2 * std::numeric_limits<S>::epsilon();
        P sine, cosine;
        sincos(a, sine, cosine);
        CHECK(same(sine[l], sin(a)[l]));
        CHECK(same(cosine[l], cos(a)[l]));
        if (std::isfinite(x)) {
          CHECK(std::abs(sine[l] - std::sin(x)) <= unit);
          CHECK(std::abs(cosine[l] - std::cos(x)) <= unit);
        } else {
          CHECK(sine[l] != sine[l]);
        }
      }
      int less = 0;
      for (int l = 0; l < P::lanes; ++l) less += (a < b)[l];
      CHECK(in_any_state(a < b) == (less > 0));
      CHECK(in_every_state(a < b) == (less == P::lanes));
    }
}

}  // namespace

// A branch on the values of a pack does not compile.
static_assert(!std::is_convertible_v<Mask<double, 4>, bool> && !std::is_constructible_v<bool, Mask<double, 4>>);
static_assert(!std::is_convertible_v<Pack<double, 4>, double> && !std::is_constructible_v<double, Pack<double, 4>>);
static_assert(static_cast<int>(alignof(Pack<double, 8>)) <= std::max(EIGEN_MAX_ALIGN_BYTES, 16));

TEST_CASE("a pack computes in each lane what its numbers do", "[simd][pack]") {
  check_arithmetic<Pack<double, 2>>();
  check_arithmetic<Pack<double, 8>>();
  check_arithmetic<Pack<float, 4>>();
  check_arithmetic<Pack<float, 16>>();
}

TEST_CASE("packs are stored from and to any address", "[simd][pack]") {
  double from[9], to[9] = {};
  for (int i = 0; i < 9; ++i) from[i] = i;
  const auto a = Pack<double, 8>::load(from + 1);
  (2.0 * a + 1.0).store(to + 1);
  CHECK(to[0] == 0.0);
  for (int i = 1; i < 9; ++i) CHECK(to[i] == 2.0 * i + 1.0);
}

TEST_CASE("choose evaluates one side where all states agree, and both elsewhere", "[simd][pack]") {
  using P = Pack<double, 4>;
  int calls = 0;
  const auto one = [&] { return ++calls, P(1.0); };
  const auto two = [&] { return ++calls, P(2.0); };
  P x(0.0);
  CHECK(in_every_state(choose(x < 1.0, one, two) == 1.0));
  CHECK(in_every_state(choose(x > 1.0, one, two) == 2.0));
  CHECK(calls == 2);
  x.set(2, 5.0);
  const P mixed = choose(x < 1.0, one, two);
  CHECK(calls == 4);
  for (int l = 0; l < 4; ++l) CHECK(mixed[l] == (l == 2 ? 2.0 : 1.0));
}

TEST_CASE("rotations by small, large and no angles share a pack", "[simd][pack]") {
  using P = Pack<double, 4>;
  const double angles[] = {0.0, 1e-9, 0.6, 3.1};
  Vector3<P> w(P(0.3), P(-0.5), P(0.8));
  for (int i = 0; i < 3; ++i)
    for (int l = 0; l < 4; ++l) w[i].set(l, w[i][l] * angles[l]);
  const Quaternion<P> a = exp_quaternion(w);
  const Vector3<P> back = log_quaternion(a);
  const Quaternion<P> b = quaternion_from_rotation(rotation_from_quaternion(a));
  for (int l = 0; l < 4; ++l) {
    CAPTURE(l);
    const auto lane = [&](const auto& x) {
      Eigen::VectorXd out(x.size());
      for (int i = 0; i < x.size(); ++i) out[i] = x[i][l];
      return out;
    };
    const Vector3<double> wl = lane(w);
    CHECK((lane(a) - exp_quaternion(wl)).norm() < 1e-15);
    CHECK((lane(back) - wl).norm() < 1e-14);
    CHECK((lane(b) - quaternion_from_rotation(rotation_from_quaternion(exp_quaternion(wl)))).norm() < 1e-15);
  }
}

TEST_CASE("quaternions of extreme norms share a pack", "[simd][pack]") {
  using P = Pack<double, 4>;
  const double norms[] = {1.0, 1e-200, 1e200, 0.0};
  Quaternion<P> a;
  for (int l = 0; l < 4; ++l)
    for (int i = 0; i < 4; ++i) a[i].set(l, norms[l] * (i + 1));
  const Matrix3<P> R = rotation_from_quaternion(a);
  const Matrix3<double> expected = rotation_from_quaternion(Quaternion<double>(1, 2, 3, 4));
  for (int i = 0; i < 9; ++i) {
    for (int l = 0; l < 3; ++l) CHECK(R(i)[l] == Approx(expected(i)).margin(1e-15));
    CHECK(R(i)[3] != R(i)[3]);
  }
}
