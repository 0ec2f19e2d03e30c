#include <Eigen/Dense>

#include "codegen/codegen_support.hpp"
#include "corio/codegen/derivatives.hpp"

using namespace codegen_test;
using Eigen::MatrixXd;

// Compares derivatives on the tape with analytical ones of the library, duals over double and finite differences.

namespace derivatives_on_tape {

/// Returns the sum of squares of the inertial forces and of a point of the last body.
template <class S>
S cost(const Model<S>& model, const VectorX<S>& q, const VectorX<S>& v, const VectorX<S>& a) {
  Data<S> data(model);
  const VectorX<S> tau = rnea(model, data, q, v, a);
  forward_kinematics(model, data, q);
  S sum = tau.dot(tau);
  for (const S& x : body_pose(model, data, model.bodies().back()).translation) sum += (x - S(0.2)) * (x - S(0.2));
  return sum;
}

MatrixXd matrix(const Recording& f, const std::vector<double>& x, int rows) {
  const VectorXd y = evaluate(f, f.schedule(), x);
  return y.reshaped(rows, y.size() / rows);
}
std::vector<double> random_numbers(int n) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-0.9, 0.9);
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& number : x) number = uniform(generator);
  return x;
}

}  // namespace derivatives_on_tape
using namespace derivatives_on_tape;

TEST_CASE("the derivative of each operation is right in both modes", "[codegen]") {
  // Many results of few inputs are differentiated along x, a single result backwards from y.
  const auto all = [](const auto& v) {
    using S = typename std::decay_t<decltype(v)>::Scalar;
    using namespace std;
    const S a = v[0], b = v[1], c = v[2] + S(2);
    VectorX<S> y(24);
    y << a + b, a - c, a * b, a / c, -b, sqrt(c), cbrt(c), pow(c, a), pow(c, S(1.5)), pow(a, 3), abs(a), abs(b), sin(a),
        cos(b), tan(a), asin(a), acos(b), atan(a * b), atan2(a, b), sinh(a), cosh(b) * tanh(a), exp(a) + expm1(b),
        log(c) * log1p(a), max(a, b) * min(b, c);
    return y;
  };
  const auto x = random_numbers(3);
  Recording along("along"), back("back");
  const VectorX<Recorded> u = along.input("x", 3), w = back.input("x", 3);
  along.output("J", codegen::jacobian(all(u), u));
  MatrixX<Recorded> rows(24, 3);
  for (int i = 0; i < 24; ++i) rows.row(i) = codegen::gradient(all(w)[i], w).transpose();
  back.output("J", rows);
  MatrixXd differences(24, 3);  // errors of h^2 and of rounding / h, 1e-10
  for (int k = 0; k < 3; ++k) {
    VectorXd up = VectorXd::Map(x.data(), 3), down = up;
    up[k] += 1e-5, down[k] -= 1e-5;
    differences.col(k) = (all(up) - all(down)) / 2e-5;
  }
  CHECK(test::relative_error(matrix(along, x, 24), differences) < 1e-8);
  CHECK(test::relative_error(matrix(back, x, 24), matrix(along, x, 24)) < 1e-14);
}

TEST_CASE("a branch that is not taken gives no derivative, and no NaN", "[codegen]") {
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", 2);
  const Recorded y = select(x[0] > Recorded(0), sqrt(x[0]) * x[1] + log(x[0]), x[1] * x[1]);
  f.output("gradient", codegen::gradient(y, x));
  f.output("J", codegen::jacobian(VectorX<Recorded>{{y, x[0], x[1]}}, x));
  f.output("H", codegen::hessian(y, x));
  for (const double a : {4.0, 0.0, -1.0}) {
    const double at[] = {a, 3};
    CAPTURE(a);
    const auto z = f.evaluate(f.schedule(), at);
    const std::vector<double> g =
        a > 0 ? std::vector{3 / (2 * std::sqrt(a)) + 1 / a, std::sqrt(a)} : std::vector{0.0, 6.0};
    CHECK(std::vector(z.begin(), z.begin() + 2) == g);
    CHECK(std::vector{z[2], z[5]} == g);
    const double second = a > 0 ? -3 / (4 * a * std::sqrt(a)) - 1 / (a * a) : 0,
                 mixed = a > 0 ? 1 / (2 * std::sqrt(a)) : 0;
    CHECK(std::vector(z.begin() + 8, z.end()) == std::vector{second, mixed, mixed, a > 0 ? 0.0 : 2.0});
  }
}

