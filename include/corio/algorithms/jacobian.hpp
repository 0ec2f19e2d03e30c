#pragma once

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/kinematics/variations.hpp"

/// Jacobians of bodies, frames and points, and their derivatives. In world axes they are the columns of the kinematics
/// pass, those of the degrees of freedom that move the body; another reference frame only looks at them from elsewhere.
/// Source: Garofalo, Ott and Albu-Schaeffer (2013), section VI, and Echeandia and Wensing (2021), Remark 4, here for
/// columns in world axes and for joints with any number of degrees of freedom.
///
/// All of them write into the caller's 6 x nv matrix, completely: the columns of other degrees of freedom become zero.
/// Any column-major matrix or block of one will do; nothing else is written and nothing is allocated.
namespace corio {

/// A Jacobian with its derivatives along each degree of freedom, 6 x nv and 6 x nv x nv.
template <class S>
class JacobianDerivatives {
 public:
  /// Allocates; nothing else does.
  explicit JacobianDerivatives(const Model<S>& model) : JacobianDerivatives(model.nv()) {}
  explicit JacobianDerivatives(int nv)
      : nv_(nv), J_(Matrix6X<S>::Zero(6, nv)), pages_(Matrix6X<S>::Zero(6, Eigen::Index(nv) * nv)) {}

  int size() const { return nv_; }
  /// J itself, in the same reference frame.
  const Matrix6X<S>& jacobian() const { return J_; }
  Matrix6X<S>& jacobian() { return J_; }
  /// Derivative of column k along degree of freedom l, coordinate r.
  const S& operator()(int r, int k, int l) const { return pages_(r, Eigen::Index(l) * nv_ + k); }
  S& operator()(int r, int k, int l) { return pages_(r, Eigen::Index(l) * nv_ + k); }
  /// The derivative of J along degree of freedom l, 6 x nv, contiguous.
  Eigen::Map<Matrix6X<S>> along(int l) { return {pages_.data() + offset(l), 6, nv_}; }
  Eigen::Map<const Matrix6X<S>> along(int l) const { return {pages_.data() + offset(l), 6, nv_}; }
  void set_zero() { J_.setZero(), pages_.setZero(); }

 private:
  Eigen::Index offset(int l) const { return Eigen::Index(l) * nv_ * 6; }

