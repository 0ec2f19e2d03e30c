#pragma once

#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"
#include "corio/algorithms/derivatives/centroidal_momentum_derivatives.hpp"
#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/hybrid_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/core/compiled.hpp"
#include "corio/mechanism/detail/condition_derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"

/// inverse_dynamics_derivatives of a mechanism: dtau/dq, dtau/dy and M = dtau/d(dy/dt) for its rnea, along motions that
/// keep the loops closed. Column j of dtau/dq is the derivative of tau as q moves along G e_j, at constant y and dy/dt.
/// With quantities of the tree without index, and with forces lambda of the loops that balance tau on the dependent
/// joints, K_d^T lambda = tau_d, where G^T K^T = 0 for all q on the way,
///   dtau_y/dq = G^T ((dtau/dq - d(K^T lambda)/dq) G + dtau/dv dv/dq + M da/dq),
///   dtau_y/dy = G^T (dtau/dv G + M da/dy).
/// Most of d(K^T lambda)/dq is a part of dtau/dq of the tree if the wrenches of closures act on its bodies
/// (ConditionDerivatives). The derivatives dv/dq, da/dq and da/dy of v = G y and a = G dy/dt + dG/dt y at constant y
/// and dy/dt solve
///   K dv/dq + d(dk/dt)/dq G = 0,
///   K da/dq + d(d2k/dt2)/dq G + d(d2k/dt2)/dv dv/dq = 0,
///   K da/dy + d(d2k/dt2)/dv G = 0.
/// body_velocity_derivatives, body_acceleration_derivatives and centroidal_momentum_derivatives of a mechanism use
/// dv/dq, da/dq and da/dy as well.
/// @throws ModelError for users' joints in loops with axes that move in the body and members that are not templates.
/// O(n d), and for a varying G O(m n) for m conditions, times the number of independent speeds in a cluster, and O(k^3)
/// for every cluster of k degrees of freedom.
///
/// christoffel_symbols of a mechanism are the symbols of its mass matrix in independent speeds, for which C(i,j) of
/// coriolis_matrix is sum_k Gamma(i,j,k) y_k:
///   Gamma(i,j,k) = G_ai G_bj G_ck Gamma(a,b,c) + G_ai M_ab D_k G_bj,
/// with the derivatives D_k G of G along y_k. Gamma is symmetric in j and k if independent speeds are rates of
/// coordinates, which speeds of spherical joints and floating bases are not. In general, with the structure_constants c
/// of the independent speeds and of the tree, whose armature has no share in Gamma of the tree,
///   Gamma(i,j,k) - Gamma(i,k,j) = sum_l M(i,l) c(l,k,j) - sum_rst G_ri armature_r c(r,s,t) G_sk G_tj.
/// O(n d^2), times the number of independent speeds in a cluster, and no allocation. Source: Wensing and Slotine
/// (2023), app. A, in the form of projections.
namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// Gives the state in data the dy/dt that follows from given forces.
template <class S>
MechanismData<S>& accelerate(const Mechanism<S>& mechanism, MechanismData<S>& data,
                             std::type_identity_t<VectorIn<S>> tau, std::type_identity_t<ExternalForces<S>> external,
                             const char* function) {
  const VectorX<S>& ydot = aba<S>(mechanism, data, tau, external);
  return forward_kinematics<S>(mechanism, data, data.tree.q, data.y, ydot, function);
}
/// Returns a state with the q and y of data, and the dy/dt that follows from given forces. data and its results do not
/// change.
template <class S>
MechanismData<S>& with_acceleration(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                    std::type_identity_t<VectorIn<S>> tau,
                                    std::type_identity_t<ExternalForces<S>> external, const char* function) {
  check_finite_speeds("tau", tau, mechanism, function);
  data.require(mechanism, Pass::velocity, function);
  MechanismData<S>& own = data.template of<MechanismData<S>>(mechanism);  // not the caller's state
  forward_kinematics<S>(mechanism, own, data.tree.q, data.y, function);
  return accelerate(mechanism, own, tau, external, function);
}

}  // namespace detail

