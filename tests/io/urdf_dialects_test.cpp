#include <Eigen/Geometry>
#include <random>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/no_files.hpp"

// Features of later versions of URDF, and forms that other programs write.

using corio::urdf::Options;
using corio::urdf::parse;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using namespace corio::test;

namespace {

std::string of_version(const std::string& version, const std::string& content) {
  return "<robot name='r' version='" + version + "'>" + content + "</robot>";
}
std::string quat_xyzw(const Quaterniond& x) {
  std::ostringstream text;
  text.precision(17);
  text << "<origin xyz='1 2 3' quat_xyzw='" << x.x() << " " << x.y() << " " << x.z() << " " << x.w() << "'/>";
  return text.str();
}
std::vector<double> limits_of(const std::string& type, const std::string& content) {
  const auto model = parse(two_links(type, content));
  return {model.lower_limit()[0], model.upper_limit()[0], model.velocity_limit()[0], model.effort_limit()[0]};
}
bool says(const std::vector<corio::Note>& notes, std::initializer_list<const char*> parts) {
  for (const auto& note : notes) {
    const std::string text = to_string(note);
    if (std::all_of(parts.begin(), parts.end(), [&](const char* part) { return text.find(part) != text.npos; }))
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("urdf: quaternions of version 1.1 turn joints, inertias and the ends of loops") {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20; ++i) {
    // Quaternions may have any length; Eigen is the oracle.
    const Quaterniond x(normal(generator), normal(generator), normal(generator), normal(generator));
    const Matrix3d R = x.normalized().toRotationMatrix();
    const std::string origin = quat_xyzw(i < 10 ? x : x.normalized());
    const auto model = parse(of_version("1.1", link_xml("a") + link_xml("b", inertial("3", moments, origin)) +
                                                   joint_xml("j", "revolute", "a", "b", limit + origin) +
                                                   link_xml("c", "") + joint_xml("weld", "fixed", "b", "c", origin)));
    corio::Data<double> data(model);
    corio::forward_kinematics(model, data, corio::neutral(model));
    const auto pose = corio::body_pose(model, data, model.body("b"));
    // The text is rounded, and so are some products: 1e-14.
    CHECK((pose.rotation - R).norm() < 1e-14);
    CHECK((pose.translation - Eigen::Vector3d(1, 2, 3)).norm() == 0.0);
    CHECK((corio::body_pose(model, data, model.frame("c")).rotation - R * R).norm() < 1e-14);
    Matrix3d I;
    I << 2, 0.1, 0.2, 0.1, 2.5, 0.3, 0.2, 0.3, 1.5;
    CHECK((model.inertia("b").inertia - R * I * R.transpose()).norm() < 1e-13);
    CHECK(says(model.notes(), {"joint 'j'", "quat_xyzw has the length", "scaled to length 1"}) == (i < 10));
    CHECK(says(model.notes(), {"link 'b'", "quat_xyzw has the length"}) == (i < 10));

    const auto loop = [&](const std::string& at) {
      const auto builder = corio::urdf::builder_from_text(
          of_version("1.1", link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "a", "b") +
                                "<loop name='l' type='fixed'><predecessor link='a'>" + at +
                                "</predecessor><successor link='b'/></loop>"));
      return builder.frames().at(0).placement;
    };
    CHECK((loop(origin).rotation - R).norm() < 1e-14);
  }
}

TEST_CASE("urdf: a quaternion that is none, or stands beside rpy, is rejected") {
  const auto with = [](const std::string& origin) { return two_links("revolute", limit + origin); };
  CHECK(rejection(with("<origin quat_xyzw='0 0 0 0'/>"), {"line 3: joint 'j'", "quat_xyzw is zero"}) == "rejected");
  CHECK(rejection(with("<origin quat_xyzw='0 0 1'/>"), {"joint 'j'", "4 finite numbers"}) == "rejected");
  CHECK(rejection(with("<origin quat_xyzw='0 0 0 inf'/>"), {"joint 'j'", "4 finite numbers"}) == "rejected");
  CHECK(rejection(with("<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>"),
                  {"joint 'j'", "both rpy and quat_xyzw", "expected one of them"}) == "rejected");
  // The quaternion's squares may leave the range of double, the quaternion itself need not.
  CHECK(parse(with("<origin quat_xyzw='1e300 0 0 1e300'/>")).nv() == 1);
  CHECK(parse(with("<origin quat_xyzw='1e-300 0 0 1e-300'/>")).nv() == 1);
  CHECK(says(parse(with("<origin quat_xyzw='0 0 0 1'/>")).notes(), {"quat_xyzw in a robot of version 1.0", "is read"}));
}

TEST_CASE("urdf: limits of acceleration, deceleration and jerk of version 1.2 are kept") {
  const auto model = parse(of_version(
      "1.2", link_xml("a") + link_xml("b") +
                 joint_xml("j", "revolute", "a", "b",
                           "<limit lower='-1' upper='1' effort='5' velocity='2' acceleration='3' deceleration='4' "
                           "jerk='100'/>")));
  CHECK(model.acceleration_limit()[0] == 3.0);
  CHECK(model.deceleration_limit()[0] == 4.0);
  CHECK(model.jerk_limit()[0] == 100.0);
  CHECK(model.notes().empty());
  const auto without = parse(two_links("prismatic"));
  for (const auto& none : {without.acceleration_limit(), without.deceleration_limit(), without.jerk_limit()})
    CHECK(none[0] == inf);
}

TEST_CASE("urdf: infinite limits are none, as Isaac Sim writes them") {
  for (const std::string type : {"revolute", "prismatic"}) {
    CHECK(limits_of(type, "<limit lower='-inf' upper='inf' effort='inf' velocity='Infinity'/>") ==
          std::vector<double>{-inf, inf, inf, inf});
    CHECK(limits_of(type, "<limit lower='-1' upper='+inf' effort='1' velocity='2'/>") ==
          std::vector<double>{-1, inf, 2, 1});
    CHECK(parse(two_links(type, "<limit lower='-inf' upper='inf' effort='inf' velocity='inf'/>")).notes().empty());
  }
  const auto soft = parse(two_links(
      "revolute", limit + "<safety_controller soft_lower_limit='-inf' soft_upper_limit='1' k_velocity='0'/>"));
  CHECK(soft.safety().lower[0] == -inf);
}

TEST_CASE("urdf: limits of zero and a planar joint without an axis are noted") {
  const auto notes = [](const std::string& type, const std::string& content) {
    return parse(two_links(type, content)).notes();
  };
  CHECK(says(notes("revolute", "\n<limit lower='0' upper='0' effort='1' velocity='2'/>"),
             {"line 4: joint 'j'", "lower = upper = 0", "they are kept"}));
  const auto zero = notes("prismatic", "<limit lower='-1' upper='1' effort='0' velocity='0'/>");
  CHECK(says(zero, {"joint 'j'", "effort limit is 0", "it is kept"}));
  CHECK(says(zero, {"joint 'j'", "velocity limit is 0"}));
  CHECK(limits_of("prismatic", "<limit lower='-1' upper='1' effort='0' velocity='0'/>") ==
        std::vector<double>{-1, 1, 0, 0});
  CHECK(notes("prismatic", "<limit lower='-1' upper='1' effort='1' velocity='1'/>").empty());
  CHECK(says(notes("planar", ""), {"joint 'j'", "planar", "no <axis>", "y-z plane"}));
  CHECK(notes("planar", "<axis xyz='0 0 1'/>").empty());
}

TEST_CASE("urdf: a parent link 'world' that is not in the file is the ground, as in Drake") {
  const std::string text = "<robot name='r'>" + link_xml("a") + link_xml("b") + joint_xml("f", "fixed", "world", "a") +
                           joint_xml("j", "continuous", "a", "b") + "</robot>";
  const auto model = parse(text);
  CHECK(says(model.notes(), {"joint 'f'", "'world' is not in the file", "the ground"}));
  const auto with_link = parse("<robot name='r'><link name='world'/>" + text.substr(text.find('>') + 1));
  CHECK(with_link.notes().empty());
  corio::Data<double> data(model), other(with_link);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.7);
  REQUIRE(model.nv() == 1);
  CHECK(corio::crba(model, data, q) == corio::crba(with_link, other, q));
  // As a child the element is a mistake.
  CHECK(rejection("<robot name='r'>" + link_xml("a") + joint_xml("f", "fixed", "a", "world") + "</robot>",
                  {"joint 'f'", "'world' is not in the file"}) == "rejected");
}

