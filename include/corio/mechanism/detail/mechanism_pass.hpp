#pragma once

#include <concepts>
#include <utility>

#include "corio/core/compiled.hpp"
#include "corio/kernels/composites.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/mechanism/detail/map_products.hpp"

/// The kinematics pass of a mechanism: poses of the tree, conditions of closures, the map G, speeds and drift.
namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// Calls f(loop, row) once for each loop of a cluster, a LoopInMotion, with the loop's first row in the cluster's K.
template <class S, class F>
void for_each_moving_loop(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster,
                          Pass level, F&& f) {
  for_each_loop(mechanism, cluster, [&](const auto& loop, int row) {
    f(LoopInMotion<S>(mechanism.tree(), data.tree, loop, data.closure(mechanism, loop), level), row);
  });
}

/// Writes the first or, depending on `level`, the second rate of the K of a cluster.
template <class S>
void write_rates(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster, Pass level,
                 ConditionEntries<S>& rates) {
  rates.resize(cluster.num_entries);
  for_each_moving_loop(mechanism, data, cluster, level, [&, out = rates.data()](const auto& loop, int) mutable {
    loop.for_each_entry([&](int, int, const S& x) { *out++ = x; });
  });
}
/// Calls f(closure, loop) once for each closure.
template <class S, class Data, class F>
void for_each_closure(const Mechanism<S>& mechanism, Data& data, F&& f) {
  for (std::size_t l = 0; l < data.closures.size(); ++l)
    if (const auto& loop = mechanism.loops().all()[l]; !loop.frames.empty()) f(data.closures[l], loop);
}
/// Computes the second rates of the conditions, after forward_kinematics with dy/dt.
template <class S>
void find_second_rates(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  for_each_closure(mechanism, data, [&](auto& own, const auto& loop) { own.set_second_rates(data.tree, loop); });
}

/// Computes the dependent rows of a rate of G, such as dG/dt = -K_d^-1 (dK/dt G), as -K_d^-1 (A_1 R_1 + ..) with the
/// last factorization.
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
      for (const S* x = A.data(); const auto& [loop, row, count, columns] : cluster.blocks)
        for (const int column : columns) {
          const S* const entries = R.data() + mechanism.row_begin(cluster.dofs[static_cast<std::size_t>(column)]);
          S* to = B.data() + row * n;
          if (column < d)
            for (int i = 0; i < count; ++i, to += n) add_multiple<S>(to, *x++, entries, n);  // n may be 0
          else
            for (int i = 0; i < count; ++i, to += n) to[column - d] += *x++ * *entries;
        }
  });
  write_map(mechanism, cluster, solver.minus_solve(B, solver.X), out);
}

/// Adds dG/dt y to `out` for any speeds y, without dG/dt: the dependent part is -K_d^-1 (dK/dt x) for x = G y.
/// @param V, c  the sums for x, see LoopInMotion::times_Kdot
template <class S>
void add_drift(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& x, const PerNode<Motion<S>>& V,
               const PerNode<Motion<S>>& c, VectorX<S>& out) {
  for (const std::size_t varying : mechanism.varying()) {
    const LoopCluster& cluster = mechanism.clusters()[varying];
    ClusterSolver<S>& solver = data.solvers[varying];
    for_each_moving_loop(mechanism, data, cluster, Pass::velocity,
                         [&](const auto& loop, int row) { loop.times_Kdot(x, V, c, &solver.b(0, row)); });
    solver.minus_solve(solver.b, solver.x);
    for (Eigen::Index i = 0; const int r : cluster.dependent()) out[r] += solver.x(0, i++);
  }
}

/// Computes forces lambda of the loops that balance tau on their dependent joints, K_d^T lambda = tau_d, if G varies.
template <class S>
void solve_multipliers(const Mechanism<S>& mechanism, MechanismData<S>& data, const VectorX<S>& tau,
                       VectorX<S>& lambda) {
  for (const std::size_t c : mechanism.varying())
    data.solvers[c].find_multipliers(
        mechanism.clusters()[c], [&](int r, int) { return tau[r]; }, lambda);
}

/// Computes a_b = sum Phi_k dv_k + dPhi_k v_k, the last part of the kinematics pass.
template <class S>
void acceleration_pass(const Model<S>& model, const Data<S>& data, const VectorX<S>& dv, PerNode<Motion<S>>& a) {
  sum_outward(model, a, data.phi, dv, data.phi_dot, data.v);
}

/// Whether a pass throws for open loops. Loops are open in the stages of a time step.
enum class OpenLoops { refused, allowed };

