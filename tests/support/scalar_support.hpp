#pragma once

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"
#include "support/dynamics_support.hpp"

/// The same random robot in the same state over several scalars.
namespace corio::test {

struct RandomRobot {
  explicit RandomRobot(int seed)
      : model(zoo::random_tree(static_cast<std::uint64_t>(seed),
                               {.floating_base = seed % 2 == 1, .armature = seed % 3 == 0})),
        data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    Random<double> random(seed);
    q = random_configuration(model, generator);
    v = random_vector(random, model.nv());
    a = random_vector(random, model.nv());
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a;
};

/// All results over S in one vector, back in double.
template <class S>
struct Over {
  explicit Over(const RandomRobot& r)
      : model(r.model.cast<S>()), data(model), q(r.q.cast<S>()), v(r.v.cast<S>()), a(r.a.cast<S>()) {}
  Vectord dynamics() {
    const auto real = [](const S& x) { return value_of(x); };
    const int n = model.nv();
    Vectord all(3 * n + 3 * n * n + 2);
    all.segment(0, n) = rnea(model, data, q, v, a).unaryExpr(real);
    all.segment(n, n) = nonlinear_effects(model, data).unaryExpr(real);
    all.segment(2 * n, n) = generalized_gravity(model, data).unaryExpr(real);
    const auto& [C, M, Mdot] = coriolis_matrix(model, data);
    all.segment(3 * n, n * n) = C.reshaped().unaryExpr(real);
    all.segment(3 * n + n * n, n * n) = Mdot.reshaped().unaryExpr(real);
    all.segment(3 * n + 2 * n * n, n * n) = crba(model, data).reshaped().unaryExpr(real);
    all[all.size() - 2] = value_of(kinetic_energy(model, data));
    all[all.size() - 1] = value_of(potential_energy(model, data));
    return all;
  }
  Vectord acceleration() {
    return aba(model, data, q, v, a).unaryExpr([](const S& x) { return value_of(x); });
  }
  Model<S> model;
  Data<S> data;
  VectorX<S> q, v, a;
};

}  // namespace corio::test
