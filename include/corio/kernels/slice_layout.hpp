#pragma once

#include "corio/kernels/gather.hpp"
#include "corio/kernels/pair_blocks.hpp"
#include "corio/kernels/subtree_ends.hpp"

namespace corio::detail {

/// The tree by blocks, for tensors that are written slice by slice: slice i holds what belongs to degree of freedom i, for
/// pairs of degrees of freedom that are at, above or below i, in squares of columns x columns.
template <class S>
struct SliceLayout {
  static constexpr int side = block_side<S>;
  struct Joint {
    int begin, own_end, end;
  };
  std::vector<PairBlock<S>> rows;  // of each block of rows its pairs with any columns
  PerDof<int> nearest_above;       // the nearest one above it in another block, -1 without
  PerDof<int> count;               // of those at or above it in its block
  std::vector<Joint> joints;       // of several degrees of freedom
  SubtreeEnds<S> reach;
  bool full;  // whether two thirds of all pairs in squares that are not empty are related, as in chains

  explicit SliceLayout(const Model<S>& model) : nearest_above(model.nv()), count(model.nv()), reach(model) {
    int squares = 0, pairs = 0;
    for (int k = 0; k < model.nv(); ++k) {
      if (k % side == 0) rows.emplace_back(model, k);
      const int parent = model.dof_parent(k);
      const bool first = parent < block_of(k);
      nearest_above[k] = first ? parent : nearest_above[parent];
      count[k] = first ? 1 : count[parent] + 1;
      pairs += model.subtree_end_of_dof(k) - k;
      // This one and those above it in other blocks, for the first of a block.
      for (int j = k; k % side == 0 && j >= 0; j = nearest_above[j]) ++squares;
    }
    full = 3 * pairs >= 2 * squares * side * side;
    for (int b = 0; b < model.num_nodes(); ++b)
      if (const Node<S>& node = model.node(b); node.v_end > node.v_begin + 1)
        joints.push_back({node.v_begin, node.v_end, node.subtree_v_end});
  }

  static int block_of(int k) { return k / side * side; }
  /// The pairs of the block of k with any columns.
  const PairBlock<S>& row(int k) const { return rows[static_cast<std::size_t>(k / side)]; }

  /// f(k, j) for the blocks with columns of the slice of i, whose subtree ends at `end`, from the last one on. What is
  /// above any of them in another block is above j.
  template <class F>
  CORIO_INLINE void for_pair_blocks(int i, int end, F&& f) const {
    for (int k = block_of(end - 1); k > i; k -= side) f(k, k);
    for (int j = i; j >= 0; j = nearest_above[j]) f(block_of(j), j);
  }
  /// f(joint) for the joints of several degrees of freedom that have columns in the slice of i.
  template <class F>
  void for_joints(int i, int end, F&& f) const {
    for (const Joint& joint : joints)
      if ((joint.begin <= i && i < joint.end) || (i <= joint.begin && joint.begin < end)) f(joint);
  }
};

/// f of each coordinate.
template <class N, class F>
CORIO_INLINE Vector3<N> map(const Vector3<N>& x, F&& f) {
  return {f(x[0]), f(x[1]), f(x[2])};
}

}  // namespace corio::detail
