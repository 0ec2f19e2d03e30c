#pragma once

#include <algorithm>
#include <vector>

#include "corio/kernels/articulated_factor.hpp"
#include "corio/kernels/pairs.hpp"
#include "corio/simd/column_lanes.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Computes x - V . F in a chain of four operations, since each degree of freedom waits for the result of the one
/// before.
template <class P, int n>
CORIO_INLINE ColumnLanes<P, n> minus_dot(const ColumnLanes<P, n>& x, const Motion<ColumnLanes<P, n>>& V,
                                         const Force<ColumnLanes<P, n>>& F) {
  using N = ColumnLanes<P, n>;
  const N *w = V.angular.data(), *v = V.linear.data(), *m = F.moment.data(), *f = F.force.data();
  return ((x - w[0] * m[0] - w[1] * m[1]) - (w[2] * m[2] + v[0] * f[0])) - (v[1] * f[1] + v[2] * f[2]);
}

/// Solves M X = B for several columns side by side, with the factor of M: products with M^-1, and M^-1 itself.
template <class S>
class ArticulatedColumns {
 public:
  explicit ArticulatedColumns(const Model<S>& m)
      : wide_(m),
        narrow_(m),
        block_(zeros<S>(m.nv() * Wide::width)),
        rows_(MatrixX<S>::Zero(m.nv() + Wide::width - 1, m.nv() + group_padding<S>)) {}

  /// Computes X = M^-1 B or, with sign -1, -M^-1 B; X may be B. O(n) per column.
  template <int sign = 1, class In, class Out>
  void solve(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor, const In& B, Out&& X);
  /// Computes M^-1, both triangles. O(n^2).
  void inverse(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor, MatrixX<S>& M_inverse);

 private:
  using Pack = Lanes<S, longest_group<S>>;
  using Wide = ColumnLanes<Pack, Pack::width == 1 && states_of<S> == 1 ? 1 : 2>;
  using Narrow = ColumnLanes<Pack, 1>;
  /// Some columns x, whose row k begins at x + k stride.
  template <class N>
  struct Block {
    using Number = N;
    S* x;
    std::ptrdiff_t stride;
    CORIO_INLINE N operator[](int k) const { return N::load(x + k * stride); }
    CORIO_INLINE void set(int k, const N& value) const { value.store(x + k * stride); }
    template <class V>
    CORIO_INLINE static auto read(const V& v) {
      return broadcast<N>(v);
    }
  };
  /// The force p and the acceleration a of each node.
  template <class N>
  struct Sums {
    using Number = N;
    PerNode<Force<N>> force;
    PerNode<Motion<N>> acceleration;
    explicit Sums(const Model<S>& m) : force(m.num_nodes()), acceleration(m.num_nodes()) {}
  };

  /// Calls f(sums, begin, end) for n columns, a block at a time. The columns that do not fill a block come first: in a
  /// triangle they have the shortest way to the ground.
  template <class F>
  void for_blocks(int n, F&& f) {
    const int rest = n % Wide::width;
    if (rest > Narrow::width)
      f(wide_, 0, rest);
    else if (rest > 0)
      f(narrow_, 0, rest);
    for (int j = rest; j < n; j += Wide::width) f(wide_, j, j + Wide::width);
  }
  template <class N>
  void sweep_inward(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor, const Block<N>& x,
                    Sums<N>& sums);
  template <class N>
  void sweep_units_inward(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor,
                          const Block<N>& x, int j, int end);

  Sums<Wide> wide_;
  Sums<Narrow> narrow_;
  VectorX<S> block_;
  MatrixX<S> rows_;  // room for a matrix with some more columns
};

template <class S>
template <int sign, class In, class Out>
void ArticulatedColumns<S>::solve(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor,
                                  const In& B, Out&& X) {
  for_blocks(static_cast<int>(B.cols()), [&](auto& sums, int begin, int end) {
    using N = typename std::remove_reference_t<decltype(sums)>::Number;
    const Block<N> x{block_.data(), N::width};
    for (int c = begin; c < end; ++c)
      for (int k = 0; k < model.nv(); ++k) block_[k * N::width + c - begin] = sign < 0 ? S(-B(k, c)) : S(B(k, c));
    sweep_inward(model, data, factor, x, sums);
    sweep_outward(model, data, factor, x, model.nv(), sums.acceleration);
    for (int c = begin; c < end; ++c)
      for (int k = 0; k < model.nv(); ++k) X(k, c) = block_[k * N::width + c - begin];
  });
}

