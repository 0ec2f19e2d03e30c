#pragma once

#include <array>

#include "corio/algorithms/regressors/parameter_derivatives.hpp"
#include "corio/kinematics/robot.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The derivatives of M, C and g with respect to the ten inertial parameters of a body, in the order of
/// InertialParameter.
template <class S>
struct BodyParameterDerivatives {
  std::array<MatrixX<S>, 10> dM, dC;  ///< each nv x nv
  MatrixX<S> dg;                      ///< nv x 10

  /// Makes zeros of the size of a model or of a mechanism. Only this constructor allocates.
  template <template <class> class Robot>
  explicit BodyParameterDerivatives(const Robot<S>& robot) : dg(MatrixX<S>::Zero(robot.nv(), 10)) {
    dM.fill(MatrixX<S>::Zero(robot.nv(), robot.nv())), dC = dM;
  }
};

/// All derivatives of parameter_derivatives.hpp for one body in one call. With the parameters pi of the body,
///   M = M_others + sum_h dM[h] pi_h,   C = C_others + sum_h dC[h] pi_h,   g = g_others + dg pi.
///
/// @param out  made for this model, overwritten
/// @param B    the factorization, as for coriolis_matrix
/// @throws SizeError; ModelError for a body of another model. O(nv^2), and O(d^2) operations for a body d degrees of
/// freedom from the ground. Source: Garofalo, Ott and Albu-Schaeffer (2013), eq. 13.
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
void body_parameter_derivatives(const Robot<S>& robot, RateDataOf<Robot<S>>& data, const Body<S>& body,
                                BodyParameterDerivatives<S>& out, const Factorization& B = {}) {
  data.require(robot, Pass::velocity, "body_parameter_derivatives");
  detail::check_derivative(robot, body, "BodyParameterDerivatives", out.dg.rows(), robot.nv());
  for (int h = 0; h < 10; ++h) {
    const auto parameter = static_cast<InertialParameter>(h);
    const auto at = static_cast<std::size_t>(h);
    mass_matrix_parameter_derivative(robot, data, body, parameter, out.dM[at]);
    coriolis_parameter_derivative(robot, data, body, parameter, out.dC[at], B);
    gravity_parameter_derivative(robot, data, body, parameter, out.dg.col(h));
  }
}
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
void body_parameter_derivatives(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                const Body<S>& body, BodyParameterDerivatives<S>& out, const Factorization& B = {}) {
  detail::check_derivative(robot, body, "BodyParameterDerivatives", out.dg.rows(), robot.nv());
  body_parameter_derivatives(robot, forward_kinematics(robot, data, q, v, __func__), body, out, B);
}

}}  // namespace corio
