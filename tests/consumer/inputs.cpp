#include <corio/corio.hpp>

#include <iostream>
#include <limits>

// With CORIO_CHECK_INPUTS every function names itself and the number that is not finite.

bool throws(const char* what, auto&& f) {
  try {
    f();
  } catch (const corio::Error& error) {
    if (std::string(error.what()).find(what) != std::string::npos) return true;
    std::cout << "expected \"" << what << "\", found \"" << error.what() << "\"\n";
    return false;
  }
  std::cout << "nothing thrown, expected \"" << what << "\"\n";
  return false;
}

int main() {
  const auto model = corio::zoo::quadruped(4);
  corio::Data<double> data(model);
  const Eigen::VectorXd q = corio::neutral(model), v = Eigen::VectorXd::Zero(model.nv());
  Eigen::VectorXd bad_q = q, bad_v = v, long_q = q;
  bad_q[8] = std::numeric_limits<double>::infinity();
  bad_v[2] = std::numeric_limits<double>::quiet_NaN();
  const corio::Joint& base = model.joints()[0];
  for (int i = 0; i < base.nq(); ++i) long_q[base.q_index() + i] *= 1.01;
  const bool good =
      throws("crba: q[8] is inf (joint '", [&] { corio::crba(model, data, bad_q); }) &&
      throws("rnea: v[2] is nan (joint '", [&] { corio::rnea(model, data, q, bad_v, v); }) &&
      throws("aba: tau[2] is nan (joint '", [&] { corio::aba(model, data, q, v, bad_v); }) &&
      throws("coriolis_product: v_r[2] is nan (joint '", [&] { corio::coriolis_product(model, data, q, v, bad_v); }) &&
      throws("integrate: dv[2] is nan (joint '", [&] { corio::integrate(model, q, bad_v); }) &&
      throws("quaternion whose norm is not 1", [&] { corio::crba(model, data, long_q); });
  corio::aba(model, data, q, v, v);
  return good ? 0 : 1;
}
