// Calls every algorithm of corio.hpp on one robot, to measure how long a controller's translation unit compiles.
#include <corio/corio.hpp>

double all_in(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  const corio::Model<double> model = corio::zoo::humanoid();
  const corio::Body<double>& pelvis = model.body("pelvis");
  corio::Data<double> data(model);
  corio::forward_kinematics(model, data, q, v, a);
  double sum = corio::body_pose(model, data, pelvis).translation[0];
  sum +=
      corio::body_velocity(model, data, pelvis).angular[0] + corio::body_acceleration(model, data, pelvis).angular[0];
  sum += corio::body_classical_acceleration(model, data, pelvis).linear[0];
  sum += corio::kinetic_energy(model, data) + corio::potential_energy(model, data);

  // Equations of motion
  sum += corio::rnea(model, data, q, v, a)[0] + corio::nonlinear_effects(model, data, q, v)[0];
  sum += corio::generalized_gravity(model, data, q)[0] + corio::aba(model, data, q, v, a)[0];
  sum += corio::crba(model, data, q)(0, 0) + corio::coriolis_matrix(model, data, q, v).C(0, 0);
  sum += corio::mass_matrix_dot(model, data, q, v)(0, 0) + corio::coriolis_matrix_dot(model, data, q, v, a).Cdot(0, 0);
  sum += corio::coriolis_product(model, data, v)[0] + corio::coriolis_transpose_product(model, data, v)[0];
  sum += corio::mass_matrix_inverse(model, data, q)(0, 0) + corio::gravity_dot(model, data, q, v)[0];
  sum +=
      corio::passive_forces(model, data, q, v)[0] + corio::passive_force_derivatives(model, data, q, v).dtau_dv(0, 0);
  sum += corio::mass_matrix_inverse_product(model, data, q, a)[0];
  sum += corio::slotine_li_inverse_dynamics(model, data, q, v, v, a)[0] +
         corio::generalized_momentum(model, data, q, v).p[0];
  Eigen::MatrixXd C(model.nv(), model.nv()), other(C);

  // Christoffel symbols and connection
  corio::ChristoffelTensor<double> Gamma(model);
  corio::christoffel_symbols(model, data, q, Gamma);
  corio::PackedChristoffelTensor<double> packed(model);
  corio::christoffel_symbols(model, data, q, packed);
  corio::Tensor3<double> T(model.nv());
  corio::christoffel_symbols_second_kind(model, data, Gamma, T);
  corio::structure_constants(model, data, q, T);
  corio::structure_constants_first_kind(model, data, q, T);
  sum += Gamma(0, 0, 0) + T(0, 0, 0);
  sum += corio::covariant_derivative(model, data, q, v, v, a)[0] + corio::geodesic_residual(model, data, q, v, a)[0];

  // Derivatives
  corio::MassMatrixDerivativesResult<double> dM(model);
  corio::mass_matrix_derivatives(model, data, q, dM);
  corio::CoriolisMatrixDerivativesResult<double> dC(model);
  corio::coriolis_matrix_derivatives(model, data, q, v, dC);
  sum += corio::gravity_derivatives(model, data, q)(0, 0);
  sum += corio::inverse_dynamics_derivatives(model, data, q, v, a).dtau_dq(0, 0);
  sum += corio::forward_dynamics_derivatives(model, data, q, v, a).da_dq(0, 0);
  sum += corio::inverse_dynamics_hessian(model, data, q, v, a, v).qq(0, 0);
  sum += corio::forward_dynamics_hessian(model, data, q, v, a, v).qq(0, 0);
  corio::InverseDynamicsSecondDerivativesResult<double> second(model);
  corio::inverse_dynamics_second_derivatives(model, data, q, v, a, second);
  sum += second.d2tau_dqdq(0, 0, 0);

  // Jacobians, centre of mass, momentum
  Eigen::MatrixXd J(6, model.nv());
  corio::body_jacobian(model, data, q, pelvis, J);
  corio::body_jacobian_dot(model, data, q, v, pelvis, J);
  corio::body_jacobian_ddot(model, data, q, v, a, pelvis, J);
  corio::JacobianDerivatives<double> dJ(model);
  corio::body_jacobian_derivatives(model, data, q, pelvis, dJ);
  sum += corio::center_of_mass(model, data, q)[0] + corio::center_of_mass_velocity(model, data, q, v)[0];
  sum += corio::center_of_mass_acceleration(model, data, q, v, a)[0];
  sum += corio::com_jacobian(model, data, q)(0, 0) + corio::com_jacobian_dot(model, data, q, v)(0, 0);
  sum += corio::centroidal_momentum_matrix(model, data, q)(0, 0);
  sum += corio::centroidal_momentum_matrix_dot(model, data, q, v)(0, 0);
  sum += corio::centroidal_momentum(model, data, q, v).force[0];
  sum += corio::centroidal_momentum_dot(model, data, q, v, a).force[0];

  // Regressors and identification
  Eigen::VectorXd pi = corio::inertial_parameters(model), y(pi.size());
  Eigen::MatrixXd Y(model.nv(), pi.size());
  corio::inverse_dynamics_regressor(model, data, q, v, a, Y);
  corio::slotine_li_regressor(model, data, q, v, v, a, Y);
  corio::momentum_regressor(model, data, q, v, Y);
  corio::coriolis_transpose_regressor(model, data, q, v, Y);
  corio::gravity_regressor(model, data, q, Y);
  corio::kinetic_energy_regressor(model, data, q, v, y);
  corio::potential_energy_regressor(model, data, q, y);
  sum += corio::inverse_dynamics_regressor_product(model, data, q, v, a, pi)[0];
  sum += corio::slotine_li_regressor_product(model, data, q, v, v, a, pi)[0];
  sum += corio::momentum_regressor_product(model, data, q, v, pi)[0];
  sum += corio::coriolis_transpose_regressor_product(model, data, q, v, pi)[0];
  sum += corio::gravity_regressor_product(model, data, q, pi)[0];
  corio::inverse_dynamics_regressor_transpose_product(model, data, q, v, a, v, y);
  corio::slotine_li_regressor_transpose_product(model, data, q, v, v, a, v, y);
  corio::momentum_regressor_transpose_product(model, data, q, v, v, y);
  corio::coriolis_transpose_regressor_transpose_product(model, data, q, v, v, y);
  corio::gravity_regressor_transpose_product(model, data, q, v, y);
  corio::mass_matrix_parameter_derivative(model, data, q, pelvis, corio::InertialParameter::mass, C);
  corio::coriolis_parameter_derivative(model, data, q, v, pelvis, corio::InertialParameter::mass, C);
  corio::gravity_parameter_derivative(model, data, q, pelvis, corio::InertialParameter::mass, y.head(model.nv()));
  corio::StreamingLeastSquares<double> stream(static_cast<int>(pi.size()));
  stream.add(Y, v);
  const corio::BaseParameters<double> base(stream);
  sum += corio::estimate(stream, base).beta[0];
  const corio::Vector10<double> theta = corio::log_cholesky(model.inertia(pelvis));
  sum += corio::from_log_cholesky(theta).mass + corio::log_cholesky_jacobian(theta)(0, 0);

  // A step in time
  Eigen::VectorXd q_now = q, v_now = v;
  sum += corio::step<double>(model, data, q_now, v_now, a, 1e-3).losses + corio::energy(model, data, q, v).kinetic;

  // Configurations
  const Eigen::VectorXd next = corio::integrate(model, q, v);
  corio::integrate_derivatives(model, q, v, C, other);
  corio::difference_derivatives(model, q, next, C, other);
  return sum + corio::difference(model, q, next)[0];
}
