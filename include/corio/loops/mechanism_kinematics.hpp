#pragma once

#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "corio/compiled/list.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/loops/mechanism_data.hpp"

namespace corio::inline CORIO_ABI {

namespace detail {

/// v = G y, or dG/dt y for a mechanism with loops.
template <class S, class Y>
void times_G(const Mechanism<S>& mechanism, const VectorX<S>& G, const Y& y, VectorX<S>& v) {
  v.resize(mechanism.tree().nv());
  if (mechanism.is_tree()) return void(v = y);
  for (int r = 0; r < v.size(); ++r) {
    S sum(0);
    mechanism.for_each_entry(r, [&](int c, int e) { sum += G[e] * y[c]; });
    v[r] = sum;
  }
}
/// out += G^T tau, for a vector or for every column of a matrix.
template <class S, class X, class Out>
void add_times_G_transpose(const Mechanism<S>& mechanism, const VectorX<S>& G, const X& tau, Out&& out) {
  if (mechanism.is_tree()) {
    for (Eigen::Index j = 0; j < tau.cols(); ++j)
      for (Eigen::Index r = 0; r < tau.rows(); ++r) out(r, j) += tau(r, j);
    return;
  }
  for (Eigen::Index j = 0; j < tau.cols(); ++j)
    for (int r = 0; r < tau.rows(); ++r)
      mechanism.for_each_entry(r, [&](int c, int e) { out(c, j) += G[e] * tau(r, j); });
}

/// out += J G.
template <class S>
void add_columns_times_G(const Mechanism<S>& mechanism, const VectorX<S>& G, MatrixIn<S> J, const MatrixOut<S>& out) {
  for (int r = 0; r < J.cols(); ++r)
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (Eigen::Index i = 0; i < J.rows(); ++i) out(i, c) += G[e] * J(i, r);
    });
}

/// f(cluster, solver) for the clusters in which G varies.
template <class S, class F>
void for_each_varying(const Mechanism<S>& mechanism, const MechanismData<S>& data, F&& f) {
  for (std::size_t c = 0; c < data.solvers.size(); ++c)
    if (const auto& cluster = mechanism.clusters()[c]; cluster.varies) f(cluster, data.solvers[c]);
}
/// f(loop, row) for the loops of a cluster and their first rows among its own.
template <class S, class F>
void for_each_member(const Mechanism<S>& mechanism, const typename Mechanism<S>::Cluster& cluster, F&& f) {
  int row = 0;
  for (const int l : cluster.members) {
    const auto& loop = mechanism.conditions().all()[static_cast<std::size_t>(l)];
    f(loop, row);
    row += loop.rows();
  }
}
/// K of a cluster, or its first or second rate, by `level`; then(loop, row) for each loop in motion when its rows, from
/// `row` on, are written.
template <class S, class Then>
void write_rows(const Mechanism<S>& mechanism, const Data<S>& data, const typename Mechanism<S>::Cluster& cluster,
                Pass level, MatrixX<S>& K, Then&& then) {
  K.resize(std::ssize(cluster.rows), std::ssize(cluster.dependent) + std::ssize(cluster.independent));
  std::fill_n(K.data(), K.size(), S(0));
  for_each_member(mechanism, cluster, [&](const auto& loop, int row) {
    const LoopInMotion<S> moving(mechanism.tree(), data, loop, level);
    moving.for_each_entry([&](int i, int j, const S& x) { K(row + i, mechanism.place(j)) = x; });
    then(moving, row);
  });
}
template <class S>
void write_rows(const Mechanism<S>& mechanism, const Data<S>& data, const typename Mechanism<S>::Cluster& cluster,
                Pass level, MatrixX<S>& K) {
  write_rows(mechanism, data, cluster, level, K, [](const auto&, int) {});
}

/// G_d = -K_d^-1 K_i for the clusters in which G varies.
template <class S>
void solve_dependent(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  const Model<S>& tree = mechanism.tree();
  for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
    write_rows(mechanism, data.tree, cluster, Pass::position, solver.K, [&](const auto& loop, int row) {
      loop.find_scales(solver.K, row, redundancy_tolerance<S>(), solver.scale);
    });
    if constexpr (std::floating_point<S>)
      if (!all_finite(solver.K)) {
        // Finite numbers without a pose are those of a quaternion of zeros.
        check_coordinates<S>(tree, data.tree.q, 0.999, "forward_kinematics");
        throw Error(join({"forward_kinematics: ", cluster_label(tree, cluster),
                          " determine the others by numbers that are not finite; q is too large"}));
      }
    write_map(mechanism, cluster, solver.solve(tree, cluster), data.G);
  });
}

