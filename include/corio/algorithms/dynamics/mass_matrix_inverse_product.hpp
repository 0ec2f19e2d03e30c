#pragma once

#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"

namespace corio::inline CORIO_ABI {
namespace algorithm {

template <class S>
struct MassMatrixInverseProduct {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "mass_matrix_inverse_product", .inverse = true};
  VectorX<S> result;
  PerNode<ArticulatedInertia<InRegisters<S>>> inertia;
  detail::Elimination<S> eliminated;
  PerNode<Force<S>> force;  // summed over the children, for the unit of one column
  PerNode<Motion<S>> acceleration;

  explicit MassMatrixInverseProduct(const Model<S>& m)
      : result(zeros<S>(m.nv())),
        inertia(m.num_nodes()),
        eliminated(m),
        force(m.num_nodes()),
        acceleration(m.num_nodes()) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> x);
  void run(const Model<S>& model, Data<S>& data, MatrixIn<S> X, const MatrixOut<S>& out);
  /// In place, after the elimination.
  void solve(const Model<S>& model, const Data<S>& data, S* x, Eigen::Index stride);
};
template <class S>
void MassMatrixInverseProduct<S>::run(const Model<S>& model, Data<S>& data, VectorIn<S> x) {
  detail::check_vector("x", x, model.nv(), needs.name);
  detail::eliminate_all(model, data, inertia, eliminated);
  result = x;
  solve(model, data, result.data(), 1);
}
template <class S>
void MassMatrixInverseProduct<S>::run(const Model<S>& model, Data<S>& data, MatrixIn<S> X, const MatrixOut<S>& out) {
  detail::check_size("the rows of X", X.rows(), model.nv(), needs.name);
  detail::check_shape("out", out.rows(), out.cols(), model.nv(), X.cols(), needs.name);
  detail::eliminate_all(model, data, inertia, eliminated);
  for (Eigen::Index c = 0; c < X.cols(); ++c) {
    for (int k = 0; k < model.nv(); ++k) out(k, c) = X(k, c);
    solve(model, data, &out(0, c), out.row_stride());
  }
}
template <class S>
void MassMatrixInverseProduct<S>::solve(const Model<S>& model, const Data<S>& data, S* x, Eigen::Index stride) {
  using detail::load;
  using N = InRegisters<S>;
  auto forces = detail::from_children<Force<N>>(model, force);
  for (int b = model.num_nodes() - 1; b >= 0; --b) {
    const Node<S>& node = model.node(b);
    Force<N> p = Force<N>::zero();
    forces.add_to(p, b);
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const N u = N(x[k * stride]) - dot(load(data.phi[k]), p);
      p += load(eliminated.gain[k]) * u;
      x[k * stride] = eliminated.reciprocal_d[k] * S(u);
    }
    forces.pass_to_parent(p, b);
  }
  detail::sweep_outward(model, data.phi, eliminated, acceleration, x, stride);
}

}  // namespace algorithm

/// M(q)^-1 x, the acceleration that generalized forces x give a robot at rest without gravity, without forming M^-1:
/// the articulated-body algorithm at zero velocity.
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
  detail::check_vector("x", x, robot.nv());
  return mass_matrix_inverse_product(robot, forward_kinematics(robot, data, q), x);
}

/// The same for each column of X: articulated inertias are computed once.
///
/// @param X    nv x m
/// @param out  nv x m, overwritten; may be X, but not overlap it otherwise
/// @throws as mass_matrix_inverse_product. O(n m). From m = nv on, mass_matrix_inverse and a product are the faster
/// way.
template <class S>
void mass_matrix_inverse_products(const Model<S>& model, Data<S>& data, MatrixIn<S> X, MatrixOut<S> out) {
  data.template run<algorithm::MassMatrixInverseProduct<S>>(model, X, out);
}
template <class S>
void mass_matrix_inverse_products(const Model<S>& model, Data<S>& data, VectorIn<S> q, MatrixIn<S> X,
                                  MatrixOut<S> out) {
  detail::check_size("the rows of X", X.rows(), model.nv(), "mass_matrix_inverse_products");
  detail::check_shape("out", out.rows(), out.cols(), model.nv(), X.cols(), "mass_matrix_inverse_products");
  mass_matrix_inverse_products(model, forward_kinematics(model, data, q), X, out);
}

}  // namespace corio
