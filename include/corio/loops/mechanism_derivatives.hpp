#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/mass_matrix_factor.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/compiled/list.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

/// inverse_dynamics_derivatives of a mechanism, dtau/dq, dtau/dy and M = dtau/d(dy/dt) for its rnea, along motions that
/// keep the loops closed: column j of dtau/dq is the derivative of tau as q moves along G e_j, at constant y and dy/dt.
/// With quantities of the tree without index, and forces lambda of the loops that balance tau on the dependent joints,
/// K_d^T lambda = tau_d, since G^T K^T = 0 wherever q moves,
///   dtau_y/dq = G^T ((dtau/dq - d(K^T lambda)/dq) G + dtau/dv dv/dq + M da/dq),
///   dtau_y/dy = G^T (dtau/dv G + M da/dy).
/// The derivatives dv/dq, da/dq and da/dy of v = G y and a = G dy/dt + dG/dt y at constant y and dy/dt solve
///   K dv/dq + d(dk/dt)/dq G = 0,   K da/dq + d(d2k/dt2)/dq G + d(d2k/dt2)/dv dv/dq = 0,   K da/dy + d(d2k/dt2)/dv G =
///   0.
/// @throws ModelError for users' joints in loops with axes that move in the body and members that are not templates.
/// O(n d), and where G varies O(m n) for m conditions, times the number of independent speeds in a cluster, and O(k^3)
/// for every cluster of k degrees of freedom.
///
/// christoffel_symbols of a mechanism, those of the mass matrix in independent speeds, C(i,j) = sum_k Gamma(i,j,k) y_k
/// of coriolis_matrix:
///   Gamma(i,j,k) = G_ai G_bj G_ck Gamma(a,b,c) + G_ai M_ab D_k G_bj,
/// with the derivatives D_k G of G along y_k. Symmetric in j and k where independent speeds are rates of coordinates,
/// that is, not those of spherical joints, floating bases and the like; their structure_constants c give
/// Gamma(i,j,k) - Gamma(i,k,j) = sum_l M(i,l) c(l,k,j), without armature. O(n d^2), times the number of independent
/// speeds in a cluster, and no allocation. Source: Wensing and Slotine (2023), app. A, in the form of projections.
namespace corio::inline CORIO_ABI {
namespace detail {

/// out_c += G_kc x for the independent speeds c of the cluster of degree of freedom k, in its order.
template <class S>
void add_row_of_map(const Mechanism<S>& mechanism, const VectorX<S>& G, const typename Mechanism<S>::Cluster& cluster,
                    int k, const S& x, S* out) {
  const auto c = mechanism.place(k) - std::ssize(cluster.dependent);
  if (c >= 0)
    out[c] += x;
  else
    add_multiple<S>(out, x, G.data() + mechanism.entry(k), std::ssize(cluster.columns));
}

/// D_k G_d = -K_d^-1 D_k K G, the derivatives of the varying part of G along the independent speeds k. Motions of all
/// bodies of a loop together do not change its conditions, so G of a cluster depends only on the cluster's speeds.
template <class S>
class MapDerivatives {
 public:
  /// f(cluster, k, D_k G) for every speed k of the clusters in which G varies; D_k G has the rows of the cluster's
  /// dependent speeds and the columns of its independent ones.
  template <class F>
  void for_each(const Mechanism<S>& mechanism, MechanismData<S>& data, F&& f) {
    for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
      const auto n = std::ssize(cluster.columns), m = std::ssize(cluster.rows);
      if (KG_.size() < n * n * m) KG_.resize(n * n * m);
      std::fill_n(KG_.data(), n * n * m, S(0));
      for_each_member(mechanism, cluster, [&](const auto& loop, int row) {
        for_each_jacobian_derivative(mechanism.tree(), data.tree, loop, [&](int j, auto&& entries) {
          along_j_.assign(static_cast<std::size_t>(loop.rows() * n), S(0)),
              by_speed_.assign(static_cast<std::size_t>(n), S(0));
          entries([&](int i, int k, const S& x) {
            add_row_of_map(mechanism, data.G, cluster, k, x, along_j_.data() + i * n);
          });
          add_row_of_map(mechanism, data.G, cluster, j, S(1), by_speed_.data());
          for (int i = 0; i < loop.rows(); ++i)
            for (Eigen::Index k = 0; k < n; ++k)
              add_multiple<S>(&KG_[((row + i) * n + k) * n], by_speed_[static_cast<std::size_t>(k)],
                              along_j_.data() + i * n, n);
        });
      });
      MatrixX<S>& X = solver.columns();
      for (Eigen::Index l = 0; const int k : cluster.columns) {
        for (Eigen::Index j = 0; j < n; ++j)
          for (Eigen::Index i = 0; i < m; ++i) X(i, j) = KG_[(i * n + l) * n + j];
        f(cluster, k, solver.rate(X));
        ++l;
      }
    });
  }

