#pragma once

#include <initializer_list>

#include "corio/joints/joint_spec.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// A chain of joints as one joint, each in the frame that the one before it carries:
///
///   joint::Composite<> leg{joint::Prismatic::z(), joint::Universal(), joint::Revolute::x()};
///
/// q and nu are the coordinates and speeds of the joints, concatenated. Inside the model the composite is the chain of
/// its primitive joints with massless bodies between them. If the motions of the joints are linearly dependent, M is
/// singular, and the builder reports the joint.
template <class S = double>
struct Composite : JointSpec<S> {
  Composite(std::initializer_list<JointSpec<S>> joints) : Composite(std::vector<JointSpec<S>>(joints)) {}
  explicit Composite(const std::vector<JointSpec<S>>& joints) : JointSpec<S>("composite", {}, identity3<double>()) {
    for (const JointSpec<S>& joint : joints) {
      if (this->wrong.empty()) this->wrong = joint.wrong;
      for (const auto& link : joint.chain) {
        this->chain.push_back({this->tail * link.axes, link.joint});
        this->tail = identity3<double>();
      }
      this->tail = this->tail * joint.tail;
    }
  }
};

}}}  // namespace corio::joint
