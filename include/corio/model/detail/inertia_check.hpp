#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "corio/core/detail/input.hpp"
#include "corio/spatial/inertia.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns whether the cube of x is finite; then products of a model's numbers, such as m c^2, are finite.
template <class S>
bool in_range(const S& x) {
  return std::isfinite(value_of(S(x * x * x)));
}
/// The rule of in_range in words, for messages.
inline constexpr const char* range_rule = "must be finite, and so small that its cube is finite";

template <class S, int columns>
bool all_in_range(const Eigen::Matrix<S, 3, columns>& x) {
  bool all = true;
  for (int i = 0; i < 3 * columns; ++i) all = all && in_range(x(i));
  return all;
}

/// Eigenvalues of a symmetric 3 x 3 matrix, ascending (trigonometric closed form; errors of 1e-8 of the largest at
/// worst).
inline std::array<double, 3> symmetric_eigenvalues(const Symmetric3<double>& A) {
  const double mean = A.trace() / 3.0;
  double x = A.xx - mean, y = A.yy - mean, z = A.zz - mean;
  const double size =
      (std::max)({std::abs(x), std::abs(y), std::abs(z), std::abs(A.xy), std::abs(A.xz), std::abs(A.yz)});
  if (!(size > 0.0)) return {mean, mean, mean};
  // The matrix is scaled to about one, since third powers of small numbers underflow.
  x /= size, y /= size, z /= size;
  const double xy = A.xy / size, xz = A.xz / size, yz = A.yz / size;
  const double p = std::sqrt((x * x + y * y + z * z + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0);
  const double det = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
  const double half_det = det / (2.0 * p * p * p);
  const double angle = std::acos(std::clamp(half_det, -1.0, 1.0)) / 3.0;
  constexpr double third_turn = 2.0943951023931953;
  const double largest = mean + 2.0 * size * p * std::cos(angle);
  const double smallest = mean + 2.0 * size * p * std::cos(angle + third_turn);
  return {smallest, 3.0 * mean - largest - smallest, largest};
}

/// Principal moments of inertia about the centre of mass, ascending.
template <class S>
std::array<double, 3> principal_moments(const InertialParameters<S>& parameters) {
  const auto inertia = [&parameters](int i, int j) { return value_of(parameters.inertia(i, j)); };
  return symmetric_eigenvalues(
      {inertia(0, 0), inertia(1, 1), inertia(2, 2), inertia(0, 1), inertia(0, 2), inertia(1, 2)});
}

/// Files of real robots violate the triangle inequality by up to 2.5 % of the largest moment.
inline constexpr double triangle_tolerance = 0.03;
/// The violation allowed for a link, relative to the largest moment of the rigid body that it is part of.
inline constexpr double welded_tolerance = 1e-4;

/// Throws ModelError for invalid parameters: numbers out of range, a negative mass, an unsymmetric matrix.
template <class S>
void check_sense(const InertialParameters<S>& parameters, std::string_view model, std::string_view body) {
  const auto fail = [&](std::initializer_list<std::string_view> what) {
    throw ModelError(join({"model '", model, "': body '", body, "': ", join(what)}));
  };
  if (!in_range(parameters.mass) || !all_in_range(parameters.com) || !all_in_range(parameters.inertia) ||
      !in_range(Inertia<S>(parameters).sigma.trace()))
    fail({"mass, centre of mass and inertia: each number ", range_rule});
  if (const double mass = value_of(parameters.mass); mass < 0.0)
    fail({"mass is ", number(mass), " kg, must not be negative"});
  const auto principal = principal_moments(parameters);
  const double largest = (std::max)(principal[2], -principal[0]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(value_of(parameters.inertia(i, j)) - value_of(parameters.inertia(j, i))) > 1e-5 * largest)
        fail({"the rotational inertia about the centre of mass must be a symmetric matrix"});
}

/// The argument `scale` of `violation` for a body by itself. It contains m c^2, to which rounding errors of central
/// moments are proportional if the body is far from the origin of its frame.
template <class S>
double rounding_scale(const InertialParameters<S>& parameters) {
  return 1e-8 * value_of(Inertia<S>(parameters).sigma.trace());
}

/// Describes why no rigid body can have these parameters: principal moments about the centre of mass must be
/// nonnegative and at most the sum of the other two. Returns an empty text for physical parameters.
/// @param scale  largest principal moment of the rigid body that these parameters are part of; violations below
///               welded_tolerance of it pass
template <class S>
std::string violation(const InertialParameters<S>& parameters, double scale) {
  const auto principal = principal_moments(parameters);
  const double tolerance = (std::max)(welded_tolerance * scale, triangle_tolerance * principal[2]);
  const double rounding = (std::max)(welded_tolerance * scale, 1e-6 * principal[2]);
  if (principal[0] >= -rounding && principal[0] + principal[1] >= principal[2] - tolerance) return {};
  return join({"principal moments of inertia about the centre of mass are ", number(principal[0]), ", ",
               number(principal[1]), ", ", number(principal[2]),
               " kg m^2; each must be nonnegative and at most the sum of the other two (triangle inequality)"});
}

/// Throws ModelError unless the parameters are valid and physical (see violation).
/// @param model, body  names for the message
template <class S>
void check_inertia(const InertialParameters<S>& parameters, std::string_view model, std::string_view body,
                   double scale) {
  check_sense(parameters, model, body);
  if (const std::string wrong = violation(parameters, scale); !wrong.empty())
    throw ModelError(join({"model '", model, "': body '", body, "': ", wrong}));
}

/// The closest physical parameters, in the sum of squares of the second moments about the centre of mass: negative
/// principal second moments become zero, mass and centre of mass stay.
template <class S>
InertialParameters<S> nearest_physical(const InertialParameters<S>& parameters) {
  const Matrix3<S>& inertia = parameters.inertia;
  const auto mean = [&inertia](int i, int j) { return S((inertia(i, j) + inertia(j, i)) / S(2)); };
  const Matrix3<S> sigma = half_trace_complement(Symmetric3<S>{inertia(0, 0), inertia(1, 1), inertia(2, 2), mean(0, 1),
                                                               mean(0, 2), mean(1, 2)})
                               .matrix();
  const auto at = [&](int i, int j) { return value_of(sigma(i, j)); };
  const auto x = symmetric_eigenvalues({at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)});
  // Adds factor times the projector on the principal axis i, if its eigenvalue differs from the other two.
  const auto add_axis = [&](Matrix3<S>& sum, double factor, std::size_t i, std::size_t j, std::size_t k) {
    Matrix3<S> without_j = sigma, without_k = sigma;
    for (int d = 0; d < 3; ++d) without_j(d, d) -= S(x[j]), without_k(d, d) -= S(x[k]);
    const Matrix3<S> both = without_j * without_k;
    const S scale = static_cast<S>(factor / ((x[i] - x[j]) * (x[i] - x[k])));
    for (int n = 0; n < 9; ++n) sum(n) += scale * both(n);
  };
  Matrix3<S> positive = x[1] <= 0.0 ? diagonal3(S(0)) : sigma;
  if (x[1] <= 0.0 && x[2] > 0.0) add_axis(positive, x[2], 2, 0, 1);
  if (x[1] > 0.0 && x[0] < 0.0) add_axis(positive, -x[0], 0, 1, 2);
  return {parameters.mass, parameters.com, trace_complement(Symmetric3<S>::from(positive)).matrix()};
}

}}}  // namespace corio::detail
