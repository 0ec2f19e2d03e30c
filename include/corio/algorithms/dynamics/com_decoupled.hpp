#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/com_jacobian.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The dynamics of a floating-base robot in the velocities v' = [velocity of the centre of mass, world axes (3);
/// angular velocity of the base, body axes (3); the other joints' velocities], with v = A v':
///   M' = diag(m 1, M22),   C' = diag(0, C22),   g' = [-m gravity; 0].
/// Forces transform as tau' = A^T tau. Gravity and the motion of the centre of mass do not enter the other equations.
template <class S>
struct ComDecoupledResult {
  MatrixX<S> M, C;         ///< M' and C', nv x nv
  VectorX<S> g;            ///< g', nv
  MatrixX<S> A, Adot;      ///< v = A v' and its rate
  MatrixX<S> J_com, Jdot;  ///< 3 x nv: velocity of the centre of mass = J_com v, and the rate of J_com
  S mass;

  explicit ComDecoupledResult(const Model<S>& m)
      : M(detail::nv_by_nv(m)),
        C(M),
        g(zeros<S>(m.nv())),
        A(M),
        Adot(M),
        J_com(MatrixX<S>::Zero(3, m.nv())),
        Jdot(J_com),
        mass(0) {}
};

namespace algorithm {

template <class S>
struct ComDecoupled;

}  // namespace algorithm

/// Computes the equations of motion decoupled from the centre of mass. C' is Christoffel-consistent; the C' of other
/// factorizations does not have its zeros.
///
/// @param out  made for this model
/// @throws ModelError if the model is not one tree on a free flyer without armature; SizeError. O(n^2).
/// Source: Echeandia and Wensing (2021), Remark 6 (eq. 32), with M22 = M - m J_com^T J_com and C22 = C - m J_com^T
/// dJ_com/dt, rows and columns of the base's translation struck out.
template <class S>
void com_decoupled(const Model<S>& model, Data<S>& data, ComDecoupledResult<S>& out) {
  data.template run<algorithm::ComDecoupled<S>>(model, out);
}
template <class S>
void com_decoupled(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, ComDecoupledResult<S>& out) {
  com_decoupled(model, forward_kinematics(model, data, q, v, __func__), out);
}

namespace detail {

/// Throws unless the model is one tree on a free flyer that has no armature.
template <class S>
void check_floating_base(const Model<S>& model, const char* algorithm) {
  if (model.joints().empty())
    throw ModelError(join({algorithm, " needs a model that floats as a whole, but '", model.name(), "' has no joint"}));
  const Joint& first = model.joints().front();
  const char* reason = nullptr;
  if (first.type() != joint::FreeFlyer::type)
    reason = "is not a free flyer";
  else if (model.node(0).subtree_v_end != model.nv())
    reason = "does not carry all other bodies";
  else
    for (int k = 0; k < 6; ++k)
      if (in_any_state(detail::real_value(model.armature()[k]) != 0)) reason = "has armature";
  if (reason)
    throw ModelError(join({algorithm, " needs a model that floats as a whole, but the first joint of '", model.name(),
                           "', '", first.name(), "' (", first.type(), "), ", reason}));
}

}  // namespace detail

namespace algorithm {

template <class S>
struct ComDecoupled {
  static constexpr detail::Needs needs{.pass = Pass::velocity, .name = "com_decoupled"};
  CoriolisMatrix<S> coriolis;
  ComJacobian<S> jacobian;
  ComJacobianDot<S> jacobian_dot;

  explicit ComDecoupled(const Model<S>& m) : coriolis(m), jacobian(m), jacobian_dot(m) {}
  void run(const Model<S>& model, Data<S>& data, ComDecoupledResult<S>& out);
};
template <class S>
void ComDecoupled<S>::run(const Model<S>& model, Data<S>& data, ComDecoupledResult<S>& out) {
  const int n = model.nv();
  detail::check_size("ComDecoupledResult", out.g.size(), n, needs.name);
  detail::check_floating_base(model, needs.name);
  coriolis.run(model, data), jacobian.run(model, data), jacobian_dot.run(model, data);
  const auto& [C, M, Mdot] = coriolis.result;
  out.J_com = jacobian.J, out.Jdot = jacobian_dot.J;
  out.mass = data.composite_inertia[0].mass;

  // The base's translation is in rows 3 to 5 of v = [w; u; others]; the centre of mass is in rows 0 to 2 of v'.
  const Matrix3<S>& R = data.pose[0].rotation;
  const Vector3<S> w = vector3(data.v.data());
  const auto old_index = [](int i) { return i < 6 ? i - 3 : i; };  // index in v of the velocity i >= 3 of v'
  out.M.setZero(), out.C.setZero(), out.g.setZero(), out.A.setZero(), out.Adot.setZero();
  for (int r = 0; r < 3; ++r) {
    out.M(r, r) = out.mass;
    out.g[r] = -out.mass * model.gravity()[r];
  }
  for (int j = 3; j < n; ++j) {
    const int old_j = old_index(j);
    out.A(old_j, j) = S(1);
    for (int i = 3; i < n; ++i) {
      const int old_i = old_index(i);
      S m(0), c(0);
      for (int r = 0; r < 3; ++r) {
        m += out.J_com(r, old_i) * out.J_com(r, old_j);
        c += out.J_com(r, old_i) * out.Jdot(r, old_j);
      }
      out.M(i, j) = M(old_i, old_j) - out.mass * m;
      out.C(i, j) = C(old_i, old_j) - out.mass * c;
    }
  }
  // u = R^T (velocity of the centre of mass - J_com times the other speeds), and dR/dt = R [w]x.
  for (int j = 0; j < n; ++j) {
    const Vector3<S> x = j < 3 ? unit3<S>(j) : -vector3(&out.J_com(0, old_index(j)));
    const Vector3<S> x_dot = j < 3 ? zero3<S>() : -vector3(&out.Jdot(0, old_index(j)));
    const Vector3<S> u = transpose_times(R, x);
    const Vector3<S> u_dot = transpose_times(R, x_dot) - cross(w, u);
    for (int r = 0; r < 3; ++r) out.A(3 + r, j) = u[r], out.Adot(3 + r, j) = u_dot[r];
  }
}

}  // namespace algorithm

}}  // namespace corio
