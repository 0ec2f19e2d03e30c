#pragma once

#include <corio/identification/estimate.hpp>
#include <corio/identification/torque_regressor.hpp>
#include <corio/kinematics/configuration.hpp>

namespace identify {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Stream = corio::StreamingLeastSquares<double>;
using Base = corio::BaseParameters<double>;

struct Motion {
  Vector q, v, a;
  Vector direction{};  // tanh(v / smoothing) of friction, filtered; if empty, it is computed from v
};

/// The parameters to be identified: ten for each body, then four for each degree of freedom in the order of
/// joint_regressor.
inline int num_parameters(const corio::Model<double>& model) {
  return corio::num_inertial_parameters(model) + 4 * model.nv();
}
/// Returns the view of the four parameters of degree of freedom k among all parameters.
inline auto joint_parameters_of(const corio::Model<double>& model, auto& p, Eigen::Index k) {
  return p.template segment<4>(corio::num_inertial_parameters(model) + 4 * k);
}
inline std::vector<std::string> names_of_parameters(const corio::Model<double>& model) {
  auto names = corio::parameter_names(model);
  const auto of_joints = corio::joint_parameter_names(model);
  names.insert(names.end(), of_joints.begin(), of_joints.end());
  return names;
}
/// Returns the parameters of the model. Offsets, which a model does not have, are zero.
inline Vector parameters(const corio::Model<double>& model) {
  Vector p(num_parameters(model));
  p << corio::inertial_parameters(model), corio::joint_parameters(model);
  return p;
}
/// Sets the parameters of the model, except offsets.
inline void set_parameters(corio::Model<double>& model, const Vector& p) {
  corio::set_inertial_parameters(model, p.head(corio::num_inertial_parameters(model)));
  corio::set_joint_parameters(model, p.tail(4 * model.nv()));
}

/// The regressor Y of all parameters p for a motion, Y p = tau.
struct Regressor : corio::TorqueRegressor<double> {
  using corio::TorqueRegressor<double>::TorqueRegressor;
  const Matrix& operator()(const Motion& m) {
    return corio::TorqueRegressor<double>::operator()(m.q, m.v, m.a, m.direction);
  }
};

}  // namespace identify
