#include "corio/algorithms/regressors/regressor_products.hpp"

#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/regressor_support.hpp"

using namespace corio;
using namespace corio::test;

// Compares with the matrices that regressors_test.cpp checks.

namespace {

/// Selects every third body, from the last one.
BodySelection some_bodies(const Model<double>& model) {
  std::vector<std::string> names;
  for (std::size_t i = model.bodies().size(); i-- > 0;)
    if (i % 3 == 0) names.push_back(model.bodies()[i].name());
  return {model, names};
}

}  // namespace

TEST_EACH(Sample& s, "Y pi without Y, for any pi", "[algorithms][regressor_products]") {
  const int i = GENERATE(range(0, regressor_count));
  INFO(regressor(i).name + " of " + s.name());
  const auto x = state_of(s);
  const Matrixd Y = filled(regressor(i), s.model, s.data, x);
  const Vectord pi = random_vector(s.random, static_cast<int>(Y.cols()));
  CHECK(relative_error(regressor(i).product(s.model, s.data, x, pi, {}), Y * pi) < tolerance<double>());
  CHECK(relative_error(regressor(i).product_again(s.model, s.data, x, pi, {}), Y * pi) < tolerance<double>());
}

TEST_EACH(Sample& s, "Y^T x without Y", "[algorithms][regressor_products]") {
  const int i = GENERATE(range(0, regressor_count));
  INFO(regressor(i).name + " of " + s.name());
  const auto x = state_of(s);
  const Matrixd Y = filled(regressor(i), s.model, s.data, x);
  const Vectord left = random_vector(s.random, s.model.nv());
  Vectord out = Vectord::Constant(Y.cols(), 1e3);
  regressor(i).transpose_product(s.model, s.data, x, left, out, {});
  CHECK(relative_error(out, Y.transpose() * left) < tolerance<double>());
  out.setConstant(1e3);
  regressor(i).transpose_product_again(s.model, s.data, x, left, out, {});
  CHECK(relative_error(out, Y.transpose() * left) < tolerance<double>());
}

TEST_EACH(Sample& s, "with a selection of bodies everything is about their columns, in its order",
          "[algorithms][regressor_products][body_selection]") {
  const int i = GENERATE(range(0, regressor_count));
  INFO(regressor(i).name + " of " + s.name());
  const auto x = state_of(s);
  const Matrixd whole = filled(regressor(i), s.model, s.data, x);
  const BodySelection some = some_bodies(s.model);
  const Matrixd Y = filled(regressor(i), s.model, s.data, x, some);
  REQUIRE(Y.cols() == 10 * some.size(s.model));
  for (int b = 0; b < some.size(s.model); ++b)
    CHECK(relative_error(Y.middleCols(10 * b, 10), whole.middleCols(10 * some[b], 10)) < tolerance<double>());

  const Vectord pi = random_vector(s.random, static_cast<int>(Y.cols()));
  CHECK(relative_error(regressor(i).product(s.model, s.data, x, pi, some), Y * pi) < tolerance<double>());
  Vectord out(Y.cols());
  regressor(i).transpose_product(s.model, s.data, x, x.v_r, out, some);
  CHECK(relative_error(out, Y.transpose() * x.v_r) < tolerance<double>());
}

TEST_EACH(Sample& s, "energies of a selection of bodies", "[algorithms][regressor_products][body_selection]") {
  const BodySelection some = some_bodies(s.model);
  Vectord whole(num_inertial_parameters(s.model)), part(some.num_parameters(s.model));
  kinetic_energy_regressor(s.model, s.data, s.q, s.v, whole);
  kinetic_energy_regressor(s.model, s.data, part, some);
  for (int b = 0; b < some.size(s.model); ++b) {
    const Vectord mine = part.segment(10 * b, 10), same = whole.segment(10 * some[b], 10);
    CHECK(relative_error(mine, same) < tolerance<double>());
  }
  potential_energy_regressor(s.model, s.data, whole);
  potential_energy_regressor(s.model, s.data, part, some);
  for (int b = 0; b < some.size(s.model); ++b) CHECK(part.segment(10 * b, 10) == whole.segment(10 * some[b], 10));
}

TEST_CASE("the block of one body", "[algorithms][regressor_products][body_selection]") {
  Sample s(random_plan(1), 1);
  const auto x = state_of(s);
  const Matrixd whole = filled(regressor(0), s.model, s.data, x);
  for (std::size_t b = 0; b < s.model.bodies().size(); ++b) {
    const Matrixd Y = filled(regressor(0), s.model, s.data, x, {s.model, s.model.bodies()[b]});
    CHECK(relative_error(Y, whole.middleCols(10 * static_cast<Eigen::Index>(b), 10)) < tolerance<double>());
  }
}

