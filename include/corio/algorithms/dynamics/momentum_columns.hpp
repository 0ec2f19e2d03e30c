#pragma once

#include "corio/kernels/gather.hpp"
#include "corio/kinematics/composites.hpp"

/// What degree of freedom k moves has the momentum A_k = I^C Phi_k per unit velocity, about the origin of its tree,
/// with the rate dA_k/dt = I^C dPhi_k/dt + (B^C + B^C^T) Phi_k, since B + B^T is the rate of an inertia.
namespace corio::detail {

/// The mass, unless it is zero.
template <class S>
const S& checked_mass(const Model<S>& model, const S& mass, const char* function) {
  if (in_any_state(real_value(mass) == 0))
    throw ModelError(join({function, ": model '", model.name(), "' has no mass, hence no centre of mass"}));
  return mass;
}

/// What all that moves has together.
template <class S>
struct TotalMass {
  S reciprocal;
  Vector3<S> com;  // from the origin of the first tree
};
/// After composite_inertias.
template <class S>
TotalMass<S> total_mass(const Model<S>& model, const Data<S>& data, const char* function) {
  S mass(0);
  Vector3<S> moment = zero3<S>();
  for (int b = 0; b < model.num_nodes(); ++b) {
    if (model.node(b).parent >= 0) continue;
    const Inertia<S>& I = data.composite_inertia[b];
    mass += I.mass;
    moment += I.h + I.mass * (data.pose[b].translation + (data.origin[b] - data.origin[0]));
  }
  const S reciprocal = S(1) / checked_mass(model, mass, function);
  return {reciprocal, reciprocal * moment};
}

/// A_k of a pack of degrees of freedom, and its rate, after composite_inertias and composite_coriolis.
template <class S>
CORIO_INLINE Force<Pack<S>> momentum(const Data<S>& data, const DofPack<S>& at) {
  return at(data.composite_inertia) * at(data.phi);
}
template <class S>
CORIO_INLINE Force<Pack<S>> momentum_rate(const Data<S>& data, const DofPack<S>& at) {
  const auto B = at(data.composite_coriolis);
  const auto phi = at(data.phi);
  return at(data.composite_inertia) * at(data.phi_dot) + B * phi + B.transpose_times(phi);
}

/// Columns k of a matrix with as many rows as T has numbers = column(pack), for all degrees of freedom.
template <template <class> class T, class S, class F>
CORIO_INLINE void fill_columns(const Model<S>& model, const Data<S>& data, S* out, F&& column) {
  T<S>* const columns = reinterpret_cast<T<S>*>(out);
  for_dof_packs(model, data, [&](int k, const DofPack<S>& at) CORIO_INLINE_LAMBDA {
    scatter<T, S>(column(at), columns + k, std::min(at.width, model.nv() - k));
  });
}

}  // namespace corio::detail
