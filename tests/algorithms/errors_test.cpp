#include <functional>

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/regressor_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

using M = Model<double>;
using D = Data<double>;
using V = Vectord;

/// An algorithm in its two forms, and the kinematics pass that the second reuses.
struct Algorithm {
  std::string name;
  std::string pass;
  std::function<void(const M&, D&, const V& q, const V& v, const V& a)> complete;
  std::function<void(const M&, D&, const V& a)> reuse;
};

const Frame<double>& last(const M& model) { return model.bodies().back(); }

/// christoffel_symbols into a tensor of the right model.
template <class Tensor>
Algorithm symbols() {
  return {"christoffel_symbols", "(model, data, q)",
          [](auto& m, auto& d, auto& q, auto&, auto&) {
            Tensor Gamma(m);
            christoffel_symbols(m, d, q, Gamma);
          },
          [](auto& m, auto& d, auto&) {
            Tensor Gamma(m);
            christoffel_symbols(m, d, Gamma);
          }};
}

/// One that writes into a 6 x nv matrix.
template <class Complete, class Reuse>
Algorithm jacobian(const char* name, const char* pass, Complete complete, Reuse reuse) {
  return {name, pass,
          [complete](auto& m, auto& d, auto& q, auto& v, auto& a) {
            Matrixd J(6, m.nv());
            complete(m, d, q, v, a, J);
          },
          [reuse](auto& m, auto& d, auto&) {
            Matrixd J(6, m.nv());
            reuse(m, d, J);
          }};
}

/// A regressor, and its products with the nv numbers of a.
Algorithm of_regressor(const Regressor<double>& r) {
  const auto state = [](const V& q, const V& v, const V& a) { return Regressor<double>::State{q, v, a, a}; };
  return {r.name, r.pass,
          [r, state](auto& m, auto& d, auto& q, auto& v, auto& a) {
            Matrixd Y(m.nv(), num_inertial_parameters(m));
            r.fill(m, d, state(q, v, a), Y, {});
          },
          [r, state](auto& m, auto& d, auto& a) {
            Matrixd Y(m.nv(), num_inertial_parameters(m));
            r.refill(m, d, state(a, a, a), Y, {});
          }};
}
Algorithm of_product(const Regressor<double>& r) {
  const auto state = [](const V& q, const V& v, const V& a) { return Regressor<double>::State{q, v, a, a}; };
  return {r.name + "_product", r.pass,
          [r, state](auto& m, auto& d, auto& q, auto& v, auto& a) {
            V out(num_inertial_parameters(m));
            r.product(m, d, state(q, v, a), inertial_parameters(m), {});
            r.transpose_product(m, d, state(q, v, a), a, out, {});
          },
          [r, state](auto& m, auto& d, auto& a) { r.product_again(m, d, state(a, a, a), inertial_parameters(m), {}); }};
}
Algorithm of_transpose_product(const Regressor<double>& r) {
  Algorithm f = of_product(r);
  f.name = r.name + "_transpose_product";
  f.reuse = [r](auto& m, auto& d, auto& a) {
    V out(num_inertial_parameters(m));
    r.transpose_product_again(m, d, {a, a, a, a}, a, out, {});
  };
  return f;
}

