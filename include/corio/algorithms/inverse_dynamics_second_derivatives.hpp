#pragma once

#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"

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
  explicit InverseDynamicsSecondDerivatives(const Model<S>& model)
      : d2tau_dqdq(model.nv()),
        d2tau_dvdq(model.nv()),
        d2tau_dvdv(model.nv()),
        dM_dq(model.nv()),
        christoffel(model),
        columns(static_cast<std::size_t>(model.nv())) {}

  // Of the algorithm: what there is per degree of freedom, with the operators (P, f) of B(Phi, I^C) and of the change
  // of B^C along it.
  struct Column {
    int cell_begin, cell_end, subtree_end;
    Motion<S> phi, psi, psi_dot, chi;
    Force<S> F1, F2, F3;
    Vector3<S> F4;
    BodyCoriolis<S> B, A;
  };
  ChristoffelTensor<S> christoffel;
  std::vector<Column> columns;
};

namespace detail {

/// (V x*) B - B (V x).
template <class S>
BodyCoriolis<S> transported(const Motion<S>& V, const BodyCoriolis<S>& B) {
  const Vector3<S>&w = V.angular, &v = V.linear;
  Matrix3<S> P = skew(w) * B.P;
  const Matrix3<S> Pw = B.P * skew(w);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) P(r, c) += B.f[r] * v[c] - Pw(r, c);
  return {P, cross(w, B.f)};
}
/// (B + B^T) x: for B = B(Phi, I) the change of I along Phi, applied to x.
template <class S>
Force<S> symmetric_times(const BodyCoriolis<S>& B, const Motion<S>& x) {
  Force<S> F = B * x;
  F.moment += B.transpose_moment(x);
  return F;
}

template <class S>
void second_derivative_columns(const Model<S>& model, Data<S>& data, InverseDynamicsSecondDerivatives<S>& out) {
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    const Inertia<S>& I = data.composite_inertia[b];
    const BodyCoriolis<S>& B = data.composite_coriolis[b];
    const Carrier<S> carrier = detail::carrier(model, data, node);
    for (int j = node.v_begin; j < node.v_end; ++j) {
      const Motion<S>& phi = data.phi[static_cast<std::size_t>(j)];
      const auto [psi, psi_dot, chi] = variation(data, b, node, carrier, j);
      const Force<S> F1 = cross(phi, data.work.force[b]) + I * psi_dot + S(2) * (B * psi);
      const Force<S> F2 = I * chi + S(2) * (B * phi);
      out.columns[static_cast<std::size_t>(j)] = {node.v_begin,
                                                  node.v_end,
                                                  node.subtree_v_end,
                                                  phi,
                                                  psi,
                                                  psi_dot,
                                                  chi,
                                                  F1,
                                                  F2,
                                                  I * phi,
                                                  S(2) * B.transpose_moment(phi),
                                                  BodyCoriolis<S>::from(phi, I),
                                                  transported(phi, B) + BodyCoriolis<S>::from(psi, I)};
    }
  }
}

}  // namespace detail

/// All second derivatives of rnea(q, v, a) in closed form, for the joints that corio has (users' joints with axes that
/// move in the body are refused). Entries for unrelated degrees of freedom are zero.
///
/// @param out  of this model
/// @throws SizeError for wrong sizes, ModelError. O(n d^2) beside the zeros, no allocation.
/// Source: the formulas of Singh, Russell and Wensing (2022) derived once more, in the 12 numbers of BodyCoriolis.
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                         VectorIn<S> a, InverseDynamicsSecondDerivatives<S>& out) {
  out.christoffel.check_fits(model);
  forward_kinematics(model, data, q, v, a);
  inverse_dynamics_second_derivatives(model, data, out);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
void inverse_dynamics_second_derivatives(const Model<S>& model, Data<S>& data,
                                         InverseDynamicsSecondDerivatives<S>& out) {
  data.require(model, Pass::acceleration, "inverse_dynamics_second_derivatives");
  out.christoffel.check_fits(model);
  detail::require_fixed_columns(model, "inverse_dynamics_second_derivatives");
  const int n = model.nv();
  christoffel_symbols(model, data, out.christoffel);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        out.d2tau_dvdv(i, k, j) = out.christoffel(i, k, j) + out.christoffel(i, j, k);
        out.dM_dq(i, k, j) = out.christoffel(i, k, j) + out.christoffel(k, i, j);
      }

  detail::composite_coriolis(model, data);
  detail::body_forces(model, data, ExternalForces<S>{});
  detail::add_to_parents(model, data.work.force);
  detail::second_derivative_columns(model, data, out);
  const auto column = [&out](int k) -> const auto& { return out.columns[static_cast<std::size_t>(k)]; };
  Tensor3<S>&X = out.d2tau_dvdq, &Y = out.d2tau_dqdq;

  // Pairs d, a of degrees of freedom, the joint of a at or above that of d.
  for (int d = 0; d < n; ++d) {
    const auto& D = column(d);
    for (int a = D.cell_end - 1; a >= 0; a = model.dof_parent(a)) {
      const auto& A = column(a);
      const bool one_joint = A.cell_begin == D.cell_begin;
      const Force<S> transport_F1 = cross(A.phi, D.F1), transport_F2 = cross(A.phi, D.F2);
      const Force<S> r = detail::symmetric_times(D.B, A.psi_dot) + S(2) * (D.A * A.psi);
      const Force<S> s = S(2) * (D.B * A.psi);
      const Force<S> t = detail::symmetric_times(D.B, A.chi) + S(2) * (D.A * A.phi);

      // i strictly above d.
      for (int i = model.dof_parent(D.cell_begin); i >= 0; i = model.dof_parent(i)) {
        const Motion<S>& phi = column(i).phi;
        const bool above_a = i < A.cell_begin;
        S y = dot(phi, r), x = dot(phi, s);
        if (above_a) y += dot(phi, transport_F1), x += dot(phi, transport_F2);
        Y(i, d, a) = y;
        X(i, d, a) = x;
        if (one_joint) continue;
        Y(i, a, d) = y;
        X(i, a, d) = dot(phi, t);
      }
      // i in the joint of d or below.
      const Motion<S> u = cross(A.psi_dot, D.phi), w = cross(A.psi, D.phi);
      const Motion<S> g = cross(D.phi, A.chi), h = cross(D.phi, A.phi);
      for (int i = D.cell_begin; i < D.subtree_end; ++i) {
        const auto& I = column(i);
        const S y = dot(u, I.F3) + dot(w.angular, I.F4) - S(2) * dot(D.psi, I.B * A.psi);
        Y(i, d, a) = y;
        X(i, d, a) = i < D.cell_end ? dot(I.phi, s) : S(-2) * dot(D.phi, I.B * A.psi);
        if (one_joint) continue;
        Y(i, a, d) = y;
        X(i, a, d) = -dot(g, I.F3) - dot(h.angular, I.F4) - S(2) * dot(D.psi, I.B * A.phi);
      }
    }
  }
}

}  // namespace corio
