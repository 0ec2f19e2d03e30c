#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corio/model/builder.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

/// Slow and obvious dynamics of point masses. Poses are products of 4 x 4 matrices, their derivatives are products with
/// further factors, and everything else is Newton's law for each point. No spatial algebra, composites or recursions
/// are used, and of the library only names and argument types.
namespace corio::test {

/// One moving factor of a joint's transform, and the constant twists in the child's axes along which it
/// moves: E_k T = T hat(S_k).
struct Factor {
  int nq;
  std::function<Matrix4<double>(const double* q)> transform;
  std::vector<Motion<double>> twists;
};

/// A joint in the form that the library takes, and in the form that the oracle takes.
struct JointPlan {
  joint::JointSpec<double> joint;
  std::vector<Factor> factors;
};

/// Body number i is named "body<i>", its joint "body<i>_joint".
struct BodyPlan {
  int parent;
  JointPlan joint;
  Pose<double> placement;
  std::vector<PointMass<double>> points;
  std::vector<double> armature{};
};

struct Plan {
  std::string name;
  std::vector<BodyPlan> bodies;
  Vector3<double> gravity{0.3, -0.2, -9.81};
};

inline std::string body_name(int i) { return "body" + std::to_string(i); }

Model<double> build(const Plan& plan);

/// A force at a point and a couple on a body of the plan, all in world axes and coordinates.
struct Push {
  int body;
  Vector3<double> couple, force, point;
};

class Oracle {
 public:
  using Vector = VectorX<double>;
  using Matrix = MatrixX<double>;

  Oracle(const Plan& plan, const Model<double>& model);
  Oracle(const Oracle&) = delete;  // chains point into plan_

  void set_configuration(const Vector& q);

  /// Return T_b, E_k T_b and E_k E_j T_b.
  const Matrix4<double>& pose(int b) const { return at(b).pose; }
  const Matrix4<double>& first(int b, int k) const { return at(b).first[static_cast<std::size_t>(k)]; }
  const Matrix4<double>& second(int b, int k, int j) const { return at(b).second[pair(k, j)]; }

  /// Return dT_b/dt and its rate, for speeds v and their rates a.
  Matrix4<double> pose_rate(int b, const Vector& v) const;
  Matrix4<double> first_rate(int b, int j, const Vector& v) const;
  Matrix4<double> pose_second_rate(int b, const Vector& v, const Vector& a) const;

  /// Sums m (E_i x).(E_j x) over the points, and adds the rotors.
  Matrix mass_matrix() const;

  /// Sums m (E_i x).(E_k E_j x) v_k over the points: the Levi-Civita connection of the flat space of all points.
  Matrix coriolis_matrix(const Vector& v) const;

  /// Returns the same for unit speeds: page k holds the sum of m (E_i x).(E_k E_j x) at (i, j).
  std::vector<Matrix> christoffel_symbols() const;

  /// Applies d'Alembert's principle: the sum over points of (E_i x).(m x'' - m g), plus the rotors, minus the virtual
  /// work of the pushes.
  Vector inverse_dynamics(const Vector& v, const Vector& a, const std::vector<Push>& pushes = {}) const;

  /// Returns the virtual work of a push along each degree of freedom.
  Vector generalized_force(const Push& push) const;

  double kinetic_energy(const Vector& v) const;
  double potential_energy() const;

  const Plan& plan() const { return plan_; }

  /// Maps a point of a body's frame by a 4 x 4 matrix.
  static Vector3<double> at_point(const Matrix4<double>& A, const Vector3<double>& r, double w = 1);

 private:
  struct Link {
    Matrix4<double> transform;
    const Factor* factor;  // null for a placement
    int q_index, v_index;
  };
  using Chain = std::vector<Link>;
  struct Body {
    Chain chain{};
    Matrix4<double> pose{};
    std::vector<Matrix4<double>> first{}, second{};
  };

  const Body& at(int b) const { return bodies_[static_cast<std::size_t>(b)]; }
  std::size_t pair(int k, int j) const { return static_cast<std::size_t>(k * nv_ + j); }

  static std::vector<int> dofs_of(const Chain& chain);

  /// Returns the product of the chain, with hat(S_k) after the factor of each k. Within one factor the order is that of
  /// `along`: E_k (G hat(S_j)) = G hat(S_k) hat(S_j).
  static Matrix4<double> product(const Chain& chain, const std::vector<int>& along);

  template <class F>
  void for_each_body(F&& f) const {
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) f(b);
  }

  /// Sums m (A x).(B x) over the points of a body.
  double moment(int b, const Matrix4<double>& A, const Matrix4<double>& B) const;

  Plan plan_;
  int nv_;
  Vector armature_;
  std::vector<Body> bodies_;
};

}  // namespace corio::test
