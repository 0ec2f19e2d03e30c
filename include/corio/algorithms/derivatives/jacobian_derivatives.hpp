#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/core/table.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A Jacobian with its derivatives along each degree of freedom, 6 x nv and 6 x nv x nv.
template <class S>
class JacobianDerivatives {
 public:
  /// Only this constructor allocates.
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

  ZeroAfterMove<int> nv_;
  Matrix6X<S> J_, pages_;
};

namespace detail {

template <class S>
void check_jacobian(const Model<S>& model, const FramePoint<S>& where, const JacobianDerivatives<S>& D,
                    const char* function) {
  check_owns(model, where, function);
  check_size("JacobianDerivatives", D.size(), model.nv(), function);
}

template <class S>
Motion<S> column(const MatrixOut<S>& J, int k) {
  return {vector3(&J(0, k)), vector3(&J(3, k))};
}

}  // namespace detail

/// Computes dJ/dq, the derivatives of J along the degrees of freedom. D.along(l) is the derivative as q moves to
/// integrate(q, e * e_l), so that dJ/dt is the sum of D.along(l) v_l. Entries are zero unless both degrees of freedom
/// move the body.
///
/// @param where  a body or frame (body axes), or {body or frame, reference frame, point}
/// @param D      made for this model, overwritten
/// @throws SizeError, ModelError for a frame of another model. O(n^2).
template <class S>
void body_jacobian_derivatives(const Model<S>& model, const Data<S>& data,
                               const FramePoint<std::type_identity_t<S>>& where, JacobianDerivatives<S>& D) {
  detail::check_jacobian<S>(model, where, D, "body_jacobian_derivatives");
  data.require(model, Pass::position, "body_jacobian_derivatives", where.node());
  D.set_zero();
  if (where.node() < 0) return;
  const detail::FrameView<S> observer(data, where);
  const MatrixOut<S> J(D.jacobian());
  detail::fill_body_jacobian<S, 6>(model, data, where, J);
  const int last = model.node(where.node()).v_end - 1;
  const bool is_world = where.reference() == ReferenceFrame::world, is_body = where.reference() == ReferenceFrame::body;
  for (int l = last; l >= 0; l = model.parent_dof(l)) {
    // Along l, the joint of l and all below it move with J_l, and the reference frame with W. Columns change by the
    // difference, seen from the reference frame.
    const Motion<S> J_l = detail::column<S>(J, l), zero = Motion<S>::zero();
    const Motion<S> W = is_world ? zero : is_body ? J_l : Motion<S>{zero.angular, J_l.linear};
    const Motion<S> below = J_l - W, above = -W;
    const int begin = model.node(model.node_of(l)).v_begin;
    const MatrixOut<S> page(D.along(l));
    for (int k = last; k >= 0; k = model.parent_dof(k)) {
      const bool is_below = k >= begin;
      if (is_below ? is_body : is_world) continue;  // the column does not move
      detail::set_column<S>(page, 1, k, cross(is_below ? below : above, detail::column<S>(J, k)));
    }
    detail::for_column_partials(model, data, l, [&](int k, const Motion<S>& s) {
      detail::set_column<S>(page, 1, k, detail::column<S>(page, k) + observer.see(s));
    });
  }
}
template <class S>
void body_jacobian_derivatives(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                               const FramePoint<std::type_identity_t<S>>& where, JacobianDerivatives<S>& D) {
  detail::check_jacobian<S>(model, where, D, "body_jacobian_derivatives");
  body_jacobian_derivatives(model, body_kinematics(model, data, q, where, __func__), where, D);
}

}}  // namespace corio
