#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "corio/kernels/articulated_columns.hpp"
#include "corio/loops/constraint_jacobian.hpp"
#include "corio/simd/add_multiple.hpp"
#include "corio/solvers/least_squares.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The Delassus matrix A = K M^-1 K^T of loops, which maps forces in the loops to accelerations of the conditions. A
/// unit force of row i is propagated from the joints between the frames of its loop to the root; each degree of freedom
/// k on the way absorbs W(k, i) and passes on the rest,
///   W_k = K_k - Phi_k . p^A,   p^A <- p^A + U_k W_k / d_k,   A_ij = sum_k W(k, i) W(k, j) / d_k,
/// with U and d of the articulated factor. Loops on separate trees do not act on each other, so that A consists of
/// blocks, and each block is factorized on its own. Source: Rodriguez, Jain and Kreutz-Delgado (1992); W is L^-T K^T of
/// M = L^T D L.
template <class S>
class Delassus {
 public:
  explicit Delassus(const Model<S>& model) : last_column_(model.nv(), -1), first_row_(model.nv(), -1) {}
  /// Computes and factorizes A for the factor of M. O(m d + m^2 d + m^3) for the m rows of each block.
  void compute(const Model<S>& model, const Data<S>& data, const Loops<S>& loops, const ArticulatedFactor<S>& factor) {
    const int m = loops.rows();
    int most = 0;
    for (const auto& loop : loops.all()) most = (std::max)(most, loop.rows());
    K_.setZero((most + several - 1) / several * several, model.nv());
    speed_.setZero(m), scale_.resize(m);
    reciprocal_d_ = factor.reciprocal_d;
    std::fill(last_column_.begin(), last_column_.end(), -1);
    std::fill(first_row_.begin(), first_row_.end(), -1);
    A_.resize(m + several, m), U_.resize(m, m), top_.resize(static_cast<std::size_t>(m));
    columns_.clear();
    for (const auto& loop : loops.all()) {
      LoopAtState<S>(model, data, loop)
          .for_each_entry(rank_tolerance<S>(), scale_.data() + loop.begin, [&](int i, int j, const S& x) {
            K_(i, j) = x;
            speed_[loop.begin + i] += x * data.v[j];
          });
      const std::size_t of_loop = columns_.size();
      for (int first = 0; first < loop.rows(); first += several) {
        const std::size_t first_column = columns_.size();
        propagate(model, data, loop, first, factor);
        add_rows(loop.begin + first, (std::min)(several, loop.rows() - first), first_column);
      }
      for (std::size_t c = of_loop; c < columns_.size(); ++c) K_.col(columns_[c].dof).setZero();
    }

    used_ = 0, rank_ = 0;
    for (Eigen::Index end = m; end > 0;) {
      Eigen::Index begin = end;
      for (Eigen::Index top = end - 1; begin > top;) top = (std::min)(top, top_[static_cast<std::size_t>(--begin)]);
      add_block(begin, end);
      end = begin;
    }
  }
  /// Returns K v.
  const VectorX<S>& speed() const { return speed_; }
  Eigen::Index rank() const { return rank_; }

