#pragma once

#include <complex>

#include "corio/joints/spherical.hpp"
#include "support/compiled.hpp"
#include "support/spatial_random.hpp"

/// Users' joints whose columns move in the body, and trees of them.
namespace corio::test {

/// A user's joint whose axis moves in the body: it turns by q about z and slides by r sin q along the x of the joint
/// frame.
class Cam : public joint::VectorSpace<1> {
 public:
  static constexpr const char* type = "cam";
  explicit Cam(double radius = 0.3) : radius_(radius) {}

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    using std::sin;
    return A * Pose<S>{rotation_z(q[0]), {S(radius_) * sin(q[0]), S(0), S(0)}};
  }
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    using std::cos, std::sin;
    const S c = cos(q[0]), s = sin(q[0]), r(static_cast<S>(radius_));
    phi[0] = X.act(Motion<S>{{S(0), S(0), S(1)}, {r * c * c, -r * c * s, S(0)}});
  }
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    using std::cos, std::sin;
    const S c = cos(q[0]), s = sin(q[0]), rv = static_cast<S>(radius_) * v[0];
    rates[0] = X.act(Motion<S>{Vector3<S>::Zero(), {S(-2) * rv * c * s, rv * (s * s - c * c), S(0)}});
  }

 private:
  double radius_;
};

/// A joint with moving axes whose members take double alone.
class CamOfDoubles : public Cam {
 public:
  static constexpr const char* type = "cam of doubles";
  void integrate(const double* q, const double* dv, double* out) const { out[0] = q[0] + dv[0]; }
};

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

/// A ball joint whose speeds are the angular velocity in the axes of the joint frame instead of the body's: the vector
/// fields of turns from the left, whose brackets have the opposite sign.
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

/// Builds a branched tree with `joint`, of three degrees of freedom, in the middle: hinge, slider, `joint`, and two
/// hinges side by side on it. Degrees of freedom 2 to 4 belong to `joint`.
template <class S, class J>
Model<S> tree_on(const J& joint) {
  Random<double> random(21);
  ModelBuilder<S> builder("tree on a joint of interest");
  const auto add = [&](const char* name, Parent parent, joint::JointSpec<S> any) {
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

/// The same model over double and over complex numbers.
struct Twins {
  std::string name;
  Model<double> real;
  Model<std::complex<double>> complex;
};
template <class J>
Twins twins_with(const J& joint) {
  return {J::type, tree_on<double>(joint), tree_on<std::complex<double>>(joint)};
}
/// Counts the trees, one for each of the joints above.
inline constexpr int all_twins = 3;
inline Twins twins(int i) {
  if (i == 0) return twins_with(Cam(0.4));
  if (i == 1) return twins_with(EulerZyx());
  return twins_with(ParentBall());
}

/// Puts joints of every sort above and below each other on `base`: moving columns on moving columns, with one and three
/// degrees of freedom, and under ball joints.
template <class S>
Model<S> tower(const joint::JointSpec<S>& base) {
  Random<double> random(33);
  ModelBuilder<S> builder("tower");
  const auto add = [&](const char* name, Parent parent, const joint::JointSpec<S>& any) {
    const Pose<double> placement = random.pose();
    const InertialParameters<double> inertia(random.inertia());
    builder.add_body(
        {.name = name, .parent = parent, .joint = any, .placement = placement.cast<S>(), .inertia = inertia.cast<S>()});
  };
  add("base", {}, base);
  add("euler", "base", EulerZyx());
  add("hinge", "euler", joint::Revolute(Vector3<double>(1, 2, 3)));
  add("parent_ball", "hinge", ParentBall());
  add("cam", "parent_ball", Cam(0.4));
  add("ball", "cam", joint::Spherical{});
  add("second_cam", "hinge", Cam(-0.3));
  add("second_euler", "second_cam", EulerZyx());
  add("plane", "second_euler", joint::Planar(Vector3<double>(0, 1, 2)));
  return builder.build();
}
template <class J>
Twins tower_on(const J& base) {
  return {std::string("tower on ") + J::type, tower<double>(base), tower<std::complex<double>>(base)};
}
/// Counts the trees on one of the joints, and the towers: one floating, the others with such a joint at the root.
inline constexpr int all_moving_models = all_twins + 3;
inline Twins moving_models(int i) {
  if (i < all_twins) return twins(i);
  if (i == all_twins) return tower_on(joint::FreeFlyer());
  return i == all_twins + 1 ? tower_on(ParentBall()) : tower_on(Cam(0.2));
}

// ---- user_joints.cpp compiles a user's joint once, over the scalars of models, AnyScalar, and dual numbers of each

#define CORIO_TEST_USER_JOINT(EXTERN, J)                                     \
  EXTERN template class joint::CustomAdapter<double, test::J>;               \
  EXTERN template class joint::CustomAdapter<float, test::J>;                \
  EXTERN template class joint::CustomAdapter<long double, test::J>;          \
  EXTERN template class joint::CustomAdapter<std::complex<double>, test::J>; \
  EXTERN template class joint::CustomAdapter<joint::AnyScalar, test::J>;     \
  EXTERN template void joint::check_joint(const test::J&);                   \
  EXTERN template Model<double> test::tree_on(const test::J&);               \
  EXTERN template Model<std::complex<double>> test::tree_on(const test::J&);

#define CORIO_TEST_USER_JOINTS(EXTERN)      \
  CORIO_TEST_USER_JOINT(EXTERN, Cam)        \
  CORIO_TEST_USER_JOINT(EXTERN, EulerZyx)   \
  CORIO_TEST_USER_JOINT(EXTERN, ParentBall) \
  EXTERN template Model<double> test::tree_on(const test::CamOfDoubles&);

}  // namespace corio::test

namespace corio {
CORIO_TEST_USER_JOINTS(extern)
}  // namespace corio
