#include <corio/corio.hpp>
#include <iostream>

int main() {
  const auto model = corio::zoo::quadruped();  // a robot of your own: corio::urdf::load("robot.urdf")
  corio::Data data(model);                     // workspace: one per thread
  const Eigen::VectorXd q = corio::neutral(model), v = Eigen::VectorXd::Random(model.nv());
  const Eigen::VectorXd a = Eigen::VectorXd::Random(model.nv());

  const auto& [C, M, Mdot] = corio::coriolis_matrix(model, data, q, v);
  const auto& g = corio::generalized_gravity(model, data);  // at the same q: nothing is computed twice
  const auto& tau = corio::rnea(model, data, q, v, a);
  std::cout << "|M a + C v + g - tau| = " << (M * a + C * v + g - tau).norm() << '\n';
  std::cout << "|aba(q, v, tau) - a|  = " << (corio::aba(model, data, q, v, tau) - a).norm() << '\n';
}
