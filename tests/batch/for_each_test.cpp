#include <span>

#include "corio/batch/batch.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/dynamics_support.hpp"
#ifdef CORIO_TEST_TBB
#include "corio/batch/tbb.hpp"
#endif

using namespace corio;
using namespace corio::test;

namespace {

using Matrix = Eigen::MatrixXd;
using Wide = batch::FullPack<double>;

struct Numbers {
  Numbers(const Model<double>& model, int states)
      : Q(model.nq(), states), V(model.nv(), states), A(model.nv(), states), Tau(model.nv(), states) {
    std::mt19937 generator(7);
    Random<double> random(7);
    for (int j = 0; j < states; ++j) {
      Q.col(j) = random_configuration(model, generator);
      V.col(j) = random_vector(random, model.nv()), A.col(j) = random_vector(random, model.nv());
    }
    Tau.setConstant(1234.5);
  }
  Matrix Q, V, A, Tau;
};

Model<double> robot() { return zoo::random_tree(3, {.bodies = 8, .floating_base = true, .passive = true}); }

/// Returns rnea for each state alone.
Matrix one_by_one(const Model<double>& model, const Numbers& x) {
  Data<double> data(model);
  Matrix tau(model.nv(), x.Q.cols());
  for (Eigen::Index j = 0; j < tau.cols(); ++j) tau.col(j) = rnea(model, data, x.Q.col(j), x.V.col(j), x.A.col(j));
  return tau;
}

batch::Options in_threads(int threads, int packs_per_task = 1) {
  const auto pool = std::make_shared<batch::ThreadPool>(threads);
  batch::Options options;
  options.executor = [pool](std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) { (*pool)(n, f); };
  options.packs_per_task = packs_per_task;
  return options;
}

/// A function of q that rejects a state whose first number exceeds 100.
constexpr auto reject_large = [](const auto&, auto&, const auto& q, auto& out) {
  if (in_any_state(q[0] > 100.0)) throw Error("too large");
  out = q;
};

}  // namespace

TEST_CASE("a batch of any number of states is each state by itself", "[batch]") {
  const Model<double> model = robot();
  const int states = GENERATE(1, Wide::lanes - 1, Wide::lanes, Wide::lanes + 1, 100);
  CAPTURE(states);
  Numbers x(model, states);
  CHECK(batch::rnea(model, x.Q, x.V, x.A, x.Tau) == states);
  // The order of some sums differs.
  CHECK(relative_error(x.Tau, one_by_one(model, x)) < 1e-12);
}

TEST_CASE("a batch without states does nothing", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 0);
  CHECK(batch::rnea(model, x.Q, x.V, x.A, x.Tau) == 0);
}