std::vector<Algorithm> with_regressors(std::vector<Algorithm> all) {
  for (const auto& r : regressors<double>()) {
    all.push_back(of_regressor(r));
    all.push_back(of_product(r));
    all.push_back(of_transpose_product(r));
  }
  return all;
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = with_regressors({
      {"rnea", "(model, data, q, v, a)", [](auto& m, auto& d, auto& q, auto& v, auto& a) { rnea(m, d, q, v, a); },
       [](auto& m, auto& d, auto&) { rnea(m, d); }},
      {"nonlinear_effects", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { nonlinear_effects(m, d, q, v); },
       [](auto& m, auto& d, auto&) { nonlinear_effects(m, d); }},
      {"generalized_gravity", "(model, data, q)",
       [](auto& m, auto& d, auto& q, auto&, auto&) { generalized_gravity(m, d, q); },
       [](auto& m, auto& d, auto&) { generalized_gravity(m, d); }},
      {"crba", "(model, data, q)", [](auto& m, auto& d, auto& q, auto&, auto&) { crba(m, d, q); },
       [](auto& m, auto& d, auto&) { crba(m, d); }},
      {"coriolis_matrix", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { coriolis_matrix(m, d, q, v); },
       [](auto& m, auto& d, auto&) { coriolis_matrix(m, d); }},
      {"coriolis_matrix", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { coriolis_matrix<factorization::Plain>(m, d, q, v); },
       [](auto& m, auto& d, auto&) { coriolis_matrix<factorization::Plain>(m, d); }},
      {"mass_matrix_dot", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { mass_matrix_dot(m, d, q, v); },
       [](auto& m, auto& d, auto&) { mass_matrix_dot(m, d); }},
      {"coriolis_product", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a) { coriolis_product(m, d, q, v, a); },
       [](auto& m, auto& d, auto& a) { coriolis_product(m, d, a); }},
      {"coriolis_transpose_product", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a) { coriolis_transpose_product(m, d, q, v, a); },
       [](auto& m, auto& d, auto& a) { coriolis_transpose_product(m, d, a); }},
      symbols<ChristoffelTensor<double>>(),
      symbols<PackedChristoffelTensor<double>>(),
      {"aba", "(model, data, q, v)", [](auto& m, auto& d, auto& q, auto& v, auto& a) { aba(m, d, q, v, a); },
       [](auto& m, auto& d, auto& a) { aba(m, d, a); }},
      {"kinetic_energy", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { kinetic_energy(m, d, q, v); },
       [](auto& m, auto& d, auto&) { kinetic_energy(m, d); }},
      {"potential_energy", "(model, data, q)",
       [](auto& m, auto& d, auto& q, auto&, auto&) { potential_energy(m, d, q); },
       [](auto& m, auto& d, auto&) { potential_energy(m, d); }},
      {"body_pose", "(model, data, q)", [](auto& m, auto& d, auto& q, auto&, auto&) { forward_kinematics(m, d, q); },
       [](auto& m, auto& d, auto&) { body_pose(m, d, last(m)); }},
      {"body_velocity", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { forward_kinematics(m, d, q, v); },
       [](auto& m, auto& d, auto&) { body_velocity(m, d, last(m)); }},
      {"body_acceleration", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a) { forward_kinematics(m, d, q, v, a); },
       [](auto& m, auto& d, auto&) { body_acceleration(m, d, last(m)); }},
      {"body_classical_acceleration", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a) { forward_kinematics(m, d, q, v, a); },
       [](auto& m, auto& d, auto&) { body_classical_acceleration(m, d, last(m)); }},
      jacobian(
          "body_jacobian", "(model, data, q)",
          [](auto& m, auto& d, auto& q, auto&, auto&, auto& J) { body_jacobian(m, d, q, last(m), J); },
          [](auto& m, auto& d, auto& J) { body_jacobian(m, d, last(m), J); }),
      jacobian(
          "body_jacobian_dot", "(model, data, q, v)",
          [](auto& m, auto& d, auto& q, auto& v, auto&, auto& J) { body_jacobian_dot(m, d, q, v, last(m), J); },
          [](auto& m, auto& d, auto& J) { body_jacobian_dot(m, d, last(m), J); }),
      jacobian(
          "body_jacobian_ddot", "(model, data, q, v, a)",
          [](auto& m, auto& d, auto& q, auto& v, auto& a, auto& J) { body_jacobian_ddot(m, d, q, v, a, last(m), J); },
          [](auto& m, auto& d, auto& J) { body_jacobian_ddot(m, d, last(m), J); }),
      {"body_jacobian_derivatives", "(model, data, q)",
       [](auto& m, auto& d, auto& q, auto&, auto&) {
         JacobianDerivatives<double> derivatives(m);
         body_jacobian_derivatives(m, d, q, last(m), derivatives);
       },
       [](auto& m, auto& d, auto&) {
         JacobianDerivatives<double> derivatives(m);
         body_jacobian_derivatives(m, d, last(m), derivatives);
       }},
      {"center_of_mass", "(model, data, q)", [](auto& m, auto& d, auto& q, auto&, auto&) { center_of_mass(m, d, q); },
       [](auto& m, auto& d, auto&) { center_of_mass(m, d); }},
      {"center_of_mass_velocity", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { center_of_mass_velocity(m, d, q, v); },
       [](auto& m, auto& d, auto&) { center_of_mass_velocity(m, d); }},
      {"center_of_mass_acceleration", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a) { center_of_mass_acceleration(m, d, q, v, a); },
       [](auto& m, auto& d, auto&) { center_of_mass_acceleration(m, d); }},
      {"com_jacobian", "(model, data, q)", [](auto& m, auto& d, auto& q, auto&, auto&) { com_jacobian(m, d, q); },
       [](auto& m, auto& d, auto&) { com_jacobian(m, d); }},
      {"com_jacobian_dot", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { com_jacobian_dot(m, d, q, v); },
       [](auto& m, auto& d, auto&) { com_jacobian_dot(m, d); }},
      {"centroidal_momentum_matrix", "(model, data, q)",
       [](auto& m, auto& d, auto& q, auto&, auto&) { centroidal_momentum_matrix(m, d, q); },
       [](auto& m, auto& d, auto&) { centroidal_momentum_matrix(m, d); }},
      {"centroidal_momentum_matrix_dot", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { centroidal_momentum_matrix_dot(m, d, q, v); },
       [](auto& m, auto& d, auto&) { centroidal_momentum_matrix_dot(m, d); }},
      {"centroidal_momentum", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) { centroidal_momentum(m, d, q, v); },
       [](auto& m, auto& d, auto&) { centroidal_momentum(m, d); }},
      {"centroidal_momentum_dot", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a) { centroidal_momentum_dot(m, d, q, v, a); },
       [](auto& m, auto& d, auto&) { centroidal_momentum_dot(m, d); }},
      {"kinetic_energy_regressor", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto&) {
         V y(num_inertial_parameters(m));
         kinetic_energy_regressor(m, d, q, v, y);
       },
       [](auto& m, auto& d, auto&) {
         V y(num_inertial_parameters(m));
         kinetic_energy_regressor(m, d, y);
       }},
      {"potential_energy_regressor", "(model, data, q)",
       [](auto& m, auto& d, auto& q, auto&, auto&) {
         V y(num_inertial_parameters(m));
         potential_energy_regressor(m, d, q, y);
       },
       [](auto& m, auto& d, auto&) {
         V y(num_inertial_parameters(m));
         potential_energy_regressor(m, d, y);
       }},
  });
  return all;
}
const Algorithm& algorithm(int i) { return algorithms()[static_cast<std::size_t>(i)]; }
int count() { return static_cast<int>(algorithms().size()); }

