#pragma once

#include "corio/algorithms/geometry/packed_christoffel_symbols.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct ChristoffelSymbols;

}  // namespace algorithm

/// Christoffel symbols of the first kind of the mass matrix, the last index being the direction: C(i,j) = sum_k
/// Gamma(i,j,k) v_k. If v is not a rate of coordinates, as for spherical joints and floating bases, they belong to the
/// fields E_k of unit speed v_k,
///   Gamma(i,j,k) = E_i^T M (nabla_{E_k} E_j).
/// With the operators B_k = B(Phi_k, I^C_k) of the composite inertias,
///   F = B_k Phi_j,   n = B_k^T Phi_j,   Gamma(i,k,j) = Phi_i . F,   Gamma(j,k,i) = -Gamma(k,j,i) = Phi_i . n
/// for i at or above j, j at or above k. Columns j of the joint of k that change in their body by D_k S_j add
/// Phi_i . I^C D_k S_j to Gamma(i,j,k). Armature does not enter.
///
/// Symbols of a mechanism with closed loops: mechanism/derivatives.hpp.
///
/// @param Gamma  made for this robot; a PackedChristoffelTensor (models only) is filled three times as fast. O(n d^2)
/// @throws SizeError, StateError for a tensor of another model.
/// In plain form, for revolute joints: guide/plain_forms.md.
/// Source: Echeandia and Wensing (2021), Algorithm 2; for generalized speeds the authors' extension to joints with
/// several degrees of freedom, with B as in spatial/body_coriolis.hpp.
template <class S, template <class> class Robot>
void christoffel_symbols(const Robot<S>& robot, DataOf<Robot<S>>& data, ChristoffelTensor<S>& Gamma) {
  Gamma.check_fits(robot);
  data.template run<algorithm::ChristoffelSymbols<S>>(robot, Gamma);
}
template <class S, template <class> class Robot>
void christoffel_symbols(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, ChristoffelTensor<S>& Gamma) {
  Gamma.check_fits(robot);
  christoffel_symbols(robot, forward_kinematics(robot, data, q, __func__), Gamma);
}

namespace detail {

/// Calls f(i, j, k, Gamma(i,k,j), Gamma(j,k,i), i_above, j_above) once for each k, j, i with the joint of j at or above
/// the joint of k, and the joint of i at or above the joint of j. i_above is true if i and j are of different joints,
/// j_above is true if j and k are of different joints.
template <class S, class Function>
CORIO_FLATTEN void for_symbols(const Model<S>& model, Data<S>& data, Function&& f) {
  compute_composite_inertias(model, data);
  const auto& phi = data.phi;
  for (int k = model.nv() - 1; k >= 0; --k) {
    const Node<S>* node = &model.node(model.node_of(k));  // then the node of j
    const int first_k = node->v_begin;
    const BodyCoriolis<S> B_k = body_coriolis(phi[k], at_node(data, data.composite_inertia, model.node_of(k)));
    for (int j = node->v_end - 1; j >= 0; j = model.parent_dof(j)) {
      if (j < node->v_begin) node = &model.node(node->parent);
      const Force<S> F = B_k * phi[j];
      const Couple<S> n = j == k ? Couple<S>::zero() : B_k.transpose_times(phi[j]);  // B(V, I)^T V = 0, exactly
      for (int i = node->v_end - 1; i >= 0; i = model.parent_dof(i))
        f(i, j, k, dot(phi[i], F), dot(phi[i], n), i < node->v_begin, j < first_k);
    }
  }
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ChristoffelSymbols {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "christoffel_symbols"};

  explicit ChristoffelSymbols(const Model<S>&) {}
  void run(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& result);
};
template <class S>
void ChristoffelSymbols<S>::run(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& result) {
  Tensor3<S>& Gamma = result.tensor();
  const auto write = [&](int i, int j, int k, const S& Gamma_ikj, const S& Gamma_jki, bool i_above, bool j_above) {
    Gamma(i, k, j) = Gamma_ikj;
    Gamma(j, k, i) = Gamma_jki;
    Gamma(k, j, i) = -Gamma_jki;
    // Gamma(., a, b) = Gamma(., b, a) for a and b of different joints, which commute.
    if (j_above) Gamma(i, j, k) = Gamma_ikj;
    if (i_above || j_above) Gamma(j, i, k) = Gamma_jki;
    if (i_above) Gamma(k, i, j) = -Gamma_jki;
  };
  detail::for_symbols(model, data, write);
  detail::for_column_partials(model, data, [&](int k, int j, const Motion<S>& s) {
    detail::for_related(model, k, [&](int i, int c) {
      Gamma(i, j, k) += dot(data.phi[i], detail::at_node(data, data.composite_inertia, c) * s);
    });
  });
}

}  // namespace algorithm

}}  // namespace corio
