#include "corio/algorithms/geometry/hamel_equations.hpp"

#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Differentiates L = T - U by complex steps: with respect to v, along the degrees of freedom, and dL/dv in time.
struct SteppedLagrangian {
  explicit SteppedLagrangian(Sample& s) : model(s.model.cast<Complex>()), data(model) {
    const int n = s.model.nv();
    const VectorX<Complex> q = s.q.cast<Complex>(), v = s.v.cast<Complex>();
    momentum.resize(n), kinetic_slope.resize(n), gravity.resize(n);
    for (int k = 0; k < n; ++k) {
      VectorX<Complex> faster = v;
      faster[k] += Complex(0, complex_step);
      momentum[k] = kinetic_energy(model, data, q, faster).imag() / complex_step;
      const VectorX<Complex> moved = step(model, s.q, Vectord::Unit(n, k));
      kinetic_slope[k] = kinetic_energy(model, data, moved, v).imag() / complex_step;
      gravity[k] = potential_energy(model, data, moved).imag() / complex_step;
    }
    // p = M v is linear in v: its rate at (v, a) is the derivative of M v along the motion.
    const VectorX<Complex> along = step(model, s.q, s.v);
    const VectorX<Complex> speed = v + Complex(0, complex_step) * s.a.cast<Complex>();
    momentum_rate = (crba(model, data, along) * speed).eval().imag() / complex_step;
  }
  Model<Complex> model;
  Data<Complex> data;
  Vectord momentum, momentum_rate, kinetic_slope, gravity;
};

}  // namespace

TEST_EACH(Sample& s, "the terms of Hamel's equations are derivatives of T and U", "[algorithms][hamel_equations]") {
  const auto& got = hamel_equations(s.model, s.data, s.q, s.v, s.a);
  const SteppedLagrangian expected(s);
  CHECK(relative_error(got.momentum, expected.momentum) < tolerance<double>());
  CHECK(relative_error(got.momentum_rate, expected.momentum_rate) < tolerance<double>());
  CHECK(relative_error(got.kinetic_slope, expected.kinetic_slope) < tolerance<double>());
  CHECK(relative_error(got.gravity, expected.gravity) < tolerance<double>());
}

TEST_EACH(Sample& s, "Hamel's equations by complex steps of the Lagrangian give the tau of rnea",
          "[algorithms][hamel_equations]") {
  Tensor3<double> c;
  structure_constants(s.model, s.data, s.q, c);
  const SteppedLagrangian L(s);
  // Excludes the armature, which does not enter the brackets.
  const Vectord p = L.momentum - s.model.armature().cwiseProduct(s.v);
  Vectord bracket(s.model.nv());
  for (int i = 0; i < bracket.size(); ++i) {
    bracket[i] = 0;
    for (int a = 0; a < c.size(); ++a)
      for (int l = 0; l < c.size(); ++l) bracket[i] += c(l, a, i) * s.v[a] * p[l];
  }
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a);
  CHECK(relative_error(Vectord(L.momentum_rate - L.kinetic_slope + L.gravity - bracket), tau) < tolerance<double>());
  const auto& got = hamel_equations(s.model, s.data);
  CHECK(relative_error(got.bracket, bracket) < tolerance<double>());
  CHECK(relative_error(got.tau, tau) < tolerance<double>());
  // Products that cancel do so to the last digit, but not to the bit if multiplications and additions are fused.
  if (all_commute(s.model)) CHECK(max_magnitude(got.bracket) < tolerance<double>());
}
