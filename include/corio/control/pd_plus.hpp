#pragma once

#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/control/tracking_error.hpp"
#include "corio/core/compiled.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Diagonal gains on errors of position and velocity, nv each.
template <class S = double>
struct PDGains {
  VectorX<S> stiffness;  // K_P, N m/rad or N/m, positive
  VectorX<S> damping;    // K_D, N m s/rad or N s/m, positive
};

/// PD+ control:
///
///   tau = M a_d + C(q, v) v_d + g - E^T K_P e - K_D (v - v_d),
///
/// with errors e and the desired motion v_d, a_d of TrackingError and E = de/dq, on the configuration manifold. If the
/// model is right, V = (v - v_d)^T M (v - v_d) / 2 + e^T K_P e / 2 falls as dV/dt = -(v - v_d)^T K_D (v - v_d) for
/// every admissible factorization of C. The inertia is not cancelled, so that the gains are the stiffness and damping
/// of the robot against its environment.
///
/// tau does not compensate passive forces (control/detail/checks.hpp).
///
/// @tparam Factorization  factorization of the Coriolis matrix Source: Takegaki and Arimoto (1981); Paden and Panja
/// (1988).
template <class S = double, class Factorization = factorization::Christoffel>
class PDPlus {
 public:
  /// @throws SizeError, Error for a gain that is not positive and finite, naming its joint
  template <template <class> class Robot>
  explicit PDPlus(const Robot<S>& robot, PDGains<S> gains, const Factorization& B = {})
      : gains_(std::move(gains)), B_(B), error_(robot), force_(zeros<S>(robot.nv())), tau_(force_), next_(force_) {
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
    next_ = slotine_li_inverse_dynamics<Factorization>(robot, data, error_.v_d, error_.a_d, B_);
    force_ = gains_.stiffness.cwiseProduct(error_.e);
    const Model<S>& tree = robot.tree();
    detail::for_each_driven_node(robot, name,
                                 [&](int b, int k) { pull_back(tree, data.of_tree(), tree.node(b), q_d, &force_[k]); });
    next_ -= force_ + gains_.damping.cwiseProduct(error_.v_e);
    return detail::accept_torque(name, tau_, next_);
  }

  const TrackingError<S>& error() const { return error_; }

 private:
  static constexpr const char* name = "PDPlus";

  /// Sets force to E^T force for the joint of a node. E is computed by columns; for one degree of freedom it is 1.
  static void pull_back(const Model<S>& model, const Data<S>& data, const Node<S>& node, VectorIn<S> q_d, S* force) {
    const int n = node.v_end - node.v_begin;
    if (n < 2) return;
    S still[joint::max_nv], unit[joint::max_nv], pulled[joint::max_nv], column[joint::max_nv];
    for (int i = 0; i < n; ++i) still[i] = S(0);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) unit[i] = S(i == j ? 1 : 0);
      detail::difference_along<S>(model, node, name, q_d, data.q, still, unit, column);
      pulled[j] = S(0);
      for (int i = 0; i < n; ++i) pulled[j] += column[i] * force[i];
    }
    for (int j = 0; j < n; ++j) force[j] = pulled[j];
  }

  PDGains<S> gains_;
  Factorization B_;
  TrackingError<S> error_;
  VectorX<S> force_, tau_, next_;
};

#define CORIO_COMPILED_PD_PLUS(EXTERN, S) \
  EXTERN template const VectorX<S>& PDPlus<S>::update(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>);
CORIO_DECLARE_COMPILED(PD_PLUS)

}}  // namespace corio
