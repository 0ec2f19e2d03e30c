#pragma once

#include "corio/columns/coriolis_derivative_strips.hpp"
#include "corio/columns/strip_layout.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio {

/// Derivatives of the Coriolis matrix along the degrees of freedom, all nv^3 of them: D_l C(i,j) as q moves along l,
/// that is integrate(q, e e_l), at constant v, in (i,j,l). Zero unless i, j and l are related. Filled by
/// coriolis_matrix_derivatives. The derivatives by v are the Christoffel symbols, dC(i,j)/dv_l = Gamma(i,j,l).
template <class S>
class CoriolisMatrixDerivatives {
  using Block = detail::BlockType<S>;

 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit CoriolisMatrixDerivatives(const Model<S>& model)
      : entries_(model.nv()), tree_stamp_(model.tree_stamp()), columns_(model.nv()) {}

  int size() const { return entries_.size(); }
  const S& operator()(int i, int j, int l) const { return entries_(i, j, l); }
  /// D_l C, nv x nv.
  auto along(int l) const { return entries_.along(l); }
  const Tensor3<S>& tensor() const { return entries_; }
  /// out(i,j) = sum_l D_l C(i,j) x_l. Allocates only to size out.
  void contract(VectorIn<S> x, MatrixX<S>& out) const { entries_.contract(x, out); }

  /// @throws SizeError or StateError for an object of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), size(), model.name(),
                            "derivatives of the Coriolis matrix");
  }

 private:
  friend detail::Access;

  // How the algorithm writes: strips for g and a, a's joint at or above that of g, with columns k of g's subtree.
  class Strip {
   public:
    Strip(Tensor3<S>& T, int g, int a) : n_(T.size()), nn_(n_ * n_), out_(T.data()), g_(g), a_(a) {}
    template <int n>
    CORIO_INLINE void store_below(int k, detail::Count<n> count, const Block& lower, const Block& upper) const {
      detail::store_line<S>(out_ + (g_ * nn_ + k * n_ + a_), n_, count, lower);  // (g,a,k)
      detail::store_line<S>(out_ + (a_ * nn_ + k * n_ + g_), n_, count, upper);  // (a,g,k)
    }
    template <int n>
    CORIO_INLINE void store_skew(int k, detail::Count<n> count, const Block& skew) const {
      detail::store_line<S>(out_ + (g_ * nn_ + a_ * n_ + k), count, skew);        // (g,k,a)
      detail::store_line<S>(out_ + (k * nn_ + a_ * n_ + g_), nn_, count, -skew);  // (k,g,a)
    }
    template <int n>
    CORIO_INLINE void store_along(int k, detail::Count<n> count, const Block& upper, const Block& lower) const {
      detail::store_line<S>(out_ + (a_ * nn_ + g_ * n_ + k), count, upper);       // (a,k,g)
      detail::store_line<S>(out_ + (k * nn_ + g_ * n_ + a_), nn_, count, lower);  // (k,a,g)
    }

   private:
    std::ptrdiff_t n_, nn_;
    S* out_;
    std::ptrdiff_t g_, a_;
  };
  Strip strip(int g, int a) { return {entries_, g, a}; }

  Tensor3<S> entries_;
  std::uint64_t tree_stamp_;
  detail::CoriolisDerivativeColumns<S> columns_;  // of the algorithm
};

/// The same derivatives for related i, j and l only: five numbers per triple of joints, far fewer than nv^3 for a tree,
/// and written to contiguous memory, which is faster for long chains.
template <class S>
class PackedCoriolisMatrixDerivatives {
  using Block = detail::BlockType<S>;

 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit PackedCoriolisMatrixDerivatives(const Model<S>& model)
      : layout_(model), tree_stamp_(model.tree_stamp()), columns_(model.nv()) {
    data_.setZero(kinds * layout_.stored());
  }

  int size() const { return layout_.size(); }
  /// How many numbers are stored.
  Eigen::Index stored() const { return data_.size(); }

  /// D_l C(i,j), O(1).
  S operator()(int i, int j, int l) const {
    if (strictly_above(i, l) && strictly_above(j, l))
      return layout_.above(j, i) ? at(lower, i, j, l) : layout_.above(i, j) ? at(upper, j, i, l) : S(0);
    if (layout_.above(l, i) && layout_.above(l, j))
      return layout_.above(i, j) ? at(skew, i, l, j) : layout_.above(j, i) ? S(-at(skew, j, l, i)) : S(0);
    if (strictly_above(i, l) && layout_.above(l, j)) return at(upper_along, l, i, j);
    if (strictly_above(j, l) && layout_.above(l, i)) return at(lower_along, l, j, i);
    return S(0);
  }

  /// out(i,j) = sum_l D_l C(i,j) x_l. O(n d^2). Allocates only to size out.
  /// @throws SizeError
  void contract(VectorIn<S> x, MatrixX<S>& out) const {
    detail::check_size("x", x.size(), size());
    out.setZero(size(), size());
    for (int g = 0; g < size(); ++g)
      for (int a = layout_.dof(g).own_end - 1; a >= 0; a = layout_.dof(a).parent) {
        const bool one_joint = layout_.one_joint(g, a);
        for (int k = layout_.dof(g).begin; k < layout_.dof(g).end; ++k) {
          const bool own = k < layout_.dof(g).own_end;
          if (!own) out(g, a) += at(lower, g, a, k) * x[k];
          if (!own && !one_joint) out(a, g) += at(upper, g, a, k) * x[k];
          out(g, k) += at(skew, g, a, k) * x[a];
          if (!own) out(k, g) -= at(skew, g, a, k) * x[a];
          if (one_joint) continue;
          out(a, k) += at(upper_along, g, a, k) * x[g];
          out(k, a) += at(lower_along, g, a, k) * x[g];
        }
      }
  }

