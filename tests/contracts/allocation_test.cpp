#include "corio/algorithms/coriolis/admissibility.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/allocation_counter.hpp"

#include <memory>

#include "contracts/operations.hpp"
#include "support/catch.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

// No function allocates after its first call with the same Data.

namespace {

using X = Arguments<double>;
using Op = Operation<double>;

const Op& operation_number(int i) { return operations<double>()[static_cast<std::size_t>(i)]; }
int count() { return static_cast<int>(operations<double>().size()); }

/// Joints of every kind, fixed and floating, without armature for com_decoupled; chains on both sides of the length
/// where forward_dynamics_derivatives changes its route; and users' joints whose axes move.
const std::vector<Model<double>>& models() {
  static const std::vector<Model<double>> all = [] {
    const auto tree = [](bool floating, bool armature) {
      return zoo::random_tree(5, {.bodies = 20, .floating_base = floating, .armature = armature, .passive = true});
    };
    return std::vector<Model<double>>{tree(false, true),    tree(true, true),      tree(true, false),
                                      zoo::serial_chain(3), zoo::serial_chain(81), tower<double>(joint::FreeFlyer())};
  }();
  return all;
}

const Model<double>& every_joint(bool floating) { return models()[floating ? 1 : 0]; }

}  // namespace

TEST_CASE("the counter of allocations sees a vector of the standard library", "[contracts][allocation]") {
  if (!counting_allocations) return;
  CHECK(allocations([] { const auto p = std::make_unique<std::vector<int>>(100); }) == 2);
}

TEST_CASE("Eigen's guard is compiled in", "[contracts][allocation]") {
  const NoEigenAllocation guard;
  CHECK_FALSE(Eigen::internal::is_malloc_allowed());
}

TEST_CASE("no function allocates after its first call", "[contracts][allocation]") {
  const Op& f = operation_number(GENERATE(range(0, count())));
  INFO(f.name());
  for (const Model<double>& model : models()) {
    if (!suits(f, model)) continue;
    INFO(model.name() << ", " << model.nv() << " degrees of freedom");
    const X x(model, random_numbers(model, 2), 3), y(model, random_numbers(model, 3), 4);
    Data<double> data(model);
    const auto call = f.prepare(model);
    call->complete(model, data, x);
    CHECK(allocations([&] { call->complete(model, data, y); }) == 0);
    if (!f.has_reuse) continue;
    run_pass(model, data, x, f.pass);
    CHECK(allocations([&] { call->reuse(model, data, y); }) == 0);
    // Assigns in the other direction.
    Data<double> other(model);
    run_pass(model, other, x, f.pass);
    call->reuse(model, other, x);
    CHECK(allocations([&] { call->complete(model, other, y); }) == 0);
  }
}

TEST_CASE("forward_kinematics allocates nothing at all", "[contracts][allocation]") {
  const auto& model = every_joint(GENERATE(false, true));
  const X x(model, random_numbers(model, 2));
  for (const Pass pass : {Pass::position, Pass::velocity, Pass::acceleration}) {
    Data<double> data(model);
    CHECK(allocations([&] { run_pass(model, data, x, pass); }) == 0);
  }
}

TEST_CASE("one external force, or some in braces, allocate nothing", "[contracts][allocation]") {
  const auto& model = every_joint(true);
  const X x(model, random_numbers(model, 2), 3);
  Data<double> data(model);
  const ExternalForce<double>& one = x.forces[0];
  const ExternalForce<double>& other = x.forces[4];
  const auto run = [&] {
    rnea(model, data, x.q(), x.v(), x.a(), one);
    aba(model, data, x.q(), x.v(), x.x(), {one, other});
    inverse_dynamics_derivatives(model, data, x.q(), x.v(), x.a(), one);
    inverse_dynamics_derivatives(model, data, x.q(), x.v(), x.a(), {one, other});
    forward_dynamics_derivatives(model, data, x.q(), x.v(), x.x(), {one, other});
    inverse_dynamics_hessian(model, data, x.q(), x.v(), x.a(), x.x(), one);
    forward_dynamics_hessian(model, data, x.q(), x.v(), x.x(), x.y(), {one, other});
  };
  run();
  CHECK(allocations(run) == 0);
}