  /// Subtracts K M^-1 f from the error, where x_k = u_k / d_k is the result of a sweep of f to the root.
  void subtract_motion(const VectorX<S>& x, MatrixX<S>& error) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      add_multiple<S>(&error(columns_[c].begin, 0), -x[columns_[c].dof], column(c), columns_[c].rows);
  }
  /// Adds the share of K^T lambda to the x_k of this sweep.
  void add_forces(const MatrixX<S>& lambda, VectorX<S>& x) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto& [dof, begin, rows, before] = columns_[c];
      S sum(0);
      for (int i = 0; i < rows; ++i) sum += column(c)[i] * lambda(begin + i, 0);
      x[dof] += reciprocal_d_[dof] * sum;
    }
  }
  /// Computes lambda = A^+ error for each column, the solution of least norm if each row of K is scaled by its
  /// mobility.
  void solve(const MatrixX<S>& error, MatrixX<S>& lambda) {
    lambda = error;
    lambda.array().colwise() *= scale_.array();
    for (std::size_t b = 0; b < used_; ++b) {
      Block& block = blocks_[b];
      const bool regular = is_regular(block);
      if constexpr (is_checked<S>)
        if (!regular) {
          block.error = lambda.middleRows(block.begin, block.end - block.begin);
          block.solver.solve(block.error, block.lambda);
        }
      for (Eigen::Index c = 0; c < lambda.cols(); ++c) {
        S* const x = lambda.data() + c * lambda.rows();
        for (Eigen::Index i = block.begin; i < block.end; ++i) {
          for (Eigen::Index k = top_[static_cast<std::size_t>(i)]; k < i; ++k) x[i] -= U_(k, i) * x[k];
          x[i] *= U_(i, i);
        }
        for (Eigen::Index i = block.end - 1; i >= block.begin; --i) {
          const Eigen::Index top = top_[static_cast<std::size_t>(i)];
          x[i] *= U_(i, i);
          add_multiple<S>(x + top, -x[i], &U_(top, i), i - top);
        }
        if (!regular)
          for (Eigen::Index i = block.begin; i < block.end; ++i)
            x[i] = select(block.regular, x[i], block.lambda(i - block.begin, c));
      }
    }
    lambda.array().colwise() *= scale_.array();
  }

 private:
  using Where = decltype(S() < S());
  /// The number of rows of K that are propagated side by side, at least the number of rows of a closure.
  static constexpr int several = SeveralRows<S>::count;
  /// The entries W(k, i) for a degree of freedom k and consecutive rows i of K.
  struct Column {
    int dof, begin, rows;
    int before;  // the previous column of this degree of freedom, or -1
  };
  /// A block of rows of A, which are zero in the columns of all other blocks.
  struct Block {
    Eigen::Index begin, end;
    Where regular;
    MatrixX<S> A, error, lambda;  // used only if the block is not regular
    LeastSquaresOf<S> solver;
  };

  /// Computes the columns of W for the rows of K_ from `first` on, from leaf to root.
  void propagate(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop, int first,
                 const ArticulatedFactor<S>& factor) {
    for (const auto& term : loop.terms) rows_.start(term.first.v_index());
    for (const auto& frame : loop.frames) rows_.start(frame.node() < 0 ? -1 : model.node(frame.node()).v_end - 1);
    while (!rows_.empty()) {
      const auto c = std::ssize(columns_);
      if (c == W_.cols()) W_.conservativeResize(Eigen::NoChange, 2 * c + several);
      const int k = rows_.eliminate(model, data, factor, K_, first, &W_(0, c));
      columns_.push_back({k, loop.begin + first, (std::min)(several, loop.rows() - first), -1});
    }
  }
  /// Adds the rows of A that belong to the columns of W from `first_column` on, by their products with earlier columns.
  void add_rows(int begin, int rows, std::size_t first_column) {
    Eigen::Index top = begin;
    for (std::size_t c = first_column; c < columns_.size(); ++c) {
      int& first = first_row_[columns_[c].dof];
      if (first < 0) first = begin;
      top = std::min<Eigen::Index>(top, first);
    }
    for (int i = begin; i < begin + rows; ++i) {
      top_[static_cast<std::size_t>(i)] = top;
      A_.col(i).segment(top, begin + several - top).setZero();
    }
    for (std::size_t c = first_column; c < columns_.size(); ++c) {
      const int k = columns_[c].dof;
      columns_[c].before = std::exchange(last_column_[k], static_cast<int>(c));
      const Eigen::Matrix<S, several, 1> given = reciprocal_d_[k] * W_.col(static_cast<Eigen::Index>(c));
      for (int e = static_cast<int>(c); e >= 0; e = columns_[static_cast<std::size_t>(e)].before) {
        const Eigen::Matrix<S, several, 1> w = W_.col(e);
        const int other = columns_[static_cast<std::size_t>(e)].begin;
        for (int i = 0; i < rows; ++i) A_.col(begin + i).template segment<several>(other) += given[i] * w;
      }
    }
  }
  /// Scales the diagonal of A to one, because rows in m and in rad have different scales, and finds the rank.
  void add_block(Eigen::Index begin, Eigen::Index end) {
    using std::sqrt;
    for (Eigen::Index i = begin; i < end; ++i) {
      const Where moves = scale_[i] > S(0) && A_(i, i) > S(0);
      scale_[i] = select(moves, S(S(1) / sqrt(select(moves, A_(i, i), S(1)))), S(0));
      for (Eigen::Index j = top_[static_cast<std::size_t>(i)]; j <= i; ++j) A_(j, i) *= scale_[i] * scale_[j];
    }
    if (used_ == blocks_.size()) blocks_.emplace_back();
    Block& block = blocks_[used_++];
    block.begin = begin, block.end = end;
    block.regular = factorize(block);
    if (is_regular(block)) {
      for (Eigen::Index i = begin; i < end; ++i) rank_ += in_any_state(scale_[i] > S(0));
      return;
    }
    if constexpr (is_checked<S>) {
      block.A.setZero(end - begin, end - begin);
      for (Eigen::Index i = begin; i < end; ++i)
        for (Eigen::Index j = top_[static_cast<std::size_t>(i)]; j <= i; ++j)
          block.A(j - begin, i - begin) = block.A(i - begin, j - begin) = A_(j, i);
      block.solver.compute(block.A);
      rank_ += block.solver.rank();
    }
  }
  /// Cholesky's factorization, in which rows that are zero remain zero.
  /// @returns whether every other row is far from depending on the rows before it: the rank is then known without
  /// pivoting
  Where factorize(const Block& block) {
    using std::sqrt;
    const S least = static_cast<S>(sqrt(rank_tolerance<S>()));
    Where regular = S(0) < S(1);
    for (Eigen::Index i = block.begin; i < block.end; ++i) {
      const Eigen::Index top = top_[static_cast<std::size_t>(i)];
      S left = select(scale_[i] > S(0), A_(i, i), S(1));
      for (Eigen::Index j = top; j < i; ++j) {
        const Eigen::Index common = (std::max)(top, top_[static_cast<std::size_t>(j)]);
        const S sum = U_.col(i).segment(common, j - common).dot(U_.col(j).segment(common, j - common));
        const S x = (A_(j, i) - sum) * U_(j, j);
        U_(j, i) = x;
        left -= x * x;
      }
      const Where independent = left > least;
      regular = regular && independent;
      U_(i, i) = S(1) / sqrt(select(independent, left, S(1)));
    }
    return regular;
  }
  /// Returns whether the block is regular in every state.
  /// @throws Error if the scalar records, and the block is not regular at the nominal inputs
  static bool is_regular(const Block& block) {
    if constexpr (is_checked<S>) {
      return in_every_state(block.regular);
    } else {
      if (!at_nominal(block.regular))
        throw Error(
            "constrained dynamics: conditions that depend on each other at the nominal inputs cannot be recorded; "
            "leave out redundant ones");
      return true;
    }
  }
  const S* column(std::size_t c) const { return W_.data() + several * static_cast<Eigen::Index>(c); }

  MatrixX<S> K_;  // K of one loop; its other columns are zero
  VectorX<S> speed_, scale_, reciprocal_d_;
  SeveralRows<S> rows_;
  Eigen::Matrix<S, several, Eigen::Dynamic> W_;
  std::vector<Column> columns_;
  PerDof<int> last_column_, first_row_;  // by degree of freedom; -1 if there is none
  MatrixX<S> A_, U_;                     // upper triangles; in regular blocks A = U^T U, and U has 1 / U_ii.
                                         // A has more rows than columns, for full columns of W
  std::vector<Eigen::Index> top_;        // for each column of A, the first row that is not zero
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // number of blocks in use
  Eigen::Index rank_ = 0;
};

}}}  // namespace corio::detail
