#include "support/allocation_counter.hpp"

#include <memory>

#include "corio/algorithms/admissibility.hpp"
#include "corio/algorithms/com_decoupled.hpp"
#include "corio/algorithms/connection.hpp"
#include "corio/algorithms/coordinates.hpp"
#include "corio/algorithms/coriolis_by_differentiation.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"

using namespace corio;
using namespace corio::test;

// Functions that size their results at the first call allocate nothing at the next ones.

namespace {

/// One call to size the results, and the allocations of a second.
template <class F>
long reuse_allocations(F&& f) {
  f();
  return allocations(f);
}

/// Joints of every kind; the base of a floating one without armature, for com_decoupled.
Model<double> every_joint(bool floating) {
  return zoo::random_tree(5, {.bodies = 20, .floating_base = floating, .armature = !floating});
}

struct Arguments {
  explicit Arguments(bool floating)
      : model(every_joint(floating)), data(model), state(model, 2), q(state.q), v(state.v), a(state.a) {
    forward_kinematics(model, data, q, v);
  }
  Model<double> model;
  Data<double> data;
  State state;
  const Vectord &q, &v, &a;
};

}  // namespace

TEST_CASE("the counter sees what the standard library allocates", "[identities][allocation]") {
  if (!counting_allocations) return;
  CHECK(allocations([] { const auto p = std::make_unique<std::vector<int>>(100); }) == 2);
}

TEST_CASE("structure constants allocate nothing once sized", "[identities][allocation]") {
  Arguments x(GENERATE(false, true));
  Tensor3<double> c, y;
  CHECK(reuse_allocations([&] { structure_constants(x.model, x.data, x.q, c); }) == 0);
  CHECK(reuse_allocations([&] { structure_constants_first_kind(x.model, x.data, x.q, y); }) == 0);
  CHECK(allocations([&] {
          structure_constants(x.model, x.data, c);
          structure_constants_first_kind(x.model, x.data, y);
        }) == 0);
}

TEST_CASE("symbols of the second kind allocate nothing once sized", "[identities][allocation]") {
  Arguments x(GENERATE(false, true));
  ChristoffelTensor<double> Gamma(x.model);
  Tensor3<double> out, symmetric;
  Matrixd C;
  Vectord bias;
  christoffel_symbols(x.model, x.data, x.q, Gamma);
  CHECK(reuse_allocations([&] { christoffel_symbols_second_kind(x.model, x.data, Gamma, out); }) == 0);
  CHECK(reuse_allocations([&] { symmetric_part(out, symmetric); }) == 0);
  CHECK(allocations([&] { symmetric_part(out, out); }) == 0);
  CHECK(reuse_allocations([&] { out.contract(x.v, C); }) == 0);
  CHECK(reuse_allocations([&] { out.contract(x.v, x.a, bias); }) == 0);
}

TEST_CASE("covariant derivatives allocate nothing", "[identities][allocation]") {
  Arguments x(GENERATE(false, true));
  CHECK(allocations([&] { covariant_derivative(x.model, x.data, x.q, x.v, x.a, x.v); }) == 0);
  CHECK(allocations([&] { covariant_derivative(x.model, x.data, x.a, x.v); }) == 0);
  CHECK(allocations([&] { geodesic_residual(x.model, x.data, x.q, x.v, x.a); }) == 0);
}

TEST_CASE("contorsion allocates nothing once sized", "[identities][allocation]") {
  Arguments x(GENERATE(false, true));
  Tensor3<double> K;
  CHECK(reuse_allocations([&] { contorsion(x.model, x.data, x.q, factorization::Plain{}, K); }) == 0);
  const Matrixd C = Matrixd::Zero(x.model.nv(), x.model.nv());
  const auto constant = [&](const Vectord&) -> const Matrixd& { return C; };
  CHECK(reuse_allocations([&] { contorsion(x.model, x.data, x.q, constant, K); }) == 0);
  CHECK(allocations([&] { contorsion_defects(K); }) == 0);
}

TEST_CASE("C by differentiation allocates nothing once sized", "[identities][allocation]") {
  Arguments x(GENERATE(false, true));
  Matrixd C;
  CHECK(reuse_allocations([&] { coriolis_matrix_by_differentiation(x.model, x.data, x.q, x.v, C); }) == 0);
}

TEST_CASE("a change of coordinates allocates nothing once sized", "[identities][allocation]") {
  // With fewer velocities too; 29 rows are beyond what Eigen multiplies without blocking.
  Arguments x(true);
  const int n = x.model.nv(), fewer = GENERATE(0, 3);
  const auto& [C, M, Mdot] = coriolis_matrix(x.model, x.data);
  const EquationsOfMotion<double> from{M, C, x.v, x.a};
  const Matrixd A = Matrixd::Random(n, n - fewer), Adot = Matrixd::Random(n, n - fewer);
  Matrixd work;
  EquationsOfMotion<double> to;
  CHECK(reuse_allocations([&] { change_of_coordinates(from, A, Adot, work, to); }) == 0);
}

TEST_CASE("com_decoupled allocates nothing", "[identities][allocation]") {
  Arguments x(true);
  ComDecoupled<double> out(x.model);
  CHECK(allocations([&] { com_decoupled(x.model, x.data, x.q, x.v, out); }) == 0);
  CHECK(allocations([&] { com_decoupled(x.model, x.data, out); }) == 0);
}

TEST_CASE("body-level checks of a factorization allocate nothing", "[identities][allocation]") {
  CHECK(allocations([] { is_admissible(factorization::Plain{}); }) == 0);
}
