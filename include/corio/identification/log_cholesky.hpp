#pragma once

#include "corio/identification/pseudo_inertia.hpp"

/// Log-Cholesky parameters, ten unconstrained real numbers for the inertia of a body:
///
///   theta = [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3],
///   J = U U^T,   U = exp(alpha) [exp(d1), s12, s13, t1;  0, exp(d2), s23, t2;  0, 0, exp(d3), t3;  0, 0, 0, 1].
///
/// Every theta gives a physically consistent body, and every consistent body has exactly one theta, so that an
/// optimiser over theta needs no constraints. exp(2 alpha) is the mass and t the centre of mass; the rest is the
/// Cholesky factor of the second moment about it, divided by the mass: d are logarithms of lengths in metres, s are
/// lengths in metres.
/// O(1).
/// Source: Rucker and Wensing, Smooth parameterization of rigid-body inertia, IEEE Robotics and Automation Letters
/// 7(2), 2022.
namespace corio { inline namespace CORIO_ABI {

/// Returns the log-Cholesky parameters theta of a body.
/// @param body  its name, for messages
/// @throws ModelError unless it is physically consistent
template <class S>
Vector10<S> log_cholesky(const InertialParameters<S>& parameters, std::string_view body = "without name") {
  using std::log;
  check_physically_consistent(parameters, body);
  const Eigen::Matrix4<S> U = detail::pseudo_inertia_factor(parameters);
  const S scale = U(3, 3);
  Vector10<S> theta;
  theta << log(scale), log(S(U(0, 0) / scale)), log(S(U(1, 1) / scale)), log(S(U(2, 2) / scale)), U(0, 1) / scale,
      U(1, 2) / scale, U(0, 2) / scale, parameters.com[0], parameters.com[1], parameters.com[2];
  return theta;
}

/// Computes the factor U of J = U U^T.
template <class S>
Eigen::Matrix4<S> log_cholesky_factor(const Vector10<S>& theta) {
  using std::exp;
  const S scale = exp(theta[0]);
  Eigen::Matrix4<S> U;
  U << exp(theta[1]), theta[4], theta[6], theta[7],  //
      S(0), exp(theta[2]), theta[5], theta[8],       //
      S(0), S(0), exp(theta[3]), theta[9],           //
      S(0), S(0), S(0), S(1);
  return U * scale;
}

/// Returns the body of theta. It is physically consistent unless an exponential of theta vanishes or overflows.
template <class S>
InertialParameters<S> from_log_cholesky(const Vector10<S>& theta) {
  const Eigen::Matrix4<S> U = log_cholesky_factor(theta);
  // The second moment is about the centre of mass, where the terms do not cancel.
  const Matrix3<S> F = U.template topLeftCorner<3, 3>(), sigma = F * transpose(F);
  return {U(3, 3) * U(3, 3), vector3(theta.data() + 7), trace_complement(Symmetric3<S>::from(sigma)).matrix()};
}

/// d pi / d theta, 10 x 10 and regular, for pi = [m, m c, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] of from_log_cholesky(theta).
template <class S>
Eigen::Matrix<S, 10, 10> log_cholesky_jacobian(const Vector10<S>& theta) {
  const Eigen::Matrix4<S> U = log_cholesky_factor(theta);
  const Vector10<S> pi = from_log_cholesky(theta).vector();
  Eigen::Matrix<S, 10, 10> D;
  D.col(0) = pi * S(2);
  // Row and column of the other nine parameters in U. Those on the diagonal are logarithms; the others are multiplied
  // by exp(alpha).
  constexpr int row[] = {0, 1, 2, 0, 1, 0, 0, 1, 2}, column[] = {0, 1, 2, 1, 2, 2, 3, 3, 3};
  for (int k = 0; k < 9; ++k) {
    const int i = row[k], j = column[k];
    const S rate = i == j ? U(i, i) : U(3, 3);
    // dJ = dU U^T + U dU^T = rate (e_i u^T + u e_i^T), u column j of U.
    Eigen::Matrix4<S> dJ = Eigen::Matrix4<S>::Zero();
    for (int l = 0; l < 4; ++l) dJ(i, l) = rate * U(l, j);
    dJ += dJ.transpose().eval();
    const Symmetric3<S> Ibar =
        trace_complement(Symmetric3<S>{dJ(0, 0), dJ(1, 1), dJ(2, 2), dJ(0, 1), dJ(0, 2), dJ(1, 2)});
    D.col(k + 1) << dJ(3, 3), dJ(0, 3), dJ(1, 3), dJ(2, 3), Ibar.xx, Ibar.yy, Ibar.zz, Ibar.xy, Ibar.xz, Ibar.yz;
  }
  return D;
}

}}  // namespace corio
