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

/// The model is built once more from its own specifications, so that a copy made from these is equal bit for bit.
std::shared_ptr<ModelHolder> hold(const Model<double>& model);
/// @throws ModelError for another type
joint::JointSpec<double> joint_of(const std::string& type, const Eigen::Vector3d& axis, double pitch);
/// A builder as bytes, and back: everything that build() reads, with all digits, so that the model built again is the
/// same bit for bit. URDF would lose closures, gears and digits.
/// @param model  the model built from the builder, for its name, gravity and notes
std::string to_bytes(const ModelBuilder<double>& builder, const Model<double>& model);
/// @throws ModelError for bytes of another version
ModelBuilder<double> from_bytes(const std::string& bytes);

void bind_models(pybind11::module_& module);
void bind_builder(pybind11::module_& module);
void bind_control(pybind11::module_& module);
void bind_identification(pybind11::module_& module);
void bind_text(pybind11::module_& module);

}  // namespace corio::python
