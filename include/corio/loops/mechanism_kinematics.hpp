#pragma once

#include <concepts>
#include <initializer_list>
#include <utility>

#include "corio/core/memory.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/loops/mechanism.hpp"

namespace corio {

/// The state of a mechanism, one per thread: the state of its tree, the map G from its independent speeds to those of
/// the tree, as entries numbered by Mechanism::for_each_entry, and the results of functions.
template <class S>
class MechanismData {
 public:
  explicit MechanismData(const Mechanism<S>& mechanism)
      : tree(mechanism.tree()),
        G(mechanism.constant_entries()),
        Gdot(VectorX<S>::Zero(G.size())),
        K(mechanism.loops().rows(), mechanism.tree().nv()),
        Kdot(K),
        KG(K.rows(), mechanism.nv()),
        scale(K.rows()),
        solvers(mechanism.clusters().size()),
        y(VectorX<S>::Zero(mechanism.nv())),
        ydot(y),
        v(VectorX<S>::Zero(mechanism.tree().nv())),
        a(v),
        stamp_(mechanism.stamp()) {}

  /// State of the tree, for any function of (Model, Data) except forward_kinematics: call that of the mechanism.
  Data<S> tree;
  const Data<S>& of_tree() const { return tree; }
  Data<S>& of_tree() { return tree; }
  const VectorX<S>& speeds() const { return y; }

  // Set by forward_kinematics with q.
  VectorX<S> G;
  // Set by forward_kinematics with y.
  VectorX<S> Gdot;

  // Scratch of these passes.
  MatrixX<S> K, Kdot, KG;
  VectorX<S> scale;  // of the rows of K
  std::vector<detail::ClusterSolver<S>> solvers;
  VectorX<S> y, ydot, v, a;  // a: dG/dt y

  /// What algorithm A keeps here: its results and scratch, made by the first request.
  template <class A>
  A& of(const Mechanism<S>& mechanism) {
    return memory_.template of<A>(mechanism);
  }
  /// Runs algorithm A in the present state.
  template <class A, class... Arguments>
  A& run(const Mechanism<S>& mechanism, Arguments&&... arguments) {
    require(mechanism, A::requires_pass.pass, A::requires_pass.name);
    A& own = of<A>(mechanism);
    own.run(mechanism, *this, arguments...);
    return own;
  }

  /// @throws StateError unless the last pass over the tree was forward_kinematics of this mechanism, at least up to
  /// `needed`
  void require(const Mechanism<S>& mechanism, Pass needed, const char* function) const {
    check_fits(mechanism);
    tree.require(mechanism.tree(), needed, function);
    if (!complete_ || passes_ != tree.passes())
      throw StateError(detail::join({function,
                                     ": the state of the tree is not that which forward_kinematics of the "
                                     "mechanism has left: call that"}));
  }
  void check_fits(const Mechanism<S>& mechanism) const {
    if (stamp_ != mechanism.stamp()) throw StateError("MechanismData was made for another mechanism");
  }
  /// Between begin_pass and end_pass the state is invalid.
  void begin_pass(const Mechanism<S>& mechanism) {
    check_fits(mechanism);
    complete_ = false;
  }
  void end_pass() { passes_ = tree.passes(), complete_ = true; }

