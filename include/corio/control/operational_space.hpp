#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/control/detail/checks.hpp"
#include "corio/control/supported_robot.hpp"
#include "corio/core/compiled.hpp"
#include "corio/solvers/bounded_inverse.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Operational space control of tasks in order of priority, for robots on the ground, on contacts, or floating. (On
/// this page Phi is a mobility, not a motion subspace, and Y = S Phi S^T, not a regressor.)
///
/// Contacts J_c a + Jdot_c v = gamma_c come first: they are constraints, with constraint forces lambda. With the
/// constrained mobility Phi, and S selecting the joints that have motors,
///
///   M a + C v + g = S^T tau + J_c^T lambda   gives   a = a_free + Phi S^T tau,
///   Lambda_c = (J_c M^-1 J_c^T)^-1,   Phi = M^-1 - M^-1 J_c^T Lambda_c J_c M^-1.
///
/// For the motors, the inverse of the inertia is Y = S Phi S^T and the task Jacobians are J*_k = J_k Phi S^T Y^+, which
/// are M^-1 and J_k if all joints have motors and there are no contacts. Each task acts in the null space of the
/// previous ones:
///
///   tau = Y^+ S Phi (C v + g) + sum_k J_k|^T F_k + N^T tau_0,
///   J_k| = J*_k N_k,   N_k = prod_{i<k} (1 - Y J_i|^T Lambda_i J_i|),   Lambda_k = (J_k| Y J_k|^T)^-1,
///   F_k = Lambda_k (acceleration_k - Jdot_k v - J_k a),   a due to the torques so far.
///
/// So no task disturbs the tasks before it, and each is met exactly in the directions that the robot can move: `rank`
/// counts its independent rows, which have a mobility (J_k| Y J_k|^T)_ii when the rows before them are held. A mobility
/// counts as zero below the tolerance times the largest mobility of a row of the task without contacts and other tasks:
/// in these directions no force is applied, and the motion is the nearest possible one. Rows of a task are compared
/// without scaling: multiply rows of rotations by a length if that matters. Without tasks the motors keep the robot
/// still if possible.
///
/// Near singularities Lambda_k has no bound, and a goal out of reach asks for it. If the model has effort limits, tasks
/// are therefore relaxed (see relax): in directions of little mobility Lambda_k is bounded, so that a task gets less
/// acceleration than it asks for, its torques are scaled to a share of the limits, and motions in the directions that
/// are given up are damped. Away from singularities, and below the limits, nothing changes.
///
/// Rounding errors come from M^-1 and from Lambda_k: a condition of 1e10, as with a light free base on a heavy one, or
/// tasks that nearly exclude each other, leaves some six digits of the accelerations.
///
/// A posture torque -D v in tau_0 can feed energy into the null space, since N^T D is not symmetric: damp_posture adds
/// -N^T D N v, which never does.
///
/// Torques in the null space of Y press contacts against each other and cause no motion. They are chosen such that
/// lambda has the least norm that supports the joints without motors. To make the force of a contact smaller, multiply
/// its rows of J, Jdot and acceleration by a number below one. Further torques of this kind may be added in tau_0.
///
///   corio::OperationalSpace control(model, {"root_joint"});   // no motors there
///   loop: forward_kinematics(model, data, q, v); ...          // fill J, Jdot, acceleration of the tasks
///         tau = control.update(model, data, tasks, tau_0, contacts);
///
/// tau does not compensate passive forces (control/detail/checks.hpp). The robot is a Model, or a Mechanism, for which
/// v are its independent speeds; its motors drive independent speeds. Over a scalar that records (codegen) ranks and
/// pivots are chosen at the nominal inputs; relaxing is rejected. Source: Khatib (1987); Sentis and Khatib (2005) for
/// priorities and contacts; Mistry and Righetti (2011) for the redundancy of torques and contact forces. With a
/// floating base and no contacts J* is the generalized Jacobian of Umetani and Yoshida (1989).
template <FloatingPointOrRecorded S = double>
class OperationalSpace {
 public:
  /// A task in the null space of the tasks before it.
  struct Level {
    MatrixX<S> J, Lambda;  // J_k|, m x (number of motors), and Lambda_k, m x m
    VectorX<S> force;      // F_k, m
    int rank = 0;          // if relaxed: number of directions whose inertia is not bounded
    S share{1};            // the share of its torques that the task has got
  };

