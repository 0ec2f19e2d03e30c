#pragma once

#include "corio/model/inertial_parameters.hpp"
#include "corio/solvers/triangles.hpp"

/// Physical consistency: inertial parameters are physically consistent if some distribution of positive mass that is
/// not flat has them, that is, if their pseudo-inertia is positive definite. O(1) for a body.
/// Source: Wensing, Kim and Slotine, Linear matrix inequalities for physically consistent inertial parameter
/// identification, IEEE Robotics and Automation Letters 3(1), 2018.
namespace corio { inline namespace CORIO_ABI {

/// Pseudo-inertia J = [Sigma, h; h^T, m] = int [r; 1] [r; 1]^T dm about the origin of the body, in its axes: second
/// moment Sigma in kg m^2, first moment h in kg m, mass m in kg. It is linear in the ten parameters pi of
/// InertialParameters::vector(), which need not be physically consistent.
template <class S>
Eigen::Matrix4<S> pseudo_inertia(const Vector10<S>& pi) {
  const Symmetric3<S> sigma = half_trace_complement(Symmetric3<S>{pi[4], pi[5], pi[6], pi[7], pi[8], pi[9]});
  Eigen::Matrix4<S> J;
  J.template topLeftCorner<3, 3>() = sigma.matrix();
  for (int i = 0; i < 3; ++i) J(i, 3) = J(3, i) = pi[1 + i];
  J(3, 3) = pi[0];
  return J;
}
template <class S>
Eigen::Matrix4<S> pseudo_inertia(const InertialParameters<S>& parameters) {
  return pseudo_inertia<S>(parameters.vector());
}

/// Returns the parameters from J, the inverse of pseudo_inertia; reads the upper triangle of J.
template <class S>
InertialParameters<S> from_pseudo_inertia(const Eigen::Matrix4<S>& J) {
  return InertialParameters<S>(
      Inertia<S>{J(3, 3), {J(0, 3), J(1, 3), J(2, 3)}, Symmetric3<S>::from(J.template topLeftCorner<3, 3>())});
}

/// The symmetric B with tr(B J(pi)) = d . pi for all pi: the gradient with respect to J of a function with the gradient
/// d with respect to the ten parameters.
template <class S>
Eigen::Matrix4<S> pseudo_inertia_gradient(const Vector10<S>& d) {
  const S half(0.5);
  Eigen::Matrix4<S> B;
  B.template topLeftCorner<3, 3>() =
      Symmetric3<S>{d[5] + d[6], d[4] + d[6], d[4] + d[5], -half * d[7], -half * d[8], -half * d[9]}.matrix();
  for (int i = 0; i < 3; ++i) B(i, 3) = B(3, i) = half * d[1 + i];
  B(3, 3) = d[0];
  return B;
}

namespace detail {

/// The second moment about the centre of mass as U diag(xx, yy, zz) U^T, U = [1, xy, xz; 0, 1, yz; 0, 0, 1]: a Cholesky
/// factorisation that begins with the last row. The moment is positive definite if xx, yy, zz are positive.
template <class S>
Symmetric3<S> central_factor(const InertialParameters<S>& parameters) {
  const Symmetric3<S> sigma = half_trace_complement(Symmetric3<S>::from(parameters.inertia));
  Symmetric3<S> f;
  f.zz = sigma.zz;
  f.yz = sigma.yz / f.zz;
  f.xz = sigma.xz / f.zz;
  f.yy = sigma.yy - f.yz * sigma.yz;
  f.xy = (sigma.xy - f.xz * sigma.yz) / f.yy;
  f.xx = sigma.xx - f.xz * sigma.xz - f.xy * f.xy * f.yy;
  return f;
}
/// Returns the upper triangular factor U of J = U U^T, of a physically consistent body.
template <class S>
Eigen::Matrix4<S> pseudo_inertia_factor(const InertialParameters<S>& parameters) {
  using std::sqrt;
  const Symmetric3<S> f = central_factor(parameters);
  const S x = sqrt(f.xx), y = sqrt(f.yy), z = sqrt(f.zz), root = sqrt(parameters.mass);
  const Vector3<S> t = root * parameters.com;
  Eigen::Matrix4<S> U;
  U << x, f.xy * y, f.xz * z, t[0],  //
      S(0), y, f.yz * z, t[1],       //
      S(0), S(0), z, t[2],           //
      S(0), S(0), S(0), root;
  return U;
}
/// Returns A = U_0^-1 U, upper triangular: J_0^-1 J is similar to A A^T.
template <class S>
Eigen::Matrix4<S> relative_factor(const Eigen::Matrix4<S>& U_0, Eigen::Matrix4<S> U) {
  for (int j = 0; j < 4; ++j) solve_triangle(U_0, &U(0, j), j + 1);
  return U;
}
/// Returns the divergence of J from J_0 by their relative factor, tr(J_0^-1 J) - log det(J_0^-1 J) - 4.
template <class S>
S divergence(const Eigen::Matrix4<S>& A) {
  using std::log;
  S sum(-4);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i <= j; ++i) sum += A(i, j) * A(i, j);
    sum -= S(2) * log(A(j, j));
  }
  return sum;
}

}  // namespace detail