 private:
  std::uint64_t stamp_;
  bool complete_ = false;
  std::uint64_t passes_ = 0;  // of the tree, at the end of the last pass of the mechanism
  detail::Memory memory_;
};

namespace detail {

/// v = G y.
template <class S>
void spread(const Mechanism<S>& mechanism, const VectorX<S>& G, VectorIn<S> y, VectorX<S>& v) {
  v.resize(mechanism.tree().nv());
  for (int r = 0; r < v.size(); ++r) {
    S sum(0);
    mechanism.for_each_entry(r, [&](int c, int e) { sum += G[e] * y[c]; });
    v[r] = sum;
  }
}
/// out += G^T tau.
template <class S>
void add_projected(const Mechanism<S>& mechanism, const VectorX<S>& G, const VectorX<S>& tau, VectorX<S>& out) {
  for (int r = 0; r < tau.size(); ++r) mechanism.for_each_entry(r, [&](int c, int e) { out[c] += G[e] * tau[r]; });
}

/// G_d = -K_d^-1 K_i for the clusters in which G varies.
template <class S>
void solve_dependent(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  const Model<S>& tree = mechanism.tree();
  constraint_jacobian<S>(tree, data.tree, mechanism.loops(), data.K);
  find_row_scales<S>(tree, data.tree, mechanism.loops(), data.K, play_of_conditions<S>(), data.scale);
  for (std::size_t c = 0; c < mechanism.clusters().size(); ++c) {
    const auto& cluster = mechanism.clusters()[c];
    if (!cluster.varies) continue;
    write_map(mechanism, cluster, data.solvers[c].solve(tree, cluster, data.K, data.scale), data.G);
  }
}

/// -K_d^-1 (A_1 R_1 + ..) with the last factorization, as entries of G: dG/dt = -K_d^-1 (dK/dt G) along a motion.
/// @param products  matrices like K, each with a map from independent speeds
template <class S>
void solve_dependent_rate(const Mechanism<S>& mechanism, MechanismData<S>& data,
                          std::initializer_list<std::pair<const MatrixX<S>*, const VectorX<S>*>> products,
                          VectorX<S>& out) {
  for (std::size_t c = 0; c < mechanism.clusters().size(); ++c) {
    const auto& cluster = mechanism.clusters()[c];
    if (!cluster.varies) continue;
    // Whole ranges: rows of other clusters between those of this one are zero, and not read.
    const int first = cluster.rows.front(), rows = cluster.rows.back() + 1 - first;
    for (const int j : cluster.columns) data.KG.col(j).segment(first, rows).setZero();
    for (const auto& product : products)
      for (const auto* speeds : {&cluster.independent, &cluster.dependent})
        for (const int s : *speeds)
          mechanism.for_each_entry(s, [&](int j, int e) {
            add_multiple<S>(&data.KG(first, j), (*product.second)[e], &(*product.first)(first, s), rows);
          });
    write_map(mechanism, cluster, data.solvers[c].rate(cluster, data.KG), out);
  }
}

/// Forces lambda of the loops that balance tau on their dependent joints, K_d^T lambda = tau_d, where G varies.
template <class S>
void solve_multipliers(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& tau,
                       VectorX<S>& lambda) {
  for (std::size_t c = 0; c < mechanism.clusters().size(); ++c)
    if (const auto& cluster = mechanism.clusters()[c]; cluster.varies)
      data.solvers[c].multipliers(cluster, tau, lambda);
}

/// a_b = a_p + Phi_b dv + dPhi_b v: only the last part of the kinematics pass.
template <class S>
void spread_accelerations(const Model<S>& model, const Data<S>& data, const VectorX<S>& dv, PerNode<Motion<S>>& a) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const Node<S>& node = model.node(b);
    Motion<S> sum = data.bias[b];
    if (node.parent >= 0) sum += a[node.parent] - data.bias[node.parent];
    for (int k = node.v_begin; k < node.v_end; ++k) sum += data.phi[k] * dv[k];
    a[b] = sum;
  }
}

}  // namespace detail

/// The kinematics pass of the tree at a closed configuration, and the map from independent speeds to those of the tree:
/// with K_d, K_i the columns of K of the dependent and independent ones,
///   G_i = 1,     G_d = -K_d^-1 K_i,             v = G y,
///   dG_i/dt = 0, dG_d/dt = -K_d^-1 (dK/dt G),   dv/dt = G dy/dt + dG/dt y.
/// Conditions may be redundant, as in overconstrained linkages, if the loops are closed to about 1e-6. Without
/// redundancy it is not checked that loops are closed: G is then tangent to the configurations with that residual; see
/// assemble.
///
/// @param q     nq of the tree
/// @param y     nv of the mechanism
/// @param ydot  its rate
/// @returns data
/// @throws SizeError; Error for an argument that is not finite; ModelError if the independent speeds do not determine
/// the others or are restricted, as in singular configurations; StateError for data of another mechanism. O(n), and
/// where G varies O(m n) for m conditions and O(k^3) for every cluster of k degrees of freedom.
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  detail::check_sample("q", q, mechanism.tree().nq());
  data.begin_pass(mechanism);
  forward_kinematics<S>(mechanism.tree(), data.tree, q);
  if (mechanism.varies()) detail::solve_dependent(mechanism, data);
  data.end_pass();
  return data;
}

template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y) {
  detail::check_sample("q", q, mechanism.tree().nq());
  detail::check_sample("y", y, mechanism.nv());
  data.begin_pass(mechanism);
  const Model<S>& tree = mechanism.tree();
  data.y = y;  // first, since they may refer to data that the passes write
  if (mechanism.varies()) {
    forward_kinematics<S>(tree, data.tree, q);
    detail::solve_dependent(mechanism, data);
  }
  detail::spread<S>(mechanism, data.G, data.y, data.v);
  forward_kinematics<S>(tree, data.tree, q, data.v);
  if (mechanism.varies()) {
    constraint_jacobian_dot<S>(tree, data.tree, mechanism.loops(), data.Kdot);
    detail::solve_dependent_rate<S>(mechanism, data, {{&data.Kdot, &data.G}}, data.Gdot);
  }
  detail::spread<S>(mechanism, data.Gdot, data.y, data.a);
  data.end_pass();
  return data;
}

