#include <functional>
#include <limits>

#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Misuse of the derivatives, first and second, and of the inverse of M.

namespace {

using M = Model<double>;
using D = Data<double>;
using V = Vectord;
using External = std::vector<ExternalForce<double>>;

/// A function in its two forms, and the kinematics pass that the second reuses.
struct Algorithm {
  std::string name;
  std::string pass;
  /// Its largest result in modulus, infinity if one is not finite.
  std::function<double(const M&, D&, const V& q, const V& v, const V& a, const External&)> complete;
  std::function<double(const M&, D&, const V& a)> reuse;
};

double size_of(const MatrixX<double>& x) { return corio::test::max_magnitude(x); }
double size_of(const InverseDynamicsDerivatives<double>& x) {
  return std::max({size_of(x.dtau_dq), size_of(x.dtau_dv), size_of(x.M)});
}
double size_of(const ForwardDynamicsDerivatives<double>& x) {
  return std::max({size_of(x.da_dq), size_of(x.da_dv), size_of(x.da_dtau)});
}

double size_of(const InverseDynamicsHessian<double>& x) {
  return std::max({size_of(x.qq), size_of(x.vq), size_of(x.vv), size_of(x.aq)});
}
double size_of(const ForwardDynamicsHessian<double>& x) {
  return std::max({size_of(x.qq), size_of(x.vq), size_of(x.vv), size_of(x.tau_q)});
}
double size_of(const InverseDynamicsSecondDerivatives<double>& x) {
  double largest = 0;
  for (const Tensor3<double>* T : {&x.d2tau_dqdq, &x.d2tau_dvdq, &x.d2tau_dvdv, &x.dM_dq})
    for (int i = 0; i < T->size(); ++i) largest = std::max(largest, size_of(MatrixX<double>(T->page(i))));
  return largest;
}

V ones(const M& model) { return V::Ones(model.nv()); }

Algorithm forward(DerivativeRoute route) {
  return {"forward_dynamics_derivatives", "(model, data, q, v)",
          [route](auto& m, auto& d, auto& q, auto& v, auto& a, auto& external) {
            return size_of(forward_dynamics_derivatives(m, d, q, v, a, external, route));
          },
          [route](auto& m, auto& d, auto& a) { return size_of(forward_dynamics_derivatives(m, d, a, {}, route)); }};
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = {
      {"inverse_dynamics_derivatives", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a, auto& external) {
         return size_of(inverse_dynamics_derivatives(m, d, q, v, a, external));
       },
       [](auto& m, auto& d, auto&) { return size_of(inverse_dynamics_derivatives(m, d)); }},
      {"mass_matrix_inverse", "(model, data, q)",
       [](auto& m, auto& d, auto& q, auto&, auto&, auto&) { return size_of(mass_matrix_inverse(m, d, q)); },
       [](auto& m, auto& d, auto&) { return size_of(mass_matrix_inverse(m, d)); }},
      forward(DerivativeRoute::automatic),
      forward(DerivativeRoute::dense),
      forward(DerivativeRoute::articulated),
      {"inverse_dynamics_hessian", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a, auto& external) {
         return size_of(inverse_dynamics_hessian(m, d, q, v, a, ones(m), external));
       },
       [](auto& m, auto& d, auto&) { return size_of(inverse_dynamics_hessian(m, d, ones(m))); }},
      {"forward_dynamics_hessian", "(model, data, q, v)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a, auto& external) {
         return size_of(forward_dynamics_hessian(m, d, q, v, a, ones(m), external));
       },
       [](auto& m, auto& d, auto& a) { return size_of(forward_dynamics_hessian(m, d, a, ones(m))); }},
      {"inverse_dynamics_second_derivatives", "(model, data, q, v, a)",
       [](auto& m, auto& d, auto& q, auto& v, auto& a, auto& external) {
         InverseDynamicsSecondDerivatives<double> out(m);
         inverse_dynamics_second_derivatives(m, d, q, v, a, out, external);
         return size_of(out);
       },
       [](auto& m, auto& d, auto&) {
         InverseDynamicsSecondDerivatives<double> out(m);
         inverse_dynamics_second_derivatives(m, d, out);
         return size_of(out);
       }}};
  return all;
}
const Algorithm& algorithm(int i) { return algorithms()[static_cast<std::size_t>(i)]; }
int count() { return static_cast<int>(algorithms().size()); }

M robot() { return zoo::random_tree(9, {.bodies = 10, .floating_base = true}); }

struct Arguments {
  explicit Arguments(const M& model)
      : q(neutral(model)), v(V::Constant(model.nv(), 0.3)), a(V::Constant(model.nv(), 0.2)) {}
  V q, v, a;
};

/// The passes that are not enough for `f`.
std::vector<std::function<void(const M&, D&, const Arguments&)>> insufficient(const Algorithm& f) {
  std::vector<std::function<void(const M&, D&, const Arguments&)>> all{[](auto&, auto&, auto&) {}};
  if (f.pass != "(model, data, q)") all.emplace_back([](auto& m, auto& d, auto& s) { forward_kinematics(m, d, s.q); });
  if (f.pass == "(model, data, q, v, a)")
    all.emplace_back([](auto& m, auto& d, auto& s) { forward_kinematics(m, d, s.q, s.v); });
  return all;
}

}  // namespace

