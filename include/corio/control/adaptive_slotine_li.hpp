#pragma once

#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/control/adaptive_parameters.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/core/compiled.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Adaptation gains of friction in the joints of the tree: nv of the tree each, zero for known coefficients; empty if
/// friction is not adapted.
template <class S = double>
struct FrictionGains {
  VectorX<S> damping{};                   // gains of the viscous coefficients
  VectorX<S> friction{};                  // gains of the Coulomb coefficients
  double smoothing = friction_smoothing;  // as in passive_forces
};

/// Passivity-based tracking with adaptive inertial parameters and, optionally, adaptive joint friction:
///
///   tau = Y pi + armature a_r + damping v + friction tanh(v / smoothing) - tau_springs - K_D s,
///   dpi/dt = -Gain Y^T s,   d damping/dt = -Gain s v,   d friction/dt = -Gain s tanh(v / smoothing),
///
/// with v_r, a_r and s of SlidingVariable, Y = slotine_li_regressor(q, v, v_r, a_r), which is never formed, the model's
/// springs as in passive_forces, and estimates of pi, damping and friction. Damping and friction are kept nonnegative.
/// The closed loop, with tilde for estimate minus true value, is
///
///   M ds/dt + (C + K_D) s = Y tilde_pi + tilde_damping v + tilde_friction tanh(v / smoothing),
///   V = s^T M s / 2 + distance(pi) + sum tilde_damping^2 / (2 Gain) + ..,   dV/dt <= -s^T K_D s,
///
/// so that s converges to zero; parameters converge to the true values as far as the desired motion excites them.
/// AdaptationGains choose the metric: by default the natural metric, which keeps bodies physically consistent.
///
/// In discrete time parameters are updated first, by the present Y^T s times the time dt since the last tick, and tau
/// is computed from them with the same Y. After a missed or rejected tick dt is longer. The loop is stable for dt^2 Y
/// Gain Y^T < 4 M, with dpi = Gain d at the present J in the natural metric; with higher gains parameters jump, but not
/// the robot.
///
/// For a Mechanism, Y and the friction of the tree are projected: with its motions G v_r and their rates for tau = G^T
/// (Y pi + ..), and with G s in place of s for the rates of the estimates.
///
/// A recording (codegen) keeps no state: call set_parameters and set_friction with inputs of the recording before
/// update, and make the estimates after update its outputs. This works in the euclidean metric (see
/// AdaptiveParameters).
///
///   corio::AdaptiveSlotineLi controller(model, {lambda, K_D}, {.parameters = gamma, .bodies = {model, {"hand"}}});
///   loop: tau = controller.update(model, data, q, v, q_d, v_d, a_d, dt);
///   corio::set_inertial_parameters(model, controller.parameters());   // to keep the estimate
///
/// Source: Slotine and Li (1987); [WS] eqs. 13, 15, 36 and 37, alg. 3; composite adaptation: Slotine and Li, Composite
/// adaptive control of robot manipulators (1989).
template <class S = double>
class AdaptiveSlotineLi {
 public:
  /// Starts with the parameters, damping and friction of the model. update uses joints, armature, springs and gravity
  /// of its model only.
  /// @throws SizeError; Error for a tracking gain that is not positive and finite, or an adaptation gain that is
  /// negative or not finite, naming the joint or body; the ModelErrors of AdaptiveParameters
  template <template <class> class Robot>
  explicit AdaptiveSlotineLi(const Robot<S>& robot, SlidingGains<S> gains, AdaptationGains<S> adaptation,
                             FrictionGains<S> friction = {});

  /// @param q, v           the measured state
  /// @param q_d, v_d, a_d  the desired motion; its velocities are components along the degrees of freedom at q_d
  /// @param dt             s, since the last call (at the first one the period of the loop)
  /// @returns nv generalized forces (N m, N), valid until the next update.
  /// @throws SizeError; Error for a number that is not finite, parameters or torques that would not be, and a dt that
  /// is not in (0, 0.1] s; the estimates are then unchanged. O(n), no allocation after the first call on a Data.
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> q_d,
                           VectorIn<S> v_d, VectorIn<S> a_d, double dt) {
    return update(robot, forward_kinematics<S>(robot, data, q, v, name), q_d, v_d, a_d, dt);
  }
  /// Calls update at the state in `data`, after forward_kinematics(model, data, q, v).
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q_d, VectorIn<S> v_d,
                           VectorIn<S> a_d, double dt);

  /// Composite adaptation: adapts the parameters also by prediction errors W pi - y, over the time dt. See
  /// AdaptiveParameters.
  void adapt(MatrixIn<S> W, VectorIn<S> y, const S& weight, double dt) { parameters_.adapt(W, y, weight, dt); }

  /// Return the estimates: ten numbers for each of model.bodies(), and damping and friction of the tree's degrees of
  /// freedom.
  const VectorX<S>& parameters() const { return parameters_.values(); }
  const VectorX<S>& damping() const { return joints_.damping; }
  const VectorX<S>& friction() const { return joints_.friction; }
  /// Returns the distance of parameters() from pi, the part of V that depends on parameters().
  S distance(VectorIn<S> pi) const { return parameters_.distance(pi); }
  /// Sets the estimates, which are the only state between calls.
  /// @throws SizeError; Error for a number that is not finite or a negative coefficient; ModelError in the natural
  /// metric for a body that adapts and is not physically consistent. All estimates are then unchanged.
  void set_parameters(const Model<S>& model, VectorIn<S> pi) { parameters_.set(model, pi); }
  void set_friction(const Model<S>& model, VectorIn<S> damping, VectorIn<S> friction);
  /// Starts again with the values of the model.
  void reset(const Model<S>& model) {
    check_tree(model);
    parameters_.set(model, inertial_parameters(model));
    joints_ = {model.damping(), model.friction()};
  }

  /// Returns the sliding variable of the last update.
  const SlidingVariable<S>& sliding() const { return sliding_; }

 private:
  static constexpr const char* name = "AdaptiveSlotineLi";
  struct Joints {
    VectorX<S> damping, friction;
  };
  /// @throws SizeError for a tree whose size does not fit the estimates of friction
  void check_tree(const Model<S>& model) const {
    detail::check_size("the nv of the tree", model.nv(), v_r_.size(), name);
  }

  SlidingGains<S> gains_;
  FrictionGains<S> friction_gains_;
  AdaptiveParameters<S> parameters_;
  Joints joints_, next_joints_;
  SlidingVariable<S> sliding_;
  VectorX<S> v_r_, a_r_, s_, springs_, joint_forces_;  // in the speeds of the tree
  VectorX<S> power_, tau_, next_;                      // power_: Y^T s
};

