#include <corio/corio.hpp>

#ifndef CORIO_COMPILED
#error "linking corio::compiled must make corio/corio.hpp declare what is compiled once"
#endif

// This source of the same program shares the functions that are compiled once, and calls a function that is not in
// their list.
double mass(const corio::Model<double>& model, corio::Data<double>& data, const Eigen::VectorXd& q) {
  corio::crba(model, data, q);
  const auto B = [](const corio::Motion<double>&, const corio::Inertia<double>&) { return corio::Matrix6<double>(); };
  return corio::coriolis_matrix(model, data, q, q, B).M(0, 0);
}

#ifdef CORIO_COMPILED_FLOAT
float mass(const corio::Model<float>& model, corio::Data<float>& data, const Eigen::VectorXf& q) {
  return corio::crba(model, data, q)(0, 0);
}
#endif