TEST_CASE("second derivatives are right where a first one that a choice could make zero is zero", "[codegen]") {
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", 2);
  const Recorded slope = select(x[1] == Recorded(0), Recorded(1), sin(x[1]) / x[1]);
  f.output("H", codegen::hessian(x[0] * slope, x));
  for (const double a : {0.0, 0.3})
    for (const double b : {0.0, 0.7}) {
      CAPTURE(a, b);
      const double at[] = {a, b}, first = b == 0 ? 0 : (std::cos(b) - std::sin(b) / b) / b,
                   second = b == 0 ? 0 : -(std::sin(b) + 2 * first) / b;
      const auto H = f.evaluate(f.schedule(), at);
      CHECK(H[0] == 0);
      CHECK(H[1] == Approx(first));
      CHECK(H[2] == H[1]);
      CHECK(H[3] == Approx(a * second));
    }
}

TEST_CASE("what a choice makes zero stays zero in both modes, where a root has an infinite derivative", "[codegen]") {
  const auto all = [](const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    using namespace std;
    const S a = max(x[0], S(0)), b = max(x[1], S(0));
    VectorX<S> y(13);
    y << sqrt(a), acos(clamp(x[0], S(-1), S(1))), asin(clamp(S(2) * x[1], S(-1), S(1))), pow(a, S(0.5)), cbrt(a),
        sqrt(a * b), sqrt(a * x[0]), sqrt(a * exp(x[1])), sqrt(a * a + b * b), hypot(a, b),
        log1p(-clamp(x[0], S(-1), S(1))), S(1) / a, S(1) / (S(1) / (a * exp(x[1])));
    return y;
  };
  const int n = 13;
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", 2), y = all(x);
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    VectorX<Recorded> six(6);  // many results of two inputs are differentiated along x
    for (int k = 0; k < 6; ++k) six[k] = sin(Recorded(k) * y[i] + x[0] * x[1]);
    f.output("along" + number, MatrixX<Recorded>(codegen::jacobian(six, x).transpose()));
    f.output("back" + number, codegen::gradient(y[i], x));
    f.output("second" + number, codegen::hessian(y[i], x));
  }
  for (const auto& at : {Eigen::Vector2d(-1.5, 0.7), {-1.5, -2}, {0.3, 0.4}}) {
    const auto z = f.evaluate(f.schedule(), at.data());
    const auto slope = [&](int i, int k, const Eigen::Vector2d& from, double h) {  // errors of h^2 and rounding / h
      const Eigen::Vector2d e = h * Eigen::Vector2d::Unit(k);
      return (all(VectorXd(from + e))[i] - all(VectorXd(from - e))[i]) / (2 * h);
    };
    for (int i = 0; i < n; ++i) {
      CAPTURE(i, at.transpose());
      const double* here = &z[std::size_t(18 * i)];
      const double value = all(VectorXd(at))[i];
      if (!std::isfinite(value)) continue;  // 1 / 0
      for (int k = 0; k < 2; ++k) {
        const double exact = slope(i, k, at, 1e-5);
        CHECK(std::abs(here[12 + k] - exact) < 1e-8 * (1 + std::abs(exact)));
        for (int j = 0; j < 6; ++j)
          CHECK(std::abs(here[2 * j + k] - std::cos(j * value + at[0] * at[1]) * (j * exact + at[1 - k])) < 1e-7);
        for (int l = 0; l < 2; ++l) {
          const Eigen::Vector2d e = 1e-4 * Eigen::Vector2d::Unit(l);
          const double second = (slope(i, k, at + e, 1e-4) - slope(i, k, at - e, 1e-4)) / 2e-4;
          CHECK(std::abs(here[14 + 2 * k + l] - second) < 1e-5 * (1 + std::abs(second)));
        }
      }
    }
  }
}