M robot() { return zoo::random_tree(9, {.bodies = 10, .floating_base = true}); }

struct State {
  explicit State(const M& model)
      : q(neutral(model)), v(V::Constant(model.nv(), 0.3)), a(V::Constant(model.nv(), 0.2)) {}
  V q, v, a;
};

bool takes_velocity(const Algorithm& f) { return f.pass != "(model, data, q)"; }
/// An a, or another vector of its size.
bool takes_acceleration(const Algorithm& f) {
  const bool product = f.name.find("product") != std::string::npos;
  return f.pass == "(model, data, q, v, a)" || f.name == "aba" || f.name == "slotine_li_regressor" || product;
}

/// The passes that are not enough for `f`.
std::vector<std::function<void(const M&, D&, const State&)>> insufficient(const Algorithm& f) {
  std::vector<std::function<void(const M&, D&, const State&)>> all{[](auto&, auto&, auto&) {}};
  if (takes_velocity(f)) all.emplace_back([](auto& m, auto& d, auto& s) { forward_kinematics(m, d, s.q); });
  if (f.pass == "(model, data, q, v, a)")
    all.emplace_back([](auto& m, auto& d, auto& s) { forward_kinematics(m, d, s.q, s.v); });
  return all;
}

}  // namespace

TEST_CASE("a q, v, a or tau of the wrong size is a SizeError that says what is expected", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  const int change = GENERATE(-1, 1);
  INFO(f.name);
  const M model = robot();
  D data(model);
  const State s(model);
  const V bad_q = V::Zero(model.nq() + change), bad_v = V::Zero(model.nv() + change);
  const auto message = [&](const V& q, const V& v, const V& a) {
    return message_of<SizeError>([&] { f.complete(model, data, q, v, a); });
  };
  const std::vector<std::string> q_sizes{"q has size", std::to_string(model.nq() + change), std::to_string(model.nq())};
  CHECK(mentions(message(bad_q, s.v, s.a), q_sizes));
  const std::vector<std::string> v_sizes{"has size", std::to_string(model.nv() + change), std::to_string(model.nv())};
  if (takes_velocity(f)) CHECK(mentions(message(s.q, bad_v, s.a), v_sizes));
  if (takes_acceleration(f)) CHECK(mentions(message(s.q, s.v, bad_v), v_sizes));
}

TEST_CASE("a tau of the wrong size is a SizeError for a state left by forward_kinematics too", "[algorithms][errors]") {
  const M model = robot();
  D data(model);
  const State s(model);
  forward_kinematics(model, data, s.q, s.v);
  CHECK_THROWS_AS(aba(model, data, V::Zero(model.nv() + 1)), SizeError);
  CHECK_THROWS_AS(coriolis_product(model, data, V::Zero(model.nv() + 1)), SizeError);
  CHECK_THROWS_AS(coriolis_transpose_product(model, data, V::Zero(model.nv() - 1)), SizeError);
}

TEST_CASE("Data of a model of another size is a SizeError", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot();
  D data(zoo::serial_chain(3));
  const State s(model);
  CHECK(mentions(message_of<SizeError>([&] { f.complete(model, data, s.q, s.v, s.a); }), {"Data", "another model"}));
}

TEST_CASE("an algorithm before its kinematics pass is a StateError that names both", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot();
  const State s(model);
  for (const auto& pass : insufficient(f)) {
    D data(model);
    pass(model, data, s);
    const std::string message = message_of<StateError>([&] { f.reuse(model, data, s.a); });
    CHECK(mentions(message, {f.name, "forward_kinematics" + f.pass}));
  }
}

