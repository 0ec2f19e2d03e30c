#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_hessian.hpp"
#include "corio/mechanism/derivatives.hpp"

/// inverse_dynamics_hessian and forward_dynamics_hessian of mechanisms with closed loops, in their independent speeds.
///
/// The virtual power lambda^T tau is F(q, v, a, mu) = mu^T tau(q, v, a) of the tree on the closed motions v = G y, a =
/// G dy/dt + dG/dt y, mu = G lambda. On these motions psi of ConditionGradient is 0. The multipliers L are chosen so
/// that the derivatives of F - psi with respect to all dependent q, v, a and mu vanish:
///   K_d^T L_a = (M mu)_d,                  K_d^T L_mu = tau_d,
///   K_d^T L_v = (dtau/dv^T mu - psi_v)_d,  K_d^T L_q = (dtau/dq^T mu - psi_q)_d.
/// Then second derivatives of the dependent variables have no effect, and the Hessian is Z^T (F - psi)'' Z, where Z are
/// the first derivatives of (q, v, a, mu),
///   along q  (G, dv/dq, da/dq, dmu/dq),   by y  (0, G, da/dy, 0),   by dy/dt  (0, 0, G, 0).
/// Columns of psi'' are computed with dual numbers, by one evaluation for each speed of a cluster. O(n d), and what
/// inverse_dynamics_derivatives of a mechanism costs, times the speeds in a cluster.
/// @throws ModelError also for joints in loops whose axes move in the body: users' joints, SphericalInParentAxes,
/// SphericalExp, FreeFlyerInParentAxes and FreeFlyerExp, which replace_joint can replace by Spherical or FreeFlyer.
/// Source: corio's own.
namespace corio { inline namespace CORIO_ABI {

/// forward_dynamics_hessian of a mechanism: computes the second derivatives of lambda^T dy/dt with respect to q, y and
/// tau, at the dy/dt of the state. @returns {qq, vq, vv, tau_q}, nv x nv each; valid until the next call
/// @throws as above, and ModelError for a speed that moves no inertia
template <class S>
const ForwardDynamicsHessianResult<S>& forward_dynamics_hessian(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                VectorIn<S> lambda, ExternalForces<S> external = {}) {
  data.require(mechanism, Pass::acceleration, "forward_dynamics_hessian");
  auto& own = data.template of<algorithm::ForwardDynamicsHessian<S>>(mechanism);
  own.run(mechanism, data, lambda, external);
  return own.result;
}
/// Computes the same at the dy/dt that follows from given forces tau, nv of the mechanism.
template <class S>
const ForwardDynamicsHessianResult<S>& forward_dynamics_hessian(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                VectorIn<S> tau, VectorIn<S> lambda,
                                                                ExternalForces<S> external = {}) {
  detail::check_speeds("lambda", lambda, mechanism);
  return forward_dynamics_hessian<S>(
      mechanism, detail::with_acceleration(mechanism, data, tau, external, "forward_dynamics_hessian"), lambda,
      external);
}
template <class S>
const ForwardDynamicsHessianResult<S>& forward_dynamics_hessian(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                VectorIn<S> q, VectorIn<S> y, VectorIn<S> tau,
                                                                VectorIn<S> lambda, ExternalForces<S> external = {}) {
  detail::check_finite_speeds("tau", tau, mechanism);
  detail::check_speeds("lambda", lambda, mechanism);
  VectorX<S>& held = data.template of<algorithm::ForwardDynamicsHessian<S>>(mechanism).held_lambda;
  held = lambda;  // which may be the y or dy/dt of data
  forward_kinematics<S>(mechanism, data, q, y, __func__);
  return forward_dynamics_hessian<S>(mechanism, detail::accelerate(mechanism, data, tau, external, __func__), held,
                                     external);
}

namespace algorithm {

template <class S>
struct ForMechanism<InverseDynamicsHessian<S>> {
  static constexpr const char* name = InverseDynamicsHessian<S>::needs.name;
  InverseDynamicsHessianResult<S> result;
  InverseDynamicsHessian<S> tree;
  VectorX<S> mu, mu_q, half_v_q;                    // mu_q and half_v_q as entries of G
  std::array<VectorX<S>, detail::arguments> slope;  // the derivatives of F with respect to q, v and a
  MatrixX<S> change;
  detail::Projection<S> product;
  detail::ConditionDerivatives<S> derivatives;
  typename detail::ConditionGradient<S, S>::Multipliers L;
  std::vector<detail::StructureConstant<S>> brackets;
  std::vector<S> rows[detail::arguments], rows_a_y;  // rows of G, dv/dq, da/dq, dmu/dq and da/dy, for one cluster
  detail::ConditionGradient<S, S> gradient;
  detail::ConditionGradient<Dual<S>, S> moving;

