#pragma once

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct CoriolisMatrixByDifferentiation;

}  // namespace algorithm

/// Computes the Christoffel-consistent Coriolis matrix by differentiation of the bias b(v) = C(v) v:
///   C = (db/dv + M ad_v) / 2,   ad_v(l,j) = sum_a c(l,a,j) v_a,
/// with the structure constants c of the velocities: ad_v w are the components of the bracket [v, w], zero if the
/// motions of each joint commute. Here M excludes armature. This is a slow check of coriolis_matrix that shares only
/// the kinematics pass with it. The derivative is half the difference of b(v + e_j) and b(v - e_j), which is exact
/// because b is quadratic in v.
///
/// @param C  resized to nv x nv if its size differs, which allocates
/// @throws SizeError. O(n^2), no further allocation.
/// Source: Echeandia and Wensing (2021), eq. 28; Wensing and Slotine (2023), eqs. 27-30, for the correction.
template <class S>
void coriolis_matrix_by_differentiation(const Model<S>& model, Data<S>& data, MatrixX<S>& C) {
  data.template run<algorithm::CoriolisMatrixByDifferentiation<S>>(model, C);
}
template <class S>
void coriolis_matrix_by_differentiation(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                        MatrixX<S>& C) {
  coriolis_matrix_by_differentiation(model, forward_kinematics(model, data, q, v, __func__), C);
}

namespace algorithm {

template <class S>
struct CoriolisMatrixByDifferentiation {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "coriolis_matrix_by_differentiation"};
  Data<S> inner;  // holds the state at changed velocities
  VectorX<S> v;

  explicit CoriolisMatrixByDifferentiation(const Model<S>& m) : inner(m), v(zeros<S>(m.nv())) {
    reserve<NonlinearEffects, Crba>(m, inner);
  }
  void run(const Model<S>& model, const Data<S>& data, MatrixX<S>& C);
};
template <class S>
void CoriolisMatrixByDifferentiation<S>::run(const Model<S>& model, const Data<S>& data, MatrixX<S>& C) {
  C.resize(model.nv(), model.nv());
  v = data.v;
  for (int j = 0; j < model.nv(); ++j) {
    v[j] = data.v[j] + S(1);
    C.col(j) = corio::nonlinear_effects(model, inner, data.q, v);
    v[j] = data.v[j] - S(1);
    C.col(j) -= corio::nonlinear_effects(model, inner, data.q, v);
    C.col(j) /= S(2);  // the two velocities differ by 2 e_j
    v[j] = data.v[j];
  }
  if (model.nv() == 0) return;
  const MatrixX<S>& M = corio::crba(model, inner);
  detail::for_each_structure_constant(model, data, [&](int l, int a, int j, const S& c) {
    for (int i = 0; i < model.nv(); ++i) C(i, j) += (i == l ? M(i, l) - model.armature()[l] : M(i, l)) * c * v[a];
  });
  C /= S(2);
}

}  // namespace algorithm

}}  // namespace corio