 private:
  VectorX<S> KG_;  // [(row n + k) n + c]: (D_k K G)(row, c), of speeds k and c of a cluster by their numbers in it
  std::vector<S> along_j_, by_speed_;  // those of one degree of freedom
};

}  // namespace detail

namespace algorithm {

template <class S>
struct for_mechanism<ChristoffelSymbols<S>> {
  detail::MapDerivatives<S> derivatives;
  ChristoffelTensor<S> tree;
  MatrixX<S> right;  // column k: sum over a, c of G_ai Gamma(a,:,c) G_ck, for one speed i
  VectorX<S> column;
  detail::ColumnSum<S> sum;
  MatrixX<S> MG;  // columns of G^T M for the dependent degrees of freedom of a cluster

  explicit for_mechanism(const Mechanism<S>& m)
      : tree(m.tree()),
        right(MatrixX<S>::Zero(m.tree().nv(), m.nv())),
        column(m.tree().nv()),
        MG(m.nv(), m.tree().nv()) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ChristoffelTensor<S>& result);

 private:
  void sum_right(const Mechanism<S>& mechanism, const VectorX<S>& G, int i);
};
/// Three degrees of freedom have symbols if they are on one path from a root, as have three speeds.
template <class S>
void for_mechanism<ChristoffelSymbols<S>>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                               ChristoffelTensor<S>& result) {
  using Projection = detail::Projection<S>;
  const VectorX<S>& G = data.G;
  Tensor3<S>& Gamma = result.tensor();
  auto& of_tree = data.tree.template of<ChristoffelSymbols<S>>(mechanism.tree());
  if (mechanism.is_tree()) return of_tree.run(mechanism.tree(), data.tree, result);
  of_tree.run(mechanism.tree(), data.tree, tree);
  const auto for_each_with = [&](int i, auto&& f) {
    mechanism.for_each_ancestor(mechanism.parent_dof(i), f);
    mechanism.for_each_descendant(i, f);
  };
  for (int i = 0; i < mechanism.nv(); ++i) {
    sum_right(mechanism, G, i);
    for_each_with(i, [&](int k) {
      S* const x = &right(0, k);
      for_each_with((std::max)(i, k), [&](int j) { Gamma(i, j, k) = Projection::row(mechanism, G, j, x); });
      mechanism.for_each_row_range(k, [&](int begin, int end) { std::fill(x + begin, x + end, S(0)); });
    });
  }
  if (!mechanism.varies()) return;
  const MatrixX<S>& M = corio::crba(mechanism.tree(), data.tree);
  const typename Mechanism<S>::Cluster* of_MG = nullptr;
  derivatives.for_each(mechanism, data, [&](const auto& cluster, int k, const MatrixX<S>& D) {
    const int last = cluster.columns.back();  // with which all are coupled that are coupled with the cluster
    const auto d = std::ssize(cluster.dependent);
    for (Eigen::Index b = 0; b < d && of_MG != &cluster; ++b)
      for_each_with(last, [&](int i) {
        MG(i, b) = Projection::row(mechanism, G, i, &M(0, cluster.dependent[static_cast<std::size_t>(b)]));
      });
    of_MG = &cluster;
    for_each_with(last, [&](int i) {
      for (Eigen::Index j = 0; j < D.cols(); ++j) {
        S total(0);
        for (Eigen::Index b = 0; b < d; ++b) total += MG(i, b) * D(b, j);
        Gamma(i, cluster.columns[static_cast<std::size_t>(j)], k) += total;
      }
    });
  });
}
/// Of column c of the pages only the rows that are related to c and to a degree of freedom that speed i moves.
template <class S>
void for_mechanism<ChristoffelSymbols<S>>::sum_right(const Mechanism<S>& mechanism, const VectorX<S>& G, int i) {
  const Tensor3<S>& T = tree.tensor();
  mechanism.for_each_row_range(i, [&](int first, int last) {
    for (int c = first; c < last; ++c) {
      sum.clear();
      mechanism.for_each_driven_dof(i,
                                    [&](int a, int e) { sum.add(T.data() + a * T.stride(0) + c * T.stride(2), G[e]); });
      const auto add_rows = [&](int begin, int end) {
        sum.write(begin, end, column.data());
        mechanism.for_each_entry(
            c, [&](int k, int e) { detail::add_multiple<S>(&right(begin, k), G[e], &column[begin], end - begin); });
      };
      if (c < mechanism.dof_of_speed(i))
        mechanism.for_each_row_range(i, add_rows);
      else
        mechanism.for_each_related(c, add_rows);
    }
  });
}

}  // namespace algorithm

