#include "support/allocation_counter.hpp"

#include <memory>

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/regressor_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Model<double> every_joint(bool floating) {
  return zoo::random_tree(5, {.bodies = 20, .floating_base = floating, .armature = true});
}

struct Arguments {
  explicit Arguments(const Model<double>& model) : data(model) {
    std::mt19937 generator(2);
    Random<double> random(2);
    q = random_configuration(model, generator);
    v = random_vector(random, model.nv());
    a = random_vector(random, model.nv());
    for (const auto& body : model.bodies())
      for (const auto reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned})
        external.emplace_back(body, random.force(), reference, random.vector());
  }
  Data<double> data;
  Vectord q, v, a;
  std::vector<ExternalForce<double>> external;
};

}  // namespace

TEST_CASE("the counter of allocations sees a vector of the standard library", "[algorithms][allocation]") {
  if (!counting_allocations) return;
  CHECK(allocations([] { const auto p = std::make_unique<std::vector<int>>(100); }) == 2);
}

TEST_CASE("Eigen's guard is compiled in", "[algorithms][allocation]") {
  const NoEigenAllocation guard;
  CHECK_FALSE(Eigen::internal::is_malloc_allowed());
}

TEST_CASE("rnea, nonlinear_effects and generalized_gravity allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] { rnea(model, x.data, x.q, x.v, x.a, x.external); }) == 0);
  CHECK(allocations([&] { nonlinear_effects(model, x.data, x.q, x.v); }) == 0);
  CHECK(allocations([&] { generalized_gravity(model, x.data, x.q); }) == 0);
}

TEST_CASE("crba and coriolis_matrix allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] { crba(model, x.data, x.q); }) == 0);
  CHECK(allocations([&] { coriolis_matrix(model, x.data, x.q, x.v); }) == 0);
}

TEST_CASE("coriolis_matrix of any factorization and mass_matrix_dot allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  const auto B = [](const Motion<double>& V, const Inertia<double>& I) -> Matrix6<double> { return crf_bar(I * V); };
  CHECK(allocations([&] { coriolis_matrix<factorization::Plain>(model, x.data, x.q, x.v); }) == 0);
  CHECK(allocations([&] { coriolis_matrix(model, x.data, x.q, x.v, B); }) == 0);
  CHECK(allocations([&] { mass_matrix_dot(model, x.data, x.q, x.v); }) == 0);
}

TEST_CASE("products with C allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] { coriolis_product(model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] { coriolis_product<factorization::Plain>(model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] { coriolis_transpose_product(model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] { coriolis_transpose_product<factorization::Plain>(model, x.data, x.q, x.v, x.a); }) == 0);
}

TEST_CASE("regressors, their products and derivatives along parameters allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  auto& data = x.data;
  const int n = model.nv();
  const BodySelection some(model, {model.bodies()[3].name(), model.bodies()[1].name()});
  for (const BodySelection& bodies : {BodySelection(), some}) {
    Matrixd Y(n, bodies.num_parameters(model));
    const Vectord pi = Vectord::Ones(Y.cols());
    Vectord out(Y.cols());
    CHECK(allocations([&] {
            inverse_dynamics_regressor(model, data, x.q, x.v, x.a, Y, bodies);
            inverse_dynamics_regressor_product(model, data, x.q, x.v, x.a, pi, bodies);
            inverse_dynamics_regressor_transpose_product(model, data, x.q, x.v, x.a, x.v, out, bodies);
          }) == 0);
    CHECK(allocations([&] {
            slotine_li_regressor(model, data, x.q, x.v, x.v, x.a, Y, bodies);
            slotine_li_regressor_product(model, data, x.q, x.v, x.v, x.a, pi, bodies);
            slotine_li_regressor_transpose_product(model, data, x.q, x.v, x.v, x.a, x.v, out, bodies);
          }) == 0);
    CHECK(allocations([&] {
            momentum_regressor(model, data, x.q, x.v, Y, bodies);
            momentum_regressor_product(model, data, x.q, x.v, pi, bodies);
            momentum_regressor_transpose_product(model, data, x.q, x.v, x.v, out, bodies);
          }) == 0);
    CHECK(allocations([&] {
            coriolis_transpose_regressor(model, data, x.q, x.v, Y, bodies);
            coriolis_transpose_regressor_product(model, data, x.q, x.v, pi, bodies);
            coriolis_transpose_regressor_transpose_product(model, data, x.q, x.v, x.v, out, bodies);
          }) == 0);
    CHECK(allocations([&] {
            gravity_regressor(model, data, x.q, Y, bodies);
            gravity_regressor_product(model, data, x.q, pi, bodies);
            gravity_regressor_transpose_product(model, data, x.q, x.v, out, bodies);
          }) == 0);
    CHECK(allocations([&] {
            kinetic_energy_regressor(model, data, x.q, x.v, out, bodies);
            potential_energy_regressor(model, data, x.q, out, bodies);
          }) == 0);
  }
  Matrixd A(n, n);
  Vectord g(n);
  const auto& body = model.bodies()[2];
  CHECK(allocations([&] {
          mass_matrix_parameter_derivative(model, data, x.q, body, InertialParameter::Ixy, A);
          coriolis_parameter_derivative(model, data, x.q, x.v, body, InertialParameter::hx, A);
          gravity_parameter_derivative(model, data, x.q, body, InertialParameter::mass, g);
        }) == 0);
}

