#pragma once

#include <concepts>
#include <utility>

#include "corio/core/compiled.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/mechanism/detail/map_products.hpp"

namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// Writes K of a cluster, its rate or its second rate, by `level`, and with K the scales of its rows.
template <class S>
void write_conditions(const Mechanism<S>& mechanism, const Data<S>& data, const LoopCluster& cluster, Pass level,
                      ConditionEntries<S>& K, VectorX<S>* scale = nullptr,
                      double tolerance = redundancy_tolerance<S>()) {
  K.resize(cluster.num_entries);
  S* out = K.data();
  for_each_loop(mechanism, cluster, [&](const auto& loop, int row) {
    const LoopInMotion<S> moving(mechanism.tree(), data, loop, level);
    const auto put = [&](int, int, const S& x) { *out++ = x; };
    scale ? moving.for_each_entry(tolerance, scale->data() + row, put) : moving.for_each_entry(put);
  });
}

/// The dependent rows of a rate of G, -K_d^-1 (A_1 R_1 + ..) with the last factorization, such as dG/dt = -K_d^-1
/// (dK/dt G).
/// @param products  rates A of the cluster's K, each with a map R from independent speeds
template <class S>
void solve_map_rate(const Mechanism<S>& mechanism, const LoopCluster& cluster, ClusterSolver<S>& solver,
                    std::initializer_list<std::pair<const ConditionEntries<S>&, const VectorX<S>&>> products,
                    VectorX<S>& out) {
  MatrixX<S>& B = solver.B;
  const auto d = std::ssize(cluster.dependent());
  std::fill_n(B.data(), B.size(), S(0));
  with_length<S>(B.rows(), [&](auto n) CORIO_INLINE_LAMBDA {
    for (const auto& [A, R] : products)
      cluster.for_each_entry(A, [&, &R = R](int row, int column, const S& x) CORIO_INLINE_LAMBDA {
        const S* const entries = R.data() + mechanism.row_begin(cluster.dofs[static_cast<std::size_t>(column)]);
        S* const to = B.data() + row * n;
        if (column < d)
          add_multiple<S>(to, x, entries, n);  // n may be 0
        else
          to[column - d] += x * *entries;
      });
  });
  write_map(mechanism, cluster, solver.minus_solve(B, solver.X), out);
}

/// out += dG/dt y for any speeds y, without dG/dt: with x = G y, its dependent part is -K_d^-1 (dK/dt x).
/// @param V, c  of x, see LoopInMotion::times_Kdot
template <class S>
void add_drift(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& x, const PerNode<Motion<S>>& V,
               const PerNode<Motion<S>>& c, VectorX<S>& out) {
  for (const std::size_t varying : mechanism.varying()) {
    const LoopCluster& cluster = mechanism.clusters()[varying];
    ClusterSolver<S>& solver = data.solvers[varying];
    for_each_loop(mechanism, cluster, [&](const auto& loop, int row) {
      LoopInMotion<S>(mechanism.tree(), data.tree, loop, Pass::velocity).times_Kdot(x, V, c, &solver.b(0, row));
    });
    solver.minus_solve(solver.b, solver.x);
    for (Eigen::Index i = 0; const int r : cluster.dependent()) out[r] += solver.x(0, i++);
  }
}

/// Forces lambda of the loops that balance tau on their dependent joints, K_d^T lambda = tau_d, where G varies.
template <class S>
void solve_multipliers(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& tau,
                       VectorX<S>& lambda) {
  for (const std::size_t c : mechanism.varying())
    data.solvers[c].find_multipliers(
        mechanism.clusters()[c], [&](int r, int) { return tau[r]; }, lambda);
}

/// a_b = sum Phi_k dv_k + dPhi_k v_k: only the last part of the kinematics pass.
template <class S>
void acceleration_pass(const Model<S>& model, const Data<S>& data, const VectorX<S>& dv, PerNode<Motion<S>>& a) {
  sum_outward(model, a, data.phi, dv, data.phi_dot, data.v);
}

/// Whether a pass throws for open loops. Stages of an integration step have open loops.
enum class OpenLoops { refused, allowed };

