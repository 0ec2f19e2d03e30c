#pragma once

#include "corio/core/dual.hpp"
#include "corio/model/loops.hpp"
#include "trials/trial.hpp"

namespace corio::trials {

/// Computes Newton's law for the points of all bodies, in long double. From the library the class uses only the poses
/// and steps of joints, over dual numbers: velocities are derivatives of 4 x 4 matrices X, and sums over points are
/// traces with the bodies' second moments J.
class Newton {
 public:
  using Real = long double;
  using Reals = VectorX<Real>;
  using RealMatrix = MatrixX<Real>;
  using Jet = Dual<Dual<Real>>;

  Newton(const Model<double>& model, const Vector& q);

  /// Returns sum tr(E_i X J (E_j X)^T), and the armature.
  RealMatrix mass_matrix() const;
  /// Returns sum tr(E_i X J (X'' - g)^T), and the armature, along the motion with v and a.
  Reals inverse_dynamics(const Vector& v, const Vector& a) const;
  Real kinetic_energy(const Vector& v) const;
  Real potential_energy() const;
  /// Returns the momentum of the points and its moment about the origin of the world: [moment; force].
  Eigen::Matrix<Real, 6, 1> momentum(const Vector& v) const;

  /// Returns, for each degree of freedom, the square root S of the sum over all points of m times the square of (|turn|
  /// times the distance from the base, plus |velocity of the base's place|). S^2 is the sum of the terms in the column
  /// of M, so that rounding errors of M(i, j) are proportional to S_i S_j even if terms cancel.
  const Reals& sizes() const { return sizes_; }
  /// Returns how fast each degree of freedom can turn a body, for unit speed.
  const Reals& turns() const { return turns_; }
  /// Upper limits of the square root of the sum over all points of m |velocity|^2, m |g|^2 and m |acceleration - g|^2,
  /// and of angular velocities, in which nothing cancels. Errors of tau_i are proportional to S_i times the effort.
  Real pace(const Vector& v) const { return v.cast<Real>().cwiseAbs().dot(sizes_); }
  Real turn(const Vector& v) const { return v.cast<Real>().cwiseAbs().dot(turns_); }
  Real weight() const;
  Real effort(const Vector& v, const Vector& a) const { return weight() + pace(a) + 2 * turn(v) * pace(v); }
  /// Returns the size of the terms in the derivatives of tau along the degrees of freedom.
  RealMatrix efforts_by_q(const Vector& v, const Vector& a) const;
  RealMatrix efforts_by_v(const Vector& v) const;
  /// Returns the size of the terms in C(q, v) and dM/dt.
  RealMatrix efforts_of_C(const Vector& v) const { return efforts_by_v(v); }
  RealMatrix efforts_of_Mdot(const Vector& v) const;

  /// Returns the Jacobian of the conditions of loops, from derivatives of relative poses, and -(dK/dt) v.
  RealMatrix jacobian(const Loops<double>& loops) const;
  Reals bias(const Loops<double>& loops, const Vector& v) const;
  Reals residual(const Loops<double>& loops) const;

 private:
  using Square = Eigen::Matrix<Real, 4, 4>;
  using Poses = std::vector<Pose<Jet>>;

  /// Returns the poses of all nodes at q (+) step.
  Poses poses(const VectorX<Jet>& step) const;
  /// Returns X, its first or its second derivative.
  static Square part(const Pose<Jet>& X, int order);
  /// Returns the poses as q moves by t v + t^2/2 a, with t^3 = 0.
  Poses along(const Vector& v, const Vector& a) const;
  VectorX<Jet> conditions(const Loops<double>& loops, const Poses& X, const VectorX<Jet>& step) const;

  const Model<double>& model_;
  Vector q_;
  std::vector<Square> X_, J_;
  std::vector<std::vector<Square>> E_;  // by degree of freedom and node
  Square gravity_;
  Reals sizes_, turns_;
};

}  // namespace corio::trials
