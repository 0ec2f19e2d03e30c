#include "corio/io/mjcf.hpp"

#include <numbers>

#include "corio/kinematics/frames.hpp"
#include "io/mjcf_text.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

using namespace corio;
using namespace corio::test;

namespace {

Pose<double> pose_at_zero(const Model<double>& model, const std::string& frame) {
  Data<double> data(model);
  forward_kinematics<double>(model, data, VectorX<double>::Zero(model.nq()));
  return body_pose(model, data, model.frame(frame));
}

}  // namespace

TEST_CASE("mjcf: a frame counts as a body that is welded there") {
  // Bodies, geoms and sites in a <frame> equal those of a body without joint; a joint in a frame is turned and moved
  // with it.
  const std::string in_frames = world(
      "<frame pos='1 0 2' euler='0 0 90'><body name='a' pos='0 1 0'><joint axis='1 0 0'/>" + inertial +
          "<frame name='f' childclass='c' axisangle='0 1 0 30' pos='.3 0 0'><geom size='.2 .3' pos='0 .1 0'/>"
          "<site name='s' pos='0 0 1'/><frame pos='0 0 .5'><body name='b'><joint type='slide' axis='0 0 1'/><geom/>"
          "</body></frame></frame></body></frame>",
      "<compiler inertiafromgeom='true'/><default><geom size='.1'/><default class='c'><geom type='capsule' size='.1 "
      ".2'/>"
      "</default></default>");
  const std::string welded = world(
      "<body pos='1 0 2' euler='0 0 90'><body name='a' pos='0 1 0'><joint axis='1 0 0'/>"
      "<body childclass='c' axisangle='0 1 0 30' pos='.3 0 0'><geom size='.2 .3' pos='0 .1 0'/>"
      "<site name='s' pos='0 0 1'/><body pos='0 0 .5'><body name='b'><joint type='slide' axis='0 0 1'/><geom/>"
      "</body></body></body></body></body>",
      "<compiler inertiafromgeom='true'/><default><geom size='.1'/><default class='c'><geom type='capsule' size='.1 "
      ".2'/>"
      "</default></default>");
  const Model<double> a = mjcf::parse(in_frames), b = mjcf::parse(welded);
  CHECK(relative_error(motion(a), motion(b)) < tolerance<double>());
  for (const char* name : {"a", "b", "s"})
    CHECK(relative_error(pose_at_zero(a, name), pose_at_zero(b, name)) < tolerance<double>());

  // Rz(90 degrees) maps x to y, so the joint in the frame has the axis y at (1, 0.2, 0).
  const Model<double> turned = mjcf::parse(
      hinge_body(inertial + "<frame pos='1 0 0' euler='0 0 90'><joint axis='1 0 0' pos='.2 0 0'/></frame>", ""));
  const Model<double> plain = mjcf::parse(hinge_body(inertial + "<joint axis='0 1 0' pos='1 .2 0'/>", ""));
  CHECK(relative_error(motion(turned), motion(plain)) < tolerance<double>());
}

TEST_CASE("mjcf: euler angles are of axes that turn, in lower case, or that stay") {
  const auto R = [](const std::string& sequence) {
    const auto model = mjcf::parse(world("<body name='b' euler='20 -50 110'><joint/>" + inertial + "</body>",
                                         "<compiler eulerseq='" + sequence + "'/>"));
    return pose_at_zero(model, "b").rotation;
  };
  const double degree = std::acos(-1.0) / 180;
  const Matrix3<double> x = rotation_x(20 * degree), y = rotation_y(-50 * degree), z = rotation_z(110 * degree);
  CHECK(relative_error(R("xyz"), Matrix3<double>(x * y * z)) < tolerance<double>());
  CHECK(relative_error(R("XYZ"), Matrix3<double>(z * y * x)) < tolerance<double>());
  // Turns first about z by 20 degrees, then about the new y, then about the x of the parent.
  CHECK(relative_error(R("zyX"), Matrix3<double>(rotation_x(110 * degree) * rotation_z(20 * degree) *
                                                 rotation_y(-50 * degree))) < tolerance<double>());
}

TEST_CASE("mjcf: inertial numbers arrive as they stand in the file") {
  const Model<double> model =
      mjcf::parse(hinge_body("<inertial pos='.1 .2 .3' mass='2' fullinertia='1.1 1.2 1.3 .01 .02 .03'/>"));
  const auto inertia = model.inertia("b");
  Matrix3<double> I;
  I << 1.1, 0.01, 0.02, 0.01, 1.2, 0.03, 0.02, 0.03, 1.3;
  CHECK(inertia.mass == 2.0);
  CHECK(relative_error(inertia.com, Vector3<double>(0.1, 0.2, 0.3)) < tolerance<double>());
  CHECK(relative_error(inertia.inertia, I) < tolerance<double>());

  // The geom is a solid sphere of water: 4/3 pi r^3 1000 kg, 2/5 m r^2.
  const auto sphere = mjcf::parse(hinge_body("<geom size='0.5' pos='0 0 1'/>")).inertia("b");
  const double mass = 1000 * 4.0 / 3.0 * 3.14159265358979323846 / 8;
  CHECK(sphere.mass == Approx(mass).epsilon(1e-12));
  CHECK(relative_error(sphere.inertia, Matrix3<double>(0.4 * mass * 0.25 * Matrix3<double>::Identity())) < 1e-12);
}

