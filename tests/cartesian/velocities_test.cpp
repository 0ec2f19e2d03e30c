#include <limits>
#include <numbers>

#include "cartesian/cartesian_support.hpp"
#include "corio/cartesian/pseudo_inverse.hpp"
#include "corio/joints/composite.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

// Compares maximal velocities with the rates of the oracle's poses, and the way back with dense pseudo-inverses.

namespace corio::test::cartesian {

TEST_EACH(Sample& s, "maximal velocities are the rates of the poses of all bodies", "[cartesian][velocities]") {
  for (const BodyPoint point : points)
    CHECK(relative_error(maximal_velocities(s.model, s.data, s.q, s.v, point), velocities_by_oracle(s, s.v, point)) <
          tolerance<double>());
  const auto& poses = maximal_poses(s.model, s.data);
  for (const auto& body : s.model.bodies())
    CHECK(relative_error(homogeneous(poses[body.index()]), s.oracle.pose(plan_number(s.model, body.index()))) <
          tolerance<double>());
}

TEST_EACH(Sample& s, "velocities return from maximal coordinates, joint by joint and by least squares",
          "[cartesian][velocities]") {
  for (const BodyPoint point : points) {
    const Matrix6X<double> V = velocities_by_oracle(s, s.v, point);
    const auto check = [&](const GeneralizedVelocitiesResult<double>& back) {
      CHECK(relative_error(back.v, s.v) < tolerance<double>());
      CHECK(back.angular < tolerance<double>());
      CHECK(back.linear < tolerance<double>() * std::max(1.0, max_magnitude(V)));
      CHECK(back.rank == s.model.nv());
      CHECK(back.singular_joint == -1);
    };
    check(generalized_velocities(s.model, s.data, s.q, V, point));
    check(least_squares_velocities(s.model, s.data, V, point));
    const Matrix6X<double> weights = (random_columns(s.random, s.model).array() + 1.5).matrix();
    check(least_squares_velocities(s.model, s.data, V, point, weights));
  }
}

TEST_CASE("velocities of random trees return", "[cartesian][velocities]") {
  const int seed = GENERATE(range(1, 13));
  CAPTURE(seed);
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed),
                                      {.bodies = 16, .floating_base = seed % 2 == 0, .massless = seed % 3 == 0});
  Data<double> data(model);
  const Vectord q = random_q(model, seed), v = test::random_vector<double>(model.nv(), seed);
  for (const BodyPoint point : points) {
    const Matrix6X<double> V = maximal_velocities(model, data, q, v, point);
    CHECK(relative_error(generalized_velocities(model, data, V, point).v, v) < tolerance<double>());
    CHECK(relative_error(least_squares_velocities(model, data, V, point).v, v) < tolerance<double>());
  }
}

TEST_CASE("float velocities return", "[cartesian][velocities]") {
  const int seed = GENERATE(range(1, 5));
  CAPTURE(seed);
  const auto model = zoo::random_tree<float>(static_cast<std::uint64_t>(seed), {.floating_base = seed % 2 == 0});
  Data<float> data(model);
  const VectorX<float> q = random_q(model, seed), v = test::random_vector<float>(model.nv(), seed);
  const Matrix6X<float> V = maximal_velocities(model, data, q, v);
  // Some ten bodies follow one another: allow a few times the rounding errors of one body.
  CHECK(relative_error(generalized_velocities(model, data, V).v, v) < 1e-4);
  CHECK(relative_error(least_squares_velocities(model, data, V).v, v) < 1e-4);
}