TEST_CASE("powers of zero, lengths and angles have derivatives at any scale", "[codegen]") {
  Recording f("f");
  const VectorX<Recorded> x = f.input("x", 2);
  f.output("y", VectorX<Recorded>{{pow(x[0], x[1]), hypot(x[0], x[1]), atan2(x[0], x[1])}});
  for (const auto& y : {pow(x[0], x[1]), hypot(x[0], x[1]), atan2(x[0], x[1])})
    f.output("d" + std::to_string(f.outputs().size()), codegen::gradient(y, x));
  f.output("J", MatrixX<Recorded>(
                    codegen::jacobian(VectorX<Recorded>{{hypot(x[0], x[1]), atan2(x[0], x[1])}}, x).transpose()));
  const auto at = [&](double a, double b) {
    const double in[] = {a, b};
    return f.evaluate(f.schedule(), in);
  };
  for (const double b : {0.5, 1.0, 2.0, 3.5}) {  // 0^b = 0 for all these b
    CHECK(at(0, b)[4] == 0);
    CHECK(at(0, b)[3] == (b < 1 ? HUGE_VAL : b == 1 ? 1 : 0));
  }
  CHECK(at(0, 0)[3] == 0);  // a^0 = 1 for all a
  CHECK(at(2, 0)[3] == 0);
  CHECK(std::abs(at(2, 3)[4] - 8 * std::log(2)) < 1e-14);
  for (const double scale : {1e-300, 1e-170, 1e-3, 1.0, 1e170, 1e300}) {
    CAPTURE(scale);
    const auto z = at(3 * scale, 4 * scale);
    CHECK(std::abs(z[1] / scale - 5) < 1e-14);
    CHECK(std::abs(z[2] - std::atan2(3, 4)) < 1e-15);
    for (const std::size_t first : {5u, 9u}) {  // the gradients', and the Jacobian's
      CHECK(std::abs(z[first] - 0.6) < 1e-15);
      CHECK(std::abs(z[first + 1] - 0.8) < 1e-15);
      CHECK(std::abs(z[first + 2] * scale - 0.16) < 1e-15);
      CHECK(std::abs(z[first + 3] * scale + 0.12) < 1e-15);
    }
  }
}

TEST_CASE("what cannot be differentiated is refused or zero", "[codegen][errors]") {
  Recording f("f"), g("g");
  const VectorX<Recorded> x = f.input("x", 2), other = g.input("x", 2);
  const auto refused = [&](const VectorX<Recorded>& by) {
    return test::message_of<Error>([&] { codegen::gradient(x[0] * x[1], by); });
  };
  CHECK(test::mentions(refused(VectorX<Recorded>{{Recorded(1)}}), {"not constants"}));
  CHECK(test::mentions(refused(VectorX<Recorded>{{x[0] * x[0]}}), {"inputs of the recording"}));
  CHECK(test::mentions(refused(VectorX<Recorded>{{x[0], x[0]}}), {"each once"}));
  CHECK(test::mentions(refused(other), {"two recordings"}));
  CHECK(test::mentions(refused(VectorX<Recorded>{{x[0], other[0]}}), {"two recordings"}));
  CHECK(codegen::gradient(Recorded(3), x) == VectorX<Recorded>::Zero(2));
  CHECK(codegen::gradient(floor(x[0]), x) == VectorX<Recorded>::Zero(2));
  CHECK(codegen::gradient(x[0], VectorX<Recorded>(0)).size() == 0);
  CHECK(codegen::jacobian(x, VectorX<Recorded>(0)).rows() == 2);
  for (const int size : {0, 3}) {
    Recording h("h");
    const VectorX<Recorded> y = h.input("x", 3).head(size);
    h.output("cost", y);
    CHECK(test::mentions(test::message_of<Error>([&] { codegen::adjoint(std::move(h), {"x"}); }),
                         {"cost", std::to_string(size) + " numbers"}));
  }
}

TEST_CASE("gradients of a cost of tree robots take a few times its operations", "[codegen]") {
  for (const auto& model : {zoo::serial_chain(7), zoo::quadruped(8)}) {
    CAPTURE(model.name());
    const int nq = model.nq(), n = model.nv(), size = nq + 2 * n;
    Recording f("cost"), g("gradient");
    const auto record = [&](Recording& r) {
      const VectorX<Recorded> x = r.input("x", size);
      const auto robot = model.cast<Recorded>();
      const Recorded y = cost<Recorded>(robot, x.head(nq), x.segment(nq, n), x.tail(n));
      r.output("y", y);
      return std::pair(y, x);
    };
    record(f);
    const auto [y, x] = record(g);
    g.output("gradient", codegen::gradient(y, x));
    CHECK(g.schedule().operations < 4 * f.schedule().operations);
    std::mt19937_64 generator(1);
    using D = Dual<double>;
    const auto dual = model.cast<D>();
    for (int s = 0; s < 4; ++s) {
      const VectorXd at = codegen::test_state(model, s, generator);
      VectorXd exact(1 + size);
      for (int k = 0; k < size; ++k) {
        VectorX<D> z = at.cast<D>();
        z[k].dx = 1;
        const D c = cost<D>(dual, z.head(nq), z.segment(nq, n), z.tail(n));
        exact[0] = c.x, exact[1 + k] = c.dx;
      }
      // Allow for rounding of the sums over squares of forces.
      CHECK(test::relative_error(evaluate(g, g.schedule(), {at.begin(), at.end()}), exact) < 1e-12);
    }
  }
}