/// Computes the derivatives of dy/dt = aba(mechanism, ..) with respect to q, y and tau, at the dy/dt of the state:
/// -M^-1 dtau/dq, -M^-1 dtau/dy and M^-1.
/// @param external  wrenches on bodies, held as in inverse_dynamics_derivatives
/// @returns {da_dq, da_dv, da_dtau}, nv x nv each, valid until the next call
/// @throws as forward_kinematics of the mechanism and inverse_dynamics_derivatives; ModelError for a speed that moves
/// no inertia
template <class S>
const ForwardDynamicsDerivativesResult<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                        MechanismData<S>& data,
                                                                        ExternalForces<S> external = {}) {
  data.require(mechanism, Pass::acceleration, "forward_dynamics_derivatives");
  const auto& inverse = inverse_dynamics_derivatives<S>(mechanism, data, external);
  auto& own = data.template of<algorithm::ForwardDynamicsDerivatives<S>>(mechanism);
  own.run(mechanism, inverse);
  return own.result;
}
/// Computes these derivatives at the dy/dt that follows from given forces tau, nv of the mechanism, in a further state,
/// which costs two kinematics passes. data keeps its acceleration, if it has one.
template <class S>
const ForwardDynamicsDerivativesResult<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                        MechanismData<S>& data, VectorIn<S> tau,
                                                                        ExternalForces<S> external = {}) {
  return forward_dynamics_derivatives<S>(
      mechanism, detail::with_acceleration(mechanism, data, tau, external, "forward_dynamics_derivatives"), external);
}
template <class S>
const ForwardDynamicsDerivativesResult<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                        MechanismData<S>& data, VectorIn<S> q,
                                                                        VectorIn<S> y, VectorIn<S> tau,
                                                                        ExternalForces<S> external = {}) {
  detail::check_finite_speeds("tau", tau, mechanism);
  forward_kinematics<S>(mechanism, data, q, y, __func__);
  return forward_dynamics_derivatives<S>(mechanism, detail::accelerate(mechanism, data, tau, external, __func__),
                                         external);
}

namespace detail {

/// The derivatives dv/dq, da/dq and da/dy above, as entries of G, if G varies.
template <class S>
class MotionDerivatives {
 public:
  VectorX<S> v_q, a_q, a_y;

  explicit MotionDerivatives(const Mechanism<S>& m) {
    for (auto* x : {&v_q, &a_q, &a_y}) x->setZero(m.constant_entries().size());
  }
  /// Returns the derivatives at the present state, computed by the first request.
  /// @param level  Pass::velocity for v_q alone
  static const MotionDerivatives& of(const Mechanism<S>& mechanism, MechanismData<S>& data, Pass level) {
    auto& own = data.template of<MotionDerivatives>(mechanism);
    if (own.passes_ != data.tree.passes() || own.level_ < level) own.compute(mechanism, data, level);
    return own;
  }

 private:
  void compute(const Mechanism<S>& mechanism, MechanismData<S>& data, Pass level) {
    level_ = Pass::none;
    if (level >= Pass::acceleration) find_second_rates(mechanism, data);
    for (const std::size_t c : mechanism.varying()) {
      const LoopCluster& cluster = mechanism.clusters()[c];
      ClusterSolver<S>& solver = data.solvers[c];
      for (auto* const entries : {&rate_dq_, &second_dv_, &second_dq_}) entries->resize(cluster.num_entries);
      S *rate_dq = rate_dq_.data(), *second_dv = second_dv_.data(), *second_dq = second_dq_.data();
      for_each_moving_loop(mechanism, data, cluster, level, [&](const auto& loop, int) {
        loop.for_each_rate_derivative([&](int, int, const S& rate, const S& by_v, const S& by_q) {
          *rate_dq++ = rate, *second_dv++ = by_v, *second_dq++ = by_q;
        });
      });
      solve_map_rate(mechanism, cluster, solver, {{rate_dq_, data.G}}, v_q);
      if (level < Pass::acceleration) continue;
      solve_map_rate(mechanism, cluster, solver, {{second_dq_, data.G}, {second_dv_, v_q}}, a_q);
      solve_map_rate(mechanism, cluster, solver, {{second_dv_, data.G}}, a_y);
    }
    level_ = level, passes_ = data.tree.passes();
  }

