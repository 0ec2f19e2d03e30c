#include "corio/algorithms/dynamics/relative_jacobian.hpp"

#include "support/catch.hpp"
#include "support/derivatives_support.hpp"
#include "support/jacobian_support.hpp"
#include "support/model_support.hpp"

// Checks two places relative to each other, by poses in the world and complex steps along the motion.

using namespace corio;
using namespace corio::test;

namespace {

template <class S>
FramePoint<S> place_on(const Model<S>& model, const Place& place) {
  if (!place.frame.empty()) return place.on(model);
  return {model.ground_frame(
              {from_columns<S>({S(0), S(1), S(0)}, {S(0), S(0), S(1)}, {S(1), S(0), S(0)}), {S(0.3), S(-0.2), S(0.1)}}),
          place.reference, place.point.cast<S>()};
}
/// Returns the places of all bodies, and of the ground.
std::vector<Place> places_and_ground(Sample& s) {
  auto all = places(s.model, s.random);
  for (const auto reference : all_references) all.push_back({"", reference, s.random.vector()});
  return all;
}
Eigen::Matrix4d four_by_four(const Matrix3<double>& R, const Vector3<double>& p, double one) {
  Eigen::Matrix4d X = Eigen::Matrix4d::Zero();
  X.topLeftCorner<3, 3>() = R, X.topRightCorner<3, 1>() = p, X(3, 3) = one;
  return X;
}

}  // namespace

TEST_EACH(Sample& s, "the relative pose, twist and Jacobian of two places are rates of each other",
          "[algorithms][relative_jacobian]") {
  const int n = s.model.nv();
  const auto all = places_and_ground(s);
  const auto complex = s.model.cast<Complex>();
  Data<Complex> ahead(complex);
  forward_kinematics(s.model, s.data, s.q, s.v, s.a);
  forward_kinematics(complex, ahead, step(complex, s.q, s.v),
                     VectorX<Complex>(s.v.cast<Complex>() + Complex(0, complex_step) * s.a.cast<Complex>()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place &one = all[(7 * i + 4) % all.size()], &two = all[i];
    CAPTURE(one.frame, two.frame, static_cast<int>(two.reference));
    const auto first = place_on(s.model, one), second = place_on(s.model, two);
    const auto z_first = place_on(complex, one), z_second = place_on(complex, two);
    Matrixd J(6, n), Jdot(6, n);
    MatrixX<Complex> J_ahead(6, n);
    relative_jacobian(s.model, s.data, first, second, J);
    relative_jacobian_dot(s.model, s.data, first, second, Jdot);
    relative_jacobian(complex, ahead, z_first, z_second, J_ahead);
    const Vectord V = relative_velocity(s.model, s.data, first, second).vector();
    CHECK(relative_error(J * s.v, V, s.v.norm()) < tolerance<double>());
    CHECK(relative_error(Jdot, Matrixd(J_ahead.imag() / complex_step), 1 + s.v.norm()) < tolerance<double>());
    const Vectord rate = relative_velocity(complex, ahead, z_first, z_second).vector().imag() / complex_step;
    CHECK(relative_error(J * s.a + Jdot * s.v, rate, 1 + s.v.squaredNorm()) < tolerance<double>());

    const Pose<Complex> X = relative_pose(complex, ahead, z_first, z_second);
    const Pose<double> own = relative_pose(s.model, s.data, first, second);
    CHECK(relative_error(four_by_four(own.rotation, own.translation, 1),
                         four_by_four(X.rotation.real(), X.translation.real(), 1)) < tolerance<double>());
    if (two.reference != ReferenceFrame::body) continue;
    const Eigen::Matrix4d slope =
        four_by_four(X.rotation.imag() / complex_step, X.translation.imag() / complex_step, 0);
    Eigen::Matrix4d twist = Eigen::Matrix4d::Zero();
    twist.topLeftCorner<3, 3>() = skew<double>(V.head<3>()), twist.topRightCorner<3, 1>() = V.tail<3>();
    CHECK(relative_error(four_by_four(own.rotation, own.translation, 1) * twist, slope, 1 + s.v.norm()) <
          tolerance<double>());
  }
}

TEST_EACH(Sample& s, "against the ground a place moves as in the world, and the ground against it the other way",
          "[algorithms][relative_jacobian]") {
  forward_kinematics(s.model, s.data, s.q, s.v);
  const FramePoint<double> ground = s.model.ground_frame(Pose<double>::identity());
  for (const Place& place : places(s.model, s.random)) {
    CAPTURE(place.frame, static_cast<int>(place.reference));
    const auto where = place.on(s.model);
    Matrixd J(6, s.model.nv()), inverse = J;
    relative_jacobian(s.model, s.data, ground, where, J);
    CHECK(relative_error(J, jacobian(s.model, s.data, where)) < tolerance<double>());
    relative_jacobian(s.model, s.data, where, {s.model.ground_frame(Pose<double>::identity()), world}, inverse);
    CHECK(relative_error(-inverse, jacobian<double>(s.model, s.data, {s.model.frame(place.frame), world})) <
          tolerance<double>());
    const Pose<double> X = relative_pose(s.model, s.data, ground, s.model.frame(place.frame));
    CHECK(relative_error(X.translation, body_pose(s.model, s.data, s.model.frame(place.frame)).translation) <
          tolerance<double>());
  }
}

TEST_CASE("a Jacobian of the wrong size leaves the state of data", "[algorithms][relative_jacobian][errors]") {
  const auto model = zoo::serial_chain<double>(3);
  Data<double> data(model);
  const Vectord q = Vectord::Ones(3);
  forward_kinematics<double>(model, data, q, q);
  const FramePoint<double> first = model.body("link1"), second = model.body("link3");
  Matrixd narrow(6, 2);
  CHECK_THROWS_AS(relative_jacobian<double>(model, data, 2 * q, first, second, narrow), SizeError);
  CHECK_THROWS_AS(relative_jacobian_dot<double>(model, data, 2 * q, q, first, second, narrow), SizeError);
  CHECK(data.q == q);
}
