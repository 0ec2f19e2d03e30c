#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames-derivatives.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "convert.hpp"
#include "pinocchio_model.hpp"

namespace compare {
namespace {

namespace pin = pinocchio;
using Tensor = pin::Data::Tensor3x;

struct Robot {
  pin::Model model;
  pin::Data data, held_state;
  std::vector<PeerState> states;
  MatrixXd dtau_dq, dtau_dv, dtau_da;
  Tensor dqdq, dvdv, dqdv, dadq;
  MatrixXd qq, qv, vv, aq;
  VectorXd q;
  pin::Data::Matrix6x J, by_q, rate_by_q, rate_by_v, rate_by_a;
  pin::JointIndex last;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) held;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) held_data;

  explicit Robot(const Mechanism& mechanism)
      : model(pinocchio_model(mechanism)),
        data(model),
        held_state(model),
        states(convert(mechanism, Base::linear_angular)),
        q(model.nq),
        last(static_cast<pin::JointIndex>(model.njoints - 1)) {
    held.emplace_back(pin::CONTACT_3D, model, last, pin::SE3::Identity(), pin::LOCAL_WORLD_ALIGNED);
    held_data.emplace_back(held.back());
    pin::initConstraintDynamics(model, held_state, held);
    qq = qv = vv = aq = MatrixXd::Zero(model.nv, model.nv);
    // Pinocchio adds to these results, or writes only the entries that are not zero for every state.
    dtau_dq = dtau_dv = dtau_da = MatrixXd::Zero(model.nv, model.nv);
    for (auto* x : {&J, &by_q, &rate_by_q, &rate_by_v, &rate_by_a}) x->setZero(6, model.nv);
    for (Tensor* t : {&dqdq, &dvdv, &dqdv, &dadq}) {
      *t = Tensor(model.nv, model.nv, model.nv);
      t->setZero();
    }
  }
};

std::vector<double> kinematics(const Robot& r) {
  std::vector<double> result;
  for (std::size_t i = 1; i < r.data.oMi.size(); ++i) {
    const pin::SE3& X = r.data.oMi[i];
    append(result, X.translation());
    append(result, X.rotation() * r.data.v[i].angular());
    append(result, X.rotation() * r.data.v[i].linear());
  }
  return result;
}

/// Converts a matrix with [linear; angular] rows to corio's coordinates.
std::vector<double> spatial(const PeerState& s, const pin::Data::Matrix6x& A) {
  return columns(s, {A.bottomRows(3), A.topRows(3)});
}
std::vector<double> derivatives(const Robot& r, const PeerState& s) {
  std::vector<double> result;
  for (const auto* x : {&r.by_q, &r.rate_by_q, &r.rate_by_v, &r.rate_by_a}) {
    const auto part = spatial(s, *x);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}
/// Returns the sum over i of lambda(i) t(i, j, k).
void contract(const Tensor& t, const VectorXd& lambda, MatrixXd& out) {
  const Eigen::Index n = lambda.size();
  Eigen::Map<VectorXd>(out.data(), n * n).noalias() =
      Eigen::Map<const MatrixXd>(t.data(), n, n * n).transpose() * lambda;
}

MatrixXd symmetric(const MatrixXd& upper) { return upper.selfadjointView<Eigen::Upper>(); }

/// Converts to corio's order of degrees of freedom; dqdv, whose indices are (tau, q, v), gets the order (tau, v, q).
std::vector<double> second_derivatives(const Robot& r, const PeerState& s) {
  std::vector<int> at(static_cast<std::size_t>(r.model.nv));  // T is a permutation
  for (int i = 0; i < r.model.nv; ++i) s.T.col(i).maxCoeff(&at[static_cast<std::size_t>(i)]);
  std::vector<double> result;
  for (const Tensor* t : {&r.dqdq, &r.dqdv, &r.dvdv, &r.dadq})
    for (const int i : at)
      for (const int j : at)
        for (const int k : at) result.push_back(t == &r.dqdv ? (*t)(i, k, j) : (*t)(i, j, k));
  return result;
}

/// Converts from [m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] for each body.
std::vector<double> regressor(const Robot& r, const PeerState& s) {
  constexpr int from[] = {0, 1, 2, 3, 4, 6, 9, 5, 7, 8};
  const MatrixXd& Y = r.data.jointTorqueRegressor;
  std::vector<double> result;
  for (Eigen::Index i = 0; i < Y.cols(); ++i) {
    const auto column = force(s, Y.col(i / 10 * 10 + from[i % 10]));
    result.insert(result.end(), column.begin(), column.end());
  }
  return result;
}

}  // namespace

