#include "corio/algorithms/dynamics/centroidal.hpp"

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Mass, centre and its first two rates, momentum about the centre and its rate for the oracle's point masses, all from
/// sums of m x and its derivatives.
struct PointSums {
  explicit PointSums(const Sample& s)
      : J(Matrixd::Zero(3, s.model.nv())), J_rate(J), A(Matrixd::Zero(6, s.model.nv())) {
    sum(s, [&](int b, double m, const Vector3<double>& r) {
      mass += m;
      c += m * Oracle::at_point(s.oracle.pose(b), r);
      velocity += m * Oracle::at_point(s.oracle.pose_rate(b, s.v), r);
      acceleration += m * Oracle::at_point(s.oracle.pose_second_rate(b, s.v, s.a), r);
      for (int k = 0; k < s.model.nv(); ++k) {
        J.col(k) += m * Oracle::at_point(s.oracle.first(b, k), r);
        J_rate.col(k) += m * Oracle::at_point(s.oracle.first_rate(b, k, s.v), r);
      }
    });
    c /= mass, velocity /= mass, acceleration /= mass, J /= mass, J_rate /= mass;
    sum(s, [&](int b, double m, const Vector3<double>& r) {
      const Vector3<double> x = Oracle::at_point(s.oracle.pose(b), r) - c;
      const Matrix4<double> rate = s.oracle.pose_rate(b, s.v);
      const Vector3<double> v = Oracle::at_point(rate, r),
                            a = Oracle::at_point(s.oracle.pose_second_rate(b, s.v, s.a), r);
      momentum += m * (Vectord(6) << x.cross(v), v).finished();
      momentum_rate += m * (Vectord(6) << x.cross(a), a).finished();
      for (int k = 0; k < s.model.nv(); ++k) {
        const Vector3<double> along = Oracle::at_point(s.oracle.first(b, k), r);
        A.col(k) += m * (Vectord(6) << x.cross(along), along).finished();
      }
    });
  }
  template <class F>
  static void sum(const Sample& s, F&& f) {
    for (int b = 0; b < s.bodies(); ++b)
      for (const auto& [mass, r] : s.oracle.plan().bodies[static_cast<std::size_t>(b)].points)
        if (s.frame(b).node() >= 0) f(b, mass, r);  // skips bodies welded to the ground
  }
  double mass = 0;
  Vector3<double> c = Vector3<double>::Zero(), velocity = c, acceleration = c;
  Matrixd J, J_rate, A;
  Vectord momentum = Vectord::Zero(6), momentum_rate = momentum;
};

/// A sum with masses of 1e3 and 1e-3 is as exact as the whole sum.
double bound(const PointSums& p) { return tolerance<double>() * std::max(1.0, p.mass); }

}  // namespace

TEST_EACH(Sample& s, "the centre of mass and its rates are those of the point masses", "[algorithms][centroidal]") {
  const PointSums p(s);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  CHECK(relative_error(center_of_mass(s.model, s.data), p.c) < tolerance<double>());
  CHECK(relative_error(center_of_mass_velocity(s.model, s.data), p.velocity) < tolerance<double>());
  CHECK(relative_error(center_of_mass_acceleration(s.model, s.data), p.acceleration) < tolerance<double>());
  CHECK(relative_error(com_jacobian(s.model, s.data), p.J) < tolerance<double>());
  CHECK(relative_error(com_jacobian_dot(s.model, s.data), p.J_rate) < tolerance<double>());
}

TEST_EACH(Sample& s, "centroidal momentum, its matrix and its rate are those of the point masses",
          "[algorithms][centroidal]") {
  const PointSums p(s);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  CHECK(relative_error(centroidal_momentum_matrix(s.model, s.data), p.A) < bound(p));
  CHECK(relative_error(centroidal_momentum(s.model, s.data).vector(), p.momentum) < bound(p));
  CHECK(relative_error(centroidal_momentum_dot(s.model, s.data).vector(), p.momentum_rate) < bound(p));
}

TEST_EACH(Sample& s, "rates of A and J_com are their complex steps", "[algorithms][centroidal]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const VectorX<Complex> q = step(model, s.q, s.v);
  const Matrixd A_rate = centroidal_momentum_matrix(model, data, q).imag() / complex_step,
                J_rate = com_jacobian(model, data).imag() / complex_step;
  const Vectord velocity = center_of_mass(model, data).imag() / complex_step;
  const double limit = tolerance<double>() * std::max(1.0, s.model.total_mass());
  CHECK(relative_error(centroidal_momentum_matrix_dot(s.model, s.data, s.q, s.v), A_rate) < limit);
  CHECK(relative_error(com_jacobian_dot(s.model, s.data, s.q, s.v), J_rate) < tolerance<double>());
  CHECK(relative_error(center_of_mass_velocity(s.model, s.data), velocity) < tolerance<double>());
}

TEST_CASE("centroidal quantities are the same to the bit wherever the base is",
          "[algorithms][centroidal][far_from_origin]") {
  Sample s(random_plan(5), 5);
  const int x = s.model.joints()[0].q_index();
  REQUIRE(s.model.joints()[0].type() == std::string("free_flyer"));
  const auto all = [&] {
    forward_kinematics(s.model, s.data, s.q, s.v, s.a);
    Matrixd together(18, s.model.nv() + 2);
    together << centroidal_momentum_matrix(s.model, s.data), centroidal_momentum(s.model, s.data).vector(),
        centroidal_momentum_dot(s.model, s.data).vector(), centroidal_momentum_matrix_dot(s.model, s.data),
        Matrixd::Zero(6, 2), com_jacobian(s.model, s.data), Matrixd::Zero(3, 2), com_jacobian_dot(s.model, s.data),
        center_of_mass_velocity(s.model, s.data), center_of_mass_acceleration(s.model, s.data);
    return together;
  };
  s.q.segment<3>(x).setZero();
  const Matrixd near = all();
  s.q.segment<3>(x) = Vector3<double>(1e6, -2e6, 2e6);
  CHECK(all() == near);
}

TEST_CASE("a model without mass has no centre of mass", "[algorithms][centroidal][errors]") {
  ModelBuilder<double> builder("ghost");
  builder.add_body({.name = "wheel", .joint = joint::Revolute({0.0, 0.0, 1.0}), .armature = {0.1}});
  const auto model = builder.build();
  Data<double> data(model);
  const Vectord one = Vectord::Ones(1);
  forward_kinematics(model, data, one, one, one);
  const auto rejected = [&](const char* name, auto&& f) {
    CHECK(mentions(message_of<ModelError>(f), {name, "'ghost'", "no mass"}));
  };
  rejected("center_of_mass", [&] { center_of_mass(model, data); });
  rejected("center_of_mass_velocity", [&] { center_of_mass_velocity(model, data); });
  rejected("center_of_mass_acceleration", [&] { center_of_mass_acceleration(model, data); });
  rejected("com_jacobian", [&] { com_jacobian(model, data); });
  rejected("com_jacobian_dot", [&] { com_jacobian_dot(model, data); });
  rejected("centroidal_momentum_matrix", [&] { centroidal_momentum_matrix(model, data); });
  rejected("centroidal_momentum_matrix_dot", [&] { centroidal_momentum_matrix_dot(model, data); });
  rejected("centroidal_momentum", [&] { centroidal_momentum(model, data); });
  rejected("centroidal_momentum_dot", [&] { centroidal_momentum_dot(model, data); });
}
