#pragma once

#include <complex>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kinematics/configuration.hpp"

namespace corio::baseline {

/// Derivatives of rnea and aba by the complex step, Im f(x + i h) / h, exact up to rounding since h may be tiny.
class ComplexStep {
 public:
  using Complex = std::complex<double>;

  explicit ComplexStep(const Model<double>& model)
      : along_q(model.nv(), model.nv()),
        along_v(along_q),
        model_(model.cast<Complex>()),
        data_(model_),
        q_(model.nq()),
        moved_(model.nq()),
        v_(model.nv()),
        u_(model.nv()),
        by_(VectorX<Complex>::Zero(model.nv())) {}

  void of_rnea(VectorIn<double> q, VectorIn<double> v, VectorIn<double> a) {
    run(q, v, a, [&](const auto& at) -> const VectorX<Complex>& { return rnea(model_, data_, at, v_, u_); });
  }
  void of_aba(VectorIn<double> q, VectorIn<double> v, VectorIn<double> tau) {
    run(q, v, tau, [&](const auto& at) -> const VectorX<Complex>& { return aba(model_, data_, at, v_, u_); });
  }

  MatrixX<double> along_q, along_v;  // nv x nv, column j: along degree of freedom j

 private:
  template <class F>
  void run(VectorIn<double> q, VectorIn<double> v, VectorIn<double> u, F&& f) {
    constexpr double h = 1e-40;
    q_ = q.cast<Complex>();
    v_ = v.cast<Complex>();
    u_ = u.cast<Complex>();
    for (int j = 0; j < model_.nv(); ++j) {
      by_[j] = Complex(0, h);
      integrate(model_, q_, by_, VectorOut<Complex>(moved_));
      by_[j] = 0;
      along_q.col(j) = f(moved_).imag() / h;
      v_[j] = Complex(v[j], h);
      along_v.col(j) = f(q_).imag() / h;
      v_[j] = v[j];
    }
  }

  Model<Complex> model_;
  Data<Complex> data_;
  VectorX<Complex> q_, moved_, v_, u_, by_;
};

}  // namespace corio::baseline
