#pragma once

#include <span>

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/cartesian/generalized_forces.hpp"
#include "corio/kinematics/robot.hpp"
#include "corio/solvers/least_squares.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Result of wrenches_at_points.
template <class S>
struct WrenchesAtPointsResult {
  Eigen::Matrix<S, 3, Eigen::Dynamic> forces;   ///< 3 x places, in the axes of each place, N
  Eigen::Matrix<S, 3, Eigen::Dynamic> torques;  ///< 3 x bodies: moments of the joints, axes as for body_wrenches, N m
  VectorX<S> residual;                          ///< nv, the part of tau that is missing: zero unless the rank is less
  int rank = 0;                                 ///< number of independent directions of tau that they balance
};

namespace algorithm {

template <class S>
struct WrenchesAtPoints;

}  // namespace algorithm

/// Computes forces at known points and torques of all joints that make given generalized forces tau and have the least
/// sum of squares (1 N m counts as much as 1 N):
///   (f; tau^) = (J'_v^T  J^_w^T)^+ tau,
/// where J'_v gives the velocities of the points, and J^_w the angular velocities of bodies relative to their parents.
/// A torque acts on the body that the joint carries, and its opposite on the parent. For a Mechanism
/// (mechanism/kinematics.hpp) tau belongs to its independent speeds.
///
/// @param tau     nv (N m, N)
/// @param places  the places where forces act, each in its own axes: a std::vector or array of FramePoint
/// @returns {forces, torques, residual, rank}, valid until the next call
/// @throws SizeError; ModelError for a place of another model. O(N n^2) for N places and bodies.
/// Source: Liu and Jain, sec. 6.2, eq. 69 inverted.
template <std::floating_point S, template <class> class Robot>
const WrenchesAtPointsResult<S>& wrenches_at_points(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> tau,
                                                    std::span<const FramePoint<std::type_identity_t<S>>> places) {
  detail::check_speeds("tau", tau, robot);
  for (const auto& place : places) detail::check_owns(robot.tree(), place, "wrenches_at_points");
  return data.template run<algorithm::WrenchesAtPoints<S>>(robot, tau, places).result;
}

namespace algorithm {

template <class S>
struct WrenchesAtPoints {
  static constexpr detail::Needs needs{.pass = Pass::position, .name = "wrenches_at_points"};
  WrenchesAtPointsResult<S> result;
  Matrix6X<S> J;
  MatrixX<S> of_tree, transposed, given, x;  // of_tree: J^T
  detail::LeastSquares<S> solver;

  template <class Robot>
  explicit WrenchesAtPoints(const Robot& r) : J(6, r.tree().nv()), given(r.nv(), 1) {}
  template <class Robot>
  void run(const Robot& robot, const DataOf<Robot>& data, VectorIn<S> tau, std::span<const FramePoint<S>> places) {
    const Model<S>& model = robot.tree();
    const auto points = std::ssize(places), columns = 3 * (points + std::ssize(model.bodies()));
    of_tree.setZero(model.nv(), columns), transposed.resize(robot.nv(), columns);
    for (Eigen::Index i = 0; const FramePoint<S>& place : places) {
      body_jacobian<S>(model, data.of_tree(), place, J);
      of_tree.middleCols(3 * i++, 3) = J.bottomRows(3).transpose();
    }
    for (const Body<S>& body : model.bodies()) {
      const Matrix3<S> R = detail::axes_of_parent(model, data.of_tree(), body);
      const Joint& joint = model.joint_of_node(body.node());
      for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
        of_tree.row(k).segment(3 * (points + body.index()), 3) =
            transpose_times(R, data.of_tree().phi[k].angular).transpose();
    }
    project_forces<S>(robot, data, of_tree, transposed);
    result.residual = tau, given = result.residual;  // tau may be the last residual
    solver.compute(transposed);
    solver.solve(given, x);
    result.residual.noalias() -= transposed * x.col(0);
    result.rank = static_cast<int>(solver.rank());
    result.forces.resize(3, points), result.torques.resize(3, std::ssize(model.bodies()));
    std::copy_n(x.data(), 3 * points, result.forces.data());
    std::copy_n(x.data() + 3 * points, result.torques.size(), result.torques.data());
  }
};

}  // namespace algorithm

}}  // namespace corio
