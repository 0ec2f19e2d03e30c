#pragma once

#include "corio/joints/joint_model.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Translation in space without rotation: q = position of the child in the joint frame, nu = dq/dt, columns [0; e_i].
struct Translation : VectorSpace<3> {
  static constexpr const char* type = "translation";

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return {A.rotation, A.point(vector3(q))};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    for (int i = 0; i < 3; ++i) phi[i] = detail::translation_column(X, i);
  }
};

}}}  // namespace corio::joint
