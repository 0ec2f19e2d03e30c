#include <cmath>

#include "corio/corio.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio::test;
using corio::Model;
using corio::urdf::Mimic;
using corio::urdf::Options;
using corio::urdf::parse;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

const std::string examples = CORIO_EXAMPLES_DIR;

/// tau, M and C at one state, for comparing models with equal coordinates.
struct Dynamics {
  VectorXd tau;
  Eigen::MatrixXd M, C;
};
Dynamics dynamics(const Model<double>& model) {
  Random<double> random(7);
  VectorXd q = corio::neutral(model), v(model.nv()), a(model.nv());
  for (int i = 0; i < model.nv(); ++i) v[i] = random.real();
  q = corio::integrate(model, q, v);
  for (int i = 0; i < model.nv(); ++i) v[i] = random.real(), a[i] = random.real();
  corio::Data<double> data(model);
  const auto& matrices = corio::coriolis_matrix(model, data, q, v);
  return {corio::rnea(model, data, q, v, a), matrices.M, matrices.C};
}
double difference(const Model<double>& a, const Model<double>& b) {
  const Dynamics x = dynamics(a), y = dynamics(b);
  return std::max({relative_error(x.tau, y.tau), relative_error(x.M, y.M), relative_error(x.C, y.C)});
}

std::vector<std::string> joint_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (const auto& joint : model.joints()) names.push_back(joint.name());
  return names;
}

}  // namespace

TEST_CASE("urdf: every joint type becomes the joint of that kind about its axis") {
  struct Case {
    std::string urdf;
    corio::joint::JointSpec<double> expected;
    int nq, nv;
  };
  const Vector3d n(0.6, 0.0, 0.8);
  const std::vector<Case> cases = {{"revolute", corio::joint::Revolute(n), 1, 1},
                                   {"continuous", corio::joint::Revolute(n), 1, 1},
                                   {"prismatic", corio::joint::Prismatic(n), 1, 1},
                                   {"planar", corio::joint::Planar(n), 4, 3},
                                   {"floating", corio::joint::FreeFlyer{}, 7, 6}};
  const corio::InertialParameters<double> inertia{3.0, Vector3d(0.1, 0.2, 0.3),
                                                  (Matrix3d() << 2, 0.1, 0.2, 0.1, 2.5, 0.3, 0.2, 0.3, 1.5).finished()};
  for (const auto& [type, expected, nq, nv] : cases) {
    CAPTURE(type);
    // The axis has length 5.
    const auto model = parse(two_links(type, limit + "<origin xyz='1 2 3' rpy='0.4 0.5 0.6'/><axis xyz='3 0 4'/>"));
    CHECK(model.nq() == nq);
    CHECK(model.nv() == nv);
    CHECK(model.joint("j").type() == expected.type);
    corio::ModelBuilder<double> builder("r");
    builder.add_body({.name = "b",
                      .joint = expected,
                      .placement = {corio::rotation_rpy(0.4, 0.5, 0.6), Vector3d(1, 2, 3)},
                      .inertia = inertia,
                      .joint_name = "j"});
    CHECK(difference(model, builder.build()) < tolerance<double>());
  }
}

TEST_CASE("urdf: a joint without axis or origin moves about x at the parent's frame") {
  const auto given = limit + "<axis xyz='1 0 0'/><origin xyz='0 0 0' rpy='0 0 0'/>";
  CHECK(difference(parse(two_links("revolute")), parse(two_links("revolute", given))) == 0.0);
}

TEST_CASE("urdf: rpy turns by roll, pitch, yaw about fixed axes in that order") {
  const auto model = parse(two_links("revolute", limit + "<origin xyz='1 2 3' rpy='0.3 -0.4 1.2'/>"));
  corio::Data<double> data(model);
  corio::forward_kinematics(model, data, corio::neutral(model));
  const auto pose = corio::body_pose(model, data, model.body("b"));
  const Matrix3d R = corio::rotation_z(1.2) * corio::rotation_y(-0.4) * corio::rotation_x(0.3);
  CHECK(relative_error(pose.rotation, R) < tolerance<double>());
  CHECK(relative_error(pose.translation, Vector3d(1, 2, 3)) < tolerance<double>());
}

