#pragma once

#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/dynamics/centroidal.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of centroidal_momentum_derivatives, each 6 x nv; A is the centroidal momentum matrix, dh/dv = dhdot/da.
template <class S>
struct CentroidalMomentumDerivativesResult {
  Matrix6X<S> dh_dq, dhdot_dq, dhdot_dv, A;
};

namespace algorithm {

template <class S>
struct CentroidalMomentumDerivatives;

}  // namespace algorithm

/// Computes derivatives of centroidal_momentum h(q, v) and of its rate centroidal_momentum_dot, hdot(q, v, a), in world
/// axes about the centre of mass: as q moves along each degree of freedom at constant v and a, and with respect to v.
/// With the momentum h^C and its rate F^C of the subtree of k, both without gravity, about the tree's origin, and the
/// centre of mass c,
///   dh/dq_k = Phi_k x* h^C + I^C psi_k,   dhdot/dq_k = Phi_k x* F^C + I^C psi_a_k + 2 B^C psi_k,
///   dhdot/dv_k = I^C chi_k + 2 B^C Phi_k,
/// all moved to c. As c moves too, the moments of the first two lose dc/dq_k x f, where f is their total force part.
///
/// @param a  nv, rate of v
/// @returns {dh_dq, dhdot_dq, dhdot_dv, A}, each 6 x nv, [angular; linear]; valid until the next call. For a Mechanism
/// (mechanism/derivatives.hpp) the derivatives are along motions that keep its loops closed, and with respect to y.
/// @throws SizeError, ModelError for a model without mass, and for users' joints whose axes move and that have no dual
/// form. O(n).
/// Source: Singh, Russell and Wensing (2022), eq. 30: columns F1 and F2 of their derivatives of inverse dynamics.
template <class S, template <class> class Robot>
const CentroidalMomentumDerivativesResult<S>& centroidal_momentum_derivatives(const Robot<S>& robot,
                                                                              DataOf<Robot<S>>& data) {
  return data.template run<algorithm::CentroidalMomentumDerivatives<S>>(robot).result;
}
template <class S, template <class> class Robot>
const CentroidalMomentumDerivativesResult<S>& centroidal_momentum_derivatives(const Robot<S>& robot,
                                                                              DataOf<Robot<S>>& data, VectorIn<S> q,
                                                                              VectorIn<S> v, VectorIn<S> a) {
  return centroidal_momentum_derivatives(robot, forward_kinematics(robot, data, q, v, a, __func__));
}

namespace algorithm {

template <class S>
struct CentroidalMomentumDerivatives {
  static constexpr detail::Needs needs{
      .pass = Pass::acceleration, .name = "centroidal_momentum_derivatives", .column_rates = true};
  CentroidalMomentumDerivativesResult<S> result;
  PerNode<Force<S>> momentum, rate;  // momentum of each subtree about the origin of the tree, and its rate

  explicit CentroidalMomentumDerivatives(const Model<S>& m) : momentum(m.num_nodes()), rate(m.num_nodes()) {
    for (auto* x : {&result.dh_dq, &result.dhdot_dq, &result.dhdot_dv, &result.A}) x->setZero(6, m.nv());
  }
  void run(const Model<S>& model, Data<S>& data);
};
template <class S>
void CentroidalMomentumDerivatives<S>::run(const Model<S>& model, Data<S>& data) {
  detail::compute_composite_inertias(model, data);
  detail::compute_composite_coriolis(model, data);
  const auto all = detail::total_mass(model, data, needs.name);
  detail::sum_momenta(model, data, momentum, rate);
  Vector3<S> f = zero3<S>(), f_dot = f;  // sums over the whole robot
  for (int b = 0; b < model.num_nodes(); ++b)
    if (model.node(b).parent < 0) f += momentum[b].force, f_dot += rate[b].force;

  detail::for_dofs(model, data, [&](const auto& k) {
    const auto phi = k.phi();
    const auto x = detail::variation(model, data, k, phi, data.acceleration, data.a, zero3<S>());
    const auto I_C = k.composite_inertia();
    const auto B = k.composite_coriolis(), twice = B + B;
    const auto A = I_C * phi;
    const auto com = k.constant(all.reciprocal) * A.force;  // dc/dq_k
    const auto write = [&](const auto& F, Matrix6X<S>& out) {
      k.template set_columns<Force>(out.data(), detail::about_com(data, all.com, k, F));
    };
    const auto write_moved = [&](auto F, const Vector3<S>& total, Matrix6X<S>& out) {
      F.moment -= cross(com, k.constant(total));  // the moment of the whole robot about the moving centre of mass
      write(F, out);
    };
    write_moved(cross(phi, k.entry(momentum)) + I_C * x.psi, f, result.dh_dq);
    write_moved(cross(phi, k.entry(rate)) + I_C * x.psi_a + twice * x.psi, f_dot, result.dhdot_dq);
    write(I_C * x.chi + twice * phi, result.dhdot_dv);
    write(A, result.A);
  });
}

}  // namespace algorithm

}}  // namespace corio
