#pragma once

#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/data.hpp"
#include "corio/simd/sincos.hpp"
#include "corio/spatial/cross.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S>
Data<S>& find_state(const Model<S>& model, Data<S>& data, Pass level, int end, VectorIn<S> q, VectorIn<S> v,
                    VectorIn<S> a, const char* function);

}  // namespace detail

/// Computes the poses of all bodies and the world-axes columns of all degrees of freedom; with v also twists, with a
/// also spatial accelerations. frames.hpp returns the pose and motions of a body or frame.
///
/// Nearly every function of corio has two forms. f(model, data, q, v, ..) first calls forward_kinematics. f(model,
/// data, ..) uses the state that the last such call left in data, so that several results at one state share the
/// kinematics. The second form throws a StateError if the state lacks v or a that it needs, or if the inertia of the
/// model was changed since; it does not change the state. Functions of one body, frame or point call body_kinematics
/// (frames.hpp) instead, which moves only the bodies that carry it. The documentation of functions does not repeat
/// this.
///
/// A `robot` is a Model with a Data, or a Mechanism with a MechanismData (mechanism/mechanism.hpp). For a mechanism, v,
/// a, nv and generalized forces stand for its independent speeds y, their rates, their number and the forces on them.
///
/// @param q         nq, quaternions x, y, z, w of any nonzero norm
/// @param v         nv, components of the joint twists (see each joint)
/// @param a         nv, rate of v
/// @param function  the function that errors name; your own, if it calls this one
/// @returns data
/// @throws SizeError for wrong sizes, or a Data of a model of another size; StateError for a Data of another model of
/// equal size. O(n), no allocation. Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 5.
template <class S>
Data<S>& forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                            const char* function = "forward_kinematics") {
  return detail::find_state<S>(model, data, Pass::position, detail::all_nodes, q, q, q, function);
}
template <class S>
Data<S>& forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                            const char* function = "forward_kinematics") {
  return detail::find_state<S>(model, data, Pass::velocity, detail::all_nodes, q, v, v, function);
}
template <class S>
Data<S>& forward_kinematics(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                            const char* function = "forward_kinematics") {
  return detail::find_state<S>(model, data, Pass::acceleration, detail::all_nodes, q, v, a, function);
}

