#pragma once

#include "corio/kernels/columns.hpp"
#include "corio/kinematics/variations.hpp"

namespace corio::detail {

/// sum_l D_j S_l x_l for degree of freedom k and those after it, as many as there are lanes: zero for those whose
/// columns do not move in their body.
template <class S, class Vector>
CORIO_NOINLINE Motion<Pack<S>> moving_sums(const Model<S>& model, const Data<S>& data, const Vector& x, int k) {
  Columns<S, 6, pack_width<S>> sums;
  for (int l = 0; l < pack_width<S>; ++l) {
    Motion<S> sum = Motion<S>::zero();
    if (const int j = k + l; j < model.nv())
      if (const Node<S>& node = model.node(model.node_of_dof(j)); node.partials_begin >= 0)
        sum = moving_sum(data, node, j, x);
    sums.set(l, sum);
  }
  return sums.template motion<Pack<S>>(0);
}

}  // namespace corio::detail
