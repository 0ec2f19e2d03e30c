#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "corio/core/error.hpp"
#include "corio/core/scalar.hpp"
#include "corio/core/table.hpp"
#include "corio/simd/lanes.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Linear least squares over a stream of samples: minimises sum_i w_i (Y_i x - tau_i)^2 over all added rows i, in
/// constant memory. Scalars are real.
///
/// It stores R, z and rho of the QR factorisation of all rows so far, sqrt(W) [Y, tau] = Q [R, z; 0, rho]. New rows are
/// eliminated against R by Householder reflections [GVL, 6.5]. The normal equations Y^T W Y x = Y^T W tau would be
/// faster but square the condition number: a parameter that a trajectory excites 1e8 times less than the others would
/// be lost in rounding, whereas R keeps half of its digits.
///
/// A prior is added as rows: add(identity, x0, weights) regularises x towards x0 (ridge regression for x0 = 0).
///
/// [GVL] Golub, Van Loan, Matrix Computations, 4th edition, Johns Hopkins University Press, 2013.
template <class S = double>
class StreamingLeastSquares {
 public:
  /// @param columns  the number of columns of Y, that is of parameters, 10 per body for inverse_dynamics_regressor
  /// @throws SizeError unless columns is at least one and at most most_columns
  explicit StreamingLeastSquares(Eigen::Index columns);
  /// A triangle of this many columns would take 8 TB in double.
  static constexpr int most_columns = 1 << 20;

  /// Restores a stored stream, bit for bit, from its R, z, residual and rows.
  /// @throws SizeError; Error if they are not finite, or negative where they must not be
  static StreamingLeastSquares restored(MatrixIn<S> R, VectorIn<S> z, const S& residual, std::int64_t rows);

  /// The number of columns; zero for a moved-from stream, whose other members throw Error.
  int columns() const { return columns_; }
  /// Number of added rows.
  std::int64_t rows() const { return rows_; }

  /// Adds the rows of one sample, Y x = tau, any number of them. A rejected sample leaves the stream unchanged, since a
  /// single NaN would make all later results useless. O(rows columns^2), less if columns of Y are zero; no allocation
  /// unless Y or tau are expressions that have to be evaluated.
  /// @throws SizeError; Error if an entry is not finite or exceeds 2^-40 times the largest number of S in magnitude:
  ///         squares of entries may overflow or underflow, norms of columns must not
  void add(MatrixIn<S> Y, VectorIn<S> tau) { add_rows(Y, tau, nullptr); }
  /// @param weights  one per row, not negative. If each is one over the variance of its entry of tau, the solution is
  ///                 the maximum-likelihood estimate for normally distributed errors. The bounds on entries hold for
  ///                 their products with the square root of the weight
  void add(MatrixIn<S> Y, VectorIn<S> tau, VectorIn<S> weights) { add_rows(Y, tau, &weights); }

  /// Has the effect of adding all rows of another stream; it combines the samples of several threads or trajectories.
  /// O(columns^3), no allocation.
  /// @throws SizeError; Error if it is the same object, or if the sum of rows is too large for an std::int64_t
  void merge(const StreamingLeastSquares& other);

  void clear() {
    factor_.setZero();
    residual_ = S(0);
    rows_ = 0;
  }

  /// The upper triangular R, columns x columns, with R^T R = Y^T W Y.
  auto R() const {
    check_not_moved();
    return factor_.leftCols(columns());
  }
  /// Returns z with R^T z = Y^T W tau.
  auto z() const {
    check_not_moved();
    return factor_.col(columns());
  }
  /// rho^2, the minimum of the sum of squares in exact arithmetic. If columns of Y are linearly dependent, use the
  /// residual of estimate() instead: some diagonal elements of R are then rounding errors, and rho^2 lacks the errors
  /// of tau along them. Infinite if squares of tau overflow.
  const S& residual() const { return residual_; }

 private:
  // Row-major, since the inner loops run along rows.
  using Rows = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static constexpr Eigen::Index chunk_rows = 16;
  using Limits = std::numeric_limits<S>;