  ConditionEntries<S> rate_dq_, second_dv_, second_dq_;  // for one cluster
  Pass level_ = Pass::none;
  std::uint64_t passes_ = 0;
};

}  // namespace detail

namespace algorithm {

template <class S>
struct ForMechanism<ChristoffelSymbols<S>> {
  detail::ConditionDerivatives<S> derivatives;
  ChristoffelTensor<S> tree;
  MatrixX<S> right;  // column k: sum over a, c of G_ai Gamma(a,:,c) G_ck, for one speed i
  VectorX<S> column, lambda;
  detail::ColumnSum<S> sum;
  detail::TensorProjection<S> of_block;

  explicit ForMechanism(const Mechanism<S>& m)
      : tree(m.tree()),
        right(MatrixX<S>::Zero(m.tree().nv(), m.nv())),
        column(m.tree().nv()),
        lambda(m.loops().rows()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ChristoffelTensor<S>& result);

 private:
  void sum_right(const Mechanism<S>& mechanism, const VectorX<S>& G, int i);
};
/// Symbols of three degrees of freedom, or of three speeds, are zero unless the three are on one path from a root.
template <class S>
void ForMechanism<ChristoffelSymbols<S>>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                              ChristoffelTensor<S>& result) {
  const VectorX<S>& G = data.G;
  Tensor3<S>& Gamma = result.tensor();
  auto& of_tree = data.tree.template of<ChristoffelSymbols<S>>(mechanism.tree());
  if (mechanism.is_tree()) return of_tree.run(mechanism.tree(), data.tree, result);
  of_tree.run(mechanism.tree(), data.tree, tree);
  const auto for_each_with = [&](int i, auto&& f) {
    mechanism.for_each_ancestor(mechanism.parent_dof(i), f);
    mechanism.for_each_descendant(i, f);
  };
  for (const std::size_t c : mechanism.blocks())
    of_block.set(mechanism, mechanism.clusters()[c], G, tree.tensor(), Gamma);
  for (int i = 0; i < mechanism.nv(); ++i) {
    const int block = mechanism.block_of_speed(i);
    const auto in_block = [&](int k) { return block >= 0 && mechanism.block_of_speed(k) == block; };
    if (in_block(0) && std::ssize(mechanism.clusters()[static_cast<std::size_t>(block)].speeds) == mechanism.nv())
      continue;
    sum_right(mechanism, G, i);
    for_each_with(i, [&](int k) {
      S* const x = &right(0, k);
      const auto add = [&](int j) { Gamma(i, j, k) = detail::row_of_map_times(mechanism, G, j, x); };
      if (in_block(k))
        for_each_with((std::max)(i, k), [&](int j) {
          if (!in_block(j)) add(j);
        });
      else
        for_each_with((std::max)(i, k), add);
      for (const auto& [begin, end] : mechanism.row_ranges(k)) std::fill(x + begin, x + end, S(0));
    });
  }
  if (!mechanism.varies()) return;
  const MatrixX<S>& M = corio::crba(mechanism.tree(), data.tree);
  for (const std::size_t c : mechanism.varying()) {
    const LoopCluster& cluster = mechanism.clusters()[c];
    if (cluster.speeds.empty()) continue;
    derivatives.compute(mechanism, data, cluster);
    // G_ai M_ab D_k G_bj = -lambda_i (D_k K G)_j with K_d^T lambda_i = (M G e_i)_d. All speeds that are coupled with a
    // cluster are coupled with its last speed.
    for_each_with(cluster.speeds.back(), [&](int i) {
      const bool in_block = mechanism.block_of_speed(i) == static_cast<int>(c);
      if (in_block) {
        sum.clear(), column.setZero();
        for (const auto& [r, e] : mechanism.driven_dofs(i)) sum.add(&M(0, r), G[e]);
        for (const auto& [begin, end] : mechanism.row_ranges(i)) sum.write(begin, end, column.data());
      }
      const auto force = [&](int r, int) {
        return in_block ? column[r] : detail::row_of_map_times(mechanism, G, i, &M(0, r));
      };
      data.solvers[c].find_multipliers(cluster, force, lambda);
      derivatives.for_each_sum(cluster, lambda, [&](int k, const S* x) {
        for (const int j : cluster.speeds) Gamma(i, j, k) -= *x++;
      });
    });
  }
}
/// Adds the terms of speed i to `right`. For each c, only rows that are related to c and to i are summed.
template <class S>
void ForMechanism<ChristoffelSymbols<S>>::sum_right(const Mechanism<S>& mechanism, const VectorX<S>& G, int i) {
  const Tensor3<S>& T = tree.tensor();
  const auto driven = mechanism.driven_dofs(i);
  auto a = driven.begin(), behind = a;  // the range of driven degrees of freedom in the tree of c
  int end_of_tree = 0;
  for (const auto& [first, last] : mechanism.row_ranges(i))
    for (int c = first; c < last; ++c) {
      if (c >= end_of_tree) {
        end_of_tree = mechanism.tree().subtree_end(c);
        for (a = behind; behind != driven.end() && behind->first < end_of_tree;) ++behind;
      }
      sum.clear();
      for (auto x = a; x != behind; ++x) sum.add(T.data() + x->first * T.stride(0) + c * T.stride(2), G[x->second]);
      const auto add_rows = [&](int begin, int end) {
        sum.write(begin, end, column.data());
        mechanism.for_each_entry(
            c, [&](int k, int e) { detail::add_multiple<S>(&right(begin, k), G[e], &column[begin], end - begin); });
      };
      if (c >= mechanism.dof_of_speed(i))
        mechanism.for_each_related(c, add_rows);
      else
        for (const auto& [begin, end] : mechanism.row_ranges(i)) add_rows(begin, end);
    }
}

