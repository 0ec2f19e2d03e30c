#pragma once

#include "corio/model/data.hpp"
#include "corio/spatial/cross.hpp"

namespace corio {
namespace detail {

/// Outward pass, the one place in the dynamics that asks a joint for its type:
///   X_b = X_p X_tree T_J(q),  Phi_k = X_b S_k,
///   V_b = V_p + Phi_b nu,     dPhi_k = V_b x Phi_k (+ the rate of S_k in the body),
///   a_b = a_p + Phi_b dnu + dPhi_b nu.
template <Pass level, class S>
void kinematics_pass(const Model<S>& model, Data<S>& data, const S* q, const S* v, const S* dv) {
  data.begin_pass();
  Motion<S>* const phi = data.phi.data();
  Motion<S>* const phi_dot = data.phi_dot.data();
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    const int parent = model.parent(b), begin = model.v_begin(b), end = model.v_end(b);
    const S* const qb = q + model.q_begin(b);
    Pose<S>& X = data.pose[i];
    const joint::Cell<S>& cell = model.cell(b);
    if (parent >= 0) {
      cell.place(data.pose[static_cast<std::size_t>(parent)] * model.placement(b), qb, X, phi + begin);
    } else {
      X = cell.compose(model.placement(b), qb);
      if (b == 0) data.origin = X.translation;
      X.translation -= data.origin;
      cell.columns(X, qb, phi + begin);
    }

    if constexpr (level >= Pass::velocity) {
      Motion<S> V = parent >= 0 ? data.velocity[static_cast<std::size_t>(parent)] : Motion<S>::zero();
      for (int k = begin; k < end; ++k) V += phi[k] * v[k];
      data.velocity[i] = V;
      const bool moving_axes = cell.column_rates(X, qb, v + begin, phi_dot + begin);
      Motion<S> bias = Motion<S>::zero();
      for (int k = begin; k < end; ++k) {
        phi_dot[k] = moving_axes ? cross(V, phi[k]) + phi_dot[k] : cross(V, phi[k]);
        bias += phi_dot[k] * v[k];
      }
      data.bias[i] = bias;
      if constexpr (level >= Pass::acceleration) {
        Motion<S> a = parent >= 0 ? data.acceleration[static_cast<std::size_t>(parent)] + bias : bias;
        for (int k = begin; k < end; ++k) a += phi[k] * dv[k];
        data.acceleration[i] = a;
      }
    }
  }
  data.end_pass(model, level);
}

}  // namespace detail

/// Poses of all bodies and the world-axes columns of all degrees of freedom; with v also twists, with a also spatial
/// accelerations. Every f(model, data) may then be called that needs no more than this; frames.hpp reads the results.
///
/// @param q  nq, quaternions x, y, z, w of any nonzero norm
/// @param v  nv, components of the joint twists (see each joint)
/// @param a  nv, rate of v
/// @throws SizeError for wrong sizes or a Data of another model. O(n), no allocation.
/// Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 5.
template <class S>
void forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  data.check_fits(model);
  detail::check_size("q", q.size(), model.nq());
  detail::kinematics_pass<Pass::position, S>(model, data, q.data(), nullptr, nullptr);
}

template <class S>
void forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  data.check_fits(model);
  detail::check_size("q", q.size(), model.nq());
  detail::check_size("v", v.size(), model.nv());
  data.v = v;
  detail::kinematics_pass<Pass::velocity, S>(model, data, q.data(), v.data(), nullptr);
}

template <class S>
void forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a) {
  data.check_fits(model);
  detail::check_size("q", q.size(), model.nq());
  detail::check_size("v", v.size(), model.nv());
  detail::check_size("a", a.size(), model.nv());
  data.v = v;
  data.dv = a;
  detail::kinematics_pass<Pass::acceleration, S>(model, data, q.data(), v.data(), a.data());
}

}  // namespace corio
