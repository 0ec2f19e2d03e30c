#include <cmath>

#include "corio/corio.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

using namespace corio::test;
using corio::ReferenceFrame;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Two links of 0.5 m and 0.3 m in the plane of x and y, with a flange 0.1 m further on and a tool turned by a quarter.
corio::Model<double> planar_arm() {
  const std::string about_z = R"(<axis xyz="0 0 1"/>)" + limit;
  return corio::urdf::parse(robot_xml(
      link_xml("ground") + link_xml("upper") + link_xml("lower") + link_xml("flange") + link_xml("tool") +
      joint_xml("shoulder", "revolute", "ground", "upper", about_z) +
      joint_xml("elbow", "revolute", "upper", "lower", R"(<origin xyz="0.5 0 0"/>)" + about_z) +
      joint_xml("bolts", "fixed", "lower", "flange", R"(<origin xyz="0.3 0 0"/>)") +
      joint_xml("clamp", "fixed", "flange", "tool", R"(<origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>)")));
}

}  // namespace

TEST_CASE("the Jacobian of a tool welded to a planar arm is that of the textbook") {
  const auto model = planar_arm();
  corio::Data<double> data(model);
  const VectorXd q = Eigen::Vector2d(0.4, -1.1);
  MatrixXd J(6, 2), expected(6, 2);
  corio::body_jacobian(model, data, q, {model.frame("tool"), ReferenceFrame::world_aligned}, J);
  const double x2 = 0.4 * std::cos(q[0] + q[1]), y2 = 0.4 * std::sin(q[0] + q[1]);
  const double x1 = 0.5 * std::cos(q[0]) + x2, y1 = 0.5 * std::sin(q[0]) + y2;
  expected << 0, 0, 0, 0, 1, 1, -y1, -y2, x1, x2, 0, 0;
  CHECK(relative_error(J, expected) < tolerance<double>());

  // The Jacobian is in the tool's axes, a quarter turn ahead of those of the lower link.
  corio::body_jacobian(model, data, model.frame("tool"), J);
  const double c = std::cos(q[1]), s = std::sin(q[1]);
  expected << 0, 0, 0, 0, 1, 1, 0.5 * c + 0.4, 0.4, -0.5 * s, 0, 0, 0;
  CHECK(relative_error(J, expected) < tolerance<double>());
}

TEST_CASE("a named frame is a point on the link that carries it") {
  const auto model = planar_arm();
  corio::Data<double> data(model);
  const VectorXd q = Eigen::Vector2d(0.4, -1.1), v = Eigen::Vector2d(0.7, 0.2);
  corio::forward_kinematics(model, data, q, v, v);
  MatrixXd of_frame(6, 2), of_point(6, 2);
  for (const auto reference : {ReferenceFrame::world, ReferenceFrame::world_aligned}) {
    const corio::FramePoint<double> frame(model.frame("tool"), reference),
        point(model.frame("lower"), reference, {0.4, 0.0, 0.0});
    corio::body_jacobian(model, data, frame, of_frame);
    corio::body_jacobian(model, data, point, of_point);
    CHECK(relative_error(of_frame, of_point) < tolerance<double>());
    corio::body_jacobian_dot(model, data, frame, of_frame);
    corio::body_jacobian_dot(model, data, point, of_point);
    CHECK(relative_error(of_frame, of_point) < tolerance<double>());
    corio::body_jacobian_ddot(model, data, frame, of_frame);
    corio::body_jacobian_ddot(model, data, point, of_point);
    CHECK(relative_error(of_frame, of_point) < tolerance<double>());
    CHECK(relative_error(corio::body_classical_acceleration(model, data, frame),
                         corio::body_classical_acceleration(model, data, point)) < tolerance<double>());
  }
}