template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, VectorIn<S> ydot) {
  detail::check_sample("ydot", ydot, mechanism.nv());
  const Model<S>& tree = mechanism.tree();
  data.ydot = ydot;
  forward_kinematics<S>(mechanism, data, q, y);
  tree_accelerations<S>(mechanism, data, data.y, data.ydot, data.tree.dv);
  detail::spread_accelerations(tree, data.tree, data.tree.dv, data.tree.acceleration);
  data.tree.end_pass(tree, Pass::acceleration);
  data.end_pass();
  return data;
}

/// v = G y,   dv/dt = G dy/dt + dG/dt y,   tau_y = G^T tau, for any y and tau at the last forward_kinematics. O(n).
template <class S>
void tree_velocities(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& y, VectorX<S>& v) {
  detail::spread<S>(mechanism, data.G, y, v);
}
template <class S>
void tree_accelerations(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& y,
                        const VectorX<S>& ydot, VectorX<S>& a) {
  a.resize(mechanism.tree().nv());
  for (int r = 0; r < a.size(); ++r) {
    a[r] = S(0);
    mechanism.for_each_entry(r, [&](int c, int e) { a[r] += data.G[e] * ydot[c] + data.Gdot[e] * y[c]; });
  }
}
template <class S>
void speed_forces(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& tau,
                  VectorX<S>& tau_y) {
  tau_y.setZero(mechanism.nv());
  detail::add_projected(mechanism, data.G, tau, tau_y);
}
template <class S, class X>
void speed_momenta(const Mechanism<S>& mechanism, const MechanismData<S>& data, const X& p_tree, const X& drift_tree,
                   X& p, X& drift) {
  p.setZero(mechanism.nv(), p_tree.cols()), drift.setZero(mechanism.nv(), p_tree.cols());
  for (int r = 0; r < p_tree.rows(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      p.row(c) += data.G[e] * p_tree.row(r);
      drift.row(c) += data.G[e] * drift_tree.row(r) + data.Gdot[e] * p_tree.row(r);
    });
}

/// Closes the loops near q at constant independent coordinates; see assemble for a Model and Loops.
template <std::floating_point S>
Assembly<S> assemble(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return assemble<S>(mechanism.tree(), data.tree, mechanism.loops(), q, mechanism.independent());
}

/// J_y = J G: converts a Jacobian J of the tree's speeds to one of independent speeds.
/// @param J    any number of rows, nv of the tree columns
/// @param J_y  as many rows, nv of the mechanism columns, overwritten; must not overlap J
/// @throws SizeError. O(rows n).
template <class S>
void project_jacobian(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> J, MatrixOut<S> J_y) {
  data.require(mechanism, Pass::position, "project_jacobian");
  detail::check_shape("J", J.rows(), J.cols(), J_y.rows(), mechanism.tree().nv(), "project_jacobian");
  detail::check_shape("J_y", J_y.rows(), J_y.cols(), J.rows(), mechanism.nv(), "project_jacobian");
  detail::fill_zero<S>(J_y);
  for (int r = 0; r < J.cols(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (Eigen::Index i = 0; i < J.rows(); ++i) J_y(i, c) += data.G[e] * J(i, r);
    });
}
/// dJ_y/dt = dJ/dt G + J dG/dt, as project_jacobian.
template <class S>
void project_jacobian_dot(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> J, MatrixIn<S> Jdot,
                          MatrixOut<S> out) {
  data.require(mechanism, Pass::velocity, "project_jacobian_dot");
  detail::check_shape("J", J.rows(), J.cols(), out.rows(), mechanism.tree().nv(), "project_jacobian_dot");
  detail::check_shape("Jdot", Jdot.rows(), Jdot.cols(), J.rows(), J.cols(), "project_jacobian_dot");
  detail::check_shape("the result", out.rows(), out.cols(), J.rows(), mechanism.nv(), "project_jacobian_dot");
  detail::fill_zero<S>(out);
  for (int r = 0; r < J.cols(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (Eigen::Index i = 0; i < J.rows(); ++i) out(i, c) += data.G[e] * Jdot(i, r) + data.Gdot[e] * J(i, r);
    });
}
/// tau_y = G^T tau, the generalized forces of the independent speeds for those of the tree; for a matrix, such as a
/// regressor, column by column. tau_y must not overlap tau.
template <class S>
void project_forces(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> tau, MatrixOut<S> tau_y) {
  data.require(mechanism, Pass::position, "project_forces");
  detail::check_shape("tau", tau.rows(), tau.cols(), mechanism.tree().nv(), tau_y.cols(), "project_forces");
  detail::check_shape("tau_y", tau_y.rows(), tau_y.cols(), mechanism.nv(), tau.cols(), "project_forces");
  detail::fill_zero<S>(tau_y);
  for (int r = 0; r < tau.rows(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (Eigen::Index j = 0; j < tau.cols(); ++j) tau_y(c, j) += data.G[e] * tau(r, j);
    });
}

}  // namespace corio
