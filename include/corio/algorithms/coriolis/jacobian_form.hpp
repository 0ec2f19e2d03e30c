#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/kinematics/frames.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Adds the contribution of one rigid body to the mass and Coriolis matrix of a mechanism, in any generalized
/// velocities v with the body's twist V = J v:
///   M += J^T I J,   C += J^T [ B(V, I) J + I (J* + W x J) ],
/// where J* is the rate of the numbers in J, and W the motion of their frame. For the v of a Model the sum over all
/// bodies is the M and C of coriolis_matrix. The function takes no Model, so v may be any generalized speeds (as in
/// com_decoupled, or in a mechanism with closed loops, whose Jacobians have fewer columns). If B is admissible, so is
/// C; Christoffel's B gives the Christoffel-consistent C for these velocities.
///
///   for (const Body<double>& body : model.bodies()) {
///     body_jacobian(model, data, body, J), body_jacobian_dot(model, data, body, Jdot);
///     add_jacobian_form(ReferenceFrame::body, Inertia<double>(model.inertia(body)), v, J, Jdot, M, C);
///   }
///
/// @param frame  the frame of I, J and the rate of J's numbers, as for body_jacobian: in `world` J* is the whole rate
///               (W = 0, eq. 30), in `body` the frame moves with W = V (eq. 31), in `world_aligned` with the linear
///               part of V
/// @param I      inertia of the body, in these axes about this point
/// @param v      n velocities
/// @param J      6 x n, V = J v = [angular; linear]
/// @param Jdot   6 x n, the rate J* of its numbers
/// @param M, C   n x n, added to
/// @throws SizeError. O(n^2), for N bodies O(N n^2): coriolis_matrix is the faster way for a Model.
/// Source: Echeandia and Wensing (2021), eqs. 29-31, Remarks 4 to 6; Garofalo, Ott and Albu-Schaeffer (2013), eq. 6.
template <class Factorization = factorization::Christoffel, class S>
void add_jacobian_form(ReferenceFrame frame, const Inertia<S>& I_b, VectorIn<S> v, MatrixIn<S> J, MatrixIn<S> Jdot,
                       MatrixOut<S> M, MatrixOut<S> C, const Factorization& B = {}) {
  const Eigen::Index n = v.size();
  detail::check_shape("J", J.rows(), J.cols(), 6, n);
  detail::check_shape("Jdot", Jdot.rows(), Jdot.cols(), 6, n);
  detail::check_shape("M", M.rows(), M.cols(), n, n);
  detail::check_shape("C", C.rows(), C.cols(), n, n);
  const auto column = [](MatrixIn<S> A, Eigen::Index k) -> Motion<S> {
    return {vector3(A.data() + k * A.outerStride()), vector3(A.data() + k * A.outerStride() + 3)};
  };
  Motion<S> V = Motion<S>::zero();
  for (Eigen::Index k = 0; k < n; ++k) V += column(J, k) * v[k];
  Motion<S> W = Motion<S>::zero();
  if (frame != ReferenceFrame::world) W.linear = V.linear;
  if (frame == ReferenceFrame::body) W.angular = V.angular;
  const auto operation = detail::body_operator(B, V, I_b);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Motion<S> J_j = column(J, j);
    const Force<S> momentum = I_b * J_j;
    const Force<S> force = operation * J_j + I_b * (column(Jdot, j) + cross(W, J_j));
    for (Eigen::Index i = 0; i < n; ++i) {
      M(i, j) += dot(column(J, i), momentum);
      C(i, j) += dot(column(J, i), force);
    }
  }
}

}}  // namespace corio
