#include <functional>

#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Misuse that only the Hessians and the second derivatives know: of lambda, of the tensors, of joints with moving axes;
// and what is left after it.

namespace {

using Second = InverseDynamicsSecondDerivatives<double>;

struct Robot {
  Robot() : model(zoo::random_tree(9, {.bodies = 10, .floating_base = true})), data(model), out(model) {
    Random<double> random(4);
    q = neutral(model), v = random_vector(random, model.nv()), a = random_vector(random, model.nv());
    lambda = random_vector(random, model.nv());
  }
  std::vector<ExternalForce<double>> on_last_body(ReferenceFrame reference) const {
    return {{model.bodies().back(), {{1, 2, 3}, {4, 5, 6}}, reference}};
  }

  Model<double> model;
  Data<double> data;
  Second out;
  Vectord q, v, a, lambda;
};

/// What a failed call must leave alone.
struct Results {
  explicit Results(const Robot& r)
      : inverse(r.data.inverse_dynamics_hessian),
        forward(r.data.forward_dynamics_hessian),
        dqdq(r.out.d2tau_dqdq),
        dvdq(r.out.d2tau_dvdq),
        dvdv(r.out.d2tau_dvdv),
        dM(r.out.dM_dq) {}
  friend bool operator==(const Results& x, const Results& y) {
    const auto same = [](const Tensor3<double>& S, const Tensor3<double>& T) {
      for (int i = 0; i < S.size(); ++i)
        if (S.page(i) != T.page(i)) return false;
      return S.size() == T.size();
    };
    return x.inverse.qq == y.inverse.qq && x.inverse.vq == y.inverse.vq && x.inverse.vv == y.inverse.vv &&
           x.inverse.aq == y.inverse.aq && x.forward.qq == y.forward.qq && x.forward.vq == y.forward.vq &&
           x.forward.vv == y.forward.vv && x.forward.tau_q == y.forward.tau_q && same(x.dqdq, y.dqdq) &&
           same(x.dvdq, y.dvdq) && same(x.dvdv, y.dvdv) && same(x.dM, y.dM);
  }
  InverseDynamicsHessian<double> inverse;
  ForwardDynamicsHessian<double> forward;
  Tensor3<double> dqdq, dvdq, dvdv, dM;
};

/// All three for one state, so that no result is zero.
void run_all(Robot& r) {
  forward_dynamics_hessian(r.model, r.data, r.q, r.v, r.a, r.lambda);
  inverse_dynamics_second_derivatives(r.model, r.data, r.q, r.v, r.a, r.out);
  inverse_dynamics_hessian(r.model, r.data, r.lambda);
}

}  // namespace

TEST_CASE("a lambda of the wrong size is a SizeError", "[identities][derivatives_errors][hessian]") {
  Robot r;
  const int size = r.model.nv() + GENERATE(-1, 1), n = r.model.nv();
  const Vectord bad = Vectord::Zero(size);
  const std::vector<std::string> sizes{"lambda has size", std::to_string(size), std::to_string(n)};
  CHECK(mentions(message_of<SizeError>([&] { inverse_dynamics_hessian(r.model, r.data, r.q, r.v, r.a, bad); }), sizes));
  CHECK(mentions(message_of<SizeError>([&] { forward_dynamics_hessian(r.model, r.data, r.q, r.v, r.a, bad); }), sizes));
  forward_kinematics(r.model, r.data, r.q, r.v, r.a);
  CHECK(mentions(message_of<SizeError>([&] { inverse_dynamics_hessian(r.model, r.data, bad); }), sizes));
  CHECK(mentions(message_of<SizeError>([&] { forward_dynamics_hessian(r.model, r.data, r.a, bad); }), sizes));
}

TEST_CASE("tensors of another model are a SizeError or, of the same size, a StateError",
          "[identities][derivatives_errors][second_derivatives]") {
  Robot r, twin;
  Second small(zoo::serial_chain(3));
  const auto complete = [&](Second& out) { inverse_dynamics_second_derivatives(r.model, r.data, r.q, r.v, r.a, out); };
  const auto reuse = [&](Second& out) { inverse_dynamics_second_derivatives(r.model, r.data, out); };
  const std::vector<std::string> parts{"a tensor of second derivatives", "another model", r.model.name()};
  CHECK(mentions(message_of<SizeError>([&] { complete(small); }), parts));
  CHECK(mentions(message_of<StateError>([&] { complete(twin.out); }), parts));
  forward_kinematics(r.model, r.data, r.q, r.v, r.a);
  CHECK(mentions(message_of<SizeError>([&] { reuse(small); }), parts));
  CHECK(mentions(message_of<StateError>([&] { reuse(twin.out); }), parts));
  CHECK(max_magnitude(twin.out.d2tau_dqdq) == 0);
  CHECK_NOTHROW(reuse(r.out));
}

