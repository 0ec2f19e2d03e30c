#pragma once

#include "corio/algorithms/regressors/body_parameter_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

/// Derivatives of M, C and g of mechanisms with respect to inertial parameters of a body of the tree, which are linear
/// in them: those of the tree in place of its M, C and g, projected,
///   dM = G^T dM G,   dC = G^T (dC G + dM dG/dt),   dg = G^T dg.
/// Names, arguments and results as in parameter_derivatives.hpp; forms and errors as in mechanism_dynamics.hpp,
/// SizeError, and ModelError for a body of another model. O(n^2) for n degrees of freedom of the tree.
namespace corio {
namespace algorithm::of_mechanism {

template <class S>
struct parameter_derivatives {
  MatrixX<S> M_of_tree, C_of_tree, M, C;
  VectorX<S> g_of_tree;
  detail::Projection<S> product;

  explicit parameter_derivatives(const Mechanism<S>& m)
      : M_of_tree(detail::square(m.tree())),
        C_of_tree(M_of_tree),
        M(detail::square(m)),
        C(M),
        g_of_tree(zeros<S>(m.tree().nv())),
        product(m) {}
};

}  // namespace algorithm::of_mechanism

/// dM/dpi for one parameter of a body.
/// @param dM  out, nv x nv of the mechanism
template <class S>
void mass_matrix_parameter_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, const Body<S>& body,
                                      InertialParameter parameter, MatrixOut<S> dM) {
  data.require(mechanism, Pass::position, "mass_matrix_parameter_derivative");
  detail::check_derivative(mechanism, body, "a column or row of dM", dM.rows(), dM.cols());
  auto& own = data.template of<algorithm::of_mechanism::parameter_derivatives<S>>(mechanism);
  mass_matrix_parameter_derivative(mechanism.tree(), data.tree, body, parameter, own.M_of_tree);
  own.product.set_symmetric(mechanism, data.G, own.M_of_tree, own.M);
  dM.set_columns(0, own.M);
}
template <class S>
void mass_matrix_parameter_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                      const Body<S>& body, InertialParameter parameter, MatrixOut<S> dM) {
  detail::check_derivative(mechanism, body, "a column or row of dM", dM.rows(), dM.cols());
  mass_matrix_parameter_derivative(mechanism, forward_kinematics<S>(mechanism, data, q), body, parameter, dM);
}

/// dC/dpi for one parameter of a body: of C by Christoffel's factorization of the tree or another, see coriolis_matrix.
/// @param dC  out, nv x nv of the mechanism
template <class Factorization = factorization::Christoffel, class S>
void coriolis_parameter_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, const Body<S>& body,
                                   InertialParameter parameter, MatrixOut<S> dC, const Factorization& B = {}) {
  data.require(mechanism, Pass::velocity, "coriolis_parameter_derivative");
  detail::check_derivative(mechanism, body, "a column or row of dC", dC.rows(), dC.cols());
  auto& own = data.template of<algorithm::of_mechanism::parameter_derivatives<S>>(mechanism);
  coriolis_parameter_derivative(mechanism.tree(), data.tree, body, parameter, own.C_of_tree, B);
  if (mechanism.varies()) mass_matrix_parameter_derivative(mechanism.tree(), data.tree, body, parameter, own.M_of_tree);
  own.product.set(mechanism, data.G, {{own.C_of_tree, data.G}, {own.M_of_tree, data.Gdot(mechanism)}}, own.C);
  dC.set_columns(0, own.C);
}
template <class Factorization = factorization::Christoffel, class S>
void coriolis_parameter_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                   const Body<S>& body, InertialParameter parameter, MatrixOut<S> dC,
                                   const Factorization& B = {}) {
  detail::check_derivative(mechanism, body, "a column or row of dC", dC.rows(), dC.cols());
  coriolis_parameter_derivative(mechanism, forward_kinematics<S>(mechanism, data, q, y), body, parameter, dC, B);
}

/// dg/dpi for one parameter of a body.
/// @param dg  out, nv of the mechanism
template <class S>
void gravity_parameter_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, const Body<S>& body,
                                  InertialParameter parameter, VectorOut<S> dg) {
  data.require(mechanism, Pass::position, "gravity_parameter_derivative");
  detail::check_derivative(mechanism, body, "dg", dg.size(), mechanism.nv());
  auto& own = data.template of<algorithm::of_mechanism::parameter_derivatives<S>>(mechanism);
  gravity_parameter_derivative(mechanism.tree(), data.tree, body, parameter, own.g_of_tree);
  dg.setZero();
  detail::add_projected(mechanism, data.G, own.g_of_tree, dg);
}
template <class S>
void gravity_parameter_derivative(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                  const Body<S>& body, InertialParameter parameter, VectorOut<S> dg) {
  detail::check_derivative(mechanism, body, "dg", dg.size(), mechanism.nv());
  gravity_parameter_derivative(mechanism, forward_kinematics<S>(mechanism, data, q), body, parameter, dg);
}

/// All of them for the ten parameters of one body.
/// @param out  of this mechanism, overwritten
template <class Factorization = factorization::Christoffel, class S>
void body_parameter_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data, const Body<S>& body,
                                BodyParameterDerivatives<S>& out, const Factorization& B = {}) {
  data.require(mechanism, Pass::velocity, "body_parameter_derivatives");
  detail::check_derivative(mechanism, body, "BodyParameterDerivatives", out.dg.rows(), mechanism.nv());
  for (int h = 0; h < 10; ++h) {
    const auto parameter = static_cast<InertialParameter>(h);
    const auto at = static_cast<std::size_t>(h);
    mass_matrix_parameter_derivative<S>(mechanism, data, body, parameter, out.dM[at]);
    coriolis_parameter_derivative<Factorization, S>(mechanism, data, body, parameter, out.dC[at], B);
    gravity_parameter_derivative<S>(mechanism, data, body, parameter, out.dg.col(h));
  }
}
template <class Factorization = factorization::Christoffel, class S>
void body_parameter_derivatives(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                const Body<S>& body, BodyParameterDerivatives<S>& out, const Factorization& B = {}) {
  detail::check_derivative(mechanism, body, "BodyParameterDerivatives", out.dg.rows(), mechanism.nv());
  body_parameter_derivatives(mechanism, forward_kinematics<S>(mechanism, data, q, y), body, out, B);
}

}  // namespace corio
