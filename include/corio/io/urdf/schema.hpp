#pragma once

#include "corio/io/schema.hpp"

/// The elements and attributes of URDF, versions 1.1 and 1.2 and URDF+ loops included, read or not. URDF allows foreign
/// elements: unknown ones are ignored with a note.
namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

// clang-format off
inline constexpr xml::Row urdf_rows[] = {
    {"robot", "name version", "link joint drake:joint transmission loop coupling material gazebo sensor ros2_control model_state"},
    {"link", "name type", "inertial? visual collision contact sensor gazebo material"},
    {"inertial", "", "origin? mass? inertia?"},
    {"origin", "xyz rpy quat_xyzw"},
    {"mass", "value"},
    {"inertia", "ixx ixy ixz iyx iyy iyz izx izy izz"},
    {"joint", "name type independent", "origin? parent child axis? limit? dynamics? mimic? safety_controller? "
                                        "calibration"},
    {"drake:joint", "name type", "origin? parent child axis? limit? dynamics? drake:screw_thread_pitch?"},
    {"drake:screw_thread_pitch", "value"},
    {"parent", "link"},
    {"child", "link"},
    {"axis", "xyz"},
    {"limit", "lower upper velocity effort acceleration deceleration jerk drake:acceleration drake:jerk"},
    {"dynamics", "damping friction"},
    {"mimic", "joint multiplier offset"},
    {"safety_controller", "soft_lower_limit soft_upper_limit k_position k_velocity"},
    // Any spelling of the group "@rotor" is read, see number_below.
    {"@rotor", "mechanicalReduction gearRatio rotorInertia motorInertia"},
    {"transmission", "name type @rotor", "type joint actuator @rotor hardwareInterface robotNamespace leftActuator "
                     "rightActuator flexJoint rollJoint compensator simulated_actuated_joint gap_joint passive_joint "
                     "use_simulated_gripper_joint motorTorqueConstant"},
    {"transmission joint", "name @rotor", "hardwareInterface role offset @rotor"},
    {"actuator", "name @rotor", "hardwareInterface role offset motorTorqueConstant @rotor"},
    {"loop", "name type", "predecessor successor axis?"},
    {"coupling", "name", "predecessor successor ratio"},
    {"predecessor", "link", "origin?"},
    {"successor", "link", "origin?"},
    {"ratio", "value"},
};
// clang-format on

inline constexpr xml::Schema schema{urdf_rows};

}}}}  // namespace corio::urdf::detail
