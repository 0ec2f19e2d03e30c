#pragma once

#include "corio/algorithms/regressors/detail/regressor_terms.hpp"
#include "corio/algorithms/regressors/parameter_derivatives.hpp"

namespace corio { inline namespace CORIO_ABI {

/// slotine_li_regressor (regressors.hpp) for another C: Y(q, v, v_r, a_r) pi = M a_r + C(q, v) v_r + g without
/// armature, with the C of coriolis_matrix for the factorization B. For v_r = v it is inverse_dynamics_regressor, for
/// every valid B. Column h of a body is the generalized force of the inertia I_h whose parameter h is 1, all others 0:
///   Y(k,h) = Phi_k . (I_h (dW - g) + B(V, I_h) W),   W = sum Phi v_r,   dW = sum Phi a_r + dPhi v_r.
///
/// @param v_r, a_r  nv, reference velocity and acceleration
/// @param Y         out, nv x 10 for each body
/// @param bodies    the bodies of the columns, {} for all
/// @param B         the factorization; for Christoffel's use the faster function of regressors.hpp
/// @throws SizeError; ModelError for a selection from another model. O(n depth) for n bodies.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), eqs. 15-16.
template <class Factorization, class S, template <class> class Robot>
void slotine_li_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> v_r, VectorIn<S> a_r,
                          MatrixOut<S> Y, const BodySelection& bodies, const Factorization& B) {
  constexpr const char* name = "slotine_li_regressor";
  data.require(robot, Pass::velocity, name);
  detail::check_regressor<S>(robot, bodies, Y, name);
  auto& reference = data.template of<detail::ReferenceMotions<S>>(robot);
  reference.run(robot, data, v_r, a_r, name);
  const Model<S>& model = robot.tree();
  const Data<S>& state = data.of_tree();
  const Motion<S> g{zero3<S>(), model.gravity()};
  Y.set_zero();
  for (int i = 0; i < bodies.size(model); ++i) {
    const Body<S>& body = model.bodies()[static_cast<std::size_t>(bodies[i])];
    const int b = body.node();
    for (int h = 0; h < 10; ++h) {
      const Inertia<S> I_b = detail::unit_inertia(state, body, static_cast<InertialParameter>(h));
      const Force<S> force =
          I_b * (reference.dW[b] - g) + detail::body_operator(B, state.velocity[b], I_b) * reference.W[b];
      for (int k = model.node(b).v_end - 1; k >= 0; k = model.parent_dof(k))
        for_each_speed(robot, data, k,
                       [&, tau = dot(state.phi[k], force)](int c, const S& dv) { Y(c, 10 * i + h) += dv * tau; });
    }
  }
}
template <class Factorization, class S, template <class> class Robot>
void slotine_li_regressor(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> v_r,
                          VectorIn<S> a_r, MatrixOut<S> Y, const BodySelection& bodies, const Factorization& B) {
  detail::check_regressor<S>(robot, bodies, Y);
  detail::check_references(robot, v_r, a_r);
  slotine_li_regressor(robot, forward_kinematics(robot, data, q, v, __func__), v_r, a_r, Y, bodies, B);
}

}}  // namespace corio