TEST_CASE("an algorithm after its kinematics pass throws nothing", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot();
  D data(model);
  const State s(model);
  f.complete(model, data, s.q, s.v, s.a);
  CHECK_NOTHROW(f.reuse(model, data, s.a));
}

TEST_CASE("a shorter pass after a longer one does not leave the older velocities to be used", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  if (!takes_velocity(f)) return;
  const M model = robot();
  D data(model);
  const State s(model);
  forward_kinematics(model, data, s.q, s.v, s.a);
  forward_kinematics(model, data, s.q);
  CHECK_THROWS_AS(f.reuse(model, data, s.a), StateError);
}

TEST_CASE("a pass that failed for its arguments leaves the state before it", "[algorithms][errors]") {
  const M model = robot();
  D data(model);
  const State s(model);
  const Matrixd M = crba(model, data, s.q);
  CHECK_THROWS_AS(forward_kinematics(model, data, V::Ones(1)), SizeError);
  CHECK(crba(model, data) == M);
}

TEST_CASE("a state computed before set_inertia is a StateError that says so", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  M model = robot();
  D data(model);
  const State s(model);
  f.complete(model, data, s.q, s.v, s.a);
  model.set_inertia(model.bodies().back(), ball(3.0));
  const std::string message = message_of<StateError>([&] { f.reuse(model, data, s.a); });
  CHECK(mentions(message, {f.name, "changed"}));
}

TEST_CASE("a state computed for another model of the same size is a StateError", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot(), other = robot();
  D data(model);
  const State s(model);
  f.complete(model, data, s.q, s.v, s.a);
  CHECK(mentions(message_of<StateError>([&] { f.reuse(other, data, s.a); }), {"another model"}));
}

TEST_CASE("a state computed for a copy of the model may be reused", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot();
  const M copy = model;
  D data(model);
  const State s(model);
  f.complete(model, data, s.q, s.v, s.a);
  CHECK_NOTHROW(f.reuse(copy, data, s.a));
}

TEST_CASE("an external force on a body that the model does not have is a ModelError", "[algorithms][errors]") {
  const M model = zoo::serial_chain(3), larger = zoo::serial_chain(4);
  D data(model);
  const State s(model);
  const Force<double> F{Vector3<double>::Ones(), Vector3<double>::Ones()};
  const std::vector<ExternalForce<double>> external{{larger.bodies().back(), F, ReferenceFrame::body}};
  CHECK_THROWS_AS(rnea(model, data, s.q, s.v, s.a, external), ModelError);
  CHECK_THROWS_AS(aba(model, data, s.q, s.v, s.a, external), ModelError);
}

TEST_CASE("numbers that are not finite pass through every algorithm without an exception", "[algorithms][errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  const double bad = GENERATE(std::nan(""), std::numeric_limits<double>::infinity());
  INFO(f.name);
  const M model = robot();
  D data(model);
  State s(model);
  s.q[model.nq() - 1] = s.v[0] = s.a[0] = bad;
  CHECK_NOTHROW(f.complete(model, data, s.q, s.v, s.a));
  CHECK_NOTHROW(f.reuse(model, data, s.a));
}

TEST_CASE("numbers that are not finite make the results not finite", "[algorithms][errors]") {
  const M model = zoo::serial_chain(4);
  D data(model);
  State s(model);
  s.q[1] = std::nan("");
  const auto is_bad = [](const auto& x) { return !x.allFinite(); };
  CHECK(is_bad(rnea(model, data, s.q, s.v, s.a)));
  CHECK(is_bad(nonlinear_effects(model, data, s.q, s.v)));
  CHECK(is_bad(generalized_gravity(model, data, s.q)));
  CHECK(is_bad(crba(model, data, s.q)));
  CHECK(is_bad(coriolis_matrix(model, data, s.q, s.v).C));
  CHECK(is_bad(coriolis_matrix<factorization::Plain>(model, data, s.q, s.v).C));
  CHECK(is_bad(mass_matrix_dot(model, data, s.q, s.v)));
  CHECK(is_bad(coriolis_product(model, data, s.q, s.v, s.a)));
  CHECK(is_bad(coriolis_transpose_product(model, data, s.q, s.v, s.a)));
  CHECK(is_bad(aba(model, data, s.q, s.v, s.a)));
  ChristoffelTensor<double> Gamma(model);
  christoffel_symbols(model, data, s.q, Gamma);
  CHECK(is_bad(Matrixd(Gamma.page(1))));
  CHECK(std::isnan(kinetic_energy(model, data, s.q, s.v)));
  CHECK(std::isnan(potential_energy(model, data, s.q)));
}