  /// @param unactuated  joints without motors, such as a floating base, or single speeds of them (Model::v_indices)
  /// @param tolerance   relative mobility that counts as zero, between 0 and 1; by default sqrt(eps)
  /// @throws ModelError for a joint that the model does not have; Error for a tolerance out of range
  template <template <class> class Robot>
  explicit OperationalSpace(const Robot<S>& robot, const std::vector<std::string>& unactuated = {},
                            S tolerance = detail::mobility_tolerance<S>)
      : tolerance_(tolerance), robot_(robot, unactuated, tolerance), tau_(zeros<S>(robot.nv())) {
    detail::check_mobility_tolerance(name, tolerance);
    const auto infinity = std::numeric_limits<S>::infinity();
    VectorX<S> torque = VectorX<S>::Constant(robot.nv(), infinity);
    for (int k = 0; k < robot.nv(); ++k)
      if (const double effort = robot.tree().effort_limit()[robot.dof_of_speed(k)]; effort > 0)
        torque[k] = static_cast<S>(effort / 2);
    robot_.to_motors(torque, torque_limit_);
    if ((torque_limit_.array() < infinity).any()) relax();
  }

  /// Bounds inertia and torques near singularities, by default if the model has effort limits that are positive and
  /// finite. With B = D^(-1/2) J_k| Y J_k|^T D^(-1/2) = sum s u u^T, where D is the largest mobility (J_k M^-1
  /// J_k^T)_ii of the rotations or of the other rows,
  ///   Lambda_k = D^(-1/2) (sum u u^T / max(s, least)) D^(-1/2),   F_k = share Lambda_k (..) - damping E_k J_k| S v,
  ///   E_k = (J_k| Y J_k|^T)^+ - share Lambda_k,
  /// with the largest share up to 1 for which no motor gets more than `torque` from the task. The last term only takes
  /// energy, from motions in the directions that are given up.
  /// @param least    relative mobility below which the inertia is bounded, between 0 and 1; 0 for no bounds at all: a
  ///                 mobility below the tolerance then gets no force
  /// @param torque   nv, positive, N m or N, entries of joints without motors unused; infinite for no limit. If empty,
  ///                 the limits set before, at first half of the model's effort limits
  /// @param damping  1/s
  /// @throws SizeError; Error for a number out of range
  void relax(S least = static_cast<S>(3e-3), const VectorX<S>& torque = {}, S damping = 20) {
    if (least != S(0)) detail::check_mobility_tolerance(name, least);
    using std::isfinite;
    if (!(damping >= S(0) && isfinite(damping)))
      throw Error(detail::join(
          {name, ": the damping is ", detail::number(value_of(damping)), " 1/s, must be zero or positive"}));
    if (torque.size() > 0) {
      detail::check_size("torque", torque.size(), tau_.size(), name);
      if (!(torque.array() > S(0)).all()) throw Error(detail::join({name, ": limits of torques must be positive"}));
      robot_.to_motors(torque, torque_limit_);
    }
    least_ = least, damping_ = damping;
  }
  /// Adds the posture torque -N^T D N v.
  /// @param D  nv, the diagonal, zero or positive, N m s or N s/m, entries of joints without motors unused; empty for
  ///           none
  /// @throws SizeError; Error for a number out of range
  void damp_posture(const VectorX<S>& D) {
    if (D.size() > 0) detail::check_size("D", D.size(), tau_.size(), name);
    if (!detail::all_finite(D) || (D.array() < S(0)).any())
      throw Error(detail::join({name, ": the damping of the posture must be zero or positive and finite"}));
    posture_damping_.resize(0);
    if (D.size() > 0) robot_.to_motors(D, posture_damping_);
  }

