#pragma once

#include "corio/algorithms/derivatives/detail/coriolis_derivative_triples.hpp"
#include "corio/core/tensor3.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The entries of CoriolisMatrixDerivativesResult for related i, j and l only: five numbers per triple of joints, far
/// fewer than nv^3 for a tree. They lie in contiguous memory, which is filled faster for long chains.
template <class S>
class PackedCoriolisMatrixDerivativesResult {
 public:
  /// Makes zeros of the size of the model. Only this constructor allocates.
  explicit PackedCoriolisMatrixDerivativesResult(const Model<S>& model)
      : triples_(model), model_(model, "derivatives of the Coriolis matrix") {}

  int size() const { return triples_.size(); }
  /// Returns how many numbers are stored.
  Eigen::Index stored() const { return triples_.stored(); }

  /// Returns D_l C(i,j), O(1).
  S operator()(int i, int j, int l) const {
    using Kinds = detail::CoriolisKinds;
    const auto above = [&](int a, int k) { return triples_.above(a, k); };
    const auto strictly_above = [&](int a, int k) { return above(a, k) && !triples_.one_joint(a, k); };
    if (strictly_above(i, l) && strictly_above(j, l))
      return above(j, i) ? triples_(Kinds::lower, j, i, l) : above(i, j) ? triples_(Kinds::upper, i, j, l) : S(0);
    if (above(l, i) && above(l, j)) {
      S x = above(i, j) ? triples_(Kinds::skew, l, i, j) : above(j, i) ? S(-triples_(Kinds::skew, l, j, i)) : S(0);
      if (triples_.one_joint(i, l)) x += triples_(Kinds::upper_along, i, l, j);
      if (triples_.one_joint(j, l)) x += triples_(Kinds::lower_along, j, l, i);
      return x;
    }
    if (strictly_above(i, l) && above(l, j)) return triples_(Kinds::upper_along, i, l, j);
    if (strictly_above(j, l) && above(l, i)) return triples_(Kinds::lower_along, j, l, i);
    return S(0);
  }

  /// Computes out(i,j) = sum_l D_l C(i,j) x_l. O(n d^2). Allocates only to size out, or if out overlaps x.
  /// @throws SizeError
  void contract(VectorIn<S> x, MatrixX<S>& out) const {
    using Kinds = detail::CoriolisKinds;
    detail::check_vector("x", x, size());
    detail::write_apart(
        out,
        [&](MatrixX<S>& sum) {
          sum.setZero(size(), size());
          for (int g = 0; g < size(); ++g)
            triples_.for_each_run(g, [&](int a, const S* numbers) {
              const auto& d = triples_.dof(g);
              const bool above = a < d.begin;
              for (int k = d.begin; k < d.end; ++k) {
                const auto at = [&](int kind) -> const S& { return numbers[kind * triples_.kind() + k]; };
                const bool own = k < d.own_end;
                if (!own) sum(g, a) += at(Kinds::lower) * x[k];
                if (!own && above) sum(a, g) += at(Kinds::upper) * x[k];
                sum(g, k) += at(Kinds::skew) * x[a];
                if (!own) sum(k, g) -= at(Kinds::skew) * x[a];
                sum(a, k) += at(Kinds::upper_along) * x[g];
                sum(k, a) += at(Kinds::lower_along) * x[g];
              }
            });
        },
        x);
  }

  /// @throws SizeError or StateError for an object of another model, or moved from
  void check_fits(const Model<S>& model) const { model_.check_fits(model, size()); }
  /// The stored numbers, for the algorithm that computes them.
  detail::CoriolisTriples<S>& triples() { return triples_; }

 private:
  detail::CoriolisTriples<S> triples_;
  detail::ModelOfTensor model_;
};

}}  // namespace corio