TEST_CASE("urdf: a fixed joint lumps its child, which stays a frame") {
  const std::string links = link_xml("a") + link_xml("b") + link_xml("c");
  const auto model = parse(robot_xml(links + joint_xml("j", "revolute", "a", "b") +
                                     joint_xml("weld", "fixed", "b", "c", "<origin xyz='1 0 0' rpy='0 0 1.5'/>")));
  CHECK(model.bodies().size() == 1);
  CHECK(model.total_mass() == Approx(6.0));
  CHECK(model.has_frame("c"));
  CHECK(model.has_frame("a"));
  CHECK_FALSE(model.has_joint("weld"));
}

TEST_CASE("urdf: the root link is on the ground, or on the joint asked for") {
  const std::string text = two_links("revolute");
  CHECK(parse(text).nv() == 1);
  CHECK(parse(text, Options{}).nv() == 1);
  CHECK(parse(text, corio::joint::Fixed{}).nv() == 1);
  const auto floating = parse(text, corio::joint::FreeFlyer{});
  CHECK(floating.nv() == 7);
  CHECK(joint_names(floating) == std::vector<std::string>{"root_joint", "j"});
  CHECK(floating.body("a").joint() == 0);
  CHECK(parse(text, corio::joint::Planar{}).joint("root_joint").nv() == 3);
  CHECK(parse(text, corio::joint::Universal{}).joint("root_joint").nv() == 2);
  CHECK(parse(text, corio::joint::JointSpec<double>(corio::joint::Spherical{})).joint("root_joint").nv() == 3);
  CHECK(parse(text, Options{.root = corio::joint::Translation{}, .mimic = Mimic::independent}).nv() == 4);
  CHECK(parse(robot_xml(link_xml("a")), corio::joint::FreeFlyer{}).nv() == 6);
}

TEST_CASE("urdf: a mimicking joint is independent when asked for") {
  const std::string text = two_links("revolute", limit + "<mimic joint='j' multiplier='2'/>");
  CHECK(difference(parse(text, Options{.mimic = Mimic::independent}), parse(two_links("revolute"))) == 0.0);
}

TEST_CASE("urdf: an inertia in rotated axes equals that of the same point masses") {
  // Masses on the inertial frame's axes at distances 0.3, 0.2, 0.1, in pairs, so that the frame's origin is the centre.
  const double m[3] = {0.4, 0.5, 0.6}, d[3] = {0.3, 0.2, 0.1};
  const Vector3d com(0.1, -0.2, 0.3);
  const Matrix3d R = corio::rotation_rpy(0.7, -0.3, 2.1);
  std::vector<PointMass<double>> points;
  double second[3];
  for (int i = 0; i < 3; ++i) {
    for (const double side : {1.0, -1.0}) points.push_back({m[i], com + R * Vector3d::Unit(i) * side * d[i]});
    second[i] = 2 * m[i] * d[i] * d[i];
  }
  std::ostringstream content;
  content.precision(17);
  content << "<inertial><origin xyz='0.1 -0.2 0.3' rpy='0.7 -0.3 2.1'/><mass value='3'/><inertia ixx='"
          << second[1] + second[2] << "' iyy='" << second[0] + second[2] << "' izz='" << second[0] + second[1]
          << "' ixy='0' ixz='0' iyz='0'/></inertial>";
  const auto model = parse(robot_xml(link_xml("a", content.str())), corio::joint::FreeFlyer{});
  CHECK(relative_error(corio::Inertia<double>(model.inertia("a")), inertia_of(points)) < tolerance<double>());
}

TEST_CASE("urdf: off-diagonal moments keep their places and signs") {
  const auto model = parse(robot_xml(link_xml("a", inertial("3", moments))), corio::joint::FreeFlyer{});
  const Matrix3d expected = (Matrix3d() << 2, 0.1, 0.2, 0.1, 2.5, 0.3, 0.2, 0.3, 1.5).finished();
  CHECK(relative_error(model.inertia("a").inertia, expected) < tolerance<double>());
}

TEST_CASE("urdf: a massless link between a joint and a body is legal") {
  const std::string text = robot_xml(link_xml("a") + link_xml("mid", "") + link_xml("b") +
                                     joint_xml("j", "continuous", "a", "mid", "<axis xyz='0 1 0'/>") +
                                     joint_xml("k", "continuous", "mid", "b", "<axis xyz='0 0 1'/>"));
  const auto model = parse(text);
  CHECK(model.nv() == 2);
  CHECK(model.total_mass() == Approx(3.0));
  CHECK(dynamics(model).tau.allFinite());
}