  /// @param data      after forward_kinematics(robot, data, q, v)
  /// @param tasks     the first has the highest priority; stack tasks of equal priority as rows of one task
  /// @param tau_0  nv, torques in the null space of all tasks, such as the torques of a posture controller; entries of
  ///               joints without motors are not used
  /// @param contacts  all contacts as one task, usually with the acceleration 0
  /// @returns nv generalized forces (N m, N), exactly zero for joints without motors, valid until the next update.
  /// @throws SizeError, StateError; ModelError for a joint that moves no inertia; Error for a number that is not
  /// finite. No state is kept: a rejected sample or a missed tick has no effect later. O(n^2 m + m^3) for m rows in
  /// all, and for contacts or joints without motors O(n^3). No allocation after the first call with tasks of these
  /// sizes.
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, std::span<const OperationalTask<S>> tasks,
                           VectorIn<S> tau_0, const OperationalTask<S>& contacts = {});

  /// Results of the last update: the tasks; the acceleration a that tau causes if the model is right; the contact
  /// forces lambda (J_c^T lambda acts on the robot); the number of independent contact forces.
  std::span<const Level> levels() const { return {levels_.data(), used_}; }
  const VectorX<S>& acceleration() const { return robot_.a; }
  const VectorX<S>& contact_forces() const { return robot_.contact_forces; }
  int contact_rank() const { return robot_.contact_rank; }

 private:
  static constexpr const char* name = "OperationalSpace";
  /// Scratch to compute a level. Each size has its own matrices, so that nothing is resized: J_k| Y, Lambda_k J_k|, J_k
  /// M^-1, J_k| Y J_k|^T, J_k| Y (Lambda_i J_i|)^T for the tasks before, and E_k.
  struct Work {
    MatrixX<S> G, Lambda_J, J_inverse, A, W, excess;
    VectorX<S> mobility, error, resistance;
    detail::TruncatedInverse<S> inverse;
    detail::BoundedInverse<S> bounded;
  };
  static void check(Eigen::Index nv, const OperationalTask<S>& task, int number);
  void add(const VectorX<S>& v, const MatrixX<S>& M_inverse, const OperationalTask<S>& task, std::size_t k);
  void project(std::size_t k);
  void limit(const VectorX<S>& v, Level& level, Work& work);
  S share_within_limits() const;
  void add_posture_damping(const VectorX<S>& v);

  S tolerance_, least_{0}, damping_{0};
  VectorX<S> torque_limit_, posture_damping_, motor_v_;  // a number for each motor
  detail::SupportedRobot<S> robot_;
  std::vector<Level> levels_;
  std::vector<Work> work_;
  std::size_t used_ = 0;  // number of levels in use
  VectorX<S> torque_, tau_;
};

