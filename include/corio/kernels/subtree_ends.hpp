#pragma once

#include <vector>

#include "corio/model/model.hpp"
#include "corio/simd/pack.hpp"

namespace corio::detail {

/// For each degree of freedom the end of its subtree, stored as a scalar because packs compare scalars
/// (Pack::keep_above), and zero-padded to a full pack.
template <class S>
struct SubtreeEnds {
  explicit SubtreeEnds(const Model<S>& model) : end(static_cast<std::size_t>(model.nv() + pack_padding<S>), S(0)) {
    for (int k = 0; k < model.nv(); ++k) end[static_cast<std::size_t>(k)] = static_cast<S>(model.subtree_end_of_dof(k));
  }
  CORIO_INLINE const S* data() const { return end.data(); }

  std::vector<S> end;
};

}  // namespace corio::detail