/// Whether all loops are closed up to the tolerance, idle conditions and senses of axes included.
/// @throws StateError for the loop that is open farthest, relative to its size; of a state of a pack G is then not a
/// number instead
template <class S>
bool require_closed(const Mechanism<S>& mechanism, MechanismData<S>& data, const char* function) {
  bool closed = true;
  if constexpr (is_checked<S>) {
    const double tolerance = mechanism.closing_tolerance();
    double farthest = 0.0, open = 0.0;
    const typename Loops<S>::Loop* worst = nullptr;
    S largest(0);  // of a pack
    for (const auto& loop : mechanism.loops_and_senses().all())
      for_each_residual(mechanism.tree(), data.tree, loop, [&](int, const S& k) {
        if constexpr (states_of<S> == 1) {
          const double gap = std::abs(value_of(k));
          if (!(gap > tolerance)) return;
          double size = 1.0;
          if constexpr (std::floating_point<S>) size = value_of(size_of_loop(mechanism.tree(), data.tree, loop));
          if (gap / size > farthest) farthest = gap / size, open = gap, worst = &loop;
        } else {
          const S gap = abs(k);
          largest = select(largest < gap, gap, largest);
        }
      });
    if (farthest > tolerance)
      throw StateError(
          join({function, ": loop '", worst->name, "' of model '", mechanism.tree().name(), "' is open by ",
                number(open), " (m or rad), and the closing tolerance is ", number(tolerance),
                ": close it (assemble, whose result says whether it is closed), or set_closing_tolerance"}));
    if constexpr (states_of<S> != 1) {
      const auto where = largest <= S(tolerance);
      closed = in_every_state(where);
      if (!closed) keep_where(where, data.G);
    }
  }
  return closed;
}

/// @throws Error where K of a cluster is not finite
template <class S>
void require_finite_conditions(const Model<S>& tree, const Data<S>& data, const LoopCluster& cluster,
                               const ConditionEntries<S>& K, const char* function) {
  if constexpr (std::floating_point<S>)
    if (!std::ranges::all_of(K, [](const S& x) { return std::isfinite(x); })) {
      // Finite numbers without a pose are those of a quaternion of zeros.
      check_on_manifold<S>("q", data.q, tree, 0.999, function);
      throw Error(join({function, ": ", cluster_label(tree, cluster),
                        " determine the others by numbers that are not finite; q is too large"}));
    }
}

/// forward_kinematics with q, y and dy/dt, up to `level`.
template <class S>
MechanismData<S>& mechanism_pass(const Mechanism<S>& mechanism, MechanismData<S>& data, Pass level, OpenLoops open,
                                 const char* function, VectorIn<S> q, VectorIn<S> y = VectorX<S>(),
                                 VectorIn<S> ydot = VectorX<S>()) {
  const Model<S>& model = mechanism.tree();
  Data<S>& tree = data.tree;
  const bool moves = level >= Pass::velocity, accelerates = level >= Pass::acceleration;
  constexpr bool is_pack = states_of<S> != 1;
  if constexpr (checks_inputs)
    check_on_manifold<S>("q", q, model, 1e-3, function);
  else
    check_finite_coordinates("q", q, model, function);
  if (moves) check_finite_speeds("y", y, mechanism, function);
  if (accelerates) check_finite_speeds("ydot", ydot, mechanism, function);
  data.begin_pass(mechanism);

  // Arguments may be views of the state: all are copied first, and the old state is swapped into the scratch.
  tree.work.q = q;
  if (moves) data.work.y = y;
  if (accelerates) data.work.ydot = ydot, data.ydot.swap(data.work.ydot);
  if (moves) data.y.swap(data.work.y);
  tree.q.swap(tree.work.q);
  if constexpr (is_pack)
    data.G = mechanism.constant_entries();  // reset: a failed state has overwritten constant entries

  // Where G is constant, one pass over the tree. For packs, a second one if a state failed, with its speeds.
  for (bool again = !mechanism.varies(); again;) {
    if (moves) times_G(mechanism, data.G, data.y, tree.work.v), tree.v.swap(tree.work.v);
    if (accelerates) times_G(mechanism, data.G, data.ydot, tree.work.a), tree.a.swap(tree.work.a);
    kinematics_pass(model, tree, level);
    again = open == OpenLoops::refused && !require_closed(mechanism, data, function);
    open = OpenLoops::allowed;
  }
  if (!mechanism.varies()) return data.end_pass();

  kinematics_pass(model, tree, Pass::position);
  if (open == OpenLoops::refused && !is_pack) require_closed(mechanism, data, function);
  for (const std::size_t c : mechanism.varying()) {  // G_d = -K_d^-1 K_i
    const LoopCluster& cluster = mechanism.clusters()[c];
    ClusterSolver<S>& solver = data.solvers[c];
    write_conditions(mechanism, tree, cluster, Pass::position, solver.K, &solver.scale);
    require_finite_conditions(model, tree, cluster, solver.K, function);
    write_map(mechanism, cluster, solver.solve(model, cluster), data.G);
  }
  if (open == OpenLoops::refused && is_pack) require_closed(mechanism, data, function);
  if (!moves) return data.end_pass();

  times_G(mechanism, data.G, data.y, tree.work.v);  // v = G y
  tree.v.swap(tree.work.v);
  velocity_pass(model, tree);
  data.work.drift.setZero();
  add_drift(mechanism, data, tree.v, tree.velocity, tree.bias, data.work.drift);  // dG/dt y
  data.drift.swap(data.work.drift);
  if (!accelerates) return data.end_pass();

  times_G(mechanism, data.G, data.ydot, tree.work.a);  // dv/dt = G dy/dt + dG/dt y
  tree.work.a += data.drift;
  tree.a.swap(tree.work.a);
  acceleration_pass(model, tree, tree.a, tree.acceleration);
  tree.end_pass(model, Pass::acceleration);
  return data.end_pass();
}

}  // namespace detail

