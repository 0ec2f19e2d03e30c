#pragma once

#include "corio/cartesian/pseudo_inverse.hpp"
#include "support/dynamics_support.hpp"
#include "support/solve.hpp"

/// The tests of maximal coordinates share these functions: velocities of bodies from the oracle's 4 x 4 matrices, and
/// dense pseudo-inverses.
namespace corio::test::cartesian {

inline constexpr BodyPoint points[] = {BodyPoint::center_of_mass, BodyPoint::origin};

/// Returns the plan's number of the body at that place among model.bodies().
inline int plan_number(const Model<double>& model, Eigen::Index i) {
  return std::stoi(model.bodies()[static_cast<std::size_t>(i)].name().substr(4));
}

/// Returns the point in coordinates of the body's frame, from the point masses of the body and of all bodies welded to
/// it.
inline Vector3<double> point_in_frame(const Sample& s, int body, BodyPoint point) {
  if (point == BodyPoint::origin) return zero3<double>();
  double mass = 0;
  Vector3<double> sum = zero3<double>();
  for (int b = 0; b < s.bodies(); ++b) {
    if (s.frame(b).node() != s.frame(body).node()) continue;
    const Matrix4<double> to_frame = s.oracle.pose(body).inverse() * s.oracle.pose(b);
    for (const auto& p : s.oracle.plan().bodies[static_cast<std::size_t>(b)].points) {
      mass += p.mass;
      sum = sum + p.mass * Oracle::at_point(to_frame, p.position);
    }
  }
  return mass > 0 ? Vector3<double>(sum / mass) : zero3<double>();
}

/// Returns the position of the point in the world.
inline Vector3<double> point_in_world(const Sample& s, int body, BodyPoint point) {
  return Oracle::at_point(s.oracle.pose(body), point_in_frame(s, body, point));
}

/// Returns the w of S(w).
inline Vector3<double> vector_of(const Matrix3<double>& A) { return {A(2, 1), A(0, 2), A(1, 0)}; }

/// Returns 6 x bodies velocities from the rates of the oracle's poses.
inline Matrix6X<double> velocities_by_oracle(const Sample& s, const Vectord& v, BodyPoint point) {
  Matrix6X<double> V(6, std::ssize(s.model.bodies()));
  for (Eigen::Index i = 0; i < V.cols(); ++i) {
    const int b = plan_number(s.model, i);
    const Matrix4<double> rate = s.oracle.pose_rate(b, v), turning = rate * s.oracle.pose(b).inverse();
    V.col(i) << vector_of(turning.topLeftCorner<3, 3>()), Oracle::at_point(rate, point_in_frame(s, b, point));
  }
  return V;
}

/// Returns J of V = J v, with the rows of all bodies one below the other.
inline Matrixd jacobian_by_oracle(const Sample& s, BodyPoint point) {
  Matrixd J(6 * std::ssize(s.model.bodies()), s.model.nv());
  for (int k = 0; k < s.model.nv(); ++k)
    J.col(k) = velocities_by_oracle(s, Vectord::Unit(s.model.nv(), k), point).reshaped();
  return J;
}

inline Matrix6X<double> random_columns(Random<double>& random, const Model<double>& model) {
  return random_vector(random, static_cast<int>(6 * std::ssize(model.bodies()))).reshaped(6, model.bodies().size());
}

/// Makes a tree with rotational joints alone, as in eqs. 62-71.
inline Plan rotational_plan(int seed) {
  using enum Kind;
  return PlanMaker("rotational tree", 100 + seed)
      .chain(-1, {spherical, revolute, universal, revolute})
      .chain(1, {spherical, revolute})
      .chain(0, {universal, revolute})
      .plan();
}

/// Holds the matrices of eqs. 60-66, by the oracle: omega = J_omega v, R^T D J_omega = blkdiag(Jhat_k).
struct Rotations {
  Matrixd D, R, J_omega;
  std::vector<Matrixd> J_hat;

  explicit Rotations(const Sample& s) {
    const Eigen::Index n = std::ssize(s.model.bodies());
    D = Matrixd::Identity(3 * n, 3 * n), R = D;
    const Matrixd J = jacobian_by_oracle(s, BodyPoint::origin);
    J_omega.resize(3 * n, s.model.nv());
    for (const auto& body : s.model.bodies()) {
      const Eigen::Index i = body.index(), p = body.parent();
      J_omega.middleRows(3 * i, 3) = J.middleRows(6 * i, 3);
      if (p < 0) continue;
      D.block(3 * i, 3 * p, 3, 3) = -Matrix3<double>::Identity();
      R.block(3 * i, 3 * i, 3, 3) = s.oracle.pose(plan_number(s.model, p)).topLeftCorner<3, 3>();
    }
    const Matrixd blocks = R.transpose() * D * J_omega;
    for (const auto& body : s.model.bodies()) {
      const Joint& joint = s.model.joints()[static_cast<std::size_t>(body.joint())];
      J_hat.push_back(blocks.block(3 * body.index(), joint.v_index(), 3, joint.nv()));
    }
  }
};

}  // namespace corio::test::cartesian
