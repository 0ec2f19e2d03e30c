#pragma once

#include "contracts/operations.hpp"
#include "support/catch.hpp"
#include "support/scalar_support.hpp"

/// The table over other scalars. Each scalar has a file of its own, <scalar>_test.cpp, because these files take longest
/// to compile.
namespace corio::test {

struct ScalarResult {
  std::string name;
  Vectord numbers;
  Conditioned conditioned;
  double float_tolerance;
  bool real;
};

/// Returns the results of all operations over S, in double.
template <class S>
std::vector<ScalarResult> results_over(const RandomRobot& robot, int seed) {
  const Model<S> model = robot.model.template cast<S>();
  const Arguments<S> x(model, random_numbers(robot.model, seed), 3);
  std::vector<ScalarResult> all;
  for (const auto& f : operations<S>()) {
    if (!suits(f, model)) continue;
    Data<S> data(model);
    const auto call = f.prepare(model);
    call->complete(model, data, x);
    const Vectord numbers = call->numbers().unaryExpr([](const S& number) { return value_of(number); });
    all.push_back({f.name(), numbers, f.conditioned, f.float_tolerance, f.real});
  }
  return all;
}

extern template std::vector<ScalarResult> results_over<double>(const RandomRobot&, int);

/// Calls f(result over S, result over double) once for each operation, and checks that the table over S lacks only a
/// user's factorization and the operations for floating-point scalars.
template <class F>
void for_each_pair(const std::vector<ScalarResult>& over, const std::vector<ScalarResult>& expected, F&& f) {
  std::size_t i = 0;
  for (const ScalarResult& x : expected) {
    if (x.name.find("user's") != std::string::npos) continue;
    const bool lacks = i == over.size() || over[i].name != x.name;
    if (lacks && x.real) continue;
    if (lacks) throw Error("the tables differ at " + x.name);
    f(over[i++], x);
  }
}

inline constexpr int scalar_seeds = 6;

/// Compares every result over S with the one over double, with one limit for results that do not invert M and one for
/// those that do.
template <class S, class Limit>
void check_scalar(int seed, double inverse_limit, Limit&& limit) {
  RandomRobot r(seed);
  const double condition_of_M = std::max(10.0, condition(crba(r.model, r.data, r.q)));
  for_each_pair(results_over<S>(r, 1), results_over<double>(r, 1), [&](const ScalarResult& x, const ScalarResult& y) {
    INFO(x.name);
    const bool inverts = y.conditioned != Conditioned::not_at_all;
    CHECK(relative_error(x.numbers, y.numbers) < (inverts ? inverse_limit * condition_of_M : limit(y)));
  });
}

}  // namespace corio::test
