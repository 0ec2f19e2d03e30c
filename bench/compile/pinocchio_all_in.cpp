// The functions of all_in.cpp that Pinocchio has.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/sample-models.hpp>

double all_in(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  pinocchio::Model model;
  pinocchio::buildModels::humanoidRandom(model);
  pinocchio::Data data(model);
  pinocchio::forwardKinematics(model, data, q, v, a);
  double sum = pinocchio::getVelocity(model, data, 1).angular()[0];
  sum += pinocchio::computeKineticEnergy(model, data) + pinocchio::computePotentialEnergy(model, data);
  sum += pinocchio::rnea(model, data, q, v, a)[0] + pinocchio::nonLinearEffects(model, data, q, v)[0];
  sum += pinocchio::computeGeneralizedGravity(model, data, q)[0] + pinocchio::aba(model, data, q, v, a)[0];
  sum += pinocchio::crba(model, data, q)(0, 0) + pinocchio::computeCoriolisMatrix(model, data, q, v)(0, 0);
  sum += pinocchio::computeMinverse(model, data, q)(0, 0);
  pinocchio::computeRNEADerivatives(model, data, q, v, a);
  pinocchio::computeABADerivatives(model, data, q, v, a);
  pinocchio::ComputeRNEASecondOrderDerivatives(model, data, q, v, a);
  sum += data.dtau_dq(0, 0) + data.ddq_dq(0, 0) + data.d2tau_dqdq(0, 0, 0);
  const Eigen::VectorXd next = pinocchio::integrate(model, q, v);
  return sum + pinocchio::difference(model, q, next)[0];
}
