#pragma once
#include "function.hpp"

namespace corio::python {

using ModelHolder = RobotHolder<Model<double>>;
/// An object with the arguments of its constructor, which copies need.
struct MechanismHolder : RobotHolder<Mechanism<double>> {
  using RobotHolder::RobotHolder;
  std::shared_ptr<ModelHolder> model;
  std::vector<std::string> independent;
  std::optional<Eigen::VectorXd> near;
};

void bind_models(pybind11::module_& module);
void bind_control(pybind11::module_& module);
void bind_identification(pybind11::module_& module);
void bind_text(pybind11::module_& module);

}  // namespace corio::python