TEST_CASE("derivatives: a q, v, a or tau of the wrong size is a SizeError", "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  const int change = GENERATE(-1, 1);
  INFO(f.name);
  const M model = robot();
  D data(model);
  const Arguments s(model);
  const V bad_q = V::Zero(model.nq() + change), bad_v = V::Zero(model.nv() + change);
  const auto message = [&](const V& q, const V& v, const V& a) {
    return message_of<SizeError>([&] { f.complete(model, data, q, v, a, {}); });
  };
  const std::vector<std::string> q_sizes{"q has size", std::to_string(model.nq() + change), std::to_string(model.nq())};
  CHECK(mentions(message(bad_q, s.v, s.a), q_sizes));
  if (f.pass == "(model, data, q)") return;
  const std::vector<std::string> v_sizes{"has size", std::to_string(model.nv() + change), std::to_string(model.nv())};
  CHECK(mentions(message(s.q, bad_v, s.a), v_sizes));
  CHECK(mentions(message(s.q, s.v, bad_v), v_sizes));
}

TEST_CASE("derivatives: a tau of the wrong size is a SizeError that leaves the state",
          "[identities][derivatives_errors]") {
  const M model = robot();
  D data(model);
  const Arguments s(model);
  const V bad = V::Zero(model.nv() + 1);
  forward_kinematics(model, data, s.q, s.v, s.a);
  CHECK(mentions(message_of<SizeError>([&] { forward_dynamics_derivatives(model, data, bad); }), {"tau has size"}));
  CHECK(mentions(message_of<SizeError>([&] { forward_dynamics_derivatives(model, data, s.q, s.v, bad); }),
                 {"tau has size"}));
  const Matrixd expected = inverse_dynamics_derivatives(model, data).dtau_dq;
  D other(model);
  CHECK(inverse_dynamics_derivatives(model, other, s.q, s.v, s.a).dtau_dq == expected);
}

TEST_CASE("derivatives: before the kinematics pass a StateError names both", "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot();
  const Arguments s(model);
  for (const auto& pass : insufficient(f)) {
    D data(model);
    pass(model, data, s);
    const std::string message = message_of<StateError>([&] { f.reuse(model, data, s.a); });
    CHECK(mentions(message, {f.name, "forward_kinematics" + f.pass}));
  }
}

TEST_CASE("derivatives: a shorter pass after a longer one is not enough", "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot();
  D data(model);
  const Arguments s(model);
  f.complete(model, data, s.q, s.v, s.a, {});
  CHECK_NOTHROW(f.reuse(model, data, s.a));
  const auto passes = insufficient(f);
  if (passes.size() == 1) return;
  passes.back()(model, data, s);
  CHECK_THROWS_AS(f.reuse(model, data, s.a), StateError);
}

TEST_CASE("derivatives: Data of another model is a SizeError or a StateError", "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  const M model = robot(), twin = robot();
  const Arguments s(model);
  D small(zoo::serial_chain(3)), same_size(twin);
  const auto run = [&](D& data) { f.complete(model, data, s.q, s.v, s.a, {}); };
  CHECK(mentions(message_of<SizeError>([&] { run(small); }), {"Data", "another model"}));
  CHECK(mentions(message_of<StateError>([&] { run(same_size); }), {"Data", "another model"}));
  f.complete(twin, same_size, s.q, s.v, s.a, {});
  CHECK(mentions(message_of<StateError>([&] { f.reuse(model, same_size, s.a); }), {"another model"}));
  CHECK_THROWS_AS(f.reuse(model, small, s.a), SizeError);
}

TEST_CASE("derivatives: a state from before set_inertia is a StateError", "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  INFO(f.name);
  M model = robot();
  D data(model);
  const Arguments s(model);
  f.complete(model, data, s.q, s.v, s.a, {});
  model.set_inertia(model.bodies().back(), ball(3.0));
  CHECK(mentions(message_of<StateError>([&] { f.reuse(model, data, s.a); }), {f.name, "changed"}));
}

TEST_CASE("derivatives: an external force on a body of another model is a ModelError",
          "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  if (f.name == "mass_matrix_inverse") return;
  INFO(f.name);
  const M model = robot(), twin = robot();
  D data(model);
  const Arguments s(model);
  for (const auto reference : all_references) {
    const External external{{twin.bodies().back(), Force<double>::zero(), reference}};
    CHECK_THROWS_AS(f.complete(model, data, s.q, s.v, s.a, external), ModelError);
  }
}

TEST_CASE("derivatives: what is not finite passes through and shows", "[identities][derivatives_errors]") {
  const Algorithm& f = algorithm(GENERATE(range(0, count())));
  const double bad = GENERATE(std::nan(""), std::numeric_limits<double>::infinity());
  INFO(f.name);
  const M model = robot();
  D data(model);
  const Arguments good(model);
  const auto size = [&](const Arguments& s) { return f.complete(model, data, s.q, s.v, s.a, {}); };
  CHECK(std::isfinite(size(good)));
  // Of q not the position of the base, which changes nothing but where the robot is.
  Arguments s = good;
  s.q[model.nq() - 1] = bad;
  CHECK(std::isinf(size(s)));
  if (f.pass == "(model, data, q)") return;
  s = good;
  s.v[0] = bad;
  CHECK(std::isinf(size(s)));
  s = good;
  s.a[0] = bad;
  CHECK(std::isinf(size(s)));
  CHECK(std::isfinite(size(good)));
}
