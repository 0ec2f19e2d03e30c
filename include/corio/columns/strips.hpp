#pragma once

#include "corio/core/tensor3.hpp"
#include "corio/model/model.hpp"

namespace corio::detail {

/// Numbers of related triples in packed storage: `kinds` of them for every degree of freedom k of the subtree of j's
/// joint, for every pair of j and an i whose joint is at or above that of j. Those of one pair are a strip; the strips
/// of one j, a row, are those of all i down to the ground. Whoever fills strips goes through rows and strips in the
/// order of for_each_row and for_each_strip, in which they are stored: what a pack writes past the end of its strip is
/// then overwritten by the next one.
template <class S, int kinds>
class Strips {
 public:
  struct Dof {
    int begin, own_end, end;  // [begin, own_end): its joint's; [begin, end): of the subtree of that
    int parent, depth;        // in the chain of degrees of freedom from the ground
    Eigen::Index offset;      // of its first strip
  };

  /// Zeros. With `one_row`, room for one row only, whichever is written.
  explicit Strips(const Model<S>& model, bool one_row = false) : dofs_(model.nv()) {
    for (int k = 0; k < model.nv(); ++k) {
      const Node<S>& node = model.node(model.node_of_dof(k));
      const int parent = model.dof_parent(k);
      dofs_[k] = {node.v_begin, node.v_end, node.subtree_v_end, parent, parent < 0 ? 0 : dofs_[parent].depth + 1, 0};
    }
    Eigen::Index numbers = 0;
    for_each_row(model, [&](int j) {
      Dof& d = dofs_[j];
      const Eigen::Index row = Eigen::Index(dofs_[d.own_end - 1].depth + 1) * (d.end - d.begin);
      d.offset = one_row ? 0 : numbers;
      numbers = one_row ? std::max(numbers, row) : numbers + row;
    });
    kind_ = numbers + pack_padding<S>;
    numbers_.setZero(kinds * kind_);
  }

  int size() const { return dofs_.size(); }
  /// How many numbers are stored.
  Eigen::Index stored() const { return dofs_.empty() ? 0 : kinds * (kind_ - pack_padding<S>); }
  const Dof& dof(int k) const { return dofs_[k]; }
  bool one_joint(int i, int j) const { return dof(i).begin == dof(j).begin; }
  /// Whether the joint of i is at or above that of k.
  bool above(int i, int k) const { return dof(i).begin <= k && k < dof(i).end; }

  /// The number of k of the first kind is strip(i, j)[k], that of kind c at c * kind() behind it.
  S* strip(int i, int j) { return numbers_.data() + offset(i, j); }
  const S* strip(int i, int j) const { return numbers_.data() + offset(i, j); }
  Eigen::Index kind() const { return kind_; }
  S& operator()(int c, int i, int j, int k) { return strip(i, j)[c * kind_ + k]; }
  const S& operator()(int c, int i, int j, int k) const { return strip(i, j)[c * kind_ + k]; }

  /// f(j), the joints nearest the leaves first.
  template <class F>
  static void for_each_row(const Model<S>& model, F&& f) {
    for (int b = model.num_nodes() - 1; b >= 0; --b)
      for (int j = model.node(b).v_begin; j < model.node(b).v_end; ++j) f(j);
  }
  /// f(i) for the strips of the row of j.
  template <class F>
  CORIO_INLINE void for_each_strip(int j, F&& f) const {
    for (int i = dof(j).own_end - 1; i >= 0; i = dof(i).parent) f(i);
  }

 private:
  Eigen::Index offset(int i, int j) const {
    const Dof& d = dof(j);
    return d.offset + Eigen::Index(dof(d.own_end - 1).depth - dof(i).depth) * (d.end - d.begin) - d.begin;
  }

  PerDof<Dof> dofs_;
  Eigen::Index kind_;  // from the numbers of one kind to those of the next
  VectorX<S> numbers_;
};

/// x to T(i,j,k) and the numbers after it along one of the indices.
template <int index, class S, int count>
CORIO_INLINE void store_along(Tensor3<S>& T, int i, int j, int k, Count<count> lanes, const Pack<S>& x) {
  S* const to = T.data() + i * T.stride(0) + j * T.stride(1) + k * T.stride(2);
  if constexpr (index == 1)
    x.store(to, lanes);
  else
    x.store(to, T.stride(index), lanes);
}

}  // namespace corio::detail
