#pragma once

#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/detail/mass_matrix_factor.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The dynamics of a floating-base robot in the velocities v' = [locked velocity (6); the other joints' velocities],
/// with v = A v'. The locked velocity xi is the twist, in the axes and about the origin of the base, that the robot
/// would have as one rigid body with its present momentum M_b xi. With the rows [M_b, M_bq] of the base in M,
///   xi = v_b + M_b^-1 M_bq v_q,   M' = diag(M_b, M_q - M_bq^T M_b^-1 M_bq),   C' = C_shape + C_locked.
/// C_shape is linear in v_q and dM'/dt = C_shape + C_shape^T; C_locked is linear in xi and skew-symmetric. Forces
/// transform as tau' = A^T tau. Gravity acts on the locked velocity alone: g' = [wrench of the weight; 0].
template <class S>
struct LockedDecoupledResult {
  MatrixX<S> M, C_shape, C_locked;  ///< nv x nv
  VectorX<S> g;                     ///< g', nv
  MatrixX<S> A, Adot;               ///< v = A v' and its rate

  explicit LockedDecoupledResult(const Model<S>& m)
      : M(detail::nv_by_nv(m)), C_shape(M), C_locked(M), g(zeros<S>(m.nv())), A(M), Adot(M) {}
};

namespace algorithm {

template <class S>
struct LockedDecoupled;

}  // namespace algorithm

/// Computes the equations of motion decoupled by momentum: the reduced Euler-Lagrange equations. The sum C' of both
/// parts is Christoffel-consistent.
///
/// @param out  made for this model
/// @throws ModelError if the model is not one tree on a free flyer without armature, or for a joint that moves no
/// inertia; SizeError. O(n^2).
/// Source: Mishra, Garofalo, Giordano, De Stefano, Ott and Kugi (2023), the two parts of C; computed by the change of
/// velocities of Echeandia and Wensing (2021), Theorem 1.
template <class S>
void locked_decoupled(const Model<S>& model, Data<S>& data, LockedDecoupledResult<S>& out) {
  data.template run<algorithm::LockedDecoupled<S>>(model, out);
}
template <class S>
void locked_decoupled(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                      LockedDecoupledResult<S>& out) {
  locked_decoupled(model, forward_kinematics(model, data, q, v, __func__), out);
}

namespace algorithm {

template <class S>
struct LockedDecoupled {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "locked_decoupled", .regular = true};
  /// Lets factorize_mass_matrix treat M_b as the mass matrix of a chain.
  struct Base {
    static int nv() { return 6; }
    static int parent_dof(int k) { return k - 1; }
  };
  CoriolisMatrix<S> coriolis;
  MatrixX<S> factor, product;
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns;  // M_b^-1 M_bq and its rate

  explicit LockedDecoupled(const Model<S>& m)
      : coriolis(m), factor(MatrixX<S>::Zero(6, 6)), product(detail::nv_by_nv(m)), columns(6, m.nv()) {}
  void run(const Model<S>& model, Data<S>& data, LockedDecoupledResult<S>& out);

 private:
  /// Computes A^T X A, using the zeros of A.
  void change(const MatrixX<S>& A, const MatrixX<S>& X, MatrixX<S>& out) {
    const Eigen::Index rest = X.rows() - 6;
    const auto J = A.topRightCorner(6, rest);
    out = X;
    out.rightCols(rest).noalias() += X.leftCols(6).lazyProduct(J);
    out.bottomRows(rest).noalias() += J.transpose().lazyProduct(out.topRows(6));
  }
};
template <class S>
void LockedDecoupled<S>::run(const Model<S>& model, Data<S>& data, LockedDecoupledResult<S>& out) {
  const int n = model.nv();
  detail::check_size("LockedDecoupledResult", out.g.size(), n, needs.name);
  detail::check_floating_base(model, needs.name);
  coriolis.run(model, data);
  const auto& [C, M, Mdot] = coriolis.result;
  // Computes A = [1, -M_b^-1 M_bs; 0, 1] and its rate by the factor of M_b.
  factor = M.topLeftCorner(6, 6);
  detail::factorize_mass_matrix(Base(), factor);
  out.A.setIdentity(), out.Adot.setZero();
  const auto solve = [&](MatrixX<S>& into) {
    detail::solve_mass_matrix(Base(), factor, columns.data(), columns.cols());
    for (int j = 6; j < n; ++j)
      for (int r = 0; r < 6; ++r) into(r, j) = -columns(r, j);
  };
  columns = M.topRows(6);
  solve(out.A);
  columns = Mdot.topRows(6);  // M_b is the inertia of one rigid body: its rate along v is its rate along v_q
  for (int j = 6; j < n; ++j)
    for (int r = 0; r < 6; ++r)
      for (int s = 0; s < 6; ++s) columns(r, j) += Mdot(r, s) * out.A(s, j);
  solve(out.Adot);

  // M and C in the new velocities; M has no entries between base and shape.
  change(out.A, M, out.M);
  change(out.A, C, out.C_shape);
  for (int j = 6; j < n; ++j)
    for (int r = 0; r < 6; ++r) {
      out.M(r, j) = out.M(j, r) = S(0);
      for (int s = 0; s < 6; ++s) out.C_shape(r, j) += M(r, s) * out.Adot(s, j);  // A^T M Adot has no other rows
    }

  // C of the whole robot turning and moving as one body: dPhi/dt = Xi x Phi, and B^C = B(Xi, I^C).
  Motion<S> Xi = data.velocity[0];
  for (int j = 6; j < n; ++j)
    for (int r = 0; r < 6; ++r) Xi += data.phi[r] * S(-out.A(r, j) * data.v[j]);
  product.setZero();
  for (int j = 0; j < n; ++j) {
    const auto I_C = detail::at_node(data, data.composite_inertia, model.node_of(j));
    const Force<S> F = I_C * cross(Xi, data.phi[j]) + detail::body_coriolis(Xi, I_C) * data.phi[j];
    for (int i = model.parent_dof(j); i >= 0; i = model.parent_dof(i))
      product(i, j) = dot(data.phi[i], F), product(j, i) = -product(i, j);
  }
  change(out.A, product, out.C_locked);
  out.C_shape -= out.C_locked;

  // The weight of the whole robot acts on the base alone.
  const Force<S> weight = detail::at_node(data, data.composite_inertia, 0) * Motion<S>{zero3<S>(), model.gravity()};
  out.g.setZero();
  for (int k = 0; k < 6; ++k) out.g[k] = -dot(data.phi[k], weight);
}

}  // namespace algorithm

}}  // namespace corio
