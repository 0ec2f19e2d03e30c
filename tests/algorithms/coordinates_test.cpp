#include "corio/algorithms/geometry/coordinates.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks Theorem 1 and Proposition 3 of Echeandia and Wensing (2021).

namespace {

/// Makes trees whose v is the rate of the coordinates q.
Sample coordinate_tree(int which) {
  using enum Kind;
  PlanMaker maker("coordinate tree " + std::to_string(which), 80 + which);
  if (which == 0) maker.chain(-1, {revolute, prismatic, revolute, helical});
  if (which == 1) maker.chain(-1, {universal, cylindrical}).chain(0, {translation, revolute}).chain(1, {prismatic});
  if (which == 2) maker.chain(-1, {cylindrical, revolute}).chain(-1, {revolute, universal}).armature();
  return {maker.plan(), which};
}
constexpr int coordinate_trees = 3;

/// q_i = y_i + 0.3 sin(y_j) with j the next index, cyclically: a nonlinear change of coordinates, invertible because
/// 0.3 < 1.
template <class S>
VectorX<S> coordinates_of(const VectorX<S>& y) {
  using std::sin;
  VectorX<S> q = y;
  for (int i = 0; i < y.size(); ++i) q[i] += S(0.3) * sin(y[(i + 1) % y.size()]);
  return q;
}
template <class S>
MatrixX<S> coordinate_jacobian(const VectorX<S>& y) {
  using std::cos;
  MatrixX<S> A = MatrixX<S>::Identity(y.size(), y.size());
  for (int i = 0; i < y.size(); ++i) A(i, (i + 1) % y.size()) += S(0.3) * cos(y[(i + 1) % y.size()]);
  return A;
}

/// The equations of motion that the library computes for a model, with tau for the acceleration a.
template <class B = factorization::Christoffel>
EquationsOfMotion<double> equations(const Model<double>& model, Data<double>& data, const Vectord& q, const Vectord& v,
                                    const Vectord& a, const B& factorization = {}) {
  const auto& [C, M, Mdot] = coriolis_matrix(model, data, q, v, factorization);
  return {M, C, generalized_gravity(model, data), rnea(model, data, q, v, a)};
}
/// Tells whether an empty pair of braces can stand for equations of motion.
template <class S>
constexpr bool takes_braces = requires(MatrixX<S>& work, EquationsOfMotion<S>& to) {
  change_of_coordinates<S>({}, work, work, work, to);
};
static_assert(!takes_braces<double>);

EquationsOfMotion<double> changed(const EquationsOfMotion<double>& from, const Matrixd& A, const Matrixd& Adot) {
  Matrixd work;
  EquationsOfMotion<double> to;
  change_of_coordinates(from, A, Adot, work, to);
  return to;
}

/// A sample in the coordinates y.
struct NewCoordinates {
  explicit NewCoordinates(int which) : s(coordinate_tree(which)) {
    y = random_vector(s.random, s.model.nv());
    ydot = random_vector(s.random, s.model.nv()), yddot = random_vector(s.random, s.model.nv());
    q = coordinates_of(y), A = coordinate_jacobian(y);
    const VectorX<Complex> moved = y.cast<Complex>() + Complex(0, complex_step) * ydot.cast<Complex>();
    Adot = coordinate_jacobian(moved).imag() / complex_step;
  }
  static int count() { return coordinate_trees; }
  const std::string& name() const { return s.name(); }
  template <class B = factorization::Christoffel>
  EquationsOfMotion<double> compute(const B& factorization = {}) {
    return changed(equations(s.model, s.data, q, A * ydot, A * yddot + Adot * ydot, factorization), A, Adot);
  }
  /// Returns dM'/dy_k by the complex step of A^T M A at phi(y).
  std::vector<Matrixd> derivatives() const {
    const auto model = s.model.cast<Complex>();
    Data<Complex> data(model);
    std::vector<Matrixd> all;
    for (int k = 0; k < y.size(); ++k) {
      VectorX<Complex> moved = y.cast<Complex>();
      moved[k] += Complex(0, complex_step);
      const MatrixX<Complex> J = coordinate_jacobian(moved), M = crba(model, data, coordinates_of(moved));
      all.push_back((J.transpose() * M * J).eval().imag() / complex_step);
    }
    return all;
  }
  Matrixd rate() const {
    Matrixd sum = Matrixd::Zero(y.size(), y.size());
    const auto D = derivatives();
    for (int k = 0; k < y.size(); ++k) sum += D[static_cast<std::size_t>(k)] * ydot[k];
    return sum;
  }
  Sample s;
  Vectord y, ydot, yddot, q;
  Matrixd A, Adot;
};

}  // namespace