/// -K_d^-1 (A_1 R_1 + ..) with the last factorization, as entries of G in the rows of a cluster: dG/dt = -K_d^-1 (dK/dt
/// G) along a motion.
/// @param products  matrices like the cluster's K, each with a map from independent speeds
template <class S>
void solve_dependent_rate(const Mechanism<S>& mechanism, const typename Mechanism<S>::Cluster& cluster,
                          ClusterSolver<S>& solver,
                          std::initializer_list<std::pair<const MatrixX<S>&, const VectorX<S>&>> products,
                          VectorX<S>& out) {
  MatrixX<S>& X = solver.columns();
  std::fill_n(X.data(), X.size(), S(0));
  const Eigen::Index m = X.rows(), d = std::ssize(cluster.dependent);
  for (const auto& [A, R] : products)
    for (Eigen::Index c = 0; c < X.cols(); ++c) {
      for (Eigen::Index s = 0; s < d; ++s)
        add_multiple<S>(&X(0, c), R[mechanism.entry(cluster.dependent[static_cast<std::size_t>(s)]) + c], &A(0, s), m);
      add_multiple<S>(&X(0, c), R[mechanism.entry(cluster.independent[static_cast<std::size_t>(c)])], &A(0, d + c), m);
    }
  write_map(mechanism, cluster, solver.rate(X), out);
}

/// out += dG/dt y for any speeds y, without dG/dt: with x = G y, its dependent part is -K_d^-1 (dK/dt x).
template <class S>
void add_rate(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& x, VectorX<S>& out) {
  for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
    MatrixX<S>& drift = solver.column();
    for_each_member(mechanism, cluster, [&](const auto& loop, int row) {
      LoopInMotion<S>(mechanism.tree(), data.tree, loop, Pass::velocity).for_each_rate(x, [&](int i, const S& rate) {
        drift(row + i, 0) = rate;
      });
    });
    const MatrixX<S>& rate = solver.rate(drift);
    for (Eigen::Index i = 0; const int k : cluster.dependent) out[k] += rate(i++, 0);
  });
}

