#pragma once

#include <pinocchio/multibody/model.hpp>
#include <vector>

#include "convert.hpp"

namespace compare {

/// The joints of a Mechanism, and the mimic joint, whose type Pinocchio's functions name. With fewer types less is
/// compiled.
template <class S, int options>
struct FewJoints {
  using Scalar = S;
  enum { Options = options };
  using Revolute = pinocchio::JointModelRevoluteTpl<S, options, 2>;
  using Prismatic = pinocchio::JointModelPrismaticTpl<S, options, 2>;
  using FreeFlyer = pinocchio::JointModelFreeFlyerTpl<S, options>;
  using JointModelVariant =
      boost::variant<Revolute, Prismatic, FreeFlyer,
                     boost::recursive_wrapper<pinocchio::JointModelMimicTpl<S, options, FewJoints>>>;
  using JointDataVariant =
      boost::variant<pinocchio::JointDataRevoluteTpl<S, options, 2>, pinocchio::JointDataPrismaticTpl<S, options, 2>,
                     pinocchio::JointDataFreeFlyerTpl<S, options>,
                     boost::recursive_wrapper<pinocchio::JointDataMimicTpl<S, options, FewJoints>>>;
};

/// @param Joints  the joints that Pinocchio's algorithms are compiled for; at least the joints of a Mechanism
template <template <class, int> class Joints = pinocchio::JointCollectionDefaultTpl>
pinocchio::ModelTpl<double, 0, Joints> pinocchio_model(const Mechanism& mechanism) {
  namespace pin = pinocchio;
  pin::ModelTpl<double, 0, Joints> model;
  std::vector<pin::JointIndex> id;
  for (const Body& body : mechanism.bodies) {
    const pin::JointIndex parent = body.parent < 0 ? 0 : id[static_cast<std::size_t>(body.parent)];
    const pin::SE3 placement(rotation(body), position(body));
    const auto joint = [&](const auto& type) { return model.addJoint(parent, type, placement, body.name); };
    id.push_back(body.joint == Body::Joint::revolute    ? joint(pin::JointModelRZ())
                 : body.joint == Body::Joint::prismatic ? joint(pin::JointModelPZ())
                                                        : joint(pin::JointModelFreeFlyer()));
    model.appendBodyToJoint(id.back(), pin::Inertia(body.mass, com(body), inertia(body)), pin::SE3::Identity());
  }
  return model;
}

}  // namespace compare
