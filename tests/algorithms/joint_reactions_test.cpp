#include "corio/algorithms/dynamics/joint_reactions.hpp"

#include "corio/joints/euler_angles.hpp"
#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

bool is_below(const Plan& plan, int c, int b) {
  while (c > b) c = plan.bodies[static_cast<std::size_t>(c)].parent;
  return c == b;
}

/// Applies Newton's law to the point masses of body b and of all bodies it carries, about the world's origin.
Force<double> transmitted(const Sample& s, int b, const std::vector<Push>& pushes) {
  const Plan& plan = s.oracle.plan();
  Force<double> sum = Force<double>::zero();
  for (int c = b; c < s.bodies(); ++c) {
    if (!is_below(plan, c, b)) continue;
    const Matrix4<double> rate = s.oracle.pose_second_rate(c, s.v, s.a);
    for (const auto& [mass, r] : plan.bodies[static_cast<std::size_t>(c)].points) {
      const Vector3<double> f = mass * (Oracle::at_point(rate, r) - plan.gravity);
      sum += {cross(Oracle::at_point(s.oracle.pose(c), r), f), f};
    }
  }
  for (const Push& push : pushes)
    if (is_below(plan, push.body, b)) sum -= {push.couple + cross(push.point, push.force), push.force};
  return sum;
}

}  // namespace

TEST_EACH(Sample& s, "joints transmit what Newton's law asks for all points that they carry",
          "[algorithms][joint_reactions]") {
  std::vector<Push> pushes;
  std::vector<ExternalForce<double>> external;
  for (int b = 0; b < s.bodies(); ++b) {
    const Force<double> F = s.random.force();
    const Vector3<double> p = s.random.vector();
    pushes.push_back({b, F.moment, F.force, p});
    external.push_back({s.frame(b), F, ReferenceFrame::world, p});
  }
  const Matrix6X<double> all = joint_reactions(s.model, s.data, s.q, s.v, s.a, external);
  REQUIRE(all.cols() == std::ssize(s.model.bodies()));
  const double scale = max_magnitude(all);
  for (const auto& body : s.model.bodies()) {
    const int b = std::stoi(body.name().substr(4));
    CAPTURE(b);
    const Force<double> expected = transmitted(s, b, pushes);
    const Vector3<double> r = s.random.vector();
    const Pose<double> X = body_pose(s.model, s.data, body);
    const std::vector<FramePoint<double>> places{{body, ReferenceFrame::world, r},
                                                 {body, ReferenceFrame::world_aligned, r},
                                                 {body, ReferenceFrame::body, r},
                                                 s.model.ground_frame(X)};
    const Matrix6X<double>& F = joint_reactions(s.model, s.data, external, places);
    REQUIRE(F.cols() == 4);
    CHECK(relative_error(F.col(0), expected.vector(), scale) < tolerance<double>());
    CHECK(relative_error(F.col(1), about(expected, X.point(r)).vector(), scale) < tolerance<double>());
    CHECK(relative_error(F.col(2), Pose<double>{X.rotation, X.point(r)}.act_inverse(expected).vector(), scale) <
          tolerance<double>());
    CHECK(F.col(3).isZero(0));
    CHECK(relative_error(all.col(body.index()), X.act_inverse(expected).vector(), scale) < tolerance<double>());
  }
}

TEST_CASE("what a hinge bears is the force of a joint of six degrees of freedom at rest in its place",
          "[algorithms][joint_reactions]") {
  // A translation and Euler angles replace the elbow of an arm, with the same motion.
  const InertialParameters<double> link(Random<double>(3).inertia());
  const auto arm = [&](bool free) {
    ModelBuilder<double> builder("arm");
    builder.add_body({.name = "upper", .joint = joint::Revolute({1, 2, 0}), .inertia = link});
    const Pose<double> elbow = Random<double>(5).pose();
    if (free)
      builder.add_body({.name = "lower",
                        .parent = "upper",
                        .joint = joint::FreeFlyerEuler<'z', 'y', 'x'>(),
                        .placement = elbow,
                        .inertia = link});
    else
      builder.add_body({.name = "lower",
                        .parent = "upper",
                        .joint = joint::Revolute({0, 0, 1}),
                        .placement = elbow,
                        .inertia = link});
    return builder.build();
  };
  const Model<double> hinged = arm(false), free = arm(true);
  Data<double> data(hinged), free_data(free);
  const Vectord q{{0.3, -0.8}}, v{{0.7, 1.1}}, a{{-0.4, 2.0}};
  Vectord six_q = Vectord::Zero(7), six_v = six_q, six_a = six_q;
  six_q[0] = q[0], six_v[0] = v[0], six_a[0] = a[0];
  six_q[4] = q[1], six_v[4] = v[1], six_a[4] = a[1];
  const Matrix6X<double> F = joint_reactions(hinged, data, q, v, a);
  const Vectord tau = rnea(free, free_data, six_q, six_v, six_a);
  // The translation is in the axes of the upper arm's elbow; the lower arm is turned against those axes by q.
  const Matrix3<double> R = turn(q[1], {0, 0, 1});
  CHECK((R * F.col(1).tail<3>() - tau.segment<3>(1)).norm() < 1e-13 * tau.norm());
  CHECK(std::abs(F(2, 1) - tau[4]) < 1e-13 * tau.norm());
  // The other angles turn about y of the elbow turned by z, and about x of the arm.
  CHECK(std::abs(F(1, 1) - tau[5]) < 1e-13 * tau.norm());
  CHECK(std::abs(F(0, 1) - tau[6]) < 1e-13 * tau.norm());
}

