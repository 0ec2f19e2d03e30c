#pragma once

#include <algorithm>
#include <utility>

#include "corio/model/model.hpp"

/// Checks of the vectors of a robot: q of a tree, and velocities, accelerations, forces and gains, with a number for
/// each speed of a Model or Mechanism. Messages name the caller, `function`, and the joint, or where the size comes
/// from.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The name of the joint of a degree of freedom, for messages.
template <class S>
const std::string& joint_of_dof(const Model<S>& model, int k) {
  return model.joint_of_node(model.node_of(k)).name();
}

/// The numbers of a configuration q: how many there are, and the joint of each. Speeds does the same for velocities.
template <class S>
struct Coordinates {
  const Model<S>& tree;
  static constexpr const char* size_of = "nq of model '";

  int size() const { return tree.nq(); }
  const Joint& joint(int i) const {
    auto joint = tree.joints().begin();
    while (joint->q_index() + joint->nq() <= i) ++joint;
    return *joint;
  }
};
template <class Robot>
struct Speeds {
  const Robot& robot;
  const Model<typename Robot::Scalar>& tree = robot.tree();
  static constexpr const char* size_of =
      std::is_same_v<Robot, Model<typename Robot::Scalar>> ? "nv of model '" : "nv of the mechanism of model '";

  int size() const { return robot.nv(); }
  const Joint& joint(int k) const { return tree.joint_of_node(tree.node_of(robot.dof_of_speed(k))); }
};

/// Counts the numbers of a vector by joint, ": 7 of joint 'base', 1 of each of 12 joints", where number i belongs to
/// joints[i].
inline std::string numbers_by_joint(const std::vector<const Joint*>& joints) {
  std::string text;
  // Joints with most numbers come first.
  for (std::size_t n = joints.size(), next = 0; n > 0; n = std::exchange(next, 0)) {
    int count = 0;
    const Joint* first = nullptr;
    for (std::size_t begin = 0, end = 0; begin < joints.size(); begin = end) {
      while (end < joints.size() && joints[end] == joints[begin]) ++end;
      if (end - begin < n) next = (std::max)(next, end - begin);
      if (end - begin == n && count++ == 0) first = joints[begin];
    }
    if (count == 0) continue;
    text += join({text.empty() ? ": " : ", ", Digits(n)});
    text += count == 1 ? join({" of joint '", first->name(), "'"}) : join({" of each of ", Digits(count), " joints"});
  }
  return text;
}

[[noreturn, gnu::cold]] inline void throw_number_count(const char* what, Eigen::Index got,
                                                       const std::vector<const Joint*>& joints, const char* size_of,
                                                       const std::string& model, const char* function) {
  throw SizeError(join({plain_name(function), ": ", what, " has size ", Digits(got), ", expected ",
                        Digits(joints.size()), ", ", size_of, model, "'", numbers_by_joint(joints)}));
}
template <class Numbers>
[[noreturn, gnu::cold]] void throw_number_count(const char* what, Eigen::Index got, const Numbers& numbers,
                                                const char* function) {
  std::vector<const Joint*> joints(static_cast<std::size_t>(numbers.size()));
  for (int i = 0; const Joint*& joint : joints) joint = &numbers.joint(i++);
  throw_number_count(what, got, joints, numbers.size_of, numbers.tree.name(), function);
}
template <class X, class Numbers>
void require_finite(const char* what, const X& x, const Numbers& numbers, const char* function) {
  require_finite(what, x, function, "", [&](Eigen::Index i) {
    return join({" (joint '", numbers.joint(static_cast<int>(i)).name(), "')"});
  });
}

/// @throws SizeError
template <class S>
void check_nq(const char* what, Eigen::Index size, const Model<S>& tree, const char* function = __builtin_FUNCTION()) {
  if (size != tree.nq()) throw_number_count(what, size, Coordinates<S>{tree}, function);
}
template <class Robot>
void check_nv(const char* what, Eigen::Index size, const Robot& robot, const char* function = __builtin_FUNCTION()) {
  if (size != robot.nv()) throw_number_count(what, size, Speeds<Robot>{robot}, function);
}

/// Checks of a configuration of a tree (see check_finite_vector and check_vector in core/detail/input.hpp). Both check
/// the size. The first also checks that all numbers are finite, the second only if CORIO_CHECK_INPUTS is defined.
/// @throws SizeError; Error with the joint, index and value of the first number that is not finite
template <class X, class S>
void check_finite_coordinates(const char* what, const X& q, const Model<S>& tree,
                              const char* function = __builtin_FUNCTION()) {
  check_nq(what, q.size(), tree, function);
  require_finite(what, q, Coordinates<S>{tree}, function);
}
template <class X, class S>
void check_coordinates(const char* what, const X& q, const Model<S>& tree,
                       const char* function = __builtin_FUNCTION()) {
  check_nq(what, q.size(), tree, function);
  if constexpr (checks_inputs) require_finite(what, q, Coordinates<S>{tree}, function);
}
/// The same two checks for speeds and other vectors that have a number for each speed.
template <class X, class Robot>
void check_finite_speeds(const char* what, const X& x, const Robot& robot,
                         const char* function = __builtin_FUNCTION()) {
  check_nv(what, x.size(), robot, function);
  require_finite(what, x, Speeds<Robot>{robot}, function);
}
template <class X, class Robot>
void check_speeds(const char* what, const X& x, const Robot& robot, const char* function = __builtin_FUNCTION()) {
  check_nv(what, x.size(), robot, function);
  if constexpr (checks_inputs) require_finite(what, x, Speeds<Robot>{robot}, function);
}

/// Checks that is_sound(x) holds for the number x of each speed, for instance a gain. @param must  for the message
/// @throws SizeError; Error with the joint and value of the first number for which it does not hold
template <class X, class Robot, class F>
void check_each_speed(const char* what, const X& x, const Robot& robot, const char* must, F&& is_sound,
                      const char* function = __builtin_FUNCTION()) {
  check_nv(what, x.size(), robot, function);
  for (int k = 0; k < robot.nv(); ++k) {
    const auto number_k = real_value(x[k]);
    const auto sound = is_sound(number_k);
    if (finds_fault<typename X::Scalar>(!sound))
      throw Error(
          join({plain_name(function), ": ", what, " of joint '", Speeds<Robot>{robot}.joint(k).name(), "' is ",
                number(farthest_from(1.0, select(sound, decltype(number_k)(1), number_k))), ", must be ", must}));
  }
}

}}}  // namespace corio::detail
