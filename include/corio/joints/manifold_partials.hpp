#pragma once

#include "corio/core/dual.hpp"
#include "corio/joints/joint_model.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Two nv x nv matrices, column-major: the derivatives of integrate, or of difference, along the degrees of freedom of
/// its two arguments.
template <class S>
struct ManifoldPartials {
  S first[max_nv * max_nv], second[max_nv * max_nv];
};

namespace detail {

/// Returns q as a constant, moved along x: integrate(q, x e) with the dual unit e.
template <class S, class J>
void move_along(const J& joint, const S* q, const S* x, Dual<S>* moved) {
  Dual<S> start[J::nq], direction[J::nv];
  for (int i = 0; i < J::nq; ++i) start[i] = Dual<S>(q[i]);
  for (int k = 0; k < J::nv; ++k) direction[k] = Dual<S>(S(0), x[k]);
  joint.integrate(start, direction, moved);
}
/// Returns q moved along degree of freedom j.
template <class S, class J>
void move(const J& joint, const S* q, int j, Dual<S>* moved) {
  S x[J::nv];
  for (int k = 0; k < J::nv; ++k) x[k] = S(k == j ? 1 : 0);  // = {} would leave an AutoDiffScalar as it is
  move_along(joint, q, x, moved);
}

}  // namespace detail

/// Computes the derivatives of integrate(q, dv) with respect to q and dv, in dual numbers. @returns whether the joint
/// has a dual form
template <class S, class J>
bool integrate_partials(const J& joint, const S* q, const S* dv, ManifoldPartials<S>& out) {
  constexpr int nq = J::nq, nv = J::nv;
  S reached[nq];
  joint.integrate(q, dv, reached);
  Dual<S> start[nq], step[nv], base[nq], end[nq], change[nv];
  const auto store = [&](S* column) {
    joint.difference(base, end, change);
    for (int i = 0; i < nv; ++i) column[i] = change[i].dx;
  };
  for (int i = 0; i < nq; ++i) base[i] = Dual<S>(reached[i]);
  for (int j = 0; j < nv; ++j) {
    for (int k = 0; k < nv; ++k) step[k] = Dual<S>(dv[k]);
    detail::move(joint, q, j, start);
    joint.integrate(start, step, end);
    store(out.first + j * nv);
    for (int i = 0; i < nq; ++i) start[i] = Dual<S>(q[i]);
    step[j] = Dual<S>(dv[j], S(1));
    joint.integrate(start, step, end);
    store(out.second + j * nv);
  }
  return true;
}

/// Computes the derivatives of difference(q0, q1) with respect to q0 and q1, in dual numbers.
template <class S, class J>
bool difference_partials(const J& joint, const S* q0, const S* q1, ManifoldPartials<S>& out) {
  constexpr int nq = J::nq, nv = J::nv;
  Dual<S> fixed[2][nq], moved[nq], change[nv];
  for (int i = 0; i < nq; ++i) fixed[0][i] = Dual<S>(q0[i]), fixed[1][i] = Dual<S>(q1[i]);
  for (int j = 0; j < nv; ++j) {
    detail::move(joint, q0, j, moved);
    joint.difference(moved, fixed[1], change);
    for (int i = 0; i < nv; ++i) out.first[j * nv + i] = change[i].dx;
    detail::move(joint, q1, j, moved);
    joint.difference(fixed[0], moved, change);
    for (int i = 0; i < nv; ++i) out.second[j * nv + i] = change[i].dx;
  }
  return true;
}

namespace detail {

/// Returns whether integrate is the sum of the numbers: the derivative of difference is then the identity.
template <int n, int angles>
std::true_type is_vector_space(const VectorSpace<n, angles>*);
std::false_type is_vector_space(...);

}  // namespace detail

/// Computes the forces of springs in dual numbers: out_j is minus the derivative along degree of freedom j of the
/// energy V = sum stiffness_k x_k^2 / 2 with x = difference(rest, q).
template <class S, class J>
bool spring_force(const J& joint, const S* rest, const S* q, const S* stiffness, S* out) {
  constexpr int nq = J::nq, nv = J::nv;
  if constexpr (decltype(detail::is_vector_space(&joint))::value) {
    S x[nv];
    joint.difference(rest, q, x);
    for (int k = 0; k < nv; ++k) out[k] = -stiffness[k] * x[k];
  } else {
    Dual<S> from[nq], moved[nq], x[nv];
    for (int i = 0; i < nq; ++i) from[i] = Dual<S>(rest[i]);
    for (int j = 0; j < nv; ++j) {
      detail::move(joint, q, j, moved);
      joint.difference(from, moved, x);
      out[j] = S(0);
      for (int k = 0; k < nv; ++k) out[j] -= stiffness[k] * x[k].x * x[k].dx;
    }
  }
  return true;
}
/// Computes derivatives of the forces of springs: out[i + j nv] is the derivative of force i along degree of freedom j.
template <class S, class J>
bool spring_force_partials(const J& joint, const S* rest, const S* q, const S* stiffness, S* out) {
  constexpr int nq = J::nq, nv = J::nv;
  Dual<S> from[nq], moved[nq], k[nv], force[nv];
  for (int i = 0; i < nq; ++i) from[i] = Dual<S>(rest[i]);
  for (int i = 0; i < nv; ++i) k[i] = Dual<S>(stiffness[i]);
  for (int j = 0; j < nv; ++j) {
    detail::move(joint, q, j, moved);
    spring_force(joint, from, moved, k, force);
    for (int i = 0; i < nv; ++i) out[i + j * nv] = force[i].dx;
  }
  return true;
}

/// Compute directional derivatives: out = by_q x of integrate(q, dv), and out = by_q0 x0 + by_q1 x1 of difference(q0,
/// q1), without forming the matrices.
template <class S, class J>
bool integrate_along(const J& joint, const S* q, const S* dv, const S* x, S* out) {
  constexpr int nq = J::nq, nv = J::nv;
  S reached[nq];
  joint.integrate(q, dv, reached);
  Dual<S> start[nq], step[nv], base[nq], end[nq], change[nv];
  detail::move_along(joint, q, x, start);
  for (int i = 0; i < nq; ++i) base[i] = Dual<S>(reached[i]);
  for (int k = 0; k < nv; ++k) step[k] = Dual<S>(dv[k]);
  joint.integrate(start, step, end);
  joint.difference(base, end, change);
  for (int i = 0; i < nv; ++i) out[i] = change[i].dx;
  return true;
}
template <class S, class J>
bool difference_along(const J& joint, const S* q0, const S* q1, const S* x0, const S* x1, S* out) {
  Dual<S> moved0[J::nq], moved1[J::nq], change[J::nv];
  detail::move_along(joint, q0, x0, moved0);
  detail::move_along(joint, q1, x1, moved1);
  joint.difference(moved0, moved1, change);
  for (int i = 0; i < J::nv; ++i) out[i] = change[i].dx;
  return true;
}

}}}  // namespace corio::joint