template <FloatingPointOrRecorded S>
template <template <class> class Robot>
const VectorX<S>& OperationalSpace<S>::update(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                              std::span<const OperationalTask<S>> tasks, VectorIn<S> tau_0,
                                              const OperationalTask<S>& contacts) {
  data.require(robot, Pass::velocity, name);
  const VectorX<S>& v = data.speeds();
  detail::check_size("the robot's nv", robot.nv(), tau_.size(), name);
  detail::check_finite_coordinates("q", data.of_tree().q, robot.tree(), name);
  detail::check_finite_speeds("v", v, robot, name);
  detail::check_finite_speeds("tau_0", tau_0, robot, name);
  check(robot.nv(), contacts, 0);
  for (std::size_t k = 0; k < tasks.size(); ++k) check(robot.nv(), tasks[k], static_cast<int>(k) + 1);
  const MatrixX<S>& M_inverse = mass_matrix_inverse(robot, data);
  const VectorX<S>& h = nonlinear_effects(robot, data);

  robot_.stand(v, M_inverse, h, contacts, name);
  used_ = tasks.size();
  if (levels_.size() < used_) levels_.resize(used_), work_.resize(used_);
  for (std::size_t k = 0; k < used_; ++k) add(v, M_inverse, tasks[k], k);
  robot_.relax_contacts(h, contacts, name);

  // First set the torques to tau_0.
  robot_.to_motors(tau_0, torque_);
  if (posture_damping_.size() > 0) add_posture_damping(v);
  for (std::size_t k = 0; k < used_; ++k) {
    work_[k].error.noalias() = work_[k].G * torque_;
    work_[k].error *= levels_[k].share;
    torque_.noalias() -= work_[k].Lambda_J.transpose() * work_[k].error;
  }
  robot_.apply(torque_);
  robot_.find_contact_forces(h);
  const char* const cause = ": v or an argument is too large";
  detail::require_finite("the acceleration", robot_.a, name, cause);
  detail::require_finite("lambda", robot_.contact_forces, name, cause);
  return detail::accept_torque(name, tau_, robot_.tau);
}

/// Adds the torques of task k and computes its level for the tasks after it.
template <FloatingPointOrRecorded S>
void OperationalSpace<S>::add(const VectorX<S>& v, const MatrixX<S>& M_inverse, const OperationalTask<S>& task,
                              std::size_t k) {
  Level& level = levels_[k];
  MatrixX<S>& J = level.J;
  auto& [G, Lambda_J, J_inverse, A, W, excess, mobility, error, resistance, inverse, bounded] = work_[k];
  J_inverse.noalias() = task.J * M_inverse;
  mobility = J_inverse.cwiseProduct(task.J).rowwise().sum();
  const auto share_largest = [](auto&& rows) {
    if (rows.size() > 0) rows.setConstant(rows.maxCoeff());
  };
  const Eigen::Index rotations = least_ > S(0) ? task.rotating_rows() : 0;
  share_largest(mobility.head(rotations)), share_largest(mobility.tail(mobility.size() - rotations));
  G.noalias() = task.J * robot_.B;
  if (robot_.reduced)
    J.noalias() = G * robot_.Y_inverse;
  else
    J = task.J;
  project(k);
  // A row of which so little is left consists of rounding errors, which move the tasks before it: such rows are
  // projected again.
  if constexpr (is_checked<S>)
    if ((A.diagonal().array() < static_cast<S>(1e-10) * mobility.array()).any()) project(k);
  if constexpr (is_checked<S>) {
    level.rank = least_ > S(0) ? bounded.compute(A, mobility, least_, level.Lambda, excess, name)
                               : inverse.compute(A, mobility, tolerance_, level.Lambda, name);
  } else {
    if (least_ > S(0))
      throw Error(detail::join({name, ": bounds near singularities branch; to record, call relax(0)"}));
    level.rank = inverse.compute(A, mobility, tolerance_, level.Lambda, name);
  }
  level.share = S(1);
  Lambda_J.noalias() = level.Lambda * J;
  error = task.acceleration;
  error.noalias() -= task.Jdot * v;
  error.noalias() -= task.J * robot_.a;
  level.force.noalias() = level.Lambda * error;
  torque_.noalias() = J.transpose() * level.force;
  if constexpr (is_checked<S>)
    if (least_ > S(0)) limit(v, level, work_[k]);
  robot_.apply(torque_);
}

