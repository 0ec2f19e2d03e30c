#include "corio/algorithms/forward_dynamics_derivatives.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

constexpr double h = 1e-6;
/// Central differences: truncation is of the order of h^2 and rounding of 1e-16 / h, relative to the derivatives.
constexpr double fd_tolerance = 1e-8;

/// The derivatives of f along every degree of freedom of q, and with respect to v.
template <class F>
Matrixd along_q(const Model<double>& model, const Vectord& q, F&& f) {
  Matrixd J(model.nv(), model.nv());
  for (int j = 0; j < model.nv(); ++j) {
    const Vectord step = h * Vectord::Unit(model.nv(), j);
    const Vectord forward = f(integrate(model, q, step)), backward = f(integrate(model, q, -step));
    J.col(j) = (forward - backward) / (2 * h);
  }
  return J;
}
template <class F>
Matrixd with_respect_to_v(const Vectord& v, F&& f) {
  Matrixd J(v.size(), v.size());
  for (Eigen::Index j = 0; j < v.size(); ++j) {
    const Vectord step = h * Vectord::Unit(v.size(), j);
    const Vectord forward = f(v + step), backward = f(v - step);
    J.col(j) = (forward - backward) / (2 * h);
  }
  return J;
}

template <class J>
void check_derivatives(const J& joint) {
  const Model<double> model = tree_on<double>(joint);
  Data<double> data(model), other(model);
  Random<double> random(3);
  std::mt19937 generator(3);
  const Vectord q = random_configuration(model, generator);
  const Vectord v = test::random_vector(random, model.nv()), x = test::random_vector(random, model.nv());
  const auto tau = [&](const Vectord& at_q, const Vectord& at_v) { return rnea(model, other, at_q, at_v, x); };
  const auto a = [&](const Vectord& at_q, const Vectord& at_v) { return aba(model, other, at_q, at_v, x); };

  const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(model, data, q, v, x);
  CHECK(relative_error(dtau_dq, along_q(model, q, [&](const Vectord& y) { return tau(y, v); })) < fd_tolerance);
  CHECK(relative_error(dtau_dv, with_respect_to_v(v, [&](const Vectord& y) { return tau(q, y); })) < fd_tolerance);
  CHECK(relative_error(M, crba(model, other, q)) < tolerance<double>());
  const auto& [da_dq, da_dv, da_dtau] = forward_dynamics_derivatives(model, data, q, v, x);
  CHECK(relative_error(da_dq, along_q(model, q, [&](const Vectord& y) { return a(y, v); })) < fd_tolerance);
  CHECK(relative_error(da_dv, with_respect_to_v(v, [&](const Vectord& y) { return a(q, y); })) < fd_tolerance);
}

/// A joint with moving axes whose members are for double alone.
class CamOfDoubles : public Cam {
 public:
  static constexpr const char* type = "cam of doubles";
  void integrate(const double* q, const double* dv, double* out) const { out[0] = q[0] + dv[0]; }
};

}  // namespace

TEST_CASE("derivatives for users' joints with axes that move in the body", "[algorithms][derivatives][custom]") {
  SECTION("one degree of freedom") { check_derivatives(Cam()); }
  SECTION("three coordinates") { check_derivatives(EulerZyx()); }
  SECTION("speeds that are not rates of coordinates") { check_derivatives(ParentBall()); }
}

TEST_CASE("derivatives refuse moving axes that cannot be derived", "[algorithms][derivatives][custom][errors]") {
  const Model<double> model = tree_on<double>(CamOfDoubles());
  Data<double> data(model);
  const Vectord q = neutral(model), v = Vectord::Ones(model.nv());
  const std::string message = message_of<ModelError>([&] { inverse_dynamics_derivatives(model, data, q, v, v); });
  CHECK(mentions(message, {"inverse_dynamics_derivatives", "middle", "template", "Dual"}));
  CHECK_NOTHROW(rnea(model, data, q, v, v));
}
