#include <algorithm>

#include "corio/model/note.hpp"

#include <Eigen/Eigenvalues>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/corio.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Tests the notes of the builder on inertias that no body can have, and on joints that move no inertia.

namespace {

const std::vector<std::string> triangle{"principal moments", "triangle"};

/// Returns moments about the centre of mass along axes that differ from the frame's.
InertialParameters<double> turned(const Vector3<double>& moments) {
  const Matrix3<double> R = Random<double>(4).rotation();
  return {2.0, {0.1, 0.2, -0.3}, R * moments.asDiagonal() * R.transpose()};
}

/// Builds a trunk, a hinged body with that inertia from line 12, and a dummy welded to it.
ModelBuilder<double> builder_of(const InertialParameters<double>& inertia) {
  ModelBuilder<double> builder("robot");
  builder.add_body({.name = "trunk", .joint = joint::FreeFlyer{}, .inertia = ball()});
  builder.add_body(
      {.name = "arm", .parent = "trunk", .joint = joint::Revolute({1, 2, 3}), .inertia = inertia, .line = 12});
  return builder;
}
Model<double> built(ModelBuilder<double> builder, Inertias inertias) {
  builder.set_inertias(inertias);
  return builder.build();
}

}  // namespace

TEST_CASE("a sound model has no notes", "[model][notes]") { CHECK(builder_of(ball()).build().notes().empty()); }

TEST_CASE("an inertia that no body has is taken as given and noted with its line", "[model][notes]") {
  const auto inertia = turned({0.1, 0.1, 0.5});
  const auto model = builder_of(inertia).build();
  CHECK(relative_error(model.inertia("arm").vector(), inertia.vector()) < tolerance<double>());
  REQUIRE(model.notes().size() == 1);
  const Note& note = model.notes()[0];
  CHECK(note.element == "body 'arm'");
  CHECK(note.line == 12);
  CHECK(mentions(note.found, triangle));
  CHECK(mentions(to_string(note), {"line 12: body 'arm': principal", "0.5", "as given"}));
  CHECK(model.cast<float>().notes().size() == 1);
}

TEST_CASE("the nearest physical inertia keeps mass and centre, and is the projection of the second moments",
          "[model][notes]") {
  // The second moments (trace / 2 - moment), of which one, two or all are negative, come from an independent
  // decomposition.
  const Vector3<double> moments =
      GENERATE(as<Vector3<double>>(), Vector3<double>(0.1, 0.1, 0.5), Vector3<double>(0.1, 0.2, 0.5),
               Vector3<double>(-0.3, 0.2, 0.1), Vector3<double>(-0.1, -0.2, -0.3), Vector3<double>(0, 0, 1));
  CAPTURE(moments.transpose());
  const auto inertia = turned(moments);
  const auto model = built(builder_of(inertia), Inertias::nearest);
  const auto taken = model.inertia("arm");
  const auto sigma = [](const Matrix3<double>& I) -> Matrix3<double> {
    return I.trace() / 2 * Matrix3<double>::Identity() - I;
  };
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> parts(sigma(inertia.inertia));
  const Matrix3<double> expected =
      parts.eigenvectors() * parts.eigenvalues().cwiseMax(0.0).asDiagonal() * parts.eigenvectors().transpose();
  // The closed form of the eigenvalues errs by 1e-8.
  CHECK(relative_error(sigma(taken.inertia), expected) < 1e-7);
  CHECK(relative_error(taken.mass, 2.0) < tolerance<double>());
  CHECK(relative_error(taken.com, inertia.com) < tolerance<double>());
  REQUIRE(model.notes().size() == 1);
  CHECK(mentions(to_string(model.notes()[0]), {"'arm'", "triangle", "changed to"}));
}

TEST_CASE("an inertia at the edge, or off by rounding, is neither changed nor noted", "[model][notes]") {
  const auto flat = turned({0.1, 0.1, 0.2}), rough = turned({0.1, 0.1, 0.204});
  for (const auto& inertia : {flat, rough}) {
    const auto model = built(builder_of(inertia), Inertias::nearest);
    CHECK(model.notes().empty());
    CHECK(relative_error(model.inertia("arm").vector(), inertia.vector()) < tolerance<double>());
  }
}

TEST_CASE("a planar mechanism with moments (0, 0, Izz) runs", "[model][notes]") {
  ModelBuilder<double> builder("planar");
  const InertialParameters<double> link(1.0, {0.5, 0, 0}, Vector3<double>(0, 0, 0.1).asDiagonal());
  Parent parent;
  for (const char* name : {"upper", "lower"}) {
    builder.add_body({.name = name, .parent = parent, .joint = joint::Revolute::z(), .inertia = link});
    parent = name;
  }
  const auto model = builder.build();
  CHECK(model.notes().size() == 2);
  Data<double> data(model);
  const Vectord q = random_vector<double>(2, 1), v = random_vector<double>(2, 2), tau = random_vector<double>(2, 3);
  const Vectord a = aba(model, data, q, v, tau);
  CHECK(relative_error(rnea(model, data, q, v, a), tau) < tolerance<double>());
}

