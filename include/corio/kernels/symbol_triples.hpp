#pragma once

#include "corio/kernels/packed_triples.hpp"
#include "corio/kernels/tensor3.hpp"

namespace corio::detail {

/// The symbols in packed triples, two kinds of numbers: for degrees of freedom i, j, the joint of i at or above that of
/// j, and all k of the subtree of j's joint
///   a(k) = Gamma(i,k,j)   and   b(k) = Gamma(j,k,i),   but for i and j of one joint   b(k) = -Gamma(k,j,i).
/// All symbols follow from these, because degrees of freedom of different joints commute, which makes Gamma symmetric
/// in the last two indices, and because Gamma(j,k,i) + Gamma(k,j,i), the derivative of M(j,k) along i, is zero for an
/// i above both.
template <class S>
using SymbolTriples = PackedTriples<S, 2>;

/// Writes what the row of j holds to all its places among the nv^3.
template <class S>
void expand_symbols(const SymbolTriples<S>& triples, int j, Tensor3<S>& T) {
  const auto d = triples.dof(j);
  const int below = d.own_end == d.begin + 1 ? d.begin : d.own_end;
  const Eigen::Index kind = triples.kind();
  triples.for_each_run(j, [&](int i, const S* a) CORIO_INLINE_LAMBDA {
    const S* const b = a + kind;
    const bool one_joint = i >= d.begin;
    for (int k = d.begin; k < below; ++k) {
      T(i, k, j) = a[k];
      if (!one_joint) T(j, k, i) = T(j, i, k) = b[k];
    }
    const Line<0, S> ji(T, j, i), ij(T, i, j);
    const Line<1, S> i_j(T, i, j), j_i(T, j, i);
    const Line<2, S> ij_(T, i, j), ji_(T, j, i);
    // For k = j, of which b is zero, what is written last is right.
    for_each_pack<S>(below, d.end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      const auto x = Pack<S>::load(a + k), y = Pack<S>::load(b + k);
      ji.store(k, count, -y);
      i_j.store(k, count, x), ij_.store(k, count, x);
      if (one_joint) return;
      j_i.store(k, count, y), ji_.store(k, count, y);
      ij.store(k, count, -y);
    });
  });
}

}  // namespace corio::detail
