#pragma once

#include <complex>
#include <type_traits>
#include <unsupported/Eigen/AutoDiff>  // before these operators, or its templates would find them

#include "support/entries.hpp"

/// Sums and products of matrices, as values. With Eigen's operators almost every line of a test has expressions of its
/// own types, whose classes take most of the compile time and run slowly without optimization. `using namespace
/// corio::test` finds these operators, for matrices whose numbers are in memory, their parts and transposes; all else
/// uses Eigen's. They have a namespace of their own so that argument-dependent lookup does not find them: corio's
/// functions over test scalars use the same operators as over all others.
namespace corio::test {
namespace eager {

template <class A>
concept Stored = std::is_base_of_v<Eigen::MatrixBase<A>, A> &&(A::Flags& Eigen::DirectAccessBit) != 0;
template <class A, class B>
concept Alike = Stored<A> && Stored<B> && std::is_same_v<typename A::Scalar, typename B::Scalar>;
template <class N, class A>
concept ScalarOf = Stored<A> &&(std::is_arithmetic_v<N> || std::is_same_v<N, typename A::Scalar>);

template <class A, class B>
inline constexpr bool is_scalar_product = A::RowsAtCompileTime == 1 && B::ColsAtCompileTime == 1;

// ---- Numbers, column by column

template <class S>
void add(const Entries<S>& a, const Entries<S>& b, S* sum) {
  eigen_assert(a.rows == b.rows && a.cols == b.cols);
  for (Eigen::Index j = 0; j < a.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) *sum++ = a(i, j) + b(i, j);
}
template <class S>
void subtract(const Entries<S>& a, const Entries<S>& b, S* difference) {
  eigen_assert(a.rows == b.rows && a.cols == b.cols);
  for (Eigen::Index j = 0; j < a.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) *difference++ = a(i, j) - b(i, j);
}
template <class S>
void scale(const Entries<S>& a, const S& s, S* product) {
  for (Eigen::Index j = 0; j < a.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) *product++ = a(i, j) * s;
}
template <class S>
void divide(const Entries<S>& a, const S& s, S* quotient) {
  for (Eigen::Index j = 0; j < a.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) *quotient++ = a(i, j) / s;
}
template <class S>
void multiply(const Entries<S>& a, const Entries<S>& b, S* product) {
  eigen_assert(a.cols == b.rows);
  for (Eigen::Index j = 0; j < b.cols; ++j)
    for (Eigen::Index i = 0; i < a.rows; ++i) {
      S sum(0);
      for (Eigen::Index k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      *product++ = sum;
    }
}

#define CORIO_TEST_EAGER(EXTERN, S)                                           \
  EXTERN template void add<S>(const Entries<S>&, const Entries<S>&, S*);      \
  EXTERN template void subtract<S>(const Entries<S>&, const Entries<S>&, S*); \
  EXTERN template void scale<S>(const Entries<S>&, const S&, S*);             \
  EXTERN template void divide<S>(const Entries<S>&, const S&, S*);            \
  EXTERN template void multiply<S>(const Entries<S>&, const Entries<S>&, S*);
CORIO_TEST_EAGER(extern, float)
CORIO_TEST_EAGER(extern, double)
CORIO_TEST_EAGER(extern, std::complex<double>)

// ---- Matrices

template <class A>
using Plain = Eigen::Matrix<typename A::Scalar, A::RowsAtCompileTime, A::ColsAtCompileTime>;
template <class A, class B>
using Product = Eigen::Matrix<typename A::Scalar, A::RowsAtCompileTime, B::ColsAtCompileTime>;

template <class A, class B>
requires Alike<A, B> Plain<A>
operator+(const A& a, const B& b) {
  Plain<A> sum;
  sum.resize(a.rows(), a.cols());
  add(entries(a), entries(b), sum.data());
  return sum;
}
template <class A, class B>
requires Alike<A, B> Plain<A>
operator-(const A& a, const B& b) {
  Plain<A> difference;
  difference.resize(a.rows(), a.cols());
  subtract(entries(a), entries(b), difference.data());
  return difference;
}
template <class A, ScalarOf<A> N>
Plain<A> operator*(const A& a, const N& s) {
  Plain<A> product;
  product.resize(a.rows(), a.cols());
  scale(entries(a), typename A::Scalar(s), product.data());
  return product;
}
template <class A, ScalarOf<A> N>
Plain<A> operator*(const N& s, const A& a) {
  return a * s;
}
template <Stored A>
Plain<A> operator-(const A& a) {
  return a * -1;
}
template <class A, ScalarOf<A> N>
Plain<A> operator/(const A& a, const N& s) {
  Plain<A> quotient;
  quotient.resize(a.rows(), a.cols());
  divide(entries(a), typename A::Scalar(s), quotient.data());
  return quotient;
}
/// Excludes a row times a column, which Eigen makes a scalar.
template <class A, class B>
requires(Alike<A, B> && !is_scalar_product<A, B>) Product<A, B>
operator*(const A& a, const B& b) {
  Product<A, B> product;
  product.resize(a.rows(), b.cols());
  multiply(entries(a), entries(b), product.data());
  return product;
}

}  // namespace eager
// GCC before version 12 finds operators where a template is instantiated, not where it is defined: Eigen's templates
// would use these operators.
#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ > 11
using namespace eager;
#endif
}  // namespace corio::test
