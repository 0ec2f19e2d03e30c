#pragma once

#include "corio/kernels/tensor3.hpp"
#include "corio/model/model.hpp"

namespace corio::detail {

/// The model that a tensor was made for. That of a tensor moved from is none.
class ModelOfTensor {
 public:
  template <class S>
  ModelOfTensor(const Model<S>& model, const char* what) : what_(what), tree_stamp_(model.tree_stamp()) {}

  std::uint64_t tree_stamp() const { return tree_stamp_; }
  /// @throws SizeError for tensors of models of different sizes, StateError for those of two models of one size:
  /// entries of unrelated degrees of freedom are zero since construction, so another tree will not do.
  template <class S>
  void check_fits(const Model<S>& model, int size) const {
    if (tree_stamp_ == model.tree_stamp() && size == model.nv()) return;
    const std::string text = join({"a tensor of ", what_, " of ", std::to_string(size),
                                   " degrees of freedom was made for another model than '", model.name(),
                                   "', which has ", std::to_string(model.nv())});
    if (size != model.nv()) throw SizeError(text);
    throw StateError(text);
  }

 private:
  const char* what_;
  LeavesZero<std::uint64_t> tree_stamp_;
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
  void check_fits(const Model<S>& model) const { model_.check_fits(model, size()); }
  std::uint64_t tree_stamp() const { return model_.tree_stamp(); }

 protected:
  ModelTensor(const Model<S>& model, const char* what) : entries_(model.nv()), model_(model, what) {}

 private:
  Tensor3<S> entries_;
  ModelOfTensor model_;
};

}  // namespace corio::detail
