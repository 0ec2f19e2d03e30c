#pragma once

#include "corio/spatial/cross.hpp"
#include "corio/spatial/inertia.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A body-level operator from motions to forces as a dense 6 x 6 matrix, in the axes and about the point of its
/// context: for factorizations of V x* I V other than Christoffel's (BodyCoriolis).
template <class S>
struct BodyOperator {
  using TransposeProduct = Force<S>;
  Matrix6<S> matrix;

  static BodyOperator zero() {
    const Matrix3<S> o = diagonal3(S(0));
    return {matrix6<S>(o, o, o, o)};
  }

  BodyOperator& operator+=(const BodyOperator& b) {
    for (int i = 0; i < 36; ++i) matrix(i) += b.matrix(i);
    return *this;
  }
  /// Moves the operator to the point c, column by column: unit motions about c are mapped to forces about c.
  friend BodyOperator about(const BodyOperator& B, const Vector3<S>& c) {
    BodyOperator out;
    for (int k = 0; k < 6; ++k) {
      Vector6<S> unit;
      for (int i = 0; i < 6; ++i) unit[i] = S(i == k ? 1 : 0);
      const Vector6<S> column = about(B * about(Motion<S>::from(unit), -c), c).vector();
      for (int i = 0; i < 6; ++i) out.matrix(i, k) = column[i];
    }
    return out;
  }
  friend Force<S> operator*(const BodyOperator& B, const Motion<S>& W) { return B.times(W, B.matrix.data(), 1, 6); }
  /// Returns B^T W.
  Force<S> transpose_times(const Motion<S>& W) const { return times(W, matrix.data(), 6, 1); }

 private:
  static Force<S> times(const Motion<S>& W, const S* a, int row, int column) {
    const auto component = [&](int i) {
      S sum = a[i * row] * W.angular[0];
      for (int j = 1; j < 6; ++j) sum += a[i * row + j * column] * (j < 3 ? W.angular[j] : W.linear[j - 3]);
      return sum;
    };
    return {{component(0), component(1), component(2)}, {component(3), component(4), component(5)}};
  }
};

}}  // namespace corio
