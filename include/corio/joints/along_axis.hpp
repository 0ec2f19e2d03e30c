#pragma once

#include <array>

#include "corio/core/error.hpp"
#include "corio/joints/joint_model.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Rotation about a fixed axis: q = [angle] in rad, unbounded, nu = dq/dt, column [axis; 0]. The angle counts turns:
/// difference(-3.1, 3.1) is 6.2.
struct Revolute : VectorSpace<1, 1>, AlongAxis {
  static constexpr const char* type = "revolute";
  using AlongAxis::AlongAxis;
  static Revolute x() { return Revolute(unit3<double>(0)); }
  static Revolute y() { return Revolute(unit3<double>(1)); }
  static Revolute z() { return Revolute(); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return detail::turn_about_z(A, q[0]);
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
  }
};

/// Rotation about a fixed axis like Revolute, for a wheel or a joint without stops, whose turns do not count: the
/// difference of two angles is the shorter way round, in [-pi, pi], so that difference(-3.1, 3.1) is about -0.083.
/// Functions that use the difference, such as the forces of springs, then use this shorter way. All else is as for
/// Revolute: q is any real number, which integrate does not wrap. The difference jumps at half a turn; elsewhere its
/// derivatives are as for Revolute. A recording of operations (CppAD, generated code) keeps the number of turns it was
/// made with.
struct Continuous : Revolute {
  static constexpr const char* type = "continuous";
  static constexpr bool adds = false;
  using Revolute::Revolute;
  static Continuous x() { return Continuous(unit3<double>(0)); }
  static Continuous y() { return Continuous(unit3<double>(1)); }
  static Continuous z() { return Continuous(); }

  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    using std::round;
    const S change = q1[0] - q0[0];
    const auto value = corio::detail::real_value(change);
    constexpr auto turn = 2 * corio::detail::pi<typename NumberOf<std::remove_cvref_t<decltype(value)>>::Type>;
    dv[0] = change - S(turn * round(value / turn));
  }
};

/// Translation along a fixed axis: q = [distance] in m, nu = dq/dt, column [0; axis].
struct Prismatic : VectorSpace<1>, AlongAxis {
  static constexpr const char* type = "prismatic";
  using AlongAxis::AlongAxis;
  static Prismatic x() { return Prismatic(unit3<double>(0)); }
  static Prismatic y() { return Prismatic(unit3<double>(1)); }
  static Prismatic z() { return Prismatic(); }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation, A.translation + column(A.rotation, 2) * q[0]};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::translation_column(X, 2);
  }
};

/// Screw: rotation about a fixed axis with an advance along it. q = [angle] in rad, nu = dq/dt,
/// column [axis; pitch axis] with the pitch in m/rad (negative: left-handed), which must be finite and not zero.
class Helical : public VectorSpace<1, 1>, public AlongAxis {
 public:
  static constexpr const char* type = "helical";

  Helical(const Vector3<double>& axis, double pitch) : AlongAxis(axis), pitch_(pitch) {}

  double pitch() const { return pitch_; }
  std::string check() const {
    if (std::isfinite(pitch_) && pitch_ != 0.0) return {};
    return corio::detail::join({"its pitch is ", corio::detail::number(pitch_),
                                " m/rad, must be finite and not zero; a joint without pitch is Revolute"});
  }

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    Pose<S> X = detail::turn_about_z(A, q[0]);
    X.translation += column(A.rotation, 2) * (S(pitch_) * q[0]);
    return X;
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
    phi[0].linear += column(X.rotation, 2) * S(pitch_);
  }

 private:
  double pitch_;
};

/// Rotation about and translation along one axis: q = [angle, distance], nu = dq/dt, columns
/// [axis; 0] and [0; axis].
struct Cylindrical : VectorSpace<2, 1>, AlongAxis {
  static constexpr const char* type = "cylindrical";
  using AlongAxis::AlongAxis;

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    Pose<S> X = detail::turn_about_z(A, q[0]);
    X.translation += column(A.rotation, 2) * q[1];
    return X;
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = detail::rotation_column(X, 2);
    phi[1] = detail::translation_column(X, 2);
  }
};

/// Two intersecting revolute axes: T = exp(first q0) exp(second q1), q = [q0, q1] in rad, nu = dq/dt. `first` is fixed
/// in the joint frame, `second` turns with it. Inside the model it is a chain of two single-axis joints with a massless
/// body between them, so that all axes are constant in their bodies.
class Universal {
 public:
  static constexpr const char* type = "universal";

  explicit Universal(const Vector3<double>& first = unit3<double>(0), const Vector3<double>& second = unit3<double>(1))
      : primitive_joints_{Revolute(first), Revolute(second)} {}

  const std::array<Revolute, 2>& primitive_joints() const { return primitive_joints_; }

 private:
  std::array<Revolute, 2> primitive_joints_;
};

}}}  // namespace corio::joint