template <class S>
struct ForMechanism<InverseDynamicsDerivatives<S>> {
  InverseDynamicsDerivativesResult<S> result;
  InverseDynamicsDerivatives<S> of_tree;  // with wrenches of closures, fixed in their bodies, as external wrenches
  detail::ConditionDerivatives<S> derivatives;
  VectorX<S> lambda;
  detail::Projection<S> product;

  explicit ForMechanism(const Mechanism<S>& m)
      : of_tree(m.tree()), lambda(VectorX<S>::Zero(m.loops().rows())), product(m) {
    for (auto* x : {&result.dtau_dq, &result.dtau_dv, &result.M}) *x = detail::nv_by_nv(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external) {
    if (mechanism.varies())
      detail::solve_multipliers(mechanism, data, corio::rnea<S>(mechanism.tree(), data.tree, external), lambda);
    differentiate(mechanism, data, lambda, external);
  }
  /// Computes G^T times the derivatives of the tau in all joints of the tree that balance given forces of the
  /// conditions.
  void differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> forces,
                     ExternalForces<S> external = {});
};
template <class S>
void ForMechanism<InverseDynamicsDerivatives<S>>::differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                VectorIn<S> forces, ExternalForces<S> external) {
  const Model<S>& model = mechanism.tree();
  model.check_column_rates("inverse_dynamics_derivatives");
  detail::body_forces(model, data.tree, data.tree.acceleration, external, of_tree.force);
  detail::subtract_closure_wrenches(mechanism, data, forces.data(), of_tree.force);
  detail::sum_inward(model, of_tree.force);
  of_tree.template differentiate<true>(model, data.tree, {data.tree.acceleration, data.tree.a, of_tree.force},
                                       external);
  const InverseDynamicsDerivativesResult<S>& tree = of_tree.result;
  const VectorX<S>& G = data.G;
  const auto& motion = detail::MotionDerivatives<S>::of(mechanism, data, Pass::acceleration);
  product.set_symmetric(mechanism, G, tree.M, result.M);
  product.set(mechanism, G, {{tree.dtau_dv, G}, {tree.M, motion.a_y}}, result.dtau_dv);
  product.set(mechanism, G, {{tree.dtau_dq, G}, {tree.dtau_dv, motion.v_q}, {tree.M, motion.a_q}}, result.dtau_dq);
  for (const std::size_t c : mechanism.varying())
    derivatives.subtract_forces(mechanism, data, mechanism.clusters()[c], forces.data(), result.dtau_dq);
}