  explicit ForMechanism(const Mechanism<S>& m)
      : tree(m.tree()),
        mu(zeros<S>(m.tree().nv())),
        mu_q(VectorX<S>::Zero(m.constant_entries().size())),
        half_v_q(mu_q),
        product(m) {
    for (auto* x : {&result.qq, &result.vq, &result.vv, &result.aq, &change}) *x = detail::nv_by_nv(m);
    for (auto& x : slope) x = mu;
    for (auto& x : L) x = VectorX<S>::Zero(m.loops().rows());
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> lambda, ExternalForces<S> external) {
    detail::check_speeds("lambda", lambda, mechanism, name);
    if (mechanism.varies())
      detail::solve_multipliers(mechanism, data, corio::rnea<S>(mechanism.tree(), data.tree, external),
                                L[detail::by_mu]);
    differentiate(mechanism, data, lambda, external);
  }
  /// Computes the Hessian for the forces L_mu of the loops.
  void differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> lambda,
                     ExternalForces<S> external) {
    const Model<S>& model = mechanism.tree();
    model.check_column_rates(name);
    const VectorX<S>& G = data.G;
    const auto& motion = detail::MotionDerivatives<S>::of(mechanism, data, Pass::acceleration);
    detail::times_G(mechanism, G, lambda, mu);
    tree.run(model, data.tree, mu, external);
    const auto& H = tree.result;
    auto& [qq, vq, vv, aq] = result;
    product.set(mechanism, G, {{H.qq, G}}, qq);
    product.set(mechanism, G, {{H.vq, G}, {H.vv, motion.v_q}}, vq);
    product.set(mechanism, G, {{H.vv, G}}, vv);
    product.set(mechanism, G, {{H.aq, G}}, aq);
    if (!mechanism.varies()) return;

    const auto& tau = corio::inverse_dynamics_derivatives<S>(model, data.tree, external);
    for (const auto& loop : mechanism.loops().all())
      if (!loop.frames.empty())
        detail::for_each_between<S>(model, loop, [&](int k, int) {
          if (detail::columns_move(model, k))
            throw ModelError(detail::join({name, ": loop '", loop.name, "' of model '", model.name(),
                                           "' has no second derivatives, because the axes of joint '",
                                           detail::joint_of_dof(model, k),
                                           "' move in its body; replace it by joint::Spherical or joint::FreeFlyer"}));
        });
    derivatives.differentiate_map(mechanism, data, lambda, mu_q);
    half_v_q = motion.v_q / S(2);
    const auto add = [&](const VectorX<S>& left, typename detail::Projection<S>::Products products, MatrixX<S>& out,
                         bool transposed, bool straight) {
      product.set(mechanism, left, products, change);
      for (int j = 0; j < mechanism.nv(); ++j)
        for (int i = 0; i < mechanism.nv(); ++i)
          out(i, j) += (straight ? change(i, j) : S(0)) + (transposed ? change(j, i) : S(0));
    };
    add(motion.v_q, {{H.vq, G}, {H.vv, half_v_q}}, qq, true, true);
    add(motion.a_q, {{H.aq, G}}, qq, true, true);
    add(mu_q, {{tau.dtau_dq, G}, {tau.dtau_dv, motion.v_q}, {tau.M, motion.a_q}}, qq, true, true);
    add(motion.a_y, {{H.aq, G}}, vq, false, true);
    add(mu_q, {{tau.dtau_dv, G}, {tau.M, motion.a_y}}, vq, true, false);
    add(mu_q, {{tau.M, G}}, aq, true, false);

    slope[detail::by_q].noalias() = tau.dtau_dq.transpose() * mu;
    slope[detail::by_v].noalias() = tau.dtau_dv.transpose() * mu;
    slope[detail::by_a].noalias() = tau.M * mu;
    for (const auto x : {detail::by_q, detail::by_v, detail::by_a}) L[x].setZero();
    for (const std::size_t c : mechanism.varying())
      if (const LoopCluster& cluster = mechanism.clusters()[c]; !cluster.speeds.empty())
        subtract_conditions(mechanism, data, cluster, data.solvers[c]);
  }

