#include "corio/algorithms/derivatives/forward_dynamics_hessian.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_second_derivatives.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Misuse that only the Hessians and the second derivatives know. That of joints with moving axes is in
// moving_axes_second_derivatives_test.cpp.

namespace {

using SecondDerivatives = InverseDynamicsSecondDerivatives<double>;

struct FloatingRobot {
  FloatingRobot() : model(zoo::random_tree(9, {.bodies = 10, .floating_base = true})), data(model), out(model) {
    Random<double> random(4);
    q = neutral(model), v = random_vector(random, model.nv()), a = random_vector(random, model.nv());
  }
  Model<double> model;
  Data<double> data;
  SecondDerivatives out;
  Vectord q, v, a;
};

}  // namespace

TEST_CASE("tensors of another model are a SizeError or, of the same size, a StateError",
          "[algorithms][errors][second_derivatives]") {
  FloatingRobot r, twin;
  SecondDerivatives small(zoo::serial_chain(3));
  const auto complete = [&](SecondDerivatives& out) {
    inverse_dynamics_second_derivatives(r.model, r.data, r.q, r.v, r.a, out);
  };
  const auto reuse = [&](SecondDerivatives& out) { inverse_dynamics_second_derivatives(r.model, r.data, out); };
  const std::vector<std::string> parts{"a tensor of second derivatives", "another model", r.model.name()};
  CHECK(mentions(message_of<SizeError>([&] { complete(small); }), parts));
  CHECK(mentions(message_of<StateError>([&] { complete(twin.out); }), parts));
  forward_kinematics(r.model, r.data, r.q, r.v, r.a);
  CHECK(mentions(message_of<SizeError>([&] { reuse(small); }), parts));
  CHECK(mentions(message_of<StateError>([&] { reuse(twin.out); }), parts));
  CHECK(max_magnitude(twin.out.d2tau_dqdq) == 0);
  CHECK_NOTHROW(reuse(r.out));
}