  using Weights = Eigen::Ref<const VectorX<S>>;

  void add_rows(MatrixIn<S> Y, VectorIn<S> tau, const Weights* weights);
  void check_not_moved() const {
    if (columns_ == 0) throw Error("least squares: this stream is empty (moved-from)");
  }
  /// The largest accepted entry: the norm of a vector of fewer than 2^80 such entries is finite.
  static S largest() { return (Limits::max)() / static_cast<S>(std::int64_t(1) << 40); }
  static void check_entry(const char* what, Eigen::Index i, Eigen::Index j, const S& x, const S& root);
  /// Reflects the first rows of chunk_, which are zero left of column k, into the factor.
  void eliminate(Eigen::Index count, Eigen::Index k);

  ZeroAfterMove<int> columns_;
  Rows factor_;  // the matrix [R, z], padded with zeros to whole packs
  Rows chunk_;   // rows of sqrt(W) [Y, tau] that are being eliminated
  S residual_ = S(0);
  ZeroAfterMove<std::int64_t> rows_ = 0;
};

template <class S>
StreamingLeastSquares<S>::StreamingLeastSquares(Eigen::Index columns) : columns_(static_cast<int>(columns)) {
  if (columns < 1 || columns > most_columns)
    throw SizeError(detail::join({"least squares: ", std::to_string(columns), " columns, expected one at least and ",
                                  std::to_string(most_columns), " at most"}));
  constexpr int width = detail::group_size<S>;
  const Eigen::Index padded = (columns + width) / width * width;
  factor_.setZero(columns, padded);
  chunk_.setZero(chunk_rows, padded);
}

template <class S>
StreamingLeastSquares<S> StreamingLeastSquares<S>::restored(MatrixIn<S> R, VectorIn<S> z, const S& residual,
                                                            std::int64_t rows) {
  detail::check_size("R", R.rows(), R.cols());
  detail::check_size("z", z.size(), R.rows());
  // The length of a column of fewer than 2^63 entries, see largest().
  const auto in_range = [](const auto& x) {
    return x.allFinite() && (x.size() == 0 || x.cwiseAbs().maxCoeff() <= S((Limits::max)() / 256));
  };
  if (!in_range(R) || !in_range(z) || !(residual >= S(0) && residual <= S((Limits::max)())) || rows < 0)
    throw Error("least squares: the stored numbers are not finite, or negative where they must not be");
  StreamingLeastSquares stream(R.rows());
  stream.factor_.leftCols(R.cols()) = R.template triangularView<Eigen::Upper>();
  stream.factor_.col(R.cols()) = z;
  stream.residual_ = residual, stream.rows_ = rows;
  return stream;
}

template <class S>
void StreamingLeastSquares<S>::add_rows(MatrixIn<S> Y, VectorIn<S> tau, const Weights* weights) {
  check_not_moved();
  detail::check_size("number of columns of Y", Y.cols(), columns());
  detail::check_size("tau", tau.size(), Y.rows());
  if (weights) detail::check_size("weights", weights->size(), Y.rows());
  const auto root = [weights](Eigen::Index i) {
    using std::sqrt;
    return weights ? S(sqrt((*weights)[i])) : S(1);
  };
  for (Eigen::Index i = 0; i < Y.rows(); ++i) {
    if (weights && !(S(0) <= (*weights)[i] && (*weights)[i] <= S((Limits::max)())))
      throw Error(
          detail::join({"least squares: weight ", std::to_string(i), " is ", detail::number(value_of((*weights)[i])),
                        ", must be finite and not negative; the sample was not added"}));
    const S scale = root(i);
    for (Eigen::Index j = 0; j < Y.cols(); ++j) check_entry("Y", i, j, Y(i, j), scale);
    check_entry("tau", i, 0, tau[i], scale);
  }
  for (Eigen::Index first = 0; first < Y.rows(); first += chunk_rows) {
    const Eigen::Index count = std::min<Eigen::Index>(chunk_rows, Y.rows() - first);
    for (Eigen::Index i = 0; i < count; ++i) {
      const S scale = root(first + i);
      for (int j = 0; j < columns(); ++j) chunk_(i, j) = scale * Y(first + i, j);
      chunk_(i, columns()) = scale * tau[first + i];
    }
    eliminate(count, 0);
  }
  rows_ = rows_ + Y.rows();
}