TEST_CASE("the functions of batches are those of one state", "[batch]") {
  const Model<double> model = robot();
  const int n = model.nv(), states = 5;
  const Numbers x(model, states);
  const batch::Packed<Wide> packed(model);
  Data<double> data(model);
  Matrix tau(n, states), more(n, states), a(n * n, states), b(n * n, states), c(n * n, states), q(model.nq(), states),
      pose(12, states), J(6 * n, states);
  Eigen::RowVectorXd energy(states);
  const std::string name = model.bodies().back().name();
  const auto check = [&](const Matrix& batch, auto&& one) {
    for (int j = 0; j < states; ++j) {
      const Vectord qj = x.Q.col(j), vj = x.V.col(j), aj = x.A.col(j);
      const Matrix expected = one(qj, vj, aj);
      // A result that inverts M has fewer digits.
      CHECK(relative_error(Vectord(batch.col(j)), Vectord(expected.reshaped())) < 1e-9);
    }
  };
  batch::nonlinear_effects(packed, x.Q, x.V, tau);
  check(tau, [&](auto& qj, auto& vj, auto&) { return nonlinear_effects(model, data, qj, vj); });
  batch::generalized_gravity(packed, x.Q, tau);
  check(tau, [&](auto& qj, auto&, auto&) { return generalized_gravity(model, data, qj); });
  batch::aba(packed, x.Q, x.V, x.A, tau);
  check(tau, [&](auto& qj, auto& vj, auto& aj) { return aba(model, data, qj, vj, aj); });
  batch::passive_forces(packed, x.Q, x.V, tau);
  check(tau, [&](auto& qj, auto& vj, auto&) { return passive_forces(model, data, qj, vj); });
  batch::crba(packed, x.Q, a);
  check(a, [&](auto& qj, auto&, auto&) { return crba(model, data, qj); });
  batch::mass_matrix_inverse(packed, x.Q, a);
  check(a, [&](auto& qj, auto&, auto&) { return mass_matrix_inverse(model, data, qj); });
  batch::coriolis_product(packed, x.Q, x.V, x.A, tau);
  check(tau, [&](auto& qj, auto& vj, auto& aj) { return coriolis_product(model, data, qj, vj, aj); });
  batch::coriolis_matrix(packed, x.Q, x.V, a, b, c);
  check(a, [&](auto& qj, auto& vj, auto&) { return coriolis_matrix(model, data, qj, vj).C; });
  check(b, [&](auto& qj, auto&, auto&) { return crba(model, data, qj); });
  check(c, [&](auto& qj, auto& vj, auto&) { return mass_matrix_dot(model, data, qj, vj); });
  batch::inverse_dynamics_derivatives(packed, x.Q, x.V, x.A, a, b, c);
  check(a, [&](auto& qj, auto& vj, auto& aj) { return inverse_dynamics_derivatives(model, data, qj, vj, aj).dtau_dq; });
  check(b, [&](auto& qj, auto& vj, auto& aj) { return inverse_dynamics_derivatives(model, data, qj, vj, aj).dtau_dv; });
  check(c, [&](auto& qj, auto&, auto&) { return crba(model, data, qj); });
  batch::forward_dynamics_derivatives(packed, x.Q, x.V, x.A, a, b, c);
  check(a, [&](auto& qj, auto& vj, auto& aj) { return forward_dynamics_derivatives(model, data, qj, vj, aj).da_dq; });
  check(b, [&](auto& qj, auto& vj, auto& aj) { return forward_dynamics_derivatives(model, data, qj, vj, aj).da_dv; });
  check(c, [&](auto& qj, auto&, auto&) { return mass_matrix_inverse(model, data, qj); });
  batch::generalized_momentum(packed, x.Q, x.V, tau, more);
  check(tau, [&](auto& qj, auto& vj, auto&) { return generalized_momentum(model, data, qj, vj).p; });
  check(more, [&](auto& qj, auto& vj, auto&) { return generalized_momentum(model, data, qj, vj).drift; });
  batch::kinetic_energy(packed, x.Q, x.V, energy);
  check(energy, [&](auto& qj, auto& vj, auto&) { return Matrix::Constant(1, 1, kinetic_energy(model, data, qj, vj)); });
  batch::potential_energy(packed, x.Q, energy);
  check(energy, [&](auto& qj, auto&, auto&) { return Matrix::Constant(1, 1, potential_energy(model, data, qj)); });
  batch::integrate(packed, x.Q, x.V, q);
  check(q, [&](auto& qj, auto& vj, auto&) { return integrate(model, qj, vj); });
  batch::difference(packed, x.Q, q, tau);
  check(tau, [&](auto& qj, auto& vj, auto&) { return difference(model, qj, integrate(model, qj, vj)); });
  batch::body_pose(packed, x.Q, name, pose);
  check(pose, [&](auto& qj, auto&, auto&) {
    forward_kinematics(model, data, qj);
    const Pose<double> X = body_pose(model, data, model.body(name));
    return (Matrix(12, 1) << X.rotation.reshaped(), X.translation).finished();
  });
  batch::body_jacobian(packed, x.Q, name, J);
  check(J, [&](auto& qj, auto&, auto&) {
    Matrix6X<double> one(6, n);
    body_jacobian(model, data, qj, {model.body(name), ReferenceFrame::world_aligned}, one);
    return one;
  });
}