TEST_EACH(Sample& s, "along its columns a joint transmits tau less what the rotors take",
          "[algorithms][joint_reactions]") {
  const Vectord tau = rnea(s.model, s.data, s.q, s.v, s.a);
  std::vector<FramePoint<double>> places;
  for (const auto& body : s.model.bodies()) places.push_back({body, ReferenceFrame::world});
  const Matrix6X<double>& F = joint_reactions(s.model, s.data, {}, places);
  for (const auto& body : s.model.bodies()) {
    const auto& joint = s.model.joint_of_node(body.node());
    Matrixd J(6, s.model.nv());
    body_jacobian(s.model, s.data, FramePoint<double>(body, ReferenceFrame::world), J);
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
      CHECK(std::abs(J.col(k).dot(F.col(body.index())) + s.model.armature()[k] * s.a[k] - tau[k]) <
            tolerance<double>() * (1 + max_magnitude(F)) * (1 + max_magnitude(J)));
  }
}

TEST_CASE("the moment of contacts about the centre of pressure is normal to the plane",
          "[algorithms][center_of_pressure]") {
  Sample s(3);
  forward_kinematics(s.model, s.data, s.q);
  const Vector3<double> o = s.random.vector(), n = s.random.vector();
  std::vector<ExternalForce<double>> contacts;
  Force<double> total = Force<double>::zero();
  for (int b = 0; b < s.bodies(); ++b) {
    const Force<double> F = s.random.force();
    const Vector3<double> at = s.random.vector();
    contacts.push_back({s.frame(b), F, ReferenceFrame::world, at});
    total += {F.moment + cross(at, F.force), F.force};
  }
  contacts.push_back({s.model.ground_frame(Pose<double>::identity()), s.random.force()});  // has no effect
  const Vector3<double> p = center_of_pressure(s.model, s.data, contacts, o, n);
  CHECK(std::abs(dot(p - o, n)) < 1e-12);
  CHECK(cross(n, about(total, p).moment).norm() < 1e-12 * (1 + total.vector().norm()) * (1 + p.norm()));
  CHECK((center_of_pressure(total, o, n) - p).norm() < 1e-12 * (1 + p.norm()));
  // The normal forces act at points of the plane: their weighted mean.
  const auto& ground = s.model.bodies().front();
  const std::vector<ExternalForce<double>> feet{{ground, {{0, 0, 0}, {0, 0, 30}}, ReferenceFrame::world, {1, 2, 0}},
                                                {ground, {{0, 0, 0}, {0, 0, 10}}, ReferenceFrame::world, {5, 0, 0}}};
  CHECK((center_of_pressure(s.model, s.data, feet) - Vector3<double>(2, 1.5, 0)).norm() < 1e-12);
}

TEST_CASE("joint reactions refuse places of other models", "[algorithms][joint_reactions]") {
  Sample s(1), other(2);
  const std::vector<FramePoint<double>> places{other.model.bodies().front()};
  CHECK_THROWS_AS(joint_reactions(s.model, s.data), StateError);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  CHECK_THROWS_AS(joint_reactions(s.model, s.data, {}, places), ModelError);
  const ExternalForce<double> elsewhere(other.model.bodies().front(), Force<double>::zero());
  CHECK_THROWS_AS(joint_reactions(s.model, s.data, elsewhere), ModelError);
  CHECK_THROWS_AS(center_of_pressure(s.model, s.data, elsewhere), ModelError);
}
