// In a folder, that is an executable, of its own: operator new can be replaced but once in each.
#include "support/allocation_counter.hpp"

#include <memory>

#include "corio/algorithms/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/coriolis_matrix_dot.hpp"
#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/gravity_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "corio/algorithms/mass_matrix_derivatives.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Joints of every kind, with forces of every reference on every body; and chains on both sides of the crossover of
/// the routes of forward_dynamics_derivatives.
Model<double> model_of(int i) {
  if (i < 2) return zoo::random_tree(5, {.bodies = 20, .floating_base = i == 1, .armature = true});
  return zoo::serial_chain(i == 2 ? 3 : detail::articulated_from);
}
constexpr int models = 4;

struct Arguments {
  explicit Arguments(int i) : model(model_of(i)), data(model) {
    std::mt19937 generator(2);
    Random<double> random(2);
    q = random_configuration(model, generator);
    v = random_vector(random, model.nv());
    a = random_vector(random, model.nv());
    for (const auto& body : model.bodies())
      for (const auto reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned})
        external.emplace_back(body, random.force(), reference, random.vector());
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a;
  std::vector<ExternalForce<double>> external;
};

constexpr DerivativeRoute routes[] = {DerivativeRoute::automatic, DerivativeRoute::dense, DerivativeRoute::articulated};

}  // namespace

TEST_CASE("what the standard library allocates is counted", "[allocation]") {
  if (!counting_allocations) return;
  CHECK(allocations([] { const auto p = std::make_unique<std::vector<int>>(100); }) == 2);
}

TEST_CASE("Eigen's guard is on", "[allocation]") {
  allocations([] { CHECK_FALSE(Eigen::internal::is_malloc_allowed()); });
}

TEST_CASE("inverse_dynamics_derivatives allocates nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  CHECK(allocations([&] { inverse_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a, x.external); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_derivatives(x.model, x.data, x.external); }) == 0);
}

TEST_CASE("mass_matrix_inverse allocates nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  CHECK(allocations([&] { mass_matrix_inverse(x.model, x.data, x.q); }) == 0);
  CHECK(allocations([&] { mass_matrix_inverse(x.model, x.data); }) == 0);
}

TEST_CASE("forward_dynamics_derivatives allocates nothing, by either route", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  for (const auto route : routes) {
    CAPTURE(static_cast<int>(route));
    CHECK(allocations([&] { forward_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a, {}, route); }) == 0);
    CHECK(allocations([&] { forward_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a, x.external, route); }) == 0);
    CHECK(allocations([&] { forward_dynamics_derivatives(x.model, x.data, x.a, x.external, route); }) == 0);
  }
}

TEST_CASE("inverse_dynamics_hessian allocates nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  const Vectord lambda = x.a + x.v;
  CHECK(allocations([&] { inverse_dynamics_hessian(x.model, x.data, x.q, x.v, x.a, lambda); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_hessian(x.model, x.data, x.q, x.v, x.a, lambda, x.external); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_hessian(x.model, x.data, lambda, x.external); }) == 0);
}

TEST_CASE("forward_dynamics_hessian allocates nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  const Vectord lambda = x.a + x.v;
  CHECK(allocations([&] { forward_dynamics_hessian(x.model, x.data, x.q, x.v, x.a, lambda); }) == 0);
  CHECK(allocations([&] { forward_dynamics_hessian(x.model, x.data, x.q, x.v, x.a, lambda, x.external); }) == 0);
  CHECK(allocations([&] { forward_dynamics_hessian(x.model, x.data, x.a, lambda, x.external); }) == 0);
}

TEST_CASE("inverse_dynamics_second_derivatives allocates nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  InverseDynamicsSecondDerivatives<double> out(x.model);
  CHECK(allocations([&] { inverse_dynamics_second_derivatives(x.model, x.data, x.q, x.v, x.a, out); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_second_derivatives(x.model, x.data, x.q, x.v, x.a, out, x.external); }) ==
        0);
  CHECK(allocations([&] { inverse_dynamics_second_derivatives(x.model, x.data, out, x.external); }) == 0);
}

TEST_CASE("rates of M, C and g allocate nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  CHECK(allocations([&] { coriolis_matrix_dot(x.model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] { coriolis_matrix_dot(x.model, x.data); }) == 0);
  CHECK(allocations([&] { coriolis_matrix_dot<factorization::Plain>(x.model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] { gravity_dot(x.model, x.data, x.q, x.v); }) == 0);
}

TEST_CASE("derivatives of M, C and g along the degrees of freedom allocate nothing", "[allocation]") {
  Arguments x(GENERATE(range(0, models)));
  MassMatrixDerivatives<double> dense(x.model);
  PackedMassMatrixDerivatives<double> packed(x.model);
  CoriolisMatrixDerivatives<double> coriolis(x.model);
  PackedCoriolisMatrixDerivatives<double> coriolis_packed(x.model);
  Matrixd sum = Matrixd::Zero(x.model.nv(), x.model.nv());
  CHECK(allocations([&] { mass_matrix_derivatives(x.model, x.data, x.q, dense); }) == 0);
  CHECK(allocations([&] { mass_matrix_derivatives(x.model, x.data, x.q, packed); }) == 0);
  CHECK(allocations([&] { coriolis_matrix_derivatives(x.model, x.data, x.q, x.v, coriolis); }) == 0);
  CHECK(allocations([&] { coriolis_matrix_derivatives(x.model, x.data, coriolis); }) == 0);
  CHECK(allocations([&] { coriolis_matrix_derivatives(x.model, x.data, coriolis_packed); }) == 0);
  CHECK(allocations([&] { gravity_derivatives(x.model, x.data, x.q); }) == 0);
  CHECK(allocations([&] { dense.contract(x.v, sum), packed.contract(x.v, sum), coriolis.contract(x.v, sum); }) == 0);
  CHECK(allocations([&] { coriolis_packed.contract(x.v, sum); }) == 0);
}

TEST_CASE("one external force, or some in braces, allocate nothing", "[allocation]") {
  Arguments x(1);
  const ExternalForce<double>& one = x.external[0];
  const ExternalForce<double>& other = x.external[4];
  CHECK(allocations([&] { inverse_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a, one); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a, {one, other}); }) == 0);
  CHECK(allocations([&] { forward_dynamics_derivatives(x.model, x.data, x.q, x.v, x.a, {one, other}); }) == 0);
  CHECK(allocations([&] { inverse_dynamics_hessian(x.model, x.data, x.q, x.v, x.a, x.v, one); }) == 0);
  CHECK(allocations([&] { forward_dynamics_hessian(x.model, x.data, x.q, x.v, x.a, x.v, {one, other}); }) == 0);
}