TEST_EACH(Sample& s, "what joints do not allow is fitted by least squares as with a dense pseudo-inverse",
          "[cartesian][velocities]") {
  forward_kinematics(s.model, s.data, s.q);
  const Matrix6X<double> V = random_columns(s.random, s.model);
  for (const BodyPoint point : points) {
    const Matrixd J = jacobian_by_oracle(s, point);
    const Vectord expected = pseudo_inverse(J) * V.reshaped();
    const auto& found = least_squares_velocities(s.model, s.data, V, point);
    // The square of J's condition is below 1e4 here.
    CHECK(relative_error(found.v, expected) < 1e-11);
    CHECK(relative_error(found.residual, (V.reshaped() - J * expected).reshaped(6, V.cols())) < 1e-11);
    CHECK(found.angular == Approx(found.residual.topRows<3>().colwise().norm().maxCoeff()));
    CHECK(found.linear == Approx(found.residual.bottomRows<3>().colwise().norm().maxCoeff()));

    const Matrix6X<double> weights = (random_columns(s.random, s.model).array() + 1.5).matrix();
    const Matrixd root = weights.reshaped().cwiseSqrt().asDiagonal();
    CHECK(relative_error(least_squares_velocities(s.model, s.data, V, point, weights).v,
                         pseudo_inverse(root * J) * (root * V.reshaped())) < 1e-11);
  }
}

TEST_CASE("a body of weight zero is not heeded", "[cartesian][velocities]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Vectord v = Vectord::LinSpaced(3, 0.5, -0.7);
  Matrix6X<double> V = maximal_velocities(model, data, Vectord::Ones(3), v), weights = Matrix6X<double>::Ones(6, 3);
  V.col(1).setConstant(100), weights.col(1).setZero();
  const auto& found = least_squares_velocities(model, data, V, BodyPoint::center_of_mass, weights);
  CHECK(relative_error(found.v, v) < tolerance<double>());
  CHECK(found.linear > 50);
  // Without the last two bodies nothing distinguishes the joints that move them: the shortest v is the result.
  weights.col(2).setZero();
  const auto& less = least_squares_velocities(model, data, V, BodyPoint::center_of_mass, weights);
  CHECK(less.rank == 1);
  CHECK(less.singular_joint > 0);
  CHECK(relative_error(less.v, Vectord(v[0] * Vectord::Unit(3, 0))) < tolerance<double>());
}

TEST_CASE("weights of one number are no weights of bodies", "[cartesian][velocities][errors]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Matrix6X<double> V = maximal_velocities(model, data, Vectord::Ones(3), Vectord::Ones(3));
  CHECK_THROWS_AS(least_squares_velocities(model, data, V, BodyPoint::center_of_mass, Matrixd::Ones(1, 1)), SizeError);
}

TEST_CASE("joint by joint is the solution of eqs. 62-66, with D and R", "[cartesian][velocities]") {
  Sample s(rotational_plan(GENERATE(range(1, 6))), 1);
  forward_kinematics(s.model, s.data, s.q);
  const Rotations rotations(s);
  const auto by_joint = [&](const Matrix6X<double>& V) {
    const Vectord hat = rotations.R.transpose() * rotations.D * V.topRows<3>().reshaped();
    Vectord v(s.model.nv());
    for (const auto& joint : s.model.joints()) {
      const auto k = &joint - s.model.joints().data();
      v.segment(joint.v_index(), joint.nv()) =
          pseudo_inverse(rotations.J_hat[static_cast<std::size_t>(k)]) * hat.segment(3 * k, 3);
    }
    return v;
  };
  const auto omega_alone = [&](const Matrix6X<double>& V) -> Vectord {
    return pseudo_inverse(rotations.J_omega) * V.topRows<3>().reshaped();
  };

  // R^T D J_omega has only the blocks of the joints.
  Matrixd blocks = rotations.R.transpose() * rotations.D * rotations.J_omega;
  REQUIRE(max_magnitude(blocks) > 0.5);
  for (const auto& joint : s.model.joints()) {
    const auto k = &joint - s.model.joints().data();
    blocks.block(3 * k, joint.v_index(), 3, joint.nv()).setZero();
  }
  CHECK(max_magnitude(blocks) < tolerance<double>());

  const Matrix6X<double> possible = velocities_by_oracle(s, s.v, BodyPoint::center_of_mass);
  CHECK(relative_error(by_joint(possible), s.v) < tolerance<double>());
  CHECK(relative_error(omega_alone(possible), s.v) < tolerance<double>());

  // Eq. 66 says that both are the same for every omega. They differ, because R^T D is not orthogonal.
  const Matrix6X<double> impossible = possible + 0.1 * random_columns(s.random, s.model);
  const auto& found = generalized_velocities(s.model, s.data, impossible);
  CHECK(relative_error(found.v, by_joint(impossible)) < tolerance<double>());
  CHECK(relative_error(found.v, omega_alone(impossible)) > 1e-3);
  CHECK(found.angular > 1e-3);
  // Least squares of angular velocities alone equals least squares without weights on linear velocities.
  Matrix6X<double> weights = Matrix6X<double>::Ones(6, impossible.cols());
  weights.bottomRows<3>().setZero();
  const auto& least = least_squares_velocities(s.model, s.data, impossible, BodyPoint::center_of_mass, weights);
  CHECK(relative_error(least.v, omega_alone(impossible)) < 1e-11);
  CHECK(least.residual.topRows<3>().norm() < found.residual.topRows<3>().norm());
}

