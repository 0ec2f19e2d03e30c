#pragma once

#include <complex>
#include <type_traits>
#include <utility>

#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/robot.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Complex-step derivatives of a function f of the state of a robot, a Model or a Mechanism: with q displaced by i h dq
/// and v by i h dv, the imaginary part of f is h times its derivative, with an error of h^2. As nothing is subtracted,
/// h may be so small that the derivative is exact up to rounding errors. For derivatives that corio has no function
/// for, such as dC/dq of a Mechanism, and for tests.
///
///   corio::ComplexStep step(leg);
///   const auto C = [](const auto& robot, auto& work, const auto& q_c, const auto& y_c) {
///     return corio::coriolis_matrix(robot, work, q_c, y_c).C;
///   };
///   const MatrixXd dC = step.along_q(q, y, 1, C);
///
/// The members call f(robot, data, q, v) with complex arguments; f returns a matrix, a vector or a number. f must not
/// use abs, comparisons or conjugates of its arguments. Each derivative costs one evaluation of f, which takes about
/// four times as long as over double, and for a Mechanism also a kinematics pass.
template <template <class> class Robot>
class ComplexStep {
 public:
  using ComplexNumber = std::complex<double>;
  /// The step h: h^2 vanishes beside 1 for robots of any length, and h is far above the smallest numbers.
  static constexpr double size = 1e-30;

  /// @throws ModelError as Model::cast and Loops::cast do; a Mechanism with relations has to be made over complex
  /// numbers and passed to the next constructor
  explicit ComplexStep(const Robot<double>& robot) : ComplexStep(robot.template cast<ComplexNumber>()) {}
  explicit ComplexStep(const Robot<ComplexNumber>& robot) : robot_(robot), data_(robot_) {}

  /// Returns the derivative of f as q moves with the speeds dq and v with the rates dv: for dq = v, dv = a it is df/dt.
  /// @param q       nq of the tree, with closed loops for a Mechanism
  /// @param v       nv, like dq and dv
  /// @throws SizeError; otherwise as f, and forward_kinematics of a Mechanism
  template <class F>
  auto along(VectorIn<double> q, VectorIn<double> v, VectorIn<double> dq, VectorIn<double> dv, F&& f) {
    const Model<ComplexNumber>& tree = robot_.tree();
    detail::check_nq("q", q.size(), tree, "ComplexStep");
    for (const auto& [name, x] : {std::pair("v", &v), std::pair("dq", &dq), std::pair("dv", &dv)})
      detail::check_nv(name, x->size(), robot_, "ComplexStep");
    constexpr ComplexNumber step(0, size);
    q_ = q.cast<ComplexNumber>(), v_ = dq.cast<ComplexNumber>();
    if constexpr (!std::is_same_v<Robot<ComplexNumber>, Model<ComplexNumber>>)
      forward_kinematics<ComplexNumber>(robot_, data_, q_);
    tree_velocities<ComplexNumber>(robot_, data_, v_, move_);
    move_ *= step;
    moved_.resize(q_.size());
    integrate<ComplexNumber>(tree, q_, move_, moved_);
    v_ = v.cast<ComplexNumber>() + step * dv.cast<ComplexNumber>();
    return derivative(f(robot_, data_, std::as_const(moved_), std::as_const(v_)));
  }
  /// Returns df/dq_k, as speed k moves q at constant v.
  template <class F>
  auto along_q(VectorIn<double> q, VectorIn<double> v, int k, F&& f) {
    return along(q, v, unit(k), VectorX<double>::Zero(robot_.nv()), f);
  }
  /// Returns df/dv_k.
  template <class F>
  auto along_v(VectorIn<double> q, VectorIn<double> v, int k, F&& f) {
    return along(q, v, VectorX<double>::Zero(robot_.nv()), unit(k), f);
  }

 private:
  VectorX<double> unit(int k) const {
    detail::check_dof("k", k, robot_.nv(), "ComplexStep");
    return VectorX<double>::Unit(robot_.nv(), k);
  }
  static double derivative(const ComplexNumber& x) { return x.imag() / size; }
  template <class X>
  static auto derivative(const Eigen::MatrixBase<X>& x) {
    return (x.imag() / size).eval();
  }

  Robot<ComplexNumber> robot_;
  DataOf<Robot<ComplexNumber>> data_;
  VectorX<ComplexNumber> q_, v_, move_, moved_;
};

/// Deduces the type of the robot, which is over double or over complex numbers.
template <template <class> class Robot, class S>
ComplexStep(const Robot<S>&) -> ComplexStep<Robot>;

}}  // namespace corio
