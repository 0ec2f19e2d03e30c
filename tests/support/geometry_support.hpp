#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "corio/algorithms/structure_constants.hpp"
#include "corio/joints/spherical.hpp"
#include "support/dynamics_support.hpp"

/// What tests of the geometry behind C share: joints whose speeds are unusual, derivatives of M, brackets.
namespace corio::test {

// ---- Joints of three degrees of freedom whose columns move in the body

/// A turn by Rz(q0) Ry(q1) Rx(q2) whose speeds are the rates of these angles: its motions commute.
class EulerZyx : public joint::VectorSpace<3> {
 public:
  static constexpr const char* type = "euler_zyx";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return A * Pose<S>{rotation_z(q[0]) * rotation_y(q[1]) * rotation_x(q[2]), Vector3<S>::Zero()};
  }
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    using std::cos, std::sin;
    const S c1 = cos(q[1]), s1 = sin(q[1]), c2 = cos(q[2]), s2 = sin(q[2]);
    phi[0] = X.act(Motion<S>{{-s1, c1 * s2, c1 * c2}, Vector3<S>::Zero()});
    phi[1] = X.act(Motion<S>{{S(0), c2, -s2}, Vector3<S>::Zero()});
    phi[2] = X.act(Motion<S>{{S(1), S(0), S(0)}, Vector3<S>::Zero()});
  }
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    using std::cos, std::sin;
    const S c1 = cos(q[1]), s1 = sin(q[1]), c2 = cos(q[2]), s2 = sin(q[2]);
    rates[0] =
        X.act(Motion<S>{{-c1 * v[1], c1 * c2 * v[2] - s1 * s2 * v[1], -c1 * s2 * v[2] - s1 * c2 * v[1]}, zero3<S>()});
    rates[1] = X.act(Motion<S>{{S(0), -s2 * v[2], -c2 * v[2]}, zero3<S>()});
    rates[2] = Motion<S>::zero();
  }
};

/// A ball joint whose speeds are the angular velocity in the axes of the joint frame, not in those of the body: the
/// vector fields of turns from the left, whose brackets have the opposite sign.
class ParentBall {
 public:
  static constexpr int nq = 4, nv = 3;
  static constexpr const char* type = "parent_ball";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return ball_.compose(A, q);
  }

  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    const Matrix3<S> R = rotation_of(q);
    for (int i = 0; i < 3; ++i) phi[i] = X.act(Motion<S>{R.row(i).transpose(), zero3<S>()});
  }
  /// d(R^T e_i)/dt = R^T (e_i x w).
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    const Matrix3<S> R = rotation_of(q);
    const Vector3<S> w(v[0], v[1], v[2]);
    for (int i = 0; i < 3; ++i) {
      const Vector3<S> turned = R.transpose() * cross(unit3<S>(i), w);
      rates[i] = X.act(Motion<S>{turned, zero3<S>()});
    }
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    joint::detail::store(quaternion_product(exp_quaternion(vector3(dv)), joint::detail::quaternion(q)), out);
  }
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Quaternion<S> turn =
        quaternion_product(joint::detail::quaternion(q1), quaternion_inverse(joint::detail::quaternion(q0)));
    joint::detail::store(log_quaternion(turn), dv);
  }
  template <class S>
  void neutral(S* q) const {
    ball_.neutral(q);
  }
  template <class S>
  void random(const joint::Uniform& uniform, S* q) const {
    ball_.random(uniform, q);
  }
  template <class S>
  void normalize(S* q) const {
    ball_.normalize(q);
  }
  template <class S>
  double violation(const S* q) const {
    return ball_.violation(q);
  }

 private:
  joint::Spherical ball_;

  template <class S>
  static Matrix3<S> rotation_of(const S* q) {
    return rotation_from_quaternion(joint::detail::quaternion(q));
  }
};

/// A joint of three degrees of freedom in the middle of a branched tree of others: hinge, slider, `joint`, and two
/// hinges side by side on it. Degrees of freedom 2 to 4 are those of `joint`.
template <class S, class J>
Model<S> tree_on(const J& joint) {
  Random<double> random(21);
  ModelBuilder<S> builder("tree on a joint of interest");
  const auto add = [&](const char* name, Parent parent, joint::Any<S> any) {
    const Pose<double> placement = random.pose();
    const InertialParameters<double> inertia(random.inertia());
    builder.add_body(
        {.name = name, .parent = parent, .joint = any, .placement = placement.cast<S>(), .inertia = inertia.cast<S>()});
  };
  add("base", {}, joint::Revolute(Vector3<double>(1, 2, 3)));
  add("slider", "base", joint::Prismatic(Vector3<double>(1, 2, -1)));
  add("middle", "slider", joint);
  add("left", "middle", joint::Revolute(Vector3<double>(0, 1, 2)));
  add("right", "middle", joint::Revolute(Vector3<double>(1, 0, -2)));
  builder.set_gravity({S(1), S(-2), S(-9)});
  return builder.build();
}

// Every one of these compiles a joint over dual numbers too.
extern template Model<double> tree_on(const EulerZyx&);
extern template Model<double> tree_on(const ParentBall&);
extern template Model<Complex> tree_on(const EulerZyx&);
extern template Model<Complex> tree_on(const ParentBall&);

/// A random state of a model.
struct State {
  explicit State(const Model<double>& model, int seed = 1);
  Random<double> random;
  Vectord q, v, a;
};

// ---- Which joints have motions that do not commute

bool commutes(const Joint& joint);
bool all_commute(const Model<double>& model);
bool armature_on_noncommuting(const Model<double>& model);

// ---- Vector fields of constant components

/// [v, w] = sum c(:,a,b) v_a w_b.
Vectord bracket(const Tensor3<double>& c, const Vectord& v, const Vectord& w);

double max_magnitude(const Tensor3<double>& T);
/// As relative_error of matrices.
double relative_error(const Tensor3<double>& T, const Tensor3<double>& reference);

// ---- Derivatives of the mass matrix

/// dM along each degree of freedom, by the complex step.
std::vector<Matrixd> mass_matrix_derivatives(const Model<Complex>& model, const Vectord& q);
Matrixd mass_matrix_rate(const Model<Complex>& model, const Vectord& q, const Vectord& v);

/// Christoffel symbols of coordinates from the derivatives D_k of a mass matrix, contracted with v:
/// C(i,j) = 1/2 sum_k (D_k M_ij + D_j M_ik - D_i M_jk) v_k.
Matrixd coriolis_matrix_of_coordinates(const std::vector<Matrixd>& D, const Vectord& v);

}  // namespace corio::test
