#pragma once

#include <string>
#include <vector>

#include "corio/kinematics/robot.hpp"
#include "corio/solvers/truncated_inverse.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A task of m rows: d(J v)/dt = J a + Jdot v should be `acceleration`. With feedback it is xddot_d + K_D (xdot_d - J
/// v) + K_P (x_d - x) for a task with the position x.
template <class S = double>
struct OperationalTask {
  MatrixX<S> J, Jdot;       // m x nv, as from body_jacobian and body_jacobian_dot, or rows of them
  VectorX<S> acceleration;  // m
  /// The first `rotations` rows are in rad. Near singularities they are compared with the other rows by their
  /// mobilities. A negative number means three for a task of six rows, such as the twist of a body, and otherwise none.
  Eigen::Index rotations = -1;

  Eigen::Index rows() const { return J.rows(); }
  Eigen::Index rotating_rows() const { return rotations >= 0 ? rotations : rows() == 6 ? 3 : 0; }
};

namespace detail {

/// The constrained dynamics of a robot with contacts, reduced to its motors. With S selecting the joints that have
/// motors,
///
///   M a + C v + g = S^T tau + J_c^T lambda,   J_c a + Jdot_c v = gamma_c   give   a = a_free + Phi S^T tau,
///   Lambda_c = (J_c M^-1 J_c^T)^-1,   Phi = M^-1 - M^-1 J_c^T Lambda_c J_c M^-1,   Y = S Phi S^T.
///
/// Source: Sentis and Khatib (2005); Mistry and Righetti (2011).
template <FloatingPointOrRecorded S>
class SupportedRobot {
 public:
  /// @throws ModelError for a joint that the model does not have
  template <template <class> class R>
  SupportedRobot(const R<S>& robot, const std::vector<std::string>& unactuated, S tolerance)
      : a(zeros<S>(robot.nv())), tau(a), tolerance_(tolerance) {
    PerDof<char> motor(robot.tree().nv(), 1);
    for (const int dof : robot.tree().v_indices(unactuated)) motor[dof] = 0;
    for (int k = 0; k < robot.nv(); ++k) (motor[robot.dof_of_speed(k)] ? motors_ : passive_).push_back(k);
  }

  VectorX<S> a, tau, contact_forces;  // for all torques applied so far; tau is nv
  int contact_rank = 0;
  bool reduced = false;        // whether Y differs from M^-1
  MatrixX<S> B, Y, Y_inverse;  // B = Phi S^T; Y^+, if reduced

  /// Sets Phi and Y, and the torques Y^+ S Phi h that keep the robot still.
  void stand(const VectorX<S>& v, const MatrixX<S>& M_inverse, const VectorX<S>& h, const OperationalTask<S>& contacts,
             const char* caller);
  /// Adds torques of motors, and their effect on a.
  void apply(const VectorX<S>& torque) { motor_tau_ += torque, a.noalias() += B * torque; }
  /// Sets tau, and lambda = Lambda_c (gamma_c - Jdot_c v - J_c M^-1 (tau - h)), which maintains the contacts.
  void find_contact_forces(const VectorX<S>& h);
  /// Adds the torques that do not change the motion and make lambda = J_p (J_p^T J_p)^+ J_p^T lambda, for the columns
  /// J_p of joints without motors: the contacts carry only the forces that these joints need.
  void relax_contacts(const VectorX<S>& h, const OperationalTask<S>& contacts, const char* caller);
  /// Sets out = S x.
  void to_motors(VectorIn<S> x, VectorX<S>& out) const {
    out.resize(static_cast<Eigen::Index>(motors_.size()));
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = x[motors_[static_cast<std::size_t>(i)]];
  }

