#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks where Jacobians are written, what they cost, and which arguments they reject.

TEST_EACH(Sample& s, "columns that do not move the body are zero, whatever was there", "[algorithms][jacobian]") {
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  JacobianDerivatives<double> D(s.model);
  for (int l = 0; l < s.model.nv(); ++l) D.along(l).setConstant(std::nan(""));
  for (int b = 0; b < s.bodies(); ++b) {
    const FramePoint<double> where(s.frame(b), world_aligned);
    // Starts from Jacobians full of NaN.
    const Matrixd J = jacobian(s.model, s.data, where), Jdot = jacobian_dot(s.model, s.data, where),
                  Jddot = jacobian_ddot(s.model, s.data, where);
    body_jacobian_derivatives(s.model, s.data, where, D);
    for (int k = 0; k < s.model.nv(); ++k) {
      if (max_magnitude(s.oracle.first(b, k)) > 0) {
        CHECK(max_magnitude(J.col(k)) > 1e-3);
        continue;
      }
      CHECK(J.col(k) == Vectord::Zero(6));
      CHECK(Jdot.col(k) == Vectord::Zero(6));
      CHECK(Jddot.col(k) == Vectord::Zero(6));
      CHECK(D.along(k) == Matrixd::Zero(6, s.model.nv()));
      for (int l = 0; l < s.model.nv(); ++l) CHECK(D.along(l).col(k) == Vectord::Zero(6));
    }
  }
}

TEST_CASE("a frame on the ground has a Jacobian of zeros", "[algorithms][jacobian]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "arm", .joint = joint::Revolute({0.0, 0.0, 1.0}), .inertia = ball(1.0)});
  builder.add_frame("marker", Parent(), Pose<double>::identity());
  const auto model = builder.build();
  Data<double> data(model);
  const Vectord one = Vectord::Ones(1);
  forward_kinematics(model, data, one, one, one);
  const FramePoint<double> where(model.frame("marker"), world_aligned, {1.0, 2.0, 3.0});
  CHECK(jacobian(model, data, where) == Matrixd::Zero(6, 1));
  CHECK(jacobian_dot(model, data, where) == Matrixd::Zero(6, 1));
  CHECK(jacobian_ddot(model, data, where) == Matrixd::Zero(6, 1));
  CHECK(body_classical_acceleration(model, data, where).vector() == Vectord::Zero(6));
  JacobianDerivatives<double> D(model);
  body_jacobian_derivatives(model, data, where, D);
  CHECK(D.along(0) == Matrixd::Zero(6, 1));
}

TEST_CASE("Jacobians in body axes and at a point are the same to the bit wherever the base is",
          "[algorithms][jacobian][far_from_origin]") {
  Sample s(random_plan(5), 5);
  const int x = s.model.joints()[0].q_index();
  REQUIRE(s.model.joints()[0].type() == std::string("free_flyer"));
  const auto all = [&](ReferenceFrame reference) {
    forward_kinematics(s.model, s.data, s.q, s.v, s.a);
    const FramePoint<double> where(s.frame(s.bodies() - 1), reference, {0.1, 0.2, 0.3});
    Matrixd together(18, s.model.nv());
    together << jacobian(s.model, s.data, where), jacobian_dot(s.model, s.data, where),
        jacobian_ddot(s.model, s.data, where);
    return together;
  };
  for (const auto reference : {body, world_aligned}) {
    s.q.segment<3>(x).setZero();
    const Matrixd near = all(reference);
    s.q.segment<3>(x) = Vector3<double>(1e6, -2e6, 2e6);
    CHECK(all(reference) == near);
  }
}