TEST_CASE("what one joint does not allow is what is left", "[cartesian][velocities]") {
  ModelBuilder<double> builder("two");
  const InertialParameters<double> lump(1, {0, 0, -0.5}, diagonal3(0.1));
  builder.add_body({.name = "door", .joint = joint::Revolute({0, 0, 1}), .inertia = lump});
  builder.add_body({.name = "drawer", .parent = "door", .joint = joint::Prismatic({1, 0, 0}), .inertia = lump});
  const auto model = builder.build();
  Data<double> data(model);
  forward_kinematics(model, data, Vectord::Zero(2));
  Matrix6X<double> V = Matrix6X<double>::Zero(6, 2);
  // The door tilts by 0.3 rad/s about x, with its centre of mass half a metre below the hinge. The drawer moves like
  // the door, except for 0.2 m/s sideways and 0.7 m/s along its rails.
  V.col(0) << 0.3, 0, 0, 0, 0.15, 0;
  V.col(1) = V.col(0);
  V(4, 1) += 0.2, V(3, 1) += 0.7;
  const auto& found = generalized_velocities(model, data, V);
  CHECK(found.v[0] == Approx(0).margin(1e-15));
  CHECK(found.v[1] == Approx(0.7));
  CHECK(found.angular == Approx(0.3));
  CHECK(found.linear == Approx(0.35));
  CHECK(found.residual(4, 0) == Approx(0.15));
}

TEST_CASE("a joint in gimbal lock is found by its rank, and nothing is lost of what it can do",
          "[cartesian][velocities]") {
  const auto model = tree_on<double>(EulerZyx());
  Data<double> data(model);
  Vectord q = random_q(model, 3), v = test::random_vector<double>(model.nv(), 4);
  const auto check = [&](bool locked) {
    const Matrix6X<double> V = maximal_velocities(model, data, q, v);
    for (const auto* found : {&generalized_velocities(model, data, V), &least_squares_velocities(model, data, V)}) {
      CHECK(found->rank == model.nv() - (locked ? 1 : 0));
      CHECK(found->angular < tolerance<double>());
      CHECK(found->linear < tolerance<double>());
      CHECK((found->singular_joint < 0) == !locked);
      if (locked)
        CHECK(model.joints()[static_cast<std::size_t>(found->singular_joint)].name() ==
              model.joint("middle_joint").name());
      const Matrix6X<double> again = maximal_velocities(model, data, q, found->v);
      CHECK(relative_error(again, V) < tolerance<double>());
    }
    // Many v give the same motion; the result is the shortest of them.
    if (locked) CHECK(generalized_velocities(model, data, V).v.norm() < v.norm() - 1e-3);
  };
  q[3] = 0.3, check(false);
  // In gimbal lock, the motion depends only on -sin q1 v0 + v2.
  q[3] = std::numbers::pi / 2, check(true);
}