TEST_CASE("a negative inertia is called negative", "[model][notes]") {
  ModelBuilder<double> builder("robot");
  builder.set_inertias(Inertias::as_given);
  const InertialParameters<double> negative(0.5, zero3<double>(), diagonal3(-0.0012));
  builder.add_body({.name = "hip", .joint = joint::Revolute::x(), .inertia = negative});
  const auto model = builder.build();
  const auto& notes = model.notes();
  CHECK(std::any_of(notes.begin(), notes.end(), [](const Note& note) {
    return mentions(to_string(note), {"joint 'hip_joint'", "negative inertia", "-0.0012", "Inertias::nearest"});
  }));
  Data<double> data(model);
  const Vectord zero = Vectord::Zero(1);
  CHECK(mentions(message_of<ModelError>([&] { aba(model, data, zero, zero, zero); }),
                 {"'hip_joint'", "negative inertia", "'hip'", "Inertias::nearest"}));
}

TEST_CASE("with a joint that moves no inertia all runs but what inverts M, which names the joint", "[model][notes]") {
  auto builder = builder_of(ball());
  builder.add_body({.name = "finger", .parent = "arm", .joint = joint::Revolute::x(), .joint_line = 30});
  const auto model = builder.build();
  REQUIRE(model.notes().size() == 1);
  CHECK(mentions(to_string(model.notes()[0]), {"line 30: joint 'finger_joint'", "no inertia", "armature"}));

  Data<double> data(model);
  const Vectord q = neutral(model), v = random_vector<double>(model.nv(), 1), a = random_vector<double>(model.nv(), 2);
  const auto& [C, M, Mdot] = coriolis_matrix(model, data, q, v);
  const Vectord expected = M * a + C * v + generalized_gravity(model, data);
  CHECK(relative_error(rnea(model, data, q, v, a), expected) < tolerance<double>());
  CHECK(M(7, 7) == 0.0);
  Eigen::MatrixXd J(6, model.nv());
  body_jacobian(model, data, model.body("finger"), J);
  CHECK(J.col(7).norm() > 0.1);

  const auto message = [&](auto f) { return message_of<ModelError>(f); };
  const std::vector<std::string> parts{"M^-1", "'finger_joint'", "armature"};
  CHECK(mentions(message([&] { aba(model, data, v); }), parts));
  CHECK(mentions(message([&] { aba(model, data, q, v, a); }), parts));
  CHECK(mentions(message([&] { mass_matrix_inverse(model, data); }), parts));
  CHECK(mentions(message([&] { forward_dynamics_derivatives(model, data, v); }), parts));
  CHECK(mentions(message([&] { forward_dynamics_hessian(model, data, v, a); }), parts));
  CHECK(mentions(message([&] { covariant_derivative(model, data, v, a); }), parts));
  CHECK(mentions(message([&] { geodesic_residual(model, data, a); }), parts));
  ChristoffelTensor<double> Gamma(model);
  christoffel_symbols(model, data, Gamma);
  Tensor3<double> second;
  CHECK(mentions(message([&] { christoffel_symbols_second_kind(model, data, Gamma, second); }), parts));
}

TEST_CASE("an armature, by name or for all joints that need one, makes M regular", "[model][notes]") {
  auto builder = builder_of(ball());
  builder.add_body({.name = "finger", .parent = "arm", .joint = joint::Revolute::x()});
  builder.add_body({.name = "thumb", .parent = "arm", .joint = joint::Revolute::y()});
  auto by_name = builder, all = builder;
  by_name.set_armature("finger_joint", {0.01});
  by_name.set_armature("thumb_joint", {0.02});
  all.set_armature_of_massless(0.03);
  CHECK(by_name.build().notes().empty());
  CHECK(by_name.build().armature().tail(3) == Vector3<double>(0, 0.01, 0.02));
  CHECK(all.build().notes().size() == 2);
  CHECK(mentions(all.build().notes()[0].advice, {"given an armature of 0.03"}));
  CHECK(all.build().armature().tail(3) == Vector3<double>(0, 0.03, 0.03));
  CHECK(mentions(message_of<ModelError>([&] { builder.set_armature("toe", {1.0}); }), {"'toe'"}));
  all.set_armature_of_massless(-1.0);
  CHECK(mentions(message_of<ModelError>([&] { all.build(); }), {"armature", "negative"}));

  auto model = builder.build();
  Data<double> data(model);
  const Vectord q = neutral(model), v = random_vector<double>(model.nv(), 1),
                tau = random_vector<double>(model.nv(), 2);
  Vectord armature = Vectord::Zero(model.nv());
  armature.tail(2) << 0.01, 0.02;
  model.set_armature(armature);
  const Vectord a = aba(model, data, q, v, tau);
  CHECK(relative_error(rnea(model, data, q, v, a), tau) < 1e-10);  // M has entries from 1e-2 to 1
  armature[0] = -1;
  CHECK(mentions(message_of<ModelError>([&] { model.set_armature(armature); }), {"'trunk_joint'", "armature"}));
  CHECK_THROWS_AS(model.set_armature(armature.head(3).eval()), SizeError);
  CHECK_NOTHROW(aba(model, data, q, v, tau));
}

TEST_CASE("of a model with a joint that moves nothing, other inertias can be set", "[model][notes]") {
  auto builder = builder_of(ball());
  builder.add_body({.name = "finger", .parent = "arm", .joint = joint::Revolute::x()});
  auto model = builder.build();
  CHECK_NOTHROW(model.set_inertia("arm", ball(3.0)));
  model.set_inertia("finger", ball());
  CHECK_NOTHROW(model.check_regular("this"));
  CHECK_THROWS_AS(model.set_inertia("finger", InertialParameters<double>()), ModelError);
}