template <class S>
struct ForMechanism<CentroidalMomentumDerivatives<S>> {
  CentroidalMomentumDerivativesResult<S> result;

  explicit ForMechanism(const Mechanism<S>& m) {
    for (auto* x : {&result.dh_dq, &result.dhdot_dq, &result.dhdot_dv, &result.A}) x->setZero(6, m.nv());
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const auto& tree = data.tree.template run<CentroidalMomentumDerivatives<S>>(mechanism.tree()).result;
    const auto set = [&](Matrix6X<S>& out, const Matrix6X<S>& J) {
      out.setZero();
      detail::add_columns_times_G<S>(mechanism, data.G, J, out);
    };
    set(result.dh_dq, tree.dh_dq), set(result.dhdot_dq, tree.dhdot_dq);
    set(result.dhdot_dv, tree.dhdot_dv), set(result.A, tree.A);
    if (!mechanism.varies()) return;
    const auto& motion = detail::MotionDerivatives<S>::of(mechanism, data, Pass::acceleration);
    detail::add_columns_times_G<S>(mechanism, motion.v_q, tree.A, result.dh_dq);
    detail::add_columns_times_G<S>(mechanism, motion.v_q, tree.dhdot_dv, result.dhdot_dq);
    detail::add_columns_times_G<S>(mechanism, motion.a_q, tree.A, result.dhdot_dq);
    detail::add_columns_times_G<S>(mechanism, motion.a_y, tree.A, result.dhdot_dv);
  }
};

template <class S>
struct ForMechanism<ForwardDynamicsDerivatives<S>> {
  ForwardDynamicsDerivativesResult<S> result;
  MatrixX<S> M;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x;  // the three results, side by side

  explicit ForMechanism(const Mechanism<S>& m) : x(m.nv(), 3 * m.nv()) {
    for (auto* out : {&result.da_dq, &result.da_dv, &result.da_dtau}) *out = detail::nv_by_nv(m);
  }
  void run(const Mechanism<S>& mechanism, const InverseDynamicsDerivativesResult<S>& inverse) {
    const int n = mechanism.nv();
    M = inverse.M;
    detail::factorize_mass_matrix(mechanism, M);
    x.leftCols(n) = -inverse.dtau_dq, x.middleCols(n, n) = -inverse.dtau_dv, x.rightCols(n).setIdentity();
    detail::solve_mass_matrix(mechanism, M, x.data(), x.cols());
    result.da_dq = x.leftCols(n), result.da_dv = x.middleCols(n, n), result.da_dtau = x.rightCols(n);
  }
};

template <class S>
struct ForMechanism<HybridDynamicsDerivatives<S>>
    : HybridDynamicsDerivatives<S, ForMechanism<InverseDynamicsDerivatives<S>>> {
  using HybridDynamicsDerivatives<S, ForMechanism<InverseDynamicsDerivatives<S>>>::HybridDynamicsDerivatives;
};

}  // namespace algorithm

/// The overload for a Mechanism of the function in robot.hpp.
template <class S, class F>
void for_each_speed_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, int k, Pass level, F&& f) {
  if (!mechanism.varies()) return;
  const auto& D = detail::MotionDerivatives<S>::of(mechanism, data, level);
  mechanism.for_each_entry(k, [&](int c, int e) { f(c, D.v_q[e], D.a_q[e], D.a_y[e]); });
}

#define CORIO_COMPILED_MECHANISM_DERIVATIVES(EXTERN, S)                    \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ChristoffelSymbols<S>)            \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, InverseDynamicsDerivatives<S>)    \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, CentroidalMomentumDerivatives<S>) \
  CORIO_COMPILED_OF_MECHANISM(EXTERN, S, ForwardDynamicsDerivatives<S>)
CORIO_DECLARE_COMPILED(MECHANISM_DERIVATIVES)

}}  // namespace corio