template <class S>
template <class N>
void ArticulatedColumns<S>::sweep_inward(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor,
                                         const Block<N>& x, Sums<N>& sums) {
  auto children = children_sum<Force<N>>(model, sums.force);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    Force<N> p = Force<N>::zero();
    children.add_to(p, b);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const N u = minus_dot(x[k], x.read(data.phi[k]), p);
      p += x.read(factor.U_by_d[k]) * u;
      x.set(k, u * N::all(factor.reciprocal_d[k]));
    }
    children.pass_to_parent(p, b);
  }
}

/// Sweeps inward for columns j to end - 1 of the identity, in degrees of freedom before `end`. Since these columns are
/// neighbours, one p serves all branches: columns of other subtrees are set to zero.
template <class S>
template <class N>
void ArticulatedColumns<S>::sweep_units_inward(const Model<S>& model, const Data<S>& data,
                                               const ArticulatedFactor<S>& factor, const Block<N>& x, int j, int end) {
  Force<N> p = Force<N>::zero();
  for (int k = end - 1; k >= 0; --k) {
    const int last = model.subtree_end(k);
    if (last <= j) {
      x.set(k, N::all(S(0)));
      continue;
    }
    N u = minus_dot(k >= j ? N::unit(k - j) : N::all(S(0)), x.read(data.phi[k]), p);
    if (last < end) u = u.keep(last - j);
    p += x.read(factor.U_by_d[k]) * u;
    x.set(k, u * N::all(factor.reciprocal_d[k]));
  }
}

/// Writes columns of the triangle at and below the diagonal as rows of the triangle above, since M^-1 is symmetric. A
/// block is written as a whole, even beyond `end` or the matrix.
template <class S>
void ArticulatedColumns<S>::inverse(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor,
                                    MatrixX<S>& M_inverse) {
  MatrixX<S>& lower = model.nv() >= Wide::width ? M_inverse : rows_;
  for_blocks(model.nv(), [&](auto& sums, int j, int end) {
    using N = typename std::remove_reference_t<decltype(sums)>::Number;
    const Block<N> x{lower.data() + j, lower.rows()};
    sweep_units_inward(model, data, factor, x, j, end);
    sweep_outward(model, data, factor, x, end, sums.acceleration);
  });
  fill_symmetric(M_inverse, lower.data(), lower.rows());
}

/// Computes several rows of K L^-1, for rows of K that are zero except on the paths from a few degrees of freedom to
/// the ground: each degree of freedom absorbs a part of the force of a row and passes on the rest.
template <class S>
class SeveralRows {
  using Rows = ColumnLanes<Lanes<S>, (5 + group_size<S>) / group_size<S>>;

 public:
  static constexpr int count = Rows::width;  // at least six

  /// Adds the path from a degree of freedom to the ground; -1, the ground itself, adds none.
  void start(int dof) {
    if (dof >= 0) fronts_.push_back({dof, Force<Rows>::zero()});
  }
  bool empty() const { return fronts_.empty(); }
  /// Eliminates the last degree of freedom that is left on the paths, and writes its numbers.
  /// @returns this degree of freedom
  int eliminate(const Model<S>& model, const Data<S>& data, const ArticulatedFactor<S>& factor, const MatrixX<S>& K,
                int first_row, S* out) {
    const auto last = std::ranges::max_element(fronts_, {}, &Front::dof);
    const int k = last->dof, parent = model.parent_dof(k);
    const Rows w = minus_dot(Rows::load(&K(first_row, k)), broadcast<Rows>(data.phi[k]), last->force);
    w.store(out);
    last->force += broadcast<Rows>(factor.U_by_d[k]) * w;
    const auto other = std::ranges::find(fronts_, parent, &Front::dof);
    last->dof = parent;
    if (parent >= 0 && other == fronts_.end()) return k;
    if (parent >= 0) other->force += last->force;
    *last = fronts_.back();
    fronts_.pop_back();
    return k;
  }

 private:
  struct Front {
    int dof;  // the next one to be eliminated
    Force<Rows> force;
  };
  std::vector<Front> fronts_;
};

}}}  // namespace corio::detail
