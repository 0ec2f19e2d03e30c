#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "corio/core/abi.hpp"

#ifndef __cpp_lib_ranges
#error "corio needs C++20 with std::ranges: the standard library of GCC 11, libc++ 16, or newer"
#endif

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error \
    "corio checks for numbers that are not finite, which -ffast-math lets compilers leave out: add -fno-finite-math-only"
#endif

/// Vector and matrix types, and the requirements on a scalar.
///
/// A scalar is any type with field arithmetic, a conversion from double, Eigen::NumTraits, and sin, cos, sqrt, atan (or
/// atan2), and for passive_forces tanh, found by argument-dependent lookup: float, double, long double, std::complex
/// (complex-step derivatives), Eigen::AutoDiffScalar with a fixed number of derivatives, CppAD::AD, operation counters,
/// and, with a specialisation of ScalarValue, scalars that corio does not know, such as ceres::Jet and CppADCodeGen's
/// CG. corio never conjugates: every product below is bilinear, so that complex-step derivatives are exact.
namespace corio { inline namespace CORIO_ABI {

using Eigen::Matrix3;
using Eigen::MatrixX;
using Eigen::Vector3;
using Eigen::VectorX;
static_assert(!MatrixX<double>::IsRowMajor,
              "corio's matrices are column-major, Eigen's default: instead of EIGEN_DEFAULT_TO_ROW_MAJOR state the "
              "order of your own types, such as Eigen::Matrix<double, 3, 3, Eigen::RowMajor>");
static_assert(sizeof(Eigen::Index) == sizeof(std::ptrdiff_t),
              "EIGEN_DEFAULT_DENSE_INDEX_TYPE changes the layout of Eigen's types: corio needs std::ptrdiff_t");
/// Columns of six numbers: twists and wrenches as vectors of Eigen.
template <class S>
using Vector6 = Eigen::Matrix<S, 6, 1>;
/// The ten inertial parameters of a body.
template <class S>
using Vector10 = Eigen::Matrix<S, 10, 1>;
/// Matrices of three or six rows, such as Jacobians.
template <class S>
using Matrix6 = Eigen::Matrix<S, 6, 6>;
template <class S>
using Matrix3X = Eigen::Matrix<S, 3, Eigen::Dynamic>;
template <class S>
using Matrix6X = Eigen::Matrix<S, 6, Eigen::Dynamic>;

/// Input and output arguments. The scalar is deduced from the model and not from these arguments, so that any Eigen
/// vector or expression can be passed.
template <class S>
using VectorIn = const Eigen::Ref<const VectorX<std::type_identity_t<S>>>&;
template <class S>
using MatrixIn = const Eigen::Ref<const MatrixX<std::type_identity_t<S>>>&;
template <class S>
using VectorOut = Eigen::Ref<VectorX<std::type_identity_t<S>>>;

/// A view of the caller's matrix to write into: a whole matrix, a block or a map, column-major or row-major.
template <class S>
class OutputMatrix {
 public:
  template <class X>
  requires std::is_same_v<typename X::Scalar, S> OutputMatrix(Eigen::PlainObjectBase<X>& x)  // NOLINT
      : OutputMatrix(x.data(), x) {}
  template <class X>
  requires std::is_same_v<typename X::Scalar, S> OutputMatrix(
      const Eigen::MapBase<X, Eigen::WriteAccessors>& x)  // NOLINT
      : OutputMatrix(const_cast<S*>(x.data()), x) {}

  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return cols_; }
  /// Distances in memory: entry (i, j) is at data() + i row_stride() + j column_stride().
  Eigen::Index row_stride() const { return row_stride_; }
  Eigen::Index column_stride() const { return column_stride_; }
  S* data() const { return data_; }
  S& operator()(Eigen::Index i, Eigen::Index k) const { return data_[i * row_stride_ + k * column_stride_]; }
  /// Returns columns k to k + n - 1.
  OutputMatrix columns(Eigen::Index k, Eigen::Index n) const {
    OutputMatrix view = *this;
    view.data_ += k * column_stride_, view.cols_ = n;
    return view;
  }
  void set_zero() const {
    if (row_stride_ == 1 && column_stride_ == rows_) return void(std::fill_n(data_, rows_ * cols_, S(0)));
    for (Eigen::Index k = 0; k < cols_; ++k)
      if (row_stride_ == 1)
        std::fill_n(data_ + k * column_stride_, rows_, S(0));
      else
        for (Eigen::Index i = 0; i < rows_; ++i) (*this)(i, k) = S(0);
  }
  OutputMatrix middle_rows(Eigen::Index begin, Eigen::Index rows) const {
    OutputMatrix part = *this;
    part.data_ += begin * row_stride_, part.rows_ = rows;
    return part;
  }
  /// Sets the columns from k on.
  void set_columns(Eigen::Index k, const MatrixX<S>& x) const {
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      for (Eigen::Index l = 0; l < x.cols(); ++l) (*this)(i, k + l) = x(i, l);
  }