/// Returns whether all loops are closed up to the tolerance, also in idle conditions and in the senses of their axes.
/// @throws StateError for the loop that is open farthest relative to its size; in such a state of a pack G is NaN
/// instead
template <class S>
bool require_closed(const Mechanism<S>& mechanism, MechanismData<S>& data, const char* function) {
  bool closed = true;
  if constexpr (is_checked<S>) {
    const double tolerance = mechanism.closing_tolerance();
    double farthest = 0.0, open = 0.0;
    const typename Loops<S>::Loop* worst = nullptr;
    S largest(0);  // used in packs
    const typename Loops<S>::Loop* checked = nullptr;
    const auto add = [&](int, const S& k) {
      if constexpr (states_of<S> == 1) {
        const double gap = std::abs(value_of(k));
        if (!(gap > tolerance)) return;
        double size = 1.0;
        if constexpr (std::floating_point<S>) size = value_of(size_of_loop(mechanism.tree(), data.tree, *checked));
        if (gap / size > farthest) farthest = gap / size, open = gap, worst = checked;
      } else {
        const S gap = abs(k);
        largest = select(largest < gap, gap, largest);
      }
    };
    for (const auto& loop : mechanism.loops().all()) {
      checked = &loop;
      if (data.closures.empty() || loop.frames.empty())
        for_each_residual(data.tree, loop, add);
      else if (const auto& closure = data.closure(mechanism, loop); closure.rows().size() == loop.conditions.size())
        for (const auto& row : closure.rows()) add(row.index, row.value);
      else  // idle conditions are not stored
        for_each_residual(closure, loop, add);
    }
    for (const auto& sense : mechanism.loops().senses()) checked = &sense, for_each_residual(data.tree, sense, add);
    if (farthest > tolerance)
      throw StateError(
          join({function, ": loop '", worst->name, "' of model '", mechanism.tree().name(), "' is open by ",
                number(open), " (m or rad), and the closing tolerance is ", number(tolerance),
                ": close the loop by assemble, whose result says whether it is closed, or raise the tolerance by "
                "set_closing_tolerance"}));
    if constexpr (states_of<S> != 1) {
      const auto where = largest <= S(tolerance);
      closed = in_every_state(where);
      if (!closed) keep_where(where, data.G);
    }
  }
  return closed;
}

/// forward_kinematics up to `level`, which says whether y and ydot are read.
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

  // Arguments may be views of the state. All are copied before the first swap of the state with the scratch.
  tree.work.q = q;
  if (moves) data.work.y = y;
  if (accelerates) data.work.ydot = ydot, data.ydot.swap(data.work.ydot);
  if (moves) data.y.swap(data.work.y);
  tree.q.swap(tree.work.q);
  // A pass in which the loops of a state are open makes its constant entries NaN, too.
  if constexpr (is_pack) data.G = mechanism.constant_entries();

  if (!mechanism.varies()) {  // one pass over the tree is enough
    const auto pass = [&] {
      if (moves) times_G(mechanism, data.G, data.y, tree.work.v), tree.v.swap(tree.work.v);
      if (accelerates) times_G(mechanism, data.G, data.ydot, tree.work.a), tree.a.swap(tree.work.a);
      kinematics_pass(model, tree, level);
    };
    pass();
    if (open == OpenLoops::refused && !require_closed(mechanism, data, function))
      pass();  // in a pack, because G is now NaN in the states whose loops are open
    return data.end_pass();
  }

  kinematics_pass(model, tree, Pass::position);
  for_each_closure(mechanism, data, [&](auto& own, const auto& loop) {
    own.set(tree, loop, Pass::position, mechanism.idle_rows(loop));
  });
  if (open == OpenLoops::refused && !is_pack) require_closed(mechanism, data, function);
  for (const std::size_t c : mechanism.varying()) {  // G_d = -K_d^-1 K_i
    const LoopCluster& cluster = mechanism.clusters()[c];
    ClusterSolver<S>& solver = data.solvers[c];
    solver.begin();
    for_each_moving_loop(mechanism, data, cluster, Pass::position, [&](const auto& loop, int row) {
      loop.for_each_entry(redundancy_tolerance<S>(), solver.scale.data() + row,
                          [&](int i, int j, const S& x) { solver.put(row + i, mechanism.column_of_K(j), x); });
    });
    if constexpr (std::floating_point<S>)
      if (!solver.is_finite()) {
        // A quaternion of zeros is finite, but gives no pose.
        check_on_manifold<S>("q", tree.q, model, 0.999, function);
        throw Error(join({function, ": ", cluster_label(model, cluster),
                          " determine other joints by numbers that are not finite, because q is too large"}));
      }
    write_map(mechanism, cluster, solver.solve(model, cluster), data.G);
  }
  if (open == OpenLoops::refused && is_pack) require_closed(mechanism, data, function);
  if (!moves) return data.end_pass();

  times_G(mechanism, data.G, data.y, tree.work.v);  // v = G y
  tree.v.swap(tree.work.v);
  velocity_pass(model, tree);
  for_each_closure(mechanism, data, [&](auto& own, const auto& loop) { own.set_rates(tree, loop); });
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
    detail::write_rates(mechanism, *this, cluster, Pass::velocity, solvers[c].Kdot);
    detail::solve_map_rate(mechanism, cluster, solvers[c], {{solvers[c].Kdot, G}}, Gdot_);
  }
  has_Gdot_ = true;
  return Gdot_;
}

}}  // namespace corio
