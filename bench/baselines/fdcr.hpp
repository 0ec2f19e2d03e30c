#pragma once

#include "baselines/rneacr.hpp"
#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"

namespace corio::baseline {

/// FDCR: forward_dynamics_derivatives with the chain rule through rnea in place of the analytic derivatives of inverse
/// dynamics, and with dense products with M^-1. Source: Carpentier and Mansard (2018); Singh, Russell and Wensing
/// (2022), Table II.
class Fdcr {
 public:
  explicit Fdcr(const Model<double>& model)
      : da_dq(MatrixX<double>::Zero(model.nv(), model.nv())),
        da_dv(da_dq),
        data_(model),
        inverse_dynamics_(model),
        columns_(model),
        M_inverse_(da_dq) {}

  void operator()(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> tau) {
    const VectorX<double>& a = aba(model, data_, q, v, tau);
    inverse_dynamics_(model, q, v, a);
    columns_.inverse(model, data_, data_.of<algorithm::Aba<double>>(model).factor, M_inverse_);
    corio::detail::negative_product(M_inverse_, inverse_dynamics_.dtau_dq, da_dq);
    corio::detail::negative_product(M_inverse_, inverse_dynamics_.dtau_dv, da_dv);
  }

  MatrixX<double> da_dq, da_dv;  // nv x nv

 private:
  Data<double> data_;
  Rneacr inverse_dynamics_;
  corio::detail::ArticulatedColumns<double> columns_;
  MatrixX<double> M_inverse_;
};

}  // namespace corio::baseline
