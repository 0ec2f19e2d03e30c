#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_hessian.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_second_derivatives.hpp"
#include "support/derivatives_support.hpp"

/// Second derivatives from first ones over complex numbers, one column at a time, and results that follow by plain
/// algebra: independent of the strips and blocks that they check.
namespace corio::test {

struct Hessian {
  Matrixd qq, vq, vv, xq;  // x: a in tau's Hessian, tau in a's

  Hessian() = default;
  explicit Hessian(int n) : qq(Matrixd::Zero(n, n)), vq(qq), vv(qq), xq(qq) {}
  template <class S>
  explicit Hessian(const InverseDynamicsHessianResult<S>& H)
      : qq(real(H.qq)), vq(real(H.vq)), vv(real(H.vv)), xq(real(H.aq)) {}
  template <class S>
  explicit Hessian(const ForwardDynamicsHessianResult<S>& H)
      : qq(real(H.qq)), vq(real(H.vq)), vv(real(H.vv)), xq(real(H.tau_q)) {}

  friend bool operator==(const Hessian& a, const Hessian& b) {
    return a.qq == b.qq && a.vq == b.vq && a.vv == b.vv && a.xq == b.xq;
  }

 private:
  template <class S>
  static Matrixd real(const MatrixX<S>& x) {
    return x.template cast<double>();
  }
};

/// Returns the largest of the four errors.
double relative_error(const Hessian& a, const Hessian& reference);

/// Returns all numbers of a tensor, in its order.
template <class S>
Vectord numbers(const Tensor3<S>& T) {
  const int n = T.size();
  return Eigen::Map<const VectorX<S>>(T.data(), n * n * n).template cast<double>();
}

struct Tensors {
  Tensor3<double> qq, vq, vv, M;

  /// Returns the Hessian of lambda^T tau.
  Hessian summed(const Vectord& lambda) const;
};

/// Takes complex steps of inverse_dynamics_derivatives.
Tensors second_derivatives(const Model<double>& of, const Vectord& q, const Vectord& v, const Vectord& a,
                           const std::vector<Wrench>& wrenches = {});

/// Returns the Hessian of lambda^T a, from those second derivatives at that a and the first ones.
Hessian forward_hessian(const Tensors& T, const InverseDynamicsDerivativesResult<double>& first, const Vectord& lambda);

}  // namespace corio::test
