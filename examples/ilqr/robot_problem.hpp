#pragma once

#include <corio/algorithms/derivatives/forward_dynamics_hessian.hpp>
#include <corio/algorithms/dynamics/aba.hpp>
#include <corio/kinematics/configuration.hpp>
#include <corio/kinematics/configuration_derivatives.hpp>
#include <string>
#include <utility>
#include <vector>

#include "problem.hpp"

namespace ilqr {

/// A robot with forces on some of its joints, advanced by semi-implicit Euler steps
///   v' = v + h a(q, v, S u),   q' = q (+) h v'.
/// A state is x = (q, v).
class RobotProblem : public Problem {
 public:
  /// @param actuated  names of the joints that u drives, in the order of u
  RobotProblem(corio::Model<double> model, const std::vector<std::string>& actuated, double seconds, double h)
      : model_(std::move(model)),
        data_(model_),
        actuated_(model_.v_indices(actuated)),
        h_(h),
        steps_(static_cast<int>(std::lround(seconds / h))) {}

  const corio::Model<double>& model() const { return model_; }
  double h() const { return h_; }
  Vector configuration(const Vector& x) const { return x.head(model_.nq()); }
  Vector velocity(const Vector& x) const { return x.tail(model_.nv()); }

  int steps() const override { return steps_; }
  int num_controls() const override { return static_cast<int>(actuated_.size()); }
  int num_tangent() const override { return 2 * model_.nv(); }

  Vector moved(const Vector& x, const Vector& dx) const override {
    const int n = model_.nv();
    return state(corio::integrate(model_, x.head(model_.nq()), dx.head(n)), x.tail(n) + dx.tail(n));
  }
  Vector difference(const Vector& x, const Vector& y) const override {
    const int n = model_.nv();
    return state(corio::difference(model_, x.head(model_.nq()), y.head(model_.nq())), y.tail(n) - x.tail(n));
  }

  Vector step(const Vector& x, const Vector& u) override {
    const auto q = x.head(model_.nq()), v = x.tail(model_.nv());
    const Vector v_next = v + h_ * acceleration(q, v, forces(u));
    return state(corio::integrate(model_, q, h_ * v_next), v_next);
  }

  /// Derivatives of v' with respect to q, v and u, then of q' = q (+) h v' with respect to q directly and through v'.
  void linearize(const Vector& x, const Vector& u, Matrix& A, Matrix& B) override {
    const int n = model_.nv();
    const auto q = x.head(model_.nq()), v = x.tail(n);
    A.resize(2 * n, 2 * n);
    B.resize(2 * n, num_controls());
    const Vector v_next =
        v + h_ * linearize_acceleration(q, v, forces(u), A.bottomLeftCorner(n, n), A.bottomRightCorner(n, n), by_tau_);
    A.bottomRows(n) *= h_;
    A.bottomRightCorner(n, n).diagonal().array() += 1;
    B.bottomRows(n) = h_ * by_tau_(Eigen::seqN(0, n), actuated_);
    corio::integrate_derivatives(model_, q, h_ * v_next, by_q_, by_dv_);
    by_dv_ *= h_;
    A.topRows(n).noalias() = by_dv_ * A.bottomRows(n);
    B.topRows(n).noalias() = by_dv_ * B.bottomRows(n);
    A.topLeftCorner(n, n) += by_q_;
  }

  /// Vx . f is linear except for lambda . a.
  Curvature curvature(const Vector& x, const Vector& u, const Vector& Vx) override {
    const int n = model_.nv();
    if (model_.nq() != n)
      throw corio::Error("ilqr: second derivatives for '" + model_.name() + "' need a coordinate for each speed");
    const Vector lambda = h_ * (h_ * Vx.head(n) + Vx.tail(n));
    const auto& [qq, vq, vv, tau_q] =
        corio::forward_dynamics_hessian(model_, data_, x.head(model_.nq()), x.tail(n), forces(u), lambda);
    const int m = num_controls();
    Curvature c{Matrix(2 * n, 2 * n), Matrix::Zero(m, 2 * n), Matrix::Zero(m, m)};
    c.xx << qq, vq.transpose(), vq, vv;
    c.ux.leftCols(n) = tau_q(actuated_, Eigen::seqN(0, tau_q.cols()));
    return c;
  }

 protected:
  /// The acceleration a and its derivatives.
  virtual Vector acceleration(const Vector& q, const Vector& v, const Vector& tau) {
    return corio::aba(model_, data_, q, v, tau);
  }
  virtual Vector linearize_acceleration(const Vector& q, const Vector& v, const Vector& tau, Eigen::Ref<Matrix> by_q,
                                        Eigen::Ref<Matrix> by_v, Matrix& by_tau) {
    const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(model_, data_, q, v, tau);
    by_q = da_dq, by_v = da_dv, by_tau = da_dtau;
    return acceleration(q, v, tau);
  }

  static Vector state(const Vector& q, const Vector& v) { return (Vector(q.size() + v.size()) << q, v).finished(); }

  /// Derivatives of full size with zero entries; the derivatives with respect to u are empty for the final cost.
  CostDerivatives no_cost(int controls) const {
    const int n = num_tangent(), m = controls;
    return {Vector::Zero(n), Vector::Zero(m), Matrix::Zero(n, n), Matrix::Zero(m, n), Matrix::Zero(m, m)};
  }

  corio::Model<double> model_;
  corio::Data<double> data_;

 private:
  /// S u, which is zero for joints that are not driven.
  Vector forces(const Vector& u) const {
    Vector tau = Vector::Zero(model_.nv());
    tau(actuated_) = u;
    return tau;
  }

  std::vector<int> actuated_;
  double h_;
  int steps_;
  Matrix by_tau_, by_q_, by_dv_;
};

}  // namespace ilqr
