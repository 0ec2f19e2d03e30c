#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kinematics/composites.hpp"

namespace corio::detail {

/// dI/dt = B + B^T of a body, or of a composite, by its operator B(V, I): the pseudo-inertia changes by N + N^T.
template <class S>
CORIO_INLINE Inertia<S> inertia_rate(const BodyCoriolis<S>& B) {
  return {S(0), B.f, plus_transpose(B.P)};
}

/// dB/dt = B(a, I) + B(V, dI/dt) of every node, summed over subtrees: B is linear in both and, in world axes about a
/// fixed point, changes with nothing else.
template <class S, class F, class Operator>
void composite_rates(const Model<S>& model, Data<S>& data, const F& B, PerNode<Operator>& rates) {
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto I = placed(data, data.inertia, b);
    const Motion<S> V = I.here(data.velocity[b]);
    rates[b] = body_operator(B, I.here(data.acceleration[b]), I.own);
    rates[b] += body_operator(B, V, inertia_rate(BodyCoriolis<S>::from(V, I.own)));
  }
  sum_inward(model, data, rates);
}
template <class S>
void composite_rates(const Model<S>& model, Data<S>& data, const factorization::Christoffel&,
                     PerNode<BodyCoriolis<S>>& rates) {
  sum_composites(model, data, rates, [&](int b) CORIO_INLINE_LAMBDA {
    const auto origin = load(data.pose[b].translation);
    const auto V = about(load(data.velocity[b]), origin), a = about(load(data.acceleration[b]), origin);
    const auto I = load(data.inertia[b]);
    using B = BodyCoriolis<RegisterNumber<S>>;
    return B::from(a, I) + B::from(V, inertia_rate(B::from(V, I)));
  });
}

}  // namespace corio::detail
