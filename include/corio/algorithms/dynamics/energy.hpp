#pragma once

#include "corio/kinematics/forward_kinematics.hpp"

namespace corio {

/// Kinetic energy v^T M v / 2 in J, armature included. O(n).
/// @throws SizeError
template <class S>
S kinetic_energy(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::velocity, "kinetic_energy");
  S twice(0);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Pose<S>& X = data.pose[b];
    const Motion<S>& V = data.velocity[b];
    const Vector3<S> v_com = V.linear + cross<S>(V.angular, X.point(body.com));
    const Vector3<S> w = transpose_times(X.rotation, V.angular);
    twice += body.mass * dot(v_com, v_com) + dot(w, body.inertia * w);
  }
  for (int k = 0; k < model.nv(); ++k) twice += model.armature()[k] * data.v[k] * data.v[k];
  return twice / S(2);
}
template <class S>
S kinetic_energy(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  return kinetic_energy(model, forward_kinematics(model, data, q, v));
}

/// Potential energy -sum m g . c in J, zero at the world's origin. O(n).
/// @throws SizeError
template <class S>
S potential_energy(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::position, "potential_energy");
  S sum(0);
  for (int b = 0; b < model.num_nodes(); ++b) {
    const InertialParameters<S>& body = model.node(b).parameters;
    const Vector3<S> com = data.pose[b].point(body.com) + data.origin[b];
    sum -= body.mass * dot(model.gravity(), com);
  }
  return sum;
}
template <class S>
S potential_energy(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  return potential_energy(model, forward_kinematics(model, data, q));
}

}  // namespace corio
