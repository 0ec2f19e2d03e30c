#pragma once

#include "corio/kinematics/variations.hpp"

namespace corio::detail {

/// Second derivatives of the columns of a joint that move in the body: D_l D_j S_k in world axes, as seen in the body,
/// and those of what their rates add up to for v. Degrees of freedom are those of the model. The joint must have a dual
/// form. O(nv^2) calls of its column_rates.
template <class S>
class SecondPartials {
 public:
  SecondPartials(const Model<S>& model, const Data<S>& data, int b)
      : begin_(model.node(b).v_begin), nv_(model.node(b).v_end - begin_) {
    const Node<S>& node = model.node(b);
    const S* const q = data.q.data() + node.q_begin;
    node.joint.custom()->column_second_partials(q, columns_);
    node.joint.custom()->column_rate_second_partials(q, data.v.data() + begin_, rates_);
    for (int i = 0; i < nv_ * nv_ * nv_; ++i) columns_[i] = data.pose[b].act(columns_[i]);
    for (int i = 0; i < nv_ * nv_; ++i) rates_[i] = data.pose[b].act(rates_[i]);
  }

  /// sum_k D_l D_j S_k x_k.
  template <class Vector>
  Motion<S> of_columns(int l, int j, const Vector& x) const {
    Motion<S> sum = Motion<S>::zero();
    for (int k = 0; k < nv_; ++k) sum += columns_[pair(l, j) * nv_ + k] * x[begin_ + k];
    return sum;
  }
  /// D_l of the rate of column j: sum_m D_l D_m S_j v_m.
  template <class Vector>
  Motion<S> of_rate(int l, int j, const Vector& v) const {
    Motion<S> sum = Motion<S>::zero();
    for (int m = 0; m < nv_; ++m) sum += columns_[pair(l, begin_ + m) * nv_ + j - begin_] * v[begin_ + m];
    return sum;
  }
  /// sum_km D_l D_j D_m S_k v_m v_k.
  const Motion<S>& of_rates(int l, int j) const { return rates_[pair(l, j)]; }

 private:
  int pair(int l, int j) const { return (l - begin_) * nv_ + j - begin_; }

  int begin_, nv_;
  Motion<S> columns_[joint::max_nv * joint::max_nv * joint::max_nv], rates_[joint::max_nv * joint::max_nv];
};

}  // namespace corio::detail
