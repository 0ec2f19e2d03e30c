#pragma once

#include "corio/model/model.hpp"

namespace corio::inline CORIO_ABI::detail {

/// The name of the joint of a degree of freedom, for messages.
template <class S>
const std::string& joint_of_dof(const Model<S>& model, int k) {
  return model.joint_of_node(model.node_of(k)).name();
}

/// check_finite_vector for a configuration of a tree, and for velocities, accelerations or forces of a Model or
/// Mechanism.
/// @throws SizeError; Error with the joint, index and value of the first number that is not finite
template <class X, class S>
void check_finite_coordinates(const char* what, const X& q, const Model<S>& tree,
                              const char* function = __builtin_FUNCTION()) {
  check_size(what, q.size(), tree.nq(), function);
  require_finite(what, q, function, "", [&](Eigen::Index i) {
    auto joint = tree.joints().begin();
    while (joint->q_index() + joint->nq() <= i) ++joint;
    return join({" (joint '", joint->name(), "')"});
  });
}
template <class X, class Robot>
void check_finite_speeds(const char* what, const X& x, const Robot& robot,
                         const char* function = __builtin_FUNCTION()) {
  check_size(what, x.size(), robot.nv(), function);
  require_finite(what, x, function, "", [&](Eigen::Index i) {
    return join({" (joint '", joint_of_dof(robot.tree(), robot.dof_of_speed(static_cast<int>(i))), "')"});
  });
}

}  // namespace corio::inline CORIO_ABI::detail
