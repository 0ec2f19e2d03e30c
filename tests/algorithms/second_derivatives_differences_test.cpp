#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Compares second derivatives with central differences of the first ones over double, which use no complex numbers, and
// compares the two routes by which the Hessian of lambda^T a gets its first derivatives.

namespace {

// spacing^2 and eps / spacing are 1e-10 of fourth derivatives and 1e-11 of first ones; either of these derivatives can
// be some ten times the second.
constexpr double spacing = 1e-5, limit = 1e-8;

struct AnyState {
  AnyState(const Model<double>& of, int seed) : model(of), data(model) {
    Random<double> random(seed);
    q = random_q(model, seed);
    v = random_vector(random, model.nv()), a = random_vector(random, model.nv());
    lambda = random_vector(random, model.nv());
    for (const auto& body : model.bodies())
      for (const auto reference : all_references) {
        const Force<double> F = random.force();
        external.emplace_back(body, F, reference, random.vector());
      }
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a, lambda;
  std::vector<ExternalForce<double>> external;
};

/// Returns (f(.. + spacing e_l ..) - f(.. - spacing e_l ..)) / (2 spacing) for a matrix f(q, v).
template <class F>
Matrixd along_q(const AnyState& s, int l, F&& f) {
  const Vectord by = spacing * Vectord::Unit(s.model.nv(), l);
  const Matrixd after = f(integrate(s.model, s.q, by), s.v), before = f(integrate(s.model, s.q, -by), s.v);
  return (after - before) / (2 * spacing);
}
template <class F>
Matrixd along_v(const AnyState& s, int l, F&& f) {
  const Vectord by = spacing * Vectord::Unit(s.model.nv(), l);
  const Matrixd after = f(s.q, s.v + by), before = f(s.q, s.v - by);
  return (after - before) / (2 * spacing);
}

/// Returns differences of inverse_dynamics_derivatives.
Tensors differences(AnyState& s) {
  const int n = s.model.nv();
  Tensors T{Tensor3<double>(n), Tensor3<double>(n), Tensor3<double>(n), Tensor3<double>(n)};
  const auto first = [&](const Vectord& q, const Vectord& v) -> InverseDynamicsDerivativesResult<double> {
    return inverse_dynamics_derivatives(s.model, s.data, q, v, s.a, s.external);
  };
  const auto put = [n](const Matrixd& x, int l, Tensor3<double>& to) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) to(i, j, l) = x(i, j);
  };
  for (int l = 0; l < n; ++l) {
    put(along_q(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).dtau_dq; }), l, T.qq);
    put(along_q(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).dtau_dv; }), l, T.vq);
    put(along_q(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).M; }), l, T.M);
    put(along_v(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).dtau_dv; }), l, T.vv);
  }
  return T;
}

void check_inverse(AnyState& s) {
  const Tensors expected = differences(s);
  InverseDynamicsSecondDerivativesResult<double> second(s.model);
  inverse_dynamics_second_derivatives(s.model, s.data, s.q, s.v, s.a, second, s.external);
  CHECK(relative_error(numbers(second.d2tau_dqdq), numbers(expected.qq)) < limit);
  CHECK(relative_error(numbers(second.d2tau_dvdq), numbers(expected.vq)) < limit);
  CHECK(relative_error(numbers(second.d2tau_dvdv), numbers(expected.vv)) < limit);
  CHECK(relative_error(numbers(second.dM_dq), numbers(expected.M)) < limit);
  const Hessian H(inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, s.lambda, s.external));
  CHECK(relative_error(H, expected.summed(s.lambda)) < limit);
}

/// Differentiating row i of da_dq, da_dv and da_dtau gives the Hessian at lambda = e_i.
void check_forward_rows(AnyState& s) {
  const int n = s.model.nv();
  const auto first = [&](const Vectord& q, const Vectord& v) -> ForwardDynamicsDerivativesResult<double> {
    return forward_dynamics_derivatives(s.model, s.data, q, v, s.a, s.external);
  };
  std::vector<Matrixd> qq, vq, vv, tau_q;
  for (int l = 0; l < n; ++l) {
    qq.push_back(along_q(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).da_dq; }));
    vq.push_back(along_q(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).da_dv; }));
    tau_q.push_back(along_q(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).da_dtau; }));
    vv.push_back(along_v(s, l, [&](const auto& q, const auto& v) -> Matrixd { return first(q, v).da_dv; }));
  }
  // The errors of the first derivatives are those of M times its condition number.
  const double condition_number = std::max(10.0, condition(crba(s.model, s.data, s.q)));
  for (int i = 0; i < n; ++i) {
    CAPTURE(i);
    Hessian expected(n);
    for (int l = 0; l < n; ++l) {
      const auto at = static_cast<std::size_t>(l);
      expected.qq.col(l) = qq[at].row(i).transpose(), expected.vq.col(l) = vq[at].row(i).transpose();
      expected.vv.col(l) = vv[at].row(i).transpose(), expected.xq.col(l) = tau_q[at].row(i).transpose();
    }
    const Hessian H(forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, Vectord::Unit(n, i), s.external));
    CHECK(relative_error(H, expected) < 1e-9 * condition_number);
  }
}