TEST_EACH(NewCoordinates& c, "new coordinates: M' ydd + C' yd + g' = tau'", "[algorithms][coordinates]") {
  const auto e = c.compute();
  CHECK(relative_error(Vectord(e.M * c.yddot + e.C * c.ydot + e.g), e.tau) < tolerance<double>());
  // Computes the same from point masses: the virtual work of the forces along dq = A dy.
  c.s.oracle.set_configuration(c.q);
  const Vectord tau = c.s.oracle.inverse_dynamics(c.A * c.ydot, c.A * c.yddot + c.Adot * c.ydot);
  CHECK(relative_error(e.tau, Vectord(c.A.transpose() * tau)) < tolerance<double>());
  CHECK(relative_error(e.M, Matrixd(c.A.transpose() * c.s.oracle.mass_matrix() * c.A)) < tolerance<double>());
}

TEST_EACH(NewCoordinates& c, "Theorem 1: C' is the Christoffel matrix of M'(y)", "[algorithms][coordinates]") {
  const Matrixd expected = coriolis_matrix_of_coordinates(c.derivatives(), c.ydot);
  CHECK(relative_error(c.compute().C, expected) < tolerance<double>());
}

TEST_EACH(NewCoordinates& c, "Proposition 3: an admissible C stays admissible, and another one another one",
          "[algorithms][coordinates]") {
  const auto plain = c.compute(factorization::Plain{}), christoffel = c.compute();
  CHECK(relative_error(Matrixd(plain.C + plain.C.transpose()), c.rate()) < tolerance<double>());
  CHECK(relative_error(Vectord(plain.C * c.ydot), Vectord(christoffel.C * c.ydot)) < tolerance<double>());
  CHECK(relative_error(plain.C, christoffel.C) > 1e-4);
}

TEST_EACH(NewCoordinates& c, "Theorem 1: the symbols of new coordinates are Christoffel's of M'(y)",
          "[algorithms][coordinates]") {
  const int n = c.s.model.nv();
  ChristoffelTensor<double> Gamma(c.s.model);
  christoffel_symbols(c.s.model, c.s.data, c.q, Gamma);
  Matrixd dA(n, n * n);
  for (int k = 0; k < n; ++k) {
    VectorX<Complex> moved = c.y.cast<Complex>();
    moved[k] += Complex(0, complex_step);
    dA.middleCols(k * n, n) = coordinate_jacobian(moved).imag() / complex_step;
  }
  Tensor3<double> got;
  change_of_coordinates<double>(Gamma.tensor(), crba(c.s.model, c.s.data, c.q), c.A, dA, got);
  REQUIRE(got.size() == n);
  const auto D = c.derivatives();
  Tensor3<double> expected(n);
  for (int k = 0; k < n; ++k) {
    const Matrixd page = coriolis_matrix_of_coordinates(D, Vectord::Unit(n, k));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) expected(i, j, k) = page(i, j);
  }
  CHECK(relative_error(got, expected) < tolerance<double>());
  Matrixd contracted;
  got.contract(c.ydot, contracted);
  CHECK(relative_error(contracted, c.compute().C) < tolerance<double>());
}

