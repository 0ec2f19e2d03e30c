#include <complex>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/core/dual.hpp"
#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// A scalar with the functions that every scalar has.
struct WithoutFunctions {
  explicit WithoutFunctions(double number = 0.0) : x(number) {}
  double value() const { return x; }
  friend WithoutFunctions operator-(const WithoutFunctions& a) { return WithoutFunctions(-a.x); }
  friend WithoutFunctions operator+(const WithoutFunctions& a, const WithoutFunctions& b) {
    return WithoutFunctions(a.x + b.x);
  }
  friend WithoutFunctions operator-(const WithoutFunctions& a, const WithoutFunctions& b) {
    return WithoutFunctions(a.x - b.x);
  }
  friend WithoutFunctions operator*(const WithoutFunctions& a, const WithoutFunctions& b) {
    return WithoutFunctions(a.x * b.x);
  }
  friend WithoutFunctions operator/(const WithoutFunctions& a, const WithoutFunctions& b) {
    return WithoutFunctions(a.x / b.x);
  }
  friend WithoutFunctions sqrt(const WithoutFunctions& a) { return WithoutFunctions(std::sqrt(a.x)); }
  friend WithoutFunctions sin(const WithoutFunctions& a) { return WithoutFunctions(std::sin(a.x)); }
  friend WithoutFunctions cos(const WithoutFunctions& a) { return WithoutFunctions(std::cos(a.x)); }
  friend WithoutFunctions atan(const WithoutFunctions& a) { return WithoutFunctions(std::atan(a.x)); }
  double x;
};

/// A slide whose members accept only double.
struct SlideOfDoubles : joint::VectorSpace<1> {
  static constexpr const char* type = "slide_of_doubles";
  Pose<double> compose(const Pose<double>& A, const double* q) const {
    return A * Pose<double>{identity3<double>(), {0, 0, q[0]}};
  }
  void columns(const Pose<double>& X, const double*, Motion<double>* phi) const {
    phi[0] = X.act(Motion<double>{zero3<double>(), unit3<double>(2)});
  }
};

}  // namespace

TEST_CASE("users' joints that are no templates are not cast", "[joints][custom][cast]") {
  const SlideOfDoubles slide;
  ModelBuilder<double> builder("slides");
  builder.add_body({.name = "left", .joint = slide, .inertia = {1, Vector3<double>::Zero(), identity3<double>()}});
  const auto model = builder.build();
  const auto cast = [](const auto& m) { m.template cast<float>(); };
  CHECK(mentions(message_of<ModelError>([&] { cast(model); }),
                 {"'left_joint'", "'slides'", "user's joint", "ModelBuilder"}));
  CHECK_NOTHROW(model.cast<double>());
}

TEST_CASE("a model on every joint that is a template has derivatives by dual numbers", "[joints][custom][cast]") {
  // Central differences err by h^2 and by rounding over h, for results of some tens.
  constexpr double h = 1e-5, limit = 1e-7;
  using D = Dual<double>;
  const auto check = [&](const Model<double>& model) {
    INFO(model.joints()[2].type());
    const auto dual = model.cast<D>();
    Data<double> data(model);
    Data<D> dual_data(dual);
    const VectorX<double> q = random_q(model, 1), v = random_vector<double>(model.nv(), 2),
                          x = random_vector<double>(model.nv(), 3);
    const VectorX<D> still = q.cast<D>(), v_dual = v.cast<D>();
    VectorX<D> along(model.nv());
    for (int k = 0; k < along.size(); ++k) along[k] = D(0.0, x[k]);
    const VectorX<D> moved = integrate<D>(dual, still, along);
    const auto at = [&](double t) -> VectorX<double> { return integrate<double>(model, q, t * x); };
    const auto differs = [&](const auto& found, auto&& f) {
      const MatrixX<double> slope = (f(at(h)) - f(at(-h))) / (2 * h),
                            derivative = found.unaryExpr([](const D&y) { return y.dx; });
      CHECK(relative_error(derivative, slope) < limit);
      const MatrixX<double> value = found.unaryExpr([](const D& y) { return y.x; });
      CHECK(relative_error(value, f(q)) < tolerance<double>());
    };
    const MatrixX<D> M = crba(dual, dual_data, moved);
    differs(M, [&](const VectorX<double>& y) -> MatrixX<double> { return crba(model, data, y); });
    const VectorX<D> bias = nonlinear_effects(dual, dual_data, moved, v_dual);
    differs(bias, [&](const VectorX<double>& y) -> MatrixX<double> { return nonlinear_effects(model, data, y, v); });
    const MatrixX<D> C = coriolis_matrix(dual, dual_data).C;
    differs(C, [&](const VectorX<double>& y) -> MatrixX<double> { return coriolis_matrix(model, data, y, v).C; });
  };
  check(tree_on<double>(joint::SphericalExp{})), check(tree_on<double>(joint::FreeFlyerExp{}));
  check(tree_on<double>(joint::SphericalInParentAxes{})), check(tree_on<double>(joint::FreeFlyerInParentAxes{}));
  check(tree_on<double>(Cam(0.4))), check(tree_on<double>(EulerZyx())), check(tree_on<double>(ParentBall()));
}

TEST_CASE("AnyScalar calculates in the scalar for which it stands", "[joints][custom][cast]") {
  const std::complex<double> x(0.3, 0.2), y(-0.4, 0.7);
  using Call = joint::NumbersOf<std::complex<double>>::Call;
  Call::each([&](const Call& call) {
    const auto a = call.get(x), b = call.get(y);
    const auto check = [&](const joint::AnyScalar& found, const std::complex<double>& expected) {
      std::complex<double> result;
      call.put(result, found);
      CHECK(std::abs(result - expected) < 1e-15 * (1 + std::abs(expected)));
    };
    check(a + b, x + y), check(a - b, x - y), check(a * b, x * y), check(a / b, x / y), check(-a, -x), check(+a, x);
    check(2 * a + 1.5f, 2.0 * x + 1.5), check(1 / a, 1.0 / x), check(sqrt(b), sqrt(y)), check(tan(a), tan(x));
    check(sin(a) * cos(b), sin(x) * cos(y)), check(exp(a), exp(x)), check(log(b), log(y)), check(tanh(a), tanh(x));
    check(sinh(a), sinh(x)), check(cosh(b), cosh(y));
    check(atan(a), std::atan(x)), check(asin(a), std::asin(x)), check(acos(a), std::acos(x));
    check(hypot(a, b), sqrt(x * x + y * y)), check(abs(b), -y), check(pow(a, 3), x * x * x), check(pow(b, -1), 1.0 / y);
    check(pow(a, 0.5), sqrt(x)), check(pow(a, b), exp(y * log(x)));
    auto sum = a;
    sum += b, sum *= b, sum -= a, sum /= b;
    check(sum, ((x + y) * y - x) / y);
    check(joint::AnyScalar(0.25), 0.25), check(sqrt(joint::AnyScalar(2)), std::sqrt(2.0));
    CHECK((b < a && a > 0.2 && a <= a && a == call.get(x.real()) && a != b));
    CHECK(value_of(a) == 0.3);
  });
  using enum joint::AnyNumbers::Operation;
  for (const auto lacks : {exponential, logarithm, hyperbolic_tangent})
    CHECK_THROWS_AS(joint::apply(lacks, WithoutFunctions(0.3), WithoutFunctions(0.3)), Error);
}
