#pragma once

#include "corio/algorithms/christoffel_symbols.hpp"

namespace corio {

/// Derivatives of the mass matrix along the degrees of freedom, all nv^3 of them: D_l M(i,j) as q moves along l, that
/// is integrate(q, e e_l), in (i,j,l). Symmetric in i and j; zero unless i, j and l are related, and for an l whose
/// joint is at or above those of i and j, unless its axes move in the body. Filled by mass_matrix_derivatives.
template <class S>
class MassMatrixDerivatives {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit MassMatrixDerivatives(const Model<S>& model) : entries_(model.nv()), tree_stamp_(model.tree_stamp()) {}

  int size() const { return entries_.size(); }
  const S& operator()(int i, int j, int l) const { return entries_(i, j, l); }
  /// D_l M, nv x nv.
  auto along(int l) const { return entries_.along(l); }
  const Tensor3<S>& tensor() const { return entries_; }
  /// Mdot(i,j) = sum_l D_l M(i,j) v_l. Allocates only to size Mdot.
  void contract(VectorIn<S> v, MatrixX<S>& Mdot) const { entries_.contract(v, Mdot); }

  /// @throws SizeError or StateError for an object of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), size(), model.name(),
                            "derivatives of the mass matrix");
  }

 private:
  friend detail::Access;

  // What the strips of christoffel_symbols hold, a(k) = Gamma(i,k,j) and b(k) = Gamma(j,k,i), is all it takes: for i
  // above j above k, as D_l M(i,j) = Gamma(i,j,l) + Gamma(j,i,l),
  //   D_k M(i,j) = a + b,   D_j M(i,k) = a - b,   D_i M(j,k) = 0.
  class Strip {
   public:
    Strip(Tensor3<S>& T, int i, int j, bool one_joint)
        : n_(T.size()),
          ij_(T.data() + (i * n_ * n_ + j)),
          ji_(T.data() + (j * n_ * n_ + i)),
          along_j_(T.data() + (i * n_ * n_ + j * n_)),
          transposed_(T.data() + (j * n_ + i)),
          one_joint_(one_joint) {}

    template <int n>
    CORIO_INLINE void store(int k, detail::Count<n> count, const detail::BlockType<S>& a,
                            const detail::BlockType<S>& b) const {
      using detail::store_line;
      const detail::BlockType<S> sum = a + b;
      const detail::BlockType<S> difference = one_joint_ ? detail::Block<S>::zero() : detail::BlockType<S>(a - b);
      store_line<S>(ij_ + k * n_, n_, count, sum);
      store_line<S>(ji_ + k * n_, n_, count, sum);
      // Last, as k may be j.
      store_line<S>(along_j_ + k, count, difference);
      store_line<S>(transposed_ + k * n_ * n_, n_ * n_, count, difference);
    }
    CORIO_INLINE void store_own(int k, const S& a, const S& b) const {
      along_j_[k] = transposed_[k * n_ * n_] = one_joint_ ? S(0) : S(a - b);
    }

   private:
    Eigen::Index n_;
    S *ij_, *ji_, *along_j_, *transposed_;  // (i,j,0), (j,i,0), (i,0,j), (0,i,j)
    bool one_joint_;
  };
  Strip strip(int i, int j, bool one_joint) { return {entries_, i, j, one_joint}; }
  void add(int i, int j, int k, const S& x) { entries_(i, j, k) += x, entries_(j, i, k) += x; }

  Tensor3<S> entries_;
  std::uint64_t tree_stamp_;
};

/// The same derivatives in the smallest storage: only those of related i, j, l, and each number once. Two per triple of
/// joints, which fill faster than the nv^3.
template <class S>
class PackedMassMatrixDerivatives {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit PackedMassMatrixDerivatives(const Model<S>& model) : symbols_(model) {}

  int size() const { return symbols_.size(); }
  /// How many numbers are stored.
  Eigen::Index stored() const { return symbols_.stored(); }
  /// D_l M(i,j), O(1).
  S operator()(int i, int j, int l) const { return symbols_(i, j, l) + symbols_(j, i, l); }
  /// Mdot(i,j) = sum_l D_l M(i,j) v_l. O(n d^2). Allocates only to size Mdot.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& Mdot) const {
    symbols_.contract(v, Mdot);
    for (int i = 0; i < size(); ++i)
      for (int j = 0; j <= i; ++j) Mdot(i, j) = Mdot(j, i) = Mdot(i, j) + Mdot(j, i);
  }

  /// @throws SizeError or StateError for an object of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), symbols_.tree_stamp(), model.nv(), size(), model.name(),
                            "derivatives of the mass matrix");
  }

 private:
  friend detail::Access;

  // How the algorithm writes.
  auto strip(int i, int j, bool one_joint) { return detail::Access::strip(symbols_, i, j, one_joint); }
  void add(int i, int j, int k, const S& x) { detail::Access::add(symbols_, i, j, k, x); }

  PackedChristoffelTensor<S> symbols_;
};

/// D_l M(i,j), for joints of every type. By the strips of christoffel_symbols, which hold two numbers per triple of
/// degrees of freedom, as many as the derivatives have. Armature is constant and does not enter.
///
/// @param out  MassMatrixDerivatives or PackedMassMatrixDerivatives of this model
/// @throws SizeError, StateError for an object of another model. O(n d^2), no allocation.
/// Source: Wensing and Slotine (2023): compatibility of the connection with the metric, D_l M(i,j) = Gamma(i,j,l) +
/// Gamma(j,i,l).
template <class S, class Tensor>
void mass_matrix_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, Tensor& out) {
  out.check_fits(model);
  forward_kinematics(model, data, q);
  mass_matrix_derivatives(model, data, out);
}

/// The same for the configuration of the last forward_kinematics.
/// @throws StateError without it
template <class S, class Tensor>
void mass_matrix_derivatives(const Model<S>& model, Data<S>& data, Tensor& out) {
  data.require(model, Pass::position, "mass_matrix_derivatives");
  christoffel_symbols(model, data, out);
}

}  // namespace corio
