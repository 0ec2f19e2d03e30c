#pragma once

#include <Eigen/Core>

/// Gives matrices of any expression type one type, so that code that works on their numbers is compiled once.
namespace corio::test {

/// The numbers of a matrix, wherever they are stored.
template <class S>
struct Entries {
  const S* begin;
  Eigen::Index rows, cols, row_step, col_step;
  const S& operator()(Eigen::Index i, Eigen::Index j) const { return begin[i * row_step + j * col_step]; }
};

/// Returns the matrix itself if its numbers are in memory, else a matrix with the values of the expression.
template <class A>
decltype(auto) evaluated(const Eigen::MatrixBase<A>& a) {
  if constexpr ((A::Flags & Eigen::DirectAccessBit) != 0)
    return (a.derived());
  else
    return typename A::PlainObject(a.derived());
}
template <class A>
Entries<typename A::Scalar> entries(const Eigen::MatrixBase<A>& a) {
  return {a.derived().data(), a.rows(), a.cols(), a.derived().rowStride(), a.derived().colStride()};
}

}  // namespace corio::test
