#include "corio/kinematics/configuration_derivatives.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Vectord unit(const Model<double>& model, int k) { return Vectord::Unit(model.nv(), k); }

/// A joint whose members take double alone.
struct Rail : joint::VectorSpace<1> {
  static constexpr const char* type = "rail";
  Pose<double> compose(const Pose<double>& A, const double* q) const {
    return A * Pose<double>{identity3<double>(), Vector3<double>(q[0], 0, 0)};
  }
  void columns(const Pose<double>& X, const double*, Motion<double>* phi) const {
    phi[0] = X.act(Motion<double>{zero3<double>(), unit3<double>(0)});
  }
  void integrate(const double* q, const double* dv, double* out) const { out[0] = q[0] + dv[0]; }
  void difference(const double* q0, const double* q1, double* dv) const { dv[0] = q1[0] - q0[0]; }
};

}  // namespace

TEST_EACH(Sample& s, "derivatives of integrate are its complex steps", "[kinematics][configuration_derivatives]") {
  const int n = s.model.nv();
  const auto model = s.model.cast<Complex>();
  const VectorX<Complex> q = s.q.cast<Complex>(), dv = s.v.cast<Complex>();
  const VectorX<Complex> reached = integrate(model, q, dv);
  Matrixd by_q, by_dv, expected_q(n, n), expected_dv(n, n);
  integrate_derivatives(s.model, s.q, s.v, by_q, by_dv);
  for (int k = 0; k < n; ++k) {
    const VectorX<Complex> along_q = integrate(model, step(model, s.q, unit(s.model, k)), dv);
    const VectorX<Complex> more = dv + Complex(0, complex_step) * unit(s.model, k);
    expected_q.col(k) = difference(model, reached, along_q).imag() / complex_step;
    expected_dv.col(k) = difference(model, reached, integrate(model, q, more)).imag() / complex_step;
  }
  CHECK(relative_error(by_q, expected_q) < tolerance<double>());
  CHECK(relative_error(by_dv, expected_dv) < tolerance<double>());
}

TEST_EACH(Sample& s, "integrate_transport multiplies columns by the derivatives of integrate",
          "[kinematics][configuration_derivatives]") {
  Matrixd by_q, by_dv;
  integrate_derivatives(s.model, s.q, s.v, by_q, by_dv);
  const Matrixd J = Matrixd::Random(s.model.nv(), 3);
  Matrixd out(s.model.nv(), 3);
  integrate_transport(s.model, s.q, s.v, J, out, IntegrateArgument::q);
  CHECK(relative_error(out, by_q * J) < tolerance<double>());
  out = J;
  integrate_transport(s.model, s.q, s.v, out, out, IntegrateArgument::dv);
  CHECK(relative_error(out, by_dv * J) < tolerance<double>());
  Matrixd narrow(s.model.nv(), 2);
  CHECK_THROWS_AS(integrate_transport(s.model, s.q, s.v, J, narrow, IntegrateArgument::q), SizeError);
}

TEST_EACH(Sample& s, "derivatives of difference are its complex steps", "[kinematics][configuration_derivatives]") {
  const int n = s.model.nv();
  std::mt19937 generator(3);
  const Vectord target = random_configuration(s.model, generator);
  const auto model = s.model.cast<Complex>();
  const VectorX<Complex> q0 = s.q.cast<Complex>(), q1 = target.cast<Complex>();
  Matrixd by_q0, by_q1, expected_0(n, n), expected_1(n, n);
  difference_derivatives(s.model, s.q, target, by_q0, by_q1);
  for (int k = 0; k < n; ++k) {
    expected_0.col(k) = difference(model, step(model, s.q, unit(s.model, k)), q1).imag() / complex_step;
    expected_1.col(k) = difference(model, q0, step(model, target, unit(s.model, k))).imag() / complex_step;
  }
  CHECK(relative_error(by_q0, expected_0) < tolerance<double>());
  CHECK(relative_error(by_q1, expected_1) < tolerance<double>());
}