TEST_CASE("matrices and vectors of the wrong size are rejected, and the state stays",
          "[algorithms][regressor_products][errors]") {
  const int i = GENERATE(range(0, regressor_count));
  Sample s(random_plan(1), 1), other(random_plan(2), 2);
  INFO(regressor(i).name);
  const auto& r = regressor(i);
  auto x = state_of(s);
  const int n = s.model.nv(), size = num_inertial_parameters(s.model);
  forward_kinematics(s.model, s.data, x.q, x.v, x.a);
  const Vectord tau = rnea(s.model, s.data), pi = Vectord::Ones(size);
  x.v *= 2;  // must not get into the data
  const auto says = [](auto&& f, const std::vector<std::string>& parts) {
    return mentions(message_of<SizeError>(f), parts);
  };
  const std::string rows = std::to_string(n), columns = std::to_string(size);
  for (const auto& [wrong_rows, wrong_columns] :
       {std::pair{n - 1, size}, {n + 1, size}, {n, size - 10}, {n, size + 1}}) {
    Matrixd Y(wrong_rows, wrong_columns);
    const std::string expected = wrong_rows == n ? "row of the regressor" : "column of the regressor";
    CHECK(says([&] { r.fill(s.model, s.data, x, Y, {}); }, {expected, wrong_rows == n ? columns : rows}));
    CHECK(says([&] { r.refill(s.model, s.data, x, Y, {}); }, {expected, wrong_rows == n ? columns : rows}));
  }
  Vectord out(size), wrong_out(size - 1);
  const Vectord wrong_pi = Vectord::Ones(size + 10), wrong_x = Vectord::Ones(n + 1);
  CHECK(says([&] { r.product(s.model, s.data, x, wrong_pi, {}); }, {"pi has size", columns}));
  CHECK(says([&] { r.transpose_product(s.model, s.data, x, wrong_x, out, {}); }, {"x has size", rows}));
  CHECK(says([&] { r.transpose_product(s.model, s.data, x, x.a, wrong_out, {}); }, {"Y^T x", columns}));
  const BodySelection one(s.model, s.model.bodies()[0]), foreign(other.model, other.model.bodies()[0]);
  Matrixd Y(n, size), block(n, 10);
  CHECK(says([&] { r.fill(s.model, s.data, x, Y, one); }, {"row of the regressor", "10"}));
  const auto rejected = [](auto&& f) { return mentions(message_of<ModelError>(f), {"selection", "another model"}); };
  Vectord ten(10);
  CHECK(rejected([&] { r.fill(s.model, s.data, x, block, foreign); }));
  CHECK(rejected([&] { r.refill(s.model, s.data, x, block, foreign); }));
  CHECK(rejected([&] { r.product(s.model, s.data, x, ten, foreign); }));
  CHECK(rejected([&] { r.transpose_product(s.model, s.data, x, x.a, ten, foreign); }));
  CHECK(rnea(s.model, s.data) == tau);
}

TEST_CASE("energies are rejected the same", "[algorithms][regressor_products][errors]") {
  Sample s(random_plan(1), 1), other(random_plan(2), 2);
  const BodySelection foreign(other.model, other.model.bodies()[0]);
  Vectord wrong(num_inertial_parameters(s.model) + 1), ten(10);
  CHECK_THROWS_AS(kinetic_energy_regressor(s.model, s.data, s.q, s.v, wrong), SizeError);
  CHECK_THROWS_AS(potential_energy_regressor(s.model, s.data, s.q, wrong), SizeError);
  CHECK_THROWS_AS(kinetic_energy_regressor(s.model, s.data, s.q, s.v, ten, foreign), ModelError);
  CHECK_THROWS_AS(potential_energy_regressor(s.model, s.data, s.q, ten, foreign), ModelError);
}

TEST_CASE("a selection of bodies that was moved away selects none of the model",
          "[algorithms][regressor_products][body_selection][errors]") {
  Sample s(random_plan(1), 1);
  const auto x = state_of(s);
  BodySelection some = some_bodies(s.model);
  const BodySelection kept = std::move(some);
  Matrixd Y(s.model.nv(), kept.num_parameters(s.model));
  const auto fill = [&](const BodySelection& bodies) { regressor(0).fill(s.model, s.data, x, Y, bodies); };
  CHECK_NOTHROW(fill(kept));
  CHECK_THROWS_AS(fill(some), Error);  // NOLINT(bugprone-use-after-move)
}