TEST_CASE("christoffel_symbols and contraction allocate nothing once sized", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  ChristoffelTensor<double> dense(model);
  PackedChristoffelTensor<double> packed(model);
  CHECK(allocations([&] { christoffel_symbols(model, x.data, x.q, dense); }) == 0);
  CHECK(allocations([&] { christoffel_symbols(model, x.data, x.q, packed); }) == 0);
  Matrixd C(model.nv(), model.nv());
  Vectord c(model.nv());
  CHECK(allocations([&] { dense.contract(x.v, C); }) == 0);
  CHECK(allocations([&] { dense.contract(x.v, x.a, c); }) == 0);
  CHECK(allocations([&] { packed.contract(x.v, C); }) == 0);
  CHECK(allocations([&] { packed.contract(x.v, x.a, c); }) == 0);
}

TEST_CASE("packing and unpacking of symbols allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  ChristoffelTensor<double> dense(model);
  PackedChristoffelTensor<double> packed(model);
  CHECK(allocations([&] { packed.unpack(dense); }) == 0);
  CHECK(allocations([&] { packed.pack(dense); }) == 0);
}

TEST_CASE("aba allocates nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] { aba(model, x.data, x.q, x.v, x.a, x.external); }) == 0);
}

TEST_CASE("energies allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] { kinetic_energy(model, x.data, x.q, x.v); }) == 0);
  CHECK(allocations([&] { potential_energy(model, x.data, x.q); }) == 0);
}

TEST_CASE("forward_kinematics and what reads it allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] { forward_kinematics(model, x.data, x.q); }) == 0);
  CHECK(allocations([&] { forward_kinematics(model, x.data, x.q, x.v); }) == 0);
  CHECK(allocations([&] { forward_kinematics(model, x.data, x.q, x.v, x.a); }) == 0);
  CHECK(allocations([&] {
          for (const auto& body : model.bodies()) {
            body_pose(model, x.data, body);
            body_velocity(model, x.data, body, ReferenceFrame::world_aligned);
            body_acceleration(model, x.data, body, ReferenceFrame::world);
          }
        }) == 0);
}

TEST_CASE("Jacobians and motions of points allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  Matrixd J(6, model.nv());
  JacobianDerivatives<double> D(model);
  for (const auto reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned})
    CHECK(allocations([&] {
            const Where<double> where(model.bodies().back(), reference, {0.1, 0.2, 0.3});
            body_jacobian(model, x.data, x.q, where, J);
            body_jacobian_dot(model, x.data, x.q, x.v, where, J);
            body_jacobian_ddot(model, x.data, x.q, x.v, x.a, where, J);
            body_jacobian_derivatives(model, x.data, where, D);
            body_velocity(model, x.data, where);
            body_acceleration(model, x.data, where);
            body_classical_acceleration(model, x.data, where);
          }) == 0);
}

TEST_CASE("centroidal quantities allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  CHECK(allocations([&] {
          center_of_mass(model, x.data, x.q);
          com_jacobian(model, x.data, x.q);
          com_jacobian_dot(model, x.data, x.q, x.v);
          centroidal_momentum_matrix(model, x.data, x.q);
          centroidal_momentum_matrix_dot(model, x.data, x.q, x.v);
          centroidal_momentum(model, x.data, x.q, x.v);
          centroidal_momentum_dot(model, x.data, x.q, x.v, x.a);
          center_of_mass_velocity(model, x.data, x.q, x.v);
          center_of_mass_acceleration(model, x.data, x.q, x.v, x.a);
        }) == 0);
}

TEST_CASE("the forms for a state left by forward_kinematics allocate nothing", "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  ChristoffelTensor<double> dense(model);
  PackedChristoffelTensor<double> packed(model);
  forward_kinematics(model, x.data, x.q, x.v, x.a);
  CHECK(allocations([&] {
          rnea(model, x.data, x.external);
          nonlinear_effects(model, x.data);
          generalized_gravity(model, x.data);
          crba(model, x.data);
          coriolis_matrix(model, x.data);
          coriolis_matrix<factorization::Plain>(model, x.data);
          mass_matrix_dot(model, x.data);
          coriolis_product(model, x.data, x.a);
          coriolis_transpose_product(model, x.data, x.a);
          christoffel_symbols(model, x.data, dense);
          christoffel_symbols(model, x.data, packed);
          aba(model, x.data, x.a, x.external);
          kinetic_energy(model, x.data);
          potential_energy(model, x.data);
        }) == 0);
}

TEST_CASE("integrate, difference and normalize allocate nothing when they write into an argument",
          "[algorithms][allocation]") {
  const auto model = every_joint(GENERATE(false, true));
  Arguments x(model);
  Vectord q = x.q, dv = x.v;
  CHECK(allocations([&] { integrate(model, x.q, x.v, q); }) == 0);
  CHECK(allocations([&] { difference(model, x.q, q, dv); }) == 0);
  CHECK(allocations([&] { normalize(model, q); }) == 0);
  CHECK(allocations([&] { check_configuration(model, q); }) == 0);
}

TEST_CASE("parts of longer vectors are read without a copy", "[algorithms][allocation]") {
  const auto model = every_joint(true);
  Arguments x(model);
  Vectord state(model.nq() + model.nv());
  state << x.q, x.v;
  const Vectord expected = nonlinear_effects(model, x.data, x.q, x.v);
  CHECK(allocations([&] { nonlinear_effects(model, x.data, state.head(model.nq()), state.tail(model.nv())); }) == 0);
  CHECK(x.data.nonlinear == expected);
}
