#pragma once

#include "corio/model/model.hpp"

namespace corio::detail {

/// Throws if there is a joint of a user's whose columns move in the body.
template <class S>
void require_fixed_axes(const Model<S>& model, const char* algorithm) {
  for (int b = 0; b < model.num_nodes(); ++b)
    if (model.node(b).partials_begin >= 0)
      throw ModelError(join({algorithm, ": the axes of joint '", model.joint_of_node(b).name(),
                             "' move in its body, which it cannot do yet"}));
}

}  // namespace corio::detail