template <class S>
const VectorX<S>& MechanismData<S>::Gdot(const Mechanism<S>& mechanism) {
  require(mechanism, Pass::velocity, "Gdot");
  if (has_Gdot_) return Gdot_;
  for (const std::size_t c : mechanism.varying()) {
    const LoopCluster& cluster = mechanism.clusters()[c];
    detail::write_conditions(mechanism, tree, cluster, Pass::velocity, solvers[c].Kdot);
    detail::solve_map_rate(mechanism, cluster, solvers[c], {{solvers[c].Kdot, G}}, Gdot_);
  }
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
/// @param q         nq of the tree
/// @param y         nv of the mechanism
/// @param ydot      its rate
/// @param function  the function that errors name; your own, if it calls this one
/// @returns data
/// @throws SizeError; Error for an argument that is not finite, or a quaternion of zeros; StateError for data of
/// another mechanism, and for loops that are open by more than Mechanism::closing_tolerance, naming the one that is
/// open farthest (of packs of states the map of such a state is not a number); ModelError if the independent speeds do
/// not determine the others or are restricted, as in singular configurations. O(n), and where G varies O(m n) for m
/// conditions and O(k^3) for every cluster of k degrees of freedom.
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     const char* function = "forward_kinematics") {
  return detail::mechanism_pass<S>(mechanism, data, Pass::position, detail::OpenLoops::refused, function, q);
}
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, const char* function = "forward_kinematics") {
  return detail::mechanism_pass<S>(mechanism, data, Pass::velocity, detail::OpenLoops::refused, function, q, y);
}
template <class S>
MechanismData<S>& forward_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                     VectorIn<S> y, VectorIn<S> ydot, const char* function = "forward_kinematics") {
  return detail::mechanism_pass<S>(mechanism, data, Pass::acceleration, detail::OpenLoops::refused, function, q, y,
                                   ydot);
}

/// forward_kinematics: the loops that a body depends on may be anywhere.
template <class S>
MechanismData<S>& body_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                  const FramePoint<std::type_identity_t<S>>&,
                                  const char* function = "body_kinematics") {
  return forward_kinematics<S>(mechanism, data, q, function);
}
template <class S>
MechanismData<S>& body_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                  const FramePoint<std::type_identity_t<S>>&,
                                  const char* function = "body_kinematics") {
  return forward_kinematics<S>(mechanism, data, q, y, function);
}
template <class S>
MechanismData<S>& body_kinematics(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                  VectorIn<S> ydot, const FramePoint<std::type_identity_t<S>>&,
                                  const char* function = "body_kinematics") {
  return forward_kinematics<S>(mechanism, data, q, y, ydot, function);
}

