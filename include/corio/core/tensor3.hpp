#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"
#include "corio/core/table.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Calls f(out) or, if out shares memory with an input, f on a temporary that is moved to out: results may overwrite
/// arguments.
template <class Out, class F, class... Inputs>
void write_apart(Out& out, F&& f, const Inputs&... in) {
  const auto overlaps = [&](const auto& x) {
    const std::less<> before;
    return x.size() > 0 && before(x.data(), out.data() + out.size()) && before(out.data(), x.data() + x.size());
  };
  Out apart;
  const bool overlap = (overlaps(in) || ...);
  f(overlap ? apart : out);
  if (overlap) out = std::move(apart);
}

}  // namespace detail

/// n x n x n numbers T(i,j,k), stored as n pages T(i,:,:), each a column-major matrix. A tensor that was moved from is
/// empty.
template <class S>
class Tensor3 {
 public:
  using Page = Eigen::Map<MatrixX<S>>;
  using ConstPage = Eigen::Map<const MatrixX<S>>;
  using ConstSlice = Eigen::Map<const MatrixX<S>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

  Tensor3() = default;
  /// Makes n x n x n zeros.
  explicit Tensor3(int n) { resize(n); }

  int size() const { return n_; }
  /// Allocates if the size changes; otherwise the content is kept.
  void resize(int n) {
    if (n == n_) return;
    n_ = n;
    data_.setZero(static_cast<Eigen::Index>(n) * n * n + block - 1);
  }
  void set_zero() { data_.setZero(); }

  S& operator()(int i, int j, int k) { return data_[index(i, j, k)]; }
  const S& operator()(int i, int j, int k) const { return data_[index(i, j, k)]; }

  /// Returns T(i,:,:), contiguous.
  Page page(int i) { return {data_.data() + index(i, 0, 0), n_, n_}; }
  ConstPage page(int i) const { return {data_.data() + index(i, 0, 0), n_, n_}; }
  /// Returns T(:,:,k).
  ConstSlice along(int k) const { return {data_.data() + index(0, 0, k), n_, n_, {1, stride(0)}}; }

  /// Returns all numbers; T(i,j,k) is at i stride(0) + j stride(1) + k stride(2).
  S* data() { return data_.data(); }
  const S* data() const { return data_.data(); }
  Eigen::Index stride(int index) const { return index == 0 ? Eigen::Index(n_) * n_ : index == 1 ? 1 : size(); }

  /// Computes out(i,j) = sum_k T(i,j,k) v_k. Allocates only to size `out`, or if `out` overlaps v.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& out) const {
    detail::check_size("v", v.size(), n_);
    const int n = n_;
    detail::write_apart(
        out,
        [&](MatrixX<S>& sum) {
          sum.resize(n, n);
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; j += block) {
              S of_block[block] = {S(0), S(0), S(0), S(0)};
              const S* x = data_.data() + index(i, j, 0);
              for (int k = 0; k < n; ++k, x += n)
                for (int l = 0; l < block; ++l) of_block[l] += x[l] * v[k];
              for (int l = 0; l < (std::min)(block, n - j); ++l) sum(i, j + l) = of_block[l];
            }
        },
        v);
  }
  /// Computes out_i = sum_jk T(i,j,k) w_j v_k. Allocates only to size `out`, or if `out` overlaps v or w.
  /// @throws SizeError
  void contract(VectorIn<S> v, VectorIn<S> w, VectorX<S>& out) const {
    detail::check_size("v", v.size(), n_);
    detail::check_size("w", w.size(), n_);
    const int n = n_;
    detail::write_apart(
        out,
        [&](VectorX<S>& sums) {
          sums.resize(n);
          for (int i = 0; i < n; ++i) {
            S sum(0);
            const S* x = data_.data() + index(i, 0, 0);
            for (int k = 0; k < n; ++k, x += n) {
              S column(0);
              for (int j = 0; j < n; ++j) column += x[j] * w[j];
              sum += column * v[k];
            }
            sums[i] = sum;
          }
        },
        v, w);
  }

 private:
  Eigen::Index index(int i, int j, int k) const {
    eigen_assert(i >= 0 && i < n_ && j >= 0 && j < n_ && k >= 0 && k < n_);
    return j + n_ * (k + static_cast<Eigen::Index>(n_) * i);
  }

  static constexpr int block = 4;  // entries of a column that are summed together
  ZeroAfterMove<int> n_ = 0;
  VectorX<S> data_;  // longer than n^3, as the last block is read whole
};

namespace detail {

/// Remembers the robot that a tensor belongs to; empty after a move.
class ModelOfTensor {
 public:
  template <class Robot>
  ModelOfTensor(const Robot& robot, const char* what) : what_(what), topology_id_(robot.topology_id()) {}

  std::uint64_t topology_id() const { return topology_id_; }
  /// @throws SizeError if the tensor was made for a model of another size, StateError if for another model of equal
  /// size. (Entries of unrelated degrees of freedom are zeroed once, at construction, so a tensor cannot serve another
  /// tree.)
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

/// A tensor of all nv^3 numbers. Entries of unrelated degrees of freedom are zero and never written.
template <class S>
class ModelTensor {
 public:
  int size() const { return entries_.size(); }
  const S& operator()(int i, int j, int k) const { return entries_(i, j, k); }
  /// Returns T(i,:,:), contiguous.
  auto page(int i) const { return entries_.page(i); }
  /// Returns T(:,:,k).
  auto along(int k) const { return entries_.along(k); }
  /// Returns all numbers; writable for the algorithm that fills them.
  const Tensor3<S>& tensor() const { return entries_; }
  Tensor3<S>& tensor() { return entries_; }

  /// Computes out(i,j) = sum_k T(i,j,k) v_k. Allocates only to size out, or if out overlaps v.
  void contract(VectorIn<S> v, MatrixX<S>& out) const { entries_.contract(v, out); }
  /// Computes out_i = sum_jk T(i,j,k) w_j v_k. Allocates only to size out, or if out overlaps v or w.
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

}  // namespace detail
}}  // namespace corio