TEST_CASE("urdf: children keep the order of their joints in the file") {
  std::string links = link_xml("root"), joints;
  for (const std::string name : {"z", "m", "a", "k"}) {
    links += link_xml(name);
    joints += joint_xml(name + "_joint", "revolute", "root", name);
  }
  const std::vector<std::string> expected = {"z_joint", "m_joint", "a_joint", "k_joint"};
  CHECK(joint_names(parse(robot_xml(links + joints))) == expected);
  CHECK(joint_names(parse(robot_xml(joints + links))) == expected);
}

TEST_CASE("urdf: only elements directly below the robot are links and joints") {
  const std::string decoys = R"(
    <!-- <joint name="zero" type="fixed"><parent link="x"/><child link="y"/></joint> -->
    <transmission name="t"><joint name="one"><hardwareInterface>E</hardwareInterface></joint></transmission>
    <gazebo reference="a"><joint name="two" type="revolute"/><link name="x"/></gazebo>
    <![CDATA[ <joint name="three" type="fixed"/> ]]>
    <unknown/>)";
  const auto model =
      parse("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!DOCTYPE robot>\n<robot name='r'>" + decoys + link_xml("a") +
            link_xml("b") + joint_xml("j", "revolute", "a", "b") + decoys + "</robot>\n");
  CHECK(joint_names(model) == std::vector<std::string>{"j"});
}

TEST_CASE("urdf: names with entities and other alphabets are kept") {
  const auto model = parse(robot_xml(link_xml("a") + link_xml("b &amp; c") +
                                     joint_xml("J\xC3\xB6int &lt;1&gt;", "revolute", "a", "b &amp; c")));
  CHECK(model.has_joint("J\xC3\xB6int <1>"));
  CHECK(model.has_body("b & c"));
}

TEST_CASE("urdf: unreadable geometry does not keep a robot from loading") {
  const std::string strange = "<visual><geometry><torus r='1'/></geometry></visual><collision><geometry/></collision>";
  const auto model = parse(robot_xml(link_xml("a") + link_xml("b", strange + inertial("3", moments)) +
                                     joint_xml("j", "revolute", "a", "b")));
  CHECK(model.total_mass() == Approx(3.0));
}

TEST_CASE("urdf: the order of links, and of joints along a chain, does not change the dynamics") {
  const std::string a = link_xml("a"), b = link_xml("b"), c = link_xml("c");
  const std::string j = joint_xml("j", "revolute", "a", "b", limit + "<origin xyz='1 0 0'/><axis xyz='0 1 0'/>");
  const std::string k = joint_xml("k", "prismatic", "b", "c", limit + "<origin xyz='0 1 0' rpy='1 0 0'/>");
  const auto model = parse(robot_xml(a + b + c + j + k));
  CHECK(difference(model, parse(robot_xml(c + a + b + j + k))) == 0.0);
  CHECK(difference(model, parse(robot_xml(k + j + c + b + a))) == 0.0);
  CHECK(difference(model, parse(robot_xml(k + c + j + a + b))) == 0.0);
}

TEST_CASE("urdf: the example arm loads on a fixed and on a floating base") {
  const auto arm = corio::urdf::load(examples + "/models/arm7.urdf");
  CHECK(arm.nv() == 7);
  CHECK(arm.name() == "arm7");
  CHECK(arm.has_frame("tool0"));
  CHECK(joint_names(arm).front() == "shoulder_yaw");
  CHECK(arm.upper_limit()[arm.joint("elbow").q_index()] == 2.6);
  CHECK(dynamics(arm).tau.allFinite());
  const auto floating = corio::urdf::load(examples + "/models/arm7.urdf", corio::joint::FreeFlyer{});
  CHECK(floating.nv() == 13);
  CHECK(floating.total_mass() == Approx(18.0));
}

TEST_CASE("urdf: the example quadruped loads on a floating and on a fixed base") {
  const auto walker =
      corio::urdf::load(examples + "/models/quadruped.urdf", Options{.root = corio::joint::FreeFlyer{}});
  CHECK(walker.nv() == 18);
  CHECK(walker.total_mass() == Approx(30.0));
  CHECK(walker.has_frame("rear_right_foot"));
  CHECK(joint_names(walker)[1] == "front_left_hip_roll");
  CHECK(dynamics(walker).tau.allFinite());
  CHECK(corio::urdf::load(examples + "/models/quadruped.urdf").nv() == 12);
}
