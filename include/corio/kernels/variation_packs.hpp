#pragma once

#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kinematics/variations.hpp"

/// Variations and rates of kinematics/variations.hpp for packs of degrees of freedom.
namespace corio::inline CORIO_ABI::detail {

/// x with change(x_k, k) for those degrees of freedom k whose columns move in the body.
template <template <class> class T, class S, class F>
CORIO_INLINE void change_moving(const Model<S>& model, const LanesOfDofs<S>& at, T<Lanes<S>>& x, F&& change) {
  if (model.num_partials() == 0) return;
  for (int l = 0; l < LanesOfDofs<S>::width; ++l)
    if (const int k = (std::min)(at.first() + l, model.nv() - 1); columns_move(model, k)) {
      T<S> of_k = lane(x, l);
      change(of_k, k);
      set_lane(x, l, of_k);
    }
}

/// psi alone, of the motions V of the nodes that go with speeds x.
template <class S, class Vector>
CORIO_INLINE Motion<Lanes<S>> motion_variation(const Model<S>& model, const Data<S>& data, const LanesOfDofs<S>& at,
                                               const Motion<Lanes<S>>& phi, const PerNode<Motion<S>>& V,
                                               const Vector& x) {
  Motion<Lanes<S>> psi = cross(at.of_parents(V), phi);
  change_moving(model, at, psi, [&](Motion<S>& of_k, int k) { of_k += moving_axes_term(model, data, k, x); });
  return psi;
}

/// For accelerations without gravity.
template <class S>
CORIO_INLINE Variation<Lanes<S>> variation(const Model<S>& model, const Data<S>& data, const LanesOfDofs<S>& at,
                                           const Motion<Lanes<S>>& phi, const PerNode<Motion<S>>& acceleration,
                                           const VectorX<S>& a) {
  using N = Lanes<S>;
  const Motion<N> g{zero3<N>(), broadcast<N>(model.gravity())};
  Variation<N> x = variation(phi, at(data.phi_dot), at.of_parents(data.velocity), at.of_parents(acceleration) - g);
  change_moving(model, at, x, [&](Variation<S>& of_k, int k) {
    const Variation<S> more = moving_axes_variation(model, data, a, k);
    of_k.psi += more.psi, of_k.psi_dot += more.psi_dot, of_k.chi += more.chi;
  });
  return x;
}

template <class S>
CORIO_INLINE Motion<Lanes<S>> column_second_rate(const Model<S>& model, const Data<S>& data, const LanesOfDofs<S>& at,
                                                 const Motion<Lanes<S>>& phi, const Motion<Lanes<S>>& phi_dot) {
  Motion<Lanes<S>> x = cross(at(data.acceleration), phi) + cross(at(data.velocity), phi_dot);
  change_moving(model, at, x, [&](Motion<S>& of_k, int k) { of_k = column_second_rate(model, data, k); });
  return x;
}

}  // namespace corio::detail