TEST_CASE("symbols of fewer velocities are those of the constrained motion", "[algorithms][coordinates]") {
  // If A is constant, only the first term remains.
  Sample s = coordinate_tree(0);
  const int nv = s.model.nv(), n = nv - 1;
  ChristoffelTensor<double> Gamma(s.model);
  christoffel_symbols(s.model, s.data, s.q, Gamma);
  const Matrixd A = Matrixd::NullaryExpr(nv, n, [&] { return s.random.real(); });
  Tensor3<double> got;
  change_of_coordinates<double>(Gamma.tensor(), crba(s.model, s.data, s.q), A, Matrixd::Zero(nv, n * n), got);
  for (int k = 0; k < n; ++k) {
    const Matrixd C = coriolis_matrix(s.model, s.data, s.q, Vectord(A.col(k))).C;
    CHECK(relative_error(Matrixd(got.along(k)), Matrixd(A.transpose() * C * A)) < tolerance<double>());
  }
}

TEST_CASE("symbols or matrices of the wrong size are a SizeError", "[algorithms][coordinates][errors]") {
  const auto message = [](int of_symbols, const Matrixd& M, const Matrixd& dA) {
    Tensor3<double> out;
    const Matrixd A = Matrixd::Ones(4, 3);
    return message_of<SizeError>([&] { change_of_coordinates<double>(Tensor3<double>(of_symbols), M, A, dA, out); });
  };
  const Matrixd M = Matrixd::Ones(4, 4), dA = Matrixd::Ones(4, 9);
  CHECK(mentions(message(3, M, dA), {"Gamma has size 3", "4"}));
  CHECK(mentions(message(4, Matrixd::Ones(4, 3), dA), {"M is 4 x 3", "4 x 4"}));
  CHECK(mentions(message(4, M, Matrixd::Ones(4, 12)), {"dA is 4 x 12", "4 x 9"}));
}

TEST_CASE("fewer velocities: a cam gear has the dynamics of projected rnea", "[algorithms][coordinates]") {
  // q = (y0, 2 y0 + 0.4 sin y0, y1, ..), so the second joint follows the first.
  const int which = GENERATE(range(0, coordinate_trees));
  Sample s = coordinate_tree(which);
  INFO(s.name());
  const int nv = s.model.nv(), n = nv - 1;
  const auto q_of = [&](const auto& y) {
    using S = typename std::decay_t<decltype(y)>::Scalar;
    using std::sin;
    VectorX<S> q(nv);
    q << y[0], S(2) * y[0] + S(0.4) * sin(y[0]), y.tail(n - 1);
    return q;
  };
  const auto A_of = [&](const auto& y) {
    using S = typename std::decay_t<decltype(y)>::Scalar;
    using std::cos;
    MatrixX<S> A = MatrixX<S>::Zero(nv, n);
    A(0, 0) = S(1), A(1, 0) = S(2) + S(0.4) * cos(y[0]);
    for (int i = 1; i < n; ++i) A(i + 1, i) = S(1);
    return A;
  };
  const Vectord y = random_vector(s.random, n), yd = random_vector(s.random, n), ydd = random_vector(s.random, n);
  const Matrixd A = A_of(y);
  Matrixd Adot = Matrixd::Zero(nv, n);
  Adot(1, 0) = -0.4 * std::sin(y[0]) * yd[0];
  const auto e = changed(equations(s.model, s.data, q_of(y), A * yd, Vectord::Zero(nv)), A, Adot);
  CHECK((e.M.rows() == n && e.C.cols() == n && e.g.size() == n && e.tau.size() == n));

  const auto projected = [&](const Vectord& acceleration, const Vectord& velocity) -> Vectord {
    return A.transpose() * rnea(s.model, s.data, q_of(y), velocity, acceleration);
  };
  const Vectord bias = projected(Adot * yd, A * yd), tau = projected(A * ydd + Adot * yd, A * yd);
  const Vectord gravity = projected(Vectord::Zero(nv), Vectord::Zero(nv));
  CHECK(relative_error(Vectord(e.M * ydd + e.C * yd + e.g), tau) < tolerance<double>());
  CHECK(relative_error(Vectord(e.C * yd), Vectord(bias - gravity)) < tolerance<double>());
  CHECK(relative_error(e.g, gravity) < tolerance<double>());
  // C' is the Christoffel matrix of the constrained mass matrix.
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  std::vector<Matrixd> D;
  for (int k = 0; k < n; ++k) {
    VectorX<Complex> moved = y.cast<Complex>();
    moved[k] += Complex(0, complex_step);
    const MatrixX<Complex> J = A_of(moved), M = crba(model, data, q_of(moved));
    D.push_back((J.transpose() * M * J).eval().imag() / complex_step);
  }
  CHECK(relative_error(e.C, coriolis_matrix_of_coordinates(D, yd)) < tolerance<double>());
}

