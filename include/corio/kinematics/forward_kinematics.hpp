#pragma once

#include "corio/kinematics/data.hpp"
#include "corio/spatial/cross.hpp"
#include "corio/simd/sincos.hpp"

namespace corio {
namespace detail {

/// The partial derivatives of the columns of a joint whose axes move in the body: its rates for unit velocities.
template <class S>
void column_partials(const Node<S>& node, const Pose<S>& X, const S* q, Motion<S>* partial) {
  const int nv = node.v_end - node.v_begin;
  for (int k = 0; k < nv; ++k) {
    S v[joint::max_nv];
    for (int l = 0; l < nv; ++l) v[l] = S(k == l ? 1 : 0);
    node.cell.custom()->column_rates(X, q, v, partial + k * nv);
  }
}

/// And what the rates of these columns add up to, with their derivatives along each degree of freedom; and the rates of
/// the rates.
template <class S>
void column_rate_partials(const Node<S>& node, const Pose<S>& X, const S* q, const S* v, Motion<S>* partial,
                          Motion<S>* second_rate) {
  if (!node.cell.custom()->has_dual_form()) return;
  node.cell.custom()->column_rate_partials(q, v, partial);
  node.cell.custom()->column_second_rates(q, v, second_rate);
  for (int j = 0; j < node.v_end - node.v_begin; ++j)
    partial[j] = X.act(partial[j]), second_rate[j] = X.act(second_rate[j]);
}

/// kinematics_pass at a revolute joint in registers: most joints are revolute.
template <class S>
CORIO_INLINE void revolute_pass(const Node<S>& node, std::size_t b, Data<S>& data, Pass level, const S* v,
                                const S* dv) {
  const auto i = static_cast<std::size_t>(node.q_begin), k = static_cast<std::size_t>(node.v_begin);
  const auto parent = static_cast<std::size_t>(node.parent + 1);
  const QuadState<S>& from = data.work.outward[parent];
  QuadState<S>& to = data.work.outward[b + 1];

  QuadPose<S> X = from.pose.revolve(node.placement, data.work.cosine[i], data.work.sine[i]);
  data.origin[b] = parent == 0 ? node.placement.translation : data.origin[parent - 1];
  if (parent == 0) X.p = Quad<S>();
  const QuadMotion<S> phi{X.z, yzx(cross_zxy(X.p, X.z))};
  to.pose = X;
  X.store(data.pose[b]);
  phi.store(data.phi[k]);

  if (level >= Pass::velocity) {
    const QuadMotion<S> V = from.velocity + phi * v[k];
    const QuadMotion<S> phi_dot = cross(V, phi), bias = phi_dot * v[k];
    // Part by part: of a copy as a whole GCC 12 makes pieces, for which the children wait.
    to.velocity.angular = V.angular, to.velocity.linear = V.linear;
    V.store(data.velocity[b]);
    phi_dot.store(data.phi_dot[k]);
    bias.store(data.bias[b]);
    if (level >= Pass::acceleration) {
      const QuadMotion<S> a = from.acceleration + bias + phi * dv[k];
      to.acceleration.angular = a.angular, to.acceleration.linear = a.linear;
      a.store(data.acceleration[b]);
    }
  }
}

/// Outward pass, the one place in the dynamics that asks a joint for its type:
///   X_b = X_p X_tree T_J(q),  Phi_k = X_b S_k,
///   V_b = V_p + Phi_b nu,     dPhi_k = V_b x Phi_k (+ the rate of S_k in the body, sum_l D_l S_k nu_l),
///   a_b = a_p + Phi_b dnu + dPhi_b nu.
/// Goes as far as `level`: a run-time argument, because as a template parameter it tripled the compile time of this
/// pass and gained nothing measurable.
template <class S>
void kinematics_pass(const Model<S>& model, Data<S>& data, Pass level, const S* q, const S* v, const S* dv) {
  data.begin_pass();
  if constexpr (has_quads<S>) {
    // Not all of these are angles, but so there is nothing to collect.
    const int first = data.work.first_angle;
    sincos(model.nq() - first, q + first, data.work.sine.data() + first, data.work.cosine.data() + first);
  }
  Motion<S>* const phi = data.phi.data();
  Motion<S>* const phi_dot = data.phi_dot.data();
  for (std::size_t b = 0; b < model.nodes().size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    if constexpr (has_quads<S>)
      if (node.cell.is_revolute()) {
        revolute_pass(node, b, data, level, v, dv);
        continue;
      }
    const auto parent = static_cast<std::size_t>(node.parent);  // of a root: not used
    const bool is_root = node.parent < 0;
    const int begin = node.v_begin, end = node.v_end;
    const S* const qb = q + node.q_begin;
    Pose<S>& X = data.pose[b];
    if (!is_root) data.origin[b] = data.origin[parent];
    node.cell.place(is_root ? node.placement : data.pose[parent] * node.placement, qb, X, phi + begin,
                    is_root ? &data.origin[b] : nullptr);
    Motion<S>* const partial = node.partials_begin < 0 ? nullptr : data.phi_partial.data() + node.partials_begin;
    if (partial) column_partials(node, X, qb, partial);

    if (level >= Pass::velocity) {
      if (partial)
        column_rate_partials(node, X, qb, v + begin, data.phi_dot_partial.data() + node.partials_begin,
                             data.phi_second_rate.data() + node.partials_begin);
      Motion<S> V = is_root ? Motion<S>::zero() : data.velocity[parent];
      for (int k = begin; k < end; ++k) V += phi[k] * v[k];
      data.velocity[b] = V;
      Motion<S> bias = Motion<S>::zero();
      for (int k = begin; k < end; ++k) {
        phi_dot[k] = cross(V, phi[k]);
        for (int l = begin; partial && l < end; ++l)
          phi_dot[k] += partial[(l - begin) * (end - begin) + k - begin] * v[l];
        bias += phi_dot[k] * v[k];
      }
      data.bias[b] = bias;
      if (level >= Pass::acceleration) {
        Motion<S> a = is_root ? bias : data.acceleration[parent] + bias;
        for (int k = begin; k < end; ++k) a += phi[k] * dv[k];
        data.acceleration[b] = a;
      }
    }
    if constexpr (has_quads<S>)
      data.work.outward[b + 1] = {QuadPose<S>::load(X), QuadMotion<S>::load(data.velocity[b]),
                                  QuadMotion<S>::load(data.acceleration[b])};
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
/// @throws SizeError for wrong sizes, also of a Data of another model (StateError if that is of the same size). O(n),
/// no allocation. Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 5.
template <class S>
void forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  data.check_fits(model);
  detail::check_size("q", q.size(), model.nq());
  detail::kinematics_pass<S>(model, data, Pass::position, q.data(), nullptr, nullptr);
}

template <class S>
void forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  data.check_fits(model);
  detail::check_size("q", q.size(), model.nq());
  detail::check_size("v", v.size(), model.nv());
  data.v = v;
  detail::kinematics_pass<S>(model, data, Pass::velocity, q.data(), v.data(), nullptr);
}

template <class S>
void forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a) {
  data.check_fits(model);
  detail::check_size("q", q.size(), model.nq());
  detail::check_size("v", v.size(), model.nv());
  detail::check_size("a", a.size(), model.nv());
  data.v = v;
  data.dv = a;
  detail::kinematics_pass<S>(model, data, Pass::acceleration, q.data(), v.data(), a.data());
}

}  // namespace corio
