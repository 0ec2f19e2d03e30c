// Calls every function of closed loops that corio::compiled compiles once.
#include <corio/corio.hpp>
#include <corio/loops/constrained_dynamics.hpp>
#include <corio/loops/inverse_kinematics.hpp>
#include <corio/mechanism/constrained_inverse_dynamics.hpp>
#include <corio/mechanism/derivatives.hpp>
#include <corio/mechanism/step.hpp>

double closed_loops(const corio::Model<double>& model, const Eigen::VectorXd& q, const Eigen::VectorXd& y,
                    const Eigen::VectorXd& a) {
  const corio::Mechanism<double> mechanism(model);
  corio::MechanismData<double> data(mechanism);
  double sum = corio::assemble(mechanism, data, q).residual;
  corio::forward_kinematics(mechanism, data, q, y, a);
  sum += corio::rnea(mechanism, data)[0] + corio::generalized_gravity(mechanism, data)[0];
  sum += corio::passive_forces(mechanism, data)[0] + corio::generalized_momentum(mechanism, data).p[0];
  sum += corio::slotine_li_inverse_dynamics(mechanism, data, y, a)[0];
  sum += corio::com_jacobian(mechanism, data)(0, 0) + corio::com_jacobian_dot(mechanism, data)(0, 0);
  sum += corio::centroidal_momentum_matrix(mechanism, data)(0, 0);
  sum += corio::centroidal_momentum_matrix_dot(mechanism, data)(0, 0);
  sum += corio::nonlinear_effects(mechanism, data)[0] + corio::crba(mechanism, data)(0, 0);
  sum += corio::aba(mechanism, data, a)[0] + corio::mass_matrix_inverse(mechanism, data)(0, 0);
  sum += corio::mass_matrix_inverse_product(mechanism, data, a)[0];
  sum += corio::coriolis_matrix(mechanism, data).C(0, 0) + corio::coriolis_matrix_dot(mechanism, data).Cdot(0, 0);
  sum += corio::coriolis_product(mechanism, data, y)[0] + corio::coriolis_transpose_product(mechanism, data, y)[0];
  corio::ChristoffelTensor<double> Gamma(mechanism);
  corio::christoffel_symbols(mechanism, data, Gamma);
  sum += Gamma(0, 0, 0) + corio::inverse_dynamics_derivatives(mechanism, data).dtau_dq(0, 0);
  sum += corio::forward_dynamics_derivatives(mechanism, data).da_dq(0, 0);
  Eigen::VectorXd q_now = q, y_now = y;
  sum += corio::constrained_inverse_dynamics(mechanism, data, q, y, a, a).tau[0];
  sum += corio::step<double>(mechanism, data, q_now, y_now, a, 1e-3).losses;

  corio::Data<double> tree(model);
  const corio::Loops<double> loops(model);
  corio::forward_kinematics(model, tree, q, Eigen::VectorXd::Zero(model.nv()));
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  sum += corio::constrained_forward_dynamics(model, tree, loops, tau).a[0];
  sum += corio::constrained_impulse(model, tree, loops).v[0];
  return sum + corio::inverse_kinematics(model, tree, {}, q).residual;
}
