#include "corio/loops/mechanism_quantities.hpp"

#include <complex>

#include "corio/loops/mechanism_control.hpp"
#include "corio/loops/mechanism_dynamics.hpp"
#include "corio/loops/mechanism_regressors.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/mechanism_support.hpp"
#include "support/catch.hpp"

// Energies, centroidal quantities and regressors of mechanisms, against their equations of motion and complex steps
// along their motion.

namespace loops_test {
namespace {

/// A mechanism in motion: those of Closed, with loops, gears and relations, and then those of the zoo.
struct InMotion {
  using Complex = std::complex<double>;
  using Vector = VectorX<Complex>;

  int number;
  Model<double> model;
  Loops<double> loops;
  VectorXd q;
  Mechanism<double> mechanism;
  MechanismData<double> data;
  VectorXd y, ydot, pi;

  static constexpr int count = 14;
  explicit InMotion(int i)
      : number(i),
        model(i < 7 ? Closed(i).model : of_zoo(i)),
        loops(i < 7 ? Closed::close(i, model) : Loops<double>(model)),
        q(i < 7 ? Closed(i).q : moved_from_neutral(model)),
        mechanism(model, loops, q),
        data(mechanism),
        pi(inertial_parameters(model)) {
    y = random_vector<double>(mechanism.nv(), 5), ydot = random_vector<double>(mechanism.nv(), 6);
    forward_kinematics<double>(mechanism, data, q, y, ydot);
  }
  static Model<double> of_zoo(int i) {
    switch (i) {
      case 7: return zoo::geared_arm(4);
      case 8: return zoo::four_bar_leg();
      case 9: return zoo::differential_wrist();
      case 10: return zoo::parallel_biped();
      case 11: return zoo::delta_robot();
      case 12: return zoo::stewart_platform();
      default: return zoo::bricard_loop();
    }
  }
  static VectorXd moved_from_neutral(const Model<double>& model) {
    const Mechanism<double> mechanism(model);
    MechanismData<double> data(mechanism);
    const VectorXd q = neutral(model);
    forward_kinematics<double>(mechanism, data, q, 0.2 * random_vector<double>(mechanism.nv(), 3));
    const auto assembly = assemble<double>(mechanism, data, integrate<double>(model, q, data.tree.v));
    REQUIRE(assembly.closed);
    return assembly.q;
  }

