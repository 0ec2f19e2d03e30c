#pragma once

#include "corio/algorithms/geometry/christoffel_tensor.hpp"
#include "corio/kernels/lanes_of_dofs.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::inline CORIO_ABI {
namespace algorithm {

template <class S>
struct ChristoffelSymbols {
  static constexpr detail::Needs needs{Pass::position, "christoffel_symbols"};
  template <class N>
  struct Forces {
    Force<N> F1;
    Couple<N> F2;
  };
  detail::DofArrays<S, BodyCoriolis> operators;  // B_k = B(Phi_k, I^C_k)
  std::vector<Forces<detail::Lanes<S>>> forces;  // of one j and all k of the subtree of its joint
  detail::SymbolTriples<S> triples;              // from which a dense tensor is filled

  explicit ChristoffelSymbols(const Model<S>& m)
      : operators(m.nv()), forces(static_cast<std::size_t>(m.nv() / detail::pack_width<S> + 1)), triples(m) {}
  void run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma);
  void run(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& Gamma);
  /// use(j) as soon as the symbols of j are there, then add(i, j, k, x) for what is to be added to Gamma(i,j,k).
  template <class F, class G>
  void fill(const Model<S>& model, Data<S>& data, detail::SymbolTriples<S>& out, F&& use, G&& add);

 private:
  void fill_row(const Data<S>& data, int j, detail::SymbolTriples<S>& out);
};

template <class S>
template <class F, class G>
void ChristoffelSymbols<S>::fill(const Model<S>& model, Data<S>& data, detail::SymbolTriples<S>& out, F&& use,
                                 G&& add) {
  detail::composite_inertias(model, data);
  detail::for_dof_packs(model, data, [&](int k, const auto& at) CORIO_INLINE_LAMBDA {
    operators.set(k, detail::body_coriolis(at(data.phi), at(data.composite_inertia)));
  });
  out.for_each_row(model, [&](int j) { fill_row(data, j, out), use(j); });
  detail::for_column_partials(model, data, [&](int k, int j, const Motion<S>& s) {
    detail::for_related(model, k, [&](int i, int c) {
      add(i, j, k, dot(data.phi[i], detail::at_node(data, data.composite_inertia, c) * s));
    });
  });
}

/// The symbols of j with all i at or above it and all k at or below it.
template <class S>
CORIO_NOINLINE void ChristoffelSymbols<S>::fill_row(const Data<S>& data, int j, detail::SymbolTriples<S>& out) {
  using N = detail::Lanes<S>;
  const int begin = out.dof(j).begin, end = out.dof(j).end;
  const Motion<N> phi_j = detail::broadcast<N>(data.phi[j]);
  auto* F = forces.data();
  for (int k = begin; k < end; k += N::width, ++F) {
    const BodyCoriolis<N> B = operators.pack(k);
    F->F1 = B * phi_j;
    F->F2 = B.transpose_times(phi_j);
    // B_j^T Phi_j = 0, exactly and not up to rounding.
    if (k <= j && j < k + N::width) detail::set_lane(F->F2, j - k, Couple<S>::zero());
  }
  const Motion<S>* const phis = data.phi.data();
  const Eigen::Index kind = out.kind();
  out.for_each_run(j, [&](int i, S* a) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = detail::broadcast<N>(phis[i]);
    const auto* of = forces.data();
    for (int k = begin; k < end; k += N::width, ++of) {
      dot(phi, of->F1).store(a + k);
      dot(phi, of->F2).store(a + kind + k);
    }
  });
}

template <class S>
void ChristoffelSymbols<S>::run(const Model<S>& model, Data<S>& data, PackedChristoffelTensor<S>& Gamma) {
  fill(
      model, data, Gamma.triples(), [](int) {}, [&](int i, int j, int k, const S& x) { Gamma.add(i, j, k, x); });
}
template <class S>
void ChristoffelSymbols<S>::run(const Model<S>& model, Data<S>& data, ChristoffelTensor<S>& Gamma) {
  Tensor3<S>& T = Gamma.tensor();
  fill(
      model, data, triples, [&](int j) { detail::expand_symbols(triples, j, T); },
      [&](int i, int j, int k, const S& x) { T(i, j, k) += x; });
}

}  // namespace algorithm

/// Christoffel symbols of the first kind of the mass matrix, for joints of every type: in terms of the velocities v
/// whatever these are, so that for spherical joints or floating bases they are the generalized symbols
///   Gamma(i,j,k) = <E_i, nabla_{E_k} E_j>
/// of the frame of vector fields E_i along the degrees of freedom. With the force and the moment that the composite
/// operators B_k = B(Phi_k, I^C_k) make of the columns,
///   F1 = B_k Phi_j,   F2 = B_k^T Phi_j,   Gamma(i,k,j) = Phi_i . F1,   Gamma(j,k,i) = -Gamma(k,j,i) = Phi_i . F2
/// for i at or above j, j at or above k. Columns j of the joint of k that change in their body by D_k S_j add
/// Phi_i . I^C D_k S_j to Gamma(i,j,k). Armature does not enter.
///
/// Those of a mechanism with closed loops are in loops/mechanism_derivatives.hpp.
///
/// @param Gamma  a ChristoffelTensor of this robot, or a PackedChristoffelTensor of this model
/// @throws SizeError, StateError for a tensor of another model. O(n d^2).
/// Source: Echeandia and Wensing (2021), Algorithm 2; for generalized speeds the authors' extension to joints with
/// several degrees of freedom, in the 12 numbers of BodyCoriolis.
template <class S, template <class> class Robot, class Tensor>
void christoffel_symbols(const Robot<S>& robot, DataOf<Robot<S>>& data, Tensor& Gamma) {
  data.require(robot, Pass::position, "christoffel_symbols");
  Gamma.check_fits(robot);
  data.template run<algorithm::ChristoffelSymbols<S>>(robot, Gamma);
}
template <class S, template <class> class Robot, class Tensor>
void christoffel_symbols(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, Tensor& Gamma) {
  Gamma.check_fits(robot);
  christoffel_symbols(robot, forward_kinematics(robot, data, q), Gamma);
}

}  // namespace corio
