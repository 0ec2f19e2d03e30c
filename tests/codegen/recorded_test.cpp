#include <Eigen/Dense>
#include <random>
#include <sstream>

#include "corio/codegen/writer.hpp"
#include "corio/core/dual.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/model_support.hpp"

using namespace corio;
using codegen::Recorded, codegen::Recording, Eigen::VectorXd;

// Tests recorded numbers as the scalar of any code: operations that cannot be recorded are rejected, and others give
// the same as over double.

namespace {

const char* const branches = "branches on a number that is not known";

/// Compares a function over double and over recorded numbers at several states.
template <class F>
void check_at(const std::vector<VectorXd>& states, const F& function, double tolerance, bool nominal = false) {
  Recording f("f");
  const VectorX<Recorded> x = nominal ? f.input("x", states[0]) : f.input("x", static_cast<int>(states[0].size()));
  f.output("y", VectorX<Recorded>(function(x)));
  const auto schedule = f.schedule();
  for (const VectorXd& at : states) {
    CAPTURE(at.transpose());
    const VectorXd y = VectorXd(function(at));
    const std::vector<double> recorded = f.evaluate(schedule, at.data());
    CHECK(test::relative_error(VectorXd(VectorXd::Map(recorded.data(), y.size())), y) < tolerance);
  }
}

/// Makes a positive definite matrix and a vector of 4 from 20 numbers.
template <class S>
MatrixX<S> definite(const VectorX<S>& x) {
  const MatrixX<S> A = x.head(16).reshaped(4, 4);
  return A.transpose() * A + MatrixX<S>::Identity(4, 4);
}
std::vector<VectorXd> random_states(int size, int count = 4) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<VectorXd> states;
  for (int i = 0; i < count; ++i) states.push_back(VectorXd::NullaryExpr(size, [&] { return uniform(generator); }));
  return states;
}

}  // namespace

TEST_CASE("numbers and schedules of another recording are refused", "[codegen][errors]") {
  Recording f("f"), g("g");
  const auto x = f.input("x", 2), y = g.input("y", 2);
  for (const Recorded& foreign : {x[1], Recorded(sin(x[0])), Recorded(-x[0])}) {
    CHECK(test::mentions(test::message_of<Error>([&] { g.output("z", foreign); }), {"two recordings"}));
    CHECK(test::mentions(test::message_of<Error>([&] { y[0] + foreign; }), {"two recordings"}));
  }
  Recorded kept;
  {
    Recording gone("gone");
    kept = -gone.input("x", 1)[0];
  }
  Recording again("again");  // may have the address of the one that was destroyed
  const auto z = again.input("x", 1);
  const auto is_gone = [&](auto use) { return test::mentions(test::message_of<Error>(use), {"recording is gone"}); };
  CHECK(is_gone([&] { again.output("y", kept); }));
  CHECK(is_gone([&] { z[0] + kept; }));
  CHECK(is_gone([&] { sin(kept); }));

  f.output("sum", Recorded(x[0] + x[1])), g.output("one", Recorded(1));
  const auto schedule = f.schedule();
  const double at[] = {3, 5};
  codegen::Writer writer("robot", "");
  const auto is_refused = [&](auto use) {
    return test::mentions(test::message_of<Error>(use), {"schedule is of another recording"});
  };
  CHECK(is_refused([&] { g.evaluate(schedule, at); }));
  CHECK(is_refused([&] { writer.add(g, schedule); }));
  CHECK(f.evaluate(schedule, at) == std::vector{8.0});
  f.output("product", Recorded(x[0] * x[1]));
  CHECK(is_refused([&] { f.evaluate(schedule, at); }));
}

TEST_CASE("constants are shared by value", "[codegen]") {
  Recording f("f");
  const auto x = f.input("x", 1);
  const double constants[] = {57, 114, 0x1p62, 0x1p63, 0x1p-62, 1, 0x1p1023, 0x1p-1074, 0.1, -0x1p62 + 57.0};
  for (const double c : constants) f.output("y" + std::to_string(f.outputs().size()), Recorded(x[0] * Recorded(c)));
  f.output("least", min(x[0], Recorded(0x1p63)));
  f.output("large", x[0] / Recorded(0x1p-1074));
  const double at = 0x1p-1070;
  const auto y = f.evaluate(f.schedule(), &at);
  for (std::size_t i = 0; i < std::size(constants); ++i) CHECK(y[i] == at * constants[i]);
  CHECK(y[std::size(constants)] == at);
  CHECK(y.back() == 16);
}

TEST_CASE("branches on recorded numbers are refused, with nominal inputs as well", "[codegen][errors]") {
  for (const bool nominal : {false, true}) {
    CAPTURE(nominal);
    Recording f("f");
    const VectorX<Recorded> x = nominal ? f.input("x", VectorXd{{0.5, 2.0}}) : f.input("x", 2);
    const auto refused = [&](auto use) { return test::mentions(test::message_of<Error>(use), {branches, "select"}); };
    CHECK(refused([&] { return (std::max)(x[0], Recorded(0)); }));
    CHECK(refused([&] { return std::clamp(x[0], Recorded(0), Recorded(1)); }));
    CHECK(refused([&] { return x[0] > 0 ? x[0] : -x[0]; }));
    CHECK(refused([&] { return static_cast<double>(floor(x[0])); }));
    CHECK(refused([&] { return x.normalized().eval(); }));
    CHECK(refused([&] { return (std::max)(Dual<Recorded>(x[0]), Dual<Recorded>(0)); }));
    CHECK(refused([&] {
      Eigen::Index k;
      return x.maxCoeff(&k);
    }));
  }
}