namespace algorithm {

template <class S>
struct for_mechanism<InverseDynamicsDerivatives<S>> {
  corio::InverseDynamicsDerivatives<S> result;
  std::vector<detail::ConstraintRateDerivatives<S>> constraints;  // by cluster
  VectorX<S> lambda, v_q, a_q, a_y;                               // the last three as entries of G
  std::vector<S> along;
  detail::Projection<S> product;

  explicit for_mechanism(const Mechanism<S>& m)
      : constraints(m.clusters().size()),
        lambda(VectorX<S>::Zero(m.conditions().rows())),
        v_q(VectorX<S>::Zero(m.constant_entries().size())),
        a_q(v_q),
        a_y(v_q),
        product(m) {
    for (auto* x : {&result.dtau_dq, &result.dtau_dv, &result.M}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external) {
    if (mechanism.varies())
      detail::solve_multipliers(mechanism, data, corio::rnea<S>(mechanism.tree(), data.tree, external), lambda);
    differentiate(mechanism, data, lambda, external);
  }
  /// G^T times the derivatives of the tau in all joints of the tree that balance the given forces of the conditions.
  void differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> forces,
                     ExternalForces<S> external = {});
};
template <class S>
void for_mechanism<InverseDynamicsDerivatives<S>>::differentiate(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                 VectorIn<S> forces, ExternalForces<S> external) {
  const auto& tree = corio::inverse_dynamics_derivatives<S>(mechanism.tree(), data.tree, external);
  const VectorX<S>& G = data.G;
  data.find_Kdot(mechanism);
  detail::for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
    detail::write_rows(mechanism, data.tree, cluster, Pass::acceleration, solver.Kddot);
    const auto for_each_dof = [&](auto&& f) {
      for (const auto* dofs : {&cluster.dependent, &cluster.independent}) std::ranges::for_each(*dofs, f);
    };
    const auto place = [&](int k) { return mechanism.place(k); };
    auto& of_cluster = constraints[static_cast<std::size_t>(&solver - data.solvers.data())];
    of_cluster.run(mechanism.tree(), data.tree, solver.K, solver.Kdot, solver.Kddot, for_each_dof, place);
    const auto& [rate_dq, second_dv, second_dq] = of_cluster;
    detail::solve_dependent_rate(mechanism, cluster, solver, {{rate_dq, G}}, v_q);
    detail::solve_dependent_rate(mechanism, cluster, solver, {{second_dq, G}, {second_dv, v_q}}, a_q);
    detail::solve_dependent_rate(mechanism, cluster, solver, {{second_dv, G}}, a_y);
  });
  product.set_symmetric(mechanism, G, tree.M, result.M);
  product.set(mechanism, G, {{tree.dtau_dv, G}, {tree.M, a_y}}, result.dtau_dv);
  product.set(mechanism, G, {{tree.dtau_dq, G}, {tree.dtau_dv, v_q}, {tree.M, a_q}}, result.dtau_dq);
  detail::for_each_varying(mechanism, data, [&](const auto& cluster, auto&) {
    detail::for_each_member(mechanism, cluster, [&](const auto& loop, int) {
      detail::for_each_force_derivative<S>(mechanism.tree(), data.tree, loop, forces, [&](int s, auto&& entries) {
        along.assign(cluster.columns.size(), S(0));
        entries([&](int i, const S& x) { detail::add_row_of_map(mechanism, G, cluster, i, x, along.data()); });
        mechanism.for_each_entry(s, [&](int j, int e) {
          for (std::size_t i = 0; const int k : cluster.columns) result.dtau_dq(k, j) -= along[i++] * G[e];
        });
      });
    });
  });
}

