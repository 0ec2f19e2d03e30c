#pragma once

#include <vector>

#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/model/inertial_parameters.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A joint that a coupling of the model moves, such as <mimic> in a URDF: q_k = factors^T q + offset, where factors are
/// zero for joints that are moved themselves. The motors of the other joints bear its torque.
template <class S>
struct DrivenJoint {
  int k;
  VectorX<S> factors;
  S offset;

  /// Sets row k, a signal, to factors^T x + constant: the offset for positions, zero for their rates. O(entries).
  void move(auto& x, const S& constant) const {
    x.row(k) = ((factors.transpose() * x).array() + constant).matrix().eval();
  }
  /// Adds row k, times its factors, to the rows of the joints that move it, and sets it to zero. O(entries).
  void transfer(MatrixX<S>& rows) const {
    rows += factors * rows.row(k).eval();
    rows.row(k).setZero();
  }
};

/// Returns the joints that couplings of Model::loops() with one dependent joint move, also in chains. O(n^3 log n),
/// allocates.
/// @throws ModelError for any other loop, which makes rows and states of the tree those of another robot
template <class S>
std::vector<DrivenJoint<S>> driven_joints(const Model<S>& model) {
  const int n = model.nv();
  MatrixX<S> next = MatrixX<S>::Identity(n + 1, n + 1);  // [q, 1] by the joints that move q directly
  std::vector<DrivenJoint<S>> driven;
  for (const LoopSpec& loop : model.loops()) {
    if (!loop.is_coupling() || loop.dependent.size() != 1)
      throw ModelError(detail::join({"loop '", loop.name, "' of model '", model.name(),
                                     "' is no coupling with one dependent joint: lock its joints (lock_joints), ",
                                     "or take rows from inverse_dynamics_regressor of a Mechanism"}));
    const int k = model.v_indices(loop.dependent)[0];
    next.row(k).setZero();
    next(k, n) = S(loop.offset);
    S own = S(1);
    for (const auto& [joint, factor] : loop.terms)
      if (joint == loop.dependent[0])
        own = S(factor);
      else
        next(k, model.v_indices({joint})[0]) -= S(factor);
    next.row(k) /= own;
    driven.push_back({k, {}, S(0)});
  }
  for (int links = 1; links < n && !driven.empty(); links *= 2) next *= next.eval();
  for (DrivenJoint<S>& one : driven) one.factors = next.row(one.k).head(n), one.offset = next(one.k, n);
  return driven;
}

/// The torques of a robot as a linear function of its parameters, tau = Y p: ten for each body, as
/// inverse_dynamics_regressor has them, then four for each degree of freedom, as joint_regressor has them. The rows of
/// driven joints are zero, as their torque is in the rows of the joints that move them.
template <class S>
class TorqueRegressor {
 public:
  /// @param smoothing  of Coulomb friction, rad/s
  explicit TorqueRegressor(const Model<S>& model, double smoothing = friction_smoothing)
      : model_(model),
        data_(model),
        driven_(driven_joints(model)),
        smoothing_(smoothing),
        Y_(model.nv(), num_inertial_parameters(model) + 4 * model.nv()) {}

  /// Returns Y. O(n d) beside the product for driven joints; no allocation without them.
  /// @param direction  tanh(v / smoothing) of friction, filtered as the torques are; if empty, it is computed from v
  /// @throws SizeError
  const MatrixX<S>& operator()(VectorIn<S> q, VectorIn<S> v, VectorIn<S> a, const VectorX<S>& direction = {}) {
    const Eigen::Index bodies = Y_.cols() - 4 * Y_.rows();
    inverse_dynamics_regressor(model_, data_, q, v, a, Y_.leftCols(bodies));
    joint_regressor(model_, v, a, joints_, smoothing_);
    Y_.rightCols(joints_.cols()) = joints_;
    for (Eigen::Index k = 0; k < direction.size(); ++k) Y_(k, bodies + 4 * k + 2) = direction[k];
    for (const DrivenJoint<S>& one : driven_) one.transfer(Y_);
    return Y_;
  }

 private:
  Model<S> model_;
  Data<S> data_;
  std::vector<DrivenJoint<S>> driven_;
  double smoothing_;
  MatrixX<S> Y_, joints_;
};

}}  // namespace corio
