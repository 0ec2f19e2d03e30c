#pragma once

#include <optional>

#include "corio/kinematics/forward_kinematics.hpp"

/// Derivatives of motions and columns as the configuration moves along a degree of freedom l, with v and dv/dt held.
/// Columns that move in their body have derivatives D_l S_k, in world axes as seen in the body; for all others the
/// terms with D_l S_k below are zero.
namespace corio { inline namespace CORIO_ABI { namespace detail {

template <class S>
CORIO_INLINE bool columns_move(const Model<S>& model, int k) {
  return model.node(model.node_of(k)).partials_begin >= 0;
}
/// Returns D_l S_k of any two degrees of freedom.
template <class S>
Motion<S> column_partial(const Model<S>& model, const Data<S>& data, int l, int k) {
  const Node<S>& node = model.node(model.node_of(l));
  if (node.partials_begin < 0 || k < node.v_begin || k >= node.v_end) return Motion<S>::zero();
  return data.phi_partial[node.partials_begin + (l - node.v_begin) * (node.v_end - node.v_begin) + k - node.v_begin];
}
/// Calls f(k, D_l S_k) once for each column of the joint of l, if its columns move.
template <class S, class F>
void for_column_partials(const Model<S>& model, const Data<S>& data, int l, F&& f) {
  const Node<S>& node = model.node(model.node_of(l));
  if (node.partials_begin < 0) return;
  for (int k = node.v_begin; k < node.v_end; ++k) f(k, column_partial(model, data, l, k));
}
/// Calls f(l, k, D_l S_k) once for each l and k.
template <class S, class F>
void for_column_partials(const Model<S>& model, const Data<S>& data, F&& f) {
  if (model.num_partials() == 0) return;
  for (int l = 0; l < model.nv(); ++l)
    for_column_partials(model, data, l, [&](int k, const Motion<S>& s) { f(l, k, s); });
}
/// Computes rho_l = sum_k (D_l S_k) x_k: the change of the joint's own motion along l, as seen in the body.
template <class S, class Vector>
Motion<S> moving_axes_term(const Model<S>& model, const Data<S>& data, int l, const Vector& x) {
  Motion<S> rho = Motion<S>::zero();
  for_column_partials(model, data, l, [&](int k, const Motion<S>& s) { rho += s * x[k]; });
  return rho;
}

/// The change of the motion of a subtree as the configuration moves along degree of freedom j of its first joint, apart
/// from being carried along by Phi_j. With D_j the derivative at constant v and dv/dt, and accelerations a that include
/// -gravity, for every body k of the subtree
///   D_j V_k = Phi_j x V_k + psi,   D_j a_k = Phi_j x a_k + psi x V_k + psi_a,
///   dV_k/dv_j = Phi_j,             da_k/dv_j = Phi_j x V_k + chi.
/// psi, psi_a and chi are the same for every body of the subtree. (psi_a is the counterpart of psi for accelerations,
/// not its time derivative. The source writes dPsi for psi and ddPsi for psi_a.)
/// Source: Singh, Russell and Wensing (2022), eqs. 18-29.
template <class S>
struct Variation {
  Motion<S> psi, psi_a, chi;
};

/// Returns the variation for Phi and its rate, and the twist V and the acceleration a - gravity of the parent node, if
/// the columns are constant in the body.
template <class N>
CORIO_INLINE Variation<N> variation(const Motion<N>& phi, const Motion<N>& phi_dot, const Motion<N>& V,
                                    const Motion<N>& a) {
  const Motion<N> psi = cross(V, phi);
  return {psi, cross(a, phi) + cross(V, psi), psi + phi_dot};
}
/// Returns the terms to add to `variation` if columns move in their body: rho of v to psi and chi, and to psi_a
///   (V + V_parent) x rho + sum_k D_l S_k a_k + D_l (sum_k dS_k/dt v_k).
/// The joint must have a dual form, as for all rates below.
template <class S>
Variation<S> moving_axes_variation(const Model<S>& model, const Data<S>& data, const VectorX<S>& a, int l) {
  const int b = model.node_of(l);
  const Node<S>& node = model.node(b);
  const Motion<S> V_parent = node.parent < 0 ? Motion<S>::zero() : data.velocity[node.parent];
  const Motion<S> rho = moving_axes_term(model, data, l, data.v);
  const Motion<S> own_rate = node.joint.custom()->column_rate_partial(data.q.data() + node.q_begin,
                                                                      data.v.data() + node.v_begin, l - node.v_begin);
  return {rho,
          cross(data.velocity[b] + V_parent, rho) + moving_axes_term(model, data, l, a) + data.pose[b].act(own_rate),
          rho};
}

/// Returns the variation for a degree of freedom k as DofColumns::fill passes it, with its phi, for any accelerations.
/// Pass zero gravity to get the psi_a of the accelerations alone.
template <class S, class Dof, class N>
CORIO_INLINE Variation<N> variation(const Model<S>& model, const Data<S>& data, const Dof& k, const Motion<N>& phi,
                                    const PerNode<Motion<S>>& acceleration, const VectorX<S>& a,
                                    const Vector3<S>& gravity) {
  const Motion<N> g{zero3<N>(), k.constant(gravity)};
  Variation<N> x = variation(phi, k.phi_dot(), k.parent_velocity(), k.of_parent(acceleration) - g);
  k.change_moving(x, [&](Variation<S>& of_dof, int dof) {
    const Variation<S> more = moving_axes_variation(model, data, a, dof);
    of_dof.psi += more.psi, of_dof.psi_a += more.psi_a, of_dof.chi += more.chi;
  });
  return x;
}
/// Returns psi alone, for the motions V of the nodes with speeds x: the variation of V along k.
template <class S, class Dof, class N, class Vector>
CORIO_INLINE Motion<N> motion_variation(const Model<S>& model, const Data<S>& data, const Dof& k, const Motion<N>& phi,
                                        const PerNode<Motion<S>>& V, const Vector& x) {
  Motion<N> psi = cross(k.of_parent(V), phi);
  k.change_moving(psi, [&](Motion<S>& of_dof, int dof) { of_dof += moving_axes_term(model, data, dof, x); });
  return psi;
}

/// Returns D_l Phi_k, for degrees of freedom on one path from a root.
template <class S>
Motion<S> column_derivative(const Model<S>& model, const Data<S>& data, int l, int k) {
  const Node<S>& node = model.node(model.node_of(l));
  if (k < node.v_begin) return Motion<S>::zero();
  const Motion<S> carried = cross(data.phi[l], data.phi[k]);
  return node.partials_begin < 0 ? carried : carried + column_partial(model, data, l, k);
}

/// Computes d2Phi_k/dt2 for the degrees of freedom of body b:
///   a x Phi + V x dPhi/dt, and if the column moves in the body V x ring + sum_l D_l S_k a_l + d2S_k/dt2 for v held,
/// where ring is the rate of the column as seen in the body.
template <class S>
Motion<S> column_second_rate(const Model<S>& model, const Data<S>& data, int k) {
  const int b = model.node_of(k);
  const Node<S>& node = model.node(b);
  const Motion<S>&V = data.velocity[b], &phi_dot = data.phi_dot[k];
  Motion<S> sum = cross(data.acceleration[b], data.phi[k]) + cross(V, phi_dot);
  if (node.partials_begin < 0) return sum;
  sum += cross(V, phi_dot - cross(V, data.phi[k]));
  for (int l = node.v_begin; l < node.v_end; ++l) sum += column_partial(model, data, l, k) * data.a[l];
  return sum + data.pose[b].act(node.joint.custom()->column_second_rate(
                   data.q.data() + node.q_begin, data.v.data() + node.v_begin, k - node.v_begin));
}

/// Second derivatives of the columns of a node's joint: D_l D_j S_k, and of sum_k dS_k/dt v_k.
/// O(nv^2) calls of its column_rates.
template <class S>
class SecondPartials {
 public:
  SecondPartials(const Model<S>& model, const Data<S>& data, int b)
      : model_(model), data_(data), begin_(model.node(b).v_begin), nv_(model.node(b).v_end - begin_) {
    const Node<S>& node = model.node(b);
    const S* const q = data.q.data() + node.q_begin;
    node.joint.custom()->column_second_partials(q, columns_);
    node.joint.custom()->column_rate_second_partials(q, data.v.data() + begin_, rates_);
    for (int i = 0; i < nv_ * nv_ * nv_; ++i) columns_[i] = data.pose[b].act(columns_[i]);
    for (int i = 0; i < nv_ * nv_; ++i) rates_[i] = data.pose[b].act(rates_[i]);
  }