 private:
  S tolerance_;
  std::vector<int> motors_, passive_;  // speeds with and without motors
  VectorX<S> motor_tau_;               // S tau
  // Matrices of the contacts: Lambda_c, J_c M^-1, J_c M^-1 J_c^T, Lambda_c J_c M^-1, gamma_c - Jdot_c v.
  MatrixX<S> Lambda_, J_inverse_, A_, W_;
  VectorX<S> mobility_, wanted_;
  MatrixX<S> Phi_, J_passive_, squares_, squares_inverse_;
  VectorX<S> of_motors_, torque_, force_, carried_, base_motion_;  // scratch of nv, motors, and joints without them
  TruncatedInverse<S> contact_inverse_, motor_inverse_, passive_inverse_;
};

template <FloatingPointOrRecorded S>
void SupportedRobot<S>::stand(const VectorX<S>& v, const MatrixX<S>& M_inverse, const VectorX<S>& h,
                              const OperationalTask<S>& contacts, const char* caller) {
  const auto n = static_cast<Eigen::Index>(motors_.size());
  reduced = contacts.rows() > 0 || n < h.size();
  Lambda_.resize(contacts.rows(), contacts.rows());
  contact_rank = 0;
  wanted_ = contacts.acceleration;
  a.setZero();
  if (!reduced) {
    Y = B = M_inverse;
    motor_tau_ = h;
    return;
  }
  Phi_ = M_inverse;
  if (contacts.rows() > 0) {
    J_inverse_.noalias() = contacts.J * M_inverse;
    A_.noalias() = J_inverse_ * contacts.J.transpose();
    mobility_.setConstant(A_.rows(), A_.diagonal().maxCoeff());
    contact_rank = contact_inverse_.compute(A_, mobility_, tolerance_, Lambda_, caller);
    W_.noalias() = Lambda_ * J_inverse_;
    Phi_.noalias() -= J_inverse_.transpose() * W_;
    wanted_.noalias() -= contacts.Jdot * v;
    a.noalias() += W_.transpose() * wanted_;
  }
  force_.noalias() = Phi_ * h;
  a -= force_;
  B.resize(h.size(), n), Y.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i) B.col(i) = Phi_.col(motors_[static_cast<std::size_t>(i)]);
  for (Eigen::Index i = 0; i < n; ++i) Y.row(i) = B.row(motors_[static_cast<std::size_t>(i)]);
  tau = M_inverse.diagonal();
  to_motors(tau, of_motors_);
  motor_inverse_.compute(Y, of_motors_, tolerance_, Y_inverse, caller);
  to_motors(force_, of_motors_);
  torque_.noalias() = Y_inverse * of_motors_;
  motor_tau_.setZero(n);
  apply(torque_);
}

template <FloatingPointOrRecorded S>
void SupportedRobot<S>::find_contact_forces(const VectorX<S>& h) {
  tau.setZero();
  for (std::size_t i = 0; i < motors_.size(); ++i) tau[motors_[i]] = motor_tau_[static_cast<Eigen::Index>(i)];
  contact_forces = wanted_;
  if (wanted_.size() == 0) return;
  force_ = tau - h;
  mobility_ = wanted_;
  mobility_.noalias() -= J_inverse_ * force_;
  contact_forces.noalias() = Lambda_ * mobility_;
}

template <FloatingPointOrRecorded S>
void SupportedRobot<S>::relax_contacts(const VectorX<S>& h, const OperationalTask<S>& contacts, const char* caller) {
  if (contacts.rows() == 0) return;
  find_contact_forces(h);
  const auto n = static_cast<Eigen::Index>(passive_.size());
  J_passive_.resize(contacts.rows(), n);
  for (Eigen::Index i = 0; i < n; ++i) J_passive_.col(i) = contacts.J.col(passive_[static_cast<std::size_t>(i)]);
  squares_.noalias() = J_passive_.transpose() * J_passive_;
  base_motion_ = squares_.diagonal();
  passive_inverse_.compute(squares_, base_motion_, tolerance_, squares_inverse_, caller);
  carried_.noalias() = J_passive_.transpose() * contact_forces;
  base_motion_.noalias() = squares_inverse_ * carried_;
  contact_forces.noalias() -= J_passive_ * base_motion_;
  force_.noalias() = contacts.J.transpose() * contact_forces;
  to_motors(force_, of_motors_);
  motor_tau_ += of_motors_;
}

}  // namespace detail
}}  // namespace corio
