#include "corio/corio.hpp"
#include "corio/simulation/step.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace step_scalars_test {

namespace {

struct Start {
  Model<double> model = zoo::random_tree(1, {.bodies = 6, .floating_base = true, .armature = true, .passive = true});
  Vectord q, v, tau;

  Start() {
    std::mt19937 generator(2);
    q = random_configuration(model, generator);
    v = random_vector<double>(model.nv(), 2), tau = random_vector<double>(model.nv(), 3);
    model.set_friction(Vectord::Zero(model.nv()));
  }
};

/// Returns [q; v] after a step.
template <class S>
VectorX<S> after(const Start& x, const VectorX<S>& tau, Integrator integrator) {
  const Model<S> model = x.model.cast<S>();
  Data<S> data(model);
  VectorX<S> q = x.q.cast<S>(), v = x.v.cast<S>();
  step(model, data, q, v, tau, 1e-2, integrator);
  return (VectorX<S>(model.nq() + model.nv()) << q, v).finished();
}

constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint};

}  // namespace

TEST_CASE("steps over float are those over double", "[simulation][scalars]") {
  const Start x;
  for (const Integrator integrator : integrators)
    // Allow 1e-4 of h a = 1e-2 times 1e2, because of the condition of M; the midpoint rule is solved to 1e4 eps = 1e-3.
    CHECK(relative_error(after<float>(x, x.tau.cast<float>(), integrator).cast<double>(),
                         after<double>(x, x.tau, integrator)) < 2e-3);
}

TEST_CASE("complex steps differentiate a step by tau", "[simulation][scalars]") {
  const Start x;
  for (const Integrator integrator : integrators)
    for (const int k : {0, 4, x.model.nv() - 1}) {
      const Vectord e = Vectord::Unit(x.model.nv(), k);
      const Vectord slope = after<Complex>(x, x.tau + Complex(0, 1e-30) * e, integrator).imag() * 1e30;
      const Vectord ahead = after<double>(x, x.tau + 1e-4 * e, integrator),
                    behind = after<double>(x, x.tau - 1e-4 * e, integrator);
      // The difference has errors of eps / 1e-4, and of the tolerance of the midpoint rule divided by 1e-4.
      CHECK(relative_error(slope, (ahead - behind) / 2e-4) < 1e-7);
      CHECK(max_magnitude(slope) > 1e-6);
    }
}

}  // namespace step_scalars_test