/// Returns whether the pseudo-inertia is positive definite: the mass is positive, and so are the principal moments
/// about the centre of mass, each less than the sum of the other two. There is no tolerance: for a flat body, where two
/// moments add up to the third, rounding decides. Reads the upper triangle of the inertia.
template <class S>
bool is_physically_consistent(const InertialParameters<S>& parameters) {
  const Symmetric3<S> f = detail::central_factor(parameters);
  const double mass = detail::known_value(parameters.mass);
  const auto is_positive = [](const S& x) { return detail::known_value(x) > 0.0; };
  return mass > 0.0 && std::isfinite(mass) && is_positive(f.xx) && is_positive(f.yy) && is_positive(f.zz) &&
         detail::all_finite(parameters.com);
}
template <class S>
bool is_physically_consistent(const Vector10<S>& pi) {
  return is_physically_consistent(InertialParameters<S>::from_parameters(pi));
}

/// Throws ModelError, with the body's name and the violated condition, unless the parameters are physically consistent.
/// This is stricter than ModelBuilder and Model::set_inertia, which tolerate violations of the size found in files of
/// robots.
template <class S>
void check_physically_consistent(const InertialParameters<S>& parameters, std::string_view body) {
  if (is_physically_consistent(parameters)) return;
  const auto fail = [&](std::initializer_list<std::string_view> what) {
    throw ModelError(detail::join({"body '", body, "' is not physically consistent: ", detail::join(what)}));
  };
  const double mass = value_of(parameters.mass);
  if (!std::isfinite(mass) || !detail::all_finite(parameters.com) || !detail::all_finite(parameters.inertia))
    fail({"mass, centre of mass and inertia must be finite numbers"});
  if (mass <= 0.0) fail({"mass is ", detail::number(mass), " kg, must be positive"});
  const auto moments = detail::principal_moments(parameters);
  fail({"principal moments of inertia about the centre of mass are ", detail::number(moments[0]), ", ",
        detail::number(moments[1]), ", ", detail::number(moments[2]),
        " kg m^2; each must be positive and less than the sum of the other two"});
}
/// Checks all bodies of a model in the same way, with pi in the order of inertial_parameters(model); the message names
/// the first body that is not consistent.
/// @throws SizeError, ModelError
template <class S>
void check_physically_consistent(const Model<S>& model, VectorIn<S> pi) {
  detail::check_size("pi", pi.size(), num_inertial_parameters(model));
  Eigen::Index at = 0;
  for (const Body<S>& body : model.bodies()) {
    const Vector10<S> of_body = pi.template segment<10>(at);
    check_physically_consistent(InertialParameters<S>::from_parameters(of_body), body.name());
    at += 10;
  }
}

}}  // namespace corio
