#pragma once

#include <concepts>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

#include "corio/core/memory.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/loops/mechanism.hpp"

namespace corio::inline CORIO_ABI {

/// The state of a mechanism, one per thread: the state of its tree, the map G from its independent speeds to those of
/// the tree, as entries numbered by Mechanism::for_each_entry, and the results of functions.
template <class S>
class MechanismData {
 public:
  explicit MechanismData(const Mechanism<S>& mechanism)
      : tree(mechanism.tree()),
        G(mechanism.constant_entries()),
        y(VectorX<S>::Zero(mechanism.nv())),
        ydot(y),
        v(VectorX<S>::Zero(mechanism.tree().nv())),
        dv(v),
        a(v),
        solvers(mechanism.clusters().size()),
        Gdot_(VectorX<S>::Zero(G.size())),
        stamp_(mechanism.tree_stamp()) {
    for (std::size_t c = 0; c < solvers.size(); ++c)
      if (const auto& cluster = mechanism.clusters()[c]; cluster.varies) solvers[c].resize(cluster);
  }

  /// State of the tree, for any function of (Model, Data) except forward_kinematics: call that of the mechanism.
  Data<S> tree;
  const Data<S>& of_tree() const { return tree; }
  Data<S>& of_tree() { return tree; }
  const VectorX<S>& speeds() const { return y; }

  // Set by forward_kinematics with q.
  VectorX<S> G;
  /// dG/dt, after forward_kinematics with y; computed by the first call at a state.
  const VectorX<S>& Gdot(const Mechanism<S>& mechanism) const;

  // Scratch of these passes.
  VectorX<S> y, ydot, v, dv, a;  // a: dG/dt y
  mutable std::vector<detail::ClusterSolver<S>> solvers;

  /// What algorithm A, or its form for mechanisms, keeps here: results and scratch, made by the first request.
  template <class A>
  auto& of(const Mechanism<S>& mechanism) {
    static_assert(std::is_constructible_v<algorithm::for_mechanism<A>, const Mechanism<S>&>,
                  "this function is for trees alone, or its form for mechanisms is in a header of corio/loops that is "
                  "not included: mechanism_quantities.hpp, mechanism_dynamics.hpp, mechanism_derivatives.hpp, "
                  "mechanism_regressors.hpp");
    return memory_.template of<algorithm::for_mechanism<A>>(mechanism);
  }
  /// Runs algorithm A, or its form for mechanisms, in the present state.
  template <class A, class... Arguments>
  auto& run(const Mechanism<S>& mechanism, Arguments&&... arguments) {
    require(mechanism, A::requires_pass.pass, A::requires_pass.name);
    auto& own = of<A>(mechanism);
    own.run(mechanism, *this, arguments...);
    return own;
  }

  /// @throws StateError unless the last pass over the tree was forward_kinematics of this mechanism, at least up to
  /// `needed`
  void require(const Mechanism<S>& mechanism, Pass needed, const char* function) const {
    check_fits(mechanism);
    tree.require(mechanism.tree(), needed, function);
    if (passes_ != tree.passes())
      throw StateError(detail::join({function,
                                     ": the state of the tree is not that which forward_kinematics of the "
                                     "mechanism has left: call that"}));
  }
  void check_fits(const Mechanism<S>& mechanism) const {
    if (stamp_ != mechanism.tree_stamp())
      throw StateError(detail::join(
          {"MechanismData was made for another mechanism than that of model '", mechanism.tree().name(), "'"}));
  }
  /// Between begin_pass and end_pass the state is invalid.
  void begin_pass(const Mechanism<S>& mechanism) {
    check_fits(mechanism);
    passes_ = none, has_Gdot_ = !mechanism.varies();
  }
  void end_pass() { passes_ = tree.passes(); }