namespace detail {

/// partial[l nv + k] = D_l S_k of a joint whose axes move in the body, in world axes: the rate of column k, as seen in
/// the body, for unit velocity of l.
template <class S>
void column_partials(const Node<S>& node, const Pose<S>& X, const S* q, Motion<S>* partial) {
  const int nv = node.v_end - node.v_begin;
  for (int l = 0; l < nv; ++l) {
    S v[joint::max_nv];
    for (int k = 0; k < nv; ++k) v[k] = S(k == l ? 1 : 0);
    node.joint.custom()->column_rates(X, q, v, partial + l * nv);
  }
}

/// Applies move_nodes to the nodes from b on that have revolute joints, the most frequent type. The state of a node is
/// kept for the next node, which usually is its child.
/// @returns the first node with another type of joint, or end
template <class S>
CORIO_NOINLINE int revolute_pass(const Model<S>& model, Data<S>& data, Pass level, int b, int end) {
  using N = InRegisters<S>;
  Pose<N> X = load(model.node(b).placement);
  Motion<N> V = Motion<N>::zero(), bias = V, a = V;
  int previous = -1;  // the node of this X, V, bias and a
  for (; b < end; ++b) {
    const Node<S>& node = model.node(b);
    const int parent = node.parent, k = node.v_begin;
    if (!node.joint.is_revolute() || (parent < 0 && node.base != b)) break;  // a root that is not a base
    // Place the frame of the joint in the ground, in the previous node (its pose is in X), or in a parent in memory.
    const Pose<S>& placement = node.placement;
    if (parent < 0) {
      data.origin[b] = placement.translation;
      X = {load(placement).rotation, zero3<N>()};
      V = bias = a = Motion<N>::zero();
    } else {
      data.origin[b] = data.origin[parent];
      if (parent != previous) {
        X = load(data.pose[parent]);
        if (level >= Pass::velocity) V = load(data.velocity[parent]), bias = load(data.bias[parent]);
        if (level >= Pass::acceleration) a = load(data.acceleration[parent]);
      }
      X = X * placement;
    }
    previous = b;
    // Position, velocity and acceleration, up to `level`.
    X = joint::detail::turn_about_z(X, N(data.work.cosine[node.q_begin]), N(data.work.sine[node.q_begin]));
    const Motion<N> phi = joint::detail::rotation_column(X, 2);
    store(X, data.pose[b]);
    store(phi, data.phi[k]);
    if (level < Pass::velocity) continue;
    // Since Phi x Phi is zero, dPhi may use the parent's velocity, and need not wait for the node's.
    const Motion<N> phi_dot = cross(V, phi), own_bias = phi_dot * data.v[k];
    V += phi * data.v[k];
    bias += own_bias;
    store(V, data.velocity[b]);
    store(phi_dot, data.phi_dot[k]);
    store(bias, data.bias[b]);
    if (level < Pass::acceleration) continue;
    a += own_bias + phi * data.a[k];
    store(a, data.acceleration[b]);
  }
  return b;
}

/// Computes the world coordinates of the base of the tree with root b, if the base is another node than the root.
template <class S>
CORIO_NOINLINE Vector3<S> base_position(const Model<S>& model, int b, const S* q) {
  Pose<S> X = Pose<S>::identity();
  Motion<S> unused[joint::max_nv];  // place has the switch over the joints: a second one would take long to compile
  for (const int base = model.node(b).base; b <= base; ++b)
    model.node(b).joint.place(X * model.node(b).placement, q + model.node(b).q_begin, X, unused);
  return X.translation;
}

/// Computes velocities and accelerations of one node whose pose and columns are known.
template <class S>
CORIO_INLINE void find_velocities(Data<S>& data, const Node<S>& node, int b, Pass level) {
  if (level < Pass::velocity) return;
  using N = InRegisters<S>;
  const int begin = node.v_begin, end = node.v_end;
  const Motion<S>* const partial = node.partials_begin < 0 ? nullptr : &data.phi_partial[node.partials_begin];
  const auto of_parent = [&](const auto& motions) {
    return node.parent < 0 ? Motion<N>::zero() : load(motions[node.parent]);
  };
  Motion<N> V = of_parent(data.velocity), own_bias = Motion<N>::zero();
  for (int k = begin; k < end; ++k) V += load(data.phi[k]) * data.v[k];
  store(V, data.velocity[b]);
  for (int k = begin; k < end; ++k) {
    Motion<N> phi_dot = cross(V, load(data.phi[k]));
    for (int l = begin; partial && l < end; ++l)
      phi_dot += load(partial[(l - begin) * (end - begin) + k - begin]) * data.v[l];
    own_bias += phi_dot * data.v[k];
    store(phi_dot, data.phi_dot[k]);
  }
  store(of_parent(data.bias) + own_bias, data.bias[b]);
  if (level < Pass::acceleration) return;
  Motion<N> a = of_parent(data.acceleration) + own_bias;
  for (int k = begin; k < end; ++k) a += load(data.phi[k]) * data.a[k];
  store(a, data.acceleration[b]);
}

/// Computes the poses and motions of nodes begin .. end - 1 for the q, v and a of Data, up to `level`. Parents outside
/// of this range have been moved before. The sums are over the degrees of freedom k of the joint of b:
///   X_b = X_parent X_tree T_J(q),              Phi_k = X_b S_k,
///   V_b = V_parent + sum Phi_k v_k,            dPhi_k = V_b x Phi_k,
///   a_b = a_parent + sum (Phi_k dv_k + dPhi_k v_k);
/// if columns S_k move in the body, dPhi_k has their rate sum_l D_l S_k v_l in addition.
template <class S>
CORIO_INLINE void move_nodes(const Model<S>& model, Data<S>& data, Pass level, int begin, int end) {
  const S* const q = data.q.data();
  if constexpr (takes_angles_together<S>) {
    // Compute sines and cosines of all of q from the first angle on: cheaper than collecting the angles.
    const auto q_begin = [&](int b) { return b < model.num_nodes() ? model.node(b).q_begin : model.nq(); };
    const int q_end = q_begin(end), first = (std::min)((std::max)(data.work.first_angle, q_begin(begin)), q_end);
    sincos(q_end - first, q + first, data.work.sine.data() + first, data.work.cosine.data() + first);
  }
  for (int b = begin; b < end; ++b) {
    if constexpr (takes_angles_together<S>)
      if (model.node(b).joint.is_revolute() && (b = revolute_pass(model, data, level, b, end)) == end) break;
    const Node<S>& node = model.node(b);
    const bool is_root = node.parent < 0, is_base = node.base == b;
    const int parent = node.parent;  // not used for a root
    const S* const qb = q + node.q_begin;
    Pose<S>& X = data.pose[b];
    Pose<S> X_joint = is_root ? node.placement : data.pose[parent] * node.placement;
    if (!is_root) {
      data.origin[b] = data.origin[parent];
    } else if (!is_base) {
      data.origin[b] = base_position(model, b, q);
      X_joint.translation -= data.origin[b];
    }
    Vector3<S> rounding;  // rounding error of a base below a root; for a root, place writes data.origin
    Vector3<S>* const origin = !is_base ? nullptr : is_root ? &data.origin[b] : &rounding;
    node.joint.place(X_joint, qb, X, &data.phi[node.v_begin], origin);
    if (node.partials_begin >= 0) column_partials(node, X, qb, &data.phi_partial[node.partials_begin]);
    find_velocities(data, node, b, level);
  }
}

/// Runs the outward pass over all nodes, or over the nodes on the path from the ground to node `end`.
template <class S>
void kinematics_pass(const Model<S>& model, Data<S>& data, Pass level, int end = all_nodes) {
  data.begin_pass();
  const bool whole = end == all_nodes;
  const int stop = whole ? model.num_nodes() : end + 1;
  for (int b = 0; b < stop;) {
    while (!whole && !model.carries(b, end)) b = model.node_of(model.node(b).subtree_v_end);
    const int begin = b;
    if (whole) b = stop;
    while (b < stop && model.carries(b, end)) ++b;
    move_nodes(model, data, level, begin, b);
  }
  data.end_pass(model, level, end);
}

/// Runs the velocity level of kinematics_pass, for the q of the last pass.
template <class S>
void velocity_pass(const Model<S>& model, Data<S>& data) {
  data.begin_pass();
  for (int b = 0; b < model.num_nodes(); ++b) find_velocities(data, model.node(b), b, Pass::velocity);
  data.end_pass(model, Pass::velocity);
}

/// Runs forward_kinematics with the arguments up to `level`, for all nodes or for the nodes on the path to node `end`.
/// The arguments are copied into scratch first, because the caller may pass references into Data itself.
template <class S>
Data<S>& find_state(const Model<S>& model, Data<S>& data, Pass level, int end, VectorIn<S> q, VectorIn<S> v,
                    VectorIn<S> a, const char* function) {
  const bool moves = level >= Pass::velocity, accelerates = level >= Pass::acceleration;
  data.check_fits(model);
  if constexpr (checks_inputs)
    check_on_manifold<S>("q", q, model, 1e-3, function);
  else
    check_coordinates("q", q, model, function);
  if (moves) check_speeds("v", v, model, function);
  if (accelerates) check_speeds("a", a, model, function);
  std::copy_n(q.data(), q.size(), data.work.q.data());
  if (moves) std::copy_n(v.data(), v.size(), data.work.v.data());
  if (accelerates) std::copy_n(a.data(), a.size(), data.work.a.data());
  data.q.swap(data.work.q);
  if (moves) data.v.swap(data.work.v);
  if (accelerates) data.a.swap(data.work.a);
  kinematics_pass<S>(model, data, level, end);
  return data;
}

}  // namespace detail

}}  // namespace corio
