#include "corio/mechanism/quantities.hpp"

#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/zoo/random_tree.hpp"
#include "loops/mechanism_in_motion.hpp"
#include "support/catch.hpp"

// Compares energies and centroidal quantities of mechanisms with their equations of motion and with complex steps along
// their motion.

namespace loops_test {
namespace {

/// Returns a number as a vector, for rate.
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

namespace {

/// The functions that a program calls for any robot, with the same names and arguments.
template <RobotLike<double> R>
VectorXd answers(const R& robot, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
  DataOf<R> data(robot);
  forward_kinematics<double>(robot, data, q, v, a);
  const auto& tool = robot.tree().bodies().back();
  const FramePoint<double> where{tool, ReferenceFrame::world_aligned, {0.1, 0.2, 0.3}};
  const VectorXd pi = inertial_parameters(robot.tree());
  MatrixXd J(6, robot.nv()), Y(robot.nv(), pi.size());
  VectorXd numbers = VectorXd::Zero(4), out = pi;
  numbers << kinetic_energy(robot, data), potential_energy(robot, data), energy(robot, data).total(), pi.norm();
  std::vector<MatrixXd> all{numbers};
  body_jacobian(robot, data, tool, J);
  all.push_back(J);
  all.push_back(body_pose(robot, data, tool).rotation);
  all.push_back(body_velocity(robot, data, tool).vector());
  all.push_back(body_velocity(robot, data, where).vector());
  all.push_back(body_velocity(robot, data, tool, ReferenceFrame::world).vector());
  all.push_back(body_acceleration(robot, data, tool, ReferenceFrame::world_aligned).vector());
  all.push_back(body_acceleration(robot, data, where).vector());
  all.push_back(body_classical_acceleration(robot, data, where).vector());
  all.push_back(mass_matrix_inverse_product(robot, data, a));
  all.push_back(center_of_mass(robot, data));
  all.push_back(center_of_mass_velocity(robot, data));
  all.push_back(center_of_mass_acceleration(robot, data));
  all.push_back(com_jacobian(robot, data));
  all.push_back(com_jacobian_dot(robot, data));
  all.push_back(centroidal_momentum(robot, data).vector());
  all.push_back(centroidal_momentum_dot(robot, data).vector());
  all.push_back(centroidal_momentum_matrix(robot, data));
  all.push_back(centroidal_momentum_matrix_dot(robot, data));
  inverse_dynamics_regressor(robot, data, Y), all.push_back(Y);
  slotine_li_regressor(robot, data, a, v, Y), all.push_back(Y);
  slotine_li_regressor(robot, data, a, v, Y, {}, factorization::Plain{}), all.push_back(Y);
  momentum_regressor(robot, data, Y), all.push_back(Y);
  coriolis_transpose_regressor(robot, data, Y), all.push_back(Y);
  gravity_regressor(robot, data, Y), all.push_back(Y);
  all.push_back(slotine_li_regressor_product(robot, data, a, v, pi));
  coriolis_transpose_regressor_transpose_product(robot, data, a, out), all.push_back(out);
  kinetic_energy_regressor(robot, data, out), all.push_back(out);
  potential_energy_regressor(robot, data, out), all.push_back(out);
  BodyParameterDerivatives derivatives(robot);
  body_parameter_derivatives(robot, data, tool, derivatives);
  all.push_back(derivatives.dM[4]), all.push_back(derivatives.dC[4]), all.push_back(derivatives.dg);
  VectorXd joined(0);
  for (const MatrixXd& x : all) {
    joined.conservativeResize(joined.size() + x.size());
    joined.tail(x.size()) = x.reshaped();
  }
  return joined;
}

}  // namespace

TEST_CASE("an open tree answers as a mechanism what it answers as a model", "[loops]") {
  const Model<double> model = zoo::random_tree(3, {.bodies = 8, .floating_base = true, .armature = true});
  const VectorXd q = random_q(model, 4), v = random_vector<double>(model.nv(), 5);
  const VectorXd a = random_vector<double>(model.nv(), 6);
  CHECK(relative_error(answers(Mechanism<double>(model), q, v, a), answers(model, q, v, a)) < bound);
}

TEST_CASE("the product with M^-1 of a mechanism is the acceleration that forces give at rest without gravity",
          "[loops]") {
  InMotion s(GENERATE(0, 2, 6, 7, 8, 9, 10));
  CAPTURE(s.model.name());
  const VectorXd x = crba<double>(s.mechanism, s.data) * s.ydot;
  // The condition of M is some thousands.
  CHECK(relative_error(mass_matrix_inverse_product(s.mechanism, s.data, x), s.ydot) < 1e-8);
}

TEST_CASE("bodies of a mechanism move as those of its tree", "[loops]") {
  InMotion s(GENERATE(0, 6));
  const auto& tool = s.model.bodies().back();
  MatrixXd J(6, s.mechanism.nv()), Jdot(J);
  body_jacobian(s.mechanism, s.data, tool, J);
  body_jacobian_dot(s.mechanism, s.data, tool, Jdot);
  CHECK(relative_error(J * s.y, body_velocity(s.mechanism, s.data, tool).vector()) < bound);
  CHECK(relative_error(J * s.ydot + Jdot * s.y, body_acceleration(s.mechanism, s.data, tool).vector()) < bound);
  const auto X = body_pose(s.mechanism, s.data, tool);
  CHECK(relative_error(X.translation, body_pose(s.model, s.data.tree, tool).translation) < bound);
  forward_kinematics<double>(s.model, s.data.tree, s.q);
  CHECK_THROWS_AS(body_pose(s.mechanism, s.data, tool), StateError);
}

}  // namespace loops_test
