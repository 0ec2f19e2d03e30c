#include <numbers>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/joints/check_joint.hpp"
#include "corio/joints/composite.hpp"
#include "corio/joints/euler_angles.hpp"
#include "corio/joints/exponential_coordinates.hpp"
#include "corio/joints/free_flyer.hpp"
#include "joints/parametrisations.hpp"
#include "support/catch.hpp"

using namespace corio;
using namespace corio::test;

// Ball joints and floating bases in other coordinates and speeds describe the same motion as Spherical and FreeFlyer:
// positions, equations of motion, Christoffel symbols and motions agree by the change of coordinates.

TEMPLATE_LIST_TEST_CASE("check_joint accepts ball joints and floating bases of other speeds", "[joints][check_joint]",
                        MovingAxes) {
  CHECK_NOTHROW(joint::check_joint(TestType()));
}

TEST_CASE("check_joint accepts every Euler sequence and composite, taken as one piece", "[joints][check_joint]") {
  for_each_sequence([]<char a, char b, char c>(joint::SphericalEuler<a, b, c>) {
    INFO(std::string({a, b, c}));
    CHECK_NOTHROW(joint::check_joint(OnePiece<joint::SphericalEuler<a, b, c>>()));
  });
  CHECK_NOTHROW(joint::check_joint(OnePiece<joint::FreeFlyerEuler<'z', 'y', 'x'>>()));
  CHECK_NOTHROW(joint::check_joint(OnePiece<joint::FreeFlyerExp>()));
}

TEST_CASE("Euler angles of a rotation are found in every sequence, at gimbal lock, too", "[joints][euler]") {
  for_each_sequence([]<char a, char b, char c>(joint::SphericalEuler<a, b, c>) {
    using Joint = joint::SphericalEuler<a, b, c>;
    INFO(std::string({a, b, c}));
    const auto rotation = [](const VectorX<double>& q) { return pose_of(OnePiece<Joint>(), q).rotation; };
    const auto about = [](char axis, double angle) { return exp_rotation<double>(unit3<double>(axis - 'x') * angle); };
    const double lock = a == c ? 0.0 : std::numbers::pi / 2;
    for (const double middle : {0.0, lock, -lock, lock + 1e-9, 0.4, 2.0}) {
      CAPTURE(middle);
      const VectorX<double> q = Vector3<double>(0.7, middle, -2.5);
      const Matrix3<double> R = about(a, q[0]) * about(b, q[1]) * about(c, q[2]);
      CHECK(relative_error(rotation(q), R) < 1e-15);
      CHECK(relative_error(rotation(Joint::configuration(R)), R) < 2e-15);
    }
    const VectorX<double> q = Vector3<double>(0.7, a == c ? 1.1 : -1.1, -2.5);
    CHECK(relative_error(VectorX<double>(Joint::configuration(rotation(q))), q) < 1e-14);
  });
}

TEST_CASE("floating bases by angles and by exponential coordinates reach any pose", "[joints]") {
  const auto check = []<class Joint>(const Joint&, const Pose<double>& X) {
    const Pose<double> reached = pose_of(OnePiece<Joint>(), VectorX<double>(Joint::configuration(X)));
    CHECK(relative_error(reached.rotation, X.rotation) < 1e-14);
    CHECK(reached.translation == X.translation);
  };
  for (const double angle : {0.0, 1e-9, 0.8, 2.9}) {
    CAPTURE(angle);
    const Pose<double> X{exp_rotation<double>(angle * Vector3<double>(0.6, 0.0, -0.8)), {0.3, -0.7, 1.1}};
    check(joint::FreeFlyerExp(), X);
    check(joint::FreeFlyerEuler<'z', 'y', 'x'>(), X);
    check(joint::FreeFlyerEuler<'z', 'x', 'z'>(), X);
  }
}

TEST_CASE("parametrisations: M, C, g and tau are those of Spherical and FreeFlyer, changed", "[joints][coordinates]") {
  for_each_parametrisation([](const Parametrisation& p) {
    INFO(p.name);
    const Mapped m(p, 3);
    const EquationsOfMotion<double> expected = m.of_reference(), got = m.of_joint();
    CHECK(relative_error(got.M, expected.M) < 1e-12);
    CHECK(relative_error(got.C, expected.C) < 1e-12);
    CHECK(relative_error(got.g, expected.g) < 1e-12);
    CHECK(relative_error(got.tau, expected.tau) < 1e-12);
    Data<double> data(p.model), reference(p.reference);
    CHECK(kinetic_energy(p.model, data, m.q, m.v) ==
          Approx(kinetic_energy(p.reference, reference, m.q_ref, m.v_ref)).epsilon(1e-13));
    CHECK(potential_energy(p.model, data) == Approx(potential_energy(p.reference, reference)).epsilon(1e-13));
    const double power = got.tau.dot(m.v);
    CHECK(power == Approx(rnea(p.reference, reference, m.q_ref, m.v_ref, m.a_ref).dot(m.v_ref)).epsilon(1e-12));
    const VectorX<double> back = aba(p.model, data, m.q, m.v, got.tau);
    CHECK(relative_error(back, m.a) < 1e-13 * std::max(10.0, condition(got.M)));
  });
}

