#pragma once

#include "corio/algorithms/regressors/body_parameter_derivatives.hpp"
#include "corio/algorithms/regressors/energy_regressors.hpp"
#include "corio/algorithms/regressors/factorized_regressor.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/mechanism/kinematics.hpp"
#include "corio/model/inertial_parameters.hpp"

/// Regressors of mechanisms, matrices Y of nv x 10 N for the N bodies of the tree. They are G^T times the regressors of
/// the tree in the motion v = G y; for C^T y = G^T C^T v + dG/dt^T M v there is a second term. Y pi is the result of
/// the function of mechanism/dynamics.hpp less the share of the armature of all joints, whose columns joint_regressor
/// has. O(n d), products O(n), times the number of independent speeds in a cluster.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Calls f(Y, G) once for each term G^T Y of a regressor of a mechanism, where Y is a regressor of the tree.
template <class S, class F>
void for_each_part(const Mechanism<S>& mechanism, MechanismData<S>& data, const Regressor<S>& of, F&& f) {
  f(of, data.G);
  if (of.name == Regressor<S>::coriolis_transpose_ && mechanism.varies())
    f(Regressor<S>::momentum(mechanism.tree(), data.tree, of.function), data.Gdot(mechanism));
}

}  // namespace detail

namespace algorithm {

/// Computes the motions of the tree for v_r = G y_r and its rate.
template <class S>
struct ForMechanism<detail::ReferenceMotions<S>> : detail::ReferenceMotions<S> {
  VectorX<S> v_r, a_r;
  explicit ForMechanism(const Mechanism<S>& m)
      : detail::ReferenceMotions<S>(m.tree()), v_r(zeros<S>(m.tree().nv())), a_r(v_r) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r, VectorIn<S> ydot_r,
           const char* function) {
    detail::check_references(mechanism, y_r, ydot_r, function);
    detail::tree_motion(mechanism, data, y_r, ydot_r, v_r, a_r);
    detail::ReferenceMotions<S>::run(mechanism.tree(), data.tree, v_r, a_r, function);
  }
};

template <class S>
struct ForMechanism<Regressor<S>> {
  MatrixX<S> Y;  // regressor of the tree, for a selection of bodies in its first columns

  explicit ForMechanism(const Mechanism<S>& m)
      : Y(MatrixX<S>::Zero(m.tree().nv(), num_inertial_parameters(m.tree()))) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const detail::Regressor<S>& whole,
           const MatrixOut<S>& out, const BodySelection& bodies) {
    detail::check_regressor<S>(mechanism, bodies, out, whole.function);
    const Model<S>& tree = mechanism.tree();
    auto& of_tree = data.tree.template of<Regressor<S>>(tree);
    if (mechanism.is_tree()) return of_tree.run(tree, data.tree, whole, out, bodies);
    out.set_zero();
    detail::for_each_part(mechanism, data, whole, [&](const auto& of, const VectorX<S>& G) {
      of_tree.run(tree, data.tree, of, Y.leftCols(bodies.num_parameters(tree)), bodies);
      for (int i = 0; i < bodies.size(tree); ++i) {
        const Body<S>& body = tree.bodies()[static_cast<std::size_t>(bodies[i])];
        detail::for_each_on_way(tree, body, [&](int k) {
          mechanism.for_each_entry(k, [&](int c, int e) {
            for (int h = 10 * i; h < 10 * (i + 1); ++h) out(c, h) += G[e] * Y(k, h);
          });
        });
      }
    });
  }
};

template <class S>
struct ForMechanism<RegressorProduct<S>> {
  VectorX<S> results[detail::Regressor<S>::count];

  explicit ForMechanism(const Mechanism<S>& m) {
    for (VectorX<S>& result : results) result = zeros<S>(m.nv());
  }
  const VectorX<S>& run(const Mechanism<S>& mechanism, MechanismData<S>& data, const detail::Regressor<S>& whole,
                        VectorIn<S> pi, const BodySelection& bodies) {
    const Model<S>& tree = mechanism.tree();
    detail::check_parameters(tree, bodies, "pi", pi.size(), whole.function);
    VectorX<S>& result = results[whole.name];
    result.setZero();
    auto& of_tree = data.tree.template of<RegressorProduct<S>>(tree);
    detail::for_each_part(mechanism, data, whole, [&](const auto& of, const VectorX<S>& G) {
      detail::add_times_G_transpose(mechanism, G, of_tree.run(tree, data.tree, of, pi, bodies), result);
    });
    return result;
  }
};

template <class S>
struct ForMechanism<RegressorTransposeProduct<S>> {
  VectorX<S> x_of_tree, sum;

  explicit ForMechanism(const Mechanism<S>& m)
      : x_of_tree(zeros<S>(m.tree().nv())), sum(zeros<S>(num_inertial_parameters(m.tree()))) {}
  /// Computes Y^T (G x) + Y_r^T (dG/dt x).
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const detail::Regressor<S>& whole, VectorIn<S> x,
           VectorOut<S> out, const BodySelection& bodies) {
    detail::check_transpose_product<S>(mechanism, bodies, x, out, whole.function);
    const Model<S>& tree = mechanism.tree();
    auto& of_tree = data.tree.template of<RegressorTransposeProduct<S>>(tree);
    auto last = sum.head(out.size());
    last.setZero();
    detail::for_each_part(mechanism, data, whole, [&](const auto& of, const VectorX<S>& G) {
      detail::times_G(mechanism, G, x, x_of_tree);
      of_tree.run(tree, data.tree, of, x_of_tree, out, bodies);
      out += last, last = out;
    });
  }
};

}  // namespace algorithm

}}  // namespace corio
