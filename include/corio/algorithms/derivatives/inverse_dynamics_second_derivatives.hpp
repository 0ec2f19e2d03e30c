#pragma once

#include <optional>

#include "corio/algorithms/derivatives/inverse_dynamics_hessian.hpp"
#include "corio/kernels/model_tensor.hpp"
#include "corio/kernels/second_derivative_slices.hpp"

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
  explicit InverseDynamicsSecondDerivatives(const Model<S>& m)
      : d2tau_dqdq(m.nv()), d2tau_dvdq(m.nv()), d2tau_dvdv(m.nv()), dM_dq(m.nv()), model_(m, "second derivatives") {}

  /// @throws SizeError or StateError for those of another model, or if any of them was moved from or resized
  void check_fits(const Model<S>& model) const {
    for (const Tensor3<S>* T : {&d2tau_dqdq, &d2tau_dvdq, &d2tau_dvdv, &dM_dq}) model_.check_fits(model, T->size());
  }

 private:
  detail::ModelOfTensor model_;
};

namespace algorithm {

template <class S>
struct inverse_dynamics_second_derivatives {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "inverse_dynamics_second_derivatives"};
  detail::SliceLayout<S> layout;
  typename detail::SecondDerivativeSlice<S>::Columns columns;
  PerNode<Force<S>> force;
  std::optional<inverse_dynamics_hessian<S>> of_page;  // where columns move in their bodies
  VectorX<S> unit;

  explicit inverse_dynamics_second_derivatives(const Model<S>& m) : layout(m), columns(m.nv()), force(m.num_nodes()) {
    if (m.num_partials() > 0) of_page.emplace(m), unit = zeros<S>(m.nv());
  }
  void run(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivatives<S>& out, ExternalForces<S> external);

 private:
  void write_hessians(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivatives<S>& out,
                      ExternalForces<S> external);
};
/// Page i is the Hessian of lambda^T tau at lambda = e_i.
template <class S>
void inverse_dynamics_second_derivatives<S>::write_hessians(const Model<S>& model, Data<S>& data,
                                                            InverseDynamicsSecondDerivatives<S>& out,
                                                            ExternalForces<S> external) {
  for (int i = 0; i < model.nv(); ++i) {
    unit[i] = S(1);
    of_page->differentiate(model, data, {data.acceleration, data.dv, force}, unit, external);
    unit[i] = S(0);
    const InverseDynamicsHessian<S>& H = of_page->result;
    out.d2tau_dqdq.page(i) = H.qq, out.d2tau_dvdq.page(i) = H.vq;
    out.d2tau_dvdv.page(i) = H.vv, out.dM_dq.page(i) = H.aq;
  }
}
template <class S>
void inverse_dynamics_second_derivatives<S>::run(const Model<S>& model, Data<S>& data,
                                                 InverseDynamicsSecondDerivatives<S>& out, ExternalForces<S> external) {
  using N = detail::Pack<S>;
  detail::require_dual_forms(model, data, requires_pass.name);
  detail::body_forces(model, data, data.acceleration, external, force);
  detail::add_to_parents(model, force);
  if (of_page) return write_hessians(model, data, out, external);
  detail::derivative_columns(model, data, {data.acceleration, data.dv, force}, columns);
  detail::for_dof_packs(model, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    auto& column = columns[k];
    const Motion<N> phi = at.of_dofs(data.phi), psi = column.psi.template motion<N>(k);
    const auto I = at.placed(data, data.composite_inertia);
    const auto B = at.placed(data, data.composite_coriolis);
    column.B.set(k, detail::body_coriolis(Motion<N>(phi + phi), I));
    column.A.set(k, detail::transported(phi, B + B) + detail::body_coriolis(Motion<N>(psi + psi), I));
  });
  for (int i = 0; i < model.nv(); ++i) detail::SecondDerivativeSlice<S>(model, layout, columns, out, i).write();
  detail::add_fixed_axes_second_derivatives(model, data, external, out.d2tau_dqdq);
}

}  // namespace algorithm

/// All second derivatives of rnea(q, v, a) in closed form. Entries for unrelated degrees of freedom are zero, for
/// finite arguments.
///
/// @param external  wrenches on bodies, held as inverse_dynamics_derivatives says
/// @param out       of this model
/// @throws SizeError or StateError for wrong sizes; ModelError for users' joints whose axes move and that have no dual
/// form. O(n d^2) beside the zeros; O(n^2 d) for a model that has joints whose axes move in the body, as n Hessians.
/// Source: the formulas of Singh, Russell and Wensing (2022) derived once more, in the 12 numbers of BodyCoriolis.
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivatives<S>& out,
                                         ExternalForces<S> external = {}) {
  using Algorithm = algorithm::inverse_dynamics_second_derivatives<S>;
  data.require(model, Algorithm::requires_pass.pass, Algorithm::requires_pass.name);
  out.check_fits(model);
  data.template of<Algorithm>(model).run(model, data, out, external);
}
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, InverseDynamicsSecondDerivatives<S>& out,
                                         ExternalForces<S> external = {}) {
  out.check_fits(model);
  inverse_dynamics_second_derivatives(model, forward_kinematics(model, data, q, v, a), out, external);
}

}  // namespace corio
