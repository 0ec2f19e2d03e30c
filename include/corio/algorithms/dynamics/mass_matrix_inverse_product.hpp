#pragma once

#include "corio/kernels/articulated_columns.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct MassMatrixInverseProduct;
template <class S>
struct MassMatrixInverseProducts;

}  // namespace algorithm

/// Computes M(q)^-1 x, the acceleration that generalized forces x give a robot at rest without gravity, without forming
/// M^-1, by the articulated-body algorithm at zero velocity.
///
/// @param x  nv
/// @returns nv, valid until the next call.
/// @throws SizeError; ModelError for a joint that moves no inertia. O(n).
/// Source: Singh, Russell and Wensing (2022), eq. 34.
template <class S, template <class> class Robot>
const VectorX<S>& mass_matrix_inverse_product(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> x) {
  return data.template run<algorithm::MassMatrixInverseProduct<S>>(robot, x).result;
}
template <class S, template <class> class Robot>
const VectorX<S>& mass_matrix_inverse_product(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q,
                                              VectorIn<S> x) {
  detail::check_speeds("x", x, robot);
  return mass_matrix_inverse_product(robot, forward_kinematics(robot, data, q, __func__), x);
}

/// Computes M^-1 times each column of X. Articulated inertias are computed only once.
///
/// @param X    nv x m
/// @param out  nv x m, overwritten; may be X, but not overlap it otherwise
/// @throws as mass_matrix_inverse_product. O(n m). For m >= nv, mass_matrix_inverse and a product are faster.
template <class S>
void mass_matrix_inverse_products(const Model<S>& model, Data<S>& data, MatrixIn<S> X, MatrixOut<S> out) {
  data.template run<algorithm::MassMatrixInverseProducts<S>>(model, X, out);
}
template <class S>
void mass_matrix_inverse_products(const Model<S>& model, Data<S>& data, VectorIn<S> q, MatrixIn<S> X,
                                  MatrixOut<S> out) {
  detail::check_size("the rows of X", X.rows(), model.nv(), "mass_matrix_inverse_products");
  detail::check_shape("out", out.rows(), out.cols(), model.nv(), X.cols(), "mass_matrix_inverse_products");
  mass_matrix_inverse_products(model, forward_kinematics(model, data, q, __func__), X, out);
}

namespace algorithm {

template <class S>
struct MassMatrixInverseProduct {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "mass_matrix_inverse_product", .regular = true};
  VectorX<S> result;
  detail::ArticulatedFactor<S> factor;

  explicit MassMatrixInverseProduct(const Model<S>& m) : result(zeros<S>(m.nv())), factor(m) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> x) {
    detail::check_speeds("x", x, model, needs.name);
    result = x;
    factor.solve(model, data, result);
  }
};

template <class S>
struct MassMatrixInverseProducts {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "mass_matrix_inverse_products", .regular = true};
  detail::ArticulatedFactor<S> factor;
  detail::ArticulatedColumns<S> columns;

  explicit MassMatrixInverseProducts(const Model<S>& m) : factor(m), columns(m) {}
  void run(const Model<S>& model, Data<S>& data, MatrixIn<S> X, const MatrixOut<S>& out) {
    detail::check_size("the rows of X", X.rows(), model.nv(), needs.name);
    detail::check_shape("out", out.rows(), out.cols(), model.nv(), X.cols(), needs.name);
    factor.compute(model, data);
    columns.solve(model, data, factor, X, out);
  }
};

}  // namespace algorithm

}}  // namespace corio
