#pragma once

#include <vector>

#include "corio/model/model.hpp"

namespace corio::detail {

/// Where packed tensors keep their strips: one number for every degree of freedom k of the subtree of j's joint, for
/// every pair of j and an i whose joint is at or above that of j. For each j, the joints nearest the leaves first,
/// those of all i down to the ground.
class StripLayout {
 public:
  struct Dof {
    int begin, own_end, end;  // [begin, own_end): its joint's; [begin, end): of the subtree of that
    int parent, depth;        // in the chain of degrees of freedom from the ground
    Eigen::Index offset;      // of its first strip
  };

  template <class S>
  explicit StripLayout(const Model<S>& model) {
    for (int k = 0; k < model.nv(); ++k) {
      const int parent = model.dof_parent(k);
      dofs_.push_back({0, 0, 0, parent, parent < 0 ? 0 : dof(parent).depth + 1, 0});
    }
    for (std::size_t b = model.nodes().size(); b-- > 0;) {
      const auto& node = model.nodes()[b];
      for (int j = node.v_begin; j < node.v_end; ++j) {
        Dof& d = dofs_[static_cast<std::size_t>(j)];
        d.begin = node.v_begin, d.own_end = node.v_end, d.end = node.subtree_v_end, d.offset = stored_;
        stored_ += (dof(node.v_end - 1).depth + 1) * (d.end - d.begin);
      }
    }
  }

  int size() const { return static_cast<int>(dofs_.size()); }
  /// Numbers in all strips.
  Eigen::Index stored() const { return stored_; }
  const Dof& dof(int k) const { return dofs_[static_cast<std::size_t>(k)]; }
  bool one_joint(int i, int j) const { return dof(i).begin == dof(j).begin; }
  /// Whether the joint of i is at or above that of k.
  bool above(int i, int k) const { return dof(i).begin <= k && k < dof(i).end; }
  /// Of k in the strip of i, j.
  Eigen::Index at(int i, int j, int k) const {
    const Dof& d = dof(j);
    return d.offset + (dof(d.own_end - 1).depth - dof(i).depth) * (d.end - d.begin) + k - d.begin;
  }

 private:
  std::vector<Dof> dofs_;
  Eigen::Index stored_ = 0;
};

}  // namespace corio::detail
