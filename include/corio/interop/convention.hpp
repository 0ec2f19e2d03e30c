#pragma once

#include "corio/core/abi.hpp"

/// Conventions of other libraries, where they differ from corio: the order and definition of the coordinates,
/// velocities and twists of a robot. Conversion (interop/conversion.hpp) needs these facts about a library. For any
/// other library, define a Convention.
namespace corio { inline namespace CORIO_ABI { namespace interop {

/// The differences of a library from corio.
struct Convention {
  const char* name;
  /// Order and place of the four numbers of a quaternion in q.
  enum class Quaternion { xyzw, wxyz, w_at_end_of_q } quaternion = Quaternion::xyzw;
  /// For a floating base: quaternion before position, linear velocity before angular, and which of the two velocities
  /// are in the axes of the parent instead of the base's own.
  bool rotation_first = false, linear_first = false, linear_in_parent = false, angular_in_parent = false;
  /// Ball joints have q = [roll, pitch, yaw] and v = the angular velocity in the axes of the parent.
  bool ball_rpy = false;
  /// Planar joints have q = [x, y, angle] and v = its rate, instead of [x, y, cos, sin] and [vx, vy, w] in the axes of
  /// the child.
  bool planar_angle = false;
  /// Revolute joints without limits have q = [cos, sin].
  bool circle = false;
  /// Twists are [linear; angular].
  bool twist_linear_first = false;
  /// The default order of joints is depth-first with children in the alphabetical order of their joints.
  bool alphabetical = false;
};

/// Pinocchio 3. Floating base: q = [x y z, quaternion x y z w], v = [linear; angular], both in the axes of the base.
/// Revolute joints without limits (continuous in URDF) have q = [cos, sin]. Its URDF reader visits children in the
/// alphabetical order of their joints; with fixed joints in between, or for models built by hand, pass the order of
/// pinocchio::Model::names, without "universe".
inline constexpr Convention pinocchio{.name = "pinocchio",
                                      .quaternion = Convention::Quaternion::xyzw,
                                      .linear_first = true,
                                      .circle = true,
                                      .twist_linear_first = true,
                                      .alphabetical = true};

/// RBDL 3. Floating base (JointTypeFloatingBase): q = [x y z, quaternion x y z], v = [linear velocity in the axes of
/// the parent; angular velocity in its own]. The w of all quaternions are at the end of q, in the order of their
/// joints. Its URDF reader orders joints as Pinocchio's does; for models built by hand pass the order of AddBody. Euler
/// angles, which RBDL has besides quaternions, are not converted.
inline constexpr Convention rbdl{.name = "rbdl",
                                 .quaternion = Convention::Quaternion::w_at_end_of_q,
                                 .linear_first = true,
                                 .linear_in_parent = true,
                                 .planar_angle = true,
                                 .alphabetical = true};

/// Drake. Floating base: q = [quaternion w x y z, x y z], v = [angular; linear], both in the axes of the world. Ball
/// joints are BallRpyJoint: three angles, singular at a pitch of pi / 2, and the angular velocity in the axes of the
/// parent. The default is the order of the corio model; Drake's order depends on its version, so pass Drake's joints,
/// sorted by Joint::velocity_start.
inline constexpr Convention drake{.name = "drake",
                                  .quaternion = Convention::Quaternion::wxyz,
                                  .rotation_first = true,
                                  .linear_in_parent = true,
                                  .angular_in_parent = true,
                                  .ball_rpy = true,
                                  .planar_angle = true};

/// MuJoCo. Free joint: q = [x y z, quaternion w x y z], v = [linear velocity in the axes of the world; angular velocity
/// in its own]. Ball joint: quaternion w x y z, angular velocity in its own axes. A planar joint corresponds to two
/// slides and a hinge, a cylindrical joint to a hinge and a slide. Joints are in the order of the model, and of the
/// file.
inline constexpr Convention mujoco{.name = "mujoco",
                                   .quaternion = Convention::Quaternion::wxyz,
                                   .linear_first = true,
                                   .linear_in_parent = true,
                                   .planar_angle = true};

/// iDynTree, in its mixed representation. Floating base: q = [x y z, quaternion w x y z], v = [linear; angular], both
/// in the axes of the world. Its joints have one coordinate each; pass the order of their DOF indices.
inline constexpr Convention idyntree{.name = "idyntree",
                                     .quaternion = Convention::Quaternion::wxyz,
                                     .linear_first = true,
                                     .linear_in_parent = true,
                                     .angular_in_parent = true,
                                     .twist_linear_first = true};

/// KDL, whose joints have one coordinate each: only its twists, wrenches and Jacobians, [linear; angular], differ. The
/// default is the order of a KDL::Chain; for a KDL::Tree pass the order of q_nr.
inline constexpr Convention kdl{.name = "kdl", .quaternion = Convention::Quaternion::xyzw, .twist_linear_first = true};

}}}  // namespace corio::interop
