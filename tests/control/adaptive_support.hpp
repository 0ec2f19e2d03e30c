#pragma once

#include "control/loaded_arm.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/allocation_counter.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

/// Adaptive control on trees of all joints, and on arms in closed loop.
namespace adaptive_test {

using namespace corio;
using namespace corio::test;
using Catch::Contains;

/// A state, a desired motion nearby, and gains.
struct Task {
  Task(const Model<double>& m, int seed) : random(seed), model(m), data(model) {
    const auto vector = [&] { return test::random_vector(random, model.nv()); };
    q_d = integrate<double>(model, neutral(model), vector());
    q = integrate<double>(model, q_d, 0.5 * vector());
    v = vector(), v_d = vector(), a_d = vector();
  }
  Vectord positive(Eigen::Index n) {
    Vectord x(n);
    for (double& number : x) number = 1.5 + random.real();
    return x;
  }
  SlidingGains<double> tracking() { return {positive(model.nv()), positive(model.nv())}; }
  const Vectord& update(AdaptiveSlotineLi<double>& controller, double dt) {
    return controller.update(model, data, q, v, q_d, v_d, a_d, dt);
  }
  Matrixd Y(const SlidingVariable<double>& at, const BodySelection& bodies = {}) {
    Matrixd out(model.nv(), bodies.num_parameters(model));
    slotine_li_regressor(model, data, q, v, at.v_r, at.a_r, out, bodies);
    return out;
  }
  Random<double> random;
  Model<double> model;
  Data<double> data;
  Vectord q, v, q_d, v_d, a_d;
};

/// Adds all passive forces and armature.
inline Model<double> with_passive_forces(Model<double> model, int seed) {
  Random<double> random(seed);
  const auto vector = [&] { return Vectord(Vectord::Constant(model.nv(), 1.2) + random_vector(random, model.nv())); };
  model.set_armature(vector()), model.set_damping(vector()), model.set_friction(vector());
  model.set_springs(vector(), model.rest_configuration());
  return model;
}

template <class F>
void for_each_task(F&& f) {
  for (int i = 0; i < topology_count(); ++i) {
    const Sample s(i);
    INFO(s.name());
    Task task(with_passive_forces(s.model, i), i);
    f(task);
  }
}

/// Names every second body of a tree that has a positive definite pseudo-inertia.
inline std::vector<std::string> some_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (const auto& body : model.bodies())
    if (is_physically_consistent(model.inertia(body)) && (names.empty() || names.size() % 2 == 0))
      names.push_back(body.name());
  return names;
}

inline Vectord other_parameters(const Model<double>& model, const BodySelection& bodies, Random<double>& random) {
  Vectord pi = inertial_parameters(model);
  for (int i = 0; i < bodies.size(model); ++i) {
    // J <- A J A^T is physical for every A.
    const Eigen::Matrix4d A =
        Eigen::Matrix4d::Identity() + 0.3 * Eigen::Map<Eigen::Matrix4d>(Vectord(random_vector(random, 16)).data());
    const Vector10<double> mine = pi.segment<10>(10 * bodies[i]);
    pi.segment<10>(10 * bodies[i]) = from_pseudo_inertia<double>(A * pseudo_inertia(mine) * A.transpose()).vector();
  }
  return pi;
}

/// The results of a closed loop.
struct Run {
  double imbalance = 0;        // largest error of V(t) + int s^T K_D s - V(0), over V(0)
  double early = 0, late = 0;  // largest |e| in the first and the last second
};

template <class Controller>
Run follow(const LoadedArm& arm, Controller& controller, const Vectord& K_D, double dt, double end) {
  Data data(arm.known), truth(arm.loaded);
  const Vectord pi = inertial_parameters(arm.loaded);
  const SineMotion start = sines(arm.known.nv(), 0);
  Simulation<double> plant(arm.loaded, start.q, start.v, dt);
  Run run;
  double first = 0, lost = 0;
  while (plant.time() < end) {
    const SineMotion r = sines(arm.known.nv(), plant.time());
    // Taken before this tick, because s comes from the old parameters.
    const double distance = controller.distance(pi);
    const Vectord tau = controller.update(arm.known, data, plant.q(), plant.v(), r.q, r.v, r.a, dt);
    const Vectord& s = controller.sliding().s;
    const double V = 0.5 * s.dot(crba(arm.loaded, truth, plant.q()) * s) + distance;
    if (plant.time() == 0) first = V;
    run.imbalance = std::max(run.imbalance, std::abs(V + lost - first) / first);
    lost += dt * s.dot(K_D.cwiseProduct(s));
    const double e = max_magnitude(controller.sliding().error.e);
    if (plant.time() < 1) run.early = std::max(run.early, e);
    if (plant.time() > end - 1) run.late = std::max(run.late, e);
    plant.advance(tau);
  }
  return run;
}

}  // namespace adaptive_test
