#include "corio/algorithms/dynamics/subtree_com.hpp"

#include "corio/model/edit.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_EACH(Sample& s, "mass, centre of mass and its Jacobian of subtrees are those of their bodies",
          "[algorithms][subtree_com]") {
  const int n = s.model.nv();
  const auto& bodies = s.model.bodies();
  const auto complex = s.model.cast<Complex>();
  Data<Complex> ahead(complex);
  forward_kinematics(s.model, s.data, s.q);
  forward_kinematics(complex, ahead, step(complex, s.q, s.v));
  const auto count = static_cast<Eigen::Index>(bodies.size());
  Matrixd all(3, count), J(3, n), J_all(3 * count, n);
  subtree_centers_of_mass(s.model, s.data, all);
  subtree_com_jacobians(s.model, s.data, J_all);
  for (const auto& root : bodies) {
    CAPTURE(root.name());
    double mass = 0;
    Vector3<double> moment = zero3<double>();
    for (const auto& body : bodies) {
      int up = body.index();
      while (up >= 0 && up != root.index()) up = bodies[static_cast<std::size_t>(up)].parent();
      if (up < 0) continue;
      const auto own = s.model.inertia(body);
      mass += own.mass;
      moment += own.mass * body_pose(s.model, s.data, body).point(own.com);
    }
    CHECK(relative_error(subtree_mass(s.model, root), mass, 1.0) < tolerance<double>());
    if (mass == 0) {
      CHECK(mentions(message_of<ModelError>([&] { subtree_center_of_mass(s.model, s.data, root); }), {root.name()}));
      continue;
    }
    const Vector3<double> com = subtree_center_of_mass(s.model, s.data, root);
    CHECK(relative_error(mass * com, moment) < tolerance<double>());
    CHECK(com == all.col(root.index()));
    subtree_com_jacobian(s.model, s.data, root, J);
    CHECK(J == J_all.middleRows(3 * root.index(), 3));
    const Vectord rate = subtree_center_of_mass(complex, ahead, complex.body(root.name())).imag() / complex_step;
    CHECK(relative_error(J * s.v, rate, s.v.norm()) < tolerance<double>());
  }
}

TEST_CASE("the subtree of a floating base is the robot, and the ground has none", "[algorithms][subtree_com]") {
  const auto model = zoo::humanoid<double>();
  Data<double> data(model);
  std::mt19937 generator(3);
  forward_kinematics(model, data, random_configuration(model, generator));
  Matrixd J(3, model.nv()), narrow(3, 5);
  subtree_com_jacobian(model, data, model.bodies().front(), J);
  CHECK(relative_error(J, com_jacobian(model, data)) < tolerance<double>());
  CHECK(relative_error(subtree_center_of_mass(model, data, model.bodies().front()), center_of_mass(model, data)) <
        tolerance<double>());
  CHECK_THROWS_AS(subtree_com_jacobian(model, data, model.bodies().front(), narrow), SizeError);
  CHECK_THROWS_AS(subtree_com_jacobians(model, data, J), SizeError);
  CHECK_THROWS_AS(subtree_centers_of_mass(model, data, J), SizeError);
  const auto ground = model.ground_frame(Pose<double>::identity());
  CHECK(mentions(message_of<ModelError>([&] { subtree_mass(model, ground); }), {"subtree_mass", "ground"}));
  const auto other = zoo::humanoid<double>();
  CHECK_THROWS_AS(subtree_mass(model, other.bodies().front()), ModelError);
}

TEST_CASE("a frame that is welded to a body has no subtree, under the name of that body",
          "[algorithms][subtree_com][errors]") {
  auto builder = to_builder(zoo::serial_chain(2));
  builder.add_body({.name = "gripper", .parent = "link2", .joint = joint::Fixed{}, .inertia = ball()});
  builder.add_body({.name = "finger", .parent = "gripper", .joint = joint::Revolute::x(), .inertia = ball(0.1)});
  builder.add_frame("tip", "link1", Pose<double>::identity());
  const auto model = builder.build();
  Data<double> data(model);
  forward_kinematics(model, data, neutral(model));
  Matrixd J(3, model.nv());
  for (const auto& [name, carrier] : {std::pair{"gripper", "'link2'"}, std::pair{"tip", "'link1'"}}) {
    const auto& frame = model.frame(name);
    const auto quoted = "'" + std::string(name) + "'";
    CHECK(mentions(message_of<ModelError>([&] { subtree_mass(model, frame); }), {"subtree_mass:", quoted, carrier}));
    CHECK(mentions(message_of<ModelError>([&] { subtree_center_of_mass(model, data, frame); }), {quoted, carrier}));
    CHECK(mentions(message_of<ModelError>([&] { subtree_com_jacobian(model, data, frame, J); }), {quoted, carrier}));
  }
  // A body's own frame gives the same result as the body, and bodies welded to it count.
  CHECK(subtree_mass(model, model.frame("finger")) == 0.1);
  CHECK(subtree_mass(model, model.frame("link2")) == Approx(model.inertia("link2").mass + 0.1));
}