TEST_CASE("mjcf: springs and dampers by time constant and damping ratio are those of an oscillator") {
  const double inertia = 1.5 * (0.1 * 0.1 + 0.2 * 0.2) + 0.04, time = 0.5, ratio = 0.8;
  const auto model = mjcf::parse(hinge_body(inertial, "<joint springdamper=\"0.5 0.8\" damping=\"9\"/>"));
  // I (d2q/dt2 + 2 w z dq/dt + w^2 q) = 0 with the damping ratio z and the time constant 1 / (w z).
  const double w = 1 / (time * ratio);
  CHECK(std::abs(model.stiffness()[0] - inertia * w * w) < 1e-14);
  CHECK(std::abs(model.damping()[0] - 2 * inertia * w * ratio) < 1e-14);
  // A zero is no spring; a spring of a free body is not kept.
  const auto plain = mjcf::parse(hinge_body(inertial, "<joint springdamper=\"0 0\" damping=\"9\"/>"));
  CHECK(plain.stiffness()[0] == 0);
  CHECK(plain.damping()[0] == 9);
  // A spring given by its stiffness rests at springref, here in degrees.
  const auto bent = mjcf::parse(hinge_body(inertial, "<joint stiffness=\"3\" springref=\"-90\"/>"));
  CHECK(bent.stiffness()[0] == 3);
  CHECK(std::abs(bent.rest_configuration()[0] + std::numbers::pi / 2) < 1e-15);
  const auto free = mjcf::parse(hinge_body(R"(<inertial pos="0 0 0" mass="2" diaginertia="2 2 2"/>)",
                                           "<joint type=\"free\" springdamper=\"4 1\"/>"));
  CHECK((free.damping() - VectorX<double>::Constant(6, 1)).norm() < 1e-14);
  CHECK(free.stiffness().isZero(0));
  CHECK(to_string(free.notes().front()).find("a spring between a free body and the world") != std::string::npos);
}

TEST_CASE("mjcf: a range that begins or ends at zero is a range") {
  for (const double side : {-1.0, 1.0}) {
    const std::string range = side < 0 ? "-30 0" : "0 30";
    const auto model = mjcf::parse(hinge_body(inertial, "<joint range='" + range + "'/>"));
    const double at = side * std::numbers::pi / 6;
    CHECK(std::abs(model.lower_limit()[0] - std::min(at, 0.0)) < 1e-15);
    CHECK(std::abs(model.upper_limit()[0] - std::max(at, 0.0)) < 1e-15);
  }
}

TEST_CASE("mjcf: the inertia of a capsule is the sum of that of its slices") {
  const double radius = 0.1, half = 0.3, density = 700;
  const auto capsule = mjcf::parse(hinge_body("<geom type='capsule' size='.1 .3' density='700'/>")).inertia("b");
  double mass = 0, across = 0, along = 0;
  const int n = 4000;
  for (int i = 0; i < n; ++i) {
    const double dz = 2 * (half + radius) / n, z = (i + 0.5) * dz - half - radius;
    const double beyond = std::max(0.0, std::abs(z) - half), r2 = radius * radius - beyond * beyond;
    const double dm = density * std::numbers::pi * r2 * dz;
    mass += dm, across += dm * (r2 / 4 + z * z), along += dm * r2 / 2;
  }
  // The error of the midpoint rule falls with the square of the number of slices.
  CHECK(std::abs(capsule.mass - mass) < 1e-6 * mass);
  CHECK((capsule.inertia - Matrix3<double>(Vector3<double>(across, across, along).asDiagonal())).norm() <
        1e-6 * across);
}

TEST_CASE("mjcf: names, also of bodies and joints that have none") {
  const Model<double> model = mjcf::parse(
      world("<body><joint/>" + inertial + "<body name='arm'><joint name='x'/><joint pos='1 0 0'/>" + inertial +
            "<body name='body1'><site name='arm'/></body></body></body><body name='joint0'><joint name='joint0'/>" +
            inertial + "</body>"));
  std::vector<std::string> bodies, joints;
  for (const auto& body : model.bodies()) bodies.push_back(body.name());
  for (const auto& joint : model.joints()) joints.push_back(joint.name());
  CHECK(bodies == std::vector<std::string>{"body1_", "arm_x", "arm", "joint0"});
  CHECK(joints == std::vector<std::string>{"joint0_", "x", "joint2", "joint0"});
  CHECK(model.has_frame("body1"));
  CHECK(model.has_frame("arm_site"));
  CHECK(model.name() == "MuJoCo Model");
}

