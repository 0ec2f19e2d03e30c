#include "identification/stream_problem.hpp"

namespace stream_test {

TEST_CASE("the residual of a rank-deficient problem counts all noise", "[identification][estimate]") {
  Problem p(60, 8, 13);
  p.Y.col(2) = p.Y.col(0) - 2 * p.Y.col(1);
  p.Y.col(7) = 3 * p.Y.col(6);
  const auto stream = streamed(p);
  const BaseParameters<double> base(stream);
  REQUIRE(base.size() == 6);
  const auto e = estimate(stream, base);
  const Vector x = t::pseudo_inverse(p.Y) * p.tau;
  CHECK(relative_error(e.residual, (p.Y * x - p.tau).squaredNorm()) < 1e-12);
  CHECK(relative_error(base.reduce(p.Y) * e.beta, p.Y * x) < 1e-12);
  CHECK(relative_error(e.beta, base.project(x)) < 1e-12);
  CHECK(e.degrees_of_freedom == 54);
}

TEST_CASE("covariance, cost and condition are those of the textbook", "[identification][estimate]") {
  const Problem p(60, 5, 14);
  const auto stream = streamed(p, true);
  const auto e = estimate(stream, BaseParameters<double>(stream));
  const Matrix Y = p.weights.cwiseSqrt().asDiagonal() * p.Y, inverse = t::inverse(Y.transpose() * Y);
  CHECK(relative_error(e.covariance, inverse) < 1e-12);
  CHECK(e.variance() == Approx(e.residual / 55));
  CHECK(relative_error(e.standard_deviation(), (inverse.diagonal() * e.variance()).cwiseSqrt()) < 1e-12);
  const Vector x = e.beta + Problem(5, 1, 15).tau;
  const double cost = (p.weights.array() * (p.Y * x - p.tau).array().square()).sum();
  CHECK(relative_error((e.R * (x - e.beta)).squaredNorm() + e.residual, cost) < 1e-12);
  const double condition = std::sqrt(t::condition(inverse));
  CHECK(e.condition >= condition);
  CHECK(e.condition <= 5 * condition);
}

TEMPLATE_TEST_CASE("estimates over other scalars are those over double", "[identification][estimate]",
                   CORIO_TEST_SCALARS(float, long double)) {
  using S = TestType;
  Problem<S> p(60, 6, 18);
  p.Y.col(4) = p.Y.col(1) - p.Y.col(3);
  const Problem<double> q(60, 6, 18);
  Matrix Y = q.Y;
  Y.col(4) = Y.col(1) - Y.col(3);
  Stream stream(6);
  stream.add(Y, q.tau);
  const auto expected = estimate(stream, BaseParameters<double>(stream));
  const auto over = streamed(p);
  const BaseParameters<S> base(over);
  REQUIRE(base.size() == 5);
  const auto e = estimate(over, base);
  CHECK(relative_error(VectorX<double>(e.beta.template cast<double>()), expected.beta) < 1e-5);
  CHECK(relative_error(VectorX<double>(e.standard_deviation().template cast<double>()), expected.standard_deviation()) <
        1e-5);
}

TEST_CASE("errors of estimates are as large as their standard deviations say", "[identification][estimate]") {
  // 500 times 40 rows have noise of different variances, known up to a factor of four: standard deviations and the
  // residual are statistics of 2500 and 17500 numbers, which scatter by 3 % and 1 %.
  constexpr int columns = 5, rows = 40, times = 500;
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  double errors = 0, variance = 0;
  for (int k = 0; k < times; ++k) {
    const Problem p(rows, columns, 100 + k);
    const Vector x = Problem(columns, 1, 16).tau;
    Vector tau = p.Y * x;
    for (int i = 0; i < rows; ++i) tau[i] += 2 * normal(generator) / std::sqrt(p.weights[i]);
    Stream stream(columns);
    stream.add(p.Y, tau, p.weights);
    const auto e = estimate(stream, BaseParameters<double>(stream));
    variance += e.variance() / times;
    errors += (e.beta - x).cwiseQuotient(e.standard_deviation(4.0)).squaredNorm() / (times * columns);
  }
  CHECK(variance == Approx(4).epsilon(0.05));
  CHECK(errors == Approx(1).epsilon(0.12));
}

TEST_CASE("parameters that the samples do not excite are named by number", "[identification][estimate]") {
  const Problem p(60, 5, 17);
  Stream poor(5);
  Matrix Y = p.Y;
  Y.col(3) = Y.col(1);
  poor.add(Y, p.tau);
  const BaseParameters<double> base(p.Y);
  const std::string message = t::message_of<Error>([&] { estimate(poor, base); });
  CHECK(t::mentions(message, {"60 rows", "base parameter 3"}));
  CHECK_THROWS_AS(estimate(Stream(6), base), SizeError);
  CHECK_THROWS_AS(estimate(Stream(5), base), Error);
}

}  // namespace stream_test
