#pragma once

#include "corio/algorithms/christoffel_tensor.hpp"
#include "corio/columns/strip_layout.hpp"

namespace corio {

/// The symbols of ChristoffelTensor in the smallest storage: only those of related i, j, k (all on one way from the
/// ground to a leaf), each value that several of them share once. Two numbers per triple of joints, about a third of
/// n^3 for a chain and O(n d^2) for a tree; filling it is also faster. Layout: the strips of ChristoffelTensor::Strip,
/// for each j, the joints nearest the leaves first, those of all i down to the ground.
template <class S>
class PackedChristoffelTensor {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit PackedChristoffelTensor(const Model<S>& model)
      : tree_stamp_(model.tree_stamp()), layout_(model), half_(layout_.stored() + detail::block_padding<S>) {
    data_.setZero(2 * half_);
  }

  int size() const { return layout_.size(); }
  /// How many numbers are stored.
  Eigen::Index stored() const { return data_.size() - 2 * detail::block_padding<S>; }

  /// Gamma(i,j,k), O(1).
  S operator()(int i, int j, int k) const {
    const auto [at, sign] = locate(i, j, k);
    return sign == 0 ? S(0) : sign > 0 ? data_[at] : S(-data_[at]);
  }

  /// C(i,j) = sum_k Gamma(i,j,k) v_k. O(n d^2). Allocates only to size C.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& C) const {
    detail::check_size("v", v.size(), size());
    C.setZero(size(), size());
    for_each([&](int i, int j, int k, const S& x) { C(i, j) += x * v[k]; });
  }
  /// c = C(v) w, c_i = sum_jk Gamma(i,j,k) w_j v_k. O(n d^2). Allocates only to size c.
  /// @throws SizeError
  void contract(VectorIn<S> v, VectorIn<S> w, VectorX<S>& c) const {
    detail::check_size("v", v.size(), size());
    detail::check_size("w", w.size(), size());
    c.setZero(size());
    for_each([&](int i, int j, int k, const S& x) { c[i] += x * w[j] * v[k]; });
  }

  /// Copies to and from all n^3 symbols.
  /// @throws SizeError, StateError if the other is of another model
  void unpack(ChristoffelTensor<S>& out) const {
    check_same(out);
    for_each([&](int i, int j, int k, const S& x) { out.set(i, j, k, x); });
  }
  void pack(const ChristoffelTensor<S>& from) {
    check_same(from);
    for_each([&](int i, int j, int k, const S&) {
      const auto [at, sign] = locate(i, j, k);
      data_[at] = sign > 0 ? from(i, j, k) : S(-from(i, j, k));
    });
  }

  /// @throws SizeError or StateError for a tensor of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), size(), model.name(), "Christoffel symbols");
  }
  std::uint64_t tree_stamp() const { return tree_stamp_; }

 private:
  friend detail::Access;

  // How the algorithms write, as in ChristoffelTensor. The a(k) of all strips are in the order in which they are
  // written, then the b(k), so a whole block may be written where less is left of its strip: the next one comes later.
  class Strip {
   public:
    Strip(S* a, S* b) : a_(a), b_(b) {}
    template <int n>
    CORIO_INLINE void store(int k, detail::Count<n>, const detail::BlockType<S>& a,
                            const detail::BlockType<S>& b) const {
      detail::Block<S>::store(a_ + k, a);
      detail::Block<S>::store(b_ + k, b);
    }
    CORIO_INLINE void store_own(int k, const S& a, const S& b) const { a_[k] = a, b_[k] = b; }

   private:
    S *a_, *b_;
  };
  Strip strip(int i, int j, bool) {
    S* const a = data_.data() + at(i, j, 0, 0);
    return {a, a + half_};
  }
  void add(int i, int j, int k, const S& x) {
    const auto [at, sign] = locate(i, j, k);
    sign > 0 ? data_[at] += x : data_[at] -= x;
  }

  const detail::StripLayout::Dof& dof(int k) const { return layout_.dof(k); }
  bool one_joint(int i, int j) const { return layout_.one_joint(i, j); }
  bool above(int i, int k) const { return layout_.above(i, k); }
  /// Of a(k) or b(k) in the strip of i, j.
  Eigen::Index at(int i, int j, int b, int k) const { return b * half_ + layout_.at(i, j, k); }

  struct Place {
    Eigen::Index at;
    int sign;  // 0: not stored, zero
  };
  Place locate(int i, int j, int k) const {
    if (!above(std::min(j, k), std::max(j, k))) return {0, 0};
    const bool j_first = j < k && !one_joint(j, k);
    const int upper = j_first ? j : k, lower = j_first ? k : j;
    if (above(i, upper)) return {at(i, upper, 0, lower), 1};
    if (above(upper, i) && above(i, lower)) return {at(upper, i, 1, lower), 1};
    if (above(upper, i) && above(lower, i)) return {at(upper, lower, 1, i), -1};
    return {0, 0};
  }

  /// f(i, j, k, Gamma(i,j,k)) for every triple of related degrees of freedom.
  template <class F>
  void for_each(F&& f) const {
    for (int j = 0; j < size(); ++j)
      for (int i = dof(j).own_end - 1; i >= 0; i = dof(i).parent) {
        const S* const a = data_.data() + at(i, j, 0, 0);
        const S* const b = a + half_;
        const bool same = one_joint(i, j);
        for (int k = dof(j).begin; k < dof(j).end; ++k) {
          f(i, k, j, a[k]);
          const bool own = k < dof(j).own_end;
          if (!own) f(i, j, k, a[k]), f(k, j, i, S(-b[k]));
          if (same) continue;
          f(j, k, i, b[k]), f(j, i, k, b[k]);
          if (!own) f(k, i, j, S(-b[k]));
        }
      }
  }

  void check_same(const ChristoffelTensor<S>& other) const {
    if (other.tree_stamp() == tree_stamp_) return;
    const std::string text =
        detail::join({"the dense tensor of Christoffel symbols was made for another model: it has ",
                      std::to_string(other.size()), " degrees of freedom, the packed one ", std::to_string(size())});
    if (other.size() != size()) throw SizeError(text);
    throw StateError(text);
  }

  std::uint64_t tree_stamp_;
  detail::StripLayout layout_;
  Eigen::Index half_;  // from a(k) to b(k)
  VectorX<S> data_;
};

}  // namespace corio