  /// The same mechanism, its joints without armature.
  Mechanism<double> unarmed() const {
    Model<double> other = model;
    other.set_armature(VectorXd::Zero(model.nv()));
    return {other, loops, q};
  }
  Mechanism<Complex> over_complex() const {
    if (number != 6) return mechanism.cast<Complex>();
    // A relation has to be given again.
    const Model<Complex> tree = model.cast<Complex>();
    std::vector<std::string> names;
    for (const int k : mechanism.independent()) names.push_back(model.joint_of_node(model.node_of_dof(k)).name());
    return {tree, Closed::close(6, tree), names};
  }
  /// The rate of f(mechanism, data, q, y) along the motion, by a complex step.
  template <class F>
  auto rate(F&& f) const {
    const Mechanism<Complex> complex = over_complex();
    MechanismData<Complex> steps(complex);
    const Complex step(0, 1e-30);
    const Vector moved = integrate<Complex>(complex.tree(), q.cast<Complex>(), step * data.tree.v.cast<Complex>());
    const Vector faster = y.cast<Complex>() + step * ydot.cast<Complex>();
    return (f(complex, steps, moved, faster).imag() / 1e-30).eval();
  }
};
/// A number as a vector, for rate.
template <class S>
Eigen::Matrix<S, 1, 1> as_vector(const S& x) {
  return Eigen::Matrix<S, 1, 1>(x);
}

}  // namespace

TEST_CASE("energies of a mechanism are those of M, and their rates the power of forces", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const double T = kinetic_energy(s.mechanism, s.data);
  const MatrixXd M = crba<double>(s.mechanism, s.data);
  CHECK(relative_error(T, 0.5 * s.y.dot(M * s.y)) < bound);
  CHECK(relative_error(T + potential_energy(s.mechanism, s.data) + energy(s.mechanism, s.data).springs,
                       energy(s.mechanism, s.data).total()) < bound);
  const double power = s.y.dot(rnea<double>(s.mechanism, s.data));
  const double lifting = s.y.dot(generalized_gravity<double>(s.mechanism, s.data));
  const double dT = s.rate([](auto& m, auto& d, auto& q, auto& y) { return as_vector(kinetic_energy(m, d, q, y)); })[0];
  const double dU = s.rate([](auto& m, auto& d, auto& q, auto&) { return as_vector(potential_energy(m, d, q)); })[0];
  CHECK(relative_error(dU, lifting, s.y.norm()) < bound);
  CHECK(relative_error(dT + dU, power, T + std::abs(lifting)) < bound);
}

TEST_CASE("the centre of mass of a mechanism moves with its Jacobian", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const Eigen::Vector3d velocity = center_of_mass_velocity(s.mechanism, s.data);
  const Eigen::Vector3d acceleration = center_of_mass_acceleration(s.mechanism, s.data);
  const Matrix3X<double>&J = com_jacobian(s.mechanism, s.data), &Jdot = com_jacobian_dot(s.mechanism, s.data);
  CHECK(relative_error(J * s.y, velocity) < bound);
  CHECK(relative_error(J * s.ydot + Jdot * s.y, acceleration) < bound);
  const auto c = s.rate([](auto& m, auto& d, auto& q, auto&) { return center_of_mass(m, d, q); });
  CHECK(relative_error(c, velocity) < bound);
  const auto dc = s.rate([](auto& m, auto& d, auto& q, auto& y) { return center_of_mass_velocity(m, d, q, y); });
  CHECK(relative_error(dc, acceleration) < bound);
  const auto dJ = s.rate([](auto& m, auto& d, auto& q, auto&) { return com_jacobian(m, d, q); });
  CHECK(relative_error(dJ, Jdot) < bound);
}

TEST_CASE("the centroidal momentum of a mechanism is that of its matrix", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const Vector6<double> h = centroidal_momentum(s.mechanism, s.data).vector();
  const Vector6<double> hdot = centroidal_momentum_dot(s.mechanism, s.data).vector();
  const Matrix6X<double>& A = centroidal_momentum_matrix(s.mechanism, s.data);
  const Matrix6X<double>& Adot = centroidal_momentum_matrix_dot(s.mechanism, s.data);
  CHECK(relative_error(A * s.y, h) < bound);
  CHECK(relative_error(A * s.ydot + Adot * s.y, hdot) < bound);
  double mass = 0;
  for (const auto& body : s.model.bodies()) mass += s.model.inertia(body).mass;
  CHECK(relative_error(A.bottomRows(3), mass * com_jacobian(s.mechanism, s.data)) < bound);
  const auto dh = s.rate([](auto& m, auto& d, auto& q, auto& y) { return centroidal_momentum(m, d, q, y).vector(); });
  CHECK(relative_error(dh, hdot) < bound);
  const auto dA = s.rate([](auto& m, auto& d, auto& q, auto&) { return centroidal_momentum_matrix(m, d, q); });
  CHECK(relative_error(dA, Adot) < bound);
}

TEST_CASE("regressors of a mechanism times its parameters are the terms of its equations of motion", "[loops]") {
  InMotion s(GENERATE(range(0, InMotion::count)));
  CAPTURE(s.model.name());
  const Mechanism<double> other = s.unarmed();
  REQUIRE(other.independent() == s.mechanism.independent());
  MechanismData<double> data(other);
  const VectorXd tau = rnea<double>(other, data, s.q, s.y, s.ydot);
  const VectorXd y_r = random_vector<double>(other.nv(), 7), ydot_r = random_vector<double>(other.nv(), 8);
  const VectorXd &y = s.y, &pi = s.pi;
  const VectorXd g = generalized_gravity<double>(other, data);
  const CoriolisMatrices<double> christoffel = coriolis_matrix(other, data);
  const CoriolisMatrices<double> plain = coriolis_matrix(other, data, factorization::Plain{});
  const auto& M = christoffel.M;

  MatrixXd Y = MatrixXd::Ones(other.nv(), pi.size());  // all of it is written
  inverse_dynamics_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, tau) < bound);
  momentum_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, M * y) < bound);
  coriolis_transpose_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, christoffel.C.transpose() * y) < bound);
  gravity_regressor(s.mechanism, s.data, Y);
  CHECK(relative_error(Y * pi, g) < bound);
  slotine_li_regressor(s.mechanism, s.data, y_r, ydot_r, Y);
  CHECK(relative_error(Y * pi, M * ydot_r + christoffel.C * y_r + g) < bound);
  slotine_li_regressor(s.mechanism, s.data, y_r, ydot_r, Y, {}, factorization::Plain{});
  CHECK(relative_error(Y * pi, M * ydot_r + plain.C * y_r + g) < bound);

  VectorXd of_energy = VectorXd::Ones(pi.size());
  kinetic_energy_regressor(s.mechanism, s.data, of_energy);
  CHECK(relative_error(of_energy.dot(pi), 0.5 * y.dot(M * y)) < bound);
  potential_energy_regressor(s.mechanism, s.data, of_energy);
  CHECK(relative_error(of_energy.dot(pi), potential_energy(s.mechanism, s.data)) < bound);
}

