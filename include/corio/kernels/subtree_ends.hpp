#pragma once

#include <vector>

#include "corio/model/model.hpp"
#include "corio/simd/pack.hpp"

namespace corio::detail {

/// For each degree of freedom the end of its subtree, as a number, so that Pack::keep_above can compare a pack of
/// them; then zeros as far as packs are read.
template <class S>
struct SubtreeEnds {
  explicit SubtreeEnds(const Model<S>& model) : end(static_cast<std::size_t>(model.nv() + pack_padding<S>), S(0)) {
    for (int k = 0; k < model.nv(); ++k) end[static_cast<std::size_t>(k)] = static_cast<S>(model.subtree_end_of_dof(k));
  }
  CORIO_INLINE const S* data() const { return end.data(); }

  std::vector<S> end;
};

}  // namespace corio::detail