template <class S>
template <template <class> class Robot>
AdaptiveSlotineLi<S>::AdaptiveSlotineLi(const Robot<S>& robot, SlidingGains<S> gains, AdaptationGains<S> adaptation,
                                        FrictionGains<S> friction)
    : gains_(std::move(gains)),
      friction_gains_(std::move(friction)),
      parameters_(robot.tree(), std::move(adaptation), name),
      joints_{robot.tree().damping(), robot.tree().friction()},
      next_joints_(joints_),
      sliding_(robot),
      v_r_(zeros<S>(robot.tree().nv())),
      a_r_(v_r_),
      s_(v_r_),
      springs_(v_r_),
      joint_forces_(v_r_),
      power_(VectorX<S>::Zero(parameters_.num_adapted())),
      tau_(zeros<S>(robot.nv())),
      next_(tau_) {
  const Model<S>& model = robot.tree();
  detail::check_gain(robot, name, "lambda", gains_.lambda);
  detail::check_gain(robot, name, "damping (K_D)", gains_.damping);
  for (VectorX<S>* gain : {&friction_gains_.damping, &friction_gains_.friction})
    if (gain->size() == 0) *gain = zeros<S>(model.nv());
  detail::check_gain(model, name, "the gain of damping", friction_gains_.damping, true);
  detail::check_gain(model, name, "the gain of friction", friction_gains_.friction, true);
  detail::check_smoothing(friction_gains_.smoothing, name);
}

template <class S>
void AdaptiveSlotineLi<S>::set_friction(const Model<S>& model, VectorIn<S> damping, VectorIn<S> friction) {
  check_tree(model);
  Joints given{damping, friction};
  detail::check_gain(model, name, "damping", given.damping, true);
  detail::check_gain(model, name, "friction", given.friction, true);
  joints_ = std::move(given);
}

template <class S>
template <template <class> class Robot>
const VectorX<S>& AdaptiveSlotineLi<S>::update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q_d,
                                               VectorIn<S> v_d, VectorIn<S> a_d, double dt) {
  detail::check_tick(name, dt);
  check_tree(robot.tree());
  sliding_.update(robot, data, gains_.lambda, q_d, v_d, a_d, name);
  tree_velocities(robot, data, sliding_.v_r, v_r_);
  tree_accelerations(robot, data, sliding_.v_r, sliding_.a_r, a_r_);
  tree_velocities(robot, data, sliding_.s, s_);

  const Model<S>& model = robot.tree();
  Data<S>& state = data.of_tree();
  const auto Y = detail::Regressor<S>::slotine_li(model, state, v_r_, a_r_, name);
  state.template of<algorithm::RegressorTransposeProduct<S>>(model).run(model, state, Y, s_, power_,
                                                                        parameters_.gains().bodies);
  const VectorX<S>& pi = parameters_.descend(power_, S(dt));
  joint_forces_ = state.template of<algorithm::RegressorProduct<S>>(model).run(model, state, Y, pi, {});

  detail::spring_forces(model, state.q, springs_);
  const VectorX<S>& v = state.v;
  VectorX<S>&damping = next_joints_.damping, &friction = next_joints_.friction;
  for (int k = 0; k < model.nv(); ++k) {
    const S direction = detail::friction_direction<S>(v[k], friction_gains_.smoothing);
    const auto descend = [&](const S& x, const S& gain, const S& column) {
      const S next = x - S(dt) * gain * s_[k] * column;
      return S(select(next < S(0), S(0), next));
    };
    damping[k] = descend(joints_.damping[k], friction_gains_.damping[k], v[k]);
    friction[k] = descend(joints_.friction[k], friction_gains_.friction[k], direction);
    joint_forces_[k] += model.armature()[k] * a_r_[k] + damping[k] * v[k] + friction[k] * direction - springs_[k];
  }
  project_forces<S>(robot, data, joint_forces_, next_);
  next_ -= gains_.damping.cwiseProduct(sliding_.s);
  const char* const cause = ": errors or gains are too large";
  detail::require_finite("Y^T s", power_, name, cause);
  detail::require_finite("pi", pi, name, cause);
  detail::require_finite("damping", damping, name, cause);
  detail::require_finite("friction", friction, name, cause);
  detail::accept_torque(name, tau_, next_);
  parameters_.accept();
  std::swap(joints_, next_joints_);
  return tau_;
}

#define CORIO_COMPILED_ADAPTIVE_SLOTINE_LI(EXTERN, S)                                                                 \
  EXTERN template class AdaptiveSlotineLi<S>;                                                                         \
  EXTERN template const VectorX<S>& AdaptiveSlotineLi<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                                 VectorIn<S>, double);
CORIO_DECLARE_COMPILED(ADAPTIVE_SLOTINE_LI)

}}  // namespace corio
