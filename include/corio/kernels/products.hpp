#pragma once

#include "corio/kernels/lanes_of_dofs.hpp"

/// Products of matrices in registers. Eigen's products would allocate, or would not skip entries that are zero.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// All rows of a matrix: calls f(begin, end) for each contiguous range of rows that a product reads.
struct AllRows {
  int n;
  template <class F>
  CORIO_INLINE void for_ranges(int, F&& f) const {
    f(0, n);
  }
};
/// The rows that can be nonzero in at least one of the columns c .. c + 3, if entries of unrelated degrees of freedom
/// are zero: the subtrees of these four degrees of freedom, and their ancestors.
template <class S>
struct RelatedRows {
  const Model<S>& model;
  const PerDof<int>& end_of_four;
  template <class F>
  CORIO_INLINE void for_ranges(int c, F&& f) const {
    const int begin = model.chain_begin(c);
    f(begin, end_of_four[c]);
    for_ranges_above(model, model.parent_dof(begin) + 1, f);
  }
};

/// Writes the entries of -W D in four columns from c on and some registers of rows from i on, the last one at `last`.
template <int registers, class P, class S, class Rows>
CORIO_INLINE void negative_product_tile(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, int i, int last,
                                        int c, const Rows& rows) {
  const Eigen::Index n = W.rows();
  const auto row = [&](int r) CORIO_INLINE_LAMBDA { return r + 1 < registers ? i + r * P::width : last; };
  P sum[registers][4];
  repeat<registers>([&](auto r)
                        CORIO_INLINE_LAMBDA { repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l] = P::zero(); }); });
  rows.for_ranges(c, [&](int begin, int end) CORIO_INLINE_LAMBDA {
    const S *w = W.data() + begin * n, *d = D.data() + c * n + begin;
    for (int k = begin; k < end; ++k, w += n, ++d)
      repeat<registers>([&](auto r) CORIO_INLINE_LAMBDA {
        const P x = P::load(w + row(r));
        repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l] -= d[l * n] * x; });
      });
  });
  repeat<registers>([&](auto r) CORIO_INLINE_LAMBDA {
    repeat<4>([&](auto l) CORIO_INLINE_LAMBDA { sum[r][l].store(out.data() + (c + l) * n + row(r)); });
  });
}
template <class P, class S, class Rows>
void negative_product_tiles(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, const Rows& rows) {
  constexpr int width = P::width;
  const int n = static_cast<int>(W.rows()), last = n - width;
  for (int column = 0; column < n; column += 4) {
    const int c = (std::min)(column, n - 4);
    int row = 0;
    for (; row + 2 * width < n; row += 3 * width)
      negative_product_tile<3, P>(W, D, out, row, (std::min)(row + 2 * width, last), c, rows);
    if (row + width < n)
      negative_product_tile<2, P>(W, D, out, row, last, c, rows);
    else if (row < n)
      negative_product_tile<1, P>(W, D, out, row, last, c, rows);
  }
}

/// Computes out = -W D for n x n matrices, in tiles of up to three registers of rows by four columns. If the registers
/// do not divide the number of rows, the last one overlaps the one before.
template <class S, class Rows>
void negative_product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out, const Rows& rows) {
  const int n = static_cast<int>(W.rows());
  if (n >= (std::max)(longest_group<S>, 4)) return negative_product_tiles<Lanes<S, longest_group<S>>>(W, D, out, rows);
  if (n >= (std::max)(group_size<S>, 4)) return negative_product_tiles<Lanes<S>>(W, D, out, rows);
  for (int c = 0; c < n; ++c)
    for (int i = 0; i < n; ++i) {
      S sum(0);
      for (int k = 0; k < n; ++k) sum -= W(i, k) * D(k, c);
      out(i, c) = sum;
    }
}
template <class S>
void negative_product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  negative_product(W, D, out, AllRows{static_cast<int>(W.rows())});
}

/// Computes -W D for a D whose entries of unrelated degrees of freedom are zero.
template <class S>
class RelatedProduct {
 public:
  explicit RelatedProduct(const Model<S>& m) : end_of_four_(m.nv()) {
    for (int k = 0; k < m.nv(); ++k)
      for (int l = k; l < (std::min)(k + 4, m.nv()); ++l)
        end_of_four_[k] = (std::max)(end_of_four_[k], m.subtree_end(l));
  }
  void negative(const Model<S>& model, const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) const {
    negative_product(W, D, out, RelatedRows<S>{model, end_of_four_});
  }

 private:
  PerDof<int> end_of_four_;  // the latest end of the subtrees of four degrees of freedom, from this one on
};

}}}  // namespace corio::detail