TEST_CASE("urdf: joints of Drake") {
  const auto with = [](const std::string& type, const std::string& content) {
    return "<robot name='r'>" + link_xml("a") + link_xml("b") + "<drake:joint name='j' type='" + type +
           "'><parent link='a'/><child link='b'/><origin xyz='1 2 3'/>" + content + "</drake:joint></robot>";
  };
  const auto pose = [&](const std::string& type, const std::string& content, const Eigen::VectorXd& q) {
    const auto model = parse(with(type, content));
    CHECK(model.notes().empty());
    REQUIRE(model.nq() == q.size());
    corio::Data<double> data(model);
    corio::forward_kinematics<double>(model, data, q);
    return corio::body_pose(model, data, model.body("b"));
  };
  const auto turned = [](double angle, const Eigen::Vector3d& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  const Eigen::Vector3d x(1, 0, 0), y(0, 1, 0), place(1, 2, 3);
  constexpr double pitch = 0.04, angle = 0.7;
  const auto screw =
      pose("screw", "<axis xyz='0 2 0'/><drake:screw_thread_pitch value='0.04'/>", Eigen::VectorXd::Constant(1, angle));
  CHECK((screw.rotation - turned(angle, y)).norm() < 1e-14);
  CHECK((screw.translation - place - pitch * angle / (2 * std::acos(-1.0)) * y).norm() < 1e-14);
  const auto universal = pose("universal", "", Eigen::Vector2d(0.3, -0.4));
  CHECK((universal.rotation - turned(0.3, x) * turned(-0.4, y)).norm() < 1e-14);
  CHECK((universal.translation - place).norm() == 0.0);
  const Eigen::Quaterniond ball(turned(angle, Eigen::Vector3d(1, 2, 2) / 3));
  CHECK((pose("ball", "", ball.coeffs()).rotation - ball.toRotationMatrix()).norm() < 1e-14);
  CHECK(pose("planar", "<axis xyz='0 0 1'/>", Eigen::Vector4d(0.1, 0.2, 1, 0)).translation.z() == 3.0);

  const auto limited = parse(with("screw",
                                  "<drake:screw_thread_pitch value='0.04'/><limit lower='-1' upper='2' effort='3' "
                                  "velocity='4'/><dynamics damping='0.5'/>"));
  CHECK(limited.lower_limit()[0] == -1.0);
  CHECK(limited.effort_limit()[0] == 3.0);
  CHECK(limited.damping()[0] == 0.5);
  CHECK(rejection(with("screw", ""), {"joint 'j'", "drake:screw_thread_pitch"}) == "rejected");
  CHECK(rejection(with("revolute", ""), {"joint 'j'", "ball, universal, planar or screw"}) == "rejected");
  // An ignored element may be the cause of an error.
  CHECK(rejection("<robot name='r'>" + link_xml("a") + link_xml("b") +
                      "\n<other:joint name='j'><parent link='a'/><child link='b'/></other:joint></robot>",
                  {"links 'a', 'b' have no parent joint", "line 4", "ignored", "<other:joint>"}) == "rejected");
}

TEST_CASE("urdf: a lower limit above the upper one means none, as in PyBullet") {
  for (const std::string type : {"revolute", "prismatic"}) {
    const std::string content = "\n<limit lower='1' upper='-1' effort='7' velocity='8'/>";
    CHECK(limits_of(type, content) == std::vector<double>{-inf, inf, 8, 7});
    CHECK(says(parse(two_links(type, content)).notes(),
               {"line 4: joint 'j'", "lower limit 1 exceeds its upper limit -1", "treated as unlimited", "PyBullet"}));
    // Programs that search the least and the greatest value start with these limits.
    CHECK(limits_of(type, "<limit lower='inf' upper='-inf' effort='7' velocity='8'/>") ==
          std::vector<double>{-inf, inf, 8, 7});
  }
}

TEST_CASE("urdf: PyBullet's type spherical is a ball joint") {
  const auto model = parse(two_links("spherical"));
  CHECK(model.joint("j").type() == "spherical");
  CHECK(says(model.notes(), {"line 3: joint 'j'", "of type spherical", "ball joint"}));
  CHECK(says(model.notes(), {"has <limit> although it is of type spherical", "ignored"}));
}

TEST_CASE("urdf: zero bytes after the text are noted, in it they are rejected") {
  std::string text = two_links("revolute");
  text.push_back('\0');
  CHECK(says(parse(text).notes(), {"robot 'r': 1 zero bytes follow the text", "ignored"}));
  CHECK(parse(text).nv() == 1);
}

TEST_CASE("urdf: a rotor behind a reduction of zero is left out, which a note says") {
  const std::string transmission =
      "<transmission name='t'><joint name='j'/><actuator name='m'><mechanicalReduction>0</mechanicalReduction>"
      "<rotorInertia>1e-4</rotorInertia></actuator></transmission>";
  const auto model =
      parse(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "a", "b") + transmission));
  CHECK(model.armature()[0] == 0.0);
  CHECK(says(model.notes(), {"transmission 't'", "has a reduction of 0", "its rotor inertia is ignored"}));
}

TEST_CASE("urdf: a builder takes the joint of the root as a model does") {
  const TemporaryFile file(two_links("revolute"));
  const corio::joint::FreeFlyer free;
  CHECK(corio::urdf::builder(file.path(), free).build().nv() == 7);
  CHECK(corio::urdf::builder_from_text(two_links("revolute"), free).build().nv() == 7);
}

TEST_CASE("urdf: what is no file is rejected in a second") {
  const NoFiles no_files(".urdf");
  for (const auto& given : no_files.all)
    CHECK(not_rejected([](const std::filesystem::path& path) { corio::urdf::load(path); }, given) == "");
}