namespace {

/// A regressor and the products with it: Y, its columns of a selection, row by row; Y pi and Y^T x of both.
template <class F, class Product, class Transpose>
void check_products(InMotion& s, F&& regressor, Product&& product, Transpose&& transpose) {
  const int n = s.mechanism.nv();
  const auto& bodies = s.model.bodies();
  const BodySelection two(s.model, {bodies.back().name(), bodies.front().name()});
  const VectorXd x = random_vector<double>(n, 11);
  MatrixXd Y(n, s.pi.size());
  regressor(Y, BodySelection());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Y_two(n, 20);
  regressor(Y_two, two);
  CHECK(Y_two.leftCols(10) == Y.rightCols(10));
  CHECK(Y_two.rightCols(10) == Y.leftCols(10));

  const VectorXd pi = random_vector<double>(static_cast<int>(s.pi.size()), 12);  // need not be physical
  CHECK(relative_error(product(pi, BodySelection()), Y * pi) < bound);
  CHECK(relative_error(product(pi.head(20), two), Y_two * pi.head(20)) < bound);
  VectorXd out = VectorXd::Ones(pi.size());
  transpose(x, out, BodySelection());
  CHECK(relative_error(out, Y.transpose() * x) < bound);
  transpose(x, out.head(20), two);
  CHECK(relative_error(out.head(20), Y_two.transpose() * x) < bound);
}

}  // namespace

