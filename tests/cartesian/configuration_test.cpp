#include "corio/cartesian/generalized_configuration.hpp"

#include <numbers>

#include "cartesian/cartesian_support.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

// Compares configurations from poses of bodies with those from which the poses were computed.

namespace corio::test::cartesian {

namespace {

PerBody<Pose<double>> poses_by_oracle(const Sample& s) {
  PerBody<Pose<double>> poses(static_cast<int>(s.model.bodies().size()), Pose<double>::identity());
  for (int i = 0; i < poses.size(); ++i) {
    const Matrix4<double>& T = s.oracle.pose(plan_number(s.model, i));
    poses[i] = {T.topLeftCorner<3, 3>(), T.topRightCorner<3, 1>()};
  }
  return poses;
}

}  // namespace

TEST_EACH(Sample& s, "a configuration returns from the poses of the bodies", "[cartesian][configuration]") {
  const PerBody<Pose<double>> poses = poses_by_oracle(s);
  // Starts half a radian or half a metre away, so that no other turn, and no other branch of a universal joint, is
  // nearer.
  const Vectord start = integrate(s.model, s.q, 0.5 * s.v);
  const auto& found = generalized_configuration(s.model, s.data, poses, start);
  // After a small Gauss-Newton step the error is smaller than the step; quaternions add a few roundings.
  CHECK(max_magnitude(difference(s.model, s.q, found.q)) < 1e-11);
  CHECK(found.angular < 1e-12);
  CHECK(found.linear < 1e-12);
  CHECK(found.iterations <= 8);
  // data has the state of the result.
  const auto& again = maximal_poses(s.model, s.data);
  for (int i = 0; i < poses.size(); ++i) CHECK(relative_error(again[i], poses[i]) < 1e-11);
  const Matrix6X<double> V = velocities_by_oracle(s, s.v, BodyPoint::origin);
  CHECK(relative_error(generalized_velocities(s.model, s.data, V, BodyPoint::origin).v, s.v) < 1e-11);
}

TEST_CASE("joints with constant columns need one step, from wherever", "[cartesian][configuration]") {
  Sample s(PlanMaker("constant columns", 7)
               .chain(-1, {Kind::free_flyer, Kind::revolute, Kind::prismatic, Kind::cylindrical, Kind::planar})
               .chain(0, {Kind::translation, Kind::spherical})
               .plan(),
           3);
  const PerBody<Pose<double>> poses = poses_by_oracle(s);
  const auto& found = generalized_configuration(s.model, s.data, poses, random_q(s.model, 17));
  // The second iteration finds no improvement.
  CHECK(found.iterations == 2);
  for (int i = 0; i < poses.size(); ++i) CHECK(relative_error(maximal_poses(s.model, s.data)[i], poses[i]) < 1e-12);
}

TEST_CASE("angles of many turns are found near the start", "[cartesian][configuration]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Vectord turns = Eigen::Vector3d(3, -2, 10) * 2 * std::numbers::pi, q = Eigen::Vector3d(0.4, -0.3, 2);
  const PerBody<Pose<double>> poses = maximal_poses(model, data, q);
  const Vectord start = q + turns + Vectord::Constant(3, 0.9);
  CHECK(relative_error(generalized_configuration(model, data, poses, start).q, q + turns) < 1e-13);
}

TEST_CASE("a user's joint whose axes move is found by several steps", "[cartesian][configuration]") {
  const Twins twin = twins(GENERATE(range(0, all_twins)));
  INFO(twin.name);
  Data<double> data(twin.real);
  const Vectord q = 0.3 * test::random_vector<double>(twin.real.nv(), 5),
                at = integrate(twin.real, neutral(twin.real), q),
                start = integrate(twin.real, at, 0.2 * test::random_vector<double>(twin.real.nv(), 6));
  const PerBody<Pose<double>> poses = maximal_poses(twin.real, data, at);
  const auto& found = generalized_configuration(twin.real, data, poses, start);
  CHECK(max_magnitude(difference(twin.real, at, found.q)) < 1e-12);
}

TEST_CASE("poses that the joints do not allow are fitted, and the joint that is worst is named",
          "[cartesian][configuration]") {
  const auto model = zoo::random_tree(3, {.bodies = 10, .floating_base = true});
  Data<double> data(model);
  const Vectord q = random_q(model, 3), nothing = Vectord::Zero(model.nq());
  PerBody<Pose<double>> poses = maximal_poses(model, data, q);
  // Moves a leaf by 3 mm and a hundredth of a radian in every direction.
  const auto& leaf = model.bodies().back();
  const Pose<double> off = exp(Motion<double>{{0.01, 0.01, 0.01}, {0.003, 0.003, 0.003}});
  poses[leaf.index()] = poses[leaf.index()] * off;
  const auto& found = generalized_configuration(model, data, poses, q);
  CHECK(found.worst_joint == leaf.joint());
  CHECK(found.iterations < 10);
  CHECK(found.angular + found.linear > 1e-3);
  CHECK(found.angular < 0.02);
  CHECK(found.linear < 0.05);
  // Only the leaf's own joint moves.
  const Vectord step = difference(model, q, found.q);
  const Joint& joint = model.joints()[static_cast<std::size_t>(leaf.joint())];
  CHECK(max_magnitude(step.head(joint.v_index())) < 1e-11);
  // No motion of the joint makes the pose error smaller, at the joint: S^T error = 0.
  const Pose<double>& at = data.pose[leaf.node()];
  const Pose<double> given = poses[leaf.index()] * leaf.placement().inverse();
  const Motion<double> left =
      log(Pose<double>{at.rotation, at.translation + data.origin[leaf.node()]}.inverse() * given);
  for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
    CHECK(std::abs(at.act_inverse(data.phi[k]).vector().dot(left.vector())) < 1e-12);
}

TEST_CASE("float configurations return", "[cartesian][configuration]") {
  const auto model = zoo::random_tree<float>(4, {.floating_base = true});
  Data<float> data(model);
  const VectorX<float> q = random_q(model, 2),
                       start = integrate(model, q, 0.2F * test::random_vector<float>(model.nv(), 1));
  const PerBody<Pose<float>> poses = maximal_poses(model, data, q);
  const auto& found = generalized_configuration(model, data, poses, start);
  CHECK(max_magnitude(difference(model, q, found.q)) < 1e-4);
  CHECK(found.iterations < 8);
}

TEST_CASE("conversion of poses says what is wrong with its arguments", "[cartesian][configuration][errors]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model), other(zoo::serial_chain(2));
  const PerBody<Pose<double>> poses(3, Pose<double>::identity()), few(2, Pose<double>::identity());
  const Vectord q = Vectord::Zero(3), long_q = Vectord::Zero(4);
  CHECK(mentions(message_of<SizeError>([&] { generalized_configuration(model, data, few, q); }),
                 {"generalized_configuration", "poses has size 2", "expected 3"}));
  CHECK_THROWS_AS(generalized_configuration(model, data, poses, long_q), SizeError);
  CHECK_THROWS_AS(generalized_configuration(model, other, poses, q), SizeError);
}

}  // namespace corio::test::cartesian
