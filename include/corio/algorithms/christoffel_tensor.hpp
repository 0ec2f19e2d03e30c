#pragma once

#include "corio/columns/page_layout.hpp"
#include "corio/columns/strips.hpp"
#include "corio/core/tensor3.hpp"

namespace corio {
namespace detail {

/// @throws SizeError for tensors of models of different sizes, StateError for those of two models of one size: entries
/// of unrelated degrees of freedom are zero since construction, so another tree will not do.
inline void check_same_tree(std::uint64_t wanted, std::uint64_t given, int wanted_size, int given_size,
                            const std::string& wanted_name, const char* what) {
  if (wanted == given) return;
  const std::string text = join({"a tensor of ", what, " of ", std::to_string(given_size),
                                 " degrees of freedom was made for another model than '", wanted_name, "', which has ",
                                 std::to_string(wanted_size)});
  if (wanted_size != given_size) throw SizeError(text);
  throw StateError(text);
}

}  // namespace detail

template <class S>
class PackedChristoffelTensor;

/// Christoffel symbols of the first kind of a model's mass matrix, all nv^3 of them: Gamma(i,j,k) is i's component of
/// the force that turns the motion along j as the configuration moves along k, so that
///   C(i,j) = sum_k Gamma(i,j,k) v_k,   Gamma(i,j,k) + Gamma(j,i,k) = dM(i,j) along k.
/// Symmetric in j, k unless these are of one joint whose degrees of freedom do not commute (structure_constants.hpp).
/// Filled by christoffel_symbols; for fewer numbers see PackedChristoffelTensor.
template <class S>
class ChristoffelTensor {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit ChristoffelTensor(const Model<S>& model)
      : symbols_(model.nv()), layout_(model), tree_stamp_(model.tree_stamp()) {}

  int size() const { return symbols_.size(); }
  const S& operator()(int i, int j, int k) const { return symbols_(i, j, k); }
  /// Gamma(i,:,:), contiguous: symmetric where all degrees of freedom commute.
  auto page(int i) const { return symbols_.page(i); }
  /// Gamma(:,:,k), the Coriolis matrix for the unit velocity of k.
  auto along(int k) const { return symbols_.along(k); }
  const Tensor3<S>& tensor() const { return symbols_; }

  /// C(i,j) = sum_k Gamma(i,j,k) v_k. Allocates only to size C.
  void contract(VectorIn<S> v, MatrixX<S>& C) const { symbols_.contract(v, C); }
  /// c = C(v) w. Allocates only to size c.
  void contract(VectorIn<S> v, VectorIn<S> w, VectorX<S>& c) const { symbols_.contract(v, w, c); }

  /// @throws SizeError or StateError for a tensor of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), size(), model.name(), "Christoffel symbols");
  }
  std::uint64_t tree_stamp() const { return tree_stamp_; }

 private:
  friend detail::Access;
  friend class PackedChristoffelTensor<S>;

  // How the algorithms write, unless page by page (christoffel_pages.hpp): strip by strip. For two degrees of freedom
  // i, j, the joint of i at or above that of j, and all k of the subtree of j's joint, a strip holds
  //   a(k) = Gamma(i,k,j)   and   b(k) = Gamma(j,k,i),   but for i and j of one joint   b(k) = -Gamma(k,j,i).
  // All symbols follow from these, because degrees of freedom of different joints commute, which makes Gamma symmetric
  // in the last two indices, and because Gamma(j,k,i) + Gamma(k,j,i), the derivative of M(j,k) along i, is zero for an
  // i above both. What no strip reaches stays zero.
  class Strip {
   public:
    Strip(Tensor3<S>& symbols, int i, int j, bool one_joint)
        : n_(symbols.size()),
          nn_(n_ * n_),
          i_(symbols.data() + i * nn_),
          j_(symbols.data() + j * nn_),
          ij_(symbols.data() + i * n_ + j),
          ji_(symbols.data() + j * n_ + i),
          i_offset_(i),
          j_offset_(j),
          one_joint_(one_joint) {}

    /// A block of neighbours from k on, all below the joint of j or, with b = 0, j itself if that is all of its joint.
    template <int n>
    CORIO_INLINE void store(int k, detail::Count<n> count, const detail::BlockType<S>& a,
                            const detail::BlockType<S>& b) const {
      using detail::store_line;
      store_line<S>(ij_ + k * nn_, nn_, count, -b);          // (k,j,i)
      store_line<S>(i_ + j_offset_ * n_ + k, count, a);      // (i,k,j)
      store_line<S>(i_ + k * n_ + j_offset_, n_, count, a);  // (i,j,k)
      if (one_joint_) return;
      store_line<S>(j_ + i_offset_ * n_ + k, count, b);      // (j,k,i)
      store_line<S>(j_ + k * n_ + i_offset_, n_, count, b);  // (j,i,k)
      store_line<S>(ji_ + k * nn_, nn_, count, -b);          // (k,i,j)
    }
    /// k of the joint of j itself.
    CORIO_INLINE void store_own(int k, const S& a, const S& b) const {
      i_[j_offset_ * n_ + k] = a;
      if (!one_joint_) j_[i_offset_ * n_ + k] = j_[k * n_ + i_offset_] = b;
    }

   private:
    Eigen::Index n_, nn_;
    S *i_, *j_, *ij_, *ji_;  // page i, page j, (0,j,i), (0,i,j)
    Eigen::Index i_offset_, j_offset_;
    bool one_joint_;
  };
  Strip strip(int i, int j, bool one_joint) { return {symbols_, i, j, one_joint}; }
  void set(int i, int j, int k, const S& x) { symbols_(i, j, k) = x; }
  void add(int i, int j, int k, const S& x) { symbols_(i, j, k) += x; }

  Tensor3<S> symbols_;
  detail::PageLayout<S> layout_;
  std::uint64_t tree_stamp_;
};

}  // namespace corio