TEST_CASE("second derivatives of a model with moving axes are a ModelError that names the joint",
          "[identities][derivatives_errors][hessian][second_derivatives]") {
  // By all of them, though some could be derived twice: joints of one and of three degrees of freedom, with coordinates
  // that are and that are not a vector.
  const Model<double> models[] = {tree_on<double>(Cam(0.4)), tree_on<double>(EulerZyx()),
                                  tree_on<double>(ParentBall())};
  const Model<double>& model = models[GENERATE(0, 1, 2)];
  Data<double> data(model);
  Second out(model);
  const Vectord q = neutral(model), x = Vectord::Ones(model.nv());
  const auto inverse = [&] { inverse_dynamics_hessian(model, data, q, x, x, x); };
  const auto forward = [&] { forward_dynamics_hessian(model, data, q, x, x, x); };
  const auto tensors = [&] { inverse_dynamics_second_derivatives(model, data, q, x, x, out); };
  CHECK(mentions(message_of<ModelError>(inverse), {"inverse_dynamics_hessian", "middle"}));
  CHECK(mentions(message_of<ModelError>(forward), {"forward_dynamics_hessian", "middle"}));
  CHECK(mentions(message_of<ModelError>(tensors), {"inverse_dynamics_second_derivatives", "middle"}));
  CHECK(max_magnitude(data.inverse_dynamics_hessian.qq) == 0);
  CHECK(max_magnitude(data.forward_dynamics_hessian.qq) == 0);
  CHECK(max_magnitude(out.d2tau_dqdq) == 0);
  CHECK_NOTHROW(forward_dynamics_derivatives(model, data, q, x, x));
}

TEST_CASE("a call that throws leaves the second derivatives of the one before",
          "[identities][derivatives_errors][hessian][second_derivatives]") {
  Robot r;
  const Robot twin;
  run_all(r);
  const Results before(r);
  REQUIRE(max_magnitude(before.inverse.qq) > 0);
  REQUIRE(max_magnitude(before.forward.qq) > 0);
  REQUIRE(max_magnitude(before.dqdq) > 0);
  const Vectord bad_q = Vectord::Zero(r.model.nq() + 1), bad = Vectord::Zero(r.model.nv() + 1), other = 2 * r.v;
  std::vector<std::function<void()>> calls = {
      [&] { inverse_dynamics_hessian(r.model, r.data, bad_q, other, r.a, r.lambda); },
      [&] { inverse_dynamics_hessian(r.model, r.data, r.q, other, bad, r.lambda); },
      [&] { inverse_dynamics_hessian(r.model, r.data, r.q, other, r.a, bad); },
      [&] { forward_dynamics_hessian(r.model, r.data, bad_q, other, r.a, r.lambda); },
      [&] { forward_dynamics_hessian(r.model, r.data, r.q, other, bad, r.lambda); },
      [&] { forward_dynamics_hessian(r.model, r.data, r.q, other, r.a, bad); },
      [&] { inverse_dynamics_second_derivatives(r.model, r.data, bad_q, other, r.a, r.out); },
      [&] { inverse_dynamics_second_derivatives(r.model, r.data, r.q, other, bad, r.out); }};
  for (const auto reference : all_references) {
    const auto external = twin.on_last_body(reference);
    calls.emplace_back(
        [&r, other, external] { inverse_dynamics_hessian(r.model, r.data, r.q, other, r.a, r.lambda, external); });
    calls.emplace_back(
        [&r, other, external] { forward_dynamics_hessian(r.model, r.data, r.q, other, r.a, r.lambda, external); });
    calls.emplace_back([&r, other, external] {
      inverse_dynamics_second_derivatives(r.model, r.data, r.q, other, r.a, r.out, external);
    });
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CAPTURE(i);
    CHECK_THROWS_AS(calls[i](), Error);
    CHECK(Results(r) == before);
  }
  // Nor does anything of them come back later.
  run_all(r);
  CHECK(Results(r) == before);
}

TEST_CASE("a lambda of the wrong size leaves the state", "[identities][derivatives_errors][hessian]") {
  Robot r;
  const Vectord bad = Vectord::Zero(r.model.nv() + 1), other = 2 * r.v;
  forward_kinematics(r.model, r.data, r.q, r.v, r.a);
  CHECK_THROWS_AS(inverse_dynamics_hessian(r.model, r.data, r.q, other, r.a, bad), SizeError);
  CHECK_THROWS_AS(forward_dynamics_hessian(r.model, r.data, r.q, other, r.a, bad), SizeError);
  CHECK_THROWS_AS(forward_dynamics_hessian(r.model, r.data, r.a, bad), SizeError);
  const Matrixd after = inverse_dynamics_hessian(r.model, r.data, r.lambda).qq;
  Data<double> fresh(r.model);
  CHECK(inverse_dynamics_hessian(r.model, fresh, r.q, r.v, r.a, r.lambda).qq == after);
}
