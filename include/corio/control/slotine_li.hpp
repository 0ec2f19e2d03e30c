#pragma once

#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/control/tracking_error.hpp"
#include "corio/core/compiled.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Diagonal gains of a tracking controller that acts on a sliding variable, nv each.
template <class S = double>
struct SlidingGains {
  VectorX<S> lambda;   // 1/s, positive: rate of decay of position errors on the sliding surface s = 0
  VectorX<S> damping;  // K_D, N m s or N s/m, positive
};

/// The reference velocity v_r = v_d - lambda e, its rate, and the sliding variable s = v - v_r = de/dt + lambda e, with
/// e, v_d and a_d of TrackingError.
template <class S = double>
struct SlidingVariable {
  TrackingError<S> error;
  VectorX<S> v_r, a_r, s;  // nv each

  template <template <class> class Robot>
  explicit SlidingVariable(const Robot<S>& robot) : error(robot), v_r(zeros<S>(robot.nv())), a_r(v_r), s(v_r) {}
  /// Updates the error; arguments and errors as TrackingError::update.
  template <template <class> class Robot>
  void update(const Robot<S>& robot, const DataOf<Robot<S>>& data, const VectorX<S>& lambda, VectorIn<S> q_d,
              VectorIn<S> v_d, VectorIn<S> a_d, const char* caller) {
    error.update(robot, data, q_d, v_d, a_d, caller);
    v_r = error.v_d - lambda.cwiseProduct(error.e);
    a_r = error.a_d - lambda.cwiseProduct(error.e_dot);
    s = data.speeds() - v_r;
  }
};

/// Passivity-based tracking:
///
///   v_r = v_d - lambda e,   s = v - v_r = de/dt + lambda e,
///   tau = M a_r + C(q, v) v_r + g - K_D s,    a_r = dv_r/dt,
///
/// with errors e and the desired motion v_d, a_d of TrackingError, on the configuration manifold. If the model is
/// right, V = s^T M s / 2 falls as dV/dt = -s^T K_D s for every admissible factorization of C. Within a joint with
/// several degrees of freedom lambda should be one number: on s = 0 the error then decays along a straight line.
///
/// tau does not compensate passive forces (control/detail/checks.hpp). The robot is a Model, or a Mechanism, for which
/// v are its independent speeds.
///
///   corio::SlotineLi controller(model, {lambda, K_D});
///   loop: tau = controller.update(model, data, q, v, q_d, v_d, a_d);
///
/// @tparam Factorization  factorization of the Coriolis matrix Source: Slotine and Li (1987); [WS] eqs. 12-14.
template <class S = double, class Factorization = factorization::Christoffel>
class SlotineLi {
 public:
  /// @throws SizeError, Error for a gain that is not positive and finite, naming its joint
  template <template <class> class Robot>
  explicit SlotineLi(const Robot<S>& robot, SlidingGains<S> gains, const Factorization& B = {})
      : gains_(std::move(gains)), B_(B), sliding_(robot), tau_(zeros<S>(robot.nv())), next_(tau_) {
    detail::check_gain(robot, name, "lambda", gains_.lambda);
    detail::check_gain(robot, name, "damping (K_D)", gains_.damping);
  }

  /// @param q, v           the measured state
  /// @param q_d, v_d, a_d  the desired motion; its velocities are components along the degrees of freedom at q_d
  /// @returns nv generalized forces (N m, N), valid until the next update.
  /// @throws SizeError; Error for a number that is not finite, also in the resulting torque. The returned vector then
  /// keeps the last torque, the only state, so that a missed tick has no effect later. O(n), no allocation after the
  /// first call on a Data.
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> q_d,
                           VectorIn<S> v_d, VectorIn<S> a_d) {
    return update(robot, forward_kinematics<S>(robot, data, q, v, name), q_d, v_d, a_d);
  }
  /// Calls update at the state in `data`, after forward_kinematics(model, data, q, v).
  template <template <class> class Robot>
  const VectorX<S>& update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q_d, VectorIn<S> v_d,
                           VectorIn<S> a_d);

  /// Results of the last update, nv each: e, its rate, the desired motion at q; s = v - v_r; v_r and its rate.
  const TrackingError<S>& error() const { return sliding_.error; }
  const VectorX<S>& s() const { return sliding_.s; }
  const VectorX<S>& reference_velocity() const { return sliding_.v_r; }
  const VectorX<S>& reference_acceleration() const { return sliding_.a_r; }

 private:
  static constexpr const char* name = "SlotineLi";
  SlidingGains<S> gains_;
  Factorization B_;
  SlidingVariable<S> sliding_;
  VectorX<S> tau_, next_;
};

template <class S, class Factorization>
template <template <class> class Robot>
const VectorX<S>& SlotineLi<S, Factorization>::update(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q_d,
                                                      VectorIn<S> v_d, VectorIn<S> a_d) {
  sliding_.update(robot, data, gains_.lambda, q_d, v_d, a_d, name);
  next_ = slotine_li_inverse_dynamics<Factorization>(robot, data, sliding_.v_r, sliding_.a_r, B_);
  next_ -= gains_.damping.cwiseProduct(sliding_.s);
  return detail::accept_torque(name, tau_, next_);
}

#define CORIO_COMPILED_SLOTINE_LI(EXTERN, S)                                                                  \
  EXTERN template const VectorX<S>& SlotineLi<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, \
                                                         VectorIn<S>);
CORIO_DECLARE_COMPILED(SLOTINE_LI)

}}  // namespace corio
