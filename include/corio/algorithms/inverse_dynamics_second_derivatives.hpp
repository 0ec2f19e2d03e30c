#pragma once

#include "corio/algorithms/christoffel_tensor.hpp"
#include "corio/algorithms/external_force_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/columns/second_derivative_pages.hpp"

namespace corio {

/// Second derivatives of the inverse dynamics, with D_j the derivative along degree of freedom j as in
/// inverse_dynamics_derivatives:
///   d2tau_dqdq(i,j,l) = D_l D_j tau_i,     d2tau_dvdq(i,j,l) = D_l dtau_i/dv_j,
///   d2tau_dvdv(i,j,l) = d2tau_i/dv_j dv_l, dM_dq(i,j,l) = D_l M(i,j) = D_l dtau_i/da_j.
/// D_l D_j and D_j D_l differ by the bracket of the two: in j and l of one joint whose motions do not commute.
template <class S>
class InverseDynamicsSecondDerivatives {
 public:
  Tensor3<S> d2tau_dqdq, d2tau_dvdq, d2tau_dvdv, dM_dq;

  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit InverseDynamicsSecondDerivatives(const Model<S>& model);

  /// @throws SizeError or StateError for those of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), dM_dq.size(), model.name(),
                            "second derivatives");
  }

 private:
  friend detail::Access;

  detail::SecondDerivativeColumns<S> columns_;  // of the algorithm
  std::uint64_t tree_stamp_;
};

template <class S>
InverseDynamicsSecondDerivatives<S>::InverseDynamicsSecondDerivatives(const Model<S>& model)
    : d2tau_dqdq(model.nv()),
      d2tau_dvdq(model.nv()),
      d2tau_dvdv(model.nv()),
      dM_dq(model.nv()),
      columns_(model),
      tree_stamp_(model.tree_stamp()) {}

namespace detail {

template <class S>
void second_derivative_columns(const Model<S>& model, Data<S>& data, SecondDerivativeColumns<S>& out) {
  using N = Pack<S>;
  derivative_columns(model, data);
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = at.of_dofs(data.phi), psi = data.work.columns(k).psi.template motion<N>(k);
    const Inertia<N> I = at.of_nodes(data.composite_inertia);
    const BodyCoriolis<N> B = at.of_nodes(data.composite_coriolis);
    auto& operators = out.operators[static_cast<std::size_t>(k / tile_side<S>)];
    operators.set(operators.B, k, BodyCoriolis<N>::from(phi + phi, I));
    operators.set(operators.A, k, transported(phi, B + B) + BodyCoriolis<N>::from(psi + psi, I));
  });
}

}  // namespace detail

/// All second derivatives of rnea(q, v, a) in closed form, for the joints that corio has (users' joints with axes that
/// move in the body are refused). Entries for unrelated degrees of freedom are zero,
/// for finite arguments.
///
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @param out       of this model
/// @throws SizeError or StateError for wrong sizes, ModelError. O(n d^2) beside the zeros, no allocation.
/// Source: the formulas of Singh, Russell and Wensing (2022) derived once more, in the 12 numbers of BodyCoriolis.
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, InverseDynamicsSecondDerivatives<S>& out,
                                         ExternalForces<S> external = {}) {
  out.check_fits(model);
  forward_kinematics(model, data, q, v, a);
  inverse_dynamics_second_derivatives(model, data, out, external);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivatives<S>& out,
                                         ExternalForces<S> external = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_second_derivatives");
  out.check_fits(model);
  detail::require_fixed_columns(model, "inverse_dynamics_second_derivatives");
  detail::derivative_composites(model, data, external);
  detail::second_derivative_columns(model, data, detail::Access::columns(out));
  for (int i = 0; i < model.nv(); ++i) detail::SecondDerivativePage<S>(model, data, out, i).write();
  detail::add_fixed_axes_second_derivatives(model, data, external, out.d2tau_dqdq);
}

}  // namespace corio