 private:
  void subtract_conditions(const Mechanism<S>& mechanism, MechanismData<S>& data, const LoopCluster& cluster,
                           detail::ClusterSolver<S>& solver) {
    using detail::by_q, detail::by_v, detail::by_a, detail::by_mu, detail::Argument;
    const Model<S>& model = mechanism.tree();
    const auto& motion = detail::MotionDerivatives<S>::of(mechanism, data, Pass::acceleration);
    const auto still = [](Argument, int) { return S(0); };
    brackets.clear();
    for (const int k : cluster.dofs)
      if (const int b = model.node_of(k); model.node(b).v_begin == k)
        detail::for_each_structure_constant(model, data.tree, b, [&](int l, int a, int j, const S& c) {
          brackets.push_back({l, a, j, c});
        });
    solver.find_multipliers(
        cluster, [&](int r, int) { return slope[by_a][r]; }, L[by_a]);
    for (const Argument x : {by_v, by_q}) {
      gradient.compute(mechanism, data, cluster, brackets, mu, L, still);
      solver.find_multipliers(
          cluster, [&](int r, int i) { return S(slope[x][r] - gradient(x, i)); }, L[x]);
    }
    const auto n = cluster.speeds.size(), size = n * cluster.dofs.size();
    const auto read = [&](const VectorX<S>& map, std::vector<S>& out) {
      out.resize(size);
      detail::read_map(mechanism, cluster, map, n, out.data());
    };
    read(data.G, rows[by_q]), read(motion.v_q, rows[by_v]), read(motion.a_q, rows[by_a]), read(mu_q, rows[by_mu]);
    read(motion.a_y, rows_a_y);
    auto& [qq, vq, vv, aq] = result;
    for (std::size_t l = 0; const int column : cluster.speeds) {
      moving.compute(mechanism, data, cluster, brackets, mu, L, [&](Argument x, int s) {
        return rows[x][static_cast<std::size_t>(mechanism.column_of_K(s)) * n + l];
      });
      for (std::size_t k = 0; const int row : cluster.speeds) {
        S by_speed(0), by_acceleration(0);
        std::size_t e = k;
        for (int i = 0; e < size; e += n, ++i) {
          for (const Argument x : {by_q, by_v, by_a, by_mu}) qq(row, column) -= moving(x, i).dx * rows[x][e];
          by_speed += moving(by_v, i).dx * rows[by_q][e] + moving(by_a, i).dx * rows_a_y[e];
          by_acceleration += moving(by_a, i).dx * rows[by_q][e];
        }
        vq(row, column) -= by_speed, aq(row, column) -= by_acceleration;
        vv(row, column) -= by_acceleration, vv(column, row) -= by_acceleration;
        ++k;
      }
      ++l;
    }
  }
};

template <class S>
struct ForMechanism<ForwardDynamicsHessian<S>> {
  ForwardDynamicsHessianResult<S> result;
  ForMechanism<InverseDynamicsDerivatives<S>> first_of_tau;
  ForMechanism<ForwardDynamicsDerivatives<S>> first;
  ForMechanism<InverseDynamicsHessian<S>> inverse;
  VectorX<S> mu, held_lambda;
  MatrixX<S> tau_q_transposed;

  explicit ForMechanism(const Mechanism<S>& m)
      : first_of_tau(m),
        first(m),
        inverse(m),
        mu(zeros<S>(m.nv())),
        held_lambda(mu),
        tau_q_transposed(detail::nv_by_nv(m)) {
    for (auto* x : {&result.qq, &result.vq, &result.vv, &result.tau_q}) *x = detail::nv_by_nv(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> lambda, ExternalForces<S> external) {
    detail::check_speeds("lambda", lambda, mechanism, ForwardDynamicsHessian<S>::needs.name);
    first_of_tau.run(mechanism, data, external);
    first.run(mechanism, first_of_tau.result);
    inverse.L[detail::by_mu] = first_of_tau.lambda;
    detail::virtual_motion(first.result.da_dtau, lambda, mu);
    inverse.differentiate(mechanism, data, mu, external);
    const auto negative_product = [](auto&... matrices) { detail::negative_product(matrices...); };
    detail::invert_hessian(first.result.da_dtau, first_of_tau.result, inverse.result, negative_product,
                           tau_q_transposed, result);
  }
};

}  // namespace algorithm

}}  // namespace corio
