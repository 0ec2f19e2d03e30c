#pragma once

#include "corio/kinematics/data.hpp"

/// One degree of freedom against blocks of columns of a contiguous range of others.
namespace corio::detail {

/// The algorithms' way into what they fill for the caller: strips or pages to write to, columns to work with.
struct Access {
  template <class T>
  CORIO_INLINE static auto strip(T& out, int i, int j, bool one_joint) {
    return out.strip(i, j, one_joint);
  }
  template <class T>
  CORIO_INLINE static auto strip(T& out, int i, int j) {
    return out.strip(i, j);
  }
  template <class T, class S>
  CORIO_INLINE static void add(T& out, int i, int j, int k, const S& x) {
    out.add(i, j, k, x);
  }
  template <class T>
  static auto& pages(T& out) {
    return out.symbols_;
  }
  template <class T>
  static const auto& layout(const T& out) {
    return out.layout_;
  }
  template <class T>
  static auto& columns(T& out) {
    return out.columns_;
  }
};

/// The coordinates of a column as plain numbers, so that they stay in registers.
template <class S>
struct Coordinates {
  S x[6];
  explicit Coordinates(const Motion<S>& m)
      : x{m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]} {}
};

/// Coriolis operators in the columns from k on: B V, and the moment of B^T V.
template <class N, class Operators>
CORIO_INLINE Matrix3<N> rotational(const Operators& B, int k) {
  return from_columns<N>(B.template vector<N>(k), B.template vector<N>(k, 3), B.template vector<N>(k, 6));
}
template <class N, class Operators>
CORIO_INLINE Force<N> times(const Operators& B, const Motion<N>& V, int k) {
  return {rotational<N>(B, k) * V.angular, cross(V.angular, B.template vector<N>(k, 9))};
}
template <class N, class Operators>
CORIO_INLINE Vector3<N> transpose_moment(const Operators& B, const Motion<N>& V, int k) {
  return transpose_times(rotational<N>(B, k), V.angular) - cross(V.linear, B.template vector<N>(k, 9));
}

/// Blocks of the forces F1 = B V (rows 0 to 5) and moments F2 = B^T V (6 to 8) that BodyCoriolis operators B make of
/// one motion V. Block by block in memory, so that a loop over them needs one pointer.
template <class S>
class OperatorBlocks {
 public:
  static constexpr int rows = 9, size = rows * Block<S>::width;
  explicit OperatorBlocks(S* memory) : x_(memory) {}

  /// F2 = 0 in the first lane.
  void clear_first_moment() const {
    repeat<3>([&](int r) CORIO_INLINE_LAMBDA { x_[(6 + r) * Block<S>::width] = S(0); });
  }

  CORIO_INLINE const S* row(int r) const { return x_ + r * Block<S>::width; }
  CORIO_INLINE void next() { x_ += size; }

  /// For the operators in columns k, k + 1, ..: T = tr(P) 1 - P, column by column, and f.
  CORIO_INLINE void set(const S (&V)[6], const Columns<S, 12>& operators, int k) const {
    using B = Block<S>;
    const auto T = [&](int i, int j) CORIO_INLINE_LAMBDA { return B::load(operators.row(i + 3 * j) + k); };
    const auto put = [&](int r, const BlockType<S>& x) CORIO_INLINE_LAMBDA { B::store(x_ + r * B::width, x); };
    const BlockType<S> f0 = B::load(operators.row(9) + k);
    const BlockType<S> f1 = B::load(operators.row(10) + k);
    const BlockType<S> f2 = B::load(operators.row(11) + k);
    repeat<3>([&](int i) CORIO_INLINE_LAMBDA { put(i, V[0] * T(i, 0) + V[1] * T(i, 1) + V[2] * T(i, 2)); });
    put(3, V[1] * f2 - V[2] * f1);
    put(4, V[2] * f0 - V[0] * f2);
    put(5, V[0] * f1 - V[1] * f0);
    const auto n = [&](int j) CORIO_INLINE_LAMBDA {
      // Not the expression, which over autodiff scalars would refer to temporaries.
      const BlockType<S> x = V[0] * T(0, j) + V[1] * T(1, j) + V[2] * T(2, j);
      return x;
    };
    put(6, n(0) + (V[5] * f1 - V[4] * f2));
    put(7, n(1) + (V[3] * f2 - V[5] * f0));
    put(8, n(2) + (V[4] * f0 - V[3] * f1));
  }

  /// x . F1, and the angular part of x times F2.
  CORIO_INLINE BlockType<S> dot_force(const S (&x)[6]) const {
    BlockType<S> sum = x[0] * Block<S>::load(row(0));
    repeat<5>([&](int r) CORIO_INLINE_LAMBDA { sum += x[r + 1] * Block<S>::load(row(r + 1)); });
    return sum;
  }
  CORIO_INLINE BlockType<S> dot_moment(const S (&x)[6]) const {
    using B = Block<S>;
    return x[0] * B::load(row(6)) + x[1] * B::load(row(7)) + x[2] * B::load(row(8));
  }

 private:
  S* x_;
};

}  // namespace corio::detail