/// Forces lambda of the loops that balance tau on their dependent joints, K_d^T lambda = tau_d, where G varies.
template <class S>
void solve_multipliers(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& tau,
                       VectorX<S>& lambda) {
  for_each_varying(mechanism, data,
                   [&](const auto& cluster, auto& solver) { solver.multipliers(cluster, tau, lambda); });
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

/// Whether a pass refuses configurations in which loops are open: not within a step, whose own are not exact.
enum class OpenLoops { refused, allowed };

/// f(loop, k_i) for all conditions of a mechanism at the positions of its tree, idle ones and those on the sense of
/// axes included.
template <class S, class F>
void for_each_residual(const Mechanism<S>& mechanism, const MechanismData<S>& data, F&& f) {
  for (const Loops<S>* loops : {&mechanism.loops(), &mechanism.senses()})
    for (const auto& loop : loops->all())
      LoopInMotion<S>(mechanism.tree(), data.tree, loop).for_each_value([&](int, const S& k) { f(loop, k); });
}

/// What require_closed does where a residual is above the tolerance.
template <class S>
CORIO_NOINLINE void require_closed_for_size(const Mechanism<S>& mechanism, const MechanismData<S>& data) {
  double farthest = 0.0, gap = 0.0;
  std::string name;
  for_each_residual(mechanism, data, [&](const auto& loop, const S& k) {
    const double open = std::abs(value_of(k));
    double size = 1.0;
    if constexpr (std::floating_point<S>) size = value_of(size_of_loop(mechanism.tree(), data.tree, loop));
    if (open / size > farthest) farthest = open / size, gap = open, name = loop.name;
  });
  if (farthest > mechanism.closing_tolerance())
    throw StateError(
        join({"forward_kinematics: loop '", name, "' of model '", mechanism.tree().name(), "' is open by ", number(gap),
              " (m or rad), and the closing tolerance is ", number(mechanism.closing_tolerance()),
              ": close it (assemble, whose result says whether it is closed), or set_closing_tolerance"}));
}

/// Whether all loops are closed up to the tolerance.
/// @throws StateError if not; of a state of a pack G is then not a number instead
template <class S>
bool require_closed(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  const double tolerance = mechanism.closing_tolerance();
  if constexpr (!is_checked<S>) {
    return true;
  } else if constexpr (states_of<S> == 1) {
    bool closed = true;
    for_each_residual(mechanism, data,
                      [&](const auto&, const S& k) { closed &= !(std::abs(value_of(k)) > tolerance); });
    if (!closed) require_closed_for_size(mechanism, data);
    return true;
  } else {
    S gap(0);
    for_each_residual(mechanism, data, [&](const auto&, const S& k) {
      const S size = abs(k);
      gap = select(gap < size, size, gap);
    });
    const auto closed = gap <= S(tolerance);
    if (in_every_state(closed)) return true;
    keep_where(closed, data.G);
    return false;
  }
}

/// The pass over the tree at the speeds and accelerations of data, where G does not vary.
template <class S>
void pass_with_constant_map(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Pass level) {
  auto& [y, ydot, v, dv, drift] = data.work;
  if (level >= Pass::velocity) times_G(mechanism, data.G, data.y, v);
  if (level >= Pass::acceleration) times_G(mechanism, data.G, data.ydot, dv);
  if (level == Pass::position) forward_kinematics<S>(mechanism.tree(), data.tree, q);
  if (level == Pass::velocity) forward_kinematics<S>(mechanism.tree(), data.tree, q, v);
  if (level == Pass::acceleration) forward_kinematics<S>(mechanism.tree(), data.tree, q, v, dv);
}
/// The same where it does: poses, G, v = G y, twists, drift, accelerations, in this order.
template <class S>
void pass_with_map(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, Pass level, OpenLoops open) {
  const Model<S>& model = mechanism.tree();
  Data<S>& tree = data.tree;
  auto& [y, ydot, v, dv, drift] = data.work;
  forward_kinematics<S>(model, tree, q);
  if (open == OpenLoops::refused && states_of<S> == 1) require_closed(mechanism, data);
  solve_dependent(mechanism, data);
  if (open == OpenLoops::refused && states_of < S >> 1) require_closed(mechanism, data);
  if (level == Pass::position) return;
  times_G(mechanism, data.G, data.y, v);
  tree.v.swap(v);
  velocity_pass(model, tree);
  drift.setZero();
  add_rate(mechanism, data, tree.v, drift);
  data.drift.swap(drift);
  if (level == Pass::velocity) return;
  times_G(mechanism, data.G, data.ydot, dv);
  dv += data.drift;
  tree.a.swap(dv);
  spread_accelerations(model, tree, tree.a, tree.acceleration);
  tree.end_pass(model, Pass::acceleration);
}

/// forward_kinematics with q, y and dy/dt, up to `level`.
template <class S>
MechanismData<S>& mechanism_pass(const Mechanism<S>& mechanism, MechanismData<S>& data, Pass level, OpenLoops open,
                                 VectorIn<S> q, VectorIn<S> y = VectorX<S>(), VectorIn<S> ydot = VectorX<S>()) {
  check_finite_vector("q", q, mechanism.tree().nq(), "forward_kinematics");
  if (level >= Pass::velocity) check_finite_vector("y", y, mechanism.nv(), "forward_kinematics");
  if (level >= Pass::acceleration) check_finite_vector("ydot", ydot, mechanism.nv(), "forward_kinematics");
  data.begin_pass(mechanism);
  // All first, since they may refer to data that the passes write.
  if (level >= Pass::velocity) data.work.y = y;
  if (level >= Pass::acceleration) data.work.ydot = ydot, data.ydot.swap(data.work.ydot);
  if (level >= Pass::velocity) data.y.swap(data.work.y);
  if constexpr (states_of < S >> 1) data.G = mechanism.constant_entries();  // which those of a failed state may not be
  if (mechanism.varies()) {
    pass_with_map<S>(mechanism, data, q, level, open);
  } else {
    pass_with_constant_map<S>(mechanism, data, q, level);
    // Of packs: again, with the speeds of failed states.
    if (open == OpenLoops::refused && !require_closed(mechanism, data))
      pass_with_constant_map<S>(mechanism, data, data.tree.q, level);
  }
  data.end_pass();
  return data;
}

}  // namespace detail

template <class S>
void MechanismData<S>::find_Kdot(const Mechanism<S>& mechanism) const {
  if (has_Kdot_) return;
  detail::for_each_varying(mechanism, *this, [&](const auto& cluster, auto& solver) {
    detail::write_rows(mechanism, tree, cluster, Pass::velocity, solver.Kdot);
  });
  has_Kdot_ = true;
}