/// Projects the Jacobian of level k into the null space of the tasks before, and computes its mobility J_k| Y J_k|^T.
template <FloatingPointOrRecorded S>
void OperationalSpace<S>::project(std::size_t k) {
  MatrixX<S>& J = levels_[k].J;
  Work& work = work_[k];
  for (std::size_t i = 0; i < k; ++i) {
    const Eigen::Index rows = levels_[i].J.rows();
    if (work.W.rows() != J.rows() || work.W.cols() < rows) work.W.resize(J.rows(), rows);
    auto shared = work.W.leftCols(rows);
    shared.noalias() = work.G * work_[i].Lambda_J.transpose();
    J.noalias() -= shared * levels_[i].J;
    work.G.noalias() -= shared * work_[i].G;
  }
  work.A.noalias() = work.G * J.transpose();
}

/// Scales the force of a level to the limits, and damps the directions that are given up, within the same limits.
template <FloatingPointOrRecorded S>
void OperationalSpace<S>::limit(const VectorX<S>& v, Level& level, Work& work) {
  level.share = share_within_limits();
  if (!(level.share < S(1)) && level.rank == level.force.size()) return;
  level.force *= level.share;
  work.excess += (S(1) - level.share) * level.Lambda;
  robot_.to_motors(v, motor_v_);
  work.error.noalias() = level.J * motor_v_;
  work.resistance.noalias() = damping_ * (work.excess * work.error);
  torque_.noalias() = level.J.transpose() * work.resistance;
  level.force -= share_within_limits() * work.resistance;
  torque_.noalias() = level.J.transpose() * level.force;
}

/// Returns the largest share of torque_, up to 1, that is within the limits.
template <FloatingPointOrRecorded S>
S OperationalSpace<S>::share_within_limits() const {
  S share(1);
  for (Eigen::Index i = 0; i < torque_.size(); ++i)
    if (share * std::abs(torque_[i]) > torque_limit_[i]) share = torque_limit_[i] / std::abs(torque_[i]);
  return share;
}

/// Subtracts D N v from torque_.
template <FloatingPointOrRecorded S>
void OperationalSpace<S>::add_posture_damping(const VectorX<S>& v) {
  robot_.to_motors(v, motor_v_);
  for (std::size_t k = used_; k-- > 0;) {
    work_[k].error.noalias() = work_[k].Lambda_J * motor_v_;
    work_[k].error *= levels_[k].share;
    motor_v_.noalias() -= work_[k].G.transpose() * work_[k].error;
  }
  torque_ -= posture_damping_.cwiseProduct(motor_v_);
}

/// @param number  number of the task, from 1 on; 0 for the contacts
template <FloatingPointOrRecorded S>
void OperationalSpace<S>::check(Eigen::Index n, const OperationalTask<S>& task, int number) {
  const auto fail = [&]<class E>(std::type_identity<E>, const char* what) {
    throw E(detail::join(
        {name, ": ", number == 0 ? "the contacts" : "task ", number == 0 ? "" : std::to_string(number), " ", what}));
  };
  const Eigen::Index m = task.rows();
  if (m == 0 && task.Jdot.rows() == 0 && task.acceleration.size() == 0) return;
  if (task.J.cols() != n || task.Jdot.rows() != m || task.Jdot.cols() != n || task.acceleration.size() != m)
    fail(std::type_identity<SizeError>(), "must have J and Jdot of m x nv, and m accelerations");
  if (task.rotations > m) fail(std::type_identity<SizeError>(), "has more rotations than rows");
  if (!detail::all_finite(task.J) || !detail::all_finite(task.Jdot) || !detail::all_finite(task.acceleration))
    fail(std::type_identity<Error>(), "has a number that is not finite; nothing was changed");
}

#define CORIO_COMPILED_OPERATIONAL_SPACE(EXTERN, S)              \
  EXTERN template class detail::SupportedRobot<S>;               \
  EXTERN template class OperationalSpace<S>;                     \
  EXTERN template const VectorX<S>& OperationalSpace<S>::update( \
      const Model<S>&, Data<S>&, std::span<const OperationalTask<S>>, VectorIn<S>, const OperationalTask<S>&);
CORIO_DECLARE_COMPILED(OPERATIONAL_SPACE)

}}  // namespace corio