/// A ball joint whose members take double alone, so that no complex step is possible.
class BallOfDoubles {
 public:
  static constexpr int nq = 4, nv = 3;
  static constexpr const char* type = "ball of doubles";

  Pose<double> compose(const Pose<double>& A, const double* q) const { return ball_.compose(A, q); }
  void columns(const Pose<double>& X, const double* q, Motion<double>* phi) const { ball_.columns(X, q, phi); }
  void integrate(const double* q, const double* dv, double* out) const { ball_.integrate(q, dv, out); }
  void difference(const double* q0, const double* q1, double* dv) const { ball_.difference(q0, q1, dv); }
  void neutral(double* q) const { ball_.neutral(q); }
  void random(const joint::Uniform& uniform, double* q) const { ball_.random(uniform, q); }
  void normalize(double* q) const { ball_.normalize(q); }
  double violation(const double* q) const { return ball_.violation(q); }

 private:
  joint::Spherical ball_;
};
static_assert(joint::JointModel<BallOfDoubles, double>);
static_assert(!joint::JointModel<BallOfDoubles, Complex>);

/// A slide along z by the coordinate, whose members take double alone.
class SlideOfDoubles : public joint::VectorSpace<1> {
 public:
  static constexpr const char* type = "slide of doubles";
  Pose<double> compose(const Pose<double>& A, const double* q) const {
    return A * Pose<double>{Matrix3<double>::Identity(), {0, 0, q[0]}};
  }
  void columns(const Pose<double>& X, const double*, Motion<double>* phi) const {
    phi[0] = X.act(Motion<double>{zero3<double>(), {0, 0, 1}});
  }
};
static_assert(!joint::JointModel<SlideOfDoubles, Complex>);

Model<double> model_of_doubles(int i) {
  return i == 0 ? tree_on<double>(BallOfDoubles()) : tree_on<double>(SlideOfDoubles());
}

}  // namespace

TEST_CASE("second derivatives with users' joints over double alone are central differences",
          "[algorithms][second_derivatives][hessian][custom]") {
  AnyState s(model_of_doubles(GENERATE(0, 1)), 3);
  check_inverse(s);
  check_forward_rows(s);
}

TEST_CASE("a user's ball joint has the second derivatives of the library's",
          "[algorithms][second_derivatives][hessian][custom]") {
  AnyState user(tree_on<double>(BallOfDoubles()), 3), own(tree_on<double>(joint::Spherical{}), 3);
  REQUIRE(user.q == own.q);
  const auto inverse = [](AnyState& s) -> Hessian {
    return Hessian(inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, s.lambda, s.external));
  };
  const auto tensor = [](AnyState& s) -> Vectord {
    InverseDynamicsSecondDerivativesResult<double> out(s.model);
    inverse_dynamics_second_derivatives(s.model, s.data, s.q, s.v, s.a, out, s.external);
    return numbers(out.d2tau_dqdq);
  };
  CHECK(relative_error(inverse(user), inverse(own)) < tolerance<double>());
  CHECK(relative_error(tensor(user), tensor(own)) < tolerance<double>());
}

TEST_CASE("second derivatives with joints whose axes move in the body are central differences",
          "[algorithms][second_derivatives][hessian][custom]") {
  const int i = GENERATE(range(0, all_moving_models));
  const Twins t = moving_models(i);
  INFO(t.name);
  AnyState s(t.real, i);
  check_inverse(s);
  check_forward_rows(s);
}

TEST_CASE("second derivatives of tau are central differences", "[algorithms][second_derivatives][hessian]") {
  const int i = GENERATE(range(0, topology_count()));
  Sample sample(i);
  INFO(sample.name());
  AnyState s(sample.model, i);
  check_inverse(s);
}

TEST_CASE("the Hessian of lambda^T a at lambda = e_i is the central difference of row i of the first derivatives",
          "[algorithms][hessian]") {
  const int i = GENERATE(range(0, topology_count()));
  Sample sample(i);
  INFO(sample.name());
  AnyState s(sample.model, i);
  check_forward_rows(s);
}

TEST_CASE("the Hessian of lambda^T a on both sides of the crossover of the routes to its first derivatives",
          "[algorithms][hessian]") {
  const int n = GENERATE(detail::articulated_from - 1, detail::articulated_from, 70);
  CAPTURE(n);
  const auto model = zoo::serial_chain(n);
  Data<double> data(model);
  Random<double> random(n);
  const Vectord q = random_q(model, n), v = random_vector(random, n), tau = random_vector(random, n),
                lambda = random_vector(random, n);
  const Hessian H(forward_dynamics_hessian(model, data, q, v, tau, lambda));
  const Vectord a = aba(model, data, q, v, tau);
  // The tensors at the a that was found, and dense algebra with these tensors, share nothing with either route.
  const auto& first = inverse_dynamics_derivatives(model, data, q, v, a);
  const Hessian expected = forward_hessian(second_derivatives(model, q, v, a), first, lambda);
  // There are three factors, each with the error of M^-1; against long double either route errs by 1e-13 cond(M).
  CHECK(relative_error(H, expected) < 3e-13 * condition(first.M));
}