TEST_CASE("a Jacobian of the wrong shape is rejected, with its shape and the right one", "[algorithms][jacobian]") {
  Sample s(20);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  const int n = s.model.nv();
  const FramePoint<double> where(s.frame(1));
  const std::string right = "6 x " + std::to_string(n);
  for (const auto& [rows, cols] : {std::pair(5, n), std::pair(6, n + 1), std::pair(6, n - 1)}) {
    Matrixd J = Matrixd::Constant(rows, cols, 7.0);
    const Matrixd before = J;
    const std::vector<std::string> parts{"J is " + std::to_string(rows) + " x " + std::to_string(cols), right};
    CHECK(mentions(message_of<SizeError>([&] { body_jacobian(s.model, s.data, where, J); }), parts));
    CHECK(mentions(message_of<SizeError>([&] { body_jacobian_dot(s.model, s.data, where, J); }), parts));
    CHECK(mentions(message_of<SizeError>([&] { body_jacobian_ddot(s.model, s.data, where, J); }), parts));
    CHECK(J == before);
  }
  JacobianDerivatives<double> D(n + 1);
  // A rejected call computes nothing from a new state either.
  Matrixd wrong(5, n), expected = jacobian(s.model, s.data, where);
  const Vectord other = neutral(s.model);
  CHECK_THROWS_AS(body_jacobian(s.model, s.data, other, where, wrong), SizeError);
  CHECK_THROWS_AS(body_jacobian_dot(s.model, s.data, other, s.v, where, wrong), SizeError);
  CHECK_THROWS_AS(body_jacobian_ddot(s.model, s.data, other, s.v, s.a, where, wrong), SizeError);
  CHECK_THROWS_AS(body_jacobian_derivatives(s.model, s.data, other, where, D), SizeError);
  CHECK(jacobian(s.model, s.data, where) == expected);
  CHECK(mentions(message_of<SizeError>([&] { body_jacobian_derivatives(s.model, s.data, where, D); }),
                 {"JacobianDerivatives", std::to_string(n + 1), std::to_string(n)}));
}

TEST_CASE("a body of another model is rejected by Jacobians and motions of points", "[algorithms][jacobian][errors]") {
  const auto model = zoo::serial_chain(3), other = zoo::serial_chain(3), copy = model;
  Data<double> data(model);
  const Vectord v = Vectord::Ones(3);
  Matrixd J = Matrixd::Ones(6, 3);
  JacobianDerivatives<double> D(model);
  forward_kinematics(model, data, v, v, v);
  const FramePoint<double> where(other.body("link2"), world);
  const auto rejected = [&](const char* name, auto&& f) {
    CHECK(mentions(message_of<ModelError>(f), {name, "another model", model.name()}));
  };
  rejected("body_jacobian", [&] { body_jacobian(model, data, where, J); });
  rejected("body_jacobian_dot", [&] { body_jacobian_dot(model, data, where, J); });
  rejected("body_jacobian_ddot", [&] { body_jacobian_ddot(model, data, where, J); });
  rejected("body_jacobian_derivatives", [&] { body_jacobian_derivatives(model, data, where, D); });
  rejected("body_velocity", [&] { body_velocity(model, data, where); });
  rejected("body_acceleration", [&] { body_acceleration(model, data, where); });
  rejected("body_classical_acceleration", [&] { body_classical_acceleration(model, data, where); });
  CHECK(J == Matrixd::Ones(6, 3));
  CHECK_NOTHROW(body_jacobian(model, data, copy.body("link2"), J));
}

TEST_CASE("d2J/dt2 rejects moving axes that cannot be derived", "[algorithms][jacobian][custom][errors]") {
  const Model<double> model = tree_on<double>(CamOfDoubles());
  Data<double> data(model);
  Matrixd J(6, model.nv());
  const Vectord q = neutral(model), v = Vectord::Ones(model.nv());
  const auto& left = model.body("left");
  const std::string message = message_of<ModelError>([&] { body_jacobian_ddot(model, data, q, v, v, left, J); });
  CHECK(mentions(message, {"body_jacobian_ddot", "middle", "template", "Dual"}));
  CHECK_NOTHROW(body_jacobian_dot(model, data, left, J));
}