/// v = G y,   dv/dt = G dy/dt + dG/dt y, for any y and dy/dt at the last forward_kinematics.
/// @throws SizeError, StateError. O(n).
template <class S>
void tree_velocities(const Mechanism<S>& mechanism, const MechanismData<S>& data, const VectorX<S>& y, VectorX<S>& v) {
  data.require(mechanism, Pass::position, "tree_velocities");
  detail::check_nv("y", y.size(), mechanism);
  detail::times_G(mechanism, data.G, y, v);
}
template <class S, class Y>
void tree_accelerations(const Mechanism<S>& mechanism, MechanismData<S>& data, const Y& y, const Y& ydot,
                        VectorX<S>& a) {
  data.require(mechanism, Pass::velocity, "tree_accelerations");
  detail::check_nv("y", y.size(), mechanism);
  detail::check_nv("ydot", ydot.size(), mechanism);
  detail::times_G(mechanism, data.G, y, data.work.v);
  detail::times_G(mechanism, data.G, ydot, a);
  if (!mechanism.varies()) return;
  detail::sum_outward(mechanism.tree(), data.work.twist, data.tree.phi, data.work.v);
  detail::sum_outward(mechanism.tree(), data.work.bias, data.tree.phi_dot, data.work.v);
  detail::add_drift(mechanism, data, data.work.v, data.work.twist, data.work.bias, a);
}
/// f(c, g) for the entries of G, or of dG/dt, in row k.
template <class S, class F>
void for_each_speed(const Mechanism<S>& mechanism, const MechanismData<S>& data, int k, F&& f) {
  mechanism.for_each_entry(k, [&](int c, int e) { f(c, data.G[e]); });
}
template <class S, class F>
void for_each_speed_rate(const Mechanism<S>& mechanism, MechanismData<S>& data, int k, F&& f) {
  if (mechanism.varies())
    mechanism.for_each_entry(k, [&, &Gdot = data.Gdot(mechanism)](int c, int e) { f(c, Gdot[e]); });
}

/// The overload for a Mechanism of the function in robot.hpp.
template <class S>
void pass_within_step(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& q, const VectorX<S>& y,
                      const char* function = "forward_kinematics") {
  detail::mechanism_pass<S>(mechanism, data, Pass::velocity, detail::OpenLoops::allowed, function, q, y);
}
/// Two of Newton's steps in every state: a number chosen by one state would act on the others of its pack. The
/// first one reduces the residual from the order of dt^5 to its square, which may be above the closing tolerance, and
/// the second one to the square of that.
template <class S>
void close_loops(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorX<S>& q,
                 [[maybe_unused]] VectorX<S>& speeds) {
  const Model<S>& tree = mechanism.tree();
  for (int newton = 0; newton < 2; ++newton) {
    detail::mechanism_pass<S>(mechanism, data, Pass::position, detail::OpenLoops::allowed, "forward_kinematics", q);
    data.work.v.setZero();
    for (const std::size_t c : mechanism.varying()) {
      const LoopCluster& cluster = mechanism.clusters()[c];
      auto& solver = data.solvers[c];
      if (cluster.speeds.empty()) continue;
      detail::for_each_loop(mechanism, cluster, [&](const auto& loop, int row) {
        detail::for_each_residual(tree, data.tree, loop, [&](int i, const S& k) { solver.b(0, row + i) = k; });
      });
      if constexpr (states_of<S> != 1)
        for (Eigen::Index i = 0; i < solver.b.cols() && newton == 1; ++i)
          detail::keep_where(abs(solver.b(0, i)) <= mechanism.closing_tolerance(), speeds);
      solver.minus_solve(solver.b, solver.x);
      for (Eigen::Index i = 0; const int k : cluster.dependent()) data.work.v[k] = solver.x(0, i++);
    }
    integrate<S>(tree, q, data.work.v, data.work.q);
    q.swap(data.work.q);
  }
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

#define CORIO_COMPILED_MECHANISM_KINEMATICS(EXTERN, S)                                                               \
  EXTERN template class MechanismData<S>;                                                                            \
  EXTERN template MechanismData<S>& detail::mechanism_pass(const Mechanism<S>&, MechanismData<S>&, Pass,             \
                                                           detail::OpenLoops, const char*, VectorIn<S>, VectorIn<S>, \
                                                           VectorIn<S>);
CORIO_DECLARE_COMPILED(MECHANISM_KINEMATICS)

}}  // namespace corio
