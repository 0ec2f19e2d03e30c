#pragma once

#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/robot.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Returns the kinetic energy v^T M v / 2 in J, armature included. O(n).
/// @throws SizeError
template <class S, template <class> class Robot>
S kinetic_energy(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::velocity, "kinetic_energy");
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  S twice(0);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Pose<S>& X = state.pose[b];
    const Motion<S>& V = state.velocity[b];
    const Vector3<S> v_com = V.linear + cross<S>(V.angular, X.point(body.com));
    const Vector3<S> w = transpose_times(X.rotation, V.angular);
    twice += body.mass * dot(v_com, v_com) + dot(w, body.inertia * w);
  }
  for (int k = 0; k < model.nv(); ++k) twice += model.armature()[k] * state.v[k] * state.v[k];
  return twice / S(2);
}
template <class S, template <class> class Robot>
S kinetic_energy(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return kinetic_energy(robot, forward_kinematics(robot, data, q, v, __func__));
}

/// Returns the potential energy -sum m g . c in J, zero at the world's origin. O(n).
/// @throws SizeError
template <class S, template <class> class Robot>
S potential_energy(const Robot<S>& robot, const DataOf<Robot<S>>& data) {
  data.require(robot, Pass::position, "potential_energy");
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  S sum(0);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Vector3<S> com = state.pose[b].point(body.com) + state.origin[b];
    sum -= body.mass * dot(model.gravity(), com);
  }
  return sum;
}
template <class S, template <class> class Robot>
S potential_energy(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q) {
  return potential_energy(robot, forward_kinematics(robot, data, q, __func__));
}

/// Energy of a model in motion, J. The potential energy is zero at the world's origin.
template <class S>
struct EnergyResult {
  S kinetic, potential, springs;
  S total() const { return kinetic + potential + springs; }
};

namespace algorithm {

template <class S>
struct Energy;

}  // namespace algorithm

/// Computes the kinetic energy, armature included, the potential energy, and the energy of the springs,
/// sum stiffness_k difference(rest, q)_k^2 / 2.
/// @throws SizeError. O(n).
template <class S, template <class> class Robot>
EnergyResult<S> energy(const Robot<S>& robot, DataOf<Robot<S>>& data) {
  data.require(robot, Pass::velocity, "energy");
  return data.of_tree().template run<algorithm::Energy<S>>(robot.tree()).result;
}
template <class S, template <class> class Robot>
EnergyResult<S> energy(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v) {
  return energy(robot, forward_kinematics(robot, data, q, v, __func__));
}

namespace algorithm {

template <class S>
struct Energy {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "energy"};
  VectorX<S> displacement;

  EnergyResult<S> result;

  explicit Energy(const Model<S>& m) : displacement(zeros<S>(m.nv())) {}
  void run(const Model<S>& model, const Data<S>& data);
};
template <class S>
void Energy<S>::run(const Model<S>& model, const Data<S>& data) {
  difference<S>(model, model.rest_configuration(), data.q, displacement);
  result = {kinetic_energy(model, data), potential_energy(model, data), detail::spring_energy_at(model, displacement)};
}

}  // namespace algorithm

}}  // namespace corio