  /// Returns sum_k D_l D_j S_k x_k.
  template <class Vector>
  Motion<S> of_columns(int l, int j, const Vector& x) const {
    Motion<S> sum = Motion<S>::zero();
    for (int k = 0; k < nv_; ++k) sum += columns_[pair(l, j) * nv_ + k] * x[begin_ + k];
    return sum;
  }
  /// Returns the terms of D_l dPhi_k that constant columns lack: V x D_l S_k + sum_m D_l D_m S_k v_m.
  Motion<S> of_rate(int l, int k) const {
    Motion<S> sum = cross(data_.velocity[model_.node_of(l)], column_partial(model_, data_, l, k));
    for (int m = 0; m < nv_; ++m) sum += columns_[pair(l, begin_ + m) * nv_ + k - begin_] * data_.v[begin_ + m];
    return sum;
  }
  /// Returns sum_km D_l D_j D_m S_k v_m v_k.
  const Motion<S>& of_rates(int l, int j) const { return rates_[pair(l, j)]; }

 private:
  int pair(int l, int j) const { return (l - begin_) * nv_ + j - begin_; }

  const Model<S>& model_;
  const Data<S>& data_;
  int begin_, nv_;
  Motion<S> columns_[joint::max_nv * joint::max_nv * joint::max_nv], rates_[joint::max_nv * joint::max_nv];
};

/// Calls f(l, k, D_l S_k, s_dot) once for each column that moves, with s_dot as in SecondPartials::of_rate.
template <class S, class F>
void for_column_rate_partials(const Model<S>& model, const Data<S>& data, F&& f) {
  for (int b = 0; b < model.num_nodes() && model.num_partials() > 0; ++b) {
    const Node<S>& node = model.node(b);
    if (node.partials_begin < 0) continue;
    const SecondPartials<S> second(model, data, b);
    for (int l = node.v_begin; l < node.v_end; ++l)
      for_column_partials(model, data, l, [&](int k, const Motion<S>& s) { f(l, k, s, second.of_rate(l, k)); });
  }
}

/// Derivatives of columns and velocities along l with v held. Bodies that l carries move with Phi_l, their velocities
/// have the derivative Phi_l x V + psi, and in world axes
///   D_l Phi_k = Phi_l x Phi_k,   D_l dPhi_k = Phi_l x dPhi_k + psi x Phi_k,
/// and for columns of the joint of l that move, also D_l S_k and SecondPartials::of_rate.
template <class S>
class ColumnsAlong {
 public:
  ColumnsAlong(const Model<S>& model, const Data<S>& data, int l)
      : model_(model), data_(data), l_(l), node_(model.node(model.node_of(l))) {
    psi_ = node_.parent < 0 ? Motion<S>::zero() : cross(data.velocity[node_.parent], data.phi[l]);
    if (node_.partials_begin < 0) return;
    psi_ += moving_axes_term(model, data, l, data.v);
    second_.emplace(model, data, model.node_of(l));
  }

  const Motion<S>& psi() const { return psi_; }
  /// Returns whether l carries the columns of k, for degrees of freedom on one path from a root.
  bool moves(int k) const { return k >= node_.v_begin; }
  Motion<S> of_column(int k) const { return column_derivative(model_, data_, l_, k); }
  Motion<S> of_rate(int k) const {
    if (!moves(k)) return Motion<S>::zero();
    const Motion<S> x = cross(data_.phi[l_], data_.phi_dot[k]) + cross(psi_, data_.phi[k]);
    return second_ && k < node_.v_end ? x + second_->of_rate(l_, k) : x;
  }

 private:
  const Model<S>& model_;
  const Data<S>& data_;
  int l_;
  const Node<S>& node_;
  Motion<S> psi_;
  std::optional<SecondPartials<S>> second_;
};

}}}  // namespace corio::detail
