#pragma once
#include <filesystem>

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

/// Calls f with a robot and its workspace.
template <class F>
auto with(AnyRobot& any, F f) {
  if (auto* model = dynamic_cast<ModelHolder*>(&any)) return f(model->robot, model->data);
  auto& mechanism = dynamic_cast<MechanismHolder&>(any);
  return f(mechanism.robot, mechanism.data);
}
/// The model is built once more from its own specifications, so that a copy made from these is equal bit for bit.
std::shared_ptr<ModelHolder> hold(const Model<double>& model);
/// @throws ModelError for another type
joint::JointSpec<double> joint_of(const std::string& type, const Eigen::Vector3d& axis, double pitch);
/// The builder of a model as bytes, and back: everything that build() reads, with all digits, so that the model built
/// again is the same bit for bit. URDF would lose closures, gears and digits.
std::string to_bytes(const Model<double>& model);
/// @throws ModelError for bytes of another version
ModelBuilder<double> from_bytes(const std::string& bytes);

/// Writes code of functions for one robot; the loops of a mechanism are closed near q.
void write_code(const AnyRobot& robot, const Names& functions, const std::filesystem::path& folder,
                const std::string& name, bool cuda, bool packed, const VectorX<double>& q);

}  // namespace corio::python
