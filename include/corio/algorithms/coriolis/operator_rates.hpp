#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kinematics/composites.hpp"

namespace corio::detail {

/// dI/dt = B + B^T of a body, or of a composite, by its operator B(V, I): the pseudo-inertia changes by N + N^T.
template <class S>
CORIO_INLINE Inertia<S> inertia_rate(const BodyCoriolis<S>& B) {
  const Matrix3<S>& P = B.P;
  return {S(0),
          B.f,
          {P(0, 0) + P(0, 0), P(1, 1) + P(1, 1), P(2, 2) + P(2, 2), P(0, 1) + P(1, 0), P(0, 2) + P(2, 0),
           P(1, 2) + P(2, 1)}};
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
  sum_vec4(model, data, &Vec4Sums<S>::coriolis, rates, [&](int b, const auto& state) CORIO_INLINE_LAMBDA {
    using B = Vec4Coriolis<S>;
    const auto I = Vec4Inertia<S>::load(data.inertia[b]);
    const auto V = about(Vec4Motion<S>::load(data.velocity[b]), state.pose.p);
    return B::from(about(Vec4Motion<S>::load(data.acceleration[b]), state.pose.p), I) +
           B::from(V, B::from(V, I).inertia_rate());
  });
}

}  // namespace corio::detail