TEST_CASE("states may lie in maps, blocks and rows, and numbers in spans", "[batch]") {
  const Model<double> model = robot();
  const int states = 19;
  Numbers x(model, states);
  const Matrix expected = one_by_one(model, x);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows q = x.Q.transpose();  // B x n, as in numpy
  Rows tau = Rows::Zero(states, model.nv());
  Eigen::Map<Matrix> tau_columns(tau.data(), model.nv(), states);
  batch::rnea(model, Eigen::Map<const Matrix>(q.data(), model.nq(), states), x.V, x.A, tau_columns);
  CHECK(relative_error(Matrix(tau.transpose()), expected) < 1e-12);
  // Uses strides, inside a larger matrix whose rest must not change.
  Matrix around = Matrix::Constant(model.nv() + 2, states + 2, 5.0);
  batch::rnea(model, q.transpose(), x.V, x.A, around.block(1, 1, model.nv(), states));
  CHECK(relative_error(Matrix(around.block(1, 1, model.nv(), states)), expected) < 1e-12);
  // Uses coordinate-major storage, with the states side by side.
  const Rows Q = x.Q, V = x.V, A = x.A;
  Rows beside(model.nv(), states);
  batch::rnea(model, Q, V, A, beside);
  CHECK(relative_error(Matrix(beside), expected) < 1e-12);
  around.block(1, 1, model.nv(), states).setConstant(5.0);
  CHECK((around.array() == 5.0).all());

  std::vector<double> energy(states);
  batch::kinetic_energy(model, x.Q, x.V, std::span(energy));
  Data<double> data(model);
  for (int j = 0; j < states; ++j)
    CHECK(energy[static_cast<std::size_t>(j)] == Approx(kinetic_energy(model, data, x.Q.col(j), x.V.col(j))));
}

TEST_CASE("a batch may compute in float", "[batch]") {
  const Model<double> model = zoo::serial_chain(7);
  Numbers x(model, 21);
  const batch::Packed<Pack<float, 8>> packed(model);
  batch::rnea(packed, x.Q, x.V, x.A, x.Tau);
  // There are seven links of up to a metre: squares of distances lose a digit or two of float's seven.
  CHECK(relative_error(x.Tau, one_by_one(model, x)) < 1e-4);
}

TEST_CASE("results do not depend on threads, tasks, lanes and the number of states", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 83), y(model, 83);
  batch::rnea(model, x.Q, x.V, x.A, x.Tau, in_threads(1, 5));
  const int threads = GENERATE(2, 3, 8);
  for (int i = 0; i < 20; ++i) {
    y.Tau.setZero();
    batch::rnea(model, y.Q, y.V, y.A, y.Tau, in_threads(threads));
    REQUIRE(x.Tau == y.Tau);
  }
  // Computes the last states alone, in other lanes.
  Matrix last(model.nv(), 3);
  batch::rnea(model, x.Q.rightCols(3), x.V.rightCols(3), x.A.rightCols(3), last);
  CHECK(last == x.Tau.rightCols(3));
  y.Tau.setZero();
  batch::Options serial;
  serial.executor = batch::Serial();
  batch::rnea(model, y.Q, y.V, y.A, y.Tau, serial);
  CHECK(x.Tau == y.Tau);
}

TEST_CASE("a task takes the packs of states that it is to take", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 83);
  std::ptrdiff_t tasks = 0;
  batch::Options options;
  options.executor = [&](std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) {
    batch::Serial()(tasks = n, f);
  };
  for (const int packs : {1, 3, 100}) {
    options.packs_per_task = packs;
    batch::rnea(model, x.Q, x.V, x.A, x.Tau, options);
    CHECK(double(tasks) == std::ceil(83.0 / (packs * Wide::lanes)));
  }
}

