// The program of rnea_only.cpp with Pinocchio.
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

double rnea_only(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  pinocchio::Model model;
  const pinocchio::Inertia rod(1.0, {0.0, 0.0, -0.5}, Eigen::Matrix3d::Identity());
  const auto joint = model.addJoint(0, pinocchio::JointModelRY(), pinocchio::SE3::Identity(), "rod");
  model.appendBodyToJoint(joint, rod);
  pinocchio::Data data(model);
  return pinocchio::rnea(model, data, q, v, a)[0];
}