  int nv_;
  Matrix6X<S> J_, pages_;
};

namespace detail {

template <class S>
CORIO_INLINE void store_motion(const Motion<S>& V, S* to) {
  for (int r = 0; r < 3; ++r) to[r] = V.angular[r], to[r + 3] = V.linear[r];
}
template <class S>
CORIO_INLINE Motion<S> load_motion(const S* from) {
  return {vector3(from), vector3(from + 3)};
}

/// What can be wrong with the arguments that are not a state, checked before anything is computed.
template <class S>
void check_jacobian(const Model<S>& model, const Where<S>& where, const MatrixOut<S>& J, const char* function) {
  check_owns(model, where, function);
  check_shape("J", J.rows(), J.cols(), 6, model.nv());
}
template <class S>
void check_jacobian(const Model<S>& model, const Where<S>& where, const JacobianDerivatives<S>& D,
                    const char* function) {
  check_owns(model, where, function);
  check_size("JacobianDerivatives", D.size(), model.nv());
}

/// Column k of J = column(observer, k) for the degrees of freedom that move the body, zero for the others.
template <class S, class F>
CORIO_INLINE void fill_jacobian(const Model<S>& model, const Data<S>& data, const Where<S>& where, Pass pass,
                                MatrixOut<S>& J, F&& column) {
  const std::ptrdiff_t stride = J.outerStride();
  int end = model.nv();  // from here on all is written
  const auto zero_from = [&](int begin) {
    for (int k = begin; k < end; ++k) std::fill_n(J.data() + k * stride, 6, S(0));
  };
  if (where.node() < 0) return zero_from(0);
  const Observer<S> observer(data, where, pass);
  for (int k = model.node(where.node()).v_end - 1; k >= 0; k = model.dof_parent(k)) {
    zero_from(k + 1);
    store_motion(column(observer, k), J.data() + k * stride);
    end = k;
  }
  zero_from(0);
}

}  // namespace detail

/// J with V = J v for the twist V = [angular; linear] of a body, frame or point, as body_velocity(model, data, where)
/// gives it. A wrench F given in the same axes about the same point has the generalized forces J^T F.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @param J      6 x nv, overwritten
/// @throws SizeError, ModelError for a frame of another model. O(n).
template <class S>
void body_jacobian(const Model<S>& model, Data<S>& data, VectorIn<S> q, const Where<std::type_identity_t<S>>& where,
                   MatrixOut<S> J) {
  detail::check_jacobian<S>(model, where, J, "body_jacobian");
  forward_kinematics(model, data, q);
  body_jacobian(model, data, where, J);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it. O(d), and the zeros.
template <class S>
void body_jacobian(const Model<S>& model, const Data<S>& data, const Where<std::type_identity_t<S>>& where,
                   MatrixOut<S> J) {
  data.require(model, Pass::position, "body_jacobian");
  detail::check_jacobian<S>(model, where, J, "body_jacobian");
  detail::fill_jacobian(model, data, where, Pass::position, J, [&](const auto& observer, int k) CORIO_INLINE_LAMBDA {
    return observer.see(data.phi[static_cast<std::size_t>(k)]);
  });
}

/// dJ/dt, the rate of the numbers in J. J a + dJ/dt v is the rate of the numbers in J v: in `world` and `body`
/// body_acceleration, in `world_aligned`, whose point moves, body_classical_acceleration.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @param Jdot   6 x nv, overwritten
/// @throws SizeError, ModelError for a frame of another model. O(n).
template <class S>
void body_jacobian_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                       const Where<std::type_identity_t<S>>& where, MatrixOut<S> Jdot) {
  detail::check_jacobian<S>(model, where, Jdot, "body_jacobian_dot");
  forward_kinematics(model, data, q, v);
  body_jacobian_dot(model, data, where, Jdot);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it. O(d), and the zeros.
template <class S>
void body_jacobian_dot(const Model<S>& model, const Data<S>& data, const Where<std::type_identity_t<S>>& where,
                       MatrixOut<S> Jdot) {
  data.require(model, Pass::velocity, "body_jacobian_dot");
  detail::check_jacobian<S>(model, where, Jdot, "body_jacobian_dot");
  detail::fill_jacobian(model, data, where, Pass::velocity, Jdot, [&](const auto& observer, int k) CORIO_INLINE_LAMBDA {
    const auto dof = static_cast<std::size_t>(k);
    return observer.see_rate(data.phi[dof], data.phi_dot[dof]);
  });
}

/// d2J/dt2 for given rates v of the configuration and a of v.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @param Jddot  6 x nv, overwritten
/// @throws SizeError; ModelError for a frame of another model, or a user's joint whose axes move in its body and are
/// not templates. O(n).
template <class S>
void body_jacobian_ddot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a,
                        const Where<std::type_identity_t<S>>& where, MatrixOut<S> Jddot) {
  detail::check_jacobian<S>(model, where, Jddot, "body_jacobian_ddot");
  forward_kinematics(model, data, q, v, a);
  body_jacobian_ddot(model, data, where, Jddot);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it. O(d), and the zeros.
template <class S>
void body_jacobian_ddot(const Model<S>& model, const Data<S>& data, const Where<std::type_identity_t<S>>& where,
                        MatrixOut<S> Jddot) {
  data.require(model, Pass::acceleration, "body_jacobian_ddot");
  detail::check_jacobian<S>(model, where, Jddot, "body_jacobian_ddot");
  detail::require_dual_forms(model, data, "body_jacobian_ddot");
  detail::fill_jacobian(
      model, data, where, Pass::acceleration, Jddot, [&](const auto& observer, int k) CORIO_INLINE_LAMBDA {
        const auto dof = static_cast<std::size_t>(k);
        return observer.see_second_rate(data.phi[dof], data.phi_dot[dof], detail::column_second_rate(model, data, k));
      });
}

/// dJ/dq, one derivative of J along each degree of freedom: D.along(l) is what changes as q moves to
/// integrate(q, e * e_l), so that dJ/dt is the sum of D.along(l) v_l. Zero unless both degrees of freedom move the
/// body.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @param D      of this model, overwritten
/// @throws SizeError, ModelError for a frame of another model. O(n^2).
template <class S>
void body_jacobian_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                               const Where<std::type_identity_t<S>>& where, JacobianDerivatives<S>& D) {
  detail::check_jacobian<S>(model, where, D, "body_jacobian_derivatives");
  forward_kinematics(model, data, q);
  body_jacobian_derivatives(model, data, where, D);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it. O(d^2), and the zeros.
template <class S>
void body_jacobian_derivatives(const Model<S>& model, const Data<S>& data, const Where<std::type_identity_t<S>>& where,
                               JacobianDerivatives<S>& D) {
  data.require(model, Pass::position, "body_jacobian_derivatives");
  detail::check_jacobian<S>(model, where, D, "body_jacobian_derivatives");
  D.set_zero();
  if (where.node() < 0) return;
  const detail::Observer<S> observer(data, where);
  const int last = model.node(where.node()).v_end - 1;
  for (int k = last; k >= 0; k = model.dof_parent(k))
    detail::store_motion(observer.see(data.phi[static_cast<std::size_t>(k)]), &D.jacobian()(0, k));
  const bool is_world = where.reference() == ReferenceFrame::world, is_body = where.reference() == ReferenceFrame::body;
  for (int l = last; l >= 0; l = model.dof_parent(l)) {
    // Along l its own joint and all behind it move with J_l, the reference frame with W: columns change by the
    // difference, all seen from the reference frame.
    const Motion<S> J_l = detail::load_motion(&D.jacobian()(0, l)), zero = Motion<S>::zero();
    const Motion<S> W = is_world ? zero : is_body ? J_l : Motion<S>{zero.angular, J_l.linear};
    const Motion<S> behind = J_l - W, before = -W;
    const Node<S>& node = model.node(model.node_of_dof(l));
    for (int k = last; k >= 0; k = model.dof_parent(k)) {
      const bool is_behind = k >= node.v_begin;
      if (is_behind ? is_body : is_world) continue;  // at rest
      detail::store_motion(cross(is_behind ? behind : before, detail::load_motion(&D.jacobian()(0, k))), &D(0, k, l));
    }
    const int nv = node.v_end - node.v_begin;
    for (int k = node.v_begin; node.partials_begin >= 0 && k < node.v_end; ++k) {
      const auto i = static_cast<std::size_t>(node.partials_begin + (l - node.v_begin) * nv + k - node.v_begin);
      detail::store_motion(detail::load_motion(&D(0, k, l)) + observer.see(data.phi_partial[i]), &D(0, k, l));
    }
  }
}

}  // namespace corio
