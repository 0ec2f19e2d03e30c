#pragma once

#include "corio/algorithms/model_tensor.hpp"
#include "corio/columns/coriolis_derivative_strips.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio {

/// Derivatives of the Coriolis matrix along the degrees of freedom, all nv^3 of them: D_l C(i,j) as q moves along l,
/// that is integrate(q, e e_l), at constant v, in (i,j,l). Zero unless i, j and l are related. along(l) is D_l C;
/// contract(x, out) gives the derivative along x. Filled by coriolis_matrix_derivatives. The derivatives by v are the
/// Christoffel symbols, dC(i,j)/dv_l = Gamma(i,j,l).
template <class S>
class CoriolisMatrixDerivatives : public detail::ModelTensor<S> {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit CoriolisMatrixDerivatives(const Model<S>& model)
      : detail::ModelTensor<S>(model, "derivatives of the Coriolis matrix") {}
};

/// The same derivatives for related i, j and l only: five numbers per triple of joints, far fewer than nv^3 for a tree,
/// and written to contiguous memory, which is faster for long chains.
template <class S>
class PackedCoriolisMatrixDerivatives {
 public:
  /// Zeros, of the size of the model. Allocates; nothing else does.
  explicit PackedCoriolisMatrixDerivatives(const Model<S>& model)
      : strips_(model), model_(model, "derivatives of the Coriolis matrix") {}

  int size() const { return strips_.size(); }
  /// How many numbers are stored.
  Eigen::Index stored() const { return strips_.stored(); }

  /// D_l C(i,j), O(1).
  S operator()(int i, int j, int l) const {
    using Kinds = detail::CoriolisKinds;
    const auto above = [&](int a, int k) { return strips_.above(a, k); };
    const auto strictly_above = [&](int a, int k) { return above(a, k) && !strips_.one_joint(a, k); };
    if (strictly_above(i, l) && strictly_above(j, l))
      return above(j, i) ? strips_(Kinds::lower, j, i, l) : above(i, j) ? strips_(Kinds::upper, i, j, l) : S(0);
    if (above(l, i) && above(l, j))
      return above(i, j) ? strips_(Kinds::skew, l, i, j) : above(j, i) ? S(-strips_(Kinds::skew, l, j, i)) : S(0);
    if (strictly_above(i, l) && above(l, j)) return strips_(Kinds::upper_along, i, l, j);
    if (strictly_above(j, l) && above(l, i)) return strips_(Kinds::lower_along, j, l, i);
    return S(0);
  }

  /// out(i,j) = sum_l D_l C(i,j) x_l. O(n d^2). Allocates only to size out, or if that overlaps x.
  /// @throws SizeError
  void contract(VectorIn<S> x, MatrixX<S>& out) const {
    using Kinds = detail::CoriolisKinds;
    detail::check_input("x", x, size());
    detail::write_apart(
        out,
        [&](MatrixX<S>& sum) {
          sum.setZero(size(), size());
          for (int g = 0; g < size(); ++g)
            strips_.for_each_strip(g, [&](int a, const S* strip) {
              const auto& d = strips_.dof(g);
              for (int k = d.begin; k < d.end; ++k) {
                const auto at = [&](int kind) -> const S& { return strip[kind * strips_.kind() + k]; };
                const bool own = k < d.own_end, above = a < d.begin;
                if (!own) sum(g, a) += at(Kinds::lower) * x[k];
                if (!own && above) sum(a, g) += at(Kinds::upper) * x[k];
                sum(g, k) += at(Kinds::skew) * x[a];
                if (!own) sum(k, g) -= at(Kinds::skew) * x[a];
                if (!above) continue;
                sum(a, k) += at(Kinds::upper_along) * x[g];
                sum(k, a) += at(Kinds::lower_along) * x[g];
              }
            });
        },
        x);
  }

  /// @throws SizeError or StateError for an object of another model, or moved from
  void check_fits(const Model<S>& model) const { model_.check_fits(model, size()); }
  /// What is stored, for the algorithm that fills it.
  detail::CoriolisStrips<S>& strips() { return strips_; }

 private:
  detail::CoriolisStrips<S> strips_;
  detail::ModelOfTensor model_;
};

namespace algorithm {

template <class S>
struct coriolis_matrix_derivatives {
  static constexpr detail::Needs needs{Pass::velocity, "coriolis_matrix_derivatives"};
  detail::CoriolisDerivativeColumns<S> columns;
  detail::CoriolisStrips<S> row;  // of one g

  explicit coriolis_matrix_derivatives(const Model<S>& m) : columns(m), row(m, true) {}
  void run(const Model<S>& model, Data<S>& data, PackedCoriolisMatrixDerivatives<S>& out);
  void run(const Model<S>& model, Data<S>& data, CoriolisMatrixDerivatives<S>& out);
  void make_columns(const Model<S>& model, Data<S>& data);
};

template <class S>
void coriolis_matrix_derivatives<S>::make_columns(const Model<S>& model, Data<S>& data) {
  detail::require_fixed_columns(model, needs.name);
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  columns.set(model, data);
}
template <class S>
void coriolis_matrix_derivatives<S>::run(const Model<S>& model, Data<S>& data,
                                         PackedCoriolisMatrixDerivatives<S>& out) {
  make_columns(model, data);
  row.for_each_row(model, [&](int g) { columns.write_row(data, g, out.strips()); });
}
template <class S>
void coriolis_matrix_derivatives<S>::run(const Model<S>& model, Data<S>& data, CoriolisMatrixDerivatives<S>& out) {
  make_columns(model, data);
  row.for_each_row(model, [&](int g) {
    columns.write_row(data, g, row);
    detail::expand_coriolis_derivatives(row, g, out.tensor());
  });
}

}  // namespace algorithm

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
/// the body. O(n d^2).
/// Source: the task of Garofalo, Ott and Albu-Schaeffer (2013), eq. 24, for the factorization of Niemeyer and Slotine
/// (1991), derived in composite form with the 12 numbers of BodyCoriolis.
template <class S, class Tensor>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, Tensor& out) {
  using Algorithm = algorithm::coriolis_matrix_derivatives<S>;
  data.require(model, Algorithm::needs.pass, Algorithm::needs.name);
  out.check_fits(model);
  data.template of<Algorithm>(model).run(model, data, out);
}
template <class S, class Tensor>
void coriolis_matrix_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, Tensor& out) {
  out.check_fits(model);
  coriolis_matrix_derivatives(model, forward_kinematics(model, data, q, v), out);
}

}  // namespace corio
