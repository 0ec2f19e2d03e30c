// Every algorithm on one robot: what a controller's translation unit costs to compile.
#include <corio/corio.hpp>
#include <corio/model/zoo.hpp>

double all_in(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  const corio::Model<double> model = corio::zoo::humanoid();
  corio::Data<double> data(model);
  corio::forward_kinematics(model, data, q, v, a);
  double sum = corio::body_velocity(model, data, model.body("pelvis")).angular[0];
  sum += corio::kinetic_energy(model, data) + corio::potential_energy(model, data);
  sum += corio::rnea(model, data, q, v, a)[0] + corio::nonlinear_effects(model, data, q, v)[0];
  sum += corio::generalized_gravity(model, data, q)[0] + corio::aba(model, data, q, v, a)[0];
  sum += corio::crba(model, data, q)(0, 0) + corio::coriolis_matrix(model, data, q, v).C(0, 0);
  sum += corio::coriolis_product(model, data, v)[0] + corio::coriolis_transpose_product(model, data, v)[0];
  corio::ChristoffelTensor<double> Gamma(model);
  corio::christoffel_symbols(model, data, q, Gamma);
  sum += Gamma(0, 0, 0) + corio::mass_matrix_inverse(model, data, q)(0, 0);
  sum += corio::inverse_dynamics_derivatives(model, data, q, v, a).dtau_dq(0, 0);
  sum += corio::forward_dynamics_derivatives(model, data, q, v, a).da_dq(0, 0);
  sum += corio::inverse_dynamics_hessian(model, data, q, v, a, v).qq(0, 0);
  sum += corio::forward_dynamics_hessian(model, data, q, v, a, v).qq(0, 0);
  corio::InverseDynamicsSecondDerivatives<double> second(model);
  corio::inverse_dynamics_second_derivatives(model, data, q, v, a, second);
  sum += second.d2tau_dqdq(0, 0, 0);
  const Eigen::VectorXd next = corio::integrate(model, q, v);
  return sum + corio::difference(model, q, next)[0];
}
