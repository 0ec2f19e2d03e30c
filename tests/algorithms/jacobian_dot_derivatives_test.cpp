#include "corio/algorithms/derivatives/jacobian_dot_derivatives.hpp"

#include "corio/algorithms/derivatives/com_jacobian_derivatives.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

namespace {

template <class X>
Matrixd stepped_slope(const X& x) {
  return x.imag() / complex_step;
}

/// Builds a chain with a user's joint whose axis moves in its body.
template <class J>
Model<double> with_moving_axis(const J& joint) {
  ModelBuilder<double> builder("cam");
  Random<double> random(5);
  const auto inertia = [&] { return InertialParameters<double>(random.inertia()); };
  using joint::Revolute;
  builder.add_body({.name = "base", .joint = Revolute(random.direction()), .inertia = inertia()});
  builder.add_body({.name = "cam", .parent = "base", .joint = joint, .placement = random.pose(), .inertia = inertia()});
  builder.add_body({.name = "tip",
                    .parent = "cam",
                    .joint = Revolute(random.direction()),
                    .placement = random.pose(),
                    .inertia = inertia()});
  return builder.build();
}

}  // namespace

TEST_EACH(Sample& s, "derivatives of dJ/dt are complex steps, in every reference frame",
          "[algorithms][jacobian_derivatives]") {
  const int n = s.model.nv();
  const auto complex = s.model.cast<Complex>();
  Data<Complex> ahead(complex);
  const VectorX<Complex> v = s.v.cast<Complex>();
  forward_kinematics(s.model, s.data, s.q, s.v);
  std::vector<Place> all;
  const int last = s.bodies() - 1;
  for (const auto reference : {world, body, world_aligned})
    for (const int b : {0, last / 2, last}) all.push_back({body_name(b), reference, s.random.vector()});
  std::vector<JacobianDerivatives<double>> D(all.size(), JacobianDerivatives<double>(s.model));
  for (std::size_t i = 0; i < all.size(); ++i) {
    body_jacobian_dot_derivatives(s.model, s.data, all[i].on(s.model), D[i]);
    CHECK(relative_error(D[i].jacobian(), jacobian_dot(s.model, s.data, all[i].on(s.model))) == 0);
  }
  for (int l = 0; l < n; ++l) {
    forward_kinematics(complex, ahead, step(complex, s.q, Vectord::Unit(n, l)), v);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i].frame, static_cast<int>(all[i].reference), l);
      const Matrixd expected = stepped_slope(jacobian_dot(complex, ahead, all[i].on(complex)));
      CHECK(relative_error(D[i].along(l), expected) < tolerance<double>());
    }
  }
}

TEST_CASE("moving axes: derivatives of dJ/dt are complex steps", "[algorithms][jacobian_derivatives][custom]") {
  const Twins twins = moving_models(GENERATE(range(0, all_moving_models)));
  INFO(twins.name);
  const auto& model = twins.real;
  Data<double> data(model);
  Data<Complex> ahead(twins.complex);
  const test::State x(model);
  const Place place{model.bodies().back().name(), GENERATE(world, body, world_aligned), {0.3, -0.2, 0.5}};
  JacobianDerivatives<double> D(model);
  body_jacobian_dot_derivatives(model, data, x.q, x.v, place.on(model), D);
  for (int l = 0; l < model.nv(); ++l) {
    forward_kinematics(twins.complex, ahead, step(twins.complex, x.q, Vectord::Unit(model.nv(), l)),
                       VectorX<Complex>(x.v.cast<Complex>()));
    const Matrixd expected = stepped_slope(jacobian_dot(twins.complex, ahead, place.on(twins.complex)));
    CHECK(relative_error(D.along(l), expected) < tolerance<double>());
  }
}

TEST_CASE("derivatives and second rates of the centre of mass's Jacobian are complex steps",
          "[algorithms][jacobian_derivatives]") {
  const int which = GENERATE(range(-1, topology_count()));
  Sample s(which < 0 ? 0 : which);
  const Model<double> model = which < 0 ? with_moving_axis(Cam()) : s.model;
  INFO(model.name());
  const test::State x(model, 11);
  const int n = model.nv();
  Data<double> data(model);
  const auto complex = model.cast<Complex>();
  Data<Complex> ahead(complex);
  Matrixd D = Matrixd::Constant(3, n * n, 1e3);
  com_jacobian_derivatives(model, data, x.q, D);
  for (int l = 0; l < n; ++l) {
    CAPTURE(l);
    const Matrixd expected = stepped_slope(com_jacobian(complex, ahead, step(complex, x.q, Vectord::Unit(n, l))));
    CHECK(relative_error(Matrixd(D.middleCols(l * n, n)), expected) < tolerance<double>());
  }
  const Matrixd J_ddot = com_jacobian_ddot(model, data, x.q, x.v, x.a);
  const VectorX<Complex> v = x.v.cast<Complex>() + Complex(0, complex_step) * x.a.cast<Complex>();
  const Matrixd expected = stepped_slope(com_jacobian_dot(complex, ahead, step(complex, x.q, x.v), v));
  CHECK(relative_error(J_ddot, expected) < tolerance<double>());
}

TEST_CASE("what the derivatives of Jacobians reject", "[algorithms][jacobian_derivatives][errors]") {
  Sample s(random_plan(1), 1), other(random_plan(2), 2);
  JacobianDerivatives<double> D(s.model), of_other(other.model);
  const auto where = Place{body_name(1), body, {0, 0, 0}}.on(s.model);
  CHECK_THROWS_AS(body_jacobian_dot_derivatives(s.model, s.data, s.q, s.v, where, of_other), SizeError);
  forward_kinematics(s.model, s.data, s.q);
  CHECK(mentions(message_of<StateError>([&] { body_jacobian_dot_derivatives(s.model, s.data, where, D); }),
                 {"body_jacobian_dot_derivatives(", "forward_kinematics(model, data, q, v)"}));
  Matrixd narrow(3, s.model.nv());
  CHECK(mentions(message_of<SizeError>([&] { com_jacobian_derivatives(s.model, s.data, narrow); }), {"D is 3 x"}));
  const auto moving = with_moving_axis(CamOfDoubles());
  Data<double> data(moving);
  JacobianDerivatives<double> of_moving(moving);
  const test::State x(moving);
  const auto tip = Place{"tip", body, {0, 0, 0}}.on(moving);
  CHECK(mentions(message_of<ModelError>([&] { body_jacobian_dot_derivatives(moving, data, x.q, x.v, tip, of_moving); }),
                 {"body_jacobian_dot_derivatives", "cam_joint", "move in its body", "Dual"}));
}