TEST_CASE("functions of recorded numbers and of duals over them are those of double", "[codegen]") {
  const auto all = [](const auto& v) {
    using S = typename std::decay_t<decltype(v)>::Scalar;
    using namespace std;
    const S a = v[0], b = v[1], half(0.5);
    VectorX<S> y(18);
    y << asin(a), acos(b), sinh(a), cosh(b), tanh(a), cbrt(a), fabs(b), log1p(a * b), expm1(a), hypot(a, b), pow(a, 3),
        pow(b, -2), pow(a, 0), max(a, b), min(a, half), clamp(a, -half, half), pow(exp(a), 2.5), abs(a - b);
    return y;
  };
  std::vector<VectorXd> states = random_states(2, 6);
  for (auto& x : states) x *= 0.9;
  check_at(states, all, 1e-14);
  // Compares derivatives along (1, 2) with those over double, and with central differences, whose error is some 1e-10.
  const auto rates = [&](const auto& v) {
    using S = typename std::decay_t<decltype(v)>::Scalar;
    const VectorX<Dual<S>> y = all(VectorX<Dual<S>>{{Dual<S>(v[0], S(1)), Dual<S>(v[1], S(2))}});
    return VectorX<S>(VectorX<S>::NullaryExpr(y.size(), [&](Eigen::Index i) { return y[i].dx; }));
  };
  check_at(states, rates, 1e-13);
  const VectorXd step = 1e-5 * VectorXd{{1.0, 2.0}}, at{{0.4, -0.7}};
  const VectorXd difference = (all(VectorXd(at + step)) - all(VectorXd(at - step))) / 2e-5;
  CHECK(test::relative_error(rates(at), difference) < 1e-8);
  Recording f("f");
  const auto x = f.input("x", 1);
  f.output("whole", Recorded(pow(x[0], 5)));
  CHECK(f.schedule().operations == 3);  // no pow, so it also works for negative floats
  f.output("steps", Recorded(ceil(x[0]) + fmod(x[0], Recorded(1)) + floor(x[0]) + round(x[0])));
  const double number = -2.75;
  CHECK(f.evaluate(f.schedule(), &number)[1] == -2 - 0.75 - 3 - 3);
  CHECK_FALSE(isnan(x[0]).is_known());
  CHECK_FALSE((Dual<Recorded>(x[0]) < Dual<Recorded>(1)).is_known());
  std::ostringstream text;
  text << Recorded(0.5) << " " << x[0];
  CHECK(text.str() == "0.5 recorded");
}

TEST_CASE("conditions and choices mix with those of bool", "[codegen]") {
  const bool yes = true, no = false;
  Recording f("f");
  const auto x = f.input("x", 1);
  f.output("y", select(yes && (x[0] > 0) && x[0] < 1.0, x[0], Recorded(7)));
  f.output("z", select((x[0] > 0) || yes, Recorded(1), Recorded(2)));
  f.output("u", select(no || !(x[0] > 0), Recorded(1), Recorded(2)));
  f.output("v", select(no && (x[0] > 0), Recorded(1), Recorded(2)));
  const auto schedule = f.schedule();
  for (const double at : {-0.5, 0.5, 2.0})
    CHECK(f.evaluate(schedule, &at) == std::vector{at > 0 && at < 1 ? at : 7.0, 1.0, at > 0 ? 2.0 : 1.0, 2.0});
}

TEST_CASE("products and factorizations of Eigen are recorded", "[codegen]") {
  const auto states = random_states(20);
  check_at(
      states,
      [](const auto& x) {
        using S = typename std::decay_t<decltype(x)>::Scalar;
        const MatrixX<S> A = definite<S>(x), B = A * 2.0 - 0.5 * A.transpose();
        const VectorX<S> b = x.tail(4);
        VectorX<S> y(30);
        y << A * b, A.llt().solve(b), A.ldlt().solve(b), A.template selfadjointView<Eigen::Upper>().llt().solve(b),
            A.template triangularView<Eigen::Lower>().solve(b), (B * A).col(1), S(b.dot(B * b)), S(b.maxCoeff()),
            A.topLeftCorner(2, 2).llt().solve(MatrixX<S>::Identity(2, 2)).reshaped();
        return y;
      },
      1e-13);
  // Inverses of fixed size have no pivots; LU has the pivots of the first state.
  check_at(
      states,
      [](const auto& x) {
        using S = typename std::decay_t<decltype(x)>::Scalar;
        const MatrixX<S> A = definite<S>(x);
        const VectorX<S> b = x.tail(4);
        const Matrix3<S> R = A.topLeftCorner(3, 3);
        VectorX<S> y(12);
        y << A.partialPivLu().solve(b), A.inverse() * b, R.inverse() * b.head(3), S(A.determinant());
        return y;
      },
      1e-12, true);
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", 20);
  const auto message = test::message_of<Error>([&] { definite<Recorded>(x).partialPivLu(); });
  CHECK(test::mentions(message, {"pivot", "give nominal values to all inputs"}));
}

TEST_CASE("a zero at the nominal inputs is a pivot of LU where nothing else is", "[codegen]") {
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", VectorXd::Zero(2));
  MatrixX<Recorded> A = MatrixX<Recorded>::Identity(2, 2);
  A(0, 0) = x[0], A(0, 1) = x[1];
  f.output("y", A.partialPivLu().solve(VectorX<Recorded>::Ones(2)).eval());
  const double at[] = {2, 4};
  CHECK(f.evaluate(f.schedule(), at) == std::vector{-1.5, 1.0});
}
