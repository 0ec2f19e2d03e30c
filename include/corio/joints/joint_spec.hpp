#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "corio/joints/along_axis.hpp"
#include "corio/joints/check_joint.hpp"
#include "corio/joints/fixed.hpp"
#include "corio/joints/primitive_joint.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// A joint as the builder takes it: a chain of primitive joints, each with the rotation from the axes of the joint
/// before it to its own axes, and the rotation from the last joint's axes back to the axes of the child body. An empty
/// chain is a fixed joint. With asserts on, the constructor calls check_joint for users' joints and throws its errors.
template <class S>
struct JointSpec {
  /// A primitive joint and the rotation to its axes.
  struct Link {
    Matrix3<double> axes;
    PrimitiveJoint<S> joint;
  };
  std::string type;
  std::vector<Link> chain;
  Matrix3<double> tail = identity3<double>();
  std::string wrong = {};  // the check() of joints that are chains of others, for ModelBuilder

  /// Makes a joint from primitive joints, such as the joints of a model's nodes.
  JointSpec(std::string type_name, std::vector<Link> links, const Matrix3<double>& back)
      : type(std::move(type_name)), chain(std::move(links)), tail(back) {}

  JointSpec(const Fixed&) : type(Fixed::type) {}  // NOLINT(google-explicit-constructor): joints convert silently

  template <class J>
  requires(JointModel<J, S> || requires(const J& j) { j.primitive_joints(); }) JointSpec(const J& joint)
      : type(J::type) {  // NOLINT(google-explicit-constructor)
    if constexpr (requires { joint.primitive_joints(); }) {
      wrong = detail::check(joint);
      std::apply([this](const auto&... primitive) { (this->append(primitive), ...); }, joint.primitive_joints());
    } else {
      append(joint);
    }
  }

  int nq() const {
    int sum = 0;
    for (const Link& link : chain) sum += link.joint.nq();
    return sum;
  }
  int nv() const {
    int sum = 0;
    for (const Link& link : chain) sum += link.joint.nv();
    return sum;
  }

 private:
  template <class J>
  void append(const J& joint) {
    Matrix3<double> axes = identity3<double>();
    if constexpr (requires { joint.axes(); }) axes = joint.axes();
    if constexpr (PrimitiveJoint<S>::template holds<J>) {
      append(axes, PrimitiveJoint<S>(joint));
    } else {
#ifndef NDEBUG
      if constexpr (JointModel<J, double>)
        if (detail::check(joint).empty())
          check_joint(joint);  // otherwise the builder, which knows its name, rejects it
#endif
      append(axes, PrimitiveJoint<S>(std::make_shared<const CustomAdapter<S, J>>(joint)));
    }
  }
  [[gnu::noinline]] void append(const Matrix3<double>& axes, PrimitiveJoint<S>&& joint) {
    chain.push_back({tail * axes, std::move(joint)});
    tail = transpose(axes);
  }
};

}}}  // namespace corio::joint
