#pragma once

#include <type_traits>

#include "corio/kernels/composites.hpp"
#include "corio/spatial/body_operator.hpp"
#include "corio/spatial/plain_coriolis.hpp"

/// Factorizations of the velocity-product force of one body, V x* I V = B(V, I) V. The choice of B decides which
/// Coriolis matrix C the algorithms compute. C v is the same for every B with B V = V x* I V (a valid factorization),
/// and dM/dt - 2 C is skew-symmetric if also B + B^T = (V x*) I - I (V x) (an admissible one; see admissibility.hpp).
///
/// To define your own factorization, pass any callable
///   Matrix6<S> B(const Motion<S>& V, const Inertia<S>& I),
/// linear in V and in I, called for each moving body in world axes about its origin. As that point is corio's choice, B
/// must be the same map in every frame, which products of crm, crf, crf_bar and I.matrix() are.
namespace corio { inline namespace CORIO_ABI { namespace factorization {

/// B = 1/2 [ (V x*) I + (I V xbar*) - I (V x) ], admissible. Its C is the Riemannian one: C(i,j) = sum_k Gamma(i,j,k)
/// v_k with the Christoffel symbols of the mass matrix. The default; the algorithms use its 12 numbers, BodyCoriolis.
/// Source: Niemeyer and Slotine (1991); Echeandia and Wensing (2021), eq. 10.
struct Christoffel {
  template <class S>
  Matrix6<S> operator()(const Motion<S>& V, const Inertia<S>& I_b) const {
    return BodyCoriolis<S>::from(V, I_b).matrix();
  }
};

/// B = (V x*) I, admissible; the C of Garofalo, Ott and Albu-Schaeffer (2013). Its connection has torsion for three or
/// more degrees of freedom. Source: Echeandia and Wensing (2021), eq. 9.
struct Plain {
  template <class S>
  Matrix6<S> operator()(const Motion<S>& V, const Inertia<S>& I_b) const {
    return PlainCoriolis<S>::from(V, I_b).matrix();
  }
};

}}}  // namespace corio::factorization

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Calls B(V, I); static_asserts explain a wrong signature.
template <class F, class S>
Matrix6<S> factorize(const F& B, const Motion<S>& V, const Inertia<S>& I_b) {
  constexpr bool callable = std::is_invocable_v<const F&, const Motion<S>&, const Inertia<S>&>;
  static_assert(callable,
                "a body-level factorization is called as B(const corio::Motion<S>& V, const "
                "corio::Inertia<S>& I), with the model's scalar S, on a const object");
  if constexpr (callable) {
    constexpr bool returns_matrix =
        std::is_same_v<std::invoke_result_t<const F&, decltype(V), decltype(I_b)>, Matrix6<S>>;
    static_assert(returns_matrix,
                  "a body-level factorization returns corio::Matrix6<S> by value: rows moment before "
                  "force, columns angular before linear. A lambda needs that return type written down: "
                  "an Eigen expression would refer to temporaries");
    if constexpr (returns_matrix) return B(V, I_b);
  }
}

/// The type of the operator B(V, I): BodyCoriolis (12 numbers) for Christoffel, PlainCoriolis (24) for Plain, else
/// BodyOperator (36).
template <class F, class S>
CORIO_INLINE auto body_operator(const F& B, const Motion<S>& V, const Inertia<S>& I_b) {
  if constexpr (std::is_same_v<F, factorization::Christoffel>)
    return BodyCoriolis<S>::from(V, I_b);
  else if constexpr (std::is_same_v<F, factorization::Plain>)
    return PlainCoriolis<S>::from(V, I_b);
  else
    return BodyOperator<S>{factorize(B, V, I_b)};
}

/// Returns B(V, I) of node b.
template <class F, class S>
CORIO_INLINE auto body_operator(const F& B, const Data<S>& data, int b) {
  const Vector3<S>& p = data.pose[b].translation;
  auto own = body_operator(B, about(data.velocity[b], p), data.inertia[b]);
  return AtNode<decltype(own), S>{own, p};
}

/// True if B + B^T = dI/dt is known to hold for a factorization.
template <class F>
inline constexpr bool is_admissible =
    std::is_same_v<F, factorization::Christoffel> || std::is_same_v<F, factorization::Plain>;

/// The operators B(V, I) of the bodies, summed over subtrees. Christoffel operators are part of Data, since several
/// algorithms share them; operators of another factorization belong to the algorithm that uses them.
template <class S, class F>
struct CompositeOperators {
  template <class N>
  using Operator = std::conditional_t<std::is_same_v<F, factorization::Plain>, PlainCoriolis<N>, BodyOperator<N>>;
  PerNode<Operator<S>> sums;

  explicit CompositeOperators(const Model<S>& model) : sums(model.num_nodes()) {}
  const PerNode<Operator<S>>& compute(const Model<S>& model, const Data<S>& data, const F& B) {
    for (int b = 0; b < model.num_nodes(); ++b) sums[b] = body_operator(B, data, b).own;
    sum_inward_about_nodes(model, data, sums);
    return sums;
  }
};
template <class S>
struct CompositeOperators<S, factorization::Christoffel> {
  template <class N>
  using Operator = BodyCoriolis<N>;

  explicit CompositeOperators(const Model<S>&) {}
  const PerNode<BodyCoriolis<S>>& compute(const Model<S>& model, Data<S>& data, const factorization::Christoffel&) {
    compute_composite_coriolis(model, data);
    return data.composite_coriolis;
  }
};

}}}  // namespace corio::detail
