#pragma once

#include "corio/corio.hpp"
#include "corio/zoo/random_tree.hpp"
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

/// Returns the robot over S.
template <class S>
struct Over {
  explicit Over(const RandomRobot& r)
      : model(r.model.cast<S>()), data(model), q(r.q.cast<S>()), v(r.v.cast<S>()), a(r.a.cast<S>()) {}
  Model<S> model;
  Data<S> data;
  VectorX<S> q, v, a;
};

}  // namespace corio::test