#ifdef CORIO_TEST_TBB
TEST_CASE("oneTBB runs a batch", "[batch][tbb]") {
  const Model<double> model = robot();
  Numbers x(model, 83);
  batch::Options options;
  options.executor = batch::Tbb(), options.packs_per_task = 1;
  CHECK(batch::rnea(model, x.Q, x.V, x.A, x.Tau, options) == 83);
  CHECK(relative_error(x.Tau, one_by_one(model, x)) < 1e-12);
}
#endif

TEST_CASE("wrong sizes are rejected before anything is written", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 5);
  const Matrix before = x.Tau;
  const auto rejects = [&](const std::string& part, const Matrix& Q, const Matrix& V, auto&& Tau) {
    CHECK_THROWS_WITH(batch::rnea(model, Q, V, x.A, Tau), Catch::Contains(part));
    CHECK_THROWS_AS(batch::rnea(model, Q, V, x.A, Tau), SizeError);
  };
  const auto rows = [](Eigen::Index n) { return " has " + std::to_string(n) + " rows"; };
  rejects("batch::rnea: Q" + rows(model.nq() - 1), x.Q.topRows(model.nq() - 1), x.V, x.Tau);
  rejects("batch::rnea: V" + rows(model.nv() + 1), x.Q, Matrix(model.nv() + 1, 5), x.Tau);
  rejects("batch::rnea: Tau" + rows(model.nv() - 1), x.Q, x.V, x.Tau.topRows(model.nv() - 1));
  rejects("input 2 has 4 columns, the first one has 5", x.Q, x.V.leftCols(4), x.Tau);
  rejects("output 1 has 4 columns", x.Q, x.V, x.Tau.leftCols(4));
  CHECK(x.Tau == before);
}

TEST_CASE("an error names the first state that failed, and the others are finished", "[batch]") {
  const Model<double> model = zoo::serial_chain(3);
  const int states = 50;
  Matrix q = Matrix::Random(3, states), out = Matrix::Zero(3, states);
  q(0, 17) = q(0, 18) = q(0, 44) = 1000;
  for (const int threads : {1, 4}) {
    out.setZero();
    CHECK_THROWS_WITH(batch::for_each(model, batch::inputs(q), batch::outputs(out), reject_large, in_threads(threads)),
                      Catch::Contains("state 17: too large") && Catch::Contains("3 of 50 states failed"));
    for (int j = 0; j < states; ++j)
      if (q(0, j) > 100)
        CHECK(out.col(j).array().isNaN().all());
      else
        CHECK(out.col(j) == q.col(j));
  }
}

TEST_CASE("the last state failing leaves what lies beside the outputs", "[batch]") {
  const Model<double> model = zoo::serial_chain(3);
  Matrix q = Matrix::Random(3, 9), out = Matrix::Constant(4, 10, 1234.5);
  q(0, 8) = 1000;
  CHECK_THROWS_AS(batch::for_each(model, batch::inputs(q), batch::outputs(out.topLeftCorner(3, 9)), reject_large),
                  Error);
  CHECK(out.topRows(3).col(8).array().isNaN().all());
  CHECK((out.row(3).array() == 1234.5).all());
  CHECK((out.col(9).array() == 1234.5).all());
}

