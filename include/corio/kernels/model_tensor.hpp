#pragma once

#include "corio/kernels/tensor3.hpp"
#include "corio/model/model.hpp"

namespace corio::inline CORIO_ABI::detail {

/// The robot that a tensor was made for. That of a tensor moved from is none.
class ModelOfTensor {
 public:
  template <class Robot>
  ModelOfTensor(const Robot& robot, const char* what) : what_(what), topology_id_(robot.topology_id()) {}

  std::uint64_t topology_id() const { return topology_id_; }
  /// @throws SizeError for tensors of models of different sizes, StateError for those of two models of one size:
  /// entries of unrelated degrees of freedom are zero since construction, so another tree will not do.
  template <class Robot>
  void check_fits(const Robot& robot, int size) const {
    if (topology_id_ == robot.topology_id() && size == robot.nv()) return;
    const std::string text = join({"a tensor of ", what_, " of ", std::to_string(size),
                                   " degrees of freedom was made for another model than '", robot.tree().name(),
                                   "', which has ", std::to_string(robot.nv())});
    if (size != robot.nv()) throw SizeError(text);
    throw StateError(text);
  }

 private:
  const char* what_;
  ZeroAfterMove<std::uint64_t> topology_id_;
};

/// A tensor of all nv^3 numbers. What belongs to unrelated degrees of freedom is zero since construction, for ever.
template <class S>
class ModelTensor {
 public:
  int size() const { return entries_.size(); }
  const S& operator()(int i, int j, int k) const { return entries_(i, j, k); }
  /// T(i,:,:), contiguous.
  auto page(int i) const { return entries_.page(i); }
  /// T(:,:,k).
  auto along(int k) const { return entries_.along(k); }
  /// All numbers; writable for the algorithm that fills them.
  const Tensor3<S>& tensor() const { return entries_; }
  Tensor3<S>& tensor() { return entries_; }

  /// out(i,j) = sum_k T(i,j,k) v_k. Allocates only to size out, or if that overlaps v.
  void contract(VectorIn<S> v, MatrixX<S>& out) const { entries_.contract(v, out); }
  /// out_i = sum_jk T(i,j,k) w_j v_k. Allocates only to size out, or if that overlaps v or w.
  void contract(VectorIn<S> v, VectorIn<S> w, VectorX<S>& out) const { entries_.contract(v, w, out); }

  /// @throws SizeError or StateError for a tensor of another model, or moved from
  template <template <class> class Robot>
  void check_fits(const Robot<S>& robot) const {
    model_.check_fits(robot, size());
  }
  std::uint64_t topology_id() const { return model_.topology_id(); }

 protected:
  template <template <class> class Robot>
  ModelTensor(const Robot<S>& robot, const char* what) : entries_(robot.nv()), model_(robot, what) {}

 private:
  Tensor3<S> entries_;
  ModelOfTensor model_;
};

}  // namespace corio::detail