TEST_EACH(Sample& s, "maximal accelerations are the second derivatives of the poses, and return",
          "[cartesian][velocities]") {
  for (const BodyPoint point : points) {
    const Matrix6X<double> A = maximal_accelerations(s.model, s.data, s.q, s.v, s.a, point);
    for (Eigen::Index i = 0; i < A.cols(); ++i) {
      const int b = plan_number(s.model, i);
      const Matrix4<double> second = s.oracle.pose_second_rate(b, s.v, s.a), rate = s.oracle.pose_rate(b, s.v),
                            inverse = s.oracle.pose(b).inverse();
      CHECK(relative_error(A.col(i).tail<3>(), Oracle::at_point(second, point_in_frame(s, b, point))) <
            tolerance<double>());
      // d(R' R^T)/dt = R'' R^T + R' R'^T.
      const Matrix3<double> turning = (second * inverse).topLeftCorner<3, 3>() +
                                      rate.topLeftCorner<3, 3>() * rate.topLeftCorner<3, 3>().transpose();
      CHECK(relative_error(A.col(i).head<3>(), vector_of(turning)) < tolerance<double>());
    }
    forward_kinematics(s.model, s.data, s.q, s.v, Vectord::Zero(s.model.nv()));
    const Matrix6X<double> rest = A - maximal_accelerations(s.model, s.data, point);
    CHECK(relative_error(generalized_velocities(s.model, s.data, rest, point).v, s.a, max_magnitude(A)) <
          tolerance<double>());
  }
}

TEST_CASE("conversions of velocities say what is wrong with their arguments", "[cartesian][velocities][errors]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  Matrix6X<double> V = Matrix6X<double>::Ones(6, 3), narrow = V.leftCols(2), weights = V;
  CHECK_THROWS_AS(maximal_velocities(model, data), StateError);
  CHECK_THROWS_AS(generalized_velocities(model, data, V), StateError);
  CHECK_THROWS_AS(least_squares_velocities(model, data, V), StateError);
  forward_kinematics(model, data, Vectord::Zero(3));
  CHECK_THROWS_AS(maximal_velocities(model, data), StateError);
  CHECK_THROWS_AS(generalized_velocities(model, data, narrow), SizeError);
  CHECK_THROWS_AS(generalized_velocities(model, data, Vectord::Zero(3), narrow), SizeError);
  CHECK(mentions(message_of<SizeError>([&] { least_squares_velocities(model, data, narrow); }),
                 {"least_squares_velocities", "V is 6 x 2", "6 x 3"}));
  CHECK_THROWS_AS(least_squares_velocities(model, data, V, BodyPoint::origin, narrow), SizeError);
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    weights(2, 1) = wrong;
    CHECK(mentions(message_of<Error>([&] { least_squares_velocities(model, data, V, BodyPoint::origin, weights); }),
                   {"least_squares_velocities", "'link2'"}));
  }
}

TEST_CASE("a joint with more speeds than its body has is not resolved from that body",
          "[cartesian][velocities][errors]") {
  ModelBuilder<double> builder("long joint");
  const joint::Composite<> both{joint::FreeFlyer(), joint::Revolute::z()};
  builder.add_body({.name = "body",
                    .joint = both,
                    .inertia = InertialParameters<double>{1.0, zero3<double>(), identity3<double>()}});
  const auto model = builder.build();
  Data<double> data(model);
  const Vectord q = neutral(model), v = Vectord::Ones(7);
  const Matrix6X<double> V = maximal_velocities(model, data, q, v);
  const auto rejects = [&](const auto& call) {
    CHECK(mentions(message_of<ModelError>(call), {"'body_joint'", "7 degrees of freedom"}));
  };
  rejects([&] { generalized_velocities(model, data, V); });
  rejects([&] { cartesian_forces(model, data, v); });
  // Many v give this motion; the result is the shortest of them.
  const auto& found = least_squares_velocities(model, data, V);
  CHECK(found.rank == 6);
  CHECK(std::max(found.angular, found.linear) < tolerance<double>());
}

TEST_CASE("conversions by least squares do not hide configurations that are not finite", "[cartesian][extreme]") {
  const auto model = zoo::serial_chain(3);
  Data<double> data(model);
  const Matrix6X<double> V = Matrix6X<double>::Ones(6, static_cast<Eigen::Index>(model.bodies().size()));
  for (int k = 0; k < model.nv(); ++k)
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      Vectord q = neutral(model);
      q[k] = bad;
      forward_kinematics(model, data, q, Vectord(Vectord::Zero(model.nv())));
      CHECK_FALSE(least_squares_velocities(model, data, V).v.allFinite());
      CHECK_FALSE(generalized_velocities(model, data, V).v.allFinite());
      CHECK_FALSE(minimum_norm_forces(model, data, Vectord(Vectord::Ones(model.nv()))).F.allFinite());
    }
}

}  // namespace corio::test::cartesian