TEST_CASE("mjcf: what is beside the model is kept") {
  const mjcf::File file = mjcf::read_text(
      world("<body name='a' pos='1 2 3' quat='0 0 1 0'><freejoint/>" + inertial +
                "</body><body name='b'><joint ref='90' name='j'/>" + inertial + "</body>",
            "<equality>\n<weld name='w' body1='a' body2='b' relpose='0 0 0 1 0 0 0'/></equality>"
            "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
            "<keyframe><key name='k' time='2' qpos='1 2 3 4 5 6 7 8' qvel='1 2 3 4 5 6 7'/></keyframe>"));
  REQUIRE(file.equalities.size() == 1);
  CHECK(file.equalities[0].name == "weld");
  CHECK(file.equalities[0].line == 2);
  CHECK(file.equalities[0].get("body2") == "b");
  REQUIRE(file.tendons.size() == 1);
  CHECK(file.tendons[0].children[0].number("coef") == 2.0);
  REQUIRE(file.keyframes.size() == 1);
  CHECK(file.keyframes[0].qpos == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(file.keyframes[0].qvel.size() == 7);
  REQUIRE(file.qpos0.size() == 8);
  CHECK(file.qpos0[1] == 2.0);
  CHECK(std::abs(file.qpos0[5]) == Approx(1.0));
  CHECK(file.qpos0[7] == Approx(3.14159265358979323846 / 2));
  const std::vector<Note> notes = file.builder.build().notes();
  REQUIRE(notes.size() == 1);
  CHECK(file.builder.loops().size() == 1);
}

TEST_CASE("mjcf: the armature of an actuator is added to its joint, times the square of its gear") {
  const auto M_with = [](const std::string& actuator, const std::string& joint = "hinge",
                         const std::string& before = "") {
    const std::string text = "<mujoco>" + before + "<worldbody><body name='b'><joint name='j' type='" + joint +
                             "' armature='.25'/>" + inertial + "</body></worldbody><actuator>" + actuator +
                             "</actuator></mujoco>";
    return motion(mjcf::parse(text))[0];
  };
  const double alone = M_with("<motor joint='j'/>"), slide = M_with("<motor joint='j'/>", "slide");
  // The values are exact except for the sums.
  constexpr double bound = 1e-13;
  CHECK(std::abs(M_with("<motor joint='j' armature='.3' gear='10'/>") - alone - 30) < 30 * bound);
  CHECK(std::abs(M_with("<motor jointinparent='j' armature='.3'/>") - alone - 0.3) < bound);
  CHECK(std::abs(M_with("<position joint='j' armature='.3' gear='-2 7'/>", "slide") - slide - 1.2) < bound);
  CHECK(std::abs(M_with("<motor joint='j' armature='.3'/><damper joint='j' kv='1' armature='.5' gear='2'/>") - alone -
                 2.3) < bound);
  CHECK(std::abs(M_with("<motor joint='j'/>", "hinge", "<default><motor armature='.3' gear='3'/></default>") - alone -
                 2.7) < bound);
  // Other tendons are named in a note: they couple several degrees of freedom.
  const auto noted = [](const std::string& body, const std::string& after, const std::string& what) {
    const auto all = notes_of("<mujoco><worldbody>" + body + "</worldbody>" + after + "</mujoco>");
    return std::ranges::any_of(all, [&](const std::string& note) {
      return note.find(what) != note.npos && note.find("not in the mass matrix") != note.npos;
    });
  };
  const std::string ball = "<body name='b'><joint name='j' type='ball'/>" + inertial + "<site name='s'/></body>";
  CHECK(noted(ball, "<actuator><motor joint='j' armature='.3'/></actuator>", "armature 0.3 on joint j"));
  CHECK(noted(ball, "<actuator><motor site='s' armature='.3'/></actuator>", "armature 0.3"));
  const std::string hinge = "<body name='b'><joint name='j'/>" + inertial + "</body>";
  const std::string tendon = "<tendon><fixed name='t' armature='.7'><joint joint='j' coef='1'/></fixed></tendon>";
  CHECK(noted(hinge, tendon, "armature 0.7"));
  CHECK_FALSE(noted(hinge, "<actuator><motor joint='j' armature='.3'/></actuator>", "armature"));
  CHECK_THROWS_AS(M_with("<motor joint='j' armature='-1'/>"), ModelError);
}
