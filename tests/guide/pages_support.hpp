#pragma once

#include <fstream>

#include "corio/corio.hpp"
#include "corio/io/urdf.hpp"
#include "support/dynamics_support.hpp"
#include "support/guide.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

// The robots that pages of include/corio/guide name.

namespace guide_test {

using namespace corio::test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

inline constexpr double rounding = 1e-10;

/// The current folder, with robot.urdf and the like.
struct Folder : WorkingFolder {
  Folder() {
    namespace fs = std::filesystem;
    const fs::path models = fs::path(CORIO_EXAMPLES_DIR) / "models";
    for (const char* name : {"robot.urdf", "arm.urdf"}) fs::copy_file(models / "arm7.urdf", name);
    fs::copy_file(models / "quadruped.urdf", "walker.urdf");
    std::ofstream("gripper.urdf") << R"(<robot name="gripper"><link name="palm"><inertial><mass value="0.4"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)";
    std::ofstream("ant.xml") << R"(<mujoco><worldbody><body name="leg"><joint name="hip" type="hinge"/>
      <geom type="sphere" size="0.1"/></body></worldbody></mujoco>)";
  }
};

/// A model of the examples, and a state in the middle of a motion.
struct Given {
  Folder folder;
  corio::Model<double> model = corio::urdf::load("robot.urdf");
  corio::Data<double> data{model};
  VectorXd q = VectorXd::LinSpaced(model.nv(), 0.1, 0.7), v = VectorXd::LinSpaced(model.nv(), 1.0, -1.0),
           a = VectorXd::LinSpaced(model.nv(), -2.0, 3.0);
};

inline bool same(const VectorXd& x, const VectorXd& y) { return (x - y).norm() <= rounding * (1 + y.norm()); }

}  // namespace guide_test
