#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// How the results of the Hessians and second derivatives are kept: written anew, from whatever state, to the bit.

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct All {
  explicit All(Sample& s)
      : wrenches(mixed_wrenches(s)),
        external(forces_on(s.model, wrenches)),
        lambda(random_vector(s.random, s.model.nv())) {}
  Hessian inverse(Sample& s, Data<double>& data) const {
    return Hessian(inverse_dynamics_hessian(s.model, data, s.q, s.v, s.a, lambda, external));
  }
  Hessian forward(Sample& s, Data<double>& data) const {
    return Hessian(forward_dynamics_hessian(s.model, data, s.q, s.v, s.a, lambda, external));
  }
  Vectord tensors(Sample& s, Data<double>& data, InverseDynamicsSecondDerivatives<double>& out) const {
    inverse_dynamics_second_derivatives(s.model, data, s.q, s.v, s.a, out, external);
    return in_one(out);
  }
  static Vectord in_one(const InverseDynamicsSecondDerivatives<double>& x) {
    const Vectord qq = numbers(x.d2tau_dqdq), vq = numbers(x.d2tau_dvdq), vv = numbers(x.d2tau_dvdv),
                  M = numbers(x.dM_dq);
    Vectord all(4 * qq.size());
    all << qq, vq, vv, M;
    return all;
  }
  std::vector<Wrench> wrenches;
  std::vector<ExternalForce<double>> external;
  Vectord lambda;
};

/// Not a number wherever there is something other than zero.
void spoil(double* x, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i)
    if (x[i] != 0) x[i] = not_a_number;
}
void spoil(MatrixX<double>& A) { spoil(A.data(), A.size()); }
void spoil(Tensor3<double>& T) { spoil(T.data(), Eigen::Index(T.size()) * T.size() * T.size()); }

}  // namespace

TEST_EACH(Sample& s, "all of a Hessian and of the second derivatives is written at each call",
          "[algorithms][hessian][second_derivatives]") {
  const All all(s);
  InverseDynamicsSecondDerivatives<double> out(s.model);
  const Hessian inverse = all.inverse(s, s.data), forward = all.forward(s, s.data);
  const Vectord tensors = all.tensors(s, s.data, out);
  const auto& x = inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, all.lambda, all.external);
  const auto& y = forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, all.lambda, all.external);
  for (const Matrixd* A : {&x.qq, &x.vq, &x.vv, &x.aq, &y.qq, &y.vq, &y.vv, &y.tau_q}) spoil(const_cast<Matrixd&>(*A));
  for (Tensor3<double>* T : {&out.d2tau_dqdq, &out.d2tau_dvdq, &out.d2tau_dvdv, &out.dM_dq}) spoil(*T);
  CHECK(all.inverse(s, s.data) == inverse);
  CHECK(all.forward(s, s.data) == forward);
  CHECK(all.tensors(s, s.data, out) == tensors);
}

TEST_EACH(Sample& s, "second derivatives at a state left by forward_kinematics are those at q, v, a",
          "[algorithms][hessian][second_derivatives]") {
  const All all(s);
  InverseDynamicsSecondDerivatives<double> out(s.model);
  const Hessian inverse = all.inverse(s, s.data), forward = all.forward(s, s.data);
  const Vectord tensors = all.tensors(s, s.data, out);

  Data<double> data(s.model);
  forward_kinematics(s.model, data, s.q, s.v, s.a);
  CHECK(Hessian(inverse_dynamics_hessian(s.model, data, all.lambda, all.external)) == inverse);
  inverse_dynamics_second_derivatives(s.model, data, out, all.external);
  CHECK(All::in_one(out) == tensors);
  CHECK(Hessian(inverse_dynamics_hessian(s.model, data, all.lambda, all.external)) == inverse);
  // A longer pass is enough too, its a is replaced.
  CHECK(Hessian(forward_dynamics_hessian(s.model, data, s.a, all.lambda, all.external)) == forward);
  forward_kinematics(s.model, data, s.q, s.v);
  CHECK(Hessian(forward_dynamics_hessian(s.model, data, s.a, all.lambda, all.external)) == forward);
}

