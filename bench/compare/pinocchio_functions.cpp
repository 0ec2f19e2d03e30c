#include <memory>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
#include <pinocchio/algorithm/frames-derivatives.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/spatial/explog.hpp>

#include "convert.hpp"
#include "pinocchio_model.hpp"

namespace compare {
namespace {

namespace pin = pinocchio;

struct Robot {
  pin::ModelTpl<double, 0, FewJoints> model;
  pin::DataTpl<double, 0, FewJoints> data;
  std::vector<PeerState> states;
  pin::JointIndex first, last;
  pin::Data::Matrix6x A, B, C, D;
  pin::Data::Matrix3x com;
  MatrixXd square, other;
  VectorXd q;
  pin::SE3 X = pin::SE3::Random();
  pin::Data::Matrix6 J;

  explicit Robot(const Mechanism& mechanism)
      : model(pinocchio_model<FewJoints>(mechanism)),
        data(model),
        states(convert(mechanism, Base::linear_angular)),
        first(static_cast<pin::JointIndex>(model.njoints / 2)),
        last(static_cast<pin::JointIndex>(model.njoints - 1)),
        square(model.nv, model.nv),
        other(square),
        q(model.nq) {
    for (auto* x : {&A, &B, &C, &D}) x->setZero(6, model.nv);
    com.setZero(3, model.nv);
  }
};

}  // namespace

std::vector<PeerFunction> pinocchio_functions(const Mechanism& mechanism) {
  const auto robot = std::make_shared<Robot>(mechanism);
  std::vector<PeerFunction> all;
  const auto add = [&](const char* corio, const char* name, auto compute) {
    all.push_back({corio, name, [robot, compute] {
                     for (const PeerState& s : robot->states) {
                       compute(*robot, s);
                       std::atomic_signal_fence(std::memory_order_seq_cst);
                     }
                   }});
  };
  const auto next = [](const Robot& r, const PeerState& s) -> const PeerState& {
    return &s == &r.states.back() ? r.states.front() : *(&s + 1);
  };
  add("log6", "log6", [](Robot& r, const PeerState& s) { r.q.head<6>() = pin::log6(r.X).toVector() + s.q.head<6>(); });
  add("Jlog6", "Jlog6", [](Robot& r, const PeerState&) { pin::Jlog6(r.X, r.J); });
  add("integrate_derivatives", "dIntegrate, both arguments", [](Robot& r, const PeerState& s) {
    pin::dIntegrate(r.model, s.q, s.v, r.square, pin::ARG0);
    pin::dIntegrate(r.model, s.q, s.v, r.other, pin::ARG1);
  });
  add("difference_derivatives", "dDifference, both arguments", [=](Robot& r, const PeerState& s) {
    pin::dDifference(r.model, s.q, next(r, s).q, r.square, pin::ARG0);
    pin::dDifference(r.model, s.q, next(r, s).q, r.other, pin::ARG1);
  });
  add("interpolate", "interpolate",
      [=](Robot& r, const PeerState& s) { pin::interpolate(r.model, s.q, next(r, s).q, 0.3, r.q); });
  add("distance", "distance",
      [=](Robot& r, const PeerState& s) { r.q[0] = pin::distance(r.model, s.q, next(r, s).q); });
  add("body_velocity_derivatives", "getFrameVelocityDerivatives", [](Robot& r, const PeerState& s) {
    pin::computeForwardKinematicsDerivatives(r.model, r.data, s.q, s.v, s.a);
    pin::getFrameVelocityDerivatives(r.model, r.data, r.last, pin::SE3::Identity(), pin::LOCAL, r.A, r.B);
  });
  add("body_acceleration_derivatives", "getFrameAccelerationDerivatives", [](Robot& r, const PeerState& s) {
    pin::computeForwardKinematicsDerivatives(r.model, r.data, s.q, s.v, s.a);
    pin::getFrameAccelerationDerivatives(r.model, r.data, r.last, pin::SE3::Identity(), pin::LOCAL, r.A, r.B, r.C, r.D);
  });
  add("centroidal_momentum_derivatives", "computeCentroidalDynamicsDerivatives", [](Robot& r, const PeerState& s) {
    pin::computeCentroidalDynamicsDerivatives(r.model, r.data, s.q, s.v, s.a, r.A, r.B, r.C, r.D);
  });
  add("subtree_centers_of_mass", "centerOfMass, subtrees",
      [](Robot& r, const PeerState& s) { pin::centerOfMass(r.model, r.data, s.q, true); });
  add("subtree_com_jacobian", "jacobianSubtreeCenterOfMass",
      [](Robot& r, const PeerState& s) { pin::jacobianSubtreeCenterOfMass(r.model, r.data, s.q, r.first, r.com); });
  return all;
}

}  // namespace compare
