#pragma once

#include "corio/kernels/composites.hpp"
#include "corio/kinematics/forward_kinematics.hpp"

/// Motions of the bodies at a reference velocity v_r and acceleration a_r.
namespace corio { inline namespace CORIO_ABI { namespace detail {

template <class S, template <class> class Robot>
void check_references(const Robot<S>& robot, VectorIn<S> v_r, VectorIn<S> a_r,
                      const char* function = __builtin_FUNCTION()) {
  check_speeds("v_r", v_r, robot, function);
  check_speeds("a_r", a_r, robot, function);
}

/// Computes W_b = sum Phi_k v_r,k and dW_b = sum Phi_k a_r,k + dPhi_k v_r,k over the degrees of freedom k from the
/// ground to b.
template <class S>
struct ReferenceMotions {
  PerNode<Motion<S>> W, dW;
  explicit ReferenceMotions(const Model<S>& m) : W(m.num_nodes()), dW(W) {}
  void run(const Model<S>& model, const Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r, const char* function);
};
template <class S>
void ReferenceMotions<S>::run(const Model<S>& model, const Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r,
                              const char* function) {
  check_references(model, v_r, a_r, function);
  sum_outward(model, W, data.phi, v_r);
  sum_outward(model, dW, data.phi, a_r, data.phi_dot, v_r);
}

}}}  // namespace corio::detail