TEST_EACH(Sample& s, "nothing of a state that was not finite is left in later second derivatives",
          "[algorithms][hessian][second_derivatives]") {
  const All all(s);
  InverseDynamicsSecondDerivatives<double> out(s.model);
  const Hessian inverse = all.inverse(s, s.data), forward = all.forward(s, s.data);
  const Vectord tensors = all.tensors(s, s.data, out);
  const Vectord bad_q = Vectord::Constant(s.model.nq(), not_a_number), bad = s.v * not_a_number;
  const auto spoil_data = [&] {
    REQUIRE_FALSE(inverse_dynamics_hessian(s.model, s.data, bad_q, bad, bad, bad, all.external).qq.allFinite());
    REQUIRE_FALSE(forward_dynamics_hessian(s.model, s.data, bad_q, bad, bad, bad, all.external).qq.allFinite());
    inverse_dynamics_second_derivatives(s.model, s.data, bad_q, bad, bad, out, all.external);
    REQUIRE_FALSE(numbers(out.d2tau_dqdq).allFinite());
  };
  spoil_data();
  CHECK(all.inverse(s, s.data) == inverse);
  spoil_data();
  CHECK(all.forward(s, s.data) == forward);
  spoil_data();
  CHECK(all.tensors(s, s.data, out) == tensors);
}

TEST_EACH(Sample& s, "the Hessians change no other result of the same Data",
          "[algorithms][hessian][second_derivatives]") {
  const All all(s);
  InverseDynamicsSecondDerivatives<double> out(s.model);
  Data<double> data(s.model);
  const auto first = [&](Data<double>& d) -> Matrixd {
    return inverse_dynamics_derivatives(s.model, d, s.q, s.v, s.a, all.external).dtau_dq;
  };
  const Matrixd dtau_dq = first(data), M = crba(s.model, data, s.q);
  const Vectord a = aba(s.model, data, s.q, s.v, s.a, all.external), tau = rnea(s.model, data, s.q, s.v, s.a);
  const auto check = [&] {
    CHECK(first(s.data) == dtau_dq);
    CHECK(crba(s.model, s.data, s.q) == M);
    CHECK(aba(s.model, s.data, s.q, s.v, s.a, all.external) == a);
    CHECK(rnea(s.model, s.data, s.q, s.v, s.a) == tau);
  };
  all.inverse(s, s.data);
  check();
  all.forward(s, s.data);
  check();
  all.tensors(s, s.data, out);
  check();
}

TEST_CASE("lambda may be a result of another algorithm", "[algorithms][hessian]") {
  Sample s(5);
  const All all(s);
  const Vectord copy = rnea(s.model, s.data, s.q, s.v, s.a);
  const auto& tau = rnea(s.model, s.data, s.q, s.v, s.a);
  const Hessian inverse(inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, tau));
  Data<double> data(s.model);
  CHECK(Hessian(inverse_dynamics_hessian(s.model, data, s.q, s.v, s.a, copy)) == inverse);
  const auto& again = rnea(s.model, s.data, s.q, s.v, s.a);
  const Hessian forward(forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, again));
  CHECK(Hessian(forward_dynamics_hessian(s.model, data, s.q, s.v, s.a, copy)) == forward);

  // One that is written anew before it is used.
  const Vectord acceleration = aba(s.model, s.data, s.q, s.v, 2 * s.a);
  const Hessian of_copy(forward_dynamics_hessian(s.model, data, s.q, s.v, s.a, acceleration));
  const auto& in_place = aba(s.model, s.data, s.q, s.v, 2 * s.a);
  CHECK(Hessian(forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, in_place)) == of_copy);
}
