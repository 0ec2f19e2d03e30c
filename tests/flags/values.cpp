// Computes numbers by every kind of algorithm, compiled under macros of Eigen. `values FILE` writes the numbers, or
// compares them with the file if it exists.
#include <cmath>
#include <corio/batch/pack.hpp>
#include <corio/corio.hpp>
#include <corio/loops/assemble.hpp>
#include <corio/mechanism/dynamics.hpp>
#include <corio/zoo/mechanisms.hpp>
#include <fstream>
#include <iostream>
#include <vector>

namespace {

std::vector<double> numbers;

template <class X>
void add(const Eigen::DenseBase<X>& x) {
  for (Eigen::Index k = 0; k < x.cols(); ++k)
    for (Eigen::Index i = 0; i < x.rows(); ++i) numbers.push_back(static_cast<double>(x(i, k)));
}

/// Returns |a - b| in units of |b|, to which the caller's bound refers.
template <class A, class B>
bool differ(const char* what, const A& a, const B& b, double bound) {
  const double error = static_cast<double>((a - b).norm()), scale = static_cast<double>(b.norm());
  if (error <= bound * scale) return false;
  std::cerr << what << ": differs by " << error << " of " << scale << '\n';
  return true;
}

template <class S>
int algorithms() {
  using Vector = corio::VectorX<S>;
  const auto model = corio::zoo::humanoid().cast<S>();
  corio::Data<S> data(model);
  const Vector v = Vector::LinSpaced(model.nv(), S(-1), S(1)), a = Vector::LinSpaced(model.nv(), S(2), S(-1));
  Vector q = corio::neutral(model);
  corio::integrate(model, Vector(q), Vector(S(0.3) * v), q);

  const auto& [C, M, Mdot] = corio::coriolis_matrix(model, data, q, v);
  const Vector tau = corio::rnea(model, data, q, v, a);
  const Vector g = corio::generalized_gravity(model, data);
  // Errors of M a are relative to the largest forces: some hundred times the rounding error of S.
  const double bound = sizeof(S) == 8 ? 1e-13 : 1e-4;
  int failures = differ("M a + C v + g", Vector(M * a + C * v + g), tau, bound);
  failures += differ("aba", corio::aba(model, data, q, v, tau), a, 1e4 * bound);
  failures += differ("crba", corio::crba(model, data, q), M, bound);
  failures += differ("Mdot", Mdot, corio::MatrixX<S>(C + C.transpose()), bound);
  if constexpr (sizeof(S) == 8) {
    add(M), add(C), add(tau), add(g);
    const auto& derivatives = corio::inverse_dynamics_derivatives(model, data, q, v, a);
    add(derivatives.dtau_dq), add(derivatives.dtau_dv);
    Eigen::MatrixXd Y(model.nv(), 10 * std::ssize(model.bodies())), J(6, model.nv());
    corio::inverse_dynamics_regressor(model, data, Y);
    corio::body_jacobian(model, data, model.body("left_wrist_roll_link"), J);
    add(Y), add(J);
  }
  return failures;
}

/// Tests M in closed form for a rod on a hinge along y, turned by pi/2 about x, whose inertia has products.
int hinge() {
  corio::ModelBuilder<double> builder("hinge");
  corio::Matrix3<double> inertia;
  inertia << 0.3, 0.05, 0, 0.05, 0.4, 0.02, 0, 0.02, 0.5;
  builder.add_body({.name = "rod",
                    .joint = corio::joint::Revolute::y(),
                    .placement = {corio::rotation_rpy(std::acos(0.0), 0.0, 0.0), {0.1, 0.2, 0.3}},
                    .inertia = {2.0, {0.1, 0.2, 0.3}, inertia}});
  builder.add_body(
      {.name = "tip", .parent = "rod", .joint = corio::joint::Prismatic::x(), .inertia = {1.0, {0, 0, 0}, inertia}});
  const auto model = builder.build();
  corio::Data data(model);
  const Eigen::VectorXd q = Eigen::Vector2d(0.3, 0.4);
  Eigen::Matrix2d M;  // the tip slides along x of the rod, at 0.4 from the hinge's axis
  M << 0.4 + 2.0 * (0.1 * 0.1 + 0.3 * 0.3) + 0.4 + 0.4 * 0.4, 0, 0, 1;
  int failures = differ("M of the hinge", corio::crba(model, data, q), M, 1e-14);
  // The hinge's y is the world's z; x stays where it is.
  Eigen::Matrix3d R;
  R << std::cos(0.3), 0, std::sin(0.3), std::sin(0.3), 0, -std::cos(0.3), 0, 1, 0;
  failures += differ("pose", corio::body_pose(model, data, model.body("rod")).rotation, R, 1e-14);
  return failures;
}

int mechanism() {
  const auto model = corio::zoo::four_bar_leg();
  const corio::Mechanism<double> leg(model);
  corio::MechanismData<double> data(leg);
  const auto closed = corio::assemble(leg, data, corio::neutral(model));
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(leg.nv(), -1, 1);
  const auto& [C, M, Mdot] = corio::coriolis_matrix(leg, data, closed.q, y);
  add(M), add(C);
  return differ("Mdot of the leg", Mdot, Eigen::MatrixXd(C + C.transpose()), 1e-12);
}

int packs() {
  using P = corio::Pack<double, 8>;
  const auto model = corio::zoo::serial_chain(3);
  const auto packed = model.cast<P>();
  corio::Data data(model);
  corio::Data<P> data_of_packs(packed);
  Eigen::VectorXd q(3);
  q << 0.3, -0.2, 0.5;
  const corio::MatrixX<P>& M = corio::crba(packed, data_of_packs, corio::VectorX<P>(q.cast<P>()));
  Eigen::MatrixXd first(3, 3);
  for (Eigen::Index i = 0; i < 9; ++i) first(i) = M(i)[0];
  int failures = differ("M of packs", first, corio::crba(model, data, q), 1e-14);
  // Has an address with no more alignment than a Pack requires.
  struct Odd {
    double before;
    P x;
  };
  alignas(64) const Odd odd{0, P(0.25)};
  P sine, cosine;
  sincos(odd.x, sine, cosine);
  Eigen::Matrix<double, 8, 8> stored = Eigen::Matrix<double, 8, 8>::Zero(), expected = stored;
  P::store_transposed(&odd.x, 1, [&](int l) { return stored.data() + 8 * l; });
  sine.store(stored.data());
  expected.row(0).setConstant(0.25);
  expected.col(0).setConstant(std::sin(0.25));
  failures += differ("packs", Eigen::VectorXd(stored.row(0)), Eigen::VectorXd(expected.row(0)), 1e-15);
  failures += differ("sines", stored.col(0), expected.col(0), 1e-15);
  return failures + (in_every_state(odd.x < P(1)) ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  int failures = algorithms<double>() + algorithms<float>() + hinge() + mechanism() + packs();
  if (argc < 2) return failures;
  std::ifstream known(argv[1]);
  if (!known) {
    std::ofstream out(argv[1]);
    out.precision(17);
    for (const double x : numbers) out << x << '\n';
    return failures;
  }
  Eigen::VectorXd expected(static_cast<Eigen::Index>(numbers.size()));
  for (double& x : expected)
    if (!(known >> x)) ++failures;
  // The macros change the order of sums only, so allow their rounding errors and no more.
  failures +=
      differ("all numbers", Eigen::Map<const Eigen::VectorXd>(numbers.data(), expected.size()), expected, 1e-12);
  return failures;
}
