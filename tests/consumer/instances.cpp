#include <corio/corio.hpp>

#ifndef CORIO_INSTANCES
#error "linking corio::instances must make corio/corio.hpp declare what is compiled once"
#endif

// Another source of the same program, which shares the instances and has one that is not listed.
double mass(const corio::Model<double>& model, corio::Data<double>& data, const Eigen::VectorXd& q) {
  corio::crba(model, data, q);
  const auto B = [](const corio::Motion<double>&, const corio::Inertia<double>&) { return corio::Matrix6<double>(); };
  return corio::coriolis_matrix(model, data, q, q, B).M(0, 0);
}

#ifdef CORIO_INSTANCES_FLOAT
// Over float, too, there are versions for this processor, unless there are none over double.
bool versions_agree() {
  const bool wide = corio::uses_wide_registers<float>();
  const corio::Model<float> model = corio::zoo::humanoid().cast<float>();
  corio::Data<float> data(model);
  const Eigen::VectorXf q = corio::neutral(model);
  const Eigen::MatrixXf M = corio::crba(model, data, q);
  corio::use_wide_registers<float>(false);
  const bool agree =
      (M - corio::crba(model, data, q)).norm() < 1e-5f * M.norm() && !corio::uses_wide_registers<float>();
  corio::use_wide_registers<float>(true);
  return agree && wide == corio::uses_wide_registers() && wide == corio::uses_wide_registers<float>();
}
#endif