Peer make_pinocchio(const Mechanism& mechanism) {
  using A = Algorithm;
  Peer peer{"Pinocchio " PINOCCHIO_VERSION, "templates, compiled here with the flags above", {}};
  const auto robot = std::make_shared<Robot>(mechanism);
  const auto M = [](const Robot& r, const PeerState& s) { return matrices(s, {symmetric(r.data.M)}); };
  const auto a = [](const Robot& r, const PeerState& s) { return acceleration(s, r.data.ddq); };

  add(
      peer, A::kinematics, "forwardKinematics(q, v)", robot,
      [](Robot& r, const PeerState& s) { pin::forwardKinematics(r.model, r.data, s.q, s.v); },
      [](const Robot& r, const PeerState&) { return kinematics(r); });
  add(
      peer, A::inverse_dynamics, "rnea", robot,
      [](Robot& r, const PeerState& s) { pin::rnea(r.model, r.data, s.q, s.v, s.a); },
      [](const Robot& r, const PeerState& s) { return force(s, r.data.tau); });
  add(
      peer, A::bias, "nonLinearEffects", robot,
      [](Robot& r, const PeerState& s) { pin::nonLinearEffects(r.model, r.data, s.q, s.v); },
      [](const Robot& r, const PeerState& s) { return force(s, r.data.nle); });
  add(
      peer, A::mass_matrix, "crba, local, one triangle", robot,
      [](Robot& r, const PeerState& s) { pin::crba(r.model, r.data, s.q, pin::Convention::LOCAL); }, M);
  add(
      peer, A::mass_matrix, "crba, world, one triangle", robot,
      [](Robot& r, const PeerState& s) { pin::crba(r.model, r.data, s.q, pin::Convention::WORLD); }, M);
  add(
      peer, A::forward_dynamics, "aba, local", robot,
      [](Robot& r, const PeerState& s) { pin::aba(r.model, r.data, s.q, s.v, s.tau, pin::Convention::LOCAL); }, a);
  add(
      peer, A::forward_dynamics, "aba, world", robot,
      [](Robot& r, const PeerState& s) { pin::aba(r.model, r.data, s.q, s.v, s.tau, pin::Convention::WORLD); }, a);
  add(
      peer, A::inverse_mass, "computeMinverse, one triangle", robot,
      [](Robot& r, const PeerState& s) { pin::computeMinverse(r.model, r.data, s.q); },
      [](const Robot& r, const PeerState& s) { return matrices(s, {symmetric(r.data.Minv)}); });
  add(
      peer, A::coriolis, "computeCoriolisMatrix, C alone", robot,
      [](Robot& r, const PeerState& s) { pin::computeCoriolisMatrix(r.model, r.data, s.q, s.v); },
      [](const Robot& r, const PeerState& s) { return matrices(s, {r.data.C}); });
  add(
      peer, A::inverse_derivatives, "computeRNEADerivatives", robot,
      [](Robot& r, const PeerState& s) {
        pin::computeRNEADerivatives(r.model, r.data, s.q, s.v, s.a, r.dtau_dq, r.dtau_dv, r.dtau_da);
      },
      [](const Robot& r, const PeerState& s) {
        return matrices(s, {r.dtau_dq, r.dtau_dv, symmetric(r.dtau_da)});
      });
  add(
      peer, A::forward_derivatives, "computeABADerivatives", robot,
      [](Robot& r, const PeerState& s) { pin::computeABADerivatives(r.model, r.data, s.q, s.v, s.tau); },
      [](const Robot& r, const PeerState& s) {
        return matrices(s, {r.data.ddq_dq, r.data.ddq_dv, symmetric(r.data.Minv)});
      });
  add(
      peer, A::second_derivatives, "ComputeRNEASecondOrderDerivatives", robot,
      [](Robot& r, const PeerState& s) {
        pin::ComputeRNEASecondOrderDerivatives(r.model, r.data, s.q, s.v, s.a, r.dqdq, r.dvdv, r.dqdv, r.dadq);
      },
      second_derivatives);
  add(
      peer, A::hessian, "ComputeRNEASecondOrderDerivatives, products of its tensors with lambda", robot,
      [](Robot& r, const PeerState& s) {
        pin::ComputeRNEASecondOrderDerivatives(r.model, r.data, s.q, s.v, s.a, r.dqdq, r.dvdv, r.dqdv, r.dadq);
        contract(r.dqdq, s.tau, r.qq), contract(r.dqdv, s.tau, r.qv);
        contract(r.dvdv, s.tau, r.vv), contract(r.dadq, s.tau, r.aq);
      },
      [](const Robot& r, const PeerState& s) {
        return matrices(s, {r.qq, r.qv.transpose(), r.vv, r.aq});
      });
  add(
      peer, A::frame_jacobian, "computeJointJacobian", robot,
      [](Robot& r, const PeerState& s) { pin::computeJointJacobian(r.model, r.data, s.q, r.last, r.J); },
      [](Robot& r, const PeerState& s) {
        pin::forwardKinematics(r.model, r.data, s.q);
        const Matrix3d& R = r.data.oMi[r.last].rotation();
        return columns(s, {product(R, r.J.bottomRows(3)), product(R, r.J.topRows(3))});
      });
  add(
      peer, A::center_of_mass, "centerOfMass", robot,
      [](Robot& r, const PeerState& s) { pin::centerOfMass(r.model, r.data, s.q, false); },
      [](const Robot& r, const PeerState&) { return numbers(r.data.com[0]); });
  add(
      peer, A::com_jacobian, "jacobianCenterOfMass", robot,
      [](Robot& r, const PeerState& s) { pin::jacobianCenterOfMass(r.model, r.data, s.q, false); },
      [](const Robot& r, const PeerState& s) { return columns(s, {r.data.Jcom}); });
  add(
      peer, A::momentum, "computeCentroidalMomentum", robot,
      [](Robot& r, const PeerState& s) { pin::computeCentroidalMomentum(r.model, r.data, s.q, s.v); },
      [](const Robot& r, const PeerState&) {
        std::vector<double> result;
        append(result, r.data.hg.angular());
        append(result, r.data.hg.linear());
        return result;
      });
  add(
      peer, A::momentum_matrix, "computeCentroidalMap", robot,
      [](Robot& r, const PeerState& s) { pin::computeCentroidalMap(r.model, r.data, s.q); },
      [](const Robot& r, const PeerState& s) { return spatial(s, r.data.Ag); });
  add(
      peer, A::energies, "computeMechanicalEnergy", robot,
      [](Robot& r, const PeerState& s) { pin::computeMechanicalEnergy(r.model, r.data, s.q, s.v); },
      [](const Robot& r, const PeerState&) {
        return std::vector<double>{r.data.kinetic_energy, r.data.potential_energy};
      });
  add(
      peer, A::integration, "integrate", robot,
      [](Robot& r, const PeerState& s) { pin::integrate(r.model, s.q, s.v, r.q); },
      [](const Robot& r, const PeerState&) { return numbers(r.q); });
  add(
      peer, A::constrained_dynamics, "constraintDynamics, mu = 0", robot,
      [](Robot& r, const PeerState& s) {
        pin::ProximalSettings settings(1e-12, 0, 1);
        pin::constraintDynamics(r.model, r.held_state, s.q, s.v, s.tau, r.held, r.held_data, settings);
      },
      [](const Robot& r, const PeerState& s) { return acceleration(s, r.held_state.ddq); });
  add(
      peer, A::task_derivatives, "computeForwardKinematicsDerivatives, getFrameAccelerationDerivatives", robot,
      [](Robot& r, const PeerState& s) {
        pin::computeForwardKinematicsDerivatives(r.model, r.data, s.q, s.v, s.a);
        pin::getFrameAccelerationDerivatives(r.model, r.data, static_cast<pin::JointIndex>(r.model.njoints - 1),
                                             pin::SE3::Identity(), pin::LOCAL, r.by_q, r.rate_by_q, r.rate_by_v,
                                             r.rate_by_a);
      },
      derivatives);
  add(
      peer, A::momentum_derivatives, "computeCentroidalDynamicsDerivatives", robot,
      [](Robot& r, const PeerState& s) {
        pin::computeCentroidalDynamicsDerivatives(r.model, r.data, s.q, s.v, s.a, r.by_q, r.rate_by_q, r.rate_by_v,
                                                  r.rate_by_a);
      },
      derivatives);
  add(
      peer, A::regressor, "computeJointTorqueRegressor", robot,
      [](Robot& r, const PeerState& s) { pin::computeJointTorqueRegressor(r.model, r.data, s.q, s.v, s.a); },
      regressor);
  return peer;
}

}  // namespace compare
