#include "support/allocation_counter.hpp"
//
#include "identification/stream_problem.hpp"

namespace stream_test {

// The bounds allow for a QR of a few hundred rows of order one, backward stable, with condition numbers of about ten.
TEMPLATE_TEST_CASE("a stream gives what a QR of all its rows gives", "[identification][stream]",
                   CORIO_TEST_SCALARS(double, float, long double)) {
  using S = TestType;
  const bool weighted = GENERATE(false, true);
  const Problem<S> p(300, 12, 3);
  const auto stream = streamed(p, weighted);
  const VectorX<S> root = weighted ? VectorX<S>(p.weights.cwiseSqrt()) : VectorX<S>::Ones(300);
  const MatrixX<S> Y = root.asDiagonal() * p.Y;
  const VectorX<S> tau = root.cwiseProduct(p.tau);
  const MatrixX<S> expected =
      solution_by_qr(Y.template cast<long double>(), tau.template cast<long double>()).template cast<S>();
  const MatrixX<S> R = stream.R(), z = stream.z(), transposed = Y.transpose();
  CHECK(relative_error(solution(stream), expected) < t::tolerance<S>());
  CHECK(relative_error(stream.residual(), (transpose_product(transposed, expected) - tau).squaredNorm()) <
        t::tolerance<S>());
  CHECK(relative_error(transpose_product(R, R), transpose_product(Y, Y)) < t::tolerance<S>());
  CHECK(relative_error(transpose_product(R, z), transpose_product<S>(Y, tau)) < t::tolerance<S>());
  CHECK(MatrixX<S>(stream.R()).isUpperTriangular(0));
  CHECK(stream.rows() == 300);
}

TEST_CASE("merged streams are one stream of all rows", "[identification][stream]") {
  const int columns = GENERATE(5, 16, 40);  // fewer, as many and more than a block holds
  const Problem p(200, columns, 4);
  Stream first(columns), second(columns);
  first.add(p.Y.topRows(77), p.tau.head(77));
  second.add(p.Y.bottomRows(123), p.tau.tail(123));
  first.merge(second);
  const auto all = streamed(p);
  CHECK(relative_error(solution(first), solution(all)) < 1e-12);
  CHECK(relative_error(first.residual(), all.residual()) < 1e-12);
  CHECK(first.rows() == 200);
  CHECK(second.rows() == 123);
}

TEST_CASE("an empty stream changes nothing when merged, and a cleared one is new", "[identification][stream]") {
  const Problem p(30, 4, 5);
  Stream stream = streamed(p);
  const Matrix R = stream.R();
  const double residual = stream.residual();
  stream.merge(Stream(4));
  CHECK(Matrix(stream.R()) == R);
  CHECK(stream.residual() == residual);
  stream.clear();
  stream.add(p.Y, p.tau);
  Stream fresh(4);
  fresh.add(p.Y, p.tau);
  CHECK(Matrix(stream.R()) == Matrix(fresh.R()));
  CHECK(stream.residual() == fresh.residual());
  CHECK(stream.rows() == 30);
}

TEST_CASE("a stream solves what the normal equations cannot", "[identification][stream]") {
  // With condition 1e9, QR keeps 1e9 eps, 2e-7; the normal equations square that to 200. tau has no errors, so only
  // rounding is left.
  const Matrix Y = with_singular_values(400, 8, 1e-9);
  const Vector x = Problem(8, 1, 6).tau, tau = Y * x;
  Stream stream(8);
  Matrix A = Matrix::Zero(8, 8);
  Vector b = Vector::Zero(8);
  for (int i = 0; i < 400; i += 4) {
    stream.add(Y.middleRows(i, 4), tau.segment(i, 4));
    A += Y.middleRows(i, 4).transpose() * Y.middleRows(i, 4);
    b += Y.middleRows(i, 4).transpose() * tau.segment(i, 4);
  }
  const double ours = (solution(stream) - x).norm() / x.norm(), normal = (t::solve(A, b) - x).norm() / x.norm();
  CAPTURE(ours, normal);
  CHECK(ours < 1e-6);
  CHECK_FALSE(normal < 1e-2);
}

TEST_CASE("rows with large and small entries do not lose each other", "[identification][stream]") {
  // Rows of a scale of its own determine each column, 1e6 apart; the large rows come last.
  Stream stream(3);
  const Vector x = Vector::LinSpaced(3, 1, 3);
  for (const double scale : {1e-6, 1.0, 1e6}) {
    Matrix Y = scale * Problem(10, 3, 7).Y;
    if (scale > 1) Y.col(2).setZero();
    if (scale >= 1) Y.col(1).setZero();
    stream.add(Y, Y * x);
  }
  CHECK((solution(stream) - x).norm() < 1e-9);
}

// The solution does not depend on the scale of the rows, and scaling by a power of two rounds nothing. The squares of
// these rows leave the range of S in both directions.
TEMPLATE_TEST_CASE("rows of any size that S holds are added", "[identification][stream]",
                   CORIO_TEST_SCALARS(double, float, long double)) {
  using S = TestType;
  using Limits = std::numeric_limits<S>;
  // Tests the largest entries allowed, 2^-40 of the largest number, and the smallest that keep all digits in R and z.
  const int exponent = GENERATE(Limits::max_exponent - 42, Limits::max_exponent / 2 + 1, Limits::min_exponent / 2 - 3,
                                Limits::min_exponent + Limits::digits);
  const Problem<S> p(40, 6, 19);
  const auto with = [&](const S& factor) -> StreamingLeastSquares<S> {
    StreamingLeastSquares<S> stream(6), half(6);
    stream.add(factor * p.Y.topRows(30), factor * p.tau.head(30));
    half.add(factor * p.Y.bottomRows(10), factor * p.tau.tail(10));
    stream.merge(half);
    return stream;
  };
  const S scale = std::ldexp(S(1), exponent);
  const auto expected = with(S(1)), stream = with(scale);
  CAPTURE(exponent);
  CHECK(relative_error(MatrixX<S>(stream.R() / scale), MatrixX<S>(expected.R())) < t::tolerance<S>());
  CHECK(relative_error(solution(stream), solution(expected)) < t::tolerance<S>());
}

TEST_CASE("a prior is rows like any others", "[identification][stream]") {
  const Problem p(50, 6, 8);
  const Vector x0 = Problem(6, 1, 9).tau, weights = Problem(6, 1, 10).weights;
  Stream stream = streamed(p);
  stream.add(Matrix::Identity(6, 6), x0, weights);
  const Matrix W = weights.asDiagonal();
  const Vector expected = t::solve(p.Y.transpose() * p.Y + W, p.Y.transpose() * p.tau + W * x0);
  CHECK(relative_error(solution(stream), expected) < 1e-12);
}

TEST_CASE("samples that make no sense are refused and leave the stream as it was", "[identification][stream]") {
  const Problem p(30, 4, 11);
  Stream stream = streamed(p);
  const Matrix R = stream.R();
  const Vector z = stream.z();
  Matrix Y = p.Y.topRows(3);
  Vector tau = p.tau.head(3), weights = Vector::Ones(3);
  const auto refused = [&](auto&& call, const std::vector<std::string>& parts) {
    const std::string message = t::message_of<Error>(call);
    CAPTURE(message);
    CHECK(t::mentions(message, parts));
    CHECK(Matrix(stream.R()) == R);
    CHECK(Vector(stream.z()) == z);
    CHECK(stream.rows() == 30);
  };
  refused([&] { stream.add(p.Y.leftCols(3), p.tau); }, {"columns of Y", "3", "expected 4"});
  refused([&] { stream.add(Y, p.tau); }, {"tau", "30", "expected 3"});
  refused([&] { stream.add(Y, tau, Vector::Ones(2)); }, {"weights", "2", "expected 3"});
  refused([&] { stream.merge(Stream(5)); }, {"5", "expected 4"});
  refused([&] { stream.merge(stream); }, {"itself"});
  weights[1] = -1;
  refused([&] { stream.add(Y, tau, weights); }, {"weight 1 is -1"});
  weights[1] = std::numeric_limits<double>::infinity();
  refused([&] { stream.add(Y, tau, weights); }, {"weight 1 is inf"});
  Y(2, 1) = -1e297;
  refused([&] { stream.add(Y, tau); }, {"Y(2, 1)", "-1e+297", "at most 1.6"});
  for (const double largest : {1.0, -1.0}) {
    // This entry is the largest number divided by 2^40.
    Y(2, 1) = std::ldexp(largest * std::numeric_limits<double>::max(), -40);
    CHECK_NOTHROW(Stream(stream).add(Y, tau));
    Y(2, 1) = std::nextafter(Y(2, 1), 2 * Y(2, 1));
    refused([&] { stream.add(Y, tau); }, {"Y(2, 1)", "at most 1.6"});
  }
  Y(2, 1) = 1e200, weights[1] = 1, weights[2] = 1e300;
  refused([&] { stream.add(Y, tau, weights); }, {"Y(2, 1) times the root of its weight", "inf"});
  weights[2] = 0;
  Y(2, 1) = 1;
  tau[2] = std::numeric_limits<double>::infinity();
  refused([&] { stream.add(Y, tau); }, {"tau(2, 0)", "inf"});
  Y(1, 3) = std::numeric_limits<double>::quiet_NaN();
  refused([&] { stream.add(Y, p.tau.head(3)); }, {"Y(1, 3)", "nan"});
  CHECK(t::mentions(t::message_of<SizeError>([] { Stream(0); }), {"0 columns", "one at least"}));
  constexpr int most = std::numeric_limits<int>::max();
  // A matrix without rows may have any number of columns, also one that an int conversion would make small.
  const Eigen::Index large = (Eigen::Index(1) << 32) + 4;
  const Eigen::MatrixXd wide(0, large);
  CHECK(t::mentions(t::message_of<SizeError>([&] { BaseParameters<double>{wide}; }),
                    {std::to_string(large) + " columns", "1048576 at most"}));
  for (const int columns : {most, most - 1, most - 8, Stream::most_columns + 1})
    CHECK(t::mentions(t::message_of<SizeError>([&] { Stream{columns}; }),
                      {std::to_string(columns) + " columns", "1048576 at most"}));
}

TEST_CASE("a stream that was moved to another refuses to be used", "[identification][stream][moved]") {
  const Problem p(30, 4, 11);
  Stream stream = streamed(p), target(7);
  const Matrix R = stream.R();
  const bool assigned = GENERATE(false, true);
  if (assigned)
    target = std::move(stream);
  else
    target = Stream(std::move(stream));
  CHECK(Matrix(target.R()) == R);
  CHECK(target.rows() == 30);
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(stream.columns() == 0);
  CHECK(stream.rows() == 0);
  const auto refused = [](auto&& call) {
    return t::mentions(t::message_of<Error>(call), {"stream is empty (moved-from)"});
  };
  const Matrix nothing(2, 0), seven(2, 7);
  CHECK(refused([&] { stream.add(nothing, Vector::Zero(2)); }));
  CHECK(refused([&] { stream.add(nothing, Vector::Zero(2), Vector::Ones(2)); }));
  CHECK(refused([&] { stream.add(seven, Vector::Zero(2)); }));
  CHECK(refused([&] { stream.R(); }));
  CHECK(refused([&] { stream.z(); }));
  CHECK(refused([&] { BaseParameters<double> base(stream); }));
  Stream other(std::move(target));
  CHECK(refused([&] { stream.merge(target); }));
  CHECK_THROWS_AS(other.merge(stream), SizeError);
  CHECK(Matrix(other.R()) == R);
  stream = other;
  CHECK(Matrix(stream.R()) == R);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("base parameters that were moved to another object refuse to be used", "[identification][moved]") {
  const Problem p(30, 4, 12), q(30, 3, 13);
  BaseParameters<double> base(p.Y), target(q.Y);
  if (GENERATE(false, true))
    target = std::move(base);
  else
    target = BaseParameters<double>(std::move(base));
  CHECK(target.size() == 4);
  CHECK(target.reduce(p.Y) == p.Y);
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(base.size() == 0);
  CHECK(base.num_parameters() == 0);
  const auto refused = [](auto&& call) {
    return t::mentions(t::message_of<Error>(call), {"object is empty (moved-from)"});
  };
  CHECK(refused([&] { base.project(Vector(0)); }));
  CHECK(refused([&] { base.projection(); }));
  CHECK(refused([&] { base.reduce(Matrix(2, 0)); }));
  CHECK(refused([&] { base.describe({}); }));
  CHECK(refused([&] { base.K(); }));
  Stream stream = streamed(p);
  CHECK_THROWS_AS(estimate(stream, base), SizeError);
  const Stream moved_to(std::move(stream));
  CHECK_THROWS_AS(estimate(stream, base), Error);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("adding and merging allocate nothing", "[identification][stream][allocation]") {
  const Problem p(40, 30, 12);
  Stream stream(30), other = streamed(p);
  CHECK(t::allocations([&] {
          stream.add(p.Y, p.tau);
          stream.add(p.Y, p.tau, p.weights);
          stream.merge(other);
        }) == 0);
}

}  // namespace stream_test