template <class S>
void StreamingLeastSquares<S>::merge(const StreamingLeastSquares& other) {
  check_not_moved();
  detail::check_size("columns of the other stream", other.columns(), columns());
  if (&other == this) throw Error("least squares: a stream cannot be merged with itself; merge a copy of it");
  if (other.rows() > (std::numeric_limits<std::int64_t>::max)() - rows())
    throw Error("least squares: the merged streams would have more than 2^63 - 1 rows");
  for (Eigen::Index first = 0; first < columns(); first += chunk_rows) {
    const Eigen::Index count = std::min<Eigen::Index>(chunk_rows, columns() - first);
    chunk_.topRows(count) = other.factor_.middleRows(first, count);
    eliminate(count, first);
  }
  residual_ += other.residual_;
  rows_ = rows_ + other.rows_;
}

template <class S>
void StreamingLeastSquares<S>::check_entry(const char* what, Eigen::Index i, Eigen::Index j, const S& x,
                                           const S& root) {
  const S entry = root * x;
  if (-largest() <= entry && entry <= largest()) return;
  throw Error(detail::join({"least squares: ", what, "(", std::to_string(i), ", ", std::to_string(j), ")",
                            root == S(1) ? "" : " times the root of its weight", " is ",
                            detail::number(value_of(entry)), ", must be finite and at most ",
                            detail::number(value_of(largest())), " in magnitude; the sample was not added"}));
}

template <class S>
void StreamingLeastSquares<S>::eliminate(Eigen::Index count, Eigen::Index k) {
  using std::abs, std::sqrt;
  using P = detail::Lanes<S>;
  S reflected[1 + chunk_rows], *v = reflected + 1;
  S* x[chunk_rows];
  for (; k < columns(); ++k) {
    // Rows that are zero in this column are skipped.
    int n = 0;
    for (Eigen::Index i = 0; i < count; ++i)
      if (const S entry = chunk_(i, k); entry != S(0)) {
        v[n] = entry;
        x[n++] = &chunk_(i, 0);
      }
    if (n == 0) continue;
    // H = 1 - t [1; v] [1; v]^T takes (a, entries) to (-sign(a) length, 0), without cancellation.
    S* top = &factor_(k, 0);
    const S a = reflected[0] = top[k];
    S squared(0), scale(0);
    for (int i = 0; i <= n; ++i) {
      squared += reflected[i] * reflected[i];
      scale = (std::max)(scale, S(abs(reflected[i])));
    }
    if (S((Limits::min)() / (Limits::epsilon() * Limits::epsilon())) <= squared && squared <= S((Limits::max)())) {
      scale = S(1);
    } else {  // a square may have overflowed or underflowed
      squared = S(0);
      for (int i = 0; i <= n; ++i) squared += (reflected[i] / scale) * (reflected[i] / scale);
    }
    const S length = scale * sqrt(squared);
    const S image = a < S(0) ? length : S(-length), difference = a - image, t = -difference / image;
    for (int i = 0; i < n; ++i) v[i] /= difference;
    // Begins with the pack that holds column k; the rows are zero in the columns before it.
    for (Eigen::Index j = k - k % P::width; j <= columns(); j += P::width) {
      const P old = P::load(top + j);
      P sum = old;
      for (int i = 0; i < n; ++i) sum += v[i] * P::load(x[i] + j);
      sum = t * sum;
      (old - sum).store(top + j);
      for (int i = 0; i < n; ++i) (P::load(x[i] + j) - v[i] * sum).store(x[i] + j);
    }
    top[k] = image;
    for (int i = 0; i < n; ++i) x[i][k] = S(0);
  }
  for (Eigen::Index i = 0; i < count; ++i) residual_ += chunk_(i, columns()) * chunk_(i, columns());
}

}}  // namespace corio