TEST_CASE("a change without tau leaves the new tau alone", "[algorithms][coordinates]") {
  Sample s = coordinate_tree(0);
  auto e = equations(s.model, s.data, s.q, s.v, s.a);
  e.tau.resize(0);
  Matrixd A = Matrixd::Identity(4, 4), Adot = Matrixd::Zero(4, 4), work;
  EquationsOfMotion<double> to;
  to.tau = Vectord::Constant(2, 5.0);
  change_of_coordinates(e, A, Adot, work, to);
  CHECK(to.tau == Vectord::Constant(2, 5.0));
  to.M = A;  // overwrites an argument
  change_of_coordinates<double>(e, to.M, Adot, work, to);
  CHECK(to.tau == Vectord::Constant(2, 5.0));
}

TEST_CASE("a matrix of the wrong size is a SizeError that names it", "[algorithms][coordinates][errors]") {
  const auto message = [](auto&& spoil) {
    EquationsOfMotion<double> e{Matrixd::Identity(4, 4), Matrixd::Identity(4, 4), Vectord::Ones(4), Vectord::Ones(4)};
    Matrixd A = Matrixd::Ones(4, 3), Adot = A;
    spoil(e, A, Adot);
    return message_of<SizeError>([&] { changed(e, A, Adot); });
  };
  CHECK(mentions(message([](auto& e, auto&, auto&) { e.M.resize(4, 5); }), {"M is 4 x 5", "4 x 4"}));
  CHECK(mentions(message([](auto& e, auto&, auto&) { e.C.resize(3, 4); }), {"C is 3 x 4", "4 x 4"}));
  CHECK(mentions(message([](auto&, auto& A, auto&) { A.resize(5, 3); }), {"A is 5 x 3", "4 x 3"}));
  CHECK(mentions(message([](auto&, auto&, auto& Adot) { Adot.resize(4, 4); }), {"Adot is 4 x 4", "4 x 3"}));
  CHECK(mentions(message([](auto& e, auto&, auto&) { e.g.resize(3); }), {"g has size 3", "4"}));
  CHECK(mentions(message([](auto& e, auto&, auto&) { e.tau.resize(5); }), {"tau has size 5", "4"}));
}

TEST_CASE("a change of coordinates in place, with A and its rate anywhere", "[algorithms][coordinates]") {
  std::srand(3);
  const int n = 5;
  const Matrixd M = Matrixd::Random(n, n), C = Matrixd::Random(n, n);
  const Vectord g = Vectord::Random(n), tau = Vectord::Random(n);
  const int columns = GENERATE(5, 3, 1);
  CAPTURE(columns);
  const Matrixd A = Matrixd::Random(n, columns), Adot = Matrixd::Random(n, columns);
  const EquationsOfMotion<double> from{M, C, g, tau};
  const auto check = [&](const EquationsOfMotion<double>& to) {
    const auto near = [](const auto& x, const auto& y) { return (x - y).cwiseAbs().maxCoeff() < 1e-14; };
    CHECK(near(to.M, (A.transpose() * M * A).eval()));
    CHECK(near(to.C, (A.transpose() * (C * A + M * Adot)).eval()));
    CHECK(near(to.g, (A.transpose() * g).eval()));
    CHECK(near(to.tau, (A.transpose() * tau).eval()));
  };
  Matrixd work;
  EquationsOfMotion<double> to = from;
  change_of_coordinates(to, A, Adot, work, to);
  check(to);
  work = A, to.M = Adot;
  change_of_coordinates(from, work, to.M, work, to);
  check(to);
  to.C = A, work = Adot;
  change_of_coordinates(from, to.C, work, work, to);
  check(to);
  to.M = A;
  change_of_coordinates(from, to.M, Adot, to.C, to);
  check(to);
  EquationsOfMotion<double> own = from;
  change_of_coordinates(own, A, Adot, own.M, to);
  check(to);
}
