#pragma once

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/cartesian/cartesian_forces.hpp"

/// The Jacobian of all bodies as one dense matrix, and conversions by its pseudo-inverse.
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct LeastSquaresVelocities;
template <class S>
struct MinimumNormForces;

}  // namespace algorithm

/// Computes the generalized velocities whose J v is nearest to given velocities of the bodies: the v for which
///   sum_i weights_i (V - J v)_i^2
/// is least. Without weights v = J^+ V: an error of 1 rad/s counts as much as an error of 1 m/s.
///
/// @param V        6 x bodies, see maximal_velocities
/// @param weights  6 x bodies, not negative; if empty, all weights are 1
/// @returns v and the residual of V, valid until the next call
/// @throws SizeError; Error for a weight that is negative or not finite. O(N n^2) for N bodies.
/// Source: Liu and Jain, eq. 61.
template <std::floating_point S>
const GeneralizedVelocitiesResult<S>& least_squares_velocities(const Model<S>& model, Data<S>& data, MatrixIn<S> V,
                                                               BodyPoint point = BodyPoint::center_of_mass,
                                                               MatrixIn<S> weights = Matrix6X<S>(6, 0)) {
  constexpr const char* function = "least_squares_velocities";
  detail::check_of_bodies<S>("V", V, model, function);
  if (weights.size() > 0) {
    detail::check_of_bodies<S>("weights", weights, model, function);
    for (const Body<S>& body : model.bodies())
      if (const auto own = weights.col(body.index()); !(own.minCoeff() >= S(0) && own.allFinite()))
        throw Error(detail::join(
            {function, ": weights of body '", body.name(), "' must be finite numbers that are not negative"}));
  }
  return data.template run<algorithm::LeastSquaresVelocities<S>>(model, V, point, weights).result;
}

/// Computes the wrenches on the bodies with J^T F = Q whose sum of squared components is least,
///   F = (J^T)^+ Q.
/// In this sum 1 N m counts as much as 1 N. Unlike motors, the wrenches do not react on parents.
/// @param Q  nv (N m, N)
/// @returns the wrenches, valid until the next call
/// @throws SizeError. O(N n^2) for N bodies. Source: Liu and Jain, eq. 70.
template <std::floating_point S>
const CartesianForcesResult<S>& minimum_norm_forces(const Model<S>& model, Data<S>& data, VectorIn<S> Q,
                                                    BodyPoint point = BodyPoint::center_of_mass) {
  detail::check_speeds("Q", Q, model, "minimum_norm_forces");
  return data.template run<algorithm::MinimumNormForces<S>>(model, Q, point).result;
}

namespace detail {

/// Computes the matrix J of V = J v, 6 bodies x nv.
template <class S>
void maximal_jacobian(const Model<S>& model, const Data<S>& data, BodyPoint point, MatrixX<S>& J) {
  for (const Body<S>& body : model.bodies())
    body_jacobian<S>(model, data, where_of(model, body, point), J.middleRows(6 * body.index(), 6));
}

/// Returns the joint of a linearly dependent column of a matrix with a column per degree of freedom; -1 if none exists.
template <class S>
int singular_joint(const Model<S>& model, const LeastSquares<S>& solver) {
  const auto rank = solver.rank();
  return rank == model.nv() ? -1 : model.node(model.node_of(solver.pivot(rank))).body;
}

}  // namespace detail

namespace algorithm {

template <class S>
struct LeastSquaresVelocities {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "least_squares_velocities"};
  GeneralizedVelocitiesResult<S> result;
  PerBody<Motion<S>> twist;
  detail::LeastSquares<S> solver;
  MatrixX<S> J, given, v;

  explicit LeastSquaresVelocities(const Model<S>& m)
      : result{zeros<S>(m.nv()), detail::zero_for_bodies(m)},
        twist(static_cast<int>(detail::num_bodies(m))),
        J(6 * detail::num_bodies(m), m.nv()),
        given(J.rows(), 1) {}
  void run(const Model<S>& model, const Data<S>& data, MatrixIn<S> V, BodyPoint point, MatrixIn<S> weights);
};
template <class S>
void LeastSquaresVelocities<S>::run(const Model<S>& model, const Data<S>& data, MatrixIn<S> V, BodyPoint point,
                                    MatrixIn<S> weights) {
  detail::maximal_jacobian(model, data, point, J);
  for (Eigen::Index row = 0; row < J.rows(); ++row) {
    const S root = weights.size() == 0 ? S(1) : std::sqrt(weights(row % 6, row / 6));
    J.row(row) *= root, given(row, 0) = root * V(row % 6, row / 6);
  }
  solver.compute(J);
  solver.solve(given, v);
  result.v = v.col(0);
  result.rank = static_cast<int>(solver.rank()), result.singular_joint = detail::singular_joint(model, solver);
  detail::measure_velocities<S>(model, data, V, point, twist, result);
}

template <class S>
struct MinimumNormForces {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "minimum_norm_forces"};
  CartesianForcesResult<S> result;
  detail::LeastSquares<S> solver;
  MatrixX<S> J, transposed, given, F;

  explicit MinimumNormForces(const Model<S>& m)
      : result{detail::zero_for_bodies(m), zeros<S>(m.nv())}, J(6 * detail::num_bodies(m), m.nv()) {}
  void run(const Model<S>& model, const Data<S>& data, VectorIn<S> Q, BodyPoint point) {
    result.residual = Q;  // copied first, since Q may alias the last result
    detail::maximal_jacobian(model, data, point, J);
    transposed = J.transpose();
    solver.compute(transposed);
    given = result.residual;
    solver.solve(given, F);
    std::copy_n(F.data(), F.size(), result.F.data());
    result.residual.noalias() -= transposed * F.col(0);
    result.rank = static_cast<int>(solver.rank());
  }
};

}  // namespace algorithm

}}  // namespace corio
