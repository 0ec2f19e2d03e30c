#pragma once

#include "corio/algorithms/geometry/connection.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"
#include "corio/algorithms/geometry/parallel_transport.hpp"
#include "corio/mechanism/derivatives.hpp"

/// The geometry of mechanisms with closed loops, in their independent speeds: covariant_derivative, geodesic_residual,
/// parallel_transport, christoffel_symbols_second_kind, contorsion and hamel_equations take a Mechanism in place of a
/// Model. The first five use M, C and the forward kinematics of the mechanism, as for trees. The connection belongs to
/// the kinetic energy on the closed configurations. The connection that a factorization of the tree's C induces on
/// these configurations is compatible with the metric if the factorization is admissible.
namespace corio { inline namespace CORIO_ABI { namespace algorithm {

/// Computes, with terms of the tree on the right,
///   p = G^T p,   dp/dt = G^T dp/dt + dG/dt^T p,   D_i U = G^T D U,   tau = G^T tau,
///   D_i T + brackets = G^T (D T + brackets) + dG/dt^T p.
/// The brackets contain momenta of the mechanism, to which the armature of all joints contributes. The part that the
/// armature of each joint would have in its own brackets of the tree is subtracted: with B = diag(armature),
///   brackets_i = sum_la c(l,a,i) y_a (G^T p)_l - sum_rst G_ti c(r,s,t) v_s (B v)_r.
template <class S>
struct ForMechanism<HamelEquations<S>> {
  HamelEquationsResult<S> result;
  VectorX<S> tree;

  explicit ForMechanism(const Mechanism<S>& m) : tree(zeros<S>(m.tree().nv())) {
    auto& [momentum, momentum_rate, kinetic_slope, gravity, bracket, tau] = result;
    for (auto* x : {&momentum, &momentum_rate, &kinetic_slope, &gravity, &bracket, &tau}) *x = zeros<S>(m.nv());
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const Model<S>& model = mechanism.tree();
    const auto& [p, p_dot, slope, gravity, bracket, tau] = corio::hamel_equations(model, data.tree);
    detail::project_with_rate(mechanism, data, p, p_dot, result.momentum, result.momentum_rate);
    tree = slope + bracket;
    detail::times_G_transpose(mechanism, data.G, tree, result.kinetic_slope);
    if (mechanism.varies()) detail::add_times_G_transpose(mechanism, data.Gdot(mechanism), p, result.kinetic_slope);
    detail::times_G_transpose(mechanism, data.G, gravity, result.gravity);
    detail::times_G_transpose(mechanism, data.G, tau, result.tau);
    result.bracket.setZero();
    const VectorX<S>& v = data.tree.v;
    detail::for_each_structure_constant(model, data.tree, [&](int r, int s, int t, const S& c) {
      S momentum = -model.armature()[r] * v[r];
      for_each_speed(mechanism, data, r, [&](int l, const S&) {
        if (mechanism.dof_of_speed(l) == r) momentum += result.momentum[l];
      });
      for_each_speed(mechanism, data, t, [&](int i, const S& g) { result.bracket[i] += c * v[s] * g * momentum; });
    });
    result.kinetic_slope -= result.bracket;
  }
};

}}}  // namespace corio::algorithm
