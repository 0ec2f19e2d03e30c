#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/algorithms/regressors/parameter_derivatives.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"

using namespace corio;

// A caller's result may be a row-major matrix, a block of one, or a map.

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::Map<Eigen::MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

/// Checks that f(Y) writes the same into a rows x cols matrix of every storage as into a column-major one, and that a
/// block's surroundings stay unchanged.
template <class F>
void check_storages(int rows, int cols, F&& f) {
  Eigen::MatrixXd expected = Eigen::MatrixXd::Constant(rows, cols, 7);
  f(expected);
  RowMajor whole = RowMajor::Constant(rows, cols, 7), around = RowMajor::Constant(rows + 3, cols + 5, 7);
  f(whole);
  CHECK(whole == expected);
  f(around.block(1, 2, rows, cols));
  CHECK(around.block(1, 2, rows, cols) == expected);
  around.block(1, 2, rows, cols).setConstant(7);
  CHECK((around.array() == 7).all());
  Eigen::VectorXd numbers = Eigen::VectorXd::Constant(6 * rows * cols, 7);
  f(Strided(numbers.data(), rows, cols, {3 * rows, 2}));
  CHECK(Strided(numbers.data(), rows, cols, {3 * rows, 2}) == expected);
  CHECK(numbers[1] == 7);
  Eigen::Ref<RowMajor> reference(whole.setConstant(7));
  f(reference);
  CHECK(whole == expected);
}

}  // namespace

TEST_CASE("row-major matrices, blocks and maps are filled as column-major ones", "[algorithms][row_major]") {
  const int bodies = GENERATE(1, 2, 3, 5, 12);
  CAPTURE(bodies);
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(bodies), {.bodies = bodies});
  Data<double> data(model);
  const int n = model.nv(), parameters = 10 * static_cast<int>(model.bodies().size());
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(model.nq(), 0.1, 0.8), v = Eigen::VectorXd::LinSpaced(n, 1, 2);
  const Body<double>& body = model.bodies().back();
  forward_kinematics(model, data, q, v, v);
  check_storages(n, parameters, [&](auto&& Y) { inverse_dynamics_regressor(model, data, q, v, v, Y); });
  check_storages(n, parameters, [&](auto&& Y) { inverse_dynamics_regressor(model, data, Y); });
  check_storages(n, parameters, [&](auto&& Y) { slotine_li_regressor(model, data, v, v, Y); });
  check_storages(n, parameters, [&](auto&& Y) { momentum_regressor(model, data, q, v, Y); });
  check_storages(n, parameters, [&](auto&& Y) { coriolis_transpose_regressor(model, data, Y); });
  check_storages(n, 10, [&](auto&& Y) { gravity_regressor(model, data, q, Y, BodySelection(model, body)); });
  forward_kinematics(model, data, q, v, v);
  for (const auto frame : {ReferenceFrame::world, ReferenceFrame::body}) {
    check_storages(6, n, [&](auto&& J) { body_jacobian(model, data, {body, frame}, J); });
    check_storages(6, n, [&](auto&& J) { body_jacobian_dot(model, data, {body, frame}, J); });
    check_storages(6, n, [&](auto&& J) { body_jacobian_ddot(model, data, {body, frame}, J); });
  }
  const auto mass = InertialParameter::mass;
  check_storages(n, n, [&](auto&& D) { mass_matrix_parameter_derivative(model, data, body, mass, D); });
  check_storages(n, n, [&](auto&& D) { coriolis_parameter_derivative(model, data, body, mass, D); });
}

TEST_CASE("a fixed number of rows, row by row, is as good", "[algorithms][row_major]") {
  const auto model = zoo::serial_chain(5);
  Data<double> data(model);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(5, 0.1, 0.8);
  Eigen::Matrix<double, 6, Eigen::Dynamic> expected(6, 5);
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J(6, 5), wrong(6, 4);
  body_jacobian(model, data, q, model.bodies().back(), expected);
  body_jacobian(model, data, q, model.bodies().back(), J);
  CHECK(J == expected);
  CHECK_THROWS_AS(body_jacobian(model, data, q, model.bodies().back(), wrong), SizeError);
}
