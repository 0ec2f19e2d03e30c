#pragma once

#include "corio/kinematics/composites.hpp"
#include "corio/columns/gather.hpp"

/// What degree of freedom k moves has the momentum A_k = I^C Phi_k per unit velocity, about the origin of its tree,
/// with the rate dA_k/dt = I^C dPhi_k/dt + (B^C + B^C^T) Phi_k, since B + B^T is the rate of an inertia.
namespace corio::detail {

/// The mass, unless it is zero.
template <class S>
const S& checked_mass(const Model<S>& model, const S& mass, const char* function) {
  if (value_of(mass) == 0)
    throw ModelError(join({function, ": model '", model.name(), "' has no mass, hence no centre of mass"}));
  return mass;
}

/// A_k of neighbours, and its rate, after composite_inertias and composite_coriolis.
template <class S>
CORIO_INLINE Force<Pack<S>> momentum(const Data<S>& data, const Neighbours<S>& at) {
  return at.of_nodes(data.composite_inertia) * at.of_dofs(data.phi);
}
template <class S>
CORIO_INLINE Force<Pack<S>> momentum_rate(const Data<S>& data, const Neighbours<S>& at) {
  const auto B = at.of_nodes(data.composite_coriolis);
  const auto phi = at.of_dofs(data.phi);
  Force<Pack<S>> rate = at.of_nodes(data.composite_inertia) * at.of_dofs(data.phi_dot) + B * phi;
  rate.moment += B.transpose_moment(phi);
  return rate;
}

/// Three rows of the first columns from `to` on, lane by lane.
template <class S, class N>
CORIO_INLINE void store_columns(const Vector3<N>& x, S* to, int stride, int lanes) {
  for (int l = 0; l < lanes; ++l)
    for (int r = 0; r < 3; ++r) to[l * stride + r] = Block<S>::get(block_of(x[r]), l);
}

/// f(b) for the root of each tree in the model.
template <class S, class F>
CORIO_INLINE void for_roots(const Model<S>& model, F&& f) {
  for (std::size_t b = 0; b < model.nodes().size(); ++b)
    if (model.nodes()[b].parent < 0) f(b);
}

/// Reciprocal mass of all that moves, after composite_inertias.
template <class S>
S reciprocal_mass(const Model<S>& model, const Data<S>& data, const char* function) {
  S mass(0);
  for_roots(model, [&](std::size_t b) { mass += data.composite_inertia[b].mass; });
  return S(1) / checked_mass(model, mass, function);
}

/// J_com and its rate, 3 x nv numbers column by column.
template <class S>
void fill_com_jacobian(const Model<S>& model, Data<S>& data, const char* function, S* J) {
  composite_inertias(model, data);
  const Pack<S> reciprocal(reciprocal_mass(model, data, function));
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    store_columns(reciprocal * momentum(data, at).force, J + 3 * k, 3, std::min(at.width, model.nv() - k));
  });
}
template <class S>
void fill_com_jacobian_dot(const Model<S>& model, Data<S>& data, const char* function, S* J_dot) {
  composite_inertias(model, data);
  composite_coriolis(model, data);
  const Pack<S> reciprocal(reciprocal_mass(model, data, function));
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    store_columns(reciprocal * momentum_rate(data, at).force, J_dot + 3 * k, 3, std::min(at.width, model.nv() - k));
  });
}

}  // namespace corio::detail
