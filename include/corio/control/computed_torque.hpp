#pragma once

#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/control/tracking_error.hpp"
#include "corio/core/compiled.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Computed torque, or inverse dynamics control:
///
///   tau = M (a_d - K_D (v - v_d) - K_P e) + C(q, v) v + g,
///
/// with errors e and the desired motion v_d, a_d of TrackingError. If the model is right, all errors obey d(v - v_d)/dt
/// = -K_D (v - v_d) - K_P e, the same in every configuration; errors of joints with plain coordinates are oscillators
/// with the eigenfrequency sqrt(K_P) and the damping ratio K_D / (2 sqrt(K_P)).
///
/// tau does not compensate passive forces (control/detail/checks.hpp).
/// Source: Luh, Walker and Paul (1980).
template <class S = double>
class ComputedTorque {
 public:
  /// Gains of accelerations, nv each.
  struct Gains {
    VectorX<S> stiffness;  // K_P, 1/s^2, positive
    VectorX<S> damping;    // K_D, 1/s, positive
  };

  /// @throws SizeError, Error for a gain that is not positive and finite, naming its joint
  template <template <class> class Robot>
  explicit ComputedTorque(const Robot<S>& robot, Gains gains)
      : gains_(std::move(gains)), error_(robot), a_(zeros<S>(robot.nv())), tau_(a_), next_(a_) {
    detail::check_gain(robot, name, "stiffness (K_P)", gains_.stiffness);
    detail::check_gain(robot, name, "damping (K_D)", gains_.damping);
  }

  /// Computes tau at q, v for the desired motion q_d, v_d, a_d. Arguments, errors and cost as SlotineLi::update.
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> q_d,
                           VectorIn<S> v_d, VectorIn<S> a_d) {
    return update(robot, forward_kinematics<S>(robot, data, q, v, name), q_d, v_d, a_d);
  }
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q_d, VectorIn<S> v_d,
                           VectorIn<S> a_d) {
    error_.update(robot, data, q_d, v_d, a_d, name);
    a_ = error_.a_d - gains_.damping.cwiseProduct(error_.v_e) - gains_.stiffness.cwiseProduct(error_.e);
    next_ = slotine_li_inverse_dynamics(robot, data, data.speeds(), a_);
    return detail::accept_torque(name, tau_, next_);
  }

  const TrackingError<S>& error() const { return error_; }
  /// Returns the commanded acceleration of the last update.
  const VectorX<S>& acceleration() const { return a_; }

 private:
  static constexpr const char* name = "ComputedTorque";
  Gains gains_;
  TrackingError<S> error_;
  VectorX<S> a_, tau_, next_;
};

#define CORIO_COMPILED_COMPUTED_TORQUE(EXTERN, S)                                                                  \
  EXTERN template const VectorX<S>& ComputedTorque<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                              VectorIn<S>);
CORIO_DECLARE_COMPILED(COMPUTED_TORQUE)

}}  // namespace corio