 private:
  template <class X>
  OutputMatrix(S* data, const X& x)
      : data_(data), rows_(x.rows()), cols_(x.cols()), row_stride_(x.rowStride()), column_stride_(x.colStride()) {}

  S* data_;
  Eigen::Index rows_, cols_, row_stride_, column_stride_;
};
/// An output argument of a function, over the scalar of the model.
template <class S>
using MatrixOut = OutputMatrix<std::type_identity_t<S>>;

namespace detail {

/// Rejects Eigen::AutoDiffScalar with a number of derivatives that is chosen at run time. Its constants have no
/// derivatives at all, so that Eigen cannot add the product of two constants to an expression with derivatives (it
/// drops the derivatives, and asserts without NDEBUG). Elsewhere Eigen gives the constants derivatives of zero, in a
/// const model as well.
template <class S>
struct Accepted {
  static constexpr bool value = true;
};
template <class S>
requires requires {
  typename S::DerType::Scalar;
  S::DerType::SizeAtCompileTime;
}
struct Accepted<S> : Accepted<typename S::DerType::Scalar> {
  static_assert(S::DerType::SizeAtCompileTime != Eigen::Dynamic,
                "Eigen::AutoDiffScalar<VectorXd> and others whose number of derivatives is chosen at run time lose "
                "derivatives in sums with constants: fix it, as in Eigen::AutoDiffScalar<Eigen::Matrix<double, 7, 1>>, "
                "and compute more derivatives than that by several calls");
};

}  // namespace detail

/// Returns a vector of n zeros.
template <class S>
VectorX<S> zeros(int n) {
  VectorX<S> x(n);
  std::fill_n(x.data(), n, S(0));  // Zero(n) would be one more type of expression to compile
  return x;
}

/// The number of states that a scalar stands for: the lanes of a Pack (simd/state_pack.hpp), one for every other
/// scalar.
template <class S>
inline constexpr int states_of = 1;
/// The type of the number of one state: double for Pack<double, 8>, S itself for other scalars.
template <class S>
struct NumberOf {
  using Type = S;
};

/// True if the values of the scalar can be checked; false for a scalar that records for all states.
template <class S>
inline constexpr bool is_checked = true;

/// A floating-point number, or a pack of them: not a scalar that differentiates or records.
template <class S>
concept FloatingPoint = std::floating_point<typename NumberOf<S>::Type>;

/// FloatingPoint, or a scalar that records: functions that find a rank by values use the rank at the nominal inputs, or
/// throw.
template <class S>
concept FloatingPointOrRecorded = FloatingPoint<S> || !is_checked<S>;

/// Returns a if the condition holds, otherwise b. For a Pack the condition is a Mask: each state has its own condition.
template <class S>
const S& select(bool condition, const S& a, const S& b) {
  return condition ? a : b;
}
/// Returns whether the condition holds in every state.
inline bool in_every_state(bool condition) { return condition; }
inline bool in_any_state(bool condition) { return condition; }
/// Decides for all states of a scalar that records: the condition at the nominal values of its inputs.
inline bool at_nominal(bool condition) { return condition; }
/// Returns whether a check finds a fault in some state; for a scalar that records, only if the fault is known while
/// recording.
template <class S, class Condition>
bool finds_fault(const Condition& fault) {
  return is_checked<S> ? in_any_state(fault) : in_every_state(fault);
}
/// Returns then() if the condition holds, otherwise otherwise(); both return the same type. All branches on values that
/// the mathematics needs go through this function, for every scalar. For a Pack both are evaluated, unless all states
/// agree.
template <class Then, class Otherwise>
auto choose(bool condition, Then&& then, Otherwise&& otherwise) {
  return condition ? then() : otherwise();
}

namespace detail {

/// Defined here, since std::numbers::pi_v<long double> of libc++ has the digits of double.
template <class Real>
inline constexpr Real pi = static_cast<Real>(3.14159265358979323846264338327950288L);

/// Returns atan(x). Eigen::AutoDiffScalar has only atan2, and libraries whose atan of a complex number has no digits in
/// a small imaginary part would spoil complex steps.
template <class S>
S arc_tangent(const S& x) {
  using std::atan, std::atan2, std::log1p;
  if constexpr (requires { x.imag(); }) {
    const auto a = x.real(), b = x.imag();
    return S(atan2(2 * a, 1 - a * a - b * b) / 2, log1p(4 * b / (a * a + (1 - b) * (1 - b))) / 4);
  } else if constexpr (requires { atan(x); }) {
    return atan(x);
  } else {
    return atan2(x, S(1));
  }
}

}  // namespace detail

template <class S>
struct ScalarValue;
namespace detail {
/// Returns value_of in the precision and range of the scalar.
template <class S>
auto real_value(const S& x) {
  return ScalarValue<S>::of(x);
}
}  // namespace detail

/// The real value of a scalar. Specialise it for scalars whose value corio cannot find by real(), value() or a
/// conversion to double, such as the scalars of Ceres and scalars that generate code:
///
///   template <class T, int n>
///   struct corio::ScalarValue<ceres::Jet<T, n>> {
///     static auto of(const ceres::Jet<T, n>& x) { return corio::ScalarValue<T>::of(x.a); }
///   };
///   template <class Base>
///   struct corio::ScalarValue<CppAD::cg::CG<Base>> {
///     static Base of(const CppAD::cg::CG<Base>& x) { return x.isValueDefined() ? x.getValue() : Base(1); }
///   };
///
/// Scalars built on that scalar, such as CppAD::AD<CG>, need no specialisation of their own. The value is used if the
/// mathematics needs a branch (small angles, quaternions of rotation matrices) and by checks, never in a result. For an
/// unknown without a value return a typical one: positive, finite and not small. The recording is valid for the branch
/// that this number takes.
template <class S>
struct ScalarValue {
  static_assert(detail::Accepted<S>::value);
  /// Returns a floating-point number with the precision and range of the scalar.
  static auto of(const S& x) {
    if constexpr (std::is_arithmetic_v<S>)
      return x;
    else if constexpr (requires { x.real(); })
      return detail::real_value(x.real());
    else if constexpr (requires { x.value(); })
      return detail::real_value(x.value());
    else if constexpr (requires { Value(Var2Par(x)); })  // CppAD, also while it records
      return detail::real_value(Value(Var2Par(x)));
    else {
      static_assert(
          requires { static_cast<double>(x); }, "specialise corio::ScalarValue for this scalar");
      return static_cast<double>(x);
    }
  }
};
/// Returns the value in double.
template <class S>
double value_of(const S& x) {
  return static_cast<double>(ScalarValue<S>::of(x));
}
namespace detail {
/// The value of a number that decides on a branch, if both branches cannot be recorded, or that leaves the calculation.
/// @throws the error of a scalar that records and does not know the number, even if its inputs have nominal values
template <class S>
double known_value(const S& x) {
  if constexpr (is_checked<S>)
    return value_of(x);
  else if constexpr (requires { x.value(); })
    return known_value(x.value());
  else
    return static_cast<double>(x);
}
}  // namespace detail
/// Returns the value of the state that differs most from x; NaN if a state is NaN.
template <class S>
double farthest_from(double, const S& x) {
  return value_of(x);
}

namespace detail {

/// Remainders of rows and pivots below this fraction of the largest are treated as rounding errors.
template <class S>
double rank_tolerance() {
  return 1000.0 * value_of(Eigen::NumTraits<S>::epsilon());
}

}  // namespace detail
}}  // namespace corio
