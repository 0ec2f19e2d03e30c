// Calls one algorithm on one robot, the least that a user of corio includes.
#include <corio/algorithms/dynamics/rnea.hpp>
#include <corio/model/builder.hpp>

double rnea_only(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  corio::ModelBuilder<double> builder("pendulum");
  const corio::InertialParameters<double> rod(1.0, {0.0, 0.0, -0.5}, Eigen::Matrix3d::Identity());
  builder.add_body({.name = "rod", .joint = corio::joint::Revolute::y(), .inertia = rod});
  const corio::Model<double> model = builder.build();
  corio::Data<double> data(model);
  return corio::rnea(model, data, q, v, a)[0];
}