TEST_CASE("a function returns its results or fills the outputs", "[batch]") {
  const Model<double> model = robot();
  const Numbers x(model, 30);
  const int n = model.nv();
  Matrix returned(n * n, 30), filled(n * n, 30), Mdot(n * n, 30);
  const auto in = batch::inputs(x.Q, x.V);
  const auto result = [](const auto& m, auto& data, const auto& q, const auto& v) {
    const auto& c = coriolis_matrix(m, data, q, v);
    return std::tie(c.C, c.Mdot);
  };
  batch::for_each(model, in, batch::outputs(returned, Mdot), result);
  batch::for_each(model, in, batch::outputs(filled),
                  [](const auto& m, auto& data, const auto& q, const auto& v, auto& out) {
                    const auto& C = coriolis_matrix(m, data, q, v).C;
                    for (int i = 0; i < out.size(); ++i) out[i] = C.data()[i];
                  });
  CHECK(returned == filled);
  Matrix too_short(n, 30);
  CHECK_THROWS_WITH(
      batch::for_each(model, in, batch::outputs(filled, too_short), result),
      Catch::Contains("returned " + std::to_string(n * n) + " numbers, the output has " + std::to_string(n) + " rows"));
}

TEST_CASE("a NaN stays in its state", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 30), y(model, 30);
  batch::aba(model, x.Q, x.V, x.A, x.Tau);
  y.V(2, 11) = std::numeric_limits<double>::quiet_NaN();
  batch::aba(model, y.Q, y.V, y.A, y.Tau);
  CHECK_FALSE(y.Tau.col(11).allFinite());
  y.Tau.col(11) = x.Tau.col(11);
  CHECK(x.Tau == y.Tau);
}

TEST_CASE("progress counts up to all states, and ends a batch", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 300);
  batch::Options options = in_threads(3);
  std::vector<Eigen::Index> seen;  // the calls come one at a time
  options.progress = [&](Eigen::Index done, Eigen::Index all) {
    CHECK(all == 300);
    seen.push_back(done);
    return true;
  };
  CHECK(batch::rnea(model, x.Q, x.V, x.A, x.Tau, options) == 300);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == 300);

  x.Tau.setConstant(1234.5);
  options.progress = [](Eigen::Index done, Eigen::Index) { return done < 100; };
  const Eigen::Index done = batch::rnea(model, x.Q, x.V, x.A, x.Tau, options);
  CHECK(done >= 100);
  CHECK(done < 300);
  CHECK(x.Tau.array().isNaN().colwise().all().count() == 300 - done);
  CHECK(x.Tau.array().isFinite().colwise().all().count() == done);

  int calls = 0;
  options.progress = [&](Eigen::Index, Eigen::Index) -> bool { throw std::logic_error(std::to_string(++calls)); };
  CHECK_THROWS_AS(batch::rnea(model, x.Q, x.V, x.A, x.Tau, options), std::logic_error);
  CHECK(calls == 1);
}

TEST_CASE("any number of packs for a task that is not below one is taken", "[batch]") {
  const Model<double> model = zoo::serial_chain(3);
  Numbers x(model, 50);
  const Matrix expected = one_by_one(model, x);
  batch::Options options;
  for (const int packs : {1 << 30, 1 << 29, 1 << 28, std::numeric_limits<int>::max()}) {
    options.packs_per_task = packs;
    x.Tau.setConstant(1234.5);
    CHECK(batch::rnea(model, x.Q, x.V, x.A, x.Tau, options) == 50);
    CHECK(relative_error(x.Tau, expected) < 1e-12);
  }
  const Matrix before = x.Tau;
  for (const int packs : {0, -1, std::numeric_limits<int>::min()}) {
    options.packs_per_task = packs;
    CHECK_THROWS_WITH(batch::rnea(model, x.Q, x.V, x.A, x.Tau, options),
                      Catch::Contains("packs_per_task is " + std::to_string(packs)));
  }
  CHECK(x.Tau == before);
}

TEST_CASE("what an executor throws passes through", "[batch]") {
  const Model<double> model = robot();
  Numbers x(model, 30);
  batch::Options options;
  options.executor = [](std::ptrdiff_t, const std::function<void(std::ptrdiff_t)>&) { throw std::bad_alloc(); };
  CHECK_THROWS_AS(batch::rnea(model, x.Q, x.V, x.A, x.Tau, options), std::bad_alloc);
}
