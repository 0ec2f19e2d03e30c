#pragma once

#include <Eigen/Core>
// AutoDiff needs Eigen/Core and does not include it.
#include <unsupported/Eigen/AutoDiff>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/kinematics/configuration.hpp"

namespace corio::baseline {

/// Derivatives of rnea and aba by operator overloading in forward mode with Eigen::AutoDiffScalar. Its number of
/// derivatives is fixed, so that `width` of the 2 n directions are differentiated at a time.
template <int width = 8>
class AutoDiff {
 public:
  using Gradient = Eigen::Matrix<double, width, 1>;
  using Scalar = Eigen::AutoDiffScalar<Gradient>;

  explicit AutoDiff(const Model<double>& model)
      : along_q(model.nv(), model.nv()),
        along_v(along_q),
        model_(model.cast<Scalar>()),
        data_(model_),
        q_(model.nq()),
        moved_(model.nq()),
        v_(model.nv()),
        u_(model.nv()),
        by_(model.nv()) {}

  void of_rnea(VectorIn<double> q, VectorIn<double> v, VectorIn<double> a) {
    run(q, v, a, [&]() -> const VectorX<Scalar>& { return rnea(model_, data_, moved_, v_, u_); });
  }
  void of_aba(VectorIn<double> q, VectorIn<double> v, VectorIn<double> tau) {
    run(q, v, tau, [&]() -> const VectorX<Scalar>& { return aba(model_, data_, moved_, v_, u_); });
  }

  MatrixX<double> along_q, along_v;  // nv x nv, column j: along degree of freedom j

 private:
  template <class F>
  void run(VectorIn<double> q, VectorIn<double> v, VectorIn<double> u, F&& f) {
    const int n = model_.nv();
    for (int i = 0; i < q_.size(); ++i) q_[i] = Scalar(q[i], Gradient::Zero());
    for (int j = 0; j < n; ++j) u_[j] = Scalar(u[j], Gradient::Zero());
    for (int first = 0; first < 2 * n; first += width) {
      // Directions 0 to n - 1 move q, the others v.
      const auto seeded = [&](double x, int direction) {
        Scalar s(x, Gradient::Zero());
        if (direction >= first && direction < first + width) s.derivatives()[direction - first] = 1;
        return s;
      };
      for (int j = 0; j < n; ++j) by_[j] = seeded(0, j), v_[j] = seeded(v[j], n + j);
      integrate(model_, q_, by_, VectorOut<Scalar>(moved_));
      const VectorX<Scalar>& result = f();
      for (int l = 0; l < width && first + l < 2 * n; ++l) {
        const int direction = first + l;
        auto column = direction < n ? along_q.col(direction) : along_v.col(direction - n);
        for (int i = 0; i < n; ++i) column[i] = result[i].derivatives()[l];
      }
    }
  }

  Model<Scalar> model_;
  Data<Scalar> data_;
  VectorX<Scalar> q_, moved_, v_, u_, by_;
};

}  // namespace corio::baseline
