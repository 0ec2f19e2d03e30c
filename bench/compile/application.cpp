// An application: a robot from a file, its dynamics and their derivatives, and the same robot with its loops closed.
#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>
#include <corio/mechanism/dynamics.hpp>

double application(const char* file, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  const corio::Model<double> model = corio::urdf::load(file);
  corio::Data<double> data(model);
  const auto& tau = corio::rnea(model, data, q, v, a);
  double sum = tau[0] + corio::coriolis_matrix(model, data, q, v).C(0, 0);
  sum += corio::inverse_dynamics_derivatives(model, data, q, v, a).dtau_dq(0, 0);
  sum += corio::forward_dynamics_derivatives(model, data, q, v, tau).da_dq(0, 0);

  const corio::Mechanism<double> mechanism(model);
  corio::MechanismData<double> closed(mechanism);
  const Eigen::VectorXd q_closed = corio::assemble(mechanism, closed, q).q, y = Eigen::VectorXd::Zero(mechanism.nv());
  return sum + corio::rnea(mechanism, closed, q_closed, y, y)[0];
}