 private:
  mutable VectorX<S> Gdot_;
  mutable bool has_Gdot_ = false;
  std::uint64_t stamp_;
  static constexpr auto none = (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t passes_ = none;  // of the tree, at the end of the last pass of the mechanism
  detail::Memory memory_;
};

namespace detail {

/// v = G y, or dG/dt y for a mechanism with loops.
template <class S, class Y>
void spread(const Mechanism<S>& mechanism, const VectorX<S>& G, const Y& y, VectorX<S>& v) {
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
void add_projected(const Mechanism<S>& mechanism, const VectorX<S>& G, const X& tau, Out&& out) {
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
void add_columns(const Mechanism<S>& mechanism, const VectorX<S>& G, MatrixIn<S> J, const MatrixOut<S>& out) {
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
      loop.find_scales(solver.K, row, play_of_conditions<S>(), solver.scale);
    });
    if constexpr (std::floating_point<S>)
      if (!all_finite(solver.K)) {
        // Finite numbers without a pose are those of a quaternion of zeros.
        check_coordinates<S>(tree, data.tree.q, 0.999, "forward_kinematics");
        throw Error(join({"forward_kinematics: ", who_determines(tree, cluster),
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

/// The pass over the tree, with velocities, and the map, at the speeds y of data.
template <class S>
void move_tree(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  const Model<S>& tree = mechanism.tree();
  if (mechanism.varies()) {
    forward_kinematics<S>(tree, data.tree, q);
    solve_dependent(mechanism, data);
  }
  spread(mechanism, data.G, data.y, data.v);
  if (mechanism.varies()) {
    data.tree.v = data.v;
    velocity_pass(tree, data.tree);
  } else {
    forward_kinematics<S>(tree, data.tree, q, data.v);
  }
  data.a.setZero();
  add_rate(mechanism, data, data.v, data.a);
}

}  // namespace detail

template <class S>
const VectorX<S>& MechanismData<S>::Gdot(const Mechanism<S>& mechanism) const {
  require(mechanism, Pass::velocity, "Gdot");
  if (!std::exchange(has_Gdot_, true))
    detail::for_each_varying(mechanism, *this, [&](const auto& cluster, auto& solver) {
      detail::write_rows(mechanism, tree, cluster, Pass::velocity, solver.Kdot);
      detail::solve_dependent_rate(mechanism, cluster, solver, {{solver.Kdot, G}}, Gdot_);
    });
  return Gdot_;
}

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
/// @throws SizeError; Error for an argument that is not finite, or a quaternion of zeros; ModelError if the independent
/// speeds do not determine the others or are restricted, as in singular configurations; StateError for data of another
/// mechanism. O(n), and where G varies O(m n) for m conditions and O(k^3) for every cluster of k degrees of freedom.
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
  data.y = y;  // first, since they may refer to data that the passes write
  detail::move_tree<S>(mechanism, data, q);
  data.end_pass();
  return data;
}

template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, VectorIn<S> ydot) {
  detail::check_sample("q", q, mechanism.tree().nq());
  detail::check_sample("y", y, mechanism.nv());
  detail::check_sample("ydot", ydot, mechanism.nv());
  data.begin_pass(mechanism);
  data.y = y, data.ydot = ydot;
  const Model<S>& tree = mechanism.tree();
  if (mechanism.varies()) {
    detail::move_tree<S>(mechanism, data, q);
    detail::spread(mechanism, data.G, data.ydot, data.tree.dv);
    data.tree.dv += data.a;
    detail::spread_accelerations(tree, data.tree, data.tree.dv, data.tree.acceleration);
    data.tree.end_pass(tree, Pass::acceleration);
  } else {
    detail::spread(mechanism, data.G, data.y, data.v);
    detail::spread(mechanism, data.G, data.ydot, data.dv);
    forward_kinematics<S>(tree, data.tree, q, data.v, data.dv);
  }
  data.end_pass();
  return data;
}

/// v = G y,   dv/dt = G dy/dt + dG/dt y, for any y and dy/dt at the last forward_kinematics.
/// @throws SizeError, StateError. O(n).
template <class S>
void tree_velocities(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& y, VectorX<S>& v) {
  data.require(mechanism, Pass::position, "tree_velocities");
  detail::check_size("y", y.size(), mechanism.nv());
  detail::spread(mechanism, data.G, y, v);
}
template <class S, class Y>
void tree_accelerations(const Mechanism<S>& mechanism, MechanismData<S>& data, const Y& y, const Y& ydot,
                        VectorX<S>& a) {
  data.require(mechanism, Pass::velocity, "tree_accelerations");
  detail::check_size("y", y.size(), mechanism.nv());
  detail::check_size("ydot", ydot.size(), mechanism.nv());
  detail::spread(mechanism, data.G, y, data.v);
  detail::spread(mechanism, data.G, ydot, a);
  detail::add_rate(mechanism, data, data.v, a);
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
  detail::add_columns<S>(mechanism, data.G, J, J_y);
}
/// tau_y = G^T tau, the generalized forces of the independent speeds for those of the tree; for a matrix, such as a
/// regressor, column by column. tau_y must not overlap tau.
template <class S>
void project_forces(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixIn<S> tau, MatrixOut<S> tau_y) {
  data.require(mechanism, Pass::position, "project_forces");
  detail::check_shape("tau", tau.rows(), tau.cols(), mechanism.tree().nv(), tau_y.cols(), "project_forces");
  detail::check_shape("tau_y", tau_y.rows(), tau_y.cols(), mechanism.nv(), tau.cols(), "project_forces");
  tau_y.set_zero();
  detail::add_projected(mechanism, data.G, tau, tau_y);
}

}  // namespace corio