  /// @throws SizeError or StateError for an object of another model
  void check_fits(const Model<S>& model) const {
    detail::check_same_tree(model.tree_stamp(), tree_stamp_, model.nv(), size(), model.name(),
                            "derivatives of the Coriolis matrix");
  }

 private:
  friend detail::Access;

  enum Kind { lower, upper, skew, upper_along, lower_along, kinds };

  // How the algorithm writes.
  class Strip {
   public:
    Strip(S* first, Eigen::Index kind) : first_(first), kind_(kind) {}
    template <int n>
    CORIO_INLINE void store_below(int k, detail::Count<n> count, const Block& x, const Block& y) const {
      detail::store_line<S>(first_ + (lower * kind_ + k), count, x);
      detail::store_line<S>(first_ + (upper * kind_ + k), count, y);
    }
    template <int n>
    CORIO_INLINE void store_skew(int k, detail::Count<n> count, const Block& x) const {
      detail::store_line<S>(first_ + (skew * kind_ + k), count, x);
    }
    template <int n>
    CORIO_INLINE void store_along(int k, detail::Count<n> count, const Block& x, const Block& y) const {
      detail::store_line<S>(first_ + (upper_along * kind_ + k), count, x);
      detail::store_line<S>(first_ + (lower_along * kind_ + k), count, y);
    }

   private:
    S* first_;
    Eigen::Index kind_;
  };
  Strip strip(int g, int a) { return {data_.data() + layout_.at(a, g, 0), layout_.stored()}; }

  bool strictly_above(int i, int k) const { return layout_.above(i, k) && !layout_.one_joint(i, k); }
  const S& at(Kind kind, int g, int a, int k) const { return data_[kind * layout_.stored() + layout_.at(a, g, k)]; }

  detail::StripLayout layout_;
  std::uint64_t tree_stamp_;
  VectorX<S> data_;
  detail::CoriolisDerivativeColumns<S> columns_;  // of the algorithm
};

/// D_l C(i,j) of the C of coriolis_matrix, with the Christoffel factorization. With D_l V = Phi_l x V + psi_l for the
/// velocities of all that l carries, the composites change by
///   D_l I^C = (Phi_l x*) I^C - I^C (Phi_l x),   D_l B^C = (Phi_l x*) B^C - B^C (Phi_l x) + B(psi_l, I^C).
/// For related degrees of freedom a, g and k, each joint at or above that of the next, this leaves, with B = B(Phi_k,
/// I^C), R = D_k I^C and A = D_k B^C of k,
///   D_k C(g,a) = dPhi_a . R Phi_g + Phi_a . A^T Phi_g,   D_k C(a,g) = Phi_a . (R dPhi_g + A Phi_g),
///   D_a C(g,k) = -D_a C(k,g) = psi_a . B^T Phi_g,
///   D_g C(a,k) = Phi_a . (Phi_g x* F1 + B psi_g),
///   D_g C(k,a) = dPhi_a . (Phi_g x* F2) + Phi_a . (psi_g x* F2 + Phi_g x* F3 - B psi_g)
/// with the columns F1 = I^C dPhi + B^C Phi, F2 = I^C Phi and F3 = B^C^T Phi of k: all that depends on two of the
/// three is computed once for all of the third. Armature does not enter.
///
/// @param out  CoriolisMatrixDerivatives or PackedCoriolisMatrixDerivatives of this model
/// @throws SizeError, StateError for an object of another model, ModelError for users' joints with axes that move in
/// the body. O(n d^2), no allocation.
/// Source: the task of Garofalo, Ott and Albu-Schaeffer (2013), eq. 24, for the factorization of Niemeyer and Slotine
/// (1991), derived in composite form with the 12 numbers of BodyCoriolis.
template <class S, class Tensor>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, Tensor& out) {
  out.check_fits(model);
  forward_kinematics(model, data, q, v);
  coriolis_matrix_derivatives(model, data, out);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S, class Tensor>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, Tensor& out) {
  data.require(model, Pass::velocity, "coriolis_matrix_derivatives");
  out.check_fits(model);
  detail::require_fixed_columns(model, "coriolis_matrix_derivatives");
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  auto& columns = detail::Access::columns(out);
  detail::coriolis_derivative_columns(model, data, columns);
  for (const Node<S>& node : model.nodes()) {
    const int begin = node.v_begin, own_end = node.v_end, end = node.subtree_v_end;
    const bool single = own_end == begin + 1;
    for (int g = begin; g < own_end; ++g) {
      const detail::CoriolisDerivativeEntries<S, Tensor> entries(data, columns, out, g, begin);
      if (!single) entries.template write<false>(model, own_end, begin, own_end);
      entries.template write<true>(model, own_end, single ? begin : own_end, end);
    }
  }
}

}  // namespace corio
