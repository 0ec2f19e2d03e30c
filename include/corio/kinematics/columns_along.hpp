#pragma once

#include <optional>

#include "corio/kinematics/second_partials.hpp"

namespace corio::detail {

/// How columns and velocities change as q moves along degree of freedom l with v held: what l carries moves with Phi_l,
/// and its velocities change by Phi_l x V + psi, so that in world axes
///   D_l Phi_k = Phi_l x Phi_k,   D_l dPhi_k = Phi_l x dPhi_k + psi x Phi_k,
/// and for columns k of the joint of l that move in the body by s = D_l S_k, V x s and the derivative of the rate of
/// S_k in addition. The joint must have a dual form then.
template <class S>
class ColumnsAlong {
 public:
  ColumnsAlong(const Model<S>& model, const Data<S>& data, int l)
      : model_(model), data_(data), l_(l), node_(model.node(model.node_of_dof(l))) {
    psi_ = node_.parent < 0 ? Motion<S>::zero() : cross(data.velocity[node_.parent], data.phi[l]);
    if (node_.partials_begin < 0) return;
    psi_ += moving_sum(data, node_, l, data.v);
    second_.emplace(model, data, model.node_of_dof(l));
  }

  const Motion<S>& psi() const { return psi_; }
  /// Whether l carries the columns of k, for degrees of freedom on one path from a root.
  bool moves(int k) const { return k >= node_.v_begin; }
  Motion<S> of_column(int k) const { return column_derivative(model_, data_, l_, k); }
  Motion<S> of_rate(int k) const {
    if (!moves(k)) return Motion<S>::zero();
    Motion<S> x = cross(data_.phi[l_], data_.phi_dot[k]) + cross(psi_, data_.phi[k]);
    if (second_ && k < node_.v_end)
      x += cross(data_.velocity[model_.node_of_dof(l_)], moving_partial(data_, node_, l_, k)) +
           second_->of_rate(l_, k, data_.v);
    return x;
  }

 private:
  const Model<S>& model_;
  const Data<S>& data_;
  int l_;
  const Node<S>& node_;
  Motion<S> psi_;
  std::optional<SecondPartials<S>> second_;
};

}  // namespace corio::detail
