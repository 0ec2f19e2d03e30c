#include "corio/algorithms/dynamics/joint_reactions.hpp"

#include "support/catch.hpp"
#include "support/jacobian_support.hpp"

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

TEST_CASE("joint reactions reject places of other models", "[algorithms][joint_reactions]") {
  Sample s(1), other(2);
  const std::vector<FramePoint<double>> places{other.model.bodies().front()};
  CHECK_THROWS_AS(joint_reactions(s.model, s.data), StateError);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  CHECK_THROWS_AS(joint_reactions(s.model, s.data, {}, places), ModelError);
  const ExternalForce<double> elsewhere(other.model.bodies().front(), Force<double>::zero());
  CHECK_THROWS_AS(joint_reactions(s.model, s.data, elsewhere), ModelError);
  CHECK_THROWS_AS(center_of_pressure(s.model, s.data, elsewhere), ModelError);
}
