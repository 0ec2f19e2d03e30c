#pragma once

#include <initializer_list>

#include "corio/joints/any.hpp"

namespace corio::inline CORIO_ABI::joint {

/// A chain of joints as one joint, each in the frame that the one before it carries:
///
///   joint::Composite<> leg{joint::Prismatic::z(), joint::Universal(), joint::Revolute::x()};
///
/// q and nu are those of the joints, concatenated. Inside the model it is the chain of their primitive joints with
/// massless bodies between them. Joints with linearly dependent motions make M singular, which the builder reports by
/// name.
template <class S = double>
struct Composite : Any<S> {
  Composite(std::initializer_list<Any<S>> joints) : Composite(std::vector<Any<S>>(joints)) {}
  explicit Composite(const std::vector<Any<S>>& joints) : Any<S>("composite", {}, identity3<double>()) {
    for (const Any<S>& joint : joints) {
      for (const auto& link : joint.chain) {
        this->chain.push_back({this->tail * link.axes, link.joint});
        this->tail = identity3<double>();
      }
      this->tail = this->tail * joint.tail;
    }
  }
};

}  // namespace corio::joint