TEST_CASE("Jacobians along the degrees of freedom are those of the library", "[codegen]") {
  for (const auto& model : {zoo::serial_chain(4), zoo::quadruped(8), zoo::random_tree(3)}) {
    CAPTURE(model.name());
    const int nq = model.nq(), n = model.nv();
    const auto robot = model.cast<Recorded>();
    Data<Recorded> data(robot);
    Recording f("derivatives");
    const VectorX<Recorded> q = f.input("q", nq), v = f.input("v", n), a = f.input("a", n);
    const VectorX<Recorded> tau = rnea(robot, data, q, v, a);
    f.output("dtau_dq", codegen::jacobian(tau, q) * codegen::tangent_map(model, q));
    f.output("dtau_dv", codegen::jacobian(tau, v));
    f.output("M", codegen::jacobian(tau, a));
    Data<double> in_double(model);
    std::mt19937_64 generator(1);
    for (int s = 0; s < 4; ++s) {
      const auto x = state(model, s, generator);
      const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives<double>(model, in_double, x[0], x[1], x[2]);
      MatrixXd exact(n, 3 * n);
      exact << dtau_dq, dtau_dv, M;
      CHECK(test::relative_error(matrix(f, inputs(f, x), n), exact) < 1e-12);
    }
  }
}

TEST_CASE("the Hessian of a cost is symmetric and that of nested duals", "[codegen]") {
  const auto model = zoo::serial_chain(2);
  Recording f("hessian");
  const VectorX<Recorded> x = f.input("x", 6);
  f.output("H", codegen::hessian(cost<Recorded>(model.cast<Recorded>(), x.head(2), x.segment(2, 2), x.tail(2)), x));
  const auto at = random_numbers(6);
  const MatrixXd H = matrix(f, at, 6);
  using D = Dual<Dual<double>>;
  const auto dual = model.cast<D>();
  MatrixXd exact(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      VectorX<D> z(6);
      for (int k = 0; k < 6; ++k) z[k] = D(Dual<double>(at[static_cast<std::size_t>(k)], k == i), Dual<double>(k == j));
      exact(i, j) = cost<D>(dual, z.head(2), z.segment(2, 2), z.tail(2)).dx.dx;
    }
  CHECK(H == H.transpose());
  CHECK(test::relative_error(H, exact) < 1e-12);
}

TEST_CASE("packed matrices leave out what is zero in all states, and nothing else", "[codegen]") {
  const auto model = zoo::quadruped(8);
  const int nq = model.nq(), n = model.nv();
  const auto robot = model.cast<Recorded>();
  Data<Recorded> data(robot);
  Recording f("f");
  const VectorX<Recorded> q = f.input("q", nq), v = f.input("v", n), a = f.input("a", n);
  const auto M = codegen::packed(crba(robot, data, q)), lower = codegen::packed(crba(robot, data, q), true),
             J = codegen::packed(codegen::jacobian(rnea(robot, data, q, v, a), v));
  f.output("M", M.values), f.output("lower", lower.values), f.output("J", J.values);
  Data<double> in_double(model);
  std::mt19937_64 generator(1);
  const auto x = state(model, 0, generator);
  const VectorXd y = evaluate(f, f.schedule(), inputs(f, x));
  MatrixXd dense = MatrixXd::Zero(n, n), half = dense, rates = dense;
  Eigen::Index k = 0;
  for (const auto& [packed, out] : {std::pair(&M, &dense), {&lower, &half}, {&J, &rates}})
    for (std::size_t i = 0; i < packed->row.size(); ++i) (*out)(packed->row[i], packed->column[i]) = y[k++];
  const auto& exact = inverse_dynamics_derivatives<double>(model, in_double, x[0], x[1], x[2]);
  const MatrixXd mass = exact.M;
  CHECK(test::relative_error(dense, mass) < 1e-13);
  CHECK(test::relative_error(half, MatrixXd(mass.triangularView<Eigen::Lower>())) < 1e-13);
  CHECK(test::relative_error(rates, exact.dtau_dv) < 1e-12);
  // The limit is above the rounding that double leaves in place of zeros.
  CHECK(std::ssize(M.row) == (mass.array().abs() > 1e-13 * mass.norm()).count());
}