namespace of_mechanism {

template <class S>
struct ForwardDynamicsDerivatives {
  static constexpr detail::Needs needs{.pass = Pass::acceleration, .name = "forward_dynamics_derivatives"};
  corio::ForwardDynamicsDerivatives<S> result;
  MatrixX<S> M;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x;  // the three results, side by side

  explicit ForwardDynamicsDerivatives(const Mechanism<S>& m) : x(m.nv(), 3 * m.nv()) {
    for (auto* out : {&result.da_dq, &result.da_dv, &result.da_dtau}) *out = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, const MechanismData<S>&,
           const corio::InverseDynamicsDerivatives<S>& inverse) {
    const int n = mechanism.nv();
    M = inverse.M;
    detail::factorize_mass_matrix(mechanism, M);
    for (int k = n - 1; k >= 0; --k) detail::require_inertia(mechanism, k, M(k, k));
    x.leftCols(n) = -inverse.dtau_dq, x.middleCols(n, n) = -inverse.dtau_dv, x.rightCols(n).setIdentity();
    detail::solve_mass_matrix(mechanism, M, x.data(), x.cols());
    result.da_dq = x.leftCols(n), result.da_dv = x.middleCols(n, n), result.da_dtau = x.rightCols(n);
  }
};

}  // namespace of_mechanism
}  // namespace algorithm

/// Derivatives of dy/dt = aba(mechanism, ..) by q, y and tau: -M^-1 dtau/dq, -M^-1 dtau/dy, M^-1 at the dy/dt of the
/// state. @returns {da_dq, da_dv, da_dtau}, as above; valid until the next call
/// @throws as forward_kinematics of the mechanism and inverse_dynamics_derivatives; ModelError for a speed that moves
/// no inertia
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism,
                                                                  MechanismData<S>& data) {
  data.require(mechanism, Pass::acceleration, "forward_dynamics_derivatives");
  const auto& inverse = inverse_dynamics_derivatives<S>(mechanism, data);
  return data.template run<algorithm::of_mechanism::ForwardDynamicsDerivatives<S>>(mechanism, inverse).result;
}
/// The same for given forces tau, nv of the mechanism.
template <class S>
const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                                  VectorIn<S> q, VectorIn<S> y, VectorIn<S> tau) {
  detail::check_finite_vector("tau", tau, mechanism.nv());
  const VectorX<S>& ydot = aba<S>(mechanism, data, q, y, tau);
  return forward_dynamics_derivatives<S>(mechanism, forward_kinematics<S>(mechanism, data, data.tree.q, data.y, ydot));
}

CORIO_DECLARE_COMPILED(MECHANISM_DERIVATIVES)

}  // namespace corio