TEST_CASE("parametrisations: Christoffel symbols are those of Spherical and FreeFlyer, changed",
          "[joints][coordinates]") {
  for_each_parametrisation([](const Parametrisation& p) {
    INFO(p.name);
    const Mapped m(p, 4);
    const int n = p.model.nv();
    Data<double> data(p.model), reference(p.reference);
    ChristoffelTensor<double> G(p.model), G_ref(p.reference);
    christoffel_symbols(p.model, data, m.q, G);
    christoffel_symbols(p.reference, reference, m.q_ref, G_ref);
    const Matrixd M = crba(p.reference, reference);
    double error = 0, size = 0;
    for (int k = 0; k < n; ++k) {
      // The symbols for i and j at the unit speed k are A^T (sum_c Gamma(., ., c) A(c, k)) A + A^T M D_k A.
      Matrixd sum = M * m.rate(VectorX<double>::Unit(n, k));
      for (int c = 0; c < n; ++c)
        for (int a = 0; a < n; ++a)
          for (int b = 0; b < n; ++b) sum.row(a) += G_ref(a, b, c) * m.A(c, k) * m.A.row(b);
      const Matrixd right = m.A.transpose() * sum;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) error = std::max(error, std::abs(G(i, j, k) - right(i, j)));
      size = std::max(size, right.cwiseAbs().maxCoeff());
    }
    CHECK(error < 1e-12 * size);
  });
}

TEST_CASE("parametrisations: derivatives of tau are those of the complex step", "[joints][derivatives]") {
  for_each_parametrisation([](const Parametrisation& p) {
    INFO(p.name);
    const Mapped m(p, 5);
    const int n = p.model.nv();
    Data<double> data(p.model);
    const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(p.model, data, m.q, m.v, m.a);
    Matrixd along_q(n, n), along_v(n, n);
    constexpr double h = 1e-30;
    for (int k = 0; k < n; ++k) {
      Data<Complex> twin(p.complex);
      VectorX<Complex> step = VectorX<Complex>::Zero(n), v = m.v.cast<Complex>();
      const VectorX<Complex> q = m.q.cast<Complex>(), a = m.a.cast<Complex>();
      step[k] = Complex(0, h);
      along_q.col(k) = rnea(p.complex, twin, integrate(p.complex, q, step), v, a).imag() / h;
      v += step;
      along_v.col(k) = rnea(p.complex, twin, q, v, a).imag() / h;
    }
    CHECK(relative_error(dtau_dq, along_q) < 1e-12);
    CHECK(relative_error(dtau_dv, along_v) < 1e-12);
  });
}

TEST_CASE("parametrisations: the same motion from the same start", "[joints][simulation]") {
  for_each_parametrisation([](const Parametrisation& p) {
    INFO(p.name);
    const Mapped m(p, 6);
    VectorX<double> q = m.q, v = 0.3 * m.v, q_ref = m.q_ref, v_ref = 0.3 * m.v_ref;
    constexpr int steps = 200;
    for (int i = 0; i < steps; ++i) {
      advance(p.model, p.complex, q, v, 1e-3);
      advance(p.reference, p.complex_reference, q_ref, v_ref, 1e-3);
    }
    for (std::size_t b = 0; b < p.model.bodies().size(); ++b) {
      const Pose<double> X = frame_pose(p.model, q, p.model.bodies()[b]),
                         Y = frame_pose(p.reference, q_ref, p.reference.bodies()[b]);
      // The integrator errs by h^4 times fifth derivatives of order up to 1e3.
      CHECK(relative_error(X.rotation, Y.rotation) < 1e-8);
      CHECK((X.translation - Y.translation).norm() < 1e-8);
    }
    Data<double> data(p.model), reference(p.reference);
    CHECK(kinetic_energy(p.model, data, q, v) ==
          Approx(kinetic_energy(p.reference, reference, q_ref, v_ref)).epsilon(1e-7));
  });
}
