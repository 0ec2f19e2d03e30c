#include "corio/mechanism/hessian.hpp"

#include "loops/mechanism_in_motion.hpp"
#include "support/catch.hpp"
#include "support/user_joints.hpp"

// Compares second derivatives of mechanisms with complex steps of their first ones.

namespace loops_test {
namespace {

using Complex = InMotion::Complex;

/// Returns in column l the derivative of f along speed l.
template <class F>
MatrixXd along_all(ComplexStep<Mechanism>& step, const InMotion& s, bool by_q, F&& f) {
  const int n = s.mechanism.nv();
  MatrixXd out(n, n);
  for (int l = 0; l < n; ++l) out.col(l) = by_q ? step.along_q(s.q, s.y, l, f) : step.along_v(s.q, s.y, l, f);
  return out;
}

/// Errors are relative to the terms that may cancel: those of M and of the first derivatives.
void compare(const MatrixXd& got, const MatrixXd& expected, double size) {
  CHECK((got - expected).norm() <= 1e-10 * (expected.norm() + size));
}

}  // namespace

TEST_CASE("the Hessian of a mechanism's inverse dynamics is that of complex steps", "[loops][hessian]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const int n = s.mechanism.nv();
  const VectorXd lambda = random_vector<double>(n, 9);
  const InMotion::Vector lambda_c = lambda.cast<Complex>(), ydot = s.ydot.cast<Complex>();
  const auto H = inverse_dynamics_hessian<double>(s.mechanism, s.data, s.q, s.y, s.ydot, lambda);
  ComplexStep step(s.over_complex());
  const auto by_q = [&](const auto& robot, auto& data, const auto& q, const auto& y) -> InMotion::Vector {
    return inverse_dynamics_derivatives<Complex>(robot, data, q, y, ydot).dtau_dq.transpose() * lambda_c;
  };
  const auto by_v = [&](const auto& robot, auto& data, const auto& q, const auto& y) -> InMotion::Vector {
    return inverse_dynamics_derivatives<Complex>(robot, data, q, y, ydot).dtau_dv.transpose() * lambda_c;
  };
  const auto by_a = [&](const auto& robot, auto& data, const auto& q, const auto&) -> InMotion::Vector {
    return crba<Complex>(robot, data, q) * lambda_c;
  };
  const auto& first = inverse_dynamics_derivatives<double>(s.mechanism, s.data);
  const double size = first.dtau_dq.norm() + first.dtau_dv.norm() + first.M.norm();
  compare(H.qq, along_all(step, s, true, by_q), size);
  compare(H.vq, along_all(step, s, true, by_v), size);
  compare(H.vv, along_all(step, s, false, by_v), size);
  compare(H.aq, along_all(step, s, true, by_a), size);
}

TEST_CASE("the Hessian of a mechanism's forward dynamics is that of complex steps", "[loops][hessian]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.number);
  const int n = s.mechanism.nv();
  const VectorXd lambda = random_vector<double>(n, 9), tau = rnea<double>(s.mechanism, s.data);
  const InMotion::Vector lambda_c = lambda.cast<Complex>(), tau_c = tau.cast<Complex>();
  const auto H = forward_dynamics_hessian<double>(s.mechanism, s.data, s.q, s.y, tau, lambda);
  CHECK(relative_error(s.data.ydot, s.ydot) < 1e-8);
  const auto& at_state = forward_dynamics_hessian<double>(s.mechanism, s.data, lambda);
  CHECK(at_state.qq == H.qq);
  ComplexStep step(s.over_complex());
  const auto with = [&](auto member) {
    return [&, member](const auto& robot, auto& data, const auto& q, const auto& y) -> InMotion::Vector {
      return (forward_dynamics_derivatives<Complex>(robot, data, q, y, tau_c).*member).transpose() * lambda_c;
    };
  };
  using First = ForwardDynamicsDerivativesResult<Complex>;
  const auto& first = forward_dynamics_derivatives<double>(s.mechanism, s.data);
  // M^-1 enters twice.
  const MatrixXd M = crba<double>(s.mechanism, s.data);
  const double size = (first.da_dq.norm() + first.da_dv.norm() + first.da_dtau.norm()) * M.norm() * inverse(M).norm();
  compare(H.qq, along_all(step, s, true, with(&First::da_dq)), size);
  compare(H.vq, along_all(step, s, true, with(&First::da_dv)), size);
  compare(H.vv, along_all(step, s, false, with(&First::da_dv)), size);
  compare(H.tau_q, along_all(step, s, true, with(&First::da_dtau)), size);
}

TEST_CASE("external forces enter the Hessian of a mechanism", "[loops][hessian]") {
  InMotion s(GENERATE(0, 3, 8, 11));
  CAPTURE(s.number);
  const int n = s.mechanism.nv();
  const VectorXd lambda = random_vector<double>(n, 9);
  const auto wrench = Force<double>::from(random_vector<double>(6, 10));
  for (const ReferenceFrame frame : {ReferenceFrame::body, ReferenceFrame::world, ReferenceFrame::world_aligned}) {
    const std::vector<ExternalForce<double>> external{{{s.model.bodies().back(), frame}, wrench}};
    const auto H = inverse_dynamics_hessian<double>(s.mechanism, s.data, s.q, s.y, s.ydot, lambda, external);
    const Mechanism<Complex> complex = s.over_complex();
    const std::vector<ExternalForce<Complex>> external_c{
        {{complex.tree().bodies().back(), frame}, Force<Complex>::from(wrench.vector().cast<Complex>())}};
    ComplexStep step(complex);
    const auto by_q = [&](const auto& robot, auto& data, const auto& q, const auto& y) -> InMotion::Vector {
      return inverse_dynamics_derivatives<Complex>(robot, data, q, y, s.ydot.cast<Complex>(), external_c)
                 .dtau_dq.transpose() *
             lambda.cast<Complex>();
    };
    compare(H.qq, along_all(step, s, true, by_q), H.vq.norm());
  }
}

TEST_CASE("joints whose axes move in their body have no second derivatives in loops", "[loops][hessian][errors]") {
  ModelBuilder<double> builder("follower");
  const InertialParameters<double> inertia(Random<double>(1).inertia());
  builder.add_body({.name = "cam", .joint = test::Cam(0.2), .inertia = inertia});
  builder.add_body({.name = "follower", .joint = joint::Translation{}, .inertia = inertia});
  builder.close_loop("contact", "cam", "follower", closure::Point{}, {"follower_joint"});
  const Mechanism<double> follower(builder.build());
  MechanismData<double> data(follower);
  const VectorXd q = VectorXd::Zero(4), one = VectorXd::Ones(1);
  CHECK(mentions(message_of<ModelError>([&] { inverse_dynamics_hessian<double>(follower, data, q, one, one, one); }),
                 {"'contact'", "'cam_joint'", "move in its body"}));
  Closed s(0);
  const VectorXd longer = VectorXd::Zero(s.mechanism.nv() + 1);
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, s.y);
  CHECK(mentions(message_of<SizeError>([&] { inverse_dynamics_hessian<double>(s.mechanism, s.data, longer); }),
                 {"inverse_dynamics_hessian", "lambda"}));
  CHECK(mentions(message_of<SizeError>([&] { forward_dynamics_hessian<double>(s.mechanism, s.data, longer); }),
                 {"forward_dynamics_hessian", "lambda"}));
}

}  // namespace loops_test
