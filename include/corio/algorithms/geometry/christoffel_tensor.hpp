#pragma once

#include "corio/kernels/model_tensor.hpp"

namespace corio {

/// Christoffel symbols of the first kind of a robot's mass matrix, all nv^3 of them: Gamma(i,j,k) is i's component of
/// the force that turns the motion along j as the configuration moves along k, so that
///   C(i,j) = sum_k Gamma(i,j,k) v_k,   Gamma(i,j,k) + Gamma(j,i,k) = dM(i,j) along k.
/// Symmetric in j, k unless these are of one joint whose degrees of freedom do not commute (structure_constants.hpp).
/// along(k) is the Coriolis matrix for the unit velocity of k; contract(v, C) gives C(v), contract(v, w, c) C(v) w.
/// Filled by christoffel_symbols; for fewer numbers see PackedChristoffelTensor.
template <class S>
class ChristoffelTensor : public detail::ModelTensor<S> {
 public:
  /// Zeros, of the size of the robot. Allocates; nothing else does.
  template <template <class> class Robot>
  explicit ChristoffelTensor(const Robot<S>& robot) : detail::ModelTensor<S>(robot, "Christoffel symbols") {}
};

}  // namespace corio