TEST_CASE("contraction of symbols and of derivatives allocates nothing", "[contracts][allocation]") {
  const auto& model = every_joint(GENERATE(false, true));
  const X x(model, random_numbers(model, 2));
  const Vectord v = x.v(), a = x.a();
  Data<double> data(model);
  Matrixd C = Matrixd::Zero(model.nv(), model.nv());
  Vectord c(model.nv());
  ChristoffelTensor<double> dense(model);
  PackedChristoffelTensor<double> packed(model);
  christoffel_symbols(model, data, x.q(), dense);
  CHECK(allocations([&] { dense.contract(v, C), dense.contract(v, a, c); }) == 0);
  CHECK(allocations([&] { packed.contract(v, C), packed.contract(v, a, c); }) == 0);
  CHECK(allocations([&] { packed.unpack(dense), packed.pack(dense); }) == 0);
  const MassMatrixDerivativesResult<double> mass(model);
  const PackedMassMatrixDerivativesResult<double> mass_packed(model);
  const CoriolisMatrixDerivativesResult<double> coriolis(model);
  const PackedCoriolisMatrixDerivativesResult<double> coriolis_packed(model);
  CHECK(allocations([&] { mass.contract(v, C), mass_packed.contract(v, C); }) == 0);
  CHECK(allocations([&] { coriolis.contract(v, C), coriolis_packed.contract(v, C); }) == 0);
}

TEST_CASE("tensors of the second kind and of contorsion allocate nothing once sized", "[contracts][allocation]") {
  const auto& model = every_joint(GENERATE(false, true));
  const X x(model, random_numbers(model, 2));
  const Vectord v = x.v(), a = x.a();
  Data<double> data(model);
  ChristoffelTensor<double> Gamma(model);
  Tensor3<double> out, symmetric, K;
  Matrixd C;
  Vectord bias;
  christoffel_symbols(model, data, x.q(), Gamma);
  const Matrixd zero = Matrixd::Zero(model.nv(), model.nv());
  const auto constant = [&](const Vectord&) -> const Matrixd& { return zero; };
  const auto run = [&] {
    christoffel_symbols_second_kind(model, data, Gamma, out);
    symmetric_part(out, symmetric);
    symmetric_part(symmetric, symmetric);
    out.contract(v, C);
    out.contract(v, a, bias);
    contorsion(model, data, x.q(), constant, K);
    contorsion_defects(K);
  };
  run();
  CHECK(allocations(run) == 0);
}

TEST_CASE("a change of coordinates allocates nothing once sized", "[contracts][allocation]") {
  // Solves with fewer velocities too; Eigen multiplies 29 rows with blocking, which fewer rows do not need.
  const auto& model = every_joint(true);
  const X x(model, random_numbers(model, 2));
  Data<double> data(model);
  const int n = model.nv(), fewer = GENERATE(0, 3);
  const auto& [C, M, Mdot] = coriolis_matrix(model, data, x.q(), x.v());
  const EquationsOfMotion<double> from{M, C, x.v(), x.a()};
  const Matrixd A = Matrixd::Random(n, n - fewer), Adot = Matrixd::Random(n, n - fewer);
  Matrixd work;
  EquationsOfMotion<double> to;
  const auto run = [&] { change_of_coordinates(from, A, Adot, work, to); };
  run();
  CHECK(allocations(run) == 0);
}

TEST_CASE("integrate, difference and normalize allocate nothing when they write into an argument",
          "[contracts][allocation]") {
  const auto& model = every_joint(GENERATE(false, true));
  const X x(model, random_numbers(model, 2));
  Vectord q = x.q(), dv = x.v();
  CHECK(allocations([&] {
          integrate(model, x.q(), x.v(), q);
          difference(model, x.q(), q, dv);
          normalize(model, q);
          check_configuration(model, q);
        }) == 0);
}

TEST_CASE("body-level checks of a factorization allocate nothing", "[contracts][allocation]") {
  CHECK(allocations([] { is_admissible(factorization::Plain{}); }) == 0);
}
