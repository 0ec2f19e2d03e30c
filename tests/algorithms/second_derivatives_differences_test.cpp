#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/second_derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

// Second derivatives with users' joints over double alone, which no complex step can differentiate, are those with the
// same joints of the library; the two routes by which the Hessian of lambda^T a gets its first derivatives.

namespace {

struct AnyState {
  AnyState(const Model<double>& of, int seed) : model(of), data(model) {
    Random<double> random(seed);
    q = random_q(model, seed);
    v = random_vector(random, model.nv()), a = random_vector(random, model.nv());
    lambda = random_vector(random, model.nv());
    external = forces_on(model, wrenches_on(model, random));
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a, lambda;
  std::vector<ExternalForce<double>> external;
};

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

/// Returns the Hessians of lambda^T tau and lambda^T a and the second derivatives of tau, each in one row of numbers.
std::vector<Vectord> all_second_derivatives(AnyState& s) {
  const auto row = [](const Hessian& H) -> Vectord {
    Matrixd all(H.qq.rows(), 4 * H.qq.cols());
    all << H.qq, H.vq, H.vv, H.xq;
    return all.reshaped();
  };
  InverseDynamicsSecondDerivativesResult<double> out(s.model);
  inverse_dynamics_second_derivatives(s.model, s.data, s.q, s.v, s.a, out, s.external);
  return {row(Hessian(inverse_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, s.lambda, s.external))),
          row(Hessian(forward_dynamics_hessian(s.model, s.data, s.q, s.v, s.a, s.lambda, s.external))),
          numbers(out.d2tau_dqdq),
          numbers(out.d2tau_dvdq),
          numbers(out.d2tau_dvdv),
          numbers(out.dM_dq)};
}

}  // namespace

TEST_CASE("users' joints over double alone have the second derivatives of the library's joints",
          "[algorithms][second_derivatives][hessian][custom]") {
  const bool ball = GENERATE(true, false);
  CAPTURE(ball);
  AnyState user(ball ? tree_on<double>(BallOfDoubles()) : tree_on<double>(SlideOfDoubles()), 3),
      own(ball ? tree_on<double>(joint::Spherical{}) : tree_on<double>(joint::Prismatic::z()), 3);
  own.q = user.q;  // the library's slider draws other coordinates
  const std::vector<Vectord> found = all_second_derivatives(user), expected = all_second_derivatives(own);
  const double c = std::max(10.0, condition(crba(own.model, own.data, own.q)));
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(relative_error(found[i], expected[i]) < 1e-13 * c);
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
