#include "support/second_derivatives_support.hpp"
#include "support/solve.hpp"

namespace corio::test {

Hessian Tensors::summed(const Vectord& lambda) const {
  Hessian H(M.size());
  for (int i = 0; i < M.size(); ++i) {
    H.qq += lambda[i] * qq.page(i);
    H.vq += lambda[i] * vq.page(i);
    H.vv += lambda[i] * vv.page(i);
    H.xq += lambda[i] * M.page(i);
  }
  return H;
}

double relative_error(const Hessian& a, const Hessian& reference) {
  return std::max({relative_error(a.qq, reference.qq), relative_error(a.vq, reference.vq),
                   relative_error(a.vv, reference.vv), relative_error(a.xq, reference.xq)});
}

Tensors second_derivatives(const Model<double>& of, const Vectord& q, const Vectord& v, const Vectord& a,
                           const std::vector<Wrench>& wrenches) {
  const auto model = of.cast<Complex>();
  Data<Complex> data(model);
  const auto external = forces_on(model, wrenches);
  const VectorX<Complex> q0 = q.cast<Complex>(), v0 = v.cast<Complex>(), a0 = a.cast<Complex>();
  const int n = of.nv();
  Tensors T{Tensor3<double>(n), Tensor3<double>(n), Tensor3<double>(n), Tensor3<double>(n)};
  const auto put = [n](const MatrixX<Complex>& x, int l, Tensor3<double>& to) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) to(i, j, l) = x(i, j).imag() / complex_step;
  };
  for (int l = 0; l < n; ++l) {
    const auto& along_q =
        inverse_dynamics_derivatives(model, data, step(model, q, Vectord::Unit(n, l)), v0, a0, external);
    put(along_q.dtau_dq, l, T.qq);
    put(along_q.dtau_dv, l, T.vq);
    put(along_q.M, l, T.M);
    const VectorX<Complex> moved = v0 + VectorX<Complex>::Unit(n, l) * Complex(0, complex_step);
    put(inverse_dynamics_derivatives(model, data, q0, moved, a0, external).dtau_dv, l, T.vv);
  }
  return T;
}

Hessian forward_hessian(const Tensors& T, const InverseDynamicsDerivativesResult<double>& first,
                        const Vectord& lambda) {
  const Matrixd M_inverse = inverse(first.M), da_dq = -M_inverse * first.dtau_dq, da_dv = -M_inverse * first.dtau_dv;
  const Vectord mu = -M_inverse * lambda;
  Hessian H = T.summed(mu);
  const Matrixd mass = H.xq;  // D_l (M mu)_j
  H.qq += mass.transpose() * da_dq + (mass.transpose() * da_dq).transpose();
  H.vq += da_dv.transpose() * mass;
  H.xq = M_inverse * mass;
  return H;
}

}  // namespace corio::test
