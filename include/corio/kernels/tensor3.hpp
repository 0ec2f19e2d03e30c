#pragma once

#include <functional>

#include "corio/core/error.hpp"
#include "corio/core/table.hpp"
#include "corio/simd/lanes.hpp"

namespace corio::inline CORIO_ABI {
namespace detail {

/// f(out), or, if out shares memory with an input, f of a temporary, moved to out: results may overwrite arguments.
template <class Out, class F, class... Inputs>
CORIO_INLINE void write_apart(Out& out, F&& f, const Inputs&... in) {
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
  /// n x n x n zeros.
  explicit Tensor3(int n) { resize(n); }

  int size() const { return n_; }
  /// Allocates unless the size is the same; the content is then kept.
  void resize(int n) {
    if (n == n_) return;
    n_ = n;
    data_.setZero(static_cast<Eigen::Index>(n) * n * n + detail::pack_padding<S>);
  }
  void set_zero() { data_.setZero(); }

  S& operator()(int i, int j, int k) { return data_[index(i, j, k)]; }
  const S& operator()(int i, int j, int k) const { return data_[index(i, j, k)]; }

  /// T(i,:,:), contiguous.
  Page page(int i) { return {data_.data() + index(i, 0, 0), n_, n_}; }
  ConstPage page(int i) const { return {data_.data() + index(i, 0, 0), n_, n_}; }
  /// T(:,:,k).
  ConstSlice along(int k) const { return {data_.data() + index(0, 0, k), n_, n_, {1, stride(0)}}; }

  /// All numbers; T(i,j,k) is at i stride(0) + j stride(1) + k stride(2).
  S* data() { return data_.data(); }
  const S* data() const { return data_.data(); }
  Eigen::Index stride(int index) const { return index == 0 ? Eigen::Index(n_) * n_ : index == 1 ? 1 : size(); }

  /// out(i,j) = sum_k T(i,j,k) v_k. Allocates only to size `out`, or if that overlaps v.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& out) const {
    detail::check_size("v", v.size(), n_);
    const int n = n_;
    detail::write_apart(
        out,
        [&](MatrixX<S>& sum) {
          sum.resize(n, n);
          for (int i = 0; i < n; ++i)
            detail::for_each_pack<S>(0, n, [&](int j, auto count) CORIO_INLINE_LAMBDA {
              contract_pack(i, j, v.data()).store(&sum(i, j), n, count);
            });
        },
        v);
  }
  /// out_i = sum_jk T(i,j,k) w_j v_k. Allocates only to size `out`, or if that overlaps v or w.
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

  /// sum_k T(i,j,k) v_k for a pack of neighbours from j on.
  CORIO_INLINE detail::Lanes<S> contract_pack(int i, int j, const S* v) const {
    using N = detail::Lanes<S>;
    const S* x = data_.data() + index(i, j, 0);
    N sum = *v * N::load(x);
    for (int k = 1; k < n_; ++k) sum += v[k] * N::load(x += n_);
    return sum;
  }

  ZeroAfterMove<int> n_ = 0;
  VectorX<S> data_;  // longer, as a pack may read past the end
};

}  // namespace corio