TEST_CASE("products with regressors of a mechanism need not form them, and selections have their columns", "[loops]") {
  InMotion s(GENERATE(0, 2, 6, 7, 10));
  CAPTURE(s.model.name());
  const auto& m = s.mechanism;
  auto& data = s.data;
  const VectorXd y_r = random_vector<double>(m.nv(), 7), ydot_r = random_vector<double>(m.nv(), 8);
  using In = VectorIn<double>;
  using Out = VectorOut<double>;
  using Matrix = MatrixOut<double>;
  using Some = BodySelection;
  check_products(
      s, [&](Matrix Y, const Some& of) { inverse_dynamics_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return inverse_dynamics_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { inverse_dynamics_regressor_transpose_product(m, data, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { slotine_li_regressor(m, data, y_r, ydot_r, Y, of); },
      [&](In pi, const Some& of) { return slotine_li_regressor_product(m, data, y_r, ydot_r, pi, of); },
      [&](In x, Out out, const Some& of) { slotine_li_regressor_transpose_product(m, data, y_r, ydot_r, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { momentum_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return momentum_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { momentum_regressor_transpose_product(m, data, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { coriolis_transpose_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return coriolis_transpose_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { coriolis_transpose_regressor_transpose_product(m, data, x, out, of); });
  check_products(
      s, [&](Matrix Y, const Some& of) { gravity_regressor(m, data, Y, of); },
      [&](In pi, const Some& of) { return gravity_regressor_product(m, data, pi, of); },
      [&](In x, Out out, const Some& of) { gravity_regressor_transpose_product(m, data, x, out, of); });
}

TEST_CASE("parameters of all joints give the torques of a mechanism that its bodies do not", "[loops]") {
  InMotion s(GENERATE(0, 3, 6, 7, 8, 9));
  CAPTURE(s.model.name());
  const int n = s.model.nv();
  Model<double> model = s.model;
  const VectorXd terms = random_vector<double>(n, 3).cwiseAbs();
  model.set_armature(0.1 * terms);
  model.set_damping(terms);
  model.set_friction(2 * terms);
  const Mechanism<double> mechanism(model, s.loops, s.q), unarmed = s.unarmed();
  MechanismData<double> data(mechanism), of_unarmed(unarmed);
  const VectorXd inertial = rnea<double>(unarmed, of_unarmed, s.q, s.y, s.ydot);
  MatrixXd Y;
  joint_regressor<double>(mechanism, data, s.q, s.y, s.ydot, Y, 0.05);
  const VectorXd tau = rnea<double>(mechanism, data) - passive_forces<double>(mechanism, data, 0.05);
  VectorXd p(4 * n);
  for (int k = 0; k < n; ++k) p.segment<4>(4 * k) << 0.1 * terms[k], terms[k], 2 * terms[k], 0.0;
  CHECK(relative_error(Y * p, tau - inertial) < bound);
  // Offsets are forces in joints.
  const VectorXd offset = random_vector<double>(n, 4);
  p.setZero();
  for (int k = 0; k < n; ++k) p[4 * k + static_cast<int>(JointParameter::offset)] = offset[k];
  VectorXd projected(mechanism.nv());
  project_forces<double>(mechanism, data, offset, projected);
  CHECK(relative_error(Y * p, projected) < bound);
  CHECK_THROWS_AS(joint_regressor<double>(mechanism, data, Y, -1.0), Error);
}

TEST_CASE("the parameters of a mechanism are identified from its motion, up to those that torques do not tell",
          "[loops]") {
  InMotion s(8);
  const Mechanism<double> mechanism = s.unarmed();
  MechanismData<double> data(mechanism);
  StreamingLeastSquares<double> stream(static_cast<int>(s.pi.size()));
  MatrixXd Y(mechanism.nv(), s.pi.size());
  const auto sample = [&](int seed) {
    forward_kinematics<double>(mechanism, data, s.q, 0.1 * random_vector<double>(mechanism.nv(), seed));
    const auto q = assemble<double>(mechanism, data, integrate<double>(s.model, s.q, data.tree.v)).q;
    inverse_dynamics_regressor<double>(mechanism, data, q, random_vector<double>(mechanism.nv(), seed + 1),
                                       random_vector<double>(mechanism.nv(), seed + 2), Y);
    return rnea<double>(mechanism, data);
  };
  for (int i = 0; i < 100; ++i) {
    const VectorXd tau = sample(10 * i);
    stream.add(Y, tau);
  }
  const BaseParameters<double> base(stream);
  CHECK(base.size() < s.pi.size());
  const auto found = estimate(stream, base);
  const VectorXd tau = sample(5005);
  CHECK(relative_error(base.reduce(Y) * found.beta, tau) < 1e-6);
}

TEST_CASE("regressors of a mechanism refuse sizes before they change its state", "[loops][errors]") {
  InMotion s(0);
  MatrixXd Y(s.mechanism.nv(), s.pi.size()), of_tree(s.model.nv(), s.pi.size());
  const VectorXd tau = rnea<double>(s.mechanism, s.data), elsewhere = VectorXd::Constant(3, 0.3);
  VectorXd out(s.pi.size());
  const auto& m = s.mechanism;
  CHECK_THROWS_AS(inverse_dynamics_regressor<double>(m, s.data, elsewhere, s.y, s.ydot, of_tree), SizeError);
  CHECK_THROWS_AS(slotine_li_regressor<double>(m, s.data, elsewhere, s.y, s.q, s.ydot, Y), SizeError);
  CHECK_THROWS_AS(momentum_regressor_product<double>(m, s.data, elsewhere, s.y, s.y), SizeError);
  CHECK_THROWS_AS(gravity_regressor_transpose_product<double>(m, s.data, elsewhere, s.q, out), SizeError);
  CHECK_THROWS_AS(kinetic_energy_regressor<double>(m, s.data, elsewhere, s.y, s.q), SizeError);
  CHECK(tau == rnea<double>(s.mechanism, s.data));
  const Model<double> other = zoo::four_bar_leg();
  const BodySelection foreign(other, other.bodies().front());
  CHECK_THROWS_AS(gravity_regressor<double>(m, s.data, Y, foreign), ModelError);
}

}  // namespace loops_test