TEST_EACH(Sample& s, "derivatives of integrate and difference undo each other",
          "[kinematics][configuration_derivatives]") {
  // difference(q, integrate(q, dv)) = dv: |v| < sqrt(3) < pi in every joint.
  const Matrixd identity = Matrixd::Identity(s.model.nv(), s.model.nv());
  Matrixd by_q, by_dv, by_q0, by_q1;
  integrate_derivatives(s.model, s.q, s.v, by_q, by_dv);
  difference_derivatives(s.model, s.q, integrate(s.model, s.q, s.v), by_q0, by_q1);
  CHECK(max_magnitude(by_q1 * by_dv - identity) < 10 * tolerance<double>());
  CHECK(max_magnitude(by_q0 + by_q1 * by_q) < 10 * tolerance<double>());
}

TEST_EACH(Sample& s, "at a step of zero the derivatives of integrate are identities",
          "[kinematics][configuration_derivatives]") {
  const Matrixd identity = Matrixd::Identity(s.model.nv(), s.model.nv());
  Matrixd by_q, by_dv;
  integrate_derivatives(s.model, s.q, Vectord::Zero(s.model.nv()), by_q, by_dv);
  CHECK(max_magnitude(by_q - identity) < tolerance<double>());
  CHECK(max_magnitude(by_dv - identity) < tolerance<double>());
}

TEST_CASE("a user's joint has derivatives if it is a template", "[kinematics][configuration_derivatives][errors]") {
  Matrixd by_q, by_dv;
  const Model<double> model = tree_on<double>(EulerZyx());
  const Vectord q = neutral(model), dv = Vectord::LinSpaced(model.nv(), -0.3, 0.4);
  integrate_derivatives(model, q, dv, by_q, by_dv);
  constexpr double h = 1e-6;
  for (int k = 0; k < model.nv(); ++k) {
    const Vectord ahead = integrate(model, q, dv + h * unit(model, k)),
                  behind = integrate(model, q, dv - h * unit(model, k));
    // The error is rounding eps / h and truncation h^2.
    CHECK(max_magnitude(by_dv.col(k) - difference(model, behind, ahead) / (2 * h)) < 1e-8);
  }

  ModelBuilder<double> builder;
  builder.add_body({.name = "sledge", .joint = Rail(), .inertia = ball(), .joint_name = "rail"});
  const Model<double> rail = builder.build();
  const Vectord x = Vectord::Ones(1);
  CHECK(mentions(message_of<ModelError>([&] { integrate_derivatives(rail, x, x, by_q, by_dv); }),
                 {"integrate_derivatives", "'rail'", "templates"}));
  CHECK(mentions(message_of<ModelError>([&] { difference_derivatives(rail, x, x, by_q, by_dv); }),
                 {"difference_derivatives", "'rail'"}));
}

TEST_CASE("derivatives of the manifold check sizes", "[kinematics][configuration_derivatives][errors]") {
  Sample s(3);
  Matrixd a, b;
  const Vectord longer = Vectord::Zero(s.model.nq() + 1);
  CHECK_THROWS_AS(integrate_derivatives(s.model, longer, s.v, a, b), SizeError);
  CHECK_THROWS_AS(integrate_derivatives(s.model, s.q, longer, a, b), SizeError);
  CHECK_THROWS_AS(difference_derivatives(s.model, longer, s.q, a, b), SizeError);
  CHECK_THROWS_AS(difference_derivatives(s.model, s.q, longer, a, b), SizeError);
}

TEST_CASE("derivatives of the manifold can be written into blocks", "[kinematics][configuration_derivatives]") {
  Sample s(3);
  const int n = s.model.nv();
  Matrixd by_q, by_dv, by_q0, by_q1;
  integrate_derivatives(s.model, s.q, s.v, by_q, by_dv);
  difference_derivatives(s.model, s.q, s.q, by_q0, by_q1);
  Matrixd both = Matrixd::Constant(2 * n, 2 * n, 7.0);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(n, n);
  integrate_derivatives(s.model, s.q, s.v, both.topRightCorner(n, n), both.bottomRightCorner(n, n));
  difference_derivatives(s.model, s.q, s.q, both.topLeftCorner(n, n), rows);
  CHECK(both.topRightCorner(n, n) == by_q);
  CHECK(both.bottomRightCorner(n, n) == by_dv);
  CHECK(both.topLeftCorner(n, n) == by_q0);
  CHECK(rows == by_q1);
  CHECK((both.bottomLeftCorner(n, n).array() == 7.0).all());
  CHECK_THROWS_AS(integrate_derivatives(s.model, s.q, s.v, both.leftCols(n), both.leftCols(n)), SizeError);
}
