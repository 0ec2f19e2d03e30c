#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

/// Bounds for the estimates of adaptive control.
namespace adaptive_bounds_test {

using namespace corio;
using namespace corio::test;

TEST_CASE("Parameters that no body has are rejected by the name of the body", "[control][adaptive]") {
  const auto model = zoo::serial_chain(5);
  AdaptiveParameters<double> adapted(model, {Vectord::Ones(static_cast<Eigen::Index>(model.bodies().size()))});
  const Vectord before = adapted.values();
  for (const Body<double>& body : model.bodies()) {
    Vectord pi = before;
    pi[10 * body.index()] = -1;
    CHECK_THROWS_WITH(adapted.set(model, pi), Catch::Contains("'" + body.name() + "'"));
    CHECK(adapted.values() == before);
  }
}

TEST_CASE("Estimated damping and friction fall to zero, and not below", "[control][adaptive]") {
  const auto model = zoo::serial_chain(8);
  const int n = model.nv();
  Data<double> data(model);
  Random<double> random(3);
  const auto vector = [&] { return random_vector(random, n); };
  const Vectord one = Vectord::Ones(n), q = vector(), v = vector();
  AdaptiveSlotineLi<double> controller(
      model, {one, one}, {Vectord::Zero(static_cast<Eigen::Index>(model.bodies().size()))}, {1e9 * one, 1e9 * one});
  controller.set_friction(model, one, one);
  controller.update(model, data, q, v, vector(), vector(), vector(), 0.1);
  int fallen = 0;
  for (int k = 0; k < n; ++k) {
    // The rates are -gain s_k v_k, and -gain s_k times the sign of v_k.
    const bool falls = controller.sliding().s[k] * v[k] > 0;
    fallen += falls;
    CHECK((controller.damping()[k] == 0) == falls);
    CHECK((controller.friction()[k] == 0) == falls);
    CHECK(controller.damping()[k] >= 0);
    CHECK(controller.friction()[k] >= 0);
  }
  CHECK(fallen > 0);
}

}  // namespace adaptive_bounds_test