template <class S>
const VectorX<S>& MechanismData<S>::Gdot(const Mechanism<S>& mechanism) const {
  require(mechanism, Pass::velocity, "Gdot");
  if (has_Gdot_) return Gdot_;
  find_Kdot(mechanism);
  detail::for_each_varying(mechanism, *this, [&](const auto& cluster, auto& solver) {
    detail::solve_dependent_rate(mechanism, cluster, solver, {{solver.Kdot, G}}, Gdot_);
  });
  has_Gdot_ = true;
  return Gdot_;
}

/// The kinematics pass of the tree at a closed configuration, and the map from independent speeds to those of the tree:
/// with K_d, K_i the columns of K of the dependent and independent ones,
///   G_i = 1,     G_d = -K_d^-1 K_i,             v = G y,
///   dG_i/dt = 0, dG_d/dt = -K_d^-1 (dK/dt G),   dv/dt = G dy/dt + dG/dt y.
/// Conditions may be redundant, as in overconstrained linkages, if the loops are closed to about 1e-6. Arguments may
/// refer to anything in `data`.
///
/// @param q     nq of the tree
/// @param y     nv of the mechanism
/// @param ydot  its rate
/// @returns data
/// @throws SizeError; Error for an argument that is not finite, or a quaternion of zeros; StateError for data of
/// another mechanism, and for loops that are open by more than Mechanism::closing_tolerance, naming the one that is
/// open farthest (of packs of states the map of such a state is not a number); ModelError if the independent speeds do
/// not determine the others or are restricted, as in singular configurations. O(n), and where G varies O(m n) for m
/// conditions and O(k^3) for every cluster of k degrees of freedom.
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return detail::mechanism_pass<S>(mechanism, data, Pass::position, detail::OpenLoops::refused, q);
}
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y) {
  return detail::mechanism_pass<S>(mechanism, data, Pass::velocity, detail::OpenLoops::refused, q, y);
}
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, VectorIn<S> ydot) {
  return detail::mechanism_pass<S>(mechanism, data, Pass::acceleration, detail::OpenLoops::refused, q, y, ydot);
}

/// v = G y,   dv/dt = G dy/dt + dG/dt y, for any y and dy/dt at the last forward_kinematics.
/// @throws SizeError, StateError. O(n).
template <class S>
void tree_velocities(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& y, VectorX<S>& v) {
  data.require(mechanism, Pass::position, "tree_velocities");
  detail::check_size("y", y.size(), mechanism.nv());
  detail::times_G(mechanism, data.G, y, v);
}
template <class S, class Y>
void tree_accelerations(const Mechanism<S>& mechanism, MechanismData<S>& data, const Y& y, const Y& ydot,
                        VectorX<S>& a) {
  data.require(mechanism, Pass::velocity, "tree_accelerations");
  detail::check_size("y", y.size(), mechanism.nv());
  detail::check_size("ydot", ydot.size(), mechanism.nv());
  detail::times_G(mechanism, data.G, y, data.work.v);
  detail::times_G(mechanism, data.G, ydot, a);
  detail::add_rate(mechanism, data, data.work.v, a);
}
/// f(c, g) for the entries of G, or of dG/dt, in row k.
template <class S, class F>
void for_each_speed(const Mechanism<S>& mechanism, const MechanismData<S>& data, int k, F&& f) {
  mechanism.for_each_entry(k, [&](int c, int e) { f(c, data.G[e]); });
}
template <class S, class F>
void for_each_speed_rate(const Mechanism<S>& mechanism, const MechanismData<S>& data, int k, F&& f) {
  if (mechanism.varies())
    mechanism.for_each_entry(k, [&, &Gdot = data.Gdot(mechanism)](int c, int e) { f(c, Gdot[e]); });
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
  J_y.set_zero();
  detail::add_columns_times_G<S>(mechanism, data.G, J, J_y);
}
/// tau_y = G^T tau, the generalized forces of the independent speeds for those of the tree; for a matrix, such as a
/// regressor, column by column. tau_y must not overlap tau.
template <class S>
void project_forces(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> tau, MatrixOut<S> tau_y) {
  data.require(mechanism, Pass::position, "project_forces");
  detail::check_shape("tau", tau.rows(), tau.cols(), mechanism.tree().nv(), tau_y.cols(), "project_forces");
  detail::check_shape("tau_y", tau_y.rows(), tau_y.cols(), mechanism.nv(), tau.cols(), "project_forces");
  tau_y.set_zero();
  detail::add_times_G_transpose(mechanism, data.G, tau, tau_y);
}

CORIO_DECLARE_COMPILED(MECHANISM_KINEMATICS)

}  // namespace corio
