#pragma once

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kinematics/configuration.hpp"

namespace corio::baseline {

enum class Difference { forward, central };

/// Derivatives of rnea and aba by finite differences, for which `integrate` moves q along the manifold.
class FiniteDifferences {
 public:
  /// @param difference  forward, with n + 1 evaluations and errors of order h, or central, with 2 n evaluations and
  /// errors of order h^2
  /// @param step        h; by default truncation and rounding errors are equal for values of order one
  FiniteDifferences(const Model<double>& model, Difference difference, double step = 0)
      : along_q(model.nv(), model.nv()),
        along_v(along_q),
        data_(model),
        central_(difference == Difference::central),
        h_(step > 0   ? step
           : central_ ? 6e-6
                      : 1.5e-8),  // cube root and root of the rounding unit
        q_(model.nq()),
        by_(VectorX<double>::Zero(model.nv())),
        v_(model.nv()),
        from_(model.nv()) {}

  void of_rnea(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> a) {
    run(model, q, v,
        [&](const auto& at, const auto& speed) -> const VectorX<double>& { return rnea(model, data_, at, speed, a); });
  }
  void of_aba(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> tau) {
    run(model, q, v,
        [&](const auto& at, const auto& speed) -> const VectorX<double>& { return aba(model, data_, at, speed, tau); });
  }

  MatrixX<double> along_q, along_v;  // nv x nv, column j: along degree of freedom j

 private:
  template <class F>
  void run(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, F&& f) {
    if (!central_) from_ = f(q, v);
    const double scale = central_ ? 1 / (2 * h_) : 1 / h_;
    for (int j = 0; j < model.nv(); ++j) {
      const auto moved = [&](double h) -> const VectorX<double>& {
        by_[j] = h;
        integrate(model, q, by_, VectorOut<double>(q_));
        by_[j] = 0;
        return f(q_, v);
      };
      const auto faster = [&](double h) -> const VectorX<double>& {
        v_ = v;
        v_[j] += h;
        return f(q, v_);
      };
      if (central_) from_ = moved(-h_);
      along_q.col(j) = scale * (moved(h_) - from_);
      if (central_) from_ = faster(-h_);
      along_v.col(j) = scale * (faster(h_) - from_);
    }
  }

  Data<double> data_;
  bool central_;
  double h_;
  VectorX<double> q_, by_, v_, from_;
};

}  // namespace corio::baseline
