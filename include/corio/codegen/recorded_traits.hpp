#pragma once

#include "corio/codegen/recorded.hpp"

/// Traits of recorded numbers for corio and Eigen. Eigen's products, triangular systems and inverses up to 4 x 4 are
/// recorded as they are; llt and ldlt do not compare, see detail::Cholesky; LU and larger inverses take the pivots of
/// the nominal inputs; QR, SVD and eigenvalues branch on values and throw.
namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// The value that comparisons use: the recorded number itself, with double as the type of its constants. As a double it
/// is the nominal one.
struct RecordedValue : Recorded {
  using Recorded::Recorded;
  RecordedValue(const Recorded& x) : Recorded(x) {}  // NOLINT(google-explicit-constructor)
  explicit operator double() const { return nominal(); }
};
inline RecordedValue select(const Condition& where, const RecordedValue& a, const RecordedValue& b) {
  return select(where, static_cast<const Recorded&>(a), static_cast<const Recorded&>(b));
}
/// Returns the reciprocal in place of a power of two: as a scale it differs by rounding alone.
inline Recorded scale_to_one(const Recorded& size) {
  return select(size > Recorded(0) && isfinite(size), Recorded(1) / size, Recorded(1));
}

namespace detail {

/// Factorizes a positive definite matrix without pivots: A = L L^T, or without roots A = L D L^T, with ones on the
/// diagonal of L.
/// If A is not definite, results are not finite, which Eigen's classes find by comparisons. O(n^3).
template <class Matrix, int UpLo, bool has_roots>
class Cholesky {
 public:
  using MatrixType = Matrix;
  using Scalar = Recorded;
  using RealScalar = Recorded;
  using Index = Eigen::Index;

  Cholesky() = default;
  explicit Cholesky(Index size) : factor_(size, size) {}
  template <class X>
  explicit Cholesky(const Eigen::EigenBase<X>& A) {
    compute(A);
  }
  template <class X>
  Cholesky& compute(const Eigen::EigenBase<X>& A) {
    Matrix& L = factor_ = A.derived();
    if constexpr (UpLo == Eigen::Upper) L = Matrix(L.transpose());
    for (Index k = 0; k < L.rows(); ++k) {
      for (Index j = 0; j < k; ++j) {
        const Recorded d = has_roots ? L(k, j) : L(k, j) * L(j, j);
        for (Index i = k; i < L.rows(); ++i) L(i, k) -= L(i, j) * d;
      }
      if constexpr (has_roots) L(k, k) = sqrt(L(k, k));
      for (Index i = k + 1; i < L.rows(); ++i) L(i, k) /= L(k, k);
    }
    return *this;
  }

  Index rows() const { return factor_.rows(); }
  Index cols() const { return factor_.cols(); }
  auto matrixL() const { return factor_.template triangularView < has_roots ? Eigen::Lower : Eigen::UnitLower > (); }
  auto matrixU() const {
    return factor_.transpose().template triangularView < has_roots ? Eigen::Upper : Eigen::UnitUpper > ();
  }
  /// Returns the diagonal D of L D L^T.
  auto vectorD() const { return factor_.diagonal(); }
  /// Returns Success, since no state tells whether A is definite.
  Eigen::ComputationInfo info() const { return Eigen::ComputationInfo(); }  // X11 has a macro Success

  template <class B>
  auto solve(const Eigen::MatrixBase<B>& b) const {
    Eigen::Matrix<Recorded, B::RowsAtCompileTime, B::ColsAtCompileTime> x = b.template cast<Recorded>();
    solveInPlace(x);
    return x;
  }
  template <class X>
  void solveInPlace(X&& x) const {
    matrixL().solveInPlace(x);
    for (Index i = 0; !has_roots && i < rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j) x(i, j) /= factor_(i, i);
    matrixU().solveInPlace(x);
  }

 private:
  Matrix factor_;
};

}  // namespace detail
}}}  // namespace corio::codegen

namespace corio { inline namespace CORIO_ABI {

template <>
struct NumberOf<codegen::RecordedValue> {
  using Type = double;
};
template <>
inline constexpr bool is_checked<codegen::Recorded> = false;
template <>
struct ScalarValue<codegen::Recorded> {
  static codegen::RecordedValue of(const codegen::Recorded& x) { return codegen::RecordedValue(x); }
};

}}  // namespace corio

template <int n, int m, int options, int max_n, int max_m, int UpLo>
class Eigen::LLT<Eigen::Matrix<corio::codegen::Recorded, n, m, options, max_n, max_m>, UpLo>
    : public corio::codegen::detail::Cholesky<Eigen::Matrix<corio::codegen::Recorded, n, m, options, max_n, max_m>,
                                              UpLo, true> {
 public:
  using LLT::Cholesky::Cholesky;
};
template <int n, int m, int options, int max_n, int max_m, int UpLo>
class Eigen::LDLT<Eigen::Matrix<corio::codegen::Recorded, n, m, options, max_n, max_m>, UpLo>
    : public corio::codegen::detail::Cholesky<Eigen::Matrix<corio::codegen::Recorded, n, m, options, max_n, max_m>,
                                              UpLo, false> {
 public:
  using LDLT::Cholesky::Cholesky;
};

template <>
struct Eigen::NumTraits<corio::codegen::Recorded> : Eigen::NumTraits<double> {
  using Real = corio::codegen::Recorded;
  using NonInteger = corio::codegen::Recorded;
  using Nested = corio::codegen::Recorded;
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
template <class Op>
struct Eigen::ScalarBinaryOpTraits<corio::codegen::Recorded, double, Op> {
  using ReturnType = corio::codegen::Recorded;
};
template <class Op>
struct Eigen::ScalarBinaryOpTraits<double, corio::codegen::Recorded, Op> {
  using ReturnType = corio::codegen::Recorded;
};
/// Scores a candidate for a pivot. A number that is not constantly zero can be one, even if it is zero at the nominal
/// inputs.
template <>
struct Eigen::internal::scalar_score_coeff_op<corio::codegen::Recorded> {
  using result_type = double;
  double operator()(const corio::codegen::Recorded& x) const {
    return x.is_constant() ? std::abs(x.nominal()) : (std::max)(std::abs(x.nominal()), 1e-300);
  }
};
/// @cond
// Eigen leaves out products of numbers for which this is false.
template <>
inline bool Eigen::numext::not_equal_strict(const corio::codegen::Recorded& x, const corio::codegen::Recorded& y) {
  return !x.is_constant() || !y.is_constant() || x.nominal() != y.nominal();
}
template <>
class std::numeric_limits<corio::codegen::Recorded> : public std::numeric_limits<double> {};
/// @endcond
